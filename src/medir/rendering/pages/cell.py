"""A result as the output of a notebook's cell: a piece of HTML that brings its own style.

It has no colours of its own for text and ground, so that it goes with any theme, light or dark, and
remains a plain table where a site removes its style. Whatever a text holds is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from medir.errors import visible


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


@dataclass(frozen=True)
class Column:
    """A column of a table: texts to the left, numbers to the right.

    One that has no cells is left out, and a spare one where there is little room.
    """

    name: str
    cells: Sequence[str]
    text: bool = False
    sure: bool = False  # what the reader looks for
    spare: bool = False

    def cell(self, tag: str, content: str) -> Html:
        """A cell of this column."""
        of = {"text": self.text, "sure": self.sure and tag == "td", "spare": self.spare}
        names = " ".join(name for name, holds in of.items() if holds)
        chosen = f' class="{names}"' if names else ""
        return Html(f"<{tag}{chosen}>{html(content)}</{tag}>")


def html(text: str) -> Html:
    """A text with nothing in it that HTML would take for its own.

    >>> html("a < b")
    'a &lt; b'
    """
    return text if isinstance(text, Html) else Html(escape(visible(text)))


def cell(*parts: str) -> str:
    """The whole output, from its parts; empty ones are left out."""
    content = "".join(html(part) for part in parts if part)
    return f'<div class="medir"><style>{_style()}</style>{content}</div>'


@cache
def _style() -> str:
    text = files(__package__).joinpath("cell.css").read_text(encoding="utf-8")
    return " ".join(text.split())


def verdict(sentences: Sequence[str]) -> Html:
    """What the reader came for: the first sentence is the answer."""
    first, *rest = (html(sentence) for sentence in sentences)
    return Html(f"<p><b>{first}</b> {' '.join(rest)}</p>")


def quiet(text: str) -> Html:
    """A line in small."""
    return Html(f'<p class="quiet">{html(text)}</p>')


def notes(lines: Iterable[str]) -> Html:
    """What is particular, folded; nothing where nothing is."""
    items = "".join(f"<li>{html(line)}</li>" for line in lines)
    return Html(f"<details><summary>Notes</summary><ul>{items}</ul></details>" if items else "")


def table(title: str, *columns: Column) -> Html:
    """A table under its title; nothing where it has no rows."""
    shown = [column for column in columns if column.cells]
    if not shown:
        return Html("")
    head = "".join(column.cell("th", column.name) for column in shown)
    rows = zip(*(column.cells for column in shown), strict=True)
    body = "".join(
        f"<tr>{''.join(c.cell('td', text) for c, text in zip(shown, row, strict=True))}</tr>"
        for row in rows
    )
    return Html(
        f'<div class="scroll"><table><caption>{html(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def side_by_side(*parts: Html) -> Html:
    """Parts next to each other, or one below the other where there is little room."""
    return Html(f'<div class="lists">{"".join(f"<div>{part}</div>" for part in parts)}</div>')


def bar(share: float) -> Html:
    """A share of the most, as a bar."""
    width = 100 * min(max(share, 0.0), 1.0)
    return Html(f'<span class="bar"><i style="width:{width:.0f}%"></i></span>')


def shaded(text: str, share: float) -> Html:
    """A cell's text on a ground that is darker the larger its share of the most."""
    strength = 0.55 * min(max(share, 0.0), 1.0)
    ground = f"background:rgba(74,143,214,{strength:.2f})"
    return Html(f'<span style="{ground};padding:.15em .45em;border-radius:2px">{html(text)}</span>')


def toned(text: str, value: float) -> Html:
    """A text in the colour of what wins, or of what loses; plain for 0."""
    tone = "good" if value > 0 else "bad" if value < 0 else ""
    return Html(f'<span class="{tone}">{html(text)}</span>' if tone else html(text))
