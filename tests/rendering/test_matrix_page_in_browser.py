"""What a reader does with the page of a matrix: read, order, zoom, open pairs, print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import medir
from tests.cases.browsing import CONTRAST, Scheme, Visit, require_browser, visited
from tests.cases.studies import collection

pytestmark = pytest.mark.slow
for library in ("jinja2", "scipy", "matplotlib"):
    pytest.importorskip(library)
require_browser()

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

GIVEN = collection()
NAMES = list(GIVEN.runs)
GROUPS = {name: member.group for name, member in GIVEN.members.items()}
MEASURES = ["nDCG@20", "RBO(p=0.9)"]
LONG = "a-rather-long-name-that-tells-all-of-the-parameters-of-the-system-"
A4 = 718  # pixels between margins of 1 cm


@pytest.fixture(scope="module")
def judged() -> medir.Matrix:
    return medir.matrix(GIVEN.runs, MEASURES, qrels=GIVEN.qrels)


@pytest.fixture(scope="module")
def page(judged: medir.Matrix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "matrix.html"
    judged.report(path, groups=GROUPS, command="medir matrix runs/")
    return path


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, medir.Matrix]:
    """120 runs with long names, without judgments and groups."""
    chance = np.random.default_rng(0)
    runs = {
        f"{LONG}{number}": {
            q: [f"d{n}" for n in chance.permutation(20)[:8]] for q in ("q1", "q2", "q3")
        }
        for number in range(120)
    }
    result = medir.matrix(runs, "nDCG@5")
    path = tmp_path_factory.mktemp("page") / "many.html"
    result.report(path)
    return path, result


@pytest.fixture(params=[1400, 400], ids=["wide", "phone"])
def visit(request: pytest.FixtureRequest, browser: Browser, page: Path) -> Iterator[Visit]:
    with visited(browser, page, request.param) as visit:
        yield visit


class Reader:
    """Goes over the heat map of a page."""

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page = visit, visit.page
        self.heat = visit.page.locator("#heat")

    def number(self, name: str) -> float:
        return float(self.heat.get_attribute(f"data-{name}") or "nan")

    def place(self, row: int, column: int) -> tuple[float, float]:
        """Where a cell is in the box, in pixels."""
        cell, margin = self.number("cell"), self.number("margin")
        left, top = self.heat.evaluate("box => [box.scrollLeft, box.scrollTop]")
        return margin + (column + 0.5) * cell - left, margin + (row + 0.5) * cell - top

    def point(self, row: int, column: int) -> str:
        """What is read where the pointer is."""
        x, y = self.place(row, column)
        self.heat.hover(position={"x": x, "y": y})
        return self.read

    def click(self, row: int, column: int) -> None:
        x, y = self.place(row, column)
        self.heat.click(position={"x": x, "y": y})

    def press(self, *keys: str) -> None:
        self.heat.focus()
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def read(self) -> str:
        return self.page.locator("#read").inner_text()

    @property
    def order(self) -> list[str]:
        """The runs in the order of the rows, read cell by cell."""
        self.press(*["ArrowUp"] * len(NAMES), "End")
        found = []
        for _ in NAMES:
            lines = self.read.splitlines()
            found.append(lines[1] if len(lines) > 1 else lines[0].partition(":")[0])
            self.press("ArrowDown")
        return found

    @property
    def pair(self) -> Locator:
        return self.page.locator("#pair")

    def choose(self, label: str, option: str) -> None:
        self.page.get_by_label(label, exact=True).select_option(label=option)


def expected(result: medir.Matrix, a: str, b: str) -> str:
    return f"{result.mean()[result.names.index(a), result.names.index(b)]:.4f}"


def test_a_cell_is_read_by_pointer_and_by_keys(visit: Visit, judged: medir.Matrix) -> None:
    reader = Reader(visit)
    order = reader.order
    for row, column in ((0, 1), (3, 6), (6, 2)):
        value = expected(judged, order[row], order[column])
        by_pointer = reader.point(row, column).splitlines()
        assert by_pointer[:3] == [f"{value} mean MED-nDCG@20", order[row], order[column]]
        assert visit.page.locator("#tip").inner_text().splitlines()[:3] == by_pointer[:3]
    visit.page.mouse.move(0, 0)
    assert not visit.page.locator("#tip").is_visible()
    reader.press(*["ArrowUp"] * 6, "Home", "ArrowRight", "ArrowRight", "ArrowDown")
    assert reader.read.splitlines()[:3] == [
        f"{expected(judged, order[1], order[2])} mean MED-nDCG@20",
        order[1],
        order[2],
    ]


def test_orders(visit: Visit, judged: medir.Matrix) -> None:
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    reader = Reader(visit)
    near = linkage(squareform(judged.mean(), checks=False), "average", optimal_ordering=True)
    assert reader.order == [NAMES[leaf] for leaf in leaves_list(near)]
    reader.choose("Order", "by name")
    assert reader.order == sorted(NAMES)
    reader.choose("Order", "by score")
    scores = {name: medir.score(GIVEN.runs[name], "nDCG@20", GIVEN.qrels).mean() for name in NAMES}
    assert reader.order == sorted(NAMES, key=lambda name: -scores[name])
    assert visit.page.locator("#table tbody th").all_text_contents() == reader.order
    reader.choose("Order", "by group")
    groups = [GROUPS[name] for name in reader.order]
    assert groups == sorted(groups, key=groups.index)


def test_a_pair_opens_by_click_and_by_enter(visit: Visit, judged: medir.Matrix) -> None:
    reader = Reader(visit)
    order = reader.order
    reader.press(*["ArrowUp"] * 7, "Home", "ArrowRight", "Enter")
    check_pair(reader, judged, order[0], order[1])
    heading = reader.pair.locator("h3")
    assert heading.evaluate("one => one === document.activeElement")
    assert visit.page.url.endswith(f"#pair-{NAMES.index(order[0]) + 1}-{NAMES.index(order[1]) + 1}")
    visit.page.keyboard.press("Escape")
    assert reader.pair.locator("h3").count() == 0
    assert reader.heat.evaluate("one => one === document.activeElement")
    reader.click(4, 2)
    check_pair(reader, judged, order[4], order[2])
    reader.click(3, 3)  # a run and itself
    check_pair(reader, judged, order[4], order[2])
    reader.pair.get_by_role("button", name="Close").click()
    assert "Open a pair" in reader.pair.inner_text()


def check_pair(reader: Reader, judged: medir.Matrix, a: str, b: str) -> None:
    """The pair shows what a comparison and scores of both runs say."""
    assert reader.pair.locator("h3").inner_text() == f"{a} and {b}"
    terms = reader.pair.locator("dt").all_text_contents()
    said = dict(zip(terms, reader.pair.locator("dd").all_text_contents(), strict=True))
    assert said["Mean MED-nDCG@20"] == expected(judged, a, b)
    scores = {name: medir.score(GIVEN.runs[name], "nDCG@20", GIVEN.qrels) for name in (a, b)}
    measure = repr(scores[a].measures[0])
    assert said[f"{measure} of {a}"] == f"{scores[a].mean():.4f}"
    assert said["Difference of means"] == f"{abs(scores[a].mean() - scores[b].mean()):.4f}"
    apart = [abs(scores[a][query] - scores[b][query]) for query in GIVEN.qrels]
    assert said["Mean of differences"] == f"{sum(apart) / len(apart):.4f}"
    compared = medir.compare(GIVEN.runs[a], GIVEN.runs[b], "nDCG@20", qrels=GIVEN.qrels)
    most = compared.most_affected(5)
    assert reader.pair.locator("tbody th").all_text_contents() == [
        compared.queries[n] for n in most
    ]
    cells = reader.pair.locator("tbody td").all_text_contents()
    assert cells[::3] == [f"{compared.column()[number]:.4f}" for number in most]
    query = next(n for n, at in enumerate(most) if compared.queries[at] in GIVEN.qrels)
    first = scores[a][compared.queries[most[query]]]
    assert cells[3 * query + 1] == (f"{first:.4f}" if first else "0")


def test_a_link_opens_its_pair(browser: Browser, page: Path) -> None:
    with visited(browser, page, anchor="#pair-2-6") as visit:
        assert Reader(visit).pair.locator("h3").inner_text() == f"{NAMES[1]} and {NAMES[5]}"
    with visited(browser, page, anchor="#pair-2-99") as visit:
        assert Reader(visit).pair.locator("h3").count() == 1  # the farthest


def test_zoom(visit: Visit) -> None:
    reader = Reader(visit)
    before = reader.number("cell")
    row, column = 2, 5
    reader.press(*["ArrowUp"] * 7, "Home", *["ArrowDown"] * row, *["ArrowRight"] * column)
    for button in ("Zoom in", "Zoom out", "Whole map"):
        disabled = visit.page.get_by_role("button", name=button).is_disabled()
        assert disabled == (button != "Zoom in" or before >= 54)
    if before >= 54:
        return
    visit.page.get_by_role("button", name="Zoom in").click()
    assert reader.number("cell") == pytest.approx(min(54, 1.5 * before))
    said = reader.read
    assert reader.point(row, column) == said  # it is still in sight
    reader.press("+", "+", "+")
    assert reader.number("cell") == pytest.approx(54)
    reader.press("-")
    assert reader.number("cell") == pytest.approx(max(before, 36))
    reader.press("0")
    assert reader.number("cell") == before


@pytest.mark.parametrize("width", [1400, 400])
def test_many_runs(browser: Browser, many: tuple[Path, medir.Matrix], width: int) -> None:
    """Cells of a few pixels are read, and zooming shows names beside them."""
    path, result = many
    with visited(browser, path, width) as visit:
        reader = Reader(visit)
        assert not visit.is_too_wide
        assert reader.number("cell") * 120 < 900
        reader.choose("Order", "by name")
        names = sorted(result.names, key=lambda name: int(name.removeprefix(LONG)))
        value = expected(result, names[100], names[7])
        assert reader.point(100, 7).splitlines() == [
            f"{value} mean MED-nDCG@5",
            names[100],
            names[7],
        ]
        reader.click(100, 7)
        for _ in range(5):
            visit.page.get_by_role("button", name="Zoom in").click()
        assert reader.number("cell") > 9
        assert reader.point(100, 7).splitlines()[1:] == [names[100], names[7]]
        reader.press(*["ArrowDown"] * 15)
        top = reader.heat.evaluate("box => box.scrollTop + box.clientHeight")
        assert top >= reader.number("margin") + 116 * reader.number("cell")
        assert visit.page.locator("#table tbody tr").count() == 25
        visit.page.get_by_role("button", name="Show all 120 runs").click()
        assert visit.page.locator("#table tbody tr").count() == 120
        assert visit.page.get_by_label("Order").locator("option").all_text_contents() == [
            "by tree",
            "by name",
        ]


def test_colours_and_legend(browser: Browser, page: Path, judged: medir.Matrix) -> None:
    with visited(browser, page) as visit:
        reader = Reader(visit)
        means = judged.mean()[np.triu_indices(len(NAMES), 1)]
        legend = visit.page.locator("#scaled")
        assert f"from {means.min():.2f} to {means.max():.2f}" in legend.inner_text()
        before = reader.page.locator("#cells").evaluate("one => one.toDataURL()")
        reader.choose("Colours", "by rank of the distance")
        assert "as many pairs have each colour" in legend.inner_text()
        assert reader.page.locator("#cells").evaluate("one => one.toDataURL()") != before
        groups = visit.page.locator("#groups li").all_text_contents()
        assert groups == ["north", "south", "west"]


def test_measures(visit: Visit, judged: medir.Matrix) -> None:
    reader = Reader(visit)
    reader.choose("Order", "by score")
    reader.choose("Measure", "RBO(p=0.9)")
    assert visit.page.get_by_label("Order").input_value() == "tree"  # there is no score
    order = reader.order
    a, b = NAMES.index(order[0]), NAMES.index(order[1])
    value = 1 - judged.mean("RBO(p=0.9)")[a, b]
    assert reader.point(0, 1).splitlines()[0] == f"{value:.4f} 1 - mean RBO(p=0.9)"
    reader.click(0, 1)
    assert "Difference of means" not in reader.pair.inner_text()


def test_the_map(visit: Visit, judged: medir.Matrix) -> None:
    points = visit.page.locator("#plane .point")
    assert points.count() == len(NAMES)
    said = visit.page.locator("#place")
    points.nth(2).hover()
    means = judged.mean() + np.eye(len(NAMES))
    near = int(means[2].argmin())
    assert said.inner_text().startswith(f"{NAMES[2]}, {GROUPS[NAMES[2]]}, score ")
    assert f"Closest: {NAMES[near]} ({means[2, near]:.4f})" in said.inner_text()
    reachable = visit.page.locator("#plane .point[tabindex='0']")
    assert reachable.count() == 1
    reachable.focus()
    visited_runs = set()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 6:
        visit.page.keyboard.press(key)
        visited_runs.add(visit.page.evaluate("document.activeElement.dataset.run"))
    assert len(visited_runs) > 2
    points.nth(0).focus()
    visit.page.keyboard.press("Enter")
    assert points.nth(0).get_attribute("aria-pressed") == "true"
    points.nth(4).hover()
    assert f"Distance to {NAMES[0]}: {means[0, 4]:.4f}" in said.inner_text()
    points.nth(4).focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.locator("#pair h3").inner_text() == f"{NAMES[0]} and {NAMES[4]}"


def test_tables(visit: Visit, judged: medir.Matrix) -> None:
    ranked = judged.ranked_pairs()
    buttons = visit.page.locator("#extremes table").first.locator("button")
    values = visit.page.locator("#extremes table").first.locator("td[data-value]")
    _, a, b = ranked[1]
    assert buttons.nth(1).inner_text() == f"{NAMES[a]} – {NAMES[b]}"
    found = values.evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
    assert found == [value for value, *_ in ranked[: len(found)]]
    buttons.nth(1).click()
    assert visit.page.locator("#pair h3").inner_text() == f"{NAMES[a]} and {NAMES[b]}"
    visit.page.locator("#table thead button").nth(2).click()
    column = visit.page.locator("#table tbody td:nth-child(3)")
    scores = column.evaluate_all("cells => cells.map(cell => Number(cell.dataset.value))")
    assert scores == sorted(scores, reverse=True)
    assert visit.page.locator("#table th[aria-sort='descending']").count() == 1


def test_paper(browser: Browser, page: Path) -> None:
    with visited(browser, page, A4) as visit:
        visit.page.emulate_media(media="print")
        assert not visit.is_too_wide
        for part in ("#controls", "#keys", "#read"):
            assert not visit.page.locator(part).is_visible()
        box = visit.page.locator("#cells").bounding_box()
        assert box is not None
        assert box["width"] > 500
        assert visit.page.pdf(format="A4").startswith(b"%PDF")
    with visited(browser, page, 400) as visit:
        Reader(visit).press("+", "+")
        visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        whole = visit.page.get_by_role("button", name="Whole map").is_disabled()
        assert whole


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1400, 400])
def test_accessibility(
    browser: Browser, page: Path, many: tuple[Path, medir.Matrix], scheme: Scheme, width: int
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    for path in (page, many[0]):
        with visited(browser, path, width, scheme) as visit:
            reader = Reader(visit)
            reader.press("ArrowRight", "Enter")
            assert not visit.is_too_wide
            found = axe.Axe().run(visit.page)
            assert found.violations_count == 0, found.generate_report()
            assert visit.page.evaluate(CONTRAST) == []
