"""Files that appear whole or not at all, whoever writes beside."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

import medir
from medir.files.replacing import replacing
from tests.shell import EXAMPLES, MEDIR, run

ROUNDS = 30
SIZE = 200_000
LONGEST = 255  # bytes of the name of a file


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def write(path: Path, content: bytes = b"new") -> None:
    with replacing(path) as file:
        file.write(content)


def test_threads_that_write_the_same_path_write_whole_files(tmp_path: Path) -> None:
    contents = [bytes([65 + i]) * SIZE for i in range(4)]
    path = tmp_path / "shared"
    for _ in range(ROUNDS):
        threads = [threading.Thread(target=write, args=(path, content)) for content in contents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert path.read_bytes() in contents
        assert list(tmp_path.iterdir()) == [path]


def test_a_link_under_the_name_of_the_new_file_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim, target = tmp_path / "victim", tmp_path / "out"
    victim.write_bytes(b"precious")
    monkeypatch.setattr(os, "urandom", bytes)
    planted = tmp_path / f".medir-{bytes(8).hex()}.tmp"
    planted.symlink_to(victim)
    with pytest.raises(medir.UsageError, match=r"cannot write .*File exists"):
        write(target)
    assert victim.read_bytes() == b"precious"
    assert planted.is_symlink()
    assert not target.exists()


def test_names_cannot_be_guessed(tmp_path: Path) -> None:
    names = set()
    for _ in range(10):
        with replacing(tmp_path / "out"):
            names |= {path.name for path in tmp_path.glob(".medir-*")}
    assert len(names) == 10


@pytest.mark.parametrize("before", [0o600, 0o640, 0o664, 0o755])
def test_the_mode_of_a_file_is_kept(tmp_path: Path, before: int) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(before)
    with replacing(path) as file:
        (temporary,) = tmp_path.glob(".medir-*")
        assert mode(temporary) == before  # nobody may read it meanwhile who may not later
        file.write(b"new")
    assert (mode(path), path.read_bytes()) == (before, b"new")


@pytest.mark.parametrize("mask", [0o022, 0o027, 0o077])
def test_a_new_file_has_the_usual_mode(tmp_path: Path, mask: int) -> None:
    old = os.umask(mask)
    try:
        write(tmp_path / "out")
    finally:
        os.umask(old)
    assert mode(tmp_path / "out") == 0o666 & ~mask


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may give files away")
def test_the_owner_of_a_file_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 1234, 5678)
    write(path)
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 5678)


@pytest.mark.parametrize("letter", ["x", "é", "🐟"])
def test_a_name_may_be_as_long_as_names_can_be(tmp_path: Path, letter: str) -> None:
    name = (letter * (LONGEST // len(letter.encode()))) + "x" * (LONGEST % len(letter.encode()))
    assert len(name.encode()) == LONGEST
    write(tmp_path / name)
    assert (tmp_path / name).read_bytes() == b"new"


@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_a_link(tmp_path: Path, there: bool) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    if there:
        target.write_bytes(b"old")
    link.symlink_to("target")
    write(link)
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("ends", [KeyboardInterrupt, SystemExit, GeneratorExit, OSError])
def test_what_ends_it_early_leaves_nothing(tmp_path: Path, ends: type[BaseException]) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")

    def begin() -> None:
        with replacing(path) as file:
            file.write(b"half of it")
            file.flush()
            raise ends

    with pytest.raises((ends, medir.UsageError)):
        begin()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_to() -> None:
    write(Path("/dev/null"))
    with pytest.raises(medir.UsageError, match="'/dev/full': No space left on device"):
        write(Path("/dev/full"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(medir.UsageError, match=r"cannot write .*Is a directory"):
        write(tmp_path)


@pytest.mark.slow
def test_standard_output_may_be_named_twice_also_as_a_file(tmp_path: Path) -> None:
    words = ["compare", "before.run", "after.run", "--format", "csv", "-o", "/dev/stdout"]
    path = tmp_path / "all"
    with path.open("wb") as file:
        outcome = run(MEDIR, *words, "--json", "/dev/stdout", cwd=EXAMPLES, stdout=file)
    assert (outcome.code, outcome.err) == (0, "")
    content = path.read_text()
    assert content.startswith("query_id,measure,med,")
    assert '"sha256"' in content
    assert content.rstrip().endswith("written to /dev/stdout")
