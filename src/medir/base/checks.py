"""Checks of arguments that every room shares."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from os import PathLike
from typing import Any

from medir.errors import UsageError

HIGHEST_GRADE = 1000


def check_choice(value: Any, choices: Sequence[str], name: str) -> None:
    """Raises an error unless a value is one of the choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_whole(value: Any, name: str, least: int | None = 1) -> None:
    """Raises an error unless a value is a whole number, not below the least."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if least is None and not whole:
        raise UsageError(f"{name} must be a whole number, not {value!r}")
    if least is not None and (not whole or value < least):
        raise UsageError(f"{name} must be {least} or more, not {value!r}")


def check_columns(value: Any) -> None:
    """Raises an error unless a value says which columns hold what, or nothing."""
    if value is not None and not isinstance(value, Mapping):
        raise UsageError(f"columns must be a mapping like {{'query_id': 'q'}}, not {value!r}")


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
        raise UsageError(f"grades must say which grade each value stands for, {such}, not {grades}")
    levels: dict[float | str, Any] = {}
    for value, grade in grades.items():
        whole = isinstance(grade, Integral) and not isinstance(grade, bool)
        if not isinstance(value, str | Real) or not (whole and 0 <= grade <= HIGHEST_GRADE):
            raise UsageError(
                f"grades must map numbers or texts to whole grades from 0 to {HIGHEST_GRADE}, "
                f"{such}; {value!r}: {grade!r} does not"
            )
        if levels.setdefault(level_of(value), grade) != grade:
            raise UsageError(f"grades has two grades for the value {value!r}")


def check_path(value: Any, name: str) -> None:
    """Raises an error unless a value is a path, or none."""
    if value is not None and not isinstance(value, str | PathLike):
        raise UsageError(f"{name} must be a path, not {value!r}")
