"""Bytes of an input, whatever holds them: a plain file, a compressed one, a pipe.

Compression is recognised by content, not by name.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from medir.errors import InputError, MissingExtraError, UsageError

STDIN = "-"
STDIN_NAME = "standard input"


def _parts(data: bytes, decompressor: Callable[[], Any]) -> bytes:
    """Unpacks all parts of an archive, one behind the other; zeros between them are padding."""
    parts = []
    while data := data.lstrip(b"\0"):
        one = decompressor()
        parts.append(one.decompress(data))
        if not one.eof:
            raise EOFError("it ends too early")
        data = one.unused_data
    return b"".join(parts)


def _gzip(data: bytes) -> bytes:
    import gzip

    return gzip.decompress(data)


def _bzip2(data: bytes) -> bytes:
    import bz2

    return _parts(data, bz2.BZ2Decompressor)


def _xz(data: bytes) -> bytes:
    import lzma

    return _parts(data, lzma.LZMADecompressor)


def _zstd(data: bytes) -> bytes:
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("zstandard", "zstd", "reading .zst files") from None
    return _parts(data, lambda: zstandard.ZstdDecompressor().decompressobj())


_FORMATS: tuple[tuple[bytes, str, Callable[[bytes], bytes]], ...] = (
    (b"\x1f\x8b", "gzip", _gzip),
    (b"BZh", "bzip2", _bzip2),
    (b"\xfd7zXZ\x00", "xz", _xz),
    (b"\x28\xb5\x2f\xfd", "zstd", _zstd),
)
_LONGEST_MAGIC = max(len(magic) for magic, _, _ in _FORMATS)


def _decompress(data: bytes, name: str) -> bytes:
    for magic, kind, decompress in _FORMATS:
        if data.startswith(magic):
            try:
                return decompress(data)
            except MissingExtraError:
                raise
            except Exception as error:
                raise InputError(
                    f"the {kind} archive is truncated or damaged ({error})",
                    name,
                    remedy="Fetch or compress the file again.",
                ) from None
    return data


def is_stdin(source: object) -> bool:
    """Whether a source names standard input."""
    return isinstance(source, str) and source == STDIN


def check_one_stdin(*sources: object) -> None:
    """Raises an error where more than one input is standard input."""
    if sum(map(is_stdin, sources)) > 1:
        raise UsageError("only one of the files can come from standard input")


def content_of(path: str) -> tuple[str, bytes | None]:
    """The name of an input and its bytes; None for a plain file, which is better mapped."""
    if is_stdin(path):
        return STDIN_NAME, _decompress(sys.stdin.buffer.read(), STDIN_NAME)
    try:
        kind = Path(path).stat().st_mode
        if stat.S_ISDIR(kind):
            raise InputError("is a directory", path, remedy="Give the file itself.")
        with Path(path).open("rb") as file:
            if not stat.S_ISREG(kind):
                return path, _decompress(file.read(), path)
            start = file.read(_LONGEST_MAGIC)
            if not start.startswith(tuple(magic for magic, _, _ in _FORMATS)):
                return path, None
            return path, _decompress(start + file.read(), path)
    except FileNotFoundError:
        raise InputError("there is no such file", path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path) from None


def read_bytes(path: str) -> tuple[str, bytes]:
    """The name of an input and all of its bytes, unpacked."""
    name, content = content_of(path)
    return name, Path(path).read_bytes() if content is None else content
