"""Checks of arguments that every room shares."""

from __future__ import annotations

from functools import cache
from numbers import Integral
from typing import Any, get_args

from medir.errors import UsageError


def check_choice(value: str, choices: object, name: str) -> None:
    """Raises an error unless a value is one of the choices of a Literal."""
    allowed = choices_of(choices)
    if value not in allowed:
        raise UsageError(f"{name} is one of {', '.join(allowed)}, not {value!r}")


@cache
def choices_of(literal: object) -> tuple[str, ...]:
    """The values of a Literal."""
    return get_args(literal)


def check_whole(value: Any, name: str, least: int = 1) -> None:
    """Raises an error unless a value is a whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} is {least} or more, not {value!r}")
