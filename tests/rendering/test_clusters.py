"""Reports of documents with the same content: which copy stands in a row, and what it repeats."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import medir
from tests.cases.browsing import require_browser, visited
from tests.cases.folders import Folder, decoded
from tests.cases.pages import data_of

pytest.importorskip("jinja2")

from medir.rendering.pages.report import write_report

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# a stands for its cluster before and repeats A after; B repeats b in both lists.
BEFORE = {"q": ["a", "b", "c", "B"], "r": ["x", "y"]}
AFTER = {"q": ["A", "a", "b", "B"], "r": ["y", "x"]}
CLUSTERS = {"a": 1, "A": 1, "b": 2, "B": 2}
TITLES = {"a": "title of a", "A": "title of A", "B": "title of B"}


def half(relevance: Any) -> float:
    """A function of one's own, whose lists no kernel writes."""
    return float(relevance[0]) / 2


@pytest.fixture(params=["kernels", "Python"])
def compared(request: pytest.FixtureRequest) -> medir.Comparison:
    measures: list[Any] = ["nDCG@4", "ERR@4"]
    if request.param == "Python":
        measures.append(medir.define("half", half, values=(0, 1)) @ 4)
    return medir.compare(BEFORE, AFTER, measures, clusters=CLUSTERS)


def test_rows_of_a_ranking(compared: medir.Comparison) -> None:
    """Every row has a name of its own, and both lists have their documents."""
    one = compared.ranking(0)
    assert one.before == ["a", "b", "c", "B repeats b"]
    assert one.after == ["a", "a repeats A", "b", "B repeats b"]
    assert one.same["a"] == ("a", "A", None)
    assert one.same["a repeats A"] == ("a", None, "a")
    assert one.same["B repeats b"] == ("B", None, "b")
    assert one.titled(4) == {
        "a": "a", "A": "A", "b": "b", "c": "c", "B": "B",
        "a repeats A": "a", "B repeats b": "B",
    }  # fmt: skip


def test_data_of_the_page(compared: medir.Comparison, tmp_path: Path) -> None:
    write_report(compared, tmp_path / "report.html", documents=TITLES)
    data = data_of(tmp_path / "report.html")
    names = [one[0] for one in data["documents"]]
    place = next(i for i, row in enumerate(data["rows"]) if row["id"] == "q")
    rows = data["lists"][place]["documents"]
    found = {
        (names[row[0]], *row[1:3]): [None if one is None else one for one in row[4:]]
        for row in rows
    }
    order = [names[row[0]] for row in rows]
    assert found[("a", 1, 1)] == [names.index("A"), None]
    assert found[("a", 0, 2)] == [None, order.index("a")]
    assert found[("B", 4, 4)] == [None, order.index("b")]
    assert found[("c", 3, 0)] == []
    assert dict(data["documents"][names.index(d)] for d in TITLES) == TITLES
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "2 clusters of 4 documents" in text


def test_data_of_a_folder(tmp_path: Path) -> None:
    result = medir.compare(BEFORE, AFTER, ["nDCG@4", "ERR@4"], clusters=CLUSTERS)
    write_report(result, f"{tmp_path}/report/", documents=TITLES)
    folder = Folder(tmp_path / "report")
    first, second = folder.lists()
    cut, before, after, places, grades, codes, ids, norms, others, repeats = first
    assert (before, after, ids) == (4, 4, ["a", "b", "c", "B", "a"])
    assert decoded(places) == [1, 3, 0, 4, 2]
    assert others == [[0, "A"]]
    assert repeats == [[3, 1], [4, 0]]
    assert norms == []
    assert (decoded(grades)[3], decoded(grades)[4], len(codes), cut) == (1, 1, 4, 0)
    assert len(second) == 7  # without clusters, as ever
    titles = [pair for bucket in folder.names("titles") for pair in folder.script(bucket)]
    assert dict(titles) == TITLES


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_reader_sees(
    compared: medir.Comparison, browser: Browser, tmp_path: Path, kind: str
) -> None:
    expect = require_browser().expect
    target = tmp_path / ("report.html" if kind == "file" else "report")
    write_report(compared, str(target) + ("" if kind == "file" else "/"), documents=TITLES)
    page = target if kind == "file" else target / "index.html"
    with visited(browser, page, anchor="#q", folder=kind == "folder") as visit:
        before, after = (visit.page.get_by_label(f"List {side}") for side in ("before", "after"))
        expect(before.locator(".name")).to_have_text(["a", "b", "c", "B"])
        expect(after.locator(".name")).to_have_text(["A", "a", "b", "B"])
        expect(after.locator(".caption")).to_have_text(["title of A", "title of a", "title of B"])
        expect(after.locator("li").nth(1)).to_contain_text("repeats A, rank 1")
        expect(after.locator("li").nth(3)).to_contain_text("repeats b, rank 3")
        expect(before.locator("li").nth(3)).to_contain_text("repeats b, rank 2")
        expect(visit.page.locator(".panel .sentence")).to_have_text(compared.explain("q").sentence)
