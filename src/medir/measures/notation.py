"""How measures are written: `nDCG@20`, `RBP(p=0.8)`, `ndcg_cut_20`; and measures of your own."""

from __future__ import annotations

import ast
import copyreg
import difflib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from medir.base.arrays import Array
from medir.errors import MeasureError, UsageError
from medir.measures.family import OWN, Family, Measure
from medir.measures.shapes.function import Function
from medir.measures.table import BY_NAME, FAMILIES, NOTATION, name_check


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
        raise MeasureError(f"values must be two or more increasing numbers, not {values!r}")
    if not all(map(math.isfinite, relevance)):
        raise MeasureError(f"values are finite numbers, not {values!r}")
    shape = Function(score, relevance, monotone)
    OWN[checked.lower()] = Measure(
        Family(checked, "a function of your own", f"{checked}(c)", (), shape)
    )
    return OWN[checked.lower()]


def _reduced(one: Measure) -> tuple[Any, ...]:
    return _restored, (one.name, one.cutoff, one.settings)


def _restored(name: str, cutoff: int | None, settings: tuple[tuple[str, Any], ...]) -> Measure:
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

    >>> measure("rbp(p=0.8)")
    RBP(p=0.8)
    >>> measure("nDGC@20")
    Traceback (most recent call last):
    medir.errors.MeasureError: there is no measure 'nDGC@20'; did you mean nDCG@20?
    """
    if isinstance(text, Measure):
        return _complete(text)
    if not isinstance(text, str):
        raise MeasureError(f"{text!r} is not a measure; write one as nDCG@20 or RBP(p=0.9)")
    if text.lower() in OWN:
        return OWN[text.lower()]
    match = NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is not a measure; write one as nDCG@20 or RBP(p=0.9)")
    if match[1].lower() in OWN:
        return _with_settings(OWN[match[1].lower()], text)
    return _of_table(text)


@lru_cache(maxsize=256)
def _of_table(text: str) -> Measure:
    """The measure of a row of the table, which one small call after the other may name."""
    match = NOTATION.fullmatch(text)
    assert match is not None, text
    if match[1].lower() not in BY_NAME:
        raise MeasureError(_unknown(text, match[1]))
    return _with_settings(_open(match[1]), text)


def _with_settings(found: Measure, text: str) -> Measure:
    match = NOTATION.fullmatch(text)
    assert match is not None, text
    _, arguments, cutoff = match.groups()
    if arguments is not None:
        args, kwargs = _arguments(text, arguments)
        found = found(*args, **kwargs)
    return _complete(found if cutoff is None else found @ int(cutoff))


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


def _unknown(text: str, name: str) -> str:
    known = {n.lower(): n for row in FAMILIES for n in (row.name, *row.aliases)}
    known |= {n: repr(m) for n, m in OWN.items()}
    near = difflib.get_close_matches(name.lower(), known, 1, cutoff=0.5)
    if near:
        return f"there is no measure {text!r}; did you mean {text.replace(name, known[near[0]])}?"
    return f"there is no measure {text!r}; 'medir measures' lists them all"


def _arguments(text: str, arguments: str) -> tuple[list[Any], dict[str, Any]]:
    try:
        call = ast.parse(f"_{arguments.strip()}", mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            raise ValueError
        if any(k.arg is None for k in call.keywords):
            raise ValueError
        args = [ast.literal_eval(a) for a in call.args]
        return args, {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (ValueError, SyntaxError):
        raise MeasureError(
            f"cannot read the parameters of {text!r}; write them as name=value, texts in quotes: "
            "nDCG(gains='linear')@20"
        ) from None
