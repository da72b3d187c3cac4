"""A comparison written out and read back with plain readers."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import Comparison
from medir.comparing.table import ComparedTable
from tests.profiles import examples
from tests.shell import python

VALUES = ["med", "gain", "loss", "lower", "gap", "gain_gap", "loss_gap", "unseen"]
CHANGES = ["entered", "left", "moved"]
COLUMNS = ["query_id", "measure", *VALUES, "value", *CHANGES]
FORMATS = ["csv", "tsv", "jsonl", "parquet"]
TEXTS = FORMATS[:3]
MEASURES = [
    "nDCG(gains='linear', max_grade=3)@10",
    "RBP(p=0.8)",
    "P@3",
    "nDCG(ideal={2: 1, 1: 12})@5",
]
IDS = [
    "plain",
    "a,b",
    'say "hi"',
    '"',
    "tab\there",
    "new\nline",
    "carriage\rreturn",
    "both\r\n",
    "",
    " blank ",
    "naïve 語 🔍",
    "back\\slash \\n",
    "control \x01\x1f\x7f",
    "'single'",
    "a;b|c",
    "\u2028 \u0085 \ufeff",
    "null",
    "1e5",
    "{}",
    "#",
]


class Line(NamedTuple):
    query_id: str
    measure: str
    med: float
    gain: float
    loss: float
    lower: float
    gap: float
    gain_gap: float
    loss_gap: float
    unseen: float
    value: float | None
    entered: int
    left: int
    moved: int


def expected(result: Comparison) -> list[Line]:
    """Every row from the columns: queries in order, the measures of a query together."""
    columns = {
        measure: [
            *(result.column(measure, name).tolist() for name in VALUES),
            [None] * len(result),
            *(result.change(name, measure).tolist() for name in CHANGES),
        ]
        for measure in result.measures
    }
    return [
        Line(query, repr(measure), *(values[position] for values in columns[measure]))
        for position, query in enumerate(result.queries)
        for measure in result.measures
    ]


def read_delimited(path: Path, delimiter: str) -> list[Line]:
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        header, *rows = csv.reader(file, delimiter=delimiter, strict=True)
    assert header == COLUMNS
    number = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
    value = COLUMNS.index("value")
    assert all(row[value] == "" for row in rows)
    assert all(number.fullmatch(cell) for row in rows for cell in row[2:value] + row[value + 1 :])
    return [
        Line._make([*row[:2], *map(float, row[2:value]), None, *map(int, row[value + 1 :])])
        for row in rows
    ]


def read_jsonl(path: Path) -> list[Line]:
    data = path.read_bytes().decode("utf-8", "surrogateescape")
    assert data.endswith("\n")
    records = [json.loads(line) for line in data.split("\n")[:-1]]
    assert all(list(record) == COLUMNS for record in records)
    return [Line(**record) for record in records]


def read_parquet(path: Path) -> list[Line]:
    table = pytest.importorskip("pyarrow.parquet").read_table(path)
    assert table.column_names == COLUMNS
    assert {str(table.schema.field(name).type) for name in VALUES} == {"double"}
    return [Line(**record) for record in table.to_pylist()]


READERS: dict[str, Callable[[Path], list[Line]]] = {
    "csv": lambda path: read_delimited(path, ","),
    "tsv": lambda path: read_delimited(path, "\t"),
    "jsonl": read_jsonl,
    "parquet": read_parquet,
}


@pytest.fixture(scope="module")
def result() -> Comparison:
    """Every kind of id, and values with many digits."""
    before = {query: [f"d{(n * i) % 17}" for i in range(1, 9)] for n, query in enumerate(IDS, 18)}
    after = {query: [f"d{(n + 3 * i) % 17}" for i in range(8)] for n, query in enumerate(IDS, 5)}
    return medir.compare(before, after, MEASURES, duplicates="first")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_row_unrounded(format_: str, result: Comparison, tmp_path: Path) -> None:
    path = tmp_path / f"out.{format_}"
    result.write(path)
    rows = READERS[format_](path)
    assert rows == expected(result)
    assert [row.query_id for row in rows[:: len(MEASURES)]] == IDS
    assert len({row.med for row in rows}) > 20
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("format_", FORMATS)
def test_the_rows_are_those_of_iteration(format_: str, result: Comparison, folder: Path) -> None:
    path = folder / f"rows.{format_}"
    result.write(path)
    assert READERS[format_](path) == expected(result)
    assert [line[:10] for line in expected(result)] == [
        (row[0], repr(row[1]), *row[2:10]) for row in result
    ]


@examples(60)
@given(st.lists(st.text(max_size=12), min_size=1, max_size=6, unique=True))
def test_any_query_id(folder: Path, queries: list[str]) -> None:
    compared = medir.compare(
        {query: ["a", "b", "c"] for query in queries},
        {query: ["c", f"d{n}", "a"] for n, query in enumerate(queries)},
        MEASURES,
    )
    for format_ in FORMATS:
        path = folder / f"any.{format_}"
        compared.write(path)
        assert READERS[format_](path) == expected(compared)


@pytest.mark.parametrize("format_", FORMATS)
def test_ids_that_are_not_utf8(format_: str, tmp_path: Path) -> None:
    """Their bytes survive in text; JSON and Parquet, which hold Unicode only, have escapes."""
    for name, document in (("a", b"x"), ("b", b"y")):
        data = b"q\xff Q0 %b 1 1 t\nd\xe9j\xe0 Q0 %b 1 1 t\n" % (document, document)
        (tmp_path / f"{name}.run").write_bytes(data)
    compared = medir.compare(tmp_path / "a.run", tmp_path / "b.run", "P@1")
    path = tmp_path / f"out.{format_}"
    compared.write(path)
    rows = READERS[format_](path)
    if format_ in ("jsonl", "parquet"):
        path.read_bytes().decode("utf-8" if format_ == "jsonl" else "latin-1")
        assert [row.query_id for row in rows] == [r"q\xff", r"d\xe9j\xe0"]
        assert [row[1:] for row in rows] == [row[1:] for row in expected(compared)]
    else:
        assert rows == expected(compared)
        assert b"q\xff" in path.read_bytes()


def test_quoting(tmp_path: Path) -> None:
    """RFC 4180: quoted where needed and only there, a quote is doubled.

    Both lists are known as deep as P@1 looks, and so each value but the gap is 1.
    """
    ids = ["plain", "a,b", 'a"b', "a\tb", "a\nb", ""]
    compared = medir.compare(
        {query: ["a", "b"] for query in ids}, {query: ["b", "a"] for query in ids}, ["P@1"]
    )
    for format_, mark, queries in [
        ("csv", ",", ["plain", '"a,b"', '"a""b"', "a\tb", '"a\nb"', '""']),
        ("tsv", "\t", ["plain", "a,b", '"a""b"', '"a\tb"', '"a\nb"', '""']),
    ]:
        compared.write(tmp_path / f"out.{format_}")
        rows = [COLUMNS, *([query, "P@1", *"11110000", "", *"110"] for query in queries)]
        text = "".join(mark.join(row) + "\n" for row in rows)
        assert (tmp_path / f"out.{format_}").read_bytes().decode() == text


def test_measure_names_with_commas(result: Comparison, tmp_path: Path) -> None:
    result.write(tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert "\nplain,\"nDCG(gains='linear', max_grade=3)@10\"," in text
    assert "\nplain,P@3," in text


@pytest.mark.slow
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("threads", [1, 3])
def test_many_queries(format_: str, threads: int, tmp_path: Path) -> None:
    """Pieces that several threads make are written in order."""
    before = {f"q{n}": ["a", f"b{n % 3}", "c"] for n in range(9_000)}
    after = {f"q{n}": ["c", "a", "b1", "x"][n % 4 :] for n in range(9_000)}
    compared = medir.compare(before, after, ["P@2", "RBP"], threads=threads)
    path = tmp_path / f"out.{format_}"
    compared.write(path)
    assert READERS[format_](path) == expected(compared)


@pytest.mark.parametrize("format_", TEXTS)
def test_a_stream(format_: str, result: Comparison, tmp_path: Path) -> None:
    """What is written to a stream is what stands in the file."""
    stream = io.BytesIO()
    result.write(stream, format_)
    result.write(tmp_path / f"out.{format_}")
    assert stream.getvalue() == (tmp_path / f"out.{format_}").read_bytes()


@pytest.mark.parametrize("format_", FORMATS)
def test_nothing_to_write(format_: str, tmp_path: Path) -> None:
    path = tmp_path / f"out.{format_}"
    medir.compare({}, {}, "P@1").write(path)
    if format_ == "jsonl":
        assert path.read_bytes() == b""
    else:
        assert READERS[format_](path) == []


@pytest.mark.parametrize("name", ["out.CSV", "out.Csv", "a.b.csv", "out.parquet.csv"])
def test_format_by_suffix(name: str, result: Comparison, tmp_path: Path) -> None:
    result.write(str(tmp_path / name))
    assert READERS["csv"](tmp_path / name) == expected(result)


@pytest.mark.parametrize("format_", FORMATS)
def test_stated_format(format_: str, result: Comparison, tmp_path: Path) -> None:
    """It goes before the suffix."""
    for name in ("out", "out.txt", "out.csv"):
        result.write(tmp_path / name, format_)
        assert READERS[format_](tmp_path / name) == expected(result)


@pytest.mark.parametrize(
    ("name", "format_"), [("out", None), ("out.xls", None), ("out.csv", "xml")]
)
def test_unknown_format(name: str, format_: str | None, result: Comparison, tmp_path: Path) -> None:
    with pytest.raises(medir.UsageError, match=r"csv.*tsv.*jsonl.*parquet"):
        result.write(tmp_path / name, format_)
    assert list(tmp_path.iterdir()) == []


# Complete or not at all.


@pytest.mark.parametrize("format_", FORMATS)
def test_an_older_file_is_replaced(format_: str, result: Comparison, tmp_path: Path) -> None:
    path = tmp_path / f"out.{format_}"
    path.write_bytes(b"older" * 100_000)
    result.write(path)
    assert READERS[format_](path) == expected(result)
    assert list(tmp_path.iterdir()) == [path]


class Broken(io.RawIOBase):
    """A stream that breaks at its n-th piece."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.pieces = pieces

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.pieces -= 1
        if self.pieces < 0:
            raise OSError(28, "No space left on device")
        return len(data)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("pieces", [0, 1, 2, 4])
def test_a_stream_that_breaks(threads: int, pieces: int) -> None:
    """The error comes through, and no thread waits for ever."""
    queries = [f"q{n}" for n in range(20_000)]
    before, after = {query: ["a"] for query in queries}, {query: ["b"] for query in queries}
    compared = medir.compare(before, after, "P@1", threads=threads)
    caught: list[BaseException] = []

    def write() -> None:
        stream: Any = Broken(pieces)
        try:
            compared.write(stream, "csv")
        except OSError as error:
            caught.append(error)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert len(caught) == 1


LIMITED = """
import resource, sys, medir
queries = [f"q{n}" for n in range(int(sys.argv[2]))]
result = medir.compare({q: ["a"] for q in queries}, {q: ["b"] for q in queries}, "P@1")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), resource.RLIM_INFINITY))
try:
    result.write(sys.argv[1])
except medir.UsageError as error:
    print(error)
"""


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    ("queries", "limit", "older"),
    [(1000, 1000, False), (1000, 1000, True), (10_000, 8192, True), (10_000, 120_000, False)],
)
def test_a_disk_that_is_full(
    format_: str, queries: int, limit: int, older: bool, tmp_path: Path
) -> None:
    """A file that may not grow as long as it should: an error, and no half of a file."""
    if format_ == "parquet":
        pytest.importorskip("pyarrow")
        limit //= 16  # it is compressed
    path = tmp_path / f"out.{format_}"
    if older:
        path.write_bytes(b"older\n")
    outcome = python(LIMITED, path, str(queries), str(limit))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"cannot write '{path}': ")
    assert "File too large" in outcome.out
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == (
        {path.name: b"older\n"} if older else {}
    )


def test_an_interrupted_write(
    result: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    (tmp_path / "older.csv").write_bytes(b"older\n")
    monkeypatch.setattr(ComparedTable, "write_text", interrupt)
    monkeypatch.setattr(ComparedTable, "batches", interrupt)
    for name in ("new.csv", "older.csv", "new.parquet"):
        with pytest.raises(KeyboardInterrupt):
            result.write(tmp_path / name)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"older.csv": b"older\n"}


def test_the_file_is_not_seen_before_it_is_complete(
    result: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While rows are written, the older file stands as it was."""
    path = tmp_path / "out.csv"
    path.write_bytes(b"older\n")
    seen: list[bytes] = []
    write_text = ComparedTable.write_text

    def watch(self: ComparedTable, stream: Any, *layout: Any) -> None:
        write_text(self, stream, *layout)
        seen.append(path.read_bytes())

    monkeypatch.setattr(ComparedTable, "write_text", watch)
    result.write(path)
    assert seen == [b"older\n"]
    assert READERS["csv"](path) == expected(result)


@pytest.mark.posix
def test_a_link_stays_a_link(result: Comparison, tmp_path: Path) -> None:
    """The file that it points to is the one to write."""
    (tmp_path / "data").mkdir()
    target, link = tmp_path / "data" / "target.csv", tmp_path / "link.csv"
    target.write_bytes(b"older\n")
    link.symlink_to(target)
    result.write(link)
    assert link.is_symlink()
    assert READERS["csv"](target) == expected(result)


@pytest.mark.posix
def test_a_pipe_is_written_to(result: Comparison, tmp_path: Path) -> None:
    """`-o >(gzip)` and `/dev/stdout` are no files that can be replaced."""
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        result.write(path)
        assert path.is_fifo()
        assert os.read(descriptor, 1 << 16).startswith(b"query_id,")
    finally:
        os.close(descriptor)


def test_file_permissions_are_those_of_any_new_file(result: Comparison, tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        result.write(tmp_path / "out.csv")
    finally:
        os.umask(old)
    assert (tmp_path / "out.csv").stat().st_mode & 0o777 == 0o640


# Libraries that are not there.


@pytest.mark.parametrize("older", [False, True])
def test_parquet_without_its_library(
    older: bool, result: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    path = tmp_path / "out.parquet"
    if older:
        path.write_bytes(b"older\n")
    message = r"needs pyarrow: pip install 'medir\[tables\]'"
    with pytest.raises(ImportError, match=message) as caught:
        result.write(path)
    assert isinstance(caught.value, medir.MedirError)
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"older\n"] * older
