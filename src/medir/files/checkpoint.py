"""Values that survive an interruption: a file that fills up while they are computed."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from os import PathLike, ftruncate
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.errors import UsageError

OFTEN = 1.0  # seconds between savings
HEADER = 64  # bytes: what the values are of

Flags = NDArray[np.uint8]


class Checkpoint:
    """An array on disk, with a mark for each part that is finished.

    `values` are written to as they are computed, and then the part is marked in `finished`. What is
    marked reaches the disk after the values it stands for. A file that was made for another
    `subject` (what was computed of what) or another shape is begun anew.

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
        start = HEADER + -(-parts // 8) * 8
        size = start + 8 * int(np.prod(shape))
        self.path = Path(path)
        try:
            if not self._is_of(header, size):
                _begin(self.path, header, size)
            self._map = np.memmap(self.path, dtype=np.uint8, mode="r+", shape=(size,))
        except OSError as error:
            raise UsageError(f"cannot write {str(path)!r}: {error.strerror}") from None
        self._saved: Flags = np.asarray(self._map[HEADER : HEADER + parts])
        self.values: Array = np.asarray(self._map[start:]).view(np.float64).reshape(shape)
        self.finished: Flags = self._saved.copy()
        self._last = time.monotonic()

    def _is_of(self, header: bytes, size: int) -> bool:
        if not self.path.exists():
            return False
        with self.path.open("rb") as file:
            found = file.read(HEADER)
        if found.strip(b"0123456789abcdef\0"):
            raise UsageError(f"{str(self.path)!r} is not a checkpoint: choose another file")
        return found == header and self.path.stat().st_size == size

    def save(self) -> None:
        """Brings to the disk what is finished."""
        finished = self.finished.copy()
        self._map.flush()
        self._saved[:] = finished
        self._map.flush()
        self._last = time.monotonic()

    def save_now_and_then(self) -> None:
        """Saves if the last time is a while ago."""
        if time.monotonic() - self._last >= OFTEN:
            self.save()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.save()


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


def _begin(path: Path, header: bytes, size: int) -> None:
    """A file of zeros; it is of nothing until its header stands."""
    path.unlink(missing_ok=True)
    with path.open("xb") as file:
        ftruncate(file.fileno(), size)
        file.write(header)
