"""Runs and judgments that are already in memory."""

from __future__ import annotations

import math
from collections import OrderedDict
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from tests.profiles import examples

Order = Literal["score", "rank", "file"]


# Runs.


def test_scores() -> None:
    run = medir.Run.of({"q1": {"a": 0.5, "b": 0.7, "c": 0.5}, "q2": {"x": -1, "y": 3}})
    assert run.queries == ["q1", "q2"]
    assert (run["q1"], run["q2"]) == (["b", "c", "a"], ["y", "x"])
    assert run.longest == 3


def test_lists() -> None:
    run = medir.Run.of({"q2": ["b", "a", "c"], "q1": ["x"]})
    assert run.queries == ["q2", "q1"]
    assert (run["q2"], run["q1"]) == (["b", "a", "c"], ["x"])


def test_lists_and_scores_mixed() -> None:
    run = medir.Run.of({"q1": ["b", "a"], "q2": {"a": 1, "b": 2}})
    assert (run["q1"], run["q2"]) == (["b", "a"], ["b", "a"])


@pytest.mark.parametrize(
    "results",
    [
        ("b", "a"),
        iter(["b", "a"]),
        (document for document in "ba"),
        np.array(["b", "a"]),
        OrderedDict(b=2.0, a=1.0),
        MappingProxyType({"a": 1, "b": 2}),
        {"a": np.float32(1), "b": np.int64(2)},
        {"a": True, "b": 2},
        dict.fromkeys("ba").keys(),
    ],
    ids=lambda results: type(results).__name__,
)
def test_any_sequence_or_mapping(results: Any) -> None:
    assert medir.Run.of({"q": results})["q"] == ["b", "a"]


def test_ids_that_are_numbers() -> None:
    """An int is its digits, in Python and in a file alike."""
    run = medir.Run.of({7: {3: 0.5, 20: 0.5, 100: 0.5}, np.int64(8): [np.int32(2), "1"]})
    assert run.queries == ["7", "8"]
    assert run["7"] == ["3", "20", "100"]  # ties by id as text, descending
    assert run["8"] == ["2", "1"]


def test_ids_that_no_file_could_have() -> None:
    run = medir.Run.of({"two words": ["a b", "", "x\ny", "#", "\x00"], "": ["a"]})
    assert run["two words"] == ["a b", "", "x\ny", "#", "\x00"]
    assert run[""] == ["a"]


def test_ids_that_are_not_utf8(tmp_path: Path) -> None:
    """What was read from a file comes back the same when it is given as columns."""
    path = tmp_path / "a.run"
    path.write_bytes(b"q\xff Q0 d\xe9 1 1 t\nq\xff Q0 e 2 0 t\n")
    read = medir.Run.read(path)
    again = medir.Run.of({query: read[query] for query in read})
    assert again.queries == read.queries
    assert again["q\udcff"] == ["d\udce9", "e"]
    result = medir.compare(path, {"q\udcff": ["d\udce9", "e"]}, "P@2")
    assert result.changed().tolist() == [False]


def test_single_precision() -> None:
    """As in a file: 1 + 2**-25 is 1, and the order is then that of the ids."""
    run = medir.Run.of({"q": {"a": 1 + 2.0**-25, "b": 1.0, "c": 1e300, "d": math.inf}})
    assert run["q"] == ["d", "c", "b", "a"]


def test_infinite_scores() -> None:
    run = medir.Run.of({"q": {"a": -math.inf, "b": 0, "c": math.inf, "d": -1e30}})
    assert run["q"] == ["c", "b", "d", "a"]


def test_a_score_beyond_all_numbers() -> None:
    """As 1e999 in a file."""
    assert medir.Run.of({"q": {"a": 1, "b": 10**400, "c": -(10**400)}})["q"] == ["b", "a", "c"]


@pytest.mark.parametrize(
    ("order", "expected"), [("score", ["b", "c", "a"]), ("file", ["a", "b", "c"])]
)
def test_order_of_scores(order: Order, expected: list[str]) -> None:
    assert medir.Run.of({"q": {"a": 1, "b": 3, "c": 2}}, order=order)["q"] == expected


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_order_of_lists(order: Order) -> None:
    """A list is in order already, whatever the order."""
    assert medir.Run.of({"q": ["a", "c", "b"]}, order=order)["q"] == ["a", "c", "b"]


def test_scores_have_no_ranks() -> None:
    with pytest.raises(medir.InputError, match="order='rank' needs ranks") as caught:
        medir.Run.of({"q": {"a": 1}}, order="rank")
    assert "'file'" in str(caught.value)


def test_unknown_order() -> None:
    wrong: Any = "best"
    with pytest.raises(medir.UsageError, match="order must be one of score, rank, file"):
        medir.Run.of({"q": ["a"]}, order=wrong)


def test_a_run_is_taken_as_it_is() -> None:
    run = medir.Run.of({"q": ["a"]})
    assert medir.Run.of(run) is run


def test_nothing() -> None:
    run = medir.Run.of({})
    assert (len(run), run.queries, list(run)) == (0, [], [])
    assert "q" not in run
    result = medir.compare({}, {"q": ["a"]}, "P@1")
    assert (len(result), result.only_before, result.only_after) == (1, 0, 1)
    result = medir.compare({}, {}, "P@1")
    assert (len(result), list(result), result.queries, result.top(3)) == (0, [], [], [])


def test_empty_lists() -> None:
    run = medir.Run.of({"q": [], "r": {}})
    assert (run.queries, run["q"], run["r"], run.longest) == (["q", "r"], [], [], 0)


def test_longer_and_shorter_lists() -> None:
    """Each query has its own part of the columns, also behind empty ones."""
    source = {f"q{n}": [f"d{n}-{i}" for i in range(n % 4)] for n in range(50)}
    run = medir.Run.of(source)
    assert {query: run[query] for query in run} == source
    assert run.longest == 3


BAD_RUNS: dict[str, tuple[Any, str]] = {
    "a score that is NaN": (
        {"q": {"a": 1, "b": math.nan}},
        r"run: query 'q': the score of 'b' is nan, not a number",
    ),
    "a score that is None": (
        {"q": {"a": 1, "b": None}},
        r"query 'q': the score of 'b' is None, not a number",
    ),
    "a score that is text": (
        {"q": {"a": 1.0, "b": "high"}},
        r"query 'q': the score of 'b' is 'high', not a number",
    ),
    "a score that is a list": (
        {"q": {"a": 1.0, "b": [2]}},
        r"query 'q': the score of 'b' is \[2\], not a number",
    ),
    "a complex score": (
        {"q": {"a": 1.0, "b": 1j}},
        r"query 'q': the score of 'b' is 1j, not a number",
    ),
    "text for results": (
        {"q": "abc"},
        r"query 'q' has 'abc' where its results should be",
    ),
    "bytes for results": (
        {"q": b"abc"},
        r"query 'q' has b'abc' where its results should be",
    ),
    "a number for results": (
        {"q": 7},
        r"query 'q' has 7 where its results should be",
    ),
    "nothing for results": (
        {"q": None},
        r"query 'q' has None where its results should be",
    ),
    "a set for results": (
        {"q": {"a", "b"}},
        r"query 'q' has a set, which has no order",
    ),
    "a query id of bytes": (
        {b"q": ["a"]},
        r"a query id is text or a whole number, not b'q'",
    ),
    "a query id of None": (
        {None: ["a"]},
        r"a query id is text or a whole number, not None",
    ),
    "a query id of 1.5": (
        {1.5: ["a"]},
        r"a query id is text or a whole number, not 1\.5",
    ),
    "a document id of 1.5": (
        {"q": [1.5]},
        r"a document id is text or a whole number, not 1\.5",
    ),
    "a document id of bytes": (
        {"q": {b"a": 1}},
        r"a document id is text or a whole number, not b'a'",
    ),
    "pairs": (
        {"q": [("a", 1.0)]},
        r"a document id is text or a whole number, not \('a', 1\.0\)",
    ),
    "a query twice": (
        {"1": ["a"], 1: ["b"]},
        r"two queries have the id '1'",
    ),
    "a list": (
        ["a", "b"],
        r"cannot use an object of type list as a run",
    ),
    "None": (
        None,
        r"cannot use an object of type NoneType as a run",
    ),
    "bytes": (
        b"a.run",
        r"cannot use an object of type bytes as a run",
    ),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_bad_run(name: str) -> None:
    source, message = BAD_RUNS[name]
    with pytest.raises(medir.InputError, match=message):
        medir.Run.of(source)


def test_an_id_that_is_no_text() -> None:
    """A lone surrogate has no bytes; it is refused as every other bad id is."""
    with pytest.raises(medir.MedirError):
        medir.Run.of({"q": ["a\ud800"]})


@pytest.mark.parametrize(
    ("before", "after", "name"),
    [({"q": 7}, {"q": ["a"]}, "before"), ({"q": ["a"]}, {"q": 7}, "after")],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_the_message_names_the_run(before: Any, after: Any, name: str, threads: int) -> None:
    with pytest.raises(medir.InputError, match=f"^{name}: query 'q' has 7"):
        medir.compare(before, after, threads=threads)


@pytest.mark.parametrize("results", [["a", "b", "a"], {"1": 0.5, 1: 0.7}, ["1", 1]])
def test_a_document_twice(results: Any) -> None:
    """Also where ids are the same only as text."""
    message = "document '(a|1)' appears twice in the list of query 'q'"
    with pytest.raises(medir.InputError, match=message) as caught:
        medir.compare({"q": results}, {"q": ["x"]})
    assert 'duplicates="first"' in str(caught.value)
    result = medir.compare({"q": results}, {"q": ["x"]}, duplicates="first")
    assert result.repeats == 1


def test_the_higher_of_two_places_is_kept() -> None:
    """a, b, a is a, b: with b, a as the other run everything moved and nothing entered or left."""
    before, after = {"q": {"a": 3.0, "b": 2.0}}, {"q": ["b", "a", "b"]}
    result = medir.compare(before, after, "P@1", duplicates="first")
    assert result.repeats == 1
    assert result.changes[:, :, 0].tolist() == [[1, 1, 0]]
    result = medir.compare(before, after, "P@2", duplicates="first")
    assert result.changes[:, :, 0].tolist() == [[0, 0, 2]]


ids = st.one_of(st.text(max_size=5), st.integers(-3, 30))
numbers = st.one_of(
    st.floats(allow_nan=False), st.integers(-5, 5), st.sampled_from([1.0, 1 + 2**-25])
)


@examples(100)
@given(st.dictionaries(ids, st.dictionaries(ids, numbers, max_size=8), max_size=5))
def test_any_scores(source: dict[Any, dict[Any, float]]) -> None:
    queries = [str(query) for query in source]
    if len(set(queries)) < len(queries):
        with pytest.raises(medir.InputError, match="two queries have the id"):
            medir.Run.of(source)
        return
    run = medir.Run.of(source)
    assert run.queries == queries
    with np.errstate(over="ignore"):
        for query, results in source.items():
            pairs = [(float(np.float32(s)), str(d).encode()) for d, s in results.items()]
            ordered = [document.decode() for _, document in sorted(pairs, reverse=True)]
            assert run[str(query)] == ordered


@examples(50)
@given(st.dictionaries(st.text(max_size=5), st.lists(ids, max_size=8), max_size=5))
def test_any_lists(source: dict[str, list[Any]]) -> None:
    run = medir.Run.of(source)
    assert {query: run[query] for query in run} == {
        query: list(map(str, documents)) for query, documents in source.items()
    }


# Judgments.


def test_qrels() -> None:
    grades: Any = {"q1": {"a": 2, "b": 0}, 2: {7: np.int64(3), "x": True}, "q3": {}}
    qrels = medir.Qrels.of(grades)
    assert qrels.queries == ["q1", "2", "q3"]
    assert [qrels[query] for query in qrels.queries] == [{"a": 2, "b": 0}, {"7": 3, "x": 1}, {}]
    assert (len(qrels), qrels.highest, qrels.longest) == (3, 3, 2)
    assert "2" in qrels
    assert medir.Qrels.of(qrels) is qrels


def test_no_judgments() -> None:
    qrels = medir.Qrels.of({})
    assert (len(qrels), qrels.queries) == (0, [])
    with_none = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1", qrels={})
    assert with_none.column("P@1").tolist() == [1.0]


def test_negative_grades(tmp_path: Path) -> None:
    """They count as 0, and so not as the highest grade either, whatever they come from."""
    path = tmp_path / "qrels.txt"
    path.write_bytes(b"q 0 a -1\nq 0 x -2\n")
    judged = [medir.Qrels.read(path), medir.Qrels.of({"q": {"a": -1, "x": -2}})]
    assert [qrels["q"] for qrels in judged] == [{"a": 0, "x": 0}] * 2
    assert [qrels.highest for qrels in judged] == [0, 0]
    before, after = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    results = [medir.compare(before, after, "DCG@5", qrels=qrels) for qrels in judged]
    assert results[0].values.tolist() == results[1].values.tolist()


BAD_QRELS: dict[str, tuple[Any, str]] = {
    "a grade that is a fraction": (
        {"q": {"a": 1, "b": 0.5}},
        r"qrels: the grade 0\.5 is a fraction\n    query q, document b\nDeclare which grade",
    ),
    "a grade that is NaN": (
        {"q": {"a": math.nan}},
        r"the grade of 'a' is nan, not a number",
    ),
    "a grade that is text": (
        {"q": {"a": "one"}},
        r"the grade of 'a' is 'one', not a number\nDeclare .*grades=\{'one': 1",
    ),
    "a grade that is None": (
        {"q": {"a": None}},
        r"the grade of 'a' is None, not a number",
    ),
    "a grade that is too high": (
        {"q": {"a": 1001}},
        r"the grade 1001 is above 1000\n    query q, document a",
    ),
    "a list of documents": (
        {"q": ["a"]},
        r"query 'q' has \['a'\] where its judgments should be",
    ),
    "an empty list": (
        {"q": []},
        r"query 'q' has \[\] where its judgments should be",
    ),
    "text": (
        {"q": "abc"},
        r"query 'q' has 'abc' where its judgments should be",
    ),
    "a number": (
        {"q": 7},
        r"query 'q' has 7 where its judgments should be",
    ),
    "nothing": (
        {"q": None},
        r"query 'q' has None where its judgments should be",
    ),
    "a query twice": (
        {"1": {"a": 1}, 1: {"a": 1}},
        r"two queries have the id '1'",
    ),
    "a document id of None": (
        {"q": {None: 1}},
        r"a document id is text or a whole number, not None",
    ),
    "a list of numbers": (
        [7],
        r"cannot use an object of type list as judgments",
    ),
}


@pytest.mark.parametrize("name", BAD_QRELS)
def test_bad_qrels(name: str) -> None:
    source, message = BAD_QRELS[name]
    with pytest.raises(medir.InputError, match=message):
        medir.Qrels.of(source)


def test_judged_twice() -> None:
    """Ids that are the same only as text."""
    with pytest.raises(medir.InputError, match="document '1' is judged twice for query 'q'"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, qrels={"q": {1: 1, "1": 2}})


def test_a_grade_above_max_grade() -> None:
    with pytest.raises(medir.InputError, match="the grade 3 is above max_grade=2") as caught:
        medir.compare(
            {"q": ["a"]}, {"q": ["b"]}, "nDCG(max_grade=2)@5", qrels={"q": {"x": 2, "y": 3}}
        )
    assert "query q, document y" in str(caught.value)
