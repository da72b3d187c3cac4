"""CONTRIBUTING says that a new measure is one row of the table: its rows are added and used."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import medir
from medir.cli import main
from medir.measures import table as families
from medir.measures.family import Family
from tests.test_docs import BLOCK

TEXT = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = [block[2] for block in BLOCK.finditer(TEXT) if block[1] == "py"]
BEFORE, AFTER = ["a", "b", "c", "d"], ["c", "a", "e", "b"]


@pytest.fixture(params=ROWS, ids=lambda row: row.split('"')[1])
def row(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A row of CONTRIBUTING, as a line of the table."""
    added = eval(request.param, vars(families))
    table = (*families.FAMILIES, added)
    monkeypatch.setattr("medir.measures.table.FAMILIES", table)
    monkeypatch.setattr("medir.measures.notation.FAMILIES", table)
    monkeypatch.setitem(families.BY_NAME, added.name.lower(), added)
    return added


def root_precision(relevance: Sequence[float]) -> float:
    """(1/N) sum c_i / sqrt(i) over four ranks."""
    weights = [1 / math.sqrt(i) for i in range(1, 5)]
    return sum(c * w for c, w in zip(relevance, weights, strict=True)) / sum(weights)


def root_err(relevance: Sequence[float]) -> float:
    """Sum of c_i / sqrt(i) prod (1 - c_j) over four ranks, the highest grade being 2."""
    total, reach = 0.0, 1.0
    for i, c in enumerate(relevance, 1):
        total += reach * 0.75 * c / math.sqrt(i)
        reach *= 1 - 0.75 * c
    return total


DEFINITIONS = {"RootP": root_precision, "RootERR": root_err}


def test_rows_take_ten_lines() -> None:
    assert len(ROWS) == 2
    assert all(len(row.strip().splitlines()) <= 10 for row in ROWS)


def test_the_row_is_all_it_takes(row: Family) -> None:
    named = medir.measure(f"{row.name.lower()}@4")
    assert repr(named) == f"{row.name}@4"
    assert getattr(medir.measures, row.name) @ 4 == named
    score = DEFINITIONS[row.name]
    documents = sorted({*BEFORE, *AFTER})
    best = max(
        abs(score([grades[d] for d in AFTER]) - score([grades[d] for d in BEFORE]))
        for values in itertools.product((0, 1), repeat=len(documents))
        for grades in [dict(zip(documents, values, strict=True))]
    )
    assert medir.med(BEFORE, AFTER, named) == pytest.approx(best, abs=1e-12)


def test_the_row_is_listed_by_the_shell(row: Family) -> None:
    printed = CliRunner().invoke(main, ["measures"]).output
    assert row.name in printed
    assert row.formula in printed
