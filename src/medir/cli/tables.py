"""A comparison as text for people: summary, histogram, most affected queries."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from medir.compare import max_grade_note
from medir.comparison import Comparison
from medir.measures import Measure

BINS = 10
BAR = 40  # characters


def show(result: Comparison, top: int) -> None:
    """Prints a comparison to standard output."""
    console = Console(highlight=False, soft_wrap=False)
    _print_summary(console, result)
    for measure in result.measures:
        _print_histogram(console, result, measure)
    if top > 0:
        for measure in result.measures:
            _print_top(console, result, measure, top)


def _line(console: Console, text: str) -> None:
    console.print(Text(text), soft_wrap=True)


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)


def _print_summary(console: Console, result: Comparison) -> None:
    total = len(result)
    _line(console, f"{result.names[0]} -> {result.names[1]}")
    _line(
        console,
        f"{total:,} queries, {result.unchanged / total:.1%} unchanged; "
        f"{result.only_before:,} only in the first run, {result.only_after:,} only in the second",
    )
    graded = any(measure["gains"] != "binary" for measure in result.measures)
    if graded or result.judged is not None:
        _line(console, max_grade_note(result.measures, result.judged))
    if result.repeats:
        _line(console, f"{result.repeats:,} results dropped: their document stood higher already")
    if result.judged is not None and result.without_relevant:
        _line(console, f"{result.without_relevant:,} queries without a relevant judgment")
    table = _table("\nMaximized effectiveness difference")
    table.add_column("measure")
    for name in ("mean", "median", "95th pct", "maximum"):
        table.add_column(name, justify="right")
    for measure in result.measures:
        summary = result.summary(measure)
        table.add_row(Text(repr(measure)), *(f"{value:.4f}" for value in summary))
    console.print(table)


def _print_histogram(console: Console, result: Comparison, measure: Measure) -> None:
    """Queries by med, in ten bins from 0 to 1, or to the maximum where that is above 1."""
    med = result.column(measure)
    top = max(1.0, float(med.max()))
    counts, edges = np.histogram(med, bins=BINS, range=(0.0, top))
    _line(console, f"Queries by {measure!r}")
    widest = len(f"{counts.max():,}")
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        bar = "█" * round(BAR * count / counts.max())
        if count and not bar:
            bar = "▏"
        _line(console, f"  {low:.2f}-{high:.2f}  {count:>{widest},}  {bar}".rstrip())
    console.print()


def _print_top(console: Console, result: Comparison, measure: Measure, top: int) -> None:
    table = _table(f"Most affected queries by {measure!r}")
    table.add_column("query", overflow="fold")
    for name in ("med", "gain", "loss", "lower", "entered", "left", "moved"):
        table.add_column(name, justify="right")
    gaps = result.column(measure, "gap").any()
    if gaps:
        table.add_column("gap", justify="right")
    for position in result.largest(top, measure):
        row = result.row(position, measure)
        shown = row.query_id.encode("utf-8", "backslashreplace").decode()
        values = [f"{v:.4f}" for v in (row.med, row.gain, row.loss, row.lower)]
        changes = [str(n) for n in result.changes[:, position]]
        table.add_row(Text(shown), *values, *changes, *([f"{row.gap:.4f}"] if gaps else []))
    console.print(table)
