"""Bad input: what the shell says about it, its exit code, and that it leaves nothing behind."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

import medir
from tests.shell import MEDIR, Outcome, python
from tests.shell import medir as shell

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 c 1 1 t\n"
OTHER = b"q1 Q0 b 1 3 t\nq1 Q0 x 2 2 t\nq2 Q0 c 1 1 t\n"
QRELS = b"q1 0 a 1\nq1 0 b 0\nq2 0 c 2\n"
LIST = b"".join(
    b"q%d Q0 d%d %d %d.25 t\n" % (n // 50, n * 7919 % 997, n % 50, n) for n in range(500)
)


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


def columns(found: int, line: int = 2) -> str:
    layout = r"6 columns \(query Q0 document rank score tag\)"
    return rf"line {line}: expected {layout}, found {found}\n"


def in_run(name: str, line: bytes, problem: str, *more: str, **options: Any) -> Case:
    """A bad second line in the first run."""
    message = (rf"before\.run, line 2: {problem}\n", shown(line), *more)
    return Case(name, message, before=replaced(2, line), **options)


JUDGED = ("--qrels", "qrels.txt")


def in_qrels(name: str, data: bytes, line: int, problem: str, *more: str, **options: Any) -> Case:
    """A bad line in the judgments."""
    text = data.split(b"\n")[line - 1]
    message = (rf"qrels\.txt, line {line}: {problem}\n", shown(text), *more)
    return Case(name, message, qrels=data, **({"options": JUDGED} | options))


NO_NUMBERS = [
    "x", "1,5", "1.5.2", "1e", "1e+", "--1", "+-1", "++1", "-", "+", ".", "1_000", "0x10", "12a",
    "None", "infinite", "1.5f", "1/2", "é", "1.2345a", "a.5", "1:.5", "1.5-", "12345678x", "٣",
]  # fmt: skip
NO_SCORE = "--order rank or --order file"
TWICE = "document '{}' stands twice in the list of query 'q1'"

LINES = [
    *(
        in_run(f"{found} columns of 6", line, columns(found)[8:-2], variant=found > 1)
        for found in range(1, 6)
        for line in [b" ".join([b"q1", b"Q0", b"doc", b"2", b"2.5"][:found])]
    ),
    Case(
        "4 columns in the second run",
        (r"after\.run, " + columns(4), shown("q1 Q0 b 2")),
        after=replaced(2, b"q1 Q0 b 2", OTHER),
    ),
    Case(
        "CRLF and tabs",
        (r"before\.run, " + columns(4), r"\n    q1\tQ0\tb\t2\n"),
        before=replaced(2, b"q1\tQ0\tb\t2").replace(b"\n", b"\r\n"),
    ),
    Case(
        "no last newline",
        (r"before\.run, " + columns(5, 3), shown("q2 Q0 c 1 1")),
        before=RUN[:-3],
    ),
    Case(
        "behind comments",
        (r"before\.run, " + columns(3, 6), shown("q1 Q0 b")),
        before=b"# 1\n\n#\n \n" + replaced(2, b"q1 Q0 b"),
    ),
    Case(
        "behind a byte order mark",
        (r"before\.run, " + columns(3), shown("q1 Q0 b")),
        before=b"\xef\xbb\xbf" + replaced(2, b"q1 Q0 b"),
    ),
    Case(
        "other separators",
        (r"before\.run, " + columns(1, 1), shown("q1,Q0,a,1,3,t")),
        before=RUN.replace(b" ", b","),
    ),
    Case(
        "a long line",
        (r"before\.run, " + columns(3), r"\n    q1 Q0 x{94} \.\.\.\n"),
        before=replaced(2, b"q1 Q0 " + b"x" * 1000),
    ),
    Case(
        "not UTF-8",
        (r"before\.run, " + columns(3), r"\n    q1 Q0 d.{1,8}v\n"),
        before=replaced(2, b"q1 Q0 d\xe9v"),
    ),
    *(
        in_run(
            f"the score {score}",
            f"q1 Q0 b 2 {score} t".encode(),
            f"the score '{re.escape(score)}' is not a number",
            NO_SCORE,
            variant=score != "x",
        )
        for score in NO_NUMBERS
    ),
    *(
        in_run(
            f"the score {score}",
            f"q1 Q0 b 2 {score} t".encode(),
            "the score is NaN, which has no place in an order",
            NO_SCORE,
            variant=score != "nan",
        )
        for score in ("nan", "NaN", "-nan", "+NAN")
    ),
    *(
        in_run(
            f"the rank {rank}",
            f"q1 Q0 b {rank} 2 t".encode(),
            f"the rank '{re.escape(rank)}' is not a whole number",
            "--order score or --order file",
            options=("--order", "rank"),
            variant=rank != "x",
        )
        for rank in ("x", "1.5", "2nd", "-", "1e3")
    ),
    Case(
        "a document twice",
        (
            rf"before\.run, line 4: {TWICE.format('a')}\n",
            shown("q1 Q0 a 9 0.5 t"),
            "--duplicates first",
        ),
        before=RUN + b"q1 Q0 a 9 0.5 t\n",
    ),
    Case(
        "a document twice, the lower one first",
        (
            rf"after\.run, line 2: {TWICE.format('x')}\n",
            shown("q1 Q0 x 2 2 t"),
            "--duplicates first",
        ),
        after=OTHER + b"q1 Q0 x 9 7 t\n",
    ),
    Case(
        "a document twice, deeper than the measure looks",
        (rf"before\.run, line 4: {TWICE.format('b')}\n", "--duplicates first"),
        before=RUN + b"q1 Q0 b 9 1 t\n",
        options=("-m", "P@1"),
    ),
    Case(
        "judgments as a run",
        (r"before\.run, " + columns(4, 1), shown("q1 0 a 1")),
        before=QRELS,
    ),
]

FOUR = r"expected 4 columns \(query 0 document grade\), found"
MANY = b"q1 0 a 1\nq1 0 b 99999999999\n"

JUDGMENTS = [
    *(
        in_qrels(
            f"the grade {grade}",
            replaced(2, f"q1 0 b {grade}".encode(), QRELS),
            2,
            f"the grade '{re.escape(grade)}' is not a whole number",
            variant=grade != "x",
        )
        for grade in ("x", "1.0", "1.5", "1e2", "-", "+", "--1", "+-1", "0x1", "2nd", "nan")
    ),
    in_qrels("above 1000", b"q1 0 a 1\nq1 0 b 1001\n", 2, "the grade '1001' is above 1000"),
    in_qrels("far above 1000", MANY, 2, "the grade '99999999999' is above 1000"),
    in_qrels(
        "a grade above max_grade",
        QRELS,
        3,
        "the grade 2 is above max_grade=1",
        "higher max_grade",
        options=(*JUDGED, "-m", "nDCG(max_grade=1)@10"),
    ),
    in_qrels(
        "a grade above max_grade of one measure",
        QRELS,
        3,
        "the grade 2 is above max_grade=1",
        options=(*JUDGED, "-m", "nDCG@10", "-m", "SDCG(max_grade=1)@10"),
    ),
    in_qrels("3 columns of 4", b"q1 0 a 1\nq1 0 b\n", 2, f"{FOUR} 3"),
    in_qrels("1 column of 4", b"q1 0 a 1\nq1", 2, f"{FOUR} 1"),
    in_qrels("a run as judgments", RUN, 1, f"{FOUR} more", "Is this a run"),
    in_qrels(
        "conflicting judgments",
        QRELS + b"q1 0 a 2\n",
        4,
        "document 'a' is judged twice for query 'q1', with different grades",
    ),
    Case("empty", (r"qrels\.txt: is empty\n",), qrels=b"", options=JUDGED),
    Case("only comments", (r"qrels\.txt: holds only comments",), qrels=b"# -\n", options=JUDGED),
    Case("missing", (r"qrels\.txt: there is no such file\n",), qrels=None, options=JUDGED),
    Case(
        "no judgments to take the ideal from", ("--qrels",), options=("-m", "nDCG(ideal='judged')")
    ),
]

NO_LINES = r"before\.run: holds only comments and blank lines\n"
FILES = [
    Case("empty", (r"before\.run: is empty\n",), before=b""),
    Case("empty, second", (r"after\.run: is empty\n",), after=b""),
    Case("a byte order mark", (r"before\.run: (is|holds) \w+",), before=b"\xef\xbb\xbf"),
    Case("only comments", (NO_LINES,), before=b"# a\n\n  # b\r\n#"),
    Case("only blanks", (NO_LINES,), before=b" \t\n\r\n  "),
    Case("an archive of nothing", (r"before\.run: is empty\n",), before=gzip.compress(b"")),
    Case(
        "a directory",
        (r"folder: is a directory\n",),
        folders=("folder",),
        arguments=("folder", "after.run"),
    ),
    Case(
        "a directory, second",
        (r"folder: is a directory\n",),
        folders=("folder",),
        arguments=("before.run", "folder"),
    ),
    Case("missing", (r"before\.run: there is no such file\n",), before=None),
    Case("missing, second", (r"after\.run: there is no such file\n",), after=None),
    Case(
        "a file as a folder",
        (r"before\.run/x: cannot be read: Not a directory\n",),
        arguments=("before.run/x", "after.run"),
    ),
    Case(
        "a name that is too long",
        ("cannot be read: File name too long\n",),
        arguments=("a" * 300, "after.run"),
    ),
    Case("empty standard input", (r"standard input: is empty\n",), arguments=("-", "after.run")),
    Case(
        "bad standard input",
        (r"standard input, " + columns(3), shown("q1 Q0 b")),
        arguments=("-", "after.run"),
        stdin=replaced(2, b"q1 Q0 b"),
    ),
    Case(
        "both from standard input",
        ("only one of .* can come from standard input",),
        arguments=("-", "-"),
        stdin=RUN,
    ),
    Case(
        "a run and judgments from standard input",
        ("only one of .* can come from standard input",),
        arguments=("-", "after.run"),
        options=("--qrels", "-"),
        stdin=RUN,
    ),
]

BINARY = {
    "PNG": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01", "line 2", "0x1a"),
    "ELF": (b"\x7fELF\x02\x01\x01\x00" + bytes(100), "line 1", "0x02"),
    "zip": (b"PK\x03\x04\x14\x00\x00\x00\x08\x00abc", "line 1", "0x03"),
    "SQLite": (b"SQLite format 3\x00\x10\x00\x01\x01", "line 1", "0x00"),
    "UTF-16": (RUN.decode().encode("utf-16-le"), "line [12]", "0x00"),
    "UTF-16 with mark": (b"\xff\xfe" + RUN.decode().encode("utf-16-le"), "line [12]", "0x00"),
    "zeros": (bytes(5000), "line 1", "0x00"),
    "zeros behind good lines": (RUN + bytes(5000), "line 4", "0x00"),
    "a zero in a document id": (replaced(2, b"q1 Q0 b\x00c 2 2 t"), "line 2", "0x00"),
    "a zero in a query id": (replaced(3, b"q2\x00 Q0 c 1 1 t"), "line 3", "0x00"),
    "a zero in a tag": (replaced(2, b"q1 Q0 b 2 2 t\x00g"), "line 2", "0x00"),
    "an escape where a score should be": (replaced(3, b"q2 Q0 c 1 \x1b[1m t"), "line 3", "0x1b"),
}
FILES += [
    Case(
        f"binary: {name}",
        (rf"before\.run, {line}: binary data \(byte {byte}\) where text was expected\n",),
        before=data,
        variant=name not in ("PNG", "zeros"),
    )
    for name, (data, line, byte) in BINARY.items()
]


def zstd(data: bytes) -> bytes:
    compressor = pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True)
    compressed: bytes = compressor.compress(data)
    return compressed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


def damaged(archive: bytes) -> bytes:
    middle = len(archive) // 2
    return archive[:middle] + bytes([archive[middle] ^ 0xFF]) + archive[middle + 1 :]


WHOLE = ("truncated", "damaged")
DAMAGES: dict[str, Callable[[bytes, Callable[[bytes], bytes]], bytes]] = {
    "truncated": lambda archive, _: archive[: len(archive) // 2],
    "truncated by a byte": lambda archive, _: archive[:-1],
    "truncated to its mark": lambda archive, _: archive[:6],
    "damaged": lambda archive, _: damaged(archive),
    "damaged in its second part": lambda archive, pack: pack(RUN) + damaged(archive),
    "truncated in its second part": lambda archive, pack: pack(RUN) + archive[:-20],
}


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
            r"1 queries only in before\.run, 2 only in after\.run: q1, q8, q9\n",
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


NO_FORMAT = r"cannot tell a format from '{}'.* \.csv, \.tsv, \.jsonl, \.parquet"
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
        "stands twice",
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


@table(LINES)
def test_bad_line(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@table(JUDGMENTS)
def test_bad_judgments(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@table(FILES)
def test_bad_file(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", PACKERS)
def test_bad_archive(kind: str, damage: str, tmp_path: Path) -> None:
    """The message says what is wrong inside the brackets."""
    data = DAMAGES[damage](PACKERS[kind](LIST), PACKERS[kind])
    message = rf"before\.run: the {kind} archive is truncated or damaged \(\w.*\)\n"
    check(Case(damage, (message,), before=data, variant=damage not in WHOLE), tmp_path)


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


# Where a line stands in a large file.

ROWS = 60_000


@pytest.fixture(scope="module")
def rows() -> list[bytes]:
    return [b"q%d Q0 d%d %d %d.5 tag" % (n // 40, n, n % 40, n) for n in range(ROWS)]


@pytest.mark.parametrize("line", [1, 2, 30_001, 59_959, ROWS])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("scattered", [False, True], ids=["grouped", "scattered"])
def test_line_numbers(
    rows: list[bytes], line: int, packed: bool, scattered: bool, tmp_path: Path
) -> None:
    lines = rows[::7] + [row for n, row in enumerate(rows) if n % 7] if scattered else list(rows)
    lines[line - 1] = lines[line - 1].replace(b".5 tag", b".5x tag")
    data = b"\n".join(lines)
    assert len(data) > 1 << 20
    path = tmp_path / "large.run"
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    for read in (medir.Run.read, compared):
        with pytest.raises(medir.InputError) as caught:
            read(path)
        error = caught.value
        assert (error.source, error.line) == (str(path), line)
        assert error.text == lines[line - 1].decode()
        assert str(error).startswith(f"{path}, line {line}: the score '")


def compared(path: Path) -> Any:
    return medir.compare(path, {"q1": ["d"]})


def test_line_number_in_the_shell(rows: list[bytes], tmp_path: Path) -> None:
    bad = b"q7 Q0 d x"
    data = b"\n".join([*rows[:50_000], b"# comment", b"", bad, *rows[50_000:]])
    case = Case("late", (r"before\.run, line 50003: .*found 4\n", shown(bad)), before=data)
    check(case, tmp_path)


@pytest.mark.parametrize("limit", [1, 2])
def test_line_of_the_first_grade_above_a_limit(limit: int, tmp_path: Path) -> None:
    """Of several, the one that stands first in the file, also where queries are scattered."""
    lines = [f"q{n % 100} 0 d{n} {int(n > 4000) + int(n > 7000) + 1}" for n in range(9000)]
    path = tmp_path / "qrels.txt"
    path.write_text("\n".join(lines))
    with pytest.raises(medir.InputError) as caught:
        medir.compare({"q1": ["a"]}, {"q1": ["b"]}, f"nDCG(max_grade={limit})@5", qrels=path)
    assert caught.value.line == {1: 4002, 2: 7002}[limit]
    assert f"the grade {limit + 1} is above max_grade={limit}" in str(caught.value)


def test_second_of_two_places_of_a_document(tmp_path: Path) -> None:
    """The line is that of the lower result; the remedy works."""
    lines = [f"q{n // 50} Q0 d{n} {n % 50} {-n} t" for n in range(30_000)]
    lines[20_020] = lines[20_020].replace("d20020", "d20005")
    path = tmp_path / "a.run"
    path.write_text("\n".join(lines))
    with pytest.raises(medir.InputError, match="document 'd20005' stands twice") as caught:
        medir.compare(path, path)
    assert caught.value.line == 20_021
    assert 'duplicates="first"' in str(caught.value)
    assert medir.compare(path, path, duplicates="first").repeats == 2


def test_a_long_word_is_cut_short(tmp_path: Path) -> None:
    """The offending word may be most of a file; the message stays readable."""
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 d 1 " + b"x" * 100_000 + b" t\n")
    with pytest.raises(medir.InputError, match="line 1") as caught:
        medir.Run.read(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (medir.InputError, ValueError),
        (medir.UsageError, ValueError),
        (medir.MeasureError, ValueError),
    ],
)
def test_errors_are_of_one_family(error: type[Exception], kind: type[Exception]) -> None:
    assert issubclass(error, medir.MedirError)
    assert issubclass(error, kind)


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.run.zst"
    path.write_bytes(zstd(RUN))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match=r"pip install 'medir\[zstd\]'") as caught:
        medir.Run.read(path)
    assert isinstance(caught.value, medir.MedirError)


# No permission.

# Starts a program for which the permissions of files count, although it is the superuser's:
# prctl(PR_CAPBSET_DROP, ...) takes CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH from it.
UNPRIVILEGED = """
import ctypes, os, sys
if os.geteuid() == 0:
    for privilege in (1, 2):
        if ctypes.CDLL(None).prctl(24, privilege, 0, 0, 0) != 0:
            sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def unprivileged(tmp_path: Path) -> Callable[..., Outcome]:
    """Runs medir so that permissions count."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("the superuser may read and write everything")
    (tmp_path / "before.run").write_bytes(RUN)
    (tmp_path / "after.run").write_bytes(OTHER)

    def medir(*arguments: str) -> Outcome:
        outcome = python(UNPRIVILEGED, MEDIR, *arguments, cwd=tmp_path)
        if outcome.code == 77:
            pytest.skip("the superuser may read and write everything")
        return outcome

    return medir


def test_no_permission_to_read(tmp_path: Path, unprivileged: Callable[..., Outcome]) -> None:
    (tmp_path / "before.run").chmod(0)
    outcome = unprivileged("compare", "before.run", "after.run")
    assert (outcome.code, outcome.out) == (2, "")
    assert re.search(r"before\.run.*(Permission denied|not readable)", outcome.err), outcome.err


def test_no_permission_to_write(tmp_path: Path, unprivileged: Callable[..., Outcome]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out.csv").write_bytes(b"older\n")
    there = contents(tmp_path)
    folder.chmod(0o555)
    outcome = unprivileged("compare", "before.run", "after.run", "-o", "folder/out.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "medir: cannot write 'folder/out.csv': Permission denied\n"
    assert contents(tmp_path) == there


@pytest.mark.parametrize(
    "arguments",
    [["before.run", "after.run", "-o", "folder/out.csv"], ["folder/before.run", "after.run"]],
    ids=["output", "input"],
)
def test_no_permission_to_enter_a_folder(
    arguments: list[str], tmp_path: Path, unprivileged: Callable[..., Outcome]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0)
    try:
        outcome = unprivileged("compare", *arguments)
    finally:
        folder.chmod(0o755)
    assert (outcome.code, outcome.out) == (2, "")
    assert re.fullmatch(r"medir: .*Permission denied\n", outcome.err), outcome.err
