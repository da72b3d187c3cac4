"""What values say together: weights, segments, effects and what counts as changed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import medir
from medir.comparing.columns import COLUMNS
from medir.comparing.decision.summary import ROUNDING, Summary
from medir.comparing.decision.verdict import noise_sentence
from medir.measures import measure
from tests.cases.decisions import BEFORE, GAIN, LOSS, MED, compared
from tests.cases.passages import measures as passage_measures
from tests.cases.passages import trails
from tests.cases.runs import ranked
from tests.cases.weighted_runs import POOL, WeightedRuns, weighted_runs
from tests.profiles import examples

EDGES = np.linspace(-1.0, 1.0, 21)
MEASURES = ["P@2", "nDCG@3", "ERR", "RBP(p=0.5)", "AP@3", "Overlap@2", "RBO(score='min')"]
EXACT: dict[str, Any] = {"abs": 1e-12, "rel": 0.0, "nan_ok": True}


def numbers_of(summary: Summary) -> dict[str, Any]:
    """Every number of a summary, intervals excepted."""
    difference = summary.measure.kind == "difference"
    numbers: dict[str, Any] = {"weight": summary.weight}
    for name in COLUMNS if difference else ("med",):
        numbers[name] = tuple(summary.distribution(name))
    for limit in (-0.5, 0.0, 0.25, 0.5):
        numbers[f"above {limit}"] = summary.share_above(limit)
        numbers[f"below {limit}"] = summary.share_below(limit)
    numbers["histogram"] = summary.histogram(EDGES).tolist()
    numbers["changed"] = summary.changed.share
    numbers["moving"] = tuple(summary.moving.med)
    if difference:
        numbers["far"] = summary.far.share
        numbers["bounds"] = tuple(summary.bounds)
        numbers["unseen"] = summary.unseen
        numbers |= {effect: share.share for effect, share in summary.effects.items()}
    return numbers


def assert_same(one: Summary, other: Summary) -> None:
    found, expected = numbers_of(one), numbers_of(other)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, **EXACT), name


@examples(300)
@given(
    weighted_runs(),
    st.sampled_from(MEASURES),
    st.sampled_from(["auto", "anything", "nothing"]),
    st.sampled_from(["empty", "skip"]),
)
def test_whole_weights_are_repeated_queries(
    runs: WeightedRuns, name: str, unseen: Any, missing: Any
) -> None:
    options = {"unseen": unseen, "missing": missing}
    weighted, repeated = runs.weighted(name, **options), runs.repeated(name, **options)
    assert_same(weighted.summary(), repeated.summary())
    assert weighted.mean()[measure(name)] == pytest.approx(
        repeated.mean()[measure(name)], abs=1e-12
    )
    assert weighted.noise is not None
    assert repeated.noise is not None
    assert_same(weighted.noise.summary(), repeated.noise.summary())
    whole = repeated.segments()
    for label, summary in weighted.segments().items():
        if summary.weight:
            assert_same(summary, whole[label])


def numbers_in(sentences: Sequence[str]) -> list[str]:
    """The decimal numbers of a verdict: means and bounds, not counts of queries."""
    return re.findall(r"[+−]?\d+\.\d+(?!\d*%)", " ".join(sentences).replace("by more than 0.5", ""))


@examples(100)
@given(weighted_runs(), st.sampled_from(MEASURES))
def test_verdicts_of_weights_and_of_repeated_queries_have_the_same_numbers(
    runs: WeightedRuns, name: str
) -> None:
    """Where no query has weight 0, which only the verdict with weights still counts."""
    assume(all(runs.weights.values()))
    weighted, repeated = runs.weighted(name), runs.repeated(name)
    assert numbers_in(weighted.verdict()) == numbers_in(repeated.verdict())
    for one, other in zip(weighted.notes(), repeated.notes(), strict=True):
        assert numbers_in([one]) == numbers_in([other])


@examples(50)
@given(weighted_runs(), st.sampled_from(["P@2", "ERR"]))
def test_weights_have_no_unit(runs: WeightedRuns, name: str) -> None:
    """All weights times a tenth: the histogram follows, and nothing else."""
    queries = {query: {"weight": weight / 10} for query, weight in runs.weights.items()}
    tenths = medir.compare(
        runs.before, runs.after, name, qrels=runs.qrels, queries=queries, unseen="nothing"
    )
    whole = runs.weighted(name, unseen="nothing")
    found, expected = numbers_of(tenths.summary()), numbers_of(whole.summary())
    for key in ("weight", "histogram"):
        assert np.multiply(found.pop(key), 10) == pytest.approx(expected.pop(key), abs=1e-9)
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, **EXACT), key


@examples(100)
@given(weighted_runs(), st.sampled_from(MEASURES))
def test_segments_make_up_the_whole(runs: WeightedRuns, name: str) -> None:
    result = runs.weighted(name, unseen="nothing")
    segments = result.sample.segments
    assert segments is not None
    parts = [segments.of(label) for label in segments.labels]
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(result)))
    for label, part in zip(segments.labels, parts, strict=True):
        assert {runs.segments[result.queries[i]] for i in part} == {label}
    whole, some = result.summary(), [one for one in result.segments().values() if one.weight]
    assert sum(one.weight for one in some) == pytest.approx(whole.weight)
    assert sum(one.queries + one.missing for one in result.segments().values()) == len(result)
    for column in ("med", "gain", "loss") if whole.measure.kind == "difference" else ("med",):
        combined = math.fsum(one.weight * one.mean(column) for one in some) / whole.weight
        assert combined == pytest.approx(whole.mean(column), abs=1e-12)


# Queries of weight 0.


def test_queries_without_weight_count_in_no_mean() -> None:
    """q3 and q4 have no weight; of the others P@4 moves by 0, 0.25 and 0.25."""
    weights = {query: {"weight": int(query < "q3")} for query in BEFORE}
    summary = compared(queries=weights).summary("P@4")
    assert (summary.queries, summary.weight) == (5, 3.0)
    assert summary.med == pytest.approx((0.5 / 3, 0.25, 0.25, 0.25, 0.0, 0.0))
    assert tuple(summary.changed) == pytest.approx((4, 2 / 3))
    assert summary.far == (2, 0.0)
    assert summary.histogram(np.linspace(0, 1, 5)).tolist() == [1, 2, 0, 0]


def test_no_query_has_weight() -> None:
    """There is no mean; nothing else fails."""
    result = compared(queries={query: {"weight": 0} for query in BEFORE})
    summary = result.summary()
    assert all(math.isnan(number) for number in summary.med)
    assert all(math.isnan(mean) for mean in result.mean().values())
    assert all(math.isnan(mean) for mean in result.only(["P@4"]).mean("geometric").values())
    assert (summary.interval, summary.changed, summary.far) == (None, (4, 0.0), (2, 0.0))
    assert list(summary.effects.values()) == [(1, 0), (1, 0), (2, 0), (1, 0)]
    assert repr(summary) == "<Summary of P@4: 5 queries, no mean>"
    assert "P@4: nan" in repr(result)


# Effects, by their definition.


def from_columns(**columns: Sequence[float]) -> Summary:
    """A summary of made-up values."""
    number = len(columns["gain"])
    values = np.zeros((len(COLUMNS), number))
    for name, some in columns.items():
        values[COLUMNS.index(name)] = some
    values[0] = np.maximum(values[COLUMNS.index("gain")], values[COLUMNS.index("loss")])
    return Summary(measure("P@4"), values, np.ones(number, dtype=bool))


quarters = st.sampled_from([-0.5, -0.25, 0.0, 0.25, 0.5, 1e-15, -1e-15])
gaps = st.sampled_from([0.0, 0.25, 1e-15])


@examples(300)
@given(st.lists(st.tuples(quarters, quarters, gaps, gaps), min_size=1, max_size=20))
def test_effects(rows: list[tuple[float, float, float, float]]) -> None:
    """Only wins: loss + loss_gap <= 0 < gain; only loses: the reverse; either: both above 0."""
    rows = [
        (gain, loss, gain_gap if gain > ROUNDING else 0.0, loss_gap if loss > ROUNDING else 0.0)
        for gain, loss, gain_gap, loss_gap in rows
    ]
    gain, loss, gain_gap, loss_gap = zip(*rows, strict=True)
    summary = from_columns(gain=gain, loss=loss, gain_gap=gain_gap, loss_gap=loss_gap)
    counts = dict.fromkeys(("only wins", "only loses", "either", "no effect"), 0)
    for exact in rows:
        win, cost, win_gap, cost_gap = (0.0 if abs(one) < ROUNDING else one for one in exact)
        if cost + cost_gap <= 0 < win:
            counts["only wins"] += 1
        elif win + win_gap <= 0 < cost:
            counts["only loses"] += 1
        elif win > 0 and cost > 0:
            counts["either"] += 1
        else:
            counts["no effect"] += 1
    assert {effect: share.queries for effect, share in summary.effects.items()} == counts
    assert {effect: share.share for effect, share in summary.effects.items()} == pytest.approx(
        {effect: number / len(rows) for effect, number in counts.items()}
    )
    low, high = summary.bounds
    assert low == pytest.approx(-np.mean(np.add(loss, loss_gap)), abs=1e-12)
    assert high == pytest.approx(np.mean(np.add(gain, gain_gap)), abs=1e-12)


def test_what_is_not_proven_may_go_either_way() -> None:
    """A loss that may be above 0 is no sure win."""
    summary = from_columns(gain=[0.5], loss=[-0.1], loss_gap=[0.2])
    assert summary.effects["either"].queries == 1
    proven = from_columns(gain=[0.5], loss=[-0.1], loss_gap=[0.1])
    assert proven.effects["only wins"].queries == 1


def test_a_move_by_more_than_half() -> None:
    """With its gap; a move by just 0.5 is none."""
    summary = from_columns(gain=[0.5, 0.5 + 1e-15, 0.6, 0.4, 0.4], loss=[0, 0, 0, 0, 0])
    assert summary.far.queries == 1
    columns = summary.columns.copy()
    columns[COLUMNS.index("gap"), 3] = 0.2
    assert Summary(summary.measure, columns, summary.changed_queries).far.queries == 2


def test_effects_by_hand() -> None:
    summary = compared().summary("P@4")
    assert {effect: share.queries for effect, share in summary.effects.items()} == {
        "only wins": 1, "only loses": 1, "either": 2, "no effect": 1,
    }  # fmt: skip
    assert summary.bounds == pytest.approx((-sum(LOSS) / 5, sum(GAIN) / 5))
    assert summary.med == pytest.approx((sum(MED) / 5, 0.25, 0.75, 0.75, 0.0, 0.0))


# What has changed.

DEPTHS = ["P@1", "P@2", "nDCG@3", "RBP", "ERR", "AP@4", "Overlap@2", "RBO", "tau_b", "footrule@3"]


@examples(300)
@given(
    st.lists(st.tuples(ranked(POOL), ranked(POOL)), min_size=1, max_size=5),
    st.lists(st.sampled_from(DEPTHS), min_size=1, max_size=3, unique=True),
    st.sampled_from([None, 1, 3]),
)
def test_changed(
    pairs: list[tuple[list[str], list[str]]], names: list[str], depth: int | None
) -> None:
    """The lists differ as far as the measure looks, whatever other measures look at."""
    before, after = ({f"q{i}": pair[side] for i, pair in enumerate(pairs)} for side in (0, 1))
    result = medir.compare(before, after, names, depth=depth)
    for name in names:
        reach = measure(name).reach
        expected = [one[:depth][:reach] != other[:depth][:reach] for one, other in pairs]
        assert result.changed(name).tolist() == expected
        for which, counted in (("entered", (0, 1)), ("left", (1, 0))):
            assert result.change(which, name).tolist() == [
                len({*pair[counted[1]][:depth][:reach]} - {*pair[counted[0]][:depth][:reach]})
                for pair in pairs
            ]


def test_duplicates_are_no_change() -> None:
    result = medir.compare({"q": ["a", "b"]}, {"q": ["a", "a", "b"]}, "P@2", duplicates="first")
    assert result.changed().tolist() == [False]


def places(trail: Sequence[tuple[str, int, int]], depth: int | None) -> dict[Any, int]:
    """Where each character of each document is first shown, as far as a measure looks."""
    found: dict[Any, int] = {}
    place = 0
    for document, offset, length in trail:
        for character in range(offset, offset + length):
            if depth is None or place < depth:
                found.setdefault((document, character), place)
            place += 1
    return found


@examples(300)
@given(trails, trails, passage_measures())
def test_changed_passages(before: Any, after: Any, chosen: tuple[str, Any, int | None]) -> None:
    name, _, depth = chosen
    result = medir.compare_passages({"q": before}, {"q": after}, name)
    one, other = places(before, depth), places(after, depth)
    assert result.changed().tolist() == [one != other]
    assert result.change("entered").tolist() == [len(other.keys() - one)]
    assert result.change("left").tolist() == [len(one.keys() - other)]
    assert result.change("moved").tolist() == [sum(other.get(c, p) != p for c, p in one.items())]


# The noise floor.


def noisy(seed: int, queries: int = 60) -> tuple[Any, Any, Any]:
    """A run, a change to most of its lists, and a second run with a few swaps."""
    random = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(30)]
    before = {f"q{number}": list(random.permutation(documents)) for number in range(queries)}

    def moved(amount: float, share: float) -> dict[str, list[str]]:
        return {
            query: [some[i] for i in np.argsort(np.arange(30) + random.normal(0, amount, 30))]
            if random.random() < share
            else some
            for query, some in before.items()
        }

    return before, moved(8, 0.8), moved(1, 0.5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["nDCG@10", "RBP", "Overlap@10"])
def test_noise(name: str, weighted: bool) -> None:
    """The means side by side, and the share of queries beyond the 95th percentile of the noise."""
    before, after, again = noisy(5)
    weights = np.arange(1, len(before) + 1) % 4 if weighted else np.ones(len(before))
    queries = {query: {"weight": weight} for query, weight in zip(before, weights, strict=True)}
    result = medir.compare(before, after, name, noise=again, queries=queries)
    change = medir.compare(before, after, name).column()
    noise = medir.compare(before, again, name).column()
    assert result.noise is not None
    assert result.column().tolist() == change.tolist()
    assert result.noise.column().tolist() == noise.tolist()
    each, still = (np.repeat(some, weights.astype(int)) for some in (change, noise))
    if name == "Overlap@10":
        floor = np.quantile(still, 0.05, method="inverted_cdf")
        beyond, words = np.mean(each < floor), "are below the 5th percentile"
    else:
        floor = np.quantile(still, 0.95, method="inverted_cdf")
        beyond, words = np.mean(each > floor), "exceed the 95th percentile"
    assert 0.01 < beyond < 0.99
    assert noise_sentence(result.summary(), result.noise.summary()) == (
        f"Mean {measure(name).title}: {np.mean(each):.3f} for the change, {np.mean(still):.3f} for "
        f"the noise; {beyond:.0%} of queries {words} of the noise, {floor:.3f}."
    )


def test_noise_of_passages() -> None:
    before = {"q": [("a", 0, 12000)], "r": [("a", 0, 12000)]}
    after = {"q": [("b", 0, 12000)], "r": [("b", 0, 12000)]}
    again = {"q": [("a", 0, 12000)], "r": [("b", 0, 12000)]}
    result = medir.compare_passages(before, after, noise=again)
    assert result.noise is not None
    # All that is shown is new: 2,999.75 in each query after, in one of two in the noise.
    assert noise_sentence(result.summary(), result.noise.summary()) == (
        "Mean MED-U@12000: 3,000 for the change, 1,500 for the noise; 0% of queries exceed the "
        "95th percentile of the noise, 3,000."
    )


def test_a_change_within_the_noise() -> None:
    before, _, again = noisy(5)
    result = medir.compare(before, again, "nDCG@10", noise=again)
    assert result.noise is not None
    share = result.summary().share_above(result.noise.summary().med.p95)
    assert share <= 0.05
