"""What stands in a picture, and whether it can be read."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from medir.rendering.pictures.appearance import Width, inches_of
from medir.rendering.pictures.style import drawing_style


def texts(figure: Figure) -> Iterator[Text]:
    figure.draw_without_rendering()
    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        if text.get_text() and text.get_visible():
            yield text


def extents(figure: Figure, wanted: list[str] | None = None) -> list[Bbox]:
    """Where texts stand, in pixels."""
    with drawing_style():
        return [
            text.get_window_extent()
            for text in texts(figure)
            if wanted is None or text.get_text() in wanted
        ]


def overlapping(boxes: list[Bbox]) -> int:
    """How many pairs of boxes share more than an edge."""
    return sum(
        min(a.x1, b.x1) - max(a.x0, b.x0) > 0.01 and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.01
        for a, b in itertools.combinations(boxes, 2)
    )


def inside(figure: Figure, box: Bbox) -> bool:
    frame = figure.bbox
    low, high = frame.get_points()
    return bool((box.get_points() >= low).all() and (box.get_points() <= high).all())


def check_readable(figure: Figure, width: Width, smallest: float) -> None:
    """It is as wide as wanted, no text is cut off, hidden by another, or too small."""
    wanted = inches_of(width)
    if wanted is not None:
        assert figure.get_size_inches()[0] == pytest.approx(wanted, abs=0.01)
    boxes = extents(figure)
    assert overlapping(boxes) == 0
    assert all(inside(figure, box) for box in boxes)
    assert min(float(text.get_fontsize()) for text in texts(figure)) >= smallest
