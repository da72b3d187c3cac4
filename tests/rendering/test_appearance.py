"""Kinds, themes and widths of pictures: what is drawn, that it can be read, and by whom."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.image import imread
from numpy.typing import NDArray

import medir
from medir.errors import UsageError
from medir.rendering.pictures.appearance import DARK, DARK_COLOURS, GROUND
from medir.rendering.pictures.style import COLOURS, INK, QUIET
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.pictures import check_readable, texts
from tests.shell import EXAMPLES
from tests.shell import medir as shell

KINDS = ["overview", "distribution", "gain-loss", "changes", "segments"]
MATRIX_KINDS = ["heat-map", "tree", "map"]
RUNS = {"before": BEFORE, "after": AFTER, "rebuilt": EXAMPLES / "rebuilt.run"}
GROUPS = {"before": "words", "rebuilt": "words", "after": "stems"}


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(
        BEFORE, AFTER, ["nDCG@20", "RBO"], qrels=QRELS, queries=QUERIES, weight="", by="segment"
    )


@pytest.fixture(scope="module")
def matrix() -> medir.Matrix:
    return medir.matrix(RUNS, "nDCG@20")


def shown(figure: Figure) -> set[str]:
    return {text.get_text() for text in texts(figure)}


def bars(figure: Figure) -> list[NDArray[np.float64]]:
    """The lowest and highest point of each bar, one array per colour and opacity."""
    drawn = [one for one in figure.axes[0].collections if isinstance(one, PolyCollection)]
    return [
        np.array([np.asarray(path.vertices)[:, 1] for path in one.get_paths()]).reshape(-1, 5)
        for one in drawn
    ]


# ---- What is drawn


def test_a_bar_is_what_a_query_could_win_and_cost(compared: medir.Comparison) -> None:
    gain, loss = compared.column(None, "gain"), compared.column(None, "loss")
    open_ = gain + loss > 1e-12  # the others are certain, and have no room
    wins, certain_wins, costs, certain_costs = bars(compared.plot(kind="changes"))
    assert sorted(wins.max(axis=1)) == pytest.approx(sorted(gain[open_ & (gain > 1e-12)]))
    assert sorted(-costs.min(axis=1)) == pytest.approx(sorted(loss[open_ & (loss > 1e-12)]))
    assert sorted(certain_wins.max(axis=1)) == pytest.approx(sorted(-loss[loss < -1e-12]))
    assert len(certain_costs) == np.count_nonzero(gain < -1e-12)
    assert (np.diff(wins.max(axis=1)) <= 0).all()
    said = {f"mean gain {gain.mean():.3f}", f"mean loss {loss.mean():.3f}", "change in nDCG@20"}
    assert said <= shown(compared.plot(kind="changes"))


def test_with_full_judgments_the_bars_are_the_differences() -> None:
    before, after = {"up": ["n", "r"], "down": ["r", "n"]}, {"up": ["r", "n"], "down": ["n", "r"]}
    judged = {query: {"r": 1, "n": 0} for query in before}
    figure = medir.compare(before, after, "RBP@2", qrels=judged, unseen="nothing").plot(
        kind="changes"
    )
    possible, certain_wins, _, certain_costs = bars(figure)
    assert len(possible) == 0
    assert certain_wins.max() == pytest.approx(-certain_costs.min())
    assert len(certain_wins) == len(certain_costs) == 1


def test_many_bars_are_thinned_out() -> None:
    before = {f"q{n}": ["a", "b", f"c{n % 9}"] for n in range(2_500)}
    after = {f"q{n}": ["b", f"c{n % 7}", "a"] for n in range(2_500)}
    figure = medir.compare(before, after, "nDCG@3").plot(kind="changes")
    assert max(map(len, bars(figure))) <= 2_000
    assert figure.axes[0].get_xlim() == (0, 2_500)


def test_a_similarity_has_values_and_no_sides(compared: medir.Comparison) -> None:
    (values,) = bars(compared.plot("RBO", "changes"))
    rbo = compared.column("RBO")
    assert values.max(axis=1).tolist() == sorted(rbo[rbo > 0], reverse=True)
    with pytest.raises(UsageError, match="has no gain and loss"):
        compared.plot("RBO", "gain-loss")


def test_a_row_is_a_segment(compared: medir.Comparison) -> None:
    figure = compared.plot(kind="segments")
    means = [
        float(np.asarray(line.get_xdata())[0])
        for line in figure.axes[0].lines
        if line.get_marker() == "o"
    ]
    summaries = compared.segments()
    assert means == [compared.summary().med.mean, *(one.med.mean for one in summaries.values())]
    assert {"all queries", *summaries, "72", "144", "24"} <= shown(figure)


def test_segments_must_be_known() -> None:
    with pytest.raises(UsageError, match="no segments to draw"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1").plot(kind="segments")


def test_one_panel_is_that_of_the_overview(compared: medir.Comparison) -> None:
    whole = compared.plot()
    alone = [compared.plot(kind=kind) for kind in ("distribution", "gain-loss")]
    assert [len(figure.axes) for figure in (whole, *alone)] == [2, 1, 1]
    for axes, one in zip(whole.axes, alone, strict=True):
        assert axes.get_xlabel() == one.axes[0].get_xlabel()
        assert len(axes.patches) == len(one.axes[0].patches)
        sizes = [[np.size(line.get_xdata()) for line in some.lines] for some in (axes, one.axes[0])]
        assert sizes[0] == sizes[1]


def test_a_tree_joins_runs_at_their_mean_distance(matrix: medir.Matrix) -> None:
    figure = matrix.plot(kind="tree", groups=GROUPS)
    (forks,) = [one for one in figure.axes[0].collections if isinstance(one, LineCollection)]
    heights = [float(np.asarray(path.vertices)[:, 0].max()) for path in forks.get_paths()]
    means = matrix.mean()
    assert heights == pytest.approx([means[0, 2], (means[0, 1] + means[1, 2]) / 2])
    assert {*RUNS, "words", "stems", "mean MED-nDCG@20"} <= shown(figure)


@pytest.mark.parametrize("wrong", [{"kind": "pie"}, {"theme": "blue"}, {"width": "wide"},
                                   {"width": 1}])  # fmt: skip
def test_what_there_is_not(wrong: dict[str, Any], compared: medir.Comparison,
                           matrix: medir.Matrix) -> None:  # fmt: skip
    (name,) = wrong
    for result in (compared, matrix):
        with pytest.raises(UsageError, match=f"^{name} is "):
            result.plot(**wrong)


# ---- That it can be read


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, "column", "page", 5])
@pytest.mark.parametrize("kind", [*KINDS, *MATRIX_KINDS])
def test_it_is_as_wide_as_wanted_and_can_be_read(
    kind: str, width: Any, compared: medir.Comparison, matrix: medir.Matrix
) -> None:
    if kind in KINDS:
        figure = compared.plot(kind=kind, width=width)
    else:
        figure = matrix.plot(kind=kind, groups=GROUPS, width=width)
    check_readable(figure, width, 4.5)


def test_a_caption_can_take_the_place_of_the_title(compared: medir.Comparison) -> None:
    assert any("→" in text for text in shown(compared.plot()))
    assert not any("→" in text for text in shown(compared.plot(title=False)))


def test_names_that_do_not_fit_are_an_error(tmp_path: Path) -> None:
    names = [f"{number}{'x' * 40}{number}" for number in range(40)]
    distances = 1 - np.eye(40)
    with pytest.raises(UsageError, match="too few for the names of 40 systems"):
        medir.system_map(names, distances, tmp_path / "never.svg", title="", width=2)
    assert not list(tmp_path.iterdir())


# ---- Themes


@pytest.mark.parametrize("kind", [*KINDS, *MATRIX_KINDS])
def test_the_dark_theme_leaves_nothing_light(
    kind: str, compared: medir.Comparison, matrix: medir.Matrix
) -> None:
    figure = (compared if kind in KINDS else matrix).plot(kind=kind, theme="dark")
    assert to_hex(figure.get_facecolor()) == GROUND
    written = [text for text in texts(figure) if text.get_gid() is None]
    assert written
    assert all(contrast(text.get_color(), GROUND) >= 4.5 for text in written)


def test_both_themes_draw_the_same(compared: medir.Comparison) -> None:
    light, dark = (compared.plot(kind="changes", theme=theme) for theme in ("light", "dark"))
    for one, other in zip(bars(light), bars(dark), strict=True):
        np.testing.assert_array_equal(one, other)


def test_figures_of_a_study_have_themes_as_well(compared: medir.Comparison) -> None:
    figure: Any = compared.plot()
    assert figure.themed("light") is figure
    assert to_hex(figure.themed("dark").get_facecolor()) == GROUND


def contrast(first: Any, second: Any) -> float:
    """The contrast of two colours as WCAG defines it."""
    light, dark = sorted((float(linear(one) @ [0.2126, 0.7152, 0.0722]) for one in (first, second)),
                         reverse=True)  # fmt: skip
    return (light + 0.05) / (dark + 0.05)


def linear(colour: Any) -> NDArray[np.float64]:
    values = np.array(to_rgb(colour))
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


# What people see who lack a kind of cone: Machado, Oliveira and Fernandes (2009), severity 1.
VISION = {
    "all cones": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
}  # fmt: skip
XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def lab(colour: str, seen: NDArray[np.float64]) -> NDArray[np.float64]:
    """A colour as it is seen, in CIE Lab."""
    relative = XYZ @ np.clip(seen @ linear(colour), 0, 1) / XYZ.sum(axis=1)
    x, y, z = np.where(relative > 0.008856, np.cbrt(relative), 7.787 * relative + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("colours", [COLOURS, DARK_COLOURS], ids=["light", "dark"])
def test_colours_can_be_told_apart(colours: tuple[str, ...], vision: str) -> None:
    """The first four, which mean something; groups have markers as well."""
    seen = [lab(colour, VISION[vision]) for colour in colours[:4]]
    apart = [float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2)]
    assert min(apart) > 12


def test_every_colour_of_the_light_theme_stands_for_another() -> None:
    assert {*COLOURS, INK, QUIET} <= DARK.keys()
    assert len(set(DARK_COLOURS)) == len(COLOURS)
    assert all(contrast(colour, GROUND) >= 4.5 for colour in DARK_COLOURS)


# ---- Files


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_files_have_the_width(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"tree.{suffix}"
    distances = np.array([[0, 0.2, 0.5], [0.2, 0, 0.4], [0.5, 0.4, 0]])
    medir.system_tree(["a", "b", "c"], distances, path, title="Runs", label="MED", width="column")
    content = path.read_bytes()
    if suffix == "png":
        assert imread(path).shape[1] == pytest.approx(3.35 * 150, abs=2)
    elif suffix == "svg":
        assert f'width="{3.35 * 72:g}' in content.decode()
    else:
        box = re.search(rb"/MediaBox \[ 0 0 ([\d.]+)", content)
        assert box is not None
        assert float(box[1]) == pytest.approx(3.35 * 72, abs=1)


@pytest.mark.slow
def test_the_shell_draws_a_tree_in_a_theme(tmp_path: Path) -> None:
    tree, plain = tmp_path / "tree.svg", tmp_path / "plain.svg"
    runs = [str(path) for path in RUNS.values()]
    done = shell("matrix", *runs, "--tree", str(tree), "--theme", "dark", "--width", "page")
    assert done.code == 0, done.err
    assert f"written to {tree}" in done.out.replace("\n", "")
    assert GROUND in tree.read_text(encoding="utf-8")
    assert f'width="{7 * 72}pt"' in tree.read_text(encoding="utf-8")
    assert shell("matrix", *runs, "--tree", str(plain), "--width", "3").code == 0
    assert GROUND not in plain.read_text(encoding="utf-8")
    for wrong, said in (
        (["--width", "wide"], "not column, page or a number of inches"),
        (["--width", "1"], "2 to 40 inches"),
    ):
        refused = shell("matrix", *runs, "--tree", str(tmp_path / "no.svg"), *wrong)
        assert refused.code == 2
        assert said in refused.err
    refused = shell("matrix", *runs, "--theme", "dark")
    assert refused.code == 2
    assert "go with --plot, --map or --tree" in refused.err
