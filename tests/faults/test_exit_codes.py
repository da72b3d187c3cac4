"""Exit codes: 1 is a check that failed and nothing else. See the table of docs/gate.md."""

from __future__ import annotations

import os
import re
import signal
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import medir.__main__ as process
from tests.cases.examples import AFTER, BEFORE
from tests.faults.test_interrupts import GUARDED
from tests.shell import MEDIR, ROOT, Outcome, medir_process, run

COMPARE = ("compare", BEFORE, AFTER, "--top", "0")
FAILING = ("--fail-above", "nDCG@20=0.1")


def shell(line: str, *words: object, **options: Any) -> Outcome:
    """`medir WORDS` within a line of bash, which has it as "$@"."""
    return run("bash", "-c", line, "bash", MEDIR, *words, **options)


@pytest.mark.posix
@pytest.mark.parametrize(("more", "code"), [((), 0), (FAILING, 1)])
def test_a_closed_standard_error_changes_nothing(more: tuple[str, ...], code: int) -> None:
    plain = medir_process(*COMPARE, *more)
    for line in ('"$@" 2>&-', '"$@" 2>/dev/full', '"$@" 2> >(true)'):
        assert shell(line, *COMPARE, *more) == (code, plain.out, ""), line


@pytest.mark.posix
def test_a_closed_standard_error_is_nobodys_file(tmp_path: Path) -> None:
    """What would have been said there does not end up in a file that is written."""
    words = (*COMPARE, *FAILING, "-o", "out.csv")
    assert shell('"$@" 2>&-', *words, cwd=tmp_path).code == 1
    text = (tmp_path / "out.csv").read_text()
    assert "medir:" not in text
    assert len(text.splitlines()) == 241


@pytest.mark.posix
@pytest.mark.parametrize("more", [(), ("--format", "csv"), FAILING])
def test_a_closed_standard_output(more: tuple[str, ...]) -> None:
    done = shell('"$@" >&-', *COMPARE, *more)
    assert done == (2, "", "medir: cannot write standard output: Bad file descriptor\n")


@pytest.mark.posix
@pytest.mark.parametrize("more", [(), ("--format", "csv"), FAILING])
def test_a_full_disk_behind_standard_output(more: tuple[str, ...]) -> None:
    done = shell('"$@" >/dev/full', *COMPARE, *more)
    assert done == (2, "", "medir: cannot write standard output: No space left on device\n")


@pytest.mark.posix
@pytest.mark.parametrize(
    "words", [("--help",), ("compare", "--help"), ("--version",), COMPARE, ("measures",)]
)
def test_a_closed_pipe(words: tuple[object, ...]) -> None:
    """As a command that SIGPIPE ends, and as quietly."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = medir_process(*words, stdout=pipe)
    assert done == (128 + signal.SIGPIPE, "", "")


@pytest.mark.posix
def test_no_stream_at_all(tmp_path: Path) -> None:
    """The file is written all the same; what is printed cannot be."""
    done = shell('"$@" <&- >&- 2>&-', *COMPARE, "-o", "out.csv", cwd=tmp_path)
    assert done == (2, "", "")
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 241


UNEXPECTED = """
def replacement(*_, **__):
    raise ZeroDivisionError("a fault\\x1b[31m\\nof ours")
"""


@pytest.mark.parametrize("traceback", [False, True])
def test_what_nobody_expects(traceback: bool) -> None:
    env = {"MEDIR_TRACEBACK": "1"} if traceback else {}
    code = GUARDED.format(patch=UNEXPECTED)
    done = run(sys.executable, "-c", code, BEFORE, AFTER, env=env)
    assert (done.code, done.out) == (70, "")
    *lines, last = done.err.splitlines()
    assert last == (
        "medir: internal error: ZeroDivisionError: a fault?[31m; please report it with the command "
        "(MEDIR_TRACEBACK=1 shows where it happened)"
    )
    assert ("Traceback (most recent call last):" in lines) == traceback


@pytest.mark.parametrize(
    "error",
    ["MemoryError()", "ImportError('x.so: failed to map segment from shared object')",
     "__import__('numpy').zeros(1 << 50)"],
)  # fmt: skip
def test_no_memory(error: str) -> None:
    patch = f"def replacement(*_, **__):\n    raise {error}"
    done = run(sys.executable, "-c", GUARDED.format(patch=patch), BEFORE, AFTER)
    assert done == (2, "", "medir: not enough memory\n")


ENDING = """
import atexit, sys, threading, time
import medir.__main__ as process

def late():
    time.sleep(1)
    print("a thread", file=sys.stderr)

threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=[3600], daemon=True).start()
atexit.register(print, "an exit function", file=sys.stderr)
process.main()
"""


def test_threads_and_exit_functions_end_with_the_process() -> None:
    done = run(sys.executable, "-c", ENDING, *COMPARE, *FAILING)
    assert done.code == 1
    *_, last = lines = done.err.splitlines()
    assert "a thread" in lines
    assert last == "an exit function"
    assert done.out == medir_process(*COMPARE, *FAILING).out


def limited(megabytes: int) -> None:
    import resource  # which Windows has not

    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit works on Linux")
def test_memory_limits(tmp_path: Path) -> None:
    """From too little to enough: the result, or "not enough memory"; nothing in between."""
    lines = "".join(f"q{q} Q0 d{d} 1 {-d} t\n" for q in range(2000) for d in range(100))
    (tmp_path / "a.run").write_text(lines)
    words = ("compare", "a.run", "a.run", "-m", "AP@50", "--top", "0", "-o", "out.csv")
    codes = []
    for megabytes in range(60, 420, 24):
        with_limit = partial(limited, megabytes)
        env = {"SKBUILD_EDITABLE_SKIP": str(ROOT / "build" / "dev")}  # a build needs memory, too
        done = medir_process(*words, cwd=tmp_path, preexec_fn=with_limit, env=env)
        codes.append(done.code)
        if not re.search("OpenBLAS|^Fatal Python error|^$", done.err):  # others' own words
            assert done.code == 2, (megabytes, done)
            assert done.err.endswith("not enough memory\n"), (megabytes, done)
        assert "Traceback" not in done.err, (megabytes, done)
        assert done.code not in (1, 70), (megabytes, done)
        if done.code == 0:
            assert len((tmp_path / "out.csv").read_text().splitlines()) == 2001
    assert codes[-1] == 0
    assert 2 in codes


def test_the_table_of_codes_is_that_of_the_program() -> None:
    text = (ROOT / "docs" / "gate.md").read_text(encoding="utf-8")
    table = {int(code) for code in re.findall(r"^\| `(\d+)` \|", text, re.MULTILINE)}
    signals = {process.SIGNALLED + number for number in (1, 2, 15)}
    assert table == {0, 1, process.CANNOT, process.UNEXPECTED, process.CLOSED_PIPE, *signals}
    shown = medir_process("--help").out
    assert all(re.search(rf"\b{code}\b", shown) for code in table)
