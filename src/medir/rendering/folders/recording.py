"""The lists of all queries, taken while they are compared, and written as the files of a folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from medir import _core
from medir.comparing.explaining.witnesses import Kernels, Witnesses, Words
from medir.comparing.inputs import Inputs
from medir.rendering.folders.scripts import Scripts
from medir.rendering.folders.titles import BITS

SHARD_BYTES = 1 << 19  # about
MOST_SHARDS = 1000
LARGEST_SHARD, SMALLEST_SHARD = 1024, 16  # queries, unless there are very many of them
BYTES_OF_A_RESULT = 12


class Recording:
    """What is known of a folder before the values of its queries are.

    With `titles`, it is kept which documents occur.
    """

    def __init__(self, folder: Path, *, titles: bool) -> None:
        self.folder, self.scripts = folder, Scripts(folder)
        self.witnesses: Witnesses | None = None  # none: no kernel writes the lists
        self.shard = 0  # queries in a shard
        self.ids: dict[int, bytes] = {}  # by shard, as JSON
        self.checksums: Words = np.zeros(0, dtype=np.uint32)
        self.occurring: Words = np.zeros(BITS // 32 if titles else 0, dtype=np.uint32)
        self.scripts.rooms("lists")

    @property
    def wants_titles(self) -> bool:
        """Whether it matters which documents occur."""
        return len(self.occurring) > 0

    def shards(
        self, inputs: Inputs, pairing: _core.Pairing, kernels: Kernels
    ) -> _core.Shards | None:
        """What the kernels are to write; None where they cannot."""
        witnesses = Witnesses.of(inputs)
        if witnesses is None:
            return None
        longest = sum(one.longest for one in inputs.list_lengths)
        self.begin(len(pairing), longest, [one.reach for one in inputs.measures])
        self.witnesses = witnesses
        return witnesses.shards(
            kernels, self.shard, self.checksums, self.occurring, self.take_from_kernels
        )

    def begin(self, queries: int, longest: int, reaches: list[int | None]) -> None:
        """Makes room for so many queries, whose lists have together `longest` results at most."""
        depths = [longest if reach is None else min(longest, 2 * reach) for reach in reaches]
        self.shard = shard_size(queries, max(depths, default=1))
        self.checksums = np.zeros(queries, dtype=np.uint32)

    def take_from_kernels(self, number: int, ids: memoryview, lists: memoryview) -> None:
        """Writes a shard; called by any thread."""
        self.take(number, bytes(ids), lists)

    def take(self, number: int, ids: bytes, lists: bytes | memoryview) -> None:
        """Writes the lists of a shard, and keeps the ids of its queries."""
        self.ids[number] = ids
        self.scripts.write(f"lists/{number}", lists)


def shard_size(queries: int, results: int) -> int:
    """How many queries are in a shard, where each has so many results: a power of two."""
    size = LARGEST_SHARD
    while size > SMALLEST_SHARD and size * results * BYTES_OF_A_RESULT > SHARD_BYTES:
        size //= 2
    while size * MOST_SHARDS < queries:
        size *= 2
    return size
