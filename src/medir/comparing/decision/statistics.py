"""What many queries say together: means, quantiles, shares and histograms, and intervals of means.

Values come as an array with one entry per query, without NaN. `weights` say how often each query is
sent; whole weights give what repeating the queries gives. The native core goes through them where
they are: a `Column` is not copied, also where only some of the queries count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import floor, inf, isfinite, sqrt
from typing import TYPE_CHECKING, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.base.sums import total, totals
from medir.errors import UsageError

if TYPE_CHECKING:
    from medir import _core

ROUNDING = 1e-12  # of the total weight: closer than this to a level is at the level
AT_EDGE = 1e-9  # of a bin: closer than this below an edge is at the edge
SMALL = 1e-300  # of the total weight: what is above it has a share above 0

FEWEST_CHANGED = 10  # queries, for an interval
MOST_RESAMPLED = 2_000  # queries; the normal interval serves above it
RESAMPLES = 1_999  # so that 2.5 % of one more is a whole number
DRAWN_AT_ONCE = 200_000  # rows


class Interval(NamedTuple):
    """Where the mean over all queries lies that users send, so far as these queries tell."""

    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Counted:
    """Which queries count, and how much."""

    number: int  # of all queries
    weights: Array | None = None  # by query; None where every query counts once
    rows: NDArray[np.int64] | None = None  # the queries that count; None for all

    def __len__(self) -> int:
        return self.number if self.rows is None else len(self.rows)

    def column(self, values: Array, gaps: Array | None = None) -> Column:
        """A column of all queries, for those that count; gaps are added to it."""
        return Column(values, gaps, self)

    @cached_property
    def weight(self) -> float:
        """The sum of the weights."""
        if self.weights is None:
            return float(len(self))
        return Column(self.weights, None, Counted(self.number, rows=self.rows)).sum

    @cached_property
    def checked_weight(self) -> float:
        """The sum of the weights; an error where there can be no mean."""
        if len(self) == 0:
            raise UsageError("there is no query with a value, so there is no mean or quantile")
        if self.weights is None:
            return self.weight
        if self.weights.shape != (self.number,):
            raise UsageError(f"there are {len(self.weights):,} weights of {self.number:,} queries")
        if not self.weights.min() >= 0:
            least = self.of(self.weights).min()
            if not least >= 0:
                raise UsageError(f"a weight must be 0 or more, not {least:g}")
        if not isfinite(self.weight):
            raise UsageError("the weights must be finite, and their sum too")
        if self.weight == 0:
            raise UsageError("all queries have weight 0; at least one must have a weight above 0")
        return self.weight

    def of(self, values: Array) -> Array:
        """A copy of the values of the queries that count."""
        return values if self.rows is None else values[self.rows]


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """The values of the queries that count, and how much each counts."""

    values: Array  # of all queries
    gaps: Array | None  # that are added to them
    counted: Counted

    @cached_property
    def _native(self) -> _core.QueryValues:
        from medir import _core  # where there is something to go through

        weights, rows = self.counted.weights, self.counted.rows
        return _core.QueryValues(
            _whole(self.values),
            None if self.gaps is None else _whole(self.gaps),
            None if weights is None else _whole(weights),
            None if rows is None else np.ascontiguousarray(rows, dtype=np.int64),
        )

    @property
    def _unweighted(self) -> Column:
        counted = Counted(self.counted.number, rows=self.counted.rows)
        return self if self.counted.weights is None else counted.column(self.values, self.gaps)

    @cached_property
    def mean(self) -> float:
        """The mean, by weight: Σwv / Σw."""
        weight = self.counted.checked_weight
        return self.sum / weight

    @property
    def sum(self) -> float:
        """Σwv."""
        return self._sum_and_rest[0]

    @cached_property
    def _sum_and_rest(self) -> tuple[float, float]:
        """The sum, and what rounding took from it."""
        return self._native.sum()

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest value of those that have a weight above 0."""
        _ = self.counted.checked_weight
        return self._native.extremes()

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest value, whatever the weights are."""
        return self._unweighted.extremes

    def quantiles(self, levels: Iterable[float]) -> list[float]:
        """The least values such that they and those below have such shares of the weight."""
        weight, wanted = self.counted.checked_weight, []
        for level in levels:
            if not 0 <= level <= 1:
                raise UsageError(f"the level of a quantile must be from 0 to 1, not {level!r}")
            wanted.append(weight * (level - ROUNDING if level < 1 else level))
        return self._native.quantiles(wanted)

    def share_above(self, limit: float) -> float:
        """The share of the weight of the values above a limit."""
        weight = self.counted.checked_weight
        return self._native.above(limit)[1] / weight

    def histogram(self, edges: Array) -> Array:
        """The weight in each bin: how many values are in it, if there are no weights.

        A bin holds its lower edge; the last one holds both. Rounding does not move a value off an
        edge.
        """
        _ = self.counted.checked_weight
        widths = np.diff(edges)
        if len(widths) == 0 or not np.all(widths > 0):
            raise UsageError("the edges of a histogram must be two or more numbers that ascend")
        low, high = edges[0] - AT_EDGE * widths[0], edges[-1] + AT_EDGE * widths[-1]
        least, most = self.bounds
        if least < low or most > high:
            outside = least if least < low else most
            raise UsageError(
                f"{outside:g} is outside the edges of the histogram, {edges[0]:g} to {edges[-1]:g}"
            )
        return np.array(self._native.histogram(inner_edges(edges).tolist()))

    def effects(self, losses: Column, limit: float) -> list[tuple[int, float]]:
        """The queries, and their weight, by whether a gain is above a limit and a loss is.

        They come in this order: neither, the gain alone, the loss alone, both.
        """
        return self._native.effects(losses._native, limit)

    @cached_property
    def variance_of_mean(self) -> float:
        """The variance of Σwv / Σw over samples of queries, drawn with their weights.

        It is the jackknife's; for equal weights, the variance of the values over their number.
        """
        weight = self.counted.checked_weight
        return self._native.influence(*self._sum_and_rest, weight)

    def interval_of_mean(
        self,
        *,
        changed: int,
        seed: int = 0,
        level: float = 0.95,
        bounds: tuple[float, float] = (-inf, inf),
    ) -> Interval | None:
        """The interval of the mean over all queries of users, of which these are a sample.

        It is about the choice of queries and nothing else. It is the normal interval; up to 2,000
        queries each side is moved out to where the studentised bootstrap has it, which resamples
        queries with their weights. `changed` is how many queries with a weight above 0 have
        changed: fewer than 10 have no interval, and `why_no_interval` says so. `bounds` are the
        least and the greatest value that a query can have, where they are known. The same seed
        gives the same interval.
        """
        _ = self.counted.checked_weight
        if not 0 < level < 1:
            raise UsageError(f"the level of an interval must be between 0 and 1, not {level!r}")
        those = self._with_weight
        if min(changed, len(those.counted)) < FEWEST_CHANGED:
            return None
        error = sqrt(those.variance_of_mean)
        if error == 0:
            return Interval(those.mean, those.mean)
        least, greatest = normal_bounds(level)
        if len(those.counted) <= MOST_RESAMPLED:
            values, weights = those.arrays()
            studentised = studentised_bounds(values, weights, seed=seed, level=level)
            least, greatest = min(least, studentised[0]), max(greatest, studentised[1])
        low, high = those.mean - greatest * error, those.mean - least * error
        return Interval(max(low, bounds[0]), min(high, bounds[1]))

    @property
    def _with_weight(self) -> Column:
        """The same without the queries whose share of the weight is 0."""
        counted = self.counted
        if counted.weights is None or counted.weights.min() >= SMALL * counted.weight:
            return self
        has_weight = counted.of(counted.weights) / counted.weight > 0
        rows = np.flatnonzero(has_weight) if counted.rows is None else counted.rows[has_weight]
        return Counted(counted.number, counted.weights, rows).column(self.values, self.gaps)

    def arrays(self) -> tuple[Array, Array | None]:
        """Copies of the values and the weights of the queries that count."""
        of, weights = self.counted.of, self.counted.weights
        values = of(self.values) if self.gaps is None else of(self.values) + of(self.gaps)
        return values, None if weights is None else of(weights)


def column_of(values: Array, weights: Array | None = None) -> Column:
    """Values with their weights, in arrays of their own."""
    return Counted(len(values), weights).column(values)


def mean(values: Array, weights: Array | None = None) -> float:
    """The mean, by weight: Σwv / Σw.

    >>> mean(np.array([0.0, 0.4]), np.array([3, 1]))
    0.1
    """
    return column_of(values, weights).mean


@overload
def quantile(values: Array, level: float, weights: Array | None = None) -> float: ...
@overload
def quantile(values: Array, level: Iterable[float], weights: Array | None = None) -> Array: ...
def quantile(
    values: Array, level: float | Iterable[float], weights: Array | None = None
) -> float | Array:
    """The least value such that it and those below have a share of `level` of the weight.

    This is the inverse of the distribution function, without interpolation; several levels cost
    little more than one.

    >>> quantile(np.array([0.1, 0.2, 0.7, 0.9]), 0.5)
    0.2
    """
    column = column_of(values, weights)
    if isinstance(level, int | float):
        return column.quantiles([float(level)])[0]
    return np.array(column.quantiles(map(float, level)))


def extremes(values: Array, weights: Array | None = None) -> tuple[float, float]:
    """The least and the greatest value of those that have a weight above 0."""
    return column_of(values, weights).extremes


def share_above(values: Array, limit: float, weights: Array | None = None) -> float:
    """The share of the weight of the values above a limit."""
    return column_of(values, weights).share_above(limit)


def share_below(values: Array, limit: float, weights: Array | None = None) -> float:
    """The share of the weight of the values below a limit."""
    return share_above(-values, -limit, weights)


def histogram(values: Array, edges: Array, weights: Array | None = None) -> Array:
    """The weight in each bin: see `Column.histogram`."""
    return column_of(values, weights).histogram(edges)


def inner_edges(edges: Array) -> Array:
    """Where a bin begins that is not the first, rounding included."""
    return np.asarray(edges[1:-1] - AT_EDGE * np.diff(edges)[:-1])


def variance_of_mean(values: Array, weights: Array | None = None) -> float:
    """The variance of Σwv / Σw over samples of queries: see `Column.variance_of_mean`."""
    return column_of(values, weights).variance_of_mean


def interval_of_mean(
    values: Array,
    weights: Array | None = None,
    *,
    changed: int,
    seed: int = 0,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> Interval | None:
    """The interval of the mean over all queries of users: see `Column.interval_of_mean`."""
    column = column_of(values, weights)
    return column.interval_of_mean(changed=changed, seed=seed, level=level, bounds=bounds)


def normal_bounds(level: float = 0.95) -> tuple[float, float]:
    """Between which bounds a normal variable lies in a share of `level`, in standard deviations."""
    furthest = _normal_quantile((1 + level) / 2)
    return -furthest, furthest


def studentised_bounds(
    values: Array, weights: Array | None = None, *, seed: int = 0, level: float = 0.95
) -> tuple[float, float]:
    """Between which bounds (resampled mean − mean) / its error lies, in a share of `level`.

    To the variance of a resample that of the sample is added as if it were one more query, so that
    the error is above 0 where all drawn values are equal. The values must not all be equal.
    """
    shares = np.broadcast_to(_shares(values, weights), len(values))
    away = values - total(values, shares)
    factors = _influences(shares, len(values))
    columns = np.stack([shares, shares * away, factors, factors * away, factors * away**2])
    weight, moved, constant, linear, square = _resampled_sums(columns, seed)
    shift = moved / weight
    variances = np.maximum(square - 2 * shift * linear + shift**2 * constant, 0) / weight**2
    number = len(values)
    errors = np.sqrt((number * variances + total(columns[-1])) / (number + 1))
    ratios = np.sort(shift / errors)
    rank = max(1, floor((RESAMPLES + 1) * (1 - level) / 2 + ROUNDING))
    return float(ratios[rank - 1]), float(ratios[-rank])


def why_no_interval(changed: int) -> str | None:
    """Why the mean has no interval, if it has none.

    >>> why_no_interval(1)
    'no interval of the mean: only 1 query changed; it needs 10 or more'
    """
    if changed >= FEWEST_CHANGED:
        return None
    if changed == 0:
        return "no interval of the mean: no query changed"
    queries = "1 query" if changed == 1 else f"{changed} queries"
    return f"no interval of the mean: only {queries} changed; it needs {FEWEST_CHANGED} or more"


def _whole(values: Array) -> Array:
    """The same values as the native core takes them; a copy only where they are not so."""
    return np.ascontiguousarray(values, dtype=np.float64)


def _shares(values: Array, weights: Array | None) -> Array:
    """What each query has of all the weight; one number where they have the same."""
    if weights is None:
        return np.array([1 / len(values)])
    return weights / total(weights)


def _influences(shares: Array, number: int) -> Array:
    """The factors u of the jackknife's variance Σ u (v − mean)², from leaving out each query."""
    others = np.maximum(1 - shares, np.finfo(np.float64).eps)
    return np.asarray((shares / others) ** 2 * ((number - 1) / number))


def _resampled_sums(columns: Array, seed: int) -> Array:
    """The sums of each column over as many rows as there are, drawn again and again."""
    number = columns.shape[1]
    generator = np.random.default_rng(seed)
    at_once = max(1, DRAWN_AT_ONCE // number)
    sums = np.repeat(totals(columns)[:, None], RESAMPLES, axis=1)
    varied = np.flatnonzero(np.ptp(columns, axis=1))  # without weights, not all of them
    for start in range(0, RESAMPLES, at_once):
        stop = min(start + at_once, RESAMPLES)
        rows = generator.integers(0, number, (stop - start, number))
        for column in varied:
            sums[column, start:stop] = totals(columns[column].take(rows))
    return sums


def _normal_quantile(level: float) -> float:
    """A quantile of the normal distribution."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(level)
