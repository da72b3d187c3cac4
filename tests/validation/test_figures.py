"""Figures of studies in themes and widths: that they can be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_hex

import medir
from medir.errors import UsageError
from medir.inputs.groups import Member
from medir.rendering.pictures.appearance import GROUND
from tests.cases.pictures import check_readable, texts
from tests.cases.studies import collection


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> medir.Study:
    """Groups with long names, and pairs of all types."""
    given = collection()
    groups = {name: f"the laboratory of the {one.group}" for name, one in given.members.items()}
    members = {name: Member(groups[name], one.type) for name, one in given.members.items()}
    folder = tmp_path_factory.mktemp("study")
    return medir.study(given.runs, given.qrels, folder, groups=members)


@pytest.mark.slow
@pytest.mark.parametrize("width", [None, "column", "page", 5])
@pytest.mark.parametrize("number", [1, 2, 3])
def test_it_is_as_wide_as_wanted_and_can_be_read(
    number: int, width: Any, study: medir.Study
) -> None:
    check_readable(study.figure(number, width=width), width, 6)


def test_small_panels_show_what_large_ones_do(study: medir.Study) -> None:
    large, small = study.figure(2), study.figure(2, width="page")
    points = [
        [np.asarray(line.get_xydata()).tolist() for axes in figure.axes for line in axes.lines]
        for figure in (large, small)
    ]
    assert points[0] == points[1]
    pearson = study.with_truth(25).pearson
    assert any(f"Pearson {pearson:.3f}" in text.get_text() for text in texts(large))
    assert any(f"r {pearson:.2f}," in text.get_text() for text in texts(small))


def test_themes(study: medir.Study) -> None:
    assert to_hex(study.figure(3, theme="dark", width="page").get_facecolor()) == GROUND
    with pytest.raises(UsageError, match=r"^theme is light or dark"):
        study.figure(3, theme="blue")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^width is column, page"):
        study.figure(3, width="wide")  # type: ignore[arg-type]


def test_what_there_is_not_is_said_before_anything_is_computed(tmp_path: Path) -> None:
    given = collection()
    with pytest.raises(UsageError, match=r"^width is column, page"):
        medir.study(given.runs, given.qrels, tmp_path / "new", width="wide")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
