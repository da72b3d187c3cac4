"""Parquet and Arrow IPC, decoded by pyarrow and handed to the native core as Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from medir import _core
from medir.base.words import count
from medir.errors import InputError, MissingExtraError
from medir.files.origins import Origin
from medir.inputs.formats.arrow import arrow_qrels, arrow_run
from medir.inputs.formats.column_names import (
    LENGTHS,
    chosen_columns,
    chosen_qrels_columns,
    chosen_run_columns,
)
from medir.inputs.formats.contents.recognition import File, Kind
from medir.inputs.formats.source import Reading, Taken

if TYPE_CHECKING:
    import pyarrow as pa


def columnar_run(file: File, kind: Kind, reading: Reading) -> Taken[_core.Lists]:
    """A run in Parquet or Arrow IPC."""
    source = _Source(file.name, kind, [file.data if file.data is not None else file.name])
    return _run(source, reading, file.origin)


def parts_run(
    name: str, parts: Sequence[Path], origin: Origin, reading: Reading
) -> Taken[_core.Lists]:
    """A run in several Parquet files."""
    return _run(_Source(name, "Parquet", [str(part) for part in parts]), reading, origin)


def _run(source: _Source, reading: Reading, origin: Origin) -> Taken[_core.Lists]:
    columns, order = chosen_run_columns(source.names, reading.order, reading.columns, source.name)
    table = source.read(columns)
    lists = arrow_run(table, reading, source.name)
    words = source.words(columns, table.num_rows)
    if order != "score":
        words += f", in the order of the {'ranks' if order == 'rank' else 'file'}"
    return Taken(lists, source.name, origin, words)


def columnar_qrels(file: File, kind: Kind, reading: Reading, intents: bool) -> Taken[_core.Lists]:
    """Judgments in Parquet or Arrow IPC."""
    source = _Source(file.name, kind, [file.data if file.data is not None else file.name])
    return _qrels(source, reading, intents, file.origin)


def parts_qrels(
    name: str, parts: Sequence[Path], origin: Origin, reading: Reading, intents: bool
) -> Taken[_core.Lists]:
    """Judgments in several Parquet files."""
    source = _Source(name, "Parquet", [str(part) for part in parts])
    return _qrels(source, reading, intents, origin)


def _qrels(source: _Source, reading: Reading, intents: bool, origin: Origin) -> Taken[_core.Lists]:
    columns = chosen_qrels_columns(source.names, reading.columns, source.name)
    if not intents:
        columns.pop("intent", None)
    table = source.read(columns)
    lists = arrow_qrels(table, reading, source.name, intents)
    return Taken(lists, source.name, origin, source.words(columns, table.num_rows))


def columnar_lengths(file: File, kind: Kind) -> tuple[pa.Table, str]:
    """Documents and their words in Parquet or Arrow IPC; how it was read."""
    source = _Source(file.name, kind, [file.data if file.data is not None else file.name])
    columns = chosen_columns(source.names, LENGTHS, None, file.name)
    table = source.read(columns)
    return table, source.words(columns, table.num_rows)


class _Source:
    """The parts of a table: paths or bytes."""

    def __init__(self, name: str, kind: Kind, parts: Sequence[str | bytes]) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtraError("pyarrow", "tables", f"reading {kind}") from None
        self.name, self.kind, self._parts, self._pa = name, kind, parts, pa
        self.names: list[str] = self._attempt(self._schema).names

    def read(self, columns: Mapping[str, str]) -> pa.Table:
        """The columns that count, of all parts."""
        tables = [self._attempt(self._table, part, columns) for part in self._parts]
        self._check_types(tables)
        return tables[0] if len(tables) == 1 else self._pa.concat_tables(tables)

    def words(self, columns: Mapping[str, str], rows: int) -> str:
        """How it was read."""
        files = f" in {len(self._parts):,} files" if len(self._parts) > 1 else ""
        return f"{self.kind}: {', '.join(columns.values())} ({count(rows, 'row')}{files})"

    def _attempt(self, read: Any, *arguments: Any) -> Any:
        try:
            return read(*arguments)
        except (self._pa.ArrowException, OSError) as error:
            if isinstance(error, FileNotFoundError):
                raise
            problem = f"cannot be read as {self.kind}: {str(error).splitlines()[0]}"
            raise InputError(problem, self.name, remedy="Write the file again.") from None

    def _schema(self) -> pa.Schema:
        part = self._parts[0]
        if self.kind == "Parquet":
            import pyarrow.parquet as pq

            with pq.ParquetFile(self._opened(part)) as file:
                return file.schema_arrow
        with self._reader(part) as reader:
            return reader.schema

    def _table(self, part: str | bytes, columns: Mapping[str, str]) -> pa.Table:
        wanted = list(columns.values())
        if self.kind != "Parquet":
            with self._reader(part) as reader:
                return reader.read_all().select(wanted)
        import pyarrow.parquet as pq

        with pq.ParquetFile(
            self._opened(part),
            memory_map=isinstance(part, str),
            read_dictionary=[one for role, one in columns.items() if role == "query_id"],
        ) as file:
            missing = [one for one in wanted if one not in file.schema_arrow.names]
            if missing:
                place = part if isinstance(part, str) else self.name
                raise InputError(f"there is no column {missing[0]!r} in this part", place)
            return file.read(columns=wanted, use_threads=True)

    def _opened(self, part: str | bytes) -> Any:
        return self._pa.BufferReader(part) if isinstance(part, bytes) else part

    def _reader(self, part: str | bytes) -> Any:
        """Of Arrow IPC: a file, or a stream."""
        source = (
            self._pa.BufferReader(part) if isinstance(part, bytes) else self._pa.memory_map(part)
        )
        if source.read(6) == b"ARROW1":
            source.seek(0)
            return self._pa.ipc.open_file(source)
        source.seek(0)
        return self._pa.ipc.open_stream(source)

    def _check_types(self, tables: Sequence[pa.Table]) -> None:
        for part, table in zip(self._parts, tables, strict=True):
            if table.schema.types != tables[0].schema.types:
                raise InputError(
                    f"has columns of other types than {self._parts[0]!r}",
                    part if isinstance(part, str) else self.name,
                    remedy="Write all parts with the same types.",
                )
