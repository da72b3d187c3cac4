"""Runs of passages and gold that tests make up, with a measure and its weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

import medir
from medir import compare_passages
from medir.passages.compare import PassageComparison
from tests.oracles import passages as oracle
from tests.oracles.passages import Weight, World

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
