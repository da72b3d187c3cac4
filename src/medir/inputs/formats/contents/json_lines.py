"""JSON lines: one object per line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from medir.errors import InputError
from medir.files.identifiers import ENCODING

SUFFIXES = {".jsonl", ".ndjson"}
LONE_RETURN = re.compile(rb"\r+[^\s\0]")  # not as a blank between columns


class Record(NamedTuple):
    """An object, the number of its line, and the line."""

    number: int
    line: str
    fields: dict[str, Any]


def records(
    lines: Iterable[bytes],
    name: str,
    example: str,
    decode: Callable[[bytes], Any] | None = None,
) -> Iterator[Record]:
    """The objects of a file, line by line; an error about another line shows the example."""
    for number, line in filled(lines, name):
        try:
            fields = json_value(line, decode)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            remedy = f"Write one object per line, such as {example}."
            raise InputError("not a JSON object", name, number, line_text(line), remedy)
        yield Record(number, line_text(line), fields)


def json_value(text: str | bytes, decode: Callable[..., Any] | None = None) -> Any:
    """A value of JSON; a ValueError where there is none, or one that is nested too deeply."""
    from json import loads

    try:
        return (decode or loads)(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def refuse_lone_returns(start: bytes, name: str) -> None:
    """Raises an error where lines end as they did on old Macs: all would be taken for one.

    The first line that holds something tells; a file may end with a line feed all the same.
    """
    lines = start.split(b"\n")
    held = (line for line in lines if line.strip() and not line.startswith(b"#"))
    if LONE_RETURN.search(next(held, lines[0])):
        raise InputError(
            "its lines end with a carriage return alone",
            name,
            remedy="End them with line feeds: tr '\\r' '\\n' < OLD > NEW.",
        )


def filled(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something and are no comments, with their numbers."""
    for number, line in enumerate(lines, 1):
        content = line.rstrip(b"\r\n")
        if number == 1:
            if not line.endswith(b"\n"):  # else it is a text with a return in it
                refuse_lone_returns(line, name)
            content = content.removeprefix(b"\xef\xbb\xbf")
        if content.strip() and not content.startswith(b"#"):
            yield number, content


def line_text(line: bytes) -> str:
    """A line as an error shows it."""
    return line.decode(ENCODING, "backslashreplace")
