"""Runs that are written: each format parsed by a library of its own, and read back by medir."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import itertools
import json
import lzma
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.inputs.writing.descending import descending
from medir.inputs.writing.runs import FORMATS
from tests.cases.trec import plain_run, raw, save
from tests.profiles import examples

Lists = dict[str, list[tuple[str, float]]]  # documents and scores, as they are written
Parser = Callable[[bytes], Lists]

ODD = {
    "q 1": {"a b": 3.0, 'c"d': 2.5, "e,f\tg": 1.0, "line\nbreak": 0.5, "": 0.25, "\\": 0.125},
    "#2": {"ünïcode 文書": 1.0, "\x01": 0.5},
    "": {"x": 1.0},
}
PLAIN: dict[str, dict[str, float]] = {
    "q1": {"d1": 0.1, "d10": 0.1, "d2": 12.345678, "d3": -5.0, "d4": 1e-30, "d5": 123456789.0},
    "q2": {"x": 0.0, "y": float("-1e20")},
    "q3": {},
    "q4": {"z": 3.0},
}
WORDS = ("trec", "msmarco")  # formats whose ids have no blanks


def single(score: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(score))


def sorted_lists(run: Mapping[str, Mapping[str, float]]) -> Lists:
    """By score descending in single precision, ties by the bytes of the id descending."""
    return {
        query: sorted(
            ((document, single(score)) for document, score in results.items()),
            key=lambda one: (one[1], one[0].encode()),
            reverse=True,
        )
        for query, results in run.items()
    }


def grouped(rows: Any) -> Lists:
    """Lists from rows of query, document, rank and score, in the order of the ranks."""
    lists: Lists = {}
    for query, document, rank, score in rows:
        lists.setdefault(query, []).append((document, single(float(score))))
        assert int(rank) == len(lists[query])
    return lists


def parse_trec(data: bytes) -> Lists:
    words = (line.split(" ") for line in data.decode().splitlines())
    return grouped((q, d, rank, score) for q, _, d, rank, score, _ in words)


def parse_msmarco(data: bytes) -> Lists:
    words = (line.split("\t") for line in data.decode().splitlines())
    return grouped((q, d, rank, -int(rank)) for q, d, rank in words)


def parse_delimited(data: bytes, delimiter: str) -> Lists:
    header, *rows = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter)
    assert header == ["query_id", "doc_id", "rank", "score"]
    return grouped(rows)


def parse_jsonl(data: bytes) -> Lists:
    records = [json.loads(line) for line in data.decode().split("\n")[:-1]]
    assert all(list(one) == ["query_id", "doc_id", "rank", "score"] for one in records)
    return grouped(one.values() for one in records)


def parse_json(data: bytes) -> Lists:
    found = json.loads(data)
    return {q: [(d, single(s)) for d, s in results.items()] for q, results in found.items()}


def parse_table(table: pa.Table) -> Lists:
    assert table.schema.types == [pa.string(), pa.string(), pa.int64(), pa.float64()]
    return grouped(one.values() for one in table.to_pylist())


PARSERS: dict[str, Parser] = {
    "trec": parse_trec,
    "parquet": lambda data: parse_table(pq.read_table(pa.BufferReader(data))),
    "arrow": lambda data: parse_table(pa.ipc.open_file(data).read_all()),
    "csv": lambda data: parse_delimited(data, ","),
    "tsv": lambda data: parse_delimited(data, "\t"),
    "jsonl": parse_jsonl,
    "json": parse_json,
    "msmarco": parse_msmarco,
}


def table_of(path: Path) -> medir.Run:
    return medir.Run.of(pa.ipc.open_file(path.read_bytes()).read_all())


# What medir reads, and how; the other formats join here.
READ_BACK: dict[str, Callable[[Path], medir.Run]] = {"trec": medir.Run.read, "arrow": table_of}


def written(run: medir.Run, format: str, **options: Any) -> bytes:
    stream = io.BytesIO()
    run.write(stream, format, **options)
    return stream.getvalue()


def expected_of(run: Mapping[str, Mapping[str, float]], format: str) -> Lists:
    """What a parser finds: a format without scores has ranks, and most have no empty lists."""
    lists = sorted_lists(run)
    if format == "msmarco":
        lists = {q: [(d, -float(i)) for i, (d, _) in enumerate(r, 1)] for q, r in lists.items()}
    return {query: results for query, results in lists.items() if results or format == "json"}


def test_every_format_is_tested() -> None:
    assert list(PARSERS) == list(FORMATS)


@pytest.mark.parametrize("format", PARSERS)
def test_formats(format: str) -> None:
    data = written(medir.Run.of(PLAIN), format)
    assert PARSERS[format](data) == expected_of(PLAIN, format)


@pytest.mark.parametrize("format", [one for one in PARSERS if one not in WORDS])
def test_odd_ids(format: str) -> None:
    data = written(medir.Run.of(ODD), format)
    assert PARSERS[format](data) == expected_of(ODD, format)


@pytest.mark.parametrize("format", PARSERS)
@pytest.mark.parametrize("lists", [{}, {"q": []}], ids=["no queries", "an empty list"])
def test_nothing(format: str, lists: Lists) -> None:
    run = medir.Run.of(lists)
    stream = io.BytesIO()
    told = run.write(stream, format)
    assert PARSERS[format](stream.getvalue()) == (lists if format == "json" else {})
    assert (told.queries, told.results) == (len(lists) if format == "json" else 0, 0)
    note = "1 query without results: left out, since only json, and rows with lists, can hold them"
    assert told.notes == ([note] if lists and format != "json" else [])


def test_trec_text_in_full() -> None:
    run = medir.Run.of({"q1": {"a": 0.1, "b": 2.0}, "q2": ["x", "y"]})
    assert written(run, "trec", tag="mine") == (
        b"q1 Q0 b 1 2 mine\nq1 Q0 a 2 0.1 mine\nq2 Q0 x 1 2 mine\nq2 Q0 y 2 1 mine\n"
    )


def test_lists_in_rows() -> None:
    """One row per query; empty lists are kept."""
    run = medir.Run.of(PLAIN)
    expected = [
        {"query_id": q, "doc_ids": [d for d, _ in results], "scores": [s for _, s in results]}
        for q, results in sorted_lists(PLAIN).items()
    ]
    lines = written(run, "jsonl", lists=True).decode().splitlines()
    found = [json.loads(line) for line in lines]
    for one in found:
        one["scores"] = list(map(single, one["scores"]))
    assert found == expected
    parquet = pq.read_table(pa.BufferReader(written(run, "parquet", lists=True)))
    assert parquet.to_pylist() == expected
    arrow = pa.ipc.open_file(written(run, "arrow", lists=True)).read_all()
    assert arrow.to_pylist() == expected
    kinds = [pa.string(), pa.list_(pa.string()), pa.list_(pa.float64())]
    assert [field.type for field in arrow.schema] == kinds


def test_feather_is_arrow(tmp_path: Path) -> None:
    path = tmp_path / "a.feather"
    medir.Run.of(PLAIN).write(path)
    assert parse_table(pyarrow.feather.read_table(path)) == expected_of(PLAIN, "arrow")


SUFFIXES = {
    "a.run": "trec", "a.TREC": "trec", "a.txt": "trec", "a.parquet": "parquet", "a.arrow": "arrow",
    "a.csv": "csv", "a.tsv": "tsv", "a.jsonl": "jsonl", "a.ndjson": "jsonl", "a.json": "json",
    "a.msmarco": "msmarco",
}  # fmt: skip


def unzstd(data: bytes) -> bytes:
    unpacker = pytest.importorskip("zstandard").ZstdDecompressor().decompressobj()
    unpacked: bytes = unpacker.decompress(data)
    return unpacked


ARCHIVES: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".bz2": bz2.decompress,
    ".xz": lzma.decompress,
    ".zst": unzstd,
}


@pytest.mark.parametrize("name", SUFFIXES)
def test_suffixes(name: str, tmp_path: Path) -> None:
    run = medir.Run.of(PLAIN)
    told = run.write(tmp_path / name)
    assert (told.queries, told.results) == (4 if name == "a.json" else 3, 9)
    assert (tmp_path / name).read_bytes() == written(run, SUFFIXES[name])
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("archive", ARCHIVES)
@pytest.mark.parametrize("name", ["a.run", "a.csv", "a.json"])
def test_archives(name: str, archive: str, tmp_path: Path) -> None:
    """The same bytes each time."""
    run, path = medir.Run.of(PLAIN), tmp_path / (name + archive)
    run.write(path)
    first = path.read_bytes()
    assert ARCHIVES[archive](first) == written(run, SUFFIXES[name])
    run.write(path)
    assert path.read_bytes() == first


def test_a_stated_format_wins(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    medir.Run.of(PLAIN).write(path, "trec")
    assert parse_trec(path.read_bytes()) == expected_of(PLAIN, "trec")


# Round trips.

NAMES = st.text(st.characters(blacklist_categories=["Cs", "Zs", "Cc", "Zl", "Zp"]), min_size=1)
SCORES = st.one_of(
    st.floats(width=32, allow_nan=False),
    st.floats(allow_nan=False),
    st.integers(-3, 3).map(float),
    st.sampled_from([1.0, 1 + 2**-24, 1 + 2**-23, 1e39, -1e-50, 16777217.0]),
)
RUNS = st.dictionaries(
    NAMES.filter(lambda name: not name.startswith(("#", "\ufeff"))),
    st.dictionaries(NAMES, SCORES, min_size=1, max_size=8),
    min_size=1,
    max_size=4,
)


@examples(200)
@given(RUNS)
@pytest.mark.parametrize("format", READ_BACK)
def test_read_back(format: str, tmp_path_factory: Any, run: dict[str, dict[str, float]]) -> None:
    """The same lists, and the same rows of a comparison, also by a measure that sees ties."""
    path = tmp_path_factory.mktemp("run") / "a.file"
    medir.Run.of(run).write(path, format)
    back = READ_BACK[format](path)
    expected = {q: [d for d, _ in results] for q, results in sorted_lists(run).items()}
    assert {query: back[query] for query in back} == expected
    other = {query: dict.fromkeys(list(results)[:3], 1.0) for query, results in run.items()}
    measures = ["nDCG@5", "RBO"]
    was, now = (medir.compare(one, other, measures) for one in (run, back))
    assert list(map(repr, now)) == list(map(repr, was))


@examples(200)
@given(RUNS)
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "json", "parquet", "arrow"])
def test_parsed(format: str, run: dict[str, dict[str, float]]) -> None:
    """Whatever the ids and scores: sorting what is written gives the order of the lists."""
    found = PARSERS[format](written(medir.Run.of(run), format))
    lists = sorted_lists(run)
    assert {q: [d for d, _ in r] for q, r in found.items()} == {
        q: [d for d, _ in r] for q, r in lists.items()
    }
    again = sorted_lists({q: dict(r) for q, r in found.items()})
    assert again == found


@examples(100)
@given(st.lists(st.permutations(list("abcdef")).map(lambda some: some[:4]), min_size=1, max_size=3))
def test_ranked_lists(rankings: list[list[str]]) -> None:
    run = {f"q{i}": ranking for i, ranking in enumerate(rankings)}
    text = written(medir.Run.of(run), "trec")
    assert plain_run(text) == {raw(q): list(map(raw, ds)) for q, ds in run.items()}


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    data = b"q\xff Q0 d\xe9 1 2 t\nq\xff Q0 d\xc3\xa9 2 1 t\n"
    run = medir.Run.read(save(tmp_path / "a.run", data))
    assert written(run, "trec", tag="t") == data
    assert written(run, "csv").splitlines()[1:] == [b"q\xff,d\xe9,1,2", b"q\xff,d\xc3\xa9,2,1"]
    for one in ("jsonl", "json", "parquet", "arrow"):
        with pytest.raises(
            medir.InputError, match=r"the query id 'q\\udcff' is not UTF-8"
        ) as error:
            written(run, one)
        assert "Write .run, .csv or .tsv" in str(error.value)


# Scores that do not lead to the order.


def test_order_by_rank_and_file(tmp_path: Path) -> None:
    """The order is what counts: scores that say something else are replaced, and it is said."""
    data = b"q Q0 a 1 1 t\nq Q0 b 2 5 t\nq Q0 c 3 3 t\np Q0 z 1 1 t\n"
    path = save(tmp_path / "a.run", data)
    for order in ("rank", "file"):
        run = medir.Run.read(path, order=order)
        assert parse_trec(written(run, "trec"))["q"] == [("a", 3), ("b", 2), ("c", 1)]
    told = medir.Run.read(path, order="rank").write(io.BytesIO(), "csv")
    assert told.notes == [
        "1 list ordered otherwise than by score: written with scores that count down"
    ]
    assert medir.Run.read(path, order="rank").write(io.BytesIO(), "msmarco").notes == []


def test_ties_in_another_order() -> None:
    run = medir.Run.of({"q": {"a": 2.0, "b": 2.0, "c": 1.0}}, order="file")
    stream = io.BytesIO()
    told = run.write(stream, "trec")
    assert told.notes == [
        "1 list with ties in another order than by id: tied scores lowered by the smallest steps"
    ]
    assert plain_run(stream.getvalue()) == {b"q": [b"a", b"b", b"c"]}
    found = [score for _, score in parse_trec(stream.getvalue())["q"]]
    assert found == [2.0, float(np.nextafter(np.float32(2), np.float32(0))), 1.0]


@pytest.mark.parametrize("format", ["json", "jsonl"])
def test_json_has_no_infinity(format: str) -> None:
    run = medir.Run.of({"q": {"a": float("inf"), "b": 1.0}, "p": {"c": 2.5}})
    stream = io.BytesIO()
    told = run.write(stream, format)
    assert PARSERS[format](stream.getvalue()) == {"q": [("a", 2), ("b", 1)], "p": [("c", 2.5)]}
    assert told.notes == [
        "1 list ordered otherwise than by score: written with scores that count down"
    ]
    assert b"q Q0 a 1 inf " in written(run, "trec")


LEVELS = st.sampled_from([1.0, 1 + 2**-24, 2.0, 0.0, -0.0, 1e-45, np.inf, -np.inf, np.nan, 3e38])


def falls(scores: list[float], ids: list[bytes] | None) -> bool:
    """Whether sorting by score in single precision, ties by id descending, changes nothing."""
    pairs = list(zip(map(single, scores), ids or [b""] * len(scores), strict=True))
    return not any(map(math.isnan, scores)) and all(
        one[0] > other[0] or (ids is not None and one > other)
        for one, other in itertools.pairwise(pairs)
    )


@examples(400)
@given(st.lists(st.lists(LEVELS, max_size=6), min_size=1, max_size=4), st.booleans())
def test_descending(lists: list[list[float]], with_documents: bool) -> None:
    """What comes out falls; what fell already stays; the rest counts down, or moves by little."""
    scores = np.array([score for some in lists for score in some], dtype=np.float64)
    ends = np.cumsum([len(some) for some in lists])
    ids = [b"%d" % (i * 7 % 5) for i in range(len(scores))] if with_documents else None
    values, lowered, counted = descending(scores, ends, ids)
    changed = 0
    for was, end in zip(lists, ends.tolist(), strict=True):
        part = slice(end - len(was), end)
        new: list[float] = values[part].tolist()
        own = None if ids is None else ids[part]
        assert falls(new, own)
        if falls(was, own):
            assert new == was
            continue
        changed += 1
        if new != list(range(len(new), 0, -1)):
            assert all(
                a == pytest.approx(b, rel=1e-6, abs=1e-44)
                for a, b in zip(new, was, strict=True)
                if abs(b) < 4e38
            )
    assert lowered + counted <= changed


# What a file cannot say.


@pytest.mark.parametrize(
    ("array", "notes"),
    [
        ([[1, 2, 3], [4, 5, 6], [7, -1, -1]], []),
        ([[1, 2, -1], [4, -1, -1], [7, -1, -1]], []),
        ([[-1, -1, -1]], []),
        (
            [[1, 2, -1], [4, 5, -1], [7, -1, -1]],
            [
                "3 results per query asked for, which the file cannot say: all lists ended before, "
                "so compare with --unseen nothing"
            ],
        ),
        (
            [[1, 2, -1]],
            [
                "3 results per query asked for, which the file cannot say: all lists ended before, "
                "so compare with --unseen nothing"
            ],
        ),
        (
            [[1, 2, 3], [4, 5, -1]],
            [
                "3 results per query asked for, which the file cannot say: the one list that has "
                "so many will not count as cut"
            ],
        ),
    ],
)
def test_how_many_were_asked_for(array: list[list[int]], notes: list[str], tmp_path: Path) -> None:
    """Told exactly where a comparison of what is read back would differ."""
    source: Any = np.array(array)
    run, path = medir.Run.of(source), tmp_path / "a.run"
    told = run.write(path)
    assert [one for one in told.notes if "without results" not in one] == notes
    other = {str(i): [one for one in row[::-1] if one != -1][:1] for i, row in enumerate(array)}
    if any(other.values()):
        was, now = (medir.compare(one, other, "nDCG@5") for one in (run, medir.Run.read(path)))
        assert (list(map(repr, was)) == list(map(repr, now))) == (not notes)


# What cannot be written.


@pytest.mark.parametrize("format", WORDS)
@pytest.mark.parametrize(
    ("run", "problem"),
    [
        ({"q 1": ["a"]}, "the query id 'q 1' has a blank or control character, which"),
        ({"q": ["a", "b\tc"]}, r"the document id 'b\\tc' has a blank or control character, which"),
        ({"q": [""]}, "the document id '' is empty, which"),
        ({"#q": ["a"]}, "a line of query '#q' would be a comment in"),
    ],
)
def test_ids_that_are_no_words(format: str, run: Any, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    with pytest.raises(medir.InputError, match=problem) as raised:
        medir.Run.of(run, name="mine").write(path, format)
    name = {"trec": "TREC text", "msmarco": "MS MARCO"}[format]
    assert name in str(raised.value)
    assert str(raised.value).startswith("mine: ")
    assert "Write .parquet, .arrow, .csv, .tsv, .jsonl or .json" in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_document_twice_is_no_mapping(tmp_path: Path) -> None:
    run = medir.Run.of({"q": ["a", "b", "a"]})
    with pytest.raises(medir.InputError, match="'a' appears twice in the list of query 'q', which"):
        run.write(tmp_path / "a.json")
    assert parse_trec(written(run, "trec"))["q"] == [("a", 3), ("b", 2), ("a", 1)]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.pdf", {}, "cannot tell the format of '.*a.pdf'; end the name in .run, .trec, "),
        ("run", {}, "cannot tell the format"),
        ("a.run", {"format": "xml"}, "one of trec, parquet, .*, not 'xml'"),
        ("a.csv", {"lists": True}, "only jsonl, parquet, arrow have one row per query, not csv"),
        ("a.parquet.gz", {}, "parquet is compressed by itself: leave out .gz"),
        ("a.run", {"tag": "my tag"}, "a tag is one word, not 'my tag'"),
        ("a.run", {"tag": ""}, "a tag is one word, not ''"),
        ("nowhere/a.run", {}, "cannot write"),
    ],
)
def test_bad_arguments(name: str, options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(medir.UsageError, match=message):
        medir.Run.of(PLAIN).write(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_stream_needs_a_format() -> None:
    with pytest.raises(medir.UsageError, match="cannot tell the format"):
        medir.Run.of(PLAIN).write(io.BytesIO())


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("medir.inputs.writing.runs.find_spec", lambda name: None)
    with pytest.raises(medir.MedirError, match=r"writing arrow needs pyarrow: pip install 'medir"):
        medir.Run.of(PLAIN).write(tmp_path / "a.arrow")


def test_many_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where batches begin changes nothing."""
    run = medir.Run.of({f"q{i}": {f"d{j}": float(j % 3) for j in range(i % 5)} for i in range(40)})
    whole = {name: written(run, name) for name in PARSERS}
    monkeypatch.setattr("medir.inputs.writing.batches.RESULTS", 3)
    for name, data in whole.items():
        found = written(run, name)
        if name in ("parquet", "arrow"):
            assert PARSERS[name](found) == PARSERS[name](data)
        else:
            assert found == data
