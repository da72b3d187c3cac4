"""How much memory a comparison may take, and what follows for the sizes of ranges."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from medir.errors import UsageError
from medir.files.background import ahead
from medir.inputs.formats.contents.ranges.merging import comparable, merged
from medir.inputs.formats.contents.ranges.partitioning import Partitions
from medir.inputs.formats.contents.ranges.tables import RunTable, Slice

AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
ROWS = 1 << 19  # of a batch, at most: of larger ones, more memory is new each time
LEAST = 512 * 10**6  # bytes: Python and the libraries take a good part of it
# Of a batch there are several at a time: what is taken, what is left of it, and what comes next.
BATCHES = 64
# Of a range there are two, and the lists of one of them.
RANGES = 8
# Of what is packed there are several copies while it grows and while it is written, of each table.
PACKED = 64


def bytes_of_memory(amount: str | int) -> int:
    """A number of bytes, as people write it.

    >>> bytes_of_memory("2GB"), bytes_of_memory("1.5 GiB"), bytes_of_memory(10**9)
    (2000000000, 1610612736, 1000000000)
    """
    found = AMOUNT.fullmatch(str(amount).strip())
    if found is None:
        raise UsageError(f"memory is an amount such as 2GB or 500MB, not {amount!r}")
    number, unit, binary = found.groups()
    size = int(float(number) * (1024 if binary else 1000) ** POWERS[unit.lower()])
    if size < LEAST:
        raise UsageError(f"memory must be at least {LEAST // 10**6}MB, not {amount}")
    return size


class Ranges:
    """Ranges of the queries of some tables, in the same order as often as they are asked for.

    Tables that are sorted by query are read side by side; others are put aside by ranges first.
    """

    def __init__(self, tables: Sequence[RunTable], memory: int, folder: Path) -> None:
        self._tables, self._memory, self._folder = tables, memory, folder
        self.sorted = comparable(tables)
        self._partitions: Partitions | None = None

    def __iter__(self) -> Iterator[list[Slice]]:
        """The rows of the same queries of each table, of which one range is read ahead.

        An UnsortedError may come at any time.
        """
        if not self.sorted and self._partitions is None:
            packed = self._memory // PACKED
            self._partitions = Partitions(
                self._tables, self._count(), self._rows, packed, self._folder
            )
        ranges = iter(self._partitions or merged(self._tables, self._rows))
        yield from ahead(partial(next, ranges, None))

    @property
    def _rows(self) -> int:
        """The rows of a batch."""
        largest = max(table.row_bytes for table in self._tables)
        return max(1, min(ROWS, int(self._memory / BATCHES / largest)))

    def _count(self) -> int:
        """The number of ranges on disk."""
        total = sum(table.count() * table.row_bytes for table in self._tables)
        return max(1, math.ceil(total / (self._memory / RANGES)))
