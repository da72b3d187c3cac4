"""MED over passages, against the definition and against what is known of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from medir import compare_passages
from medir.passages.compare import DEFAULT
from tests.cases.passages import (
    LARGEST,
    depths,
    gold_passages,
    measures,
    one,
    options_of,
    trails,
    worlds,
)
from tests.oracles import passages as oracle
from tests.oracles.passages import Passage, Weight, World
from tests.oracles.unseen import Rule, cut_of_lists, cut_of_two_runs
from tests.profiles import examples

# What is known.


def test_disjoint_results_reach_the_largest_value_exactly() -> None:
    pieces = [("a", 700 * i, 700) for i in range(20)]  # 14,000 characters
    others = [("b", 13 * i, 13) for i in range(1000)]  # 13,000
    row = one(pieces, others)
    assert (row.med, row.gain, row.loss, row.lower, row.gap) == (LARGEST,) * 4 + (0,)
    assert one([("a", 0, 12_000)], [("b", 0, 12_000)]).med == LARGEST
    assert one([("a", 0, 12_000)], [("a", 12_000, 99_999)]).med == LARGEST


def test_identical_results_differ_by_nothing() -> None:
    pieces = [("a", 50, 7000), ("b", 0, 4999), ("a", 0, 50), ("c", 9, 1)]
    row = one(pieces, pieces, [DEFAULT, "TBG"])
    assert (row.med, row.gain, row.loss, row.lower) == (0, 0, 0, 0)
    assert one(pieces, pieces, "TBG", unseen="nothing").med == 0


def test_cutting_a_passage_in_two_changes_nothing() -> None:
    row = one([("a", 0, 12_000)], [("a", 0, 5000), ("a", 5000, 7000)])
    assert row.med == 0


def test_a_passage_may_be_longer_than_the_measure_looks() -> None:
    whole, cut = [("a", 0, 10**12)], [("a", 0, 12_000)]
    assert one(whole, cut).med == 0
    assert one(whole, [("a", 10**12, 10**12)]).med == LARGEST


def test_discounts_by_name() -> None:
    """Disjoint texts of 4 characters, by hand: sums of d_1..d_4, of which each counts half."""
    a, b = [("a", 0, 4)], [("b", 0, 4)]
    assert one(a, b, "U@4").med == (0.75 + 0.5 + 0.25 + 0) / 2
    assert one(a, b, "U(discount='none')@4").med == 2
    fading = one(a, b, "U(discount='exponential', half_life=1)@4").med
    assert fading == pytest.approx((0.5 + 0.25 + 0.125 + 0.0625) / 2, abs=1e-15)


def test_time_biased_gain_of_disjoint_material() -> None:
    """All that a user gets to: the integral of D from 0 on, h / ln 2."""
    row = one([("a", 0, 100)], [("b", 0, 100)], "TBG")
    assert row.med == pytest.approx(224 / math.log(2), abs=1e-9)
    finite = one([("a", 0, 5600)], [], "TBG", unseen="nothing", missing="empty")
    assert finite.loss == pytest.approx(0.5 * 224 / math.log(2), abs=1e-9)  # 224 s at 25 a second


@examples(1500)
@given(trails, trails, measures(), worlds)
def test_equals_the_definition(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    name, weight, depth = chosen
    row = one(before, after, name, unseen="nothing", **options_of(world))
    gain = oracle.most(after, before, weight, world)
    loss = oracle.most(before, after, weight, world)
    assert row.gain == pytest.approx(gain, abs=1e-9)
    assert row.loss == pytest.approx(loss, abs=1e-9)
    assert row.med == max(row.gain, row.loss) == row.lower
    assert row.gap == 0
    if depth is None:
        return
    rules: list[Rule] = ["anything", "auto"]
    for rule in rules:
        row = one(before, after, name, unseen=rule, **options_of(world))
        depths = [depth if cut else None for cut in cut_of_lists(before, after, rule)]
        gain = oracle.most(after, before, weight, world, depths[1])
        loss = oracle.most(before, after, weight, world, depths[0])
        assert (row.gain, row.loss) == pytest.approx((gain, loss), abs=1e-9)
        assert row.med == max(row.gain, row.loss) >= row.lower >= 0


@examples(200)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)), max_size=3),
    st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3), st.integers(0, 3)), max_size=3),
    measures(),
    worlds,
)
def test_the_definition_is_the_maximum_over_all_assignments(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    weight = chosen[1]
    tried = oracle.most_by_trying(before, after, weight, world)
    assert oracle.most(before, after, weight, world) == pytest.approx(tried, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_thousands_of_passages_against_the_definition(seed: int) -> None:
    """Long lists with overlaps, repeats and gold, in one call over many queries."""
    rng = np.random.default_rng(seed)

    def trail(count: int) -> list[Passage]:
        return [
            (f"d{rng.integers(8)}", int(rng.integers(0, 900)), int(rng.integers(0, 120)))
            for _ in range(count)
        ]

    runs = [{f"q{i}": trail(int(rng.integers(0, 80))) for i in range(12)} for _ in range(2)]
    gold = {f"q{i}": trail(6)[:5] for i in range(0, 12, 2)}
    runs[0]["q1"], runs[0]["q2"] = trail(79), trail(79)  # the first run was cut at 79
    cut = cut_of_two_runs(runs[0], runs[1], length=len)
    assert {one for one, _ in cut.values()} == {True, False}
    depth = int(rng.integers(500, 4000))
    for closed in (False, True):
        result = compare_passages(
            runs[0], runs[1], f"U@{depth}", gold=gold,
            unjudged_documents="not-relevant" if closed else "unknown",
        )  # fmt: skip
        for row in result:
            judged: dict[str, list[tuple[int, int]]] = {}
            for document, offset, length in gold.get(row.query_id, []):
                judged.setdefault(document, []).append((offset, length))
            world = World(judged, closed)
            before, after = (run[row.query_id] for run in runs)
            weight = oracle.linear(depth)
            depths = [depth if one else None for one in cut[row.query_id]]
            gain = oracle.most(after, before, weight, world, depths[1])
            loss = oracle.most(before, after, weight, world, depths[0])
            assert (row.gain, row.loss) == pytest.approx((gain, loss), abs=1e-9)


# Invariants.


@given(trails, trails, measures(), worlds)
def test_is_symmetric(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    there = one(before, after, chosen[0], **options_of(world))
    back = one(after, before, chosen[0], **options_of(world))
    values = there.med, there.gain, there.loss, there.lower
    assert values == pytest.approx((back.med, back.loss, back.gain, back.lower), abs=1e-12)


@given(trails, trails, trails, depths)
def test_obeys_the_triangle_inequality(
    a: list[Passage], b: list[Passage], c: list[Passage], depth: int
) -> None:
    def distance(x: list[Passage], y: list[Passage]) -> float:
        return one(x, y, f"U@{depth}").med

    assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@given(trails, trails, measures(), gold_passages)
def test_gold_never_raises_the_value(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    gold: Any,
) -> None:
    free = one(before, after, chosen[0]).med
    judged = one(before, after, chosen[0], gold=gold).med
    closed = one(before, after, chosen[0], gold=gold, unjudged_documents="not-relevant").med
    assert closed <= judged + 1e-9
    assert judged <= free + 1e-9


@examples(500)
@given(trails, trails, trails, trails, measures(), worlds)
def test_the_value_of_longer_texts_lies_within_the_bounds(
    before: list[Passage],
    after: list[Passage],
    more_before: list[Passage],
    more_after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    """Whatever follows the two texts, MED falls to `lower` at the most and never rises.

    `lower` itself may fall: of U@5 with gold ("c", 0, 1), ("b", 0, 1) before and ("a", 1, 1),
    ("c", 0, 2), ("a", 1, 1) after, it falls from 0.2 to 0.1 when ("a", 0, 1) follows. Both bounds
    are valid, and that is all that is promised where they are not tight.
    """
    options = {**options_of(world), "unseen": "anything"}
    seen = one(before, after, chosen[0], **options)
    longer = one(before + more_before, after + more_after, chosen[0], **options)
    assert seen.lower - 1e-9 <= longer.med <= seen.med + 1e-9


@given(
    st.lists(st.sampled_from("abcdef"), unique=True, min_size=1, max_size=4),
    st.lists(st.sampled_from("abcdef"), unique=True, min_size=1, max_size=4),
    st.integers(1, 80),
)
def test_lower_is_reached_for_texts_of_equal_length(
    first: list[str], second: list[str], depth: int
) -> None:
    """Let what each text has alone follow in the other, and let them agree from there on."""
    count = min(len(first), len(second))
    before, after = ([(d, 0, 5) for d in some[:count]] for some in (first, second))
    row = one(before, after, f"U@{depth}")
    rest = [("z", 0, 80)]
    longest_before = before + [p for p in after if p not in before] + rest
    longest_after = after + [p for p in before if p not in after] + rest
    weight = oracle.linear(depth)
    reached = max(
        oracle.most(longest_after, longest_before, weight),
        oracle.most(longest_before, longest_after, weight),
    )
    assert row.lower == pytest.approx(reached, abs=1e-9)
