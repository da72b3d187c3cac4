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
from medir.rendering.pictures.appearance import Look
from medir.validation.figures import figures
from medir.validation.findings import answer, findings
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
        assert f"{one.verdict}. {one.evidence}" in text
    assert "9 of 9 findings of the paper hold here." in text
    assert {found.y for found in study.correlations[:8]} == {
        f"{kind} in {study.truth!r}" for kind in ("difference of means", "mean of differences")
    }
    for found in study.correlations[:8]:
        for value in (found.pearson, found.kendall, found.lowest, found.highest):
            assert f"{value:.3f}" in text
        assert found.lowest_without in text
        assert found.highest_without in text
    numbers = study.within_groups()["a"]
    for value in (study.med[0][numbers].mean(), *study.med[0][numbers][[0, -1]]):
        assert f"{value:.3f}" in text
    for name, score in zip(study.names, study.scores, strict=True):
        assert f"{name}" in text
        assert f"{score:.4f}" in text


def test_the_answer_comes_first() -> None:
    study = made()
    text = page(study)
    heads = re.findall(r"<h2[^>]*>(.*?)</h2>", text)
    assert heads[:5] == [
        "MED against true differences",
        "What was found",
        "Pairs within each group",
        "Runs",
        "Measure against measure",
    ]
    said = words_of(text)
    assert said.index(answer(study)[0]) < said.index("Difference of means"[1:])


def test_the_table_of_runs_is_in_order_of_the_scores() -> None:
    study = made()
    text = page(study)
    table = text[text.index('<table class="numbers" id="table">') :]
    assert re.findall(r'<th scope="row">(.*?)</th>', table)[:RUNS] == list(study.names[::-1])
    first = re.findall(r"<td>(.*?)</td>", table)[:3]
    mine = np.array([RUNS - 1 in pair for pair in PAIRS])
    rest = np.corrcoef(study.med[0][~mine], study.difference[~mine])[0, 1]
    assert first == [f"{study.scores[-1]:.4f}", f"{study.med[0][mine].mean():.4f}", f"{rest:.3f}"]


def test_page_counts_what_does_not_hold() -> None:
    study = made(members=None, difference=made().med[0])
    text = words_of(page(study))
    verdicts = [one.holds for one in findings(study)]
    held, failed = verdicts.count(True), verdicts.count(False)
    assert failed > 0
    assert f"{held} of {held + failed} findings of the paper hold here" in text
    assert text.count("Does not hold here.") == failed
    assert text.count("Not tested.") == 2
    assert "This figure needs the group of each run" in text


@pytest.mark.slow
def test_page_holds_its_pictures_and_asks_for_nothing() -> None:
    text = page(made())
    sources = re.findall(r'src="([^"]*)"', text)
    assert len(sources) == 1 + 2 + 6 + 6
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
    assert "<b>run</b>" in words_of(text)
    assert "\\x80 é" in words_of(text)


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
        scores=np.linspace(0.1, 0.8, runs),
        difference=0.3 * values,
        mean_difference=0.4 * values,
        med=dict.fromkeys(small.med, values),
        distances=dict.fromkeys(small.distances, values),
    )


@pytest.mark.slow
@pytest.mark.parametrize("study", [made(), large(48, 8)], ids=["6 runs", "48 runs"])
@pytest.mark.parametrize("number", [0, 1, 2])
def test_figures_can_be_read(study: Study, number: int) -> None:
    sheet = list(figures(study))[number]
    figure = sheet.drawn(Look())
    everything = extents(figure)
    assert all(inside(figure, box) for box in everything)
    assert overlapping(everything) == 0
    shown = {text.get_text() for text in texts(figure)}
    assert {panel.title for panel in sheet.panels(None)} <= shown
    assert set(sheet.legend) <= shown


def test_strips_are_the_pairs_of_each_group() -> None:
    """The closest group first, a point for each pair in the colour of its type, and the others."""
    from matplotlib.colors import to_hex

    study = made()
    sheet = next(figures(study))
    figure, legend = sheet.drawn(Look()), sheet.legend
    assert set(legend) == {"both manual", "automatic and manual"}
    groups = sorted(study.within_groups().values(), key=lambda some: study.med[0][some].mean())
    *strips, others = figure.axes[0].collections
    assert study.pair_types is not None
    for row, (points, numbers) in enumerate(zip(strips, groups, strict=True)):
        places: Any = points.get_offsets()
        assert places[:, 0].tolist() == study.med[0][numbers].tolist()
        assert np.abs(places[:, 1] - row).max() < 0.31
        shades: Any = points.get_facecolor()
        kinds = [legend[study.pair_types[number]] for number in numbers]
        assert [to_hex(shade) for shade in shades] == kinds
    same = study.same_group
    assert same is not None
    rest: Any = others.get_offsets()
    assert rest[:, 0].tolist() == study.med[0][~same].tolist()


def test_many_groups_are_one_picture() -> None:
    study = large(runs=112, groups=56)
    sheet = next(figures(study))
    figure = sheet.drawn(Look())
    assert len(sheet.panels(None)) == 1
    shown = [text.get_text() for text in texts(figure)]
    assert sum(text.endswith(", 1 pair") for text in shown) == 56
    assert overlapping(extents(figure)) == 0


def test_points_are_the_pairs() -> None:
    study = made()
    for number, panels in ((1, 8), (2, 6)):
        figure = list(figures(study))[number].drawn(Look())
        for axes in figure.axes[:panels]:
            assert sum(np.size(line.get_xdata()) for line in axes.lines[1:]) == len(PAIRS)
        assert len(figure.axes) == panels + 1


@pytest.mark.slow
def test_without_groups_there_is_no_first_figure() -> None:
    names = [sheet.name for sheet in figures(made(members=None))]
    assert names == ["figure-2", "figure-3"]
    alone = tuple(Member(str(i)) for i in range(RUNS))
    assert [sheet.name for sheet in figures(made(members=alone))] == names
    assert "No group has two runs" in words_of(page(made(members=alone)))
