"""Runs of passages and gold from files of every kind, and what is wrong with them."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import InputError, Passage, Passages, compare_passages
from tests.shell import python

LINES = """\
# topic document rank score offset length tag
200 d7 1 9.5 120 300 tag
200\td2\t2\t9.25\t0\t80\ttag and more

201 d2 1 3 0 0 tag
200 d7 3 1e-3 700 5 tag
"""
READ = {
    "200": [("d7", 120, 300), ("d2", 0, 80), ("d7", 700, 5)],
    "201": [("d2", 0, 0)],
}


def shown(run: Passages) -> dict[str, list[tuple[str, int, int]]]:
    return {query: [passage[:3] for passage in run[query]] for query in run}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str | bytes], Path]:
    """Writes a file."""

    def write(content: str | bytes) -> Path:
        path = tmp_path / "run"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def test_lines_of_text(file: Callable[[str | bytes], Path]) -> None:
    run = Passages.read(file(LINES))
    assert shown(run) == READ
    assert (run.queries, len(run), "200" in run, "x" in run) == (["200", "201"], 2, True, False)
    with pytest.raises(KeyError):
        run["x"]
    assert repr(run).endswith("run: 2 queries>")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\ufeff" + text,
        lambda text: gzip.compress(text.encode()),
        lambda text: bz2.compress(text.encode()),
        lambda text: lzma.compress(text.encode()),
    ],
)
def test_lines_of_text_as_they_come(
    file: Callable[[str | bytes], Path], change: Callable[[str], str | bytes]
) -> None:
    assert shown(Passages.read(file(change(LINES)))) == READ


def test_from_standard_input() -> None:
    code = "import medir; print(len(medir.Passages.read('-')))"
    assert python(code, stdin=LINES.encode()).out == "2\n"


def test_order(file: Callable[[str | bytes], Path]) -> None:
    """By score, equal scores by rank and not by document; by rank; as they stand."""
    path = file(
        "q a 4 1.0 0 1 t\nq b 2 1.0 0 1 t\nq c 3 2.0 0 1 t\nq d 1 0.5 0 1 t\nq e 2 1.0 0 1 t\n"
    )
    orders = {"score": "cbead", "rank": "dbeca", "file": "abcde"}
    for order, documents in orders.items():
        run = Passages.read(path, order=order)  # type: ignore[arg-type]
        assert "".join(passage.document for passage in run["q"]) == documents
    rows = [
        {"qid": "q", "docno": d, "rank": r, "score": s, "offset": 0, "length": 1}
        for d, r, s in (("a", 4, 1.0), ("b", 2, 1.0), ("c", 3, 2.0), ("d", 1, 0.5), ("e", 2, 1.0))
    ]
    path = file("\n".join(map(json.dumps, rows)))
    for order, documents in orders.items():
        run = Passages.read(path, order=order)  # type: ignore[arg-type]
        assert "".join(passage.document for passage in run["q"]) == documents


def test_scores_are_told_apart_in_double_precision(file: Callable[[str | bytes], Path]) -> None:
    run = Passages.read(file("q a 1 1.00000001 0 1 t\nq b 2 1.00000002 0 1 t\n"))
    assert [passage.document for passage in run["q"]] == ["b", "a"]


def test_gold(file: Callable[[str | bytes], Path]) -> None:
    path = file(b"200\td7\t64\t194\tICAM-1|ANTI-DS DNA\n200 d8 0 5\n200 d7 60 10 caf\xe9\n")
    gold = Passages.read(path, layout="gold")
    assert shown(gold) == {"200": [("d7", 64, 194), ("d8", 0, 5), ("d7", 60, 10)]}


def test_scattered_lines_and_many_threads(file: Callable[[str | bytes], Path]) -> None:
    """Two megabytes, so that several threads read it; queries in turns."""
    lines = [
        f"q{i % 7} d{i % 100} {i} {90000 - i} {i} {i % 50} tag-of-the-run" for i in range(60000)
    ]
    path = file("\n".join(lines))
    run = Passages.read(path, threads=4)
    assert len(run) == 7
    assert [passage.offset for passage in run["q3"]] == list(range(3, 60000, 7))


WRONG_LINES = [
    ("200 d7 1 9.5 120 300", "expected 7 columns (topic document rank score offset length tag), "
     "found 6"),
    ("200 d7", "found 2"),
    ("200 d7 1 9.5 -120 300 t", "the offset '-120' is negative"),
    ("200 d7 1 9.5 120 -300 t", "the length '-300' is negative"),
    ("200 d7 1 9.5 12.5 300 t", "the offset '12.5' is not a whole number"),
    ("200 d7 1 9.5 120 x t", "the length 'x' is not a whole number"),
    ("200 d7 1 9.5 1000000000001 3 t", "the offset '1000000000001' is above 10^12"),
    ("200 d7 1 9.5 0 99999999999999999999 t", "the length '99999999999999999999' is above 10^12"),
    ("200 d7 1 9.5 0 -99999999999999999999 t", "the length '-99999999999999999999' is"),
    ("200 d7 1 high 120 300 t", "the score 'high' is not a number"),
    ("200 d7 1 nan 120 300 t", "the score 'nan' is not a number"),
    ("200 d7 first 9.5 120 300 t", "the rank 'first' is not a whole number"),
    ("200 d7 1 9.5 120 300\x00 t", "binary data"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "problem"), WRONG_LINES, ids=[line for line, _ in WRONG_LINES])
def test_wrong_lines_are_named(
    file: Callable[[str | bytes], Path], line: str, problem: str
) -> None:
    path = file(LINES + line + "\n")
    for read in (Passages.read, lambda path: compare_passages(path, path)):
        with pytest.raises(InputError) as caught:
            read(path)
        assert caught.value.line == 7
        assert problem in str(caught.value)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("200 d7 5", "expected 4 columns (topic document offset length), and aspects, found 3"),
        ("200 d7 -5 9", "the offset '-5' is negative"),
        ("200 d7 1 9.5 3 4 run", "the length '9.5' is not a whole number"),
    ],
)
def test_wrong_gold_is_named(file: Callable[[str | bytes], Path], line: str, problem: str) -> None:
    path = file(f"200 d1 0 5\n{line}\n")
    with pytest.raises(InputError) as caught:
        compare_passages({"200": []}, {"200": []}, gold=path)
    assert (caught.value.line, problem in str(caught.value)) == (2, True)


def test_order_without_what_is_wrong(file: Callable[[str | bytes], Path]) -> None:
    path = file("q a x high 0 1 t\n")
    assert shown(Passages.read(path, order="file")) == {"q": [("a", 0, 1)]}
    path = file("q a 1 high 0 1 t\n")
    assert shown(Passages.read(path, order="rank")) == {"q": [("a", 0, 1)]}


@pytest.mark.parametrize(
    ("content", "problem"),
    [(b"", "is empty"), (b"# nothing\n\n", "holds only comments and blank lines")],
)
def test_empty_files(file: Callable[[str | bytes], Path], content: bytes, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Passages.read(file(content))


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        Passages.read(tmp_path / "none")
    with pytest.raises(InputError, match="is a directory"):
        Passages.read(tmp_path)


# Tables.


def table(**columns: list[Any]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink)
    return bytes(sink.getvalue().to_pybytes())


words = st.text("abcd0123é", min_size=1, max_size=4)
numbers = st.integers(0, 10**12)
runs = st.dictionaries(
    words,
    st.lists(st.tuples(words, numbers, numbers), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


@given(runs)
def test_every_way_in_holds_the_same(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, list[tuple[str, int, int]]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    rows = [
        {"topic": q, "docid": d, "rank": rank, "score": -rank, "offset": o, "length": n}
        for q, some in run.items()
        for rank, (d, o, n) in enumerate(some, 1)
    ]
    (folder / "jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (folder / "parquet").write_bytes(table(**{k: [row[k] for row in rows] for k in rows[0]}))
    text = ["{topic} {docid} {rank} {score} {offset} {length} tag".format(**row) for row in rows]
    (folder / "text").write_text("\n".join(text), encoding="utf-8")
    assert shown(Passages.of(run)) == run
    for kind in ("text", "jsonl", "parquet"):
        assert shown(Passages.read(folder / kind)) == run
    packed = folder / "packed"
    for kind in ("jsonl", "parquet"):
        packed.write_bytes(gzip.compress((folder / kind).read_bytes()))
        assert shown(Passages.read(packed)) == run


def test_durations(file: Callable[[str | bytes], Path]) -> None:
    rows = [
        '{"query_id": 1, "doc_id": "v", "offset": 0, "length": 9, "seconds": 2.5}',
        '{"query_id": 1, "doc_id": "w", "offset": 0, "length": 9}',
    ]
    expected = [Passage("v", 0, 9, 2.5), Passage("w", 0, 9, None)]
    assert Passages.read(file("\n".join(rows)))["1"] == expected
    content = table(
        query_id=[1, 1], doc_id=["v", "w"], offset=[0, 0], length=[9, 9], duration=[2.5, None]
    )
    assert Passages.read(file(content))["1"] == expected
    assert Passages.of({1: [("v", 0, 9, 2.5), ("w", 0, 9)]})["1"] == expected


def test_a_table_without_score_and_rank_is_taken_as_it_stands(
    file: Callable[[str | bytes], Path],
) -> None:
    content = table(
        query_id=["b", "a", "b"], doc_id=[7, 8, 9], offset=[3.0, 2.0, 1.0], length=[1, 1, 1]
    )
    run = Passages.read(file(content))
    assert shown(run) == {"b": [("7", 3, 1), ("9", 1, 1)], "a": [("8", 2, 1)]}
    with pytest.raises(InputError, match="there is no column rank"):
        Passages.read(file(content), order="rank")


def line(**changes: Any) -> str:
    row = {"qid": "q", "docno": "d", "offset": 1, "length": 2, "score": 1.5} | changes
    return json.dumps({key: value for key, value in row.items() if value is not ...})


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (line(offset=-1), "the offset -1 is negative"),
        (line(length=-7), "the length -7 is negative"),
        (line(length=1.5), "the length 1.5 is not a whole number"),
        (line(length="9"), "the length '9' is not a number"),
        (line(length=True), "the length True is not a number"),
        (line(offset=10**16), "the offset 10000000000000000 is above 10^12"),
        (line(score=None), "the score nan is not a number"),
        (line(docno=...), "there is no docno"),
        (line(docno=1.5), "a document id is text or a whole number, not 1.5"),
        (line(duration=-1), "the duration -1.0 is negative"),
        ("[1]", "is not a JSON object"),
        ('{"qid": ', "is not a JSON object"),
    ],
)
def test_wrong_json_is_named(file: Callable[[str | bytes], Path], wrong: str, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Passages.read(file(f"\n{line()}\n{wrong}\n"))
    assert caught.value.line == 3
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"offset": [0, -1]}, "the offset -1 is negative\n    row 2"),
        ({"offset": [0, None]}, "the column 'offset' has a null\n    row 2"),
        ({"length": ["1", "2"]}, "the column 'length' holds string where numbers were expected"),
        ({"doc_id": [0.5, 1.5]}, "the column 'doc_id' holds float64 where text or whole numbers"),
        ({"duration": [1.0, float("inf")]}, "the duration inf is not finite\n    row 2"),
        ({"topic": [1, 1]}, "has the columns query_id and topic, which mean the same"),
        ({"length": None}, "there is no column length"),
    ],
)
def test_wrong_parquet_is_named(
    file: Callable[[str | bytes], Path], columns: dict[str, Any], problem: str
) -> None:
    good: dict[str, Any] = {
        "query_id": [1, 1],
        "doc_id": ["a", "b"],
        "offset": [0, 1],
        "length": [1, 1],
    }
    merged = {key: value for key, value in (good | columns).items() if value is not None}
    with pytest.raises(InputError) as caught:
        Passages.read(file(table(**merged)))
    assert problem in str(caught.value)


def test_damaged_parquet(file: Callable[[str | bytes], Path]) -> None:
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Passages.read(file(b"PAR1 and nothing else"))


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({"q": "abc"}, "has 'abc' where its passages should be"),
        ({"q": {"a": 1}}, "where its passages should be"),
        ({"q": [("a", 1)]}, r"\('a', 1\) is not a passage"),
        ({"q": ["abc"]}, "'abc' is not a passage"),
        ({"q": [("a", 1, -2)]}, "the length -2 is negative"),
        ({"q": [(None, 1, 2)]}, "a document id is text or a whole number, not None"),
        ({"q": [("a", 1, 2, "long")]}, "the duration 'long' is not a number"),
        ({1: [], "1": []}, "two queries have the id '1'"),
        ([("a", 1, 2)], "cannot use an object of type list as passages"),
    ],
)
def test_wrong_mappings(source: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Passages.of(source)


def test_queries_without_passages_are_kept() -> None:
    run = Passages.of({"x": [], "y": [("a", 0, 1)], "z": []})
    assert shown(run) == {"x": [], "y": [("a", 0, 1)], "z": []}
    assert len(Passages.of({})) == 0
    assert medir.Passages.of(run) is run


def test_tables_without_rows_are_refused(tmp_path: Path) -> None:
    kinds = {"query_id": pa.string(), "doc_id": pa.string(), "offset": pa.int64()}
    empty = pa.table({n: pa.array([], kind) for n, kind in {**kinds, "length": pa.int64()}.items()})
    pq.write_table(empty, tmp_path / "empty.parquet")
    with pytest.raises(InputError, match="holds no passages"):
        Passages.read(tmp_path / "empty.parquet")


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    names = ["query_id", "doc_id", "offset", "length", "offset"]
    columns = [pa.array(["q"]), pa.array(["d"]), pa.array([0]), pa.array([5]), pa.array([1])]
    pq.write_table(pa.Table.from_arrays(columns, names=names), tmp_path / "twice.parquet")
    with pytest.raises(InputError, match="has the column offset twice"):
        Passages.read(tmp_path / "twice.parquet")


def test_numbers_beyond_all_reason_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        Passages.of({"q": [("d", 10**400, 5)]})
    path = tmp_path / "run.txt"
    path.write_text("q d 1 9 -99999999999999999999 5 t\n")
    with pytest.raises(InputError, match="is negative"):
        Passages.read(path)


def test_standard_input_is_read_once(tmp_path: Path) -> None:
    for call in (medir.passage_matrix, medir.matrix):
        with pytest.raises(medir.UsageError, match="only one of the files"):
            call({"a": "-", "b": "-"})
