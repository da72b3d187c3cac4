"""What a report says first: the verdict and the checks; weights and segments."""

from __future__ import annotations

import re
from html import escape, unescape
from pathlib import Path

import pytest

import medir
from medir.comparing.decision.gate import Check, Outcome
from medir.comparing.decision.gate import checked as gate
from medir.rendering.pages.report import write_report
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.pages import HOSTILE_TEXT, Elements, data_of, notes
from tests.shell import medir as medir_command

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(BEFORE, AFTER, ["nDCG@20", "AP@10"], qrels=QRELS)


@pytest.fixture(scope="module")
def page(compared: medir.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(compared, path)
    return path


def parts_of(page: Path) -> list[str]:
    """The sections of a page by the ids of their headings, in order."""
    return re.findall(r'<section aria-labelledby="(.*?)">', page.read_text(encoding="utf-8"))


def rows_of(table: str) -> list[list[str]]:
    """The cells of a table as text, row by row."""
    found = re.findall(r"<tr>(.*?)</tr>", table, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>([^<]*)</t[hd]>", row) for row in found]


def checked(result: medir.Comparison, *checks: str) -> list[Outcome]:
    return gate(result, [Check.parse(text) for text in checks])


def test_the_verdict_comes_first(compared: medir.Comparison, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    sentences = [unescape(one) for one in re.findall(r'<p class="verdict">(.*?)</p>', text)]
    assert sentences == compared.verdict()
    assert len(sentences) >= 2
    assert parts_of(page) == [
        "verdict",
        "queries",
        "distribution",
        "documents",
        "compared",
        "reading",
    ]
    assert 'class="checks"' not in text


def test_checks_are_at_the_top(compared: medir.Comparison, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    outcomes = checked(compared, "nDCG@20=0.9", "loss:max:AP@10=0.1")
    assert [one.passed for one in outcomes] == [True, False]
    write_report(compared, page, outcomes=outcomes)
    text = page.read_text(encoding="utf-8")
    found = re.findall(r'<li class="(\w+)"><b>(\w+)</b> (.*?)</li>', text)
    assert found == [
        ("passed", "ok", escape(str(outcomes[0]))),
        ("failed", "failed", escape(str(outcomes[1]))),
    ]
    assert text.index('class="verdict"') < text.index('class="checks"') < text.index('"compared"')


def test_the_command_puts_checks_into_the_report(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    limits = ["--fail-above", "nDCG@20=0.9", "--fail-above", "max:nDCG@20=0.5"]
    outcome = medir_command("compare", BEFORE, AFTER, *limits, "--report", page)
    assert outcome.code == 1
    marks = re.findall(r'<li class="(\w+)"><b>', page.read_text(encoding="utf-8"))
    assert marks == ["passed", "failed"]


SEGMENTED = {
    "before": {"q1": ["a"], "q2": ["a"], "q3": ["a", "b"], "q4": ["a"], "q5": ["a"]},
    "after": {"q1": ["b"], "q2": ["a"], "q3": ["b", "a"], "q4": ["a"], "q5": ["x"]},
}
TABLE = {
    "q1": {"weight": 3, "kind": "head"},
    "q2": {"weight": 1, "kind": "head"},
    "q3": {"weight": 2.5, "kind": "tail"},
    "q4": {"weight": 0, "kind": "<b>none"},
}  # q5 has no row: weight 1, no segment


def segmented(page: Path) -> str:
    """A page of five queries with weights and segments. Under P@1, q1, q3 and q5 can move by 1."""
    runs = SEGMENTED["before"], SEGMENTED["after"]
    result = medir.compare(*runs, "P@1", queries=TABLE, by="kind", unseen="nothing")
    write_report(result, page)
    return page.read_text(encoding="utf-8")


def test_segments(tmp_path: Path) -> None:
    """By hand: head has weights 3 and 1, of which 3 moved; tail has one query, which moved."""
    text = segmented(tmp_path / "report.html")
    assert parts_of(tmp_path / "report.html")[2:5] == [
        "distribution",
        "segments",
        "documents",
    ]
    section = text[text.index('aria-labelledby="segments"') : text.index('id="documents"')]
    head, *rows = rows_of(section)
    assert head[:4] == ["kind", "Queries", "Changed", "Mean"]
    assert [row[:4] for row in rows] == [
        ["head", "2", "75%", "0.7500"],
        ["tail", "1", "100%", "1.0000"],
        ["(none)", "1", "100%", "1.0000"],
    ]
    assert "No weight, or no value: &lt;b&gt;none." in section
    assert "P@1</b> by kind" in section
    notes_ = notes(tmp_path / "report.html")
    assert "Means, shares and percentiles are weighted by the column weight." in notes_
    assert "1 query has no weight: 1 is used (--missing-weight)." in notes_


def test_no_segments_no_section(page: Path) -> None:
    assert "segments" not in parts_of(page)


def test_the_histogram_is_weighted(tmp_path: Path) -> None:
    """By hand: of 7.5, 6.5 could move by 1 (q1, q3 and q5) and 1 not at all (q2)."""
    text = segmented(tmp_path / "report.html")
    assert "Weight of queries by med of <b>P@1</b>" in text
    section = text[text.index('id="distribution"') :]
    bars = {row[0]: row[-2:] for row in rows_of(section) if row and row[-1].endswith(" %")}
    assert len(bars) == 21
    assert bars.pop("0") == ["1", "13.3 %"]
    assert bars.pop("0.95–1.00") == ["6.5", "86.7 %"]
    assert set(map(tuple, bars.values())) == {("0", "0.0 %")}


def test_rounding_is_no_bar(tmp_path: Path) -> None:
    """Of a weight of 6,056 in all, none is between 0 and 0.05 here: not even -1e-13."""
    page = tmp_path / "report.html"
    result = medir.compare(BEFORE, AFTER, "nDCG@20", queries=QUERIES, depth=15)
    med, weights = result.column(), result.sample.weights
    assert weights is not None
    assert not weights[(med > 0) & (med < 0.05)].any()
    write_report(result, page)
    section = page.read_text(encoding="utf-8").partition('id="distribution"')[2]
    bars = [row for row in rows_of(section) if row and row[-1].endswith(" %")]
    assert bars[1][-2:] == ["0", "0.0 %"]
    assert sum(int(row[-2].replace(",", "")) for row in bars) == weights.sum()


def test_names_of_segments_and_checks_stay_text(tmp_path: Path) -> None:
    queries = {"q": {"<i>kind": HOSTILE_TEXT}, "r": {"<i>kind": "<u>"}}
    runs = {"q": ["a"], "r": ["a"]}, {"q": ["b"], "r": ["b"]}
    result = medir.compare(*runs, "P@1", queries=queries, by="<i>kind")
    page = tmp_path / "report.html"
    write_report(result, page, outcomes=checked(result, "segment=<u>:P@1=0.5"))
    elements = Elements(page)
    assert not {"u", "img"} & set(elements.names)
    assert elements.names.count("script") == 2
    assert HOSTILE_TEXT in elements.text
    assert "<u>" in elements.text


def test_a_measure_without_a_value_is_left_out_and_said(tmp_path: Path) -> None:
    """Not one judgment is relevant, so that the ideal of the first is 0."""
    page, runs, qrels = tmp_path / "report.html", ({"q": ["a"]}, {"q": ["b"]}), {"q": {"z": 0}}
    names = ["nDCG(ideal='judged')@1", "P@1"]
    write_report(medir.compare(*runs, names, qrels=qrels), page)
    text = Elements(page).text
    assert "No query has a value of nDCG(ideal='judged')@1." in text
    assert "No value of nDCG(ideal='judged')@1 for 1 query." in text
    summary = page.read_text(encoding="utf-8").partition('id="summary-table"')[2]
    assert [row[0] for row in rows_of(summary) if row][:2] == ["Measure", "P@1"]
    write_report(medir.compare(*runs, names[0], qrels=qrels), page)
    assert 'class="bars"' not in page.read_text(encoding="utf-8")
    assert data_of(page)["rows"] == []


def test_queries_without_weight_have_no_summary(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(medir.compare({"q": ["a"]}, {"q": ["b"]}, queries={"q": {"weight": 0}}), page)
    assert "All queries have weight 0" in Elements(page).text
    assert len(data_of(page)["rows"]) == 1
