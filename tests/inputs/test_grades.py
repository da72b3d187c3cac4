"""From judged values to grades: levels, shares of the highest grade, and what is neither."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import InputError, Qrels, UsageError
from tests.cases.runs import write_qrels
from tests.profiles import examples

LEVELS = {0: 0, 0.5: 1, 1: 2}


def trec(path: Path, judged: Mapping[str, Mapping[str, Any]]) -> Path:
    """Judgments as TREC text, values as they are written."""
    lines = [f"{q} 0 {d} {value}\n" for q, some in judged.items() for d, value in some.items()]
    path.write_text("".join(lines))
    return path


def grades_of(qrels: Qrels) -> dict[str, dict[str, int]]:
    return {query: qrels[query] for query in qrels}


# What counts as a number.


@pytest.mark.parametrize(
    "value",
    [2, 2.0, "2", " 2 ", "2.0", "+2", "2e0", np.int8(2), np.float32(2), Decimal(2), Fraction(2)],
    ids=repr,
)
def test_numbers_of_all_kinds(value: Any) -> None:
    assert Qrels.of({"q": {"a": value}})["q"] == {"a": 2}


def test_truth_values_are_one_and_zero() -> None:
    judged = {"q": {"a": True, "b": False, "c": np.True_}}
    assert Qrels.of(judged)["q"] == {"a": 1, "b": 0, "c": 1}
    assert Qrels.of(judged, grades={False: 0, True: 2})["q"] == {"a": 2, "b": 0, "c": 2}


@pytest.mark.parametrize("text", ["1.0", "1.", "1e0", "+1.0", "01", "10e-1", "1.0000000000001"])
def test_whole_numbers_with_a_point_in_a_file(text: str, tmp_path: Path) -> None:
    path = trec(tmp_path / "qrels.txt", {"q": {"a": text, "b": "2", "c": "-0.0", "d": "-1.5"}})
    qrels = Qrels.read(path)
    assert qrels["q"] == {"a": 1, "b": 2, "c": 0, "d": 0}
    assert (qrels.highest, qrels.shares) == (2, False)


# Levels.


def test_levels_from_all_sources(tmp_path: Path) -> None:
    judged = {"q": {"a": 1, "b": 0.5, "c": 0, "d": -1}}
    path = trec(tmp_path / "qrels.txt", judged)
    lines = tmp_path / "judged.jsonl"
    lines.write_text(
        '{"query_id": "q", "doc_id": "a", "relevance": 1}\n'
        '{"query_id": "q", "doc_id": "b", "relevance": "0.5"}\n'
        '{"query_id": "q", "doc_id": "c", "relevance": 0.0}\n'
        '{"query_id": "q", "doc_id": "d", "relevance": -1}\n'
    )
    for source in (judged, path, lines):
        qrels = Qrels.of(source, grades=LEVELS)
        assert qrels["q"] == {"a": 2, "b": 1, "c": 0, "d": 0}
        assert (qrels.highest, qrels.shares) == (2, False)


def test_a_negative_level() -> None:
    """A scale from -1 to 1, where negative values would count as 0."""
    qrels = Qrels.of({"q": {"a": 1, "b": 0, "c": -1}}, grades={-1: 0, 0: 1, 1: 2})
    assert qrels["q"] == {"a": 2, "b": 1, "c": 0}


def test_texts_as_levels() -> None:
    qrels = Qrels.of(
        {"q": {"a": "highly relevant", "b": " no ", "c": "0.5", "d": 0.5}},
        grades={"no": 0, "0.5": 1, "highly relevant": 3},
    )
    assert qrels["q"] == {"a": 3, "b": 0, "c": 1, "d": 1}
    with pytest.raises(InputError, match=r"the grade of 'b' is 'maybe', not a number"):
        Qrels.of({"q": {"b": "maybe"}}, grades={"no": 0})


def test_levels_declare_the_highest_grade() -> None:
    """Whatever was judged so far, so that the scale stays the same when more is judged."""
    first, second = {"q": {"a": 0.5}}, {"q": {"a": 0.5, "z": 1}}
    before, after = {"q": ["a", "b"]}, {"q": ["b", "a"]}
    assert Qrels.of(first, grades=LEVELS).highest == 2
    values = [
        medir.compare(before, after, "nDCG@2", qrels=judged, grades=LEVELS).values.tolist()
        for judged in (first, second)
    ]
    assert values[0] == values[1]
    whole = medir.compare(before, after, "nDCG(max_grade=2)@2", qrels={"q": {"a": 1}})
    assert values[0] == whole.values.tolist()


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        ({}, "grades must say which grade each value stands for"),
        ([0, 1], "grades must say which grade each value stands for"),
        ({0: 0.5}, "0: 0.5 does not"),
        ({0: -1}, "0: -1 does not"),
        ({0: 1001}, "0: 1001 does not"),
        ({0: True}, "0: True does not"),
        ({(): 1}, r"\(\): 1 does not"),
        ({1: 1, "1.0": 2}, "two grades for the value '1.0'"),
    ],
)
def test_bad_levels(grades: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Qrels.of({"q": {"a": 1}}, grades=grades)
    with pytest.raises(UsageError, match=message):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, grades=grades)


# Shares of the highest grade.


def test_shares_of_the_highest_grade_of_a_measure() -> None:
    before, after = {"q": ["a", "b", "c"]}, {"q": ["c", "b", "a"]}
    judged: Any = {"q": {"a": 0.5, "b": 1.0, "x": 0}}
    whole = {"q": {"a": 1, "b": 2, "x": 0}}
    for measures in ("nDCG(max_grade=2)@3", ["ERR(max_grade=2)", "DCG(max_grade=2)@3", "P@2"]):
        shares = medir.compare(before, after, measures, qrels=judged)
        grades = medir.compare(before, after, measures, qrels=whole)
        assert shares.values.tolist() == grades.values.tolist()
        assert shares.judged is not None
        assert shares.judged.shares
    assert "highest grade 2 (declared; fractions are shares of it)" in list(shares.notes())
    assert medir.med(
        ["a", "b"], ["b", "a"], "nDCG(max_grade=2)@2", judged=judged["q"]
    ) == medir.med(["a", "b"], ["b", "a"], "nDCG(max_grade=2)@2", judged=whole["q"])


def test_whole_numbers_are_no_shares() -> None:
    """0 and 1 are grades as long as there is no fraction."""
    assert Qrels.of({"q": {"a": 1.0, "b": 0}}, max_grade=2)["q"] == {"a": 1, "b": 0}
    assert Qrels.of({"q": {"a": 1.0, "b": 0, "c": 0.5}}, max_grade=2)["q"] == {
        "a": 2,
        "b": 0,
        "c": 1,
    }


def test_a_declared_highest_grade() -> None:
    assert Qrels.of({"q": {"a": 1}}, max_grade=3).highest == 3
    with pytest.raises(InputError, match="the grade 4 is above max_grade=3"):
        Qrels.of({"q": {"a": 4}}, max_grade=3)
    with pytest.raises(UsageError, match="max_grade must be 1 or more, not 0"):
        Qrels.of({"q": {"a": 4}}, max_grade=0)


FAULTS: dict[str, tuple[list[Any], dict[str, Any], str, str]] = {
    "undeclared": ([1, 0.5], {}, "the grade 0.5 is a fraction", r"nDCG\(max_grade=2\)@20"),
    "above one": ([0, 1.5], {}, "the grade 1.5 is a fraction", "--grades 0=0,0.5=1,1=2"),
    "no whole grade": (
        [1, 0.3],
        {"max_grade": 2},
        "the grade 0.3 is no whole grade: as a share of max_grade=2 it is 0.6",
        "Declare which grade each value stands for: grades=",
    ),
    "beside a whole number": (
        [0.5, 2],
        {"max_grade": 2},
        "the grade 2 is above 1, and there are fractions, which are shares of max_grade=2",
        "--grades",
    ),
    "a share above one": (
        [0.5, 1.5],
        {"max_grade": 2},
        "the grade 1.5 is above 1",
        "--grades",
    ),
    "no level": (
        [0.5, 0.7],
        {"grades": LEVELS},
        "the grade 0.7 is none of the declared levels",
        "Add it to the levels",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_values_without_a_grade(name: str, tmp_path: Path) -> None:
    """The error names the document, the value and, in a file, the line; and says what to do."""
    (good, bad), declared, problem, remedy = FAULTS[name]
    judged = {"q 1": {"good": good, "bad": bad}}
    with pytest.raises(InputError, match=remedy) as caught:
        Qrels.of(judged, **declared)
    assert f"qrels: {problem}" in str(caught.value)
    assert caught.value.text == "query q 1, document bad"
    path = trec(tmp_path / "qrels.txt", {"q1": judged["q 1"]})
    with pytest.raises(InputError, match=remedy) as caught:
        Qrels.read(path, **declared)
    assert problem in str(caught.value)
    assert (caught.value.line, caught.value.text) == (2, f"q1 0 bad {bad}")


def test_two_measures_with_different_highest_grades() -> None:
    measures = ["nDCG(max_grade=2)@5", "ERR(max_grade=4)"]
    with pytest.raises(InputError, match="The measures declare max_grade 2 and 4; declare levels"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, measures, qrels={"q": {"a": 0.5}})
    medir.compare({"q": ["a"]}, {"q": ["b"]}, measures, qrels={"q": {"a": 1}})


# Tables.


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1.0, 0.5, 0.0], "float64"),
        ([1.0, 0.5, 0.0], "float32"),
        (["1", "0.5", "0.0"], "string"),
        ([Decimal("1.0"), Decimal("0.5"), Decimal("0.0")], "decimal"),
    ],
)
def test_tables(values: list[Any], kind: str) -> None:
    pa = pytest.importorskip("pyarrow")
    types = {"decimal": pa.decimal128(5, 2), "string": pa.string()}
    column = pa.array(values, types.get(kind) or getattr(pa, kind)())
    table = pa.table({"query_id": ["q 1"] * 3, "doc_id": [7, 8, 9], "label": column})
    for declared in ({"grades": LEVELS}, {"max_grade": 2}):
        assert Qrels.of(table, **declared)["q 1"] == {"7": 2, "8": 1, "9": 0}
    with pytest.raises(InputError, match=r"the grade 0\.5 is a fraction") as caught:
        Qrels.of(table)
    assert caught.value.text == "row 2: query q 1, document 8"
    assert "--grades" in caught.value.remedy
    joined = Qrels.of([table, {"q 1": {"7": 1}}], grades=LEVELS)
    assert joined["q 1"] == {"7": 2, "8": 1, "9": 0}


def test_values_in_single_precision() -> None:
    third = np.float32(1 / 3)
    assert Qrels.of({"q": {"a": third, "b": 1}}, max_grade=3)["q"] == {"a": 1, "b": 3}
    assert Qrels.of({"q": {"a": np.float32(0.7)}}, grades={0.7: 2})["q"] == {"a": 2}
    with pytest.raises(InputError, match=r"the grade 0\.3333 is no whole grade"):
        Qrels.of({"q": {"a": 0.3333}}, max_grade=3)


def test_tables_of_truth_values() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"qid": ["q", "q"], "docno": ["a", "b"], "label": [True, False]})
    assert Qrels.of(table)["q"] == {"a": 1, "b": 0}
    words = pa.table({"qid": ["q", "q"], "docno": ["a", "b"], "label": ["1", "good"]})
    with pytest.raises(InputError, match="the label is not a number") as caught:
        Qrels.of(words)
    assert caught.value.text == "row 2"
    assert Qrels.of(words, grades={"good": 2, 1: 1})["q"] == {"a": 1, "b": 2}
    with pytest.raises(InputError, match=r"the grade 'good' is not a number") as caught:
        Qrels.of(words, grades={"bad": 0, 1: 1})
    assert caught.value.text == "row 2: query q, document b"


# Against the definition.


@st.composite
def judgments(draw: st.DrawFn) -> tuple[int, dict[str, dict[str, int]]]:
    """A highest grade and grades up to it."""
    highest = draw(st.integers(1, 7))
    documents = st.dictionaries(st.sampled_from("abcdefghij"), st.integers(0, highest), min_size=1)
    return highest, draw(st.dictionaries(st.sampled_from("pqrs"), documents, min_size=1))


@examples(100)
@given(judgments(), st.booleans())
def test_shares_and_levels_give_back_the_grades(
    folder: Path, case: tuple[int, dict[str, dict[str, int]]], by_levels: bool
) -> None:
    """Grades divided by the highest one, as judges return them."""
    highest, grades = case
    shares = {q: {d: grade / highest for d, grade in some.items()} for q, some in grades.items()}
    fractions = any(not value.is_integer() for some in shares.values() for value in some.values())
    levels = {grade / highest: grade for grade in range(highest + 1)}
    declared: dict[str, Any] = {"grades": levels} if by_levels else {"max_grade": highest}
    expected = grades if by_levels or fractions else shares
    for source in (shares, trec(folder / "shares.txt", shares)):
        qrels = Qrels.of(source, **declared)
        assert grades_of(qrels) == expected
        assert qrels.highest == highest
        assert qrels.shares == (fractions and not by_levels)


# Several sources.


def test_several_sources_are_joined(tmp_path: Path) -> None:
    path = write_qrels(tmp_path / "qrels.txt", {"q": {"a": 2}, "r": {"x": 1}})
    shares = Qrels.of({"q": {"b": 0.5}}, grades=LEVELS)
    qrels = Qrels.of([path, shares, {"q": {"a": 2, "c": 1}, "s t": {"z": 1}}])
    assert grades_of(qrels) == {
        "q": {"a": 2, "b": 1, "c": 1},
        "r": {"x": 1},
        "s t": {"z": 1},
    }
    assert qrels.highest == 2
    with pytest.raises(InputError, match="document 'a' is judged twice for query 'q'"):
        Qrels.of([path, {"q": {"a": 1}}])
    with pytest.raises(UsageError, match="judgments by intent come from one source"):
        Qrels.of([path, {"q": {"i": {"a": 1}}}])
