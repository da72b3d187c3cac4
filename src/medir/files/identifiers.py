"""Ids of queries and documents: bytes in the core, text in Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from medir.errors import ENCODING, UNDECODABLE, InputError, shown

__all__ = ["ENCODING", "UNDECODABLE", "bytes_of", "shown", "text_of", "writable"]


def text_of(identifier: bytes) -> str:
    """An id as text; bytes that are no UTF-8 survive as surrogates."""
    return identifier.decode(ENCODING, UNDECODABLE)


def writable(identifier: str) -> str:
    """An id whose bytes can be written: as it is, unless it never had any."""
    try:
        identifier.encode(ENCODING, UNDECODABLE)
    except UnicodeEncodeError:
        return shown(identifier)
    return identifier


def bytes_of(identifier: Any, what: str, name: str) -> bytes:
    """An id as bytes. Numbers are taken as their digits."""
    try:
        if isinstance(identifier, str):
            return identifier.encode(ENCODING, UNDECODABLE)
        if isinstance(identifier, int | np.integer):
            return str(identifier).encode()
    except UnicodeEncodeError:
        pass
    raise InputError(
        f"a {what} id is text or a whole number, not {identifier!r}",
        name,
        remedy="Convert the ids to str.",
    )
