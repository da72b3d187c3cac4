"""What is handed to judges, read back as their tools would return it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, Qrels, UsageError
from tests.cases.runs import write_run
from tests.shell import medir as shell

BEFORE = {"q 1": ["a", "b", "c d"], "q2": ["x", "é"]}
AFTER = {"q 1": ["c d", "a", "e"], "q2": ["é", "x"]}
QUERIES = {"q 1": "big\ncat", "q2": "fast car " * 50}
DOCUMENTS = {
    one: f"the text of {one}\n\twith two lines" for one in ("a", "b", "c d", "e", "x", "é")
}
MEASURE = "nDCG(max_grade=3)@3"
TRUTH = {"q 1": {"a": 3, "b": 0, "c d": 1, "e": 2}, "q2": {"x": 0, "é": 3}}


def suggestions(**options: Any) -> Any:
    return medir.judge(BEFORE, AFTER, measures=MEASURE, **options)


def written(format_: str, **options: Any) -> str:
    stream = io.BytesIO()
    texts = {"documents": DOCUMENTS, "queries": QUERIES} | options
    medir.write_requests(stream, suggestions(), format_, **texts)
    return stream.getvalue().decode()


def judged_pairs() -> list[tuple[str, str]]:
    return [(one.query_id, one.document) for one in suggestions()]


def test_lines() -> None:
    rows = [json.loads(line) for line in written("jsonl").splitlines()]
    assert [(row["query_id"], row["doc_id"]) for row in rows] == judged_pairs()
    for row in rows:
        assert row == {
            "query_id": row["query_id"],
            "query": QUERIES[row["query_id"]],
            "doc_id": row["doc_id"],
            "text": DOCUMENTS[row["doc_id"]],
            "max_grade": 3,
        }


def test_lines_without_texts_of_queries() -> None:
    first = json.loads(written("jsonl", queries=None).splitlines()[0])
    assert "query" not in first
    assert first["text"]


def test_titles_and_texts(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    rows = [{"id": one, "title": one.upper(), "text": DOCUMENTS[one]} for one in DOCUMENTS]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for line in written("jsonl", documents=path).splitlines():
        row = json.loads(line)
        assert (row["title"], row["text"]) == (row["doc_id"].upper(), DOCUMENTS[row["doc_id"]])
    first = json.loads(written("umbrela", documents=path).splitlines()[0])["candidates"][0]
    title = first["docid"].upper()
    assert first["doc"]["segment"] == f"{title}\n{DOCUMENTS[first['docid']]}"


def test_umbrela() -> None:
    """One request per query, in the layout of umbrela's batch input."""
    requests = [json.loads(line) for line in written("umbrela").splitlines()]
    queries = list(dict.fromkeys(query for query, _ in judged_pairs()))
    assert [one["query"] for one in requests] == [
        {"text": QUERIES[query], "qid": query} for query in queries
    ]
    for one in requests:
        query = one["query"]["qid"]
        assert one["candidates"] == [
            {"doc": {"segment": DOCUMENTS[document]}, "docid": document}
            for other, document in judged_pairs()
            if other == query
        ]


def test_label_studio() -> None:
    tasks = json.loads(written("label-studio"))
    assert all(task.keys() == {"data"} for task in tasks)
    assert [(task["data"]["query_id"], task["data"]["doc_id"]) for task in tasks] == judged_pairs()
    names = {"query_id", "query", "doc_id", "title", "text", "max_grade"}
    assert all(task["data"].keys() == names for task in tasks)


def answered(format_: str, content: str) -> list[dict[str, Any]]:
    """What a judge who knows the truth returns."""
    if format_ == "jsonl":
        rows = [json.loads(line) for line in content.splitlines()]
        return [{**row, "relevance": TRUTH[row["query_id"]][row["doc_id"]]} for row in rows]
    if format_ == "umbrela":
        return [
            {
                "query": request["query"]["text"],
                "passage": one["doc"]["segment"],
                "judgment": TRUTH[request["query"]["qid"]][one["docid"]],
                "result_status": 1,
            }
            for request in map(json.loads, content.splitlines())
            for one in request["candidates"]
        ]
    return [
        {
            "id": number,
            "data": task["data"],
            "annotations": [
                {
                    "was_cancelled": False,
                    "result": [
                        {
                            "from_name": "relevance",
                            "type": "choices",
                            "value": {
                                "choices": [
                                    str(TRUTH[task["data"]["query_id"]][task["data"]["doc_id"]])
                                ]
                            },
                        }
                    ],
                }
            ],
        }
        for number, task in enumerate(json.loads(content))
    ]


@pytest.mark.parametrize("format_", ["jsonl", "umbrela", "label-studio"])
def test_what_comes_back_is_the_truth(format_: str, tmp_path: Path) -> None:
    content = written(format_)
    requests, returned = tmp_path / "requests", tmp_path / "returned"
    requests.write_text(content, encoding="utf-8")
    returned.write_text(json.dumps(answered(format_, content)))
    qrels = Qrels.read(returned, requests=requests)
    assert {(query, document) for query in qrels for document in qrels[query]} == set(
        judged_pairs()
    )
    for query in qrels:
        assert qrels[query].items() <= TRUTH[query].items()


def test_a_pool_cannot_hold_blanks(tmp_path: Path) -> None:
    path = tmp_path / "pool.txt"
    with pytest.raises(UsageError, match=r"'q 1' cannot be written to a pool .*jsonl hold any id"):
        medir.write_requests(path, suggestions(), "trec")
    assert not path.exists()


@pytest.mark.parametrize("format_", ["csv", "tsv", "jsonl", "parquet"])
def test_rows_hold_blanks(format_: str, tmp_path: Path) -> None:
    suggestions().write(tmp_path / f"rows.{format_}")
    assert b"q 1" in (tmp_path / f"rows.{format_}").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"documents": {"a": "x"}}, r"documents: there is no text of the document '.*', nor of"),
        ({"queries": {"q2": "x"}}, r"queries: there is no text of the query 'q 1'\n"),
        ({"documents": DOCUMENTS | {"e": ""}}, r"there is no text of the document 'e'\n"),
    ],
)
def test_a_missing_text_is_an_error(options: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "requests.jsonl"
    path.write_text("older")
    texts = {"documents": DOCUMENTS, "queries": QUERIES} | options
    with pytest.raises(InputError, match=message):
        medir.write_requests(path, suggestions(), "umbrela", **texts)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_bad_use() -> None:
    with pytest.raises(UsageError, match="format must be one of trec, jsonl, umbrela"):
        written("xml")
    with pytest.raises(UsageError, match=r"the format umbrela holds texts: .*--queries"):
        written("umbrela", queries=None)
    with pytest.raises(UsageError, match=r"the format jsonl holds texts: .*--documents"):
        written("jsonl", documents=None)


def test_umbrela_needs_its_highest_grade() -> None:
    texts: Any = {"documents": DOCUMENTS, "queries": QUERIES}
    for measure, expected in (("nDCG@3", "nDCG(max_grade=3)@3"), ("ERR", "ERR(max_grade=3)")):
        low = medir.judge(BEFORE, AFTER, measures=measure)
        with pytest.raises(UsageError) as caught:
            medir.write_requests(io.BytesIO(), low, "umbrela", **texts)
        assert str(caught.value).endswith(f"declare it, as in {expected}")
    binary = medir.judge(BEFORE, AFTER, measures="P@3")
    medir.write_requests(io.BytesIO(), binary, "umbrela", **texts)


# In the shell.


@pytest.fixture
def files(tmp_path: Path) -> list[Any]:
    runs = [
        write_run(tmp_path / "before.run", {"q1": ["a", "b"]}),
        write_run(tmp_path / "after.run", {"q1": ["b", "c"]}),
    ]
    (tmp_path / "queries.tsv").write_text("q1\tbig cat\n")
    (tmp_path / "documents.tsv").write_text("a\tA\tthe first\nb\tB\tthe second\nc\tonly a title\n")
    return [*runs, "-m", "nDCG(max_grade=3)@2"]


def test_shell(files: list[Any], tmp_path: Path) -> None:
    texts = ["--queries", tmp_path / "queries.tsv", "--documents", tmp_path / "documents.tsv"]
    done = shell("judge", *files, *texts, "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    rows = {row["doc_id"]: row for row in map(json.loads, done.out.splitlines())}
    assert rows.keys() == {"a", "b", "c"}
    assert (rows["a"]["title"], rows["a"]["text"]) == ("A", "the first")
    assert "title" not in rows["c"]
    assert rows["c"]["text"] == "only a title"
    for format_ in ("umbrela", "label-studio"):
        path = tmp_path / "requests"
        done = shell("judge", *files, *texts, "--format", format_, "-o", path)
        assert done.code == 0
        assert "highest grade 3 (declared)" in done.out
        assert "3 documents written to" in done.out
        assert "the second" in path.read_text()
    for name in ("trec", "pool"):
        done = shell("judge", *files, "--format", name)
        assert sorted(done.out.splitlines()) == ["q1 a", "q1 b", "q1 c"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--format", "umbrela"], "the format umbrela holds texts"),
        (["--format", "csv", "--documents", "d"], "--documents goes with --format jsonl"),
        (["--documents", "d"], "--documents goes with --format jsonl"),
        (["--format", "jsonl", "--documents", "none.tsv"], "there is no such file"),
    ],
)
def test_bad_use_in_the_shell(files: list[Any], options: list[str], message: str) -> None:
    done = shell("judge", *files, *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
