"""Limits of a comparison: how they are written, and what they find."""

from __future__ import annotations

import numpy as np
import pytest

import medir
from medir import RBP, P, UsageError, nDCG
from medir.comparing.gate import Check

BEFORE = {f"q{i}": ["a", "b", "c", "d"] for i in range(4)}
# P@2 differs by 0, 0.5, 1 and 1: nothing, one of two, both, both of the first two are new.
AFTER = {
    "q0": ["b", "a", "c", "d"],
    "q1": ["a", "x", "c", "d"],
    "q2": ["x", "y", "c", "d"],
    "q3": ["c", "d", "a", "b"],
}
MEAN, MEDIAN = 0.625, 0.75


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("nDCG@20=0.3", Check("mean", nDCG @ 20, 0.3)),
        ("mean:nDCG@20=0.3", Check("mean", nDCG @ 20, 0.3)),
        ("p95:ndcg_cut_10=.5", Check("p95", nDCG @ 10, 0.5)),
        ("p99.9:P@5=1", Check("p99.9", P @ 5, 1.0)),
        ("any:RBP(p=0.8)=1e-3", Check("any", RBP(p=0.8), 0.001)),
        ("median: P@5 =0", Check("median", P @ 5, 0.0)),
    ],
)
def test_notation(text: str, check: Check) -> None:
    assert Check.parse(text) == check


@pytest.mark.parametrize(
    "text", ["nDCG@20", "nDCG@20=", "nDCG@20=x", "nDCG@20=nan", "p100:P@5=1", "max:P@5=1", "=0.3"]
)
def test_what_is_not_a_check(text: str) -> None:
    with pytest.raises(UsageError, match="check"):
        Check.parse(text)


def test_a_check_of_no_measure_says_which_is_near() -> None:
    with pytest.raises(UsageError, match=r"nDGC@20=1.*did you mean nDCG@20"):
        Check.parse("nDGC@20=1")


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("mean", MEAN), ("median", MEDIAN), ("any", 1.0), ("p25", np.percentile([0, 0.5, 1, 1], 25))],
)
def test_statistics(statistic: str, value: float) -> None:
    result = medir.compare(BEFORE, AFTER, P @ 2)
    assert Check(statistic, P @ 2, 0.0).of(result).value == pytest.approx(value, abs=1e-12)
    assert Check(statistic, P @ 2, value + 1e-9).of(result).passed
    assert not Check(statistic, P @ 2, value - 1e-9).of(result).passed


def test_a_value_at_the_limit_passes() -> None:
    assert Check.parse("any:P@2=1").of(medir.compare(BEFORE, AFTER, P @ 2)).passed


def test_what_is_not_proven_counts_with_its_gap() -> None:
    random = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(100)]
    shuffled = [documents[i] for i in np.argsort(np.arange(100) + random.normal(0, 3, 100))]
    result = medir.compare({"q": documents}, {"q": shuffled}, "AP@100", effort=1)
    row = result.row(0)
    assert row.gap > 0, row
    assert not Check.parse(f"any:AP@100={row.med + row.gap / 2}").of(result).passed
    assert Check.parse(f"any:AP@100={row.med + row.gap * 1.01}").of(result).passed
