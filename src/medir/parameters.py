"""Parameters of measures: their defaults, what they may be, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.errors import MeasureError

DEFAULT_CUTOFF = 20


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure: its default, what it may be, and what it means."""

    name: str
    default: Any
    meaning: str
    check: Callable[[Any], Any]
    shown: bool = False  # stands in the name of the measure even at its default


def one_of(*choices: str) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        if value not in choices:
            raise MeasureError(f"is one of {', '.join(map(repr, choices))}, not {value!r}")
        return value

    return check


def number(low: float, high: float) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not is_number or not low < value < high:
            bounds = f"above {low:g}" if high == math.inf else f"between {low:g} and {high:g}"
            raise MeasureError(f"is a number {bounds}, not {value!r}")
        try:
            return float(value)
        except OverflowError:
            raise MeasureError("is too large a number") from None

    return check


def whole(low: int, high: int, optional: bool = False) -> Callable[[Any], Any]:
    """The check of a whole number."""

    def check(value: Any) -> Any:
        if value is None and optional:
            return None
        is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not is_whole or not low <= value <= high:
            raise MeasureError(f"is a whole number from {low} to {high}, not {value!r}")
        return int(value)

    return check
