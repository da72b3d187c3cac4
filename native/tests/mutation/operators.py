"""Small faults: what each operator makes of the tokens of a C++ source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Token = tuple[int, int, str]  # where it starts and ends, and its text

TOKEN = re.compile(
    r"""(?P<skip>//[^\n]*|/\*.*?\*/|\#[^\n]*|\s+)
      | (?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>(?:0x[0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[uUlLfF]*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<symbol><=>|<<=|>>=|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|::|.)""",
    re.VERBOSE | re.DOTALL,
)
# Operators: the name of each, and what a token turns into.
EXCHANGES: dict[str, dict[str, list[str]]] = {
    "arithmetic": {
        "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"],
        "+=": ["-="], "-=": ["+="], "*=": ["/=", "="], "++": ["--"], "--": ["++"],
    },
    "relation": {
        "<": [">", ">="], ">": ["<", "<="], "<=": [">", ">="], ">=": ["<", "<="],
        "==": ["!="], "!=": ["=="],
    },
    "boundary": {"<": ["<="], ">": [">="], "<=": ["<"], ">=": [">"]},
    "logic": {"&&": ["||"], "||": ["&&"], "!": [""], "true": ["false"], "false": ["true"]},
    "bits": {
        "<<": [">>"], ">>": ["<<"], "&": ["|"], "|": ["&"],
        "|=": ["&=", "="], "^=": ["|=", "="], "~": [""],
    },
    "minimum": {
        "min": ["max"], "max": ["min"], "max_element": ["min_element"], "greater": ["less"],
        "front": ["back"], "back": ["front"],
    },
    "jump": {"continue": ["break"], "break": ["continue"]},
    "names": {
        "favoured": ["other"], "other": ["favoured"],
        "favoured_": ["other_"], "other_": ["favoured_"],
        "in_favoured": ["in_other"], "in_other": ["in_favoured"],
        "least": ["most"], "most": ["least"], "rise": ["fall"], "fall": ["rise"],
        "opens": ["closes"], "closes": ["opens"], "mine": ["theirs"], "theirs": ["mine"],
        "known": ["gain"], "relevant": ["other"],
    },
}  # fmt: skip
# As clang-format leaves them: a binary operator stands between spaces, those of types do not.
BINARY = {"+", "-", "*", "/", "<", ">", "<=", ">=", "&&", "||", "<<", ">>", "&", "|"}
STATEMENT = re.compile(r"(for|if) \(|\+\+|--|\w[\w.:]*(\(|\[|->| [-+*/|^&]?= )")


@dataclass(frozen=True)
class Mutant:
    file: str
    start: int
    end: int
    text: str
    operator: str

    def line(self, source: str) -> int:
        return source.count("\n", 0, self.start) + 1

    def apply(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def constants(number: str) -> list[str]:
    """Other numbers in the place of this one."""
    if re.fullmatch(r"\d+[uU]?", number):
        value = int(number.rstrip("uU"))
        return [str(value + 1)] + ([str(value - 1)] if value > 0 else [])
    if re.fullmatch(r"\d+\.?\d*([eE][-+]?\d+)?", number):
        size = float(number)
        return ["1.0"] if size == 0 else [repr(size * 2), repr(size / 2), "0.0"]
    return []


def statements(source: str, tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Where an expression that ends with a semicolon stands by itself."""
    start: int | None = None
    depth = 0
    for first, _, text in tokens:
        if text in "([":
            depth += 1
        elif text in ")]":
            depth -= 1
        if text in "{}":
            start = None
        elif text == ";" and depth == 0:
            if start is not None and STATEMENT.match(source[start:first]):
                yield start, first
            start = None
        elif start is None and depth == 0 and text not in (")", ":"):
            start = first


def mutants_of(file: str, source: str) -> list[Mutant]:
    found: list[Mutant] = []
    tokens: list[Token] = []
    for match in TOKEN.finditer(source):
        if match.lastgroup in ("skip", "string"):
            continue
        start, end, text = match.start(), match.end(), match.group()
        tokens.append((start, end, text))
        if match.lastgroup == "number":
            found += [Mutant(file, start, end, other, "constant") for other in constants(text)]
        if text not in BINARY or (source[start - 1] == source[end] == " "):
            for operator, exchange in EXCHANGES.items():
                found += [
                    Mutant(file, start, end, other, operator) for other in exchange.get(text, ())
                ]
        elif text == "-":
            found.append(Mutant(file, start, end, "", "arithmetic"))
        if text == "infinity" and source[end:].startswith("()"):
            found.append(Mutant(file, end, end + 2, "() * -1", "infinity"))
    conditions = {end + 1 for _, end, text in tokens if text == "if"}
    for start, end in pairs_of_brackets(tokens):
        if start in conditions and ";" not in source[start:end]:
            text = f"(!{source[start : end + 1]})"
            found.append(Mutant(file, start, end + 1, text, "condition"))
    for start, end in statements(source, tokens):
        found.append(Mutant(file, start, end, "", "statement"))
    found = [one for one in found if "static_assert" not in line_of(source, one.start)]
    return sorted(found, key=lambda one: (one.start, one.end, one.operator, one.text))


def pairs_of_brackets(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    stack: list[int] = []
    for start, _, text in tokens:
        if text == "(":
            stack.append(start)
        elif text == ")" and stack:
            yield stack.pop(), start


def line_of(source: str, place: int) -> str:
    return source[source.rfind("\n", 0, place) + 1 : source.find("\n", place)]
