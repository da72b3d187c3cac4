"""Tables that speak Arrow: pandas, polars, pyarrow, DuckDB, Ibis, Spark and others.

The native core reads the Arrow C stream itself, so pyarrow is not needed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError
from medir.files.identifiers import shown, text_of
from medir.inputs.formats.column_names import chosen_qrels_columns, chosen_run_columns
from medir.inputs.formats.source import Reading


class Table(Protocol):
    """A table for Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """A capsule with the stream of its batches."""


def speaks_arrow(source: Any) -> bool:
    """Whether an object is a table, or a batch of one, for Arrow."""
    kind = type(source)
    return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")


class Batches:
    """Tables with the same columns, one behind the other: at least one, and each comes once."""

    def __init__(self, tables: Iterable[Any]) -> None:
        self._tables = tables
        self._rows = 0

    def __iter__(self) -> Iterator[Any]:
        for table in self._tables:
            self._rows += len(table)
            yield table

    def __len__(self) -> int:
        """The rows that came."""
        return self._rows


def arrow_table(source: Any, name: str) -> _core.ArrowTable:
    """A table of the core, whole."""
    table, others = _begun(source, name)
    for other in others:
        table.add(other)
    return table


def _begun(source: Any, name: str) -> tuple[_core.ArrowTable, Iterator[Any]]:
    """The first piece of a table, and the streams of the others."""
    if not isinstance(source, Batches) and not hasattr(type(source), "__arrow_c_stream__"):
        return _core.ArrowTable.of_batch(shown(name), *source.__arrow_c_array__()), iter(())
    tables = source if isinstance(source, Batches) else [source]
    streams = (piece.__arrow_c_stream__() for table in tables for piece in _pieces(table))
    return _core.ArrowTable(shown(name), next(streams)), streams


def _lists(source: Any, table: _core.ArrowTable, others: Iterator[Any], *how: Any) -> _core.Lists:
    """The lists of a table; of batches the core keeps what it needs, and no more than one."""
    if isinstance(source, Batches):
        return _core.TableLists.packed(table, others, *how)
    for other in others:
        table.add(other)
    return _core.TableLists(table, *how)


def _pieces(source: Any) -> list[Any]:
    """Tables whose streams need no copy. A frame of polars would join its chunks into one."""
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(source, polars.DataFrame) or not source.width:
        return [source]
    lengths = {tuple(column.chunk_lengths()) for column in source.get_columns()}
    if len(lengths) != 1:
        return [source]
    ends = list(accumulate(next(iter(lengths)), initial=0))
    return [source[first:last] for first, last in pairwise(ends)] or [source]


def arrow_run(source: Any, reading: Reading, name: str) -> _core.Lists:
    """A run from a table: one row per result, or one row per query with lists."""
    table, others = _begun(source, name)
    columns, values, order = _run_columns(table, reading, name)
    return _lists(source, table, others, *columns, None, values, order, reading.threads)


class PackedRun:
    """A run that is packed batch by batch, in ranges of queries that can be put aside."""

    def __init__(
        self, first: Any, reading: Reading, name: str, bounds: tuple[bytes, NDArray[np.uint64]]
    ) -> None:
        """`bounds` are the first ids of all ranges but the first, and where each of them ends."""
        self._table, _ = _begun(first, name)
        self._columns, self._values, self._order = _run_columns(self._table, reading, name)
        self._ranges = _core.PackedRanges(self._table, *self._columns, self._values, bounds)

    def add(self, batch: Any) -> None:
        """Packs another batch."""
        self._ranges.add(batch.__arrow_c_stream__())

    @property
    def size(self) -> int:
        """The bytes that were packed and not yet taken."""
        return self._ranges.size

    def take(self) -> tuple[bytes, NDArray[np.uint64]]:
        """These bytes, range by range, and where each range ends."""
        return self._ranges.take()

    def lists(self, rows: _core.PackedBytes) -> _core.Lists:
        """The lists of a range: of all that was taken of it, in the same order."""
        return _core.TableLists.unpacked(
            self._table, rows, *self._columns, self._values, self._order
        )


def _run_columns(
    table: _core.ArrowTable, reading: Reading, name: str
) -> tuple[tuple[int, int, int | None], _core.Values, _core.Order]:
    """The numbers of the columns of queries, documents and values; what the latter are."""
    columns, order = chosen_run_columns(table.columns, reading.order, reading.columns, name)
    number = _numbers(table, columns)
    return (
        (
            number["query_id"],
            number.get("doc_ids", number.get("doc_id", 0)),
            number.get(order if "doc_id" in number else "scores"),
        ),
        _core.Values.ranks if order == "rank" else _core.Values.scores,
        _core.Order[order],
    )


def arrow_qrels(source: Any, reading: Reading, name: str, intents: bool) -> _core.Lists:
    """Judgments from a table with one row per judgment."""
    table, others = _begun(source, name)
    number = _numbers(table, chosen_qrels_columns(table.columns, reading.columns, name))
    if reading.grading.labels and "string" in table.types[number["relevance"]] and not intents:
        for other in others:
            table.add(other)
        return _labelled(table, number, reading, name)
    return _lists(
        source,
        table,
        others,
        number["query_id"],
        number["doc_id"],
        number["relevance"],
        number.get("intent") if intents else None,
        _core.Values.grades,
        _core.Order.file,
        reading.threads,
    )


def refuse_nulls(table: _core.ArrowTable, columns: Iterable[str], name: str) -> None:
    """Raises the error that names the first row without a value in one of these columns."""
    for column in columns:
        row = table.first_null(table.columns.index(column))
        if row is not None:
            problem = f"the column {column!r} has a null"
            remedy = "Fill it in, or remove the row."
            raise InputError(problem, name, text=f"row {row + 1}", remedy=remedy)


def _labelled(
    table: _core.ArrowTable, number: Mapping[str, int], reading: Reading, name: str
) -> _core.Lists:
    """Judgments whose values are texts, some of which are declared levels."""
    from medir.inputs.formats.mappings import judgment_columns

    judged: dict[str, list[tuple[str, float]]] = {}
    roles = ("query_id", "doc_id", "relevance")
    rows = zip(*(_texts(table, number[role], name) for role in roles), strict=True)
    for row, (query, document, label) in enumerate(rows, 1):
        value = reading.grading.number(label)
        if value is None:
            raise InputError(
                f"the grade {label!r} is not a number",
                name,
                text=f"row {row}: query {query}, document {document}",
                remedy=reading.grading.remedy,
            )
        judged.setdefault(query, []).append((document, value))
    return judgment_columns(judged, name)


def _texts(table: _core.ArrowTable, column: int, name: str) -> list[str]:
    refuse_nulls(table, [table.columns[column]], name)
    joined, ends = table.strings(column)
    return [text_of(joined[i:j]) for i, j in pairwise([0, *ends.tolist()])]


def _numbers(table: _core.ArrowTable, columns: Mapping[str, str]) -> dict[str, int]:
    return {role: table.columns.index(column) for role, column in columns.items()}
