"""Runs in Parquet and Arrow for comparisons within a limit of memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from medir.inputs.formats.contents.ranges import budget

Row = tuple[Any, Any, Any]  # query, document, score


def table_of(rows: Sequence[Row]) -> Any:
    """Results as a table of pyarrow; queries are texts or numbers."""
    import pyarrow as pa

    queries, documents, scores = zip(*rows, strict=True) if rows else ((), (), ())
    numbers = any(isinstance(query, int) for query in queries)
    return pa.table(
        {
            "query_id": pa.array(queries, pa.int64() if numbers else pa.string()),
            "doc_id": pa.array(documents, pa.string()),
            "score": pa.array(scores, pa.float64()),
        }
    )


def write_table(path: Path, table: Any, kind: str = "parquet", rows: int = 4) -> str:
    """A table as a file of a kind, in pieces of so many rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if kind == "parquet":
        pq.write_table(table, path, row_group_size=rows)
    else:
        make = pa.ipc.new_file if kind == "arrow" else pa.ipc.new_stream
        with pa.OSFile(str(path), "wb") as file, make(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=rows)
    return str(path)


def write_rows(path: Path, rows: Iterable[Row], kind: str = "parquet") -> str:
    """Results as a file."""
    return write_table(path, table_of(list(rows)), kind)


def small(patch: pytest.MonkeyPatch, rows: int, ranges: int = 3) -> None:
    """Makes batches of so many rows, and so many ranges of what is not sorted."""
    patch.setattr(budget, "ROWS", rows)
    patch.setattr(budget, "PACKED", 10**7)  # some hundred bytes of it are written together
    patch.setattr(budget.Ranges, "_count", lambda _: ranges)
