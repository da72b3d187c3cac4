"""`medir spark compare` beside `medir compare`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases import clusters
from tests.cases.pages import data_of
from tests.shell import medir as shell

BEFORE, AFTER = clusters.ranked(1), clusters.ranked(2, left_out=(3, 17))
MEASURES = ["-m", "nDCG@10", "-m", "RBO"]
CHECKS = ["--fail-above", "loss:nDCG@10=0.05", "--fail-below", "RBO=0.01"]


@pytest.fixture
def folder(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Both runs, judgments and queries as Parquet. The command uses the session of the tests."""
    import pyarrow.parquet as pq

    tables = {
        "before": clusters.long(BEFORE),
        "after": clusters.lists(AFTER),
        "qrels": clusters.grades(3),
        "queries": clusters.known_queries(),
    }
    for name, table in tables.items():
        pq.write_table(table, tmp_path / f"{name}.parquet")
    monkeypatch.setattr(type(spark), "stop", lambda self: None)
    return tmp_path


def test_everything_that_a_local_comparison_writes(folder: Path) -> None:
    paths = [str(folder / f"{name}.parquet") for name in ("before", "after", "qrels", "queries")]
    before, after, qrels, queries = paths
    about = ["--qrels", qrels, "--queries", queries, "--by", "language", *MEASURES, *CHECKS]
    files = {
        kind: (["--report", str(folder / f"{kind}.html"), "--json", str(folder / f"{kind}.json"),
                "--summary", str(folder / f"{kind}.md")])
        for kind in ("cluster", "machine")
    }  # fmt: skip
    rows = str(folder / "rows")
    ours = shell("spark", "compare", before, after, *about, *files["cluster"], "-o", rows)
    theirs = shell("compare", before, after, *about, *files["machine"])
    assert ours.code == theirs.code == 1
    assert [one for one in ours.err.splitlines() if one.startswith("medir: check")] == [
        one for one in theirs.err.splitlines() if one.startswith("medir: check")
    ]
    assert f"120 rows written to {rows}" in ours.out
    verdict = theirs.out.splitlines()[:6]
    assert ours.out.splitlines()[:6] == verdict
    record, expected = (json.loads((folder / f"{one}.json").read_text()) for one in files)
    assert record["verdict"] == expected["verdict"]
    assert record["notes"] == expected["notes"]
    for one, other in zip(record["measures"], expected["measures"], strict=True):
        assert one["mean"] == pytest.approx(other["mean"], rel=1e-12)
        assert one["median"] == other["median"]
        assert {s["segment"] for s in one["segments"]} == {s["segment"] for s in other["segments"]}
    texts = [(folder / f"{one}.md").read_text() for one in files]
    affected = "#### The 10 queries most affected"
    tables = [text.partition(affected)[2].partition("<details>")[0] for text in texts]
    assert tables[0] == tables[1] != ""
    shown, of_machine = (data_of(folder / f"{one}.html") for one in files)
    rows_of = [
        {row["id"]: row | {"segment": page["segments"][row["segment"]]} for row in page["rows"]}
        for page in (shown, of_machine)
    ]  # ties and segments are in the order of ids on the cluster
    assert rows_of[0] == rows_of[1] != {}
    sentences = [
        {row["id"]: [one["sentence"] for one in lists["parts"]]
         for row, lists in zip(page["rows"], page["lists"], strict=True)}
        for page in (shown, of_machine)
    ]  # fmt: skip
    assert sentences[0] == sentences[1]
    assert shown["total"] == of_machine["total"]


def test_a_page_holds_the_queries_that_are_asked_for(folder: Path) -> None:
    paths = [str(folder / f"{name}.parquet") for name in ("before", "after")]
    last = medir.compare(BEFORE, AFTER, "nDCG@10").top(1000)[-1].query_id
    page = folder / "report.html"
    words = [*paths, "-m", "nDCG@10", "--report", str(page), "--query", last]
    assert shell("spark", "compare", *words).code == 0
    assert [row["id"] for row in data_of(page)["rows"]] == [last]
    outcome = shell("spark", "compare", *words, "--query", "q-none")
    assert outcome.code == 2
    assert "q-none" in outcome.err


def test_what_spark_cannot_read(folder: Path) -> None:
    text = folder / "run.txt"
    text.write_text("q1 Q0 a 1 1 t\n")
    before = str(folder / "before.parquet")
    for path in (text, folder / "none.parquet"):
        outcome = shell("spark", "compare", before, str(path))
        assert outcome.code == 2
        assert str(path) in outcome.err
        assert "medir convert" in outcome.err
        assert "Traceback" not in outcome.err


def test_a_row_that_is_wrong(folder: Path) -> None:
    import pyarrow.parquet as pq

    bad = folder / "bad.parquet"
    pq.write_table(clusters.table(qid=["q7"], docno=["a"], score=[float("nan")]), bad)
    outcome = shell("spark", "compare", str(folder / "before.parquet"), str(bad))
    assert outcome.code == 2
    assert f"{bad}: the score is NaN" in outcome.err
    assert "query q7" in outcome.err
    assert "java" not in outcome.err


def test_the_same_command_by_spark_submit(spark: Any, folder: Path) -> None:
    """In a process of its own, with a master of one's choice."""
    import os
    import subprocess

    main = Path(medir.__file__).with_name("__main__.py")
    home = Path(os.environ["SPARK_HOME"])
    words = [home / "bin" / "spark-submit", "--master", "local[1]", main, "spark", "compare"]
    paths = [folder / "before.parquet", folder / "before.parquet"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable}
    done = subprocess.run(
        [*map(str, [*words, *paths]), "-m", "nDCG@5"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.startswith("No query changed")
