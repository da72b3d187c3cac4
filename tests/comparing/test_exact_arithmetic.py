"""Values, witnesses, gaps and bounds, checked again in exact rational arithmetic.

Nothing here rounds but the logarithms of nDCG, which are fractions to 60 digits.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import NamedTuple

import pytest

import medir
from tests.profiles import examples as weight_of

CLOSE = Fraction(1, 10**12)
DRAWN = 10  # assignments at random, where there are too many for all
Score = Callable[[Sequence[Fraction]], Fraction]


class Exact(NamedTuple):
    """A measure of the first `depth` ranks, and the relevance that a document may have."""

    text: str
    depth: int
    values: tuple[Fraction, ...]
    score: Score


@cache
def logarithmic(rank: int) -> Fraction:
    """1 / log2(rank + 1)"""
    with localcontext() as context:
        context.prec = 60
        return Fraction(Decimal(2).ln() / Decimal(rank + 1).ln())


def dot_product(discount: Callable[[int], Fraction], norm: Fraction) -> Score:
    return lambda gains: sum((g * discount(i) for i, g in enumerate(gains, 1)), Fraction(0)) / norm


def cascade(discount: Callable[[int], Fraction], decay: Fraction, norm: Fraction) -> Score:
    def score(gains: Sequence[Fraction]) -> Fraction:
        total, reach = Fraction(0), Fraction(1)
        for rank, gain in enumerate(gains, 1):
            total += reach * gain * discount(rank)
            reach *= 1 - decay * gain
        return total / norm

    return score


def average_precision(depth: int) -> Score:
    def score(gains: Sequence[Fraction]) -> Fraction:
        total = relevant = Fraction(0)
        for rank, gain in enumerate(gains, 1):
            relevant += gain
            total += gain * relevant / rank
        return total / depth

    return score


def measures(depth: int) -> list[Exact]:
    """One of each kind; graded ones have the grades 0 to 2."""
    none, one = Fraction(0), Fraction(1)
    binary = none, one
    graded = Fraction(0), Fraction(1, 4), Fraction(3, 4)
    p, half = Fraction(0.8), Fraction(1, 2)
    ideal = graded[-1] * sum((logarithmic(i) for i in range(1, depth + 1)), Fraction(0))
    novel = cascade(logarithmic, half, Fraction(1))([Fraction(1)] * depth)
    return [
        Exact(f"AP@{depth}", depth, binary, average_precision(depth)),
        Exact(f"ERR@{depth}", depth, graded, cascade(lambda i: Fraction(1, i), one, one)),
        Exact(f"nDCG@{depth}", depth, graded, dot_product(logarithmic, ideal)),
        Exact(f"RBP(p=0.8)@{depth}", depth, binary,
              dot_product(lambda i: (1 - p) * p ** (i - 1), one)),
        Exact(f"alpha_nDCG@{depth}", depth, binary, cascade(logarithmic, half, novel)),
        Exact(f"Cascade([1, 0.5, 0.25, 0.125], decay=0.5)@{depth}", depth, binary,
              cascade(lambda i: Fraction(1, 2 ** (i - 1)) if i <= 4 else none, half, one)),
    ]  # fmt: skip


def difference(
    exact: Exact,
    favoured: Sequence[str],
    other: Sequence[str],
    relevance: Mapping[str, Fraction],
) -> Fraction:
    """The score of one list less that of the other; no unseen ranks."""
    mine, theirs = (
        exact.score([relevance[one] for one in some[: exact.depth]]) for some in (favoured, other)
    )
    return mine - theirs


def maximum(exact: Exact, favoured: Sequence[str], other: Sequence[str]) -> Fraction:
    """The largest difference of all assignments, by trying every one."""
    documents = sorted({*favoured[: exact.depth], *other[: exact.depth]})
    return max(
        difference(exact, favoured, other, dict(zip(documents, values, strict=True)))
        for values in itertools.product(exact.values, repeat=len(documents))
    )


def lists(generator: random.Random, pool: int, most: int) -> tuple[list[str], list[str]]:
    documents = [f"d{i}" for i in range(pool)]
    before, after = (
        generator.sample(documents, generator.randint(1, min(pool, most))) for _ in range(2)
    )
    if generator.random() < 0.5:  # nearly the same
        after = list(before)
        i, j = generator.randrange(len(after)), generator.randrange(len(after))
        after[i], after[j] = after[j], after[i]
    return before, after


def nearest(value: object, exact: Exact) -> Fraction:
    """The relevance that a witness means: one of the measure's values, as a fraction."""
    if isinstance(value, dict):  # of the only intent
        value = next(iter(value.values()), 0.0)
    assert isinstance(value, float | int)
    scaled = min(exact.values, key=lambda known: abs(known - Fraction(value)))
    assert abs(scaled - Fraction(value)) < CLOSE, (value, exact.values)
    return scaled


def check(exact: Exact, before: list[str], after: list[str], all_of_them: bool) -> None:
    """One pair of lists, in both directions."""
    found = medir.solve(before, after, exact.text, unseen="nothing", effort=300_000)
    for value, gap, witness, (favoured, other) in (
        (found.gain, found.gain_gap, found.gain_assignment, (after, before)),
        (found.loss, found.loss_gap, found.loss_assignment, (before, after)),
    ):
        relevance = {one: Fraction(0) for one in (*before, *after)}
        relevance |= {str(one): nearest(known, exact) for one, known in witness.items()}
        reached = difference(exact, favoured, other, relevance)
        assert abs(reached - Fraction(value)) < CLOSE, (exact.text, before, after)
        assert gap >= 0
        generator = random.Random(len(before))
        for _ in range(0 if all_of_them else DRAWN):
            drawn = {one: generator.choice(exact.values) for one in relevance}
            assert difference(exact, favoured, other, drawn) <= Fraction(value + gap) + CLOSE
        if all_of_them:
            most = maximum(exact, favoured, other)
            assert most <= Fraction(value) + Fraction(gap) + CLOSE, (exact.text, before, after)
            assert Fraction(value) <= most + CLOSE
    assert found.med == max(found.gain, found.loss)


@pytest.mark.parametrize("kind", range(6))
def test_small_lists(kind: int) -> None:
    """Every assignment is tried, so that the value is the largest, or its gap covers that."""
    generator = random.Random(kind)
    for _ in range(max(weight_of(100).max_examples, 3)):
        exact = measures(generator.randint(1, 5))[kind]
        before, after = lists(generator, 6 if len(exact.values) < 3 else 5, 5)
        check(exact, before, after, all_of_them=True)


def witnessed(exact: Exact, before: list[str], after: list[str], effort: int) -> Fraction:
    """The largest gain that a search finds, by its witness."""
    found = medir.solve(before, after, exact.text, unseen="nothing", effort=effort)
    relevance = {one: Fraction(0) for one in (*before, *after)}
    relevance |= {str(one): nearest(known, exact) for one, known in found.gain_assignment.items()}
    return difference(exact, after, before, relevance)


@pytest.mark.parametrize("kind", [1, 4])
def test_little_effort(kind: int) -> None:
    """A search that is cut short says by how much it may be wrong: a longer one finds no more."""
    generator = random.Random(kind)
    not_proven = 0
    for _ in range(max(weight_of(8).max_examples, 4)):
        exact = measures(80)[kind]
        before = [f"d{i}" for i in range(80)]
        after = generator.sample(before, 80)
        best = witnessed(exact, before, after, effort=300_000)
        for effort in (1, 10, 100, 1000):
            found = medir.solve(before, after, exact.text, unseen="nothing", effort=effort)
            assert best <= Fraction(found.gain) + Fraction(found.gain_gap) + CLOSE
            not_proven += found.gain_gap > 0
    assert not_proven > 0


@pytest.mark.parametrize("kind", range(6))
def test_longer_lists(kind: int) -> None:
    """The witness reaches the value, and no other assignment is above it and its gap."""
    generator = random.Random(kind)
    for _ in range(max(weight_of(30).max_examples, 3)):
        exact = measures(generator.randint(10, 40))[kind]
        check(exact, *lists(generator, 60, 40), all_of_them=False)
