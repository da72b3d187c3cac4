"""Texts of queries and titles of documents, from the files that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.files.opening import opened

Kind = Literal["query", "document"]
Texts = str | PathLike[str] | Mapping[str, str]

LONGEST = {"query": 300, "document": 160}  # characters of a text that are shown
IDS = ("id", "_id", "{}_id", "docid", "docno", "qid")
FIELDS = {"query": ("text", "query", "title"), "document": ("title", "name", "text", "contents")}
JSON_LINES = {".jsonl", ".ndjson"}


def texts_of(source: Texts, kind: Kind, wanted: set[str]) -> dict[str, str]:
    """The texts of the wanted ids, those that there are.

    A file is read line by line, and no further than it takes: tab-separated (id, text; what
    follows is ignored), or JSON lines where its name says so. The first text of an id counts.
    """
    if isinstance(source, Mapping):
        found = {one: str(source[one]) for one in wanted if one in source}
    else:
        found = _search(str(source), kind, wanted)
    return {one: _clipped(text, LONGEST[kind]) for one, text in found.items()}


def check_texts(path: str | PathLike[str]) -> None:
    """Raises an error if a file cannot be read."""
    with opened(str(path)) as file:
        file.read(1)


def _search(path: str, kind: Kind, wanted: set[str]) -> dict[str, str]:
    keys = {one.encode(ENCODING, UNDECODABLE) for one in wanted}
    found: dict[str, str] = {}
    suffixes = {suffix.lower() for suffix in Path(path).suffixes[-2:]}
    pairs = _json_lines if suffixes & JSON_LINES else _tab_separated
    if not keys:
        return found
    for key, text in pairs(path, kind, keys):
        found[key.decode(ENCODING, UNDECODABLE)] = text
        keys.discard(key)
        if not keys:
            break
    return found


def _tab_separated(path: str, kind: Kind, keys: set[bytes]) -> Iterator[tuple[bytes, str]]:
    for number, line in _lines(path):
        key, tab, rest = line.partition(b"\t")
        if not tab:
            raise InputError(
                f"expected a {kind} id, a tab and a text, found no tab",
                path,
                number,
                _text(line),
                "Separate id and text by a tab, or name a file of JSON lines .jsonl.",
            )
        if key in keys:
            yield key, _text(rest.partition(b"\t")[0])


def _json_lines(path: str, kind: Kind, keys: set[bytes]) -> Iterator[tuple[bytes, str]]:
    names = [name.format(kind) for name in IDS]
    for number, line in _lines(path):
        record = _record(path, number, line)
        key = next((record[name] for name in names if name in record), None)
        texts = [record[name] for name in FIELDS[kind] if isinstance(record.get(name), str)]
        if not isinstance(key, str | int) or not texts:
            missing = "id" if not isinstance(key, str | int) else "text"
            fields = names if missing == "id" else FIELDS[kind]
            raise InputError(
                f"a {kind} without {'an' if missing == 'id' else 'a'} {missing}",
                path,
                number,
                _text(line),
                f"The {missing} of a {kind} is in one of the fields {', '.join(fields)}.",
            )
        as_bytes = str(key).encode(ENCODING, "surrogatepass")
        if as_bytes in keys:
            yield as_bytes, next(filter(None, texts), "")


def _record(path: str, number: int, line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise InputError(
            "not a JSON object",
            path,
            number,
            _text(line),
            'Write one object per line, such as {"id": "d1", "title": "..."}.',
        )
    return record


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers."""
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            content = line.rstrip(b"\r\n")
            if number == 1:
                content = content.removeprefix(b"\xef\xbb\xbf")
            if content.strip() and not content.startswith(b"#"):
                yield number, content


def _text(line: bytes) -> str:
    return line.decode(ENCODING, "backslashreplace")


def _clipped(text: str, longest: int) -> str:
    """A text on one line; what is too long ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"
