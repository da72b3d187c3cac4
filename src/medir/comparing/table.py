"""The rows of a comparison as a table: millions of them, written by the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from medir.files.identifiers import shown, text_of
from medir.files.tables import Table
from medir.inputs.by_query import query_ids
from medir.measures import Measure

if TYPE_CHECKING:
    import pyarrow as pa


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
        super().__init__(columns, self._rows())
        self._pairing, self._measures = pairing, [repr(one) for one in measures]
        self._of_ranks = [one.kind != "difference" for one in measures]
        self._changes, self._table, self._threads = changes, table, threads
        self._values = values  # measure x column x query

    def write_text(self, stream: BinaryIO, format: str) -> None:
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
            self._threads,
            sink,
        )

    def _numbers(self, column: int) -> Array:
        """A column of values, or of rank similarities behind the last, measure x query."""
        of_ranks = np.array(self._of_ranks)[:, np.newaxis]
        if column == len(COLUMNS):
            return np.where(of_ranks, self._values[:, 0], np.nan)
        return np.where(of_ranks, np.nan, self._values[:, column])

    def _cells(self) -> list[list[str | None]]:
        if self._table is None:
            return []
        return [self._table.texts(number) for number in range(len(self._known))]

    def _rows(self) -> Iterator[Sequence[Any]]:
        numbers = np.stack([self._numbers(column) for column in range(len(COLUMNS) + 1)])
        cells = self._cells()
        for position, query in enumerate(query_ids(self._pairing)):
            known = [column[position] for column in cells]
            for number, name in enumerate(self._measures):
                changes = self._changes[number, :, position].tolist()
                yield query, name, *numbers[:, number, position].tolist(), *changes, *known

    def schema(self) -> pa.Schema:
        """The types of the columns in Parquet: there are few measures, each named once."""
        import pyarrow as pa

        names = pa.field("measure", pa.dictionary(pa.int32(), pa.string()))
        return super().schema().set(1, names)

    def batches(self, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """The rows for Parquet, all of them, column by column."""
        import pyarrow as pa

        count, total = len(self._measures), len(self._pairing)
        ids = np.array([shown(query) for query in query_ids(self._pairing)], dtype=object)
        codes = pa.array(np.tile(np.arange(count, dtype=np.int32), total))
        names = pa.DictionaryArray.from_arrays(codes, pa.array(self._measures, pa.string()))
        columns = [pa.array(np.repeat(ids, count), pa.string()), names]
        for number in range(len(COLUMNS) + 1):
            columns.append(pa.array(self._numbers(number).T.reshape(-1), from_pandas=True))
        for number in range(len(CHANGES)):
            changes = self._changes[:, number].T.reshape(-1).astype(np.int64)
            columns.append(pa.array(changes))
        for some in self._cells():
            text = [None if cell is None else shown(cell) for cell in some]
            columns.append(pa.array(np.repeat(np.array(text, dtype=object), count), pa.string()))
        yield pa.record_batch(columns, schema=schema)
