"""The three figures of a study: pairs within groups, MED against truth, measure against measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from medir.base.arrays import Array
from medir.base.words import count
from medir.errors import UsageError
from medir.rendering.pictures.style import (
    COLOURS,
    POINTS,
    add_axes,
    check_drawing,
    draw_title,
    drawing_style,
    fitted,
    new_figure,
    printable,
    save,
    text_sizes,
    write,
)
from medir.validation.computation import PERSISTENCE, SHARES, SIMILARITY
from medir.validation.results import Correlation, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 2.7  # inches of a scatter plot
WIDE, STRIP = 6.2, 0.26  # inches of strips, and of the height of one
GOLDEN = 0.618034  # what spreads points evenly
MANY_POINTS, SOME_POINTS = 2500, 100  # more are drawn as an image: in a file, in a page
FADING = 2000  # points; the more there are, the paler they are
LEGEND_COLUMNS = 5
NAME = 30  # characters of a run's name
INK, QUIET = "#222222", "#666666"
OTHER, SAME = COLOURS[0], COLOURS[1]
APART = "#9a9a9a"  # pairs of different groups among strips
SAME_LABEL, OTHER_LABEL = "same group", "different groups"


@dataclass(frozen=True)
class Panel:
    """One part of a figure: axes of a size in inches, the room left of them, and what they show."""

    title: str
    note: str
    width: float
    height: float
    left: float
    draw: Callable[[Axes], None]

    @property
    def outer(self) -> tuple[float, float]:
        """Width and height with titles and the texts of the axes."""
        return self.left + self.width + 0.35, self.height + 1.0


def draw(study: Study, folder: Path, formats: Sequence[str]) -> None:
    """Writes all figures in all formats."""
    with drawing_style():
        for name, title, panels, legend in figures(study):
            figure = arranged(panels, f"{title}\n{about(study)}", legend)
            for kind in formats:
                save(figure, folder / f"{name}.{kind}", title)


def study_figure(study: Study, number: int) -> Figure:
    """One of the figures, by its number."""
    check_drawing()
    with drawing_style():
        for name, title, panels, legend in figures(study):
            if name == f"figure-{number}":
                return arranged(panels, f"{title}\n{about(study)}", legend)
    if number == 1:
        raise UsageError("figure 1 shows pairs within a group, and none is known: state groups")
    raise UsageError(f"a study has the figures 1, 2 and 3, not {number!r}")


def about(study: Study) -> str:
    """What a figure is drawn from."""
    queries = count(len(study.queries), "query", "queries")
    return f"{len(study.names)} runs, {len(study.pairs):,} pairs, {queries}"


def figures(study: Study) -> Iterator[tuple[str, str, list[Panel], dict[str, str]]]:
    """Name, title, panels and legend of each figure; no first one where no groups are known."""
    if study.within_groups():
        title = f"Figure 1. {study.main} of pairs within each group"
        yield "figure-1", title, [strip_panel(study)], type_colours(study)
    colours = {} if study.same_group is None else {SAME_LABEL: SAME, OTHER_LABEL: OTHER}
    title = f"Figure 2. True differences in {study.measure!r} against {study.main}"
    yield "figure-2", title, truth_panels(study), colours
    yield "figure-3", "Figure 3. Measure against measure", measure_panels(study), colours


# ---- The panels


def type_colours(study: Study) -> dict[str, str]:
    """The colour of each type of pair; none where no types are known."""
    if study.pair_types is None or study.same_group is None:
        return {}
    within = np.flatnonzero(study.same_group).tolist()
    kinds = sorted({study.pair_types[number] for number in within})
    return dict(zip(kinds, cycle(COLOURS), strict=False))


def strip_panel(study: Study) -> Panel:
    """A strip for each group, the closest first, and one for pairs of different groups.

    A point is a pair; a line is the mean.
    """
    groups, colours, same = study.within_groups(), type_colours(study), study.same_group
    assert same is not None
    kinds = study.pair_types or [""] * len(study.pairs)
    distance = study.med[0]
    strips = [
        (group, numbers, [colours.get(kinds[number], SAME) for number in numbers])
        for group, numbers in groups.items()
    ]
    strips.sort(key=lambda strip: float(distance[strip[1]].mean()))
    others = np.flatnonzero(~same & np.isfinite(distance)).tolist()
    if others:
        strips.append((OTHER_LABEL, others, [APART] * len(others)))
    names = [_shortened(group) for group, *_ in strips]
    wide = float(text_sizes(new_figure(), [printable(name) for name in names], 8)[:, 0].max())
    return Panel(
        f"{study.main} of pairs within each group",
        "a point for each pair, a line at their mean",
        WIDE,
        len(strips) * STRIP,
        wide / POINTS + 0.15,
        _strips([(name, distance[some], shades) for name, (_, some, shades)
                 in zip(names, strips, strict=True)], study.main),
    )  # fmt: skip


def _shortened(name: str) -> str:
    return name if len(name) <= NAME else f"{name[: NAME - 1]}…"


def _strips(strips: Sequence[tuple[str, Array, list[str]]], label: str) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        end = _end(values for _, values, _ in strips)
        axes.set(xlim=(-0.02 * end, end), ylim=(len(strips) - 0.45, -0.55), yticks=[])
        for row, (name, values, shades) in enumerate(strips):
            if row:
                axes.axhline(row - 0.5, color="#dddddd", linewidth=0.6, zorder=0)
            apart = 0.6 * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)
            axes.scatter(values, row + apart, s=9, c=shades, linewidths=0,
                         alpha=0.75 * float(np.clip(math.sqrt(60 / len(values)), 0.08, 1)),
                         rasterized=len(values) > SOME_POINTS)  # fmt: skip
            mean = float(values.mean())
            axes.plot([mean, mean], [row - 0.38, row + 0.38], color=INK, linewidth=1.4)
            write(axes, axes.get_xlim()[0], row, printable(name), 8, shift=(-6, 0), ha="right",
                  color=INK)  # fmt: skip
            write(axes, end, row, f"{mean:.3f}, {count(len(values), 'pair')}", 7.5, shift=(6, 0),
                  color=QUIET)  # fmt: skip
        axes.spines[["top", "right", "left"]].set_visible(False)
        _finish(axes, label, "")

    return draw


def truth_panels(study: Study, side: float = SIDE) -> list[Panel]:
    """True differences against MED: a panel for each part of the judgments, by both truths."""
    return [
        truth_panel(study, share, kind, side) for kind in study.true_differences for share in SHARES
    ]


def truth_panel(study: Study, share: int, kind: str, side: float) -> Panel:
    """A true difference against MED, with a part of the judgments."""
    true = study.true_differences[kind]
    known = f"{share} % of the judgments" if share else "no judgments"
    ends = _end(study.med.values()), _end(study.true_differences.values())
    labels = study.main, f"{kind} in {study.measure!r}"
    return Panel(
        f"{kind}, {known}",
        correlation_text(study.with_truth(share, kind)),
        side,
        side,
        0.55,
        _scatter(study, study.med[share], true, ends, labels, side / SIDE),
    )


def shown_measures(study: Study) -> list[tuple[str, str]]:
    """The pairs of distances (y, x) that the third figure shows, in the paper's order."""
    rbp, rbo = f"MED-{PERSISTENCE}", f"1-{SIMILARITY}"
    against = [
        f"MED-{name}" for name in (PERSISTENCE, "AP@100", "ERR", "nDCG@5", "nDCG@20", "nDCG@100")
    ]
    return [(rbp, rbo), *((name, study.main) for name in against if name != study.main)]


def measure_panels(study: Study) -> list[Panel]:
    """One distance against another."""
    panels = []
    for y, x in shown_measures(study):
        a, b = study.distances[x], study.distances[y]
        note = correlation_text(study.correlation(x, y))
        ends = _end([a]), _end([b])
        panels.append(
            Panel(f"{y} against {x}", note, SIDE, SIDE, 0.55, _scatter(study, a, b, ends, (x, y)))
        )
    return panels


def correlation_text(found: Correlation) -> str:
    """The three correlations in a line."""
    if math.isnan(found.pearson):
        return "no correlation can be computed"
    digits = 4 if found.figure == 3 else 3
    return (
        f"Pearson {found.pearson:.{digits}f}, Spearman {found.spearman:.{digits}f}, "
        f"Kendall {found.kendall:.{digits}f}"
    )


def _scatter(
    study: Study,
    x: Array,
    y: Array,
    ends: tuple[float, float],
    labels: tuple[str, str],
    zoom: float = 1.0,
) -> Callable[[Axes], None]:
    same = np.zeros(len(x), bool) if study.same_group is None else study.same_group
    size = zoom * float(np.clip(60 / math.sqrt(len(x)), 1.2, 4))
    fade = float(np.clip(math.sqrt(FADING / max(len(x), 1)), 0.15, 1))

    def draw(axes: Axes) -> None:
        line = min(ends)
        axes.plot([0, line], [0, line], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        for some, colour, opacity in ((~same, OTHER, 0.3 * fade), (same, SAME, 0.75 * fade)):
            axes.plot(
                x[some], y[some], "o", color=colour, markersize=size, markeredgewidth=0,
                alpha=opacity, rasterized=len(x) > MANY_POINTS,
            )  # fmt: skip
        axes.set(xlim=(-0.02 * ends[0], ends[0]), ylim=(-0.02 * ends[1], ends[1]))
        _finish(axes, *labels)

    return draw


def _end(several: Iterable[Array]) -> float:
    """Where an axis ends: a little above the largest value."""
    largest = max(float(np.nanmax(values, initial=0.0)) for values in several)
    return 1.04 * largest if largest > 0 else 1.0


def _finish(axes: Axes, x: str, y: str) -> None:
    """Ticks and texts of the axes."""
    axes.set_xticks(_ticks(axes.get_xlim()[1]))
    axes.set_xlabel(printable(x), fontsize=8, color=INK, parse_math=False)
    if y:
        axes.set_yticks(_ticks(axes.get_ylim()[1]))
        axes.set_ylabel(printable(y), fontsize=8, color=INK, parse_math=False)
    axes.tick_params(labelsize=7, length=2.5, colors=QUIET)
    axes.spines[:].set_color("#aaaaaa")


def _ticks(end: float) -> Array:
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(5).tick_values(0, end))
    return ticks[(ticks >= 0) & (ticks <= end)]


# ---- Panels on a sheet


def arranged(panels: Sequence[Panel], title: str, legend: dict[str, str]) -> Figure:
    """A figure of panels in columns, each below the shortest."""
    columns = {8: 4, 1: 1}.get(len(panels), 3 if len(panels) > 4 else 2)
    wide = max(panel.outer[0] for panel in panels)
    left = max(panel.left for panel in panels)
    figure = new_figure()
    filled = [0.0] * columns
    for panel in panels:
        column = filled.index(min(filled))
        top = -filled[column]
        axes = add_axes(figure, column * wide + left, top - panel.height, panel.width, panel.height)
        draw_panel(axes, panel)
        filled[column] += panel.outer[1]
    head = add_axes(figure, 0, 0.5, 0.01, 0.01)
    head.set(xticks=[], yticks=[])
    head.set_axis_off()
    if legend:
        _draw_legend(head, legend)
    rows = -(-len(legend) // LEGEND_COLUMNS)
    draw_title(head, title, columns * wide - 0.5, 0.2 * rows)
    return fitted(figure)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """A panel with its title and, in small, its note."""
    panel.draw(axes)
    for text, size, shift, colour in (
        (panel.title, 9, 15, INK),
        (panel.note, 7, 5, QUIET),
    ):
        axes.annotate(
            printable(text), (0, 1), xycoords="axes fraction", xytext=(0, shift),
            textcoords="offset points", fontsize=size, color=colour, parse_math=False,
            annotation_clip=False,
        )  # fmt: skip


def alone(panel: Panel) -> Figure:
    """A figure of one panel without its titles, for a page that sets them itself.

    Its points are an image where there are many: a page should not be large.
    """
    figure = new_figure()
    axes = add_axes(figure, 0, 0, panel.width, panel.height)
    panel.draw(axes)
    for line in axes.lines:
        line.set_rasterized(np.size(line.get_xdata()) > SOME_POINTS)
    return fitted(figure)


def _draw_legend(axes: Axes, colours: dict[str, str]) -> None:
    """A line of coloured marks with their names, above axes."""
    from matplotlib.patches import Patch

    legend = axes.legend(
        [Patch(color=colour) for colour in colours.values()], ["-"] * len(colours),
        loc="lower left", bbox_to_anchor=(0, 1), ncols=min(len(colours), LEGEND_COLUMNS),
        frameon=False, fontsize=8, borderpad=0, borderaxespad=0, handlelength=1.0,
        columnspacing=1.4,
    )  # fmt: skip
    for text, name in zip(legend.get_texts(), colours, strict=True):
        text.set_parse_math(False)
        text.set_text(printable(name))
