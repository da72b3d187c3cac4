"""Pages of medir as a browser shows them."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import medir

CELL = """\
<!doctype html><meta charset="utf-8"><title>Notebook</title>
<style>
body { font: 15px/1.45 system-ui, sans-serif; margin: 20px; max-width: 900px; }
pre { background: #f5f5f5; border: 1px solid #ddd; font-size: 14px; padding: 8px 10px; }
</style>
"""
NOTEBOOK = (
    'import medir\n\nresult = medir.compare("before.run", "after.run", ["nDCG@20", "RBP"], '
    'queries="queries.tsv")\nresult'
)


@dataclass(frozen=True)
class Photographed:
    """A page, which query is opened on it, and which part of it is shown in a window of a size."""

    html: str
    size: tuple[int, int]
    search: str | None = None
    part: str | None = None

    @property
    def steps(self) -> list[Any]:
        """What is done with the page."""
        return [self.size, self.search, self.part]


@cache
def report() -> str:
    """The report of the example runs, without its version."""
    result = medir.compare("before.run", "after.run", ["nDCG@20", "RBP(p=0.9)"],
                           queries="queries.tsv", by="segment")  # fmt: skip
    with TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        result.report(path, documents="documents.tsv")
        text = path.read_text(encoding="utf-8")
    return re.sub(rf"medir {re.escape(medir.__version__)}", "medir", text)


def notebook() -> str:
    """Two cells of a notebook, with what they show."""
    result = medir.compare("before.run", "after.run", ["nDCG@20", "RBP"], queries="queries.tsv")
    return f"{CELL}<pre>{escape(NOTEBOOK)}</pre>{result._repr_html_()}"


SCREENSHOTS: dict[str, Callable[[], Photographed]] = {
    "report.png": lambda: Photographed(report(), (1180, 900)),
    "report-query.png": lambda: Photographed(
        report(), (1180, 1000), search="parse json from a string", part="#filters"
    ),
    "notebook.png": lambda: Photographed(notebook(), (960, 560)),
}


def photographed(page: Photographed, path: Path) -> None:
    """Writes what a browser shows of a page."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if browser is None:
        raise SystemExit("no chromium: it takes the pictures of pages")
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    width, height = page.size
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "page.html"
        file.write_text(page.html, encoding="utf-8")
        chromium = playwright.chromium.launch(executable_path=browser, args=arguments)
        tab = chromium.new_page(
            viewport={"width": width, "height": height},
            color_scheme="light",
            reduced_motion="reduce",  # no picture of a page that is still scrolling
        )
        tab.goto(file.as_uri())
        if page.search is not None:
            tab.locator("#search").fill(page.search)
            tab.locator(".opener").first.click()
        if page.part is not None:
            tab.locator(page.part).first.evaluate("one => one.scrollIntoView()")
        tab.mouse.move(0, 0)  # over nothing
        tab.screenshot(path=path)
        chromium.close()
