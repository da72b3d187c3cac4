"""Limits of a comparison: how they are written, what they find, exit codes and messages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import medir
from medir import RBP, P, UsageError, nDCG
from medir.comparing.gate import Check
from tests.cases.runs import write_qrels, write_run
from tests.shell import medir as shell

BEFORE = {f"q{i}": ["a", "b", "c", "d"] for i in range(4)}
# P@2 differs by 0, 0.5, 1 and 1: nothing, one of two, both, both of the first two are new.
AFTER = {
    "q0": ["b", "a", "c", "d"],
    "q1": ["a", "x", "c", "d"],
    "q2": ["x", "y", "c", "d"],
    "q3": ["c", "d", "a", "b"],
}
MEAN, MEDIAN = 0.625, 0.75


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    return (
        str(write_run(tmp_path / "before.run", BEFORE)),
        str(write_run(tmp_path / "after.run", AFTER)),
    )


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("nDCG@20=0.3", Check("mean", nDCG @ 20, 0.3)),
        ("mean:nDCG@20=0.3", Check("mean", nDCG @ 20, 0.3)),
        ("p95:ndcg_cut_10=.5", Check("p95", nDCG @ 10, 0.5)),
        ("p99.9:P@5=1", Check("p99.9", P @ 5, 1.0)),
        ("any:RBP(p=0.8)=1e-3", Check("any", RBP(p=0.8), 0.001)),
        ("median: P@5 =0", Check("median", P @ 5, 0.0)),
    ],
)
def test_notation(text: str, check: Check) -> None:
    assert Check.parse(text) == check


@pytest.mark.parametrize(
    "text", ["nDCG@20", "nDCG@20=", "nDCG@20=x", "nDCG@20=nan", "p100:P@5=1", "max:P@5=1", "=0.3"]
)
def test_what_is_not_a_check(text: str) -> None:
    with pytest.raises(UsageError, match="check"):
        Check.parse(text)


def test_a_check_of_no_measure_says_which_is_near() -> None:
    with pytest.raises(UsageError, match=r"nDGC@20=1.*did you mean nDCG@20"):
        Check.parse("nDGC@20=1")


@pytest.mark.parametrize(
    ("statistic", "value"),
    [("mean", MEAN), ("median", MEDIAN), ("any", 1.0), ("p25", np.percentile([0, 0.5, 1, 1], 25))],
)
def test_statistics(statistic: str, value: float) -> None:
    result = medir.compare(BEFORE, AFTER, P @ 2)
    assert Check(statistic, P @ 2, 0.0).of(result).value == pytest.approx(value, abs=1e-12)
    assert Check(statistic, P @ 2, value + 1e-9).of(result).passed
    assert not Check(statistic, P @ 2, value - 1e-9).of(result).passed


def test_a_value_at_the_limit_passes() -> None:
    assert Check.parse("any:P@2=1").of(medir.compare(BEFORE, AFTER, P @ 2)).passed


def test_what_is_not_proven_counts_with_its_gap() -> None:
    random = np.random.default_rng(2)
    documents = [f"d{i}" for i in range(100)]
    shuffled = [documents[i] for i in np.argsort(np.arange(100) + random.normal(0, 3, 100))]
    result = medir.compare({"q": documents}, {"q": shuffled}, "AP@100", effort=1)
    row = result.row(0)
    assert row.gap > 0, row
    assert not Check.parse(f"any:AP@100={row.med + row.gap / 2}").of(result).passed
    assert Check.parse(f"any:AP@100={row.med + row.gap * 1.01}").of(result).passed


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
