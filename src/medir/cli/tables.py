"""A comparison as text for people: summary, histogram, most affected queries."""

from __future__ import annotations

import io
import sys
from itertools import pairwise
from typing import Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.comparison import Differences, Summary
from medir.comparing.explanation import Evidence, Explanation
from medir.files.identifiers import shown
from medir.measures import Measure

BINS = 10
BAR = 40  # characters
TITLES = {
    "difference": "Maximized effectiveness difference",
    "similarity": "Rank similarity",
    "distance": "Rank distance",
}
WIDE, NARROW = 76, 44  # characters that all columns, or the four most important, need


def open_console() -> Console:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # bars in an encoding that has none
    return Console(highlight=False, soft_wrap=False)


def show(result: Differences[Any], top: int) -> None:
    """Prints a comparison to standard output."""
    console = open_console()
    _print_summary(console, result)
    for measure in result.measures:
        _print_histogram(console, result, measure)
    if top > 0:
        for number, measure in enumerate(result.measures):
            if number > 0:
                console.print()
            _print_top(console, result, measure, top)


def print_line(console: Console, text: str) -> None:
    console.print(Text(text), soft_wrap=True)


def plain_table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )


def _print_summary(console: Console, result: Differences[Any]) -> None:
    total = len(result)
    print_line(console, f"{result.names[0]} -> {result.names[1]}")
    print_line(
        console,
        f"{total:,} queries, {result.unchanged / total:.1%} unchanged; "
        f"{result.only_before:,} only in the first run, {result.only_after:,} only in the second",
    )
    for note in result.notes():
        print_line(console, note)
    summaries = {measure: result.summary(measure) for measure in result.measures}
    for measure, summary in summaries.items():
        if summary.missing:
            queries = "query" if summary.missing == 1 else "queries"
            print_line(console, f"no value of {measure!r} for {summary.missing:,} {queries}")
    for kind, title in TITLES.items():
        some = {measure: one for measure, one in summaries.items() if measure.kind == kind}
        if some:
            console.print()
            _print_distributions(console, title, some)
    console.print()


def _print_distributions(console: Console, title: str, summaries: dict[Measure, Summary]) -> None:
    """Mean, median, and the end of the distribution where most has changed."""
    table = plain_table(title)
    table.add_column("measure")
    columns = {"mean": "mean", "median": "median", "p95": "p95", "maximum": "max"}
    if next(iter(summaries)).kind == "similarity":
        columns = {"mean": "mean", "median": "median", "p05": "p5", "minimum": "min"}
    if console.width < NARROW:
        columns = {
            name: short for name, short in columns.items() if short in ("mean", "max", "min")
        }
    for name in columns.values():
        table.add_column(name, justify="right", no_wrap=True)
    for measure, summary in summaries.items():
        values = (f"{getattr(summary, name):.4f}" for name in columns)
        table.add_row(Text(repr(measure)), *values)
    console.print(table)


def _print_histogram(console: Console, result: Differences[Any], measure: Measure) -> None:
    """Queries by value, in ten bins from 0, or from -1, to 1, or to the maximum above 1."""
    med = result.column(measure)
    med = med[~np.isnan(med)]
    if len(med) == 0:
        return
    bottom, top = (-1.0 if med.min() < 0 else 0.0), max(1.0, float(med.max()))
    bins = ((med - bottom) * (BINS / (top - bottom)) + 1e-9).astype(np.intp)
    counts = np.bincount(np.minimum(bins, BINS - 1), minlength=BINS)
    edges = np.linspace(bottom, top, BINS + 1)
    to = "-" if bottom == 0 else " to "
    places = max(len(f"{edge:.2f}") for edge in edges) if bottom < 0 else 0
    digits = len(f"{counts.max():,}")
    print_line(console, f"Queries by {measure!r}")
    ranges = [f"{low:>{places}.2f}{to}{high:>{places}.2f}" for low, high in pairwise(edges)]
    width = max(map(len, ranges))
    room = max(1, min(BAR, console.width - digits - width - 7))
    for count, label in zip(counts, ranges, strict=True):
        bar = "█" * round(room * count / counts.max())
        if count and not bar:
            bar = "▏"
        print_line(console, f"  {label:>{width}}  {count:>{digits},}  {bar}".rstrip())
    console.print()


def _print_top(console: Console, result: Differences[Any], measure: Measure, top: int) -> None:
    """The most affected queries; in a narrow window with fewer columns, never with cut numbers."""
    columns = [name for name in COLUMNS if name != "gap" or result.column(measure, "gap").any()]
    if measure.kind != "difference":
        columns = ["med"]
    changes = list(CHANGES)
    if console.width < WIDE:
        columns, changes = [name for name in columns if name != "lower"], []
    if console.width < NARROW:
        columns = ["med"]
    table = plain_table(f"Most affected queries by {measure!r}")
    table.add_column("query", overflow="fold")
    value = "med" if measure.kind == "difference" else measure.kind
    for name in (value, *columns[1:], *changes):
        table.add_column(name, justify="right", no_wrap=True)
    for position in result.most_affected(top, measure):
        row = result.row(position, measure)
        values = [f"{getattr(row, name):.4f}" for name in columns]
        counts = [str(result.change(name)[position]) for name in changes]
        table.add_row(Text(shown(row.query_id)), *values, *counts)
    console.print(table)


def show_explanation(why: Explanation) -> None:
    """Prints why a value is what it is."""
    console = open_console()
    solution = why.solution
    values = ", ".join(
        f"{name} {round(getattr(solution, name), 4) + 0.0:.4f}" for name in ("med", "gain", "loss")
    )
    if solution.gap:
        values += f", not proven: gap {solution.gap:.2g}"
    print_line(console, f"query {shown(why.query)}, {why.measure!r}: {values}")
    print_line(console, shown(why.sentence))
    console.print()
    judged = any(d.grade is not None for d in why.documents)
    print_line(console, "What each document adds to the largest loss, and to the largest gain")
    table = plain_table("")
    table.title = None
    table.add_column("before", justify="right", no_wrap=True)
    table.add_column("after", justify="right", no_wrap=True)
    if console.width >= NARROW + 10:
        table.add_column("move", no_wrap=True)
    table.add_column("document", overflow="fold", min_width=12)
    if judged:
        table.add_column("grade", justify="right", no_wrap=True)
    for direction in ("loss", "gain"):
        table.add_column(direction, justify="right", no_wrap=True)
    for evidence in why.documents:
        move = [_move(evidence)] if console.width >= NARROW + 10 else []
        grade = ["" if evidence.grade is None else str(evidence.grade)] if judged else []
        table.add_row(
            str(evidence.before or ""),
            str(evidence.after or ""),
            *move,
            Text(shown(str(evidence.document))),
            *grade,
            part(evidence.loss, evidence.loss_relevance),
            part(evidence.gain, evidence.gain_relevance),
        )
    if why.unseen_loss or why.unseen_gain:
        cells = {
            "document": "(unseen ranks)",
            "loss": part(why.unseen_loss),
            "gain": part(why.unseen_gain),
        }
        table.add_row(*(cells.get(str(column.header), "") for column in table.columns))
    console.print(table)
    print_line(console, "– means not relevant in that case.")


def _move(evidence: Evidence) -> str:
    if evidence.before is None or evidence.after is None:
        return {"entered": "+ new", "left": "- gone"}[evidence.move]
    by = abs(evidence.before - evidence.after)
    return {"up": f"▲ {by}", "down": f"▼ {by}", "stays": "="}[evidence.move]


def part(value: float, relevance: float = 1.0) -> str:
    """What a document or a stretch of text adds, with its sign."""
    if relevance == 0:
        return "–"
    return f"{value:+.4f}" if abs(value) >= 5e-5 else "0"
