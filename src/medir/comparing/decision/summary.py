"""What the values of many queries say together under one measure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.base.sums import total
from medir.base.words import count
from medir.comparing.columns import COLUMNS, gap_of
from medir.comparing.decision import statistics
from medir.comparing.decision.statistics import Column, Counted, Interval
from medir.measures import Measure

LEVELS = {"p05": 0.05, "median": 0.5, "p95": 0.95}
ROUNDING = 1e-12  # of the largest value
FAR = 0.5  # a move that is large on a scale from 0 to 1


V = TypeVar("V", bound="np.generic[Any]")
Positions = NDArray[np.intp]


class Distribution(NamedTuple):
    """How a column is distributed over the queries that have a value."""

    mean: float
    median: float
    p95: float
    maximum: float
    p05: float
    minimum: float


class Share(NamedTuple):
    """Some of the queries: how many, and their share of the weight."""

    queries: int
    share: float


@dataclass(frozen=True, eq=False, repr=False)
class Summary:
    """The values of one measure over some queries."""

    measure: Measure
    columns: Array  # COLUMNS x query
    changed_queries: NDArray[np.bool_]  # by query: the lists differ as far as the measure looks
    weights: Array | None = None  # by query
    group: Positions | None = None  # the queries that count; None for all
    seed: int = 0

    @cached_property
    def _known(self) -> Positions | None:
        """The queries with a value: a rank similarity or an ideal of 0 may have none."""
        first = self.columns[0]
        known = ~np.isnan(first if self.group is None else first[self.group])
        if known.all():
            return self.group
        return np.flatnonzero(known) if self.group is None else self.group[known]

    def of(self, values: NDArray[V]) -> NDArray[V]:
        """What there is of each query, for those that have a value."""
        return values if self._known is None else values[self._known]

    @property
    def queries(self) -> int:
        """How many queries have a value."""
        return self.columns.shape[1] if self._known is None else len(self._known)

    @property
    def missing(self) -> int:
        """How many queries have no value."""
        return (self.columns.shape[1] if self.group is None else len(self.group)) - self.queries

    @cached_property
    def counted(self) -> Array | None:
        """The weights of the queries that have a value."""
        return None if self.weights is None else self.of(self.weights)

    @cached_property
    def _with_value(self) -> Counted:
        return Counted(self.columns.shape[1], self.weights, self._known)

    @cached_property
    def _changed(self) -> NDArray[np.bool_]:
        return self.of(self.changed_queries)

    @cached_property
    def weight(self) -> float:
        """The total weight of the queries that have a value."""
        return self._with_value.weight

    def column(self, name: str = "med", with_gap: bool = False) -> Array:
        """A column of the queries that have a value, at its upper bound if wanted."""
        return self._column(name, with_gap).arrays()[0]

    def _column(self, name: str = "med", with_gap: bool = False) -> Column:
        """The same, where it is."""
        gaps = self.columns[COLUMNS.index(gap_of(name))] if with_gap else None
        key = name, gaps is not None and bool(gaps.any())
        if key not in self._columns:
            values = self.columns[COLUMNS.index(name)]
            self._columns[key] = self._with_value.column(values, gaps if key[1] else None)
        return self._columns[key]

    @cached_property
    def _columns(self) -> dict[tuple[str, bool], Column]:
        return {}

    def mean(self, name: str = "med", with_gap: bool = False) -> float:
        """The weighted mean of a column, at its upper bound if wanted."""
        return self._column(name, with_gap).mean

    @property
    def maximum(self) -> float:
        """The largest med of a query that counts."""
        return self.extremes()[1]

    def extremes(self, name: str = "med", with_gap: bool = False) -> tuple[float, float]:
        """The least and the greatest value of the queries that count."""
        return self._column(name, with_gap).extremes

    def quantiles(
        self, levels: Iterable[float], name: str = "med", with_gap: bool = False
    ) -> list[float]:
        """The least values such that they and those below have such shares of the weight."""
        return self._column(name, with_gap).quantiles(levels)

    def share_above(self, limit: float, name: str = "med", with_gap: bool = False) -> float:
        """The share of the weight whose column is above a limit, by more than rounding."""
        return self._column(name, with_gap).share_above(limit + self.rounding)

    def share_below(self, limit: float, name: str = "med", with_gap: bool = False) -> float:
        """The share of the weight whose column is below a limit, by more than rounding."""
        values = self.column(name, with_gap)
        return statistics.share_below(values, limit - self.rounding, self.counted)

    @property
    def above_one(self) -> int:
        """How many values exceed 1, by more than rounding."""
        return int(np.count_nonzero(self.column() > 1 + ROUNDING))

    @property
    def unproven(self) -> int:
        """How many values have a gap."""
        return int(np.count_nonzero(self.column("gap")))

    def beyond(self, noise: Summary) -> tuple[float, float]:
        """What 95% of the noise do not exceed, and the share of the weight that does."""
        if self.measure.kind == "similarity":
            floor = noise.med.p05
            return floor, self.share_below(floor)
        return noise.med.p95, self.share_above(noise.med.p95)

    def histogram(self, edges: Array, name: str = "med") -> Array:
        """The weight between edges."""
        return self._column(name).histogram(edges)

    @cached_property
    def med(self) -> Distribution:
        """How med, or a rank similarity, is distributed."""
        return self.distribution("med")

    def distribution(self, name: str) -> Distribution:
        """How a column is distributed; all NaN where no query has a value and a weight."""
        if self.weight == 0:
            return Distribution(*(np.nan,) * len(Distribution._fields))
        p05, median, p95 = self.quantiles(LEVELS.values(), name)
        least, most = self.extremes(name)
        return Distribution(self.mean(name), median, p95, most, p05, least)

    @cached_property
    def interval(self) -> Interval | None:
        """The interval of the mean of med."""
        return self.interval_of("med")

    def interval_of(self, name: str) -> Interval | None:
        """The 95% interval of a mean; None where too few queries changed, or none has a value."""
        if self.weight == 0:
            return None
        return self._column(name).interval_of_mean(
            changed=self._changed_with_weight,
            seed=self.seed,
            bounds=self._bounds_of(name),
        )

    def _bounds_of(self, name: str) -> tuple[float, float]:
        """The least and the greatest value that a query can have."""
        most = 1.0 if self.measure.unit_scale else np.inf
        of_med = self.measure.kind == "difference" and name == "med"
        return (0.0 if of_med else -most), most

    @cached_property
    def _changed_with_weight(self) -> int:
        if self.counted is None:
            return int(np.count_nonzero(self._changed))
        return int(np.count_nonzero(self._changed & (self.counted > 0)))

    def why_no_interval(self) -> str | None:
        """Why there is no interval, if there is none."""
        return statistics.why_no_interval(self._changed_with_weight)

    def _share(self, those: NDArray[np.bool_]) -> Share:
        queries = int(np.count_nonzero(those))
        if self.counted is None:
            return Share(queries, queries / max(self.queries, 1))
        return Share(queries, total(self.counted[those]) / self.weight if self.weight else 0.0)

    @cached_property
    def changed(self) -> Share:
        """The queries whose lists differ."""
        return self._share(self._changed)

    @cached_property
    def moving(self) -> Summary:
        """The queries whose lists differ, alone."""
        if self._changed.all():
            return self
        changed = np.flatnonzero(self._changed)
        return replace(self, group=changed if self._known is None else self._known[changed])

    @property
    def far(self) -> Share:
        """The changed queries that could move by more than 0.5."""
        return self._share(
            self._changed & (self.column("med", with_gap=True) > FAR + self.rounding)
        )

    @cached_property
    def rounding(self) -> float:
        """What is no further from a limit is at the limit."""
        if self.queries == 0:
            return ROUNDING
        least, greatest = self._column().bounds
        return ROUNDING * max(1.0, greatest, -least)

    @cached_property
    def effects(self) -> dict[str, Share]:
        """How many queries can only win, only lose, either, or neither; with gaps."""
        gain, loss = (self._column(name, with_gap=True) for name in ("gain", "loss"))
        neither, wins, loses, both = (
            Share(queries, weight / self.weight if self.weight else 0.0)
            for queries, weight in gain.effects(loss, self.rounding)
        )
        return {"only wins": wins, "only loses": loses, "either": both, "no effect": neither}

    @cached_property
    def bounds(self) -> Interval:
        """Between which bounds the mean of the measure changes."""
        low, high = -self.mean("loss", with_gap=True), self.mean("gain", with_gap=True)
        return Interval(low + 0.0, high)

    def __repr__(self) -> str:
        mean = f"mean {self.med.mean:.4f}" if self.weight else "no mean"
        return f"<Summary of {self.measure!r}: {count(self.queries, 'query', 'queries')}, {mean}>"

    @property
    def unseen(self) -> float:
        """What unseen ranks add to the mean."""
        return self.mean("unseen")

    @property
    def two_sided(self) -> bool:
        """Whether gain and loss say more than med."""
        gain, loss = (self.columns[COLUMNS.index(name)] for name in ("gain", "loss"))
        if self.measure.kind != "difference" or np.array_equal(gain, loss):
            return False
        apart = np.abs(self.column("gain") - self.column("loss"))
        return bool(np.any(apart > self.rounding))
