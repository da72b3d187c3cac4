"""Compressed files, written as their names end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, cast

from medir.errors import MissingExtraError


@contextmanager
def packed(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    """A stream that compresses what is written to it, as the name ends; else the stream itself.

    The same bytes give the same archive: it holds neither a name nor a time.
    """
    if name.endswith(".gz"):
        import gzip

        with gzip.GzipFile("", "wb", 6, stream, mtime=0) as gzipped:
            yield cast("BinaryIO", gzipped)
    elif name.endswith(".bz2"):
        import bz2

        with bz2.BZ2File(stream, "wb") as bzipped:
            yield cast("BinaryIO", bzipped)
    elif name.endswith(".xz"):
        import lzma

        with lzma.LZMAFile(stream, "wb") as compressed:
            yield cast("BinaryIO", compressed)
    elif name.endswith(".zst"):
        try:
            import zstandard
        except ImportError:
            raise MissingExtraError("zstandard", "zstd", "writing .zst files") from None
        with zstandard.ZstdCompressor().stream_writer(stream, closefd=False) as writer:
            yield cast("BinaryIO", writer)
    else:
        yield stream
