"""Checks of arguments that every room shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from medir.errors import UsageError


def check_choice(value: Any, choices: Sequence[str], name: str) -> None:
    """Raises an error unless a value is one of the choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_whole(value: Any, name: str, least: int | None = 1) -> None:
    """Raises an error unless a value is a whole number, not below the least."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if least is None and not whole:
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    if least is not None and (not whole or value < least):
        raise UsageError(f"{name} must be {least} or more, not {value!r}")


def check_columns(value: Any) -> None:
    """Raises an error unless a value says which columns hold what, or nothing."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"columns must be a mapping like {{'query_id': 'q'}}, not {value!r}")
