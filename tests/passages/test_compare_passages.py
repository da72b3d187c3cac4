"""What a comparison of passages takes and returns: options, counts, columns, explanations."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import MeasureError, UsageError, compare_passages, measure
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from medir.passages.explain import PassageExplanation
from tests.cases.passages import measures, one, options_of, result_of, trails, worlds
from tests.cases.runs import UNSEEN
from tests.oracles import passages as oracle
from tests.oracles.passages import Passage, Weight, World


def test_text_shown_twice_counts_where_it_is_first_shown_and_takes_its_place() -> None:
    """U@10: a is read twice, so b comes at 5..6 and not at 3..4."""
    row = one([("a", 0, 2), ("a", 0, 2), ("b", 0, 2)], [("a", 0, 2)], "U@10", unseen="nothing")
    assert row.loss == pytest.approx(((1 - 5 / 10) + (1 - 6 / 10)) / 2, abs=1e-15)
    assert row.gain == 0
    assert result_of([("a", 0, 2), ("a", 1, 4)], [], "U@10").repeated == 1


def test_depth_cuts_passages() -> None:
    before, after = [("a", 0, 5), ("b", 0, 5)], [("a", 0, 5), ("c", 0, 5)]
    assert one(before, after, "U@10", depth=1, unseen="nothing").med == 0
    assert one(before, after, "U@10", unseen="nothing").med > 0


def test_counts() -> None:
    result = result_of(
        [("a", 0, 0), ("a", 3, 5)], [("b", 3, 5)], "U@20",
        gold={"a": [(0, 4), (2, 4)], "c": [(5, 0)]},
    )  # fmt: skip
    assert (result.empty, result.repeated, result.gold_repeated) == (1, 0, 2)
    assert (list(result.unseen_queries), result.without_relevant) == ([1], 0)
    assert result_of([("a", 0, 9)], [], "U@5", gold={"a": [(5, 0)]}).without_relevant == 1
    assert list(result_of([("a", 0, 9)], [("a", 0, 9)], "U@5").unseen_queries) == [0]


def test_changes_are_counted_in_characters() -> None:
    result = result_of([("a", 0, 10), ("b", 0, 10)], [("a", 5, 10), ("b", 0, 3)], "U@12")
    # before: a 0-10 at 0..9, b 0-2 at 10, 11; after: a 5-15 at 0..9, b 0-2 at 10, 11
    assert [int(result.change(name)[0]) for name in ("entered", "left", "moved")] == [5, 5, 5]
    assert result.changed().tolist() == [True]
    assert result_of([("a", 0, 10)], [("a", 0, 11)], "U@10").changed().tolist() == [False]


def test_an_empty_gold_passage_judges_its_document() -> None:
    gold = {"a": [(0, 0)]}
    assert one([("a", 0, 9)], [("a", 9, 9)], "U@9", gold=gold).med == 0
    assert one([("a", 0, 9)], [("b", 0, 9)], "U@9", gold=gold).loss <= 0


def test_has_the_interface_of_a_comparison(tmp_path: Path) -> None:
    before = {"q1": [("a", 0, 9)], "q2": [("a", 0, 9)], "q3": [("a", 0, 9)]}
    after = {"q1": [("a", 0, 9)], "q2": [("b", 0, 9)], "q4": [("b", 0, 9)]}
    result = compare_passages(before, after, ["U@9", "U(discount='none')@9"])
    assert result.queries == ["q1", "q2", "q3", "q4"]
    assert (result.only_before, result.only_after, len(result)) == (1, 1, 4)
    assert result.column("U@9").tolist() == [0, 2, 2, 2]
    assert result.mean() == {measure("U@9"): 1.5, measure("U(discount='none')@9"): 3.375}
    assert result.summary("U@9").med.maximum == 2
    assert [row.query_id for row in result.top(1)] == ["q2"]
    assert [row.measure for row in result][:2] == list(result.measures)
    result.write(tmp_path / "rows.csv")
    written = (tmp_path / "rows.csv").read_text().splitlines()
    assert written[0] == ",".join(["query_id", "measure", *COLUMNS, VALUE, *CHANGES])
    assert len(written) == 9
    assert "PassageComparison of before and after: 4 queries" in repr(result)


def test_queries_of_one_run() -> None:
    before, after = {"q1": [("a", 0, 9)], "q2": [("a", 0, 9)]}, {"q1": [("a", 0, 9)]}
    assert compare_passages(before, after, missing="skip").queries == ["q1"]
    with pytest.raises(medir.InputError, match=r"^1 query only in before: q2"):
        compare_passages(before, after, missing="error")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"measures": "nDCG@20"}, r"nDCG@20 is a measure of ranked documents, not of passages"),
        ({"measures": "TBG@20"}, r"TBG has no cutoff"),
        ({"measures": "U(discount='steep')@9"}, r"discount is one of 'linear'"),
        ({"measures": "U(half_life=5)@9"}, r"half_life goes with discount='exponential'"),
        ({"measures": "U@2000000000"}, r"cutoff of U is a whole number from 1 to 1000000000"),
        ({"measures": "TBG(speed=0)"}, r"speed is a number between 1e-06 and"),
        ({"measures": "TBG(gain=2)"}, r"over passages, TBG has half_life and speed, not gain"),
        ({"measures": []}, r"name at least one measure"),
        ({"unjudged_documents": "not-relevant"}, r"needs gold passages"),
        ({"unjudged_documents": "bad", "gold": {}}, r"unjudged_documents must be one of unknown"),
        ({"unseen": "much"}, r"unseen must be one of auto, anything, nothing"),
        ({"missing": "x"}, r"missing must be one of empty, skip, error"),
        ({"depth": 0}, r"depth must be 1 or more"),
        ({"order": "size"}, r"order must be one of score, rank, file"),
        ({"threads": 0}, r"threads must be 1 or more"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises((MeasureError, UsageError), match=problem):
        compare_passages({"q": []}, {"q": []}, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda m: medir.compare({"q": ["a"]}, {"q": ["b"]}, m),
        lambda m: medir.med(["a"], ["b"], m),
        lambda m: medir.score({"q": ["a"]}, m, {"q": {"a": 1}}),
        lambda m: medir.solve(["a"], ["b"], m),
        lambda m: medir.explain(["a"], ["b"], m),
        lambda m: medir.judge({"q": ["a"]}, {"q": ["b"]}, measures=m),
        lambda m: medir.expect({"q": ["a"]}, {"q": ["b"]}, m, prior=0.5),
        lambda m: medir.matrix({"x": {"q": ["a"]}, "y": {"q": ["b"]}}, m),
    ],
)
def test_measures_of_passages_are_refused_for_ranked_documents(call: Callable[[str], Any]) -> None:
    with pytest.raises(MeasureError, match="U@9 is a measure of passages, not of ranked documents"):
        call("U@9")


def test_a_reading_speed_is_refused_for_ranked_documents() -> None:
    with pytest.raises(MeasureError, match="speed is for passages"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, "TBG(speed=9)", lengths={"a": 1, "b": 1})


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_threads_give_the_same_values(threads: int) -> None:
    rng = np.random.default_rng(1)
    runs = [
        {f"q{i}": [(f"d{rng.integers(9)}", int(rng.integers(99)), 30)] * 3 for i in range(300)}
        for _ in range(2)
    ]
    expected = compare_passages(runs[0], runs[1], ["U@50", "TBG"], threads=1)
    found = compare_passages(runs[0], runs[1], ["U@50", "TBG"], threads=threads)
    assert np.array_equal(found.values, expected.values)


# Explained.


@given(trails, trails, measures(), worlds, st.sampled_from(UNSEEN))
def test_the_parts_of_an_explanation_add_up(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
    unseen: str,
) -> None:
    result = result_of(before, after, chosen[0], unseen=unseen, **options_of(world))
    why: PassageExplanation = result.explain("q")
    row = next(iter(result))
    assert (why.med, why.gain, why.loss, why.lower) == (row.med, row.gain, row.loss, row.lower)
    for direction in ("gain", "loss"):
        parts = math.fsum(getattr(stretch, direction) for stretch in why.stretches)
        total = parts + getattr(why, f"unseen_{direction}")
        assert total == pytest.approx(getattr(row, direction), abs=1e-9)
    places = oracle.weights(before, lambda place: place)
    for stretch in why.stretches:
        first = stretch.document, stretch.offset
        if stretch.before is None:  # or deeper than the measure looks
            assert places.get(first, math.inf) >= (chosen[2] or math.inf)
        else:
            assert stretch.before == places[first]
        assert stretch.relevant == world.relevance(first)
    assert why.sentence


def test_explains_in_plain_words() -> None:
    result = result_of([("a", 0, 10)], [("b", 0, 4), ("a", 0, 6)], "U@10")
    why = result.explain("q")
    assert [s.move for s in why.stretches] == ["down", "left", "entered"]
    assert why.sentence == (
        "If a 0-6 and a 6-10 are relevant, U@10 falls by 1.50; 1.20 of it come from a 0-6 moving "
        "from character 0 to 4."
    )
    same = result_of([("a", 0, 10)], [("a", 0, 10)], "U@10").explain("q")
    assert same.sentence == "U@10 cannot change: the two lists are the same."
    with pytest.raises(UsageError, match="no query 'x'"):
        result.explain("x")
