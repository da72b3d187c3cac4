"""`medir judge` in a shell."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import Suggestion
from medir.comparing.judging.judge import Suggestions
from tests.cases.runs import write_qrels, write_run
from tests.shell import EXAMPLES
from tests.shell import medir as shell


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Two runs and judgments."""
    return (
        write_run(tmp_path / "before.run", {"q1": ["a", "b", "c"], "q2": ["x", "y"]}),
        write_run(tmp_path / "after.run", {"q1": ["b", "d", "a"], "q2": ["x", "z"]}),
        write_qrels(tmp_path / "qrels.txt", {"q1": {"a": 2, "c": 0}}),
    )


def expected_rows(files: tuple[Path, Path, Path], **options: Any) -> Suggestions:
    before, after, qrels = files
    found = medir.judge(before, after, measures="nDCG@3", qrels=qrels, **options)
    assert len(found) == 4
    return found


@pytest.mark.parametrize(("format_", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_rows(files: tuple[Path, Path, Path], format_: str, delimiter: str) -> None:
    before, after, qrels = files
    outcome = shell("judge", before, after, "-m", "nDCG@3", "--qrels", qrels, "--format", format_)
    assert (outcome.code, outcome.err) == (0, "")
    header, *rows = csv.reader(io.StringIO(outcome.out), delimiter=delimiter)
    assert tuple(header) == Suggestion._fields
    found = [Suggestion(row[0], row[1], *map(float, row[2:])) for row in rows]
    assert found == expected_rows(files)


def test_json_lines(files: tuple[Path, Path, Path]) -> None:
    before, after, qrels = files
    outcome = shell(
        "judge",
        before,
        after,
        "-m",
        "nDCG@3",
        "--qrels",
        qrels,
        "--format",
        "jsonl",
        "--unseen",
        "nothing",
    )
    rows = [Suggestion(**json.loads(line)) for line in outcome.out.splitlines()]
    assert rows == expected_rows(files, unseen="nothing")


def test_table_and_pool(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    before, after, _ = files
    pool = tmp_path / "pool.txt"
    outcome = shell("judge", before, after, "-m", "P@2", "--top", 3, "-o", pool)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(
        "Judge a for q1 first: whatever its grade, the interval of P@2 gets 0.500 shorter."
    )
    assert "3 documents of 2 queries are suggested." in " ".join(outcome.out.split())
    assert f"3 documents written to {pool}" in outcome.out
    assert pool.read_text() == "q1 a\nq1 d\nq2 y\n"
    printed = shell("judge", before, after, "-m", "P@2", "--top", 3, "--format", "pool")
    dashed = shell("judge", before, after, "-m", "P@2", "--top", 3, "-o", "-")
    assert printed.out == dashed.out == pool.read_text()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_file_of_rows(files: tuple[Path, Path, Path], suffix: str, tmp_path: Path) -> None:
    """Its ending says that it has every column; --format goes before the ending."""
    before, after, _ = files
    path = tmp_path / f"pool.{suffix}"
    options = "judge", before, after, "-m", "P@2"
    assert shell(*options, "-o", path).code == 0
    if suffix == "parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        assert tuple(table.column_names) == Suggestion._fields
    else:
        assert path.read_text() == shell(*options, "--format", suffix).out
    assert shell(*options, "-o", path, "--format", "pool").code == 0
    assert path.read_text() == shell(*options, "--format", "pool").out


def test_one_suggestion(files: tuple[Path, Path, Path]) -> None:
    outcome = shell("judge", files[0], files[1], "-m", "P@2", "--top", 1)
    assert "1 document of 1 query is suggested." in " ".join(outcome.out.split())


def test_ids_that_are_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"q Q0 a\xff 1 1 t\n")
    (tmp_path / "b").write_bytes(b"q Q0 b 1 1 t\n")
    outcome = shell("judge", tmp_path / "a", tmp_path / "b", "-m", "P@1")
    assert (outcome.code, outcome.err) == (0, "")
    assert r"Judge a\xff for q first" in outcome.out


def test_table_without_anything_to_judge(files: tuple[Path, Path, Path]) -> None:
    outcome = shell("judge", files[0], files[0])
    assert outcome.code == 0
    assert "Nothing to judge" in outcome.out


def test_standard_input_and_several_runs(files: tuple[Path, Path, Path]) -> None:
    before, after, _ = files
    options = ["-m", "nDCG@3", "--format", "csv"]
    from_files = shell("judge", before, after, before, *options)
    from_stdin = shell("judge", before, after, "-", *options, stdin=before.read_bytes())
    assert from_files.code == 0
    assert from_files == from_stdin


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ERR_IA"], "judgments by intent"),
        (["-m", "nope"], "there is no measure 'nope'"),
        (["--top", "0"], "0 is not in the range"),
        (["--missing", "error"], "queries are not in all runs"),
        (["--qrels", "nowhere.txt"], "nowhere.txt"),
        (["-o", "nowhere/pool.txt"], "cannot write"),
        (["nowhere.run"], "nowhere.run"),
        (["-", "--qrels", "-"], "only one of the files can come from standard input"),
    ],
)
def test_bad_usage_in_the_shell(arguments: list[str], message: str) -> None:
    outcome = shell("judge", "before.run", "after.run", *arguments, cwd=EXAMPLES)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
