"""The documents of a report: those that gain and lose most exposure."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import medir
from medir.rendering.pages import exposed as section
from medir.rendering.pages.report import write_report
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QUERIES
from tests.cases.pages import HOSTILE_TITLE

pytest.importorskip("jinja2")

ROW = re.compile(
    r'<span class="name">(.*?)</span>(?:<span class="caption">(.*?)</span>)?</th>\s*'
    r'<td data-value="(.*?)" title="exposure (\S+) before, (\S+) after">(.*?)</td>\s*'
    r"<td>([\d,]+) → ([\d,]+)(?: <span class=\"mark \w+\">(\w+)</span>)?</td>"
)


def page_of(result: medir.Comparison, path: Path, **options: object) -> str:
    """The report as text."""
    write_report(result, path / "report.html", **options)  # type: ignore[arg-type]
    return (path / "report.html").read_text(encoding="utf-8")


def test_the_documents_that_move_most(tmp_path: Path) -> None:
    page = page_of(medir.compare(BEFORE, AFTER, ["P@10", "ERR"]), tmp_path, documents=DOCUMENTS)
    found = medir.documents(BEFORE, AFTER, "P@10", documents=DOCUMENTS)
    rows = ROW.findall(page)
    assert len(rows) == 20
    expected = [*found.gains(10), *found.losses(10)]
    for row, (name, title, change, before, after, shown, *queries, mark) in zip(
        expected, rows, strict=True
    ):
        assert (unescape(name), unescape(title)) == (row.doc_id, row.title)
        assert [float(change), float(before), float(after)] == [row.change, row.before, row.after]
        assert shown == f"{row.change:+.4f}"
        assert list(map(int, queries)) == [row.queries_before, row.queries_after]
        assert mark == (row.status if row.status in ("new", "gone") else "")
    assert found.counts_in_words() in page
    assert "<dt>exposure</dt>" in page


def test_settings_of_the_comparison_hold(tmp_path: Path) -> None:
    page = page_of(medir.compare(BEFORE, AFTER, "nDCG@20", depth=3, missing="skip"), tmp_path)
    found = medir.documents(BEFORE, AFTER, "nDCG@20", depth=3, missing="skip")
    assert [row[0] for row in ROW.findall(page)][:10] == [row.doc_id for row in found.gains(10)]
    assert found.counts_in_words() in page


def test_weights_of_the_comparison_hold(tmp_path: Path) -> None:
    result = medir.compare(BEFORE, AFTER, "P@10", queries=QUERIES, weight="weight")
    page = page_of(result, tmp_path)
    found = medir.documents(BEFORE, AFTER, "P@10", queries=QUERIES, weight="weight")
    assert [(row[0], float(row[2])) for row in ROW.findall(page)] == [
        (row.doc_id, row.change) for row in (*found.gains(10), *found.losses(10))
    ]
    assert max(abs(row.change) for row in found) > 1  # of one query, no document has more than 0.1
    assert "exposure 1 to give, times its query&#39;s weight" in page
    assert "times its query" not in page_of(medir.compare(BEFORE, AFTER), tmp_path)


def test_titles_are_text(tmp_path: Path) -> None:
    result = medir.compare({"q": ["<i>a"]}, {"q": ["b"]}, "P@1")
    page = page_of(result, tmp_path, documents={"<i>a": HOSTILE_TITLE})
    (_, _), (name, title) = (row[:2] for row in ROW.findall(page))
    assert (unescape(name), unescape(title)) == ("<i>a", HOSTILE_TITLE)
    assert "<i>a" not in page


def test_a_title_that_only_this_section_needs_is_no_missing_title(tmp_path: Path) -> None:
    """The note counts the documents of the lists that the page shows."""
    result = medir.compare({"q": ["a"], "r": ["b"]}, {"q": ["c"], "r": ["b", "d"]}, "P@2")
    page = page_of(result, tmp_path, documents={"a": "A", "d": "D"}, top=1)
    assert "has no title for 1 of these 2 documents" in page


def test_an_endless_id_is_cut(tmp_path: Path) -> None:
    ids = "a" * 200, "b" * 201
    page = page_of(medir.compare({"q": [ids[0]]}, {"q": [ids[1]]}, "P@1"), tmp_path)
    assert [row[0] for row in ROW.findall(page)] == ["b" * 199 + "…", ids[0]]


def test_nothing_moves(tmp_path: Path) -> None:
    page = page_of(medir.compare(BEFORE, BEFORE), tmp_path)
    assert "No document gains or loses any." in page
    assert not ROW.findall(page)


def test_a_measure_with_decay_has_no_such_section(tmp_path: Path) -> None:
    page = page_of(medir.compare(BEFORE, AFTER, ["ERR", "P@10"]), tmp_path)
    assert 'id="documents"' not in page
    assert "<dt>exposure</dt>" not in page


def test_a_similarity_beside_does_not_matter(tmp_path: Path) -> None:
    page = page_of(medir.compare(BEFORE, AFTER, ["RBO", "P@10"]), tmp_path)
    assert len(ROW.findall(page)) == 20


def test_passages_have_no_such_section(tmp_path: Path) -> None:
    result = medir.compare_passages({"q": [("a", 0, 10)]}, {"q": [("b", 0, 10)]})
    write_report(result, tmp_path / "report.html")
    assert 'id="documents"' not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_large_runs_are_left_to_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(section, "MOST_RESULTS", 1000)
    page = page_of(medir.compare(BEFORE, AFTER), tmp_path)
    assert "<code>medir documents</code> lists them" in page
    assert not ROW.findall(page)
