"""What is printed: lines for people, and rows on standard output."""

from __future__ import annotations

import sys
from codecs import getincrementaldecoder
from io import BufferedIOBase
from typing import Any, BinaryIO, cast

import click

from medir.errors import ENCODING, UNDECODABLE, abbreviated, visible_lines


def echo(text: str = "", *, err: bool = False) -> None:
    """Prints a text; what could act on a terminal appears as escapes."""
    click.echo(visible_lines(abbreviated(text)), err=err)


def put(text: str) -> None:
    """Prints what a console has composed, as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()


def standard_output() -> BinaryIO:
    """Where rows are printed: as they are, but on a terminal with escapes, like lines."""
    if not sys.stdout.isatty():
        return sys.stdout.buffer
    return cast("BinaryIO", _Shown(sys.stdout.buffer, sys.stdout.encoding))


class _Shown(BufferedIOBase):
    """A terminal, which gets rows in its own encoding; it stays open."""

    def __init__(self, terminal: BinaryIO, encoding: str) -> None:
        self._terminal, self._encoding = terminal, encoding
        self._decoder = getincrementaldecoder(ENCODING)(UNDECODABLE)  # pieces may cut a character

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, data: Any) -> int:
        """Writes what a piece of the rows looks like."""
        text = visible_lines(self._decoder.decode(bytes(data)))
        self._terminal.write(text.encode(self._encoding, "backslashreplace"))
        return len(data)
