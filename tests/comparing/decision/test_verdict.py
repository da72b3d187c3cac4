"""The verdict: sentences for every kind of comparison, with numbers that the test computes."""

from __future__ import annotations

import math
from typing import Any

import pytest

import medir
from tests.cases.decisions import AFTER, BEFORE, GAIN, LOSS, OVERLAP, QRELS, compared
from tests.comparing.decision.test_gate import nearly_sorted

LIST = list("abcd")
SWAPPED = list("bacd")
ONE_NEW = list("axcd")  # moves P@2 by 0.5
TWO_NEW = list("xycd")  # by 1


def verdict(before: Any, after: Any, measure: str = "P@2", **options: Any) -> list[str]:
    return medir.compare(before, after, measure, **options).verdict()


def runs(*after: list[str]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The same list before, and these after."""
    return {f"q{i}": LIST for i in range(len(after))}, {f"q{i}": one for i, one in enumerate(after)}


# Without judgments.


def test_nothing_changed() -> None:
    assert verdict(*runs(LIST, LIST)) == ["No query changed: P@2 cannot move."]


def test_a_change_below_the_cutoff_is_none() -> None:
    assert verdict(*runs(list("abdc"))) == ["No query changed: P@2 cannot move."]


def test_nothing_changed_but_unseen_ranks() -> None:
    """P@8 of four results that were cut: the four unseen ranks could differ."""
    assert verdict(*runs(LIST, LIST), "P@8") == [
        "No query changed as far as the lists go; only unseen ranks could move P@8.",
        "Unseen ranks add 0.500 to the mean, in 2 queries.",
    ]


def test_some_changed() -> None:
    """Two queries move by 0.5 and 1: 0.75 on average, one by more than 0.5."""
    assert verdict(*runs(LIST, ONE_NEW, TWO_NEW)) == [
        "2 of 3 queries changed. On average these could move P@2 by 0.750, up or down; 1 by more "
        "than 0.5."
    ]


def test_all_changed() -> None:
    assert verdict(*runs(ONE_NEW, ONE_NEW)) == [
        "Both queries changed. On average these could move P@2 by 0.500, up or down."
    ]


def test_one_query() -> None:
    assert verdict(*runs(TWO_NEW)) == [
        "1 of 1 query changed. It could move P@2 by 1.000, up or down."
    ]
    assert verdict(*runs(ONE_NEW, LIST)) == [
        "1 of 2 queries changed. It could move P@2 by 0.500, up or down."
    ]


def test_a_change_that_moves_nothing() -> None:
    """P@2 does not tell the first two ranks apart."""
    assert verdict(*runs(SWAPPED, LIST)) == ["1 of 2 queries changed, but P@2 cannot move."]


def test_dropped_results_can_only_lose() -> None:
    """Of two lists one is empty after the change: both of its first two documents are gone."""
    assert verdict(*runs([], LIST)) == [
        "1 of 2 queries changed. It could move P@2 by 1.000, only down."
    ]


def test_new_results_can_only_win() -> None:
    """Two documents and one document are added to the first two ranks."""
    assert verdict({"q": [], "r": ["a"]}, {"q": LIST, "r": LIST}, unseen="nothing") == [
        "Both queries changed. On average these could move P@2 by 0.750, only up; 1 by more than "
        "0.5."
    ]


def test_results_dropped_here_and_new_there() -> None:
    """Each query can move in one direction, but not all in the same."""
    assert verdict({"q": [], "r": LIST}, {"q": LIST, "r": []}, unseen="nothing") == [
        "Both queries changed. On average these could move P@2 by 1.000, up or down; 2 by more "
        "than 0.5."
    ]


def test_unseen_ranks_beside_a_change() -> None:
    """P@8: four unseen ranks of eight in both queries, and one document of eight in the second."""
    assert verdict(*runs(LIST, ONE_NEW), "P@8") == [
        "1 of 2 queries changed. It could move P@8 by 0.625, up or down.",
        "Unseen ranks add 0.500 to the mean, in 2 queries.",
    ]


def test_one_query_with_unseen_ranks() -> None:
    """The list of the query r ended, and only those of q were cut."""
    before = {"q": LIST, "s": LIST, "r": ["a"]}
    after = {"q": TWO_NEW, "r": ["a"]}
    sentences = verdict(before, after, "P@5", missing="skip")
    assert sentences[-1] == "Unseen ranks add 0.100 to the mean, in 1 query."


def test_a_measure_that_is_no_share() -> None:
    """DCG has another scale, on which 0.5 is not much."""
    (sentence,) = verdict(*runs(TWO_NEW), "DCG@2")
    # the highest of grades 0 to 2 is worth 3 / 4, at ranks 1 and 2
    moved = 0.75 * (1 + 1 / math.log2(3))
    assert sentence == f"1 of 1 query changed. It could move DCG@2 by {moved:.3f}, up or down."


# Queries in one run only.


def test_a_query_in_one_run_only() -> None:
    """Its list after is empty, so P@2 loses 1; of the other two one moves by 0.5."""
    before, after = runs(LIST, ONE_NEW, LIST)
    del after["q2"]
    assert verdict(before, after) == [
        "2 of 3 queries changed. On average these could move P@2 by 0.750, up or down; 1 by more "
        "than 0.5.",
        "1 query is in one run only (1 only before): the mean MED is 0.500, and 0.250 without it.",
    ]
    assert verdict(before, after, missing="skip") == [
        "1 of 2 queries changed. It could move P@2 by 0.500, up or down."
    ]


def test_queries_in_one_run_only() -> None:
    """Means over four queries: 0.5, 1, 1 and 1; without three of them 0.5."""
    before, after = runs(ONE_NEW, LIST, LIST)
    after = {"q0": ONE_NEW, "n": LIST}
    assert verdict(before, after)[1:] == [
        "3 queries are in one run only (2 only before and 1 only after): the mean MED is 0.875, "
        "and 0.500 without them."
    ]


def test_queries_in_one_run_only_that_make_no_difference() -> None:
    before = {"q": LIST, "r": LIST}
    assert verdict(before, {"q": TWO_NEW})[1:] == [
        "1 query is in one run only (1 only before): the mean MED is 1.000, and the same without "
        "it."
    ]


def test_no_query_in_both_runs() -> None:
    assert verdict({"q": LIST, "r": LIST}, {"s": LIST, "t": LIST}) == [
        "All 4 queries changed. On average these could move P@2 by 1.000, up or down; 4 by more "
        "than 0.5."
    ]


def test_missing_queries_and_unseen_ranks() -> None:
    """P@5 of lists of four: the unseen rank adds 0.2 wherever a list of four results is."""
    before, after = runs(LIST, LIST, LIST)
    del after["q2"]
    # med is 0.2, 0.2 and 1; without what is unseen 0, 0 and 0.8
    assert verdict(before, after, "P@5") == [
        "1 of 3 queries changed. It could move P@5 by 1.000, only down.",
        "1 query is in one run only (1 only before): the mean MED is 0.467, and 0.200 without it; "
        "unseen ranks add 0.200 to the mean, in 3 queries.",
    ]


# With judgments.


def test_judged() -> None:
    assert compared().verdict() == [
        f"The mean of P@4 changes by −{sum(LOSS) / 5:.3f} to +{sum(GAIN) / 5:.3f} over 5 queries, "
        "whatever the unjudged documents are.",
        "1 query can only win, 1 can only lose, 2 can go either way, 1 cannot move.",
    ]


def test_judged_in_full() -> None:
    """Of the first two documents one is relevant before; after, both in q1 and none in q0."""
    before, after = runs(ONE_NEW, TWO_NEW)
    qrels = {"q0": {"a": 1, "b": 0, "x": 0}, "q1": {"a": 1, "b": 0, "x": 1, "y": 1}}
    assert verdict(before, after, qrels=qrels) == [
        "The mean of P@2 changes by +0.250 over 2 queries: all that counts is judged.",
        "1 query can only win, 1 cannot move.",
    ]
    qrels["q1"] |= {"x": 0, "y": 0}
    assert verdict(before, after, qrels=qrels) == [
        "The mean of P@2 changes by −0.250 over 2 queries: all that counts is judged.",
        "1 query can only lose, 1 cannot move.",
    ]


def test_judged_in_full_without_a_change() -> None:
    before, after = runs(ONE_NEW)
    assert verdict(before, after, qrels={"q0": {"a": 1, "b": 0, "x": 0}}) == [
        "The mean of P@2 does not change over 1 query: all that counts is judged.",
        "1 query cannot move.",
    ]


def test_judged_and_only_wins() -> None:
    """A and b are not relevant, y may be: nothing can be lost."""
    before, after = runs(TWO_NEW, TWO_NEW)
    judged = {"a": 0, "b": 0, "x": 1}
    assert verdict(before, after, qrels={"q0": judged, "q1": judged}) == [
        "The mean of P@2 changes by +0.500 to +1.000 over 2 queries, whatever the unjudged "
        "documents are.",
        "2 queries can only win.",
    ]


def test_judgments_of_other_queries_only() -> None:
    before, after = runs(ONE_NEW)
    assert verdict(before, after, qrels={"other": {"a": 1}}) == [
        "The mean of P@2 changes by −0.500 to +0.500 over 1 query, whatever the unjudged documents "
        "are.",
        "1 query can go either way.",
    ]


def test_judged_with_missing_queries() -> None:
    """q1 loses the one document of its two that is relevant, and nothing else is known."""
    before, after = runs(ONE_NEW, LIST)
    del after["q1"]
    qrels = {"q0": {"a": 1, "b": 0, "x": 0}, "q1": {"a": 1, "b": 0}}
    assert verdict(before, after, qrels=qrels) == [
        "The mean of P@2 changes by −0.250 over 2 queries: all that counts is judged.",
        "1 query can only lose, 1 cannot move.",
        "1 query is in one run only (1 only before): the mean MED is 0.250, and 0.000 without it.",
    ]


# Similarities.


def test_similarities() -> None:
    mean = sum(OVERLAP) / 5
    result = compared()
    assert result.verdict("Overlap@4") == [
        f"4 of 5 queries changed; Overlap@4 is {mean:.3f} on average."
    ]


def test_similarities_of_missing_queries() -> None:
    before, after = runs(LIST, LIST)
    del after["q1"]
    assert verdict(before, after, "Overlap@4") == [
        "1 of 2 queries changed; Overlap@4 is 0.500 on average.",
        "1 query is in one run only (1 only before): the mean Overlap@4 is 0.500, and 1.000 "
        "without it.",
    ]


def test_missing_queries_that_have_no_value() -> None:
    """RBO has none for an empty list."""
    before, after = runs(LIST, LIST, LIST)
    del after["q2"]
    assert verdict(before, after, "RBO") == [
        "No query changed; RBO(p=0.9) is 1.000 on average.",
        "1 query is in one run only (1 only before) and has no value.",
    ]
    del after["q1"]
    assert verdict(before, after, "RBO")[1] == (
        "2 queries are in one run only (2 only before) and have no value."
    )


def test_no_value() -> None:
    assert verdict({"q": ["a"]}, {"q": ["a"]}, "tau_b") == ["No query has a value of tau_b."]


# Weights.


def weighted(weights: list[int], **options: Any) -> list[str]:
    queries = {query: {"weight": weight} for query, weight in zip(BEFORE, weights, strict=True)}
    return medir.compare(BEFORE, AFTER, "P@4", queries=queries, **options).verdict()


def test_weights() -> None:
    """Without judgments P@4 moves by 0, 0.25, 0.5, 0.75 and 1; q0 is sent three times of ten."""
    moved = (1 * 0.25 + 1 * 0.5 + 2 * 0.75 + 3 * 1) / 7
    assert weighted([3, 1, 1, 2, 3]) == [
        f"4 of 5 queries changed (70% by weight). On average these could move P@4 by {moved:.3f}, "
        "up or down; 2 by more than 0.5."
    ]


def test_weights_of_judged_queries() -> None:
    weights = [3, 1, 1, 2, 3]
    low, high = (
        sum(w * v for w, v in zip(weights, values, strict=True)) / 10 for values in (LOSS, GAIN)
    )
    assert weighted(weights, qrels=QRELS) == [
        f"The mean of P@4 changes by −{low:.3f} to +{high:.3f} over 5 queries, whatever the "
        "unjudged documents are.",
        "1 query (10% by weight) can only win, 1 (10% by weight) can only lose, 2 (50% by weight) "
        "can go either way, 1 (30% by weight) cannot move.",
    ]


def test_changed_queries_without_weight() -> None:
    assert weighted([1, 0, 0, 0, 0]) == ["4 of 5 queries changed (0% by weight)."]


def test_no_query_has_weight() -> None:
    expected = ["All queries have weight 0, so that P@4 has no mean."]
    assert weighted([0, 0, 0, 0, 0]) == weighted([0, 0, 0, 0, 0], qrels=QRELS) == expected


def test_missing_queries_with_weights() -> None:
    """q1 counts three times: (1 * 0.5 + 3 * 1) / 4, and 0.5 without it."""
    before, after = runs(ONE_NEW, LIST)
    del after["q1"]
    queries = {"q0": {"weight": 1}, "q1": {"weight": 3}}
    assert verdict(before, after, queries=queries)[1] == (
        "1 query is in one run only (1 only before): the mean MED is 0.875, and 0.500 without it."
    )
    queries["q0"]["weight"] = 0
    assert len(verdict(before, after, queries=queries)) == 1


# Passages.


def test_passages() -> None:
    """All text is new: (1/2) * sum over i of 1 - i / 12000 is 2,999.75."""
    text = {"q": [("a", 0, 12000)], "r": [("a", 0, 12000)]}
    other = {"q": [("b", 0, 12000)], "r": [("a", 0, 12000)]}
    assert medir.compare_passages(text, text).verdict() == [
        "No query changed: U@12000 cannot move."
    ]
    assert medir.compare_passages(text, other).verdict() == [
        "1 of 2 queries changed. It could move U@12000 by 3,000, up or down."
    ]
    assert medir.compare_passages(text, {"q": [("b", 0, 12000)]}).verdict() == [
        "Both queries changed. On average these could move U@12000 by 3,000, up or down.",
        "1 query is in one run only (1 only before): the mean MED is 3,000, and the same without "
        "it.",
    ]


def test_unseen_text() -> None:
    """Two texts of 6,000 characters that were cut: what follows is worth 749.75 of 2,999.75."""
    text = {"q": [("a", 0, 6000)], "r": [("a", 0, 6000)]}
    # (1/2) * sum over i in 6001..12000 of 1 - i / 12000
    rest = sum(1 - i / 12000 for i in range(6001, 12001)) / 2
    assert medir.compare_passages(text, text).verdict() == [
        "No query changed as far as the lists go; only unseen stretches of text could move "
        "U@12000.",
        f"Unseen stretches of text add {rest:.1f} to the mean, in 2 queries.",
    ]


def test_judged_passages() -> None:
    """The text of a is relevant as far as it goes, that of b is unknown."""
    before, after = {"q": [("a", 0, 12000)]}, {"q": [("b", 0, 12000)]}
    assert medir.compare_passages(before, after, gold={"q": [("a", 0, 12000)]}).verdict() == [
        "The mean of U@12000 changes by −3,000 to 0.000 over 1 query, whatever the unjudged "
        "passages are.",
        "1 query can only lose.",
    ]
    judged = medir.compare_passages(
        before, after, gold={"q": [("a", 0, 12000)]}, unjudged_documents="not-relevant"
    )
    assert judged.verdict() == [
        "The mean of U@12000 changes by −3,000 over 1 query: all that counts is judged.",
        "1 query can only lose.",
    ]


# In Python.


def test_printed() -> None:
    before, after = runs(LIST, ONE_NEW)
    result = medir.compare(before, after, ["P@2", "Overlap@4"])
    assert str(result).splitlines() == [*result.verdict(), "before -> after, P@2, Overlap@4"]
    assert result.verdict() == result.verdict("P@2") != result.verdict("Overlap@4")


@pytest.mark.parametrize("effort", [1, 1_000_000])
def test_what_is_not_proven_counts_in_bounds(effort: int) -> None:
    """Bounds hold what a search that gave up did not see."""
    before, after = nearly_sorted(100, 8, seed=3)
    qrels = {"q": {"d99": 0}}
    result = medir.compare({"q": before}, {"q": after}, "ERR@100", qrels=qrels, effort=effort)
    row = result.row(0)
    assert (row.gap > 0) == (effort == 1)
    assert result.verdict()[0] == (
        f"The mean of ERR@100 changes by −{row.loss + row.loss_gap:.3f} to "
        f"+{row.gain + row.gain_gap:.3f} over 1 query, whatever the unjudged documents are."
    )
