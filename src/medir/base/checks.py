"""Checks of arguments that every room shares."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from medir.errors import UsageError


def check_choice(value: Any, choices: Sequence[str], name: str) -> None:
    """Raises an error unless a value is one of the choices."""
    if value not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_whole(value: Any, name: str, least: int = 1) -> None:
    """Raises an error unless a value is a whole number, not below the least."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise UsageError(f"{name} must be {least} or more, not {value!r}")
