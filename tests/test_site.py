"""The site of the documentation: it builds, its links lead somewhere, and its pictures are true."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import medir
from medir.cli import COMMANDS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
BUILDING = DOCS / "building"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
LARGEST = 150_000  # bytes of a picture
WITHOUT_DATA = {
    "genomics.svg"
}  # its data is not in the repository: tests/passages/test_genomics.py


def links(page: Path) -> list[str]:
    return LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in a link."""
    heads = re.findall(r"^#+ (.*)$", CODE.sub(_kept, page.read_text(encoding="utf-8")), re.M)
    words = (re.sub(r"[^\w\s-]", "", head.lower()).strip() for head in heads)
    return {re.sub(r"[\s-]+", "-", word) for word in words}


def _kept(code: re.Match[str]) -> str:
    return "" if code[0].startswith("```") else code[0].strip("`")


@pytest.mark.parametrize("page", PAGES, ids=[str(page.relative_to(ROOT)) for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if link.startswith(("https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), link


def test_every_picture_is_shown_small_and_recorded() -> None:
    pictures = {path.name: path for path in PICTURES.iterdir() if path.suffix in (".png", ".svg")}
    shown = {Path(link).name for page in PAGES for link in links(page) if "pictures/" in link}
    assert shown == pictures.keys()
    assert all(path.stat().st_size < LARGEST for path in pictures.values())
    recorded = json.loads((PICTURES / "shown.json").read_text(encoding="utf-8"))
    assert recorded.keys() == pictures.keys()


def building(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs Python where the scripts of the site are."""
    return subprocess.run(
        [sys.executable, *arguments], cwd=BUILDING, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_no_picture_is_stale() -> None:
    """What it takes to draw each of them again, but for the pixels: `make pictures` fixes it."""
    for library in ("matplotlib", "jinja2"):
        pytest.importorskip(library)
    done = building("pictures.py", "--check")
    assert done.returncode == 0, done.stderr


CHANGED = """
import matplotlib
from matplotlib.figure import Figure
from pictures import facts

def drawn(number=2.0, text="runs", colour="#332288", **settings):
    with matplotlib.rc_context(settings):
        figure = Figure()
        axes = figure.subplots()
        axes.plot([0.0, 1.0], [1.0, number], color=colour)
        axes.set(xticks=[0, 1], yticks=[0, 1], xlabel=text)
        return facts(figure)

assert drawn() == drawn() == drawn(2.000001)
assert drawn() == drawn(**{"font.size": 20, "font.family": "monospace"})
assert len({drawn(), drawn(2.1), drawn(text="queries"), drawn(colour="#cc6677")}) == 4
"""


def test_a_picture_is_stale_when_what_it_shows_changes_and_not_when_fonts_do() -> None:
    pytest.importorskip("matplotlib")
    done = building("-c", CHANGED)
    assert done.returncode == 0, done.stderr


class Loaded(HTMLParser):
    """What a page loads from elsewhere."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = dict(attrs)
        address = (of.get("href") if tag == "link" else of.get("src")) or ""
        if address.startswith(("http", "//")):
            self.found.append(address)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("mkdocs", "material", "mkdocstrings_handlers.python"):
        if importlib.util.find_spec(module.partition(".")[0]) is None:
            pytest.skip(f"needs {module}: the group docs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


@pytest.mark.slow
def test_the_site_is_complete_and_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(list(DOCS.glob("*.md")))
    assert {page: Loaded(page).found for page in pages if Loaded(page).found} == {}
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {"tutorial/", "shell/", "python/"} <= {one["location"] for one in index["docs"]}
    assert not list(site.rglob("*.py"))


@pytest.mark.slow
def test_the_reference_has_every_command_and_every_name(site: Path) -> None:
    shell = (site / "shell" / "index.html").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f'id="medir-{name}"' not in shell] == []
    assert "--fail-above" in shell
    python = (site / "python" / "index.html").read_text(encoding="utf-8")
    modules = {"similarity", "spark", "__version__"}
    names = [name for name in medir.__all__ if name not in modules]
    assert [name for name in names if f"medir.{name}" not in python and name not in python] == []
    assert "rbo" in python
    assert "&gt;&gt;&gt; result = compare" in re.sub(r"<[^>]+>", "", python)
