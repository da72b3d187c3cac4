"""All pairs of runs of passages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import MeasureError, UsageError, compare_passages
from tests.cases.passages import measures, passage
from tests.profiles import examples


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


timed_passage = st.tuples(
    st.sampled_from("abc"), st.integers(0, 12), st.integers(0, 8), st.floats(0.5, 9)
)
texts = st.lists(passage, max_size=6) | st.lists(timed_passage, max_size=6)


@examples(100)
@given(
    lists=st.lists(st.dictionaries(st.sampled_from("qrs"), texts), min_size=2, max_size=4),
    chosen=st.lists(measures(), min_size=1, max_size=2, unique_by=lambda one: one[0]),
    gold=st.none() | st.dictionaries(st.sampled_from("qr"), st.lists(passage, min_size=1)),
    closed=st.booleans(),
    unseen=st.sampled_from(["auto", "anything", "nothing"]),
    depth=st.none() | st.integers(1, 5),
)
def test_the_bits_of_comparing_one_by_one(
    lists: list[Any], chosen: list[Any], gold: Any, closed: bool, unseen: Any, depth: int | None
) -> None:
    options: Any = {
        "gold": gold,
        "unjudged_documents": "not-relevant" if closed and gold is not None else "unknown",
        "unseen": unseen,
        "depth": depth,
        "threads": 1,
    }
    if not any(lists):
        return
    names = [name for name, *_ in chosen]
    named = {f"run {i}": run for i, run in enumerate(lists)}
    found = medir.passage_matrix(named, names, **options)
    for number, (i, j) in enumerate(found.pairs):
        if i == j:
            continue
        result = compare_passages(lists[i], lists[j], names, **options)
        for m, one in enumerate(result.measures):
            values = dict(zip(found.queries, found.values[m, number].tolist(), strict=True))
            known = {query: value for query, value in values.items() if not math.isnan(value)}
            assert known == dict(zip(result.queries, result.column(one).tolist(), strict=True))
    for m, one in enumerate(found.measures):
        pairs = [(lists[i], lists[j]) for i, j in found.pairs if i != j]
        each = [compare_passages(*pair, one, **options) for pair in pairs]
        unseen_columns = [result.column(one, "unseen") for result in each]
        notes = found.notes[m].sum(axis=1)
        assert notes[1] == sum(np.count_nonzero(some) for some in unseen_columns)
        assert notes[2] == pytest.approx(sum(some.sum() for some in unseen_columns), abs=1e-9)
        assert notes[3] == sum(result.ended_queries[0] for result in each)


def test_unjudged_documents_need_gold() -> None:
    named: Any = {"one": {"q": [("a", 0, 1)]}, "two": {"q": [("b", 0, 1)]}}
    with pytest.raises(UsageError, match="needs gold passages"):
        medir.passage_matrix(named, unjudged_documents="not-relevant")


def test_a_matrix_refuses_what_it_cannot_do() -> None:
    run = {"q": [("a", 0, 1)]}
    with pytest.raises(UsageError, match="two runs or more"):
        medir.passage_matrix({"one": run})
    with pytest.raises(UsageError, match="there is no run 'x'"):
        medir.passage_matrix({"one": run, "two": run}, against="x")
    with pytest.raises(MeasureError, match="ranked documents"):
        medir.passage_matrix({"one": run, "two": run}, "P@5")
