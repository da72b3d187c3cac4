"""Trailtexts that were cut and trailtexts that ended, against the definition."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import compare_passages
from tests.cases.passages import gold_passages, measures, passage
from tests.cases.runs import UNSEEN
from tests.oracles import passages as oracle
from tests.oracles.passages import Passage, Weight, World
from tests.oracles.unseen import Cut, Rule, cut_of_two_runs
from tests.profiles import examples

Trails = dict[str, list[Passage]]
QUERIES = ["q1", "q2", "q3", "q4"]
DEEP = 20_000  # characters: nothing is left of an endless measure there


@st.composite
def one_run(draw: st.DrawFn) -> Trails:
    """Often cut at some number of passages; queries may be missing, and texts empty."""
    greatest = draw(st.integers(0, 3))
    lengths = st.sampled_from([greatest] * (greatest + 1) + list(range(greatest)))
    some = draw(st.lists(st.sampled_from(QUERIES), unique=True, min_size=1))
    return {query: draw(st.lists(passage, min_size=n, max_size=n))
            for query, n in ((query, draw(lengths)) for query in some)}  # fmt: skip


def both(
    lists: tuple[list[Passage], list[Passage]],
    weight: Weight,
    world: World,
    depth: int,
    cut: Cut,
) -> tuple[float, float]:
    """Gain and loss: a text that was cut goes on down to the depth."""
    before, after = lists
    gain = oracle.most(after, before, weight, world, depth if cut[1] else None)
    return gain, oracle.most(before, after, weight, world, depth if cut[0] else None)


@examples(150)
@given(
    one_run(),
    one_run(),
    measures(),
    st.dictionaries(st.sampled_from(QUERIES), gold_passages),
    st.booleans(),
    st.sampled_from(UNSEEN),
    st.none() | st.integers(1, 3),
)
def test_every_rule_equals_the_definition(
    before: Trails,
    after: Trails,
    chosen: tuple[str, Weight, int | None],
    gold: dict[str, Any],
    closed: bool,
    rule: Rule,
    depth: int | None,
) -> None:
    name, weight, reach = chosen
    judged = {
        query: [(d, *one) for d, found in some.items() for one in found]
        for query, some in gold.items()
    }
    options: Any = {"unseen": rule, "depth": depth}
    if judged:
        options |= {"gold": judged, "unjudged_documents": "not-relevant" if closed else "unknown"}
    result = compare_passages(before, after, name, **options)
    statuses = cut_of_two_runs(before, after, rule, depth, length=len)
    assert result.queries == list(statuses)
    unseen = ended = 0
    for row in result:
        cut = statuses[row.query_id]
        lists = before.get(row.query_id, [])[:depth], after.get(row.query_id, [])[:depth]
        world = World(gold.get(row.query_id, {}), closed) if judged else World()
        deep = DEEP if reach is None else reach
        gain, loss = both(lists, weight, world, deep, cut)
        assert (row.gain, row.loss) == pytest.approx((gain, loss), abs=1e-8)
        if_ended = max(both(lists, weight, world, deep, (False, False)))
        assert row.unseen == pytest.approx(max(gain, loss) - if_ended, abs=1e-8)
        assert 0 <= row.lower <= row.med == max(row.gain, row.loss)
        sizes = [sum(length for _, _, length in some) for some in lists]
        below = [size < (deep if reach is not None else float("inf")) for size in sizes]
        if not any(c and b for c, b in zip(cut, below, strict=True)):
            assert (row.lower, row.unseen) == (row.med, 0)
        unseen += any(c and b for c, b in zip(cut, below, strict=True))
        ended += any(not c and b and n for c, b, n in zip(cut, below, sizes, strict=True))
    assert (list(result.unseen_queries), list(result.ended_queries)) == ([unseen], [ended])


@examples(150)
@given(one_run(), one_run(), one_run(), one_run(), st.integers(1, 40))
def test_lower_and_med_hold_for_longer_texts(
    before: Trails, after: Trails, more: Trails, other: Trails, reach: int
) -> None:
    """Texts that were cut go on in any way; those that ended do not."""
    statuses = cut_of_two_runs(before, after, length=len)
    seen = compare_passages(before, after, f"U@{reach}")
    weight = oracle.linear(reach)
    for row in seen:
        lists = [
            run.get(row.query_id, []) + (rest.get(row.query_id, []) if cut else [])
            for run, rest, cut in zip(
                (before, after), (more, other), statuses[row.query_id], strict=True
            )
        ]
        first, second = lists
        deeper = max(oracle.most(first, second, weight), oracle.most(second, first, weight))
        assert row.lower - 1e-9 <= deeper <= row.med + 1e-9


@examples(60)
@given(st.lists(one_run(), min_size=3, max_size=3), st.integers(1, 40))
def test_a_matrix_follows_the_statuses(some: list[Trails], reach: int) -> None:
    named = dict(zip("abc", some, strict=True))
    found = medir.passage_matrix(named, f"U@{reach}")
    weight = oracle.linear(reach)
    added = 0.0
    for number, (i, j) in enumerate(found.pairs):
        statuses = cut_of_two_runs(some[i], some[j], length=len)
        med = dict(zip(found.queries, found.values[0, number].tolist(), strict=True))
        for query, cut in statuses.items():
            lists = some[i].get(query, []), some[j].get(query, [])
            expected = max(both(lists, weight, World(), reach, cut))
            assert med[query] == pytest.approx(expected if i != j else 0, abs=1e-9)
            if i != j:
                added += expected - max(both(lists, weight, World(), reach, (False, False)))
    assert found.notes[0, 2].sum() == pytest.approx(added, abs=1e-8)
