"""Trees of clusters: beside a heat map, and as a picture of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medir.base.arrays import Array
from medir.rendering.pictures.appearance import (
    NARROW,
    Theme,
    Width,
    as_wide,
    check_theme,
    inches_of,
    themed,
)
from medir.rendering.pictures.labels import MARK
from medir.rendering.pictures.style import (
    OUTLINE,
    add_axes,
    check_drawing,
    check_plot,
    draw_legend,
    draw_title,
    drawing_style,
    fitted,
    new_figure,
    printable,
    save,
    write,
)
from medir.rendering.pictures.systems import Systems, systems

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE = 3.4  # inches of the axes
ROW = 0.17  # inches of a system


def system_tree(
    names: Sequence[str],
    distances: ArrayLike,
    path: str | PathLike[str],
    *,
    title: str,
    label: str,
    groups: Mapping[str, str] | None = None,
    theme: Theme = "light",
    width: Width = None,
) -> None:
    """Draws the tree of clusters (average linkage): two branches meet at their mean distance.

    The arguments are those of `heat_map`. The file appears when it is complete, or not at all.
    """
    check_plot(path)
    figure = draw_system_tree(
        names, distances, title=title, label=label, groups=groups, theme=theme, width=width
    )
    with drawing_style():
        save(figure, Path(path), title)


def draw_system_tree(
    names: Sequence[str],
    distances: ArrayLike,
    *,
    title: str,
    label: str,
    groups: Mapping[str, str] | None = None,
    theme: Theme = "light",
    width: Width = None,
) -> Figure:
    """The tree as a figure of matplotlib."""
    check_drawing()
    check_theme(theme)
    checked, inches = systems(names, distances, groups, least=2), inches_of(width)
    with drawing_style():
        tree = cluster(checked.apart)
        figure = as_wide(
            lambda wide: _tree_figure(checked, tree, title, label, wide, inches), WIDE, inches
        )
        return themed(figure, theme)


def cluster(apart: Array) -> Array:
    """Average linkage: a row for each merger with its two clusters, height and size."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(apart, checks=False)
    return cast(Array, linkage(condensed, method="average", optimal_ordering=True))


def _tree_figure(
    drawn: Systems, tree: Array, title: str, label: str, wide: float, inches: float | None
) -> Figure:
    """The tree in axes of a width in inches, with names and groups at its leaves."""
    from scipy.cluster.hierarchy import leaves_list

    order = leaves_list(tree)
    figure = new_figure()
    axes = add_axes(figure, 0, 0, wide, ROW * len(drawn))
    axes.set(ylim=(len(drawn), 0))
    draw_tree(axes, tree, order, 5)
    axes.set_xlabel(printable(label), fontsize=8, parse_math=False)
    grouped = drawn.shown_groups
    for place, number in enumerate(order):
        if grouped:
            colour, marker = drawn.styles[grouped[number]]
            axes.plot([0], [place + 0.5], marker, color=colour, markersize=MARK, clip_on=False,
                      **OUTLINE)  # fmt: skip
        write(axes, 0, place + 0.5, drawn.labels[number], 8, shift=(6, 0))
    narrow = inches is not None and inches < NARROW
    if grouped:
        right = axes.get_tightbbox().x1 / figure.dpi  # type: ignore[union-attr]
        left, bottom = (0.0, -0.5) if narrow else (right + 0.15, ROW * len(drawn))
        holder = add_axes(figure, left, bottom, 0.01, 0.01)
        holder.set_axis_off()
        draw_legend(holder, drawn.styles, below=narrow)
    draw_title(axes, title, wide, 0, 8.5 if narrow else 10)
    return fitted(figure, inches)


def draw_tree(axes: Axes, tree: Array, order: NDArray[np.int32], most: int = 3) -> None:
    """Draws the tree from left to right, its leaves in an order, with so many ticks at most."""
    from matplotlib.collections import LineCollection
    from matplotlib.ticker import MaxNLocator

    count = len(order)
    place, height = np.zeros(2 * count - 1), np.zeros(2 * count - 1)
    place[order] = np.arange(count) + 0.5
    forks = []
    for merged, (a, b, distance) in enumerate(tree[:, :3], start=count):
        ends = [int(a), int(b)]
        place[merged], height[merged] = place[ends].mean(), distance
        first, second = ends
        forks.append([(height[first], place[first]), (distance, place[first]),
                      (distance, place[second]), (height[second], place[second])])  # fmt: skip
    axes.add_collection(LineCollection(forks, colors="#444444", linewidths=0.8), autolim=False)
    highest = 1.03 * (float(height.max()) or 1.0)
    ticks = np.asarray(MaxNLocator(most).tick_values(0, highest))
    axes.set(xlim=(highest, 0), xticks=ticks[ticks <= highest], yticks=[])
    axes.tick_params(labelsize=7, length=2)
    axes.spines[["left", "top", "right"]].set_visible(False)
