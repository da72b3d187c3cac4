"""Titles and texts of documents, from the files that hold them; and texts as people see them."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.files.opening import opened
from medir.inputs.formats.contents.json_lines import SUFFIXES, filled, line_text, records

Texts = str | PathLike[str] | Mapping[str, str]

LONGEST_TITLE = 160  # characters that are shown
IDS = ("id", "_id", "document_id", "docid", "docno")
TITLES, TEXTS = ("title", "name"), ("text", "contents", "body", "passage", "segment")
EXAMPLE = '{"id": "d1", "title": "..."}'


class DocumentText(NamedTuple):
    """What a file has of a document."""

    title: str  # may be empty
    text: str  # the title where there is no other


def texts_of(source: Texts, wanted: set[str]) -> dict[str, DocumentText]:
    """The titles and texts of the wanted documents, those that there are.

    A file is read as for `titles_of`; in a tab-separated one, a third column is the text. A mapping
    has texts.
    """
    if isinstance(source, Mapping):
        return {one: DocumentText("", str(source[one])) for one in wanted if one in source}
    return _search(str(source), wanted)


def titles_of(source: Texts, wanted: set[str]) -> dict[str, str]:
    """The titles of the wanted documents, those that there are.

    A file is read line by line, and no further than it takes: tab-separated (id, title; what
    follows is ignored), or JSON lines where its name says so. The first title of an id counts.
    """
    if isinstance(source, Mapping):
        found = {one: str(source[one]) for one in wanted if one in source}
    else:
        found = {one: text.title or text.text for one, text in texts_of(source, wanted).items()}
    return {one: clipped(title, LONGEST_TITLE) for one, title in found.items()}


def titles_among(source: Texts, wanted: Container[bytes]) -> Iterator[tuple[str, str]]:
    """The ids and titles of documents that are wanted, one after the other.

    Of a title that is given twice, the first counts.
    """
    if isinstance(source, Mapping):
        for one, title in source.items():
            if one.encode(ENCODING, UNDECODABLE) in wanted:
                yield one, clipped(str(title), LONGEST_TITLE)
        return
    for key, text in _pairs(str(source), wanted):
        yield key.decode(ENCODING, UNDECODABLE), clipped(text.title or text.text, LONGEST_TITLE)


class _Every(Container[bytes]):
    """Holds every id."""

    def __contains__(self, key: object) -> bool:
        return True


def every_text(source: Texts) -> Iterator[tuple[str, str]]:
    """The ids and texts of all documents; the title is the text where there is no other."""
    if isinstance(source, Mapping):
        for one, text in source.items():
            yield str(one), str(text)
        return
    lines: dict[bytes, int] = {}
    for number, key, found in _rows(str(source), _Every()):
        document = key.decode(ENCODING, UNDECODABLE)
        if lines.setdefault(key, number) != number:
            raise InputError(
                f"document {document!r} comes twice; it is in line {lines[key]}, too",
                str(source),
                number,
                remedy="Give each document an id of its own, or remove one of the lines.",
            )
        yield document, found.text


def check_readable(path: str | PathLike[str]) -> None:
    """Raises an error if a file cannot be read."""
    with opened(str(path)) as file:
        file.read(1)


def clipped(text: str, longest: int) -> str:
    """A text on one line; what is too long ends in an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def _search(path: str, wanted: set[str]) -> dict[str, DocumentText]:
    keys = {one.encode(ENCODING, UNDECODABLE) for one in wanted}
    found: dict[str, DocumentText] = {}
    if not keys:
        return found
    for key, text in _pairs(path, keys):
        found[key.decode(ENCODING, UNDECODABLE)] = text
        keys.discard(key)
        if not keys:
            break
    return found


def _pairs(path: str, keys: Container[bytes]) -> Iterator[tuple[bytes, DocumentText]]:
    return ((key, text) for _, key, text in _rows(path, keys))


Rows = Iterator[tuple[int, bytes, DocumentText]]  # the number of each line, an id and its texts


def _rows(path: str, keys: Container[bytes]) -> Rows:
    suffixes = {suffix.lower() for suffix in Path(path).suffixes[-2:]}
    return (_json_lines if suffixes & SUFFIXES else _tab_separated)(path, keys)


def _tab_separated(path: str, keys: Container[bytes]) -> Rows:
    with opened(path) as file:
        for number, line in filled(file, path):
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
                title, _, text = line_text(rest).partition("\t")
                yield number, key, DocumentText(title, text.partition("\t")[0] or title)


def _json_lines(path: str, keys: Container[bytes]) -> Rows:
    with opened(path) as file:
        for number, line, fields in records(file, path, EXAMPLE):
            key = next((fields[name] for name in IDS if name in fields), None)
            titles, texts = (
                [fields[name] for name in names if isinstance(fields.get(name), str)]
                for names in (TITLES, TEXTS)
            )
            if not isinstance(key, str | int) or not titles + texts:
                missing, names = (
                    ("a title", TITLES + TEXTS) if isinstance(key, str | int) else ("an id", IDS)
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
                title = next(filter(None, titles), "")
                yield number, as_bytes, DocumentText(title, next(filter(None, texts), title))
