"""Checks of arguments that every room shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

from medir.base.words import quoted
from medir.errors import UsageError

HIGHEST_GRADE = 1000
MOST = 10**12  # of anything that is counted
LARGEST_AMOUNT = 1e12  # of words and weights: no sum of them overflows
MOST_SECONDS = 1e9
LARGEST_SEED = 2**64 - 1
FEWEST_SAMPLES = 100  # so that the interval of every quantile lies between two of them
MOST_SAMPLES = 10_000_000


def check_choice(value: Any, choices: Sequence[str], name: str) -> None:
    """Raises an error unless a value is one of the choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {quoted(value)}")


def check_whole(value: Any, name: str, least: int = 1, most: int = MOST) -> None:
    """Raises an error unless a value is a whole number between these, both included."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and least <= value <= most:
        return
    if whole and value > most:
        raise UsageError(f"{name} must be {most} or less, not {quoted(value)}")
    if not whole and least < 0:
        raise UsageError(f"{name} must be a whole number, not {quoted(value)}")
    raise UsageError(f"{name} must be {least} or more, not {quoted(value)}")


def check_columns(value: Any) -> None:
    """Raises an error unless a value says which columns hold what, or nothing."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"columns must be a mapping like {{'query_id': 'q'}}, not {quoted(value)}")


def level_of(value: Any) -> float | str:
    """A value that is judged as a number, or as a text where it is none."""
    if not isinstance(value, str):
        return float(value)
    try:
        number = float(value)
    except ValueError:
        return value.strip()
    return number if math.isfinite(number) and "_" not in value else value.strip()


def check_grades(grades: Any) -> None:
    """Raises an error unless levels say which grade each value stands for, or there are none."""
    if grades is None:
        return
    such = "such as {0: 0, 0.5: 1, 1: 2}"
    if not isinstance(grades, Mapping) or not grades:
        raise UsageError(
            f"grades must say which grade each value stands for, {such}, not {quoted(grades)}"
        )
    levels: dict[float | str, Any] = {}
    for value, grade in grades.items():
        whole = isinstance(grade, Integral) and not isinstance(grade, bool)
        if not isinstance(value, str | Real) or not (whole and 0 <= grade <= HIGHEST_GRADE):
            raise UsageError(
                f"grades must map numbers or texts to whole grades from 0 to {HIGHEST_GRADE}, "
                f"{such}; {quoted(value)}: {quoted(grade)} does not"
            )
        if levels.setdefault(level_of(value), grade) != grade:
            raise UsageError(f"grades has two grades for the value {quoted(value)}")


def check_seconds(value: Any, name: str) -> None:
    """Raises an error unless a value is a time that goes by, or none."""
    if value is None:
        return
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not 0 < value <= MOST_SECONDS:
        most = f"{MOST_SECONDS:.0e}"
        raise UsageError(f"{name} must be seconds above 0 and up to {most}, not {quoted(value)}")


def check_path(value: Any, name: str) -> None:
    """Raises an error unless a value is a path, or none."""
    if value is not None and not isinstance(value, str | PathLike):
        raise UsageError(f"{name} must be a path, not {quoted(value)}")
