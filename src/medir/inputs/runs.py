"""Runs: ranked documents by query."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, Union, get_args

from numpy.typing import NDArray

from medir import _core
from medir.base.checks import check_choice, check_whole
from medir.base.settings import Order, thread_count
from medir.files.identifiers import text_of
from medir.files.paths import refuse_inputs
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.files import run_in_file
from medir.inputs.formats.source import Reading

if TYPE_CHECKING:
    from medir.inputs.formats.arrow import Table
    from medir.inputs.writing.runs import Target, WrittenRun

TAG = "medir"  # the last column of TREC text
Scores = Mapping[Any, Mapping[Any, float]]
Ranked = Mapping[Any, Iterable[Any]]
Source = Union["Run", str, PathLike[str], Scores, Ranked, "Table", NDArray[Any], Iterable[Any]]


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
        queries: Collection[Any] | None = None,
        pad: int = -1,
        allow_partial: bool = False,
        size: int | None = None,
        threads: int | None = None,
    ) -> Run:
        """A run from a file, plain or compressed; `-` is standard input.

        Every line is checked now.
        """
        run = cls.of(
            path,
            order=order,
            columns=columns,
            queries=queries,
            pad=pad,
            allow_partial=allow_partial,
            size=size,
            threads=threads,
        )
        run._lists.check(thread_count(threads))
        return run

    @classmethod
    def of(
        cls,
        source: Source,
        *,
        order: Order = "score",
        columns: Mapping[str, str] | None = None,
        queries: Collection[Any] | None = None,
        pad: int = -1,
        id: str | None = None,
        allow_partial: bool = False,
        size: int | None = None,
        name: str = "run",
        threads: int | None = None,
    ) -> Run:
        """A run from a path, a mapping, or an object of another library.

        A mapping is `{query: {document: score}}` or `{query: [documents]}`. The lines of a file are
        checked when they are used. `columns` names the columns of a table (`{"query_id": "q"}`),
        `queries` the rows of an array, and `pad` is the number that fills its rows behind their
        end. `id` is the key of the metadata that tells documents of LangChain or LlamaIndex apart,
        where they have no id of their own. Of a search engine's responses, `queries` are the
        queries in their order, `allow_partial` takes those that are not whole, and `size` is how
        many results each query asked for.
        """
        if isinstance(source, Run):
            return source
        check_choice(order, get_args(Order), "order")
        if id is not None:
            columns = {**(columns or {}), "doc_id": id}
        if size is not None:
            check_whole(size, "size")
        reading = Reading(order, columns, pad, queries, thread_count(threads), allow_partial, size)
        if isinstance(source, str | PathLike):
            return cls(*run_in_file(source, reading))
        from medir.inputs.formats.objects import run_of

        return cls(*run_of(source, reading, name))

    def write(
        self,
        target: Target,
        format: str | None = None,
        *,
        tag: str = TAG,
        lists: bool = False,
    ) -> WrittenRun:
        """Writes the run in a format, or in the one that the suffix names; says what was written.

        A format is `trec`, `parquet`, `arrow`, `csv`, `tsv`, `jsonl`, `json` or `msmarco`. The
        target is a path, or a binary stream for a stated format. Reading the file gives the same
        lists. `lists` writes one row per query (`jsonl`, `parquet`, `arrow`), and `tag` is the
        last column of TREC text. A file appears when it is complete, or not at all.
        """
        from medir.inputs.writing.runs import write_run

        refuse_inputs(target, [self])
        return write_run(self._lists, target, format, tag=tag, lists=lists, name=self.name)

    def _list(self, number: int | None) -> list[str]:
        """The documents of a query, best first."""
        if number is None:
            return []
        return [text_of(document) for document, _ in self._lists.entries(number)]
