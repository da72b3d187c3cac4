"""True differences of passage runs against MED, as rows and as a picture."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir import InputError, MeasureError, UsageError
from medir.rendering.pictures.appearance import INCHES, Look
from medir.validation.passage_figure import (
    PairDifference,
    difference_figure,
    draw_differences,
    pair_differences,
    passage_study,
    write_differences,
)
from tests.cases.pictures import extents, inside
from tests.oracles import passages as oracle

RUNS: dict[str, Any] = {
    "one": {"q1": [("a", 0, 30)], "q2": [("a", 5, 20), ("b", 0, 9)]},
    "two": {"q1": [("a", 10, 30)], "q2": [("b", 0, 9), ("a", 0, 20)]},
    "three": {"q1": [("c", 0, 30)], "q3": [("c", 0, 30)]},
}
GOLD = {"q1": [("a", 0, 12), ("c", 25, 9)], "q3": [("c", 0, 1)]}
GROUPS = {"one": "x", "two": "x", "three": "y"}
MEASURE = medir.U @ 25


@pytest.fixture
def rows() -> list[PairDifference]:
    return pair_differences(RUNS, GOLD, GROUPS, MEASURE)


def test_rows(rows: list[PairDifference]) -> None:
    """MED without judgments, and the difference of the two scores where gold alone is relevant."""
    found = [(row.run_a, row.run_b, row.same_group, row.query_id) for row in rows]
    assert found == [
        ("one", "two", True, "q1"),
        ("one", "three", False, "q1"), ("one", "three", False, "q3"),
        ("two", "three", False, "q1"), ("two", "three", False, "q3"),
    ]  # fmt: skip
    weight = oracle.linear(25)
    for row in rows:
        a, b = (RUNS[name].get(row.query_id, []) for name in (row.run_a, row.run_b))
        gold: dict[str, list[tuple[int, int]]] = {}
        for document, offset, length in GOLD[row.query_id]:
            gold.setdefault(document, []).append((offset, length))
        relevant = oracle.World(gold).relevant
        true = oracle.score(a, weight, relevant) - oracle.score(b, weight, relevant)
        assert row.difference == pytest.approx(abs(true), abs=1e-12)
        most = max(oracle.most(a, b, weight, depth=25), oracle.most(b, a, weight, depth=25))
        assert row.med == pytest.approx(most, abs=1e-12)
        assert row.difference <= row.med


def test_study(rows: list[PairDifference], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "deep" / "study"
    formats = "svg", "png"
    seen: list[tuple[int, int, bool]] = []

    def watch(done: int, total: int) -> None:
        seen.append((done, total, (folder / "figure-4.png").exists()))

    options: dict[str, Any] = {"measures": MEASURE, "pictures": formats, "progress": watch}
    found = passage_study(RUNS, GOLD, folder, GROUPS, **options)
    assert seen == sorted(seen)
    assert len({total for _, total, _ in seen}) == 1
    *before, at_the_end = [(done == total, drawn) for done, total, drawn in seen]
    assert set(before) == {(False, False)}
    assert at_the_end == (True, True)
    assert (found.rows, found.measure) == (rows, MEASURE)
    assert found.about == "3 runs, 3 pairs, 2 queries with gold"
    means = [rows[0].med, sum(row.med for row in rows[1:]) / 4]
    same, other = found.sentences
    assert same.startswith(f"same group: 1 pair and query, mean MED-U@25 {means[0]:.4f}")
    assert other.startswith(f"different groups: 4 pairs and queries, mean MED-U@25 {means[1]:.4f}")
    names = {path.name for path in folder.iterdir()}
    assert names == {"figure-4.csv", "figure-4.svg", "figure-4.png"}


def test_study_refused(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "study"
    with pytest.raises(InputError, match="1 of 3 runs are not in the column run: two"):
        passage_study(RUNS, GOLD, folder, {"one": "x", "three": "y"})
    with pytest.raises(UsageError, match="cannot draw"):
        passage_study(RUNS, GOLD, folder, GROUPS, pictures=["doc"])
    with pytest.raises(UsageError, match="the runs have no query with gold"):
        passage_study(RUNS, {"q9": [("a", 0, 1)]}, folder, GROUPS)
    assert not folder.exists()


def test_a_run_without_a_group_is_in_none() -> None:
    rows = pair_differences(RUNS, GOLD, {"one": "", "two": ""}, MEASURE)
    assert not any(row.same_group for row in rows)


def test_written(rows: list[PairDifference], tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    write_differences(rows, path)
    with path.open(newline="") as file:
        read = list(csv.DictReader(file))
    assert [float(row["difference"]) for row in read] == [row.difference for row in rows]
    assert [row["same_group"] for row in read] == [str(row.same_group) for row in rows]


@pytest.mark.slow
def test_drawn(rows: list[PairDifference], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    paths = [tmp_path / name for name in ("one.svg", "two.svg", "three.png")]
    for path in paths:
        draw_differences(rows, path, measure=MEASURE, title="a title with $ and _")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    figure = difference_figure(rows, MEASURE, "title")
    left, right = figure.axes
    assert left.get_title().startswith("same group: 1 point")
    assert right.get_title().startswith("different groups: 4 points")
    drawn = np.asarray(right.lines[1].get_xydata())
    expected = [(row.med, row.difference) for row in rows if not row.same_group]
    assert [tuple(point) for point in drawn.tolist()] == expected


@pytest.mark.parametrize(("width", "below"), [("column", True), ("page", False)])
def test_in_a_column_panels_stand_below_each_other(
    width: Any, below: bool, rows: list[PairDifference]
) -> None:
    pytest.importorskip("matplotlib")
    title = "a title that is longer than a column of text is wide, so that it has two lines"
    figure = difference_figure(rows, MEASURE, title, Look("light", width))
    assert figure.get_size_inches()[0] == INCHES[width]
    first, second = (axes.get_subplotspec() for axes in figure.axes)
    assert first is not None
    assert second is not None
    assert (first.rowspan.start != second.rowspan.start) == below
    names = [part.get_text() for axes in figure.axes for part in (axes.title, axes.xaxis.label)]
    boxes = extents(figure, [*names, figure.get_suptitle()])
    assert len(boxes) == 5
    assert all(inside(figure, box) for box in boxes)


def test_one_panel_may_be_empty(rows: list[PairDifference]) -> None:
    pytest.importorskip("matplotlib")
    figure = difference_figure([row for row in rows if row.same_group], MEASURE, "title")
    assert figure.axes[1].get_title() == "different groups: 0 points"


def test_refused(rows: list[PairDifference], tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two runs or more"):
        pair_differences({"one": RUNS["one"]}, GOLD, {})
    with pytest.raises(UsageError, match="needs one measure"):
        pair_differences(RUNS, GOLD, {}, ["U@5", "U@6"])
    with pytest.raises(MeasureError, match="ranked documents"):
        pair_differences(RUNS, GOLD, {}, "nDCG@5")
    with pytest.raises(InputError, match="no such file"):
        pair_differences(RUNS, tmp_path / "none", {})
    with pytest.raises(UsageError, match="no query with gold"):
        draw_differences([], tmp_path / "x.svg", measure=MEASURE, title="")
    with pytest.raises(UsageError, match="cannot draw"):
        draw_differences(rows, tmp_path / "x.doc", measure=MEASURE, title="")
    assert not list(tmp_path.iterdir())
