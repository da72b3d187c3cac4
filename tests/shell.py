"""The `medir` command: in this process where that will do, or in one of its own.

Starting Python takes longer than most commands. What is about processes (signals, pipes, terminals,
encodings, permissions) needs one; the rest goes through click's runner.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import chdir
from pathlib import Path
from typing import Any, NamedTuple

from click.testing import CliRunner

from medir.cli import main

MEDIR = Path(sys.executable).with_name("medir")
ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
TIMEOUT = 120  # seconds; only a process that hangs takes so long


class Outcome(NamedTuple):
    """How a command ended, and what it printed."""

    code: int
    out: str
    err: str


def environment(changes: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a plain terminal of 100 columns."""
    plain = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("_MEDIR", "LC_", "PYTHON"))
        and key not in ("FORCE_COLOR", "NO_COLOR")
    }
    return plain | {"LANG": "C.UTF-8", "COLUMNS": "100", "TERM": "xterm"} | dict(changes or {})


def _hear_signals() -> None:
    """Below a shell in the background, or nohup, they are ignored; not here."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def start(
    *command: object, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[bytes]:
    """A process that runs on its own, with pipes for what it is not given."""
    pipes: dict[str, Any] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }
    if os.name == "posix":
        pipes["preexec_fn"] = _hear_signals
    words = [str(word) for word in command]
    process: subprocess.Popen[bytes] = subprocess.Popen(
        words, env=environment(env), **(pipes | options)
    )
    return process


def wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Waits while a process runs."""
    end = time.monotonic() + TIMEOUT
    while not true():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)


def unread(process: subprocess.Popen[bytes]) -> int:
    """How many bytes stand in the pipe to a process."""
    import fcntl  # only where there are such pipes
    import termios

    assert process.stdin is not None
    count = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))
    return int.from_bytes(count, sys.byteorder)


def run(
    *command: object,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> Outcome:
    """A process from start to end."""
    with start(*command, env=env, stdin=subprocess.PIPE, **options) as process:
        try:
            out, err = process.communicate(stdin, timeout=TIMEOUT)
        except BaseException:
            process.kill()
            raise
    code = process.returncode
    return Outcome(
        code, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")
    )


def medir(
    *arguments: object,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Outcome:
    """`medir ARGUMENTS` from start to end, in this process."""
    plain = environment(env)
    unset = dict.fromkeys(os.environ.keys() - plain.keys())
    words = [os.fsdecode(word) if isinstance(word, Path) else str(word) for word in arguments]
    with chdir(cwd or Path.cwd()):
        result = CliRunner().invoke(
            main, words, input=stdin, env=unset | plain, prog_name="medir", catch_exceptions=False
        )
    out, err = (
        data.decode(errors="replace") for data in (result.stdout_bytes, result.stderr_bytes)
    )
    return Outcome(result.exit_code, out, err)


def medir_process(*arguments: object, **options: Any) -> Outcome:
    """`medir ARGUMENTS` from start to end, in a process of its own."""
    return run(MEDIR, *arguments, **options)


def python(code: str, *arguments: object, **options: Any) -> Outcome:
    """`python -c CODE ARGUMENTS` from start to end."""
    return run(sys.executable, "-c", code, *arguments, **options)


def good(outcome: Outcome) -> str:
    """The output of a command that ended well, without a word on standard error."""
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out
