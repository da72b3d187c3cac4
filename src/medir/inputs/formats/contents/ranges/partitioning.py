"""Tables in any order, put aside on disk by ranges of queries: the core packs their rows for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from errno import EIO
from functools import partial
from io import FileIO
from itertools import accumulate
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError
from medir.files.background import Background
from medir.files.workspace import room_for
from medir.inputs.formats.arrow import PackedRun
from medir.inputs.formats.contents.ranges.tables import RunTable, Slice, ordered_queries, placed

SAMPLE = 1 << 16  # queries, by which ranges are chosen
TOGETHER = 1 << 12  # of them, at most, from rows that are read together
WAIT = 0.1  # seconds between two looks for an interrupt


class Partitions:
    """Ranges of queries on disk, which are read as often as wanted.

    A query is in one range only, and ranges are in the order of the ids, byte by byte.
    """

    def __init__(
        self, tables: Sequence[RunTable], ranges: int, rows: int, packed: int, folder: Path
    ) -> None:
        """Puts all rows aside, in about so many ranges.

        Of each table, `rows` are read at a time, and `packed` bytes are written together.
        """
        bounds = _bounds([_sample(table, rows) for table in tables], ranges)
        stopped = Event()
        self._count = len(bounds) + 1
        self._tables = [
            _PutAside(table, bounds, folder / f"ranges-{number}", stopped)
            for number, table in enumerate(tables)
        ]
        # Beside this thread, so that an interrupt stops it.
        works = [Background(partial(table.fill, rows, packed)) for table in self._tables]
        try:
            while not all(work.wait(WAIT) for work in works):
                pass
        finally:
            stopped.set()
            for work in works:
                work.wait()
        for work in works:
            work.result()

    def __iter__(self) -> Iterator[list[Slice]]:
        """The rows of the same queries of each table, range by range."""
        for number in range(self._count):
            yield [table.slice(number) for table in self._tables]


def _sample(table: RunTable, rows: int) -> list[bytes]:
    """Some queries of a table, from all parts of it."""
    some: list[Any] = []
    step = max(1, rows // TOGETHER)
    for queries in table.some_queries(rows):
        chosen = ordered_queries(queries.take(np.arange(0, len(queries), step)).drop_null())
        values = chosen.dictionary_decode() if hasattr(chosen, "dictionary") else chosen
        some += values.to_numpy(zero_copy_only=False).tolist()
        if len(some) > 2 * SAMPLE:
            some, step = some[::2], 2 * step
    return [query if isinstance(query, bytes) else str(query).encode() for query in some]


def _bounds(samples: Sequence[list[bytes]], ranges: int) -> list[bytes]:
    """The first query of each range but the first."""
    queries = sorted(query for some in samples for query in some)
    places = (len(queries) * number // ranges for number in range(1, ranges))
    return sorted({queries[place] for place in places}) if queries else []


class _Written(NamedTuple):
    """What was written to a file together: range by range."""

    start: int
    ends: NDArray[np.uint64]  # of the ranges, from the start

    def part(self, number: int) -> tuple[int, int]:
        """Where a range begins in the file, and its size."""
        first = int(self.ends[number - 1]) if number else 0
        return self.start + first, int(self.ends[number]) - first


class _PutAside:
    """One table on disk, packed."""

    def __init__(
        self, table: RunTable, bounds: Sequence[bytes], path: Path, stopped: Event
    ) -> None:
        """`stopped` says that nobody wants it any more."""
        self._table, self._path, self._stopped = table, path, stopped
        ends = np.fromiter(accumulate(map(len, bounds)), np.uint64, len(bounds))
        self._bounds = b"".join(bounds), ends
        self._written: list[_Written] = []
        self._size = 0  # of the file

    def fill(self, rows: int, packed: int) -> None:
        """Reads so many rows at a time, and writes about so many bytes together."""
        try:
            with room_for(self._path):
                file = self._path.open("xb")
            with file:
                batches = self._table.batches(rows)
                first = next(batches, None)
                first = self._table.empty() if first is None else first
                self._run = PackedRun(first, self._table.reading, self._table.name, self._bounds)
                for batch in batches:
                    if self._stopped.is_set():
                        return
                    if self._run.size >= packed:
                        self._write(file)
                    self._run.add(batch)
                self._write(file)
        except BaseException:
            self._stopped.set()
            raise

    def _write(self, file: BinaryIO) -> None:
        data, ends = self._run.take()
        with room_for(self._path):
            file.write(data)
            file.flush()
        self._written.append(_Written(self._size, ends))
        self._size += len(data)

    def slice(self, number: int) -> Slice:
        """The lists of a range."""
        parts = [written.part(number) for written in self._written]
        rows = _core.PackedBytes(sum(size for _, size in parts))
        left = rows.bytes.data
        with self._path.open("rb", buffering=0) as file:
            for start, size in parts:
                file.seek(start)
                left = left[_read(file, left[:size]) :]
        try:
            lists = self._run.lists(rows)
        except InputError as error:
            raise placed(error, {self._table.name: None}) from None
        share = len(rows.bytes) / max(self._size, 1)
        return Slice(lists, round((self._table.rows or 0) * share), None)


def _read(file: FileIO, target: memoryview) -> int:
    """Reads as many bytes as there is room for, and returns their number."""
    size = len(target)
    while len(target):
        read = file.readinto(target)
        if not read:
            raise OSError(EIO, "a temporary file was cut short", file.name)
        target = target[read:]
    return size
