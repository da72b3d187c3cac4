"""How measures are written: `nDCG@20`, `RBP(p=0.8)`, `ndcg_cut_20`; and measures of your own."""

from __future__ import annotations

import copyreg
import itertools
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from medir.base.arrays import Array
from medir.base.words import quoted
from medir.errors import MeasureError, UsageError
from medir.measures.family import OWN, Family, Measure
from medir.measures.of_ir_measures import is_ir_measure, notation_of
from medir.measures.table import BY_NAME, FAMILIES, NOTATION, TREC_EVAL, name_check

DOTTED = {"p", "success", "ndcg_cut", "map_cut"}  # trec_eval writes their cutoffs as in P.10
LONGEST = 10_000  # characters of a measure
MOST_DIGITS = 12  # of a cutoff
ALIKE = 0.65  # the least likeness of a word to what it may be a slip of


def define(
    name: str,
    score: Callable[[Array], float],
    monotone: bool = True,
    values: Sequence[float] = (0, 1),
) -> Measure:
    """A measure of your own: any function from the relevance of each rank to a score.

    `values` are the relevance of grade 0, 1, ...; a higher grade counts as the last. `monotone`
    says that more relevance never lowers the score; then MED is found by branch and bound, without
    it by trying every assignment where there are few. What is not proven has a `gap`. `@` sets how
    many ranks the function sees; without it, it sees what the list has.

    >>> import medir
    >>> halves = define("halves", lambda c: min(c.sum(), 2) / 2)
    >>> medir.med(["a", "b"], ["c"], halves)
    1.0
    """
    from medir.measures.shapes.function import Function

    try:
        checked = name_check(name)
    except MeasureError as error:
        raise MeasureError(f"define: the name {error}") from None
    if checked is None or not callable(score):
        raise MeasureError("define needs a name and a function: define('mine', lambda c: c.mean())")
    try:
        relevance = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        relevance = ()
    if len(relevance) < 2 or any(b <= a for a, b in itertools.pairwise(relevance)):
        raise MeasureError(f"values must be two or more increasing numbers, not {quoted(values)}")
    if not all(map(math.isfinite, relevance)):
        raise MeasureError(f"values are finite numbers, not {quoted(values)}")
    shape = Function(score, relevance, monotone)
    OWN[checked.lower()] = Measure(
        Family(checked, "a function of your own", f"{checked}(c)", (), shape)
    )
    return OWN[checked.lower()]


def _reduced(one: Measure) -> tuple[Any, ...]:
    return restored, (one.name, one.cutoff, one.settings)


def restored(name: str, cutoff: int | None, settings: tuple[tuple[str, Any], ...]) -> Measure:
    """A measure that was pickled; a function of one's own is defined first."""
    found = _open(name) if name.lower() in BY_NAME else OWN.get(name.lower())
    if found is None:
        raise MeasureError(f"the measure {name!r} is not known here; define it first")
    return replace(found(**dict(settings)), cutoff=cutoff)


copyreg.pickle(Measure, _reduced)  # a measure is pickled by its name: its family may hold functions


def _open(name: str) -> Measure:
    row = BY_NAME[name.lower()]
    return Measure(row, row.cutoff)


def row_named(name: str) -> Measure:
    """The measure of a row of the table, as an attribute of `medir.measures`: `nDCG`, `RBP`, ..."""
    if any(row.name == name for row in FAMILIES):
        return _open(name)
    raise AttributeError(f"module 'medir.measures' has no attribute {name!r}")


def measure(text: str | Measure) -> Measure:
    """The measure that a text names: `nDCG@20`, `RBP(p=0.8)`, `ndcg_cut_20`, `P_10`.

    What trec_eval writes is what trec_eval computes; a measure of ir_measures is what it computes.

    >>> measure("rbp(p=0.8)")
    RBP(p=0.8)
    >>> measure("map"), measure("ndcg_cut_20")
    (AP(ideal='judged')@all, nDCG(gains='linear', ideal='judged')@20)
    >>> measure("nDGC@20")
    Traceback (most recent call last):
    medir.errors.MeasureError: there is no measure 'nDGC@20'; did you mean nDCG@20?
    """
    if isinstance(text, Measure):
        return _complete(text)
    if not isinstance(text, str):
        if is_ir_measure(text):
            return measure(notation_of(text))
        raise MeasureError(f"{quoted(text)} is not a measure; write one as nDCG@20 or RBP(p=0.9)")
    if len(text) > LONGEST:
        raise MeasureError(
            f"a measure is written in at most {LONGEST:,} characters; {quoted(text)} has "
            f"{len(text):,}"
        )
    if text.lower() in OWN:
        return OWN[text.lower()]
    match = NOTATION.fullmatch(text)
    if match is None:
        from medir.measures.unsupported import refusal

        why = refusal(text, text, None)
        raise MeasureError(
            why or f"{quoted(text)} is not a measure; write one as nDCG@20 or RBP(p=0.9)"
        )
    if match["name"].lower() in OWN:
        return _with_settings(OWN[match["name"].lower()], text, match)
    return _of_table(text)


@lru_cache(maxsize=256)
def _of_table(text: str) -> Measure:
    """The measure of a row of the table, which one small call after the other may name."""
    match = NOTATION.fullmatch(text)
    assert match is not None, text
    name = match["name"].lower()
    if match["mark"] == "." and name not in DOTTED:
        raise MeasureError(_dotted(text, match))
    if _is_trec_eval(match):
        return _with_settings(_of_trec_eval(text, match), text, match)
    if name not in BY_NAME:
        raise MeasureError(_unknown(text, match))
    return _with_settings(_open(name), text, match)


def _is_trec_eval(match: re.Match[str]) -> bool:
    """Whether trec_eval writes a measure so; `ndcg` is its own when it stands alone."""
    name = match["name"]
    if name.lower() not in BY_NAME:
        return name.lower() in TREC_EVAL
    return name in TREC_EVAL and match["arguments"] is None and match["cutoff"] is None


def _of_trec_eval(text: str, match: re.Match[str]) -> Measure:
    """What trec_eval calls by a name, before parameters and cutoff."""
    name = match["name"].lower()
    if name.endswith("_cut") and match["cutoff"] is None:
        raise MeasureError(f"{quoted(text)} needs a cutoff: write {name}_20")
    return measure(TREC_EVAL[name])


def _with_settings(found: Measure, text: str, match: re.Match[str]) -> Measure:
    arguments, cutoff = match["arguments"], match["cutoff"]
    if arguments is not None:
        args, kwargs = _arguments(text, arguments)
        found = found(*args, **kwargs)
    if cutoff is not None:
        found = found @ _cutoff(cutoff)
    return _complete(found)


def effectiveness(one: Measure | str) -> Measure:
    """A measure of how good a list is; an error for one that compares two lists by their ranks."""
    found = measure(one)
    if found.kind != "difference":
        raise UsageError(
            f"{found} is a rank {found.kind}: it ignores relevance. Choose a measure of "
            "effectiveness, such as nDCG@20; compare and matrix accept both kinds"
        )
    return found


def _complete(one: Measure) -> Measure:
    family = one.family
    if family.required and one[family.parameters[0].name] is None:
        raise MeasureError(family.required)
    return one


def _dotted(text: str, match: re.Match[str]) -> str:
    """What may be meant by a point before a number."""
    from medir.measures.unsupported import refusal

    name, number = match["name"], match["cutoff"]
    why = refusal(text, name, number)
    return why or f"there is no measure {quoted(text)}; write a cutoff as in {name}@{number}"


def _unknown(text: str, match: re.Match[str]) -> str:
    from difflib import get_close_matches

    from medir.measures.unsupported import BY_NAME as ELSEWHERE
    from medir.measures.unsupported import refusal

    name = match["name"]
    why = refusal(text, name, match["cutoff"])
    if why is not None:
        return why
    known = {n: n for n in TREC_EVAL}
    known |= {n.lower(): n for row in FAMILIES for n in (row.name, *row.aliases)}
    known |= {n: repr(m) for n, m in OWN.items()}
    near = get_close_matches(name.lower(), [*known, *ELSEWHERE], 1, cutoff=ALIKE)
    if not near:
        return f"there is no measure {quoted(text)}; 'medir measures' lists them all"
    if near[0] in known:
        meant = text.replace(name, known[near[0]])
        return f"there is no measure {quoted(text)}; did you mean {meant}?"
    why = refusal(text.replace(name, near[0]), near[0], match["cutoff"])
    return f"there is no measure {quoted(text)}, and {why}"


def _arguments(text: str, arguments: str) -> tuple[list[Any], dict[str, Any]]:
    from medir.measures.arguments import ArgumentError, parse_arguments

    try:
        args, pairs = parse_arguments(arguments)
    except ArgumentError:
        raise MeasureError(
            f"cannot read the parameters of {quoted(text)}; write them as name=value, texts in "
            "quotes: nDCG(gains='linear')@20"
        ) from None
    names = [name for name, _ in pairs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MeasureError(f"{quoted(text)}: {twice} is given twice")
    return args, dict(pairs)


def _cutoff(text: str) -> Any:
    """Ranks, or "all"."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else text.lower()
