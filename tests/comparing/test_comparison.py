"""What `compare` returns."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import RBP, Comparison, MeasureError, P, Row, UsageError, nDCG
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
    for name in ("med", "gain", "loss", "lower", "gap"):
        values = result.column("nDCG@2", name)
        assert values.tolist() == [getattr(row, name) for row in result if row.measure == nDCG @ 2]
    assert COLUMNS == ("med", "gain", "loss", "lower", "gap")


@pytest.mark.parametrize("name", ["MED", "value", "", "entered"])
def test_unknown_column(result: Comparison, name: str) -> None:
    with pytest.raises(UsageError, match="a column is one of med, gain, loss, lower, gap"):
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
    names = ["q3", "q1", "q4", "q6", "q2", "q5"]
    for n in range(8):
        assert [row.query_id for row in result.top(n)] == names[:n]
        assert [row.query_id for row in result.top(n, P @ 4)] == names[:n]
    assert result.top(-1) == []
    assert result.top(1, "nDCG@2")[0].measure == nDCG @ 2


@examples(150)
@given(runs, runs, st.integers(0, 9))
def test_top_of_any_comparison(before: Any, after: Any, n: int) -> None:
    compared = medir.compare(before, after, P @ 2)
    rows = list(compared)
    assert compared.top(n) == sorted(rows, key=lambda row: -row.med)[:n]


def test_rows(result: Comparison) -> None:
    rows = list(result)
    assert len(result) == 6
    assert len(rows) == 12
    assert [row.query_id for row in rows[::2]] == result.queries == [f"q{n}" for n in range(1, 7)]
    assert [row.measure for row in rows[:2]] == [P @ 4, nDCG @ 2]
    assert rows[0] == Row("q1", P @ 4, 0.5, 0.5, 0.5, 0.5, 0.0)
    assert rows[0] == result.row(0) == result.row(0, P @ 4)
    assert rows[3] == result.row(1, "nDCG@2")


def test_summary(result: Comparison) -> None:
    summary = result.summary(P @ 4)
    med = [0.5, 0, 1, 0.5, 0, 0.25]
    p05, p95 = np.quantile(med, [0.05, 0.95])
    assert summary == pytest.approx((2.25 / 6, 0.375, p95, 1.0, p05, 0.0, 0))


def test_measures_are_compared_once() -> None:
    run = {"q": ["a"]}
    compared = medir.compare(run, run, ["nDCG@20", nDCG, "ndcg_cut_20", "P_5", P @ 5])
    assert list(compared.measures) == [nDCG @ 20, P @ 5]


def test_default_measure() -> None:
    assert list(medir.compare({"q": ["a"]}, {"q": ["a"]}).measures) == [nDCG @ 20]


def test_unchanged(result: Comparison) -> None:
    assert result.unchanged == 1
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
