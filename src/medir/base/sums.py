"""Sums over queries: as if summed with twice the digits of a double, and rounded once."""

from __future__ import annotations

import numpy as np

from medir.base.arrays import Array


def total(values: Array, weights: Array | None = None) -> float:
    """The sum of values, or of values times weights; these products are not rounded.

    There is one weight for each value, or one for all.

    >>> total(np.array([1e16, 1.0, -1e16])), float(np.sum(np.array([1e16, 1.0, -1e16])))
    (1.0, 0.0)
    """
    return float(totals(np.reshape(values, (1, -1)), weights)[0])


def totals(table: Array, weights: Array | None = None) -> Array:
    """The sum of each row: along the last axis."""
    from medir import _core  # where there is something to sum

    rows = np.ascontiguousarray(table, dtype=np.float64)
    if weights is not None:
        weights = np.ascontiguousarray(weights, dtype=np.float64)
    sums = np.empty(rows.shape[:-1])
    _core.add_up(rows.reshape(sums.size, rows.shape[-1]), weights, sums.ravel())
    return sums
