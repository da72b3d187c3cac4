"""What is wrong with the data of a cluster: medir's own error, which names the query."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import medir
from medir.errors import InputError, UsageError
from tests.cases import clusters

Frame = Callable[[Any], Any]
GOOD = clusters.table(query_id=["q1", "q2"], doc_id=["a", "b"], score=[1.0, 2.0])


@pytest.mark.parametrize(
    ("columns", "problem", "query"),
    [
        ({"docno": ["a", None], "score": [1.0, 2.0]}, "the column 'docno' has a null", "q2"),
        ({"docno": ["a", "b"], "score": [None, 2.0]}, "the column 'score' has a null", "q1"),
        ({"docno": ["a", "b"], "score": [1.0, float("nan")]}, "the score is NaN", "q2"),
    ],
    ids=["document", "score", "NaN"],
)
def test_a_bad_row_names_its_query(
    frame: Frame, columns: dict[str, Any], problem: str, query: str
) -> None:
    bad = frame(clusters.table(qid=["q1", "q2"], **columns))
    with pytest.raises(InputError, match=problem) as caught:
        medir.spark.compare(frame(GOOD), bad, "P@2").collect()
    assert str(caught.value).startswith("after: ")
    assert f"query {query}" in str(caught.value)
    assert "java" not in str(caught.value)


def test_a_bad_row_stops_other_actions(frame: Frame, tmp_path: Any) -> None:
    twice = frame(clusters.table(qid=["q1", "q1"], docno=["a", "a"], score=[1.0, 2.0]))
    found = medir.spark.compare(twice, frame(GOOD), "P@2")
    for action in (found.toPandas, lambda: found.write.parquet(str(tmp_path / "out"))):
        with pytest.raises(InputError, match="query q1, document a"):
            action()


def test_a_query_with_two_rows_of_arrays(frame: Frame) -> None:
    lists = frame(clusters.table(query_id=["q1", "q1"], doc_ids=[["a"], ["b"]]))
    with pytest.raises(InputError, match="query 'q1' has a second row"):
        medir.spark.compare(lists, frame(GOOD), "P@2").collect()


def test_a_query_without_an_id(frame: Frame) -> None:
    bad = frame(clusters.table(qid=["q1", None], docno=["a", "b"], score=[1.0, 2.0]))
    with pytest.raises(InputError, match="a row without a query"):
        medir.spark.compare(bad, frame(GOOD), "P@2").collect()


def test_ranks_that_are_tied(frame: Frame) -> None:
    tied = frame(clusters.table(qid=["q1", "q1"], docno=["a", "b"], rank=[3, 3]))
    with pytest.raises(InputError, match="two results have the rank 3") as caught:
        medir.spark.compare(tied, frame(GOOD), "P@2").collect()
    assert "query q1" in str(caught.value)


def test_judgments_that_contradict_each_other(frame: Frame) -> None:
    qrels = clusters.table(query_id=["q9", "q9"], doc_id=["a", "a"], relevance=[0, 1])
    with pytest.raises(InputError, match="query q9, document a"):
        medir.spark.compare(frame(GOOD), frame(GOOD), "P@2", qrels=frame(qrels))


@pytest.mark.parametrize(
    ("column", "problem"),
    [("doc_id", "the column 'doc_id' has a null"), ("relevance", "the column 'relevance' has a")],
)
def test_judgments_with_a_null(frame: Frame, column: str, problem: str) -> None:
    columns: dict[str, list[Any]] = {
        "query_id": ["q1", "q9"],
        "doc_id": ["a", "b"],
        "relevance": [1, 0],
    }
    columns[column][1] = None
    qrels = frame(clusters.table(**columns))
    with pytest.raises(InputError, match=problem) as caught:
        medir.spark.compare(frame(GOOD), frame(GOOD), "P@2", qrels=qrels)
    assert "query q9" in str(caught.value)
    assert str(caught.value).startswith("qrels: ")


def test_a_weight_that_is_none(frame: Frame) -> None:
    queries = frame(clusters.table(query_id=["q1", "q2"], weight=[1.0, -2.0]))
    with pytest.raises(InputError, match="-2") as caught:
        medir.spark.compare(frame(GOOD), frame(GOOD), "P@2", queries=queries).collect()
    assert caught.value.text == "query q2"
    assert "row " not in str(caught.value)


def test_what_is_known_before_anything_is_computed(frame: Frame) -> None:
    rows = frame(clusters.table(qid=["q1"], docno=["a"]))
    with pytest.raises(InputError, match="Spark does not keep the order of rows"):
        medir.spark.compare(rows, rows, "P@2")
    with pytest.raises(InputError, match="order='file' asks for it"):
        medir.spark.compare(frame(GOOD), frame(GOOD), "P@2", order="file")
    with pytest.raises(InputError, match="there is no column of document ids"):
        medir.spark.compare(frame(clusters.table(qid=["q1"], score=[1.0])), frame(GOOD), "P@2")
    odd = frame(clusters.table(query_id=[1.5], doc_id=["a"], score=[1.0]))
    with pytest.raises(InputError, match="where text or whole numbers were expected"):
        medir.spark.compare(odd, frame(GOOD), "P@2")
    with pytest.raises(InputError, match="type dict as a run on Spark"):
        medir.spark.compare({"q": ["a"]}, frame(GOOD), "P@2")
    with pytest.raises(UsageError, match="ideal from judgments"):
        medir.spark.compare(frame(GOOD), frame(GOOD), "nDCG(ideal='judged')@5")
    with pytest.raises(UsageError, match="needs a table of queries"):
        medir.spark.compare(frame(GOOD), frame(GOOD), "P@2", by="language")


def test_queries_that_one_run_lacks(frame: Frame) -> None:
    less = frame(GOOD.slice(0, 1))
    with pytest.raises(InputError, match="1 query only in before: q2"):
        medir.spark.compare(frame(GOOD), less, "P@2", missing="error")
    other = frame(clusters.table(query_id=["x"], doc_id=["a"], score=[1.0]))
    with pytest.raises(InputError, match="before and after have no query in common"):
        medir.spark.compare(frame(GOOD), other, "P@2", missing="skip")
