"""`medir passages` and `medir matrix --passages` in a shell."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import medir as package
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from tests.shell import medir

HEADER = ["query_id", "measure", *COLUMNS, VALUE, *CHANGES]


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Topic 1 is disjoint, topic 2 the same, topic 3 cut in two and swapped."""
    before = "1 a 1 9 0 12000 t\n2 a 1 9 0 15000 t\n3 a 1 9 0 6000 t\n3 a 2 8 6000 6000 t\n"
    after = "1 b 1 9 0 12500 t\n2 a 1 9 0 15000 t\n3 a 1 9 6000 6000 t\n3 a 2 8 0 6000 t\n"
    paths = tmp_path / "before.txt", tmp_path / "after.txt"
    paths[0].write_text(before)
    paths[1].write_text(after)
    return paths


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tsv"
    path.write_text("1\ta\t0\t100\tone|two words\n3\ta\t0\t6000\n")
    return path


def rows_of(text: str) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    rows = list(reader)
    assert reader.fieldnames == HEADER
    return rows


def test_rows(runs: tuple[Path, Path]) -> None:
    """2999.75 is the paper's figure for disjoint results.

    Topic 3 moves 6,000 characters by 6,000 places: 6000 x (6000 / 12000) / 2 = 1500.
    """
    outcome = medir("passages", *runs, "--format", "csv")
    assert (outcome.code, outcome.err) == (0, "")
    rows = rows_of(outcome.out)
    assert [row["query_id"] for row in rows] == ["1", "2", "3"]
    assert [row["measure"] for row in rows] == ["U@12000"] * 3
    assert [float(row["med"]) for row in rows] == [2999.75, 0, 1500]
    assert [float(row["gap"]) for row in rows] == [0, 0, 0]
    changes = [tuple(int(row[name]) for name in CHANGES) for row in rows]
    assert changes == [(12000, 12000, 0), (0, 0, 0), (0, 0, 12000)]


def test_summary(runs: tuple[Path, Path]) -> None:
    options = "-m", "U@12000", "-m", "TBG", "--unseen", "anything", "--top", "1"
    outcome = medir("passages", *runs, *options)
    assert (outcome.code, outcome.err) == (0, "")
    average = (2999.75 + 1500) / 2
    assert outcome.out.startswith(
        f"2 of 3 queries changed. On average these could move U@12000 by {average:,.0f}, up or "
    )
    assert f"{runs[0]} -> {runs[1]}: 3 queries\n" in outcome.out
    assert "entered, left and moved are numbers of characters" in outcome.out
    lines = outcome.out.splitlines()
    assert any(line.split() == ["U@12000", "1499.9167", "1500.0000", "2999.7500", "2999.7500"]
               for line in lines)  # fmt: skip
    assert "No interval of the mean: only 2 queries changed; it needs 10 or more." in lines
    assert any(line.split()[:2] == ["1", "2999.7500"] for line in lines)


def test_gold(runs: tuple[Path, Path], gold: Path) -> None:
    """Topic 1: the first 100 characters of a, and nothing else; topic 3 by hand: 1500 lost."""
    options = "--gold", gold, "--unjudged-documents", "not-relevant", "--format", "jsonl"
    outcome = medir("passages", *runs, *options)
    rows = [json.loads(line) for line in outcome.out.splitlines()]
    first = sum(1 - i / 12000 for i in range(1, 101)) / 2
    assert [row["loss"] for row in rows] == pytest.approx([first, 0, 1500], abs=1e-9)
    assert [row["gain"] for row in rows] == pytest.approx([-first, 0, -1500], abs=1e-9)
    summary = medir("passages", *runs, "--gold", gold).out
    assert "documents without a gold passage are unknown" in summary
    assert "1 query without a gold passage" in summary


def test_equals_python(runs: tuple[Path, Path], gold: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    options = "-m", "TBG(half_life=60, speed=10)", "-m", "U(discount='exponential')@900"
    outcome = medir("passages", *runs, *options, "--gold", gold, "-o", out)
    assert outcome.code == 0
    assert f"6 rows written to {out}" in outcome.out
    result = package.compare_passages(*runs, options[1::2], gold=gold)
    expected = tmp_path / "python.csv"
    result.write(expected)
    assert out.read_bytes() == expected.read_bytes()


def test_options(runs: tuple[Path, Path], tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("1 a 1 9 0 100 t\n")
    outcome = medir("passages", short, short, "--format", "csv")
    assert float(rows_of(outcome.out)[0]["med"]) > 2900
    below = sum(1 - i / 12000 for i in range(101, 12001)) / 2
    unseen = f"unseen stretches of text add {below:.4f} to the mean of MED-U@12000, in 1 query"
    assert unseen in " ".join(medir("passages", short, short).out.split())
    outcome = medir("passages", short, short, "--unseen", "nothing", "--format", "csv")
    assert float(rows_of(outcome.out)[0]["med"]) == 0
    outcome = medir("passages", runs[0], short, "--missing", "skip", "--format", "csv")
    assert len(rows_of(outcome.out)) == 1
    outcome = medir("passages", "-", runs[1], "--format", "csv", stdin=runs[0].read_bytes())
    assert float(rows_of(outcome.out)[0]["med"]) == 2999.75
    outcome = medir("passages", *runs, "--depth", "1", "--unseen", "nothing", "--format", "csv")
    assert float(rows_of(outcome.out)[2]["med"]) == (6000 - 6000 * 6001 / 24000) / 2


def test_counts_of_what_is_unusual(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 a 1 9 0 0 t\n1 a 2 8 5 10 t\n1 a 3 7 10 10 t\n")
    gold = tmp_path / "gold"
    gold.write_text("1 a 0 8\n1 a 6 8\n")
    out = medir("passages", run, run, "--gold", gold).out
    assert "2 passages of length 0" in out
    assert "10 characters shown again: text counts where it first appears" in out
    assert "2 characters in more than one gold passage" in out


def test_explains(runs: tuple[Path, Path], gold: Path) -> None:
    outcome = medir("passages", *runs, "--explain", "3")
    assert (outcome.code, outcome.err) == (0, "")
    assert "query 3, U@12000: med 1500.0000" in outcome.out
    moved = "1500.00 of it come from a 0-6000 moving from character 0 to 6000."
    assert moved in " ".join(outcome.out.split())
    more = "--gold", gold, "-m", "U@13000", "--unseen", "anything"
    outcome = medir("passages", *runs, "--explain", "1", *more)
    assert "yes" in outcome.out
    assert "(unseen text)" in outcome.out
    assert medir("passages", *runs, "--explain", "9").err == (
        "medir: there is no query '9' in this comparison\n"
    )


def test_fails_above_a_limit(runs: tuple[Path, Path]) -> None:
    outcome = medir("passages", *runs, "--fail-above", "max:U@12000=2000")
    assert outcome.code == 1
    assert outcome.err == (
        "medir: check failed: max MED of U@12000 is 3,000, limit 2,000; 1 query above 2,000: "
        "1 (3,000)\n"
    )
    assert medir("passages", *runs, "--fail-above", "U@12000=2000").code == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["-m", "nDCG@20"], "nDCG@20 is a measure of ranked documents, not of passages"),
        (["-m", "U@0"], "the cutoff of U is a whole number from 1"),
        (["--unjudged-documents", "not-relevant"], "needs gold passages"),
        (["--explain", "1", "--format", "csv"], "--explain prints a table"),
        (["-o", "x.doc"], "cannot tell the format"),
        (["--gold", "nowhere"], "there is no such file"),
    ],
)
def test_bad_usage(runs: tuple[Path, Path], arguments: list[str], problem: str) -> None:
    outcome = medir("passages", *runs, *arguments)
    assert outcome.code == 2
    assert problem in outcome.err
    assert outcome.out == ""


def test_bad_input_names_the_line_and_writes_nothing(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text(runs[0].read_text() + "3 a 3 7 -1 5 t\n")
    out = tmp_path / "out.csv"
    outcome = medir("passages", bad, runs[1], "-o", out)
    assert outcome.code == 2
    assert "bad.txt, line 5: the offset '-1' is negative\n    3 a 3 7 -1 5 t" in outcome.err
    assert not out.exists()


def test_measures_of_passages_are_refused_elsewhere() -> None:
    outcome = medir("compare", "a", "b", "-m", "U@12000")
    assert outcome.code == 2
    assert outcome.err.startswith(
        "medir: U@12000 is a measure of passages, not of ranked documents; use medir passages"
    )


# Many runs.


def test_matrix(runs: tuple[Path, Path], gold: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    outcome = medir("matrix", *runs, "--passages", "-o", out)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Mean MED-U@12000" in outcome.out
    assert out.read_text().splitlines() == [
        "run_a,run_b,measure,med,value",
        f"before.txt,after.txt,U@12000,{4499.75 / 3},",
    ]
    outcome = medir("matrix", *runs, "--passages", "-m", "TBG", "--gold", gold)
    assert "Mean MED-TBG" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--passages", "--qrels", "x"], "--qrels does not go with --passages"),
        (["--passages", "--duplicates", "first"], "--duplicates does not go with --passages"),
        (["--gold", "x"], "--gold goes with --passages"),
        (["--passages", "-m", "P@5"], "P@5 is a measure of ranked documents"),
        (["-m", "U@5"], "U@5 is a measure of passages"),
    ],
)
def test_matrix_refuses(runs: tuple[Path, Path], arguments: list[str], problem: str) -> None:
    outcome = medir("matrix", *runs, *arguments)
    assert (outcome.code, problem in outcome.err) == (2, True)


def test_matrix_draws(runs: tuple[Path, Path], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    third = tmp_path / "third.txt"
    third.write_text("1 c 1 9 0 12000 t\n")
    plot = tmp_path / "plot.svg"
    outcome = medir("matrix", *runs, third, "--passages", "--plot", plot)
    assert (outcome.code, outcome.err) == (0, "")
    assert plot.read_text().startswith("<?xml")


# A study.


def test_study(runs: tuple[Path, Path], gold: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    groups = tmp_path / "groups.csv"
    groups.write_text("run,group\nbefore.txt,x\nafter.txt,x\n")
    out = tmp_path / "study"
    options = "--passages", "--gold", gold, "--groups", groups, "-o", out
    outcome = medir("study", *runs, *options)
    assert (outcome.code, outcome.err) == (0, "")
    assert "2 runs, 1 pair, 2 queries with gold" in outcome.out
    assert "same group: 2 pairs and queries, mean MED-U@12000 2249.8750" in outcome.out
    assert {path.name for path in out.iterdir()} == {"figure-4.csv", "figure-4.svg"}
    outcome = medir("study", *runs, *options, "-m", "U(discount='none')@100")
    assert "mean MED-U(discount='none')@100" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--passages", "--qrels", "x"], "--qrels does not go with --passages"),
        (["--passages", "--seed", "3"], "--seed does not go with --passages"),
        (["--passages"], "a study of passages needs --gold FILE and --groups CSV"),
        (["--gold", "x"], "--gold goes with --passages"),
        ([], "a study needs judgments: add --qrels FILE"),
    ],
)
def test_study_refuses(
    runs: tuple[Path, Path], tmp_path: Path, arguments: list[str], problem: str
) -> None:
    outcome = medir("study", *runs, "-o", tmp_path / "study", *arguments)
    assert (outcome.code, problem in outcome.err) == (2, True)
