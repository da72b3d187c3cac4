"""Titles of the documents that occur, in files by the checksum of their ids."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping

import numpy as np

from medir.comparing.explaining.witnesses import Words
from medir.files.identifiers import shown, text_of
from medir.inputs.texts import Texts, titles_among, titles_of
from medir.rendering.folders.scripts import Scripts, buckets_for, script_of

BITS = 1 << 28  # for the documents that occur
PER_BUCKET = 2048  # titles in one file, about
BITS_OF_A_BYTE = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


def checksum(text: str) -> int:
    """The CRC-32 of an id as it is shown."""
    return zlib.crc32(text.encode())


class Occurring:
    """Documents that occur in lists: one bit of a checksum for each, which needs little room.

    A few that do not occur may share their bit with one that does.
    """

    def __init__(self, words: Words) -> None:
        self._words, self._plain = words, words.data  # of which one number is found faster
        self._shift = 32 - (32 * len(words)).bit_length() + 1

    def __len__(self) -> int:
        return int(BITS_OF_A_BYTE[self._words.view(np.uint8)].sum(dtype=np.int64))

    def __contains__(self, document: object) -> bool:
        if not isinstance(document, bytes):
            return False
        bit = checksum(shown(text_of(document))) >> self._shift
        return bool(self._plain[bit // 32] >> bit % 32 & 1)


def write_titles(folder: Scripts, source: Texts, occurring: Occurring) -> int:
    """Writes the titles of documents that occur; returns how many files there are."""
    return _write(folder, titles_among(source, occurring), len(occurring))


def write_titles_of_rows(folder: Scripts, source: Texts, rows: Mapping[str, str]) -> int:
    """Writes the titles of rows, given the document of each."""
    found = titles_of(source, set(rows.values()))
    titles = ((row, found[document]) for row, document in rows.items() if document in found)
    return _write(folder, titles, len(rows))


def _write(folder: Scripts, titles: Iterable[tuple[str, str]], documents: int) -> int:
    buckets = buckets_for(documents, PER_BUCKET)
    files: list[list[tuple[str, str]]] = [[] for _ in range(buckets)]
    for document, title in titles:
        name = shown(document)
        files[checksum(name) % buckets].append((name, shown(title)))
    folder.rooms("titles")
    for number, pairs in enumerate(files):
        folder.write(f"titles/{number}", script_of(pairs))
    return buckets
