"""Runs: ranked documents by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Union, get_args

from medir import _core
from medir.base.checks import check_choice
from medir.base.settings import Order, thread_count
from medir.files.identifiers import text_of
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.files import run_in_file
from medir.inputs.formats.objects import run_of
from medir.inputs.formats.source import Reading

Scores = Mapping[Any, Mapping[Any, float]]
Ranked = Mapping[Any, Iterable[Any]]
Source = Union["Run", str, PathLike[str], Scores, Ranked]


class Run(ByQuery[_core.Lists, list[str]]):
    """The results of one system: for each query its documents, best first.

    `Run.read` reads a TREC file, `Run.of` takes what you have. Results are ordered by score
    descending in single precision, ties by document id descending, as trec_eval does; or by the
    rank column (`order="rank"`), or as they come (`order="file"`).

    >>> run = Run.of({"q1": {"a": 0.5, "b": 0.7, "c": 0.5}})
    >>> run["q1"]
    ['b', 'c', 'a']
    """

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        order: Order = "score",
        columns: Mapping[str, str] | None = None,
        queries: Sequence[Any] | None = None,
        pad: int = -1,
        threads: int | None = None,
    ) -> Run:
        """A run from a file, plain or compressed; `-` is standard input.

        Every line is checked now.
        """
        run = cls.of(path, order=order, columns=columns, queries=queries, pad=pad, threads=threads)
        run._lists.check(thread_count(threads))
        return run

    @classmethod
    def of(
        cls,
        source: Source,
        *,
        order: Order = "score",
        columns: Mapping[str, str] | None = None,
        queries: Sequence[Any] | None = None,
        pad: int = -1,
        name: str = "run",
        threads: int | None = None,
    ) -> Run:
        """A run from a path, `{query: {document: score}}` or `{query: [documents]}`.

        The lines of a file are checked when they are used. `columns` names the columns of a table
        (`{"query_id": "q"}`), `queries` the rows of an array, and `pad` is the number that fills
        its rows behind their end.
        """
        if isinstance(source, Run):
            return source
        check_choice(order, get_args(Order), "order")
        reading = Reading(order, columns, pad, queries, thread_count(threads))
        if isinstance(source, str | PathLike):
            return cls(*run_in_file(source, reading))
        return cls(*run_of(source, reading, name))

    def _list(self, number: int | None) -> list[str]:
        """The documents of a query, best first."""
        if number is None:
            return []
        return [text_of(document) for document, _ in self._lists.entries(number)]
