"""Rows of a cluster are those of one machine, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from tests.cases import clusters
from tests.cases.clusters import same_rows

BEFORE = clusters.ranked(1, left_out=(58,))
AFTER = clusters.ranked(2, left_out=(3, 17))
# Each shape: dot product with and without cutoff, cascade, average precision, time, similarities.
SHAPES = ["nDCG@10", "RBP(p=0.8)", "P", "DCG@5", "ERR@10", "AP@10", "AP", "RR", "TBG", "RBO", "tau"]
Frame = Callable[[Any], Any]


def half_of_the_top(relevance: Any) -> float:
    """A function of one's own: the share of relevant results among the first two."""
    return float(np.mean(relevance[:2]))


def test_every_shape_with_missing_queries_and_ties(frame: Frame) -> None:
    before, after = clusters.long(BEFORE), clusters.long(AFTER)
    own = medir.define("half", half_of_the_top) @ 2
    measures: list[Any] = [*SHAPES, own]
    ours = medir.spark.compare(
        frame(before), frame(after), measures, lengths=clusters.WORDS, default_length=90
    )
    lengths = medir.Lengths.of(clusters.WORDS, default=90)
    same_rows(ours, medir.compare(before, after, measures, lengths=lengths))


@pytest.mark.usefixtures("small")
def test_judgments_weights_and_segments(frame: Frame, stored: Frame) -> None:
    before, after, qrels = clusters.long(BEFORE), clusters.long(AFTER), clusters.grades(3)
    queries = clusters.known_queries()
    measures = ["nDCG@10", "nDCG(ideal='judged')@10", "ERR@10", "AP@10", "RBO"]
    ours = medir.spark.compare(
        frame(before),
        frame(after),
        measures,
        qrels=stored(qrels),
        queries=stored(queries),
        by="language",
    )
    theirs = medir.compare(before, after, measures, qrels=qrels, queries=queries, by="language")
    same_rows(ours, theirs)


@pytest.mark.usefixtures("small")
def test_judgments_by_intent(frame: Frame, stored: Frame) -> None:
    before, after = clusters.long(BEFORE), clusters.long(AFTER)
    plain = clusters.grades(4)
    intents = [f"i{number % 3}" for number in range(plain.num_rows)]
    qrels = plain.append_column("subtopic", [intents])
    ours = medir.spark.compare(frame(before), frame(after), "ERR_IA@10", qrels=stored(qrels))
    same_rows(ours, medir.compare(before, after, "ERR_IA@10", qrels=qrels))


@pytest.mark.usefixtures("small")
def test_grades_that_are_shares(frame: Frame, stored: Frame) -> None:
    before, after, plain = clusters.long(BEFORE), clusters.long(AFTER), clusters.grades(5)
    values = [grade / 4 for grade in plain["relevance"].to_pylist()]
    # Fractions stand in one query alone: the other queries have 0 and 1, which are shares, too.
    ids = plain["query_id"].to_pylist()
    values = [v if q == "q001" else float(v > 0.5) for q, v in zip(ids, values, strict=True)]
    qrels = clusters.table(query_id=ids, doc_id=plain["doc_id"], relevance=values)
    measures = ["nDCG(max_grade=4)@10"]
    ours = medir.spark.compare(frame(before), frame(after), measures, qrels=stored(qrels))
    same_rows(ours, medir.compare(before, after, measures, qrels=qrels))


@pytest.mark.usefixtures("small")
def test_numbers_as_ids_beside_texts_in_small_tables(frame: Frame, stored: Frame) -> None:
    def numbered(table: Any, column: str) -> Any:
        ids = [int(one[1:]) for one in table[column].to_pylist()]
        return table.set_column(table.column_names.index(column), column, [ids])

    before, after = (numbered(clusters.long(run), "qid") for run in (BEFORE, AFTER))
    qrels = numbered(clusters.grades(3), "query_id")
    queries = numbered(clusters.known_queries(), "qid")
    texts = queries.set_column(0, "qid", [list(map(str, queries["qid"].to_pylist()))])
    for known in (queries, texts):
        about: dict[str, Any] = {"missing": "skip"}
        ours = medir.spark.compare(
            frame(before),
            frame(after),
            "AP@10",
            qrels=stored(qrels),
            queries=stored(known),
            **about,
        )
        theirs = medir.compare(before, after, "AP@10", qrels=qrels, queries=known, **about)
        same_rows(ours, theirs)


@pytest.mark.parametrize(
    "options",
    [
        {"unseen": "anything", "missing": "skip"},
        {"unseen": "nothing", "depth": 4},
        {"columns": {"query_id": "qid", "doc_id": "docno", "score": "score"}, "effort": 100},
    ],
    ids=["skip", "depth", "columns"],
)
def test_settings(frame: Frame, options: dict[str, Any]) -> None:
    before, after = clusters.long(BEFORE), clusters.long(AFTER)
    measures = ["nDCG@10", "AP"]
    ours = medir.spark.compare(frame(before), frame(after), measures, **options)
    same_rows(ours, medir.compare(before, after, measures, **options))


def test_arrays_beside_rows_and_numbers_beside_texts(frame: Frame) -> None:
    numbered = {q.removeprefix("q").lstrip("0") or "0": found for q, found in BEFORE.items()}
    before = clusters.lists(AFTER | {"q059": {}})  # a list without results
    before = before.set_column(0, "query_id", [[q[1:] for q in before["query_id"].to_pylist()]])
    ids = [int(one) for one in before["query_id"].to_pylist()]
    texts = before.set_column(0, "query_id", [list(map(str, ids))])
    after = clusters.long(numbered)
    after = after.set_column(0, "qid", [[int(one) for one in after["qid"].to_pylist()]])
    ours = medir.spark.compare(frame(texts), frame(after), ["nDCG@10", "RBO"])
    same_rows(ours, medir.compare(texts, after, ["nDCG@10", "RBO"]))


def test_duplicates_keep_the_higher_rank(frame: Frame) -> None:
    twice = clusters.long(BEFORE)
    more = clusters.table(
        qid=["q001", "q002", "q002"], docno=["d1", "d2", "d2"], score=[2.5, 0.1, 9.0]
    )
    import pyarrow as pa

    before, after = pa.concat_tables([twice, more]), clusters.long(AFTER)
    options: dict[str, Any] = {"duplicates": "first"}
    ours = medir.spark.compare(frame(before), frame(after), "nDCG@10", **options)
    same_rows(ours, medir.compare(before, after, "nDCG@10", **options))


def test_the_order_of_ranks_and_the_default_measure(frame: Frame) -> None:
    def with_ranks(run: dict[str, dict[str, float]]) -> Any:
        plain = clusters.long(run)
        ranks = [rank for found in run.values() for rank in range(1, len(found) + 1)]
        return plain.append_column("rank", [ranks])

    before, after = with_ranks(BEFORE), with_ranks(AFTER)
    ours = medir.spark.compare(frame(before), frame(after), order="rank")
    same_rows(ours, medir.compare(before, after, order="rank"))


@pytest.mark.parametrize("judged", [False, True])
def test_trec_covid(frame: Frame, data: Path, judged: bool) -> None:
    folder = data / "trec-covid-r5"
    names = sorted((folder / "runs").iterdir())[:40:13]
    measures = ["nDCG@20", "AP@20", "ERR@20", "RBP", "RBO"]
    lines = [line.split() for line in (folder / "qrels.txt").read_text().splitlines()]
    qrels = clusters.table(
        query_id=[line[0] for line in lines],
        doc_id=[line[2] for line in lines],
        relevance=[int(line[3]) for line in lines],
    )
    runs = [_trec(path) for path in names[:3]]
    for before, after in ((runs[0], runs[1]), (runs[1], runs[2])):
        ours = medir.spark.compare(
            frame(before), frame(after), measures, qrels=frame(qrels) if judged else None
        )
        same_rows(ours, medir.compare(before, after, measures, qrels=qrels if judged else None))


def _trec(path: Path) -> Any:
    """A run in TREC text as a table, with the scores as they are written."""
    import gzip

    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip()]
    return clusters.table(
        query_id=[row[0] for row in rows],
        doc_id=[row[2] for row in rows],
        score=[float(row[4]) for row in rows],
    )
