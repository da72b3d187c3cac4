"""Runs of passages: what each query shows, in order; and gold passages, which judge them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fsencode, fspath
from typing import Any, Literal, NamedTuple, get_args

from medir import _core
from medir.base.checks import check_choice
from medir.base.settings import Order, thread_count
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import text_of
from medir.files.opening import content_of, plain_bytes
from medir.files.origins import Origin
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.arrow import Table, speaks_arrow
from medir.inputs.formats.contents.json_lines import refuse_lone_returns
from medir.inputs.formats.passages import (
    arrow_passages,
    jsonl_passages,
    mapping_passages,
    parquet_passages,
)

Layout = Literal["run", "gold"]
Lists = _core.TrecPassages | _core.ColumnPassages
Shown = Mapping[Any, Iterable[Any]]

PARQUET = b"PAR1"
START = 64  # bytes that tell what a file holds


class Passage(NamedTuple):
    """A piece of a document, in characters, bytes or whatever unit both runs use."""

    document: str
    offset: int
    length: int
    duration: float | None = None  # seconds, where they are known


class Passages(ByQuery[Lists, list[Passage]]):
    """Passages by query: those that a run shows, in order, or gold passages.

    A run is ordered by score descending; equal scores by rank, then as they come; or by the rank
    column (`order="rank"`), or as they come (`order="file"`).

    >>> run = Passages.of({"q1": [("d7", 120, 300), ("d2", 0, 80)]})
    >>> run["q1"][0]
    Passage(document='d7', offset=120, length=300, duration=None)
    """

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        layout: Layout = "run",
        order: Order = "score",
        threads: int | None = None,
    ) -> Passages:
        """Passages from a file: text lines, JSON lines or Parquet. Every line is checked now."""
        passages = cls.of(path, layout=layout, order=order, threads=threads)
        passages._lists.check(thread_count(threads))
        return passages

    @classmethod
    def of(
        cls,
        source: Passages | str | PathLike[str] | Shown | Table,
        *,
        layout: Layout = "run",
        order: Order = "score",
        name: str = "run",
        columns: Mapping[str, str] | None = None,
        threads: int | None = None,
    ) -> Passages:
        """Passages from a path, a table, or `{query: [(document, offset, length), ...]}`.

        Text lines are `topic document rank score offset length tag`, or, as gold, `topic document
        offset length` and anything behind. JSON lines and Parquet have the columns by name, and may
        have a duration in seconds. The lines of a text are checked when they are used.
        """
        if isinstance(source, Passages):
            return source
        check_choice(order, get_args(Order), "order")
        if isinstance(source, str | PathLike):
            return cls(*_from_file(fspath(source), layout, order, thread_count(threads)))
        if isinstance(source, Mapping):
            return cls(mapping_passages(source, name), name)
        if speaks_arrow(source):
            return cls(arrow_passages(source, order, name, columns), name)
        raise InputError(
            f"cannot use an object of type {type(source).__name__} as passages",
            name,
            remedy="Give a path, a table, {query: [(document, offset, length), ...]} or "
            "medir.Passages.",
        )

    def _list(self, number: int | None) -> list[Passage]:
        """The passages of a query, in order."""
        return [
            Passage(text_of(document), offset, length, None if seconds < 0 else seconds)
            for document, offset, length, seconds in (
                [] if number is None else self._lists.passages(number)
            )
        ]


def _from_file(
    path: str, layout: Layout, order: Order, threads: int
) -> tuple[Lists, str, Origin, str | None]:
    """What a file holds is told by how it begins."""
    name, content, origin = content_of(path)
    start = content[:START] if content is not None else plain_bytes(path, START)
    lists: Lists
    words = None
    if start.startswith(PARQUET):
        lists = parquet_passages(path if content is None else content, order, name)
        words = f"Parquet ({count(len(lists), 'query', 'queries')})"
    elif start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        whole = plain_bytes(path) if content is None else content
        lists = jsonl_passages(whole, order, name)
        words = f"JSON lines ({count(len(lists), 'query', 'queries')})"
    else:
        refuse_lone_returns(start, name)
        kind, by = _core.PassageLayout[layout], _core.Order[order]
        lists = _core.read_passages(fsencode(name), content, kind, by, threads)
    return lists, name, origin, words
