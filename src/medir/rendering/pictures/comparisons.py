"""Pictures of a comparison: panels alone or side by side, in a theme and a width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from medir.base.words import count
from medir.comparing.decision.summary import Summary
from medir.comparing.differences import Differences
from medir.errors import UsageError
from medir.measures import Measure
from medir.rendering.pictures.appearance import (
    NARROW,
    Theme,
    Width,
    as_wide,
    check_theme,
    inches_of,
    themed,
)
from medir.rendering.pictures.panels import (
    ALL,
    LINE,
    Note,
    change_notes,
    changed_note,
    draw_changes,
    draw_distribution,
    draw_notes,
    draw_segments,
    draw_sides,
    side_notes,
)
from medir.rendering.pictures.style import (
    POINTS,
    add_axes,
    check_drawing,
    draw_title,
    drawing_style,
    fitted,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE, HIGH, APART = 3.6, 2.6, 0.85  # inches of the axes
BOTH = 6.0  # inches of a picture in which two panels stand side by side
FLAT = 0.62  # height of most panels for their width
ROW = 0.24  # inches of a segment
MANY_SEGMENTS = 40  # of more, those with the largest mean are drawn


@dataclass(frozen=True)
class Subject:
    """What is drawn: a comparison under one measure."""

    result: Differences[Any]
    summary: Summary
    title: str
    width: float | None  # inches of the whole

    @property
    def narrow(self) -> bool:
        """Whether there is no room beside a panel."""
        return self.width is not None and self.width < NARROW

    @property
    def two_sided(self) -> bool:
        """Whether it has a gain and a loss."""
        return self.summary.measure.kind == "difference"


def comparison_figure(
    result: Differences[Any],
    of: Measure | str | None = None,
    kind: str = "overview",
    *,
    theme: Theme = "light",
    width: Width = None,
    title: bool = True,
) -> Figure:
    """A picture of a comparison under a measure (default: the first).

    A rank similarity or distance has no gain and loss, and its distribution alone as an overview.
    """
    check_drawing()
    check_theme(theme)
    if kind not in KINDS:
        raise UsageError(f"kind is {', '.join(KINDS)}, not {kind!r}")
    summary = result.summary(of)
    if not (summary.queries and summary.weight):
        raise UsageError(f"no query has a value of {summary.measure!r} to draw")
    before, after = result.names
    text = f"{before} → {after}, {count(len(result), 'query', 'queries')}" if title else ""
    with drawing_style():
        figure = KINDS[kind](Subject(result, summary, text, inches_of(width)))
        return themed(figure, theme)


def _overview(subject: Subject) -> Figure:
    if not subject.two_sided:
        return _distribution(subject)
    draw = _stacked if subject.width is not None and subject.width < BOTH else _side_by_side
    return as_wide(lambda width: draw(subject, width), WIDE, subject.width)


def _side_by_side(subject: Subject, width: float) -> Figure:
    """The distribution of a width in inches, and gain against loss beside it."""
    height = HIGH if subject.width is None else width * HIGH / WIDE
    figure = new_figure()
    left = add_axes(figure, 0, 0, width, height)
    draw_distribution(left, subject.summary)
    draw_notes(left, [changed_note(subject.summary)], beside=False)
    right = add_axes(figure, width + APART, 0, height, height)
    draw_sides(right, subject.summary)
    draw_notes(right, side_notes(subject.summary), beside=True)
    _head(left, subject, width + APART + height, 1)
    return fitted(figure, subject.width)


def _stacked(subject: Subject, width: float) -> Figure:
    """The distribution, and gain against loss below it."""
    figure = new_figure()
    notes = side_notes(subject.summary)
    upper = add_axes(figure, 0, 0, width, FLAT * width)
    draw_distribution(upper, subject.summary)
    draw_notes(upper, [changed_note(subject.summary)], beside=False)
    lower = add_axes(figure, 0, -width - 0.65 - LINE * len(notes) / POINTS, width, width)
    draw_sides(lower, subject.summary)
    draw_notes(lower, notes, beside=False)
    _head(upper, subject, width, 1)
    return fitted(figure, subject.width)


def _distribution(subject: Subject) -> Figure:
    notes = [changed_note(subject.summary)]
    return _alone(subject, draw_distribution, notes, lambda width: min(FLAT * width, HIGH))


def _gain_loss(subject: Subject) -> Figure:
    if not subject.two_sided:
        raise UsageError(f"{subject.summary.measure!r} has no gain and loss to draw")
    notes = side_notes(subject.summary)
    return _alone(subject, draw_sides, notes, lambda width: width, beside=not subject.narrow)


def _changes(subject: Subject) -> Figure:
    notes = change_notes(subject.summary)
    return _alone(subject, draw_changes, notes, lambda width: min(FLAT * width, HIGH))


def _alone(
    subject: Subject,
    draw: Callable[[Axes, Summary], None],
    notes: list[Note],
    height: Callable[[float], float],
    *,
    beside: bool = False,
) -> Figure:
    """One panel, with notes above it or beside it."""

    def drawn(width: float) -> Figure:
        figure = new_figure()
        axes = add_axes(figure, 0, 0, width, height(width))
        draw(axes, subject.summary)
        draw_notes(axes, notes, beside=beside)
        _head(axes, subject, width, 0 if beside else len(notes))
        return fitted(figure, subject.width)

    return as_wide(drawn, WIDE, subject.width)


def _segments(subject: Subject) -> Figure:
    found = subject.result.segments(subject.summary.measure)
    if not found:
        raise UsageError("queries have no segments to draw: name a column of their table (by=)")
    known = {label: one for label, one in found.items() if one.weight}
    if len(known) > MANY_SEGMENTS:
        largest = sorted(known, key=lambda label: -known[label].med.mean)[:MANY_SEGMENTS]
        known = {label: one for label, one in known.items() if label in largest}
    rows = {ALL: subject.summary, **known}

    def drawn(width: float) -> Figure:
        figure = new_figure()
        axes = add_axes(figure, 0, 0, width, ROW * len(rows))
        draw_segments(axes, rows)
        _head(axes, subject, width + 0.8, 1)
        return fitted(figure, subject.width)

    return as_wide(drawn, WIDE, subject.width)


def _head(axes: Axes, subject: Subject, width: float, lines: int) -> None:
    """The title above axes and so many lines of notes."""
    if subject.title:
        size = 8.5 if subject.narrow else 10
        draw_title(axes, subject.title, width, LINE * lines / POINTS + 0.08 * (lines > 0), size)


KINDS: dict[str, Callable[[Subject], Figure]] = {
    "overview": _overview,
    "distribution": _distribution,
    "gain-loss": _gain_loss,
    "changes": _changes,
    "segments": _segments,
}
