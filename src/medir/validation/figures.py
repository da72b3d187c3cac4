"""The three figures of a study: pairs within groups, MED against truth, measure against measure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from medir.base.arrays import Array
from medir.base.words import count
from medir.errors import UsageError
from medir.rendering.pictures.appearance import (
    HALF_PAGE,
    Look,
    Theme,
    Width,
    as_wide,
    inches_of,
    themed,
)
from medir.rendering.pictures.style import (
    COLOURS,
    DPI,
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

SIDE, SMALL_SIDE = 2.7, 1.2  # inches of a scatter plot, and of one in a figure of a given width
WIDE, STRIP = 6.2, 0.26  # inches of strips, and of the height of one
GOLDEN = 0.618034  # what spreads points evenly
MANY_POINTS, SOME_POINTS = 2500, 100  # more are drawn as an image: in a file, in a page
FADING = 2000  # points; the more there are, the paler they are
LEGEND_ENTRY = 1.6  # inches
NAME, SHORT_NAME = 30, 16  # characters of a group's name
CORRELATIONS = "r: Pearson's correlation, ρ: Spearman's, τ: Kendall's"
STRIPS = "Each point is a pair, each line a mean, with its value and the number of pairs beside it"
INK, QUIET = "#222222", "#666666"
OTHER, SAME = COLOURS[0], COLOURS[1]
APART = "#9a9a9a"  # pairs of different groups among strips
SAME_LABEL, OTHER_LABEL = "same group", "different groups"


@dataclass(frozen=True)
class Panel:
    """One part of a figure: axes of a size in inches, the room left of them, and what they show.

    In a figure of a given width it is `compact`: texts are small, and there is no more room around
    it than they need.
    """

    title: str
    note: str
    width: float
    height: float
    left: float
    draw: Callable[[Axes], None]
    compact: bool = False

    @property
    def outer(self) -> tuple[float, float]:
        """Width and height with titles and the texts of the axes."""
        right, above = (0.12, 0.75) if self.compact else (0.35, 1.0)
        return self.left + self.width + right, self.height + above


@dataclass(frozen=True)
class Sheet:
    """A figure: its panels as large as they like, or of a width in inches each."""

    name: str
    title: str
    panels: Callable[[float | None], list[Panel]]
    legend: dict[str, str]
    about: str
    note: str  # what a compact panel has no room to say
    short: float  # inches of a compact panel, from which a given width is found
    columns: tuple[int, int]  # in a figure of the width of one column of text, and of a page

    def drawn(self, look: Look) -> Figure:
        """The figure in a theme and a width."""
        inches = inches_of(look.width)
        with drawing_style():
            if inches is None:
                panels = self.panels(None)
                columns = {8: 4, 1: 1}.get(len(panels), 3 if len(panels) > 4 else 2)
                figure = arranged(panels, columns, f"{self.title}\n{self.about}", self.legend)
            else:
                columns = self.columns[inches >= HALF_PAGE]
                title = f"{self.title}\n{self.about}\n{self.note}"
                figure = as_wide(
                    lambda side: arranged(self.panels(side), columns, title, self.legend, inches),
                    self.short,
                    inches,
                )
            return themed(figure, look.theme)


def draw(study: Study, folder: Path, formats: Sequence[str], look: Look) -> None:
    """Writes all figures in all formats."""
    for sheet in figures(study):
        figure = sheet.drawn(look)
        with drawing_style():
            for kind in formats:
                save(figure, folder / f"{sheet.name}.{kind}", sheet.title)


def study_figure(
    study: Study, number: int, *, theme: Theme = "light", width: Width = None
) -> Figure:
    """One of the figures, by its number."""
    check_drawing()
    look = Look(theme, width)
    for sheet in figures(study):
        if sheet.name == f"figure-{number}":
            return sheet.drawn(look)
    if number == 1:
        raise UsageError("figure 1 shows pairs within a group, and none is known: state groups")
    raise UsageError(f"a study has the figures 1, 2 and 3, not {number!r}")


def about(study: Study) -> str:
    """What a figure is drawn from."""
    queries = count(len(study.queries), "query", "queries")
    return f"{len(study.names)} runs, {len(study.pairs):,} pairs, {queries}"


def figures(study: Study) -> Iterator[Sheet]:
    """The figures in order; no first one where no groups are known."""
    text = about(study)
    if study.within_groups():
        yield Sheet(
            "figure-1",
            f"Figure 1. {study.main} of pairs within each group",
            lambda wide: [strip_panel(study, wide)],
            type_colours(study),
            text,
            STRIPS,
            3.0,
            (1, 1),
        )
    colours = {} if study.same_group is None else {SAME_LABEL: SAME, OTHER_LABEL: OTHER}
    yield Sheet(
        "figure-2",
        f"Figure 2. True differences in {study.measure!r} against {study.main}",
        lambda side: truth_panels(study, side),
        colours,
        text,
        CORRELATIONS,
        SMALL_SIDE,
        (2, 4),
    )
    yield Sheet(
        "figure-3",
        "Figure 3. Measure against measure",
        lambda side: measure_panels(study, side),
        colours,
        text,
        CORRELATIONS,
        SMALL_SIDE,
        (2, 3),
    )


# ---- The panels


def type_colours(study: Study) -> dict[str, str]:
    """The colour of each type of pair; none where no types are known."""
    if study.pair_types is None or study.same_group is None:
        return {}
    within = np.flatnonzero(study.same_group).tolist()
    kinds = sorted({study.pair_types[number] for number in within})
    return dict(zip(kinds, cycle(COLOURS), strict=False))


def strip_panel(study: Study, width: float | None = None) -> Panel:
    """A strip for each group, the closest first, and one for pairs of different groups.

    A point is a pair; a line is the mean.
    """
    longest = NAME if width is None else SHORT_NAME
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
    names = [_shortened(group, longest) for group, *_ in strips]
    wide = float(text_sizes(new_figure(), [printable(name) for name in names], 8)[:, 0].max())
    compact = width is not None
    return Panel(
        "" if compact else f"{study.main} of pairs within each group",
        "" if compact else "a point for each pair, a line at their mean",
        WIDE if width is None else width,
        len(strips) * STRIP,
        wide / POINTS + 0.15,
        _strips([(name, distance[some], shades) for name, (_, some, shades)
                 in zip(names, strips, strict=True)], study.main, compact),
        compact,
    )  # fmt: skip


def _shortened(name: str, longest: int) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _strips(
    strips: Sequence[tuple[str, Array, list[str]]], label: str, compact: bool
) -> Callable[[Axes], None]:
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
            pairs = f" ({len(values):,})" if compact else f", {count(len(values), 'pair')}"
            write(axes, end, row, f"{mean:.3f}{pairs}", 7.5, shift=(6, 0), color=QUIET)
        axes.spines[["top", "right", "left"]].set_visible(False)
        _finish(axes, label, None)

    return draw


def truth_panels(study: Study, side: float | None = None) -> list[Panel]:
    """True differences against MED: a panel for each part of the judgments, by both truths."""
    if side is None:
        return [
            truth_panel(study, share, kind, SIDE)
            for kind in study.true_differences
            for share in SHARES
        ]
    return [
        _small(
            truth_panel(study, share, kind, side, f"{kind}\nin {study.measure!r}" * (share == 0)),
            f"{share} % judged",
            study.with_truth(share, kind),
        )
        for kind in study.true_differences
        for share in SHARES
    ]


def truth_panel(
    study: Study, share: int, kind: str, side: float, label: str | None = None
) -> Panel:
    """A true difference against MED, with a part of the judgments."""
    true = study.true_differences[kind]
    ends = _end(study.med.values()), _end(study.true_differences.values())
    labels = study.main, f"{kind} in {study.measure!r}" if label is None else label
    return Panel(
        f"{kind}, {known_text(share)}",
        correlation_text(study.with_truth(share, kind)),
        side,
        side,
        0.55,
        _scatter(study, study.med[share], true, ends, labels, side / SIDE),
    )


def known_text(share: int) -> str:
    """How many judgments are known."""
    return f"{share} % of the judgments" if share else "no judgments"


def _small(panel: Panel, title: str, found: Correlation) -> Panel:
    """A panel in a figure of a given width."""
    note = ""
    if not math.isnan(found.pearson):
        numbers = zip("rρτ", (found.pearson, found.spearman, found.kendall), strict=True)
        note = ", ".join(f"{name} {value:.2f}" for name, value in numbers)
    return replace(panel, title=title, note=note, left=0.3, compact=True)


def shown_measures(study: Study) -> list[tuple[str, str]]:
    """The pairs of distances (y, x) that the third figure shows, in the paper's order."""
    rbp, rbo = f"MED-{PERSISTENCE}", f"1-{SIMILARITY}"
    against = [
        f"MED-{name}" for name in (PERSISTENCE, "AP@100", "ERR", "nDCG@5", "nDCG@20", "nDCG@100")
    ]
    return [(rbp, rbo), *((name, study.main) for name in against if name != study.main)]


def measure_panels(study: Study, side: float | None = None) -> list[Panel]:
    """One distance against another."""
    panels = []
    for y, x in shown_measures(study):
        a, b = study.distances[x], study.distances[y]
        found, size = study.correlation(x, y), SIDE if side is None else side
        drawn = _scatter(study, a, b, (_end([a]), _end([b])), (x, y), size / SIDE)
        panel = Panel(f"{y} against {x}", correlation_text(found), size, size, 0.55, drawn)
        panels.append(panel if side is None else replace(_small(panel, "", found), left=0.5))
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
    size = math.sqrt(zoom) * float(np.clip(60 / math.sqrt(len(x)), 1.2, 4))
    fade = float(np.clip(math.sqrt(FADING / max(len(x), 1)), 0.15, 2.5))

    def draw(axes: Axes) -> None:
        line = min(ends)
        axes.plot([0, line], [0, line], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        for some, colour, opacity in ((~same, OTHER, 0.3), (same, SAME, 0.75)):
            axes.plot(
                x[some], y[some], "o", color=colour, markersize=size, markeredgewidth=0,
                alpha=min(0.9, opacity * fade), rasterized=len(x) > MANY_POINTS,
            )  # fmt: skip
        axes.set(xlim=(-0.02 * ends[0], ends[0]), ylim=(-0.02 * ends[1], ends[1]))
        _finish(axes, *labels)

    return draw


def _end(several: Iterable[Array]) -> float:
    """Where an axis ends: a little above the largest value."""
    largest = max(float(np.nanmax(values, initial=0.0)) for values in several)
    return 1.04 * largest if largest > 0 else 1.0


def _finish(axes: Axes, x: str, y: str | None) -> None:
    """Ticks and texts of the axes."""
    small = axes.bbox.width < SMALL_SIDE * DPI
    axes.set_xticks(_ticks(axes.get_xlim()[1], 3 if small else 5))
    axes.set_xlabel(printable(x), fontsize=8, color=INK, parse_math=False)
    if y is not None:
        lines = "\n".join(map(printable, y.splitlines()))
        axes.set_yticks(_ticks(axes.get_ylim()[1], 5))
        axes.set_ylabel(lines, fontsize=8, color=INK, parse_math=False)
    axes.tick_params(labelsize=7, length=2.5, colors=QUIET)
    axes.spines[:].set_color("#aaaaaa")


def _ticks(end: float, most: int) -> Array:
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(most).tick_values(0, end))
    return ticks[(ticks >= 0) & (ticks <= end)]


# ---- Panels on a sheet


def arranged(
    panels: Sequence[Panel],
    columns: int,
    title: str,
    legend: dict[str, str],
    inches: float | None = None,
) -> Figure:
    """A figure of panels in columns, each below the shortest."""
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
    head = add_axes(figure, 0, 0.35 if inches else 0.5, 0.01, 0.01)
    head.set(xticks=[], yticks=[])
    head.set_axis_off()
    room = columns * wide - 0.5 if inches is None else inches - 0.5
    beside = max(1, int(room / LEGEND_ENTRY))
    if legend:
        _draw_legend(head, legend, beside)
    rows = -(-len(legend) // beside)
    draw_title(head, title, room, 0.2 * rows, 10 if inches is None else 8)
    return fitted(figure, inches)


def draw_panel(axes: Axes, panel: Panel) -> None:
    """A panel with its title and, in small, its note."""
    panel.draw(axes)
    sizes = ((8, 12), (6.5, 4)) if panel.compact else ((9, 15), (7, 5))
    for text, colour, (size, shift) in zip(
        (panel.title, panel.note), (INK, QUIET), sizes, strict=True
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


def _draw_legend(axes: Axes, colours: dict[str, str], beside: int) -> None:
    """A line of coloured marks with their names, above axes."""
    from matplotlib.patches import Patch

    legend = axes.legend(
        [Patch(color=colour) for colour in colours.values()], ["-"] * len(colours),
        loc="lower left", bbox_to_anchor=(0, 1), ncols=min(len(colours), beside),
        frameon=False, fontsize=8, borderpad=0, borderaxespad=0, handlelength=1.0,
        columnspacing=1.4,
    )  # fmt: skip
    for text, name in zip(legend.get_texts(), colours, strict=True):
        text.set_parse_math(False)
        text.set_text(printable(name))
