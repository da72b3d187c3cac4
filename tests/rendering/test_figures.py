"""Results draw themselves: figures of matplotlib with the right numbers."""

from __future__ import annotations

import pickle
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import PolyCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

import medir
from medir.errors import UsageError
from medir.rendering.pictures.appearance import Look
from medir.rendering.pictures.style import drawing_style, save
from medir.validation.figures import draw
from medir.validation.passage_figure import passage_study
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.pictures import extents, inside, overlapping, texts
from tests.cases.studies import collection, numbers
from tests.shell import EXAMPLES, python

RUNS = {"before": BEFORE, "after": AFTER, "rebuilt": EXAMPLES / "rebuilt.run"}


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(BEFORE, AFTER, ["nDCG@20", "RBP", "tau_b", "footrule"], qrels=QRELS)


@pytest.fixture(scope="module")
def matrix() -> medir.Matrix:
    return medir.matrix(RUNS, ["nDCG@20", "RBO"])


def shown(figure: Figure) -> set[str]:
    """Every text of a figure."""
    return {text.get_text() for text in texts(figure)}


def points(figure: Figure) -> set[tuple[float, float]]:
    """What is drawn as marks in the second axes."""
    lines = [line for line in figure.axes[1].lines if line.get_marker() == "o"]
    pairs = [
        np.column_stack([np.asarray(line.get_xdata()), np.asarray(line.get_ydata())])
        for line in lines
    ]
    return {(float(x), float(y)) for x, y in np.concatenate(pairs)}


# ---- A comparison


def test_the_distribution_is_that_of_the_values(compared: medir.Comparison) -> None:
    figure = compared.plot()
    assert isinstance(figure, Figure)
    bars = [one for one in figure.axes[0].patches if isinstance(one, Rectangle)][:20]
    counts, _ = np.histogram(compared.column(), bins=20, range=(0, 1))
    assert np.allclose([bar.get_height() for bar in bars], 100 * counts / len(compared))
    assert any(
        text.startswith(f"mean {np.mean(compared.column()):.3f}\n95% interval")
        for text in shown(figure)
    )


def test_a_point_is_a_query(compared: medir.Comparison) -> None:
    gain, loss = (compared.column("RBP", name) for name in ("gain", "loss"))
    assert points(compared.plot("RBP")) == set(zip(gain.tolist(), loss.tolist(), strict=True))


def test_shares_of_what_a_change_can_do() -> None:
    before = {"win": ["a"], "lose": ["b"], "either": ["c"], "same": ["d"]}
    after = {"win": ["b"], "lose": ["a"], "either": ["e"], "same": ["d"]}
    judged = {"win": {"a": 0}, "lose": {"a": 0}}
    figure = medir.compare(before, after, "P@1", qrels=judged).plot()
    assert {"25% can only win", "25% can only lose", "25% can win or lose"} <= shown(figure)
    assert points(figure) == {(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0)}


def test_weights_count() -> None:
    result = medir.compare(BEFORE, AFTER, "nDCG@20", queries=QUERIES, weight="weight")
    figure = result.plot()
    assert "weight (%)" in shown(figure)
    assert any(text.endswith("changed, by weight") for text in shown(figure))


@pytest.mark.parametrize("name", ["tau_b", "footrule"])
def test_ranks_have_no_sides(name: str, compared: medir.Comparison) -> None:
    assert len(compared.plot(name).axes) == 1


def test_many_queries_are_counted() -> None:
    before = {f"q{n}": ["a", "b", f"c{n % 9}"] for n in range(2_500)}
    after = {f"q{n}": ["b", f"c{n % 7}", "a"] for n in range(2_500)}
    figure = medir.compare(before, after, ["nDCG@3"]).plot()
    (cells,) = [one for one in figure.axes[1].collections if isinstance(one, PolyCollection)]
    assert int(np.asarray(cells.get_array()).sum()) == 2_500


def test_texts_can_be_read(compared: medir.Comparison) -> None:
    for one in compared.measures:
        figure = compared.plot(one)
        boxes = extents(figure)
        assert overlapping(boxes) == 0
        assert all(inside(figure, box) for box in boxes)


@pytest.mark.parametrize("result", [({}, {}), ({"q": []}, {"q": []})], ids=["no query", "no list"])
def test_nothing_to_draw(result: tuple[Any, Any]) -> None:
    with pytest.raises(UsageError, match="no query has a value of tau_b to draw"):
        medir.compare(*result, "tau_b").plot()


# ---- Many runs, and a study


def test_a_matrix(matrix: medir.Matrix, tmp_path: Path) -> None:
    """The same picture as in a file."""
    figure = matrix.plot("RBO", groups={"before": "x"})
    (cells,) = figure.axes[0].findobj(QuadMesh)
    assert isinstance(cells, QuadMesh)
    drawn = np.sort(np.asarray(cells.get_array()).ravel())
    assert np.allclose(drawn, np.sort(1 - matrix.mean("RBO").ravel()))
    medir.heat_map(matrix.names, 1 - matrix.mean("RBO"), tmp_path / "file.svg",
                   title="3 runs, 240 queries, RBO(p=0.9)", label="1 - mean RBO(p=0.9)",
                   groups={"before": "x"})  # fmt: skip
    with drawing_style():
        save(figure, tmp_path / "figure.svg", "3 runs, 240 queries, RBO(p=0.9)")
    assert (tmp_path / "figure.svg").read_bytes() == (tmp_path / "file.svg").read_bytes()


def test_a_map(matrix: medir.Matrix, tmp_path: Path) -> None:
    figure = matrix.map(seed=3)
    title = "3 runs, 240 queries, MED-nDCG@20"
    medir.system_map(matrix.names, matrix.mean(), tmp_path / "file.svg", title=title, seed=3)
    with drawing_style():
        save(figure, tmp_path / "figure.svg", title)
    assert (tmp_path / "figure.svg").read_bytes() == (tmp_path / "file.svg").read_bytes()


def test_a_matrix_that_cannot_be_drawn() -> None:
    runs = {"a": {"q": ["x"]}, "b": {"q": ["y"]}, "c": {"r": ["z"]}}
    with pytest.raises(UsageError, match="all pairs of runs, not those with a"):
        medir.matrix(runs, "P@1", against="a").plot()
    with pytest.raises(UsageError, match="a and a have no value of tau_b"):
        medir.matrix(runs, "tau_b").map()
    with pytest.raises(UsageError, match="at least 3 systems, not 2"):
        medir.matrix({"a": runs["a"], "b": runs["b"]}, "P@1").map()


def test_a_study(tmp_path: Path) -> None:
    found = numbers(collection(), tmp_path)
    draw(found, tmp_path, ["svg"], Look())
    for number in (1, 2, 3):
        figure = found.figure(number)
        title = next(text for text in shown(figure) if text.startswith("Figure")).split("\n")[0]
        with drawing_style():
            save(figure, tmp_path / "again.svg", title)
        written = (tmp_path / f"figure-{number}.svg").read_bytes()
        assert (tmp_path / "again.svg").read_bytes() == written
    with pytest.raises(UsageError, match="figures 1, 2 and 3, not 4"):
        found.figure(4)


def test_a_study_without_groups(tmp_path: Path) -> None:
    given = collection()._replace(members={})
    with pytest.raises(UsageError, match="state groups"):
        numbers(given, tmp_path).figure(1)


def test_a_study_of_passages(tmp_path: Path) -> None:
    runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    groups = {"one": "x", "two": "y"}
    found = passage_study(runs, {"q": [("a", 0, 1)]}, tmp_path, groups)
    assert len(found.figure().axes) == 2
    assert repr(found) == "<PassageStudy of 2 runs, 1 pair, 1 query with gold>"


# ---- In a notebook, in a file


FIGURES: dict[str, Callable[[medir.Comparison, medir.Matrix], Figure]] = {
    "comparison": lambda compared, _: compared.plot(),
    "matrix": lambda _, matrix: matrix.plot(),
    "map": lambda _, matrix: matrix.map(),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_brings_its_image(
    name: str, compared: medir.Comparison, matrix: medir.Matrix
) -> None:
    """Whatever the settings; its size on a page is that of the figure."""
    figure: Any = FIGURES[name](compared, matrix)
    image, size = figure._repr_png_()
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    wide, high = struct.unpack(">II", image[16:24])
    assert (wide, high) == tuple(int(one) for one in figure.get_size_inches() * figure.dpi)
    assert size["width"] / size["height"] == pytest.approx(wide / high, rel=0.01)
    with matplotlib.rc_context({"savefig.facecolor": "black", "savefig.transparent": True}):
        assert figure._repr_png_() == (image, size)
    again: Any = pickle.loads(pickle.dumps(figure))
    assert again._repr_png_() == (image, size)


@pytest.mark.slow
def test_no_window_is_opened() -> None:
    code = """
import sys, medir
figure = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1").plot()
print(type(figure).__name__, "matplotlib.pyplot" in sys.modules)
"""
    assert python(code).out == "Picture False\n"


@pytest.mark.slow
def test_matplotlib_may_be_missing() -> None:
    code = """
import sys
from importlib import util
find = util.find_spec
util.find_spec = lambda name, *rest: None if name == "matplotlib" else find(name, *rest)
import medir
try:
    medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1").plot()
except medir.MedirError as error:
    print(error)
"""
    assert python(code).out == "drawing needs matplotlib: pip install 'medir[plots]'\n"


def test_a_report_is_the_same_page(compared: medir.Comparison, tmp_path: Path) -> None:
    some = compared.only(["nDCG@20"])
    some.report(tmp_path / "method.html", queries=QUERIES, top=3)
    medir.write_report(some, tmp_path / "function.html", queries=QUERIES, top=3)
    assert (tmp_path / "method.html").read_bytes() == (tmp_path / "function.html").read_bytes()
