"""What decodes Parquet and Arrow IPC into tables that speak Arrow.

Parquet is decoded by polars where it is installed, which takes half as long as pyarrow. It comes
batch by batch, so that the memory of one is used for the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from io import BytesIO
from itertools import count
from typing import Any, Protocol

from medir.errors import MissingExtraError
from medir.inputs.formats.contents.recognition import Kind

Part = str | bytes  # a path, or what a file holds
Columns = list[tuple[str, Any]]  # names and types
ROWS = 1 << 20  # of a batch: fewer take longer, more take memory that is new each time


class Decoder(Protocol):
    """A library that decodes files of tables."""

    errors: tuple[type[Exception], ...]  # that it raises where a file is damaged

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns, by what they hold, as a table that speaks Arrow and has a length.

        It is read where it is; of what has to be decoded there are batches.
        """

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """The same, batch by batch. There is one even where there are no rows."""


def decoder_of(kind: Kind) -> Decoder:
    """What decodes a kind of files."""
    if kind == "Parquet" and find_spec("polars") is not None:
        return Polars()
    if find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "tables", f"reading {kind}")
    return Pyarrow(kind == "Parquet")


class Polars:
    """Decodes Parquet."""

    def __init__(self) -> None:
        import polars as pl

        self._pl = pl
        self.errors: tuple[type[Exception], ...] = (pl.exceptions.PolarsError, OSError)

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""
        return list(self._pl.read_parquet_schema(_opened(part)).items())

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns."""
        return self._pl.read_parquet(
            _opened(part), columns=list(columns.values()), glob=False, hive_partitioning=False
        )

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """The same, batch by batch."""
        whole = self._pl.scan_parquet(_opened(part), glob=False, hive_partitioning=False)
        chosen = whole.select(*columns.values())
        # Slices use the same memory again, which `collect_batches` does less.
        for first in count(0, ROWS):
            batch = chosen.slice(first, ROWS).collect()
            yield batch
            if len(batch) < ROWS:
                return


class Pyarrow:
    """Decodes Parquet and Arrow IPC."""

    def __init__(self, parquet: bool) -> None:
        import pyarrow as pa

        self._pa, self._parquet = pa, parquet
        self.errors: tuple[type[Exception], ...] = (pa.ArrowException, OSError)

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""
        if self._parquet:
            with self._file(part) as file:
                return _fields(file.schema_arrow)
        with self._reader(part) as reader:
            return _fields(reader.schema)

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns of Arrow IPC."""
        with self._reader(part) as reader:
            return reader.read_all().select(list(columns.values()))

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """Some columns of Parquet, batch by batch."""
        wanted = list(columns.values())
        # Few queries, each in many rows.
        encoded = [one for role, one in columns.items() if role == "query_id"]
        with self._file(part, read_dictionary=encoded) as file:
            yield file.read_row_groups([], columns=wanted)
            yield from file.iter_batches(ROWS, columns=wanted, use_threads=True)

    def _file(self, part: Part, **options: Any) -> Any:
        import pyarrow.parquet as pq

        if isinstance(part, bytes):
            return pq.ParquetFile(self._pa.BufferReader(part), **options)
        return pq.ParquetFile(part, memory_map=True, **options)

    def _reader(self, part: Part) -> Any:
        """Of Arrow IPC: a file, or a stream."""
        pa = self._pa
        source = pa.BufferReader(part) if isinstance(part, bytes) else pa.memory_map(part)
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        return pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)


def _opened(part: Part) -> Any:
    return BytesIO(part) if isinstance(part, bytes) else part


def _fields(schema: Any) -> Columns:
    return [(field.name, field.type) for field in schema]
