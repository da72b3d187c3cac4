"""Parquet and Arrow IPC, decoded by a library and handed to the native core as Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.background import ahead
from medir.files.opening import opened_plain
from medir.files.origins import Origin
from medir.inputs.formats.arrow import Batches, arrow_qrels, arrow_run, arrow_table
from medir.inputs.formats.column_names import (
    CLUSTERS,
    LENGTHS,
    Kinds,
    chosen_columns,
    chosen_qrels_columns,
    chosen_run_columns,
)
from medir.inputs.formats.contents.decoding import Decoder, Part, decoder_of
from medir.inputs.formats.contents.recognition import File, Kind
from medir.inputs.formats.source import Reading, Taken


def columnar_run(file: File, kind: Kind, reading: Reading) -> Taken[_core.Lists]:
    """A run in Parquet or Arrow IPC."""
    source = ColumnarSource(file.name, kind, [file.data if file.data is not None else file.name])
    return _run(source, reading, file.origin)


def parts_run(
    name: str, parts: Sequence[Path], origin: Origin, reading: Reading
) -> Taken[_core.Lists]:
    """A run in several Parquet files."""
    return _run(ColumnarSource(name, "Parquet", [str(part) for part in parts]), reading, origin)


def _run(source: ColumnarSource, reading: Reading, origin: Origin) -> Taken[_core.Lists]:
    columns, order = chosen_run_columns(source.names, reading.order, reading.columns, source.name)
    table = source.read(columns)
    lists = arrow_run(table, reading, source.name)
    words = source.words(columns, len(table))
    if order != "score":
        words += f", in the order of the {'ranks' if order == 'rank' else 'file'}"
    return Taken(lists, source.name, origin, words)


def columnar_qrels(file: File, kind: Kind, reading: Reading, intents: bool) -> Taken[_core.Lists]:
    """Judgments in Parquet or Arrow IPC."""
    source = ColumnarSource(file.name, kind, [file.data if file.data is not None else file.name])
    return _qrels(source, reading, intents, file.origin)


def parts_qrels(
    name: str, parts: Sequence[Path], origin: Origin, reading: Reading, intents: bool
) -> Taken[_core.Lists]:
    """Judgments in several Parquet files."""
    source = ColumnarSource(name, "Parquet", [str(part) for part in parts])
    return _qrels(source, reading, intents, origin)


def _qrels(
    source: ColumnarSource, reading: Reading, intents: bool, origin: Origin
) -> Taken[_core.Lists]:
    columns = chosen_qrels_columns(source.names, reading.columns, source.name)
    if not intents:
        columns.pop("intent", None)
    table = source.read(columns)
    lists = arrow_qrels(table, reading, source.name, intents)
    return Taken(lists, source.name, origin, source.words(columns, len(table)))


def columnar_lengths(file: File, kind: Kind) -> tuple[_core.ArrowTable, str]:
    """Documents and their words in Parquet or Arrow IPC; how it was read."""
    return _of_documents(file, kind, LENGTHS)


def columnar_clusters(file: File, kind: Kind) -> tuple[_core.ArrowTable, str]:
    """Documents and their clusters in Parquet or Arrow IPC; how it was read."""
    return _of_documents(file, kind, CLUSTERS)


def _of_documents(file: File, kind: Kind, kinds: Kinds) -> tuple[_core.ArrowTable, str]:
    source = ColumnarSource(file.name, kind, [file.data if file.data is not None else file.name])
    columns = chosen_columns(source.names, kinds, None, file.name)
    table = arrow_table(source.read(columns), file.name)
    return table, source.words(columns, len(table))


class ColumnarSource:
    """The parts of a table, read by a decoder: the fastest there is, or a given one."""

    def __init__(
        self, name: str, kind: Kind, parts: Sequence[Part], decoder: Decoder | None = None
    ) -> None:
        self.name, self.kind, self._parts = name, kind, parts
        self._decoder = decoder_of(kind) if decoder is None else decoder
        with _unchanged(parts[0]):
            self._first = self._decoder.opened(parts[0])
            self._types: dict[str, Any] = dict(self.decoded(self._decoder.columns, self._first))
        self.names = list(self._types)

    def type_of(self, column: str) -> Any:
        """The type of a column, as the library has it."""
        return self._types[column]

    def read(self, columns: Mapping[str, str]) -> Batches:
        """The columns that count, of all parts, batch by batch."""
        return Batches(self._batches(columns))

    def _batches(self, columns: Mapping[str, str]) -> Iterator[Any]:
        for number, part in enumerate(self._parts):
            with _unchanged(part):
                opened = self._decoder.opened(part) if number else self._first
                self._check_types(part, opened, columns)
                batches = self._decoder.batches(opened, columns)
                yield from ahead(partial(self.decoded, next, batches, None))

    def _check_types(self, part: Part, opened: Part, columns: Mapping[str, str]) -> None:
        place = part if isinstance(part, str) else self.name
        present = dict(self.decoded(self._decoder.columns, opened))
        missing = [one for one in columns.values() if one not in present]
        if missing:
            raise InputError(f"there is no column {missing[0]!r} in this part", place)
        if any(present[one] != self._types[one] for one in columns.values()):
            raise InputError(
                f"has columns of other types than {self._parts[0]!r}",
                place,
                remedy="Write all parts with the same types.",
            )

    def words(self, columns: Mapping[str, str], rows: int) -> str:
        """How it was read."""
        files = f" in {len(self._parts):,} files" if len(self._parts) > 1 else ""
        return f"{self.kind}: {', '.join(columns.values())} ({count(rows, 'row')}{files})"

    def decoded(self, read: Any, *arguments: Any) -> Any:
        """What a call of the decoder returns; its errors say what is wrong with the file."""
        try:
            return read(*arguments)
        except MemoryError:
            raise InputError("there is not enough memory to read it", self.name) from None
        except self._decoder.errors as error:
            if isinstance(error, FileNotFoundError):
                raise
            problem = f"cannot be read as {self.kind}: {str(error).splitlines()[0]}"
            raise InputError(problem, self.name, remedy="Write the file again.") from None


def _unchanged(part: Part) -> AbstractContextManager[object]:
    """Within this a part must not change."""
    return opened_plain(part) if isinstance(part, str) else nullcontext()
