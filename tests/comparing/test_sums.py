"""Sums over queries against exact fractions, with values that make plain sums go wrong.

`total` must be as good as summing with twice the digits: off by no more than one rounding of the
result and n² u² of what the terms add up to without their signs (Ogita, Rump and Oishi, 2005).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import medir
from medir import _core
from medir.base.arrays import Array
from medir.base.sums import total, totals
from medir.comparing.decision.statistics import mean, share_above, variance_of_mean
from medir.comparing.matrix import query_means
from tests.cases.weighted_runs import WeightedRuns, weighted_runs
from tests.oracles import statistics as oracle
from tests.profiles import examples

U = Fraction(1, 2**53)  # the most that rounding takes, as a part of the result
SIZES = st.floats(1e-60, 1e60)  # products of two are neither infinite nor subnormal
SIGNED = st.one_of(st.just(0.0), SIZES, SIZES.map(float.__neg__))
SHARES = st.floats(0, 1, allow_subnormal=False)
SMALLEST = 1e-160  # the squares of what is smaller are subnormal, or 0


@st.composite
def cancelling(draw: st.DrawFn) -> list[float]:
    """Values of all sizes, many of which another one takes away again."""
    values = draw(st.lists(SIGNED, max_size=30))
    taken = draw(st.lists(st.sampled_from(values), max_size=30)) if values else []
    return draw(st.permutations([*values, *(-value for value in taken)]))


def exactly(terms: Iterable[Fraction]) -> Fraction:
    return sum(terms, Fraction(0))


def check(found: float, terms: Sequence[Fraction], roundings: int = 1) -> None:
    """What summing with twice the digits guarantees."""
    exact, size = exactly(terms), exactly(map(abs, terms))
    second = 2 * (len(terms) * U) ** 2 * size
    assert abs(Fraction(found) - exact) <= roundings * U * abs(exact) + second


@examples(2000)
@given(cancelling())
def test_a_sum_is_rounded_once(values: list[float]) -> None:
    check(total(np.array(values)), [Fraction(value) for value in values])


@examples(2000)
@given(cancelling(), st.data())
def test_products_are_not_rounded_before(values: list[float], data: st.DataObject) -> None:
    weights = data.draw(st.lists(SIZES, min_size=len(values), max_size=len(values)))
    terms = [Fraction(v) * Fraction(w) for v, w in zip(values, weights, strict=True)]
    check(total(np.array(values), np.array(weights)), terms)


@examples(1000)
@given(st.lists(st.one_of(SHARES, SIZES), min_size=1, max_size=60))
def test_a_sum_of_what_is_not_negative_is_off_by_less_than_an_ulp(values: list[float]) -> None:
    found = total(np.array(values))
    exact = exactly(Fraction(value) for value in values)
    assert abs(Fraction(found) - exact) < Fraction(math.ulp(found))


def test_a_plain_sum_would_not_do() -> None:
    values = np.array([1.0, 1e100, 1.0, -1e100])
    assert float(np.sum(values)) == 0
    assert total(values) == 2
    assert total(np.array([1 + 2.0**-30, -1.0]), np.array([1 + 2.0**-30, 1.0])) == (
        2.0**-29 + 2.0**-60
    )


def test_a_million_values_of_a_tenth() -> None:
    """The plain sum, one after the other, is 100000.00000133288."""
    values = np.full(1_000_000, 0.1)
    assert total(values) == float(Fraction(0.1) * 1_000_000)
    assert mean(values) == 0.1


@examples(300)
@given(st.lists(st.lists(SIGNED, min_size=3, max_size=3), max_size=5))
def test_rows_are_summed_each(rows: list[list[float]]) -> None:
    table = np.array(rows).reshape(-1, 3)
    expected = [total(row) for row in table]
    assert totals(table).tolist() == expected
    assert totals(np.asfortranarray(table)).tolist() == expected
    assert totals(table[:, None, :]).tolist() == [[one] for one in expected]
    assert [total(row[::-1].copy()) for row in table] == [total(row[::-1]) for row in table]


def test_what_is_not_finite_stays_so() -> None:
    assert total(np.array([])) == 0
    assert totals(np.zeros((2, 0))).tolist() == [0, 0]
    assert total(np.array([1.0, math.inf, 2.0])) == math.inf
    assert total(np.array([1e308, 1e308])) == math.inf
    assert total(np.array([1e308, 1.0]), np.array([10.0, 1.0])) == math.inf
    assert math.isnan(total(np.array([1.0, math.nan])))
    assert math.isnan(total(np.array([math.inf, -math.inf])))


def test_shapes_are_checked() -> None:
    table, sums = np.zeros((2, 3)), np.zeros(2)
    with pytest.raises(ValueError, match="weights must have the shape 3, not 2"):
        _core.add_up(table, np.zeros(2), sums)
    with pytest.raises(ValueError, match="sums must have the shape 2, not 3"):
        _core.add_up(table, None, np.zeros(3))


@examples(500)
@given(st.lists(st.tuples(SHARES, SIZES), min_size=1, max_size=40), SHARES)
def test_means_and_shares(rows: list[tuple[float, float]], limit: float) -> None:
    """Three roundings: of the sum, of the weight, and of their quotient."""
    assume(all(value == 0 or value * weight > 1e-290 for value, weight in rows))  # no underflow
    values, weights = map(np.array, zip(*rows, strict=True))
    exact = oracle.mean(values.tolist(), weights.tolist())
    assert abs(Fraction(mean(values, weights)) - exact) <= (3 * U + U / 1000) * exact
    even = oracle.mean(values.tolist(), [1] * len(values))
    assert abs(Fraction(mean(values)) - even) <= (2 * U + U / 1000) * even
    above = exactly(Fraction(w) for v, w in rows if v > limit) / exactly(
        Fraction(w) for _, w in rows
    )
    assert abs(Fraction(share_above(values, limit, weights)) - above) <= (3 * U + U / 1000) * above


@examples(300)
@given(
    st.lists(st.tuples(SHARES, st.integers(1, 9)), min_size=2, max_size=12),
    st.sampled_from([0.0, 0.1, 1e3]),
    st.sampled_from([1.0, 1e-6, 1e-12]),
)
def test_standard_errors(rows: list[tuple[float, int]], center: float, spread: float) -> None:
    """Off by a few units in the last place of the values, also where these hardly differ.

    An error of the mean counts as often as the jackknife counts the distances from it: a query
    with a share s of the weight, (s / (1 - s))² times. Squares may be too small for a double.
    """
    values = np.array([center + spread * value for value, _ in rows])
    weights = np.array([weight for _, weight in rows], dtype=float)
    for given_weights in (None, weights):
        each = [1.0] * len(rows) if given_weights is None else weights.tolist()
        exact = math.sqrt(oracle.jackknife_variance(values.tolist(), each))
        found = math.sqrt(variance_of_mean(values, given_weights))
        odds = np.array(each) / (sum(each) - np.array(each))
        of_mean = max(1.0, math.sqrt((1 - 1 / len(rows)) * np.square(odds).sum()))
        rounding = 1e-15 * exact * len(rows) + 4e-16 * of_mean * np.abs(values).max()
        assert abs(found - exact) <= rounding + SMALLEST


@examples(200)
@given(st.lists(st.lists(st.one_of(SHARES, st.just(math.nan)), min_size=4, max_size=4), min_size=1))
def test_means_of_a_matrix(rows: list[list[float]]) -> None:
    for row, found in zip(rows, query_means(np.array(rows)).tolist(), strict=True):
        check_mean(found, np.array(row), None)


def check_mean(found: float, values: Array, weights: Array | None) -> None:
    """The mean of the values that there are, to the last digits."""
    known = ~np.isnan(values)
    each = np.ones(len(values)) if weights is None else weights
    if not np.any(each[known]):
        assert math.isnan(found)
        return
    exact = oracle.mean(values[known].tolist(), each[known].tolist())
    assert abs(Fraction(found) - exact) <= (3 * U + U / 1000) * abs(exact)


@examples(100)
@given(weighted_runs())
def test_what_results_say(runs: WeightedRuns) -> None:
    """Means of a comparison with weights and segments, of a matrix and of an expectation."""
    result = runs.weighted(["nDCG@3", "AP@3"])
    weights = np.array([float(runs.weights[query]) for query in result.queries])
    parts = np.array([runs.segments[query] for query in result.queries])
    for one in result.measures:
        for column in ("med", "gain", "loss"):
            values = result.column(one, column)
            check_mean(result.summary(one).mean(column), values, weights)
            for label, segment in result.segments(one).items():
                here = parts == label
                if weights[here].any():
                    check_mean(segment.mean(column), values[here], weights[here])
    lists = [runs.before, runs.after, runs.noise]
    matrix = medir.matrix(dict(zip("abc", lists, strict=True)), ["nDCG@3"])
    for (i, j), values in zip(matrix.pairs, matrix.values[0], strict=True):
        check_mean(matrix.mean()[i, j], values, None)
    expected = medir.expect(runs.before, runs.after, "P@3", prior=0.3, samples=100)
    each = [expected.row(number).expected for number in range(len(expected))]
    exact = exactly(map(Fraction, each)) / len(each)
    bound = 2 * U * abs(exact) + U**2 * len(each) * exactly(abs(Fraction(one)) for one in each)
    assert abs(Fraction(expected.mean().expected) - exact) <= bound
