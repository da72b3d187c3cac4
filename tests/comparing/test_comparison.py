"""What `compare` returns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import RBP, Comparison, MeasureError, P, UsageError, nDCG
from medir.comparing.columns import COLUMNS
from tests.cases.runs import ranked
from tests.profiles import examples

queries = [f"q{n}" for n in range(8)]
runs = st.dictionaries(st.sampled_from(queries), ranked("abcd"), min_size=1)


@pytest.fixture
def result() -> Comparison:
    """MED-P@4 of .5, 0, 1, .5, 0 and .25."""
    before = {"q1": "abcd", "q2": "abcd", "q3": "abcd", "q4": "abcd", "q5": "bcda", "q6": "abcd"}
    after = {"q1": "abxy", "q2": "abcd", "q3": "wxyz", "q4": "xacy", "q5": "abcd", "q6": "abcx"}
    return medir.compare(
        {query: [*documents] for query, documents in before.items()},
        {query: [*documents] for query, documents in after.items()},
        [P @ 4, nDCG @ 2],
    )


def test_columns(result: Comparison) -> None:
    assert result.column(P @ 4).tolist() == [0.5, 0, 1, 0.5, 0, 0.25]
    assert result.column("P@4").tolist() == result.column("P_4", "med").tolist()
    for name in COLUMNS:
        values = result.column("nDCG@2", name)
        assert values.tolist() == [getattr(row, name) for row in result if row.measure == nDCG @ 2]
    bounds = "lower", "gap", "gain_gap", "loss_gap"
    assert list(COLUMNS) == ["med", "gain", "loss", *bounds, "unseen"]


@pytest.mark.parametrize("name", ["MED", "value", "", "entered"])
def test_unknown_column(result: Comparison, name: str) -> None:
    with pytest.raises(UsageError, match=r"a column of P@4 is one of med, gain, loss, lower, gap"):
        result.column(P @ 4, name)


def test_unknown_change(result: Comparison) -> None:
    with pytest.raises(UsageError, match="a change is one of entered, left, moved"):
        result.change("med")


def test_measure_that_was_not_compared(result: Comparison) -> None:
    for call in (result.column, result.summary, lambda of: result.top(1, of)):
        with pytest.raises(UsageError, match=r"P@5 was not compared; these were: P@4, nDCG@2"):
            call("P@5")
    with pytest.raises(MeasureError, match="no measure"):
        result.column("nope")


def test_arithmetic_mean(result: Comparison) -> None:
    assert result.mean()[P @ 4] == pytest.approx(2.25 / 6)
    assert list(result.mean()) == [P @ 4, nDCG @ 2]
    assert result.mean() == result.mean("arithmetic")


def test_geometric_mean(result: Comparison) -> None:
    floored = [0.5, 1e-5, 1, 0.5, 1e-5, 0.25]
    expected = math.exp(sum(map(math.log, floored)) / 6)
    assert result.mean(how="geometric")[P @ 4] == pytest.approx(expected, rel=1e-12)


def test_unknown_mean(result: Comparison) -> None:
    with pytest.raises(UsageError, match="arithmetic or geometric"):
        result.mean("harmonic")  # type: ignore[arg-type]


@examples(100)
@given(runs, runs)
def test_means_of_any_comparison(before: Any, after: Any) -> None:
    compared = medir.compare(before, after, [P @ 4, RBP])
    for one in compared.measures:
        med = compared.column(one).tolist()
        assert compared.mean()[one] == pytest.approx(math.fsum(med) / len(med), rel=1e-12)
        logs = [math.log(max(value, 1e-5)) for value in med]
        geometric = math.exp(math.fsum(logs) / len(logs))
        assert compared.mean(how="geometric")[one] == pytest.approx(geometric, rel=1e-12)


def test_top(result: Comparison) -> None:
    """Largest first, ties in the order of the queries."""
    names = ["q3", "q1", "q4", "q6", "q5"]  # q2 did not change
    for n in range(8):
        assert [row.query_id for row in result.top(n)] == names[:n]
        assert [row.query_id for row in result.top(n, P @ 4)] == names[:n]
    assert result.top(-1) == []
    assert result.top(1, "nDCG@2")[0].measure == nDCG @ 2


@examples(150)
@given(runs, runs, st.integers(0, 9))
def test_top_of_any_comparison(before: Any, after: Any, n: int) -> None:
    compared = medir.compare(before, after, P @ 2)
    rows = [
        row
        for row in compared
        if before.get(row.query_id, [])[:2] != after.get(row.query_id, [])[:2]
    ]
    assert compared.top(n) == sorted(rows, key=lambda row: -row.med)[:n]


def test_rows(result: Comparison) -> None:
    rows = list(result)
    assert len(result) == 6
    assert len(rows) == 12
    assert [row.query_id for row in rows[::2]] == result.queries == [f"q{n}" for n in range(1, 7)]
    assert [row.measure for row in rows[:2]] == [P @ 4, nDCG @ 2]
    assert rows[0][:-1] == ("q1", P @ 4, 0.5, 0.5, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0)
    assert math.isnan(rows[0].value)
    assert rows[0][:-1] == result.row(0)[:-1] == result.row(0, P @ 4)[:-1]
    assert rows[3][:-1] == result.row(1, "nDCG@2")[:-1]


def test_rows_of_similarities() -> None:
    result = medir.compare({"q": ["a", "b"]}, {"q": ["a", "c"]}, ["P@2", "Overlap@2"])
    difference, similarity = result
    assert (difference.med, similarity.value) == (0.5, 0.5)
    assert math.isnan(difference.value)
    assert all(math.isnan(getattr(similarity, name)) for name in COLUMNS)
    assert result.column("Overlap@2").tolist() == result.column("Overlap@2", "value").tolist()
    with pytest.raises(UsageError, match="a column of Overlap@2 is one of value, not 'med'"):
        result.column("Overlap@2", "med")


def test_summary(result: Comparison) -> None:
    summary = result.summary(P @ 4)
    med = [0.5, 0, 1, 0.5, 0, 0.25]
    levels = np.quantile(med, [0.5, 0.95, 0.05], method="inverted_cdf")
    median, p95, p05 = levels.tolist()
    assert summary.med == pytest.approx((2.25 / 6, median, p95, 1.0, p05, 0.0))
    assert (summary.queries, summary.missing, summary.weight) == (6, 0, 6.0)


def test_measures_are_compared_once() -> None:
    run = {"q": ["a"]}
    compared = medir.compare(run, run, ["nDCG@20", nDCG, "ndcg_20", "P_5", P @ 5])
    assert list(compared.measures) == [nDCG @ 20, P @ 5]


def test_changed(result: Comparison) -> None:
    """As deep as a measure looks: q6 changes at rank 4."""
    assert result.changed().tolist() == [True, False, True, True, True, True]
    assert result.changed("nDCG@2").tolist() == [False, False, True, True, True, False]
    assert result.change("moved").tolist() == [0, 0, 0, 1, 4, 0]
    assert result.change("entered").tolist() == [2, 0, 4, 2, 0, 1]


def test_repr(result: Comparison) -> None:
    assert repr(result).startswith("<Comparison of before and after: 6 queries; P@4: 0.3750, ")


def test_comparison_without_queries() -> None:
    empty = medir.compare({}, {}, P @ 2)
    assert len(empty) == 0
    assert list(empty) == []
    assert empty.top(3) == []
    assert "0 queries" in repr(empty)
