"""Exposures of documents as text for people: which gain and lose most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from medir.cli.tables import open_console, plain_table, print_line
from medir.comparing.exposure import Exposure, Exposures
from medir.files.identifiers import shown

INDENT = 2  # blanks before a title
BETWEEN = 3  # blanks between columns
NUMBERS: dict[str, Callable[[Exposure], str]] = {
    "change": lambda row: f"{row.change:+,.4f}",
    "before": lambda row: f"{row.before:,.4f}",
    "after": lambda row: f"{row.after:,.4f}",
    "queries": lambda row: f"{row.queries_before:,} -> {row.queries_after:,}",
}


def show(found: Exposures, top: int) -> None:
    """Exposures as text for people: how many documents gain and lose, and which most."""
    console = open_console()
    print_line(console, " -> ".join(found.names))
    for line in _summary(found):
        print_line(console, line)
    gains, losses = found.extremes(top)
    sides = [("Documents that gain most", gains), ("Documents that lose most", losses)]
    layout = _Layout(console, [row for _, rows in sides for row in rows])
    for title, rows in sides:
        if rows:
            console.print()
            layout.show(title, rows)
    if not layout.exposure:
        print_line(console, "(this window is too narrow for the exposure before and after)")


def _summary(found: Exposures) -> Iterator[str]:
    queries = "1 query" if found.queries == 1 else f"{found.queries:,} queries"
    documents = "1 document" if len(found) == 1 else f"{len(found):,} documents"
    yield f"exposure by {found.measure!r}: {documents} in {queries}"
    yield found.counts_in_words()
    if found.repeats:
        results = "1 result" if found.repeats == 1 else f"{found.repeats:,} results"
        yield f"{results} dropped: duplicates of a higher-ranked document"
    by_depth = found.total_after - found.total_before
    yield (
        f"check: all changes add up to {_signed(float(found.change.sum()))}, "
        f"and the depths of the lists give {_signed(by_depth)}"
    )


def _signed(value: float) -> str:
    return f"{value:+.4f}" if abs(value) >= 5e-5 else "0"


class _Layout:
    """The columns of a table of documents, as many as there is room for beside their ids."""

    def __init__(self, console: Console, rows: Sequence[Exposure]) -> None:
        names = ["document", *(shown(row.doc_id) for row in rows)]
        ids = max(map(cell_len, names))
        titles = max((cell_len(shown(row.title or "")) + INDENT for row in rows), default=0)
        room = console.width - _width(("change", "queries"), rows)
        exposure = _width(("before", "after"), rows)
        self.exposure = room - exposure >= ids
        room -= exposure if self.exposure else 0
        self.width = min(room, max(ids, titles))
        self.fits = room >= ids
        self.console = console

    def show(self, title: str, rows: Sequence[Exposure]) -> None:
        """Prints some documents. Ids are not broken: where they do not fit, they end lines."""
        if self.fits:
            self.console.print(self._table(title, rows))
            return
        print_line(self.console, title)
        for row in rows:
            name, *numbers = self._cells(row)
            line = Text("  ").join([*numbers, name])
            self.console.print(line, soft_wrap=True)

    def _table(self, title: str, rows: Sequence[Exposure]) -> Table:
        table = plain_table(title)
        table.add_column("document", width=self.width, overflow="fold")
        for name in self._numbers():
            table.add_column(name, justify="right", no_wrap=True)
        for row in rows:
            table.add_row(*self._cells(row))
        return table

    def _numbers(self) -> tuple[str, ...]:
        """The columns beside the document."""
        return tuple(name for name in NUMBERS if self.exposure or name not in ("before", "after"))

    def _cells(self, row: Exposure) -> Iterator[Text]:
        yield self._named(row)
        for name in self._numbers():
            style = "green" if row.change > 0 else "red"
            yield Text(NUMBERS[name](row), style=style if name == "change" else "")

    def _named(self, row: Exposure) -> Text:
        """The id of a document, and below it as much of its title as there is room for."""
        name = Text(shown(row.doc_id))
        if row.title:
            title = Text(" " * INDENT + shown(row.title), style="dim")
            room = self.width if self.fits else self.console.width
            title.truncate(room, overflow="ellipsis")
            name = name.append("\n").append_text(title)
        return name


def _width(names: Sequence[str], rows: Sequence[Exposure]) -> int:
    """How many characters some columns take, with the blanks between them."""
    return sum(
        BETWEEN + max(len(name), *(len(NUMBERS[name](row)) for row in rows)) if rows else 0
        for name in names
    )
