"""Options and outputs that are wrong: what the shell says, and that it leaves nothing behind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cases.faults import JUDGED, QRELS, RUN, Case, check, columns, replaced, table
from tests.shell import medir as shell


def option(name: str, *values: str, message: Sequence[str], **more: Any) -> Case:
    return Case(name, tuple(message), options=values, **more)


OPTIONS = [
    option(
        "an unknown measure",
        "-m",
        "nDGC@10",
        message=[r"there is no measure 'nDGC@10'; did you mean nDCG@10\?\n"],
    ),
    option(
        "an unknown measure in lower case",
        "-m",
        "rpb(p=0.8)",
        message=[r"there is no measure 'rpb\(p=0\.8\)'; did you mean RBP\(p=0\.8\)\?\n"],
    ),
    option(
        "a measure like none",
        "-m",
        "completely",
        message=[r"there is no measure 'completely'; 'medir measures' lists them all\n"],
    ),
    option("no measure", "-m", "", message=[r"'' is not a measure; write one as nDCG@20"]),
    option(
        "an unknown parameter",
        "-m",
        "nDCG(gain='exp')@10",
        message=[r"nDCG has no parameter 'gain'; did you mean gains\?\n"],
    ),
    option("a parameter out of range", "-m", "RBP(p=1.5)", message=[r"RBP: p .*1\.5"]),
    option(
        "a parameter without quotes",
        "-m",
        "nDCG(gains=linear)@10",
        message=[r"nDCG\(gains=linear\)", "texts in quotes"],
    ),
    option("a flag", "-m", "tau(ties=1)", message=["ties is True or False, not 1"]),
    *(
        option(f"costs {value}", "-m", f"wFootrule(swap={value})", message=["swap is one of .*dcg"])
        for value in ("'other'", "()", "(1, -1)", "3", "('x',)")
    ),
    option(
        "no name of a file", "-m", "wFootrule(weight='-')", message=["weight is the name of a file"]
    ),
    option("--columns", "--columns", "query_id", message=["--columns.*is not like query_id=q"]),
    option("--grades", "--grades", "x", message=["--grades.*is not like 0=0,0.5=1"]),
    option("a cutoff of 0", "-m", "nDCG@0", message=["the cutoff of nDCG .*0"]),
    option("--order", "--order", "best", message=["--order.*'best'.*score.*rank.*file"]),
    option("--missing", "--missing", "drop", message=["--missing.*'drop'.*empty.*skip.*error"]),
    option("--duplicates", "--duplicates", "last", message=["--duplicates.*'last'.*error.*first"]),
    option("--format", "--format", "xml", message=["--format.*'xml'.*csv.*tsv.*jsonl"]),
    *(
        option(f"{name} {value}", name, value, message=[f"{name}.*{value}"])
        for name in ("--depth", "--threads")
        for value in ("0", "-1", "x", "1.5")
    ),
    option("--top", "--top", "-1", message=["--top.*-1"]),
    option("an unknown option", "--mising", "skip", message=["--mising.*--missing"]),
    Case("one run", ("AFTER",), arguments=("before.run",)),
    Case(
        "three runs",
        ("extra argument.*qrels.txt",),
        arguments=("before.run", "after.run", "qrels.txt"),
    ),
    option(
        "queries of one run only",
        "--missing",
        "error",
        message=[
            r"1 query only in before\.run, 2 only in after\.run: q1, q8, q9\n",
            "--missing empty",
        ],
        before=b"q1 Q0 a 1 1 t\nq2 Q0 a 1 1 t\n",
        after=b"q2 Q0 a 1 1 t\nq8 Q0 a 1 1 t\nq9 Q0 a 1 1 t\n",
    ),
    option(
        "no query in common",
        "--missing",
        "skip",
        message=[r"before\.run and after\.run have no query in common\n"],
        before=b"1 Q0 a 1 1 t\n",
        after=b"q1 Q0 a 1 1 t\n",
    ),
]


def output(name: str, path: str, message: str, **more: Any) -> Case:
    return Case(name, (message,), output=("-o", path), **more)


NO_FORMAT = r"cannot tell the format of '{}'.* \.csv, \.tsv, \.jsonl, \.parquet"
OUTPUTS = [
    output(
        "a folder that does not exist",
        "none/out.csv",
        r"cannot write 'none/out\.csv': No such file or directory\n",
    ),
    output(
        "a folder", "out.csv", r"cannot write 'out\.csv': Is a directory\n", folders=("out.csv",)
    ),
    output(
        "a folder that is a file",
        "after.run/out.csv",
        r"cannot write 'after\.run/out\.csv': Not a directory\n",
    ),
    output("an unknown suffix", "out.xlsx", NO_FORMAT.format(r"out\.xlsx")),
    output("no suffix", "out", NO_FORMAT.format("out")),
    output("an unknown suffix goes first", "out.txt", NO_FORMAT.format(r"out\.txt"), before=None),
    output(
        "an older file survives bad lines",
        "out.csv",
        columns(3),
        before=replaced(2, b"q1 Q0 b"),
        keep={"out.csv": b"older\n"},
    ),
    output(
        "an older file survives a document twice",
        "out.csv",
        "appears twice",
        before=RUN + b"q1 Q0 a 9 0.5 t\n",
        keep={"out.csv": b"older\n"},
    ),
    output(
        "an older file survives bad judgments",
        "out.parquet",
        "judged twice",
        qrels=QRELS + b"q1 0 a 2\n",
        options=JUDGED,
        keep={"out.parquet": b"older\n"},
    ),
    output(
        "an older file survives a missing one",
        "out.jsonl",
        "there is no such file",
        after=None,
        keep={"out.jsonl": b"older\n"},
    ),
    output(
        "an older file survives bad usage",
        "out.tsv",
        "did you mean",
        options=("-m", "nDGC@10"),
        keep={"out.tsv": b"older\n"},
    ),
]


@table(OPTIONS)
def test_bad_option(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@table(OUTPUTS)
def test_bad_output(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


def test_bad_commands() -> None:
    assert shell("comapre").code == 2
    assert "comapre" in shell("comapre").err
    assert shell("completion", "tcsh").code == 2
    assert shell("--nope").code == 2
