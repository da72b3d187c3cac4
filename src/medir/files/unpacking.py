"""Archives, unpacked in pieces: no piece is large, however small what it was packed into."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from medir.errors import MissingExtraError

PIECE = 1 << 20  # bytes that are unpacked at a time
# A block of zstd has at most 128 KiB and may be packed into four bytes: this many bytes that are
# packed become at most 32 MiB.
PACKED = 1 << 10


class Unpacker(Protocol):
    """Unpacks one part of an archive."""

    @property
    def eof(self) -> bool:
        """Whether the part has ended."""

    @property
    def unused_data(self) -> bytes:
        """What follows the part."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """What the next bytes hold."""


class _Bounded:
    """What unpacks a part, by a library whose answers have a largest size."""

    def __init__(self, part: Any) -> None:
        self._part = part

    @property
    def eof(self) -> bool:
        return bool(self._part.eof)

    @property
    def unused_data(self) -> bytes:
        data: bytes = self._part.unused_data
        return data

    def pieces(self, data: bytes) -> Iterator[bytes]:
        yield self._part.decompress(data, PIECE)
        while not (self._part.eof or self._part.needs_input):
            yield self._part.decompress(b"", PIECE)


class _Zlib(_Bounded):
    """As zlib has it, which leaves to its caller what it has not looked at."""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        while not self._part.eof:
            piece = self._part.decompress(data, PIECE)
            yield piece
            data = self._part.unconsumed_tail
            if not data and len(piece) < PIECE:
                break


class _Zstd(_Bounded):
    """As zstandard has it, whose answers have no largest size: so it is asked little."""

    _rest = b""

    def pieces(self, data: bytes) -> Iterator[bytes]:
        for start in range(0, len(data), PACKED):
            if self._part.eof:
                self._rest = data[start:]
                return
            try:
                yield self._part.decompress(data[start : start + PACKED])
            except Exception as error:
                if "memory" in str(error).lower():
                    raise MemoryError from None
                raise

    @property
    def unused_data(self) -> bytes:
        return super().unused_data + self._rest


def gzip() -> Unpacker:
    """Unpacks gzip."""
    import zlib

    return _Zlib(zlib.decompressobj(wbits=16 + zlib.MAX_WBITS))


def bzip2() -> Unpacker:
    """Unpacks bzip2."""
    import bz2

    return _Bounded(bz2.BZ2Decompressor())


def xz() -> Unpacker:
    """Unpacks xz."""
    import lzma

    return _Bounded(lzma.LZMADecompressor())


def zstd() -> Unpacker:
    """Unpacks zstd."""
    try:
        import zstandard
    except ImportError:
        raise MissingExtraError("zstandard", "zstd", "reading .zst files") from None
    return _Zstd(zstandard.ZstdDecompressor().decompressobj())
