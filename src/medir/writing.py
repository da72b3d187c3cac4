"""Files that are written whole or not at all, and their formats."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from medir.errors import MissingExtraError, UsageError

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


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary file that takes the place of a target if all goes well.

    A link stays a link; a device or a pipe is written to as it is.
    """
    temporary = None
    try:
        target = path.resolve()
        if target.exists() and not target.is_file() and not target.is_dir():
            yield target
            return
        beside = target.with_name(f".{target.name}.{os.getpid()}.tmp")
        beside.touch()
        temporary = beside
        yield temporary
        temporary.replace(target)
        temporary = None
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)
