"""Pearson's correlation over pairs of runs, and what is left of it without each of the runs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from medir.base.arrays import Array

WITHIN_ROUNDING = 1e-6  # of a sum of squares: what remains of it after subtractions is not exact


def without_each(pairs: Sequence[tuple[int, int]], runs: int, first: Array, second: Array) -> Array:
    """Pearson's correlation of two numbers of each pair when one run is left out, by run.

    Sums over all pairs less those of a run take as long for all runs as for one. A run without
    which hardly anything differs is left out literally.
    """
    known = np.isfinite(first) & np.isfinite(second)
    ends = np.array(pairs)[known].reshape(-1, 2)
    first, second = first[known], second[known]
    a, b = _centred(first), _centred(second)

    def of_others(values: Array) -> Array:
        sides = [np.bincount(side, values, runs) for side in ends.T]
        total: Array = values.sum() - sides[0] - sides[1]
        return total

    count = np.maximum(of_others(np.ones(len(a))), 1.0)
    sum_a, sum_b = of_others(a), of_others(b)
    square_a, square_b = (
        of_others(values * values) - sums * sums / count
        for values, sums in ((a, sum_a), (b, sum_b))
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        found: Array = of_others(a * b) - sum_a * sum_b / count
        found /= np.sqrt(square_a * square_b)
    exact = np.ones(runs, bool)
    for values, squares in ((a, square_a), (b, square_b)):
        exact &= squares > WITHIN_ROUNDING * (values @ values)
        exact &= squares > count * _last_digits(values) ** 2
    for run in np.flatnonzero(~exact | (count < 3)):
        others = (ends != run).all(axis=1)
        found[run] = _pearson(first[others], second[others])
    clipped: Array = found.clip(-1.0, 1.0)
    return clipped


def _pearson(first: Array, second: Array) -> float:
    """Pearson's correlation; NaN where there are fewer than three pairs, or one is constant."""
    if len(first) < 3 or constant(first) or constant(second):
        return math.nan
    return float(np.corrcoef(first, second)[0, 1])


def constant(values: Array) -> bool:
    """Whether values do not differ by more than the last digits do."""
    return bool(np.ptp(values) <= _last_digits(values))


def _last_digits(values: Array) -> float:
    """What numbers between 0 and 1, or larger ones, may differ by and be the same."""
    return 1e-13 * float(np.abs(values).max(initial=1.0))


def _centred(values: Array) -> Array:
    centred: Array = values - values.sum() / max(len(values), 1)
    return centred
