"""Large runs, read before anybody asks for them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from os import PathLike

from medir import _core

LARGE = 16 << 20  # bytes of a file that it takes longer to read than a thread to start


def read_ahead(paths: Iterable[str | PathLike[str]], compared: bool = False) -> None:
    """Has those of the files that are large read by a thread beside this one.

    Where the first two will be `compared`, they are read together, and where documents stand in
    both lists of a query is found on the way.
    """
    if files := [os.fsencode(path) for path in paths if is_large(path)]:
        _core.read_ahead(files, compared)


def forget_ahead() -> None:
    """Nobody will ask for what was read."""
    _core.forget_ahead()


def is_large(path: str | PathLike[str]) -> bool:
    """Whether a path names a large file."""
    try:
        facts = os.stat(path)  # noqa: PTH116  # pathlib is not loaded yet
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(facts.st_mode) and facts.st_size >= LARGE
