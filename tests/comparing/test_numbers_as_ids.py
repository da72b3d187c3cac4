"""Ids that are numbers, and the same ids as text, give the same results in every command."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import medir
from tests.profiles import examples

Lists = list[list[int]]
OPTIONS: dict[str, Any] = {"unseen": "anything"}
ids = st.integers(0, 12).map(lambda n: n * 10 ** (n % 5))  # 0, 10, 200, 3000, ...
rows = st.lists(ids, unique=True, min_size=1, max_size=6)
runs = st.lists(rows, min_size=2, max_size=3)


def array(run: Lists) -> Any:
    width = max(map(len, run))
    return np.array([row + [-1] * (width - len(row)) for row in run], dtype=np.int32)


def table(run: Lists) -> Any:
    queries = pa.array(range(len(run)), pa.int8())
    return pa.table({"query_id": queries, "doc_ids": pa.array(run, pa.list_(pa.uint64()))})


def text(run: Lists) -> Any:
    return {str(i): [str(one) for one in row] for i, row in enumerate(run)}


KINDS = array, table, text


def judged(run: Lists) -> dict[str, dict[str, int]]:
    return {str(i): {str(one): one % 3 for one in row[::2]} for i, row in enumerate(run)}


def compared(before: Any, after: Any, qrels: Any) -> Any:
    result = medir.compare(before, after, ["nDCG@3", "AP@4", "RBO(p=0.9)"], qrels=qrels, **OPTIONS)
    return result.queries, np.nan_to_num(result.values, nan=-9).tolist(), result.changes.tolist()


def explained(before: Any, after: Any, qrels: Any) -> Any:
    found: Any = medir.explain(before, after, "nDCG@3", query="0", qrels=qrels, **OPTIONS)
    return repr(found.evidence)


def exposed(before: Any, after: Any, qrels: Any) -> Any:
    found = medir.documents(before, after, "nDCG@3", **OPTIONS)
    return sorted(map(tuple, found))


def suggested(before: Any, after: Any, qrels: Any) -> Any:
    return list(medir.judge(before, after, measures="nDCG(max_grade=2)@3", qrels=qrels, **OPTIONS))


def expected(before: Any, after: Any, qrels: Any) -> Any:
    prior = {"0": {"10": 0.25, "200": 0.75}}
    return medir.expect(before, after, "P@3", prior=prior, qrels=qrels, **OPTIONS).row(0)[2:]


def scored(before: Any, after: Any, qrels: Any) -> Any:
    found = medir.score({"a": before, "b": after}, "nDCG@3", qrels)
    return [np.nan_to_num(found.column("nDCG@3", run), nan=-9).tolist() for run in ("a", "b")]


def distances(before: Any, after: Any, qrels: Any) -> Any:
    matrix = medir.matrix({"a": before, "b": after, "c": text([[10, 5], [200]])}, "AP@4", **OPTIONS)
    return np.nan_to_num(matrix.values, nan=-9).tolist()


def timed(before: Any, after: Any, qrels: Any) -> Any:
    lengths = medir.Lengths.of({"10": 300, "200": 50}, default=100)
    found = medir.compare(before, after, "TBG", lengths=lengths, **OPTIONS).values
    return np.nan_to_num(found, nan=-9).tolist()


@pytest.mark.parametrize(
    "command", [compared, explained, exposed, suggested, expected, scored, distances, timed]
)
@examples(40)
@given(runs, runs)
def test_all_kinds_give_the_same(
    command: Callable[[Any, Any, Any], Any], before: Lists, after: Lists
) -> None:
    qrels = judged(before)
    truth = command(text(before), text(after), qrels)
    for one, other in itertools.product(KINDS, KINDS):
        assert command(one(before), other(after), qrels) == truth, (one, other)


def test_numbers_in_judgments() -> None:
    before, after = [[10, 200], [5]], [[200, 7], [5]]
    qrels = pa.table({"query_id": [0, 0], "doc_id": [10, 7], "relevance": [2, 0]})
    truth = compared(text(before), text(after), {"0": {"10": 2, "7": 0}})
    for one, other in itertools.product(KINDS, KINDS):
        assert compared(one(before), other(after), qrels) == truth


def test_what_looks_like_a_number_and_is_none() -> None:
    """Only the plain digits are the number."""
    names = ["007", "+7", "7.0", "٧", "-0", " 7", "18446744073709551616", ""]
    numbers = np.array([[7] * 1, [0] * 1])
    for name in names:
        result = medir.compare(numbers, {"0": [name], "1": ["0"]}, "P@1")
        assert result.column("P@1").tolist() == [1, 0], name
