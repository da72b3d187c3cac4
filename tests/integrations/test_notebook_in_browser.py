"""What notebooks show, in a browser: it fits, wide or narrow, and can be read on light and dark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

import medir
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES

sync_api = pytest.importorskip("playwright.sync_api")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
if CHROMIUM is None:
    pytest.skip("needs a browser: there is no chromium", allow_module_level=True)
pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

THEMES = {"light": ("#ffffff", "#000000"), "dark": ("#111111", "#e0e0e0")}
LEAST_CONTRAST = 3.5  # of small marks in colour, whose signs say the same

# The contrast of every text with the ground of the page, the least first.
CONTRASTS = """() => {
  const light = c => { const v = c.match(/[0-9.]+/g).slice(0, 3).map(x => x / 255)
    .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
  const ground = light(getComputedStyle(document.body).backgroundColor);
  return [...document.querySelectorAll('.medir *')].filter(e => e.tagName !== 'STYLE').map(e => {
    const text = light(getComputedStyle(e).color);
    return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05); });
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def cells() -> str:
    """Some results below each other."""
    compared = medir.compare(BEFORE, AFTER, ["nDCG@20", "RBP"], qrels=QRELS, queries=QUERIES)
    results: list[Any] = [
        compared,
        compared.explain("q041"),
        medir.matrix({"before": BEFORE, "after": AFTER, "x" * 40: AFTER}, "nDCG@20"),
        medir.documents(BEFORE, AFTER, documents=DOCUMENTS),
        medir.judge(BEFORE, AFTER, measures="nDCG@5"),
    ]
    return "".join(result._repr_html_() for result in results)


def page(browser: Browser, cells: str, width: int, theme: str) -> Page:
    ground, text = THEMES[theme]
    opened = browser.new_page(viewport={"width": width, "height": 800})
    opened.set_content(f"<body style='background:{ground};color:{text}'>{cells}</body>")
    return opened


@pytest.mark.parametrize("width", [1000, 400])
def test_it_fits(browser: Browser, cells: str, width: int) -> None:
    """Nothing sticks out of the page; a wide table scrolls by itself."""
    opened = page(browser, cells, width, "light")
    assert opened.evaluate("document.documentElement.scrollWidth") <= width
    lists = opened.locator(".lists").first.locator("> div")
    boxes = [lists.nth(number).bounding_box() for number in (0, 1)]
    assert boxes[0] is not None
    assert boxes[1] is not None
    beside = boxes[1]["x"] > boxes[0]["x"]
    assert beside == (width == 1000)
    assert opened.locator("td.spare").first.is_visible() == (width == 1000)
    opened.close()


@pytest.mark.parametrize("theme", THEMES)
def test_it_can_be_read(browser: Browser, cells: str, theme: str) -> None:
    opened = page(browser, cells, 1000, theme)
    contrasts = opened.evaluate(CONTRASTS)
    assert len(contrasts) > 300
    assert min(contrasts) > LEAST_CONTRAST
    opened.close()


def test_nothing_is_loaded(browser: Browser, cells: str) -> None:
    opened = browser.new_page()
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    opened.set_content(cells)
    assert asked == []
    opened.close()
