"""The difference of two lists, with the probability of each value: every assignment is tried.

Nothing here comes from medir.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Score = Callable[[Sequence[Any]], Any]  # of the relevance of each rank


@dataclass(frozen=True)
class Truth:
    """Every difference that there can be, with its probability."""

    values: Any
    weights: Any

    @property
    def expected(self) -> float:
        return float(self.weights @ self.values)

    @property
    def sd(self) -> float:
        return math.sqrt(self.weights @ (self.values - self.expected) ** 2)

    @property
    def helps(self) -> float:
        return float(self.weights[self.values > 1e-10].sum())

    @property
    def hurts(self) -> float:
        return float(self.weights[self.values < -1e-10].sum())

    @property
    def equal(self) -> float:
        return float(self.weights[np.abs(self.values) <= 1e-10].sum())

    def quantile(self, q: float) -> float:
        order = np.argsort(self.values)
        below = np.cumsum(self.weights[order])
        return float(self.values[order][np.searchsorted(below, q - 1e-12).clip(max=len(below) - 1)])

    def is_quantile(self, value: float, q: float) -> bool:
        below = self.weights[self.values < value - 1e-9].sum()
        up_to = self.weights[self.values <= value + 1e-9].sum()
        return bool(below <= q + 1e-9 and up_to >= q - 1e-9)


def enumerate_all(
    before: Sequence[str],
    after: Sequence[str],
    score: Score,
    cutoff: int | None,
    known: Mapping[str, float],
    likely: Mapping[str, float],
    top: float = 1.0,
    low: float = 0.0,
) -> Truth:
    """Each document that is not known is of value `top` or `low`, independently."""
    first, second = before[:cutoff], after[:cutoff]
    unknown = sorted({*first, *second} - known.keys())
    tried = (np.arange(2 ** len(unknown))[:, None] >> np.arange(len(unknown))) & 1
    p = np.array([likely[d] for d in unknown])
    weights = np.prod(np.where(tried == 1, p, 1 - p), axis=1)
    relevance: dict[str, Any] = {d: np.full(len(tried), float(value)) for d, value in known.items()}
    relevance |= {d: low + (top - low) * tried[:, i] for i, d in enumerate(unknown)}
    scores = [
        score([relevance[d] for d in some]) + np.zeros(len(tried)) for some in (first, second)
    ]
    return Truth(scores[1] - scores[0], weights)


def dot(discount: Callable[[int], float], norm: float) -> Score:
    """(1/N) sum_i c_i d_i; 0 where N is."""

    def score(gains: Sequence[Any]) -> Any:
        total = sum(c * discount(rank) for rank, c in enumerate(gains, 1))
        return total / norm if norm else 0.0

    return score
