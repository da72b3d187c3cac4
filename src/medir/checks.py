"""Checks of arguments that every room shares."""

from __future__ import annotations

from numbers import Integral
from typing import Any, get_args

from medir.errors import UsageError


def check_choice(value: str, choices: object, name: str) -> None:
    """Raises an error unless a value is one of the choices of a Literal."""
    allowed: tuple[str, ...] = get_args(choices)
    if value not in allowed:
        raise UsageError(f"{name} is one of {', '.join(allowed)}, not {value!r}")


def check_whole(value: Any, name: str, least: int = 1) -> None:
    """Raises an error unless a value is a whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} is {least} or more, not {value!r}")
