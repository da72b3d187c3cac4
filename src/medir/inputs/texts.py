"""Titles of documents, from the files that hold them; and texts as people are shown them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path

from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.files.opening import opened
from medir.inputs.formats.json_lines import SUFFIXES, filled, line_text, records

Texts = str | PathLike[str] | Mapping[str, str]

LONGEST_TITLE = 160  # characters that are shown
IDS = ("id", "_id", "document_id", "docid", "docno")
FIELDS = ("title", "name", "text", "contents")
EXAMPLE = '{"id": "d1", "title": "..."}'


def titles_of(source: Texts, wanted: set[str]) -> dict[str, str]:
    """The titles of the wanted documents, those that there are.

    A file is read line by line, and no further than it takes: tab-separated (id, title; what
    follows is ignored), or JSON lines where its name says so. The first title of an id counts.
    """
    if isinstance(source, Mapping):
        found = {one: str(source[one]) for one in wanted if one in source}
    else:
        found = _search(str(source), wanted)
    return {one: clipped(title, LONGEST_TITLE) for one, title in found.items()}


def check_readable(path: str | PathLike[str]) -> None:
    """Raises an error if a file cannot be read."""
    with opened(str(path)) as file:
        file.read(1)


def clipped(text: str, longest: int) -> str:
    """A text on one line; what is too long ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _search(path: str, wanted: set[str]) -> dict[str, str]:
    keys = {one.encode(ENCODING, UNDECODABLE) for one in wanted}
    found: dict[str, str] = {}
    suffixes = {suffix.lower() for suffix in Path(path).suffixes[-2:]}
    pairs = _json_lines if suffixes & SUFFIXES else _tab_separated
    if not keys:
        return found
    for key, title in pairs(path, keys):
        found[key.decode(ENCODING, UNDECODABLE)] = title
        keys.discard(key)
        if not keys:
            break
    return found


def _tab_separated(path: str, keys: set[bytes]) -> Iterator[tuple[bytes, str]]:
    with opened(path) as file:
        for number, line in filled(file):
            key, tab, rest = line.partition(b"\t")
            if not tab:
                raise InputError(
                    "expected a document id, a tab and a title, found no tab",
                    path,
                    number,
                    line_text(line),
                    "Separate id and title by a tab, or name a file of JSON lines .jsonl.",
                )
            if key in keys:
                yield key, line_text(rest.partition(b"\t")[0])


def _json_lines(path: str, keys: set[bytes]) -> Iterator[tuple[bytes, str]]:
    with opened(path) as file:
        for number, line, fields in records(file, path, EXAMPLE):
            key = next((fields[name] for name in IDS if name in fields), None)
            titles = [fields[name] for name in FIELDS if isinstance(fields.get(name), str)]
            if not isinstance(key, str | int) or not titles:
                missing, names = (
                    ("a title", FIELDS) if isinstance(key, str | int) else ("an id", IDS)
                )
                raise InputError(
                    f"a document without {missing}",
                    path,
                    number,
                    line,
                    f"It is expected in one of the fields {', '.join(names)}.",
                )
            as_bytes = str(key).encode(ENCODING, "surrogatepass")
            if as_bytes in keys:
                yield as_bytes, next(filter(None, titles), "")
