"""Queries whose ideal is 0: they have no value in a comparison, and the score 0."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import medir
from medir import Check
from tests.cases.runs import write_qrels, write_run
from tests.shell import good
from tests.shell import medir as shell

MEASURES = ["map", "AP(ideal='judged')@3", "ndcg", "ndcg_cut_3", "AP(rel=2, ideal='judged')@3"]
# Only q1 has a relevant judgment; q4 has none at all.
QRELS = {"q1": {"a": 2}, "q2": {"a": 0}, "q3": {"c": -1}}
BEFORE = {query: ["a", "b", "c"] for query in ("q1", "q2", "q3", "q4")}
AFTER = {query: ["b", "a", "d"] for query in BEFORE}


@pytest.mark.parametrize("name", MEASURES)
def test_no_value(name: str) -> None:
    result = medir.compare(BEFORE, AFTER, name, qrels=QRELS)
    for column in ("med", "gain", "loss", "lower"):
        values = result.column(name, column)
        assert np.isfinite(values[0])
        assert np.isnan(values[1:]).all()
    assert result.column(name, "gap").tolist() == [0] * 4
    assert result.without_relevant == 3


@pytest.mark.parametrize("name", MEASURES)
def test_left_out_of_the_mean_and_counted(name: str) -> None:
    result = medir.compare(BEFORE, AFTER, name, qrels=QRELS)
    alone = medir.compare({"q1": BEFORE["q1"]}, {"q1": AFTER["q1"]}, name, qrels=QRELS)
    one = medir.measure(name)
    assert result.mean()[one] == alone.mean()[one] > 0
    assert result.mean("geometric")[one] == alone.mean("geometric")[one]
    summary = result.summary(name)
    assert summary.missing == 3
    assert summary.med.maximum == summary.med.minimum == summary.med.mean
    assert [row.query_id for row in result.top(10)] == ["q1"]


@pytest.mark.parametrize("name", MEASURES)
def test_fails_a_gate(name: str) -> None:
    """Nobody can say that such a query keeps a limit."""
    result = medir.compare(BEFORE, AFTER, name, qrels=QRELS)
    (outcome,) = Check(medir.measure(name), 100).outcomes(result)
    assert not outcome.passed
    assert "3 queries have no value" in str(outcome)
    judged = medir.compare({"q1": BEFORE["q1"]}, {"q1": AFTER["q1"]}, name, qrels=QRELS)
    assert all(outcome.passed for outcome in Check(medir.measure(name), 100).outcomes(judged))


@pytest.mark.parametrize("name", MEASURES)
def test_matrix(name: str) -> None:
    runs = {"before": BEFORE, "after": AFTER}
    found = medir.matrix(runs, [name, "P@2"], qrels=QRELS)
    compared = medir.compare(BEFORE, AFTER, name, qrels=QRELS)
    assert found.mean(name)[0, 1] == compared.mean()[medir.measure(name)]
    assert found.missing(name) == 3
    assert found.missing("P@2") == 0


def test_explanation_and_solution() -> None:
    why = medir.explain(BEFORE, AFTER, "map", query="q2", qrels=QRELS)
    assert why.sentence == (
        "AP(ideal='judged')@all has no value: its ideal comes from judgments, and none is relevant."
    )
    assert np.isnan(medir.med(["a"], ["b"], "ndcg", judged={"a": 0}))


def test_values_above_1_are_said() -> None:
    """One judged document makes the ideal 1; the others may be relevant, too."""
    lists = {"q": ["a", "b", "c"]}, {"q": ["d", "e", "f"]}
    result = medir.compare(*lists, ["ndcg", "nDCG@3"], qrels={"q": {"x": 1}})
    assert result.column("ndcg")[0] > 1
    notes = "\n".join(result.notes())
    name = "nDCG(gains='linear', ideal='judged')@all"
    assert f"{name}: 1 query above 1, since its ideal counts judged documents only" in notes
    assert f"{name}: unseen ranks do not apply, since there is nothing below a list" in notes
    assert "nDCG@3:" not in notes


def files(folder: Path) -> list[Path]:
    return [
        write_run(folder / "before.run", BEFORE),
        write_run(folder / "after.run", AFTER),
        write_qrels(folder / "qrels.txt", QRELS),
    ]


def test_shell_says_it(tmp_path: Path) -> None:
    before, after, qrels = files(tmp_path)
    text = good(shell("compare", before, after, "-m", "map", "--qrels", qrels))
    assert "no value of AP(ideal='judged')@all for 3 queries" in text
    assert "nan" not in text
    rows = good(shell("compare", before, after, "-m", "map", "--qrels", qrels, "--format", "csv"))
    assert rows.splitlines()[2].startswith("q2,AP(ideal='judged')@all,,,,,0")
    text = good(shell("explain", before, after, "q3", "-m", "map", "--qrels", qrels))
    assert "query q3, AP(ideal='judged')@all: no value" in text


def test_report_has_valid_data(tmp_path: Path) -> None:
    """A query without a value under one measure stands in the table of another."""
    before, after, qrels = files(tmp_path)
    page = tmp_path / "report.html"
    options = ["-m", "P@2", "-m", "map", "--qrels", qrels, "--report", page]
    good(shell("compare", before, after, *options))

    def refuse(text: str) -> None:
        raise ValueError(text)

    found = re.search(r'<script[^>]*type="application/json"[^>]*>(.*?)</script>', page.read_text())
    assert found is not None
    data = json.loads(found[1], parse_constant=refuse)
    rows = {row["id"]: row["values"][1] for row in data["rows"]}
    assert rows["q2"][:3] == [None, None, None]
    assert rows["q1"][0] > 0
