"""What is drawn of a comparison, each in axes of its own.

How values are distributed, gain against loss, what each query could win and lose, and segments.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from medir.base.arrays import Array
from medir.base.words import percent
from medir.comparing.decision.summary import ROUNDING, Summary
from medir.rendering.pictures.style import COLOURS, GREY, INK, QUIET, RULE, printable, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BINS = 20
MANY_POINTS = 2000  # more are counted in cells, or thinned out
MANY_BARS = 400  # more are drawn as an image
SIDES = {"only wins": COLOURS[2], "only loses": COLOURS[1], "either": COLOURS[0]}
WORDS = {"only wins": "can only win", "only loses": "can only lose", "either": "can win or lose"}
WINS, COSTS = COLOURS[2], COLOURS[1]
DASHES = (0, (4, 3))
LINE = 12  # points from one line of small text to the next


class Note(NamedTuple):
    """A line beside or above axes."""

    text: str
    colour: str


# ---- How values are distributed


def draw_distribution(axes: Axes, summary: Summary) -> None:
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
    counted = "queries" if summary.weights is None else "weight"
    finish(axes, summary.measure.title, f"{counted} (%)")


def changed_note(summary: Summary) -> Note:
    """How many queries changed."""
    text = f"{percent(summary.changed.share)} of queries changed"
    return Note(text if summary.weights is None else f"{text}, by weight", QUIET)


# ---- Gain against loss


def draw_sides(axes: Axes, summary: Summary) -> None:
    """Gain to the right, loss upwards, on the same scale; a query is a point."""
    gain, loss = summary.column("gain"), summary.column("loss")
    low = min(0.0, float(gain.min()), float(loss.min()))
    high = max(float(gain.max()), float(loss.max()), low + 0.01)
    room = 0.04 * (high - low)
    ends = low - room, high + room
    axes.plot(ends, ends, color=RULE, linewidth=0.8, linestyle=DASHES, zorder=1)
    axes.axhline(0, color=RULE, linewidth=0.8, zorder=1)
    axes.axvline(0, color=RULE, linewidth=0.8, zorder=1)
    if len(gain) > MANY_POINTS:
        axes.hexbin(gain, loss, gridsize=40, bins="log", cmap="viridis", linewidths=0.1,
                    extent=(*ends, *ends), mincnt=1)  # fmt: skip
    else:
        _draw_points(axes, gain, loss, summary)
    axes.set(xlim=ends, ylim=ends, aspect="equal")
    labels = ("gain: the most that it could win", "loss: the most that it could cost")
    small = axes.get_position(original=True).height < 2
    finish(axes, *(text.partition(":")[0] if small else text for text in labels))


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


def side_notes(summary: Summary) -> list[Note]:
    """How many queries can only win, only lose, or either; in the colours of their points."""
    few = summary.queries <= MANY_POINTS
    return [
        Note(f"{percent(share.share)} {WORDS[name]}", colour if few else INK)
        for name, colour in SIDES.items()
        if (share := summary.effects[name]).queries
    ]


# ---- What each query could win and lose


def draw_changes(axes: Axes, summary: Summary) -> None:
    """A bar for each query from its largest loss to its largest gain, the largest gain first.

    What is certain is solid: judgments can show that a query only wins or only loses.
    """
    differs = summary.measure.kind == "difference"
    high = summary.column("gain" if differs else "med")
    low = -summary.column("loss") if differs else np.minimum(high, 0.0)
    order = np.lexsort((low, -high))
    if len(order) > MANY_POINTS:
        order = order[np.linspace(0, len(order) - 1, MANY_POINTS).round().astype(np.intp)]
    high, low = high[order], low[order]
    step = summary.queries / len(order)
    if differs:
        for colour, ends in ((WINS, (low, high)), (COSTS, (-high, -low))):
            sign = 1 if colour == WINS else -1
            _draw_bars(axes, sign * np.maximum(ends[0], 0), sign * np.maximum(ends[1], 0), step,
                       colour, 0.5)  # fmt: skip
            _draw_bars(axes, 0 * low, sign * np.maximum(ends[0], 0), step, colour, 1.0)
        for name, sign in (("gain", 1), ("loss", -1)):
            _draw_mean(axes, name, sign * summary.mean(name))
    else:
        _draw_bars(axes, 0 * low, high, step, COLOURS[3], 1.0)
        _draw_mean(axes, "", summary.mean())
    axes.axhline(0, color=QUIET, linewidth=0.8)
    least, most = min(0.0, float(low.min())), max(0.0, float(high.max()), 0.01)
    room = 0.05 * (most - least)
    axes.set(xlim=(0, summary.queries), ylim=(least - (room if least < 0 else 0), most + room))
    what = "change in" if differs else ""
    finish(axes, f"queries, the largest {'gain' if differs else 'value'} first",
           f"{what} {summary.measure!r}".strip())  # fmt: skip


def _draw_bars(
    axes: Axes, start: Array, end: Array, step: float, colour: str, alpha: float
) -> None:
    """Bars side by side; those without height are left out."""
    from matplotlib.collections import PolyCollection

    drawn = np.flatnonzero(np.abs(end - start) > ROUNDING)
    left = drawn * step
    corners = np.stack([
        np.stack([left, start[drawn]], axis=1), np.stack([left, end[drawn]], axis=1),
        np.stack([left + step, end[drawn]], axis=1), np.stack([left + step, start[drawn]], axis=1),
    ], axis=1)  # fmt: skip
    bars = PolyCollection(
        list(corners), facecolors=colour, alpha=alpha, linewidths=0, antialiased=False,
        rasterized=len(start) > MANY_BARS,
    )  # fmt: skip
    axes.add_collection(bars, autolim=False)


def _draw_mean(axes: Axes, name: str, value: float) -> None:
    axes.axhline(value, color=INK, linewidth=0.9, linestyle=DASHES)
    axes.annotate(f"mean {name} {abs(value) if name else value:.3f}".replace("  ", " "), (1, value),
                  xycoords=("axes fraction", "data"), xytext=(-3, 3 if value >= 0 else -3),
                  textcoords="offset points", fontsize=8, color=INK, ha="right",
                  va="bottom" if value >= 0 else "top")  # fmt: skip


def change_notes(summary: Summary) -> list[Note]:
    """What the colours of the bars mean."""
    if summary.measure.kind != "difference":
        return [changed_note(summary)]
    named = [Note("what it could win", WINS), Note("what it could cost", COSTS)]
    return named if summary.bounds.high >= 0 else named[1:]


# ---- Segments


def draw_segments(axes: Axes, segments: Mapping[str, Summary]) -> None:
    """A row for each: the mean with its interval, how many queries there are, and changed."""
    for place, (label, summary) in enumerate(segments.items()):
        colour = INK if label == ALL else COLOURS[0]
        if summary.interval is not None:
            axes.plot(summary.interval, [place, place], color=colour, linewidth=1.6, alpha=0.55,
                      solid_capstyle="round")  # fmt: skip
        axes.plot([summary.med.mean], [place], "o", color=colour, markersize=5.5)
        write(axes, 0, place, printable(label), 8, shift=(-6, 0), ha="right", color=INK,
              xycoords=("axes fraction", "data"))  # fmt: skip
        cells = f"{summary.queries:,}", percent(summary.changed.share)
        for text, right in zip(cells, COLUMNS, strict=True):
            write(axes, 1, place, text, 8, shift=(right, 0), ha="right", color=QUIET,
                  xycoords=("axes fraction", "data"))  # fmt: skip
    for text, right in zip(("queries", "changed"), COLUMNS, strict=True):
        write(axes, 1, 1, text, 7.5, shift=(right, 8), ha="right", color=QUIET,
              xycoords="axes fraction")  # fmt: skip
    known = [summary.interval or (summary.med.mean,) * 2 for summary in segments.values()]
    low, high = min(0.0, *(one[0] for one in known)), max(one[1] for one in known)
    measure = next(iter(segments.values())).measure
    axes.set(xlim=(low, 1.04 * (high or 1.0)), ylim=(len(segments) - 0.4, -0.6), yticks=[])
    for place in range(len(segments)):
        axes.axhline(place, color=RULE, linewidth=0.4, zorder=0)
    finish(axes, f"mean {measure.title} and 95% interval", "")
    axes.spines["left"].set_visible(False)


ALL = "all queries"
COLUMNS = (42, 88)  # points from the axes to where the numbers of a row end


# ---- Around the axes


def draw_notes(axes: Axes, notes: list[Note], *, beside: bool) -> None:
    """Small lines above axes, or right of them."""
    for place, (text, colour) in enumerate(notes):
        if beside:
            write(axes, 1, 1, text, 8, shift=(6, -6 - LINE * place), xycoords="axes fraction",
                  color=colour, va="top")  # fmt: skip
        else:
            above = 9 + LINE * (len(notes) - 1 - place)
            write(axes, 0, 1, text, 8, shift=(0, above), xycoords="axes fraction", color=colour)


def ticks(low: float, high: float, inches: float) -> Array:
    """Round numbers from one end of an axis to the other, as many as there is room for."""
    from matplotlib.ticker import MaxNLocator

    some = np.asarray(MaxNLocator(int(np.clip(inches / 0.45, 3, 6))).tick_values(low, high))
    return some[(some >= low) & (some <= high)]


def finish(axes: Axes, x: str, y: str) -> None:
    """Texts and ticks of the axes; without a text, the upright axis has none."""
    box = axes.get_position(original=True)  # in inches, as the new figure has one
    axes.set_xticks(ticks(*axes.get_xlim(), box.width))
    axes.set_xlabel(printable(x), fontsize=8.5, color=INK, parse_math=False)
    if y:
        axes.set_yticks(ticks(*axes.get_ylim(), box.height))
        axes.set_ylabel(printable(y), fontsize=8.5, color=INK, parse_math=False)
    axes.tick_params(labelsize=7.5, length=2.5, colors=QUIET)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(RULE)
