"""Effectiveness measures as plain values: what to maximise the difference of.

A measure is written as people write it, `nDCG@20` or `RBP(p=0.8)`; its `repr` is its identity and
parses back. `medir.measures.table` is the table of all of them.

>>> from medir.measures import nDCG, RBP, measure
>>> nDCG @ 10
nDCG@10
>>> measure("ndcg_cut_10") == nDCG @ 10
True
>>> nDCG(gains="linear") @ 10
nDCG(gains='linear')@10
"""

from __future__ import annotations

import ast
import difflib
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from medir.arrays import Array
from medir.errors import MeasureError, UsageError
from medir.measures.parameters import whole
from medir.measures.table import BY_NAME, FAMILIES, NOTATION, Family, Function, name_check

_NAMED: dict[str, Measure] = {}  # measures of the user's own


@dataclass(frozen=True, repr=False)
class Measure:
    """An effectiveness measure: a family with its parameters and its cutoff.

    Call it to set parameters, `@` to set the cutoff. Equal measures are equal values and hash
    alike.
    """

    family: Family
    cutoff: int | None = None
    settings: tuple[tuple[str, Any], ...] = ()  # what differs from the defaults, in table order

    def __call__(self, *args: Any, **kwargs: Any) -> Measure:
        """The measure with other parameters: `nDCG(gains="linear")`, `RBP(p=0.8)`."""
        names = [parameter.name for parameter in self.family.parameters]
        if len(args) > len(names):
            raise MeasureError(f"{self.family.name} takes at most {len(names)} parameters")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise MeasureError(f"{self.family.name}: {name} is given twice")
            if name not in names:
                hint = difflib.get_close_matches(name, names, 1)
                known = (
                    f"did you mean {hint[0]}?" if hint else f"it has {', '.join(names) or 'none'}"
                )
                raise MeasureError(f"{self.family.name} has no parameter {name!r}; {known}")
            given[name] = value
        values = dict(self.settings)
        for parameter in self.family.parameters:
            if parameter.name in given:
                try:
                    values[parameter.name] = parameter.check(given[parameter.name])
                except MeasureError as error:
                    message = f"{self.family.name}: {parameter.name} {error}"
                    raise MeasureError(message) from None
        settings = tuple(
            (parameter.name, values[parameter.name])
            for parameter in self.family.parameters
            if parameter.name in values and values[parameter.name] != parameter.default
        )
        made = replace(self, settings=settings)
        made._check()
        if made["name"] is not None:
            _NAMED[made["name"].lower()] = made
        return made

    def __matmul__(self, cutoff: int) -> Measure:
        """The measure of the first `cutoff` ranks."""
        try:
            return replace(self, cutoff=whole(1, self.family.deepest)(cutoff))
        except MeasureError as error:
            raise MeasureError(f"the cutoff of {self.family.name} {error}") from None

    def __getitem__(self, parameter: str) -> Any:
        """The value of a parameter; None for one that the measure does not have."""
        defaults = {p.name: p.default for p in self.family.parameters}
        return dict(self.settings).get(parameter, defaults.get(parameter))

    @property
    def kind(self) -> Literal["difference", "similarity", "distance"]:
        """What is measured of two lists: the largest difference in effectiveness, or their ranks.

        A rank similarity is larger, and a rank distance smaller, the more two lists are alike.
        """
        if self.family.similarity is None:
            return "difference"
        # The residual of RBO is what is not known of it: more of it is no more likeness.
        return "distance" if self["score"] == "res" else self.family.similarity.kind

    @property
    def title(self) -> str:
        """What is measured of two lists: `MED-nDCG@20`, `RBO(p=0.9)`."""
        return f"MED-{self!r}" if self.kind == "difference" else repr(self)

    @property
    def symmetric(self) -> bool:
        """Whether both orders of two lists have the same value."""
        row = self.family.similarity
        return row is None or row.symmetric or bool(self["symmetric"])

    @property
    def in_python(self) -> bool:
        """Whether the values are computed in Python, query by query."""
        elements = self["weight"] is not None or self["distance"] is not None
        return elements or self.family.function is not None

    @property
    def reach(self) -> int | None:
        """The deepest rank that counts; None when there is no such rank."""
        if self.family.similarity is not None and not self.family.similarity.cuts_both:
            return None
        weights = self.own_discount
        if weights is None or callable(weights):
            return self.cutoff
        return min(len(weights), self.cutoff or len(weights))

    @property
    def own_discount(self) -> Any:
        """The discount that the user gave: a tuple or a function; None for a measure of medir's."""
        given = self["weights"] if self["weights"] is not None else self["discount"]
        return None if isinstance(given, str) else given

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.family.name, self.cutoff, self.settings)

    def __repr__(self) -> str:
        if self["name"] is not None:
            text = str(self["name"])
        else:
            shown = [
                f"{p.name}={_literal(self[p.name])}"
                for p in self.family.parameters
                if p.shown or p.name in dict(self.settings)
            ]
            text = self.family.name + (f"({', '.join(shown)})" if shown else "")
        return text if self.cutoff is None else f"{text}@{self.cutoff}"

    def _check(self) -> None:
        if "rel" in dict(self.settings) and self["gains"] not in (None, "binary"):
            raise MeasureError(f"{self.family.name}: rel goes with gains='binary' only")
        if self["rel"] and self["max_grade"] and self["rel"] > self["max_grade"]:
            raise MeasureError(f"{self.family.name}: rel is above max_grade")
        if isinstance(self["ideal"], tuple) and self["max_grade"]:
            check_counts(self, self["max_grade"])
        if self.family.shape == "timed" and self["click_relevant"] < self["click_not_relevant"]:
            raise MeasureError(f"{self.family.name}: click_relevant is below click_not_relevant")
        if self["relevance"] == "graded" and "rel" in dict(self.settings):
            raise MeasureError(f"{self.family.name}: rel goes with relevance='binary' only")
        if "half_life" in dict(self.settings) and self["discount"] in ("linear", "none"):
            raise MeasureError(f"{self.family.name}: half_life goes with discount='exponential'")
        if callable(self["discount"]) and self["name"] is None:
            raise MeasureError(
                "Cascade: a function of rank needs a name: "
                "Cascade(lambda rank: 0.9**rank, decay=0.5, name='fading')"
            )
        if callable(self["weights"]) and (self["name"] is None or self["total"] is None):
            raise MeasureError(
                "Discount: a function of rank needs a name and the sum of its values over all "
                "ranks: Discount(lambda rank: 0.5**rank, name='halving', total=1)"
            )


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
        raise MeasureError("define takes a name and a function: define('mine', lambda c: c.mean())")
    try:
        relevance = tuple(float(value) for value in values)
    except (TypeError, ValueError):
        raise MeasureError(f"values are two or more numbers that rise, not {values!r}") from None
    if len(relevance) < 2 or any(b <= a for a, b in itertools.pairwise(relevance)):
        raise MeasureError(f"values are two or more numbers that rise, not {values!r}")
    if not all(map(math.isfinite, relevance)):
        raise MeasureError(f"values are finite numbers, not {values!r}")
    family = Family(
        checked,
        "a function of your own",
        f"{checked}(c)",
        (),
        shape="function",
        function=Function(score, relevance, monotone),
    )
    _NAMED[checked.lower()] = Measure(family)
    return _NAMED[checked.lower()]


def _restore(name: str, cutoff: int | None, settings: tuple[tuple[str, Any], ...]) -> Measure:
    found = _open(name) if name.lower() in BY_NAME else _NAMED.get(name.lower())
    if found is None:
        raise MeasureError(f"the measure {name!r} is not known here; define it first")
    return replace(found(**dict(settings)), cutoff=cutoff)


def _literal(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return repr(dict(value))
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def check_counts(measure: Measure, max_grade: int) -> None:
    """Raises an error where `ideal` counts documents of a grade that does not exist."""
    highest = measure["ideal"][0][0]
    if highest > max_grade:
        raise MeasureError(
            f"{measure}: ideal counts documents of grade {highest}, but the highest grade is "
            f"{max_grade}; declare max_grade={highest}"
        )


def _open(name: str) -> Measure:
    row = BY_NAME[name.lower()]
    return Measure(row, row.cutoff)


def __getattr__(name: str) -> Measure:
    """The measure of each row of the table, by its name: `nDCG`, `RBP`, ..."""
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
    if text.lower() in _NAMED:
        return _NAMED[text.lower()]
    match = NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is not a measure; write one as nDCG@20 or RBP(p=0.9)")
    name, arguments, cutoff = match.groups()
    found = _NAMED.get(name.lower())
    if found is None and name.lower() in BY_NAME:
        found = _open(name)
    if found is None:
        raise MeasureError(_unknown(text, name))
    if arguments is not None:
        args, kwargs = _arguments(text, arguments)
        found = found(*args, **kwargs)
    return _complete(found if cutoff is None else found @ int(cutoff))


def effectiveness(one: Measure | str) -> Measure:
    """A measure of how good a list is; an error for one that compares two lists by their ranks."""
    found = measure(one)
    if found.kind != "difference":
        raise UsageError(
            f"{found} is a rank {found.kind}: it knows of no relevance. Choose a measure of "
            "effectiveness, such as nDCG@20; compare and matrix take both kinds"
        )
    return found


def _complete(one: Measure) -> Measure:
    if one.family is BY_NAME["discount"] and one["weights"] is None:
        raise MeasureError("Discount needs its weights: Discount([1, 0.5, 0.25], name='mine')")
    if one.family is BY_NAME["cascade"] and one["discount"] is None:
        raise MeasureError("Cascade needs its discount: Cascade([1, 0.5, 0.25], decay=0.5)")
    return one


def _unknown(text: str, name: str) -> str:
    known = {n.lower(): n for row in FAMILIES for n in (row.name, *row.aliases)}
    known |= {n: repr(m) for n, m in _NAMED.items()}
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
