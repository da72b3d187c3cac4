"""`medir` on a terminal, and where it is cut short: progress, closed pipes, full disks, Ctrl-C."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cases.examples import AFTER, BEFORE
from tests.cli.test_compare import rows_of
from tests.shell import MEDIR, TIMEOUT, start, unread, wait_until

pytestmark = pytest.mark.slow  # each starts a process
fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))

# The progress bar.

WATCHED = """
import sys
import medir.cli, medir.cli.progress, medir.comparing.compare
from medir.cli import main

medir.cli.progress.PATIENCE = float(sys.argv.pop(1))
module = sys.modules["medir.comparing.compare"]
compare = module.compare_recorded

def slow(*arguments, progress, **options):
    if progress is not None:
        for done in (0, 50, 100):
            progress(done, 100)
    return compare(*arguments, progress=progress, **options)

module.compare_recorded = slow
main(["compare", *sys.argv[1:]])
"""


def on_terminal(*command: object, terminal: str) -> tuple[int, str, str]:
    """Runs with a terminal as standard output or standard error and a pipe as the other.

    Returns the exit code, what came to the terminal, and what came through the pipe.
    """
    master, slave = pty.openpty()
    options: dict[str, Any] = {terminal: slave}
    with start(*command, **options) as process:
        os.close(slave)
        pipe = process.stderr if terminal == "stdout" else process.stdout
        assert pipe is not None
        received = {master: b"", pipe.fileno(): b""}
        waiting = set(received)
        end = time.monotonic() + TIMEOUT
        while waiting:
            ready, _, _ = select.select(list(waiting), [], [], max(0.0, end - time.monotonic()))
            if not ready:
                process.kill()
                raise TimeoutError
            for descriptor in ready:
                try:
                    data = os.read(descriptor, 1 << 16)
                except OSError:  # a terminal that nobody has open any more
                    data = b""
                received[descriptor] += data
                if not data:
                    waiting.remove(descriptor)
        code = process.wait()
        texts = [received[master].decode(), received[pipe.fileno()].decode()]
    os.close(master)
    return code, texts[0], texts[1]


def watched(patience: float, terminal: str) -> tuple[int, str, str]:
    arguments = [str(patience), BEFORE, AFTER, "--format", "csv"]
    return on_terminal(sys.executable, "-c", WATCHED, *arguments, terminal=terminal)


def test_progress_on_a_terminal() -> None:
    code, terminal, pipe = watched(0, "stderr")
    assert code == 0
    assert "Comparing" in terminal
    assert "%" in terminal
    assert len(rows_of(pipe)) == 240


def test_no_progress_for_what_is_quick() -> None:
    assert watched(3600, "stderr")[:2] == (0, "")


def test_no_progress_where_nobody_watches() -> None:
    code, terminal, pipe = watched(0, "stdout")
    assert (code, pipe) == (0, "")
    assert "Comparing" not in terminal
    assert len(terminal.splitlines()) == 241


def test_progress_is_gone_when_an_error_is_shown(tmp_path: Path) -> None:
    (tmp_path / "bad.run").write_text("q Q0 d 1 x t\n")
    arguments = ["0", tmp_path / "bad.run", AFTER]
    code, terminal, pipe = on_terminal(sys.executable, "-c", WATCHED, *arguments, terminal="stderr")
    assert (code, pipe) == (2, "")
    assert re.search(r"medir: .*bad\.run, line 1: the score 'x' is not a number", terminal)


def test_summary_on_a_terminal(summary: str) -> None:
    """With colours or without, it says the same."""
    code, terminal, pipe = on_terminal(MEDIR, "compare", BEFORE, AFTER, terminal="stdout")
    assert (code, pipe) == (0, "")
    bare = re.sub(r"\x1b\[[\d;]*m", "", terminal).replace("\r\n", "\n")
    assert [line.rstrip() for line in bare.splitlines()] == [
        line.rstrip() for line in summary.splitlines()
    ]


# Readers that leave early, Ctrl-C.


@pytest.mark.parametrize("lines", [0, 1])
@pytest.mark.parametrize("format_", ["csv", "jsonl", "table"])
def test_a_reader_that_leaves_early(lines: int, format_: str) -> None:
    """As `| head -1`: more rows than a pipe holds, and nobody there to take them."""
    measures = [option for n in range(1, 60) for option in ("-m", f"P@{n}")]
    with start(MEDIR, "compare", BEFORE, AFTER, *measures, "--format", format_) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for _ in range(lines):
            assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(TIMEOUT) == 128 + signal.SIGPIPE


ENDLESS = """
import pathlib, sys
import medir.__main__
from medir import _core

once = _core.compare

def again_and_again(*arguments):
    *_, state, _shards = arguments
    done, times = -1, 0
    while state.done > done:  # until it is cancelled
        done, times = state.done, times + 1
        found = once(*arguments)
        if times == 20:
            pathlib.Path("started").touch()
    return found

_core.compare = again_and_again
sys.argv.insert(1, "compare")
medir.__main__.main()
"""


@pytest.mark.parametrize("older", [False, True], ids=["new", "older"])
@pytest.mark.parametrize("threads", ["1", "2"])
def test_interrupt_a_comparison(older: bool, threads: str, tmp_path: Path) -> None:
    """Ctrl-C ends a comparison that would never end, and no file is written."""
    if older:
        (tmp_path / "out.csv").write_bytes(b"older\n")
    arguments = [BEFORE, AFTER, "-o", "out.csv", "--threads", threads]
    with start(sys.executable, "-c", ENDLESS, *arguments, cwd=tmp_path) as process:
        wait_until((tmp_path / "started").exists, process)
        assert process.poll() is None
        code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "medir: interrupted\n")
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "started"}
    assert left == ({"out.csv": b"older\n"} if older else {})


@pytest.mark.parametrize("threads", ["1", "2"])
def test_interrupt_a_wait_for_standard_input(threads: str, tmp_path: Path) -> None:
    """Ctrl-C while a run is still to be typed."""
    arguments = ["compare", "-", AFTER, "-o", tmp_path / "out.csv", "--threads", threads]
    with start(MEDIR, *arguments, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"q001 Q0 d 1 1 t\n")
        process.stdin.flush()
        wait_until(lambda: unread(process) == 0, process)
        code, out, err = interrupted(process)
    assert (code, out, err) == (130, "", "medir: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_a_bad_run_is_said_before_standard_input_ends(tmp_path: Path) -> None:
    """Whoever types one run learns at once that there is no other."""
    with start(MEDIR, "compare", "-", tmp_path / "none.run", stdin=subprocess.PIPE) as process:
        try:
            assert process.wait(10) == 2
        finally:
            process.kill()


def interrupted(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Sends Ctrl-C; the exit code and what was printed."""
    assert process.stdout is not None
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    try:
        code = process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return code, process.stdout.read().decode(), process.stderr.read().decode()
