"""How the rows of a cluster come to a worker: whole queries, and without a shuffle from buckets."""

from __future__ import annotations

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


def test_tables_bucketed_by_query_are_not_shuffled(spark: Any, tmp_path: Path) -> None:
    before, after = clusters.ranked(1), clusters.ranked(2, left_out=(5,))
    tables = []
    for name, run in (("bucketed_before", before), ("bucketed_after", after)):
        writer = spark.createDataFrame(clusters.long(run)).write.option("path", tmp_path / name)
        writer.bucketBy(3, "qid").sortBy("qid").saveAsTable(name)
        tables.append(spark.table(name))
    ours = medir.spark.compare(tables[0], tables[1], "nDCG@10")
    assert "Exchange" not in ours._jdf.queryExecution().toString()
    same_rows(ours, medir.compare(clusters.long(before), clusters.long(after), "nDCG@10"))
    for table in ("bucketed_before", "bucketed_after"):
        spark.sql(f"drop table {table}")
