"""Files that others change while they are read: a clear error, and never a signal or a number."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import medir
from medir.errors import InputError
from medir.files.opening import content_of, opened, plain_bytes
from tests.shell import MEDIR, Outcome, python, start

pytestmark = pytest.mark.posix  # other systems do not map files

CHANGED = "changed while it was being read"
QUERIES = 2000
RUN = "".join(f"q{q} Q0 d{q + r} {r} {9.5 - r} t\n" for q in range(QUERIES) for r in range(5))

# Each kind of file, and what reads it from end to end after it was opened.
READERS = r"""
import os, sys
from pathlib import Path
import medir
from medir.errors import InputError
from medir.inputs.lengths import Lengths
from medir.inputs.passages import Passages
from medir.passages.compare import compare_passages

N = 1500
RANKS = range(3)
rows = [(q, q + r, r + 1, 9.5 - r) for q in range(N) for r in RANKS]
FILES = {
    "trec.run": "".join(f"q{q} Q0 d{d} {r} {s} t\n" for q, d, r, s in rows),
    "marco.txt": "".join(f"q{q}\td{d}\t{r}\n" for q, d, r, s in rows),
    "table.csv": "query_id,doc_id,score\n" + "".join(f'q{q},"d""{d}",{s}\n' for q, d, r, s in rows),
    "table.tsv": "query_id\tdoc_id\tscore\n" + "".join(f"q{q}\td{d}\t{s}\n" for q, d, r, s in rows),
    "lines.jsonl": "".join(
        f'{{"query_id": "q{q}", "doc_id": "d\\u0041{d}", "score": {s}}}\n' for q, d, r, s in rows),
    "lists.jsonl": "".join(
        f'{{"query_id": "q{q}", "doc_ids": ["d{q}", "d\\u0041{q}"], "scores": [2, 1]}}\n'
        for q in range(N)),
    "object.json": "{" + ",".join(f'"q{q}": {{"d{q}": 2.5, "e": 1}}' for q in range(N)) + "}",
    "qrels.txt": "".join(f"q{q} 0 d{d} {r % 3}\n" for q, d, r, s in rows),
    "words.txt": "".join(f"d{d} {d % 100}\n" for d in range(4 * N)),
    "queries.tsv": "query_id\ttext\tweight\n" + "".join(
        f"q{q}\t{'a text ' * 12}\t{q % 7}\n" for q in range(N)),
    "passages.txt": "".join(f"q{q} d{d} {r} {s} {r * 10} 10 t\n" for q, d, r, s in rows),
}
OTHER = {f"q{q}": {f"d{q}": 1.0} for q in range(N)}
GOOD = Path("good.run")
GOOD.write_text(FILES["trec.run"])


def opened(name):
    "What was opened, and what reads the rest of it."
    if name == "qrels.txt":
        qrels = medir.Qrels.of(name)
        return lambda: medir.compare(OTHER, OTHER, "nDCG@3", qrels=qrels, threads=2)
    if name == "words.txt":
        lengths = Lengths.of(name)
        return lambda: medir.compare(str(GOOD), OTHER, "TBG", lengths=lengths, threads=2)
    if name == "queries.tsv":
        queries = medir.Queries.of(name)
        return lambda: medir.compare(OTHER, OTHER, "nDCG@3", queries=queries, weight="weight")
    if name == "passages.txt":
        run = Passages.of(name)
        return lambda: compare_passages(run, run)
    run = medir.Run.of(name)
    return lambda: medir.compare(run, OTHER, "nDCG@3", threads=2)
"""

SHRINK = (
    READERS
    + r"""
import faulthandler
faulthandler.enable()
for name, text in FILES.items():
    size = len(text.encode())
    for left in (0, 1, 4096, size // 2 // 4096 * 4096, size // 2, size - 1):
        Path(name).write_text(text)
        read = opened(name)
        os.truncate(name, left)
        try:
            read()
        except InputError as error:
            assert str(error).startswith(f"{name}: changed while it was being read\nWait"), error
        else:
            raise SystemExit(f"{name} of {left} bytes was read")
    print(name)
"""
)

MUTATE = (
    READERS
    + r"""
import random
SIGNS = [b" ", b"\n", b"\t", b'"', b"\\", b"{", b"x", b"\0", b","]
random.seed(int(sys.argv[1]))
found = 0
for name, text in FILES.items():
    data = text.encode()
    for _ in range(12):
        Path(name).write_bytes(data)
        os.utime(name, ns=(10**18, 10**18))
        read = opened(name)
        with open(name, "r+b") as file:  # the same bytes and others, at the same time and size
            for _ in range(random.choice([1, 30, 3000])):
                file.seek(random.randrange(len(data)))
                file.write(random.choice(SIGNS))
            if random.random() < 0.5:
                file.seek(len(data) - 5000)
                file.write(random.choice([b"x", b"\n", b'"', b"\\", b" "]) * 5000)
            file.truncate(len(data))
        os.utime(name, ns=(10**18, 10**18))
        try:
            read()
        except InputError:
            found += 1
print(found)
"""
)


@pytest.mark.slow
def test_every_kind_of_file_that_shrinks(tmp_path: Path) -> None:
    outcome = python(SHRINK, cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert len(outcome.out.split()) == 11


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_bytes_that_change_under_the_reader_end_no_process(seed: int, tmp_path: Path) -> None:
    outcome = python(MUTATE, seed, cwd=tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert int(outcome.out) > 50, "most of what was written is no input"


def until_mapped(process: subprocess.Popen[bytes], name: str) -> None:
    for _ in range(3000):
        if name in Path(f"/proc/{process.pid}/maps").read_text():
            return
        time.sleep(0.01)
    pytest.fail(f"{name} was not mapped")


def test_the_shell(tmp_path: Path) -> None:
    """The file shrinks when it was mapped, and before the other run comes through its pipe."""
    before, pipe = tmp_path / "before.run", tmp_path / "pipe"
    before.write_text(RUN)
    os.mkfifo(pipe)
    command = (MEDIR, "compare", "before.run", pipe, "-o", "out.csv", "--threads", "2")
    with start(*command, cwd=tmp_path) as process:
        until_mapped(process, "before.run")
        os.truncate(before, 5000)
        pipe.write_text(RUN)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert err.decode().startswith(f"medir: before.run: {CHANGED}\nWait until the file is complete")
    assert {path.name for path in tmp_path.iterdir()} == {"before.run", "pipe"}


def write(path: Path, mode: str) -> None:
    with path.open(mode) as file:
        file.write("q0 Q0 other 0 1 t\n")


CHANGES: dict[str, Callable[[Path], object]] = {
    "grows": partial(write, mode="a"),
    "is written in place": partial(write, mode="r+"),
    "is written again": lambda path: path.write_text(RUN[:-30]),
    "has another time": lambda path: os.utime(path, ns=(1, 1)),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_changes_between_opening_and_comparing(change: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text(RUN)
    run = medir.Run.of(path)
    CHANGES[change](path)
    with pytest.raises(InputError, match=f"a.run: {CHANGED}"):
        medir.compare(run, run)
    with pytest.raises(InputError, match=CHANGED):
        run["q1"]
    with pytest.raises(InputError, match=CHANGED):
        list(run)


def test_a_file_that_is_replaced_is_read_as_it_was(tmp_path: Path) -> None:
    path, new = tmp_path / "a.run", tmp_path / "new"
    path.write_text(RUN)
    run = medir.Run.of(path)
    expected = run["q7"]
    new.write_text("q7 Q0 other 1 1 t\n")
    new.replace(path)
    assert run["q7"] == expected
    path.unlink()
    assert len(medir.compare(run, run)) == QUERIES


@pytest.mark.parametrize(
    "read", [lambda path: content_of(str(path)), lambda p: plain_bytes(str(p))]
)
def test_what_is_read_whole(
    read: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process writes to the file between two looks at it."""
    from medir.files import origins

    path = tmp_path / "a.run"
    path.write_text(RUN)
    looked = origins._stamp
    times = iter(range(9))
    monkeypatch.setattr(origins, "_stamp", lambda status: (looked(status)[0], next(times)))
    with pytest.raises(InputError, match=f"a.run: {CHANGED}"):
        read(path)


def test_what_is_read_line_by_line(tmp_path: Path) -> None:
    path = tmp_path / "titles.tsv"
    path.write_text("d1\ttitle\n" * 100_000)

    def read() -> None:
        with opened(str(path)) as file:
            for number, _ in enumerate(file):
                if number == 5:
                    os.truncate(path, 40)

    with pytest.raises(InputError, match=f"titles.tsv: {CHANGED}"):
        read()


OTHERS = r"""
import faulthandler, mmap, os, signal, sys
kind = sys.argv[1]
if kind == "traced":
    faulthandler.enable()
if kind == "handled":
    signal.signal(signal.SIGBUS, lambda *_: print("heard", flush=True))
if kind == "ignored":
    signal.signal(signal.SIGBUS, signal.SIG_IGN)
import medir
run = medir.Run.of("a.run")
if kind == "traced late":
    faulthandler.enable()
if kind in ("sent", "handled", "ignored"):
    os.kill(os.getpid(), signal.SIGBUS)
    print(len(run), flush=True)
    raise SystemExit(0)
with open("other", "w+b") as file:
    file.write(bytes(8192))
    file.flush()
    other = mmap.mmap(file.fileno(), 8192)
    file.truncate(0)
    other[5000]
"""


@pytest.mark.slow
def test_a_fault_of_others_is_theirs(tmp_path: Path) -> None:
    """In memory that is not ours nothing changes: not for faulthandler, nor for a handler."""
    (tmp_path / "a.run").write_text(RUN)

    def ended(kind: str) -> Outcome:
        return python(OTHERS, kind, cwd=tmp_path)

    for kind in ("plain", "sent"):
        assert ended(kind) == (-signal.SIGBUS, "", "")
    for kind in ("traced", "traced late"):
        code, out, err = ended(kind)
        assert (code, out) == (-signal.SIGBUS, "")
        assert "Fatal Python error: Bus error" in err
    assert ended("handled") == (0, f"heard\n{QUERIES}\n", "")
    assert ended("ignored") == (0, f"{QUERIES}\n", "")
