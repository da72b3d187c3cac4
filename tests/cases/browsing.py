"""Pages in a browser: headless Chromium, from disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
Scheme = Literal["light", "dark"]


def require_browser() -> Any:
    """What drives a browser; skips a module where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    if CHROMIUM is None:
        pytest.skip("needs a browser: there is no chromium", allow_module_level=True)
    return sync_api


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser."""
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with require_browser().sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


class Visit:
    """A page that was opened from disk, and all it complained about or asked for."""

    def __init__(self, page: Page, path: Path, anchor: str = "") -> None:
        self.page = page
        self.faults: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(path.as_uri() + anchor)

    def show_all(self) -> None:
        """Shows the rows that a long table leaves for later."""
        if self.page.locator("#more").is_visible():
            self.page.locator("#all").click()

    @property
    def rows(self) -> Locator:
        return self.page.locator("#table tr.row")

    @property
    def ids(self) -> list[str]:
        return self.page.locator("#table tr.row .id").all_text_contents()

    def cells(self, number: int) -> Locator:
        """The cells of a column that is shown."""
        return self.page.locator(f"#table tr.row td:nth-child({number} of td:not([hidden]))")

    def column(self, number: int) -> list[float]:
        """The unrounded numbers of a column."""
        cells = self.cells(number)
        values = cells.evaluate_all("cells => cells.map(cell => cell.dataset.value)")
        return [float(value) for value in values]

    def head(self, number: int) -> Locator:
        return self.page.locator("#table thead tr:last-child th:not([hidden])").nth(number)

    def choose(self, measure: str) -> None:
        """Switches to a measure."""
        self.page.locator("#switch").get_by_label(measure, exact=True).check(force=True)

    @property
    def is_too_wide(self) -> bool:
        """Whether anything is wider than the window."""
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        return bool(self.page.evaluate(wide))


@contextmanager
def visited(
    browser: Browser,
    path: Path,
    width: int = 1400,
    scheme: Scheme = "light",
    anchor: str = "",
    *,
    folder: bool = False,
) -> Iterator[Visit]:
    """A page in a window, without a network; it must complain of nothing and load nothing else.

    One in a `folder` may load what is there.
    """
    size: Any = {"width": width, "height": 900}
    context = browser.new_context(viewport=size, color_scheme=scheme, offline=True)
    visit = Visit(context.new_page(), path, anchor)
    yield visit
    context.close()
    assert visit.faults == []
    first, *others = visit.requests
    assert first == path.as_uri()
    data = (path.parent / "data").as_uri()
    assert [one for one in others if not (folder and one.startswith(f"{data}/"))] == []


CONTRAST = """() => {
  const light = (c) => {
    const [r, g, b] = c.map(v => v / 255)
      .map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const numbers = (text) => text.match(/[0-9.]+/g).map(Number);
  const behind = (node) => {
    for (; node; node = node.parentElement) {
      const color = numbers(getComputedStyle(node).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll('body *:not(script):not(style):not(svg *)')) {
    const own = [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
    if (!own || !node.offsetParent) continue;
    const [a, b] = [numbers(getComputedStyle(node).color).slice(0, 3), behind(node)].map(light);
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push([node.className, node.textContent.slice(0, 30), ratio]);
  }
  return poor;
}"""
