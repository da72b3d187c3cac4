"""What a reader does with a report in a folder: as with one in a file, over all queries."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import medir
from tests.cases.browsing import CONTRAST, Scheme, Visit, require_browser, visited
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES
from tests.cases.folders import Folder, generated
from tests.cases.pages import HOSTILE, HOSTILE_DOCUMENT, HOSTILE_QUERY, HOSTILE_TITLE

pytestmark = pytest.mark.slow
pytest.importorskip("jinja2")
expect = require_browser().expect

from medir.rendering.folders import recording as folder_recording  # noqa: E402
from medir.rendering.folders import table as folder_table  # noqa: E402
from medir.rendering.folders import writing as folder_writing  # noqa: E402
from medir.rendering.pages.report import write_report  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

MEASURES = ["nDCG@20", "ERR", "RBO(p=0.9)"]
FIRST = 40  # rows in the page itself


@pytest.fixture(scope="module", autouse=True)
def _small_files() -> Iterator[None]:
    """As many files as a million queries have."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(folder_recording, "LARGEST_SHARD", 16)
        patch.setattr(folder_table, "CHUNK", 100)
        patch.setattr(folder_table, "SEARCHED", 32)
        patch.setattr(folder_table, "PER_BUCKET", 20)
        patch.setattr(folder_writing, "FIRST", FIRST)
        patch.setattr(folder_writing, "MORE", 50)
        yield


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(BEFORE, AFTER, MEASURES, qrels=QRELS, queries=QUERIES, by="segment")


@pytest.fixture(scope="module")
def report(compared: medir.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("folder") / "report"
    write_report(compared, f"{folder}/", documents=DOCUMENTS, command="medir compare a b")
    return folder / "index.html"


@pytest.fixture(params=[1400, 400], ids=["wide", "phone"])
def visit(request: pytest.FixtureRequest, browser: Browser, report: Path) -> Iterator[Visit]:
    with visited(browser, report, request.param, folder=True) as visit:
        yield visit


def ordered(
    compared: medir.Comparison, measure: str = MEASURES[0], column: str = "med"
) -> list[str]:
    """The ids of all queries by a column, the largest first."""
    values = compared.column(measure, column).tolist()
    places = sorted(range(len(values)), key=lambda at: (math.isnan(values[at]), -values[at], at))
    return [compared.queries[place] for place in places]


def expect_ids(visit: Visit, ids: list[str]) -> None:
    expect(visit.page.locator("#table tr.row .id")).to_have_text(ids)


def expect_count(visit: Visit, text: str) -> None:
    expect(visit.page.locator("#count")).to_have_text(text)


def test_it_opens_without_loading_anything(visit: Visit, compared: medir.Comparison) -> None:
    expect_ids(visit, ordered(compared)[:25])
    expect_count(visit, "240 of 240 queries")
    assert len(visit.requests) == 1


def test_more_rows_until_all_are_there(visit: Visit, compared: medir.Comparison) -> None:
    ids = ordered(compared)
    for rows in (75, 125, 175, 225):
        visit.page.get_by_role("button", name="Show 50 more").click()
        expect_ids(visit, ids[:rows])
        expect(visit.page.locator(".opener").nth(rows - 50)).to_be_focused()
    visit.page.get_by_role("button", name="Show all 240").click()
    expect_ids(visit, ids)
    assert visit.page.locator("#more").is_hidden()


def test_table_and_lists_follow_the_switch(visit: Visit, compared: medir.Comparison) -> None:
    visit.choose("ERR")
    expect_ids(visit, ordered(compared, "ERR")[:25])
    assert visit.page.locator("#table th.group").first.text_content() == "ERR"
    med = dict(zip(compared.queries, compared.column("ERR").tolist(), strict=True))
    assert visit.column(1) == [med[query] for query in visit.ids]
    visit.page.locator(".opener").first.click()
    sentence = compared.explain(visit.ids[0], "ERR").sentence
    expect(visit.page.locator(".panel .sentence")).to_have_text(sentence)
    visit.choose("nDCG@20")
    expect_ids(visit, ordered(compared)[:25])


def test_a_heading_sorts_all_queries(visit: Visit, compared: medir.Comparison) -> None:
    visit.head(2).get_by_role("button").click()
    expect_ids(visit, ordered(compared, column="gain")[:25])
    visit.head(0).get_by_role("button").click()
    ids = sorted(compared.queries, key=lambda query: int(query[1:]))
    expect_ids(visit, ids[:25])
    visit.head(0).get_by_role("button").click()
    expect_ids(visit, ids[::-1][:25])


def test_search_looks_in_all_ids_and_texts(visit: Visit, compared: medir.Comparison) -> None:
    last = ordered(compared)[-1]
    search = visit.page.get_by_label("Search")
    search.fill(last)
    expect_ids(visit, [last])
    expect_count(visit, "1 of 240 queries")
    table = medir.Queries.of(QUERIES)
    word = (table.text(last) or "").split()[0].lower()
    search.fill(word.upper())
    texts = {query: f"{query} {table.text(query) or ''}".lower() for query in compared.queries}
    expected = [query for query in ordered(compared) if word in texts[query]]
    expect_count(visit, f"{len(expected)} of 240 queries")
    expect_ids(visit, expected[: 30 if len(expected) <= 30 else 25])
    search.fill("nowhere to be found")
    expect(visit.page.locator("#none")).to_contain_text(
        "“nowhere to be found” is not among the 240 queries in this page."
    )
    visit.page.get_by_role("button", name="Show all", exact=True).click()
    expect_count(visit, "240 of 240 queries")


def test_filters(visit: Visit, compared: medir.Comparison) -> None:
    gain, loss = (compared.column(name="gain"), compared.column(name="loss"))
    wins = {q for q, g, s in zip(compared.queries, gain, loss, strict=True) if g > 1e-9 >= s}
    visit.page.get_by_label("Show", exact=True).select_option(label="only wins")
    expect_count(visit, f"{len(wins)} of 240 queries")
    expect_ids(visit, [query for query in ordered(compared) if query in wins])
    visit.page.get_by_label("Show", exact=True).select_option(label="changed")
    changed = int(compared.changed().sum())
    expect_count(visit, f"{changed} of 240 queries")
    visit.page.get_by_label("Minimum med").fill("0.5")
    many = int(((compared.column() >= 0.5) & compared.changed()).sum())
    expect_count(visit, f"{many} of 240 queries")
    visit.page.get_by_label("Minimum med").fill("")
    visit.page.get_by_label("Show", exact=True).select_option(label="all")
    segments = compared.sample.segments
    assert segments is not None
    for label in segments.labels:
        visit.page.get_by_label("segment", exact=True).select_option(label=label)
        expect_count(visit, f"{len(segments.of(label))} of 240 queries")


@pytest.mark.parametrize("place", [3, 60, 239], ids=["in the page", "further down", "last"])
def test_a_link_opens_its_query(
    browser: Browser, report: Path, compared: medir.Comparison, place: int
) -> None:
    query = ordered(compared)[place]
    with visited(browser, report, anchor=f"#{query}", folder=True) as visit:
        region = visit.page.get_by_role("region", name=f"Query {query}")
        expect(region).to_be_visible()
        link = region.get_by_role("link", name="Link to this query")
        expect(link).to_have_attribute("href", f"#{query}")
        box = visit.rows.filter(has_text=query).bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 900
        visit.page.keyboard.press("p")
        before = ordered(compared)[place - 1]
        expect(visit.page.locator(".panel")).to_have_attribute("aria-label", f"Query {before}")
    with visited(browser, report, anchor="#q-none", folder=True) as visit:
        expect(visit.page.locator("#none")).to_contain_text("“q-none” is not among")


def test_links_of_ids_that_look_alike(browser: Browser, tmp_path: Path) -> None:
    before = {"120": ["a"], "q120": ["a"], "ü b": ["a"]}
    after = {query: ["b"] for query in before}
    write_report(medir.compare(before, after, "P@1"), f"{tmp_path}/out/")
    for anchor, query in (("#q120", "120"), ("#qq120", "q120"), ("#q%C3%BC%20b", "ü b")):
        with visited(browser, tmp_path / "out/index.html", anchor=anchor, folder=True) as visit:
            expect(visit.page.locator(".panel h3")).to_have_text(f"Query {query}")
            expect(visit.page.locator(".panel a")).to_have_attribute("href", anchor)


def test_keys_go_from_query_to_query(visit: Visit, compared: medir.Comparison) -> None:
    ids, panel = ordered(compared), visit.page.locator(".panel")
    visit.page.locator(".opener").first.press("Enter")
    expect(panel).to_have_attribute("aria-label", f"Query {ids[0]}")
    for key, place in (("n", 1), ("n", 2), ("p", 1)):
        visit.page.keyboard.press(key)
        expect(panel).to_have_attribute("aria-label", f"Query {ids[place]}")
    visit.page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    visit.page.keyboard.press("ArrowDown")
    expect(visit.page.locator(".opener").nth(2)).to_be_focused()
    visit.page.locator(".opener").nth(24).press("Enter")
    expect(panel).to_have_attribute("aria-label", f"Query {ids[24]}")
    visit.page.get_by_role("button", name="Next").click()
    expect(panel).to_have_attribute("aria-label", f"Query {ids[25]}")
    visit.page.get_by_role("button", name="Close").click()
    expect(panel).to_have_count(0)


def test_points_lead_to_rows(browser: Browser, report: Path, compared: medir.Comparison) -> None:
    query = ordered(compared)[100]
    with visited(browser, report, folder=True) as visit:
        visit.page.locator(f'circle[data-query="{query}"]').first.dispatch_event("click")
        expect(visit.page.locator(".panel")).to_have_attribute("aria-label", f"Query {query}")


def test_lists_have_titles_and_parts(visit: Visit, compared: medir.Comparison) -> None:
    visit.page.locator(".opener").first.click()
    expect(visit.page.locator(".panel .document").first).to_be_visible()
    why = compared.explain(visit.ids[0])
    direction = "loss" if why.solved.values[2] >= why.solved.values[1] - 1e-12 else "gain"
    side = "before" if direction == "loss" else "after"
    listed = visit.page.get_by_role("list", name=f"List {side}").locator(".document")
    parts = {getattr(one, side): getattr(one, direction) for one in why.documents}
    for number in range(listed.count()):
        adds = listed.nth(number).locator(".adds")
        if adds.count():
            shown = (adds.text_content() or "").removeprefix("adds ").replace("−", "-")
            assert float(shown) == pytest.approx(parts[number + 1], abs=6e-5)
    assert visit.page.locator(".panel .caption").count() > 0


def test_hostile_texts_stay_texts(browser: Browser, tmp_path: Path) -> None:
    result = medir.compare(*HOSTILE, "P@2")
    titles = {HOSTILE_DOCUMENT: HOSTILE_TITLE, "__proto__": "x"}
    write_report(result, f"{tmp_path}/out/", documents=titles, queries={HOSTILE_QUERY: "<b>bold"})
    with visited(browser, tmp_path / "out/index.html", folder=True) as visit:
        visit.page.get_by_label("Search").fill("<script>")
        expect_ids(visit, [HOSTILE_QUERY])
        visit.page.locator(".opener").first.click()
        expect(visit.page.locator(".panel h3")).to_have_text("<b>bold")
        expect(visit.page.locator(".panel .caption").first).to_have_text(HOSTILE_TITLE)
        assert visit.page.title() != "broken"


def test_passages_and_functions(browser: Browser, tmp_path: Path) -> None:
    passages = medir.compare_passages(
        {"q": [("d", 0, 10)]}, {"q": [("d", 5, 20), ("e", 0, 9)]}, "U@40"
    )
    write_report(passages, f"{tmp_path}/out/", documents={"e": "the title of e"})
    with visited(browser, tmp_path / "out/index.html", anchor="#qq", folder=True) as visit:
        expect(visit.page.locator(".panel .sentence")).to_have_text(
            passages.ranking(0).explanations[0].sentence
        )
        expect(visit.page.locator(".panel .caption").first).to_have_text("the title of e")


def test_a_file_that_is_gone_is_named(
    browser: Browser, compared: medir.Comparison, tmp_path: Path
) -> None:
    write_report(compared, f"{tmp_path}/out/")
    for path in (tmp_path / "out/data/lists").iterdir():
        path.unlink()
    with visited(browser, tmp_path / "out/index.html", folder=True) as visit:
        visit.page.locator(".opener").first.click()
        expect(visit.page.locator("#none")).to_contain_text("Keep index.html and data together")
        visit.faults.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_accessibility(browser: Browser, report: Path, scheme: Scheme, width: int) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with visited(browser, report, width, scheme, folder=True) as visit:
        visit.page.get_by_role("button", name="Show 50 more").click()
        visit.page.locator(".opener").nth(30).click()
        expect(visit.page.locator(".panel .document").first).to_be_visible()
        assert not visit.is_too_wide
        assert visit.page.evaluate(CONTRAST) == []
        found = axe.Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()


# The formulas of the page against `medir explain`, on many queries.

SHAPES = [
    ("nDCG@5", "RBP(p=0.8)", "ERR", "P@8"),
    ("AP@6", "nDCG(ideal='judged')@4", "AP(ideal='judged')@all", "RR@3"),
    ("nDCG(ideal=3)@5", "nDCG(ideal={1: 2, 2: 1})@5", "Success@2", "INSQ"),
]
TAKE_APART = """([script, data, records, values]) => {
  const takenApart = new Function("data", "element", script)(data);
  return records.map((record, i) => takenApart(record, values[i]));
}"""


@pytest.mark.parametrize("names", SHAPES, ids=lambda names: names[0])
@pytest.mark.parametrize("unseen", ["auto", "anything", "nothing"])
def test_parts_and_sentences_are_those_of_explain(
    browser: Browser, tmp_path: Path, names: tuple[str, ...], unseen: Any
) -> None:
    before, after, qrels = generated(600, seed=len(unseen))
    result = medir.compare(before, after, names, qrels=qrels, unseen=unseen)
    check_parts(browser, tmp_path / "out", result)


def test_parts_of_intents(browser: Browser, tmp_path: Path) -> None:
    before, after, qrels = generated(300, seed=5)
    by_intent = {query: {"i1": judged, "i2": {"d1": 1}} for query, judged in qrels.items()}
    result = medir.compare(before, after, ["alpha_nDCG@5", "ERR_IA@5"], qrels=by_intent)
    check_parts(browser, tmp_path / "out", result)


def check_parts(browser: Browser, path: Path, result: medir.Comparison) -> None:
    """Compares what the page computes of each query with what `explain` says."""
    write_report(result, f"{path}/")
    folder = Folder(path)
    rows = folder.rows()
    values = [
        [[None if math.isnan(x) else float(x) for x in some] for some in row["values"]]
        for row in rows
    ]
    scripts = [
        files("medir.rendering.pages").joinpath("scripts", name).read_text(encoding="utf-8")
        for name in ("terms.js", "folder.js")
    ]
    whole = (
        "\n".join(scripts)
        + """
      return (record, values) => {
        const detail = unpackedLists(record, { values });
        return { documents: detail.documents, parts: data.measures.map((_, m) => detail.parts(m)) };
      };"""
    )
    page = browser.new_page()
    found = page.evaluate(TAKE_APART, [whole, folder.page, folder.lists(), values])
    page.close()
    for position, detail in enumerate(json.loads(json.dumps(found))):
        ids = [one["id"] for one in detail["documents"]]
        explanations = result.ranking(position).explanations
        for parts, why in zip(detail["parts"], explanations, strict=True):
            assert isinstance(why, medir.Explanation)
            assert parts["sentence"] == why.sentence
            assert parts["rest"] == [0, 0, 0]
            unseen = [why.unseen_gain, why.unseen_loss]
            assert parts["unseen"] == pytest.approx(unseen, abs=1e-12)
            expected = {one.document: one for one in why.documents}
            for side in ("gain", "loss"):
                worths = dict(zip(ids, parts[side], strict=True))
                assert {name for name in ids if worths[name] is not None} == expected.keys()
                for name, one in expected.items():
                    told = getattr(one, f"{side}_relevance"), getattr(one, side)
                    assert worths[name] == pytest.approx(told, abs=1e-12)
