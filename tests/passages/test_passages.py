"""MED over passages, against the definition and against what is known of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

import medir
from medir import MeasureError, Passages, UsageError, compare_passages, measure
from medir.passages.compare import DEFAULT, PassageComparison
from medir.passages.explain import PassageExplanation
from tests.oracles import passages as oracle
from tests.oracles.passages import Passage, Weight, World
from tests.shell import ROOT

PRECISE: Any = {"epsabs": 1e-11, "epsrel": 1e-11, "limit": 200}
LARGEST = 2999.75  # of MED-U@12000: the figure of the paper for disjoint results


def one(before: Sequence[Any], after: Sequence[Any], *args: Any, **options: Any) -> medir.Row:
    """The row of a single query."""
    return next(iter(result_of(before, after, *args, **options)))


def result_of(
    before: Sequence[Any], after: Sequence[Any], *args: Any, gold: Any = None, **options: Any
) -> PassageComparison:
    """The comparison of a single query; `gold` is {document: [(offset, length), ...]}."""
    if gold is not None:
        options["gold"] = {"q": [(d, *one) for d, some in gold.items() for one in some]}
    return compare_passages({"q": before}, {"q": after}, *args, **options)


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


# Against the definition.

places = st.integers(0, 12)
extents = st.integers(0, 8)
passage = st.tuples(st.sampled_from("abc"), places, extents)
trails = st.lists(passage, max_size=6)
gold_passages = st.dictionaries(
    st.sampled_from("abcd"),
    st.lists(st.tuples(places, extents), min_size=1, max_size=3),
    max_size=3,
)
worlds = st.just(World()) | st.builds(World, gold_passages, st.booleans())
depths = st.integers(1, 60)


@st.composite
def measures(draw: st.DrawFn) -> tuple[str, Weight, int | None]:
    """A measure, its weights, and how deep it looks."""
    depth = draw(depths)
    half_life = draw(st.floats(0.5, 50))
    speed = draw(st.floats(0.5, 10))
    made: list[tuple[str, Weight, int | None]] = [
        (f"U@{depth}", oracle.linear(depth), depth),
        (f"U(discount='none')@{depth}", oracle.flat(depth), depth),
        (
            f"U(discount='exponential', half_life={half_life})@{depth}",
            oracle.halving(depth, half_life),
            depth,
        ),
        (
            f"TBG(half_life={half_life}, speed={speed})",
            oracle.time_biased(half_life, speed),
            None,
        ),
    ]
    return draw(st.sampled_from(made))


def options_of(world: World) -> dict[str, Any]:
    closed = world.gold is not None and world.closed
    return {
        "gold": world.gold,
        "unjudged_documents": "not-relevant" if closed else "unknown",
    }


@settings(max_examples=1500)
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
    row = one(before, after, name, **options_of(world))
    assert row.gain == pytest.approx(oracle.most(after, before, weight, world, depth), abs=1e-9)
    assert row.loss == pytest.approx(oracle.most(before, after, weight, world, depth), abs=1e-9)
    assert row.med == max(row.gain, row.loss) >= row.lower >= 0


@settings(max_examples=200)
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
            gain = oracle.most(after, before, weight, world, depth)
            loss = oracle.most(before, after, weight, world, depth)
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


@settings(max_examples=500)
@given(trails, trails, trails, trails, measures(), worlds)
def test_the_value_of_longer_texts_lies_within_the_bounds(
    before: list[Passage],
    after: list[Passage],
    more_before: list[Passage],
    more_after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    """Whatever follows the two texts, MED falls to `lower` at the most and never rises."""
    seen = one(before, after, chosen[0], **options_of(world))
    longer = one(before + more_before, after + more_after, chosen[0], **options_of(world))
    assert seen.lower - 1e-9 <= longer.med <= seen.med + 1e-9
    assert seen.lower - 1e-9 <= longer.lower


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


# Time.


def static_tbg(seconds: Sequence[tuple[float, bool]], half_life: float) -> float:
    """The integral of dG/dt D(t), by quadrature over each passage."""
    total, at = 0.0, 0.0
    for duration, relevant in seconds:
        if relevant:
            total += quad(lambda t: 2 ** (-t / half_life), at, at + duration, **PRECISE)[0]
        at += duration
    return total


@given(
    st.lists(st.tuples(st.integers(0, 5000), st.booleans()), max_size=8),
    st.floats(5, 500),
    st.floats(1, 100),
)
def test_static_gain_equals_its_integral(
    pieces: list[tuple[int, bool]], half_life: float, speed: float
) -> None:
    """With gold alone relevant, and against an empty result, loss is the score."""
    run = [(f"d{i}", 0, length) for i, (length, _) in enumerate(pieces)]
    gold = {f"d{i}": [(0, 9999)] for i, (_, relevant) in enumerate(pieces) if relevant}
    row = one(
        run, [], f"TBG(half_life={half_life}, speed={speed})", gold=gold,
        unjudged_documents="not-relevant", unseen="nothing",
    )  # fmt: skip
    expected = static_tbg([(length / speed, good) for length, good in pieces], half_life)
    assert row.loss == pytest.approx(expected, abs=1e-9)
    assert row.gain == -row.loss


@given(
    st.lists(st.tuples(st.integers(0, 900), st.floats(0, 90), st.booleans()), max_size=8),
    st.floats(5, 500),
)
def test_given_durations_take_the_place_of_the_reading_speed(
    pieces: list[tuple[int, float, bool]], half_life: float
) -> None:
    run = [(f"d{i}", 0, length, seconds) for i, (length, seconds, _) in enumerate(pieces)]
    gold = {f"d{i}": [(0, 999)] for i, (_, _, good) in enumerate(pieces) if good}
    row = one(
        run, [], f"TBG(half_life={half_life})", gold=gold,
        unjudged_documents="not-relevant", unseen="nothing",
    )  # fmt: skip
    seconds = [(duration, good and length > 0) for length, duration, good in pieces]
    assert row.loss == pytest.approx(static_tbg(seconds, half_life), abs=1e-9)


@given(
    st.floats(0, 50), st.floats(0, 50), st.floats(0.1, 100), st.floats(0.1, 100),
    st.integers(1, 500), st.floats(1, 300),
)  # fmt: skip
def test_the_same_material_at_two_speeds(
    wait_a: float, wait_b: float, seconds_a: float, seconds_b: float, length: int, half_life: float
) -> None:
    """Each point of the material is decided alone, also where the better text changes midway."""
    before = [("x", 0, 0, wait_a), ("a", 0, length, seconds_a)]
    after = [("y", 0, 0, wait_b), ("a", 0, length, seconds_b)]
    row = one(before, after, f"TBG(half_life={half_life})", unseen="nothing")

    def change(x: float) -> float:  # x: how far through the material
        there, here = (
            total * 2 ** (-(wait + total * x) / half_life)
            for wait, total in ((wait_b, seconds_b), (wait_a, seconds_a))
        )
        return there - here

    grid = np.linspace(0, 1, 101)
    values = [change(x) for x in grid]
    crossings = [
        brentq(change, *ends, xtol=1e-15)
        for ends, (low, high) in zip(pairwise(grid), pairwise(values), strict=True)
        if low * high < 0
    ]
    assert len(crossings) <= 1
    for value, sign in ((row.gain, 1), (row.loss, -1)):
        pieces = pairwise([0, *crossings, 1])
        parts = [sign * quad(change, *ends, **PRECISE)[0] for ends in pieces]
        assert value == pytest.approx(sum(part for part in parts if part > 0), abs=1e-9)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(st.sampled_from("abc"), places, extents, st.floats(0, 9)), max_size=4),
    st.lists(st.tuples(st.sampled_from("abc"), places, extents, st.floats(0, 9)), max_size=4),
    st.lists(st.tuples(st.sampled_from("abc"), places, extents, st.floats(0, 9)), max_size=4),
    worlds,
)
def test_bounds_hold_with_durations(
    before: list[Any], after: list[Any], more: list[Any], world: World
) -> None:
    """Both runs have durations, if only in another query."""
    clock = {"other": [("a", 0, 1, 1.0)]}

    def first(after: list[Any]) -> medir.Row:
        options = options_of(world)
        if world.gold is not None:
            options["gold"] = {"q": [(d, *one) for d, some in world.gold.items() for one in some]}
        runs = {"q": before} | clock, {"q": after} | clock
        return next(iter(compare_passages(*runs, "TBG(half_life=10)", **options)))

    seen, longer = first(after), first(after + more)
    assert seen.lower - 1e-9 <= longer.med <= seen.med + 1e-9


@given(trails, trails, measures().filter(lambda made: made[2] is not None), worlds)
def test_durations_do_not_matter_to_measures_of_characters(
    before: list[Passage],
    after: list[Passage],
    chosen: tuple[str, Weight, int | None],
    world: World,
) -> None:
    timed = [[(*passage, 7.5) for passage in run] for run in (before, after)]
    found = one(*timed, chosen[0], **options_of(world))
    assert found == one(before, after, chosen[0], **options_of(world))


# Options, counts and columns.


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
    assert (result.short, result.depth, result.without_relevant) == (1, 20, 0)
    assert result_of([("a", 0, 9)], [], "U@5", gold={"a": [(5, 0)]}).without_relevant == 1
    assert result_of([("a", 0, 9)], [("a", 0, 9)], "U@5").short == 0


def test_changes_are_counted_in_characters() -> None:
    result = result_of([("a", 0, 10), ("b", 0, 10)], [("a", 5, 10), ("b", 0, 3)], "U@12")
    # before: a 0-10 at 0..9, b 0-2 at 10, 11; after: a 5-15 at 0..9, b 0-2 at 10, 11
    assert [int(result.change(name)[0]) for name in ("entered", "left", "moved")] == [5, 5, 5]
    assert result.unchanged == 0
    assert result_of([("a", 0, 10)], [("a", 0, 11)], "U@10").unchanged == 1


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
    assert result.summary("U@9").maximum == 2
    assert [row.query_id for row in result.top(1)] == ["q2"]
    assert [row.measure for row in result][:2] == list(result.measures)
    result.write(tmp_path / "rows.csv")
    written = (tmp_path / "rows.csv").read_text().splitlines()
    assert written[0] == "query_id,measure,med,gain,loss,lower,gap"
    assert len(written) == 9
    assert "PassageComparison of before and after: 4 queries" in repr(result)


def test_queries_of_one_run() -> None:
    before, after = {"q1": [("a", 0, 9)], "q2": [("a", 0, 9)]}, {"q1": [("a", 0, 9)]}
    assert compare_passages(before, after, missing="skip").queries == ["q1"]
    with pytest.raises(medir.InputError, match="1 queries only in before"):
        compare_passages(before, after, missing="error")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"measures": "nDCG@20"}, r"nDCG@20 is a measure of ranked documents, not of passages"),
        ({"measures": "TBG@20"}, r"TBG takes no cutoff"),
        ({"measures": "U(discount='steep')@9"}, r"discount is one of 'linear'"),
        ({"measures": "U(half_life=5)@9"}, r"half_life goes with discount='exponential'"),
        ({"measures": "U@2000000000"}, r"cutoff of U is a whole number from 1 to 1000000000"),
        ({"measures": "TBG(speed=0)"}, r"speed is a number between 1e-06 and"),
        ({"measures": "TBG(gain=2)"}, r"over passages, TBG has half_life and speed, not gain"),
        ({"measures": []}, r"name at least one measure"),
        ({"unjudged_documents": "not-relevant"}, r"only where there is gold"),
        ({"unjudged_documents": "bad", "gold": {}}, r"unjudged_documents is one of unknown"),
        ({"unseen": "much"}, r"unseen is one of anything, nothing"),
        ({"missing": "x"}, r"missing is one of empty, skip, error"),
        ({"depth": 0}, r"depth is 1 or more"),
        ({"order": "size"}, r"order is one of score, rank, file"),
        ({"threads": 0}, r"threads is 1 or more"),
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
        lambda m: medir.judge({"q": ["a"]}, {"q": ["b"]}, measure=m),
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


@given(trails, trails, measures(), worlds, st.sampled_from(["anything", "nothing"]))
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
    assert same.sentence == "U@10 cannot change: what counts stands where it stood."
    with pytest.raises(UsageError, match="no query 'x'"):
        result.explain("x")


# Many runs.


def test_a_matrix_equals_comparing_two_runs() -> None:
    rng = np.random.default_rng(3)
    runs = {
        name: {
            f"q{i}": [(f"d{rng.integers(4)}", int(rng.integers(50)), 20) for _ in range(6)]
            for i in range(first, first + 5)
        }
        for name, first in (("one", 0), ("two", 1), ("three", 2))
    }
    gold = {"q2": [("d1", 0, 30)]}
    found = medir.passage_matrix(runs, ["U@100", "TBG"], gold=gold)
    assert found.queries == [f"q{i}" for i in range(7)]
    for number, (i, j) in enumerate(found.pairs):
        names = found.names[i], found.names[j]
        result = compare_passages(runs[names[0]], runs[names[1]], ["U@100", "TBG"], gold=gold)
        for m, one_measure in enumerate(result.measures):
            expected = dict(zip(result.queries, result.column(one_measure), strict=True))
            for query, value in zip(found.queries, found.values[m, number], strict=True):
                assert value == expected[query] if query in expected else math.isnan(value)
    skipped = medir.passage_matrix(runs, "U@100", missing="skip", against="two")
    assert skipped.queries == ["q2", "q3", "q4"]
    assert skipped.pairs == ((0, 1), (1, 1), (1, 2))


def test_a_matrix_refuses_what_it_cannot_do() -> None:
    run = {"q": [("a", 0, 1)]}
    with pytest.raises(UsageError, match="two runs or more"):
        medir.passage_matrix({"one": run})
    with pytest.raises(UsageError, match="there is no run 'x'"):
        medir.passage_matrix({"one": run, "two": run}, against="x")
    with pytest.raises(MeasureError, match="ranked documents"):
        medir.passage_matrix({"one": run, "two": run}, "P@5")


# Real runs.


@pytest.fixture(scope="module")
def genomics(data: Path) -> dict[str, Passages]:
    """The runs of TREC Genomics 2007."""
    folder = data / "genomics07" / "runs"
    return {path.name.removesuffix(".gz"): Passages.read(path) for path in sorted(folder.iterdir())}


def test_runs_of_one_laboratory_are_closer(genomics: dict[str, Passages]) -> None:
    """As the paper found on the HARD track: Figure 4 and the text on it."""
    found = medir.passage_matrix(genomics)
    assert (len(found.names), len(found.queries)) == (6, 36)
    mean = found.mean()
    york = [name.startswith("york") for name in found.names]
    same = [mean[i, j] for i, j in found.pairs if i != j and york[i] and york[j]]
    other = [mean[i, j] for i, j in found.pairs if york[i] != york[j]]
    assert (len(same), len(other)) == (10, 5)
    assert max(found.values.max(), 0) == LARGEST
    assert not mean.diagonal().any()
    assert sum(same) / 10 < sum(other) / 5


def test_the_documented_values(genomics: dict[str, Passages], data: Path) -> None:
    """The table of docs/passages.md: MED, MED with gold, and the true difference of each pair."""
    gold = Passages.read(data / "genomics07" / "gold.tsv", layout="gold")
    page = (ROOT / "docs" / "passages.md").read_text(encoding="utf-8")
    pattern = r"^\| (\S+), (\S+) \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+) \|$"
    table = re.findall(pattern, page, flags=re.MULTILINE)
    assert len(table) == 15
    closed: Any = {"gold": gold, "unjudged_documents": "not-relevant", "unseen": "nothing"}
    found = [medir.passage_matrix(genomics, **how).mean() for how in ({}, {"gold": gold}, closed)]
    names = [name.replace("york07-ga-0", "york-").partition("-lucene")[0] for name in genomics]
    for a, b, *values in table:
        means = [matrix[names.index(a), names.index(b)] for matrix in found]
        assert [f"{mean:,.1f}" for mean in means] == values


def test_real_runs_against_the_definition(genomics: dict[str, Passages], data: Path) -> None:
    """Two pairs of runs over all topics, character by character, with and without gold."""
    gold = Passages.read(data / "genomics07" / "gold.tsv", layout="gold")
    assert sum(len(gold[query]) for query in gold) == 4492
    names = ["york07-ga-01", "york07-ga-02", "popat-lucene-checkbook"]
    weight = oracle.linear(12_000)
    for a, b in pairwise(names):
        for judged in (None, gold):
            result = compare_passages(genomics[a], genomics[b], gold=judged)
            for row in list(result)[::4]:
                world = World()
                if judged is not None:
                    known: dict[str, list[tuple[int, int]]] = {}
                    for p in gold[row.query_id]:
                        known.setdefault(p.document, []).append((p.offset, p.length))
                    world = World(known)
                before, after = (
                    [(p.document, p.offset, p.length) for p in genomics[name][row.query_id]][:60]
                    for name in (a, b)
                )
                expected = oracle.most(after, before, weight, world)
                assert row.gain == pytest.approx(expected, abs=1e-8)
