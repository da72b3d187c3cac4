"""`medir convert` in a shell."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import medir
from medir.cli.commands import convert
from medir.inputs.formats.engines.finding import KINDS
from medir.inputs.writing.runs import FORMATS
from tests.cases.engines import NO_INDEX, elasticsearch, msearch, shards, solr, vespa
from tests.cases.trec import save
from tests.shell import EXAMPLES, good
from tests.shell import medir as shell

A = [("d7", 12.5), ("d3", 11.25), ("d10", 2.0)]
B = [("d1", 3.0)]
TREC = "q1 Q0 d7 1 12.5 medir\nq1 Q0 d3 2 11.25 medir\nq1 Q0 d10 3 2 medir\nq2 Q0 d1 1 3 medir\n"
QUERIES = {
    "queries.tsv": "query_id\ttext\nq1\tone\nq2\ttwo\n",
    "plain.tsv": '# ids and texts\nq1\tone\nq2\ttwo "quoted\n',
    "queries.csv": 'text,qid\n"one,\nmore",q1\ntwo,"q2"\n',
    "queries.jsonl": '{"_id": "q1", "text": "one"}\n\n{"_id": "q2"}\n',
}


def write_json(path: Path, *values: Any) -> Path:
    return save(path, b"".join(json.dumps(value).encode() + b"\n" for value in values))


@pytest.fixture
def responses(tmp_path: Path) -> Path:
    return write_json(tmp_path / "responses.json", msearch(elasticsearch(A), elasticsearch(B)))


@pytest.mark.parametrize("engine", ["auto", "elasticsearch", "opensearch"])
def test_msearch(engine: str, responses: Path, tmp_path: Path) -> None:
    queries, out = (
        save(tmp_path / "queries.tsv", QUERIES["queries.tsv"].encode()),
        tmp_path / "a.run",
    )
    told = good(shell("convert", "--from", engine, responses, "--queries", queries, "-o", out))
    names = {"elasticsearch": "Elasticsearch", "opensearch": "OpenSearch"}
    whose = names.get(engine, "Elasticsearch or OpenSearch")
    assert told.splitlines() == [
        f"2 queries with 4 results written to {out}",
        f"{responses}: read as responses of {whose}, query ids from the table of queries",
    ]
    assert out.read_text() == TREC


def test_choices() -> None:
    """The command names them without loading what reads and writes."""
    assert list(KINDS) == convert.ENGINES
    assert list(FORMATS) == convert.FORMATS


@pytest.mark.parametrize("name", QUERIES)
def test_tables_of_queries(name: str, responses: Path, tmp_path: Path) -> None:
    queries = save(tmp_path / name, QUERIES[name].encode())
    out = shell("convert", responses, "--queries", queries, "-o", "-")
    assert (out.code, out.out) == (0, TREC)


def test_a_parquet_table_of_queries(responses: Path, tmp_path: Path) -> None:
    import pyarrow as pa

    pq.write_table(pa.table({"text": ["a", "b"], "query_id": [17, 4]}), tmp_path / "q.parquet")
    out = shell("convert", responses, "--queries", tmp_path / "q.parquet", "-o", "-")
    assert [line.split()[0] for line in out.out.splitlines()] == ["17", "17", "17", "4"]


@pytest.mark.parametrize(
    ("engine", "values"),
    [
        ("solr", [solr(A, qid="q1"), solr(B, qid="q2")]),
        ("vespa", [{"query_id": f"q{i}", "response": vespa(r)} for i, r in ((1, A), (2, B))]),
    ],
)
def test_json_lines(engine: str, values: Any, tmp_path: Path) -> None:
    path, out = write_json(tmp_path / "responses.jsonl", *values), tmp_path / "a.run"
    good(shell("convert", "--from", engine, path, "-o", out))
    assert out.read_text().replace("id:docs:doc::", "") == TREC
    again = tmp_path / "b.run"
    good(shell("convert", path, "-o", again))
    assert again.read_bytes() == out.read_bytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input_and_output(pack: Any, tmp_path: Path) -> None:
    """Rows go to standard output, and what is told to standard error."""
    data = write_json(tmp_path / "a", solr(A, qid="q1"), solr(B, qid="q2")).read_bytes()
    out = shell("convert", "-", "-o", "-", stdin=pack(data))
    assert (out.code, out.out) == (0, TREC)
    assert out.err.splitlines() == [
        "2 queries with 4 results written to standard output",
        "standard input: read as responses of Solr, query ids from the responses",
    ]
    csv = shell("convert", "--from", "solr", "-", "-o", "-", "--to", "csv", stdin=data)
    assert csv.out.splitlines()[:2] == ["query_id,doc_id,rank,score", "q1,d7,1,12.5"]


def test_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "responses"
    folder.mkdir()
    write_json(folder / "q1.json", elasticsearch(A))
    write_json(folder / "q2.json", elasticsearch(B))
    out = tmp_path / "a.run.gz"
    good(shell("convert", folder, "-o", out))
    assert gzip.decompress(out.read_bytes()).decode() == TREC


def test_partial_and_failed_responses(tmp_path: Path) -> None:
    values = [elasticsearch(A), elasticsearch(B, **shards(1)), NO_INDEX]
    named = [{"query_id": f"q{i}", "response": one} for i, one in enumerate(values, 1)]
    path, out = write_json(tmp_path / "responses.jsonl", *named), tmp_path / "a.run"
    refused = shell("convert", path, "-o", out)
    assert (refused.code, refused.out, out.exists()) == (2, "", False)
    assert refused.err.splitlines() == [
        f"medir: {path}, line 2: the response of query 'q2' is partial (1 other too): 1 of 5 "
        "shards failed (circuit_breaking_exception: [parent] Data too large)",
        "Search again. Or convert them with medir convert --allow-partial (in Python "
        "allow_partial=True): partial results are kept, and failed queries have none.",
    ]
    told = good(shell("convert", path, "-o", out, "--allow-partial")).splitlines()
    assert told == [
        f"2 queries with 4 results written to {out}",
        f"{path}: read as responses of Elasticsearch or OpenSearch, query ids from the responses, "
        "1 partial response kept, 1 failed response without results",
        "1 query without results: left out, since only json, and rows with lists, can hold them",
    ]
    assert out.read_text() == TREC
    kept = tmp_path / "a.jsonl"
    good(shell("convert", path, "-o", kept, "--allow-partial", "--lists"))
    assert json.loads(kept.read_text().splitlines()[2]) == {
        "query_id": "q3",
        "doc_ids": [],
        "scores": [],
    }


@pytest.mark.parametrize("name", ["a.trec", "a.txt.gz", "a.file"])
def test_round_trip_of_a_run(name: str, tmp_path: Path) -> None:
    """Every row of a comparison with the converted runs is the same, digit by digit."""
    runs = []
    for run in ("before.run", "after.run"):
        out = tmp_path / f"{run}-{name}"
        assert good(shell("convert", EXAMPLES / run, "-o", out, "--to", "trec")).startswith("239 q")
        runs.append(out)
    options = ["-m", "nDCG@20", "-m", "RBO", "-m", "AP@10", "--format", "csv"]
    was = good(shell("compare", EXAMPLES / "before.run", EXAMPLES / "after.run", *options))
    assert good(shell("compare", *runs, *options)) == was


def test_parquet(tmp_path: Path) -> None:
    out = tmp_path / "a.parquet"
    good(shell("convert", EXAMPLES / "before.run", "-o", out))
    table = pq.read_table(out)
    assert table.column_names == ["query_id", "doc_id", "rank", "score"]
    run = medir.Run.read(EXAMPLES / "before.run")
    assert table.column("doc_id").to_pylist() == [one for query in run for one in run[query]]


def test_order_and_tag(tmp_path: Path) -> None:
    path = save(tmp_path / "a.run", b"q Q0 a 2 9 t\nq Q0 b 1 3 t\nq Q0 c 3 1 t\n")
    out = tmp_path / "b.run"
    told = good(shell("convert", path, "-o", out, "--order", "rank", "--tag", "mine"))
    assert out.read_text() == "q Q0 b 1 3 mine\nq Q0 a 2 2 mine\nq Q0 c 3 1 mine\n"
    assert told.splitlines()[1:] == [
        "1 list ordered otherwise than by score: written with scores that count down"
    ]


def test_ids_in_another_field(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", {"response": {"docs": [{"sku": "s1", "score": 2.5}]}})
    out = shell("convert", path, "-o", "-", "--columns", "doc_id=sku")
    assert (out.code, out.out) == (0, "0 Q0 s1 1 2.5 medir\n")


def test_a_file_does_not_take_its_own_place(tmp_path: Path) -> None:
    path = save(tmp_path / "a.run", TREC.encode())
    outcome = shell("convert", path, "-o", path, "--tag", "new")
    assert (outcome.code, outcome.out) == (2, "")
    assert path.read_text() == TREC


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["before.run"], "Missing option '-o'"),
        (["before.run", "-o", "a.pdf"], "cannot tell the format of 'a.pdf'"),
        (["before.run", "-o", "a.run", "--to", "xml"], "'xml' is not one of 'trec'"),
        (["before.run", "-o", "a.run", "--lists"], "have one row per query, not trec"),
        (["before.run", "-o", "a.run", "--tag", "a b"], "a tag is one word, not 'a b'"),
        (["before.run", "-o", "a.parquet.gz"], "leave out .gz"),
        (["before.run", "-o", "nowhere/a.run"], "cannot write 'nowhere/a.run'"),
        (["nowhere.run", "-o", "a.run"], "nowhere.run: there is no such file"),
        (["before.run", "-o", "a.run", "--from", "solr"], "is not valid JSON"),
        (["before.run", "-o", "a.run", "--from", "lucene"], "'lucene' is not one of 'auto'"),
        (
            ["before.run", "-o", "a.run", "--queries", "queries.tsv"],
            "--queries names those of responses; before.run names its own",
        ),
        (["-", "-o", "a.run", "--queries", "-"], "only one of the files can come from standard"),
        (["passages", "-o", "a.run"], "passages: is a directory"),
        (
            ["passages", "-o", "a.run", "--from", "vespa"],
            "there are no responses (*.json, *.jsonl)",
        ),
    ],
)
def test_bad_usage(arguments: list[str], message: str) -> None:
    outcome = shell("convert", *arguments, cwd=EXAMPLES)
    assert (outcome.code, outcome.out, "Traceback" in outcome.err) == (2, "", False)
    assert message in outcome.err


def test_responses_that_do_not_fit_the_queries(responses: Path, tmp_path: Path) -> None:
    queries = save(tmp_path / "queries.tsv", b"query_id\ttext\nq1\tone\n")
    out = shell("convert", responses, "--queries", queries, "-o", tmp_path / "a.run")
    assert (out.code, out.out) == (2, "")
    assert f"{responses}: 2 responses for 1 query" in out.err
    longer = shell("convert", responses, "--size", 2, "-o", tmp_path / "a.run")
    assert "line 1: query '0' has 3 results, and 2 were asked for" in longer.err


def test_ids_with_blanks(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.jsonl", solr(A, q="one two"), solr(B, q="three"))
    refused = shell("convert", path, "-o", tmp_path / "a.run")
    assert refused.err.splitlines() == [
        f"medir: {path}: the query id 'one two' has a blank or control character, which TREC text "
        "cannot hold",
        "Write .parquet, .arrow, .csv, .tsv, .jsonl or .json, which hold every text.",
    ]
    assert [one.name for one in tmp_path.iterdir()] == ["a.jsonl"]
    good(shell("convert", path, "-o", tmp_path / "a.json"))
    assert list(json.loads((tmp_path / "a.json").read_text())) == ["one two", "three"]
