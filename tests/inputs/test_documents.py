"""The results of a query as libraries give them: documents with ids, UUIDs, None, and Series.

The stand-ins here have what the real classes have; tests/integrations has the real ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pytest

import medir
from medir.errors import InputError
from medir.inputs.formats.libraries.unwrapping import Columns, unwrapped

FIRST, SECOND = UUID(int=1), UUID(int=2)


@dataclass
class Document:
    """As LangChain has it."""

    id: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass
class Node:
    """As LlamaIndex has it."""

    id_: str
    metadata: dict[str, Any] = field(default_factory=dict)


class ScoredDoc(NamedTuple):
    """As ir_measures has it."""

    query_id: str
    doc_id: str
    score: float


class Qrel(NamedTuple):
    """As ir_measures has it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


def ranking(results: Any, **options: Any) -> list[str]:
    return medir.Run.of({"q": results}, **options)["q"]


def test_documents_by_their_ids() -> None:
    assert ranking([Document("b"), Document("a")]) == ["b", "a"]
    assert ranking([Node("n2"), Node("n1")]) == ["n2", "n1"]
    assert ranking([{"id": "x", "title": "X"}, {"id": "y"}]) == ["x", "y"]


def test_documents_by_their_metadata() -> None:
    some = [Document("1", {"source": "b.txt"}), Document("2", {"source": "a.txt"})]
    assert ranking(some) == ["1", "2"]
    assert ranking(some, id="source") == ["b.txt", "a.txt"]
    assert ranking(some, columns={"doc_id": "source"}) == ["b.txt", "a.txt"]
    result = medir.compare({"q": some}, {"q": some[::-1]}, "P@1", columns={"doc_id": "source"})
    assert result.lists("q") == (["b.txt", "a.txt"], ["a.txt", "b.txt"])


def test_pairs_of_document_and_score_keep_their_order() -> None:
    """Distances rise down a list, scores fall: neither may change it."""
    some = [Document("b", {"n": 1}), Document("a")]
    assert ranking([(some[0], 0.1), (some[1], 0.9)]) == ["b", "a"]
    assert ranking([(some[0], 0.9), (some[1], 0.1)]) == ["b", "a"]


def test_chunks_of_one_source_are_duplicates() -> None:
    some = [Document("1", {"source": "b"}), Document("2", {"source": "b"})]
    run = {"q": some}
    with pytest.raises(InputError, match="twice"):
        medir.compare(run, run, "P@1", columns={"doc_id": "source"})
    result = medir.compare(run, run, "P@1", columns={"doc_id": "source"}, duplicates="first")
    assert result.lists("q") == (["b"], ["b"])


@pytest.mark.parametrize(
    ("document", "options", "words"),
    [
        (
            Document(None, {"source": "a"}),
            {},
            "a document has no id\n.*Document with source\n.*id='s",
        ),
        (Document("1", {"page": 3}), {"id": "source"}, "no id 'source' in its metadata\n.*page"),
        (Document(), {}, "id is text or a whole number, not Document"),
        (1.5, {}, r"id is text or a whole number, not 1\.5"),
        (("a", 0.5), {}, r"id is text or a whole number, not \('a', 0\.5\)"),
    ],
)
def test_a_document_without_an_id_is_named(document: Any, options: Any, words: str) -> None:
    first = Document("0", {"source": "zero"})
    with pytest.raises(InputError, match=f"(?s){words}"):
        ranking([first, document], **options)


def test_uuids_are_their_text() -> None:
    assert ranking([FIRST, SECOND]) == [str(FIRST), str(SECOND)]
    assert ranking(["a", SECOND]) == ["a", str(SECOND)]
    assert ranking({FIRST: 0.1, SECOND: 0.2}) == [str(SECOND), str(FIRST)]
    assert medir.Run.of({FIRST: ["a"]}).queries == [str(FIRST)]
    result = medir.compare({"q": [FIRST]}, {"q": [str(FIRST)]}, "P@1")
    assert result.column().tolist() == [0]


def test_none_ends_a_list() -> None:
    assert ranking(["a", "b", None, None]) == ["a", "b"]
    assert ranking([None]) == []
    with pytest.raises(InputError, match="a result stands behind None, which ends a list"):
        ranking(["a", None, "b"])


def test_results_that_come_one_by_one() -> None:
    def documents() -> Iterator[str]:
        yield from "ba"

    assert ranking(documents()) == ["b", "a"]
    assert ranking(np.array([17, 4])) == ["17", "4"]


def test_a_series_of_numbers_may_be_either() -> None:
    pandas = pytest.importorskip("pandas")
    scores = pandas.Series([0.5, 0.9], index=["a", "b"])
    with pytest.raises(InputError, match=r"series\.to_dict\(\).*series\.tolist\(\)"):
        ranking(scores)
    assert ranking(scores.to_dict()) == ["b", "a"]
    with pytest.raises(InputError, match=r"series\.tolist\(\)"):
        ranking(pandas.Series([3, 2]))
    assert ranking(pandas.Series([3, 2]).tolist()) == ["3", "2"]
    assert ranking(pandas.Series(["b", "a"])) == ["b", "a"]
    assert ranking(pandas.Series(["b", "a"], dtype="category")) == ["b", "a"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_frame_is_not_the_list_of_its_columns(library: str) -> None:
    frame = pytest.importorskip(library).DataFrame({"doc_id": ["a"], "score": [1.0]})
    with pytest.raises(InputError, match=r"query 'q' has a table.*\n.*one table of all queries"):
        ranking(frame)


ROWS = [
    ScoredDoc("q2", "a", 1.0),
    ScoredDoc("q1", "b", 0.5),
    ScoredDoc("q2", "c", 3.0),
    ScoredDoc("q1", "d", 0.5),
]


@pytest.mark.parametrize("kind", [list, tuple, iter, lambda rows: (row for row in rows)])
def test_rows_with_query_and_document(kind: Any) -> None:
    run = medir.Run.of(kind(ROWS))
    assert run.queries == ["q2", "q1"]
    assert (run["q2"], run["q1"]) == (["c", "a"], ["d", "b"])  # ties by id descending
    assert medir.Run.of(kind(ROWS), order="file")["q2"] == ["a", "c"]


def test_rows_as_mappings() -> None:
    rows = [{"qid": "q", "docno": "a", "rank": 2}, {"qid": "q", "docno": "b", "rank": 1}]
    assert medir.Run.of(rows)["q"] == ["b", "a"]
    with pytest.raises(InputError, match="row 2 has no docno"):
        medir.Run.of([rows[0], {"qid": "q"}])


def test_rows_may_repeat_a_document() -> None:
    rows = [ScoredDoc("q", "a", 1.0), ScoredDoc("q", "b", 2.0), ScoredDoc("q", "a", 3.0)]
    with pytest.raises(InputError, match="twice"):
        medir.compare(rows, rows, "P@1")
    assert medir.compare(rows, rows, "P@1", duplicates="first").lists("q")[0] == ["a", "b"]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (ScoredDoc("q", "b", float("nan")), "row 2: the score is nan"),
        (ScoredDoc("q", "b", "high"), "row 2: the score is 'high'"),  # type: ignore[arg-type]
        (ScoredDoc("q", None, 1.0), "row 2: a document id is text"),  # type: ignore[arg-type]
    ],
)
def test_bad_rows_are_named(row: ScoredDoc, words: str) -> None:
    with pytest.raises(InputError, match=words):
        medir.Run.of([ScoredDoc("q", "a", 1.0), row])


def test_judgments_as_rows() -> None:
    rows = [Qrel("q1", "a", 2), Qrel("q1", "b", 0, "Q0"), Qrel("q2", "a", 1), Qrel("q1", "a", 2)]
    for some in (rows, iter(rows)):
        qrels = medir.Qrels.of(some)
        assert (qrels["q1"], qrels["q2"]) == ({"a": 2, "b": 0}, {"a": 1})
    with pytest.raises(InputError, match="row 2: document 'a' is judged twice for query 'q'"):
        medir.Qrels.of([Qrel("q", "a", 1), Qrel("q", "a", 2)])


def test_judgments_of_intents_as_rows() -> None:
    rows = [Qrel("q", "a", 1, "1"), Qrel("q", "a", 2, "2")]
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "ERR_IA@2", qrels=rows)
    nested = {"q": {"1": {"a": 1}, "2": {"a": 2}}}
    assert list(result) == list(medir.compare({"q": ["a"]}, {"q": ["b"]}, "ERR_IA@2", qrels=nested))


def test_what_nobody_knows_stays_unknown() -> None:
    assert unwrapped(object()) is None
    assert unwrapped(17) is None
    assert unwrapped("text") is None
    assert unwrapped([["a", "b"], ["c"]]) is None  # an array
    assert unwrapped(iter([["a"]])) == [["a"]]
    assert unwrapped(iter([])) == {}
    with pytest.raises(InputError, match="cannot use an object of type object as a run"):
        medir.Run.of(object())  # type: ignore[arg-type]


def test_frames_by_their_columns() -> None:
    """Where pandas has no pyarrow."""
    pandas = pytest.importorskip("pandas")
    from medir.inputs.formats.libraries.unwrapping import frame_columns
    from medir.inputs.formats.objects import run_of
    from medir.inputs.formats.source import Reading

    frame = pandas.DataFrame(
        {"qid": [2, 2, 1], "docno": ["a", "b", "c"], "score": [1, 2, 3], "query": ["x", "x", "y"]},
        index=["r", "s", "t"],
    )
    run = medir.Run(*run_of(Columns(frame_columns(frame)), Reading(), "run"))
    assert {query: run[query] for query in run} == {"2": ["b", "a"], "1": ["c"]}
    lists = pandas.DataFrame(
        {"query_id": ["q", "r"], "doc_ids": [["a", "b"], []], "scores": [[1.0, 2.0], []]}
    )
    run = medir.Run(*run_of(Columns(frame_columns(lists)), Reading(), "run"))
    assert {query: run[query] for query in run} == {"q": ["b", "a"], "r": []}
    twice = pandas.DataFrame({"query_id": ["q", "q"], "doc_ids": [["a"], ["b"]]})
    with pytest.raises(InputError, match="two rows have the same query"):
        run_of(Columns(frame_columns(twice)), Reading(), "run")


def test_judgments_as_rows_of_names_and_values() -> None:
    rows = [{"qid": "q", "docno": "a", "label": 2}, {"qid": "q", "docno": "b", "label": 0}]
    assert medir.Qrels.of(rows)["q"] == {"a": 2, "b": 0}
    assert medir.Qrels.of([{"q": {"a": 2}}, {"q": {"b": 0}}])["q"] == {"a": 2, "b": 0}
