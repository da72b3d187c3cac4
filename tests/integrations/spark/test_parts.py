"""How the rows of a cluster come to a worker: whole queries, and without a shuffle from buckets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir.integrations.spark import rows
from medir.integrations.spark.sources import QUERY
from tests.cases import clusters
from tests.cases.clusters import same_rows


def sent(lengths: list[int], batch: int) -> Any:
    """Batches with queries of so many rows."""
    import pyarrow as pa

    ids = np.repeat(np.arange(len(lengths)), lengths)
    table = pa.table(
        {QUERY: ids, rows.SOURCE: np.zeros(len(ids), np.int16), "0": np.arange(len(ids))}
    )
    return table.to_batches(max_chunksize=batch)


@pytest.mark.parametrize("batch", [1, 7, 40, 1000])
def test_queries_stay_whole_and_no_row_is_lost(monkeypatch: pytest.MonkeyPatch, batch: int) -> None:
    monkeypatch.setattr(rows, "ENOUGH", 50)
    lengths = np.random.default_rng(batch).integers(1, 30, 200).tolist()
    lengths[60] = 500  # longer than what is solved together
    layout = rows.Layout({"before": {"doc_id": 0}})
    seen: list[int] = []
    known: list[int] = []
    for part in rows.parts(sent(lengths, batch), layout):
        ids, cells, number = part.rows("before")
        assert len(part.table) <= 50 + 500 + batch
        seen += cells["doc_id"].to_pylist()
        queries = list(dict.fromkeys(ids.to_pylist()))
        assert [int(n) for n in np.bincount(number)] == [lengths[query] for query in queries]
        known += queries
    assert seen == list(range(sum(lengths)))
    assert known == list(range(len(lengths)))


def test_queries_without_the_runs_that_are_asked_for_are_left_out() -> None:
    import pyarrow as pa

    # Queries 0 to 3 have rows of both runs, of the first, of the second, and of judgments alone.
    table = pa.table(
        {
            QUERY: [0, 0, 1, 2, 3],
            rows.SOURCE: np.array([0, 1, 0, 1, 2], np.int16),
            "0": ["a", "b", "c", "d", "e"],
        }
    )
    places = {name: {"doc_id": 0} for name in ("before", "after", "qrels")}
    found = {
        in_all: [
            rows.Part(table, rows.Layout(places, 2, in_all)).rows(name)[1]["doc_id"].to_pylist()
            for name in places
        ]
        for in_all in (False, True)
    }
    assert found == {False: [["a", "c"], ["b", "d"], []], True: [["a"], ["b"], []]}
    assert rows.Part(table.slice(4), rows.Layout(places, 2)).empty


class Sent:
    """What every worker has."""

    def __init__(self, value: Any) -> None:
        self.value = value


def test_rows_that_every_worker_has_are_those_of_the_queries_of_a_part() -> None:
    import pyarrow as pa

    # Queries 7 and 9 are in both runs, 8 in the first alone; one row has no query.
    table = pa.table(
        {
            QUERY: pa.array([7, 7, 8, 9, 9, None], pa.int32()),
            rows.SOURCE: np.array([0, 1, 0, 0, 1, 2], np.int16),
            "0": ["a", "b", "c", "d", "e", "f"],
        }
    )
    ids = pa.chunked_array([pa.array([9, 5, None], pa.int64()), pa.array([8, 9, 7], pa.int64())])
    judged = pa.table({QUERY: ids, "0": ["u", "v", "w", "x", "y", "z"]})
    places = {name: {"doc_id": 0} for name in ("before", "after", "qrels")}
    for in_all, known, documents in (
        (False, [7, 8, 9, 9], ["z", "x", "u", "y"]),
        (True, [7, 9, 9], ["z", "u", "y"]),
    ):
        layout = rows.Layout(places, 2, in_all, {"qrels": Sent(judged)})
        queries, cells, number = rows.Part(table, layout).rows("qrels")
        assert queries.to_pylist() == known
        assert cells["doc_id"].to_pylist() == documents
        assert number.tolist() == [one - 7 for one in known]
        assert [len(one) for one in rows.Part(table.slice(0, 0), layout).rows("qrels")[::2]] == [
            0,
            0,
        ]


@pytest.fixture
def buckets(spark: Any, tmp_path: Path) -> Iterator[Callable[[str, Any], Any]]:
    """Makes a table that is bucketed by query."""
    made = []

    def make(name: str, table: Any) -> Any:
        writer = spark.createDataFrame(table).write.option("path", tmp_path / name)
        writer.bucketBy(3, "qid").sortBy("qid").saveAsTable(name)
        made.append(name)
        return spark.table(name)

    yield make
    for name in made:
        spark.sql(f"drop table {name}")


def is_shuffled(rows: Any) -> bool:
    """Whether Spark plans to move rows between executors."""
    return "Exchange" in rows._jdf.queryExecution().toString()


def test_tables_bucketed_by_query_are_not_shuffled(
    buckets: Callable[[str, Any], Any], stored: Callable[[Any], Any], small: str
) -> None:
    one, other = clusters.long(clusters.ranked(1)), clusters.long(clusters.ranked(2, left_out=(5,)))
    before, after = buckets("bucketed_before", one), buckets("bucketed_after", other)
    ours = medir.spark.compare(before, after, "nDCG@10")
    assert not is_shuffled(ours)
    same_rows(ours, medir.compare(one, other, "nDCG@10"))
    qrels, queries = clusters.grades(3), clusters.known_queries()
    ours = medir.spark.compare(before, after, "AP@10", qrels=stored(qrels), queries=stored(queries))
    assert is_shuffled(ours) == (small == "joined")
    same_rows(ours, medir.compare(one, other, "AP@10", qrels=qrels, queries=queries))
