"""Discounts of ranks: those of the field, and the user's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from medir.base.arrays import Array
from medir.base.words import quoted
from medir.errors import MeasureError
from medir.measures.family import Measure
from medir.measures.parameters import LARGEST


def logarithmic(ranks: Array, _: Mapping[str, Any]) -> Array:
    """1 / log2(i+1)"""
    return np.asarray(1 / np.log2(ranks + 1))


def reciprocal(ranks: Array, _: Mapping[str, Any]) -> Array:
    """1 / i"""
    return np.asarray(1 / ranks)


def flat(ranks: Array, _: Mapping[str, Any]) -> Array:
    """1"""
    return np.ones_like(ranks)


def trigamma(x: Array) -> Array:
    """Sum of 1 / (x + n)^2 over n = 0, 1, ...: by recurrence up to 20, then its expansion."""
    steps = np.arange(20.0)
    head = np.sum(1 / np.add.outer(np.asarray(x), steps) ** 2, axis=-1)
    y = np.asarray(x) + 20.0
    series = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return np.asarray(head + series - 1 / (30 * y**9))


def weights_check(value: Any) -> Any:
    """Discounts of the user's own: a list, or a function of rank."""
    if callable(value):
        return value
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) == 0:
        raise MeasureError(f"is a list of discounts or a function of rank, not {quoted(value)}")
    try:
        weights = np.array([float(weight) for weight in value])
    except (TypeError, ValueError, OverflowError):
        raise MeasureError(f"is a list of numbers, not {quoted(value)}") from None
    return tuple(_checked(weights).tolist())


def _checked(weights: Array) -> Array:
    if not np.all(np.isfinite(weights)) or np.any(weights < 0) or np.any(np.diff(weights) > 0):
        raise MeasureError("must have finite discounts, not negative, that never rise with rank")
    if np.any(weights > LARGEST):
        raise MeasureError(f"must have discounts of at most {LARGEST:g}, not {weights.max():g}")
    return weights


def own(ranks: Array, parameters: Mapping[str, Any]) -> Array:
    """The user's own discount: `weights` of a Discount, `discount` of a Cascade."""
    weights = parameters["weights" if "weights" in parameters else "discount"]
    if callable(weights):
        return _checked(np.array([float(weights(int(rank))) for rank in ranks]))
    padded = np.zeros(len(ranks))
    padded[: len(weights)] = weights[: len(ranks)]
    return padded


def own_tail(depth: Array, parameters: Mapping[str, Any]) -> Array:
    """The sum of the user's own discounts below each depth."""
    weights, total = parameters["weights"], parameters["total"]
    if not callable(weights):
        below = np.concatenate([np.cumsum(weights[::-1])[::-1], [0.0]])
        return np.asarray(below[np.minimum(depth, len(below) - 1).astype(int)])
    ranks = np.arange(1.0, depth.max(initial=0) + 1)
    seen = np.concatenate([[0.0], np.cumsum(own(ranks, parameters))])
    if seen[-1] > total * (1 + 1e-9):
        raise MeasureError(
            f"{parameters['name']}: the discounts of the first {len(ranks)} ranks add up to "
            f"{seen[-1]:g}, more than total={total:g}; state the sum over all ranks"
        )
    return np.asarray(np.maximum(total - seen[depth.astype(int)], 0.0))


def own_reach(one: Measure, weights: Any) -> int | None:
    """The cutoff, or the end of a list of discounts."""
    if not isinstance(weights, tuple):
        return one.cutoff
    return min(len(weights), one.cutoff or len(weights))
