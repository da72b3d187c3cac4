"""Ctrl-C and SIGTERM at any moment: an orderly end, one line, never a traceback."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cases.examples import AFTER, BEFORE
from tests.profiles import FULL
from tests.shell import MEDIR, TIMEOUT, start, unread, wait_until

pytestmark = pytest.mark.posix  # other systems send a process no such signals

ALL = 200  # interrupts, with MEDIR_PROFILE=full
SOME = 36
SOON = 40  # seconds; less than anything that is to be interrupted takes
COMMANDS = [
    ("compare", BEFORE, AFTER, "-m", "AP@50", "-m", "nDCG@20", "-o", "out.csv"),
    ("matrix", BEFORE, AFTER, "-m", "ERR@20", "-o", "out.csv"),
    ("expect", BEFORE, AFTER, "--prior", "rank", "-o", "out.csv"),
    ("documents", BEFORE, AFTER, "--format", "csv"),
]
THREADS = 1, 2, 8
CONTINUE = "\nmedir: run the same command again to continue\n"  # said of a matrix


def moments() -> list[tuple[int, int, float]]:
    """Numbers of a command, numbers of threads, and shares of the run time, by seed."""
    count = ALL if settings().max_examples >= FULL else SOME
    generator = random.Random(14)
    cases = [(command, threads) for command in range(len(COMMANDS)) for threads in THREADS]
    return [(*cases[i % len(cases)], generator.random()) for i in range(count)]


def seconds(*command: object, cwd: Path) -> float:
    """How long a command takes; the better of two."""
    times = []
    for _ in range(2):
        begin = time.monotonic()
        with start(*command, cwd=cwd) as process:
            assert process.communicate(timeout=TIMEOUT)[1] == b""
            assert process.returncode == 0
        times.append(time.monotonic() - begin)
    return min(times)


def stopped(command: Sequence[object], wait: float, number: int, cwd: Path) -> tuple[int, str]:
    """The exit code and standard error of a command that gets a signal, perhaps twice."""
    with start(*command, cwd=cwd, stdout=subprocess.DEVNULL) as process:
        time.sleep(wait)
        process.send_signal(number)
        if wait * 1e6 % 2 < 1:
            time.sleep(0.002)
            process.send_signal(number)
        try:
            err = process.communicate(timeout=TIMEOUT)[1].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, err


def before_the_first_line(code: int, err: str) -> bool:
    """Whether Python was still starting, so that it answered by itself."""
    silent = code == -signal.SIGINT and not err
    return silent or ("KeyboardInterrupt" in err and "__main__.py" not in err)


@pytest.mark.slow
def test_an_interrupt_at_any_moment(tmp_path: Path) -> None:
    python = seconds(sys.executable, "-c", "import re", cwd=tmp_path)
    whole = [seconds(MEDIR, *command, cwd=tmp_path) for command in COMMANDS]
    early = interrupted = 0
    for number, threads, share in moments():
        words = [MEDIR, *COMMANDS[number], "--threads", threads]
        (tmp_path / "out.csv").unlink(missing_ok=True)
        code, err = stopped(
            words, python + share * (whole[number] - python), signal.SIGINT, tmp_path
        )
        if before_the_first_line(code, err):
            early += 1
            continue
        if code == 0:  # the machine has become faster since it was timed
            whole[number] -= 0.1 * (whole[number] - python)
        told = err.replace(CONTINUE, "")
        expected = [(0, ""), (128 + signal.SIGINT, "medir: interrupted\n")]
        assert (code, told) in expected, (words, share, err)
        interrupted += code != 0
        left = {path.name for path in tmp_path.iterdir()} - {"out.csv", ".out.csv.unfinished"}
        assert not left
    assert interrupted > len(moments()) // 3
    assert early < len(moments()) // 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_other_signals_end_it_in_the_same_way(name: str, tmp_path: Path) -> None:
    """While it waits for standard input, which never ends."""
    number = getattr(signal, name)
    words = [MEDIR, "compare", "-", AFTER, "-o", "out.csv"]
    with start(*words, cwd=tmp_path, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        wait_until(lambda: unread(process) == 0, process)
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (128 + number, b"", b"medir: terminated\n")
    assert list(tmp_path.iterdir()) == []


GUARDED = """
import sys
import medir.__main__ as process
import medir.comparing.compare as comparing

{patch}
comparing.compare_recorded = replacement
sys.argv = ["medir", "compare", *sys.argv[1:]]
process.main()
"""


def guarded(patch: str) -> list[object]:
    """The command, with something else in the place of the comparison."""
    return [sys.executable, "-c", GUARDED.format(patch=patch), BEFORE, AFTER]


IGNORING = """
import os, signal, time
class Ignored:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)  # the interrupt is raised here, where nobody can catch it
def replacement(*_, **__):
    one = Ignored()
    del one
    time.sleep(60)
"""
IMPORTING = """
import os, signal, time
def replacement(*_, **__):
    code = "import os, signal; os.kill(os.getpid(), signal.SIGINT); done = 1"
    open("slow.py", "w").write(code)
    sys.path.insert(0, os.getcwd())
    import slow
    assert slow.done
    open("loaded", "w").close()
    time.sleep(60)
"""
IMPORTING_BEFORE_AN_ERROR = """
import os, signal
from medir import MedirError
def replacement(*_, **__):
    open("slow.py", "w").write("import os, signal; os.kill(os.getpid(), signal.SIGINT)")
    sys.path.insert(0, os.getcwd())
    import slow
    raise MedirError("what an input that was cut off gives")
"""
SWALLOWING = """
import os, signal, time
def replacement(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    except KeyboardInterrupt:
        raise RuntimeError("what a library makes of it")
"""
TWICE = """
import os, signal, time
def replacement(*_, **__):
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.05)
        open("cleaned", "w").close()
"""


@pytest.mark.parametrize(
    ("patch", "files"),
    [
        (IGNORING, set()),
        (IMPORTING, {"slow.py", "loaded", "__pycache__"}),
        (SWALLOWING, set()),
        (TWICE, {"cleaned"}),
    ],
    ids=["in a finalizer", "in an import", "turned into another error", "twice"],
)
def test_no_interrupt_is_lost(patch: str, files: set[str], tmp_path: Path) -> None:
    with start(*guarded(patch), cwd=tmp_path) as process:
        out, err = process.communicate(timeout=SOON)
    assert (process.returncode, out, err) == (130, b"", b"medir: interrupted\n")
    assert {path.name for path in tmp_path.iterdir()} == files


def test_an_error_does_not_hide_an_interrupt(tmp_path: Path) -> None:
    """As where Ctrl-C ends both ends of a pipe while the second one is starting."""
    with start(*guarded(IMPORTING_BEFORE_AN_ERROR), cwd=tmp_path) as process:
        err = process.communicate(timeout=SOON)[1]
    assert (process.returncode, err.splitlines()[-1]) == (130, b"medir: interrupted")


@pytest.mark.slow
def test_a_thread_that_hangs_does_not_keep_an_interrupt_waiting(tmp_path: Path) -> None:
    """Both runs are pipes that nobody writes to."""
    for name in ("a", "b"):
        os.mkfifo(tmp_path / name)
    with start(MEDIR, "compare", "a", "b", "--threads", "2", cwd=tmp_path) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        err = process.communicate(timeout=SOON)[1]
    assert (process.returncode, err) == (130, b"medir: interrupted\n")
