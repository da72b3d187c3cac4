"""Lengths: how many words documents have, for measures of time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from os import PathLike, fsencode, fspath
from typing import Any

import numpy as np

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.files.opening import content_of
from medir.files.origins import Origin
from medir.inputs.clusters.reading import Clusters
from medir.inputs.formats.arrow import Table, arrow_table, refuse_nulls, speaks_arrow
from medir.inputs.formats.column_names import LENGTHS, chosen_columns
from medir.inputs.formats.contents.recognition import File, format_of

MOST_WORDS = 10**12  # of a document
Words = Mapping[Any, float]


class Lengths:
    """The number of words of each document.

    >>> lengths = Lengths.of({"a": 300, "b": 1250}, default=500)
    >>> len(lengths), lengths["b"], lengths["c"]
    (2, 1250.0, 500.0)
    """

    def __init__(
        self,
        native: _core.Lengths,
        name: str,
        default: float | None = None,
        origin: Origin | None = None,
        format: str | None = None,
    ) -> None:
        self._native, self.name, self.default, self.origin = native, name, default, origin
        self.format = format  # how it was read, in a few words; None for plain lines
        self._clusters: Clusters | None = None  # that have one length each

    @classmethod
    def read(cls, path: str | PathLike[str], *, default: float | None = None) -> Lengths:
        """Lengths from lines `document words`, or from a table with `doc_id` and `words`."""
        fallback = _fallback(default)
        file = File(content_of(fspath(path)))
        native, words = _from_file(file, fallback)
        return cls(native, file.name, default, file.origin, words)

    @classmethod
    def of(
        cls, source: Lengths | str | PathLike[str] | Words | Table, *, default: float | None = None
    ) -> Lengths:
        """Lengths from a path, a table of `doc_id` and `words`, or `{document: words}`.

        `default` is the length of documents that are not named; without it they are an error.
        """
        if isinstance(source, Lengths):
            return source
        if isinstance(source, str | PathLike):
            return cls.read(source, default=default)
        if speaks_arrow(source):
            table = arrow_table(source, "lengths")
            return cls(_from_table(table, _fallback(default), "lengths"), "lengths", default)
        if not isinstance(source, Mapping):
            raise InputError(
                f"cannot use an object of type {type(source).__name__} as lengths",
                "lengths",
                remedy="Give a path, a table, {document: words} or a medir.Lengths.",
            )
        return cls(_columns(source, _fallback(default)), "lengths", default)

    def of_clusters(self, clusters: Clusters) -> Lengths:
        """One length for each cluster: that of its longest document."""
        if self._clusters is clusters:
            return self
        native = self._native.of_clusters(clusters._native)
        merged = Lengths(native, self.name, self.default, self.origin, self.format)
        merged._clusters = clusters
        return merged

    @property
    def uneven_clusters(self) -> int:
        """How many clusters have documents of different lengths."""
        return self._native.uneven_clusters

    @property
    def digest(self) -> int:
        """A hash of all lengths, in whatever order; not of the default."""
        return self._native.digest

    def __len__(self) -> int:
        return len(self._native)

    def __getitem__(self, document: Any) -> float:
        """The words of a document."""
        words = self._native.find(bytes_of(document, "document", self.name))
        if not math.isnan(words):
            return words
        if self.default is None:
            raise KeyError(document)
        return float(self.default)

    def __repr__(self) -> str:
        return f"<Lengths {self.name}: {count(len(self), 'document')}>"


Source = Lengths | str | PathLike[str] | Words | Table


def _fallback(default: float | None) -> float:
    return math.nan if default is None else _words(default, "default")


def _words(value: Any, name: str) -> float:
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not 0 <= value <= MOST_WORDS:
        raise InputError(
            f"the length {value!r} is not a number of words",
            name,
            remedy="A length is 0 or more, up to 10^12.",
        )
    return float(value)


def _columns(source: Words, fallback: float) -> _core.Lengths:
    ids = [bytes_of(document, "document", "lengths") for document in source]
    if len(set(ids)) < len(ids):
        raise InputError(f"two documents have the id {_twice(ids)!r}", "lengths")
    words = [_words(value, f"lengths, document {document!r}") for document, value in source.items()]
    ends = np.cumsum([len(one) for one in ids], dtype=np.uint64)
    return _core.column_lengths("lengths", b"".join(ids), ends, np.array(words, float), fallback)


def _from_file(file: File, fallback: float) -> tuple[_core.Lengths, str | None]:
    """The lengths in a file, and how it was read."""
    form = format_of(file, None, "lengths")
    if form.kind == "TREC":  # or any other plain text
        return _core.read_lengths(fsencode(file.name), file.data, fallback), None
    if form.kind in ("Parquet", "Arrow IPC"):
        from medir.inputs.formats.contents.columnar import columnar_lengths

        table, words = columnar_lengths(file, form.kind)
        return _from_table(table, fallback, file.name), words
    if form.kind in ("CSV", "TSV", "JSON lines"):
        from medir.inputs.formats.contents.text import table_lengths

        lists, words = table_lengths(file, form)
        return _core.table_lengths(shown(file.name), lists, fallback), words
    raise InputError(
        f"holds {form.kind} where lengths of documents were expected",
        file.name,
        remedy="Give lines 'document words', or a table with the columns doc_id and words.",
    )


def _from_table(table: _core.ArrowTable, fallback: float, name: str) -> _core.Lengths:
    chosen = chosen_columns(table.columns, LENGTHS, None, name)
    refuse_nulls(table, chosen.values(), name)
    documents, words = (table.columns.index(chosen[one]) for one in ("doc_id", "words"))
    numbers = table.numbers(words)
    wrong = np.flatnonzero(~((numbers >= 0) & (numbers <= MOST_WORDS)))
    if len(wrong):
        _words(float(numbers[wrong[0]]), f"{name}, row {wrong[0] + 1}")
    return _core.column_lengths(shown(name), *table.strings(documents), numbers, fallback)


def _twice(ids: Sequence[bytes]) -> str:
    return text_of(next(one for i, one in enumerate(ids) if one in ids[:i]))
