"""TREC files of all kinds, against a plain reader in Python."""

from __future__ import annotations

import codecs
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import medir
from medir import _core
from tests.cases.trec import (
    TWO,
    Order,
    plain_qrels,
    plain_run,
    raw,
    read_qrels,
    read_run,
    same,
    save,
    scores,
)
from tests.profiles import examples

# Small files, by hand.


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


@examples(250)
@given(run_files(), st.sampled_from(["score", "score", "rank", "file"]))
@example(b"q Q0 d 1 12345678 t\nq Q0 e 2 2345678 t", "score")
@example(b"q Q0 d 1 1.5 t\nq Q0 e 2 2.5 t", "score")
def test_any_run(folder: Path, data: bytes, order: Order) -> None:
    same(read_run(save(folder / "any.run", data), order), plain_run(data, order))


@examples(100)
@given(qrels_files())
@example(b"[[ 0 0 0\n")
@example(b'["q 0 d 1\n')
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


@pytest.mark.parametrize("size", [1, 6, 7, 8, 15, 16, 17, 40, 200])
def test_lines_of_query_ids_of_any_size_are_counted_once(size: int, tmp_path: Path) -> None:
    """Also where the text is cut into chunks, and where ids share a beginning or differ at once."""
    counts = dict[str, int]()
    for number in range(20_000):
        name = f"{number:x}"
        counts[name.rjust(size, "q") if number % 2 else name.ljust(size, "q")] = 1 + number % 7
    lines = [
        f"{query} Q0 d{rank:0{20 - size % 7}} {rank} {100 - rank} t\n"
        for query, count in counts.items()
        for rank in range(1, count + 1)
    ]
    text = "".join(lines).encode()
    assert len(text) > 2 << 20
    run = medir.Run.of(save(tmp_path / "a.run", text), threads=2)
    lengths = run._lists.lengths(_core.Repeats.error, 1)
    longest = max(counts.values())
    at_longest = sum(count == longest for count in counts.values())
    assert (lengths.longest, lengths.at_longest) == (longest, at_longest)
    assert {query: len(run[query]) for query in counts} == counts


@pytest.mark.parametrize("size", [1, 7, 8, 9, 16, 17, 63, 64, 65, 130])
def test_a_text_may_end_within_the_id_of_its_query(size: int, tmp_path: Path) -> None:
    query = "q" * size
    whole = f"{query} Q0 a 1 2 t\n{query} Q0 b 2 1 t\n".encode()
    run = medir.Run.of(save(tmp_path / "a.run", whole))
    assert run[query] == ["a", "b"]
    for end in range(1, size, max(1, size // 9)):
        run = medir.Run.of(save(tmp_path / "a.run", whole + query[:end].encode()))
        assert run[query] == ["a", "b"]


PLAIN_SCORES = st.from_regex(r"-?([0-9]{1,9}\.?[0-9]{0,9}|\.[0-9]{1,9})", fullmatch=True)


@examples(300)
@given(st.lists(PLAIN_SCORES, min_size=1, max_size=20))
def test_scores_without_exponent_are_read_as_python_reads_them(tokens: list[str]) -> None:
    rows = (f"q Q0 d{number} 1 {token} t\n" for number, token in enumerate(tokens))
    run = _core.read_run(b"a.run", "".join(rows).encode(), _core.Order.score, 1)
    found = dict(run.entries(0))
    for number, token in enumerate(tokens):
        assert found[b"d%d" % number] == float(np.float32(float(token))), token
