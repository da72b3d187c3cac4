"""Outputs when something goes wrong: the disk is full, the program is killed, names are the same.

Never a part of a file under its final name, never an input that is gone, always a message.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest

import medir
from medir.cli import COMMANDS, main
from medir.cli.paths import InputPath, OutputPath
from medir.files import checkpoint as checkpoints
from tests.cases.faults import contents
from tests.shell import EXAMPLES, MEDIR, Outcome, medir_process, start
from tests.shell import medir as shell

PROFILE = os.environ.get("MEDIR_PROFILE", "medir")
KILLS = {"quick": 4, "medir": 12}.get(PROFILE, 50)  # of each command
resource = pytest.importorskip("resource")
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
NAMES = ("before.run", "after.run", "rebuilt.run", "qrels.txt", "queries.tsv", "documents.tsv")
PAGE = 4096  # bytes: the least that a disk has


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the examples, to be destroyed."""
    for name in NAMES:
        shutil.copy(EXAMPLES / name, tmp_path)
    return tmp_path


# ---- Names


def test_every_path_of_a_command_is_read_or_written() -> None:
    context = click.Context(main)
    found = 0
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        for param in command.params:
            if isinstance(param.type, click.Path):
                assert isinstance(param.type, InputPath | OutputPath), (name, param.name)
                found += 1
    assert found > 50


RUNS = ("before.run", "after.run")
CLASHES = [
    "compare before.run after.run --format csv -o before.run",
    "compare before.run after.run --format csv -o after.run",
    "compare before.run after.run --qrels qrels.txt -o qrels.txt --format jsonl",
    "compare before.run after.run --queries queries.tsv -o queries.tsv",
    "compare before.run after.run --noise rebuilt.run -o rebuilt.run --format tsv",
    "compare before.run after.run --report link.html",
    "compare before.run after.run --report new.html --documents documents.tsv -o documents.tsv",
    "compare before.run after.run --summary before.run",
    "compare before.run after.run --json after.run",
    "compare before.run after.run --fail-above 0.9 --junit hard.xml",
    "compare before.run after.run -m TBG --lengths queries.tsv -o queries.tsv",
    "compare before.run after.run -m wKendall(weight='queries.tsv') -o queries.tsv",
    "compare . after.run --json before.run",
    "passages before.run after.run --gold qrels.txt --json qrels.txt",
    "documents before.run after.run -o link.html --format csv",
    "documents before.run after.run --documents documents.tsv -o documents.tsv",
    "expect before.run after.run --prior qrels.txt -o qrels.txt --format csv",
    "score before.run --qrels qrels.txt -o qrels.txt --format csv",
    "judge before.run after.run --qrels qrels.txt -o qrels.txt",
    "judge before.run after.run rebuilt.run -o rebuilt.run",
    "judge before.run after.run --queries queries.tsv --requests hard.xml -o before.run",
    "convert before.run -o before.run",
    "convert before.run -o ./before.run",
    "convert before.run --queries queries.tsv -o queries.tsv",
    "matrix before.run after.run -o link.html",
    "matrix . -o queries.tsv",
    "matrix before.run after.run rebuilt.run --groups queries.tsv --plot link.html",
    "matrix before.run after.run rebuilt.run --map hard.xml",
    "study before.run after.run rebuilt.run --qrels figure-1.csv -o .",
    "study before.run after.run rebuilt.run --qrels qrels.txt --groups study.html -o .",
]


@pytest.mark.parametrize("words", CLASHES)
def test_an_output_that_is_an_input_is_refused(folder: Path, words: str) -> None:
    (folder / "link.html").symlink_to("before.run")
    os.link(folder / "before.run", folder / "hard.xml")
    for name in ("figure-1.csv", "study.html"):
        shutil.copy(folder / "qrels.txt", folder / name)
    there = contents(folder)
    outcome = shell(*words.split(), cwd=folder)
    assert (outcome.code, outcome.out) == (2, ""), outcome
    assert " is the same file as " in outcome.err
    assert outcome.err.endswith("which it would overwrite: choose another name\n")
    assert contents(folder) == there


@pytest.mark.parametrize(
    "words",
    [
        "compare before.run after.run -o new.csv --json new.csv",
        "compare before.run after.run --report new.html --summary ./new.html",
        "compare before.run after.run --fail-above 0.9 --junit new --summary new",
        "matrix before.run after.run -o new.csv --plot new.csv",
        "matrix before.run after.run rebuilt.run --plot new.svg --map link.svg",
    ],
)
def test_two_outputs_of_one_name_are_refused(folder: Path, words: str) -> None:
    (folder / "link.svg").symlink_to("new.svg")
    there = contents(folder)
    outcome = shell(*words.split(), cwd=folder)
    assert (outcome.code, outcome.out) == (2, ""), outcome
    assert outcome.err.endswith(" are the same file: choose two names\n")
    assert contents(folder) == there


def test_standard_input_is_an_input_too(folder: Path) -> None:
    with (
        (folder / "before.run").open("rb") as file,
        start(MEDIR, "convert", "-", "-o", folder / "before.run", stdin=file) as process,
    ):
        _, errors = process.communicate()
    assert process.returncode == 2
    assert b"is the same file as the input '-'" in errors
    assert (folder / "before.run").read_bytes() == (EXAMPLES / "before.run").read_bytes()


def test_devices_may_be_named_twice(folder: Path) -> None:
    words = ["--format", "csv", "-o", "/dev/null", "--json", "/dev/null", "--summary", "/dev/null"]
    assert shell("compare", *RUNS, *words, cwd=folder).code == 0


def test_a_checkpoint_that_is_an_input_is_left_alone(folder: Path) -> None:
    runs = {name: folder / name for name in RUNS}
    with pytest.raises(medir.UsageError, match="is not a checkpoint"):
        medir.matrix(runs, "P@1", checkpoint=folder / "before.run")
    assert (folder / "before.run").read_bytes() == (EXAMPLES / "before.run").read_bytes()


# ---- A full disk

FULL: dict[str, tuple[str, ...]] = {
    "csv": ("compare", *RUNS, "-o", "{}/out.csv"),
    "tsv": ("compare", *RUNS, "-o", "{}/out.tsv"),
    "jsonl": ("compare", *RUNS, "-o", "{}/out.jsonl"),
    "parquet": ("compare", *RUNS, "-o", "{}/out.parquet"),
    "report": ("compare", *RUNS, "--report", "{}/out.html"),
    "summary": ("compare", *RUNS, "--top", "99", "--summary", "{}/out.md"),
    "json": ("compare", *RUNS, "--json", "{}/out.json"),
    "documents": ("documents", *RUNS, "-o", "{}/out.csv"),
    "expectation": ("expect", *RUNS, "--prior", "0.2", "-o", "{}/out.csv"),
    "scores": ("score", *RUNS, "--qrels", "qrels.txt", "-o", "{}/out.csv"),
    "pool": ("judge", *RUNS, "--top", "999", "-o", "{}/out.txt"),
    "run": ("convert", "before.run", "-o", "{}/out.run"),
    "run in gzip": ("convert", "before.run", "-o", "{}/out.run.gz"),
    "run in bzip2": ("convert", "before.run", "-o", "{}/out.run.bz2"),
    "run in xz": ("convert", "before.run", "-o", "{}/out.run.xz"),
    "run in zstd": ("convert", "before.run", "-o", "{}/out.run.zst"),
    "run in Parquet": ("convert", "before.run", "-o", "{}/out.parquet"),
    "run in Arrow": ("convert", "before.run", "-o", "{}/out.arrow"),
    "matrix": ("matrix", *RUNS, "-o", "{}/out.csv"),
    "heat map": ("matrix", *RUNS, "--plot", "{}/out.svg"),
    "map": ("matrix", *RUNS, "rebuilt.run", "-m", "P@1", "--map", "{}/out.png"),
    "study": ("study", *RUNS, "rebuilt.run", "--qrels", "qrels.txt", "-o", "{}/study"),
}


def words_of(name: str, disk: Path) -> list[str]:
    return [word.format(disk) for word in FULL[name]]


def assert_no_room(outcome: Outcome, disk: Path, reason: str) -> None:
    assert outcome.code == 2, outcome
    assert outcome.err.startswith("medir: cannot write "), outcome.err
    assert outcome.err.endswith(f": {reason}\n"), outcome.err
    assert [path for path in disk.rglob("*") if path.name != "filler"] == []


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[int], Path]]:
    """Makes a disk of so many bytes, of which one page is free."""
    mounted: list[Path] = []

    def mount(size: int) -> Path:
        place = tmp_path / f"disk-{size}"
        place.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
        if os.getuid() or subprocess.run(command, check=False, capture_output=True).returncode:
            pytest.skip("needs a small disk: only root may mount one")
        mounted.append(place)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", str(place)], check=True)


SMALL = ("summary", "json")  # they fit into a page


@pytest.mark.parametrize(
    ("name", "pages"),
    [*((name, 0) for name in FULL), *((name, 1) for name in FULL if name not in SMALL)],
)
def test_a_full_disk_is_said_and_nothing_is_left(
    disk: Callable[[int], Path], name: str, pages: int
) -> None:
    place = disk(4 * PAGE)
    (place / "filler").write_bytes(bytes((4 - pages) * PAGE))
    outcome = shell(*words_of(name, place), cwd=EXAMPLES)
    assert_no_room(outcome, place, "No space left on device")


@pytest.mark.parametrize("name", ["matrix", "heat map", "study"])
def test_a_disk_with_room_for_the_checkpoint_alone(
    disk: Callable[[int], Path], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = disk(1 << 18)

    def fill() -> None:
        with (place / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(PAGE))

    save = checkpoints.Checkpoint.save

    def save_and_fill(self: checkpoints.Checkpoint) -> None:
        save(self)
        with pytest.raises(OSError, match="No space left"):
            fill()

    monkeypatch.setattr(checkpoints.Checkpoint, "save", save_and_fill)
    outcome = shell(*words_of(name, place), cwd=EXAMPLES)
    assert_no_room(outcome, place, "No space left on device")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["csv", "parquet", "run in zstd", "report", "matrix", "study"])
def test_a_limit_on_files_is_like_a_full_disk(tmp_path: Path, name: str) -> None:
    """What everybody may try: no file may have more than a page."""
    limit = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (PAGE, PAGE))
    plain = {"PYTHONDONTWRITEBYTECODE": "1"}  # Python would not notice that its own are too short
    words = words_of(name, tmp_path)
    outcome = medir_process(*words, cwd=EXAMPLES, preexec_fn=limit, env=plain)
    assert_no_room(outcome, tmp_path, "File too large")


@pytest.mark.parametrize("reserved", [True, False])
@pytest.mark.parametrize("name", ["matrix", "study"])
def test_a_disk_that_fills_up_meanwhile(
    tmp_path: Path, name: str, reserved: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> Any:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(checkpoints, "_write" if reserved else "_reserve", full)
    outcome = shell(*words_of(name, tmp_path), cwd=EXAMPLES)
    assert_no_room(outcome, tmp_path, "No space left on device")


def test_room_is_taken_where_the_system_cannot_reserve_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "BLOCK", 1000)
    for error in (None, errno.EOPNOTSUPP):
        path = tmp_path / str(error)
        if error is None:
            monkeypatch.delattr(os, "posix_fallocate", raising=False)
        else:
            refused = OSError(error, os.strerror(error))
            monkeypatch.setattr(os, "posix_fallocate", _raising(refused), raising=False)
        with checkpoints.Checkpoint(path, ["this"], (1234,), 5):
            assert path.stat().st_blocks * 512 >= 8 * 1234


def _raising(error: OSError) -> Callable[..., None]:
    def fails(*_: object) -> None:
        raise error

    return fails


# ---- Two at once


@pytest.mark.parametrize("name", ["matrix", "study"])
def test_two_at_once_are_noticed(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_of(name, folder)
    seen: list[Outcome] = []
    save = checkpoints.Checkpoint.save

    def save_with_another(self: checkpoints.Checkpoint) -> None:
        if not seen:
            with monkeypatch.context() as patch:
                patch.setattr(checkpoints.Checkpoint, "save", save)
                seen.append(medir_process(*words, cwd=EXAMPLES))
        save(self)

    monkeypatch.setattr(checkpoints.Checkpoint, "save", save_with_another)
    first = shell(*words, cwd=EXAMPLES)
    assert first.code == 0, first
    assert seen[0].code == 2, seen
    assert "is in use: the same is running already. Wait until it has ended" in seen[0].err
    assert shell(*words, cwd=EXAMPLES).out == first.out


@pytest.mark.slow
def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    code = (
        "import os, sys; from medir.files.checkpoint import Checkpoint\n"
        "kept = Checkpoint(sys.argv[1], ['this'], (2,), 2); print(flush=True); os.read(0, 1)"
    )
    python = str(Path(MEDIR).with_name("python"))
    with start(python, "-c", code, path, stdin=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(medir.UsageError, match="is in use"):
            checkpoints.Checkpoint(path, ["this"], (2,), 2)
        process.kill()
    with checkpoints.Checkpoint(path, ["this"], (2,), 2) as kept:
        assert not np.any(kept.finished)


def test_a_checkpoint_is_not_a_link(folder: Path) -> None:
    victim = folder / "empty"
    victim.touch()
    (folder / ".out.csv.unfinished").symlink_to("empty")
    outcome = shell("matrix", *RUNS, "-o", "out.csv", cwd=folder)
    assert outcome.code == 2
    assert outcome.err.endswith(".out.csv.unfinished': it is a symbolic link\n")
    assert victim.read_bytes() == b""


@pytest.mark.parametrize("length", [230, 243, 244, 255])
def test_a_matrix_may_have_a_long_name(folder: Path, length: int) -> None:
    name = f"{'x' * (length - 4)}.csv"
    assert shell("matrix", *RUNS, "-m", "P@1", "-o", name, cwd=folder).code == 0
    assert {path.name for path in folder.iterdir()} == {*NAMES, name}


# ---- Kills

OUTPUTS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", *RUNS, "-o", "{}/out.csv", "--json", "{}/out.json"),
    "convert": ("convert", "before.run", "-o", "{}/out.parquet"),
    "matrix": ("matrix", *RUNS, "rebuilt.run", "-o", "{}/out.csv", "--plot", "{}/out.svg"),
    "study": ("study", *RUNS, "rebuilt.run", "--qrels", "qrels.txt", "-o", "{}"),
}
KEPT = {"matrix": [".out.csv.unfinished"], "study": [".unfinished"]}


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.slow
@pytest.mark.parametrize("name", OUTPUTS)
def test_kills_leave_whole_files_or_none(tmp_path: Path, name: str) -> None:
    chance = random.Random(f"kills of {name}")
    words = OUTPUTS[name]

    def begin(target: Path) -> subprocess.Popen[bytes]:
        target.mkdir()
        return start(MEDIR, *(word.format(target) for word in words), cwd=EXAMPLES)

    began = time.monotonic()
    with begin(tmp_path / "whole") as process:
        process.communicate()
    seconds = time.monotonic() - began
    assert process.returncode == 0
    whole = files_in(tmp_path / "whole")
    killed = 0
    for number in range(KILLS):
        target = tmp_path / str(number)
        number_of_signal = SIGNALS[number % len(SIGNALS)]
        began = time.monotonic()
        with begin(target) as process:
            try:
                process.wait(chance.uniform(0, seconds))
                seconds = min(seconds, time.monotonic() - began)
            except subprocess.TimeoutExpired:
                process.send_signal(number_of_signal)
            process.communicate()
        killed += process.returncode != 0
        left = files_in(target)
        for file in whole.keys() & left.keys():
            assert left[file] == whole[file], (number, number_of_signal, file)
        if process.returncode == 0:
            assert left == whole
        if number_of_signal != signal.SIGKILL:
            assert list(target.rglob(".medir-*")) == [], (number, number_of_signal)
            assert left.keys() <= {*whole, *KEPT.get(name, [])}
        shutil.rmtree(target)
    assert killed >= KILLS // 4
