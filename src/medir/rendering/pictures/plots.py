"""Pictures of the distances between systems: a heat map with a tree, and a map.

Both are written as .svg, .pdf or .png. The same distances give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, groupby
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.rendering.pictures.appearance import (
    NARROW,
    ON_COLOUR,
    Theme,
    Width,
    as_wide,
    check_theme,
    inches_of,
    themed,
)
from medir.rendering.pictures.labels import LEADER, MARK, room_for_labels, room_of_width
from medir.rendering.pictures.scaling import scale_to_plane, stress_1
from medir.rendering.pictures.style import (
    COLOURS,
    GREY,
    OUTLINE,
    PALE,
    POINTS,
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
    text_sizes,
    write,
)
from medir.rendering.pictures.systems import NO_GROUP, TOLERANCE, Systems, systems
from medir.rendering.pictures.trees import cluster, draw_tree

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

MAP_TEXT = (7.5, 6.5, 5.5, 4.5)  # sizes of names; smaller ones where there is no room


# ---- The heat map


def heat_map(
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
    """Draws the distances as coloured cells, in the order of a tree of clusters beside them.

    The tree is that of average linkage, its leaves ordered such that neighbours are close. `label`
    says what the distance is. `groups` gives systems a group, shown as a strip of colours. `theme`
    is "light" or "dark"; `width` is that of a "column", of a "page" or a number of inches. The file
    appears when it is complete, or not at all.
    """
    check_plot(path)
    figure = draw_heat_map(
        names, distances, title=title, label=label, groups=groups, theme=theme, width=width
    )
    with drawing_style():
        save(figure, Path(path), title)


def draw_heat_map(
    names: Sequence[str],
    distances: ArrayLike,
    *,
    title: str,
    label: str,
    groups: Mapping[str, str] | None = None,
    theme: Theme = "light",
    width: Width = None,
) -> Figure:
    """The heat map as a figure of matplotlib."""
    check_drawing()
    check_theme(theme)
    checked = systems(names, distances, groups, least=2)
    with drawing_style():
        return themed(heat_map_figure(checked, title, label, inches_of(width)), theme)


def heat_map_figure(drawn: Systems, title: str, label: str, width: float | None = None) -> Figure:
    """The heat map of checked systems, of a width in inches."""
    tree = cluster(drawn.apart)
    count = len(drawn)
    natural = float(np.clip(5.4 / count, min(0.16, 48 / count), 0.45))
    return as_wide(
        lambda side: _heat_map_of_side(drawn, tree, title, label, side, width),
        natural * count,
        width,
    )


def _heat_map_of_side(
    drawn: Systems, tree: Array, title: str, label: str, side: float, width: float | None
) -> Figure:
    """The heat map with cells of such a size that all of them have a side in inches."""
    from scipy.cluster.hierarchy import leaves_list

    order = leaves_list(tree)
    count = len(drawn)
    cell = side / count
    narrow = width is not None and width < NARROW
    branches, strip = 0.4 if narrow else 1.1, 0.12 if drawn.groups else 0.0

    figure = new_figure()
    matrix = add_axes(figure, branches + 0.08 + strip, 0, side, side)
    matrix.set(xlim=(0, count), ylim=(count, 0), xticks=[], yticks=[])
    cells = _draw_cells(matrix, drawn.distances[np.ix_(order, order)], cell)
    above = strip
    _draw_names(matrix, [drawn.labels[i] for i in order], min(8.0, 0.68 * cell * POINTS))
    if drawn.groups:
        colours = {group: colour for group, (colour, _) in drawn.styles.items()}
        of = [drawn.shown_groups[i] for i in order]
        _draw_strips(matrix, [colours[group] for group in of], strip / cell)
        above += _draw_blocks(matrix, of, colours, strip, cell)

    branch = add_axes(figure, 0, 0, branches, side)
    branch.set(ylim=(count, 0))
    draw_tree(branch, tree, order)
    if narrow:
        branch.set(xticks=[])
        branch.spines["bottom"].set_visible(False)
    draw = _draw_scale_below if narrow else _draw_scale_beside
    right = draw(drawn, matrix, cells, printable(label))
    draw_title(branch, title, right + 0.5, above + 0.08, 8.5 if narrow else 10)
    return fitted(figure, width)


def _draw_scale_beside(drawn: Systems, matrix: Axes, cells: QuadMesh, label: str) -> float:
    """What the colours mean, right of the matrix; returns where it begins, in inches."""
    figure = cast("Figure", matrix.figure)
    side = matrix.get_position(original=True).height
    right = matrix.get_tightbbox().x1 / figure.dpi + 0.2  # type: ignore[union-attr]
    low, high = cells.get_clim()
    label = f"{label}, colours from {low:.2f} to {high:.2f}"
    tall = max(min(side, 2.2), 0.1 + float(text_sizes(figure, [label], 8)[0, 0]) / POINTS)
    scale = add_axes(figure, right, side - tall, 0.16, tall)
    figure.colorbar(cells, cax=scale, ticks=_round_numbers(low, high, 6))
    scale.tick_params(labelsize=7)
    scale.set_ylabel(label, fontsize=8, parse_math=False)
    if drawn.groups:
        draw_legend(scale, drawn.styles, below=True)
    return float(right)


def _draw_scale_below(drawn: Systems, matrix: Axes, cells: QuadMesh, label: str) -> float:
    """The same below the matrix, in a narrow picture; returns its right end."""
    figure = cast("Figure", matrix.figure)
    box = matrix.get_position(original=True)
    bottom = matrix.get_tightbbox().y0 / figure.dpi - 0.22  # type: ignore[union-attr]
    scale = add_axes(figure, box.x0, bottom, box.width, 0.1)
    figure.colorbar(
        cells, cax=scale, orientation="horizontal", ticks=_round_numbers(*cells.get_clim(), 3)
    )
    scale.tick_params(labelsize=7)
    scale.set_xlabel(label, fontsize=8, parse_math=False)
    if drawn.groups:
        corner = add_axes(figure, box.x0, bottom - 0.4, 0.01, 0.01)
        corner.set_axis_off()
        draw_legend(corner, drawn.styles, below=True)
    return float(box.x1)


def _round_numbers(low: float, high: float, most: int) -> Array:
    from matplotlib.ticker import MaxNLocator

    ticks: Array = np.asarray(MaxNLocator(most).tick_values(low, high))
    return ticks[(low <= ticks) & (ticks <= high)]


def _draw_cells(axes: Axes, values: Array, cell: float) -> QuadMesh:
    """The matrix in colours that span what different systems have; the diagonal is grey.

    With numbers where cells are large enough.
    """
    others = np.ma.masked_array(values, np.eye(len(values), dtype=bool))
    low, high = float(others.min()), float(others.max())
    if high - low < TOLERANCE:
        low, high = 0.0, high or 1.0
    axes.set_facecolor("#e8e8e8")
    cells = axes.pcolormesh(
        others, cmap="viridis", vmin=low, vmax=high,
        edgecolors="face", linewidth=0.2, rasterized=len(values) > 150,
    )  # fmt: skip
    for (row, column), value in np.ndenumerate(values):
        if cell < 0.4 or high >= 1000:
            break
        dark = row != column and value < low + 0.6 * (high - low)
        write(axes, column + 0.5, row + 0.5, f"{value:.2f}", 7, ha="center",
              color="white" if dark else "black",
              gid=None if row == column else ON_COLOUR)  # fmt: skip
    return cells


def _draw_names(axes: Axes, labels: list[str], size: float) -> None:
    count = len(labels)
    gap = 0.05 * POINTS
    for place, label in enumerate(labels):
        write(axes, count, place + 0.5, label, size, shift=(gap, 0))
        write(axes, place + 0.5, count, label, size, shift=(0, -gap),
               rotation=90, ha="center", va="top")  # fmt: skip


def _draw_strips(axes: Axes, colours: list[str], width: float) -> None:
    """The colours of the groups, left of the rows and above the columns."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    near, wide = -width, 0.75 * width
    rows = [Rectangle((near, place), wide, 1) for place in range(len(colours))]
    columns = [Rectangle((place, near), 1, wide) for place in range(len(colours))]
    strips = PatchCollection([*rows, *columns], facecolors=colours * 2, linewidths=0)
    axes.add_collection(strips, autolim=False)
    strips.set_clip_on(False)


def _draw_blocks(
    axes: Axes, groups: list[str], colours: Mapping[str, str], strip: float, cell: float
) -> float:
    """Names of groups above neighbours that belong together; the inches that they take.

    A name lies where it fits its block, and stands otherwise.
    """
    from matplotlib.patches import Rectangle

    starts = accumulate(blocks := [len(list(some)) for _, some in groupby(groups)], initial=0)
    taken = 0.0
    for first, size in zip(starts, blocks, strict=False):
        group, wide = groups[first], size * cell
        if size < 2 or wide < 0.16 or colours[group] in (GREY, PALE):
            continue
        axes.add_patch(
            Rectangle((first, first), size, size, fill=False, edgecolor="white", linewidth=1.2,
                      gid=ON_COLOUR)
        )  # fmt: skip
        width, height = text_sizes(cast("Figure", axes.figure), [group], 7)[0] / POINTS
        lies = width < wide
        write(axes, first + size / 2, 0, group, 7, shift=(0, (strip + 0.04) * POINTS),
              rotation=0 if lies else 90, ha="center", va="bottom")  # fmt: skip
        taken = max(taken, float(height if lies else width) + 0.08)
    return taken


# ---- The map


def system_map(
    names: Sequence[str],
    distances: ArrayLike,
    path: str | PathLike[str],
    *,
    title: str,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    theme: Theme = "light",
    width: Width = None,
) -> float:
    """Draws systems as points whose distances on paper are as near to the given ones as can be.

    Metric multidimensional scaling: the best of SMACOF from classical scaling and from a few
    random starts. Returns Kruskal's stress-1, which the title states: 0 where every distance is
    true. The file appears when it is complete, or not at all.
    """
    check_plot(path)
    figure, stress = draw_system_map(
        names, distances, title=title, groups=groups, seed=seed, theme=theme, width=width
    )
    with drawing_style():
        save(figure, Path(path), title)
    return stress


def draw_system_map(
    names: Sequence[str],
    distances: ArrayLike,
    *,
    title: str,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    theme: Theme = "light",
    width: Width = None,
) -> tuple[Figure, float]:
    """The map as a figure of matplotlib, and its stress."""
    check_drawing()
    check_theme(theme)
    checked = systems(names, distances, groups, least=3)
    points = scale_to_plane(checked.apart, seed)
    stress = stress_1(checked.apart, points)
    with drawing_style():
        stated = f"{title}\nKruskal's stress-1: {stress:.3f}"
        figure = system_map_figure(checked, points, stated, inches_of(width))
        return themed(figure, theme), stress


def system_map_figure(
    drawn: Systems, points: Array, title: str, width: float | None = None
) -> Figure:
    """The map of checked systems, at places in a plane, of a width in inches."""
    if width is None:
        size = MAP_TEXT[0]
        return _placed(drawn, title, size, room_for_labels(points, _text_boxes(drawn, size)), None)

    def drawn_in(inches: float) -> Figure:
        for size in MAP_TEXT:
            room = room_of_width(points, _text_boxes(drawn, size), inches * POINTS)
            if room is not None:
                return _placed(drawn, title, size, room, width)
        raise UsageError(f"{width:g} inches are too few for the names of {len(drawn)} systems")

    return as_wide(drawn_in, width - 0.25, width)


def _text_boxes(drawn: Systems, size: float) -> Array:
    """The room that each name needs, in points."""
    return cast(Array, text_sizes(new_figure(), drawn.labels, size) + np.array([3, 2]))


def _placed(
    drawn: Systems,
    title: str,
    size: float,
    room: tuple[Array, Array, Array],
    inches: float | None,
) -> Figure:
    """The map with points and names at their places in a frame."""
    places, boxes, (width, height) = room
    figure = new_figure()
    axes = add_axes(figure, 0, 0, width / POINTS, height / POINTS)
    axes.set(xlim=(0, width), ylim=(0, height), xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_color("#bbbbbb")
    styles = drawn.styles or {NO_GROUP: (COLOURS[0], "o")}
    of = np.array(drawn.shown_groups or [NO_GROUP] * len(drawn))
    for group, (colour, marker) in styles.items():
        x, y = places[of == group].T
        axes.plot(x, y, marker, color=colour, markersize=MARK, **OUTLINE)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # hides lines behind names
    for place, box, label in zip(places, boxes, drawn.labels, strict=True):
        end = np.clip(place, box[:2], box[2:])
        if np.linalg.norm(end - place) > LEADER:
            axes.plot(*zip(place, end, strict=True), color="#888888", linewidth=0.5, zorder=1)
        x, y = (box[:2] + box[2:]) / 2
        write(axes, x, y, label, size, ha="center", bbox=ground)
    narrow = inches is not None and inches < NARROW
    if drawn.groups:
        draw_legend(axes, drawn.styles, below=narrow)
    draw_title(axes, title, width / POINTS, 0, 8.5 if narrow else 10)
    return fitted(figure, inches)
