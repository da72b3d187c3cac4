"""Threads that the system cannot start: the work goes on with those that did."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from medir.files.background import Background
from tests.cases.examples import AFTER, BEFORE, QRELS
from tests.shell import MEDIR, Outcome, run

# Fails like a system that has no more threads, after the first MEDIR_TEST_THREADS.
FEW_THREADS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

static int started = 0;

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    static int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    if (!create) create = (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
    if (__atomic_fetch_add(&started, 1, __ATOMIC_RELAXED) >= atoi(getenv("MEDIR_TEST_THREADS"))) return EAGAIN;
    return create(thread, attributes, start, argument);
}
"""  # noqa: E501


@pytest.fixture(scope="module")
def few_threads(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that goes before the system's."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        pytest.skip("needs Linux and a C compiler")
    folder = tmp_path_factory.mktemp("few_threads")
    (folder / "few.c").write_text(FEW_THREADS)
    library = folder / "few.so"
    words: list[str | Path] = [
        compiler,
        "-shared",
        "-fPIC",
        "-o",
        library,
        folder / "few.c",
        "-ldl",
    ]
    subprocess.run(words, check=True)
    return library


def with_threads(library: Path, started: int, *words: object) -> Outcome:
    """A command that may start so many threads; the work is split over eight."""
    env = {"LD_PRELOAD": str(library), "MEDIR_TEST_THREADS": str(started)}
    return run(MEDIR, *words, "--threads", "8", env=env)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("compare", BEFORE, AFTER, "-m", "AP@20", "--format", "csv"),
        ("matrix", BEFORE, AFTER, "-m", "nDCG@20", "-o", "-"),
        ("documents", BEFORE, AFTER, "--format", "csv"),
        ("score", BEFORE, AFTER, "--qrels", QRELS),
        ("judge", BEFORE, AFTER, "--format", "csv"),
    ],
    ids=lambda words: words[0],
)
def test_the_result_is_the_same(words: tuple[object, ...], few_threads: Path) -> None:
    whole = with_threads(few_threads, 1000, *words)
    assert (whole.code, whole.err) == (0, "")
    for started in (0, 1, 2, 5):
        assert with_threads(few_threads, started, *words) == whole


PR_CAPBSET_DROP, CAP_SYS_ADMIN, CAP_SYS_RESOURCE = 24, 21, 24
NOBODY = 65534


def limit_processes(most: int) -> None:
    """What `ulimit -u` does. The limit is not for root: root becomes nobody who reads all files."""
    import resource  # which Windows has not

    if os.getuid() == 0:
        for capability in (CAP_SYS_ADMIN, CAP_SYS_RESOURCE):
            ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    if os.getuid() == 0:
        os.setresuid(NOBODY, 0, 0)


START_ONE = "import threading; threading.Thread(target=int).start()"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit works on Linux")
@pytest.mark.parametrize("most", [1, 2, 4])
@pytest.mark.parametrize(
    "words",
    [
        ("compare", BEFORE, AFTER, "-m", "AP@20", "--format", "csv"),
        ("documents", BEFORE, AFTER, "--format", "csv"),
        ("expect", BEFORE, AFTER, "--prior", "0.3", "--format", "csv"),
    ],
    ids=lambda words: words[0],
)
def test_a_limit_on_processes(words: tuple[object, ...], most: int) -> None:
    """As `ulimit -u` sets it: 1 is this process alone."""
    limited = partial(limit_processes, most)
    refused = run(sys.executable, "-c", START_ONE, preexec_fn=partial(limit_processes, 1))
    assert "can't start new thread" in refused.err
    whole = run(MEDIR, *words, "--threads", "8")
    assert (whole.code, whole.err) == (0, "")
    assert run(MEDIR, *words, "--threads", "8", preexec_fn=limited) == whole


@pytest.mark.slow
def test_fingerprints_without_threads(few_threads: Path, tmp_path: Path) -> None:
    """Which are made by threads of Python's."""
    texts = []
    for started in (0, 1000):
        path = tmp_path / f"{started}.json"
        done = with_threads(few_threads, started, "compare", BEFORE, AFTER, "--json", path)
        assert (done.code, done.err) == (0, "")
        texts.append(path.read_text())
    assert texts[0].replace('"threads"', "") == texts[1].replace('"threads"', "")


def test_work_that_no_thread_can_be_started_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("threading.Thread.start", start)
    assert Background(lambda: 6 * 7).result() == 42
    with pytest.raises(ZeroDivisionError):
        Background(lambda: 1 // 0).result()
