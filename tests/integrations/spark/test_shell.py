"""`medir spark compare` beside `medir compare`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases import clusters
from tests.cases.clusters import in_order
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


def delimited(table: Any, path: Path) -> str:
    """A table as CSV or TSV, by the name."""
    sign = "," if path.suffix == ".csv" else "\t"
    rows = [table.column_names, *zip(*(one.to_pylist() for one in table.columns), strict=True)]
    path.write_text("".join(sign.join(map(str, row)) + "\n" for row in rows))
    return str(path)


def with_plain_ids(run: dict[str, dict[str, float]]) -> Any:
    """Long rows whose ids are digits, some behind zeros."""
    return clusters.long({query.removeprefix("q"): found for query, found in run.items()})


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_runs_as_delimited_text(folder: Path, suffix: str) -> None:
    tables = with_plain_ids(BEFORE), with_plain_ids(AFTER)
    before, after = (delimited(run, folder / f"{n}.{suffix}") for n, run in enumerate(tables))
    words = delimited(
        clusters.table(doc_id=list(clusters.WORDS), words=list(clusters.WORDS.values())),
        folder / f"words.{suffix}",
    )
    about = ["-m", "nDCG@10", "-m", "TBG", "--lengths", words]
    outcome = shell("spark", "compare", before, after, *about, "-o", str(folder / "rows"))
    assert outcome.code == 0, outcome.err
    theirs = medir.compare(
        *tables, measures=["nDCG@10", "TBG"], lengths=medir.Lengths.of(clusters.WORDS)
    )
    same_written(folder / "rows", theirs)


def same_written(folder: Path, machine: Any) -> None:
    """Asserts that a folder holds the rows of a comparison."""
    import pyarrow.parquet as pq

    ours, theirs = pq.read_table(folder).sort_by(clusters.KEY), in_order(machine)
    assert ours.column_names == theirs.column_names
    assert ours.equals(theirs)


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
def test_ranks_as_delimited_text(folder: Path, suffix: str) -> None:
    import pyarrow.parquet as pq

    after = folder / "lists.parquet"
    pq.write_table(clusters.table(query_id=["07", "8"], doc_ids=[["b", "a"], ["a"]]), after)
    rows = clusters.table(qid=["07", "07", "8"], docno=["a", "b", "a"], rank=[2, 1, 1])
    before = delimited(rows, folder / f"ranks.{suffix}")
    outcome = shell("spark", "compare", before, str(after), "-m", "P@1", "--order", "rank")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("No query changed")


@pytest.mark.parametrize("role", ["score", "rank"])
def test_a_text_that_is_no_number(folder: Path, role: str) -> None:
    path = folder / "bad.csv"
    columns = {"query_id": ["q1", "q7"], "doc_id": ["a", "b"], role: ["1", "abc"]}
    delimited(clusters.table(**columns), path)
    outcome = shell("spark", "compare", str(folder / "before.parquet"), str(path), "-m", "P@1")
    assert outcome.code == 2
    assert f"{path}: the {role} 'abc' is not a number" in outcome.err
    assert "query q7" in outcome.err
    assert "java" not in outcome.err
    path.write_text(path.read_text().replace("abc", ""))
    outcome = shell("spark", "compare", str(folder / "before.parquet"), str(path), "-m", "P@1")
    assert outcome.code == 2
    assert f"the column '{role}' has a null" in outcome.err
    assert "query q7" in outcome.err


def trec(table: Any, path: Path, intents: list[str], values: list[Any]) -> str:
    """Judgments as TREC text, with intents and values of one's choice."""
    ids = table["query_id"].to_pylist(), table["doc_id"].to_pylist()
    lines = zip(ids[0], intents, ids[1], values, strict=True)
    path.write_text("# by hand\n\n" + "".join(" ".join(map(str, line)) + "\n" for line in lines))
    return str(path)


def test_judgments_as_trec_text(folder: Path) -> None:
    before, after = (str(folder / f"{name}.parquet") for name in ("before", "after"))
    table = clusters.grades(3)
    plain = ["0"] * table.num_rows
    intents = [f"i{number % 3}" for number in range(table.num_rows)]
    grades = table["relevance"].to_pylist()
    fractions = [["0", "0.5", "1.0", "0.50"][grade] for grade in grades]
    levels: dict[str, Any] = {"grades": {"0": 0, "0.5": 1, "1": 2}}
    for number, (judged, words, how) in enumerate(
        (
            ((intents, grades), ["-m", "ERR_IA@5"], {}),
            ((plain, fractions), ["-m", "nDCG@10", "--grades", "0=0,0.5=1,1=2"], levels),
            ((plain, fractions), ["-m", "nDCG(max_grade=4)@10"], {}),
        )
    ):
        path = trec(table, folder / f"qrels-{number}.txt", *judged)
        rows = folder / f"rows-{number}"
        outcome = shell("spark", "compare", before, after, *words, "--qrels", path, "-o", str(rows))
        assert outcome.code == 0, outcome.err
        theirs = medir.compare(before, after, words[1], qrels=path, **how)
        same_written(rows, theirs)
        without = in_order(medir.compare(before, after, words[1]))
        assert not in_order(theirs)["med"].equals(without["med"])


def test_judgments_of_a_judge(folder: Path) -> None:
    before, after = (str(folder / f"{name}.parquet") for name in ("before", "after"))
    path, rows = folder / "judged.jsonl", folder / "rows"
    names = ["no", "partly", "yes", "yes"]
    judged = [
        one | {"relevance": names[one["relevance"]]} for one in clusters.grades(3).to_pylist()
    ]
    path.write_text("".join(json.dumps(one) + "\n" for one in judged))
    words = ["-m", "nDCG@10", "--qrels", str(path), "--grades", "no=0,partly=1,yes=3"]
    outcome = shell("spark", "compare", before, after, *words, "-o", str(rows))
    assert outcome.code == 0, outcome.err
    grades = {"no": 0, "partly": 1, "yes": 3}
    theirs = medir.compare(before, after, "nDCG@10", qrels=path, grades=grades)
    same_written(rows, theirs)


def test_a_line_of_judgments_that_is_wrong(folder: Path) -> None:
    path = folder / "qrels.txt"
    path.write_text("q001 0 d1 1\nq001 0 d2 good\n")
    before = str(folder / "before.parquet")
    outcome = shell("spark", "compare", before, before, "--qrels", str(path))
    assert outcome.code == 2
    assert f"{path}, line 2: the grade 'good' is not a number" in outcome.err
    path.write_bytes(b"q001 0 d1\xff 1\n")
    outcome = shell("spark", "compare", before, before, "--qrels", str(path))
    assert outcome.code == 2
    assert "not UTF-8" in outcome.err


def test_the_noise(folder: Path) -> None:
    import pyarrow.parquet as pq

    second = folder / "second.parquet"
    pq.write_table(clusters.long(clusters.ranked(9)), second)
    before, after = (str(folder / f"{name}.parquet") for name in ("before", "after"))
    files = {kind: folder / f"{kind}.json" for kind in ("cluster", "machine")}
    about = ["-m", "nDCG@10", "--noise", str(second), "--fail-above", "nDCG@10=1.1xnoise"]
    outcomes = [
        shell(*command, before, after, *about, "--json", str(path))
        for command, path in zip((("spark", "compare"), ("compare",)), files.values(), strict=True)
    ]
    ours, theirs = outcomes
    assert ours.code == theirs.code, ours.err
    assert (
        [one for one in ours.out.splitlines() if "of the noise" in one]
        == [one for one in theirs.out.splitlines() if "of the noise" in one]
        != []
    )
    (one,), (other,) = (json.loads(path.read_text())["checks"] for path in files.values())
    numbers = {"value", "limit", "noise"}
    assert {name: one[name] for name in numbers} == pytest.approx(
        {name: other[name] for name in numbers}, rel=1e-12
    )
    assert {name: one[name] for name in one.keys() - numbers} == {
        name: other[name] for name in other.keys() - numbers
    }


def test_an_error_in_a_process_of_its_own(folder: Path) -> None:
    import pyarrow.parquet as pq

    bad = folder / "bad.parquet"
    pq.write_table(clusters.table(qid=["q7"], docno=["a"], score=[float("nan")]), bad)
    words = [sys.executable, "-m", "medir", "spark", "compare", folder / "before.parquet", bad]
    done = subprocess.run(
        [*map(str, words), "-m", "nDCG@5", "--master", "local[1]"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 2
    assert f"{bad}: the score is NaN" in done.stderr
    assert "query q7" in done.stderr
    assert "\tat " not in done.stderr
    assert "Traceback" not in done.stderr


def test_the_same_command_by_spark_submit(spark: Any, folder: Path) -> None:
    """In a process of its own, with a master of one's choice."""
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
