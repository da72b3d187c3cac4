"""Which format a file has, by its first bytes; only `.ibin` is known by its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.files.opening import Content, plain_bytes, unpacked_name
from medir.files.origins import Origin
from medir.inputs.formats.column_names import NAMES, checked_roles
from medir.inputs.formats.contents.json_lines import json_value, refuse_lone_returns

Kind = Literal[
    "TREC", "MS MARCO", "CSV", "TSV", "JSON lines", "JSON",
    "Parquet", "Arrow IPC", "npy", "npz", "HDF5", "ibin",
]  # fmt: skip

START = 1 << 16  # bytes that tell the format
MOST_LINES = 100  # of text that are looked at
# How files begin, and a pattern of what follows. An id in TREC text may be any of these words, but
# no control character follows.
MAGIC: tuple[tuple[bytes, bytes, Kind], ...] = (
    (b"PAR1", rb"(?![\t -\xff])", "Parquet"),
    (b"ARROW1\0\0", b"", "Arrow IPC"),
    (b"\xff\xff\xff\xff", rb"(?s:[^\0]..\0|.[^\0].\0)", "Arrow IPC"),  # a stream
    (b"\x93NUMPY", rb"[\1-\3]", "npy"),
    (b"PK\x03\x04", b"", "npz"),
    (b"\x89HDF\r\n\x1a\n", b"", "HDF5"),
)
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
DELIMITERS: tuple[tuple[str, Kind], ...] = (("\t", "TSV"), (",", "CSV"))
SUFFIXES: Mapping[str, Kind] = {".csv": "CSV", ".tsv": "TSV"}
LIST_NAMES = {name for names in NAMES["doc_ids"] for name in names}
Holds = Literal["run", "qrels", "lengths", "clusters"]
# The columns that every table has: two of these names in the first line are a header.
NEEDED: Mapping[Holds, tuple[str, ...]] = {
    "run": ("query_id", "doc_id", "doc_ids"),
    "qrels": ("query_id", "doc_id"),
    "lengths": ("doc_id", "words"),
    "clusters": ("doc_id", "cluster"),
}
USUAL_NAMES = {
    holds: {name for role in roles for names in NAMES[role] for name in names}
    for holds, roles in NEEDED.items()
}
FIRST_FIELD = r'(?s)\{\s*"(?P<name>(?:[^"\\]|\\.)*)"\s*:\s*(?P<value>.)'


class File:
    """An input and how it begins."""

    def __init__(self, content: Content) -> None:
        self.content = content
        self.name: str = content.name
        self.data: bytes | None = content.data  # None for a plain file, which is better mapped
        self.origin: Origin = content.origin

    @cached_property
    def start(self) -> bytes:
        """The first bytes."""
        return plain_bytes(self.name, START) if self.data is None else self.data[:START]

    @property
    def size(self) -> int:
        """The number of bytes."""
        return Path(self.name).stat().st_size if self.data is None else len(self.data)

    def read(self) -> bytes:
        """All bytes."""
        return plain_bytes(self.name) if self.data is None else self.data

    @property
    def suffix(self) -> str:
        """How the name ends, but for compression."""
        return Path(unpacked_name(self.name)).suffix.lower()


class Format(NamedTuple):
    """A format, with what had to be found out to recognise it."""

    kind: Kind
    columns: Sequence[str] = ()  # the names in the first row or object


TREC = Format("TREC")


def format_of(file: File, given: Mapping[str, str] | None, holds: Holds = "run") -> Format:
    """The format of a file that should hold a run, judgments, or what is known of documents.

    What is nothing else is TREC text, whose reader says what is wrong with it.
    """
    start = file.start
    for magic, rest, kind in MAGIC:
        if start.startswith(magic) and re.match(rest, start[len(magic) :]):
            return Format(kind)
    if file.suffix == ".ibin":
        return Format("ibin")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is text in UTF-16", file.name, remedy="Save it as UTF-8.")
    if b"\0" in start:
        return TREC
    text = start.removeprefix(BYTE_ORDER_MARK).lstrip(b" \r\n\t").decode(ENCODING, UNDECODABLE)
    if text.startswith(("{", "[")) and (found := _json(file, text)) is not None:
        return found
    refuse_lone_returns(start, file.name)
    lines = _lines(file, text)
    return _text(file, lines, given, holds) if lines else TREC


def _lines(file: File, text: str) -> list[str]:
    """The first lines that hold something and are no comments, without one that is cut off."""
    whole = text.split("\n", MOST_LINES + 1)
    if len(whole) > MOST_LINES or (len(file.start) == START and len(whole) > 1):
        whole.pop()
    held = (line.rstrip("\r") for line in whole)
    return [line for line in held if line.strip() and not line.startswith("#")]


def _text(
    file: File, lines: Sequence[str], given: Mapping[str, str] | None, holds: Holds
) -> Format:
    rows = [line.split() for line in lines]
    if len(rows[0]) >= 6 and _is_number(rows[0][4]):
        return TREC
    named = _named_columns(file, lines[0], given, USUAL_NAMES[holds])
    if named is not None:
        return named
    return _marco(file, rows) if holds == "run" else TREC


def _named_columns(
    file: File, first: str, given: Mapping[str, str] | None, usual: Collection[str]
) -> Format | None:
    """The columns that the first line names: if it has names of ids, or can be nothing else."""
    wanted = set(checked_roles(given).values())
    tables = [Format(kind, columns_in(first, sign)) for sign, kind in DELIMITERS if sign in first]
    for table in tables:
        names = [name.lower() for name in table.columns]
        if wanted & set(table.columns) or sum(name in usual for name in names) > 1:
            return table
    for table in tables:
        if table.kind == SUFFIXES.get(file.suffix) or len(first.split()) == 1:
            return table
    for sign in ";|":
        if sum(name.lower() in usual for name in columns_in(first, sign)) > 1:
            raise InputError(
                f"the columns are separated by {sign!r}",
                file.name,
                1,
                first,
                "Separate them by commas or tabs.",
            )
    return None


def columns_in(first: str, delimiter: str) -> list[str]:
    """The names in the first line of delimited text; none where it cannot be taken apart."""
    import csv

    try:
        return next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:
        return []


def _marco(file: File, rows: Sequence[Sequence[str]]) -> Format:
    """`query document rank` or `query document rank score`; an error about judgments."""
    width = len(rows[0])
    if width not in (3, 4) or any(len(row) != width for row in rows):
        return TREC
    seconds = {row[1] for row in rows}
    is_constant = seconds == {"0"} or len(seconds) == 1 < len(rows)
    if width == 4 and is_constant and all(row[3].lstrip("+-").isdecimal() for row in rows):
        raise InputError(
            "holds judgments (query 0 document grade), not a run",
            file.name,
            1,
            " ".join(rows[0]),
            "Give it with --qrels (qrels=...), or give a run.",
        )
    if not all(row[2].isdecimal() and _is_number(row[-1]) for row in rows):
        return TREC
    return Format("MS MARCO", ("query", "document", "rank", "score")[:width])


def _is_trec(line: str) -> bool:
    """Whether a line has the six columns of a run, with rank and score, or the four of judgments.

    Four parts of JSON can end with a number, too, but not without commas and colons.
    """
    columns = line.split()
    if len(columns) == 4:
        return _is_number(columns[3]) and not any(one.endswith((",", ":")) for one in columns)
    return len(columns) == 6 and all(map(_is_number, columns[3:5]))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _json(file: File, text: str) -> Format | None:
    """JSON lines, or one object with all queries; None for what is no JSON."""
    if text.startswith("["):
        if text[1:].lstrip()[:1] not in ("{", "[", '"') or _is_trec(text.partition("\n")[0]):
            return None
        raise InputError(
            "holds a JSON array",
            file.name,
            remedy='Write one object per line, such as {"query_id": "q1", "doc_id": "d1", "score": '
            "2.5}, or one object {query: {document: score}}.",
        )
    first = re.match(FIRST_FIELD, text)
    if first is None:
        return Format("JSON") if text[1:].lstrip()[:1] == "}" else None
    if first["value"] == "{" or (first["value"] == "[" and first["name"] not in LIST_NAMES):
        fields = _object(text.partition("\n")[0])
        if fields is None or all(isinstance(value, dict | list) for value in fields.values()):
            return Format("JSON")
        return Format("JSON lines", list(fields))
    line, end, rest = text.partition("\n")
    if not end and len(file.start) == START:
        line = first_line(file)
    fields = _object(line)
    if fields is None:
        remedy = "Write one object per line."
        raise InputError("not a JSON object", file.name, 1, line, remedy)
    if not rest.strip() and all(isinstance(value, list) for value in fields.values()):
        return Format("JSON")  # a row would have a query id
    return Format("JSON lines", list(fields))


def _object(line: str) -> dict[str, Any] | None:
    try:
        fields = json_value(line)
    except ValueError:
        return None
    return fields if isinstance(fields, dict) else None


def first_line(file: File) -> str:
    """The first line of JSON, which may be long."""
    text = file.read().removeprefix(BYTE_ORDER_MARK).lstrip(b" \r\n\t")
    return text.partition(b"\n")[0].decode(ENCODING, UNDECODABLE)
