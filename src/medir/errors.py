"""Every error that a user can meet, and texts as people are shown them.

An error says what is wrong, where, and what to do about it. What comes from files may hold
anything: nothing of it acts on a terminal.
"""

from __future__ import annotations

import re
import unicodedata
from os import PathLike

SHOWN = 100  # characters of an offending line
LONGEST = 1000  # characters of a word; a longer one is shortened
QUOTED = 100  # of a text in quotes
LINE = 5000  # of a line
ENCODING, UNDECODABLE = "utf-8", "surrogateescape"
# Categories of characters that cannot be seen: controls, surrogates, separators of lines, ...
HIDDEN = ("Cc", "Cs", "Co", "Cn", "Zl", "Zp")
# What reorders the characters behind it, and the marks that do so without being seen.
REORDERING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
MARKS = "\u061c\u200e\u200f"
_LONG_WORD = rf"\S{{{LONGEST + 1},}}"
_LONG_LINE = rf"(.{{{LINE}}}).+"
# A quote does not begin within a word, as the apostrophe of "Pearson's" would.
_LONG_QUOTE = rf"(?<!\w)(?:'[^'\n]{{{QUOTED + 1},}}'|\"[^\"\n]{{{QUOTED + 1},}}\")"


class MedirError(Exception):
    """What medir raises when it is asked for something that it cannot do.

    The message says what is wrong and what to do next; the shell prints it and exits with 2.
    """


class MeasureError(MedirError, ValueError):
    """A measure that does not exist, or that cannot have such a parameter."""


class UsageError(MedirError, ValueError):
    """An option or argument that does not fit the others."""


class MissingExtraError(MedirError, ImportError):
    """An optional library that is not installed; an extra of medir may bring it.

    >>> print(MissingExtraError("polars", None, "to_polars()"))
    to_polars() needs polars: pip install polars
    """

    def __init__(self, library: str, extra: str | None, purpose: str) -> None:
        package = library if extra is None else f"'medir[{extra}]'"
        super().__init__(f"{purpose} needs {library}: pip install {package}")


class InputError(MedirError, ValueError):
    """A file or object that cannot be read as what it should be.

    >>> print(InputError("the grade 'x' is not a whole number", "qrels.txt", 3, "q1 0 d7 x"))
    qrels.txt, line 3: the grade 'x' is not a whole number
        q1 0 d7 x
    """

    def __init__(
        self,
        problem: str,
        source: str | PathLike[str] = "",
        line: int | None = None,
        text: str = "",
        remedy: str = "",
    ) -> None:
        self.problem, self.source, self.line = problem, str(source), line
        self.text, self.remedy = text, remedy
        super().__init__(problem, source, line, text, remedy)

    def __str__(self) -> str:
        source, problem = visible(self.source), visible(abbreviated(self.problem))
        place = source if self.line is None else f"{source}, line {self.line}"
        message = f"{place}: {problem}" if place else problem
        if self.text:
            shown = self.text if len(self.text) <= SHOWN else self.text[:SHOWN] + " ..."
            message += "\n    " + "\t".join(map(visible, shown.split("\t")))
        return f"{message}\n{abbreviated(self.remedy)}" if self.remedy else message


class MissingQueryError(InputError, UsageError):
    """A query that was asked for and that there is not, in some runs or in a comparison.

    >>> print(MissingQueryError("q9", "before.run", "after.run"))
    there is no query 'q9' in before.run or after.run
    Query ids are written as in the runs.
    """

    def __init__(self, query: str, *runs: str) -> None:
        place = " or ".join(runs) or "this comparison"
        remedy = "Query ids are written as in the runs." if runs else ""
        super().__init__(f"there is no query {query!r} in {place}", remedy=remedy)
        self.args = query, *runs


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
    """The same for a text whose line breaks are ours; tabs, which do no harm, may be quoted."""
    return re.sub(r"[^\n\t]+", lambda found: visible(found[0]), text)


def abbreviated(text: str) -> str:
    """A text without words, quotes and lines that nobody reads to their end."""
    if len(text) <= QUOTED:
        return text
    text = re.sub(_LONG_QUOTE, lambda found: f"{found[0][: QUOTED + 1]} ...{found[0][0]}", text)
    text = re.sub(_LONG_WORD, lambda found: f"{found[0][:LONGEST]} ...", text)
    return re.sub(_LONG_LINE, r"\1 ...", text)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    hidden = unicodedata.category(character) in HIDDEN or character in MARKS
    if hidden or unicodedata.bidirectional(character) in REORDERING:
        return ascii(character)[1:-1]
    return character
