"""Correlations without each run, against correlations of what is left, pair by pair."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from medir.base.arrays import Array
from medir.validation.leaving_out import constant, without_each
from tests.profiles import examples

VALUES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, math.nan]), st.floats(0, 1, width=32))


def literally(pairs: list[tuple[int, int]], run: int, first: Array, second: Array) -> float:
    """The correlation over the pairs that do not have a run, by scipy."""
    rest = [number for number, pair in enumerate(pairs) if run not in pair]
    rest = [number for number in rest if math.isfinite(first[number] + second[number])]
    a, b = first[rest], second[rest]
    if len(rest) < 3 or constant(a) or constant(b):
        return math.nan
    return float(stats.pearsonr(a, b).statistic)


@given(data=st.data(), runs=st.integers(2, 8))
@examples(2000)
def test_every_run_is_left_out(data: st.DataObject, runs: int) -> None:
    pairs = list(combinations(range(runs), 2))
    first, second = (
        np.array(data.draw(st.lists(VALUES, min_size=len(pairs), max_size=len(pairs))))
        for _ in range(2)
    )
    expected = [literally(pairs, run, first, second) for run in range(runs)]
    found = without_each(pairs, runs, first, second)
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_distances_that_are_next_to_nothing() -> None:
    """They are as good as equal, whichever run is left out; found by a generated example."""
    first, second = np.zeros(6), np.zeros(6)
    first[-1], second[-1] = 0.25, 1e-38
    assert np.isnan(without_each(list(combinations(range(4), 2)), 4, first, second)).all()


def test_distances_that_differ_by_as_much_as_may_be_rounding() -> None:
    """They are equal as they are, not as they are around a mean; found by a generated example."""
    pairs = list(combinations(range(4), 2))
    first = np.array([0, 0, 0, 0, 0.25, 0])
    second = np.array([0, 0, 1e-13, 0, 0, 0.25])
    expected = [literally(pairs, run, first, second) for run in range(4)]
    assert without_each(pairs, 4, first, second) == pytest.approx(expected, nan_ok=True)
    assert math.isnan(expected[1])


def test_a_run_without_which_nothing_differs() -> None:
    """All other distances are equal, or differ by next to nothing."""
    pairs = list(combinations(range(6), 2))
    apart = np.array([0.9 if 5 in pair else 0.1 for pair in pairs])
    slightly = apart + 1e-7 * np.arange(len(pairs))
    assert math.isnan(without_each(pairs, 6, apart, slightly)[5])
    found = without_each(pairs, 6, slightly, slightly**2)[5]
    assert found == pytest.approx(literally(pairs, 5, slightly, slightly**2), abs=1e-9)
