"""Numbers that no option should have, for every option of every command that takes a number."""

from __future__ import annotations

import time
from pathlib import Path

import click
import pytest

from medir.cli import COMMANDS, main
from tests.cases.summaries import PASSAGES
from tests.shell import medir as shell

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
OTHER = b"q1 Q0 b 1 3 t\nq1 Q0 x 2 2 t\nq2 Q0 c 1 1 t\n"
FILES = {
    "before.run": RUN,
    "after.run": OTHER,
    "qrels.txt": b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n",
    "words.txt": b"a 100\nb 200\nx 20\nc 4\n",
    "queries.tsv": b"query_id\ttext\tweight\nq1\tone\t1\nq2\ttwo\t2\n",
}
RUNS = "before.run", "after.run"
# Each command with what it needs; a study takes too long.
ARGUMENTS: dict[str, tuple[object, ...]] = {
    "compare": (*RUNS, "--lengths", "words.txt", "-m", "TBG", "-m", "AP@5"),
    "expect": (*RUNS, "--prior", "rank", "-m", "nDCG@5"),
    "score": ("before.run", "--qrels", "qrels.txt"),
    "explain": (*RUNS, "q1"),
    "documents": RUNS,
    "judge": RUNS,
    "matrix": RUNS,
    "passages": tuple(PASSAGES[:2]),
    "convert": ("before.run", "-o", "out.csv"),
}
HOSTILE = ["0", "-1", "1" + 30 * "0", "18446744073709551616", "9" * 5000, "nan", "-inf", "inf", "",
           "1e400", "0x10", "٣", "²", "1_0", " 1", "1.5", "--", "9223372036854775808"]  # fmt: skip
NUMBERS = click.types.IntParamType, click.types.FloatParamType


def number_options() -> list[tuple[str, str]]:
    """Every command with each of its options that is a number."""
    context = click.Context(main)
    found = []
    for name in COMMANDS:
        command = main.get_command(context, name)
        assert command is not None
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, NUMBERS):
                found.append((name, option.opts[-1]))
    return found


def test_every_number_has_both_ends() -> None:
    context = click.Context(main)
    for name, text in number_options():
        command = main.get_command(context, name)
        assert command is not None
        (option,) = [one for one in command.params if text in one.opts]
        kind = option.type
        assert isinstance(kind, click.IntRange | click.FloatRange), (name, text)
        assert kind.min is not None, (name, text)
        assert kind.max is not None, (name, text)


@pytest.mark.parametrize(
    ("command", "option"), [one for one in number_options() if one[0] in ARGUMENTS]
)
def test_hostile_numbers(command: str, option: str, tmp_path: Path) -> None:
    """Exit code 2 with a short message, or 0; at once."""
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    more = ["--queries", "queries.tsv"] if option == "--missing-weight" else []
    for value in HOSTILE:
        begin = time.monotonic()
        done = shell(command, *ARGUMENTS[command], *more, f"{option}={value}", cwd=tmp_path)
        assert done.code in (0, 2), (value, done)
        if done.code == 2:
            assert done.err.strip()
            assert len(done.err) < 12_000
            assert "Traceback" not in done.err
        assert time.monotonic() - begin < 20, value


@pytest.mark.parametrize("text", ["", "nan", "inf", "1" * 5000, "=", "nDCG@20=", "nDCG@20=nan",
                                  "nDCG@20=1e400", "p95:", "p101:nDCG@20=1", "max:=1",
                                  f"p{'9' * 5000}:nDCG@20=0.5", "loss:loss:nDCG@20=1"])  # fmt: skip
@pytest.mark.parametrize("option", ["--fail-above", "--fail-below"])
def test_hostile_limits(option: str, text: str, tmp_path: Path) -> None:
    for name in RUNS:
        (tmp_path / name).write_bytes(FILES[name])
    done = shell("compare", *RUNS, option, text, cwd=tmp_path)
    assert done.code == 2, done
    assert "Traceback" not in done.err


@pytest.mark.parametrize("text", ["nan", "-1", "2", "1e400", "rank(p1=nan)", "rank(p1=1, s=1e400)",
                                  "rank(p1=--1)", f"rank(p1={'9' * 5000})", "rank(",
                                  "rank(p1=0.5, s=-1e300)"])  # fmt: skip
def test_hostile_priors(text: str, tmp_path: Path) -> None:
    for name in RUNS:
        (tmp_path / name).write_bytes(FILES[name])
    done = shell("expect", *RUNS, f"--prior={text}", cwd=tmp_path)
    assert done.code == 2, done
    assert "Traceback" not in done.err


@pytest.mark.parametrize("text", ["", "=", "a=b", "1=" + "9" * 5000, "0=-1", "1=²", "1=1001", ","])
def test_hostile_grades(text: str, tmp_path: Path) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    done = shell("compare", *RUNS, "--qrels", "qrels.txt", f"--grades={text}", cwd=tmp_path)
    assert done.code == 2, done
    assert "Traceback" not in done.err
