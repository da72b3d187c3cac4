"""All pairs of runs of passages."""

from __future__ import annotations

import math

import numpy as np
import pytest

import medir
from medir import MeasureError, UsageError, compare_passages


def test_a_matrix_equals_comparing_two_runs() -> None:
    rng = np.random.default_rng(3)
    runs = {
        name: {
            f"q{i}": [(f"d{rng.integers(4)}", int(rng.integers(50)), 20) for _ in range(6)]
            for i in range(first, first + 5)
        }
        for name, first in (("one", 0), ("two", 1), ("three", 2))
    }
    gold = {"q2": [("d1", 0, 30)]}
    found = medir.passage_matrix(runs, ["U@100", "TBG"], gold=gold)
    assert found.queries == [f"q{i}" for i in range(7)]
    for number, (i, j) in enumerate(found.pairs):
        names = found.names[i], found.names[j]
        result = compare_passages(runs[names[0]], runs[names[1]], ["U@100", "TBG"], gold=gold)
        for m, one_measure in enumerate(result.measures):
            expected = dict(zip(result.queries, result.column(one_measure), strict=True))
            for query, value in zip(found.queries, found.values[m, number], strict=True):
                if query not in expected:
                    assert math.isnan(value)
                else:
                    assert value == (expected[query] if i != j else 0)
    skipped = medir.passage_matrix(runs, "U@100", missing="skip", against="two")
    assert skipped.queries == ["q2", "q3", "q4"]
    assert skipped.pairs == ((0, 1), (1, 1), (1, 2))


def test_a_matrix_refuses_what_it_cannot_do() -> None:
    run = {"q": [("a", 0, 1)]}
    with pytest.raises(UsageError, match="two runs or more"):
        medir.passage_matrix({"one": run})
    with pytest.raises(UsageError, match="there is no run 'x'"):
        medir.passage_matrix({"one": run, "two": run}, against="x")
    with pytest.raises(MeasureError, match="ranked documents"):
        medir.passage_matrix({"one": run, "two": run}, "P@5")
