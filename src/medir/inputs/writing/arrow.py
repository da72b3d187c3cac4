"""Runs as Parquet and as Arrow IPC files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from medir.inputs.writing.batches import Batch
from medir.inputs.writing.text import check_unicode

if TYPE_CHECKING:
    import pyarrow as pa


def write_arrow(batches: Iterable[Batch], stream: BinaryIO, format: str, lists: bool) -> None:
    """Writes one row per result, or one per query."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = _schema(lists)
    writer = (
        pq.ParquetWriter(stream, schema) if format == "parquet" else pa.ipc.new_file(stream, schema)
    )
    with writer:
        for batch in batches:
            check_unicode(batch.queries, "query")
            check_unicode(batch.documents, "document")
            columns = _lists(batch) if lists else _rows(batch)
            writer.write_batch(pa.record_batch(columns, schema=schema))


def _schema(lists: bool) -> pa.Schema:
    import pyarrow as pa

    text, number = pa.string(), pa.float64()
    if lists:
        columns = [("query_id", text), ("doc_ids", pa.list_(text)), ("scores", pa.list_(number))]
    else:
        columns = [("query_id", text), ("doc_id", text), ("rank", pa.int64()), ("score", number)]
    return pa.schema(columns)


def _rows(batch: Batch) -> list[pa.Array]:
    import pyarrow as pa

    numbers = np.repeat(np.arange(len(batch.queries)), batch.ends - batch.begins)
    return [
        pa.array(batch.queries, pa.string()).take(pa.array(numbers)),
        pa.array(batch.documents, pa.string()),
        pa.array(batch.ranks()),
        pa.array(batch.values),
    ]


def _lists(batch: Batch) -> list[pa.Array]:
    import pyarrow as pa

    offsets = pa.array(np.concatenate([[0], batch.ends]).astype(np.int32))
    return [
        pa.array(batch.queries, pa.string()),
        pa.ListArray.from_arrays(offsets, pa.array(batch.documents, pa.string())),
        pa.ListArray.from_arrays(offsets, pa.array(batch.values)),
    ]
