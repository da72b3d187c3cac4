"""Means, quantiles, shares and histograms with weights, and intervals of means."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from medir import UsageError
from medir.base.arrays import Array
from medir.comparing.decision.statistics import (
    Interval,
    extremes,
    histogram,
    interval_of_mean,
    mean,
    quantile,
    share_above,
    share_below,
    studentised_bounds,
    variance_of_mean,
    why_no_interval,
)
from tests.oracles import statistics as oracle
from tests.profiles import examples

VALUES = st.one_of(st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(-1, 1, allow_subnormal=False))
LEVELS = [Fraction(percent, 1000) for percent in range(1001)]
EDGES = np.linspace(-1, 1, 21)


@st.composite
def weighted(draw: st.DrawFn, most: int = 9) -> tuple[Array, Array]:
    """Values, and whole weights that are not all 0."""
    rows = draw(st.lists(st.tuples(VALUES, st.integers(0, most)), min_size=1, max_size=40))
    values, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    assume(weights.any())
    return values, weights


def repeated(values: Array, weights: Array) -> Array:
    return np.repeat(values, weights.astype(int))


@examples(400)
@given(weighted(), st.sampled_from(LEVELS), VALUES)
def test_whole_weights_are_repetitions(
    case: tuple[Array, Array], level: Fraction, limit: float
) -> None:
    values, weights = case
    each = repeated(values, weights)
    assert mean(values, weights) == pytest.approx(mean(each), abs=1e-12)
    assert share_above(values, limit, weights) == pytest.approx(share_above(each, limit), abs=1e-12)
    below = np.count_nonzero(each < limit) / len(each)
    assert share_below(values, limit, weights) == pytest.approx(below, abs=1e-12)
    assert extremes(values, weights) == (each.min(), each.max())
    assert quantile(values, float(level), weights) == quantile(each, float(level))
    assert histogram(values, EDGES, weights).tolist() == histogram(each, EDGES).tolist()


@examples(400)
@given(weighted(), st.lists(st.sampled_from(LEVELS), min_size=1, max_size=5))
def test_quantiles_are_the_inverse_of_the_distribution_function(
    case: tuple[Array, Array], levels: list[Fraction]
) -> None:
    values, weights = case
    expected = [oracle.quantile(values.tolist(), one, weights.tolist()) for one in levels]
    assert quantile(values, map(float, levels), weights).tolist() == expected
    alike = [oracle.quantile(values.tolist(), one, [1] * len(values)) for one in levels]
    assert quantile(values, map(float, levels)).tolist() == alike


@examples(200)
@given(weighted(), st.integers(1, 99), st.floats(1e-6, 1e6))
def test_rounding_of_levels_and_weights_moves_no_quantile(
    case: tuple[Array, Array], percent: int, scale: float
) -> None:
    values, weights = case
    expected = oracle.quantile(values.tolist(), Fraction(percent, 100), weights.tolist())
    for level in (percent / 100, percent * 0.01, 1 - (100 - percent) / 100):
        assert quantile(values, level, weights * scale) == expected
        assert quantile(repeated(values, weights), level) == expected


@pytest.mark.parametrize("percent", [7, 14, 28, 29, 55, 56, 57, 58])
def test_levels_that_a_float_exceeds(percent: int) -> None:
    assert quantile(np.arange(1, 101) / 1.0, percent / 100) == percent


@examples(60)
@given(
    st.integers(0, 2**32),
    st.sampled_from(["uniform", "zeros", "skewed", "outlier", "wide", "tiny"]),
    st.sampled_from(["none", "whole", "real"]),
    st.lists(st.sampled_from(LEVELS), min_size=1, max_size=4),
)
def test_quantiles_of_many_values(seed: int, shape: str, kind: str, levels: list[Fraction]) -> None:
    rng = np.random.default_rng(seed)
    uniform = rng.random(12_000)
    values = {
        "uniform": uniform,
        "zeros": np.where(rng.random(len(uniform)) < 0.9, 0.0, uniform),
        "skewed": uniform**40,
        "outlier": np.append(uniform[1:], 1e300),
        "wide": (uniform - 0.5) * 3.5e308,
        "tiny": uniform * 1e-318,
    }[shape]
    whole = rng.integers(0, 20, len(values)).astype(float)
    weights = {"none": np.ones(len(values)), "whole": whole, "real": whole * 0.1}[kind]
    order = np.argsort(values)
    reached = np.cumsum((whole if kind == "real" else weights)[order]).astype(int)
    wanted = [-(-one.numerator * int(reached[-1]) // one.denominator) for one in levels]
    expected = values[order[np.searchsorted(reached, np.maximum(wanted, 1))]]
    given_weights = None if kind == "none" else weights
    assert quantile(values, map(float, levels), given_weights).tolist() == expected.tolist()


def test_a_quantile_is_a_number_and_several_are_an_array() -> None:
    values = np.array([3.0, 1.0, 2.0])
    assert quantile(values, 1) == 3.0
    assert isinstance(quantile(values, 0.5), float)
    assert quantile(values, (0, 0.5, 1)).tolist() == [1.0, 2.0, 3.0]


def test_the_largest_value_is_found_however_little_it_weighs() -> None:
    assert quantile(np.array([0.0, 1.0, 2.0]), 1, np.array([1e15, 1.0, 0.0])) == 1.0


@examples(200)
@given(weighted())
def test_means_and_shares_against_fractions(case: tuple[Array, Array]) -> None:
    values, weights = case
    exact = oracle.mean(values.tolist(), weights.tolist())
    assert mean(values, weights) == pytest.approx(float(exact), abs=1e-12)
    above = oracle.mean((values > 0.1).astype(float).tolist(), weights.tolist())
    assert share_above(values, 0.1, weights) == pytest.approx(float(above), abs=1e-12)


def test_means_stay_within_the_values() -> None:
    rng = np.random.default_rng(3)
    for number in (3, 100, 10_000):
        weights = rng.random(number)
        assert mean(np.ones(number), weights) == 1.0
        assert share_above(np.ones(number), 0.5, weights) == 1.0
        assert share_above(np.append(np.ones(number), 0.0), 0.5, np.append(weights, 1e-30)) <= 1


def test_bins_hold_their_lower_edge_and_rounding_moves_no_value() -> None:
    edges = np.linspace(0, 1, 11)
    values = np.array([0.0, 0.1 * 3, 0.3, 1 - 0.7, 0.999, 1.0, 1 + 2e-16, -1e-17])
    weights = np.array([1, 2, 4, 8, 16, 32, 64, 128])
    assert histogram(values, edges, weights).tolist() == [129, 0, 0, 14, 0, 0, 0, 0, 0, 112]
    assert histogram(values, edges).tolist() == [2, 0, 0, 3, 0, 0, 0, 0, 0, 3]
    assert histogram(values, np.array([-1, 0, 0.3, 2])).tolist() == [0, 2, 6]


@pytest.mark.parametrize("value", [-0.01, 1.01])
def test_a_value_outside_the_edges_is_an_error(value: float) -> None:
    with pytest.raises(UsageError, match=f"{value:g} is outside the edges"):
        histogram(np.array([0.5, value]), np.linspace(0, 1, 11))


@pytest.mark.parametrize("edges", [[0.0], [0.0, 0.0], [1.0, 0.0]])
def test_edges_must_ascend(edges: list[float]) -> None:
    with pytest.raises(UsageError, match="ascend"):
        histogram(np.array([0.5]), np.array(edges))


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([0.0, 0.0], "all queries have weight 0"),
        ([1.0, -0.5], "a weight must be 0 or more, not -0.5"),
        ([1.0, np.nan], "a weight must be 0 or more, not nan"),
        ([1.0, np.inf], "finite"),
        ([1.0], "1 weights of 2 queries"),
    ],
)
def test_weights_that_cannot_be(weights: list[float], message: str) -> None:
    values, bad = np.array([0.1, 0.2]), np.array(weights)
    for call in (
        lambda: mean(values, bad),
        lambda: quantile(values, 0.5, bad),
        lambda: share_above(values, 0.5, bad),
        lambda: histogram(values, EDGES, bad),
        lambda: variance_of_mean(values, bad),
        lambda: interval_of_mean(values, bad, changed=2),
    ):
        with pytest.raises(UsageError, match=message):
            call()


def test_no_values() -> None:
    nothing = np.array([])
    with pytest.raises(UsageError, match="no query with a value"):
        mean(nothing)
    with pytest.raises(UsageError, match="no query with a value"):
        quantile(nothing, 0.5)


@pytest.mark.parametrize("level", [-0.1, 1.1, np.nan])
def test_levels_that_cannot_be(level: float) -> None:
    with pytest.raises(UsageError, match="level of a quantile"):
        quantile(np.ones(20), level)
    with pytest.raises(UsageError, match="level of an interval"):
        interval_of_mean(np.ones(20), changed=20, level=level)


# Intervals


@examples(100)
@given(weighted())
def test_the_variance_is_that_of_leaving_out_each_query(case: tuple[Array, Array]) -> None:
    values, weights = case
    weights = weights + 1
    assume(len(values) > 1)
    exact = oracle.jackknife_variance(values.tolist(), weights.tolist())
    assert variance_of_mean(values, weights) == pytest.approx(float(exact), rel=1e-9, abs=1e-15)
    textbook = np.var(values, ddof=1) / len(values)
    assert variance_of_mean(values) == pytest.approx(float(textbook), rel=1e-9, abs=1e-15)


def test_the_variance_of_many_is_that_of_the_linearised_ratio() -> None:
    rng = np.random.default_rng(1)
    values, weights = rng.random(5000), rng.lognormal(size=5000)
    step, total, whole = 1e-6, np.sum(weights), np.sum(weights * values)
    slopes = (
        (whole + step * weights * values) / (total + step * weights) - whole / total
    ) / step  # how the ratio follows the number of times that each row is drawn
    assert variance_of_mean(values, weights) == pytest.approx(np.sum(slopes**2), rel=0.01)


def test_the_variance_is_that_of_fresh_samples() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((4000, 100))
    weights = rng.lognormal(sigma=0.7, size=values.shape) * (1.5 - values)
    means = [mean(*row) for row in zip(values, weights, strict=True)]
    stated = [variance_of_mean(*row) for row in zip(values, weights, strict=True)]
    assert np.mean(stated) == pytest.approx(np.var(means), rel=0.1)


def changes(number: int, seed: int = 0) -> Array:
    """Values of which a tenth are above 0."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(number) < 0.1, rng.beta(1, 4, number), 0.0)


def percentile_interval(values: Array) -> Interval:
    """What resampling gives without studentising."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (999, len(values)))].mean(axis=1)
    return Interval(*np.sort(means)[[24, 974]].tolist())


@pytest.mark.slow
def test_coverage_where_few_queries_changed() -> None:
    number, samples, truth = 50, 400, 0.1 * 0.2
    covered = plain = 0
    for seed in range(samples):
        values = changes(number, seed)
        low, high = interval_of_mean(values, changed=number) or (1, 0)
        covered += low <= truth <= high
        low, high = percentile_interval(values)
        plain += low <= truth <= high
    assert covered / samples >= 0.92
    assert plain / samples < 0.90  # so the bound says something


@pytest.mark.slow
@pytest.mark.parametrize("number", [20, 50, 200, 2_001])
def test_coverage_with_weights(number: int) -> None:
    rng = np.random.default_rng(number)
    samples = 300
    truth = 0.2  # the weights do not follow the values
    covered = 0
    for _ in range(samples):
        values, weights = rng.beta(2, 8, number), rng.uniform(0.2, 5, number)
        low, high = interval_of_mean(values, weights, changed=number) or (1, 0)
        covered += low <= truth <= high
    assert 0.92 <= covered / samples < 0.99


@examples(60)
@given(weighted(), st.integers(0, 5))
def test_an_interval_holds_its_mean_and_follows_the_seed(
    case: tuple[Array, Array], seed: int
) -> None:
    values, weights = (np.tile(column, 10) for column in case)
    interval = interval_of_mean(values, weights, changed=10, seed=seed)
    assert interval is not None
    assert interval.low <= mean(values, weights) + 1e-15
    assert interval.high >= mean(values, weights) - 1e-15
    assert interval == interval_of_mean(values, weights, changed=10, seed=seed)


@pytest.mark.parametrize(("number", "seed"), [(12, 0), (60, 1), (500, 2)])
def test_the_interval_is_that_of_studentised_resamples(number: int, seed: int) -> None:
    rng = np.random.default_rng(number)
    values, weights = rng.beta(1, 3, number), rng.lognormal(size=number)
    whole, error = mean(values, weights), np.sqrt(variance_of_mean(values, weights))
    leverage = weights / weights.sum()
    ratios = []
    for rows in np.random.default_rng(seed).integers(0, number, (1_999, number)):
        drawn, total = mean(values[rows], weights[rows]), weights[rows].sum()
        parts = weights[rows] * (values[rows] - drawn) / (total * (1 - leverage[rows]))
        variance = (number - 1) / number * np.sum(parts**2)
        one_more = (number * variance + error**2) / (number + 1)
        ratios.append((drawn - whole) / np.sqrt(one_more))
    ratios.sort()
    least, greatest = ratios[49], ratios[1_949]
    bounds = studentised_bounds(values, weights, seed=seed)
    assert bounds == pytest.approx((least, greatest), abs=1e-9)
    normal = 1.959963984540054
    expected = whole - max(greatest, normal) * error, whole - min(least, -normal) * error
    interval = interval_of_mean(values, weights, changed=number, seed=seed)
    assert interval == pytest.approx(expected, abs=1e-12)


def test_another_seed_gives_another_interval() -> None:
    values = changes(300)
    assert interval_of_mean(values, changed=30) != interval_of_mean(values, changed=30, seed=1)


def test_the_interval_moves_with_the_values() -> None:
    values = np.random.default_rng(4).beta(2, 5, 60) - 0.4  # a gain may be negative
    low, high = interval_of_mean(values, changed=60) or (0, 0)
    moved = interval_of_mean(3 * values + 2, changed=60) or (0, 0)
    assert moved == pytest.approx((3 * low + 2, 3 * high + 2), abs=1e-12)
    mirrored = interval_of_mean(-values, changed=60) or (0, 0)
    assert mirrored == pytest.approx((-high, -low), abs=1e-12)
    assert interval_of_mean(values, np.full(60, 7.0), changed=60) == pytest.approx((low, high))


def test_a_wider_level_gives_a_wider_interval() -> None:
    for values in (changes(500), changes(3000)):
        narrow, usual, wide = (
            interval_of_mean(values, changed=50, level=level) or Interval(0, 0)
            for level in (0.8, 0.95, 0.99)
        )
        assert wide.low < usual.low < narrow.low < narrow.high < usual.high < wide.high


def test_queries_without_weight_change_nothing() -> None:
    values, weights = changes(200), np.random.default_rng(5).uniform(1, 3, 200)
    more = np.append(values, np.ones(500)), np.append(weights, np.zeros(500))
    assert interval_of_mean(*more, changed=20) == interval_of_mean(values, weights, changed=20)


def test_many_queries_have_the_normal_interval() -> None:
    values = np.random.default_rng(6).random(2_001)
    half = 1.959963984540054 * np.std(values, ddof=1) / np.sqrt(len(values))
    expected = np.mean(values) - half, np.mean(values) + half
    assert interval_of_mean(values, changed=11) == pytest.approx(expected, abs=1e-12)
    resampled = interval_of_mean(values[:2_000], changed=11)
    assert resampled != pytest.approx(expected, abs=1e-9)
    assert resampled == pytest.approx(expected, abs=half / 5)


@pytest.mark.parametrize("number", [10, 50, 2_000, 2_500])
def test_values_that_are_nearly_all_equal(number: int) -> None:
    equal = np.full(number, 0.3)
    interval = interval_of_mean(equal, changed=number)
    assert interval == pytest.approx((0.3, 0.3), abs=1e-12)
    equal[0] = 0.8
    low, high = interval_of_mean(equal, changed=number) or (0, 0)
    assert 0 < high - low < np.inf
    assert low < np.mean(equal) < high


def test_one_query_with_nearly_all_the_weight() -> None:
    weights = np.array([1e20, *np.ones(30)])
    interval = interval_of_mean(np.linspace(0, 1, 31), weights, changed=30)
    assert interval is not None
    assert np.isfinite(interval).all()


def test_bounds_cut_what_cannot_be() -> None:
    values = np.append(np.zeros(30), 1.0)
    free = interval_of_mean(values, changed=10)
    cut = interval_of_mean(values, changed=10, bounds=(0, 1))
    assert free is not None
    assert cut is not None
    assert free.low < 0 or free.high > 1
    assert cut == (max(free.low, 0), min(free.high, 1))


def test_few_changed_queries_have_no_interval() -> None:
    values = changes(300)
    assert interval_of_mean(values, changed=9) is None
    assert interval_of_mean(values, changed=10) is not None
    assert interval_of_mean(values[:9], changed=10) is None
    assert interval_of_mean(np.ones(20), np.eye(20)[0], changed=20) is None


def test_why_there_is_no_interval() -> None:
    assert why_no_interval(10) is None
    assert why_no_interval(9) == (
        "no interval of the mean: only 9 queries changed; it needs 10 or more"
    )
    assert "only 1 query changed" in str(why_no_interval(1))
    assert why_no_interval(0) == "no interval of the mean: no query changed"


def test_the_import_is_cheap() -> None:
    code = (
        "import sys, medir.comparing.decision.statistics; "
        "print({'scipy', 'statistics', 'fractions', 'medir._core'} & set(sys.modules))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "set()"
