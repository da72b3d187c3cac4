"""TREC files in all their shapes, against a plain reader in Python."""

from __future__ import annotations

import bz2
import codecs
import gzip
import itertools
import lzma
import os
import random
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import medir
from tests.shell import medir as shell
from tests.shell import python

Order = Literal["score", "rank", "file"]
PAGE = 4096
CHUNK = 1 << 20  # bytes that one thread scans at a time


# The plain reader.


class Result(NamedTuple):
    document: bytes
    rank: int
    score: float


def lines_of(data: bytes) -> list[list[bytes]]:
    """The columns of every line that is neither blank nor a comment."""
    rows = [line.split() for line in data.removeprefix(codecs.BOM_UTF8).split(b"\n")]
    return [row for row in rows if row and not row[0].startswith(b"#")]


def single(value: float) -> float:
    """A number in single precision."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def plain_run(data: bytes, order: Order = "score") -> dict[bytes, list[bytes]]:
    """The documents of each query, best first."""
    results: dict[bytes, list[Result]] = {}
    for query, _, document, rank, score, *_ in lines_of(data):
        result = Result(document, int(rank), single(float(score)))
        results.setdefault(query, []).append(result)
    for some in results.values():
        if order == "rank":
            some.sort(key=lambda result: result.rank)
        elif order == "score":
            some.sort(key=lambda result: (result.score, result.document), reverse=True)
    return {query: [result.document for result in some] for query, some in results.items()}


def plain_qrels(data: bytes) -> dict[bytes, dict[bytes, int]]:
    """The grades of each query's documents."""
    grades: dict[bytes, dict[bytes, int]] = {}
    for query, _, document, grade in lines_of(data):
        grades.setdefault(query, {})[document] = max(0, int(grade))
    return grades


# What medir reads, in the same form.


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def text(identifier: bytes) -> str:
    return identifier.decode("utf-8", "surrogateescape")


def save(path: Path, data: bytes) -> Path:
    """A file of its own: an older one at the path may still be mapped."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)
    return path


def read_run(
    path: Path, order: Order = "score", threads: int | None = None
) -> dict[bytes, list[bytes]]:
    run = medir.Run.read(path, order=order, threads=threads)
    assert len(run) == len(run.queries)
    assert list(run) == run.queries
    read = {raw(query): [raw(document) for document in run[query]] for query in run}
    assert run.longest >= max(map(len, read.values()))
    return read


def read_qrels(path: Path, threads: int | None = None) -> dict[bytes, dict[bytes, int]]:
    qrels = medir.Qrels.read(path, threads=threads)
    assert len(qrels) == len(qrels.queries)
    return {
        raw(query): {raw(document): grade for document, grade in qrels[query].items()}
        for query in qrels.queries
    }


def same(read: dict[bytes, Any], expected: dict[bytes, Any]) -> None:
    """Equal, and the queries in the order in which they first appear."""
    assert read == expected
    assert list(read) == list(expected)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trec")


# Small files, by hand.

TWO = b"q1 Q0 a 1 2.5 tag\nq1 Q0 b 2 7 tag\nq2 Q0 c 1 1 tag\n"
RUNS = {
    "plain": (TWO, {"q1": ["b", "a"], "q2": ["c"]}),
    "tabs": (TWO.replace(b" ", b"\t"), {"q1": ["b", "a"], "q2": ["c"]}),
    "blanks and tabs": (TWO.replace(b" ", b" \t  "), {"q1": ["b", "a"], "q2": ["c"]}),
    "leading blanks": (b" \t" + TWO.replace(b"\n", b"\n  "), {"q1": ["b", "a"], "q2": ["c"]}),
    "trailing blanks": (TWO.replace(b"\n", b" \t\n"), {"q1": ["b", "a"], "q2": ["c"]}),
    "CRLF": (TWO.replace(b"\n", b"\r\n"), {"q1": ["b", "a"], "q2": ["c"]}),
    "no last newline": (TWO[:-1], {"q1": ["b", "a"], "q2": ["c"]}),
    "CR at the end": (TWO[:-1] + b"\r", {"q1": ["b", "a"], "q2": ["c"]}),
    "blanks at the end": (TWO + b"  \t ", {"q1": ["b", "a"], "q2": ["c"]}),
    "comments": (
        b"# one\n" + TWO.replace(b"\n", b"\n \t# q9 Q0 x 1 1 t\n"),
        {"q1": ["b", "a"], "q2": ["c"]},
    ),
    "comment last": (TWO + b"#", {"q1": ["b", "a"], "q2": ["c"]}),
    "blank lines": (b"\n\r\n" + TWO.replace(b"\n", b"\n \t\n\n"), {"q1": ["b", "a"], "q2": ["c"]}),
    "byte order mark": (codecs.BOM_UTF8 + TWO, {"q1": ["b", "a"], "q2": ["c"]}),
    "mark and comment": (codecs.BOM_UTF8 + b"#\n" + TWO, {"q1": ["b", "a"], "q2": ["c"]}),
    "more columns": (TWO.replace(b"tag", b"my tag of words"), {"q1": ["b", "a"], "q2": ["c"]}),
    "scattered": (
        b"q2 Q0 a 1 1 t\nq1 Q0 a 1 1 t\nq2 Q0 b 2 2 t\nq1 Q0 c 2 0 t\nq2 Q0 c 3 1.5 t\n",
        {"q2": ["b", "c", "a"], "q1": ["a", "c"]},
    ),
    "a query id that starts as another": (
        b"q1 Q0 a 1 1 t\nq10 Q0 b 1 1 t\nq1 Q0 c 1 1 t\nq Q0 d 1 1 t\n",
        {"q1": ["c", "a"], "q10": ["b"], "q": ["d"]},
    ),
    "query ids are text": (
        b"1 Q0 a 1 1 t\n01 Q0 b 1 1 t\n1.0 Q0 c 1 1 t\n",
        {"1": ["a"], "01": ["b"], "1.0": ["c"]},
    ),
    "UTF-8": (
        "naïve Q0 文書一 1 1 t\nnaïve Q0 ünïcode 2 2 t\n🔍 Q0 x\u00a0y\u2003z 1 1 t\n".encode(),
        {"naïve": ["ünïcode", "文書一"], "🔍": ["x\u00a0y\u2003z"]},
    ),
    "no UTF-8": (
        b"q\xff Q0 d\xe9j\xe0 1 1 t\nq\xff Q0 d\xc3\xa9 2 0 t\n",
        {"q\udcff": ["d\udce9j\udce0", "dé"]},
    ),
    "a document id with #": (b"q Q0 #1 1 1 t\nq Q0 #2 2 1 t\n", {"q": ["#2", "#1"]}),
    "ties by id, descending": (
        b"q Q0 d1 1 5 t\nq Q0 d10 2 5 t\nq Q0 d9 3 5 t\nq Q0 D9 4 5 t\nq Q0 d 5 5 t\n",
        {"q": ["d9", "d10", "d1", "d", "D9"]},
    ),
    "ties by byte, unsigned": (
        "q Q0 z 1 5 t\nq Q0 é 2 5 t\nq Q0 🔍 3 5 t\n".encode(),
        {"q": ["🔍", "é", "z"]},
    ),
    "ties in single precision": (
        # 1 + 2**-24 is half a step above 1 and rounds to even, to 1; 1 + 3 * 2**-24 to 1 + 2**-22.
        b"q Q0 a 1 1.000000059604644775390625 t\nq Q0 b 2 1 t\nq Q0 c 3 1.00000017881393432617 t\n"
        b"q Q0 d 4 16777217 t\nq Q0 e 5 16777216 t\n",
        {"q": ["e", "d", "c", "b", "a"]},
    ),
    "infinite": (
        b"q Q0 a 1 -inf t\nq Q0 b 2 0 t\nq Q0 c 3 inf t\nq Q0 d 4 -1e38 t\nq Q0 e 5 +Infinity t\n"
        b"q Q0 f 6 1e39 t\nq Q0 g 7 -1e999 t\n",
        {"q": ["f", "e", "c", "b", "d", "g", "a"]},
    ),
    "zero has no sign": (
        b"q Q0 a 1 -0.0 t\nq Q0 b 2 0 t\nq Q0 c 3 -0 t\nq Q0 d 4 1e-60 t\n",
        {"q": ["d", "c", "b", "a"]},
    ),
    "notations": (
        b"q Q0 a 1 1e-3 t\nq Q0 b 2 1.5E2 t\nq Q0 c 3 +2 t\n"
        b"q Q0 d 4 .5 t\nq Q0 e 5 3. t\nq Q0 f 6 -4.25 t\n"
        b"q Q0 g 7 1e+2 t\nq Q0 h 8 0002.5 t\nq Q0 i 9 -1E-7 t\n",
        {"q": ["b", "g", "e", "h", "c", "d", "a", "i", "f"]},
    ),
    "eight digits": (
        b"q Q0 a 1 12345678 t\nq Q0 b 2 2345678 t\nq Q0 c 3 99999999 t\n",
        {"q": ["c", "a", "b"]},
    ),
    "a document twice": (b"q Q0 a 1 1 t\nq Q0 b 1 2 t\nq Q0 a 1 3 t\n", {"q": ["a", "b", "a"]}),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_small_run(name: str, tmp_path: Path) -> None:
    data, expected = RUNS[name]
    run = medir.Run.read(save(tmp_path / "a.run", data))
    assert run.queries == list(expected)
    assert {query: run[query] for query in run} == expected
    same(plain_run(data), {raw(q): list(map(raw, ds)) for q, ds in expected.items()})


@pytest.mark.parametrize("name", RUNS)
def test_small_run_in_long_lines(name: str, tmp_path: Path) -> None:
    """The same where each line is longer than the 48 or 64 bytes that are looked at together."""
    data, expected = RUNS[name]
    lines = [line + b" " + b"x" * 80 if line.strip() else line for line in data.split(b"\n")]
    run = medir.Run.read(save(tmp_path / "a.run", b"\n".join(lines)))
    assert {query: run[query] for query in run} == expected


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("score", ["b", "c", "a", "d"]),
        ("rank", ["d", "a", "c", "b"]),
        ("file", ["a", "b", "c", "d"]),
    ],
)
def test_order(order: Order, expected: list[str], tmp_path: Path) -> None:
    data = b"q Q0 a 7 1 t\nr Q0 x 1 1 t\nq Q0 b 10 9 t\nq Q0 c 7 2 t\nr Q0 y 2 2 t\nq Q0 d -3 0 t\n"
    assert medir.Run.read(save(tmp_path / "a.run", data), order=order)["q"] == expected


@pytest.mark.parametrize("order", ["rank", "file"])
def test_scores_are_not_looked_at_in_other_orders(order: Order, tmp_path: Path) -> None:
    data = b"q Q0 a 1 nan t\nq Q0 b 2 none t\n"
    assert medir.Run.read(save(tmp_path / "a.run", data), order=order)["q"] == ["a", "b"]


@pytest.mark.parametrize("order", ["score", "file"])
def test_ranks_are_not_looked_at_in_other_orders(order: Order, tmp_path: Path) -> None:
    data = b"q Q0 a x 2 t\nq Q0 b y 1 t\n"
    assert medir.Run.read(save(tmp_path / "a.run", data), order=order)["q"] == ["a", "b"]


def test_a_run_as_a_container(tmp_path: Path) -> None:
    run = medir.Run.read(str(save(tmp_path / "a.run", TWO)))
    assert (len(run), run.queries, list(run)) == (2, ["q1", "q2"], ["q1", "q2"])
    assert "q1" in run
    assert "q3" not in run
    assert "q" not in run
    with pytest.raises(KeyError, match="q3"):
        run["q3"]
    assert "2 queries" in repr(run)


def test_qrels_as_a_container(tmp_path: Path) -> None:
    qrels = medir.Qrels.read(str(save(tmp_path / "q.txt", b"q1 0 a 1\nq2 0 a 3\nq1 0 b 0\n")))
    assert (len(qrels), qrels.queries, qrels.highest) == (2, ["q1", "q2"], 3)
    assert "q1" in qrels
    assert "q3" not in qrels
    with pytest.raises(KeyError, match="q3"):
        qrels["q3"]
    assert "2 queries" in repr(qrels)


def test_qrels_can_be_iterated(tmp_path: Path) -> None:
    """As a run can; without `__iter__` Python would ask for the queries 0, 1, ..."""
    qrels: Any = medir.Qrels.read(save(tmp_path / "q.txt", b"q1 0 a 1\nq2 0 a 3\n"))
    assert list(qrels) == ["q1", "q2"]


QRELS = {
    "plain": (b"q1 0 a 1\nq1 0 b 0\nq2 0 a 2\n", {"q1": {"a": 1, "b": 0}, "q2": {"a": 2}}),
    "negative": (b"q 0 a -1\nq 0 b -2\n", {"q": {"a": 0, "b": 0}}),
    "signs and zeros": (b"q 0 a +1\nq 0 b 007\nq 0 c -0\n", {"q": {"a": 1, "b": 7, "c": 0}}),
    "highest": (b"q 0 a 1000\n", {"q": {"a": 1000}}),
    "judged twice alike": (b"q 0 a 1\nq 0 a 1\n", {"q": {"a": 1}}),
    "CRLF, tabs": (b"q\t0\ta\t1\r\nq\t0\tb\t2\r\n", {"q": {"a": 1, "b": 2}}),
    "blanks at the end": (b"q 0 a 1 \t\nq 0 b 2 ", {"q": {"a": 1, "b": 2}}),
    "no last newline": (b"q 0 a 1\nq 0 b 12", {"q": {"a": 1, "b": 12}}),
    "comments": (b"# x\nq 0 a 1\n #\n\nq 0 b 2\n", {"q": {"a": 1, "b": 2}}),
    "byte order mark": (codecs.BOM_UTF8 + b"q 0 a 1\n", {"q": {"a": 1}}),
    "scattered": (b"q 0 a 1\nr 0 a 2\nq 0 b 3\n", {"q": {"a": 1, "b": 3}, "r": {"a": 2}}),
    "any second column": (b"q Q0 a 1\nq run-7 b 2\n", {"q": {"a": 1, "b": 2}}),
    "no UTF-8": (b"\xe9 0 \xff 1\n", {"\udce9": {"\udcff": 1}}),
}  # fmt: skip


@pytest.mark.parametrize("name", QRELS)
def test_small_qrels(name: str, tmp_path: Path) -> None:
    data, expected = QRELS[name]
    qrels = medir.Qrels.read(save(tmp_path / "q.txt", data))
    assert qrels.queries == list(expected)
    assert {query: qrels[query] for query in qrels.queries} == expected
    assert qrels.highest == max(grade for some in expected.values() for grade in some.values())


# Any file.

ALIGNED = [1, 6, 7, 8, 9, 14, 15, 16, 17, 23, 24, 25, 31, 32, 33, 47, 48, 49, 63, 64, 65]


def identifiers() -> st.SearchStrategy[bytes]:
    """Ids of 1 to 300 bytes, about words of 8 bytes, of characters of several bytes, or no text."""
    visible = st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"])
    few = st.text("ab.-_01", min_size=1, max_size=3).map(str.encode)
    aligned = st.builds(
        lambda size, last: b"d" * (size - 1) + bytes([last]),
        st.sampled_from(ALIGNED),
        st.integers(0x21, 0xFF),
    )
    unicode = st.text(visible, min_size=1, max_size=75).map(str.encode)
    long = st.integers(0x21, 0xFF).flatmap(
        lambda byte: st.integers(1, 300).map(lambda size: bytes([byte]) * size)
    )
    some_bytes = st.lists(st.integers(0x21, 0xFF), min_size=1, max_size=40).map(bytes)
    return st.one_of(few, few, aligned, unicode, long, some_bytes)


def scores() -> st.SearchStrategy[str]:
    """Numbers as people and programs write them."""
    finite = st.floats(allow_nan=False, width=64)
    near = st.integers(-4, 4).map(lambda steps: 1 + steps * 2.0**-26)
    notations = st.sampled_from(
        ["{:.1f}", "{:.4f}", "{:.6f}", "{:.15f}", "{!r}", "{:e}", "{:+.3E}", "{:g}", "{:.25g}"]
    )
    decimal = st.from_regex(r"[+-]?([0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,7})", fullmatch=True)
    long = st.from_regex(
        r"[+-]?([0-9]{1,40}(\.[0-9]{0,40})?|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?", fullmatch=True
    )
    return st.one_of(
        st.sampled_from(["0", "1", "-0.0", "1.0", "10", "1e1", "10.00"]),
        st.builds(str.format, notations, st.floats(-50, 50)),
        st.builds(str.format, notations, near),
        st.builds(str.format, notations, finite),
        st.integers(0, 10**8).map(str),
        decimal,
        long,
        st.sampled_from(["inf", "-inf", "+inf", "INF", "Infinity", "-infinity"]),
    )


@st.composite
def layouts(draw: st.DrawFn, rows: Iterable[Sequence[bytes]]) -> bytes:
    """The rows as a file: blanks, tabs, line ends, comments and blank lines as may come."""
    blanks = st.sampled_from([b" ", b" ", b"\t", b"  ", b" \t", b"\t\t ", b" " * 50])
    edges = st.sampled_from([b"", b"", b"", b" ", b"\t"])
    between = st.sampled_from(
        [b"", b"", b"", b"#", b" \t # q0 0 d 1 1 t", b"  ", b"\t", b"#\xff\x00"]
    )
    newline = draw(st.sampled_from([b"\n", b"\r\n"]))
    uniform = draw(st.booleans())  # most files have one separator and nothing in between
    blank = draw(blanks)
    lines: list[bytes] = []
    for row in rows:
        if uniform:
            lines.append(blank.join(row))
            continue
        extra = draw(between)
        if extra:
            lines.append(extra)
        line = draw(edges) + row[0]
        for column in row[1:]:
            line += draw(blanks) + column
        lines.append(line + draw(edges))
    mark = draw(st.sampled_from([b"", b"", codecs.BOM_UTF8]))
    return mark + newline.join(lines) + draw(st.sampled_from([newline, b"", newline * 2]))


def grouped(draw: st.DrawFn, rows: list[list[bytes]]) -> list[list[bytes]]:
    """The lines of a query together, or as they are."""
    return sorted(rows, key=lambda row: row[0]) if draw(st.booleans()) else rows


@st.composite
def run_files(draw: st.DrawFn) -> bytes:
    queries = draw(
        st.lists(
            identifiers().filter(lambda i: not i.startswith((b"#", codecs.BOM_UTF8))),
            min_size=1,
            max_size=4,
        )
    )
    row = st.tuples(
        st.sampled_from(queries),
        st.sampled_from([b"Q0", b"0", b"Q0Q0Q0Q0Q0"]),
        identifiers(),
        st.integers(-5, 2000).map(lambda rank: b"%d" % rank),
        scores().map(str.encode),
        st.sampled_from([b"t", b"tag", b"x" * 60, b"two words"]),
    )
    rows = draw(st.lists(row.map(list), min_size=1, max_size=25))
    return draw(layouts(grouped(draw, rows)))


@st.composite
def qrels_files(draw: st.DrawFn) -> bytes:
    queries = draw(
        st.lists(
            identifiers().filter(lambda i: not i.startswith((b"#", codecs.BOM_UTF8))),
            min_size=1,
            max_size=4,
        )
    )
    grade = st.one_of(
        st.integers(-2, 4).map(str),
        st.integers(0, 1000).map("{:+d}".format),
        st.integers(0, 1000).map("{:06d}".format),
    )
    row = st.tuples(st.sampled_from(queries), st.just(b"0"), identifiers(), grade.map(str.encode))
    judged = st.lists(
        row.map(list), min_size=1, max_size=25, unique_by=lambda row: (row[0], row[2])
    )
    return draw(layouts(grouped(draw, draw(judged))))


@settings(max_examples=250, deadline=None)
@given(run_files(), st.sampled_from(["score", "score", "rank", "file"]))
@example(b"q Q0 d 1 12345678 t\nq Q0 e 2 2345678 t", "score")
def test_any_run(folder: Path, data: bytes, order: Order) -> None:
    same(read_run(save(folder / "any.run", data), order), plain_run(data, order))


@settings(max_examples=100, deadline=None)
@given(qrels_files())
def test_any_qrels(folder: Path, data: bytes) -> None:
    same(read_qrels(save(folder / "any.txt", data)), plain_qrels(data))


@pytest.mark.parametrize("size", [*ALIGNED, 127, 128, 129, 300, 5000, 100_000])
def test_ids_of_any_length(size: int, folder: Path) -> None:
    """Ids that differ only in their last byte, or by one byte in length, are different ids."""
    ids = [b"x" * (size - 1) + last for last in (b"a", b"b", b"aa", b"\xc3\xa9")]
    rows = [b"%b Q0 %b 1 1 t\n" % (query, document) for query in ids for document in ids]
    for data in (b"".join(rows), b"".join(sorted(rows, key=lambda row: bytes(row)[-20:]))):
        same(read_run(save(folder / "ids.run", data)), plain_run(data))
    expected = sorted(ids, reverse=True)
    assert read_run(folder / "ids.run")[ids[0]] == expected


@pytest.mark.parametrize("query_size", [1, 2, 7, 8, 9, 20])
def test_lines_of_every_length(query_size: int, folder: Path) -> None:
    """The end of a line at every place about the 48 and 64 bytes that are looked at together."""
    lines = []
    for line, (tag, document) in enumerate(itertools.product([1, 2, 5], range(1, 70))):
        score = b"%d.%d" % (line * 7919 % 97, line % 10)
        columns = (b"q" * query_size, b"d" * document, line, score, b"t" * tag)
        lines.append(b"%b Q0 %b %d %b %b" % columns)
    data = b"\n".join(lines)
    same(read_run(save(folder / "lines.run", data)), plain_run(data))


# Scores.


def exact(value: float) -> str:
    """A number in single precision, in full."""
    return f"{value:.60e}" if np.isfinite(value) else str(value)


def places(texts: Sequence[str], tail: str) -> bytes:
    """A query for each score, which stands between documents that have it exactly.

    With the same score, order is by id: z, m, a. The next lower and higher numbers in single
    precision, l and h, stand below and above.
    """
    lines = []
    for number, score in enumerate(texts):
        value = np.float32(single(float(score)))
        with np.errstate(all="ignore"):
            lower = float(np.nextafter(value, np.float32(-np.inf)))
            higher = float(np.nextafter(value, np.float32(np.inf)))
        around = {
            "a": exact(float(value)),
            "z": exact(float(value)),
            "l": exact(lower),
            "h": exact(higher),
            "m": score,
        }
        lines += [f"{number} Q0 {d} 1 {s} {tail}" for d, s in around.items()]
    return "\n".join(lines).encode()


def check_scores(texts: Sequence[str], folder: Path) -> None:
    """Each text has the value of `numpy.float32(float(text))`."""
    for tail in ("t", "t\r", "t" * 60):
        run = medir.Run.read(save(folder / "scores.run", places(texts, tail)))
        wrong = {}
        for number, score in enumerate(texts):
            ranked = run[str(number)]
            if not np.isfinite(single(float(score))):  # one of the neighbours is infinite too
                ranked = [document for document in ranked if document not in "lh"]
                good = ranked == ["z", "m", "a"]
            else:
                good = ranked == ["h", "z", "m", "a", "l"]
            if not good:
                wrong[score] = ranked
        assert not wrong


def spread() -> list[str]:
    """Decimals with the point at each place among 1 to 20 digits."""
    chance = random.Random(20)
    found = []
    for size in range(1, 21):
        for point in range(size + 1):
            for _ in range(3):
                digits = "".join(chance.choice("0123456789") for _ in range(size))
                found.append(f"{digits[:point]}.{digits[point:]}")
                found.append(f"-{digits[:point]}.{digits[point:]}")
        found += ["9" * size, "0" * size, "1" + "0" * (size - 1), "-" + "9" * size]
    return [score for score in found if score.strip("-") != "."]


MANTISSAS = ["1", "1.5", ".75", "2.", "9.99999999999"]
EXPONENTS = [
    "0",
    "5",
    "-5",
    "+7",
    "37",
    "38",
    "39",
    "-37",
    "-44",
    "-46",
    "-60",
    "400",
    "-400",
    "007",
]
NUMBERS = {
    "decimals": spread(),
    "whole numbers": [
        str(number) for k in range(1, 26) for number in (10**k, 10**k - 1, 10**k + 1, -(10**k))
    ],
    "exponents": [
        f"{sign}{mantissa}{letter}{exponent}"
        for sign in ("", "-", "+")
        for mantissa in MANTISSAS
        for letter in "eE"
        for exponent in EXPONENTS
    ],
    "between singles": [
        *(f"{1 + k * 2.0**-26:.30f}" for k in range(-9, 10)),
        *(repr(16777216 + k / 4) for k in range(-9, 10)),
        *(f"{k * 2.0**-151:.60e}" for k in range(-9, 10)),
    ],
    "edges": [
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "-3.4028235677973366e38",
        "1.1754943508222875e-38",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2e-324",
    ],
    "infinite": [
        "inf",
        "-inf",
        "+inf",
        "Inf",
        "INF",
        "infinity",
        "-Infinity",
        "+INFINITY",
        "1e999",
        "-1e999",
    ],
    "many digits": [
        "0." + "1" * 400,
        "1" * 38 + "." + "2" * 300,
        "0" * 500 + "3.5",
        "1." + "0" * 700 + "1",
        "12345678901234567890" * 5 + "e-80",
        "0." + "0" * 40 + "123",
    ],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores(kind: str, folder: Path) -> None:
    check_scores(NUMBERS[kind], folder)


@settings(max_examples=100, deadline=None)
@given(st.lists(scores(), min_size=1, max_size=20))
def test_any_score(folder: Path, texts: list[str]) -> None:
    check_scores(texts, folder)


# Sizes.


def filled(size: int, row: Callable[[int, int], bytes]) -> bytes:
    """A file of exactly so many bytes; the last line is widened by its document id."""
    lines: list[bytes] = []
    while sum(map(len, lines)) + 200 < size:
        lines.append(row(len(lines), 1) + b"\n")
    rest = size - sum(map(len, lines))
    lines.append(row(len(lines), 1 + rest - len(row(len(lines), 1))))
    data = b"".join(lines)
    assert len(data) == size
    assert not data.endswith(b"\n")
    return data


@pytest.mark.parametrize("pages", [1, 2, 16])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_files_that_end_with_a_page(pages: int, more: int, folder: Path) -> None:
    """Nothing stands behind the last byte of such a file, and no newline ends it."""
    data = filled(
        pages * PAGE + more,
        lambda n, width: b"q%d Q0 d%b 1 %d.5 t" % (n // 9, b"%d" % n + b"x" * (width - 1), n % 5),
    )
    same(read_run(save(folder / "page.run", data)), plain_run(data))
    data = filled(
        pages * PAGE + more,
        lambda n, width: b"q%d 0 d%b %d" % (n // 9, b"%d" % n + b"x" * (width - 1), n % 5),
    )
    same(read_qrels(save(folder / "page.txt", data)), plain_qrels(data))


@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5])
def test_an_unfinished_line_at_the_end_of_a_page(columns: int, folder: Path) -> None:
    line = b" ".join([b"q", b"Q0", b"d", b"1", b"1.5"][:columns])
    start = b"p Q0 d 1 1.5 t\n"
    comment = b"#" + b"." * (PAGE - len(start) - len(line) - 2) + b"\n"
    path = save(folder / "cut.run", start + comment + line)
    assert path.stat().st_size == PAGE
    with pytest.raises(medir.InputError, match=f"line 3: expected 6 columns .* found {columns}\n"):
        medir.Run.read(path)


def large(layout: str) -> bytes:
    """A run of 3 to 4 MiB, so that several threads have a part of it."""
    chance = random.Random(7)
    queries = [b"query-%d" % n + b"." * (n % 11) for n in range(400)]
    rows = []
    for query, rank in itertools.product(queries, range(180)):
        document, score = chance.randrange(10**6), chance.random() * 20
        if rank % 5:
            columns = (query, document, rank, score, b"tag" * (rank % 5))
            rows.append(b"%b Q0 doc%d %d %.4f %b\n" % columns)
        else:
            rows.append(b"%b\tQ0\tdoc%d\t%d\t%r\ttag\n" % (query, document, rank, score))
    if layout == "scattered":
        chance.shuffle(rows)
    if layout == "round robin":
        rows = [rows[i * 180 + rank] for rank in range(180) for i in range(400)]
    if layout == "one query":
        rows = [row.replace(row.split()[0], b"q", 1) for row in rows]
    if layout == "CRLF and comments":
        rows = [row[:-1] + b"\r\n" for row in rows]
        rows[::50] = [b"# comment\r\n \r\n" + row for row in rows[::50]]
    if layout == "very long lines":
        rows[5000] = b"x" * (CHUNK * 3 // 2) + b" Q0 d 1 1 t\n"
        rows[9000] = b"query-2 Q0 " + b"y" * (CHUNK + 77) + b" 1 1 t\n"
        rows[9001] = b"#" + b"z" * CHUNK + b"\n"
    return b"".join(rows)


LAYOUTS = [
    "grouped",
    "scattered",
    "round robin",
    "one query",
    "CRLF and comments",
    "very long lines",
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_large_runs(layout: str, folder: Path) -> None:
    data = large(layout)
    assert len(data) > 2 * CHUNK
    expected = plain_run(data)
    path = save(folder / "large.run", data)
    for threads in (1, 2, 5):
        same(read_run(path, threads=threads), expected)
    packed = save(folder / "large.run.gz", gzip.compress(data, 1))
    same(read_run(packed, threads=3), expected)


def test_large_qrels(folder: Path) -> None:
    lines = [b"q%d 0 d%d %d\n" % (n % 977, n // 977, n % 4) for n in range(180_000)]
    data = b"".join(lines)
    assert len(data) > 2 * CHUNK
    path = save(folder / "large.txt", data)
    for threads in (1, 3):
        same(read_qrels(path, threads), plain_qrels(data))


def test_parts_start_at_every_byte_of_a_line(folder: Path) -> None:
    """A file of two parts, moved on by a byte and then another across the border of the parts."""
    rows = [b"q%d Q0 d%d 1 %d.5 t\n" % (n // 3, n, n % 7) for n in range(105_000)]
    data = b"".join(rows)
    assert 2 * CHUNK < len(data) < 3 * CHUNK - 200
    expected = medir.Run.read(save(folder / "parts.run", data), threads=1)
    near = sorted({(len(rows) // 2 + k) // 3 for k in range(-3000, 3000)})
    plain = plain_run(data)
    assert {raw(query): list(map(raw, expected[query])) for query in expected} == plain
    for shift in range(2, 90, 2):
        path = save(folder / "parts.run", b"#" * (shift - 1) + b"\n" + data)
        run = medir.Run.read(path, threads=2)
        assert run.queries == expected.queries
        for query in near:
            assert run[f"q{query}"] == expected[f"q{query}"]


# Where a file comes from.


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return compressed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["a.run.{}", "a.run", "a.zip", "a"])
def test_compressed_whatever_the_name(kind: str, name: str, tmp_path: Path) -> None:
    path = save(tmp_path / name.format(kind), PACKERS[kind](TWO))
    assert read_run(path) == plain_run(TWO)
    judged = save(tmp_path / ("q" + name.format(kind)), PACKERS[kind](b"q 0 a 1"))
    assert read_qrels(judged) == {b"q": {b"a": 1}}


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.zst"])
def test_plain_text_whatever_the_name(name: str, tmp_path: Path) -> None:
    assert read_run(save(tmp_path / name, TWO)) == plain_run(TWO)


@pytest.mark.parametrize("kind", PACKERS)
def test_archives_of_several_parts(kind: str, tmp_path: Path) -> None:
    """As `cat a.gz b.gz` and parallel compressors make them; lines may span the parts."""
    data = TWO * 50
    parts = [data[:7], data[7:500], b"", data[500:]]
    path = save(tmp_path / "a.run", b"".join(map(PACKERS[kind], parts)))
    assert read_run(path) == plain_run(data)


def test_a_large_archive_without_a_stated_size(tmp_path: Path) -> None:
    """A stream does not know how much is to come."""
    compressor = pytest.importorskip("zstandard").ZstdCompressor().compressobj()
    data = large("grouped")
    packed = compressor.compress(data) + compressor.flush()
    assert read_run(save(tmp_path / "a.run.zst", packed)) == plain_run(data)


@pytest.mark.parametrize("packer", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
def test_a_named_pipe(packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(packer(TWO),), daemon=True)
    writer.start()
    assert read_run(path) == plain_run(TWO)
    writer.join()


@pytest.mark.parametrize("packer", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
def test_standard_input(packer: Callable[[bytes], bytes]) -> None:
    code = "import medir; run = medir.Run.read('-'); print(run.name, run.queries, run['q1'])"
    outcome = python(code, stdin=packer(TWO))
    assert outcome == (0, "standard input ['q1', 'q2'] ['b', 'a']\n", "")


def test_standard_input_in_the_shell(tmp_path: Path) -> None:
    other = save(tmp_path / "b.run", b"q2 Q0 c 1 1 tag\nq1 Q0 a 1 9 tag\nq1 Q0 x 2 7 tag\n")
    same_file = save(tmp_path / "a.run", TWO)
    options = ["-m", "P@2", "--format", "csv"]
    expected = "query_id,measure,med,gain,loss,lower,gap\nq1,P@2,0.5,0.5,0.5,"
    for before, after in [("-", str(other)), (str(other), "-")]:
        outcome = shell("compare", before, after, *options, stdin=TWO)
        assert (outcome.code, outcome.err) == (0, "")
        files = [same_file if path == "-" else path for path in (before, after)]
        assert outcome.out == shell("compare", *files, *options).out
    assert shell("compare", "-", other, *options, stdin=TWO).out.startswith(expected)


def test_a_file_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"r\xe9sultats.run")
    try:
        path.touch()
    except OSError:
        pytest.skip("file names are UTF-8 here")
    assert read_run(save(path, TWO)) == plain_run(TWO)


# Two files with their queries in different orders.


@pytest.mark.parametrize("threads", [1, 4])
def test_queries_in_another_order_in_each_file(threads: int, tmp_path: Path) -> None:
    """P@10 of lists of 10: med counts the results that only one list has, of 10."""
    chance = random.Random(3)
    queries = [str(n) for n in range(3000)]
    lists = {
        side: {query: chance.sample(range(15), 10) for query in queries} for side in ("a", "b")
    }
    for side, layout in itertools.product("ab", ("grouped", "scattered")):
        rows = [
            f"{query} Q0 d{document} {rank} {-rank} t\n"
            for query in chance.sample(queries, len(queries))
            for rank, document in enumerate(lists[side][query])
        ]
        if layout == "scattered":
            chance.shuffle(rows)
        save(tmp_path / f"{side}-{layout}.run", "".join(rows).encode())
    expected = {q: len(set(lists["a"][q]) - set(lists["b"][q])) / 10 for q in queries}
    for before, after in itertools.product(("grouped", "scattered"), repeat=2):
        files = (tmp_path / f"a-{before}.run", tmp_path / f"b-{after}.run")
        result = medir.compare(*files, "P@10", threads=threads)
        assert (result.only_before, result.only_after) == (0, 0)
        found = dict(zip(result.queries, result.column("P@10").tolist(), strict=True))
        assert found == pytest.approx(expected)
        assert result.queries == list(plain_run_queries(files[0]))


def plain_run_queries(path: Path) -> dict[str, None]:
    """The query ids of a file in the order in which they first appear."""
    return dict.fromkeys(text(row[0]) for row in lines_of(path.read_bytes()))
