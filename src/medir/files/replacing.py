"""Files and folders that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from medir.errors import UsageError

PERMISSIONS = 0o777
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):  # not on every platform
    NEW |= getattr(os, _name, 0)
DESCRIPTOR = r"/(?:dev|proc/self)/fd/(\d+)"
STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of a target if all goes well, and goes away if not.

    It is beside the target, under a name that nobody can guess, and has the mode of the target or,
    where there is none, the usual one. A link stays a link. A device, a pipe or a stream that is
    open already (`/dev/stdout`) is written to as it is. The data are left to the system to bring to
    the disk: what is killed leaves no half of a file, but a power cut may take the latest one.
    """
    temporary = None
    try:
        if (descriptor := open_stream(path)) is not None:
            sys.stdout.flush()
            with os.fdopen(os.dup(descriptor), "wb") as stream:
                yield stream
            return
        target = path.resolve()
        status = target.stat() if target.exists() else None
        if status is not None and not stat.S_ISREG(status.st_mode):
            with target.open("wb") as device:  # of a folder, this is the error
                yield device
            return
        # An interruption may come as soon as the file is there: its name is known before.
        temporary = target.with_name(f".medir-{os.urandom(8).hex()}.tmp")
        with _created(temporary, status) as file:
            yield file
        temporary.replace(target)
    except OSError as error:
        if isinstance(error, FileExistsError):  # somebody else's
            temporary = None
        raise cannot_write(path, error) from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # such as that it is not there
                temporary.unlink()


@contextlib.contextmanager
def replacing_folder(path: Path, check: Callable[[Path], None]) -> Iterator[Path]:
    """A new folder that takes the place of a target if all goes well, and goes away if not.

    It is beside the target, under a name that nobody can guess. `check` raises an error where the
    folder that is there must not go.
    """
    from shutil import rmtree

    target = path.resolve()
    # An interruption may come as soon as a folder is there: its name is known before.
    new, old = (target.with_name(f".medir-{os.urandom(8).hex()}.tmp") for _ in range(2))
    try:
        check(target)
        new.mkdir()
        yield new
        check(target)
        if target.exists():
            target.rename(old)
        try:
            new.rename(target)
        except BaseException:
            if old.exists() and not target.exists():
                old.rename(target)
            raise
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        rmtree(new, ignore_errors=True)
        rmtree(old, ignore_errors=True)


def cannot_write(path: str | os.PathLike[str], error: OSError) -> UsageError:
    """The error of a file that could not be written."""
    return UsageError(f"cannot write {str(path)!r}: {error.strerror or error}")


def open_stream(path: Path) -> int | None:
    """The number of the open stream that a path names."""
    name = str(path)
    numbered = re.fullmatch(DESCRIPTOR, name)
    return int(numbered[1]) if numbered else STREAMS.get(name)


@contextlib.contextmanager
def _created(path: Path, like: os.stat_result | None) -> Iterator[BinaryIO]:
    """A file that was not there before, with the owner and the mode of another one."""
    mode = 0o666 if like is None else stat.S_IMODE(like.st_mode) & PERMISSIONS
    file = os.fdopen(os.open(path, NEW, mode), "wb")
    try:
        if like is not None and hasattr(os, "fchmod"):
            with contextlib.suppress(PermissionError):
                os.fchown(file.fileno(), like.st_uid, like.st_gid)
            os.fchmod(file.fileno(), mode)
        yield file
        file.close()  # writes what is left, which may fail
    finally:
        with contextlib.suppress(OSError):
            file.close()
