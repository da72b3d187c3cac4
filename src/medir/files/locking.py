"""Files that one process at a time may work on: a lock ends with its process, in any case."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EAGAIN, EDEADLK, ELOOP
from pathlib import Path

from medir.errors import UsageError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

OPENED = os.O_RDWR | os.O_CREAT
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):  # not on every platform
    OPENED |= getattr(os, _name, 0)
BUSY = (EACCES, EAGAIN, EDEADLK)
BEYOND = 1 << 62  # a byte that no file has; locked where whole files cannot be


class InUseError(UsageError):
    """A file that another process, or another call in this one, is working on."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"{str(path)!r} is in use: the same is running already. Wait until it has ended, or "
            "write to another place"
        )


def open_locked(path: Path) -> int:
    """A file that is made if it is not there, open and locked until it is closed.

    A symbolic link is an error: who could put one there would choose what is overwritten.
    """
    while True:
        try:
            descriptor = os.open(path, OPENED, 0o666)
        except OSError as error:
            if error.errno == ELOOP:
                error.strerror = "it is a symbolic link"
            raise
        try:
            _lock(descriptor, path)
            if _is_still(path, descriptor):  # and not one that was removed meanwhile
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a lock, which is a file of this name as long as it is held."""
    descriptor = open_locked(path)
    try:
        yield
    finally:
        with suppress(OSError):  # Windows does not remove what is open
            path.unlink(missing_ok=True)
        os.close(descriptor)
        if os.name == "nt":
            with suppress(OSError):
                path.unlink(missing_ok=True)


def _is_still(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _lock(descriptor: int, path: Path) -> None:
    """Locks a file, where the file system knows of locks."""
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, BEYOND, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
            os.lseek(descriptor, 0, os.SEEK_SET)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in BUSY:
            raise InUseError(path) from None
