"""Pictures of the distances between systems: a heat map with a tree, and a map.

Both are written as .svg, .pdf or .png. The same distances give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, groupby
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.rendering.pictures.labels import LEADER, MARK, room_for_labels
from medir.rendering.pictures.scaling import scale_to_plane, stress_1
from medir.rendering.pictures.style import (
    COLOURS,
    GREY,
    MARKERS,
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
    labels_of,
    new_figure,
    printable,
    save,
    text_sizes,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

Bools = NDArray[np.bool_]

TOLERANCE = 1e-9  # of symmetry
NO_GROUP = "no group"


@dataclass(frozen=True)
class Systems:
    """Systems as they are drawn: label, group and distances of each."""

    labels: list[str]
    distances: Array
    groups: list[str] | None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def apart(self) -> Array:
        """The distances between different systems, with zeros on the diagonal."""
        apart = (self.distances + self.distances.T) / 2
        np.fill_diagonal(apart, 0)
        return apart

    @cached_property
    def _ranked(self) -> list[str]:
        """The groups, the largest first."""
        counts = Counter(self.groups or [])
        return sorted(counts.keys() - {NO_GROUP}, key=lambda group: (-counts[group], group))

    @property
    def _others(self) -> str:
        """What the groups without a colour of their own are called; empty where all have one."""
        others = self._ranked[len(COLOURS) :]
        return f"{len(others)} other groups" if len(others) > 1 else "".join(others)

    @property
    def shown_groups(self) -> list[str]:
        """The group of each system; those that have no colour of their own are one."""
        shown = {*self._ranked[: len(COLOURS)], NO_GROUP}
        return [group if group in shown else self._others for group in self.groups or []]

    @property
    def styles(self) -> dict[str, tuple[str, str]]:
        """The colour and the marker of each group, the largest first; ten have a colour."""
        styles = dict(zip(self._ranked, zip(COLOURS, MARKERS, strict=False), strict=False))
        if self._others:
            styles[self._others] = GREY, "o"
        if NO_GROUP in (self.groups or []):
            styles[NO_GROUP] = PALE, "."
        return styles


def systems(
    names: Sequence[str], distances: ArrayLike, groups: Mapping[str, str] | None, least: int
) -> Systems:
    """Systems and their distances, checked."""
    try:
        matrix = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("distances are a square of numbers") from None
    if len(names) < least:
        raise UsageError(f"this picture needs at least {least} systems, not {len(names)}")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(f"the name {repeated[0]!r} is used for more than one system")
    if matrix.shape != (len(names), len(names)):
        raise UsageError(
            f"{len(names)} systems have a square of {len(names)} by {len(names)} distances, "
            f"not an array of shape {matrix.shape}"
        )
    _check(names, ~np.isfinite(matrix) | (matrix < 0), "is {} and not 0 or more", matrix)
    _check(names, abs(matrix - matrix.T) > TOLERANCE, "is {}, unlike the reverse distance", matrix)
    of = None if groups is None else [printable(groups.get(n) or NO_GROUP) for n in names]
    return Systems(labels_of(names), matrix, of)


def _check(names: Sequence[str], wrong: Bools, problem: str, matrix: Array) -> None:
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        problem = problem.format(matrix[i, j])
        raise UsageError(f"the distance from {names[i]!r} to {names[j]!r} {problem}")


# ---- The heat map


def heat_map(
    names: Sequence[str],
    distances: ArrayLike,
    path: str | PathLike[str],
    *,
    title: str,
    label: str,
    groups: Mapping[str, str] | None = None,
) -> None:
    """Draws the distances as coloured cells, in the order of a tree of clusters beside them.

    The tree is that of average linkage, its leaves ordered such that neighbours are close. `label`
    says what the distance is. `groups` gives systems a group, shown as a strip of colours. The
    file appears when it is complete, or not at all.
    """
    check_plot(path)
    figure = draw_heat_map(names, distances, title=title, label=label, groups=groups)
    with drawing_style():
        save(figure, Path(path), title)


def draw_heat_map(
    names: Sequence[str],
    distances: ArrayLike,
    *,
    title: str,
    label: str,
    groups: Mapping[str, str] | None = None,
) -> Figure:
    """The heat map as a figure of matplotlib."""
    check_drawing()
    checked = systems(names, distances, groups, least=2)
    with drawing_style():
        return heat_map_figure(checked, title, label)


def cluster(apart: Array) -> Array:
    """Average linkage: a row for each merger with its two clusters, height and size."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(apart, checks=False)
    return cast(Array, linkage(condensed, method="average", optimal_ordering=True))


def heat_map_figure(drawn: Systems, title: str, label: str) -> Figure:
    """The heat map of checked systems."""
    from matplotlib.ticker import MaxNLocator
    from scipy.cluster.hierarchy import leaves_list

    tree = cluster(drawn.apart)
    order = leaves_list(tree)
    count = len(drawn)
    cell = float(np.clip(5.4 / count, min(0.16, 48 / count), 0.45))
    side, branches, strip = count * cell, 1.1, 0.12 if drawn.groups else 0.0

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
    _draw_tree(branch, tree, order)

    right = matrix.get_tightbbox().x1 / figure.dpi + 0.2  # type: ignore[union-attr]
    low, high = cells.get_clim()
    label = f"{printable(label)}, colours from {low:.2f} to {high:.2f}"
    tall = max(min(side, 2.2), 0.1 + float(text_sizes(figure, [label], 8)[0, 0]) / POINTS)
    scale = add_axes(figure, right, side - tall, 0.16, tall)
    ticks = np.asarray(MaxNLocator(6).tick_values(low, high))
    figure.colorbar(cells, cax=scale, ticks=ticks[(low <= ticks) & (ticks <= high)])
    scale.tick_params(labelsize=7)
    scale.set_ylabel(label, fontsize=8, parse_math=False)
    if drawn.groups:
        draw_legend(scale, drawn.styles, below=True)
    draw_title(branch, title, right + 0.5, above + 0.08)
    return fitted(figure)


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
              color="white" if dark else "black")  # fmt: skip
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
            Rectangle((first, first), size, size, fill=False, edgecolor="white", linewidth=1.2)
        )
        width, height = text_sizes(cast("Figure", axes.figure), [group], 7)[0] / POINTS
        lies = width < wide
        write(axes, first + size / 2, 0, group, 7, shift=(0, (strip + 0.04) * POINTS),
              rotation=0 if lies else 90, ha="center", va="bottom")  # fmt: skip
        taken = max(taken, float(height if lies else width) + 0.08)
    return taken


def _draw_tree(axes: Axes, tree: Array, order: NDArray[np.int32]) -> None:
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
    ticks = np.asarray(MaxNLocator(3).tick_values(0, highest))
    axes.set(xlim=(highest, 0), xticks=ticks[ticks <= highest], yticks=[])
    axes.tick_params(labelsize=7, length=2)
    axes.spines[["left", "top", "right"]].set_visible(False)


# ---- The map


def system_map(
    names: Sequence[str],
    distances: ArrayLike,
    path: str | PathLike[str],
    *,
    title: str,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
) -> float:
    """Draws systems as points whose distances on paper are as near to the given ones as can be.

    Metric multidimensional scaling: the best of SMACOF from classical scaling and from a few
    random starts. Returns Kruskal's stress-1, which the title states: 0 where every distance is
    true. The file appears when it is complete, or not at all.
    """
    check_plot(path)
    figure, stress = draw_system_map(names, distances, title=title, groups=groups, seed=seed)
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
) -> tuple[Figure, float]:
    """The map as a figure of matplotlib, and its stress."""
    check_drawing()
    checked = systems(names, distances, groups, least=3)
    points = scale_to_plane(checked.apart, seed)
    stress = stress_1(checked.apart, points)
    with drawing_style():
        stated = f"{title}\nKruskal's stress-1: {stress:.3f}"
        return system_map_figure(checked, points, stated), stress


def system_map_figure(drawn: Systems, points: Array, title: str) -> Figure:
    """The map of checked systems, at places in a plane."""
    size = 7.5
    figure = new_figure()
    sizes = text_sizes(figure, drawn.labels, size) + np.array([3, 2])
    places, boxes, (width, height) = room_for_labels(points, sizes)

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
    if drawn.groups:
        draw_legend(axes, drawn.styles, below=False)
    draw_title(axes, title, width / POINTS, 0)
    return fitted(figure)
