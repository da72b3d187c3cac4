"""Pictures of a comparison: how its values are distributed, and gain against loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from medir.base.arrays import Array
from medir.base.words import count, percent
from medir.comparing.decision.summary import Summary
from medir.comparing.differences import Differences
from medir.errors import UsageError
from medir.measures import Measure
from medir.rendering.pictures.style import (
    COLOURS,
    GREY,
    add_axes,
    check_drawing,
    draw_title,
    drawing_style,
    fitted,
    new_figure,
    printable,
    write,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 20
WIDE, HIGH, APART = 3.6, 2.6, 0.85  # inches of the axes
MANY_POINTS = 2000  # more are counted in cells
INK, QUIET, RULE = "#222222", "#666666", "#aaaaaa"
SIDES = {"only wins": COLOURS[2], "only loses": COLOURS[1], "either": COLOURS[0]}
WORDS = {"only wins": "can only win", "only loses": "can only lose", "either": "can win or lose"}


def comparison_figure(result: Differences[Any], of: Measure | str | None = None) -> Figure:
    """The distribution of MED under a measure (default: the first), and its gain against its loss.

    A rank similarity or distance has no gain and loss, and its distribution alone.
    """
    check_drawing()
    summary = result.summary(of)
    if not (summary.queries and summary.weight):
        raise UsageError(f"no query has a value of {summary.measure!r} to draw")
    before, after = result.names
    title = f"{before} → {after}, {count(len(result), 'query', 'queries')}"
    with drawing_style():
        figure = new_figure()
        left = add_axes(figure, 0, 0, WIDE, HIGH)
        _draw_distribution(left, summary)
        width = WIDE
        if summary.measure.kind == "difference":
            right = add_axes(figure, WIDE + APART, 0, HIGH, HIGH)
            _draw_sides(right, summary)
            width = WIDE + APART + HIGH
        draw_title(left, title, width, 0.25)
        return fitted(figure)


def _draw_distribution(axes: Axes, summary: Summary) -> None:
    """The share of queries by value, with the mean and, if known, its interval."""
    low, high = min(0.0, summary.med.minimum), max(1.0, summary.med.maximum)
    edges = np.linspace(-1.0 if low < 0 else 0.0, high, BINS + 1)
    shares = 100 * summary.histogram(edges) / summary.weight
    axes.bar(edges[:-1], shares, np.diff(edges), align="edge", color=COLOURS[3], edgecolor="white",
             linewidth=0.6)  # fmt: skip
    if summary.interval is not None:
        axes.axvspan(*summary.interval, color=COLOURS[0], alpha=0.1, linewidth=0, zorder=0)
    mean = summary.med.mean
    label = f"mean {mean:.3f}"
    if summary.interval is not None:
        label += "\n95% interval {:.3f} to {:.3f}".format(*summary.interval)
    axes.axvline(mean, color=COLOURS[0], linewidth=1.2)
    rightwards = mean < (edges[0] + edges[-1]) / 2
    axes.annotate(label, (mean, 1), xycoords=("data", "axes fraction"),
                  xytext=(4 if rightwards else -4, -4), textcoords="offset points", fontsize=8,
                  color=COLOURS[0], va="top", ha="left" if rightwards else "right")  # fmt: skip
    axes.set(xlim=(edges[0], edges[-1]), ylim=(0, 1.22 * float(shares.max())))
    weighted = summary.weights is not None
    _finish(axes, summary.measure.title, f"{'weight' if weighted else 'queries'} (%)")
    changed = f"{percent(summary.changed.share)} of queries changed"
    _head(axes, f"{changed}, by weight" if weighted else changed)


def _draw_sides(axes: Axes, summary: Summary) -> None:
    """Gain to the right, loss upwards, on the same scale; a query is a point."""
    gain, loss = summary.column("gain"), summary.column("loss")
    low = min(0.0, float(gain.min()), float(loss.min()))
    high = max(float(gain.max()), float(loss.max()), low + 0.01)
    room = 0.04 * (high - low)
    ends = low - room, high + room
    axes.plot(ends, ends, color=RULE, linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=1)
    if len(gain) > MANY_POINTS:
        axes.hexbin(gain, loss, gridsize=40, bins="log", cmap="viridis", linewidths=0.1,
                    extent=(*ends, *ends), mincnt=1)  # fmt: skip
    else:
        _draw_points(axes, gain, loss, summary)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    _finish(axes, "gain: the most that it could win", "loss: the most that it could cost")
    for place, (name, colour) in enumerate(SIDES.items()):
        share = summary.effects[name]
        if share.queries:
            text = f"{percent(share.share)} {WORDS[name]}"
            shown = colour if len(gain) <= MANY_POINTS else INK
            axes.annotate(text, (1, 1), xycoords="axes fraction", xytext=(6, -6 - 12 * place),
                          textcoords="offset points", fontsize=8, color=shown,
                          va="top")  # fmt: skip


def _draw_points(axes: Axes, gain: Array, loss: Array, summary: Summary) -> None:
    wins, loses = (
        summary.column(name, with_gap=True) > summary.rounding for name in ("gain", "loss")
    )
    kinds = {"either": wins & loses, "only wins": wins & ~loses, "only loses": loses & ~wins}
    size = float(np.clip(70 / np.sqrt(len(gain)), 2.5, 5))
    axes.plot(gain[~wins & ~loses], loss[~wins & ~loses], "o", color=GREY, markersize=size,
              markeredgewidth=0)  # fmt: skip
    for name, those in kinds.items():
        axes.plot(gain[those], loss[those], "o", color=SIDES[name], markersize=size,
                  markeredgewidth=0, alpha=0.45)  # fmt: skip


def _head(axes: Axes, text: str) -> None:
    write(axes, 0, 1, text, 8, shift=(0, 9), xycoords="axes fraction", color=QUIET)


def _ticks(low: float, high: float) -> Array:
    from matplotlib.ticker import MaxNLocator

    ticks = np.asarray(MaxNLocator(6).tick_values(low, high))
    return ticks[(ticks >= low) & (ticks <= high)]


def _finish(axes: Axes, x: str, y: str) -> None:
    """Texts and ticks of the axes."""
    axes.set_xticks(_ticks(*axes.get_xlim()))
    axes.set_yticks(_ticks(*axes.get_ylim()))
    axes.set_xlabel(printable(x), fontsize=8.5, color=INK, parse_math=False)
    axes.set_ylabel(printable(y), fontsize=8.5, color=INK, parse_math=False)
    axes.tick_params(labelsize=7.5, length=2.5, colors=QUIET)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(RULE)
