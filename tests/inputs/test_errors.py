"""Lines that are wrong: what the message says, its exit code, and that nothing is left behind."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases.faults import (
    JUDGED,
    OTHER,
    QRELS,
    RUN,
    Case,
    check,
    columns,
    replaced,
    shown,
    table,
)
from tests.shell import medir as shell


def in_run(name: str, line: bytes, problem: str, *more: str, **options: Any) -> Case:
    """A bad second line in the first run."""
    message = (rf"before\.run, line 2: {problem}\n", shown(line), *more)
    return Case(name, message, before=replaced(2, line), **options)


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
TWICE = "document '{}' appears twice in the list of query 'q1'"

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
        (
            r"before\.run: there is no column of query ids among the columns q1, Q0, a, 1, 3, t\n",
            r"Name it query_id \(or qid, .*\), or say which it is",
        ),
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
        (
            r"before\.run, line 1: holds judgments \(query 0 document grade\), not a run\n",
            shown("q1 0 a 1"),
            r"\nGive it with --qrels",
        ),
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
            f"the grade '{re.escape(grade)}' is not a number",
            variant=grade != "x",
        )
        for grade in ("x", "-", "+", "--1", "+-1", "0x1", "2nd", "nan", "1,5")
    ),
    in_qrels("infinite", b"q1 0 a 1\nq1 0 b inf\n", 2, "the grade inf is not a number"),
    in_qrels("a fraction", b"q1 0 a 1\nq1 0 b 0.5\n", 2, "the grade 0.5 is a fraction", "--grades"),
    in_qrels("above 1000", b"q1 0 a 1\nq1 0 b 1001\n", 2, "the grade 1001 is above 1000"),
    in_qrels("far above 1000", MANY, 2, "the grade 99999999999 is above 1000"),
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


PASSAGES = b"1 rome 1 9.5 0 8000 a\n1 oslo 2 7.1 500 6000 a\n2 rome 1 8 0 15000 a\n"
HOLD_PASSAGES = (
    r"holds passages \(topic document rank score offset length tag\)\n",
    r"Use medir passages, or give a run of documents",
)
OF_PASSAGES = [
    Case("before", (r"before\.run: " + HOLD_PASSAGES[0], HOLD_PASSAGES[1]), before=PASSAGES),
    Case("after", (r"after\.run: " + HOLD_PASSAGES[0], HOLD_PASSAGES[1]), after=PASSAGES),
    Case(
        "without a tag, behind comments",
        HOLD_PASSAGES,
        before=b"# passages\n\n" + PASSAGES.replace(b" a\n", b"\n"),
        variant=True,
    ),
    Case(
        "behind a byte order mark and a comment",
        HOLD_PASSAGES,
        before=b"\xef\xbb\xbf# passages\x01\n" + PASSAGES,
        variant=True,
    ),
    Case(
        "with tabs and CRLF",
        HOLD_PASSAGES,
        before=PASSAGES.replace(b" ", b"\t").replace(b"\n", b"\r\n"),
        variant=True,
    ),
    Case(
        "by rank",
        HOLD_PASSAGES,
        before=PASSAGES,
        options=("--order", "rank"),
        variant=True,
    ),
]
ALMOST_PASSAGES = {
    "a constant second column": b"1 Q0 rome 1 9 7\n1 Q0 oslo 2 8 7\n2 Q0 rome 1 7 7\n",
    "more columns than needed": b"1 Q0 rome 1 9 7 x\n1 Q0 oslo 2 8 7 x\n2 Q0 rome 1 7 7 x\n",
    "iterations, fractional scores": b"1 0 rome 1 9.0 7\n1 1 oslo 2 8.5 7\n2 2 rome 1 7.25 7\n",
    "iterations, one fractional score": b"1 0 rome 1 9 7\n1 1 oslo 2 8 7\n2 2 rome 1 7.5 7\n",
    "iterations, tags that are words": b"1 0 rome 1 9 t\n1 1 oslo 2 8 t\n2 2 rome 1 7 t\n",
    "iterations, negative scores": b"1 0 rome 1 -7 7\n1 1 oslo 2 -8 7\n2 2 rome 1 -9 7\n",
}


@table(LINES)
def test_bad_line(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@table(JUDGMENTS)
def test_bad_judgments(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@table(OF_PASSAGES)
def test_passages_are_no_run(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


def test_no_command_takes_passages_as_a_run(tmp_path: Path) -> None:
    path = tmp_path / "passages.txt"
    path.write_bytes(PASSAGES)
    for call in (
        lambda: medir.Run.read(path),
        lambda: medir.documents(path, path),
        lambda: medir.matrix({"a": path, "b": path}),
        lambda: medir.score(path, "P@5", {"1": {"oslo": 1}}),
    ):
        with pytest.raises(medir.InputError, match=r"passages\.txt: holds passages"):
            call()
    assert medir.compare_passages(path, path).column().tolist() == [0, 0]


@pytest.mark.parametrize("data", ALMOST_PASSAGES.values(), ids=ALMOST_PASSAGES)
def test_runs_that_look_like_passages_are_runs(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_bytes(data)
    run = medir.Run.read(path)
    assert {query: run[query] for query in run} == {"1": ["rome", "oslo"], "2": ["rome"]}
    assert shell("compare", path, path).code == 0
