"""The queries in which two runs differ most, for all pairs of a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.matrix import UNSEEN_PAIRS, Matrix
from medir.inputs.runs import Run
from medir.measures import Measure


class Peaks(NamedTuple):
    """The most different queries of pairs: pair x rank, the most different first."""

    queries: NDArray[np.intp]  # as numbers of the matrix; -1 where there are no more
    values: Array  # NaN there

    def first(self, most: int) -> Peaks:
        """The first ranks alone."""
        return Peaks(self.queries[:, :most], self.values[:, :most])


class Peaking:
    """Finds what `compare` would call the most affected queries of two runs.

    These differ by more than 0, and their lists differ as far as the measure looks: where unseen
    ranks count, the same list twice has a MED, too. Equal values are in the order of the queries
    of the first run, then of the second.
    """

    def __init__(self, result: Matrix, of: Measure | str | None = None) -> None:
        self.result, self.measure = result, result.measure(of)
        number = result.measures.index(self.measure)
        values = result.values[number]
        self.values = 1 - values if self.measure.kind == "similarity" else values
        self.checked = result.read is not None and bool(result.notes[number, UNSEEN_PAIRS].any())
        self._heads: dict[tuple[int, int], int] = {}

    def of(self, pairs: Sequence[int], most: int) -> Peaks:
        """The most different queries of some pairs, by their numbers in the matrix."""
        queries = np.full((len(pairs), most), -1, dtype=np.intp)
        values = np.full((len(pairs), most), np.nan)
        for row, pair in enumerate(pairs):
            found = self._of_pair(pair, most)
            queries[row, : len(found)] = found
            values[row, : len(found)] = self.values[pair, found]
        return Peaks(queries, values)

    def _of_pair(self, pair: int, most: int) -> list[int]:
        values = np.where(self.values[pair] > 0, self.values[pair], 0.0)
        if self.checked:
            values = np.where(self._changed(pair), values, 0.0)
        most = min(most, int(np.count_nonzero(values > 0)))
        if most == 0:
            return []
        least = np.partition(values, len(values) - most)[len(values) - most]
        candidates = np.flatnonzero(values >= least)
        order = np.lexsort((self._places(pair)[candidates], -values[candidates]))
        return [int(query) for query in candidates[order[:most]]]

    def _places(self, pair: int) -> NDArray[np.intp]:
        """Where `compare` would list the queries of two runs."""
        first, second = self.result.pairs[pair]
        if self.result.read is None:
            return np.arange(len(self.result.queries))
        before, after = self._orders[first], self._orders[second]
        return np.asarray(np.where(before < 0, len(before) + after, before))

    @cached_property
    def _orders(self) -> NDArray[np.intp]:
        """Run x query: the place of the query in the run; -1 where it is not in there."""
        assert self.result.read is not None
        places = [{q: at for at, q in enumerate(run.queries)} for run in self.result.read.runs]
        return np.array([[of.get(query, -1) for query in self.result.queries] for of in places])

    def _changed(self, pair: int) -> NDArray[np.bool_]:
        first, second = self.result.pairs[pair]
        return np.not_equal(self._heads_of(first), self._heads_of(second))

    def _heads_of(self, number: int) -> list[int]:
        """A hash of the part of each list that the measure looks at."""
        assert self.result.read is not None
        run = self.result.read.runs[number]
        return [self._head(number, run, query) for query in range(len(self.result.queries))]

    def _head(self, number: int, run: Run, query: int) -> int:
        if (number, query) not in self._heads:
            depths = (self.measure.reach, self.result.settings.depth)
            reach = min((depth for depth in depths if depth is not None), default=None)
            documents = [*dict.fromkeys(run.get(self.result.queries[query]))][:reach]
            clusters = self.result.settings.clusters
            head = documents if clusters is None else clusters.ranked(documents)
            self._heads[number, query] = hash(tuple(head))
        return self._heads[number, query]
