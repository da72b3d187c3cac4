"""A folder for what does not fit into memory, which goes away whatever happens."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EDQUOT, ENOSPC
from pathlib import Path

from medir.errors import UsageError
from medir.files.background import Background

REMEDY = "set TMPDIR to a folder on a disk with room for twice the inputs"


@contextmanager
def workspace() -> Iterator[Path]:
    """A new folder among the temporary ones, under a name that nobody can guess.

    It is removed with all that is in it: at the end, after an error, and when a signal stops the
    process, of which `medir` makes an interrupt.
    """
    from shutil import rmtree

    # An interruption may come as soon as the folder is there: its name is known before.
    folder = _temporary_folder() / f"medir-{os.urandom(8).hex()}.tmp"
    try:
        with room_for(folder):
            folder.mkdir(mode=0o700)
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)


def _temporary_folder() -> Path:
    """Where temporary files go, which Python finds out by writing one.

    It does so beside this thread: an interrupt here could come before that file is removed.
    """
    from tempfile import gettempdir

    tried = Background(gettempdir)
    try:
        return Path(tried.result())
    finally:
        tried.wait()


@contextmanager
def room_for(path: Path) -> Iterator[None]:
    """Within this a temporary file is written; where that fails, the error says what to do."""
    try:
        yield
    except OSError as error:
        raise cannot_put_aside(path, error) from None


def cannot_put_aside(path: Path, error: OSError) -> UsageError:
    """The error of a temporary file that could not be written."""
    reason = error.strerror or str(error)
    remedy = f"; {REMEDY}" if error.errno in (ENOSPC, EDQUOT, None) else ""
    return UsageError(
        f"cannot write to the temporary folder {str(path.parent)!r}: {reason}{remedy}"
    )
