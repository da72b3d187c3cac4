"""Pictures of distances: what is drawn, that it can be read, and that it is always the same."""

from __future__ import annotations

import importlib.util
import itertools
import textwrap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list

from medir.errors import MissingExtraError, UsageError
from medir.rendering.pictures import style as drawing
from medir.rendering.pictures.labels import MARK
from medir.rendering.pictures.plots import (
    heat_map,
    heat_map_figure,
    system_map,
    system_map_figure,
)
from medir.rendering.pictures.scaling import classical_scaling, scale_to_plane, smacof, stress_1
from medir.rendering.pictures.style import GREY, drawing_style, labels_of
from medir.rendering.pictures.systems import systems
from medir.rendering.pictures.trees import cluster
from tests.cases.pictures import extents, inside, overlapping, texts
from tests.shell import python

Array = NDArray[np.float64]

MAGIC = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}


class Case(NamedTuple):
    names: list[str]
    distances: Array
    groups: dict[str, str]


def case(count: int, dimensions: int = 4, seed: int = 0) -> Case:
    """Random systems of five groups, named as runs are."""
    points = np.random.default_rng(seed).normal(size=(count, dimensions))
    names = [f"group{i % 5}.bm25_rm3-{'rerank.' * (i % 3)}{i}" for i in range(count)]
    return Case(names, between(points), {name: name.split(".")[0] for name in names})


def clusters(count: int, of: int) -> Case:
    """Tight clusters that stand far apart, shuffled."""
    random = np.random.default_rng(1)
    points = np.repeat(random.normal(size=(count, 2)), of, axis=0)
    points += random.normal(scale=0.02, size=points.shape)
    numbers = random.permutation(count * of)
    names = [f"cluster{i // of}-variant-{i % of}" for i in numbers]
    return Case(names, between(points[numbers]), {name: name.split("-")[0] for name in names})


def between(points: Array) -> Array:
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))


def draw_heat_map(given: Case, title: str = "Runs") -> Figure:
    with drawing_style():
        drawn = systems(given.names, given.distances, given.groups, least=2)
        return heat_map_figure(drawn, title, "mean MED-nDCG@20")


def draw_map(given: Case, title: str = "Runs\nstress") -> Figure:
    with drawing_style():
        drawn = systems(given.names, given.distances, given.groups, least=3)
        return system_map_figure(drawn, scale_to_plane(drawn.apart), title)


DRAWN = [
    pytest.param(case(3), id="3"),
    pytest.param(case(10), id="10"),
    pytest.param(case(48), id="48"),
    pytest.param(clusters(6, 8), id="48 in clusters"),
]


@pytest.mark.slow
@pytest.mark.parametrize("given", [pytest.param(case(2), id="2"), *DRAWN])
def test_heat_map_can_be_read(given: Case) -> None:
    figure = draw_heat_map(
        given, "A title that is longer than a picture of two systems is wide " * 2
    )
    everything = extents(figure)
    assert all(inside(figure, box) for box in everything)
    assert overlapping(everything) == 0
    assert len(extents(figure, given.names)) == 2 * len(given.names)


@pytest.mark.slow
@pytest.mark.parametrize("given", DRAWN)
def test_map_can_be_read(given: Case) -> None:
    figure = draw_map(given)
    everything = extents(figure)
    assert all(inside(figure, box) for box in everything)
    assert overlapping(everything) == 0

    labels = extents(figure, given.names)
    assert len(labels) == len(given.names)
    axes = figure.axes[0]
    half = MARK / 2 * figure.dpi / 72
    marks = [
        Bbox.from_extents(x - half, y - half, x + half, y + half)
        for line in axes.lines
        if line.get_linestyle() == "None"
        for x, y in axes.transData.transform(line.get_xydata())
    ]
    assert len(marks) == len(given.names)
    assert not any(overlapping([label, mark]) for label in labels for mark in marks)


def test_systems_that_are_all_the_same_are_still_named_apart() -> None:
    names = [f"copy {i}" for i in range(12)]
    figure = draw_map(Case(names, np.zeros((12, 12)), {}))
    assert overlapping(extents(figure, names)) == 0


def test_map_is_as_wide_as_it_is_high() -> None:
    axes = draw_map(case(10)).axes[0]
    (left, bottom), (right, top) = axes.transData.transform([(0, 0), (1, 1)])
    assert right - left == pytest.approx(top - bottom)
    assert len(axes.get_xticks()) == len(axes.get_yticks()) == 0


def test_groups_differ_in_colour_and_in_marker() -> None:
    drawn = systems(*case(10), least=3)
    colours, markers = zip(*drawn.styles.values(), strict=True)
    assert len(set(colours)) == len(set(markers)) == 5


def test_of_many_groups_the_ten_largest_have_a_colour() -> None:
    names = [f"run{i}" for i in range(80)]
    groups = {name: f"group{min(i % 40, i % 13)}" for i, name in enumerate(names)}
    sizes = Counter(groups.values())
    drawn = systems(names, np.zeros((80, 80)), groups, least=2)
    largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:10]
    assert list(drawn.styles) == [*largest, f"{len(sizes) - 10} other groups"]
    assert len({colour for colour, _ in drawn.styles.values()}) == 11
    assert drawn.styles[list(drawn.styles)[-1]][0] == GREY


def test_names_lose_what_all_of_them_have() -> None:
    whole = ["input.r5-bm25.run.gz", "input.r5-dense.run.gz", "input.r5-both.run"]
    assert labels_of(whole) == ["bm25", "dense", "both"]
    assert labels_of(["a.gz", "b.gz"]) == ["a", "b"]
    assert labels_of(["run.1", "run.12"]) == ["1", "12"]
    assert labels_of(["x.run", "x.run.gz"]) == ["x.run", "x.run.gz"]  # they would be the same
    assert labels_of(["run", "run.old"]) == ["run", "run.old"]
    assert labels_of(["alone.run.gz"]) == ["alone.run"]


def test_colours_span_what_different_systems_have() -> None:
    distances = np.array([[0, 0.5, 0.6], [0.5, 0, 0.7], [0.6, 0.7, 0]])
    figure = draw_heat_map(Case(["a", "b", "c"], distances, {}))
    cells = figure.axes[0].collections[0]
    assert cells.get_clim() == (0.5, 0.7)
    assert (
        np.ma.getmaskarray(np.ma.asarray(cells.get_array())).reshape(3, 3).tolist()
        == np.eye(3).tolist()
    )
    assert any("colours from 0.50 to 0.70" in text.get_text() for text in texts(figure))


@pytest.mark.parametrize("draw", [draw_heat_map, draw_map])
def test_systems_without_a_group_are_a_group(draw: Callable[[Case], Figure]) -> None:
    figure = draw(Case(["a", "b", "c"], np.zeros((3, 3)), {"a": "left", "other": "elsewhere"}))
    shown = [text.get_text() for text in texts(figure)]
    assert {"left", "no group"} <= set(shown)
    assert "elsewhere" not in shown


@pytest.mark.parametrize("draw", [draw_heat_map, draw_map])
def test_names_are_shown_as_they_are(draw: Callable[[Case, str], Figure]) -> None:
    names = ["$x^2$", "_hidden", "%s {0} \\alpha", "<&>--", "tab\there \udc80"]
    groups = dict(zip(names, ["_a", "$b$", "c&", "d", "e"], strict=True))
    figure = draw(Case(names, np.ones((5, 5)), groups), "$title$")
    shown = {text.get_text() for text in texts(figure)}
    assert {*names[:4], "tab\\there \\x80", "_a", "$b$", "c&", "$title$"} <= shown
    assert not any(text.get_parse_math() for text in texts(figure) if "$" in text.get_text())


def test_long_names_are_cut_where_they_remain_different() -> None:
    ends = systems(["a" * 100, "b"], np.zeros((2, 2)), None, least=2).labels
    assert len(ends[0]) == 60
    assert "…" in ends[0]
    alike = ["a" * 50 + middle + "a" * 50 for middle in "xy"]
    assert systems(alike, np.zeros((2, 2)), None, least=2).labels == alike


def test_what_stands_on_the_diagonal_is_shown() -> None:
    figure = draw_heat_map(Case(["a", "b"], np.array([[0.25, 0.5], [0.5, 0.125]]), {}))
    assert {"0.25", "0.50", "0.12"} <= {text.get_text() for text in texts(figure)}


def test_leaves_keep_clusters_together() -> None:
    given = clusters(5, 4)
    order = leaves_list(cluster(given.distances))
    found = [given.groups[given.names[i]] for i in order]
    assert len(list(itertools.groupby(found))) == 5


def test_rows_and_columns_follow_the_tree() -> None:
    given = clusters(4, 10)
    matrix = draw_heat_map(given).axes[0]
    order = leaves_list(cluster(given.distances))
    cells = np.asarray(matrix.collections[0].get_array()).reshape(40, 40)
    np.testing.assert_array_equal(cells, given.distances[np.ix_(order, order)])
    expected = [given.names[i] for i in order]
    shown = [text.get_text() for text in matrix.texts]
    assert [name for name in shown if name in expected] == [n for n in expected for _ in range(2)]
    assert shown[80:] == list(dict.fromkeys(name.partition("-")[0] for name in expected))


def test_tree_joins_clusters_at_their_mean_distance() -> None:
    distances = np.array([[0, 1, 5], [1, 0, 7], [5, 7, 0]], dtype=float)
    figure = draw_heat_map(Case(["a", "b", "c"], distances, {}))
    forks = figure.axes[1].collections[0].get_paths()
    assert [np.asarray(fork.vertices)[:, 0].max() for fork in forks] == [1, 6]


@pytest.mark.parametrize("count", [3, 10, 48])
def test_a_plane_is_recovered(count: int) -> None:
    distances = case(count, dimensions=2).distances
    points = scale_to_plane(distances)
    assert stress_1(distances, points) < 1e-6
    np.testing.assert_allclose(between(points), distances, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_smacof_recovers_a_plane_from_near_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = random.normal(size=(12, 2))
    start = points + random.normal(scale=0.05, size=points.shape)
    found, _ = smacof(between(points), start, iterations=5000, tolerance=1e-16)
    assert stress_1(between(points), found) < 1e-6


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("planar", [True, False])
def test_stress_never_rises(seed: int, planar: bool) -> None:
    distances = case(20, dimensions=2 if planar else 6, seed=seed).distances
    start = np.random.default_rng(100 + seed).normal(size=(20, 2))
    points, stresses = smacof(distances, start, tolerance=0)
    assert (np.diff(stresses) <= 1e-9).all()
    assert stresses[-1] < stresses[0]
    assert stress_1(distances, points) == pytest.approx(
        np.sqrt(stresses[-1] / (between(points) ** 2).sum() * 2)
    )


def test_the_best_start_is_taken() -> None:
    distances = case(20, seed=3).distances
    alone, _ = smacof(distances, classical_scaling(distances))
    best = scale_to_plane(distances, starts=10)
    assert stress_1(distances, best) <= stress_1(distances, alone) + 1e-4


def test_stress_of_what_has_no_place_in_a_plane(tmp_path: Path) -> None:
    """Four points at the same distance: stress-1 of a square with its diagonals."""
    distances = 1 - np.eye(4)
    stress = system_map(list("abcd"), distances, tmp_path / "map.svg", title="Equal")
    side, diagonal = 1.0, np.sqrt(2)
    scale = (4 * side + 2 * diagonal) / (4 * side**2 + 2 * diagonal**2)
    misses = 4 * (1 - scale * side) ** 2 + 2 * (1 - scale * diagonal) ** 2
    assert stress == pytest.approx(np.sqrt(misses / (scale**2 * 8)), rel=1e-3)
    assert f"Kruskal's stress-1: {stress:.3f}" in (tmp_path / "map.svg").read_text()


def test_the_diagonal_does_not_count_in_the_map(tmp_path: Path) -> None:
    given = case(6, dimensions=2)
    distances = given.distances + 0.3 * np.eye(6)
    assert system_map(given.names, distances, tmp_path / "map.svg", title="") < 1e-6


def draw_file(kind: str, path: Path, **changed: Any) -> None:
    given = case(10)
    arguments: dict[str, Any] = given._asdict() | {"title": "Ten runs"} | changed
    if kind == "heat":
        heat_map(path=path, label="mean MED", **arguments)
    else:
        system_map(path=path, **arguments)


KINDS = ["heat", "map"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", MAGIC)
def test_format_by_suffix_and_the_same_bytes_each_time(
    tmp_path: Path, kind: str, suffix: str
) -> None:
    first, second = tmp_path / f"first.{suffix}", tmp_path / f"second.{suffix.upper()}"
    draw_file(kind, first)
    draw_file(kind, second)
    content = first.read_bytes()
    assert content.startswith(MAGIC[suffix])
    assert content == second.read_bytes()
    assert sorted(tmp_path.iterdir()) == [first, second]


@pytest.mark.parametrize("kind", KINDS)
def test_svg_is_well_formed(tmp_path: Path, kind: str) -> None:
    draw_file(kind, tmp_path / "picture.svg", title="<a> & \x01 -- \udc80")
    ElementTree.parse(tmp_path / "picture.svg")


@pytest.mark.parametrize("kind", KINDS)
def test_settings_of_the_user_change_nothing(tmp_path: Path, kind: str) -> None:
    draw_file(kind, tmp_path / "plain.svg")
    settings: Any = {"font.size": 20, "axes.facecolor": "red", "savefig.bbox": "tight"}
    with matplotlib.rc_context(settings):
        draw_file(kind, tmp_path / "set.svg")
        assert matplotlib.rcParams["font.size"] == 20
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "set.svg").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["picture.jpg", "picture", ".svg"])
def test_other_formats_are_refused(tmp_path: Path, kind: str, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.pdf, \.png"):
        draw_file(kind, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def changed(i: int, j: int, value: float) -> Array:
    distances = case(10).distances.copy()
    distances[i, j] = value
    return distances


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "names": ({"names": ["a"] * 10}, "'a' is used for more than one system"),
    "shape": ({"distances": np.zeros((10, 9))}, r"10 by 10 distances.*\(10, 9\)"),
    "flat": ({"distances": np.zeros(10)}, r"\(10,\)"),
    "ragged": ({"distances": [[0, 1], [0]]}, "square of numbers"),
    "text": ({"distances": [["x"]]}, "square of numbers"),
    "asymmetric": ({"distances": changed(1, 2, 0.5)}, "0.5, unlike the reverse distance"),
    "nan": ({"distances": changed(3, 3, np.nan)}, "nan and not 0 or more"),
    "infinite": ({"distances": changed(0, 3, np.inf)}, "inf and not 0 or more"),
    "negative": ({"distances": changed(0, 3, -1)}, "-1.0 and not 0 or more"),
    "one": ({"names": ["a"], "distances": [[0]]}, "at least [23] systems, not 1"),
    "none": ({"names": [], "distances": []}, "at least [23] systems, not 0"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("arguments", "message"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said(
    tmp_path: Path, kind: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        draw_file(kind, tmp_path / "picture.svg", **arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_map_takes_three_systems(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least 3 systems, not 2"):
        system_map(["a", "b"], [[0, 1], [1, 0]], tmp_path / "map.svg", title="")


def test_symmetry_is_asked_for_to_a_billionth(tmp_path: Path) -> None:
    distances = np.array([[0, 1], [1 + 1e-10, 0]])
    heat_map(["a", "b"], distances, tmp_path / "heat.svg", title="", label="")


@pytest.mark.parametrize("kind", KINDS)
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Figure, file: BinaryIO, **_: object) -> None:
        file.write(b"half")
        raise RuntimeError("no more")

    target = tmp_path / "picture.svg"
    target.write_text("before")
    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="no more"):
        draw_file(kind, target)
    assert [path.name for path in tmp_path.iterdir()] == ["picture.svg"]
    assert target.read_text() == "before"


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_does_not_exist(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        draw_file(kind, tmp_path / "nowhere" / "picture.svg")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("library", ["matplotlib", "scipy"])
def test_a_missing_library_is_named(
    tmp_path: Path, kind: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(drawing, "find_spec", lambda name: None if name == library else find(name))
    with pytest.raises(MissingExtraError, match=rf"needs {library}: pip install 'medir\[plots\]'"):
        draw_file(kind, tmp_path / "picture.svg")


@pytest.mark.slow
def test_libraries_are_imported_when_something_is_drawn(tmp_path: Path) -> None:
    code = """
        import sys
        from medir.rendering.pictures.plots import heat_map, system_map
        assert not {"matplotlib", "scipy"} & sys.modules.keys()
        distances = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
        heat_map("abc", distances, sys.argv[1], title="", label="")
        system_map("abc", distances, sys.argv[1], title="")
        assert "matplotlib.pyplot" not in sys.modules
    """
    outcome = python(textwrap.dedent(code), tmp_path / "picture.pdf")
    assert outcome.code == 0, outcome.err
