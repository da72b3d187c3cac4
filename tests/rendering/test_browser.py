"""The report in a browser: headless Chromium, from disk."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

import medir
from medir.comparing.decision.gate import Check, checked
from tests.cases.browsing import CONTRAST, Visit, require_browser, visited
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES
from tests.cases.pages import HOSTILE, HOSTILE_DOCUMENT, HOSTILE_QUERY, HOSTILE_TEXT, HOSTILE_TITLE

pytestmark = pytest.mark.slow
pytest.importorskip("jinja2")
require_browser()

from medir.rendering.pages.report import write_report  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MEASURES = ["nDCG@20", "AP@10"]
COLUMNS = ["med", "gain", "loss"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report, the same as CSV, and a report whose every text is markup."""
    folder = tmp_path_factory.mktemp("reports")
    result = medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS)
    write_report(result, folder / "report.html", queries=QUERIES, documents=DOCUMENTS)
    result.write(folder / "rows.csv")
    about = {HOSTILE_QUERY: {"text": HOSTILE_TEXT, HOSTILE_TITLE: HOSTILE_TEXT}}
    qrels = {HOSTILE_QUERY: {HOSTILE_DOCUMENT: 1}}
    bad = medir.compare(*HOSTILE, "P@3", qrels=qrels, queries=about, by=HOSTILE_TITLE)
    write_report(
        bad,
        folder / "hostile.html",
        documents={HOSTILE_DOCUMENT: HOSTILE_TITLE},
        outcomes=checked(bad, [Check.parse("segment=*:P@3=0.1")]),
    )
    return folder


@pytest.fixture(scope="module")
def decided(reports: Path) -> tuple[Path, list[str]]:
    """A report with weights and segments, and with checks that passed and failed; its verdict."""
    path = reports / "decided.html"
    result = medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS, queries=QUERIES, by="segment")
    limits = "nDCG@20=0.9", "loss:p95:AP@10=0.1", "segment=*:max:nDCG@20=0.8"
    outcomes = checked(result, [Check.parse(limit) for limit in limits])
    assert {one.passed for one in outcomes} == {True, False}
    write_report(result, path, documents=DOCUMENTS, outcomes=outcomes)
    return path, result.verdict()


@pytest.fixture(params=[1400, 400], ids=["wide", "phone"])
def visit(request: pytest.FixtureRequest, browser: Browser, reports: Path) -> Iterator[Visit]:
    with visited(browser, reports / "report.html", request.param) as visit:
        visit.show_all()
        yield visit


@pytest.fixture
def hostile(browser: Browser, reports: Path) -> Iterator[Visit]:
    with visited(browser, reports / "hostile.html") as visit:
        yield visit


@pytest.mark.parametrize("width", [1400, 400])
def test_a_report_of_passages_opens(browser: Browser, tmp_path: Path, width: int) -> None:
    path = tmp_path / "passages.html"
    before: Any = {"q1": [("a", 0, 30), ("b", 10, 20)], "q2": [("c", 0, 9)]}
    after: Any = {"q1": [("b", 0, 25), ("a", 10, 30)], "q2": [("d", 0, 9)]}
    write_report(medir.compare_passages(before, after, "U@40"), path)
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    visit = Visit(context.new_page(), path)
    visit.page.locator(".opener", has_text="q1").click()
    panel = visit.page.locator(".panel").inner_text()
    assert "with what each stretch adds to the" in panel
    assert all(name in panel for name in ("a 0-10", "a 10-30", "a 30-40", "b 10-25"))
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not visit.page.evaluate(wide)
    assert visit.faults == []
    context.close()


def rows_of(reports: Path) -> dict[tuple[str, str], dict[str, str]]:
    text = (reports / "rows.csv").read_text(encoding="utf-8")
    return {(r["query_id"], r["measure"]): r for r in csv.DictReader(io.StringIO(text))}


def test_numbers_equal_the_csv(visit: Visit, reports: Path) -> None:
    rows = rows_of(reports)
    ids = visit.ids
    assert len(ids) == 183
    med = {
        query: float(r["med"])
        for (query, measure), r in rows.items()
        if measure == "nDCG@20" and any(int(r[name]) for name in ("entered", "left", "moved"))
    }
    assert ids == sorted(med, key=lambda query: -med[query])  # stable
    for measure in MEASURES:
        visit.choose(measure)
        ids = visit.ids
        for number, name in enumerate(COLUMNS, 1):
            expected = [float(rows[query, measure][name]) for query in ids]
            assert visit.column(number) == expected
            shown = [cell.replace("−", "-") for cell in visit.cells(number).all_text_contents()]
            assert [float(cell) for cell in shown] == pytest.approx(expected, abs=5.1e-5)
            assert all(re.fullmatch(r"-?\d\.\d{4}", cell) for cell in shown)
        for number, name in enumerate(("entered", "left", "moved"), 4):
            assert visit.column(number) == [int(rows[query, measure][name]) for query in ids]


def test_nothing_is_wider_than_the_window(visit: Visit) -> None:
    visit.page.locator(".opener").nth(20).click()
    width = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    assert visit.page.evaluate(width)
    box = visit.page.locator(".panel").bounding_box()
    window = visit.page.viewport_size
    assert box is not None
    assert window is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]


def test_the_table_sorts(visit: Visit) -> None:
    for number in (2, 3, 6):
        visit.head(number).locator("button").click()
        values = visit.column(number)
        assert values == sorted(values, reverse=True)
        assert visit.head(number).get_attribute("aria-sort") == "descending"
        visit.head(number).locator("button").press("Enter")
        values = visit.column(number)
        assert values == sorted(values)
        assert visit.head(number).get_attribute("aria-sort") == "ascending"
    visit.head(0).locator("button").press("Space")
    assert visit.ids == sorted(visit.ids)
    assert visit.page.locator("th[aria-sort]").count() == 1


def test_the_table_filters(visit: Visit) -> None:
    visit.page.get_by_label("Search").fill("FILE temporary")
    assert 0 < visit.rows.count() < 20
    for text in visit.page.locator("#table tr.row th").all_text_contents():
        assert "file" in text.lower()
        assert "temporary" in text.lower()
    visit.page.get_by_label("Search").fill("q072")
    assert visit.ids == ["q072"]
    assert visit.page.locator("#count").text_content() == "1 of 183 queries"
    visit.page.get_by_label("Search").fill("no such query")
    assert visit.rows.count() == 0
    visit.page.get_by_role("button", name="Show all").click()
    assert visit.rows.count() == 183


def test_a_minimum_of_med(visit: Visit) -> None:
    for measure in MEASURES:
        visit.choose(measure)
        med = visit.column(1)
        visit.page.get_by_label("Minimum med").fill("0.5")
        assert visit.column(1) == [value for value in med if value >= 0.5]
        visit.page.get_by_label("Minimum med").fill("")


def check_lists(visit: Visit, query: str) -> None:
    """The two lists of a query, with how each document moved, in words."""
    runs = [medir.Run.read(path)[query][:20] for path in (BEFORE, AFTER)]
    for number, side in enumerate(("before", "after")):
        items = visit.page.get_by_role("list", name=f"List {side}").locator("li")
        assert items.locator(".name").all_text_contents() == runs[number]
        for rank, document in enumerate(runs[number], 1):
            item = items.nth(rank - 1)
            ranks = [run.index(document) + 1 if document in run else 0 for run in runs]
            by = abs(ranks[0] - ranks[1])
            mark = (
                "+ new" if ranks[0] == 0
                else "− gone" if ranks[1] == 0
                else "= same" if by == 0
                else f"▲ {by}" if ranks[1] < ranks[0]
                else f"▼ {by}"
            )  # fmt: skip
            assert item.locator(".mark [aria-hidden]").text_content() == mark
            assert item.locator(".rank").text_content() == f"rank {rank}"
    both = len(set(runs[0]) & set(runs[1]))
    assert visit.page.locator(".links path").count() == both > 0


def test_a_query_opens_by_mouse(visit: Visit) -> None:
    line = visit.rows.filter(has_text="q134")
    opener = line.locator(".opener")
    assert opener.get_attribute("aria-expanded") == "false"
    line.locator("td").first.click()
    assert opener.get_attribute("aria-expanded") == "true"
    region = visit.page.get_by_role("region", name="Query q134")
    assert region.is_visible()
    check_lists(visit, "q134")
    visit.page.get_by_role("button", name="Close", exact=True).click()
    assert region.count() == 0
    assert opener.evaluate("button => button === document.activeElement")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_query_opens_by_keyboard(visit: Visit, key: str) -> None:
    visit.page.locator(".opener").first.focus()
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press("ArrowDown")
    visit.page.keyboard.press(key)
    region = visit.page.get_by_role("region", name="Query q234")
    assert region.is_visible()
    check_lists(visit, "q234")
    visit.page.keyboard.press("Tab")
    assert region.locator(":focus").count() == 1
    visit.page.keyboard.press("Escape")
    assert region.count() == 0
    opener = visit.rows.filter(has_text="q234").locator(".opener")
    assert opener.evaluate("button => button === document.activeElement")


def test_an_open_query_stays_open_when_the_table_is_sorted(visit: Visit) -> None:
    visit.rows.filter(has_text="q234").locator(".opener").click()
    visit.head(0).locator("button").click()
    before = "table => table.querySelector('tr.detail').previousSibling.textContent"
    assert "q234" in visit.page.locator("#table").evaluate(before)


def parts(visit: Visit) -> list[float]:
    texts = visit.page.locator(".panel .adds").all_text_contents()
    return [float(text.removeprefix("adds ").replace("−", "-")) for text in texts]


def test_assignment_and_contributions(visit: Visit) -> None:
    """What documents add is what `explain` says, in both directions and by both measures."""
    result = medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS)
    visit.page.get_by_label("Search").fill("q013")
    visit.page.locator(".opener").first.click()
    for measure in MEASURES:
        why = result.explain("q013", measure)
        visit.choose(measure)
        assert visit.page.locator(".panel .sentence").text_content() == why.sentence
        for direction in ("gain", "loss"):
            visit.page.get_by_label(f"the most {direction}").check(force=True)
            relevant = [
                getattr(one, direction)
                for one in why.documents
                if getattr(one, f"{direction}_relevance") > 0 or getattr(one, direction) != 0
            ]
            assert sorted(parts(visit)) == pytest.approx(sorted(relevant), abs=5.1e-5)
            value = getattr(why.solution, direction)
            total = visit.page.locator(".panel .sum").text_content()
            assert total is not None
            assert total.replace("−", "-").endswith(f"= {direction} {value:.4f}")
    grades = visit.page.locator(".panel .grade").all_text_contents()
    assert grades
    assert set(grades) <= {"judged 0", "judged 1", "judged 2"}


def test_what_a_document_adds_is_shown_where_a_measure_looks(
    browser: Browser, tmp_path: Path
) -> None:
    """The list that wins has a below the two ranks that count: its part stands in the other."""
    runs = {"q": ["a", "b", "c"]}, {"q": ["b", "c", "a"]}
    result = medir.compare(*runs, ["P@2", "P@3"], qrels={"q": {"a": 1}}, unseen="nothing")
    write_report(result, tmp_path / "report.html")
    context = browser.new_context()
    visit = Visit(context.new_page(), tmp_path / "report.html")
    visit.page.locator(".opener").click()
    visit.page.get_by_label("the most gain").check(force=True)
    shown = parts(visit)
    lists = [
        visit.page.locator(".lists ol").nth(n).locator("li").all_text_contents() for n in (0, 1)
    ]
    context.close()
    assert -0.5 in shown
    assert "−0.5000" in lists[0][0]
    assert "not looked at" in lists[1][2]


def test_lines_join_the_same_document(visit: Visit) -> None:
    visit.rows.filter(has_text="q134").locator(".opener").click()
    visit.page.wait_for_function("document.querySelector('.links path')?.getAttribute('d')")
    ends = visit.page.evaluate(
        """() => {
          const frame = document.querySelector('.links').getBoundingClientRect();
          const middles = [...document.querySelectorAll('.lists ol')].map(list =>
            Object.fromEntries([...list.querySelectorAll('.document')].map(item => {
              const { top, height } = item.getBoundingClientRect();
              return [item.querySelector('.name').textContent, top + height / 2 - frame.top];
            })));
          const expected = Object.keys(middles[0]).filter(id => id in middles[1])
            .map(id => [middles[0][id], middles[1][id]]);
          const drawn = [...document.querySelectorAll('.links path')].map(path => {
            const numbers = path.getAttribute('d').match(/-?[0-9.]+/g).map(Number);
            return [numbers[1], numbers[numbers.length - 1]];
          });
          return { expected, drawn };
        }"""
    )
    assert len(ends["drawn"]) > 0
    for drawn, expected in zip(sorted(ends["drawn"]), sorted(ends["expected"]), strict=True):
        assert drawn == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("width", [1400, 400])
def test_the_decision_is_at_the_top(
    browser: Browser, decided: tuple[Path, list[str]], width: int
) -> None:
    """Verdict and checks are what one sees first; nothing is wider than the window."""
    context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
    visit = Visit(context.new_page(), decided[0])
    first = visit.page.locator(".verdict").first
    assert first.is_visible()
    assert visit.page.locator(".verdict").all_text_contents() == decided[1]
    for one in (first, visit.page.get_by_role("list", name="Checks")):
        box = one.bounding_box()
        assert box is not None
        assert box["y"] < 900
        assert box["x"] + box["width"] <= width
    marks = visit.page.locator(".checks li b").all_text_contents()
    assert marks == ["ok", *["failed"] * (len(marks) - 1)]
    assert len(marks) == 2 + 3  # head, torso and tail
    colour = "mark => getComputedStyle(mark).color"
    passed, failed = (visit.page.locator(f".checks .{kind} b") for kind in ("passed", "failed"))
    assert passed.first.evaluate(colour) != failed.first.evaluate(colour)
    wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert not visit.page.evaluate(wide)
    labels = visit.page.locator("section[aria-labelledby=segments] tbody th").all_text_contents()
    assert labels == ["torso", "tail", "head"] * 2  # as they first appear, by measure
    poor = visit.page.evaluate(CONTRAST)
    assert (poor, visit.faults) == ([], [])
    context.close()


def test_markup_is_shown_as_text(hostile: Visit) -> None:
    assert HOSTILE_TEXT in (hostile.page.locator(".checks li").first.text_content() or "")
    section = hostile.page.locator("section[aria-labelledby=segments]")
    assert section.locator("tbody th").first.text_content() == HOSTILE_TEXT
    assert HOSTILE_TITLE in (section.locator("caption").text_content() or "")
    assert hostile.ids[0] == HOSTILE_QUERY
    text = " ".join(HOSTILE_TEXT.split())
    assert hostile.page.locator(".words").text_content() == text
    hostile.page.locator(".opener").first.click()
    assert hostile.page.locator(".panel h3").text_content() == text
    names = hostile.page.locator(".panel .name").all_text_contents()
    assert names.count(HOSTILE_DOCUMENT) == 2
    assert hostile.page.locator(".panel .caption").first.text_content() == HOSTILE_TITLE
    hostile.page.get_by_label("Search").fill("<script>document")
    assert hostile.rows.count() == 1
    assert hostile.page.title().endswith("· medir")
    assert hostile.page.locator("img, b[onclick]").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(scheme: Literal["light", "dark"], browser: Browser, reports: Path) -> None:
    """Every text has a contrast of at least 4.5 to 1, in light and in dark."""
    context = browser.new_context(color_scheme=scheme, viewport={"width": 1400, "height": 900})
    page = context.new_page()
    page.goto((reports / "report.html").as_uri())
    page.locator(".opener").nth(9).click()
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    poor = page.evaluate(CONTRAST)
    context.close()
    assert (sum(map(int, re.findall(r"\d+", ground))) < 200) == (scheme == "dark")
    assert poor == []


def test_every_control_has_a_name_and_every_table_headers(visit: Visit) -> None:
    visit.page.locator(".opener").nth(9).click()
    nameless = """() => [...document.querySelectorAll('input, select, button')].filter(one =>
      !(one.labels && one.labels.length) && !one.textContent.trim() &&
      !one.getAttribute('aria-label')).length"""
    assert visit.page.evaluate(nameless) == 0
    bare = """() => [...document.querySelectorAll('table')].filter(one =>
      !one.caption || !one.querySelector('th[scope=col]') || !one.querySelector('th[scope=row]'))
      .length"""
    assert visit.page.evaluate(bare) == 0
    ids = visit.page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")
    assert len(ids) == len(set(ids))
