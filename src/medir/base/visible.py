"""Texts from anywhere as people are shown them: with nothing in them that acts on a terminal."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 1000  # characters of a word; a longer one is shortened
QUOTED = 100  # of a text in quotes
LINE = 5000  # of a line
ENCODING, UNDECODABLE = "utf-8", "surrogateescape"
# Categories of characters that cannot be seen: controls, surrogates, separators of lines, ...
HIDDEN = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
# What reorders the characters behind it, and the marks that do so without being seen.
REORDERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
MARKS = "\u061c\u200e\u200f"
_LONG_WORD = re.compile(rf"\S{{{LONGEST + 1},}}")
_LONG_LINE = re.compile(rf"(.{{{LINE}}}).+")
_LONG_QUOTE = re.compile(rf"'[^'\n]{{{QUOTED + 1},}}'|\"[^\"\n]{{{QUOTED + 1},}}\"")


def shown(text: str) -> str:
    r"""A text as Unicode: bytes that are no UTF-8 appear as escapes.

    >>> print(shown("caf\udce9"))
    caf\xe9
    """
    if text.isascii():
        return text
    try:
        return text.encode(ENCODING, UNDECODABLE).decode(ENCODING, "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return text.encode(ENCODING, "backslashreplace").decode(ENCODING)


def visible(text: str) -> str:
    r"""A text on one line, with escapes for what cannot be seen or reorders the rest.

    >>> print(visible("\x1b[31mred\u202e\r\n"))
    \x1b[31mred\u202e\r\n
    """
    if text.isprintable():
        return text
    return "".join(map(_visible, shown(text)))


def visible_lines(text: str) -> str:
    """The same for a text whose line breaks are ours."""
    return "\n".join(map(visible, text.split("\n")))


def abbreviated(text: str) -> str:
    """A text without words, quotes and lines that nobody reads to their end."""
    if len(text) <= QUOTED:
        return text
    text = _LONG_QUOTE.sub(lambda found: f"{found[0][: QUOTED + 1]} ...{found[0][0]}", text)
    text = _LONG_WORD.sub(lambda found: f"{found[0][:LONGEST]} ...", text)
    return _LONG_LINE.sub(r"\1 ...", text)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    hidden = unicodedata.category(character) in HIDDEN or character in MARKS
    if hidden or unicodedata.bidirectional(character) in REORDERING:
        return ascii(character)[1:-1]
    return character
