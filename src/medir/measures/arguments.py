"""The parameters of a measure as they are written: `(0.8)`, `(gains='linear', ideal={2: 1})`.

The grammar is a small part of Python's, and nothing is evaluated:

    arguments = "(" [argument {"," argument} [","]] ")"
    argument  = [name "="] value
    value     = number | text | "True" | "False" | "None" | list | mapping
    list      = "[" [value {"," value} [","]] "]", or the same in "(" ")"
    mapping   = "{" [value ":" value {"," value ":" value} [","]] "}"

A number may have one sign. A text stands in single or double quotes, with the escapes that `repr`
writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

DEEPEST = 4  # lists within lists
MOST_DIGITS = 400  # of a whole number: more than any parameter may have

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<number> [+-]?[0-9]+ (?![0-9.eE\w]) )
      | (?P<decimal> [+-]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][+-]?[0-9]+)? (?![.\w]) )
      | '(?P<single>(?:[^'\\\r\n]|\\.)*+)' | "(?P<double>(?:[^"\\\r\n]|\\.)*+)"
      | (?P<word> [^\W\d]\w* )
      | (?P<mark> [][(){},:=] )
    )""",
    re.VERBOSE,
)
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(rf"\\(?:x({_HEX}{{2}})|u({_HEX}{{4}})|U(00(?:0{_HEX}|10){_HEX}{{4}})|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}
_SPACE = re.compile(r"[ \t\r\n]*")
_WORDS = {"True": True, "False": False, "None": None}


class ArgumentError(ValueError):
    """Text that is not written as the parameters of a measure."""


def parse_arguments(text: str) -> tuple[list[Any], list[tuple[str, Any]]]:
    """The values without a name, and those with one, in their order.

    >>> parse_arguments("(0.8, gains='linear', ideal={2: 1, 1: 12})")
    ([0.8], [('gains', 'linear'), ('ideal', {2: 1, 1: 12})])
    """
    return _Reader(text).arguments()


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    if code:
        return chr(int(code, 16))
    if escape[4] not in _ESCAPED:
        raise ArgumentError
    return _ESCAPED[escape[4]]


class _Reader:
    """Reads the text once, from its start to its end."""

    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._kind, self._value = self._next()

    def _next(self) -> tuple[str, str]:
        found = _TOKEN.match(self._text, self._at)
        if found is None:
            blank = _SPACE.match(self._text, self._at)
            if blank is None or blank.end() < len(self._text):
                raise ArgumentError
            return "end", ""
        self._at = found.end()
        kind = found.lastgroup or ""
        return ("text" if kind in ("single", "double") else kind), found[kind]

    def _take(self) -> tuple[str, str]:
        token = self._kind, self._value
        self._kind, self._value = self._next()
        return token

    def _is(self, mark: str) -> bool:
        return (self._kind, self._value) == ("mark", mark)

    def _expect(self, mark: str) -> None:
        if self._take() != ("mark", mark):
            raise ArgumentError

    def arguments(self) -> tuple[list[Any], list[tuple[str, Any]]]:
        values: list[Any] = []
        named: list[tuple[str, Any]] = []

        def argument() -> None:
            if self._kind == "word" and self._value not in _WORDS:
                name = self._take()[1]
                self._expect("=")
                named.append((name, self._parsed(DEEPEST)))
            elif named:
                raise ArgumentError
            else:
                values.append(self._parsed(DEEPEST))

        self._expect("(")
        self._each(")", argument)
        if self._kind != "end":
            raise ArgumentError
        return values, named

    def _each(self, close: str, part: Callable[[], None]) -> None:
        """Parts with commas between them, up to the mark that closes them."""
        while not self._is(close):
            part()
            if not self._is(close):
                self._expect(",")
        self._take()

    def _parsed(self, deepest: int) -> Any:
        kind, value = self._take()
        if kind == "number" and len(value) <= MOST_DIGITS:
            return int(value)
        if kind == "decimal":
            return float(value)
        if kind == "text":
            return _ESCAPE.sub(_unescaped, value)
        if kind == "word" and value in _WORDS:
            return _WORDS[value]
        if kind == "mark" and value in "[({" and deepest > 0:
            return self._mapping(deepest) if value == "{" else self._list(value, deepest)
        raise ArgumentError

    def _list(self, opened: str, deepest: int) -> list[Any]:
        values: list[Any] = []
        self._each("]" if opened == "[" else ")", lambda: values.append(self._parsed(deepest - 1)))
        return values

    def _mapping(self, deepest: int) -> dict[Any, Any]:
        values: dict[Any, Any] = {}

        def pair() -> None:
            key = self._parsed(0)
            self._expect(":")
            if key in values:
                raise ArgumentError
            values[key] = self._parsed(deepest - 1)

        self._each("}", pair)
        return values
