"""Bytes of an input, whatever holds them: a plain file, a compressed one, a pipe.

Compression is recognised by content, not by name. A file is read whole (`content_of`, `read_bytes`,
`plain_bytes`) or as it comes (`opened`). A file that changes while it is read is an error.
"""

from __future__ import annotations

import io
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from os import fstat, urandom
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

from medir.errors import InputError, MedirError, UsageError
from medir.files.origins import BytesOrigin, FileOrigin, HashedStream, Origin
from medir.files.unpacking import Unpacker, bzip2, gzip, xz, zstd

STDIN = "-"
STDIN_NAME = "standard input"
GIVE_STDIN = "Give a file, or what should be read: medir ... - < FILE."
BLOCK = 1 << 20  # bytes that are unpacked at a time


class Content(NamedTuple):
    """What an input holds."""

    name: str
    data: bytes | None  # unpacked; None for a plain file, which is better mapped
    origin: Origin


class Readable(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """The next bytes."""


class Archive(NamedTuple):
    """A kind of compressed file: how it begins, how its name ends, and what unpacks it."""

    name: str
    magic: bytes
    rest: bytes  # a pattern of what follows
    suffix: str
    unpacker: Callable[[], Unpacker]

    def begins(self, start: bytes) -> bool:
        """Whether a file that starts so is of this kind."""
        follows = start[len(self.magic) :]
        return start.startswith(self.magic) and re.match(self.rest, follows) is not None


# No text begins so: 1f and 00 are control characters, b5 begins no character of UTF-8, and the
# header of bzip2 (whose first letters may begin an id) goes on with six bytes, of a block or of the
# end of the stream, or the file ends among them.
ARCHIVES = (
    Archive("gzip", b"\x1f\x8b\x08", b"", ".gz", gzip),
    Archive("bzip2", b"BZh", rb"[1-9](?:1AY&SY|\x17rE8P\x90|1?A?Y?&?S?\Z)", ".bz2", bzip2),
    Archive("xz", b"\xfd7zXZ\x00", b"", ".xz", xz),
    Archive("zstd", b"\x28\xb5\x2f\xfd", b"", ".zst", zstd),
)
_LONGEST_MAGIC = 10


def unpacked_name(name: str) -> str:
    """The name of a file without the ending of an archive.

    >>> unpacked_name("bm25.run.gz"), unpacked_name("bm25.run")
    ('bm25.run', 'bm25.run')
    """
    ends = (archive.suffix for archive in ARCHIVES if name.endswith(archive.suffix))
    return name.removesuffix(next(ends, ""))


def is_stdin(source: object) -> bool:
    """Whether a source names standard input."""
    return isinstance(source, str) and source == STDIN


def is_folder(path: str) -> bool:
    """Whether a path names a folder; one that cannot be looked at is not one."""
    try:
        return not is_stdin(path) and Path(path).is_dir()
    except OSError:
        return False


def check_one_stdin(*sources: object) -> None:
    """Raises an error where more than one source is standard input."""
    if sum(map(is_stdin, sources)) > 1:
        raise UsageError("only one of the files can come from standard input")


def content_of(path: str) -> Content:
    """An input with its bytes; without them for a plain file, which is better mapped."""
    if is_stdin(path):
        return _stdin()
    with opened_plain(path) as file:
        if not stat.S_ISREG(fstat(file.fileno()).st_mode):
            return _stream(file, path)
        origin = FileOrigin.of(path, file)
        start, archive = _start_of(file)
        return Content(
            path, None if archive is None else _whole(file, start, archive, path), origin
        )


def read_bytes(path: str) -> tuple[str, bytes]:
    """The name of an input and all of its bytes, unpacked."""
    name, data, _ = content_of(path)
    return name, plain_bytes(path) if data is None else data


def plain_bytes(path: str, size: int = -1) -> bytes:
    """The bytes of a file as they are: all of them, or the first."""
    with opened_plain(path) as file:
        try:
            return file.read(size)
        except MemoryError:
            raise InputError("there is not enough memory to read it", path) from None


def _stdin() -> Content:
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("is closed", STDIN_NAME, remedy=GIVE_STDIN)
    try:
        return _stream(sys.stdin.buffer, STDIN_NAME)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", STDIN_NAME) from None


def _stream(file: BinaryIO, name: str) -> Content:
    """What can be read once only."""
    start, archive = _start_of(file)
    if archive is None:
        data = _whole(file, start, archive, name)
        return Content(name, data, BytesOrigin(data))
    hashed = HashedStream(file, start)
    return Content(name, _whole(hashed, start, archive, name), hashed)


def as_plain_file(path: str, folder: Path) -> tuple[str, str, Origin]:
    """A plain file with what an input holds, what the input is called, and its origin.

    Standard input, a pipe and an archive are copied to a folder, a block at a time.
    """
    if is_stdin(path):
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("is closed", STDIN_NAME, remedy=GIVE_STDIN)
        return _copied(sys.stdin.buffer, STDIN_NAME, folder)
    with opened_plain(path) as file:
        if not stat.S_ISREG(fstat(file.fileno()).st_mode):
            return _copied(file, path, folder)
        origin = FileOrigin.of(path, file)
        if _start_of(file)[1] is None:
            return path, path, origin
        file.seek(0)
        copy, name, _ = _copied(file, path, folder)
        return copy, name, origin


def _copied(file: BinaryIO, name: str, folder: Path) -> tuple[str, str, Origin]:
    from medir.files.workspace import room_for

    start, archive = _start_of(file)
    hashed = HashedStream(file, start)
    copy = folder / f"input-{urandom(8).hex()}"
    with room_for(copy), copy.open("xb") as target:
        pieces = _pieces(hashed, start, archive, name)
        while (piece := _next(pieces, name)) is not None:
            target.write(piece)
    return str(copy), name, hashed


def _next(pieces: Iterator[bytes], name: str) -> bytes | None:
    """The next piece; what is wrong with the input is not the copy's fault."""
    try:
        return next(pieces, None)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", name) from None


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file, unpacked as it is read; what is wrong with it is an InputError."""
    with opened_plain(path) as file:
        start, archive = _start_of(file)
        if archive is None and file.seekable():
            file.seek(0)
            yield file
        else:
            yield io.BufferedReader(_Joined(_pieces(file, start, archive, path)))


@contextmanager
def opened_plain(path: str) -> Iterator[BinaryIO]:
    """A file as it is, with one set of errors for what can be wrong with it.

    One that changes before it is closed is among them: what was read does not count.
    """
    try:
        with Path(path).open("rb") as file:
            before = FileOrigin.of(path, file)
            try:
                yield file
            except MedirError:
                before.check(file, path)
                raise
            before.check(file, path)
    except FileNotFoundError:
        raise InputError("there is no such file", path) from None
    except IsADirectoryError:
        raise InputError("is a directory", path, remedy="Give the file itself.") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None


def _start_of(file: BinaryIO) -> tuple[bytes, Archive | None]:
    """The first bytes of a file, and which archive they tell."""
    start = file.read(_LONGEST_MAGIC)
    return start, next((one for one in ARCHIVES if one.begins(start)), None)


def _whole(file: Readable, start: bytes, archive: Archive | None, name: str) -> bytes:
    try:
        content = io.BytesIO()
        for piece in _pieces(file, start, archive, name):
            content.write(piece)
        return content.getvalue()
    except MemoryError:
        what = "read" if archive is None else "unpack"
        raise InputError(
            f"there is not enough memory to {what} it",
            name,
            remedy="Unpack it to a file and give that: a plain file is not held in memory."
            if archive is not None
            else "Write it to a file and give that: a plain file is not held in memory.",
        ) from None


def _pieces(file: Readable, start: bytes, archive: Archive | None, name: str) -> Iterator[bytes]:
    """The content of a file whose start was read, piece by piece, unpacked."""
    blocks = chain([start], iter(lambda: file.read(BLOCK), b""))
    if archive is None:
        yield from blocks
        return
    try:
        yield from _unpacked(blocks, archive.unpacker)
    except (MedirError, MemoryError, OSError) as error:
        if isinstance(error, OSError) and error.errno is None:  # as bz2 says it
            raise _damaged(archive, error, name) from None
        raise
    except Exception as error:  # each kind of archive has errors of its own
        raise _damaged(archive, error, name) from None


def _damaged(archive: Archive, error: Exception, name: str) -> InputError:
    return InputError(
        f"the {archive.name} archive is truncated or damaged ({error})",
        name,
        remedy="Fetch or compress the file again.",
    )


def _unpacked(blocks: Iterable[bytes], unpacker: Callable[[], Unpacker]) -> Iterator[bytes]:
    """The parts of an archive, one behind the other; zeros between them are padding."""
    part = unpacker()
    for block in blocks:
        data = block
        while data:
            if part.eof:
                data = data.lstrip(b"\0")
                if not data:
                    break
                part = unpacker()
            yield from part.pieces(data)
            data = part.unused_data if part.eof else b""
    if not part.eof:
        raise EOFError("it ends too early")


class _Joined(io.RawIOBase):
    """Pieces as a file."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces, self._rest = pieces, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
