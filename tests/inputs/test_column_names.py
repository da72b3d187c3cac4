"""Which column of a table holds what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from medir.base.settings import Order
from medir.errors import InputError, UsageError
from medir.inputs.formats.column_names import chosen_qrels_columns, chosen_run_columns

LIBRARIES = {
    "ir_measures": (["query_id", "doc_id", "score"], "query_id", "doc_id"),
    "PyTerrier": (["qid", "query", "docid", "docno", "rank", "score"], "qid", "docno"),
    "ranx": (["q_id", "doc_id", "score"], "q_id", "doc_id"),
    "trectools": (["query", "q0", "docid", "rank", "score", "system"], "query", "docid"),
    "capitals": (["", "Query_ID", "DocNo", "Score"], "Query_ID", "DocNo"),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_names_of_libraries(library: str) -> None:
    present, query, document = LIBRARIES[library]
    columns, order = chosen_run_columns(present, "score", None, "run")
    score = next(one for one in present if one.lower() == "score")
    assert (columns, order) == ({"query_id": query, "doc_id": document, "score": score}, "score")


@pytest.mark.parametrize(
    ("present", "order", "kept", "by"),
    [
        (["score", "rank"], "score", "score", "score"),
        (["score", "rank"], "rank", "rank", "rank"),
        (["score", "rank"], "file", None, "file"),
        (["score"], "file", None, "file"),
        (["rank"], "score", "rank", "rank"),
        ([], "score", None, "file"),
        (["label"], "file", None, "file"),
    ],
)
def test_what_orders_results(present: list[str], order: Order, kept: str | None, by: str) -> None:
    columns, found = chosen_run_columns(["qid", "docno", *present], order, None, "run")
    ids = {"query_id": "qid", "doc_id": "docno"}
    assert (columns, found) == (ids | ({kept: kept} if kept else {}), by)


@pytest.mark.parametrize(
    ("present", "order", "kept", "by"),
    [
        (["scores"], "score", "scores", "score"),
        (["scores"], "rank", None, "file"),
        (["scores"], "file", None, "file"),
        ([], "score", None, "file"),
        ([], "rank", None, "file"),
    ],
)
def test_lists_are_in_order(present: list[str], order: Order, kept: str | None, by: str) -> None:
    columns, found = chosen_run_columns(["query_id", "doc_ids", *present], order, None, "run")
    ids = {"query_id": "query_id", "doc_ids": "doc_ids"}
    assert (columns, found) == (ids | ({kept: kept} if kept else {}), by)


def test_the_caller_says_which() -> None:
    present = ["q", "qid", "q_id", "doc_id", "docno", "s", "score"]
    given = {"query_id": "q", "doc_id": "docno", "score": "s"}
    assert chosen_run_columns(present, "score", given, "run").columns == given
    lists = {"query_id": "q", "doc_ids": "docno"}
    assert chosen_run_columns(present, "score", lists, "run").columns == lists
    judged = chosen_qrels_columns(
        ["q", "d", "s"], {"grade": "s", "query_id": "q", "doc_id": "d"}, ""
    )
    assert judged == {"query_id": "q", "doc_id": "d", "relevance": "s"}


def test_names_for_other_inputs_are_no_concern_of_a_run() -> None:
    columns, _ = chosen_run_columns(["qid", "docno"], "score", {"relevance": "label"}, "run")
    assert columns == {"query_id": "qid", "doc_id": "docno"}


@pytest.mark.parametrize(
    ("present", "expected"),
    [
        (["query_id", "doc_id", "relevance", "iteration"], {"intent": "iteration"}),
        (
            ["query_id", "doc_id", "relevance", "subtopic_id", "iteration"],
            {"intent": "subtopic_id"},
        ),
        (["query_id", "doc_id", "relevance", "rank", "score"], {}),
    ],
)
def test_columns_of_judgments(present: Sequence[str], expected: dict[str, str]) -> None:
    ids = {"query_id": "query_id", "doc_id": "doc_id", "relevance": "relevance"}
    assert chosen_qrels_columns(present, None, "qrels") == ids | expected


def test_a_score_is_a_grade_in_judgments_of_beir() -> None:
    found = chosen_qrels_columns(["query-id", "corpus-id", "score"], None, "qrels")
    assert found == {"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"}


REFUSED: dict[str, tuple[list[str], Order, Mapping[str, str] | None, str]] = {
    "no query": (
        ["text", "doc_id"],
        "score",
        None,
        "f: there is no column of query ids among the columns text, doc_id\n"
        "Name it query_id (or qid, q_id, query-id, topic_id, topic, query), or say which it is: "
        "columns={'query_id': ...} or --columns query_id=...",
    ),
    "no document": (
        ["qid", "id", "score"],
        "score",
        None,
        "f: there is no column of document ids among the columns qid, id, score\n"
        "Name it doc_id (or docno, docid, document_id, document, corpus-id, pid, passage_id), or "
        "say which it is: columns={'doc_id': ...} or --columns doc_id=...",
    ),
    "nothing at all": ([], "score", None, "f: there is no column of query ids: there are no col"),
    "several": (
        ["qid", "q_id", "doc_id"],
        "score",
        None,
        "f: qid and q_id may both hold the query ids among the columns qid, q_id, doc_id\n"
        "Say which: columns={'query_id': 'qid'} or --columns query_id=qid.",
    ),
    "twice": (["qid", "docno", "docno"], "score", None, "f: two columns have the name 'docno'\nRe"),
    "given, not there": (
        ["qid", "docno"],
        "score",
        {"score": "bm25"},
        "f: there is no column 'bm25' among the columns qid, docno\n"
        "It was named for score. Names are written as in the table.",
    ),
    "given twice": (["qid", "docno", "docno"], "score", {"doc_id": "docno"}, "f: two columns have"),
    "no rank": (
        ["qid", "docno", "score"],
        "rank",
        None,
        "f: order='rank' needs ranks, and there is no column rank among the columns qid, docno, sc",
    ),
    "judgments": (
        ["query_id", "doc_id", "relevance"],
        "score",
        None,
        "f: holds judgments, not a run: there is a column relevance and neither score nor rank "
        "among the columns query_id, doc_id, relevance\nGive a run, or choose --order file",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    present, order, given, message = REFUSED[case]
    with pytest.raises(InputError) as caught:
        chosen_run_columns(present, order, given, "f")
    assert str(caught.value).startswith(message)


def test_a_run_is_no_judgments() -> None:
    with pytest.raises(InputError, match="holds a run, not judgments: there are rank and score"):
        chosen_qrels_columns(["qid", "docno", "rank", "score"], None, "f")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"query": "q"}, "columns: 'query' is none of query_id, doc_id, score, rank, "),
        ({"relevance": "a", "grade": "b"}, "columns: 'grade' and another name say which column"),
    ],
)
def test_names_that_are_not_ours(given: Mapping[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        chosen_run_columns(["qid", "docno"], "score", given, "f")
