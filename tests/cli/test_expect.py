"""`medir expect` in a shell."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import medir
from tests.cases.runs import write_run
from tests.shell import EXAMPLES
from tests.shell import medir as shell

RUNS = EXAMPLES / "before.run", EXAMPLES / "after.run"


def test_summary() -> None:
    options = "--prior", "rank", "-m", "ERR", "--unseen", "nothing", "--top", 3
    outcome = shell("expect", *RUNS, *options)
    assert (outcome.code, outcome.err) == (0, "")
    mean = medir.expect(*RUNS, "ERR", prior="rank", unseen="nothing").mean()
    assert f"{mean.expected:+.4f}" in outcome.out
    assert outcome.out.startswith(
        f"Expect the mean of ERR to change by {mean.expected:+.3f}; it rises with probability "
        f"{mean.helps.value:.3f} (95% interval"
    )
    assert "prior rank(p1=0.6, s=0.5) for 14,009 unjudged results" in outcome.out
    top = outcome.out[outcome.out.index("Largest expected differences in ERR") :]
    assert sum(line.startswith("q") for line in top.splitlines()) == 4


def test_rows(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("q001 json.encoder.JSONEncoder.encode 0.9\n")
    options = *RUNS, "--prior", tmp_path / "p.txt", "--default", 0.25, "--seed", 5
    rows = list(csv.reader(io.StringIO(shell("expect", *options, "--format", "csv").out)))
    result = medir.expect(*RUNS, prior=tmp_path / "p.txt", default=0.25, seed=5)
    assert [float(row[2]) for row in rows[1:]] == [row.expected for row in result]
    outcome = shell("expect", *options, "-o", tmp_path / "out.tsv", "--sort", "hurts", "--top", 1)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith(f"241 rows written to {tmp_path / 'out.tsv'}\n")
    assert "5,801 that it does not name have 0.25" in " ".join(outcome.out.split())
    worst = result.queries[result.largest(1, by="hurts")[0]]
    assert "Most likely to be hurt: nDCG@20" in outcome.out
    assert f"\n{worst} " in outcome.out
    copy = list(csv.reader(io.StringIO((tmp_path / "out.tsv").read_text()), delimiter="\t"))
    assert copy == rows


@pytest.mark.parametrize("columns", [30, 60, 100])
def test_never_cuts_numbers(columns: int, tmp_path: Path) -> None:
    write_run(tmp_path / "a", {"q": ["x", "y"]})
    write_run(tmp_path / "b", {"q": ["y", "z"]})
    arguments = tmp_path / "a", tmp_path / "b", "--prior", 0.5, "-m", "P@2"
    outcome = shell("expect", *arguments, env={"COLUMNS": str(columns)})
    assert "0.250" in outcome.out
    assert "…" not in outcome.out
    assert "(exactly)" in outcome.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Missing option '--prior'"),
        (["--prior", "2"], "medir: the prior is a probability from 0 to 1, not 2.0"),
        (["--prior", "nothing.txt"], "medir: nothing.txt: there is no such file"),
        (["--prior", "0.2", "--samples", "5"], "--samples"),
        (["--prior", "0.2", "-o", "out.xml"], "cannot tell the format of 'out.xml'"),
        (["--prior", "0.2", "--effort", "5"], "No such option"),
    ],
)
def test_faults(options: list[str], message: str) -> None:
    outcome = shell("expect", *RUNS, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err
