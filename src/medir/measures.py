"""Effectiveness measures as plain values: what to maximise the difference of.

A measure is written as people write it, `nDCG@20` or `RBP(p=0.8)`; its `repr` is its identity and
parses back. Every measure is one row of `FAMILIES`: names, parameters, formula, discount. The
parser, the help of the shell and the documentation are made from these rows.

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
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from medir.errors import MeasureError

Array = NDArray[np.float64]

DEFAULT_CUTOFF = 20
DEFAULT_MAX_GRADE = 2
DEEPEST = 10_000_000  # the largest cutoff: its discounts are a table


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its default, what it may be, and what it means."""

    name: str
    default: Any
    meaning: str
    check: Callable[[Any], Any]
    shown: bool = False  # stands in the name of the measure even at its default


@dataclass(frozen=True)
class Family:
    """One row of the table: a measure with its parameters still open.

    `shape` is how the documents of a list make up its score: a dot product of relevance and
    discounts, or average precision. For a dot product, `discount(ranks, parameters)` gives d_i;
    `tail(depth, parameters)` is the sum of all d_i below a depth, for a measure that looks
    endlessly deep; `norm` says what N is: `"one"`, `"discounts"` (the sum of all d_i) or `"ideal"`
    (the best that any list can score).
    """

    name: str
    meaning: str
    formula: str
    parameters: tuple[Parameter, ...]
    discount: Callable[[Array, Mapping[str, Any]], Array] | None = None
    shape: Literal["dot product", "average precision"] = "dot product"
    aliases: tuple[str, ...] = ()
    cutoff: int | None = None
    tail: Callable[[Array, Mapping[str, Any]], Array] | None = None
    norm: str = "one"
    unit: bool = True  # relevance values are scaled so that the highest is 1


def _one_of(*choices: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in choices:
            raise MeasureError(f"is one of {', '.join(map(repr, choices))}, not {value!r}")
        return value

    return check


def _number(low: float, high: float) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not low < value < high:
            bounds = f"above {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
            raise MeasureError(f"is a number {bounds}, not {value!r}")
        return float(value)

    return check


def _whole(low: int, high: int, optional: bool = False) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value is None and optional:
            return None
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or not low <= value <= high:
            raise MeasureError(f"is a whole number from {low} to {high}, not {value!r}")
        return int(value)

    return check


def _ideal(value: Any) -> Any:
    """Knowledge of the collection: a word, a number of documents, or counts per grade."""
    if value in ("unbounded", "judged"):
        return value
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if isinstance(value, tuple):
        grade, count = _whole(1, 1000), _whole(0, 10**9)
        counts = tuple(sorted(((grade(g), count(n)) for g, n in value), reverse=True))
        if not any(n for _, n in counts):
            raise MeasureError(f"names at least one relevant document, not {dict(counts)!r}")
        return counts
    try:
        return _whole(1, 10**9)(value)
    except MeasureError:
        raise MeasureError(
            "is 'unbounded', 'judged', a number of relevant documents, or counts per grade such as "
            f"{{2: 1, 1: 12}}, not {value!r}"
        ) from None


def _ideal_number(value: Any) -> Any:
    """For measures of binary relevance: a word or a number of relevant documents."""
    if isinstance(value, Mapping | tuple):
        raise MeasureError(
            f"is 'unbounded', 'judged' or a number of relevant documents, not {value!r}"
        )
    return _ideal(value)


def _weights(value: Any) -> Any:
    if callable(value):
        return value
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) == 0:
        raise MeasureError(f"is a list of discounts or a function of rank, not {value!r}")
    try:
        weights = np.array([float(weight) for weight in value])
    except (TypeError, ValueError):
        raise MeasureError(f"is a list of numbers, not {value!r}") from None
    return tuple(_checked_discount(weights).tolist())


def _checked_discount(weights: Array) -> Array:
    if not np.all(np.isfinite(weights)) or np.any(weights < 0) or np.any(np.diff(weights) > 0):
        raise MeasureError("has discounts that are finite, not negative, and never rise with rank")
    return weights


def _name(value: Any) -> Any:
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_][\w.-]*", value):
        raise MeasureError(f"is a word, not {value!r}")
    notation = _NOTATION.fullmatch(value)
    if notation is not None and notation[1].lower() in _BY_NAME:
        raise MeasureError(f"is a new word: {value!r} is a measure of medir's own")
    return value


def _total(value: Any) -> Any:
    return None if value is None else _number(0, math.inf)(value)


def _relevance(gains: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "gains",
            gains,
            "how a grade becomes relevance: 'binary', 'exp' (2^g - 1) or 'linear' (g)",
            _one_of("binary", "exp", "linear"),
        ),
        Parameter(
            "max_grade",
            None,
            "the highest grade there is; else the highest in the judgments, else 2",
            _whole(1, 1000, optional=True),
        ),
        Parameter(
            "rel",
            1,
            "with gains='binary': the lowest grade that counts as relevant",
            _whole(1, 1000),
        ),
    )


def _log_discount(ranks: Array, _: Mapping[str, Any]) -> Array:
    return np.asarray(1 / np.log2(ranks + 1))


def _trigamma(x: Array) -> Array:
    """Sum of 1 / (x + n)^2 over n = 0, 1, ...: by recurrence up to 20, then its expansion."""
    steps = np.arange(20.0)
    head = np.sum(1 / np.add.outer(np.asarray(x), steps) ** 2, axis=-1)
    y = np.asarray(x) + 20.0
    series = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return np.asarray(head + series - 1 / (30 * y**9))


def _custom_discount(ranks: Array, p: Mapping[str, Any]) -> Array:
    weights = p["weights"]
    if callable(weights):
        given = np.array([float(weights(int(rank))) for rank in ranks])
        return _checked_discount(given)
    padded = np.zeros(len(ranks))
    padded[: len(weights)] = weights[: len(ranks)]
    return padded


def _custom_tail(depth: Array, p: Mapping[str, Any]) -> Array:
    if not callable(p["weights"]):
        below = np.concatenate([np.cumsum(p["weights"][::-1])[::-1], [0.0]])
        return np.asarray(below[np.minimum(depth, len(below) - 1).astype(int)])
    ranks = np.arange(1.0, depth.max(initial=0) + 1)
    seen = np.concatenate([[0.0], np.cumsum(_custom_discount(ranks, p))])
    total = p["total"]
    if seen[-1] > total * (1 + 1e-9):
        raise MeasureError(
            f"{p['name']}: the discounts of the first {len(ranks)} ranks add up to {seen[-1]:g}, "
            f"more than total={total:g}; state the sum over all ranks"
        )
    return np.asarray(np.maximum(total - seen[depth.astype(int)], 0.0))


FAMILIES: tuple[Family, ...] = (
    Family(
        "nDCG",
        "normalised discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = the best that a list can reach",
        (
            *_relevance("exp"),
            Parameter(
                "ideal",
                "unbounded",
                "what is known of the collection, for N: 'unbounded' (as many documents of the "
                "highest grade as ranks), 'judged' (from the judgments, as trec_eval), a number "
                "of documents of the highest grade, or counts per grade such as {2: 1, 1: 12}, "
                "which limit the assignment too",
                _ideal,
            ),
        ),
        discount=_log_discount,
        aliases=("ndcg_cut",),
        cutoff=DEFAULT_CUTOFF,
        norm="ideal",
        unit=False,
    ),
    Family(
        "RBP",
        "rank-biased precision",
        "(1-p) sum_i c_i p^(i-1)",
        (
            Parameter("p", 0.9, "persistence of the user", _number(0, 1), shown=True),
            *_relevance("binary"),
        ),
        discount=lambda ranks, p: np.asarray((1 - p["p"]) * p["p"] ** (ranks - 1)),
        tail=lambda depth, p: np.asarray(p["p"] ** depth),
    ),
    Family(
        "P",
        "precision",
        "(1/k) sum_{i<=k} c_i",
        _relevance("binary"),
        discount=lambda ranks, _: np.ones_like(ranks),
        aliases=("precision", "prec"),
        cutoff=DEFAULT_CUTOFF,
        norm="discounts",
    ),
    Family(
        "AP",
        "average precision",
        "(1/N) sum_{i<=k} (c_i / i) sum_{j<=i} c_j, N = k",
        (
            Parameter("rel", 1, "the lowest grade that counts as relevant", _whole(1, 1000)),
            Parameter(
                "ideal",
                "unbounded",
                "what is known of the collection, for N: 'unbounded' (k), 'judged' (the number of "
                "relevant judgments, as trec_eval), or a number of relevant documents",
                _ideal_number,
            ),
        ),
        shape="average precision",
        aliases=("map", "map_cut"),
        cutoff=100,
    ),
    Family(
        "DCG",
        "discounted cumulative gain",
        "sum_{i<=k} c_i / log2(i+1)",
        _relevance("exp"),
        discount=_log_discount,
        aliases=("dcg_cut",),
        cutoff=DEFAULT_CUTOFF,
        unit=False,
    ),
    Family(
        "SDCG",
        "scaled discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = sum_{i<=k} 1 / log2(i+1)",
        _relevance("linear"),
        discount=_log_discount,
        cutoff=DEFAULT_CUTOFF,
        norm="discounts",
    ),
    Family(
        "INSQ",
        "inverse squares",
        "(1/N) sum_i c_i / (i+2T-1)^2, N = sum_i 1 / (i+2T-1)^2",
        (
            Parameter("T", 1.0, "relevant documents that the user hopes for", _number(0, math.inf)),
            *_relevance("linear"),
        ),
        discount=lambda ranks, p: np.asarray(
            (ranks - 1 + 2 * p["T"]) ** -2.0 / _trigamma(2 * p["T"])
        ),
        tail=lambda depth, p: _trigamma(depth + 2 * p["T"]) / _trigamma(2 * p["T"]),
    ),
    Family(
        "Discount",
        "any discount of your own, known by its name from then on",
        "(1/norm) sum_i c_i d_i",
        (
            Parameter("weights", None, "d_1, d_2, ..., or a function of rank", _weights, True),
            Parameter("name", None, "what the measure is called; a function needs one", _name),
            Parameter("total", None, "for a function: the sum of d_i over all ranks", _total),
            Parameter("norm", 1.0, "what the sum is divided by", _number(0, math.inf)),
            *_relevance("binary"),
        ),
        discount=_custom_discount,
        tail=_custom_tail,
    ),
)

_BY_NAME = {name.lower(): row for row in FAMILIES for name in (row.name, *row.aliases)}
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
                known = f"did you mean {hint[0]}?" if hint else f"it has {', '.join(names)}"
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
            return replace(self, cutoff=_whole(1, DEEPEST)(cutoff))
        except MeasureError as error:
            raise MeasureError(f"the cutoff of {self.family.name} {error}") from None

    def __getitem__(self, parameter: str) -> Any:
        """The value of a parameter; None for one that the measure does not have."""
        defaults = {p.name: p.default for p in self.family.parameters}
        return dict(self.settings).get(parameter, defaults.get(parameter))

    @property
    def reach(self) -> int | None:
        """The deepest rank that counts; None when there is no such rank."""
        weights = self["weights"]
        if weights is None or callable(weights):
            return self.cutoff
        return min(len(weights), self.cutoff or len(weights))

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
        if callable(self["weights"]) and (self["name"] is None or self["total"] is None):
            raise MeasureError(
                "Discount: a function of rank needs a name and the sum of its values over all "
                "ranks: Discount(lambda rank: 0.5**rank, name='halving', total=1)"
            )


def _restore(name: str, cutoff: int | None, settings: tuple[tuple[str, Any], ...]) -> Measure:
    return replace(_open(name)(**dict(settings)), cutoff=cutoff)


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
    row = _BY_NAME[name.lower()]
    return Measure(row, row.cutoff)


nDCG, RBP, P, AP = _open("nDCG"), _open("RBP"), _open("P"), _open("AP")  # noqa: N816
DCG, SDCG, INSQ, Discount = _open("DCG"), _open("SDCG"), _open("INSQ"), _open("Discount")

_NOTATION = re.compile(r"\s*([^\W\d_][\w.-]*?)\s*(\(.*\))?\s*(?:[@_](\d+))?\s*", re.DOTALL)


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
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise MeasureError(f"{text!r} is not a measure; write one as nDCG@20 or RBP(p=0.9)")
    name, arguments, cutoff = match.groups()
    found = _NAMED.get(name.lower())
    if found is None and name.lower() in _BY_NAME:
        found = _open(name)
    if found is None:
        raise MeasureError(_unknown(text, name))
    if arguments is not None:
        args, kwargs = _arguments(text, arguments)
        found = found(*args, **kwargs)
    return _complete(found if cutoff is None else found @ int(cutoff))


def _complete(one: Measure) -> Measure:
    if one.family is _BY_NAME["discount"] and one["weights"] is None:
        raise MeasureError("Discount needs its weights: Discount([1, 0.5, 0.25], name='mine')")
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
