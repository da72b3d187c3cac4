"""Runs: ranked documents by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fsencode, fspath
from typing import Any, Union, get_args

from medir import _core
from medir.base.checks import check_choice
from medir.base.settings import Order, thread_count
from medir.errors import InputError
from medir.files.identifiers import text_of
from medir.files.opening import content_of
from medir.files.origins import Origin
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.mappings import run_columns

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
        cls, path: str | PathLike[str], *, order: Order = "score", threads: int | None = None
    ) -> Run:
        """A run from a TREC file, plain or compressed; `-` is standard input.

        Every line is checked now.
        """
        lists, name, origin = _trec(path, order, thread_count(threads))
        lists.check(thread_count(threads))
        return cls(lists, name, origin)

    @classmethod
    def of(
        cls,
        source: Source,
        *,
        order: Order = "score",
        name: str = "run",
        threads: int | None = None,
    ) -> Run:
        """A run from a path, `{query: {document: score}}` or `{query: [documents]}`.

        The lines of a file are checked when they are used.
        """
        if isinstance(source, Run):
            return source
        if isinstance(source, str | PathLike):
            return cls(*_trec(source, order, thread_count(threads)))
        if isinstance(source, Mapping):
            return cls(run_columns(source, _checked(order), name), name)
        raise InputError(
            f"cannot use an object of type {type(source).__name__} as a run",
            name,
            remedy="Give a path, {query: {document: score}}, {query: [documents]} or a medir.Run.",
        )

    def _list(self, number: int | None) -> list[str]:
        """The documents of a query, best first."""
        if number is None:
            return []
        return [text_of(document) for document, _ in self._lists.entries(number)]


def _trec(
    path: str | PathLike[str], order: Order, threads: int
) -> tuple[_core.TrecRun, str, Origin]:
    name, content, origin = content_of(fspath(path))
    kind = _core.Order[_checked(order)]
    return _core.read_run(fsencode(name), content, kind, threads), name, origin


def _checked(order: Order) -> Order:
    check_choice(order, get_args(Order), "order")
    return order
