"""TREC text: a plain reader in Python, and what medir reads in the same form."""

from __future__ import annotations

import codecs
import itertools
import random
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from hypothesis import strategies as st

import medir

Order = Literal["score", "rank", "file"]
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


TWO = b"q1 Q0 a 1 2.5 tag\nq1 Q0 b 2 7 tag\nq2 Q0 c 1 1 tag\n"


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
