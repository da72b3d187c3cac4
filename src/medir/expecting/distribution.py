"""How differences are distributed: from all that there can be, or samples, to columns with errors.

Numbers come as rows of `RAW` and the quantiles behind them, one column per query, whoever computed
them; they leave as `COLUMNS`.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from medir.base.arrays import Array
from medir.base.sums import total

QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
OUTCOMES = ("helps", "hurts", "equal")
COUNTS = ("unjudged", "samples")
COLUMNS = (
    "expected", "expected_error", "sd", "sd_error",
    *(name + end for name in QUANTILES for end in ("", "_low", "_high")),
    *(name + end for name in OUTCOMES for end in ("", "_error", "_low", "_high")),
    *COUNTS,
)  # fmt: skip
RAW = ("expected", "variance", "variance_error", "rounding", *OUTCOMES, *COUNTS)
ROWS = len(RAW) + 3 * len(QUANTILES)
Z = 1.959963984540054  # 95 % of a normal distribution lie within as many standard deviations
ROUNDING = 1e-12


def raw(rows: Array, name: str) -> Array:
    """One of the rows of `RAW`."""
    return np.asarray(rows[RAW.index(name)])


def finished(rows: Array, expected_error: Array) -> Array:
    """The columns of estimates: `COLUMNS` x query."""
    sd = np.sqrt(np.maximum(raw(rows, "variance"), 0.0))
    sd_error = np.divide(raw(rows, "variance_error"), 2 * sd, out=np.zeros_like(sd), where=sd > 0)
    samples = raw(rows, "samples")
    columns = [raw(rows, "expected"), expected_error, sd, sd_error, *rows[len(RAW) :]]
    for name in OUTCOMES:
        columns += share(raw(rows, name), samples)
    return np.array([*columns, raw(rows, "unjudged"), samples])


def share(p: Array, samples: Array) -> tuple[Array, Array, Array, Array]:
    """Shares of samples, as probabilities: with their standard errors and 95 % intervals.

    The interval is Wilson's with continuity correction, which covers about 95 % at the least. A
    probability of no samples is exact.

    >>> [round(float(x[0]), 4) for x in share(np.array([0.9]), np.array([1000.0]))]
    [0.9, 0.0095, 0.8793, 0.9175]
    """
    n, z2 = np.maximum(samples, 1), Z * Z
    middle, scale = 2 * n * p + z2, 2 * (n + z2)
    low_root = np.maximum(z2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0)
    high_root = np.maximum(z2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1), 0)
    low = np.maximum((middle - (Z * np.sqrt(low_root) + 1)) / scale, 0.0)
    high = np.minimum((middle + (Z * np.sqrt(high_root) + 1)) / scale, 1.0)
    exact = samples == 0
    return (
        p,
        np.where(exact, 0.0, np.sqrt(p * (1 - p) / n)),
        np.where(exact, p, np.where(p == 0, 0.0, low)),
        np.where(exact, p, np.where(p == 1, 1.0, high)),
    )


def mean(rows: Array, expected_error: Array, columns: Array, sums: Array) -> Array:
    """The column of the mean of all queries, which are independent of each other.

    `columns` are those of the queries, `sums` the sum of all queries of each sample.
    """
    queries = rows.shape[1]
    if queries == 0:
        return np.full(len(COLUMNS), np.nan)
    if queries == 1:
        return columns[:, 0]
    variance = total(raw(rows, "variance")) / queries**2
    certain = not raw(rows, "samples").any() and variance == 0
    differences, weights = (sums[:1], np.ones(1)) if certain else (sums, None)
    moments = (
        total(raw(rows, "expected")) / queries,
        variance,
        np.sqrt(total(raw(rows, "variance_error") ** 2)) / queries**2,
    )
    rounding = total(raw(rows, "rounding")) / queries
    unjudged = raw(rows, "unjudged").sum()
    row = summary(differences / queries, weights, moments, rounding, unjudged)
    error = np.sqrt(total(expected_error**2)) / queries
    return finished(row[:, None], np.array([error]))[:, 0]


def summary(
    differences: Array,
    weights: Array | None,
    moments: tuple[float, float, float],
    rounding: float,
    unjudged: float,
) -> Array:
    """`RAW` and quantiles of samples, or of all differences with their weights.

    What is no further from 0 than `rounding` is 0.
    """
    whole = np.where(np.abs(differences) <= rounding, 0.0, differences)
    order = np.argsort(whole, kind="stable")
    whole = whole[order]
    shares = np.full(len(whole), 1 / len(whole)) if weights is None else weights[order]
    signs = whole > 0, whole < 0, whole == 0
    if weights is None:
        outcomes = [float(np.count_nonzero(sign)) / len(whole) for sign in signs]
        places = np.array([order_statistics(len(whole), q) for q in QUANTILES.values()]) - 1
    else:
        outcomes = [min(float(shares[sign].sum()), 1.0) for sign in signs]
        found = np.searchsorted(np.cumsum(shares), np.array([*QUANTILES.values()]) - ROUNDING)
        places = np.repeat(np.minimum(found, len(whole) - 1), 3)
    samples = len(whole) if weights is None else 0
    return np.array([*moments, rounding, *outcomes, unjudged, samples, *whole[places].ravel()])


@lru_cache(maxsize=64)
def order_statistics(samples: int, q: float) -> tuple[int, int, int]:
    """Which samples, in ascending order from 1, are the quantile q and the ends of its interval.

    With B binomial(samples, q): the largest l with P(B < l) <= 2.5 %, and the smallest u with
    P(B >= u) <= 2.5 %.

    >>> order_statistics(1000, 0.5)
    (500, 469, 532)
    """
    counts = np.arange(samples + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, samples + 1)))])
    chances = logs[-1] - logs - logs[::-1] + counts * np.log(q) + counts[::-1] * np.log1p(-q)
    below = np.cumsum(np.exp(chances))  # P(B <= count)
    low = int(np.searchsorted(below, 0.025, side="right"))
    high = int(np.searchsorted(below, 0.975, side="left")) + 1
    rank = int(np.ceil(samples * q - ROUNDING))
    return min(max(rank, 1), samples), max(low, 1), min(high, samples)
