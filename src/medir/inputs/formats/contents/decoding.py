"""What decodes Parquet and Arrow IPC into tables that speak Arrow.

Parquet is decoded by polars where it is installed, which takes half as long as pyarrow. Both read
files and map none: what others map ends the process where a file shrinks in the meantime.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from io import BytesIO
from typing import Any, Protocol

from medir.errors import MissingExtraError
from medir.files.opening import plain_bytes
from medir.inputs.formats.contents.recognition import Kind

Part = str | bytes  # a path, or what a file holds


class Decoder(Protocol):
    """A library that decodes files of tables."""

    errors: tuple[type[Exception], ...]  # that it raises where a file is damaged

    def opened(self, part: Part) -> Part:
        """What the others are best given for a part."""

    def names(self, part: Part) -> list[str]:
        """The names of the columns."""

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns, by what they hold, as a table that speaks Arrow and has a length."""

    def types(self, table: Any) -> list[Any]:
        """The types of the columns of a table."""


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
        panic = pl.exceptions.PanicException
        self.errors: tuple[type[Exception], ...] = (pl.exceptions.PolarsError, OSError, panic)

    def opened(self, part: Part) -> Part:
        """The bytes of the file: polars would map a path."""
        return plain_bytes(part) if isinstance(part, str) else part

    def names(self, part: Part) -> list[str]:
        """The names of the columns."""
        return list(self._pl.read_parquet_schema(BytesIO(_bytes(part))))

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns."""
        return self._pl.read_parquet(
            BytesIO(_bytes(part)),
            columns=list(columns.values()),
            glob=False,
            hive_partitioning=False,
        )

    def types(self, table: Any) -> list[Any]:
        """The types of the columns of a table."""
        return list(table.dtypes)


class Pyarrow:
    """Decodes Parquet and Arrow IPC."""

    def __init__(self, parquet: bool) -> None:
        import pyarrow as pa

        self._pa, self._parquet = pa, parquet
        self.errors: tuple[type[Exception], ...] = (pa.ArrowException, OSError)

    def opened(self, part: Part) -> Part:
        """The file as it is."""
        return part

    def names(self, part: Part) -> list[str]:
        """The names of the columns."""
        if self._parquet:
            with self._file(part) as file:
                return list(file.schema_arrow.names)
        with self._reader(part) as reader:
            return list(reader.schema.names)

    def table(self, part: Part, columns: Mapping[str, str]) -> Any:
        """Some columns."""
        wanted = list(columns.values())
        if self._parquet:
            # Few queries, each in many rows.
            encoded = [one for role, one in columns.items() if role == "query_id"]
            with self._file(part, read_dictionary=encoded) as file:
                return file.read(columns=wanted, use_threads=True)
        present = self.names(part)
        fields = [present.index(one) for one in wanted]
        options = self._pa.ipc.IpcReadOptions(included_fields=sorted(set(fields)))
        with self._reader(part, options) as reader:
            return reader.read_all().select(wanted)

    def types(self, table: Any) -> list[Any]:
        """The types of the columns of a table."""
        return list(table.schema.types)

    def _file(self, part: Part, **options: Any) -> Any:
        import pyarrow.parquet as pq

        if isinstance(part, bytes):
            return pq.ParquetFile(self._pa.BufferReader(part), **options)
        return pq.ParquetFile(part, **options)

    def _reader(self, part: Part, options: Any = None) -> Any:
        """Of Arrow IPC: a file, or a stream."""
        pa = self._pa
        source = pa.BufferReader(part) if isinstance(part, bytes) else pa.OSFile(part)
        is_file = source.read(6) == b"ARROW1"
        source.seek(0)
        read = pa.ipc.open_file if is_file else pa.ipc.open_stream
        return read(source, options=options)


def _bytes(part: Part) -> bytes:
    return plain_bytes(part) if isinstance(part, str) else part
