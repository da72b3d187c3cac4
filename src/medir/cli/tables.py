"""A comparison as text for people: the verdict, then its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.text import Text

from medir.base.words import count, percent
from medir.cli.layout import Column, bar, fitting, open_console, print_line, print_table, print_text
from medir.comparing.columns import CHANGES
from medir.comparing.decision.verdict import noise_sentence
from medir.files.identifiers import shown

if TYPE_CHECKING:
    from rich.console import Console

    from medir.comparing.decision.gate import Outcome
    from medir.comparing.decision.summary import Summary
    from medir.comparing.differences import Differences
    from medir.comparing.explaining.explanation import Evidence, Explanation
    from medir.measures import Measure

BINS = 10
BAR = 40  # characters of the longest bar of a histogram
SMALL_BAR = 8  # of a bar in a cell
ROWS = "--format csv, or -o FILE, has all columns"
KINDS = {
    "difference": "Maximized effectiveness difference (MED)",
    "similarity": "Rank similarity",
    "distance": "Rank distance",
}


def summary_text(result: Differences[Any], top: int, outcomes: Sequence[Outcome] = ()) -> str:
    """A comparison as standard output shows it."""
    console = open_console()
    with console.capture() as captured:
        _print_summary(console, result, top, outcomes)
    return captured.get()


def _print_summary(
    console: Console, result: Differences[Any], top: int, outcomes: Sequence[Outcome]
) -> None:
    print_verdict(console, result, outcomes)
    _print_facts(console, result)
    for kind, title in KINDS.items():
        some = [result.summary(one) for one in result.measures if one.kind == kind]
        if some:
            _print_summaries(console, title, {repr(one.measure): one for one in some}, "measure")
    for measure in result.measures:
        _print_segments(console, result, measure)
    _print_noise(console, result)
    for measure in result.measures:
        _print_histogram(console, result.summary(measure))
    if top > 0:
        for measure in result.measures:
            _print_top(console, result, measure, top)


def print_verdict(console: Console, result: Differences[Any], outcomes: Sequence[Outcome]) -> None:
    """The verdict, and what the checks say."""
    for sentence in result.verdict():
        print_text(console, sentence)
    print_outcomes(console, outcomes)


def print_outcomes(console: Console, outcomes: Sequence[Outcome]) -> None:
    """What checks found, those that passed and those that failed."""
    for outcome in outcomes:
        print_text(console, f"{'ok' if outcome.passed else 'failed'}: {outcome.finding}")


def _print_facts(console: Console, result: Differences[Any]) -> None:
    console.print()
    before, after = map(shown, result.names)
    queries = count(len(result), "query", "queries")
    print_line(console, f"{before} -> {after}: {queries}")
    for note in (*result.notes(), *result.sample.notes()):
        print_text(console, note)
    for measure in result.measures:
        if missing := result.summary(measure).missing:
            queries = count(missing, "query", "queries")
            print_text(console, f"no value of {measure!r} for {queries}")
    console.print()


def _print_summaries(
    console: Console, title: str, summaries: dict[str, Summary], heading: str
) -> None:
    """Mean, median, and the end of the distribution where most has changed."""
    some = {name: one for name, one in summaries.items() if one.weight}
    if not some:
        return
    rows = list(some.values())
    similar = rows[0].measure.kind == "similarity"
    ends = {"p05": "p5", "minimum": "min"} if similar else {"p95": "p95", "maximum": "max"}
    judged = any(one.two_sided for one in rows)
    of_segment = heading != "measure"
    columns = [
        Column(heading, [shown(name) for name in some], right=False, whole=True),
        Column("queries", [f"{one.queries:,}" for one in rows] if of_segment else [], drop=4),
        Column(
            "changed", [percent(one.changed.share) for one in rows] if of_segment else [], drop=3
        ),
        Column("mean", [f"{one.med.mean:.4f}" for one in rows]),
        Column("95% interval", _intervals(rows), drop=5),
        Column("mean gain", [f"{one.mean('gain'):.4f}" for one in rows] if judged else [], drop=2),
        Column("mean loss", [f"{one.mean('loss'):.4f}" for one in rows] if judged else [], drop=1),
        Column("median", [f"{one.med.median:.4f}" for one in rows], drop=8),
        *(
            Column(short, [f"{getattr(one.med, name):.4f}" for one in rows], drop=drop)
            for drop, (name, short) in zip((7, 6), ends.items(), strict=True)
        ),
    ]
    print_table(console, title, columns, "a wider terminal shows all columns")
    why = next((reason for one in rows if (reason := one.why_no_interval())), None)
    if why is not None and not of_segment:
        print_text(console, f"{why[0].upper()}{why[1:]}.")
    if of_segment and len(some) < len(summaries):
        without = ", ".join(shown(name) for name in summaries if name not in some)
        print_text(console, f"No weight, or no value: {without}.")
    console.print()


def _intervals(rows: Sequence[Summary]) -> list[str]:
    found = [one.interval for one in rows]
    if not any(found):
        return []
    return ["" if one is None else f"{one.low:.4f} to {one.high:.4f}" for one in found]


def _print_segments(console: Console, result: Differences[Any], measure: Measure) -> None:
    segments = result.sample.segments
    if segments is not None:
        title = f"{measure.title} by {shown(segments.column)}"
        _print_summaries(console, title, result.segments(measure), shown(segments.column))


def _print_noise(console: Console, result: Differences[Any]) -> None:
    """The change beside the noise of the system before it."""
    if result.noise is None:
        return
    for one in result.measures:
        change, noise = result.summary(one), result.noise.summary(one)
        if change.weight and noise.weight:
            print_text(console, noise_sentence(change, noise))
    console.print()


def _print_histogram(console: Console, summary: Summary) -> None:
    """Queries by value, in ten bins from 0, or from -1, to 1, or to the maximum above 1."""
    if summary.queries == 0 or not summary.weight:
        return
    low, high = summary.med.minimum, summary.med.maximum
    edges = np.linspace(-1.0 if low < 0 else 0.0, max(1.0, high), BINS + 1)
    weights = summary.histogram(edges)
    to = "-" if edges[0] == 0 else " to "
    places = max(len(f"{edge:.2f}") for edge in edges) if edges[0] < 0 else 0
    labels = [f"{a:>{places}.2f}{to}{b:>{places}.2f}" for a, b in pairwise(edges)]
    cells = [
        f"{weight:,.0f}" if weight == round(weight) else f"{weight:,.1f}" for weight in weights
    ]
    width, digits = max(map(len, labels)), max(map(len, cells))
    room = max(1, min(BAR, console.width - digits - width - 7))
    what = "Weight of queries" if summary.weights is not None else "Queries"
    print_line(console, f"{what} by {summary.measure!r}")
    for label, cell, weight in zip(labels, cells, weights, strict=True):
        line = f"  {label:>{width}}  {cell:>{digits}}  {bar(weight / weights.max(), room)}"
        print_line(console, line.rstrip())
    console.print()


def _print_top(console: Console, result: Differences[Any], measure: Measure, top: int) -> None:
    """The most affected queries; columns that repeat another one are left out."""
    positions = result.most_affected(top, measure)
    if not positions:
        return
    rows = [result.row(position, measure) for position in positions]
    value = "med" if measure.kind == "difference" else "value"
    most = max(1.0, *(getattr(row, value) for row in rows))
    texts = [result.sample.text(row.query_id) for row in rows]
    marks = [", ".join(result.marks(position, measure)) for position in positions]
    moves = [[str(result.change(name, measure)[i]) for i in positions] for name in CHANGES]

    def differing(name: str, beside: str) -> list[str]:
        numbers = [(getattr(row, name), getattr(row, beside)) for row in rows]
        differ = any(abs(a - b) >= 5e-5 for a, b in numbers)
        return [f"{a + 0.0:.4f}" for a, _ in numbers] if differ else []

    two_sided = measure.kind == "difference" and bool(differing("gain", "loss"))
    columns = [
        Column("query", [shown(row.query_id) for row in rows], right=False, whole=True),
        Column("text", list(map(shown, texts)) if any(texts) else [], False, 3, elastic=True),
        Column(value, [f"{getattr(row, value):.4f}" for row in rows]),
        Column(
            "bar",
            [bar(getattr(row, value) / most, SMALL_BAR) for row in rows],
            False,
            6,
            heading="",
        ),
        Column("gain", [f"{row.gain + 0.0:.4f}" for row in rows] if two_sided else [], drop=2),
        Column("loss", [f"{row.loss + 0.0:.4f}" for row in rows] if two_sided else [], drop=1),
        Column("lower", differing("lower", "med") if value == "med" else [], drop=8),
        Column("gap", [f"{r.gap:.2g}" for r in rows] if any(r.gap > 0 for r in rows) else []),
        *(Column(name, cells, drop=7) for name, cells in zip(CHANGES, moves, strict=True)),
        Column("marks", marks if any(marks) else [], False, 5, heading=""),
    ]
    title = f"Most affected queries by {measure!r}"
    if CHANGES[-1] in {one.name for one in fitting(columns, console.width)}:
        title += f"; entered, left and moved count {result.contents.counted(measure.reach)}"
    print_table(console, title, columns, ROWS)
    console.print()


def show_explanation(why: Explanation, text: str = "") -> None:
    """Prints why a value is what it is."""
    console = open_console()
    solution = why.solution
    print_text(console, shown(why.sentence))
    values = ", ".join(
        f"{name} {round(getattr(solution, name), 4) + 0.0:.4f}" for name in ("med", "gain", "loss")
    )
    if solution.gap:
        values += f", not proven: gap {solution.gap:.2g}"
    if np.isnan(solution.med):
        values = "no value"
    named = f"query {shown(why.query)}{f' ({shown(text)})' if text else ''}"
    print_text(console, f"{named}, {why.measure!r}: {values}")
    console.print()
    rows = why.documents
    unseen = bool(why.unseen_loss or why.unseen_gain)
    ends: list[str] = [""] if unseen else []
    judged = any(row.grade is not None for row in rows if row.repeats is None)
    unknown = [row.grade is None or row.repeats is not None for row in rows]
    grades = ["" if none else str(row.grade) for row, none in zip(rows, unknown, strict=True)]
    documents = [shown(row.shown) for row in rows]
    columns = [
        Column("before", [*(str(row.before or "") for row in rows), *ends]),
        Column("after", [*(str(row.after or "") for row in rows), *ends]),
        Column("move", [*map(_move, rows), *ends], right=False, drop=2),
        Column(
            "document",
            [*documents, *(["(unseen ranks)"] if unseen else [])],
            right=False,
            whole=True,
        ),
        Column("grade", [*grades, *ends] if judged else [], drop=1),
        Column(
            "loss",
            [*(part(row.loss, row.loss_relevance) for row in rows),
             *([part(why.unseen_loss)] if unseen else [])],
        ),
        Column(
            "gain",
            [*(part(row.gain, row.gain_relevance) for row in rows),
             *([part(why.unseen_gain)] if unseen else [])],
        ),
    ]  # fmt: skip
    title = "What each document adds to the largest loss, and to the largest gain"
    print_table(console, title, columns, "a wider terminal shows all columns")
    print_text(console, "– means not relevant in that case.")
    if any(row.repeats is not None for row in rows):
        print_text(console, "A document that repeats the content of one above it is worth nothing.")


MOVES = {
    "up": ("▲", "green"),
    "down": ("▼", "red"),
    "entered": ("+", "green"),
    "left": ("−", "red"),
}


def _move(evidence: Evidence) -> Text:
    """How a document moved; in colour on a terminal."""
    move = evidence.move
    if move not in MOVES:
        return Text("=")
    sign, colour = MOVES[move]
    if evidence.before is None or evidence.after is None:
        return Text(f"{sign} {'new' if move == 'entered' else 'gone'}", style=colour)
    return Text(f"{sign} {abs(evidence.before - evidence.after)}", style=colour)


def part(value: float, relevance: float = 1.0) -> str:
    """What a document or a stretch of text adds, with its sign."""
    if relevance == 0:
        return "–"
    return f"{value:+.4f}" if abs(value) >= 5e-5 else "0"
