"""Passages that take time: reading speeds and stated durations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import brentq

import medir
from medir import compare_passages
from tests.cases.passages import extents, measures, one, options_of, places, trails, worlds
from tests.oracles.passages import Passage, Weight, World
from tests.profiles import examples

PRECISE: Any = {"epsabs": 1e-11, "epsrel": 1e-11, "limit": 200}


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


@examples(300)
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
        options = {**options_of(world), "unseen": "anything"}
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
