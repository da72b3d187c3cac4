"""Explanations: parts that add up to the value, moves, and sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import Explanation, InputError, UsageError
from tests.cases.runs import UNSEEN, write_qrels, write_run
from tests.oracles.unseen import Rule
from tests.profiles import examples

EXACT = 1e-9
D = [f"d{i}" for i in range(1, 10)]
OWN = medir.define("two_of_them", lambda c: min(float(c.sum()), 2.0) / 2)
MEASURES = [
    "nDCG@3", "nDCG@20", "nDCG(gains='linear')@4", "nDCG(ideal='judged')@5",
    "nDCG(ideal={2: 1, 1: 2})@4", "RBP(p=0.8)", "P@3", "DCG@4", "SDCG@4", "INSQ", "AP@5",
    "AP(ideal='judged')@10", "AP(ideal=3)@4", "ERR", "ERR@3", "RR", "RR@2", "Success@2",
    "Cascade([1, 0.5, 0.5, 0.2], decay=0.4)", "ERR_IA", "ERR_IA(intents=3)@4", "alpha_nDCG@4",
    "NRBP", "TBG", "TBG(half_life=30)@4", OWN, OWN @ 4,
]  # fmt: skip
rankings = st.lists(st.sampled_from(D), unique=True, max_size=7)
WORDS = dict(zip(D, (0, 20_000, 300, 40, 9_000, 1_000, 70, 100_000, 2), strict=True))
grades = st.dictionaries(st.sampled_from(D), st.integers(0, 2), max_size=4)


def total(why: Explanation, direction: str) -> float:
    parts = sum(getattr(evidence, direction) for evidence in why.documents)
    return float(parts + getattr(why, f"unseen_{direction}"))


@pytest.mark.parametrize("measure", MEASURES, ids=str)
@examples(60)
@given(rankings, rankings, grades, st.sampled_from(UNSEEN), st.booleans())
def test_parts_add_up(
    measure: Any,
    before: list[str],
    after: list[str],
    judged: dict[str, int],
    unseen: Rule,
    with_judgments: bool,
) -> None:
    one = medir.measure(measure)
    qrels: Any = {"i": judged, "j": {"d1": 1}} if one.shape.by_intent else judged
    if isinstance(one["ideal"], tuple):  # counts: what is judged must be among them
        qrels = {"d1": 2}
    if not with_judgments and one["ideal"] != "judged":
        qrels = None
    words = WORDS if one.shape.needs_lengths else None
    why = medir.explain(before, after, one, qrels=qrels, lengths=words, unseen=unseen)
    solution = medir.solve(
        before[: one.reach], after[: one.reach], one, judged=qrels, lengths=words, unseen=unseen
    )
    if one["ideal"] == "judged" and not any(judged.values()):
        assert np.isnan([solution.med, solution.gain, solution.loss, solution.lower]).all()
        assert "has no value" in why.sentence
        return
    assert total(why, "gain") == pytest.approx(solution.gain, abs=EXACT)
    assert total(why, "loss") == pytest.approx(solution.loss, abs=EXACT)
    seen = {*before[: one.reach], *after[: one.reach]}
    assert {evidence.document for evidence in why.documents} == seen
    assert why.sentence


def test_terms_of_err_by_hand() -> None:
    """B and c swap: where b is relevant the list before wins 3/4 (1/1 - 1/2)."""
    why = medir.explain(["b", "c"], ["c", "b"], "ERR@2", unseen="nothing")
    b, c = why.documents
    assert (b.before, b.after, b.move) == (1, 2, "down")
    assert (b.loss_relevance, b.loss) == (0.75, 0.375)
    assert (c.loss_relevance, c.loss, c.gain) == (0.0, 0.0, 0.375)


def test_terms_of_average_precision_by_hand() -> None:
    """With a alone relevant, AP@2 falls from (1/2) 1/1 to (1/2) 1/2."""
    why = medir.explain(["a", "b"], ["b", "a"], "AP@2")
    assert why.solution.loss == 0.25
    assert [(e.document, e.loss) for e in why.documents] == [("a", 0.25), ("b", 0.0)]


def test_terms_of_time_biased_gain_by_hand() -> None:
    """B takes 4.4 + 0.39 (7.8 + 18) = 14.462 s when it is not relevant: a moves that far down."""
    why = medir.explain(
        ["a", "b"], ["b", "a"], "TBG", lengths={"a": 0, "b": 1000}, unseen="nothing"
    )
    assert why.solution.loss == pytest.approx(0.4928 * (1 - 2 ** (-14.462 / 224)), abs=EXACT)
    assert [(e.document, e.loss_relevance) for e in why.documents] == [("a", 1.0), ("b", 0.0)]
    assert why.documents[0].loss == pytest.approx(why.solution.loss, abs=EXACT)
    assert why.documents[1].loss == 0


def test_unseen_ranks_have_their_part() -> None:
    """RBP(p=0.5) below two ranks: 1/4, all of it unseen for identical lists."""
    why = medir.explain(["a", "b"], ["a", "b"], "RBP(p=0.5)")
    assert (why.unseen_gain, why.unseen_loss) == (0.25, 0.25)
    assert [evidence.gain for evidence in why.documents] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("before", "after", "measure", "qrels", "sentence"),
    [
        ("ab", "ba", "RR", None,
         "If a is relevant and b is not, RR falls by 0.50; "
         "all of it comes from a moving from rank 1 to 2."),
        ("ab", "cd", "P@2", None,
         "If a and b are relevant and c and d are not, P@2 falls by 1.00; "
         "part of it comes from a leaving rank 1."),
        ("ab", "ab", "P@2", None, "P@2 cannot change: the two lists are the same."),
        ("ab", "cb", "P@2", {"a": 0, "b": 0},
         "If c is relevant, P@2 rises by 0.50; all of it comes from c entering at rank 1."),
        ("ab", "cb", "P@2", {"a": 0, "b": 0, "c": 1},
         "P@2 rises by 0.50: all that counts is judged."),
        ("ab", "cb", "P@2", {"a": 1, "b": 0, "c": 0},
         "P@2 falls by 0.50: all that counts is judged."),
        ("abc", "xcb", "P@3", {"a": 1, "x": 0, "b": 1},
         "P@3 falls by 0.33: all that counts is judged."),
        ("abc", "xyz", "P@3", {"a": 1, "b": 1, "x": 0, "y": 0},
         "If c is relevant and z is not, P@3 falls by 1.00; "
         "part of it comes from c leaving rank 3. It falls by at least 0.33."),
        ("a", "a", "P@2", None, "P@2 falls by at most 0.50; unseen ranks account for it."),
    ],
)  # fmt: skip
def test_sentences(
    before: str, after: str, measure: str, qrels: dict[str, int] | None, sentence: str
) -> None:
    assert medir.explain(list(before), list(after), measure, qrels=qrels).sentence == sentence


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    before = {"q1": ["a", "b", "c"], "q2": ["x", "y"]}
    after = {"q1": ["b", "a", "<script>"], "q3": ["z"]}
    return (
        str(write_run(tmp_path / "before.run", before)),
        str(write_run(tmp_path / "after.run", after)),
        str(write_qrels(tmp_path / "qrels.txt", {"q1": {"c": 1}, "q2": {"x": 3}})),
    )


def test_a_query_of_two_runs(files: tuple[str, str, str]) -> None:
    """The highest grade is that of all judgments, as in a comparison."""
    before, after, qrels = files
    result = medir.compare(before, after, ["nDCG@3", "ERR"], qrels=qrels)
    for query in ("q1", "q2", "q3"):
        for measure in result.measures:
            row = result.row(result.queries.index(query), measure)
            why = medir.explain(before, after, measure, query=query, qrels=qrels)
            assert why == result.explain(query, measure)
            assert why.solution.gain == row.gain
            assert why.solution.loss == row.loss
            assert total(why, "loss") == pytest.approx(row.loss, abs=EXACT)
    assert medir.explain(before, after, query="q1", qrels=qrels).documents[2].grade == 1


def test_a_query_that_no_run_has(files: tuple[str, str, str]) -> None:
    with pytest.raises(InputError, match="no query 'q9'"):
        medir.explain(*files[:2], query="q9")
    with pytest.raises(UsageError, match="no query 'q9'"):
        medir.compare(*files[:2]).explain("q9")


def test_repeated_documents() -> None:
    """As in a comparison: an error, or the one that stands higher counts."""
    before, after = {"q": ["a", "b"]}, {"q": ["b", "b", "a"]}
    with pytest.raises(InputError, match="appears twice"):
        medir.explain(before, after, query="q")
    why = medir.explain(before, after, query="q", duplicates="first")
    assert [(e.before, e.after) for e in why.documents] == [(1, 2), (2, 1)]
    assert why == medir.compare(before, after, duplicates="first").explain("q")
