"""Parameters of measures: their defaults, what they may be, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from medir.base.words import quoted
from medir.errors import MeasureError

DEFAULT_CUTOFF = 20
SMALLEST, LARGEST = 1e-6, 1e9  # of seconds, characters and gains: no sum of them overflows
TINY, HUGE = 1e-120, 1e120  # of what is squared, or divided by

# What other programs call parameters, and how to write them here.
ELSEWHERE = {
    "dcg": "ir_measures' dcg='log2' is gains='linear', ideal='judged' here, and dcg='exp-log2' is "
    "gains='exp', ideal='judged'",
    "cutoff": "write a cutoff behind the measure, as in nDCG@20",
    "judged_only": "remove results without a judgment from the run instead",
    "min_rel": "the lowest grade that counts as relevant is called rel",
    "max_rel": "the highest grade is called max_grade",
}


class Parameter(NamedTuple):
    """One parameter of a measure: its default, what it may be, and what it means."""

    name: str
    default: Any
    meaning: str
    check: Callable[[Any], Any]
    shown: bool = False  # stands in the name of the measure even at its default
    kept: bool = False  # stands there once it is stated, even at its default


def one_of(*choices: str) -> Callable[[Any], Any]:
    """The check of a word."""

    def check(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise MeasureError(f"is one of {', '.join(map(repr, choices))}, not {quoted(value)}")
        return value

    return check


def number(low: float, high: float) -> Callable[[Any], Any]:
    """The check of a number between two others, these excluded."""

    def check(value: Any) -> Any:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not low < value < high:
            bounds = f"above {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
            raise MeasureError(f"is a number {bounds}, not {quoted(value)}")
        try:
            return float(value)
        except OverflowError:
            raise MeasureError("is too large a number") from None

    return check


moderate = number(TINY, HUGE)


def whole(low: int, high: int, optional: bool = False) -> Callable[[Any], Any]:
    """The check of a whole number."""

    def check(value: Any) -> Any:
        if value is None and optional:
            return None
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or not low <= value <= high:
            raise MeasureError(f"is a whole number from {low} to {high}, not {quoted(value)}")
        return int(value)

    return check


def decay_check(value: Any) -> Any:
    """The rho of a cascade."""
    if value == 1:
        return 1.0
    try:
        return number(0, 1)(value)
    except MeasureError:
        raise MeasureError(
            f"is a number above 0 and at most 1, not {quoted(value)}; use Discount for no decay"
        ) from None


def seconds_check(zero: bool = False) -> Callable[[Any], Any]:
    """The check of a time in seconds; whole ones stay whole, so that they print as such."""

    def check(value: Any) -> Any:
        if zero and value == 0 and not isinstance(value, bool):
            return 0
        seconds = number(SMALLEST, LARGEST)(value)
        return int(seconds) if seconds.is_integer() else seconds

    return check


def probability_check(value: Any) -> Any:
    """A probability, 0 and 1 included."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise MeasureError(f"is a probability from 0 to 1, not {quoted(value)}")
    return float(value)


def _are_counts(value: Any) -> bool:
    """Whether a value is pairs of a grade and a number."""
    return isinstance(value, tuple) and all(
        isinstance(one, tuple) and len(one) == 2 for one in value
    )


def ideal_check(value: Any) -> Any:
    """Knowledge of the collection: a word, a number of documents, or counts per grade."""
    if isinstance(value, str) and value in ("unbounded", "judged"):
        return value
    if isinstance(value, Mapping):
        value = tuple(value.items())
    if _are_counts(value):
        grade, count = whole(1, 1000), whole(0, 10**9)
        counts = tuple(sorted(((grade(g), count(n)) for g, n in value), reverse=True))
        if not any(n for _, n in counts):
            raise MeasureError(f"names at least one relevant document, not {quoted(dict(counts))}")
        return counts
    try:
        return whole(1, 10**9)(value)
    except MeasureError:
        raise MeasureError(
            "is 'unbounded', 'judged', a number of relevant documents, or counts per grade such as "
            f"{{2: 1, 1: 12}}, not {quoted(value)}"
        ) from None


def ideal_number_check(value: Any) -> Any:
    """For measures of binary relevance: a word or a number of relevant documents."""
    if isinstance(value, Mapping | tuple):
        raise MeasureError(
            f"is 'unbounded', 'judged' or a number of relevant documents, not {quoted(value)}"
        )
    return ideal_check(value)
