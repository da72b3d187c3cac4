"""Lists that were cut and lists that ended: every rule against brute force, through every route."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from tests.cases.runs import EXACT, UNSEEN, ranked
from tests.cases.unseen import (
    DOCUMENTS,
    SHAPES,
    TOP,
    WITH_CUTOFF,
    WORDS,
    Lists,
    Runs,
    Shape,
    med_if_ended,
    one_run,
    reach_of,
    runs,
)
from tests.oracles import dot_product as dot
from tests.oracles.unseen import BOTH_ENDED, Rule, cut_of_two_runs, were_cut
from tests.profiles import examples

NEARLY = 1e-11  # for sums of endless lists
close = partial(pytest.approx, rel=0, abs=NEARLY)
each_shape = pytest.mark.parametrize("name", SHAPES)


# The rule, by hand.


@pytest.mark.parametrize(
    ("lengths", "depth", "expected"),
    [
        ([3, 3, 2, 0], None, [True, True, False, False]),
        ([3, 2, 2, 0], None, [False, False, False, False]),  # only one is the longest
        ([3], None, [True]),  # exactly one list with results
        ([3, 0, 0], None, [True, False, False]),
        ([0, 0], None, [False, False]),
        ([1, 1], None, [True, True]),
        ([5, 4, 3, 0], 3, [True, True, False, False]),  # depth cuts two of them
        ([5, 5, 3, 2], 3, [True, True, False, False]),  # before depth, 5 is the greatest length
        ([3, 3, 2], 3, [True, True, False]),
    ],
)
def test_the_rule(lengths: list[int], depth: int | None, expected: list[bool]) -> None:
    """As the oracle has it, and as the core answers."""
    run = {f"q{i}": [*DOCUMENTS[:length]] for i, length in enumerate(lengths)}
    assert list(were_cut(run, "auto", depth).values()) == expected
    # P@9 of a list against nothing: it could lose its results, and all ranks below if it was cut.
    found = medir.compare(run, {}, "P@9", depth=depth)
    shown = [min(length, depth or 9) for length in lengths]
    losses = [9 if cut else length for cut, length in zip(expected, shown, strict=True)]
    assert found.column(name="loss").tolist() == close([loss / 9 for loss in losses])
    assert found.column(name="gain").tolist() == [0] * len(lengths)


def test_dropping_all_results_can_only_lose() -> None:
    run = {"q1": ["a", "b"], "q2": ["a", "b"], "q3": ["c"]}
    others: list[Lists] = [{}, {query: [] for query in run}, {"q1": ["a", "b"]}]
    for nothing in others:
        result = medir.compare(run, nothing, "nDCG@2")
        assert (result.column(name="gain") <= 0).all()
        assert result.column(name="loss")[1:].tolist() == [1, close(0.6131471927654584)]


def test_duplicates_are_no_results_of_their_own() -> None:
    """Without its repeats q1 is shorter than the others, which were cut at 2."""
    run = {"q1": ["a", "a", "a"], "q2": ["a", "b"], "q3": ["c", "d", "c"]}
    result = medir.compare(run, run, "P@4", duplicates="first")
    assert result.column().tolist() == [0, 0.5, 0.5]


@examples(200)
@given(runs(judged=False))
def test_queries_that_are_left_out_count_for_the_rule(case: Runs) -> None:
    """`missing`, and which queries the other run has, decide nothing."""
    statuses = cut_of_two_runs(case.before, case.after, case.rule, case.depth)
    assert {query: case.cut[query] for query in case.queries} == {
        query: statuses[query] for query in case.queries
    }
    result = SHAPES["P"].compare(case)
    assert result.queries == case.queries


# Every shape, against brute force.


def check(shape: Shape, case: Runs, query: str, row: medir.Row) -> None:
    """Values, bounds, and what unseen ranks add."""
    gain, loss = shape.expected(case, query)
    assert (row.gain, row.loss) == close((gain, loss))
    assert row.med == max(row.gain, row.loss)
    assert (row.gap, row.gain_gap, row.loss_gap) == (0, 0, 0)
    assert row.unseen == close(max(gain, loss) - med_if_ended(shape, case, query))
    assert 0 <= row.lower <= row.med
    if not any(case.unseen(query, reach_of(shape))):
        assert row.unseen == 0
        assert row.lower == row.med


@each_shape
@examples(120)
@given(data=st.data())
def test_every_rule_equals_brute_force(name: str, data: st.DataObject) -> None:
    shape, case = SHAPES[name], data.draw(runs())
    result = shape.compare(case)
    assert result.queries == case.queries
    for query, row in zip(case.queries, result, strict=True):
        check(shape, case, query, row)
    reach = reach_of(shape)
    assert list(result.unseen_queries) == [sum(any(case.unseen(q, reach)) for q in case.queries)]
    if shape.measure.looks_below:
        assert list(result.ended_queries) == [sum(case.ended(q, reach) for q in case.queries)]


@examples(100)
@given(data=st.data())
def test_measures_together_are_as_alone(data: st.DataObject) -> None:
    """A measure that looks deeper, or that is a function, changes no list's status."""
    some = data.draw(st.lists(st.sampled_from(sorted(SHAPES)), min_size=2, max_size=4, unique=True))
    shapes = [SHAPES[name] for name in some if not SHAPES[name].by_intent]
    case = data.draw(runs())
    for shape in shapes:
        if shape.judged:
            queries = {**case.before, **case.after}
            case = replace(case, qrels={query: shape.grades(case, query) for query in queries})
    judged = case.qrels or ({} if any(shape.judged for shape in shapes) else None)
    timed = any(shape.timed for shape in shapes)
    together = medir.compare(
        case.before,
        case.after,
        [shape.measure for shape in shapes] or None,
        qrels=judged,
        lengths=WORDS if timed else None,
        **case.options,
    )
    for number, shape in enumerate(shapes):
        alone = shape.compare(case)
        assert together.values[number] == pytest.approx(alone.values[0], rel=0, abs=EXACT)
        assert together.unseen_queries[number] == alone.unseen_queries[0]
        assert together.ended_queries[number] == alone.ended_queries[0]


# What cannot be undercut.


@pytest.mark.parametrize("name", WITH_CUTOFF)
@examples(40)
@given(data=st.data())
def test_lower_is_never_above_a_continuation(name: str, data: st.DataObject) -> None:
    shape = SHAPES[name]
    case = data.draw(runs(longest=3, most=3, rules=["auto", "anything"]))
    assert shape.reach is not None
    for query, row in zip(case.queries, shape.compare(case), strict=True):
        judged, shown = shape.grades(case, query), case.lists(query)
        unseen = zip(shown, case.cut[query], strict=True)
        if sum(cut * max(shape.reach - len(some), 0) for some, cut in unseen) > 3:
            continue  # too many to try
        deep = dot.continuations(*shown, shape.reach, judged, case.cut[query])
        for lists in deep:
            # A document without a known length is as if it were not there, where one matters.
            pair = [[d for d in some if d in WORDS or not shape.timed] for some in lists]
            assert row.lower <= max(shape.both(pair[0], pair[1], judged, BOTH_ENDED)) + NEARLY


@examples(60)
@given(runs(longest=2, most=3, rules=["auto", "anything"]))
def test_lower_of_an_endless_measure_is_never_above_a_continuation(case: Runs) -> None:
    shape = SHAPES["RBP"]
    assert shape.endless_lower is not None
    for query, row in zip(case.queries, shape.compare(case), strict=True):
        judged, lists = case.qrels.get(query, {}), case.lists(query)
        depth = max(map(len, lists)) + 1
        least = dot.least_med(*lists, shape.endless_lower, judged, depth, case.cut[query])
        assert row.lower <= least + NEARLY


@pytest.mark.parametrize(
    "measure",
    ["nDCG(ideal={2: 5, 1: 7}, max_grade=2)@10", "nDCG(max_grade=2)@10", "AP@10", "ERR@9"],
)
def test_lower_is_exactly_med_where_all_is_seen(measure: str) -> None:
    """Not a last digit less, so that it need not be shown."""
    chance, documents = random.Random(1), [f"d{i}" for i in range(30)]
    for _ in range(60):
        before, after = ({"q": chance.sample(documents, 20)} for _ in range(2))
        judged = {d: chance.choice([0, 1, 2]) for d in chance.sample(documents, 4)}
        for rule in UNSEEN:
            row = medir.compare(before, after, measure, qrels={"q": judged}, unseen=rule).row(0)
            assert (row.lower, row.unseen) == (row.med, 0)


@pytest.mark.parametrize("name", ["nDCG", "P", "nDCG, number of relevant"])
@examples(60)
@given(data=st.data())
def test_lower_is_tight_for_cut_lists_of_equal_depth(name: str, data: st.DataObject) -> None:
    """Without judgments, both lists cut: the smallest value that a continuation reaches."""
    shape = SHAPES[name]
    assert shape.reach is not None
    length = data.draw(st.integers(max(shape.reach - 2, 1), 4))
    lists = [data.draw(ranked(DOCUMENTS, length, length)) for _ in range(4)]
    before = {"q1": lists[0], "q2": lists[1]}
    after = {"q1": lists[2], "q2": lists[3], "q3": lists[0][:1]}
    result = medir.compare(before, after, shape.measure)
    for position, query in enumerate(before):
        deep = dot.continuations(before[query], after[query], shape.reach, {})
        least = min(max(shape.both(*pair, {}, BOTH_ENDED)) for pair in deep)
        assert result.row(position).lower == close(least)


# Routes.


@each_shape
@examples(30)
@given(data=st.data())
def test_explanations_follow_the_statuses(name: str, data: st.DataObject) -> None:
    shape, case = SHAPES[name], data.draw(runs())
    result = shape.compare(case)
    known: dict[str, Any] = {"lengths": WORDS if shape.timed else None, **case.options}
    for query in case.queries[:2]:
        gain, loss = shape.expected(case, query)
        why = result.explain(query)
        for direction, value in (("gain", gain), ("loss", loss)):
            parts = sum(getattr(one, direction) for one in why.documents)
            assert parts + getattr(why, f"unseen_{direction}") == close(value)
            assert getattr(why.solution, direction) == close(value)
        unseen = case.unseen(query, reach_of(shape))
        if name == "function that is not monotone":  # documents there can lower the other's score
            unseen = [any(unseen)] * 2
        assert unseen[1] or why.unseen_gain == close(0)
        assert unseen[0] or why.unseen_loss == close(0)
        again = medir.explain(
            case.before, case.after, shape.measure, query=query, qrels=shape.qrels(case), **known
        )
        assert again == why


@each_shape
@examples(30)
@given(data=st.data())
def test_two_lists_were_cut(name: str, data: st.DataObject) -> None:
    """`med` and `solve` have no run to ask: as in the paper, but for empty lists."""
    shape = SHAPES[name]
    lists = data.draw(ranked(DOCUMENTS, 0, 5)), data.draw(ranked(DOCUMENTS, 0, 5))
    rule: Rule = data.draw(st.sampled_from(UNSEEN))
    case = Runs({"q": lists[0]}, {"q": lists[1]}, rule, None, "empty", {})
    judged = shape.grades(case, "q") or None
    known: Any = {"judged": judged, "lengths": WORDS if shape.timed else None, "unseen": rule}
    gain, loss = shape.expected(case, "q")
    assert medir.med(*lists, shape.measure, **known) == close(max(gain, loss))
    solution = medir.solve(*lists, shape.measure, **known)
    assert (solution.gain, solution.loss) == close((gain, loss))


JUDGED = ["nDCG", "nDCG, number of relevant", "P", "RBP", "AP", "ERR", "ERR@3", "RR", "Cascade"]


@pytest.mark.parametrize("name", JUDGED)
@examples(25)
@given(data=st.data())
def test_judge_follows_the_statuses(name: str, data: st.DataObject) -> None:
    shape, case = SHAPES[name], data.draw(runs(longest=4, most=3))
    qrels = shape.qrels(case)
    found = medir.judge(
        case.before, case.after, measures=shape.measure, qrels=qrels, top=1000, **case.options
    )
    by_query: dict[str, dict[str, medir.Suggestion]] = {query: {} for query in case.queries}
    for one in found:
        by_query[one.query_id][one.document] = one
    for query, suggestions in by_query.items():
        judged, cut, lists = case.qrels.get(query, {}), case.cut[query], case.lists(query)
        now = shape.both(*lists, judged, cut)
        for document in {d for some in lists for d in some[: shape.reach]} - judged.keys():
            after = [
                shape.both(*lists, {**judged, document: grade}, cut) for grade in range(TOP + 1)
            ]
            widths, meds = [sum(pair) for pair in after], [max(pair) for pair in after]
            if sum(now) - min(widths) < NEARLY:
                assert document not in suggestions
                continue
            expected = sum(now) - max(widths), max(now), max(meds), min(meds)
            assert suggestions[document][2:] == close(expected)


MATRIX = ["nDCG", "RBP", "AP", "ERR@3", "TBG@3", "function", "function without cutoff"]


@examples(60)
@given(data=st.data())
def test_a_matrix_follows_the_statuses(data: st.DataObject) -> None:
    """And says in how many pairs of lists unseen ranks count, and what they add."""
    case = data.draw(runs(longest=4, most=3))
    third = data.draw(one_run(list(dict.fromkeys([*case.before, *case.after])), 4))
    every = {"a": case.before, "b": case.after, "c": third}
    if not any(every.values()):
        return
    shapes = [SHAPES[name] for name in MATRIX]
    options = {**case.options, "missing": "empty"}
    found = medir.matrix(
        every,
        [shape.measure for shape in shapes],
        qrels=case.qrels or None,
        lengths=WORDS,
        **options,
    )
    pairs = {
        (i, j): Runs(first, second, case.rule, case.depth, "empty", case.qrels)
        for (i, first), (j, second) in itertools.combinations(enumerate(every.values()), 2)
    }
    for number, shape in enumerate(shapes):
        adding, added, ended = 0, 0.0, 0
        for pair, two in pairs.items():
            values = found.values[number, found.pairs.index(pair)]
            med = dict(zip(found.queries, values.tolist(), strict=True))
            for query in two.queries:
                expected = max(shape.expected(two, query))
                assert med[query] == close(expected)
                more = expected - med_if_ended(shape, two, query)
                adding, added = adding + (more > NEARLY), added + more
                ended += two.ended(query, reach_of(shape))
        notes = found.notes[number].sum(axis=1)
        assert notes.tolist() == close([0, adding, added, ended])
        assert found.gap(shape.measure) == 0


SIMILARITIES = ["RBO", "tau_b", "rho", "tau_AP", "footrule", "Jaccard@3", "Overlap@3"]


@examples(60)
@given(runs(judged=False))
def test_similarities_do_not_depend_on_it(case: Runs) -> None:
    results = [
        medir.compare(case.before, case.after, SIMILARITIES, **{**case.options, "unseen": rule})
        for rule in UNSEEN
    ]
    for result in results:
        assert result.values.tobytes() == results[0].values.tobytes()
        assert all(math.isnan(row.unseen) for row in result)
        assert not any(result.unseen_queries)
        assert not any(result.ended_queries)
        assert list(result.unseen_notes()) == []
    named = {"before": case.before, "after": case.after}
    square = medir.matrix(named, SIMILARITIES, **{**case.options, "missing": "empty"})
    assert list(square.unseen_notes()) == []
