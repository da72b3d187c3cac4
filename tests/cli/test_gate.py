"""`medir compare --fail-above` in a shell: exit codes and messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.runs import write_qrels, write_run
from tests.comparing.test_gate import AFTER, BEFORE
from tests.shell import medir as shell


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return (
        str(write_run(tmp_path / "before.run", BEFORE)),
        str(write_run(tmp_path / "after.run", AFTER)),
    )


def test_exit_codes(files: tuple[str, str]) -> None:
    passed = shell("compare", *files, "--fail-above", "P@2=0.7", "--fail-above", "any:P@2=1")
    assert passed.code == 0
    assert passed.err == ""
    failed = shell("compare", *files, "--fail-above", "P@2=0.6")
    assert failed.code == 1
    assert failed.err == (
        "medir: check failed: mean P@2 is 0.6250, above 0.6; "
        "2 queries above it: q2 (1.0000), q3 (1.0000)\n"
    )
    assert shell("compare", *files, "--fail-above", "P@2").code == 2


def test_every_check_that_failed_is_named(files: tuple[str, str]) -> None:
    done = shell(
        "compare", *files, "-m", "P@2", "--fail-above", "P@2=0.1", "--fail-above", "any:P@1=0.5",
        "--fail-above", "any:P@4=1",
    )  # fmt: skip
    assert done.code == 1
    lines = done.err.splitlines()
    assert [line.split(" is ")[0] for line in lines] == [
        "medir: check failed: mean P@2",
        "medir: check failed: any P@1",
    ]
    assert "P@4" in done.out  # a measure that only a check names is computed too


def test_rows_are_written_before_a_check_fails(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    done = shell("compare", *files, "-m", "P@2", "-o", str(out), "--fail-above", "any:P@2=0")
    assert done.code == 1
    assert len(out.read_text().splitlines()) == 5
    printed = shell("compare", *files, "-m", "P@2", "--format", "csv", "--fail-above", "P@2=0")
    assert printed.code == 1
    assert printed.out == out.read_text()


def test_judgments_tighten_the_checks(files: tuple[str, str], tmp_path: Path) -> None:
    nothing = dict.fromkeys("abcdxy", 0)
    qrels = write_qrels(tmp_path / "qrels.txt", dict.fromkeys(BEFORE, nothing))
    assert shell("compare", *files, "--fail-above", "any:P@2=0.1").code == 1
    done = shell("compare", *files, "--qrels", str(qrels), "--fail-above", "any:P@2=0.1")
    assert done.code == 0
