"""The rows of a comparison as a table: millions of them, written by the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from medir.files.identifiers import shown, text_of
from medir.files.tables import Table
from medir.inputs.by_query import query_ids
from medir.measures import Measure

ROWS = 1 << 18  # of a batch of Arrow


class ComparedTable(Table):
    """One row for each query and measure: queries in order, the measures of a query together.

    The columns are the same whatever was compared; those of the table of queries come last.
    """

    def __init__(
        self,
        pairing: _core.Pairing,
        measures: Sequence[Measure],
        values: Array,
        changes: NDArray[np.uint32],
        table: _core.QueryRows | None,
        threads: int,
    ) -> None:
        self._known = [] if table is None else [text_of(name) for name in table.columns]
        columns = {
            "query_id": str,
            "measure": str,
            **dict.fromkeys((*COLUMNS, VALUE), float),
            **dict.fromkeys(CHANGES, int),
            **dict.fromkeys(self._known, str),
        }
        super().__init__(columns, ())
        self._pairing, self._measures = pairing, [repr(one) for one in measures]
        self._of_ranks = [one.kind != "difference" for one in measures]
        self._changes, self._table, self._threads = changes, table, threads
        self._values = values  # measure x column x query

    def write_text(self, stream: BinaryIO, format: str, spreadsheet: bool = False) -> None:
        """Writes csv, tsv or jsonl to a binary stream."""
        sink: Callable[[memoryview], int] = stream.write
        _core.write_rows(
            self._pairing,
            self._measures,
            self._of_ranks,
            self._values,
            self._changes,
            self._table,
            _core.RowFormat[format],
            spreadsheet,
            self._threads,
            sink,
        )

    def _numbers(self, column: int, first: int = 0, last: int | None = None) -> Array:
        """A column of values, or of rank similarities behind the last, measure x query."""
        of_ranks = np.array(self._of_ranks, dtype=np.bool_)[:, np.newaxis]
        if column == len(COLUMNS):
            return np.where(of_ranks, self._values[:, 0, first:last], np.nan)
        return np.where(of_ranks, np.nan, self._values[:, column, first:last])

    @property
    def rows(self) -> Iterator[Sequence[Any]]:
        """The rows, made when they are asked for: an iterator kept here would keep the table."""
        numbers = np.stack([self._numbers(column) for column in range(len(COLUMNS) + 1)])
        cells = self._cells()
        for position, query in enumerate(query_ids(self._pairing)):
            known = [column[position] for column in cells]
            for number, name in enumerate(self._measures):
                changes = self._changes[number, :, position].tolist()
                yield query, name, *numbers[:, number, position].tolist(), *changes, *known

    def _cells(self) -> list[list[str | None]]:
        if self._table is None:
            return []
        return [self._table.texts(number) for number in range(len(self._known))]

    def batches(self) -> Iterator[_core.ArrowBatch]:
        """The rows for Arrow and Parquet, column by column, without an object for each of them.

        There are few measures: each is named once in a batch.
        """
        count = len(self._measures)
        together = max(1, ROWS // max(1, count))
        for first in range(0, max(1, len(self._pairing)), together):
            last = min(first + together, len(self._pairing))
            batch = _core.ArrowBatch((last - first) * count)
            batch.add_queries("query_id", self._pairing, first, max(1, count))
            codes = np.tile(np.arange(count, dtype=np.int32), last - first)
            batch.add_codes("measure", codes, [name.encode() for name in self._measures])
            for number, name in enumerate((*COLUMNS, VALUE)):
                batch.add_floats(name, self._numbers(number, first, last).T.reshape(-1))
            for number, name in enumerate(CHANGES):
                changes = self._changes[:, number, first:last].T.reshape(-1)
                batch.add_integers(name, changes.astype(np.int64))
            for number, name in enumerate(self._known):
                assert self._table is not None
                batch.add_cells(shown(name), self._table, number, first, max(1, count))
            yield batch
