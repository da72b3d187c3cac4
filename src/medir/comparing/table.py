"""The rows of a comparison as a table: millions of them, written by the core."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.comparing.columns import COLUMNS
from medir.files.identifiers import shown
from medir.files.tables import Table
from medir.inputs.by_query import query_ids

if TYPE_CHECKING:
    import pyarrow as pa


class ComparedTable(Table):
    """One row for each query and measure: queries in order, the measures of a query together."""

    def __init__(
        self, pairing: _core.Pairing, measures: Sequence[str], values: Array, threads: int
    ) -> None:
        columns = {"query_id": str, "measure": str, **dict.fromkeys(COLUMNS, float)}
        super().__init__(columns, self._rows())
        self._pairing, self._measures = pairing, measures
        self._values, self._threads = values, threads  # measure x column x query

    def write_text(self, stream: BinaryIO, format: str) -> None:
        """Writes csv, tsv or jsonl to a binary stream."""
        sink: Callable[[memoryview], int] = stream.write
        _core.write_rows(
            self._pairing,
            self._measures,
            self._values,
            _core.RowFormat[format],
            self._threads,
            sink,
        )

    def _rows(self) -> Iterator[Sequence[Any]]:
        for position, query in enumerate(query_ids(self._pairing)):
            for name, values in zip(self._measures, self._values[:, :, position], strict=True):
                yield query, name, *values.tolist()

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
        numbers = (
            pa.array(self._values[:, number, :].T.reshape(-1), from_pandas=True)
            for number in range(len(COLUMNS))
        )
        columns = [pa.array(np.repeat(ids, count), pa.string()), names, *numbers]
        yield pa.record_batch(columns, schema=schema)
