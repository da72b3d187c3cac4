"""Documents with the same content, on Spark as on one machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases import clusters
from tests.cases.clusters import in_order, same_rows
from tests.shell import medir as shell

BEFORE = clusters.ranked(1, left_out=(58,))
AFTER = clusters.ranked(2, left_out=(3, 17))
SAME = {f"d{number}": f"c{number % 7}" for number in range(0, 25, 2)}
Frame = Callable[[Any], Any]


def test_every_shape(frame: Frame) -> None:
    before, after, qrels = clusters.long(BEFORE), clusters.long(AFTER), clusters.grades(3)
    measures = ["nDCG@10", "nDCG(ideal='judged')@10", "ERR@10", "AP@10", "TBG", "RBO", "Jaccard@5"]
    same = clusters.table(doc_id=list(SAME), cluster=list(SAME.values()))
    lengths = medir.Lengths.of(clusters.WORDS, default=90)
    theirs = medir.compare(before, after, measures, qrels=qrels, lengths=lengths, clusters=SAME)
    for given in (SAME, frame(same), same):
        ours = medir.spark.compare(
            frame(before),
            frame(after),
            measures,
            qrels=frame(qrels),
            lengths=clusters.WORDS,
            default_length=90,
            clusters=given,
        )
        same_rows(ours, theirs)
    plain = medir.compare(before, after, measures, qrels=qrels, lengths=lengths)
    assert not in_order(plain)["med"].equals(in_order(theirs)["med"])


def test_matrix_and_documents(frame: Frame) -> None:
    before, after = clusters.long(BEFORE), clusters.long(AFTER)
    runs = {"before": before, "after": after}
    ours = medir.spark.matrix({n: frame(t) for n, t in runs.items()}, "nDCG@10", clusters=SAME)
    theirs = medir.matrix(runs, "nDCG@10", clusters=SAME)
    assert ours.toArrow()["med"].to_pylist() == pytest.approx(
        [row["med"] for row in theirs.rows()], abs=1e-12
    )
    found = medir.spark.documents(frame(before), frame(after), "nDCG@10", clusters=SAME).toArrow()
    expected = {row.doc_id: row for row in medir.documents(before, after, "nDCG@10", clusters=SAME)}
    assert set(found["doc_id"].to_pylist()) == expected.keys()
    for row in found.to_pylist():
        assert row["change"] == pytest.approx(expected[row["doc_id"]].change, abs=1e-12)


def test_in_the_shell(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow.parquet as pq

    monkeypatch.setattr(type(spark), "stop", lambda self: None)
    tables = {"before": BEFORE, "after": AFTER}
    for name, run in tables.items():
        pq.write_table(clusters.long(run), tmp_path / f"{name}.parquet")
    pq.write_table(clusters.grades(3), tmp_path / "qrels.parquet")
    (tmp_path / "same.tsv").write_text("".join(f"{d}\t{c}\n" for d, c in SAME.items()))
    paths = [str(tmp_path / f"{name}.parquet") for name in tables]
    about = ["-m", "nDCG@10", "--qrels", str(tmp_path / "qrels.parquet")]
    about += ["--clusters", str(tmp_path / "same.tsv"), "--summary", str(tmp_path / "summary.md")]
    ours = shell("spark", "compare", *paths, *about)
    theirs = shell("compare", *paths, *about)
    assert (ours.code, theirs.code) == (0, 0), ours.err
    assert ours.out.splitlines()[:4] == theirs.out.splitlines()[:4]
    before, after = paths
    judged = medir.compare(before, after, "nDCG@10", qrels=about[3], clusters=SAME)
    assert "documents with different grades" in dict(judged.facts())["Clusters"]
