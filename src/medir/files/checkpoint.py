"""Values that survive an interruption: a file that fills up while they are computed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EINVAL, EIO, EOPNOTSUPP
from io import FileIO
from os import PathLike
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.files.background import Watcher
from medir.files.locking import open_locked
from medir.files.replacing import cannot_write

OFTEN = 1.0  # seconds between savings
SHARE = 20  # a saving takes at most one part in so many of the time
HEADER = 64  # bytes: what the values are of
BLOCK = 1 << 20  # bytes that are written together

Flags = NDArray[np.uint8]


class Checkpoint:
    """An array of which a file has a copy, with a mark for each part that is finished.

    `values` are written to as they are computed, and then the part is marked in `finished`. Now and
    then all of it is saved; what is marked reaches the disk after the values it stands for. A file
    that was made for another `subject` (what was computed of what) or another shape is begun anew.
    Room on the disk is reserved at once, and the file is locked as long as this is open.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "values"
    >>> with Checkpoint(path, ["squares"], (3,), parts=3) as first:
    ...     first.values[1], first.finished[1] = 1.0, 1
    >>> with Checkpoint(path, ["squares"], (3,), parts=3) as again:
    ...     print(again.finished.tolist(), again.values[1])
    [0, 1, 0] 1.0
    """

    def __init__(
        self, path: str | PathLike[str], subject: Iterable[str], shape: tuple[int, ...], parts: int
    ) -> None:
        about = "\n".join([*subject, repr(shape), repr(parts)])
        header = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest().encode()
        self.path = Path(path)
        self.values: Array = np.zeros(shape)
        self.finished: Flags = np.zeros(parts, np.uint8)
        self._start = HEADER + -(-parts // 8) * 8
        self._last, self._pause = time.monotonic(), OFTEN
        with self._writing():
            self._file = _opened(self.path)
            try:
                self._begin(header)
            except BaseException:
                self._file.close()
                raise

    def _begin(self, header: bytes) -> None:
        """Takes over what a file holds of the same, or begins a file of zeros."""
        size = self._start + self.values.nbytes
        found = self._file.read(HEADER)
        if found.strip(b"0123456789abcdef\0"):
            raise UsageError(f"{str(self.path)!r} is not a checkpoint: choose another file")
        if found == header and os.fstat(self._file.fileno()).st_size == size:
            _read(self._file, HEADER, self.finished)
            _read(self._file, self._start, self.values)
            return
        if found:
            self._file.close()
            self.path.unlink(missing_ok=True)
            self._file = _opened(self.path)
        try:
            _reserve(self._file, size)
        except OSError:
            self.path.unlink(missing_ok=True)
            raise
        _write(self._file, 0, header)  # it is of nothing until its header stands

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise cannot_write(self.path, error) from None

    def save(self) -> None:
        """Brings to the disk what is finished."""
        began = time.monotonic()
        finished = self.finished.copy()
        with self._writing():
            _write(self._file, self._start, self.values)
            os.fsync(self._file.fileno())
            _write(self._file, HEADER, finished)
            os.fsync(self._file.fileno())
        self._last = time.monotonic()
        self._pause = max(OFTEN, SHARE * (self._last - began))

    def save_now_and_then(self) -> None:
        """Saves if the last time is a while ago."""
        if time.monotonic() - self._last >= self._pause:
            self.save()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.save()
        finally:
            self._file.close()


class Memory:
    """What a checkpoint is where nothing is to be kept."""

    def __init__(self, shape: tuple[int, ...], parts: int) -> None:
        self.values: Array = np.zeros(shape)
        self.finished: Flags = np.zeros(parts, np.uint8)

    def save_now_and_then(self) -> None:
        """Does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def keeping(
    path: str | PathLike[str] | None, subject: Iterable[str], shape: tuple[int, ...], parts: int
) -> Checkpoint | Memory:
    """A checkpoint, or without a path the same in memory."""
    return Memory(shape, parts) if path is None else Checkpoint(path, subject, shape, parts)


def saving(kept: Checkpoint | Memory, progress: Watcher | None) -> Watcher:
    """Saves now and then while work goes on, and passes on how far it is."""

    def watch(done: int, total: int) -> None:
        kept.save_now_and_then()
        if progress is not None:
            progress(done, total)

    return watch


def _opened(path: Path) -> FileIO:
    return FileIO(open_locked(path), "r+")


def _reserve(file: FileIO, size: int) -> None:
    """Room for a file: a full disk is noticed now, and not when the work is done."""
    try:
        os.posix_fallocate(file.fileno(), 0, size)
        return
    except AttributeError:
        pass  # not on every platform
    except OSError as error:
        if error.errno not in (EINVAL, EOPNOTSUPP):  # not on every file system
            raise
    zeros = bytes(min(size, BLOCK))
    for place in range(0, size, BLOCK):
        _write(file, place, zeros[: size - place])


def _write(file: FileIO, place: int, data: Any) -> None:
    """Writes all of it: a disk that is nearly full takes a part, and then says so."""
    rest = _bytes(data)
    file.seek(place)
    while rest:
        rest = rest[file.write(rest) :]


def _bytes(data: Any) -> memoryview:
    view = memoryview(data)
    return view.cast("B") if view.nbytes else memoryview(b"")


def _read(file: FileIO, place: int, into: Any) -> None:
    rest = _bytes(into)
    file.seek(place)
    while rest:
        count = file.readinto(rest)
        if not count:
            raise OSError(EIO, "it is shorter than it was")
        rest = rest[count:]
