"""Archives and plain files, read whole or as they come."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from medir.errors import InputError, UsageError
from medir.files.opening import (
    ARCHIVES,
    check_one_stdin,
    content_of,
    opened,
    read_bytes,
    unpacked_name,
)

TEXT = b"".join(b"q%d Q0 d%d 1 0.5 tag\n" % (i % 7, i) for i in range(50_000))


def pack_zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").compress(data)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": pack_zstd,
}
SHAPES: dict[str, Callable[[Callable[[bytes], bytes]], bytes]] = {
    "one part": lambda pack: pack(TEXT),
    "two parts": lambda pack: pack(TEXT[:999]) + pack(TEXT[999:]),
    "padding": lambda pack: pack(TEXT[:999]) + bytes(8) + pack(TEXT[999:]) + bytes(4096),
    "many parts": lambda pack: b"".join(
        pack(TEXT[i : i + 5000]) for i in range(0, len(TEXT), 5000)
    ),
}


def streamed(path: Path) -> bytes:
    with opened(str(path)) as file:
        return b"".join(file)


def test_every_kind_is_tested() -> None:
    assert [archive.name for archive in ARCHIVES] == list(PACKERS)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", PACKERS)
def test_whole_or_line_by_line(
    kind: str, shape: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(SHAPES[shape](PACKERS[kind]))
    for block in (1 << 20, 100):
        monkeypatch.setattr("medir.files.opening.BLOCK", block)
        assert content_of(str(path))[:2] == (str(path), TEXT)
        assert read_bytes(str(path)) == (str(path), TEXT)
        assert streamed(path) == TEXT


@pytest.mark.parametrize("damage", [lambda d: d[:-3], lambda d: d[:10], lambda d: d + b"more"])
@pytest.mark.parametrize("kind", PACKERS)
def test_damage(kind: str, damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "damaged"
    path.write_bytes(damage(PACKERS[kind](TEXT)))
    message = rf"damaged: the {kind} archive is truncated or damaged \(.+\)\nFetch or compress"
    for read in (lambda p: read_bytes(str(p)), streamed):
        with pytest.raises(InputError, match=message):
            read(path)


def test_plain_files(tmp_path: Path) -> None:
    path = tmp_path / "plain"
    for text in (TEXT, b"", b"q"):
        path.write_bytes(text)
        assert content_of(str(path))[:2] == (str(path), None)
        assert read_bytes(str(path)) == (str(path), text)
        assert streamed(path) == text


@pytest.mark.posix
@pytest.mark.parametrize("read", [lambda p: content_of(str(p))[1], streamed])
@pytest.mark.parametrize("text", [TEXT, gzip.compress(TEXT)])
def test_a_pipe_that_is_slow(read: Callable[[Path], bytes], text: bytes, tmp_path: Path) -> None:
    """What it holds is told by its first bytes, however late they come."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def write() -> None:
        with path.open("wb", buffering=0) as pipe:
            for start, end in ((0, 1), (1, 3), (3, len(text))):
                pipe.write(text[start:end])
                time.sleep(0.05)

    thread = threading.Thread(target=write)
    thread.start()
    assert read(path) == TEXT
    thread.join()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (TEXT, bz2.compress(TEXT)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        assert content_of("-")[:2] == ("standard input", TEXT)


@pytest.mark.parametrize("read", [lambda p: content_of(str(p)), streamed])
def test_one_set_of_errors(read: Callable[[Path], object], tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, message in (
        (tmp_path / "none", "there is no such file$"),
        (tmp_path, "is a directory\nGive the file itself.$"),
        (tmp_path / "file" / "below", "cannot be read: Not a directory$"),
    ):
        with pytest.raises(InputError, match=message):
            read(path)


def test_one_standard_input() -> None:
    check_one_stdin("-", "a.run", None, Path("-"), {"-": ["a"]})
    with pytest.raises(UsageError, match="only one of the files can come from standard input"):
        check_one_stdin("-", "a.run", "-")


def test_names_of_archives() -> None:
    assert [unpacked_name(f"a.run{archive.suffix}") for archive in ARCHIVES] == ["a.run"] * 4
    assert unpacked_name("a.gz.run") == "a.gz.run"
