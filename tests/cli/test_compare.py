"""`medir` in a shell: what it prints and where, its exit codes, signals and terminals."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir as package
from tests.shell import (
    EXAMPLES,
    MEDIR,
    TIMEOUT,
    Outcome,
    environment,
    medir,
    python,
    run,
    start,
)

BEFORE, AFTER, QRELS = (EXAMPLES / name for name in ("before.run", "after.run", "qrels.txt"))
COMMANDS = ["compare", "measures", "completion"]
HEADER = ["query_id", "measure", "med", "gain", "loss", "lower", "gap"]
DEPTH = 20  # of nDCG@20, the default

Lists = dict[str, list[str]]


def good(outcome: Outcome) -> str:
    """The output of a command that ended well, without a word on standard error."""
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


def compare(*arguments: object, **options: Any) -> str:
    return good(medir("compare", *arguments, **options))


def rows_of(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows = list(reader)
    assert reader.fieldnames == HEADER
    return rows


def table(*arguments: object, **options: Any) -> list[dict[str, str]]:
    """Every row, as csv."""
    return rows_of(compare(*arguments, "--format", "csv", **options))


def meds(rows: Sequence[dict[str, str]]) -> dict[str, float]:
    return {row["query_id"]: float(row["med"]) for row in rows}


# A plain reading of the examples.


def plain_run(path: Path) -> Lists:
    results: dict[str, list[tuple[float, bytes]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        results.setdefault(query, []).append((float(np.float32(float(score))), document.encode()))
    return {
        query: [document.decode() for _, document in sorted(some, reverse=True)]
        for query, some in results.items()
    }


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[int, int, int]:
    """How many results entered, left and moved."""
    moved = sum(d in before and before.index(d) != rank for rank, d in enumerate(after))
    return len(set(after) - set(before)), len(set(before) - set(after)), moved


def plain_changes(depth: int) -> dict[str, tuple[int, int, int]]:
    before, after = plain_run(BEFORE), plain_run(AFTER)
    return {
        query: changes(before.get(query, [])[:depth], after.get(query, [])[:depth])
        for query in {**before, **after}
    }


# Commands and help.


def test_version() -> None:
    assert good(medir("--version")) == f"medir {package.__version__}\n"


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(arguments: list[str], option: str) -> None:
    text = good(medir(*arguments, option))
    name = " ".join(["medir", *arguments])
    assert f"Usage: {name} " in text
    assert re.search(rf"Examples?:\n +{name}", text)


def test_help_lists_every_command_and_the_exit_codes() -> None:
    text = good(medir("--help"))
    for name in COMMANDS:
        assert re.search(rf"^  {name}  +\w", text, re.MULTILINE)
    assert re.search(r"0 done.*1 .*2 bad usage or input", text)


def test_every_option_is_explained() -> None:
    text = good(medir("compare", "--help"))
    for option in ("-m", "--qrels", "-o", "--format", "--top", "--order", "--missing",
                   "--duplicates", "--unseen", "nothing", "--depth", "--threads"):  # fmt: skip
        assert re.search(rf"^  (-\w, )?{option}\b", text, re.MULTILINE), option


def test_measures() -> None:
    text = good(medir("measures"))
    for name in ("nDCG", "RBP", "P", "DCG", "SDCG", "INSQ", "Discount"):
        assert re.search(rf"^{name}\b", text, re.MULTILINE)


def test_python_m() -> None:
    assert good(run(sys.executable, "-m", "medir.cli", "--version")) == good(medir("--version"))


@pytest.mark.parametrize(
    "arguments", [["compare"], ["compare", BEFORE], ["nothing"], ["--nothing"]]
)
def test_bad_usage(arguments: list[object]) -> None:
    outcome = medir(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Usage: medir" in outcome.err


# The summary.


@pytest.fixture(scope="module")
def summary() -> str:
    return compare(BEFORE, AFTER)


def test_counts(summary: str) -> None:
    before, after = plain_run(BEFORE), plain_run(AFTER)
    total = len({**before, **after})
    unchanged = sum(change == (0, 0, 0) for change in plain_changes(DEPTH).values())
    assert f"{BEFORE} -> {AFTER}\n" in summary
    assert (
        f"{total} queries, {100 * unchanged / total:.1f}% unchanged; "
        f"{len(before.keys() - after)} only in the first run, "
        f"{len(after.keys() - before)} only in the second\n"
    ) in summary
    assert 0 < unchanged < total


def statistics(med: Sequence[float]) -> str:
    """The line of a measure: mean, median, 95th percentile, maximum."""
    values = (np.mean(med), np.median(med), np.percentile(med, 95), np.max(med))
    return r"\s+".join(f"{value:.4f}" for value in values)


@pytest.mark.parametrize("measures", [["nDCG@20"], ["P@10", "RBP(p=0.8)", "nDCG@5"]])
def test_statistics(measures: list[str]) -> None:
    options = [option for name in measures for option in ("-m", name)]
    text = compare(BEFORE, AFTER, *options)
    rows = table(BEFORE, AFTER, *options)
    assert [row["measure"] for row in rows[: len(measures)]] == measures
    for name in measures:
        med = [float(row["med"]) for row in rows if row["measure"] == name]
        assert len(med) == 240
        line = rf"^ *{re.escape(name)} +{statistics(med)} *$"
        assert re.search(line, text, re.MULTILINE), (line, text)
        assert f"Queries by {name}\n" in text
        assert f"Most affected queries by {name}" in text


def test_histogram(summary: str) -> None:
    """Ten bins from 0 to 1, the last with its upper edge."""
    med = list(meds(table(BEFORE, AFTER)).values())
    counts = [sum(n == min(int(value * 10), 9) for value in med) for n in range(10)]
    shown = re.findall(r"^  (0\.\d0)-(\d\.\d0) +(\d+)", summary, re.MULTILINE)
    assert [int(count) for *_, count in shown] == counts
    assert [float(low) for low, *_ in shown] == [n / 10 for n in range(10)]
    assert sum(counts) == 240


def top_rows(text: str) -> list[list[str]]:
    lines = text[text.index("Most affected queries") :].splitlines()
    return [line.split() for line in lines if re.match(r" *q\d*\s", line)]


@pytest.mark.parametrize(
    ("options", "count"), [([], 10), (["--top", "3"], 3), (["--top", "1000"], 240)]
)
def test_most_affected_queries(options: list[str], count: int) -> None:
    """Largest first, ties in the order of the queries; what entered, left and moved."""
    text = compare(BEFORE, AFTER, *options)
    rows = table(BEFORE, AFTER)
    ordered = sorted(rows, key=lambda row: -float(row["med"]))  # stable
    moves = plain_changes(DEPTH)
    expected = [
        [
            row["query_id"],
            *(f"{float(row[name]):.4f}" for name in ("med", "gain", "loss", "lower")),
            *map(str, moves[row["query_id"]]),
        ]
        for row in ordered[:count]
    ]
    assert top_rows(text) == expected
    assert len(expected) == count


def test_top_none(summary: str) -> None:
    text = compare(BEFORE, AFTER, "--top", "0")
    assert "Most affected" not in text
    assert summary.startswith(text.rstrip("\n"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_encoding(encoding: str) -> None:
    """The bars of the histogram may be other characters, but the summary is there."""
    text = compare(BEFORE, AFTER, env={"PYTHONIOENCODING": encoding})
    assert "240 queries" in text
    assert len(top_rows(text)) == 10


def test_query_ids_that_cannot_be_shown(tmp_path: Path) -> None:
    for name, document in (("a", b"x"), ("b", b"y")):
        ids = [b"q\xff", "naïve[bold]語".encode(), b"q" * 150]
        (tmp_path / name).write_bytes(b"".join(b"%b Q0 %b 1 1 t\n" % (q, document) for q in ids))
    text = compare(tmp_path / "a", tmp_path / "b", env={"COLUMNS": "120"})
    assert "3 queries" in text
    assert "naïve[bold]語" in text
    assert text.count("q" * 20) > 0


def test_file_names_that_cannot_be_shown(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"r\xe9sultats.run")
    try:
        path.write_bytes(BEFORE.read_bytes())
    except OSError:
        pytest.skip("file names are UTF-8 here")
    assert f"{len(plain_run(BEFORE))} queries, 100.0% unchanged" in compare(path, BEFORE)


# Rows.


def test_csv() -> None:
    text = compare(BEFORE, AFTER, "--format", "csv")
    result = package.compare(BEFORE, AFTER)
    assert text.splitlines()[0] == ",".join(HEADER)
    rows = rows_of(text)
    assert [row["query_id"] for row in rows] == result.queries
    for name in HEADER[2:]:
        assert [float(row[name]) for row in rows] == result.column("nDCG@20", name).tolist()


def test_every_format_says_the_same() -> None:
    options = [BEFORE, AFTER, "-m", "P@5", "-m", "nDCG(gains='linear', max_grade=3)@5"]
    rows = table(*options)
    assert rows_of(compare(*options, "--format", "tsv"), "\t") == rows
    lines = compare(*options, "--format", "jsonl").splitlines()
    records = [json.loads(line) for line in lines]
    assert [list(record) for record in records] == [HEADER] * len(rows)
    for record, row in zip(records, rows, strict=True):
        assert {k: v if k in HEADER[:2] else float(v) for k, v in row.items()} == record
    assert [row["measure"] for row in rows[:2]] == ["P@5", "nDCG(gains='linear', max_grade=3)@5"]


def test_format_table_is_the_summary(summary: str) -> None:
    assert compare(BEFORE, AFTER, "--format", "table") == summary


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet"])
def test_output(name: str, summary: str, tmp_path: Path) -> None:
    """The file beside the summary, and how many rows it has."""
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    text = compare(BEFORE, AFTER, "-o", name, cwd=tmp_path)
    assert text == f"{summary}\n240 rows written to {name}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    if not name.endswith("parquet"):
        kind = name.partition(".")[2]
        assert (tmp_path / name).read_text() == compare(BEFORE, AFTER, "--format", kind)


def test_output_with_a_stated_format(tmp_path: Path) -> None:
    text = compare(BEFORE, AFTER, "-o", "rows.txt", "--format", "tsv", cwd=tmp_path)
    assert "240 rows written to rows.txt" in text
    assert len(rows_of((tmp_path / "rows.txt").read_text(), "\t")) == 240


def test_output_of_several_measures(tmp_path: Path) -> None:
    arguments = [BEFORE, AFTER, "-m", "P@5", "-m", "P@10", "--output", tmp_path / "out.csv"]
    assert "480 rows written" in compare(*arguments)


# Options.


def save(folder: Path, name: str, lists: Lists) -> Path:
    """A run whose scores go down from 100."""
    lines = [
        f"{query} Q0 {document} {rank} {100 - rank} t\n"
        for query, documents in lists.items()
        for rank, document in enumerate(documents)
    ]
    (folder / name).write_text("".join(lines))
    return folder / name


def test_missing(tmp_path: Path) -> None:
    """P@2 against an empty list that goes on unseen, or that ended."""
    before = save(tmp_path, "a", {"q1": ["a", "b"], "q2": ["a", "b"]})
    after = save(tmp_path, "b", {"q3": ["a"], "q1": ["a", "c"]})
    arguments = [before, after, "-m", "P@2", "--unseen", "nothing"]
    expected = {"q1": 0.5, "q2": 1.0, "q3": 0.5}
    assert meds(table(*arguments)) == expected
    assert meds(table(*arguments, "--missing", "empty")) == expected
    assert meds(table(*arguments, "--missing", "skip")) == {"q1": 0.5}
    assert "1 only in the first run, 1 only in the second" in compare(*arguments)
    outcome = medir("compare", *arguments, "--missing", "error")
    assert outcome.code == 2
    assert "q2, q3" in outcome.err


def test_complete(tmp_path: Path) -> None:
    """P@4 of a, b and b, a: all unseen may matter (2 of 4 ranks), or nothing does."""
    before = save(tmp_path, "a", {"q": ["a", "b"]})
    after = save(tmp_path, "b", {"q": ["b", "a"]})
    assert meds(table(before, after, "-m", "P@4")) == {"q": 0.5}
    assert meds(table(before, after, "-m", "P@4", "--unseen", "nothing")) == {"q": 0.0}


def test_depth(tmp_path: Path) -> None:
    """P@4 of lists that are cut at 2: without the cut they differ in one document of four."""
    before = save(tmp_path, "a", {"q": ["a", "b", "c", "d"]})
    after = save(tmp_path, "b", {"q": ["b", "a", "c", "x"]})
    arguments = [before, after, "-m", "P@4", "--unseen", "nothing"]
    assert meds(table(*arguments)) == {"q": 0.25}
    assert meds(table(*arguments, "--depth", "2")) == {"q": 0.0}
    assert meds(table(*arguments, "--depth", "1")) == {"q": 0.25}
    assert top_rows(compare(*arguments, "--depth", "1"))[0][-3:] == ["1", "1", "0"]
    assert top_rows(compare(*arguments))[0][-3:] == ["1", "1", "2"]


def test_order(tmp_path: Path) -> None:
    """One file in three orders: by score b c a, by rank c a b, as it stands a b c."""
    lines = "q Q0 a 2 1 t\nq Q0 b 3 9 t\nq Q0 c 1 5 t\n"
    (tmp_path / "a").write_text(lines)
    first = {"score": "b", "rank": "c", "file": "a"}
    for order, document in first.items():
        other = save(tmp_path, "b", {"q": [document]})
        other.write_text(other.read_text().replace("Q0 b 0", "Q0 b 1"))
        arguments = [tmp_path / "a", other, "-m", "P@1", "--order"]
        assert {name: meds(table(*arguments, name))["q"] for name in first} == {
            name: float(name != order) for name in first
        }


def test_duplicates(tmp_path: Path) -> None:
    """a, b, a, c is a, b, c; the result that is dropped is counted."""
    before = save(tmp_path, "a", {"q": ["a", "b", "a", "c"], "r": ["x", "x", "x"]})
    after = save(tmp_path, "b", {"q": ["a", "b", "c"], "r": ["x"]})
    arguments = [before, after, "-m", "P@3", "--unseen", "nothing"]
    assert medir("compare", *arguments).code == 2
    text = compare(*arguments, "--duplicates", "first")
    assert "3 results dropped" in text
    assert "2 queries, 100.0% unchanged" in text
    assert meds(table(*arguments, "--duplicates", "first")) == {"q": 0.0, "r": 0.0}
    assert "dropped" not in compare(after, after, "--duplicates", "first")


def test_qrels(tmp_path: Path) -> None:
    """P@2 of a, b and c, d: with a relevant and b, c not, the change loses 1 or wins nothing."""
    before = save(tmp_path, "a", {"q": ["a", "b"], "r": ["a", "b"]})
    after = save(tmp_path, "b", {"q": ["c", "d"], "r": ["c", "d"]})
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\nq 0 b 0\nq 0 c 0\n")
    arguments = [before, after, "-m", "P@2"]
    assert [row["med"] for row in table(*arguments)] == ["1", "1"]
    rows = table(*arguments, "--qrels", qrels)
    assert [(row["gain"], row["loss"]) for row in rows] == [("0", "0.5"), ("1", "1")]
    text = compare(*arguments, "--qrels", qrels)
    assert "highest grade 1 (from the judgments)" in text
    assert "1 queries without a relevant judgment" in text


def test_qrels_of_the_examples() -> None:
    relevant = {
        line.split()[0] for line in QRELS.read_text().splitlines() if int(line.split()[3]) > 0
    }
    text = compare(BEFORE, AFTER, "--qrels", QRELS)
    assert "highest grade 2 (from the judgments)" in text
    assert f"{240 - len(relevant)} queries without a relevant judgment" in text
    free, judged = meds(table(BEFORE, AFTER)), meds(table(BEFORE, AFTER, "--qrels", QRELS))
    assert all(judged[query] <= free[query] + 1e-12 for query in free)
    assert any(judged[query] < free[query] for query in free)


def test_the_highest_grade_is_stated() -> None:
    assert "highest grade 2 (default)" in compare(BEFORE, AFTER)
    assert "highest grade 4 (declared)" in compare(BEFORE, AFTER, "-m", "nDCG(max_grade=4)@5")
    assert "highest grade" not in compare(BEFORE, AFTER, "-m", "P@5")


@pytest.mark.parametrize("threads", ["1", "2", "7", "1000"])
def test_threads(threads: str, summary: str) -> None:
    assert compare(BEFORE, AFTER, "--threads", threads) == summary


# Completion.


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str) -> None:
    script = good(medir("completion", shell))
    assert f"_MEDIR_COMPLETE={shell}_complete" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["medir", "comp"], {"compare", "completion"}),
        (["medir", "compa"], {"compare"}),
        (["medir", "compare", "--qr"], {"--qrels"}),
        (["medir", "compare", "--missing", "s"], {"skip"}),
        (["medir", "compare", "-m", "nd"], {"nDCG@20"}),
        (["medir", "completion", "z"], {"zsh"}),
    ],
)
def test_completing(words: list[str], expected: set[str]) -> None:
    """As bash asks for it."""
    env = {
        "_MEDIR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    outcome = good(medir(env=env))
    assert {line.partition(",")[2] for line in outcome.splitlines()} == expected


@pytest.mark.parametrize(
    "words", [["medir", "compare", "ex"], ["medir", "compare", "--qrels", "ex"]]
)
def test_completing_a_file(words: list[str]) -> None:
    """That is left to the shell."""
    env = {
        "_MEDIR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    assert good(medir(env=env)).startswith("file,")


# The progress bar.

WATCHED = """
import sys
import medir.cli, medir.cli.progress, medir.comparing.compare
from medir.cli import main

medir.cli.progress.PATIENCE = float(sys.argv.pop(1))
module = sys.modules["medir.comparing.compare"]
compare = module.compare

def slow(*arguments, progress, **options):
    if progress is not None:
        for done in (0, 50, 100):
            progress(done, 100)
    return compare(*arguments, progress=progress, **options)

module.compare = slow
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


# Readers that leave early, full disks, Ctrl-C.


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
        assert process.wait(TIMEOUT) in (0, 1, 128 + signal.SIGPIPE, -signal.SIGPIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("format_", ["csv", "table"])
def test_a_full_disk_behind_standard_output(format_: str) -> None:
    with Path("/dev/full").open("wb") as full:
        outcome = medir("compare", BEFORE, AFTER, "--format", format_, stdout=full)
    assert outcome.code != 0
    assert "No space left on device" in outcome.err
    assert "Traceback" not in outcome.err


ENDLESS = """
import pathlib, sys
import medir.cli
from medir import _core

once = _core.compare

def again_and_again(*arguments):
    state, done, times = arguments[-1], -1, 0
    while state.done > done:  # until it is cancelled
        done, times = state.done, times + 1
        found = once(*arguments)
        if times == 20:
            pathlib.Path("started").touch()
    return found

_core.compare = again_and_again
medir.cli.main(["compare", *sys.argv[1:]])
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
    assert code in (1, 128 + signal.SIGINT, -signal.SIGINT)
    assert out == ""
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 2
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
    assert code in (1, 128 + signal.SIGINT, -signal.SIGINT)
    assert out == ""
    assert "Traceback" not in err
    assert "Fatal" not in err
    assert list(tmp_path.iterdir()) == []


def test_a_bad_run_is_said_before_standard_input_ends(tmp_path: Path) -> None:
    """Whoever types one run learns at once that there is no other."""
    with start(MEDIR, "compare", "-", tmp_path / "none.run", stdin=subprocess.PIPE) as process:
        try:
            assert process.wait(10) == 2
        finally:
            process.kill()


def wait_until(true: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + TIMEOUT
    while not true():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.01)


def unread(process: subprocess.Popen[bytes]) -> int:
    """How many bytes stand in the pipe to a process."""
    assert process.stdin is not None
    count = fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))
    return int.from_bytes(count, sys.byteorder)


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


def test_nothing_depends_on_the_user_environment() -> None:
    """An empty environment will do."""
    plain = {key: value for key, value in environment().items() if key in ("PATH", "HOME")}
    process = subprocess.run(
        [MEDIR, "compare", BEFORE, AFTER, "--top", "0"], env=plain, capture_output=True, check=True
    )
    assert b"240 queries" in process.stdout
    assert process.stderr == b""


def test_the_command_does_not_load_table_libraries() -> None:
    code = """
import sys
from medir.cli import main
try:
    main(["compare", *sys.argv[1:], "--format", "csv"])
finally:
    print(*sys.modules, file=sys.stderr)
"""
    loaded = set(python(code, BEFORE, AFTER).err.split())
    assert "numpy" in loaded
    assert not loaded & {"pandas", "polars", "pyarrow", "rich"}
