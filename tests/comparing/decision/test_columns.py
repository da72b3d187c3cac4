"""Columns of some queries, which are not copied, against copies of what counts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.comparing.decision.statistics import Column, Counted, column_of
from tests.profiles import examples

EDGES = np.linspace(0, 3, 7)
LEVELS = (0.0, 0.05, 0.5, 0.95, 1.0)


class Case(NamedTuple):
    """Values of many queries, of which some count."""

    values: Array
    gaps: Array | None
    weights: Array | None
    rows: NDArray[np.int64] | None

    @property
    def column(self) -> Column:
        return Counted(len(self.values), self.weights, self.rows).column(self.values, self.gaps)

    @property
    def copied(self) -> tuple[Array, Array | None]:
        rows = slice(None) if self.rows is None else self.rows
        values = self.values if self.gaps is None else self.values + self.gaps
        return values[rows], None if self.weights is None else self.weights[rows]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Less than a block of them, blocks and a rest, many equal values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    number = draw(st.sampled_from([1, 7, 512, 513, 2100]))
    values = np.where(rng.random(number) < 0.4, 0.0, rng.random(number) * 2)
    if draw(st.booleans()):
        values = values.round(1)
    gaps = rng.random(number) if draw(st.booleans()) else None
    weights = rng.integers(0, 5, number).astype(float) if draw(st.booleans()) else None
    rows = None
    if draw(st.booleans()):
        rows = np.flatnonzero(rng.random(number) < 0.7)
    if rows is not None and len(rows) == 0:
        rows = np.array([number - 1])
    if weights is not None:
        weights[0 if rows is None else rows[0]] = 1.0
    return Case(values, gaps, weights, rows)


@examples(300)
@given(cases())
def test_a_column_is_what_a_copy_is(case: Case) -> None:
    column, copy = case.column, column_of(*case.copied)
    assert column.mean == copy.mean
    assert column.extremes == copy.extremes
    assert column.bounds == (case.copied[0].min(), case.copied[0].max())
    assert column.quantiles(LEVELS) == copy.quantiles(LEVELS)
    assert column.share_above(0.5) == copy.share_above(0.5)
    assert column.variance_of_mean == copy.variance_of_mean
    assert column.histogram(EDGES).tolist() == copy.histogram(EDGES).tolist()
    values, weights = column.arrays()
    assert values.tolist() == case.copied[0].tolist()
    assert weights is None or case.copied[1] is not None
    changed = len(values)
    assert column.interval_of_mean(changed=changed) == copy.interval_of_mean(changed=changed)


@examples(200)
@given(cases())
def test_effects_are_counted_and_weighed(case: Case) -> None:
    losses = case.column.counted.column(np.roll(case.values, 1))
    gain, weights = case.copied
    loss, _ = losses.arrays()
    weights = np.ones(len(gain)) if weights is None else weights
    found = case.column.effects(losses, 0.5)
    for number, (queries, weight) in enumerate(found):
        those = ((gain > 0.5) == bool(number & 1)) & ((loss > 0.5) == bool(number & 2))
        assert queries == np.count_nonzero(those)
        assert weight == weights[those].sum()


@examples(200)
@given(cases(), st.integers(0, 30), st.booleans())
def test_the_furthest_come_first_and_equal_ones_in_order(
    case: Case, number: int, greatest: bool
) -> None:
    values = case.values.copy()
    values[::5] = np.nan
    marked = case.values != 0.3
    sign = -1 if greatest else 1
    rows = [i for i in range(len(values)) if marked[i] and np.isfinite(values[i])]
    expected = sorted(rows, key=lambda i: (sign * values[i], i))[:number]
    assert _core.furthest(values, marked, number, greatest) == expected


@pytest.mark.parametrize("rows", [[3], [-1], [0, 1, 2**40]])
def test_rows_that_are_not_there(rows: list[int]) -> None:
    with pytest.raises((ValueError, IndexError)):
        _core.QueryValues(np.zeros(3), rows=np.array(rows))


def test_there_is_a_gap_and_a_weight_for_each_value() -> None:
    with pytest.raises(ValueError, match="gaps"):
        _core.QueryValues(np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="weights"):
        _core.QueryValues(np.zeros(3), None, np.zeros(2))
