"""Input that is wrong, and how the shell answers: message, exit code, nothing left behind."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest

import medir
from tests.shell import medir as shell

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
OTHER = b"q1 Q0 b 1 3 t\nq1 Q0 x 2 2 t\nq2 Q0 c 1 1 t\n"
QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"


@dataclass(frozen=True)
class Case:
    """Input that is wrong: what it is, and what the message says (as regular expressions).

    It goes through the shell; a variant of another case only through Python, which is faster.
    """

    name: str
    message: tuple[str, ...]
    before: bytes | None = RUN  # None: no such file
    after: bytes | None = OTHER
    qrels: bytes | None = QRELS
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ("before.run", "after.run")
    output: tuple[str, ...] = ("-o", "out.csv")
    stdin: bytes = b""
    folders: tuple[str, ...] = ()
    variant: bool = False
    keep: dict[str, bytes] = field(default_factory=dict)  # files that are there already


def shown(line: bytes | str) -> str:
    """The offending line, indented on a line of its own."""
    return r"\n    " + re.escape(line.decode() if isinstance(line, bytes) else line) + r"\n"


def replaced(number: int, line: bytes, data: bytes = RUN) -> bytes:
    """A file with another line in the place of one; lines count from 1."""
    lines = data.split(b"\n")
    lines[number - 1] = line
    return b"\n".join(lines)


JUDGED = ("--qrels", "qrels.txt")


def columns(found: int, line: int = 2) -> str:
    layout = r"6 columns \(query Q0 document rank score tag\)"
    return rf"line {line}: expected {layout}, found {found}\n"


def contents(folder: Path) -> dict[str, bytes | None]:
    """Every file and folder below a folder, with what it holds."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def check(case: Case, folder: Path) -> None:
    """Exit code 2, the message on standard error, nothing on standard output, no new file."""
    files = {"before.run": case.before, "after.run": case.after, "qrels.txt": case.qrels}
    for name, data in (files | case.keep).items():
        if data is not None:
            (folder / name).write_bytes(data)
    for name in case.folders:
        (folder / name).mkdir()
    if case.variant:
        check_variant(case, folder)
        return
    there = contents(folder)
    arguments = (*case.arguments, *case.options, *case.output)
    outcome = shell("compare", *arguments, stdin=case.stdin, cwd=folder)
    assert (outcome.code, outcome.out) == (2, ""), outcome
    assert "Traceback" not in outcome.err
    for part in case.message:
        assert re.search(part, outcome.err), outcome.err
    assert len(outcome.err.splitlines()) <= 6, "a message is short"
    assert contents(folder) == there


def check_variant(case: Case, folder: Path) -> None:
    """The message in Python; it is the same, and it is an error about input."""
    qrels = folder / "qrels.txt" if "--qrels" in case.options else None
    order: Literal["score", "rank"] = "rank" if "rank" in case.options else "score"
    with pytest.raises(medir.InputError) as caught:
        medir.compare(folder / "before.run", folder / "after.run", qrels=qrels, order=order)
    for part in case.message:
        assert re.search(part, f"{caught.value}\n"), caught.value


def table(cases: list[Case]) -> pytest.MarkDecorator:
    assert len({case.name for case in cases}) == len(cases)
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])
