"""Pictures of the distances between systems: a heat map with a tree, and a map.

Both are written as .svg, .pdf or .png. The same distances give the same bytes.
"""

from __future__ import annotations

import csv
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medir.errors import InputError, MissingExtraError, UsageError
from medir.label_placement import LEADER, MARK, room_for_labels
from medir.scaling import scale_to_plane, stress_1
from medir.writing import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]

# What would make the same picture differ from one time to the next.
METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}
DPI = 150
POINTS = 72  # to the inch
MARGIN = 0.12  # inches around a picture
TOLERANCE = 1e-9  # of symmetry
LONGEST = 60  # characters of a name

NO_GROUP = "no group"
GREY = "#9a9a9a"
# Paul Tol's muted colours, which those who see few colours can tell apart.
COLOURS = ("#332288", "#cc6677", "#117733", "#88ccee", "#ddcc77", "#aa4499", "#44aa99", "#882255",
           "#999933")  # fmt: skip
OUTLINE: dict[str, Any] = {"markeredgewidth": 0.5, "markeredgecolor": "#333333"}
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", "p", ">", "*", "h")


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

    @property
    def styles(self) -> dict[str, tuple[str, str]]:
        """The colour and the marker of each group, the largest group first."""
        counts = Counter(self.groups or [])
        named = sorted(counts.keys() - {NO_GROUP}, key=lambda group: (-counts[group], group))
        markers = [MARKERS[number % len(MARKERS)] for number in range(len(named))]
        styles = dict(zip(named, zip(_colours(len(named)), markers, strict=True), strict=True))
        return styles | ({NO_GROUP: (GREY, ".")} if NO_GROUP in counts else {})


def systems(
    names: Sequence[str], distances: ArrayLike, groups: Mapping[str, str] | None, least: int
) -> Systems:
    """Systems and their distances, checked."""
    try:
        matrix = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("distances are a square of numbers") from None
    if len(names) < least:
        raise UsageError(f"this picture takes at least {least} systems, not {len(names)}")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(f"the name {repeated[0]!r} stands for more than one system")
    if matrix.shape != (len(names), len(names)):
        raise UsageError(
            f"{len(names)} systems have a square of {len(names)} by {len(names)} distances, "
            f"not an array of shape {matrix.shape}"
        )
    _check(names, ~np.isfinite(matrix) | (matrix < 0), "is {} and not 0 or more", matrix)
    _check(names, abs(matrix - matrix.T) > TOLERANCE, "is {} and differs from the way back", matrix)
    of = None if groups is None else [_printable(groups.get(n) or NO_GROUP) for n in names]
    return Systems(_labels(names), matrix, of)


def _check(names: Sequence[str], wrong: Bools, problem: str, matrix: Array) -> None:
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        problem = problem.format(matrix[i, j])
        raise UsageError(f"the distance from {names[i]!r} to {names[j]!r} {problem}")


def _labels(names: Sequence[str]) -> list[str]:
    """The names, the middle of long ones left out where they remain different."""
    whole = [_printable(name) for name in names]
    half = LONGEST // 2
    short = [n if len(n) <= LONGEST else f"{n[: half - 1]}…{n[-half:]}" for n in whole]
    return short if len(set(short)) == len(names) else whole


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _colours(count: int) -> list[str]:
    if count <= len(COLOURS):
        return list(COLOURS[:count])
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    return [to_hex(colour) for colour in colormaps["turbo"](np.linspace(0.03, 0.97, count))]


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
    checked = systems(names, distances, groups, least=2)
    with drawing_style():
        _save(heat_map_figure(checked, title, label), Path(path), title)


def cluster(apart: Array) -> Array:
    """Average linkage: a row for each merger with its two clusters, height and size."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    condensed = squareform(apart, checks=False)
    return cast(Array, linkage(condensed, method="average", optimal_ordering=True))


def heat_map_figure(drawn: Systems, title: str, label: str) -> Figure:
    """The heat map as a figure of matplotlib."""
    from scipy.cluster.hierarchy import leaves_list

    tree = cluster(drawn.apart)
    order = leaves_list(tree)
    count = len(drawn)
    cell = float(np.clip(5.4 / count, min(0.16, 48 / count), 0.45))
    side, branches, strip = count * cell, 1.1, 0.12 if drawn.groups else 0.0

    figure = _figure()
    matrix = _axes(figure, branches + 0.08 + strip, 0, side, side)
    matrix.set(xlim=(0, count), ylim=(count, 0), xticks=[], yticks=[])
    cells = _draw_cells(matrix, drawn.distances[np.ix_(order, order)], cell)
    _draw_names(matrix, [drawn.labels[i] for i in order], min(8.0, 0.68 * cell * POINTS))
    if drawn.groups:
        colours = {group: colour for group, (colour, _) in drawn.styles.items()}
        _draw_strips(matrix, [colours[drawn.groups[i]] for i in order], strip / cell)

    branch = _axes(figure, 0, 0, branches, side)
    branch.set(ylim=(count, 0))
    _draw_tree(branch, tree, order)

    right = matrix.get_tightbbox().x1 / figure.dpi + 0.2  # type: ignore[union-attr]
    label = _printable(label)
    tall = max(min(side, 2.2), 0.1 + float(_text_sizes(figure, [label], 8)[0, 0]) / POINTS)
    scale = _axes(figure, right, side - tall, 0.16, tall)
    figure.colorbar(cells, cax=scale)
    scale.tick_params(labelsize=7)
    scale.set_ylabel(label, fontsize=8, parse_math=False)
    if drawn.groups:
        _draw_legend(scale, drawn.styles, below=True)
    _draw_title(branch, title, right + 0.5, strip + 0.08)
    return _fitted(figure)


def _draw_cells(axes: Axes, values: Array, cell: float) -> QuadMesh:
    """The matrix in colours; with numbers where cells are large enough."""
    highest = float(values.max()) or 1.0
    cells = axes.pcolormesh(
        values, cmap="viridis", vmin=0, vmax=highest,
        edgecolors="face", linewidth=0.2, rasterized=len(values) > 150,
    )  # fmt: skip
    for (row, column), value in np.ndenumerate(values):
        if cell < 0.4 or highest >= 1000:
            break
        shade = "white" if value < 0.6 * highest else "black"
        _write(axes, column + 0.5, row + 0.5, f"{value:.2f}", 7, ha="center", color=shade)
    return cells


def _draw_names(axes: Axes, labels: list[str], size: float) -> None:
    count = len(labels)
    gap = 0.05 * POINTS
    for place, label in enumerate(labels):
        _write(axes, count, place + 0.5, label, size, shift=(gap, 0))
        _write(axes, place + 0.5, count, label, size, shift=(0, -gap),
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
    checked = systems(names, distances, groups, least=3)
    points = scale_to_plane(checked.apart, seed)
    stress = stress_1(checked.apart, points)
    stated = f"{title}\nKruskal's stress-1: {stress:.3f}"
    with drawing_style():
        _save(system_map_figure(checked, points, stated), Path(path), title)
    return stress


def system_map_figure(drawn: Systems, points: Array, title: str) -> Figure:
    """The map as a figure of matplotlib."""
    size = 7.5
    figure = _figure()
    sizes = _text_sizes(figure, drawn.labels, size) + np.array([3, 2])
    places, boxes, (width, height) = room_for_labels(points, sizes)

    axes = _axes(figure, 0, 0, width / POINTS, height / POINTS)
    axes.set(xlim=(0, width), ylim=(0, height), xticks=[], yticks=[], aspect="equal")
    axes.spines[:].set_color("#bbbbbb")
    styles = drawn.styles or {NO_GROUP: (COLOURS[0], "o")}
    of = np.array(drawn.groups or [NO_GROUP] * len(drawn))
    for group, (colour, marker) in styles.items():
        x, y = places[of == group].T
        axes.plot(x, y, marker, color=colour, markersize=MARK, **OUTLINE)
    ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}  # hides lines behind names
    for place, box, label in zip(places, boxes, drawn.labels, strict=True):
        end = np.clip(place, box[:2], box[2:])
        if np.linalg.norm(end - place) > LEADER:
            axes.plot(*zip(place, end, strict=True), color="#888888", linewidth=0.5, zorder=1)
        x, y = (box[:2] + box[2:]) / 2
        _write(axes, x, y, label, size, ha="center", bbox=ground)
    if drawn.groups:
        _draw_legend(axes, drawn.styles, below=False)
    _draw_title(axes, title, width / POINTS, 0)
    return _fitted(figure)


# ---- What both pictures share


def read_groups(path: str | PathLike[str]) -> dict[str, str]:
    """The group of each run, from a CSV file with the columns run and group."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file)
            missing = {"run", "group"} - set(rows.fieldnames or ())
            if missing:
                raise InputError(
                    f"there is no column {' or '.join(sorted(missing))}",
                    str(path),
                    1,
                    ",".join(rows.fieldnames or ()),
                    remedy="The first line names the columns: run,group",
                )
            return {row["run"]: row["group"] or "" for row in rows}
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", str(path)) from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"is not CSV: {error}", str(path)) from None


def check_plot(path: str | PathLike[str]) -> None:
    """Raises an error where no picture could be written, before any work is done."""
    _format_of(Path(path))
    for library in ("matplotlib", "scipy"):
        if find_spec(library) is None:
            raise MissingExtraError(library, "plots", "drawing")


def _format_of(path: Path) -> str:
    suffix = path.suffix.removeprefix(".").lower()
    if suffix not in METADATA:
        known = ", ".join("." + name for name in METADATA)
        raise UsageError(f"cannot draw {str(path)!r}; end the name in {known}")
    return suffix


def drawing_style() -> AbstractContextManager[None]:
    """Matplotlib's defaults, whatever the user's settings; text of the same width everywhere."""
    from matplotlib import style

    return style.context(["default", {"svg.hashsalt": "medir", "text.hinting": "none"}])


def _save(figure: Figure, path: Path, title: str) -> None:
    chosen = _format_of(path)
    metadata = {"Title": _printable(title), **METADATA[chosen]}
    with replacing(path) as temporary:
        figure.savefig(temporary, format=chosen, dpi=DPI, metadata=metadata)


def _figure() -> Figure:
    """A figure of one inch, in which axes are put by inches; `_fitted` gives it its size."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def _axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    return figure.add_axes((left, bottom, width, height))


def _fitted(figure: Figure) -> Figure:
    """The figure, as large as what is drawn in it."""
    drawn = figure.get_tightbbox()
    width, height = drawn.width + 2 * MARGIN, drawn.height + 2 * MARGIN
    figure.set_size_inches(width, height)
    for axes in figure.axes:
        x, y, w, h = axes.get_position(original=True).bounds
        left, bottom = x - drawn.x0 + MARGIN, y - drawn.y0 + MARGIN
        axes.set_position((left / width, bottom / height, w / width, h / height))
    return figure


def _text_sizes(figure: Figure, labels: list[str], size: float) -> Array:
    """Width and height of texts in points."""
    sizes = []
    for label in labels:
        text = figure.text(0, 0, label or " ", fontsize=size, parse_math=False)
        extent = text.get_window_extent()
        text.remove()
        sizes.append((extent.width, extent.height))
    return np.array(sizes) * POINTS / figure.dpi


def _write(
    axes: Axes, x: float, y: float, text: str, size: float,
    *, shift: tuple[float, float] = (0, 0), va: str = "center_baseline", **how: Any,
) -> None:  # fmt: skip
    axes.annotate(text, (x, y), xytext=shift, textcoords="offset points", fontsize=size,
                  va=va, parse_math=False, annotation_clip=False, **how)  # fmt: skip


def _draw_title(axes: Axes, title: str, width: float, above: float) -> None:
    """A title above axes, wrapped to a width; both in inches."""
    characters = max(40, int(11 * width))
    lines = [line for part in title.splitlines() for line in _wrapped(part, characters)]
    axes.annotate("\n".join(lines), (0, 1), xycoords="axes fraction",
                  xytext=(0, above * POINTS + 6), textcoords="offset points", fontsize=10,
                  va="bottom", parse_math=False)  # fmt: skip


def _wrapped(text: str, characters: int) -> Iterator[str]:
    yield from textwrap.wrap(_printable(text), characters) or [""]


def _draw_legend(axes: Axes, styles: dict[str, tuple[str, str]], *, below: bool) -> None:
    """A legend of groups: patches below axes, or markers right of them."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(color=colour) if below
        else Line2D([], [], linestyle="", marker=marker, color=colour, markersize=MARK, **OUTLINE)
        for colour, marker in styles.values()
    ]  # fmt: skip
    corner = (0, 0) if below else (1, 1)
    # Names are set afterwards: given here, one that begins with an underscore would be left out.
    legend = axes.legend(
        handles, ["-"] * len(handles), loc="upper left", bbox_to_anchor=corner, frameon=False,
        fontsize=8, borderaxespad=0.8 if below else 0.3, handlelength=1.0, borderpad=0,
    )  # fmt: skip
    for text, group in zip(legend.get_texts(), styles, strict=True):
        text.set_parse_math(False)
        text.set_text(group)
