"""The page of a study and its figures: what they show, and that they can be read."""

from __future__ import annotations

import base64
import html
import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from medir.inputs.groups import Member
from medir.rendering.pictures.style import drawing_style
from medir.validation.figures import MANY_BARS, arranged, bar_panels, figures
from medir.validation.findings import findings
from medir.validation.page import page
from medir.validation.study import Study
from tests.cases.pictures import extents, inside, overlapping, texts
from tests.validation.test_words import PAIRS, RUNS, made

HOSTILE = ("<b>run</b>", "$x^2$", '"><script>alert(1)</script>', "_hidden", "tab\there", "\udc80 é")


def words_of(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", re.sub(r"<style>.*</style>", "", text, flags=re.S)))


def test_page_says_all_that_was_found() -> None:
    study = made()
    text = words_of(page(study))
    for one in findings(study):
        assert one.claim in text
        assert one.evidence in text
    assert "9 hold here and 0 do not" in text
    for found in study.correlations[:4]:
        assert f"{found.pearson:.3f}" in text
        assert f"{found.kendall:.3f}" in text
    for number in study.within_groups()["a"]:
        assert f"{study.med[0][number]:.3f}" in text


def test_page_counts_what_does_not_hold() -> None:
    study = made(members=None, difference=made().med[0])
    text = words_of(page(study))
    verdicts = [one.holds for one in findings(study)]
    held, failed = verdicts.count(True), verdicts.count(False)
    assert failed > 0
    assert f"{held} hold here and {failed} do not; 2 not tested" in text
    assert text.count("does not hold here") == failed
    assert "This figure needs the group of each run" in text


@pytest.mark.slow
def test_page_holds_its_pictures_and_asks_for_nothing() -> None:
    text = page(made())
    sources = re.findall(r'src="([^"]*)"', text)
    assert len(sources) == 4 + 6
    for source in sources:
        kind, _, content = source.partition(",")
        assert kind == "data:image/svg+xml;base64"
        ElementTree.fromstring(base64.b64decode(content))
    assert not re.search(r"https?://", re.sub(r"base64,[^\"]*", "", text))
    assert "<script" not in text


@pytest.mark.slow
def test_names_are_text_and_not_markup() -> None:
    study = made(names=HOSTILE, members=tuple(Member("<i>g</i>") for _ in HOSTILE))
    text = page(study)
    assert "<b>run" not in text
    assert "<script" not in text
    assert "<b>run</b> – $x^2$" in words_of(text)
    assert "\\x80 é" in words_of(text)


@pytest.mark.slow
def test_a_page_of_many_pairs_shows_the_ends() -> None:
    study = large(runs=13, groups=1)
    text = words_of(page(study))
    (numbers,) = study.within_groups().values()
    assert len(numbers) == 78 > MANY_BARS
    assert "18 pairs in between" in text
    assert f"{study.med[0][numbers[29]]:.3f}" in text
    assert f"{study.med[0][numbers[-30]]:.3f}" in text


def large(runs: int, groups: int) -> Study:
    """A study of many runs with long names."""
    pairs = [(i, j) for i in range(runs) for j in range(i + 1, runs)]
    chance = np.random.default_rng(0)
    values = np.sort(chance.uniform(0, 1, len(pairs)))
    names = tuple(f"group{i % groups}.bm25_rm3-{'rerank.' * (i % 3)}{i}" for i in range(runs))
    members = tuple(Member(f"group{i % groups}", f"type {i // groups % 4}") for i in range(runs))
    small = made()
    return made(
        names=names,
        members=members,
        pairs=tuple(pairs),
        difference=0.3 * values,
        med=dict.fromkeys(small.med, values),
        distances=dict.fromkeys(small.distances, values),
    )


@pytest.mark.slow
@pytest.mark.parametrize("study", [made(), large(48, 8)], ids=["6 runs", "48 runs"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_figures_can_be_read(study: Study, number: int) -> None:
    with drawing_style():
        _, title, panels, legend = list(figures(study))[number]
        figure = arranged(panels, f"{title}\nand a second line", legend)
    everything = extents(figure)
    assert all(inside(figure, box) for box in everything)
    assert overlapping(everything) == 0
    shown = {text.get_text() for text in texts(figure)}
    assert {panel.title for panel in panels} <= shown
    assert set(legend) <= shown


def test_bars_are_in_order_and_coloured_by_type() -> None:
    study = made()
    with drawing_style():
        _, title, panels, legend = next(figures(study))
        figure = arranged(panels, title, legend)
    assert set(legend) == {"both manual", "automatic and manual"}
    groups = study.within_groups()
    for axes, numbers in zip(figure.axes, groups.values(), strict=False):
        bars: Any = axes.patches
        assert [bar.get_width() for bar in bars] == study.med[0][numbers].tolist()
        assert [bar.get_width() for bar in bars] == sorted(bar.get_width() for bar in bars)
        from matplotlib.colors import to_hex

        assert study.pair_types is not None
        kinds = [legend[study.pair_types[number]] for number in numbers]
        assert [to_hex(bar.get_facecolor()) for bar in bars] == kinds


def test_a_group_of_very_many_pairs_has_no_names() -> None:
    study = large(runs=13, groups=1)
    with drawing_style():
        (panel,) = bar_panels(study)
        figure = arranged([panel], "Many", {})
    assert not any(" – " in text.get_text() for text in texts(figure))
    assert len(figure.axes[0].patches) == 78


def test_points_are_the_pairs() -> None:
    study = made()
    with drawing_style():
        for number in (1, 2):
            _, title, panels, legend = list(figures(study))[number]
            figure = arranged(panels, title, legend)
            for axes in figure.axes[: len(panels)]:
                assert sum(np.size(line.get_xdata()) for line in axes.lines[1:]) == len(PAIRS)


@pytest.mark.slow
def test_without_groups_there_is_no_first_figure() -> None:
    names = [name for name, *_ in figures(made(members=None))]
    assert names == ["figure-2", "figure-3"]
    alone = tuple(Member(str(i)) for i in range(RUNS))
    assert [name for name, *_ in figures(made(members=alone))] == names
    assert "No group has two runs" in words_of(page(made(members=alone)))
