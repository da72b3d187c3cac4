"""Where the bytes of an input came from, so that they can be hashed if someone asks for it.

Hashing takes longer than comparing: a file is read again for it, and only what cannot be read
twice and is not kept, a compressed stream, is hashed as it comes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from os import fstat, stat_result
from pathlib import Path
from stat import S_ISREG
from typing import BinaryIO, NamedTuple, Protocol

from medir.base.notices import tell
from medir.base.words import count
from medir.errors import InputError
from medir.files.background import Background
from medir.files.identifiers import shown

WAIT = "Wait until the file is complete, then run this again; or read a copy of it."
MOST_ANNOUNCED = 10  # inputs whose format is told one by one


class Fingerprint(NamedTuple):
    """What tells the bytes of an input from others: of the file as it is, unpacked or not."""

    sha256: str
    bytes: int


class Origin(Protocol):
    """Where the bytes of an input came from."""

    def fingerprint(self) -> Fingerprint:
        """The hash and the number of these bytes."""

    def paths(self) -> Iterable[Path]:
        """The files that hold them; none for what came through a pipe."""


class Input(Protocol):
    """Something that was read: from somewhere, or from data in memory, which has no origin."""

    @property
    def name(self) -> str:
        """The path as it was given, or what the data is called."""

    @property
    def origin(self) -> Origin | None:
        """Where its bytes came from."""

    @property
    def format(self) -> str | None:
        """How it was read, in a few words; None for what has one format only."""


def name_and_format(one: Input) -> str:
    """What an input is called, and how it was read where that is not plain."""
    return shown(one.name) if one.format is None else f"{shown(one.name)}, read as {one.format}"


def announce(inputs: Iterable[Input | None]) -> None:
    """Tells how inputs were read; of many only the first, and how many more there are."""
    told = [one for one in inputs if one is not None and one.format is not None]
    for one in told[:MOST_ANNOUNCED]:
        tell(f"{shown(one.name)}: read as {one.format}")
    if more := told[MOST_ANNOUNCED:]:
        kinds = dict.fromkeys((one.format or "").partition(":")[0] for one in more)
        tell(f"{count(len(more), 'more file')}: read as {', '.join(kinds)}")


class FileOrigin(NamedTuple):
    """A file that can be read again, as long as nobody writes to it."""

    path: Path
    stamp: tuple[int, int]

    @classmethod
    def of(cls, path: str, file: BinaryIO) -> FileOrigin:
        """The origin of an open file."""
        return cls(Path(path).absolute(), _stamp(fstat(file.fileno())))

    def paths(self) -> Iterable[Path]:
        """The file."""
        return (self.path,)

    def check(self, file: BinaryIO, name: str) -> None:
        """Raises an error where the open file has changed since; a pipe has nothing to change."""
        if file.closed:
            return
        status = fstat(file.fileno())
        if S_ISREG(status.st_mode) and _stamp(status) != self.stamp:
            raise InputError(
                "changed while it was being read",
                name,
                remedy=WAIT,
            )

    def fingerprint(self) -> Fingerprint:
        """The hash of the file, which must be the one that was read."""
        from hashlib import file_digest

        try:
            with self.path.open("rb") as file:
                digest = file_digest(file, "sha256").hexdigest()
                stamp = _stamp(fstat(file.fileno()))
        except OSError as error:
            problem = f"cannot be read again for its SHA-256: {error.strerror}"
            raise InputError(problem, self.path) from None
        if stamp != self.stamp:
            problem = "was changed after it had been read, so its SHA-256 would be of other data"
            raise InputError(problem, self.path, remedy="Compare again.")
        return Fingerprint(digest, stamp[0])


class FilesOrigin(NamedTuple):
    """Several files that are read as one."""

    parts: tuple[Origin, ...]

    @classmethod
    def of(cls, paths: Iterable[Path]) -> FilesOrigin:
        """The origin of files, in their order."""
        return cls(tuple(FileOrigin(path.absolute(), _stamp(path.stat())) for path in paths))

    def paths(self) -> Iterable[Path]:
        """The files."""
        return chain.from_iterable(part.paths() for part in self.parts)

    def fingerprint(self) -> Fingerprint:
        """The hash of the hashes of all files, one per line, and the number of their bytes."""
        from hashlib import sha256

        found = [part.fingerprint() for part in self.parts]
        lines = "".join(f"{one.sha256}\n" for one in found)
        return Fingerprint(sha256(lines.encode()).hexdigest(), sum(one.bytes for one in found))


class BytesOrigin(NamedTuple):
    """Bytes that came through a pipe and are kept."""

    content: bytes

    def __repr__(self) -> str:
        """Without the bytes, of which there may be many."""
        return "BytesOrigin()"

    def paths(self) -> Iterable[Path]:
        """None."""
        return ()

    def fingerprint(self) -> Fingerprint:
        """The hash of the bytes."""
        from hashlib import sha256

        return Fingerprint(sha256(self.content).hexdigest(), len(self.content))


class HashedStream:
    """A stream that can be read once, hashed as it is read. It is its own origin."""

    def __init__(self, file: BinaryIO, start: bytes) -> None:
        """`start` has been read already."""
        from hashlib import sha256

        self._file, self._digest, self._size = file, sha256(start), len(start)

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size` of them."""
        block = self._file.read(size)
        self._digest.update(block)
        self._size += len(block)
        return block

    def paths(self) -> Iterable[Path]:
        """None."""
        return ()

    def fingerprint(self) -> Fingerprint:
        """The hash of what was read."""
        return Fingerprint(self._digest.hexdigest(), self._size)


def fingerprints(inputs: Iterable[Input]) -> list[Fingerprint | None]:
    """The fingerprints of inputs, of all at the same time; None for data in memory."""
    origins = [one.origin for one in inputs]
    running = [None if one is None else Background(one.fingerprint) for one in origins]
    return [None if one is None else one.result() for one in running]


def _stamp(status: stat_result) -> tuple[int, int]:
    """What changes when a file is written to: its size and its time."""
    return status.st_size, status.st_mtime_ns
