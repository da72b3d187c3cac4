"""Responses of search engines, read as runs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.inputs.formats.engines.recognising import looks_like_responses
from medir.inputs.formats.engines.responses import Responses
from medir.inputs.formats.engines.solr import results_of
from tests.cases.engines import (
    ALL_SHARDS,
    NO_INDEX,
    Response,
    elasticsearch,
    msearch,
    shards,
    solr,
    solr_error,
    vespa,
)
from tests.cases.trec import save
from tests.profiles import examples

A = [("d7", 12.5), ("d3", 11.25), ("d10", 2.0)]
B = [("d1", 3.0)]
IDS_A, IDS_B = ["d7", "d3", "d10"], ["d1"]


def lists_of(run: medir.Run) -> dict[str, list[str]]:
    return {query: run[query] for query in run}


def read(folder: Path, *values: Any, **options: Any) -> medir.Run:
    """A run from JSON lines."""
    lines = "".join(json.dumps(value) + "\n" for value in values)
    return medir.Run.read(save(folder / "responses.jsonl", lines.encode()), **options)


def scores_of(run: medir.Run, query: str) -> list[float]:
    number = run.find(query)
    assert number is not None
    return [score for _, score in run._lists.entries(number)]


WHOLE: dict[str, tuple[list[Any], str]] = {
    "msearch": (
        [msearch(elasticsearch(A), elasticsearch(B))],
        "responses of Elasticsearch or OpenSearch",
    ),
    "single": ([elasticsearch(A), elasticsearch(B)], "responses of Elasticsearch or OpenSearch"),
    "a list": ([[elasticsearch(A), elasticsearch(B)]], "responses of Elasticsearch or OpenSearch"),
    "batches": (
        [msearch(elasticsearch(A)), msearch(elasticsearch(B))],
        "responses of Elasticsearch or OpenSearch",
    ),
    "total as a number": (  # Elasticsearch 6
        [elasticsearch(r, hits=elasticsearch(r)["hits"] | {"total": 5}) for r in (A, B)],
        "responses of Elasticsearch or OpenSearch",
    ),
    "filtered": (  # ?filter_path=hits.hits._id
        [{"hits": {"hits": [{"_id": one} for one, _ in r]}} for r in (A, B)],
        "responses of Elasticsearch or OpenSearch",
    ),
    "asynchronous": (
        [
            {"id": "FmRldE8z", "is_partial": False, "is_running": False, "response": one}
            for one in (elasticsearch(A), elasticsearch(B))
        ],
        "responses of Elasticsearch or OpenSearch",
    ),
    "solr": ([solr(A), solr(B)], "responses of Solr"),
    "solr without header": (
        [{"response": solr(r)["response"]} for r in (A, B)],
        "responses of Solr",
    ),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_responses(name: str, tmp_path: Path) -> None:
    values, whose = WHOLE[name]
    run = read(tmp_path, *values)
    assert lists_of(run) == {"0": IDS_A, "1": IDS_B}
    assert run.format == f"{whose}, query ids by row number from 0"


def test_vespa(tmp_path: Path) -> None:
    run = read(tmp_path, vespa(A), vespa([]), vespa(B))
    full = [[f"id:docs:doc::{one}" for one in ids] for ids in (IDS_A, [], IDS_B)]
    assert list(lists_of(run).values()) == full
    assert run.format == (
        "responses of Vespa, query ids by row number from 0, documents by documentid"
    )
    inner = read(tmp_path, vespa(B, documentid=False))
    assert lists_of(inner) == {"0": ["index:content/0/" + "0" * 24]}
    assert inner.format is not None
    assert "documents by the ids of hits, which need not be the same in another" in inner.format


def test_groups_of_vespa_are_no_results(tmp_path: Path) -> None:
    group = {"id": "group:root:0", "relevance": 1.0, "children": [{"id": "grouplist:year"}]}
    both = vespa(B)
    both["root"]["children"].append(group)
    assert list(lists_of(read(tmp_path, both)).values()) == [["id:docs:doc::d1"]]


@pytest.mark.parametrize("kind", ["elasticsearch", "solr", "vespa"])
def test_ids_in_another_field(kind: str, tmp_path: Path) -> None:
    """Each engine returns fields of documents in a place of its own."""
    responses: dict[str, Response] = {
        "elasticsearch": {
            "hits": {
                "hits": [{"_id": "x", "_source": {"sku": 7}}, {"_id": "y", "_source": {"sku": "b"}}]
            }
        },
        "solr": {"responseHeader": {}, "response": {"docs": [{"sku": 7}, {"sku": "b"}]}},
        "vespa": {
            "root": {"children": [{"id": "x", "fields": {"sku": 7}}, {"fields": {"sku": "b"}}]}
        },
    }
    run = read(tmp_path, responses[kind], columns={"doc_id": "sku"})
    assert lists_of(run) == {"0": ["7", "b"]}


def test_ids_in_fetched_fields(tmp_path: Path) -> None:
    """`fields` of Elasticsearch has lists, also of single values."""
    hits = [{"_id": "x", "fields": {"sku": ["s1"]}}, {"_id": "y", "fields": {"sku": ["s2"]}}]
    run = read(tmp_path, {"hits": {"hits": hits}}, columns={"doc_id": "sku"})
    assert lists_of(run) == {"0": ["s1", "s2"]}


# Order and scores.


def test_results_keep_the_order_of_the_engine(tmp_path: Path) -> None:
    """Whatever their scores: ties, ascending ones, and none at all."""
    tied = [("a", 2.0), ("c", 1.5), ("b", 1.5), ("d", 1.5), ("e", 1.0)]
    rising = [("a", 1.0), ("b", 2.0)]
    unsorted_: list[tuple[str, float | None]] = [("a", None), ("z", None), ("b", None)]
    constant = [("a", 1.0), ("b", 1.0)]
    run = read(tmp_path, *(elasticsearch(one) for one in (tied, rising, unsorted_, constant)))
    assert list(lists_of(run).values()) == [list("acbde"), list("ab"), list("azb"), list("ab")]
    assert scores_of(run, "0")[:2] == [2.0, 1.5]
    assert scores_of(run, "0")[1:] == pytest.approx([1.5, 1.5, 1.5, 1.0], rel=1e-6)
    assert all(a > b for a, b in zip(scores_of(run, "0"), scores_of(run, "0")[1:], strict=False))
    assert [scores_of(run, one) for one in "123"] == [[2, 1], [3, 2, 1], [2, 1]]
    assert run.format is not None
    assert run.format.endswith("scores of 1 list left out: not in their order")


@examples(60)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), max_size=12))
def test_falling_scores_are_kept(tmp_path_factory: Any, scores: list[float]) -> None:
    falling = sorted(set(scores), reverse=True)
    ranking = [(f"d{i}", score) for i, score in enumerate(falling)]
    run = read(tmp_path_factory.mktemp("run"), elasticsearch(ranking))
    assert scores_of(run, "0") == falling
    assert run["0"] == [document for document, _ in ranking]


# Where responses are.


def test_pretty_printed_and_one_behind_the_other(tmp_path: Path) -> None:
    data = json.dumps(elasticsearch(A), indent=2) + "\n" + json.dumps(elasticsearch(B), indent=2)
    path = save(tmp_path / "a.json", b"\xef\xbb\xbf" + data.encode())
    assert lists_of(medir.Run.read(path)) == {"0": IDS_A, "1": IDS_B}


def test_compressed(tmp_path: Path) -> None:
    path = save(tmp_path / "a.gz", gzip.compress(json.dumps(msearch(elasticsearch(A))).encode()))
    assert lists_of(medir.Run.read(path)) == {"0": IDS_A}


def folder_of(folder: Path, **files: Any) -> Path:
    folder.mkdir()
    for name, value in files.items():
        save(folder / f"{name}.json", json.dumps(value).encode())
    return folder


def test_a_folder(tmp_path: Path) -> None:
    """Files by name; the stem is the query's id."""
    folder = folder_of(tmp_path / "responses", q10=solr(A), q2=solr(B))
    save(folder / "q3.json.gz", gzip.compress(json.dumps(solr([])).encode()))
    save(folder / ".hidden.json", b"nothing")
    save(folder / "notes.txt", b"nothing")
    run = medir.Run.read(folder)
    assert lists_of(run) == {"q10": IDS_A, "q2": IDS_B, "q3": []}
    assert run.format == "responses of Solr, query ids from file names"
    assert run.origin is not None
    digest, size = run.origin.fingerprint()
    assert size == sum(path.stat().st_size for path in folder.glob("q*"))
    save(folder / "q2.json", json.dumps(solr(A)).encode())
    changed = medir.Run.read(folder).origin
    assert changed is not None
    assert changed.fingerprint().sha256 != digest


def test_a_folder_of_batches(tmp_path: Path) -> None:
    """Files of several responses cannot name them."""
    batches = {
        "a": msearch(elasticsearch(A), elasticsearch(B)),
        "b": msearch(elasticsearch([]), elasticsearch(B)),
    }
    folder = folder_of(tmp_path / "responses", **batches)
    assert lists_of(medir.Run.read(folder)) == {"0": IDS_A, "1": IDS_B, "2": [], "3": IDS_B}
    named = medir.Run.read(folder, queries=["w", "x", "y", "z"])
    assert lists_of(named) == {"w": IDS_A, "x": IDS_B, "y": [], "z": IDS_B}


# Whose responses they are.


def test_names_in_wrappers(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        {"query_id": "q b", "response": elasticsearch(A)},
        {"qid": 17, "response": solr(B)},
        {"id": "v", "response": vespa([])},
    )
    assert lists_of(run) == {"q b": IDS_A, "17": IDS_B, "v": []}
    assert run.format == (
        "responses of Elasticsearch or OpenSearch and Solr and Vespa, query ids from the responses"
    )


def test_names_in_parameters_of_solr(tmp_path: Path) -> None:
    run = read(tmp_path, solr(A, qid="q1", q="apples"), solr(B, qid="q2", q="pears"))
    assert lists_of(run) == {"q1": IDS_A, "q2": IDS_B}


def test_texts_in_parameters_of_solr(tmp_path: Path) -> None:
    """They name the queries, unless all are the same: then the text is somewhere else."""
    run = read(tmp_path, solr(A, q="apples"), solr(B, q="two pears"))
    assert lists_of(run) == {"apples": IDS_A, "two pears": IDS_B}
    assert run.format == "responses of Solr, query ids from params.q"
    same = read(tmp_path, solr(A, q="{!edismax v=$qq}"), solr(B, q="{!edismax v=$qq}"))
    assert lists_of(same) == {"0": IDS_A, "1": IDS_B}


def test_given_queries(tmp_path: Path) -> None:
    """In the order of the responses, unless those say which they are of."""
    run = read(tmp_path, elasticsearch(A), elasticsearch(B), queries=["x", 9])
    assert lists_of(run) == {"x": IDS_A, "9": IDS_B}
    assert run.format is not None
    assert run.format.endswith("query ids from the table of queries")
    names = [{"query_id": "b", "response": solr(A)}, {"query_id": "a", "response": solr(B)}]
    assert lists_of(read(tmp_path, *names, queries=["a", "b"])) == {"b": IDS_A, "a": IDS_B}
    texts = read(tmp_path, solr(A, q="apples"), solr(B, q="pears"), queries=["a", "b"])
    assert lists_of(texts) == {"a": IDS_A, "b": IDS_B}


def test_given_queries_and_names_of_files(tmp_path: Path) -> None:
    """q10 comes before q2 in a folder: names that are ids win over the order."""
    folder = folder_of(tmp_path / "one", q10=solr(A), q2=solr(B))
    assert lists_of(medir.Run.read(folder, queries=["q2", "q10"])) == {"q10": IDS_A, "q2": IDS_B}
    other = folder_of(tmp_path / "two", page1=solr(A), page2=solr(B))
    assert lists_of(medir.Run.read(other, queries=["q2", "q10"])) == {"q2": IDS_A, "q10": IDS_B}


# Responses that are not whole.

DEGRADED = {
    "coverage": 19,
    "documents": 190,
    "full": False,
    "nodes": 1,
    "degraded": {"match-phase": False, "timeout": True, "non-ideal-state": False},
}
TIMEOUT = [
    {"code": 12, "summary": "Timed out", "source": "content", "message": "Error in search node"}
]
PARTIAL: dict[str, tuple[Response, str]] = {
    "timed out": (elasticsearch(A, timed_out=True), "the search timed out"),
    "shards": (
        elasticsearch(A, **shards(2)),
        "2 of 5 shards failed (circuit_breaking_exception: [parent] Data too large)",
    ),
    "clusters": (
        elasticsearch(A, _clusters={"total": 3, "successful": 2, "skipped": 1}),
        "1 cluster left out",
    ),
    "still running": (
        {"id": "x", "is_partial": True, "is_running": True, "response": elasticsearch(A)},
        "the search was still running",
    ),
    "solr": (
        solr(A, {"partialResults": True}),
        "the search was stopped before all documents were seen",
    ),
    "solr, with details": (
        solr(A, {"partialResults": True, "partialResultsDetails": "Limits exceeded! (time)"}),
        "Limits exceeded! (time)",
    ),
    "vespa, coverage": (
        vespa(A, coverage=DEGRADED),
        "19% of the documents were searched (timeout)",
    ),
    "vespa, not full": (
        vespa(A, coverage={"coverage": 99, "full": False}),
        "99% of the documents were searched",
    ),
    "vespa, errors": (vespa(A, errors=TIMEOUT), "Timed out: Error in search node"),
}
FAILED: dict[str, tuple[Response, str]] = {
    "no index": (NO_INDEX, "index_not_found_exception: no such index [docs-v9]"),
    "all shards": (
        ALL_SHARDS,
        'query_shard_exception: failed to create query: for input string: "ten"',
    ),
    "an old error": (
        {"error": "SearchPhaseExecutionException[Failed to execute]", "status": 503},
        "SearchPhaseExecutionException[Failed to execute]",
    ),
    "a status": ({"took": 1, "status": 429}, "status 429"),
    "aggregations": (
        elasticsearch([], hits={"total": {"value": 250}, "hits": []}, aggregations={"by": {}}),
        "250 documents matched and none was returned (aggregations alone: size 0)",
    ),
    "size 0": (
        elasticsearch([], hits={"total": 1, "hits": []}),
        "1 document matched and none was returned (size 0)",
    ),
    "solr, an error": (solr_error("undefined field titel"), "undefined field titel"),
    "solr, a status": ({"responseHeader": {"status": 500}}, "status 500"),
    "solr, omitted": (
        solr([], {"partialResults": "omitted"}),
        "the search was stopped, and its results left out",
    ),
    "solr, no rows": (
        {"response": {"numFound": 3, "start": 0, "docs": []}},
        "3 documents matched and none was returned (rows=0)",
    ),
    "vespa, an error": (
        {"root": {"id": "toplevel", "fields": {"totalCount": 0}, "errors": TIMEOUT}},
        "Timed out: Error in search node",
    ),
    "vespa, groups": (
        vespa([], fields={"totalCount": 8}, children=[{"id": "group:root:0", "children": []}]),
        "8 documents matched and none was returned (groups alone: hits 0)",
    ),
}


@pytest.mark.parametrize("name", PARTIAL | FAILED)
def test_what_is_not_whole_is_an_error(name: str, tmp_path: Path) -> None:
    """It names the query, and how many others there are."""
    response, fault = (PARTIAL | FAILED)[name]
    whole = {"query_id": "q0", "response": elasticsearch(B)}
    named = [{"query_id": f"q{i}", "response": response} for i in (1, 2)]
    with pytest.raises(medir.InputError) as raised:
        read(tmp_path, whole, *named)
    state = "is partial" if name in PARTIAL else "failed"
    assert raised.value.problem == f"the response of query 'q1' {state} (1 other too): {fault}"
    assert raised.value.line == 2
    assert "--allow-partial" in raised.value.remedy


@pytest.mark.parametrize("name", PARTIAL | FAILED)
def test_what_is_not_whole_may_be_allowed(name: str, tmp_path: Path) -> None:
    """Partial results are kept, failed queries have none, and both are counted."""
    response, _ = (PARTIAL | FAILED)[name]
    run = read(tmp_path, elasticsearch(B), response, response, allow_partial=True)
    first, *others = lists_of(run).values()
    assert first == IDS_B
    ids = IDS_A if not name.startswith("vespa") else [f"id:docs:doc::{one}" for one in IDS_A]
    assert others == ([ids] * 2 if name in PARTIAL else [[], []])
    assert run.format is not None
    count = "2 partial responses kept" if name in PARTIAL else "2 failed responses without results"
    assert run.format.endswith(count)


def test_empty_results_are_no_fault(tmp_path: Path) -> None:
    left_out = {"took": 2, "hits": {"total": {"value": 0, "relation": "eq"}}}  # by filter_path
    run = read(tmp_path, elasticsearch([]), solr([]), vespa([]), left_out)
    assert list(lists_of(run).values()) == [[], [], [], []]


def test_size(tmp_path: Path) -> None:
    """What was asked for is stated by Solr, or by the caller; more cannot come."""
    assert lists_of(read(tmp_path, solr(A, rows="3"), elasticsearch(A), size=3))
    with pytest.raises(medir.InputError, match="query 'q' has 3 results, and 2 were asked for"):
        read(tmp_path, {"query_id": "q", "response": solr(A, rows="2")})
    with pytest.raises(medir.InputError, match="query '1' has 3 results, and 1 was asked for"):
        read(tmp_path, elasticsearch(B), elasticsearch(A), size=1)
    with pytest.raises(medir.UsageError, match="size must be 1 or more, not 0"):
        read(tmp_path, elasticsearch(B), size=0)


@pytest.mark.parametrize("stated", [False, True])
@pytest.mark.parametrize(("size", "unseen"), [(3, "anything"), (10, "nothing")])
def test_lists_shorter_than_asked_for_have_ended(
    size: int, unseen: Any, stated: bool, tmp_path: Path
) -> None:
    """Others would count as cut, since two of them have the greatest length."""
    rows: Response = {"rows": str(size)} if stated else {}
    values = [solr(A, **rows), solr(A[::-1], **rows)]
    options = {} if stated else {"size": size}
    run = read(tmp_path, *values, **options)
    other = read(tmp_path, *values[::-1], **options)
    expected = medir.compare(lists_of(run), lists_of(other), "nDCG@5", unseen=unseen)
    assert list(medir.compare(run, other, "nDCG@5")) == list(expected)


@pytest.mark.parametrize(
    ("rows", "size", "expected"),
    [(["3", "3"], None, 3), ([3, None], 7, 3), (["3", "5"], 7, None), ([None, None], 7, 7)],
)
def test_how_many_were_asked_for(rows: list[Any], size: int | None, expected: int | None) -> None:
    """One number for all queries, as far as it is known."""
    results = [results_of(solr(A, rows=one), None) for one in rows]
    assert Responses(["a", "b"], results, "responses").asked(size) == expected


# What cannot be read.

BAD = {
    "a scroll": (elasticsearch(A, _scroll_id="DXF1"), "line 1: this is a page of a scroll"),
    "a cursor": (solr(A) | {"nextCursorMark": "AoE"}, "line 1: this is a page of a cursor"),
    "a later page": (
        {"response": {"numFound": 30, "start": 20, "docs": [{"id": "a"}]}},
        "the results begin behind rank 20",
    ),
    "groups of solr": (
        {"responseHeader": {"status": 0}, "grouped": {"author": {"matches": 3}}},
        "there are no results in response.docs, but groups",
    ),
    "no docs": ({"responseHeader": {"status": 0}}, "there are no results in response.docs"),
    "no hits": (elasticsearch(A, hits={}), "there are no results in hits.hits"),
    "no id": (
        {"hits": {"hits": [{"_id": "a"}, {"_source": {}}]}},
        "the result at rank 2 has no field _id; it has _source",
    ),
    "no field": (
        {"query_id": "q7", "response": solr([("a", 1.0)])
         | {"response": {"docs": [{"key": "a", "score": 1}]}}},
        "query 'q7': the result at rank 1 has no field id; it has key, score",
    ),
    "nested": (
        vespa([], children=[{"id": "source:a", "children": []}]),
        "there are results within results (in 'source:a'), which are no ranking",
    ),
    "children": (vespa([], children={}), "there is no list of results in root.children"),
    "a child": (vespa([], children=["x"]), "there are results in root.children that are no"),
    "documentid": (
        {"root": {"children": [{"id": "a", "fields": {"documentid": "a"}}, {"id": "b"}]}},
        "1 of 2 results have documentid",
    ),
    "a score": (elasticsearch([("a", "high")]), "query '0': the score 'high' is not a number"),  # type: ignore[list-item]
    "an id": (elasticsearch([(1.5, 1.0)]), "a document id is text or a whole number, not 1.5"),  # type: ignore[list-item]
    "something else": (
        msearch(elasticsearch(A)) | {"responses": ["x"]},
        'this is no response of a search engine that medir knows: it is "x"',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_responses(name: str, tmp_path: Path) -> None:
    response, problem = BAD[name]
    path = save(tmp_path / "bad.json", json.dumps(response).encode())
    with pytest.raises(medir.InputError) as raised:
        engine_run(path)
    assert problem in str(raised.value)
    assert str(path) in str(raised.value)


def engine_run(path: Path, kind: str = "auto", **options: Any) -> medir.Run:
    """Read as responses, whatever the file looks like."""
    from medir.inputs.formats.engines.responses import engine_run as read_responses
    from medir.inputs.formats.source import Reading

    return medir.Run(*read_responses(path, Reading(**options), kind))


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        (b"", "auto", "is empty: there are no responses"),
        (b'{"responses": []}', "auto", "there are no responses"),
        (b'{"took": 1', "auto", "line 1: is not valid JSON: expecting ',' delimiter"),
        (b'{"hits": {"hits": []}}\n{"took": ]}', "auto", "line 2: is not valid JSON: "),
        (b'{"a": 1, "b": 2}', "auto", "that medir knows: it has the fields a, b"),
        (b"{}", "solr", "this is no response of Solr: it has no fields"),
        (b'{"root": {}}', "opensearch", "no response of OpenSearch: it has the fields root"),
        (b"7", "vespa", "this is no response of Vespa: it is 7"),
        (b"[" * 100_000, "auto", "line 1: is not valid JSON: it is too deep"),
        (b'{"took": ' + b"1" * 5000, "auto", "line 1: is not valid JSON: a number has too many"),
        (b'{"took": 1, "hits": {"hits": []}}', "lucene", "engine must be one of auto, elastic"),
    ],
)  # fmt: skip
def test_bad_files(data: bytes, kind: str, message: str, tmp_path: Path) -> None:
    path = save(tmp_path / "bad.json", data)
    with pytest.raises((medir.InputError, medir.UsageError)) as raised:
        engine_run(path, kind)
    assert message in str(raised.value)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(medir.InputError, match="there are no responses"):
        engine_run(tmp_path)


@pytest.mark.parametrize(
    ("values", "queries", "message"),
    [
        ([elasticsearch(A)], ["a", "b"], "1 response for 2 queries"),
        ([elasticsearch(A), elasticsearch(B)], ["a"], "2 responses for 1 query"),
        (
            [{"query_id": "x", "response": solr(A)}, {"query_id": "a", "response": solr(A)}],
            ["a", "b"],
            "there is a response of query 'x', which is not among the queries given",
        ),
        (
            [{"query_id": "a", "response": solr(A)}, solr(A)],
            ["a", "b"],
            "some responses name their queries and others do not",
        ),
        (
            [{"query_id": "a", "response": solr(A)}, solr(A)],
            None,
            "line 2: a response does not say which query it is of, as others do",
        ),
        (
            [solr(A, q="apples"), solr(A, q="pears"), solr(A, q="apples")],
            None,
            "line 3: there are two responses of query 'apples'; the other is in line 1",
        ),
        ([solr(A), solr(B)], ["a", "a"], "there are two responses of query 'a'"),
        ([solr(A)], [1.5], "a query id is text or a whole number, not 1.5"),
    ],
)
def test_bad_names(values: Any, queries: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(medir.InputError) as raised:
        read(tmp_path, *values, queries=queries)
    assert message in str(raised.value)


# Recognised by content.


@pytest.mark.parametrize(
    "value",
    [
        *(value for values, _ in WHOLE.values() for value in values),
        *(value for value, _ in PARTIAL.values()),
        *(value for value, _ in FAILED.values() if value.get("status") not in (429, 503)),
        vespa(A),
        vespa(A, documentid=False),
        {"query_id": "q", "response": elasticsearch(A)},
        {"query_id": "q", "response": vespa(B)},
        [{"query_id": "q", "response": solr(B)}],
    ],
    ids=lambda value: json.dumps(value)[:40],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_responses_are_recognised(value: Any, indent: int | None) -> None:
    data = json.dumps(value, indent=indent).encode()
    assert looks_like_responses(data)
    assert looks_like_responses(b"\xef\xbb\xbf \n" + data + b"\n" + data)
    assert not looks_like_responses(data[:10])


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"q1 Q0 d1 1 2.5 tag\n",
        b"query_id,doc_id\n",
        b'{"q1": {"d1": 2.5, "d2": 1}}',
        b'{"took": {"d1": 2.5}, "hits": {"total": 1, "hits": 2}, "error": {"type": 1}}',
        b'{"hits": ["d1", "d2"], "responses": ["a"], "root": ["b"]}',
        b'{"root": {"id": 1.5, "fields": 2}, "response": {"docs": 1, "numfound": 2}}',
        b'{"query_id": "q1", "doc_id": "d1", "score": 2.5, "took": 5, "timed_out": false}',
        b'{"query_id": "q1", "doc_ids": ["{\\"_shards\\": {\\"total\\": 1}}"], "scores": [1]}',
        b'{"query_id": "q1", "response": "a text", "hits": [{"hits": []}]}',
        b"[[1, 2], [3, 4]]",
        b"[[], {}, 5",
        b"{}}}}",
        b"}{",
        b"[,:",
    ],
)  # fmt: skip
def test_other_files_are_not(data: bytes) -> None:
    assert not looks_like_responses(data)


@examples(200)
@given(st.binary(max_size=60), st.text(alphabet='{}[],:"\\ ab1', max_size=60))
def test_no_start_is_too_odd(data: bytes, text: str) -> None:
    assert not looks_like_responses(data + b"{")
    assert not looks_like_responses(text.encode())


def test_compare_takes_responses(tmp_path: Path) -> None:
    before = save(tmp_path / "before.json", json.dumps(msearch(elasticsearch(A))).encode())
    after = save(tmp_path / "after.json", json.dumps(solr(list(reversed(A)))).encode())
    result = medir.compare(before, after, "P@1")
    expected = medir.compare({"0": IDS_A}, {"0": IDS_A[::-1]}, "P@1")
    assert result.row(0) == expected.row(0)
