"""What is wrong with a table of queries: file, line, text and remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from medir.errors import InputError
from medir.inputs.queries import Queries
from tests.cases.queries import table

HEADER = "query_id\ttext\n"


@pytest.mark.parametrize(
    ("name", "content", "line", "problem"),
    [
        ("q.tsv", "", None, "is empty"),
        ("q.tsv", "# nothing\n\n", None, "holds only comments and blank lines"),
        ("q.tsv", HEADER, None, "has a header and no rows"),
        ("q.csv", "query_id,text", None, "has a header and no rows"),
        ("q.jsonl", "\n", None, "has no rows"),
        ("q.tsv", "q1\tone\nq2 two\n", 2, "expected a query id, a tab and a text, found no tab"),
        ("q.tsv", "q1 one\n", 1, "expected a query id, a tab and a text, found no tab"),
        ("q.tsv", "q1\tone\n\ttwo\n", 2, "the query id is empty"),
        (
            "q.tsv",
            "q1\tone\nq2\ttwo\n\nq1\tthree\n",
            4,
            "query 'q1' has two rows; the other is in line 1",
        ),
        ("q.tsv", HEADER + "q1\tone\nq2\n", 3, "expected 2 columns (query_id, text), found 1"),
        ("q.tsv", HEADER + "q1\tone\ttwo\n", 2, "expected 2 columns (query_id, text), found 3"),
        (
            "q.tsv",
            HEADER + f"q1\t{'one ' * 30}\ttwo\n",
            2,
            "expected 2 columns (query_id, text), found 3",
        ),
        ("q.tsv", HEADER + " \n", 2, "expected 2 columns (query_id, text), found 1"),
        ("q.tsv", "query_id\nq1\tone\n", 2, "expected 1 column (query_id), found 2"),
        ("q.tsv", HEADER + "\tone\n", 2, "the query id is empty"),
        (
            "q.tsv",
            HEADER + "q1\tone\n\nq2\ttwo\nq1\tthree",
            5,
            "query 'q1' has two rows; the other is in line 2",
        ),
        ("q.tsv", "query_id\ttext\ttext\nq1\t1\t2\n", 1, "two columns have the name 'text'"),
        ("q.tsv", "query_id\t\nq1\t1\n", 1, "column 2 has no name"),
        ("q.csv", ",query_id\n0,q1\n", 1, "column 1 has no name"),
        (
            "q.csv",
            "q1,one\nq2,two\n",
            1,
            "there is no column of query ids among the columns q1, one",
        ),
        (
            "q.csv",
            "query,weight\nq1,1\n",
            1,
            "there is no column of query ids among the columns query, weight",
        ),
        (
            "q.csv",
            'qid,text\nq1,"one\ntwo"\nq2,"a,b",c\n',
            4,
            "expected 2 columns (qid, text), found 3",
        ),
        (
            "q.csv",
            'qid,text\nq1,15" screen\n',
            2,
            "there is a quote in a field that does not begin with one",
        ),
        (
            "q.csv",
            'qid,text\nq1,"15" screen\n',
            2,
            "there is text between the closing quote of a field",
        ),
        (
            "q.csv",
            'qid,text\nq1,one\nq2,"two\nq3,three\n',
            3,
            "a quote is opened here and never closed",
        ),
        (
            "q.csv",
            'qid,text\n"q""1",one\nq2,"a\nb"\n"q""1",two\n',
            5,
            "query 'q\"1' has two rows; the other is in line 2",
        ),
        ("q.jsonl", '{"id": "q1", "text": "a"}\n{oops\n', 2, "not a JSON object"),
        ("q.jsonl", "[1]\n", 1, "not a JSON object"),
        (
            "q.jsonl",
            '{"text": "a", "lang": "en"}\n',
            None,
            "there is no column of query ids among the columns text, lang",
        ),
        ("q.jsonl", '{"id": "q1"}\n{"text": "a"}\n', 2, "a query without an id"),
        ("q.jsonl", '{"id": ["q1"]}\n', 1, "a query without an id"),
        (
            "q.jsonl",
            '{"id": "q1"}\n\n{"id": "q1"}\n',
            3,
            "query 'q1' has two rows; the other is in line 1",
        ),
        ("q.tsv", "\0\1\2\3", None, "binary data (byte 0x00) where text was expected"),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_bad_tables(
    name: str, content: str, line: int | None, problem: str, threads: int, tmp_path: Path
) -> None:
    path = table(tmp_path, content, name)
    with pytest.raises(InputError) as caught:
        Queries.of(path, threads)
    error = caught.value
    assert error.problem.startswith(problem)
    assert (error.source, error.line) == (str(path), line)
    if line is not None and "two rows" not in problem:
        assert error.text == content.split("\n")[line - 1]
    assert error.remedy or "is empty" in problem or "only comments" in problem


def test_the_first_fault_is_told(tmp_path: Path) -> None:
    """Also where a quote that is never closed makes all that follows look wrong."""
    rows = [f'q{i},"text, {i}"\n' for i in range(100_000)]
    rows[60_000] = 'q60000,"text\n'
    path = table(tmp_path, "qid,text\n" + "".join(rows), "queries.csv")
    for threads in 1, 2:
        with pytest.raises(InputError) as caught:
            Queries.of(path, threads)
        assert caught.value.line == 60_003  # the quote that should open a field closes that one
        assert "between the closing quote" in caught.value.problem


def test_bad_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "q.parquet"
    for columns, problem in (
        ({"text": ["a"]}, "there is no column of query ids among the columns text"),
        ({"qid": [1.5]}, "the query ids in column 'qid' are neither text nor whole numbers"),
        ({"qid": ["a", "b", "a"]}, "query 'a' has two rows; the other is in row 1"),
        ({"qid": ["a", None]}, "the query id is empty"),
        ({"qid": pa.array([], pa.string())}, "has no rows"),
    ):
        pq.write_table(pa.table(columns), path)
        with pytest.raises(InputError) as caught:
            Queries.of(path)
        assert (caught.value.source, caught.value.problem) == (str(path), problem)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        Queries.of(path)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ({"7": "a", 7: "b"}, "query '7' has two rows; the other is in row 1"),
        ({"": "a"}, "the query id is empty"),
        ({1.5: "a"}, "a query id is text or a whole number, not 1.5"),
        ([1], "cannot use an object of type list as queries"),
        ("none.tsv", "there is no such file"),
    ],
)
def test_bad_sources(source: Any, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Queries.of(source)
    assert caught.value.problem == problem
