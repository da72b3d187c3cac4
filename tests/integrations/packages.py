"""Packages that the tests of integrations need; `make integrations` has all of them."""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any

import pytest

LEFT_OUT = "needs {}: make integrations"


def needed(module: str, package: str | None = None) -> Any:
    """A module of another package. Where it is missing, the tests are skipped and say so.

    Where MEDIR_INTEGRATIONS is set, nothing may be missing.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what others deprecate while they are imported
        try:
            return importlib.import_module(module)
        except ImportError:
            if os.environ.get("MEDIR_INTEGRATIONS"):
                raise
    pytest.skip(LEFT_OUT.format(package or module.partition(".")[0]), allow_module_level=True)


def left_out(reasons: list[str]) -> list[str]:
    """The packages that skipped tests name, each once.

    >>> left_out(["Skipped: needs ranx: make integrations", "Skipped: needs real data"])
    ['ranx']
    """
    start, end = LEFT_OUT.split("{}")
    found = {
        reason.partition(start)[2].removesuffix(end) for reason in reasons if reason.endswith(end)
    }
    return sorted(found)
