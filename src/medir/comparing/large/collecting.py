"""What is kept of the comparison of a range of queries: numbers, and ids on disk."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.comparison import Comparison
from medir.comparing.decision.sample import Sample, Segments
from medir.files.workspace import room_for
from medir.inputs.queries import NO_SEGMENT


class _Stored(NamedTuple):
    """The ids of some queries in a file: one behind the other, then where each ends."""

    start: int  # in the file
    size: int  # of the ids
    queries: int


class IdFile:
    """Ids of queries on disk, in a file without a name, which goes away with the process."""

    def __init__(self) -> None:
        with room_for(_temporary()):
            self._file = tempfile.TemporaryFile(prefix="medir-")  # noqa: SIM115  # as long as this
        weakref.finalize(self, self._file.close)

    def add(self, pairing: _core.Pairing) -> _Stored:
        """Writes the ids of a pairing."""
        ids, ends = pairing.queries()
        with room_for(_temporary()):
            start = self._file.seek(0, 2)
            self._file.write(ids)
            self._file.write(array("Q", ends))
            self._file.flush()
        return _Stored(start, len(ids), len(ends))

    def query(self, stored: _Stored, number: int) -> bytes:
        """One of the ids."""
        first = max(number - 1, 0)
        self._file.seek(stored.start + stored.size + 8 * first)
        ends = np.frombuffer(self._file.read(8 * (number - first + 1)), dtype=np.uint64).tolist()
        begin, end = [0, *ends][-2:]
        self._file.seek(stored.start + begin)
        return self._file.read(end - begin)

    def queries(self, stored: _Stored) -> tuple[bytes, list[int]]:
        """All of the ids, and where each ends."""
        self._file.seek(stored.start)
        ids = self._file.read(stored.size)
        return ids, np.frombuffer(self._file.read(8 * stored.queries), dtype=np.uint64).tolist()


class KeptQueries:
    """The queries that were compared, as a pairing has them; their lists are gone."""

    def __init__(
        self,
        file: IdFile,
        parts: Sequence[_Stored],
        sides: NDArray[np.uint8],
        only_before: int,
        only_after: int,
    ) -> None:
        self._file, self._parts, self._sides = file, parts, sides
        self.only_before, self.only_after = only_before, only_after
        self._starts = np.cumsum([0, *(part.queries for part in parts)]).tolist()

    def __len__(self) -> int:
        return len(self._sides)

    def query(self, position: int) -> bytes:
        """The id of a query."""
        part = bisect_right(self._starts, position) - 1
        return self._file.query(self._parts[part], position - self._starts[part])

    def queries(self) -> tuple[bytes, list[int]]:
        """All ids, one behind the other, and where each ends."""
        joined, ends = [], []
        size = 0
        for part in self._parts:
            ids, some = self._file.queries(part)
            joined.append(ids)
            ends += [size + end for end in some]
            size += len(ids)
        return b"".join(joined), ends

    def sides(self, sides: NDArray[np.uint8]) -> None:
        """Which runs have each query."""
        sides[:] = self._sides


class _Part(NamedTuple):
    """The numbers of a range; of a column that holds nothing but 0, none."""

    queries: int
    values: dict[tuple[int, int], Array]  # by measure and column
    changes: dict[tuple[int, int], NDArray[np.uint32]]
    sides: NDArray[np.uint8]
    sample: Sample
    ids: _Stored
    lengths: dict[int, tuple[int, int]]  # of the lists of the most affected queries, by position


class Collected:
    """What was computed, range by range."""

    def __init__(self, top: int) -> None:
        self._top = top  # most affected queries whose lists are looked at
        self._file = IdFile()
        # Those of `before`, and those of `after` alone, which come behind them.
        self._parts: tuple[list[_Part], list[_Part]] = [], []
        self.only_before = self.only_after = 0  # queries, also where they are skipped
        self.repeats = self.without_relevant = self.without_length = 0
        self._unseen: list[Sequence[int]] = []
        self._ended: list[Sequence[int]] = []

    def add(self, result: Comparison, alone: bool) -> None:
        """Takes a range; `alone` where only `after` has its queries."""
        affected = {
            position for one in result.measures for position in result.most_affected(self._top, one)
        }
        self._parts[alone].append(
            _Part(
                len(result),
                _columns(result.values),
                _columns(result.changes),
                result.sides,
                result.sample,
                self._file.add(result.pairing),
                {position: result.lengths_at(position) for position in affected},
            )
        )
        self.repeats += result.repeats
        self.without_relevant += result.without_relevant
        self.without_length += result.without_length
        self._unseen.append(result.unseen_queries)
        self._ended.append(result.ended_queries)

    def _ordered(self) -> list[_Part]:
        return [*self._parts[0], *self._parts[1]]

    def __len__(self) -> int:
        return sum(part.queries for part in self._ordered())

    def numbers(self, measures: int) -> tuple[Array, NDArray[np.uint32]]:
        """The values and changes of all queries; those of ranges are given back."""
        values = np.zeros((measures, len(COLUMNS), len(self)))
        changes = np.zeros((measures, len(CHANGES), len(self)), dtype=np.uint32)
        first = 0
        for part in self._ordered():
            last = first + part.queries
            for kept, all_numbers in ((part.values, values), (part.changes, changes)):
                while kept:  # memory that nobody has touched yet is none
                    (measure, column), numbers = kept.popitem()
                    all_numbers[measure, column, first:last] = numbers
            first = last
        return values, changes

    def unseen_queries(self) -> list[int]:
        """By measure: queries with unseen ranks within its reach."""
        return [sum(counts) for counts in zip(*self._unseen, strict=True)]

    def ended_queries(self) -> list[int]:
        """By measure: queries with a list that ended within its reach."""
        return [sum(counts) for counts in zip(*self._ended, strict=True)]

    def queries(self) -> KeptQueries:
        """All queries."""
        parts = self._ordered()
        sides = _joined([part.sides for part in parts], np.uint8)
        stored = [part.ids for part in parts]
        return KeptQueries(self._file, stored, sides, self.only_before, self.only_after)

    def lengths(self) -> dict[int, tuple[int, int]]:
        """How long the lists of the most affected queries are, by position."""
        found: dict[int, tuple[int, int]] = {}
        first = 0
        for part in self._ordered():
            found |= {first + position: lengths for position, lengths in part.lengths.items()}
            first += part.queries
        return found

    def sample(self) -> Sample:
        """How much each query counts, and which segment it is in."""
        samples = [part.sample for part in self._ordered()]
        first = samples[0]
        weights = None
        if first.weights is not None:
            weights = _joined([one.weights for one in samples], np.float64)
        return Sample(
            first.table,
            weights,
            first.weight_column,
            sum(one.without_weight for one in samples),
            first.missing_weight,
            _segments([one.segments for one in samples if one.segments is not None]),
            sum(one.without_segment for one in samples),
        )


def _segments(parts: Sequence[Segments]) -> Segments | None:
    """Segments of all queries, in the order in which they first appear; that of none is last."""
    if not parts:
        return None
    numbers: dict[str, int] = {}
    for part in parts:
        for label in part.labels:
            if label != NO_SEGMENT:
                numbers.setdefault(label, len(numbers))
    if any(NO_SEGMENT in part.labels for part in parts):
        numbers[NO_SEGMENT] = len(numbers)
    codes = [
        np.array([numbers[label] for label in part.labels], dtype=np.int32)[part.codes]
        for part in parts
    ]
    return Segments(parts[0].column, list(numbers), _joined(codes, np.int32))


def _columns(numbers: NDArray[Any]) -> dict[tuple[int, int], NDArray[Any]]:
    """The columns of each measure that hold something, apart from the others."""
    return {
        (measure, column): np.array(values)
        for measure, columns in enumerate(numbers)
        for column, values in enumerate(columns)
        if values.any()
    }


def _joined(parts: Iterable[Any], kind: Any) -> NDArray[Any]:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


def _temporary() -> Path:
    return Path(tempfile.gettempdir()) / "medir"
