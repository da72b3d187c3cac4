"""The table of all queries: rows to show, columns to sort and filter by, ids to search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.explaining.witnesses import Words
from medir.rendering.folders import scripts
from medir.rendering.folders.recording import Recording
from medir.rendering.folders.scripts import Scripts, buckets_for, parsed, quoted, script_of
from medir.rendering.pages.data import Subject, columns_of

CHUNK = 1 << 20  # values of a column in one file
SEARCHED = 1 << 16  # queries in one file of ids, at least
PER_BUCKET = 1 << 14  # ids in one file of the index, about


@dataclass(frozen=True)
class Columns:
    """The numbers of all queries, each array once, and where those of a row are among them."""

    numbers: list[Array]
    counts: list[NDArray[Any]]  # whole numbers
    places: dict[str, Any]

    @classmethod
    def of(cls, subject: Subject) -> Columns:
        """The columns that the page shows."""
        result, beside = subject.result, subject.beside
        numbers, counts = _Distinct(), _Distinct()
        kept = [COLUMNS.index(name) for name in columns_of(result.values)]
        measures, segments = range(len(result.measures)), result.sample.segments
        places = {
            "values": [[numbers.place(result.values[m, c]) for c in kept] for m in measures],
            "beside": [] if beside is None else [numbers.place(one[0]) for one in beside.values],
            "changes": [
                [counts.place(result.changes[m, c]) for c in range(len(CHANGES))] for m in measures
            ],
            "segments": None if segments is None else counts.place(segments.codes),
        }
        largest = max(int(array.max(initial=0)) for array in counts.arrays)
        kind = np.min_scalar_type(largest)
        return cls(numbers.arrays, [array.astype(kind) for array in counts.arrays], places)

    @property
    def chunk(self) -> int:
        """How many values are in one file."""
        return CHUNK

    @property
    def kind(self) -> str:
        """The type of whole numbers."""
        return f"u{self.counts[0].dtype.itemsize}"

    def write(self, folder: Scripts) -> None:
        """Writes every column whole, for who sorts and filters by it."""
        folder.rooms("columns")
        for kind, arrays in (("numbers", self.numbers), ("counts", self.counts)):
            for number, array in enumerate(arrays):
                for chunk, first in enumerate(range(0, len(array), CHUNK)):
                    content = quoted(array[first : first + CHUNK])
                    folder.write(f"columns/{kind}-{number}-{chunk}", content)

    def rows(self, first: int, last: int) -> bytes:
        """The numbers of some rows, as fields of an object."""
        numbers = np.stack([array[first:last] for array in self.numbers])
        counts = np.stack([array[first:last] for array in self.counts])
        return b",".join(
            scripts.field(name) + quoted(some)
            for name, some in (("numbers", numbers), ("counts", counts))
        )


@dataclass
class _Distinct:
    """Arrays, each of them once."""

    arrays: list[NDArray[Any]] = field(default_factory=list)

    def place(self, array: NDArray[Any]) -> int:
        """Where an array is; it is added if it is new."""
        array = np.ascontiguousarray(array)
        for place, known in enumerate(self.arrays):
            if _same_bytes(known[:100], array[:100]) and _same_bytes(known, array):
                return place
        self.arrays.append(array)
        return len(self.arrays) - 1


def _same_bytes(first: NDArray[Any], second: NDArray[Any]) -> bool:
    """Whether two arrays are the same bit by bit, and so the same where they are NaN."""
    return first.dtype == second.dtype and np.array_equal(
        first.view(np.uint8), second.view(np.uint8)
    )


class Table:
    """Writes the rows of all queries, shard by shard."""

    def __init__(self, recording: Recording, columns: Columns, texts: Sequence[str] | None) -> None:
        self._recording, self._folder = recording, recording.scripts
        self._columns, self._texts = columns, texts
        self._shard, self._size = recording.shard, len(recording.checksums)

    @property
    def searched(self) -> int:
        """How many queries are in a file of ids."""
        return max(SEARCHED // self._shard, 1) * self._shard

    def write(self) -> int:
        """Writes rows, columns and what finds queries; returns how many files the index has."""
        self._folder.rooms("rows", "search", "ids")
        for number, ids in self._recording.ids.items():
            first = number * self._shard
            last = min(first + self._shard, self._size)
            texts, numbers = self._texts_of(first, last), self._columns.rows(first, last)
            self._folder.write(f"rows/{number}", b'{"ids":', ids, texts, b",", numbers, b"}")
        self._columns.write(self._folder)
        self._write_ids()
        return self._write_index(self._recording.checksums)

    def _texts_of(self, first: int, last: int) -> bytes:
        if self._texts is None:
            return b""
        return b',"texts":' + script_of(self._texts[first:last])

    def _write_ids(self) -> None:
        """Ids and texts of many queries in one file, for who looks through all of them."""
        ids, together = self._recording.ids, self.searched // self._shard
        for number in range(0, len(ids), together):
            some = [ids[n] for n in range(number, min(number + together, len(ids)))]
            joined = b",".join(one[1:-1] for one in some)
            first = number * self._shard
            texts = self._texts_of(first, min(first + self.searched, self._size))
            content = b'{"ids":[' + joined + b"]" + texts + b"}"
            self._folder.write(f"search/{number // together}", parsed(content))

    def _write_index(self, checksums: Words) -> int:
        """Ids by checksum: each file has pairs of a checksum and the position of its query."""
        buckets = buckets_for(len(checksums), PER_BUCKET)
        bucket = (checksums % np.uint32(buckets)).astype(np.uint16)
        order = np.argsort(bucket, kind="stable")
        pairs = np.column_stack([checksums[order], order.astype(np.uint32)])
        ends = np.cumsum(np.bincount(bucket, minlength=buckets))[:-1]
        for number, some in enumerate(np.split(pairs, ends)):
            self._folder.write(f"ids/{number}", quoted(some))
        return buckets
