"""Work runs where it is called, and an interrupt is answered between its queries."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

import medir

# One block of queries, which take long.
HEAVY = """
import random, signal
import medir
signal.signal(signal.SIGINT, signal.default_int_handler)
random.seed(1)
documents = [f"d{i}" for i in range(3000)]
runs = [{str(q): random.sample(documents, 3000) for q in range(250)} for _ in range(2)]
runs = [medir.Run.of(run) for run in runs]
print("ready", flush=True)
medir.compare(*runs, "AP@3000", threads=THREADS)
print("done", flush=True)
"""


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_within_a_block(threads: int) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", HEAVY.replace("THREADS", str(threads))],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert out == ""
    assert err.rstrip().endswith("KeyboardInterrupt")


def test_an_error_of_the_watcher_stops_the_work() -> None:
    def watch(done: int, total: int) -> None:
        raise RuntimeError(f"{done} of {total}")

    with pytest.raises(RuntimeError, match="1 of 1"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, progress=watch)


def test_small_calls_start_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: object) -> None:
        raise AssertionError("a thread was started")

    monkeypatch.setattr("threading.Thread.start", start)
    assert medir.med(["a", "b"], ["b", "c"], "P@2") == 0.5
    assert medir.solve(["a", "b"], ["b", "c"], "AP@2").med > 0
    medir.expect({"q": ["a"]}, {"q": ["b"]}, "P@1", prior=0.5, threads=1)
