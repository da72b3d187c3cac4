"""The page of a study in a browser: headless Chromium, from disk."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from medir.validation.page import page
from tests.cases.browsing import CONTRAST, Scheme, Visit, launched, require_browser, visited
from tests.validation.test_page import large

pytestmark = pytest.mark.slow
require_browser()

if TYPE_CHECKING:
    from playwright.sync_api import Browser

A4 = 718  # pixels between margins of 1 cm


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "study.html"
    target.write_text(page(large(runs=16, groups=4)), encoding="utf-8")
    return target


def images(visit: Visit) -> list[tuple[float, float, float]]:
    """Natural width, width and top of each picture."""
    script = "[...document.images].map(i => [i.naturalWidth, i.width, i.getBoundingClientRect().y])"
    return [tuple(one) for one in visit.page.evaluate(script)]


@pytest.mark.parametrize("width", [1400, 700, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_and_can_be_read(browser: Browser, path: Path, width: int, scheme: Scheme) -> None:
    """It loads nothing, complains of nothing, and no check of accessibility fails."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with visited(browser, path, width, scheme) as visit:
        assert not visit.is_too_wide
        sizes = images(visit)
        assert len(sizes) == 15
        assert all(natural > 100 and shown > 250 for natural, shown, _ in sizes)
        filters = visit.page.evaluate(
            "[...document.querySelectorAll('.panels img, .legend i')]"
            ".map(one => getComputedStyle(one).filter)"
        )
        wanted = "none" if scheme == "light" else "invert(1) hue-rotate(180deg)"
        assert set(filters) == {wanted}
        found = axe.Axe().run(visit.page)
        assert found.violations_count == 0, found.generate_report()
        assert visit.page.evaluate(CONTRAST) == []


def test_the_figure_that_answers_is_first_and_large(browser: Browser, path: Path) -> None:
    with visited(browser, path) as visit:
        first, second, *others = images(visit)
        assert first[2] < 600  # in sight without scrolling
        assert second[2] == first[2]  # beside it
        scatter = [shown for _, shown, _ in others if shown < 500]
        assert min(first[1], second[1]) > 1.3 * max(scatter)
        names = visit.page.locator("figcaption").all_text_contents()
        assert names[0].startswith("difference of means, no judgments")
        assert names[1].startswith("mean of differences, no judgments")


def test_paper(browser: Browser, path: Path) -> None:
    with visited(browser, path, A4) as visit:
        visit.page.emulate_media(media="print")
        assert not visit.is_too_wide
        assert all(shown <= A4 for _, shown, _ in images(visit))
        for head in visit.page.locator("#table th").all():
            box = head.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= A4 + 1
        assert visit.page.pdf(format="A4").startswith(b"%PDF")
