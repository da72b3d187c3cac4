"""Exposures of documents as text for people: which gain and lose most."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from medir.base.sums import total
from medir.base.words import count
from medir.cli.layout import Column, open_console, print_line, print_table, print_text
from medir.comparing.exposure import Exposure, Exposures
from medir.files.identifiers import shown


def show(found: Exposures, top: int) -> None:
    """Exposures as text for people: how many documents gain and lose, and which most."""
    gains, losses = found.extremes(top)  # before anything is printed: titles may be at fault
    console = open_console()
    print_text(console, f"Of {count(len(found), 'document')}, {found.counts_in_words()}.")
    print_line(console, " -> ".join(map(shown, found.names)))
    for line in _notes(found):
        print_text(console, line)
    for title, rows in (("Documents that gain most", gains), ("Documents that lose most", losses)):
        if rows:
            console.print()
            _print(console, title, rows)


def _notes(found: Exposures) -> Iterator[str]:
    yield f"exposure by {found.measure!r} in {count(found.queries, 'query', 'queries')}"
    if found.repeats:
        yield f"{count(found.repeats, 'result')} dropped: duplicates of a higher-ranked document"
    yield from found.sample.notes("exposures")
    ranks = "the depths of the lists"
    if found.clusters is not None:
        yield f"one document for each cluster of {shown(found.clusters.name)}"
        ranks = "the ranks of the lists without repeats"
    by_depth = found.total_after - found.total_before
    yield (
        f"check: all changes add up to {_signed(total(found.change))}, and {ranks} give "
        f"{_signed(by_depth)}"
    )


def _signed(value: float) -> str:
    return f"{value:+,.4f}" if abs(value) >= 5e-5 else "0"


def _print(console: Console, title: str, rows: Sequence[Exposure]) -> None:
    titles = [shown(row.title or "") for row in rows]
    colour = "green" if rows[0].change > 0 else "red"
    marks = [row.status if row.status in ("new", "gone") else "" for row in rows]
    columns = [
        Column("document", [shown(row.doc_id) for row in rows], right=False, whole=True),
        Column("title", titles if any(titles) else [], right=False, drop=1, elastic=True),
        Column("change", [Text(_signed(row.change), style=colour) for row in rows]),
        Column("before", [f"{row.before:,.4f}" for row in rows], drop=4),
        Column("after", [f"{row.after:,.4f}" for row in rows], drop=4),
        Column(
            "queries", [f"{row.queries_before:,} -> {row.queries_after:,}" for row in rows], drop=2
        ),
        Column("status", marks if any(marks) else [], right=False, drop=3),
    ]
    print_table(console, title, columns, "--format csv, or -o FILE, has all columns")
