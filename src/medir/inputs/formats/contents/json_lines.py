"""JSON lines: one object per line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from medir.errors import InputError
from medir.files.identifiers import ENCODING

SUFFIXES = {".jsonl", ".ndjson"}


class Record(NamedTuple):
    """An object, the number of its line, and the line."""

    number: int
    line: str
    fields: dict[str, Any]


def records(
    lines: Iterable[bytes],
    name: str,
    example: str,
    decode: Callable[[bytes], Any] = json.loads,
) -> Iterator[Record]:
    """The objects of a file, line by line; an error about another line shows the example."""
    for number, line in filled(lines):
        try:
            fields = decode(line)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            remedy = f"Write one object per line, such as {example}."
            raise InputError("not a JSON object", name, number, line_text(line), remedy)
        yield Record(number, line_text(line), fields)


def filled(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something and are no comments, with their numbers."""
    for number, line in enumerate(lines, 1):
        content = line.rstrip(b"\r\n")
        if number == 1:
            content = content.removeprefix(b"\xef\xbb\xbf")
        if content.strip() and not content.startswith(b"#"):
            yield number, content


def line_text(line: bytes) -> str:
    """A line as an error shows it."""
    return line.decode(ENCODING, "backslashreplace")
