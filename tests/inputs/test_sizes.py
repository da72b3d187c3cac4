"""TREC files of every size: pages, parts of several threads, very long lines."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

import medir
from tests.cases.trec import (
    CHUNK,
    large,
    plain_qrels,
    plain_run,
    raw,
    read_qrels,
    read_run,
    same,
    save,
)

PAGE = 4096


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


LAYOUTS = [
    "grouped",
    "scattered",
    "round robin",
    "one query",
    "CRLF and comments",
    "very long lines",
]


@pytest.mark.slow
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


@pytest.mark.slow
def test_large_qrels(folder: Path) -> None:
    lines = [b"q%d 0 d%d %d\n" % (n % 977, n // 977, n % 4) for n in range(180_000)]
    data = b"".join(lines)
    assert len(data) > 2 * CHUNK
    path = save(folder / "large.txt", data)
    for threads in (1, 3):
        same(read_qrels(path, threads), plain_qrels(data))


@pytest.mark.slow
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
