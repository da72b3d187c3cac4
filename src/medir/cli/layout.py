"""Tables that fit a terminal: ids are never broken, and columns that do not fit are named."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from medir.errors import abbreviated, visible

GAP = 3  # characters between columns
LEAST = 10  # of a text that is shortened
LONGEST = 200  # of an id; a longer one is shortened
EIGHTHS = " ▏▎▍▌▋▊▉█"


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A column of a table for people; one without cells is not shown."""

    name: str
    cells: Sequence[str | Text]
    right: bool = True
    drop: int = 0  # the higher, the earlier it is left out where room is scarce; 0: never
    elastic: bool = False  # a text, which is shortened before columns are left out
    whole: bool = False  # ids, which are never broken: the table may be wider than the terminal
    heading: str | None = None  # where that is not the name

    def __post_init__(self) -> None:
        cells = [one if isinstance(one, Text) else _cell(one) for one in self.cells]
        object.__setattr__(self, "cells", cells)

    @property
    def head(self) -> str:
        """What stands above it."""
        return _cell(self.name if self.heading is None else self.heading)

    @property
    def width(self) -> int:
        """What the column needs."""
        widths = (
            cell.cell_len if isinstance(cell, Text) else cell_len(cell) for cell in self.cells
        )
        needed = max([cell_len(self.head), *widths])
        return min(needed, LONGEST) if self.whole else needed

    @property
    def least(self) -> int:
        """What it needs at the least, before columns are left out."""
        return min(self.width, LEAST) if self.elastic else self.width


class _Printer(Console):
    def on_broken_pipe(self) -> None:
        """Leaves a closed pipe to the process; rich would exit with 1."""
        raise BrokenPipeError


def _cell(text: str) -> str:
    """A text as a cell has it, long enough to show that it is longer than it may be."""
    return visible(text[: LONGEST + 1])[: LONGEST + 1]


def open_console() -> Console:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # bars in an encoding that has none
    return _Printer(highlight=False, soft_wrap=False)


def print_line(console: Console, text: str) -> None:
    """A line that is not broken."""
    console.print(Text(visible(abbreviated(text))), soft_wrap=True)


def print_text(console: Console, text: str) -> None:
    """Sentences, broken between words."""
    console.print(Text(visible(abbreviated(text))))


def fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """The columns that fit, those that matter least left out first; equal ones go together."""
    kept = [one for one in columns if len(one.cells)]
    while sum(one.least for one in kept) + GAP * (len(kept) - 1) > room:
        first = max((one.drop for one in kept), default=0)
        if first == 0:
            break
        kept = [one for one in kept if one.drop != first]
    return kept


def print_table(
    console: Console, title: str, columns: Sequence[Column], elsewhere: str = ""
) -> None:
    """A table as wide as the terminal, or as its ids need; `elsewhere` has what is left out."""
    kept = fitting(columns, console.width)
    if title:
        print_text(console, title)
    border = box.SIMPLE_HEAD.substitute(console.options)  # ASCII, where a terminal has no more
    lines = _table_lines(kept, _widths(kept, console.width), border)
    console.print(Text("\n").join(lines), soft_wrap=True)
    left_out = [one.name for one in columns if len(one.cells) and one not in kept]
    if left_out:
        rest = f"; {elsewhere}" if elsewhere else ""
        print_text(console, f"No room for {', '.join(left_out)} in {console.width} columns{rest}.")


def _table_lines(
    columns: Sequence[Column], widths: Sequence[int], border: box.Box
) -> Iterator[Text]:
    """The head, the line below it, and the rows."""
    gap = Text(f" {border.head_vertical} ")

    def line(cells: Sequence[str | Text], style: str = "") -> Text:
        placed = zip(cells, columns, widths, strict=True)
        return gap.join(_placed(cell, one.right, width, style) for cell, one, width in placed)

    yield line([one.head for one in columns], "table.header")
    around = [width + 2 for width in widths]  # a blank on both sides, but not at the edges
    yield Text(border.get_row(around, "head", edge=False)[1:-1])
    yield from map(line, zip(*(one.cells for one in columns), strict=True))


def _placed(cell: str | Text, right: bool, width: int, style: str) -> Text:
    """A cell as wide as its column."""
    text = cell.copy() if isinstance(cell, Text) else Text(cell, style)
    if right:
        text.rstrip()
        text.truncate(width, overflow="ellipsis")
        text.pad_left(width - text.cell_len)
    else:
        text.truncate(width, overflow="ellipsis", pad=True)
    return text


def _widths(columns: Sequence[Column], room: int) -> list[int]:
    """What each column gets: texts what the others leave."""
    widths = [one.least for one in columns]
    for number, one in enumerate(columns):
        if one.elastic:
            left = room - sum(widths) - GAP * (len(columns) - 1)
            widths[number] = min(one.width, widths[number] + max(left, 0))
    return widths


def bar(share: float, width: int) -> str:
    """A bar of eighths of characters.

    >>> bar(0.55, 4)
    '██▎'
    """
    eighths = round(max(0.0, min(share, 1.0)) * width * 8)
    if share > 0 and eighths == 0:
        eighths = 1
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()
