"""The three figures of a study: bars within groups, MED against truth, measure against measure."""

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
    labels_of,
    new_figure,
    printable,
    save,
    text_sizes,
    write,
)
from medir.validation.computation import PERSISTENCE, SIMILARITY
from medir.validation.results import Correlation, Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDE = 2.7  # inches of a scatter plot
LONG = 2.6  # inches of the longest bar
THICK = 0.165  # inches of a bar
MANY_BARS = 60  # more have no names
MANY_POINTS, SOME_POINTS = 2500, 100  # more are drawn as an image: in a file, in a page
LEGEND_COLUMNS = 5
NAME = 30  # characters of a run's name
INK, QUIET = "#222222", "#666666"
OTHER, SAME = COLOURS[0], COLOURS[1]
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
        yield "figure-1", title, bar_panels(study), type_colours(study)
    colours = {} if study.same_group is None else {SAME_LABEL: SAME, OTHER_LABEL: OTHER}
    title = f"Figure 2. True difference in {study.measure!r} against {study.main}"
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


def bar_panels(study: Study) -> list[Panel]:
    """A panel for each group: a bar for each pair, the closest first."""
    groups = study.within_groups()
    highest = max(float(study.med[0][number]) for some in groups.values() for number in some)
    colours = type_colours(study)
    labels = labels_of(study.names, NAME)
    figure = new_figure()
    panels = []
    for group, numbers in groups.items():
        texts = [" – ".join(labels[end] for end in study.pairs[number]) for number in numbers]
        shades = [
            OTHER if study.pair_types is None else colours[study.pair_types[number]]
            for number in numbers
        ]
        named = len(numbers) <= MANY_BARS
        left = float(text_sizes(figure, texts, 6.5)[:, 0].max()) / POINTS + 0.1 if named else 0.3
        panels.append(
            Panel(
                group,
                f"{count(len(numbers), 'pair')}, mean {study.med[0][numbers].mean():.3f}",
                LONG,
                len(numbers) * THICK if named else MANY_BARS * THICK,
                left,
                _bars(study.med[0][numbers], shades, texts if named else None, highest, study.main),
            )
        )
    return panels


def _bars(
    values: Array, shades: list[str], texts: list[str] | None, highest: float, label: str
) -> Callable[[Axes], None]:
    def draw(axes: Axes) -> None:
        places = np.arange(len(values))
        axes.barh(places, values, height=0.78 if texts else 1.0, color=shades)
        axes.set(xlim=(0, 1.12 * highest or 1), ylim=(len(values) - 0.4, -0.6), yticks=[])
        for place, value in enumerate(values.tolist() if texts else []):
            write(axes, 0, place, texts[place], 6.5, shift=(-4, 0), ha="right", color=INK)  # type: ignore[index]
            write(axes, value, place, f"{value:.3f}", 6, shift=(3, 0), color=QUIET)
        axes.spines[["top", "right"]].set_visible(False)
        _finish(axes, label, "")

    return draw


def truth_panels(study: Study) -> list[Panel]:
    """True difference against MED, a panel for each part of the judgments."""
    x_end = _end(study.med.values())
    y_end = _end([study.difference])
    panels = []
    for share, med in study.med.items():
        count = study.judgments[share]
        panels.append(
            Panel(
                f"{share} % of the judgments ({count:,})" if share else "no judgments",
                correlation_text(study.with_truth(share)),
                SIDE,
                SIDE,
                0.55,
                _scatter(study, med, study.difference, (x_end, y_end),
                         (study.main, f"true difference in {study.measure!r}")),
            )
        )  # fmt: skip
    return panels


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
    study: Study, x: Array, y: Array, ends: tuple[float, float], labels: tuple[str, str]
) -> Callable[[Axes], None]:
    same = np.zeros(len(x), bool) if study.same_group is None else study.same_group
    size = float(np.clip(60 / math.sqrt(len(x)), 1.6, 4))

    def draw(axes: Axes) -> None:
        line = min(ends)
        axes.plot([0, line], [0, line], color=QUIET, linewidth=0.8, linestyle=(0, (4, 3)))
        for some, colour, opacity in ((~same, OTHER, 0.3), (same, SAME, 0.75)):
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
    """A figure of panels in two or three columns, each below the shortest."""
    columns = min(len(panels), 3 if len(panels) > 4 and panels[0].height == SIDE else 2)
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
