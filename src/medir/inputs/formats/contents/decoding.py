"""What decodes Parquet and Arrow IPC into tables that speak Arrow.

Parquet is decoded by polars where it is installed, which takes half as long as pyarrow. It comes
batch by batch, so that the memory of one is used for the next. Both libraries read files and map
none: what others map ends the process where a file shrinks in the meantime.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib.util import find_spec
from io import BytesIO
from itertools import count
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from medir.errors import MissingExtraError
from medir.files.opening import plain_bytes
from medir.inputs.formats.contents.recognition import Kind

if TYPE_CHECKING:
    import pyarrow as pa

Rows = TypeVar("Rows", bound="pa.Table | pa.RecordBatch")
Part = str | bytes  # a path, or what a file holds
Columns = list[tuple[str, Any]]  # names and types
BUFFER = 1 << 20  # bytes of a column that are read at a time, of a file larger than memory
LENGTH = 4  # bytes of a text in Parquet that say how long it is
SAMPLED = 32  # row groups of a Parquet file that a sample is taken from
ROWS = 1 << 20  # of a batch: fewer take longer, more take memory that is new each time
POOL = Lock()  # while Arrow's pool is another one: there is one for all threads


class Decoder(Protocol):
    """A library that decodes files of tables."""

    errors: tuple[type[Exception], ...]  # that it raises where a file is damaged

    def opened(self, part: Part) -> Part:
        """What the others are best given for a part."""

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """Some columns, by what they hold, as tables that speak Arrow and have a length.

        There is one even where there are no rows.
        """


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

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""
        return list(self._pl.read_parquet_schema(BytesIO(_bytes(part))).items())

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """Some columns, batch by batch."""
        whole = self._pl.scan_parquet(_bytes(part), glob=False, hive_partitioning=False)
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
        # Names that are not UTF-8 are no error of Arrow's.
        self.errors: tuple[type[Exception], ...] = (pa.ArrowException, OSError, UnicodeDecodeError)

    def opened(self, part: Part) -> Part:
        """The file as it is."""
        return part

    def columns(self, part: Part) -> Columns:
        """The names and types of the columns."""
        if self._parquet:
            with self._file(part) as file:
                return _fields(file.schema_arrow)
        with self._reader(part) as reader:
            return _fields(reader.schema)

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """Some columns, batch by batch; of Arrow IPC all at once."""
        wanted = list(columns.values())
        if not self._parquet:
            present = [name for name, _ in self.columns(part)]
            fields = sorted({present.index(one) for one in wanted})
            options = self._pa.ipc.IpcReadOptions(included_fields=fields)
            with self._reader(part, options) as reader:
                yield _checked(reader.read_all()).select(wanted)
            return
        # Few queries, each in many rows.
        encoded = [one for role, one in columns.items() if role == "query_id"]
        with self._file(part, read_dictionary=encoded) as file:
            yield file.read_row_groups([], columns=wanted)
            yield from file.iter_batches(ROWS, columns=wanted, use_threads=True)

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


class Stored(NamedTuple):
    """What files say of a column, at once."""

    rows: int
    repeats: bool  # whether they have codes of a dictionary in place of most of its texts


class Streaming(Pyarrow):
    """Decodes files that need not fit into memory: some rows at a time, as they are stored."""

    def __init__(self, kind: Kind, rows: int = ROWS) -> None:
        if find_spec("pyarrow") is None:
            raise MissingExtraError("pyarrow", "large", f"reading {kind}")
        super().__init__(kind == "Parquet")
        self.rows = rows  # of a batch, at most
        self.sampling = False  # whether some rows of each file will do
        self.encoded = False  # whether queries come as codes of a dictionary

    def batches(self, part: Part, columns: Mapping[str, str]) -> Iterator[Any]:
        """Some columns, batch by batch; none where there are no rows."""
        wanted = list(dict.fromkeys(columns.values()))
        if self._parquet:
            encoded = [columns["query_id"]] if self.encoded else None
            options = {"pre_buffer": False, "buffer_size": BUFFER, "read_dictionary": encoded}
            with self._file(part, **options) as file:
                groups = range(file.num_row_groups)
                if self.sampling:
                    groups = groups[:: max(1, len(groups) // SAMPLED)]
                yield from file.iter_batches(self.rows, row_groups=groups, columns=wanted)
            return
        for batch in self._stored(part):
            chosen = _checked(batch.select(wanted))  # others may hold what they like
            for first in range(0, len(batch), self.rows):
                yield chosen.slice(first, self.rows)

    def _file(self, part: Part, **options: Any) -> Any:
        """A file that takes its memory from the system, which keeps that of a batch for the next.

        Arrow's own pools give it back each time; asking for it again takes a tenth of all time.
        """
        with POOL:
            pool = self._pa.default_memory_pool()
            self._pa.set_memory_pool(self._pa.system_memory_pool())
            try:
                return super()._file(part, **options)
            finally:
                self._pa.set_memory_pool(pool)

    def stored(self, parts: Iterable[Part], column: str) -> Stored | None:
        """What files say of themselves; of Arrow IPC nothing."""
        if not self._parquet:
            return None
        rows = size = 0
        is_text = True
        for part in parts:
            with self._file(part) as file:
                rows += file.metadata.num_rows
                for chunk in _chunks(file.metadata, column):
                    size += chunk.total_uncompressed_size
                    is_text = is_text and chunk.physical_type == "BYTE_ARRAY"
        return Stored(rows, is_text and size < LENGTH * rows)

    def _stored(self, part: Part) -> Iterator[Any]:
        """The batches of Arrow IPC as they were written."""
        with self._reader(part) as reader:
            if hasattr(reader, "get_batch"):
                yield from map(reader.get_batch, range(reader.num_record_batches))
            else:
                yield from reader


def _checked(rows: Rows) -> Rows:
    """Rows of Arrow IPC, whose offsets may point anywhere: Arrow takes them as they are."""
    rows.validate(full=True)
    return rows


def _chunks(metadata: Any, column: str) -> Iterator[Any]:
    """A column of Parquet in all row groups."""
    number: int | None = None
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        if number is None:
            paths = [group.column(i).path_in_schema for i in range(group.num_columns)]
            number = paths.index(column) if column in paths else None
        if number is not None:
            yield group.column(number)


def _bytes(part: Part) -> bytes:
    return plain_bytes(part) if isinstance(part, str) else part


def _fields(schema: Any) -> Columns:
    return [(field.name, field.type) for field in schema]
