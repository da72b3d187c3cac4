"""What stands in the output of a notebook's cell, read by Python's own parser of HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

TAGS = {
    *("div", "style", "p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("span", "i", "details", "summary", "ul", "li"),
}
ATTRIBUTES = {"class", "style"}


class Shown(NamedTuple):
    """A table: its title, and its rows by the names of the columns."""

    title: str
    names: list[str]
    rows: list[list[str]]

    def column(self, name: str) -> list[str]:
        """The cells of a column."""
        return [row[self.names.index(name)] for row in self.rows]


class Cell(HTMLParser):
    """The text and the tables of a cell; an error where it holds what it should not."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text, self.tables = "", list[Shown]()
        self.feed(content)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in TAGS
        assert {name for name, _ in attrs} <= ATTRIBUTES
        self.open.append(tag)
        if tag == "table":
            self.tables.append(Shown("", [], []))
        elif tag == "th":
            self.tables[-1].names.append("")
        elif tag == "tr" and "tbody" in self.open:
            self.tables[-1].rows.append([])
        elif tag == "td":
            self.tables[-1].rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" in self.open:
            assert "url(" not in data
            assert "@import" not in data
            return
        self.text += data
        if "caption" in self.open:
            self.tables[-1] = self.tables[-1]._replace(title=self.tables[-1].title + data)
        elif "th" in self.open:
            self.tables[-1].names[-1] += data
        elif "td" in self.open:
            self.tables[-1].rows[-1][-1] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)

    def handle_pi(self, data: str) -> None:
        raise AssertionError(data)

    def table(self, start: str) -> Shown:
        """The table whose title starts so."""
        return next(one for one in self.tables if one.title.startswith(start))
