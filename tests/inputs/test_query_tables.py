"""Tables of queries in every format, and against Python's csv module."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import lzma
import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medir.errors import InputError
from medir.inputs.queries import Queries
from tests.cases.queries import run, table
from tests.profiles import examples
from tests.shell import python

RECORDS: Mapping[str, Mapping[str, Any]] = {
    "q1": {"text": 'say "hi", now', "weight": 40, "new": True, "note": "a\nb"},
    "q 2": {"text": "naïve\tquestion", "weight": 2.5, "new": False, "note": None},
    "7": {"text": "", "weight": None, "new": True, "note": "x"},
}


def as_csv(delimiter: str) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["query_id", *RECORDS["q1"]])
    for query, record in RECORDS.items():
        values = (
            "" if one is None else str(one).lower() if one in (True, False) else one
            for one in record.values()
        )
        writer.writerow([query, *values])
    return stream.getvalue().encode()


def as_tsv() -> bytes:
    """No line breaks within a row."""
    return as_csv("\t").replace(b"a\nb", b"a b")


def as_json_lines() -> bytes:
    lines = [
        json.dumps({"weight": one["weight"], "query_id": int(q) if q == "7" else q, **one})
        for q, one in RECORDS.items()
    ]
    return "\n".join(lines).encode()


def as_parquet(**types: Any) -> bytes:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    columns = {"query_id": list(RECORDS)} | {
        name: [one[name] for one in RECORDS.values()] for name in RECORDS["q1"]
    }
    arrays = {name: pa.array(values, types.get(name)) for name, values in columns.items()}
    stream = io.BytesIO()
    pq.write_table(pa.table(arrays), stream, row_group_size=2)
    return stream.getvalue()


def check_records(queries: Queries, note: str = "a\nb") -> None:
    assert sorted(queries.columns) == sorted(RECORDS["q1"])
    order = run("7", "q 2", "q0", "q1")
    assert queries.cells("text", order) == [None, "naïve\tquestion", None, 'say "hi", now']
    weights, missing = queries.numbers("weight", order, 0)
    assert (weights.tolist(), missing) == ([0, 2.5, 0, 40], 2)
    assert queries.cells("new", order) == ["true", "false", None, "true"]
    assert queries.cells("note", order) == ["x", None, None, note]


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["", "gz", "bz2", "xz"]
)
@pytest.mark.parametrize(
    ("name", "make"),
    [("q.tsv", as_tsv), ("q.csv", lambda: as_csv(",")), ("q.jsonl", as_json_lines)],
)
def test_text_formats(
    name: str, make: Callable[[], bytes], pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """By name and, where there is none, by content."""
    note = "a b" if name == "q.tsv" else "a\nb"
    for path in (table(tmp_path, pack(make()), name), table(tmp_path, pack(make()), "queries")):
        check_records(Queries.of(path), note)


def test_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    check_records(Queries.of(table(tmp_path, as_parquet(), "q.parquet")))
    words = pa.dictionary(pa.int8(), pa.string())
    check_records(Queries.of(table(tmp_path, as_parquet(text=words, query_id=pa.large_string()))))


def test_parquet_types(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "q.parquet"
    columns = {
        "qid": [1, 2],
        "tags": [["a", "b"], None],
        "raw": [b"\xff", b"x"],
        "at": [0.1, 1e300],
    }
    pq.write_table(pa.table(columns), path)
    queries = Queries.of(path)
    order = run("2", "1")
    assert queries.cells("tags", order) == [None, '["a", "b"]']
    assert queries.cells("raw", order) == ["x", "\udcff"]
    assert queries.numbers("at", order)[0].tolist() == [1e300, 0.1]


def test_parquet_needs_pyarrow(tmp_path: Path) -> None:
    path = table(tmp_path, as_parquet())
    code = f"""
import sys
sys.modules["pyarrow"] = None
import medir
try:
    medir.Queries.of({str(path)!r})
except ImportError as error:
    print(error)
"""
    assert python(code).out == "reading Parquet needs pyarrow: pip install 'medir[tables]'\n"


def test_a_mapping() -> None:
    check_records(Queries.of({(int(q) if q == "7" else q): one for q, one in RECORDS.items()}))
    assert len(Queries.of({})) == 0
    assert Queries.of({"q": 12}).text("q") == "12"


def test_json_lines_with_different_fields(tmp_path: Path) -> None:
    lines = (
        '{"_id": "q1", "metadata": {}}\n\n# comment\n'
        '{"_id": "q2", "text": "x", "metadata": {"k": [1.50]}}\n'
    )
    queries = Queries.of(table(tmp_path, lines, "q.ndjson"))
    assert queries.columns == ["metadata", "text"]
    assert queries.cells("metadata", run("q1", "q2")) == ["{}", '{"k": ["1.50"]}']
    assert queries.text("q2") == "x"


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        ("query_id\ttext", ["text"]),
        ("qid\tquery", ["query"]),
        ("text\tq_id", ["text"]),
        ("_id\tid", ["id"]),
        ("Query_ID\tText", ["Text"]),
        ("id\tquery_id", ["id"]),
    ],
)
def test_names_of_the_id_column(header: str, columns: list[str], tmp_path: Path) -> None:
    for delimiter in "\t", ",":
        content = f"{header}\nq1\tq2\n".replace("\t", delimiter)
        queries = Queries.of(table(tmp_path, content))
        assert queries.columns == columns
        id_first = columns == [header.split("\t")[1]]
        assert queries.cells(columns[0], run("q1", "q2")) == (
            ["q2", None] if id_first else [None, "q1"]
        )


def test_ids_alone(tmp_path: Path) -> None:
    queries = Queries.of(table(tmp_path, "query_id\nq1\nq2\n"))
    assert (queries.columns, len(queries), queries.text("q1")) == ([], 2, None)


# Tab-separated ids and texts without a header.


@pytest.mark.parametrize(
    "content",
    [
        'q1\tone "1"\nq2\t"two"\n',
        '\ufeffq1\tone "1"\r\n\r\n# a comment\r\nq2\t"two"\tmore\tand more\r\n',
        '# a comment\n  \n\nq2\t"two"\nq1\tone "1"',
        'q1\tone "1"\nq2\t"two"\n"q3\tid\n',
    ],
)
def test_without_a_header(content: str, tmp_path: Path) -> None:
    """Comments are left out, more columns ignored, and quotes are characters like others."""
    queries = Queries.of(table(tmp_path, content))
    assert queries.columns == ["text"]
    assert queries.texts(["q1", "q2"]) == {"q1": 'one "1"', "q2": '"two"'}
    with pytest.raises(InputError, match="no column 'weight'") as caught:
        queries.check_column("weight")
    assert "Its first line does not name the columns" in caught.value.remedy


def test_comments_before_a_header(tmp_path: Path) -> None:
    queries = Queries.of(table(tmp_path, "# made by hand\n\nquery_id\ttext\n#1\t# one\n"))
    assert queries.texts(["#1", "query_id"]) == {"#1": "# one"}


# Against Python's csv module.

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), min_size=1, max_size=6)
CELLS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12),
    st.text(alphabet='"\t,\n\r# xé', max_size=12),
    st.sampled_from(["12.5", "0", "head", '""', '"', "a" * 80, "#", "\ufeff"]),
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    """A header with the ids in some column, and rows without a query twice."""
    names = [
        one
        for one in draw(st.lists(NAMES, max_size=4, unique=True))
        if one.lower().strip() not in ("id", "_id", "qid", "q_id", "query_id")
    ]
    place = draw(st.integers(0, len(names)))
    ids = draw(st.lists(CELLS.filter(bool), min_size=1, max_size=8, unique=True))
    rows = [[draw(CELLS) for _ in names] for _ in ids]
    for row, query in zip(rows, ids, strict=True):
        row.insert(place, query)
    return [*names[:place], "query_id", *names[place:]], rows


def written(
    header: Sequence[str], rows: Sequence[Sequence[str]], delimiter: str, end: str, quoting: Any
) -> str:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerows([header, *rows])
    return stream.getvalue()


QUOTING = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL]


@given(
    tables(),
    st.sampled_from(QUOTING),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
    st.booleans(),
)
@examples(400)
def test_csv_is_read_as_by_the_csv_module(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[list[str], list[list[str]]],
    quoting: Any,
    end: str,
    mark: str,
    ends: bool,
) -> None:
    header, rows = made
    if quoting == csv.QUOTE_MINIMAL:  # where the module writes "\r" without quotes and reads a line
        rows = [[cell.replace("\r", "\r\n") for cell in row] for row in rows]
    text = written(header, rows, ",", end, quoting)
    text = text if ends else text.removesuffix(end)
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read == [header, *rows]  # the module reads what it wrote
    path = table(tmp_path_factory.getbasetemp(), mark + text, "generated.csv")
    check_rows(Queries.of(path, 2), read)


@given(tables(), st.sampled_from(QUOTING), st.sampled_from(["\n", "\r\n"]))
@examples(300)
def test_tsv_is_read_as_by_the_csv_module(
    tmp_path_factory: pytest.TempPathFactory,
    made: tuple[list[str], list[list[str]]],
    quoting: Any,
    end: str,
) -> None:
    """But for line breaks within quotes."""
    header, rows = made
    rows = [[cell.replace("\n", " ").replace("\r", " ") for cell in row] for row in rows]
    place = header.index("query_id")
    rows = list({row[place]: row for row in rows}.values())
    path = table(
        tmp_path_factory.getbasetemp(), written(header, rows, "\t", end, quoting), "generated.tsv"
    )
    check_rows(Queries.of(path), [header, *rows])


def check_rows(queries: Queries, rows: Sequence[Sequence[str]]) -> None:
    """Cell by cell, in another order."""
    header, *rows = rows
    place = header.index("query_id")
    assert len(queries) == len(rows)
    assert queries.columns == [*header[:place], *header[place + 1 :]]
    rows = random.Random(1).sample(rows, len(rows))
    order = run(*(row[place] for row in rows))
    assert queries.without_row(order) == queries.unused(order) == 0
    for number, column in enumerate(header):
        if number != place:
            expected = [row[number] if row[number].strip(" \t\r\v\f") else None for row in rows]
            assert queries.cells(column, order) == expected


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("threads", [1, 2])
def test_large_tables(suffix: str, threads: int, tmp_path: Path) -> None:
    """Of several chunks, with quotes and, in CSV, line breaks; short and long rows."""
    count, space = 30_000, "\n" if suffix == "csv" else " "
    source = random.Random(suffix)
    rows = [
        [
            f"q{i}",
            f'of "{i}",{space}' * source.randrange(9),
            str(i % 1000),
            f"s{source.randrange(5000)}",
        ]
        for i in range(count)
    ]
    delimiter = "," if suffix == "csv" else "\t"
    text = written(
        ["query_id", "text", "weight", "segment"], rows, delimiter, "\n", csv.QUOTE_MINIMAL
    )
    assert len(text) > 2 << 20
    queries = Queries.of(table(tmp_path, text, f"queries.{suffix}"), threads)
    positions = random.Random(1).sample(range(count), count)
    order = run(*(f"q{i}" for i in positions))
    assert queries.cells("text", order) == [rows[i][1] or None for i in positions]
    weights, missing = queries.numbers("weight", order)
    assert (weights.tolist(), missing) == ([i % 1000 for i in positions], 0)
    codes, labels, _ = queries.segments("segment", order)
    assert [labels[code] for code in codes] == [rows[i][3] for i in positions]
    assert labels == list(dict.fromkeys(rows[i][3] for i in positions))


ASCENDING = [f"q{i:05}" for i in range(1000)]


@pytest.mark.parametrize("swapped", [None, 0, 499, 998])
@pytest.mark.parametrize("ending", ["\n", ""])
def test_ids_that_ascend_are_found_in_any_order(
    swapped: int | None, ending: str, tmp_path: Path
) -> None:
    """They are indexed when many are looked for; others when they are read."""
    ids = ASCENDING.copy()
    if swapped is not None:
        ids[swapped], ids[swapped + 1] = ids[swapped + 1], ids[swapped]
    lines = [f"{query}\t{number}" for number, query in enumerate(ids)]
    content = "\n".join(["query_id\tweight", *lines]) + ending
    path = table(tmp_path, content)
    for order in (ids, ids[::-1], random.Random(1).sample([*ids, "q", "q9", "~"], 900)):
        queries = Queries.of(path)
        expected = [str(ids.index(query)) if query in ids else None for query in order]
        assert queries.cells("weight", run(*order)) == expected
        assert queries.unused(run(*order)) == len(ids) - sum(one is not None for one in expected)
    rows = Queries.of(table(tmp_path, content.replace("weight", "text", 1)))
    for query in (*ids, "", "q", "q00000a", "q9", "~"):
        assert rows.text(query) == (str(ids.index(query)) if query in ids else None)


@pytest.mark.parametrize("row", [1, 500, 999])
def test_two_rows_of_a_query_among_ids_that_ascend(row: int, tmp_path: Path) -> None:
    ids = [*ASCENDING[:row], ASCENDING[row - 1], *ASCENDING[row:]]
    content = "".join(f"{query}\t1\n" for query in ["query_id", *ids]).replace("1", "weight", 1)
    with pytest.raises(InputError, match=f"has two rows; the other is in line {row + 1}"):
        Queries.of(table(tmp_path, content))


def test_an_empty_id_comes_before_those_that_ascend(tmp_path: Path) -> None:
    content = "query_id\tweight\n\t1\nq1\t2\n"
    with pytest.raises(InputError, match="the query id is empty"):
        Queries.of(table(tmp_path, content))
