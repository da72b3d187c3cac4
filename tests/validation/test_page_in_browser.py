"""The page of a study in a browser: headless Chromium, from disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from medir.validation.page import page
from tests.validation.test_page import large

pytestmark = pytest.mark.slow
sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
if CHROMIUM is None:
    pytest.skip("needs a browser: there is no chromium", allow_module_level=True)

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    arguments = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "study.html"
    target.write_text(page(large(runs=16, groups=4)), encoding="utf-8")
    return target


@pytest.mark.parametrize("width", [1400, 700, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_fits_and_asks_for_nothing(
    browser: Browser, path: Path, width: int, scheme: Literal["light", "dark"]
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    opened = context.new_page()
    faults: list[str] = []
    requests: list[str] = []
    opened.on("console", lambda message: faults.append(message.text))
    opened.on("request", lambda request: requests.append(request.url.split(",")[0]))
    opened.goto(path.as_uri())
    assert faults == []
    assert set(requests) == {path.as_uri()}
    assert opened.evaluate("document.documentElement.scrollWidth") == width
    sizes = opened.evaluate("[...document.images].map(image => [image.naturalWidth, image.width])")
    assert len(sizes) == 10
    assert all(natural > 100 and 250 < shown <= width for natural, shown in sizes)
    beside = opened.evaluate(
        "[...document.querySelectorAll('.pairs li')]"
        ".filter(pair => pair.scrollWidth > pair.clientWidth + 1).length"
    )
    assert beside == 0  # no name runs into its bar
    bars = opened.evaluate(
        "[...document.querySelectorAll('.pairs i')].map(bar => [parseFloat(bar.style.width),"
        " 100 * bar.getBoundingClientRect().width / bar.parentElement.clientWidth])"
    )
    assert len(bars) == 24
    assert all(drawn == pytest.approx(share, abs=1) for share, drawn in bars)
    filters = opened.evaluate(
        "[...document.querySelectorAll('.panels img, .pairs i, .legend i')]"
        ".map(one => getComputedStyle(one).filter)"
    )
    assert set(filters) == ({"none"} if scheme == "light" else {"invert(1) hue-rotate(180deg)"})
    context.close()
