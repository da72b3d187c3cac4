"""What many queries say together: means, quantiles, shares and histograms, and intervals of means.

Values come as an array with one entry per query, without NaN. `weights` say how often each query is
sent; whole weights give what repeating the queries gives.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import ceil, floor, inf, isfinite, sqrt
from typing import NamedTuple, overload

import numpy as np

from medir.base.arrays import Array
from medir.base.sums import total, totals
from medir.errors import UsageError

ROUNDING = 1e-12  # of the total weight: closer than this to a level is at the level
AT_EDGE = 1e-9  # of a bin: closer than this below an edge is at the edge
FEW = 4096  # values that are sorted rather than narrowed down further
BUCKETS = 4096
ROUNDS = 3  # of narrowing down, before the rest is sorted

FEWEST_CHANGED = 10  # queries, for an interval
MOST_RESAMPLED = 2_000  # queries; the normal interval serves above it
RESAMPLES = 1_999  # so that 2.5 % of one more is a whole number
DRAWN_AT_ONCE = 200_000  # rows


class Interval(NamedTuple):
    """Where the mean over all queries lies that users send, so far as these queries tell."""

    low: float
    high: float


def mean(values: Array, weights: Array | None = None) -> float:
    """The mean, by weight: Σwv / Σw.

    >>> mean(np.array([0.0, 0.4]), np.array([3, 1]))
    0.1
    """
    weight = _weight(values, weights)
    return total(values, weights) / weight


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
    weight = _weight(values, weights)
    levels = [float(level)] if isinstance(level, int | float) else [float(one) for one in level]
    if not all(0 <= one <= 1 for one in levels):
        raise UsageError(f"the level of a quantile must be from 0 to 1, not {level!r}")
    if weights is not None and not np.all(weights):
        values, weights = values[weights > 0], weights[weights > 0]
    wanted = np.array([weight * (one - ROUNDING if one < 1 else one) for one in levels])
    selected = _selected(values, weights, wanted)
    return float(selected[0]) if isinstance(level, int | float) else selected


def extremes(values: Array, weights: Array | None = None) -> tuple[float, float]:
    """The least and the greatest value of those that have a weight above 0."""
    _weight(values, weights)
    sent = values if weights is None or weights.min() > 0 else values[weights > 0]
    return float(sent.min()), float(sent.max())


def share_above(values: Array, limit: float, weights: Array | None = None) -> float:
    """The share of the weight of the values above a limit."""
    weight = _weight(values, weights)
    above = values > limit
    return (np.count_nonzero(above) if weights is None else total(weights[above])) / weight


def share_below(values: Array, limit: float, weights: Array | None = None) -> float:
    """The share of the weight of the values below a limit."""
    return share_above(-values, -limit, weights)


def histogram(values: Array, edges: Array, weights: Array | None = None) -> Array:
    """The weight in each bin: how many values are in it, if there are no weights.

    A bin holds its lower edge; the last one holds both. Rounding does not move a value off an edge.
    """
    _weight(values, weights)
    widths = np.diff(edges)
    if len(widths) == 0 or not np.all(widths > 0):
        raise UsageError("the edges of a histogram must be two or more numbers that ascend")
    low, high = edges[0] - AT_EDGE * widths[0], edges[-1] + AT_EDGE * widths[-1]
    least, most = values.min(), values.max()
    if least < low or most > high:
        outside = least if least < low else most
        raise UsageError(
            f"{outside:g} is outside the edges of the histogram, {edges[0]:g} to {edges[-1]:g}"
        )
    inner = inner_edges(edges)
    if weights is None:
        reached = [int(np.count_nonzero(values >= edge)) for edge in inner]
        return np.array([one - next_ for one, next_ in pairwise([len(values), *reached, 0])], float)
    bins = np.searchsorted(inner, values, side="right")
    return np.bincount(bins, weights, minlength=len(widths)).astype(np.float64)


def inner_edges(edges: Array) -> Array:
    """Where a bin begins that is not the first, rounding included."""
    return np.asarray(edges[1:-1] - AT_EDGE * np.diff(edges)[:-1])


def variance_of_mean(values: Array, weights: Array | None = None) -> float:
    """The variance of Σwv / Σw over samples of queries, drawn with their weights.

    It is the jackknife's; for equal weights, the variance of the values over their number.
    """
    _weight(values, weights)
    shares = _shares(values, weights)
    away = values - total(values, shares)
    return total(np.square(away, out=away), _influences(shares, len(values)))


def interval_of_mean(
    values: Array,
    weights: Array | None = None,
    *,
    changed: int,
    seed: int = 0,
    level: float = 0.95,
    bounds: tuple[float, float] = (-inf, inf),
) -> Interval | None:
    """The interval of the mean over all queries that users send, of which these are a sample.

    It is about the choice of queries and nothing else. It is the normal interval; up to 2,000
    queries each side is moved out to where the studentised bootstrap has it, which resamples
    queries with their weights. `changed` is how many queries with a weight above 0 have changed:
    fewer than 10 have no interval, and `why_no_interval` says so. `bounds` are the least and the
    greatest value that a query can have, where they are known. The same seed gives the same
    interval.
    """
    weight = _weight(values, weights)
    if not 0 < level < 1:
        raise UsageError(f"the level of an interval must be between 0 and 1, not {level!r}")
    if weights is not None:
        counted = weights / weight > 0
        values, weights = values[counted], weights[counted]
    if min(changed, len(values)) < FEWEST_CHANGED:
        return None
    center, error = mean(values, weights), sqrt(variance_of_mean(values, weights))
    if error == 0:
        return Interval(center, center)
    least, greatest = normal_bounds(level)
    if len(values) <= MOST_RESAMPLED:
        studentised = studentised_bounds(values, weights, seed=seed, level=level)
        least, greatest = min(least, studentised[0]), max(greatest, studentised[1])
    low, high = center - greatest * error, center - least * error
    return Interval(max(low, bounds[0]), min(high, bounds[1]))


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


def _weight(values: Array, weights: Array | None) -> float:
    """The sum of the weights, which are checked."""
    if len(values) == 0:
        raise UsageError("there is no query with a value, so there is no mean or quantile")
    if weights is None:
        return float(len(values))
    if weights.shape != values.shape:
        raise UsageError(f"there are {len(weights):,} weights of {len(values):,} queries")
    if not weights.min() >= 0:
        raise UsageError(f"a weight must be 0 or more, not {weights.min():g}")
    weight = total(weights)
    if not isfinite(weight):
        raise UsageError("the weights must be finite, and their sum too")
    if weight == 0:
        raise UsageError("all queries have weight 0; at least one must have a weight above 0")
    return weight


def _selected(
    values: Array, weights: Array | None, wanted: Array, below: float = 0.0, rounds: int = ROUNDS
) -> Array:
    """The least value for each wanted weight such that it and those below weigh as much.

    Many values are put into buckets of equal width, and only the buckets that hold a wanted value
    are looked into. `below` is what everything under these values weighs.
    """
    least, greatest = float(values.min()), float(values.max())
    if least == greatest:
        return np.full(len(wanted), least)
    scale = BUCKETS / max(greatest - least, np.finfo(np.float64).tiny * BUCKETS)
    if len(values) <= FEW or rounds == 0 or scale == 0:
        return _sorted_and_selected(values, weights, wanted - below)
    buckets = ((values - least) * scale).astype(np.intp)
    reached = below + np.cumsum(np.bincount(buckets, weights))
    holding = np.minimum(np.searchsorted(reached, wanted), len(reached) - 1)
    selected = np.empty(len(wanted))
    for bucket in sorted(set(holding.tolist())):  # numpy.unique loads masked arrays
        inside, here = np.flatnonzero(buckets == bucket), holding == bucket
        some = None if weights is None else weights[inside]
        under = float(reached[bucket - 1]) if bucket else below
        selected[here] = _selected(values[inside], some, wanted[here], under, rounds - 1)
    return selected


def _sorted_and_selected(values: Array, weights: Array | None, wanted: Array) -> Array:
    """The least value for each wanted weight such that it and those below weigh as much."""
    if weights is None:
        ranks = [min(max(ceil(one), 1), len(values)) for one in wanted]
        return np.sort(values).take(np.array(ranks) - 1)
    order = np.argsort(values)
    places = np.searchsorted(np.cumsum(weights[order]), wanted)
    return values.take(order[np.minimum(places, len(values) - 1)])


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
