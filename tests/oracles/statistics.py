"""Statistics over queries from their definitions, in exact fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Numbers = Sequence[float]


def mean(values: Numbers, weights: Numbers) -> Fraction:
    """Σwv / Σw."""
    products = (Fraction(v) * Fraction(w) for v, w in zip(values, weights, strict=True))
    return sum(products, Fraction(0)) / sum(Fraction(w) for w in weights)


def quantile(values: Numbers, level: Fraction, weights: Numbers) -> float:
    """The least value with F(value) >= level, where F is the distribution function."""
    pairs = [(v, Fraction(w)) for v, w in zip(values, weights, strict=True)]
    total = sum(w for _, w in pairs)
    sent = sorted(v for v, w in pairs if w > 0)
    return next(x for x in sent if sum(w for v, w in pairs if v <= x) >= level * total)


def jackknife_variance(values: Numbers, weights: Numbers) -> Fraction:
    """The variance of the mean from the means without each query."""
    whole, number = mean(values, weights), len(values)
    without = [
        mean([*values[:i], *values[i + 1 :]], [*weights[:i], *weights[i + 1 :]])
        for i in range(number)
    ]
    return Fraction(number - 1, number) * sum((one - whole) ** 2 for one in without)
