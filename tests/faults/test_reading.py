"""Inputs that cannot be read, or not as they are: one message, exit code 2, and no traceback."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import medir as package
from medir.errors import InputError
from medir.files.opening import content_of, opened
from medir.files.unpacking import PIECE
from tests.shell import MEDIR, Outcome, medir, medir_process, run

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
MEGABYTE = 1 << 20
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc as Linux has them")


def refused(outcome: Outcome, *parts: str) -> None:
    """Exit code 2 and a short message that has these parts."""
    assert (outcome.code, outcome.out) == (2, ""), outcome
    assert "Traceback" not in outcome.err
    assert len(outcome.err.splitlines()) <= 5
    for part in parts:
        assert part in outcome.err, outcome.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "good.run").write_bytes(RUN)
    return tmp_path


# Lines.


@pytest.mark.parametrize("size", [100, 4096, 60_000, 100_000, 1 << 20])
def test_an_id_of_zero_bytes_ends_with_the_file(size: int, folder: Path) -> None:
    """Zeros follow the end of what is read, and the last row begins like the one above."""
    rows = [f"q{number:06},d{number},1\n".encode() for number in range(30_000)]  # text, at first
    rows += [b"\0" * size, b",d1,1\n", b"\0" * 10]
    (folder / "zeros.csv").write_bytes(b"query_id,doc_id,score\n" + b"".join(rows))
    outcome = medir_process("compare", "zeros.csv", "good.run", cwd=folder)
    refused(outcome, "line 30003", "found 1")


def test_carriage_returns_alone(folder: Path) -> None:
    returns = RUN.replace(b"\n", b"\r")
    for name, text in {
        "old.run": returns,
        "old.csv": b"query_id,doc_id,score\rq1,a,1\r",
        "old.qrels": b"q1 0 a 1\rq1 0 b 0\r",
        "old.tsv": b"q1\ttext\rq2\ttext\r",
        "old.lengths": b"a 3\rb 4\r",
    }.items():
        (folder / name).write_bytes(text)
    (folder / "other.run").write_bytes(RUN.replace(b"a", b"x"))
    remedy = "End them with line feeds: tr '\\r' '\\n' < OLD > NEW."
    says = "its lines end with a carriage return alone"
    for arguments in (
        ["old.run", "good.run"],
        ["good.run", "old.csv"],
        ["good.run", "good.run", "--qrels", "old.qrels"],
        ["good.run", "good.run", "--queries", "old.tsv"],
        ["good.run", "good.run", "-m", "TBG", "--lengths", "old.lengths"],
        ["good.run", "other.run", "--report", "x.html", "--documents", "old.tsv"],
    ):
        refused(medir("compare", *arguments, cwd=folder), says, remedy)
    passages = b"t d 1 2 0 9 x\rt e 2 1 0 9 x\r"
    (folder / "old.passages").write_bytes(passages)
    refused(medir("passages", "old.passages", "old.passages", cwd=folder), says)


@pytest.mark.parametrize("text", [RUN.replace(b"\n", b"\r\n"), b"q1 Q0 a 1 3 t\r"])
def test_other_ends_of_lines(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(text)
    assert package.Run.of(path)["q1"][:1] == ["a"]


def test_more_than_six_columns(folder: Path) -> None:
    long = "q1 Q0 a 1 3 t more\nq1 Q0 b 2 2 t\nq1 Q0 c 3 1 my tag \r\nq2 Q0 a 1 1e0 t\tx\n"
    (folder / "long.run").write_text(long + "q3 Q0 " + "d" * 80 + " 1 1 t x\n")
    note = (
        "medir: long.run: 4 lines have more than 6 columns; what follows the sixth was left out\n"
    )
    for command in (
        ["compare", "good.run", "long.run"],
        ["compare", "good.run", "long.run", "--order", "file"],
        ["compare", "good.run", "long.run", "--fail-above", "nDCG@3=0"],
        ["matrix", "good.run", "long.run"],
        ["convert", "long.run", "-o", "long.csv"],
        ["documents", "good.run", "long.run"],
    ):
        outcome = medir(*command, cwd=folder)
        assert outcome.err.count("columns") == 1, outcome
        assert note in outcome.err
    (folder / "one.run").write_text("q1 Q0 a 1 3 t u\n")
    assert "one.run: 1 line has more" in medir("compare", "good.run", "one.run", cwd=folder).err
    assert medir("compare", "good.run", "good.run", cwd=folder).err == ""


# Archives.


@pytest.mark.parametrize("first", ["BZh", "BZh9", "BZh91AY", "BZh9AAAAAA"])
def test_an_id_that_begins_as_bzip2_does(first: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(f"{first} Q0 a 1 3 t\n")
    assert package.Run.of(path)[first] == ["a"]


def test_an_empty_archive_of_bzip2(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bz2.compress(b""))
    assert content_of(str(tmp_path / "a")).data == b""


def pack_zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").compress(data)
    return packed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": pack_zstd,
}


@pytest.mark.parametrize("kind", PACKERS)
def test_what_is_unpacked_at_a_time_is_bounded(kind: str, tmp_path: Path) -> None:
    """However much a block becomes: 64 MB of one byte are packed into a few."""
    size = 64 * MEGABYTE
    path = tmp_path / "bomb"
    path.write_bytes(PACKERS[kind](b"x" * size))
    assert path.stat().st_size < size // 500
    from medir.files.opening import ARCHIVES

    archive = next(one for one in ARCHIVES if one.name == kind)
    pieces = [len(piece) for piece in archive.unpacker().pieces(path.read_bytes())]
    assert sum(pieces) == size
    assert max(pieces) <= 32 * PIECE
    with opened(str(path)) as file:
        assert sum(iter(lambda: len(file.read(MEGABYTE)), 0)) == size


def limited(megabytes: int) -> Callable[[], None]:
    import resource  # which Windows has not

    return partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes * MEGABYTE,) * 2)


def bomb(kind: str, size: int) -> Iterator[bytes]:
    """One line that is far too long, and packs well."""
    part = b"q1 Q0 a 1 3 t\n" + b" " * (16 * MEGABYTE)
    packed = PACKERS[kind](part)
    for _ in range(size // len(part)):
        yield packed


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("kind", PACKERS)
def test_an_archive_of_three_gigabytes(kind: str, folder: Path) -> None:
    """With a gigabyte of memory."""
    (folder / "bomb").write_bytes(b"".join(bomb(kind, 3 << 30)))
    outcome = run(MEDIR, "compare", "good.run", "bomb", cwd=folder, preexec_fn=limited(1024))
    refused(outcome, "bomb: there is not enough memory to unpack it", "Unpack it to a file")


@LINUX
@pytest.mark.slow
def test_a_stream_of_three_gigabytes(folder: Path) -> None:
    feeder = subprocess.Popen(["yes", "q1 Q0 a 1 3 t"], stdout=subprocess.PIPE)
    assert feeder.stdout is not None
    command = [str(MEDIR), "compare", "good.run", "-"]
    done = subprocess.run(
        command,
        check=False,
        stdin=feeder.stdout,
        capture_output=True,
        cwd=folder,
        preexec_fn=limited(800),
    )
    feeder.kill()
    feeder.communicate()
    err = done.stderr.decode()
    assert (done.returncode, done.stdout) == (2, b"")
    assert "standard input: there is not enough memory to " in err
    assert "Traceback" not in err


@LINUX
@pytest.mark.slow
def test_a_plain_file_needs_no_memory(folder: Path) -> None:
    """As the advice says: a file of 700 MB is compared within 900 MB of addresses."""
    with (folder / "large.run").open("wb") as file:
        file.write(RUN)
        for _ in range(43):
            file.write(b"\n" * 16 * MEGABYTE)
    outcome = run(
        MEDIR, "compare", "good.run", "large.run", "--threads", "1", cwd=folder,
        preexec_fn=limited(1200),
    )  # fmt: skip
    assert (outcome.code, outcome.err) == (0, "")


# What cannot be read.


@pytest.mark.posix
def test_standard_input_that_is_closed(folder: Path) -> None:
    for arguments in (["compare", "good.run", "-"], ["score", "good.run", "--qrels", "-"]):
        command = ["sh", "-c", 'exec "$@" <&-', "sh", MEDIR, *arguments]
        refused(run(*command, cwd=folder), "standard input")


@pytest.mark.posix
def test_loops_of_links(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "runs").mkdir()
    (folder / "runs" / "again").symlink_to("../runs")
    says = "loop: cannot be read: Too many levels of symbolic links"
    for arguments in (
        ["compare", "good.run", "loop"],
        ["compare", "loop", "good.run"],
        ["compare", "good.run", "good.run", "--qrels", "loop"],
        ["compare", "good.run", "good.run", "--queries", "loop"],
        ["matrix", "good.run", "loop"],
        ["score", "loop", "--qrels", "loop"],
    ):
        refused(medir(*arguments, cwd=folder), says)
    refused(medir("compare", "good.run", "runs", cwd=folder), "runs: is a directory")


@LINUX
def test_a_file_that_gives_an_error(folder: Path) -> None:
    """Reading the memory of a process at address 0 fails with EIO."""
    says = "/proc/self/mem: cannot be read: Input/output error"
    for arguments in (
        ["good.run", "/proc/self/mem"],
        ["good.run", "good.run", "--qrels", "/proc/self/mem"],
        ["good.run", "good.run", "--queries", "/proc/self/mem"],
    ):
        refused(medir("compare", *arguments, cwd=folder), says)


@pytest.mark.posix
def test_a_slow_pipe(folder: Path) -> None:
    """What comes byte by byte is read to its end."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)

    def trickle() -> None:
        with pipe.open("wb", buffering=0) as file:
            for number in range(len(RUN)):
                file.write(RUN[number : number + 1])
                time.sleep(0.005)

    thread = threading.Thread(target=trickle)
    thread.start()
    outcome = medir("compare", "good.run", pipe, "--format", "csv", cwd=folder)
    thread.join()
    expected = medir("compare", "good.run", "good.run", "--format", "csv", cwd=folder)
    assert (outcome.code, outcome.out) == (0, expected.out)


# What is nested, or no id.


DEEP = 100_000


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        '{"a":' * DEEP,
        '{"query_id": "q", "doc_id": "d", "score": ' + "[" * DEEP + "]" * DEEP + "}\n",
        '{"query_id": "q", "doc_id": "d", "score": 1, "x": ' + "[" * DEEP + "]" * DEEP + "}\n",
        '{"q": {"d": ' + "[" * DEEP + "]" * DEEP + "}}",
        '{"took": 1, "_shards": {"total": 1}, "hits": {"hits": ' + "[" * DEEP + "]" * DEEP + "}}",
        '{"responses": ' + "[" * DEEP + "]" * DEEP + "}",
        '{"response": ' * 900 + "{}" + "}" * 900,
        "[" * 900 + "]" * 900,
    ],
)
def test_deeply_nested_json(text: str, folder: Path) -> None:
    (folder / "deep.json").write_text(text)
    for arguments in (
        ["compare", "good.run", "deep.json"],
        ["convert", "deep.json", "-o", "out.csv"],
        ["compare", "good.run", "good.run", "--qrels", "deep.json"],
        ["compare", "good.run", "good.run", "--queries", "deep.json"],
        ["passages", "deep.json", "deep.json"],
        ["compare", "good.run", "good.run", "--report", "x.html", "--documents", "deep.json"],
    ):
        outcome = medir(*arguments, cwd=folder)
        assert outcome.code in (0, 2), outcome
        assert "Traceback" not in outcome.err
        assert len(outcome.err) < 6000


def nested_parquet(path: Path, column: Any, name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {"query_id": pa.array(["q1"]), "doc_id": pa.array(["d1"]), "score": pa.array([1.0])}
    pq.write_table(pa.table(columns | {name: column}), path)


@pytest.mark.parametrize("name", ["query_id", "doc_id", "score", "relevance", "text"])
@pytest.mark.parametrize("kind", ["struct", "list", "map", "invalid", "null"])
def test_parquet_with_other_columns(kind: str, name: str, folder: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    invalid = pa.array([b"\xff\xfe"]).view(pa.string())
    column = {
        "struct": pa.array([{"a": {"b": [1, 2]}}]),
        "list": pa.array([[["x"]]]),
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "invalid": invalid,
        "null": pa.array([None], pa.string()),
    }[kind]
    nested_parquet(folder / "bad.parquet", column, name)
    for arguments in (
        ["compare", "good.run", "bad.parquet"],
        ["compare", "good.run", "good.run", "--qrels", "bad.parquet"],
        ["compare", "good.run", "good.run", "--queries", "bad.parquet"],
        ["compare", "good.run", "good.run", "-m", "TBG", "--lengths", "bad.parquet"],
        ["passages", "bad.parquet", "bad.parquet"],
    ):
        outcome = medir(*arguments, cwd=folder)
        assert outcome.code in (0, 2), outcome
        assert "Traceback" not in outcome.err
        if outcome.code == 2:
            assert outcome.err.startswith("medir: "), outcome.err


@LINUX
@pytest.mark.slow
@pytest.mark.parametrize("megabytes", [150, 200, 250, 300, 400])
def test_memory_limits_while_reading(megabytes: int, folder: Path) -> None:
    """A message or a result, whatever the limit is."""
    rows = [{"query_id": f"q{i % 50_000}", "doc_id": f"d{i}", "score": 1} for i in range(300_000)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    outcome = medir_process(
        "compare", "a.jsonl", "a.jsonl", "-o", "out.csv", "--threads", "1",
        cwd=folder, preexec_fn=limited(megabytes),
    )  # fmt: skip
    assert outcome.code in (0, 2), outcome
    assert "Traceback" not in outcome.err
    if outcome.code == 2:
        assert "memory" in outcome.err
        assert not (folder / "out.csv").exists()


@LINUX
def test_errors_of_python_are_errors_about_input(folder: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Input/output error"):
        package.Run.of("/proc/self/mem")
