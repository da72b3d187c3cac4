"""What a reader does with a report: switch, filter, search, follow links, print."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import medir
from tests.cases.browsing import Scheme, Visit, require_browser, visited
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES

pytestmark = pytest.mark.slow
pytest.importorskip("jinja2")
require_browser()

from medir.rendering.pages.report import write_report  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MEASURES = ["nDCG@20", "ERR", "RBO(p=0.9)"]
A4 = 718  # pixels between margins of 1 cm


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS, queries=QUERIES, by="segment")


@pytest.fixture(scope="module")
def report(compared: medir.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(compared, path, documents=DOCUMENTS, top=60, command="medir compare a b")
    return path


@pytest.fixture(params=[1400, 400], ids=["wide", "phone"])
def visit(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Visit]:
    with visited(browser, report, request.param) as visit:
        yield visit


def shown_measures(visit: Visit) -> set[str | None]:
    """The measures of the pictures and tables that can be seen."""
    parts = visit.page.locator("[data-measure]:not([hidden])")
    return {parts.nth(n).get_attribute("data-measure") for n in range(parts.count())}


def test_table_and_pictures_follow_the_switch(visit: Visit, compared: medir.Comparison) -> None:
    for number, measure in enumerate(MEASURES[:2]):
        visit.choose(measure)
        assert shown_measures(visit) == {str(number)}
        assert visit.page.locator("#table th.group").first.text_content() == measure
        med = dict(zip(compared.queries, compared.column(measure).tolist(), strict=True))
        assert visit.column(1) == [med[query] for query in visit.ids]
        assert visit.column(1) == sorted(visit.column(1), reverse=True)
    heads = visit.page.locator("#table thead tr:last-child th:not([hidden])").all_text_contents()
    beside = ["RBO(p=0.9)", "entered", "left", "moved"]
    assert heads == ["Query", "med", "gain", "loss", "lower", "unseen", *beside]


def test_rank_similarities_have_a_column_and_a_distribution(
    visit: Visit, compared: medir.Comparison
) -> None:
    overlap = dict(zip(compared.queries, compared.column("RBO(p=0.9)").tolist(), strict=True))
    cells = visit.cells(4).evaluate_all("cells => cells.map(cell => cell.dataset.value)")
    for query, value in zip(visit.ids, cells, strict=True):
        assert value == ("null" if math.isnan(overlap[query]) else str(overlap[query]))
    assert visit.page.locator(".bars caption").last.text_content() == (
        "Weight of queries by value of RBO(p=0.9)"
    )


def test_a_long_table_shows_its_first_rows(visit: Visit) -> None:
    assert visit.rows.count() == 25
    visit.page.get_by_role("button", name="Show all 60").click()
    assert visit.rows.count() == 60
    assert visit.rows.nth(25).locator(":focus").count() == 1


def effects(compared: medir.Comparison, ids: list[str]) -> dict[str, list[str]]:
    """What the change can do to each query, from its row."""
    found: dict[str, list[str]] = {"only wins": [], "only loses": [], "either way": []}
    for query in ids:
        row = compared.row(compared.position(query))
        wins, loses = row.gain > 1e-9, row.loss > 1e-9
        name = "either way" if wins and loses else "only wins" if wins else "only loses"
        found[name].append(query)
    return found


def test_filters(visit: Visit, compared: medir.Comparison) -> None:
    visit.show_all()
    ids = visit.ids
    for name, expected in effects(compared, ids).items():
        visit.page.get_by_label("Show", exact=True).select_option(label=name)
        assert visit.ids == expected
    visit.page.get_by_label("Show", exact=True).select_option(label="changed")
    assert visit.ids == ids  # the most affected ones are changed
    segments = compared.sample.segments
    assert segments is not None
    for label in segments.labels:
        of_label = {compared.queries[position] for position in segments.of(label)}
        visit.page.get_by_label("segment", exact=True).select_option(label=label)
        assert visit.ids == [query for query in ids if query in of_label]


def test_search_says_what_is_not_in_the_page(visit: Visit, compared: medir.Comparison) -> None:
    below = compared.queries[compared.most_affected(61)[60]]
    visit.page.get_by_label("Search").fill(below)
    said = visit.page.locator("#none").text_content() or ""
    assert f"“{below}” is not among the 60 queries in this page, of 240" in said
    assert "medir explain shows any query" in said
    visit.page.get_by_label("Search").fill("")
    visit.page.get_by_label("Minimum med").fill("7")
    assert "No matching queries among the 60" in (visit.page.locator("#none").text_content() or "")


def test_a_link_opens_its_query(browser: Browser, report: Path, compared: medir.Comparison) -> None:
    last = compared.queries[compared.most_affected(60)[59]]
    with visited(browser, report, anchor=f"#{last}") as visit:
        region = visit.page.get_by_role("region", name=f"Query {last}")
        assert region.is_visible()
        href = region.get_by_role("link", name="Link to this query").get_attribute("href")
        assert href == f"#{last}"
        box = visit.rows.filter(has_text=last).bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 900
    with visited(browser, report, anchor="#q-none") as visit:
        assert "“q-none” is not among" in (visit.page.locator("#none").text_content() or "")


def test_links_of_ids_that_look_alike(browser: Browser, tmp_path: Path) -> None:
    """120 and q120 are two queries; a space and an umlaut are an id as well."""
    before = {"120": ["a"], "q120": ["a"], "ü b": ["a"]}
    after = {query: ["b"] for query in before}
    write_report(medir.compare(before, after, "P@1"), tmp_path / "report.html")
    for anchor, query in (("#q120", "120"), ("#qq120", "q120"), ("#q%C3%BC%20b", "ü b")):
        with visited(browser, tmp_path / "report.html", anchor=anchor) as visit:
            assert visit.page.locator(".panel h3").text_content() == f"Query {query}"
            href = visit.page.locator(".panel a").get_attribute("href")
            assert href == anchor


def test_keys_go_from_query_to_query(visit: Visit) -> None:
    ids = visit.ids
    visit.page.locator(".opener").first.press("Enter")
    for key, expected in (("n", 1), ("n", 2), ("p", 1)):
        visit.page.keyboard.press(key)
        assert visit.page.locator(".panel").get_attribute("aria-label") == f"Query {ids[expected]}"
    visit.page.get_by_role("button", name="Next").click()
    assert visit.page.locator(".panel").get_attribute("aria-label") == f"Query {ids[2]}"
    visit.page.get_by_role("button", name="Previous").click()
    assert visit.page.locator(".panel").get_attribute("aria-label") == f"Query {ids[1]}"
    visit.page.keyboard.press("Escape")
    assert visit.page.locator(".panel").count() == 0


def test_points_lead_to_rows(browser: Browser, report: Path, compared: medir.Comparison) -> None:
    query = compared.queries[compared.most_affected(60)[40]]
    with visited(browser, report) as visit:
        visit.page.locator(f'circle[data-query="{query}"]').first.dispatch_event("click")
        assert visit.page.locator(".panel").get_attribute("aria-label") == f"Query {query}"
        leading = visit.page.locator("[data-measure='0'] circle.leads").count()
        assert leading == 60
        assert visit.page.locator("[data-measure='0'] circle").count() == 240


def test_the_head_of_the_table_stays_in_sight(browser: Browser, report: Path) -> None:
    with visited(browser, report) as visit:
        visit.show_all()
        visit.rows.nth(50).scroll_into_view_if_needed()
        switch, head = (
            visit.page.locator(part).bounding_box() for part in ("#switch", "#table thead")
        )
        assert switch is not None
        assert head is not None
        assert switch["y"] == pytest.approx(0, abs=1)
        assert head["y"] == pytest.approx(switch["height"], abs=1)


def test_titles_are_what_people_read(visit: Visit) -> None:
    visit.page.locator(".opener").first.click()
    weight = "one => Number(getComputedStyle(one).fontWeight)"
    size = "one => Number.parseFloat(getComputedStyle(one).fontSize)"
    for title, small in ((".opener .words", ".opener .id"), (".panel .caption", ".panel .name")):
        first, second = (visit.page.locator(part).first for part in (title, small))
        assert first.evaluate(weight) > second.evaluate(weight)
        assert first.evaluate(size) > second.evaluate(size)


def test_unjudged_documents_have_the_grade_that_is_assumed(visit: Visit) -> None:
    """Grades 1 and 2 are apart under nDCG, of judgments with 2 as the highest."""
    visit.page.locator(".opener").first.click()
    said = set(visit.page.locator(".panel .worth > span:not([class])").all_text_contents())
    assert "grade 2" in said
    assert said <= {"grade 1", "grade 2", "not relevant"}


def test_paper_loses_no_column(browser: Browser, report: Path) -> None:
    with visited(browser, report, A4) as visit:
        visit.page.emulate_media(media="print")
        visit.page.locator(".opener").first.dispatch_event("click")
        assert not visit.is_too_wide
        heads = visit.page.locator("#table thead tr:last-child th:not([hidden])")
        assert heads.count() == 8
        for number in range(heads.count()):
            box = heads.nth(number).bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= A4 + 1
        assert not visit.page.locator("#filters").is_visible()


def test_how_it_was_made(report: Path, browser: Browser) -> None:
    from hashlib import sha256

    with visited(browser, report) as visit:
        assert visit.page.locator(".command").text_content() == "medir compare a b"
        hashes = visit.page.locator(".hash").all_text_contents()
        files = (BEFORE, AFTER, QUERIES, QRELS)
        assert hashes == [sha256(path.read_bytes()).hexdigest() for path in files]
        heading = visit.page.locator("h1").text_content() or ""
        assert heading.split() == ["before.run", "→", "to", "after.run"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_accessibility(browser: Browser, report: Path, scheme: Scheme, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with visited(browser, report, width, scheme) as visit:
        visit.page.locator(".opener").first.click()
        found = axe.Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()
