"""Files that are written whole or not at all, and their formats."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from medir.errors import MissingExtraError, UsageError
from medir.files.replacing import replacing

FORMATS = ("csv", "tsv", "jsonl", "parquet")


def check_format(name: str) -> None:
    """Raises an error where a format needs a library that is not installed."""
    if name == "parquet" and find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "tables", "writing Parquet")


def format_of(path: str | PathLike[str]) -> str:
    """The format that a file's suffix names."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    if suffix not in FORMATS:
        raise UsageError(
            f"cannot tell a format from {str(path)!r}; end the name in "
            f"{', '.join('.' + name for name in FORMATS)}, or state the format"
        )
    return suffix


def write_rows(
    path: str | PathLike[str],
    format: str | None,
    write_text: Callable[[BinaryIO, str], None],
    write_parquet: Callable[[Path], None],
) -> None:
    """Writes a file in a format, or in the one that its suffix names."""
    target = Path(path)
    chosen = format or format_of(target)
    if chosen not in FORMATS:
        raise UsageError(f"a format is one of {', '.join(FORMATS)}, not {chosen!r}")
    check_format(chosen)
    with replacing(target) as temporary:
        if chosen == "parquet":
            write_parquet(temporary)
        else:
            with temporary.open("wb") as file:
                write_text(file, chosen)
