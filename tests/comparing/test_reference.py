"""The reference values of the design's mathematics.md, section 11, through every route.

Values of med for nDCG@20, RBP(.95) and RBP(.9), with highest grade 2, to the six decimals stated
there. `d1..dn` in order is the list before. They hold for `unseen="anything"`, as the paper has it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import RBP, Comparison, Measure, nDCG
from tests.cases.runs import write_qrels, write_run

MEASURES: list[Measure] = [nDCG @ 20, RBP(p=0.95), RBP(p=0.9)]
SIX_DECIMALS = 1e-6


@dataclass(frozen=True)
class Reference:
    """Two lists by the numbers of their documents, and the values of section 11."""

    before: list[int]
    after: list[int]
    values: tuple[float, float, float]
    judged: dict[int, int] = field(default_factory=dict)


def swapped(depth: int, rank: int) -> list[int]:
    """1..depth, with a rank and the next one swapped."""
    numbers = [*range(1, depth + 1)]
    numbers[rank - 1], numbers[rank] = numbers[rank], numbers[rank - 1]
    return numbers


FIVE, EIGHT, TEN, TWENTY = ([*range(1, n + 1)] for n in (5, 8, 10, 20))
REFERENCES = {
    "20-identical": Reference(TWENTY, TWENTY, (0, 0.358486, 0.121577)),
    "20-ranks-1-2-swapped": Reference(TWENTY, swapped(20, 1), (0.052423, 0.360986, 0.131577)),
    "20-ranks-19-20-swapped": Reference(TWENTY, swapped(20, 19), (0.000527, 0.359479, 0.123078)),
    "20-disjoint": Reference(TWENTY, [n + 20 for n in TWENTY], (1, 1, 1)),
    "20-reversed": Reference(TWENTY, TWENTY[::-1], (0.290735, 0.519498, 0.545796)),
    "5-identical": Reference(FIVE, FIVE, (0.581201, 0.773781, 0.590490)),
    "10-reversed": Reference(TEN, TEN[::-1], (0.546864, 0.649912, 0.516377)),
    "10-shifted": Reference(TEN, [*range(4, 14)], (0.657310, 0.741362, 0.619678)),
    "8-and-4": Reference(EIGHT, [3, 4, 5, 6], (0.762262, 0.832592, 0.721441)),
    "10-reversed-judged": Reference(
        TEN, TEN[::-1], (0.533293, 0.647876, 0.509816), {1: 2, 4: 1, 10: 0, 6: 2}
    ),
}
each_reference = pytest.mark.parametrize("name", REFERENCES)


def named(numbers: list[int]) -> list[str]:
    """Documents by name."""
    return [f"d{n}" for n in numbers]


def judged_by_name(reference: Reference) -> dict[str, int]:
    """Judgments by name."""
    return {f"d{n}": grade for n, grade in reference.judged.items()}


BEFORE = {name: named(reference.before) for name, reference in REFERENCES.items()}
AFTER = {name: named(reference.after) for name, reference in REFERENCES.items()}
QRELS = {name: judged_by_name(r) for name, r in REFERENCES.items() if r.judged}


def check(result: Comparison) -> None:
    """Every query of a comparison has its values."""
    assert result.queries == list(REFERENCES)
    for number, measure in enumerate(MEASURES):
        expected = [reference.values[number] for reference in REFERENCES.values()]
        assert result.column(measure).tolist() == pytest.approx(expected, rel=0, abs=SIX_DECIMALS)


@each_reference
def test_med(name: str) -> None:
    reference = REFERENCES[name]
    for documents in (named, list[int]):  # names, and numbers as names
        known: Any = dict(
            zip(documents(list(reference.judged)), reference.judged.values(), strict=True)
        )
        before, after = documents(reference.before), documents(reference.after)
        values = [
            medir.med(before, after, one, judged=known or None, unseen="anything")
            for one in MEASURES
        ]
        assert values == pytest.approx(reference.values, rel=0, abs=SIX_DECIMALS)


def test_ranked_lists() -> None:
    check(medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS, unseen="anything"))


def test_scores() -> None:
    before, after = (
        {query: {d: 1 / rank for rank, d in enumerate(documents, 1)} for query, documents in run}
        for run in (BEFORE.items(), AFTER.items())
    )
    check(medir.compare(before, after, MEASURES, qrels=QRELS, unseen="anything"))


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Both runs and the judgments as TREC files."""
    return (
        write_run(tmp_path / "before.run", BEFORE),
        write_run(tmp_path / "after.run", AFTER),
        write_qrels(tmp_path / "qrels.txt", QRELS),
    )


def test_files(files: tuple[Path, Path, Path]) -> None:
    before, after, qrels = files
    check(medir.compare(before, after, MEASURES, qrels=qrels, unseen="anything"))


def check_rows(output: str) -> None:
    """Every line of the shell's output has its value."""
    rows = {(row["query_id"], row["measure"]): row for row in map(json.loads, output.splitlines())}
    assert len(rows) == len(REFERENCES) * len(MEASURES)
    for name, reference in REFERENCES.items():
        for measure, value in zip(MEASURES, reference.values, strict=True):
            row = rows[name, repr(measure)]
            assert row["med"] == pytest.approx(value, rel=0, abs=SIX_DECIMALS)
            assert row["med"] == max(row["gain"], row["loss"])


def arguments(files: tuple[Path, Path, Path]) -> list[str]:
    """A command line that compares the files under all measures."""
    before, after, qrels = map(str, files)
    measures = [part for one in MEASURES for part in ("-m", repr(one))]
    options = ["--qrels", qrels, "--unseen", "anything", "--format", "jsonl"]
    return ["compare", before, after, *measures, *options]


def test_shell(files: tuple[Path, Path, Path]) -> None:
    command = Path(sys.executable).with_name("medir")
    done = subprocess.run(
        [command, *arguments(files)], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    check_rows(done.stdout)


def test_shell_writes_a_file(files: tuple[Path, Path, Path], tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("medir")
    output = tmp_path / "rows.jsonl"
    subprocess.run(
        [command, *arguments(files), "-o", output], check=True, capture_output=True, timeout=60
    )
    check_rows(output.read_text())


def test_judged_directions_can_differ() -> None:
    """With judgments the change can be known to lose: then gain is below loss."""
    result = medir.compare(BEFORE, AFTER, nDCG @ 20, qrels=QRELS, unseen="anything")
    row = result.row(len(REFERENCES) - 1)
    assert row.query_id == "10-reversed-judged"
    assert row.gain != row.loss
    assert row.med == max(row.gain, row.loss)
