"""`medir score` in a shell."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

import medir as library
from tests.cases.runs import write_qrels, write_run
from tests.shell import good, medir

QRELS = {f"q{i:02}": {"a": 2, "b": 1, "z": i % 2} for i in range(12)}
BEFORE = {query: ["a", "x", "b"] for query in QRELS}
AFTER = {query: ["x", "y", "a"] if i % 6 else ["a", "b"] for i, query in enumerate(QRELS)}


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two runs and judgments."""
    return [
        write_run(tmp_path / "before.run", BEFORE),
        write_run(tmp_path / "after.run", AFTER),
        write_qrels(tmp_path / "qrels.txt", QRELS),
    ]


def test_one_run(files: list[Path]) -> None:
    before, _, qrels = files
    text = good(medir("score", before, "--qrels", qrels, "-m", "P@2", "-m", "map"))
    scores = library.score(before, ["P@2", "map"], qrels)
    assert "before.run\n12 judged queries\n" in text
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.split()}
    for name in ("P@2", "map"):
        row = lines[repr(library.measure(name))]
        low, high = scores.interval(name) or (None, None)
        assert row[1:] == [f"{scores.mean(name):.4f}", f"{low:.4f}", "to", f"{high:.4f}"]
    assert "Difference" not in text


def test_two_runs(files: list[Path]) -> None:
    before, after, qrels = files
    text = good(medir("score", before, after, "--qrels", qrels, "-m", "P@2", "--top", 3))
    found = library.score([before, after], "P@2", qrels).difference()
    low, high = found.possible() or (0.0, 0.0)
    first, last = found.interval() or (0.0, 0.0)
    row = next(line for line in text.splitlines() if line.startswith("P@2") and "+" in line)
    numbers = [float(word) for word in row.split()[1:] if word != "to"]
    assert numbers == pytest.approx([found.mean(), first, last, low, high], abs=0.5001e-4)
    assert low < found.mean() < high
    shown = text.partition("Queries that change most by P@2")[2].splitlines()[3:]
    assert [line.split()[0] for line in shown] == [found.queries[i] for i in found.most_changed(3)]
    assert "Queries that change most" not in good(
        medir("score", before, after, "--qrels", qrels, "-m", "P@2", "--top", 0)
    )


def test_rows(files: list[Path], tmp_path: Path) -> None:
    """The name says which ideal was taken, in files too."""
    before, after, qrels = files
    options = ["--qrels", qrels, "-m", "nDCG@3", "-m", "Judged@2"]
    scores = library.score([before, after], ["nDCG@3", "Judged@2"], qrels)
    expected = [[run, query, one, score] for run, query, one, score in scores.table().rows]
    assert {row[2] for row in expected} == {"nDCG(ideal='judged')@3", "Judged@2"}
    rows = good(medir("score", before, after, *options, "--format", "jsonl"))
    assert [list(json.loads(line).values()) for line in rows.splitlines()] == expected
    target = tmp_path / "scores.csv"
    text = good(medir("score", before, after, *options, "-o", target))
    assert f"48 rows written to {target}" in text
    with target.open() as file:
        head, *written = csv.reader(file)
    assert head == ["run", "query_id", "measure", "score"]
    assert [[*row[:3], float(row[3])] for row in written] == expected
    printed = good(medir("score", before, after, *options, "--format", "csv"))
    assert list(csv.reader(io.StringIO(printed)))[1:] == written


def test_missing_queries(files: list[Path], tmp_path: Path) -> None:
    _, _, qrels = files
    half = write_run(tmp_path / "half.run", dict(list(BEFORE.items())[:6]) | {"other": ["a"]})
    options = ["--qrels", qrels, "-m", "P@1"]
    text = good(medir("score", half, *options))
    assert "12 judged queries" in text
    assert "half.run: 6 judged queries are not in the run and scored as without results" in text
    assert "half.run: 1 query without judgments left out" in text
    assert "0.5000" in text
    text = good(medir("score", half, *options, "--missing", "skip"))
    assert "6 judged queries\n" in text
    assert "1.0000" in text
    assert "no interval for fewer than 10 queries" in text
    done = medir("score", half, *options, "--missing", "error")
    assert done.code == 2
    assert "6 judged queries are not in half.run: q06, q07" in done.err


@pytest.mark.parametrize(
    ("width", "left_out"),
    [
        (40, ["95% interval", "95% interval, possible", "before, after", "before, after"]),
        (60, ["95% interval", "95% interval, possible"]),
        (80, ["95% interval"]),
        (120, []),
    ],
)
def test_narrow_windows(files: list[Path], width: int, left_out: list[str]) -> None:
    """The difference comes first. Numbers are never cut; what is left out is named."""
    before, after, qrels = files
    options = ["--qrels", qrels, "-m", "P@2", "-m", "ndcg_cut_10"]
    text = good(medir("score", before, after, *options, env={"COLUMNS": str(width)}))
    words = " ".join(text.split())
    assert words.startswith("P@2 changes by −0.333 on average over 12 judged queries; unjudged")
    said = re.findall(r"No room for (.*?) in (\d+) columns; a wider terminal shows all", words)
    assert said == [(names, str(width)) for names in left_out]
    for name in ("mean", "difference", "possible"):
        assert name in text
    assert words.count("95% interval") == 2  # a column, or a line that says that there is none
    scores = library.score([before, after], ["P@2", "ndcg_cut_10"], qrels)
    lines = text.splitlines()
    for one in scores.measures:
        for run in scores.runs:
            assert f"{scores.mean(one, run):.4f}" in text
        assert sum(line.startswith(f"{one!r}  ") for line in lines) == 2  # whole in both tables
        assert f"{scores.difference(one).mean():+.4f}" in text


def test_two_runs_of_one_name(files: list[Path], tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    other = write_run(folder / "before.run", AFTER)
    text = good(medir("score", files[0], other, "--qrels", files[2], "--format", "csv"))
    assert {line.split(",")[0] for line in text.splitlines()[1:]} == {str(files[0]), str(other)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["before.run"], "Missing option '--qrels'"),
        (["--qrels", "qrels.txt"], "Missing argument 'RUN...'"),
        (["before.run", "--qrels", "qrels.txt", "-m", "RBO"], "is a rank similarity"),
        (["before.run", "--qrels", "qrels.txt", "-m", "R@5"], "'R@5' is not supported"),
        (["before.run", "--qrels", "qrels.txt", "-m", "TBG"], "give --lengths FILE"),
        (["before.run", "--qrels", "no.txt"], "no.txt"),
        (["before.run", "before.run", "--qrels", "qrels.txt"], "two runs are called before.run"),
    ],
)
def test_bad_usage(files: list[Path], arguments: list[str], message: str) -> None:
    done = medir("score", *arguments, cwd=files[0].parent)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_what_is_judged_is_for_scores(files: list[Path]) -> None:
    before, after, _ = files
    done = medir("compare", before, after, "-m", "Judged@5")
    assert done.code == 2
    assert "use medir score" in done.err
