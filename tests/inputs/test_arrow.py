"""Tables of Arrow: every type that ids, scores and lists may have, and what is refused."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import medir
from medir import _core
from tests.profiles import examples

QUERIES = ["q1", "q1", "q1", "q2", "q2", "q1"]
DOCUMENTS = ["11", "7", "123456789012345", "7", "é" * 9, "8"]
NUMBERS = ["11", "7", "123", "7", "9", "8"]
SCORES = [1.0, 2.0, 2.0, 0.5, 0.25, 3.0]


def lists(documents: list[str]) -> dict[str, list[str]]:
    """By score descending, then by id descending; found by hand."""
    return {
        "q1": [documents[5], *sorted(documents[1:3], reverse=True), documents[0]],
        "q2": [documents[3], documents[4]],
    }


def read(source: Any, **options: Any) -> dict[str, list[str]]:
    run = medir.Run.of(source, **options)
    return {query: run[query] for query in run.queries}


def table(documents: Any, scores: Any = SCORES, queries: Any = QUERIES) -> pa.Table:
    return pa.table({"query_id": queries, "doc_id": documents, "score": scores})


TEXTS = [
    pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(),
    pa.binary_view(), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.uint32(), pa.large_string()),
]  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_texts(kind: pa.DataType) -> None:
    ids = pa.array(DOCUMENTS).cast(kind) if "view" not in str(kind) else pa.array(DOCUMENTS, kind)
    assert read(table(ids)) == lists(DOCUMENTS)
    queries = pa.array(QUERIES).cast(kind) if "view" not in str(kind) else pa.array(QUERIES, kind)
    assert read(table(DOCUMENTS, queries=queries)) == lists(DOCUMENTS)


WHOLE = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]


@pytest.mark.parametrize("kind", [*WHOLE, pa.uint64()], ids=str)
def test_whole_numbers_are_their_digits(kind: pa.DataType) -> None:
    ids = pa.array([int(one) for one in NUMBERS], kind)
    assert read(table(ids)) == lists(NUMBERS)  # ties by decimal text: "7" before "123"
    assert read(table(ids.dictionary_encode())) == lists(NUMBERS)
    result = medir.compare(table(ids), lists(NUMBERS), "nDCG@5")
    assert result.column("nDCG@5").tolist() == [0, 0]


def test_the_largest_and_the_smallest_numbers() -> None:
    large = pa.table({"query_id": ["q", "q"], "doc_id": pa.array([2**64 - 1, 0], pa.uint64())})
    assert read(large) == {"q": [str(2**64 - 1), "0"]}
    small = pa.table({"query_id": ["q", "q"], "doc_id": pa.array([-(2**63), -1], pa.int64())})
    assert read(small) == {"q": [str(-(2**63)), "-1"]}
    mixed = {"q": [str(2**64 - 1), "00", "0"]}  # "00" is no number
    result = medir.compare(large, mixed, "P@2", unseen="nothing")
    assert result.column("P@2").tolist() == [0.5]


SCORE_TYPES = [
    pa.float16(), pa.float32(), pa.float64(), pa.decimal128(10, 4), pa.decimal128(38, 20)
]  # fmt: skip


@pytest.mark.parametrize("kind", SCORE_TYPES, ids=str)
def test_scores(kind: pa.DataType) -> None:
    exact: list[Any] = [Decimal(one) for one in SCORES] if "decimal" in str(kind) else SCORES
    if kind == pa.float16():
        exact = [np.float16(one) for one in SCORES]
    assert read(table(DOCUMENTS, pa.array(exact, kind))) == lists(DOCUMENTS)


def test_decimals_are_the_nearest_numbers() -> None:
    """As text has them: 16777217 and 16777216 tie in single precision, 0.1 and 0.2 do not."""
    for first, second in (("16777217", "16777216"), ("0.1", "0.2"), ("-0.3", "-0.30001")):
        scores = pa.array([Decimal(first), Decimal(second)], pa.decimal128(20, 6))
        ours = pa.table({"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": scores})
        assert read(ours) == read({"q": {"a": float(first), "b": float(second)}})


def test_whole_scores() -> None:
    scores = pa.array([1, 3, 3, 7, 5, 9], pa.int32())
    expected = {"q1": ["8", "7", "123456789012345", "11"], "q2": ["7", "é" * 9]}
    assert read(table(DOCUMENTS, scores)) == expected


LISTS = [
    pa.list_(pa.string()), pa.large_list(pa.large_string()), pa.list_(pa.string(), 2),
    pa.list_view(pa.string()), pa.large_list_view(pa.string()),
]  # fmt: skip


@pytest.mark.parametrize("kind", LISTS, ids=str)
def test_one_row_per_query(kind: pa.DataType) -> None:
    ids = pa.array([["a", "b"], ["b", "c"], ["x", "y"]], kind)
    ours = pa.table({"query_id": ["1", "2", "3"], "doc_ids": ids})
    assert read(ours) == {"1": ["a", "b"], "2": ["b", "c"], "3": ["x", "y"]}
    assert read(ours.slice(1)) == {"2": ["b", "c"], "3": ["x", "y"]}
    scores = pa.array([[1.0, 2.0], [1.0, 1.0], [2.0, 1.0]])
    expected = {"1": ["b", "a"], "2": ["c", "b"], "3": ["x", "y"]}
    assert read(ours.append_column("scores", scores)) == expected


def test_lists_of_numbers_and_of_any_length() -> None:
    ours = pa.table({"qid": [4, 5], "doc_ids": pa.array([[], [3, 1, 2]], pa.list_(pa.int64()))})
    assert read(ours) == {"4": [], "5": ["3", "1", "2"]}


@examples(200)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.text(max_size=30)), min_size=1, max_size=30),
    st.data(),
)
def test_slices_and_chunks(rows: list[tuple[str, str]], data: st.DataObject) -> None:
    """However a table is cut, its rows are the same; texts reach to the end of their memory."""
    kind = data.draw(st.sampled_from(TEXTS))
    documents = [text.encode() if "binary" in str(kind) else text for _, text in rows]
    if kind.id == pa.string_view().id or "view" in str(kind):
        column = pa.array(documents, kind)
    else:
        column = pa.array([text for _, text in rows]).cast(kind)
    whole = pa.table({"query_id": [query for query, _ in rows], "doc_id": column})
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    ends = zip([0, *cuts], [*cuts, len(rows)], strict=True)
    chunked = pa.concat_tables([whole.slice(i, j - i) for i, j in ends])
    expected: dict[str, list[str]] = {}
    for query, text in rows:
        expected.setdefault(query, []).append(text)
    assert read(whole) == read(chunked) == expected


def test_a_stream_is_read_once() -> None:
    stream = table(DOCUMENTS).to_reader()
    assert read(stream) == lists(DOCUMENTS)
    assert read(stream) == {}  # nothing is left of it


def test_ranks_order_where_there_is_no_score() -> None:
    ranks = pa.table({"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "rank": [2, 1, 3]})
    assert read(ranks) == read(ranks, order="rank") == {"q": ["b", "a", "c"]}
    assert read(ranks, order="file") == {"q": ["a", "b", "c"]}
    both = ranks.append_column("score", pa.array([1.0, 2.0, 3.0]))
    assert read(both) == {"q": ["c", "b", "a"]}
    assert read(both, order="rank") == {"q": ["b", "a", "c"]}


def test_columns_that_the_caller_names() -> None:
    ours = pa.table({"q": ["q"], "d": ["a"], "s": [1.0]})
    assert read(ours, columns={"query_id": "q", "doc_id": "d", "score": "s"}) == {"q": ["a"]}


BAD: dict[str, tuple[pa.Table, str]] = {
    "no query": (pa.table({"doc_id": ["a"]}), "query ids.*doc_id"),
    "two of documents": (
        pa.table({"query_id": ["q"], "doc_id": ["a"], "docno": ["a"]}),
        "doc_id and docno",
    ),
    "a null query": (
        table(DOCUMENTS, queries=["a", None, *"bcde"]),
        "'query_id' has a null\n.*row 2",
    ),
    "a null document": (table(["a", "b", None, *"cde"]), "'doc_id' has a null\n.*row 3"),
    "a null score": (table(DOCUMENTS, [1.0, 2, 3, 4, 5, None]), "'score' has a null\n.*row 6"),
    "a score that is NaN": (table(DOCUMENTS, [1.0, 2, np.nan, 4, 5, 6]), "score is NaN.*\n.*row 3"),
    "a score that is text": (table(DOCUMENTS, ["x"] * 6), "'score' holds string where numbers"),
    "documents that are fractions": (table([0.5] * 6), "'doc_id' holds float64 where text"),
    "documents that are dates": (
        table(pa.array([0] * 6, pa.timestamp("s"))),
        "'doc_id' holds timestamp where text",
    ),
    "a null in a list": (
        pa.table({"query_id": ["q"], "doc_ids": [["a", None]]}),
        "'doc_ids' has a null\n.*row 1",
    ),
    "a list of fractions": (
        pa.table({"query_id": ["q"], "doc_ids": [[0.5]]}),
        "holds list<float64> where lists of ids",
    ),
    "scores of other lengths": (
        pa.table({"query_id": ["q"], "doc_ids": [["a", "b"]], "scores": [[1.0]]}),
        "2 documents and 1 values\n.*row 1",
    ),
    "two rows of one query": (
        pa.table({"query_id": ["q", "q"], "doc_ids": [["a"], ["b"]]}),
        "query 'q' has a second row\n.*row 2",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables(name: str) -> None:
    source, message = BAD[name]
    with pytest.raises(medir.InputError, match=f"(?s){message}"):
        medir.Run.of(source)._lists.check(1)


def test_a_column_is_no_table() -> None:
    with pytest.raises(medir.InputError, match="is a column of string and no table"):
        medir.Run.of(pa.chunked_array([["a", "b"]]))


def test_ties_in_single_precision_and_duplicates() -> None:
    ours = pa.table(
        {"query_id": ["q"] * 3, "doc_id": ["a", "b", "a"], "score": [1.0, 1 + 2**-30, 1.0]}
    )
    assert read(ours) == {"q": ["b", "a", "a"]}
    with pytest.raises(medir.InputError, match="document 'a' appears twice"):
        medir.compare(ours, ours, "P@1")
    assert medir.compare(ours, ours, "P@1", duplicates="first").repeats == 2


def test_parts_of_other_types_are_refused() -> None:
    core = _core.ArrowTable("run", pa.table({"a": ["x"]}).__arrow_c_stream__())
    with pytest.raises(medir.InputError, match="parts with other columns"):
        core.add(pa.table({"a": [1]}).__arrow_c_stream__())
    core.add(pa.table({"a": ["y"]}).__arrow_c_stream__())
    assert (len(core), core.strings(0)[0]) == (2, b"xy")
