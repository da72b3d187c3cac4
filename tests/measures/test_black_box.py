"""MED of a measure that is a Python function: against every assignment, by the definition."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.base.arrays import Array
from medir.errors import MeasureError
from medir.measures.shapes.black_box import Difference, difference, favour
from tests.cases.runs import EXACT, UNSEEN, ranked, row_of
from tests.oracles import black_box
from tests.oracles import dot_product as oracle
from tests.oracles.unseen import BOTH_CUT, BOTH_ENDED, Cut, Rule, cut_of_lists
from tests.profiles import examples

D = [f"d{i}" for i in range(1, 101)]
BINARY, GRADED = (0.0, 1.0), (0.0, 0.5, 1.0)
EFFORT = 10_000
close = pytest.approx


# Measures as a user might write them.


def precision(relevance: Array) -> float:
    return float(np.sum(relevance)) / max(len(relevance), 1)


def ndcg(relevance: Array) -> float:
    """With gains up to 1."""
    discount = 1 / np.log2(np.arange(2, len(relevance) + 2))
    return float(relevance @ discount / np.sum(discount)) if len(relevance) else 0.0


def average_precision(relevance: Array) -> float:
    if len(relevance) == 0:
        return 0.0
    return float(np.mean(relevance * np.cumsum(relevance) / np.arange(1, len(relevance) + 1)))


def reciprocal_rank(relevance: Array) -> float:
    found = np.flatnonzero(relevance)
    return 1 / (found[0] + 1) if len(found) else 0.0


def success(relevance: Array) -> Any:
    return (relevance > 0.5).any()


def enough(relevance: Array) -> float:
    """Two relevant documents are enough."""
    return min(2.0, float(np.sum(relevance))) / 2


def root(relevance: Array) -> float:
    return math.sqrt(sum(value / rank for rank, value in enumerate(relevance, 1)))


def steps(relevance: Array) -> float:
    """An intermediate value is worth much at odd ranks, little at even ones."""
    powers = np.where(np.arange(len(relevance)) % 2 == 0, 0.2, 5.0)
    return float(np.sum(relevance**powers * 0.8 ** np.arange(len(relevance))))


def variance(relevance: Array) -> float:
    return float(np.var(relevance)) if len(relevance) else 0.0


def impatient(relevance: Array) -> float:
    """Relevant documents take time: what follows them is worth less; so is a long list."""
    worth, time = 0.0, 1.0
    for value in relevance:
        worth += value / time
        time += 1 + 3 * value
    return worth - 0.1 * len(relevance)


MONOTONE = (precision, ndcg, average_precision, reciprocal_rank, success, enough, root, steps)
OTHERS = (variance, impatient)


# The definition.


@dataclass(frozen=True)
class Case:
    before: list[str]
    after: list[str]
    score: Callable[[Array], Any]
    values: tuple[float, ...]
    monotone: bool
    judged: dict[str, int]
    cutoff: int | None
    cut: Cut

    def solve(self, **changes: Any) -> Difference:
        return difference(**{"effort": EFFORT, **vars(self), **changes})


def definition(case: Case) -> tuple[float, float]:
    """Gain and loss: every value for every unjudged document and unseen rank is tried."""
    known = case.values, case.judged, case.cutoff, case.cut
    return black_box.both(case.before, case.after, case.score, *known)


@st.composite
def cases(
    draw: st.DrawFn,
    scores: Sequence[Callable[[Array], Any]],
    cutoff: bool | None = None,
    longest: int = 5,
    binary: bool = False,
) -> Case:
    """A case that is small enough to try every assignment."""
    values = BINARY if binary else draw(st.sampled_from([BINARY, GRADED]))
    size = min(longest, 5 if values == BINARY else 3)
    pool = D[: size + 1]
    limits = st.integers(1, size - 1)
    return Case(
        before=draw(ranked(pool, 0, size)),
        after=draw(ranked(pool, 0, size)),
        score=(score := draw(st.sampled_from(list(scores)))),
        values=values,
        monotone=score in MONOTONE,
        judged=draw(st.dictionaries(st.sampled_from([*pool, "x"]), st.integers(-1, 3), max_size=2)),
        cutoff=draw(limits if cutoff else st.none() | limits),
        cut=draw(st.tuples(st.booleans(), st.booleans())),
    )


def agrees(case: Case, found: Difference) -> None:
    gain, loss = definition(case)
    assert found.gain.value == close(gain, rel=0, abs=EXACT)
    assert found.loss.value == close(loss, rel=0, abs=EXACT)
    assert found.med == max(found.gain.value, found.loss.value)
    assert found.gap == 0
    assert 0 <= found.lower <= found.med


@pytest.mark.parametrize("score", MONOTONE)
@examples(60)
@given(st.data())
def test_every_assignment(score: Callable[[Array], Any], data: st.DataObject) -> None:
    case = data.draw(cases([score]))
    agrees(case, case.solve())


@pytest.mark.parametrize("score", OTHERS)
@examples(100)
@given(st.data())
def test_every_assignment_of_a_score_that_is_not_monotone(
    score: Callable[[Array], Any], data: st.DataObject
) -> None:
    case = data.draw(cases([score]))
    agrees(case, case.solve())


@examples(80)
@given(cases(MONOTONE))
def test_monotone_scores_need_not_be_declared(case: Case) -> None:
    agrees(case, case.solve(monotone=False))


@examples(25)
@given(st.permutations(D[:9]), st.sampled_from(MONOTONE))
def test_every_assignment_of_nine_shared_documents(
    after: list[str], score: Callable[[Array], Any]
) -> None:
    case = Case(D[:9], after, score, BINARY, True, {}, None, BOTH_CUT)
    agrees(case, case.solve())


def test_intermediate_values_matter() -> None:
    """`steps` is best at 0.5 for the document that comes first here and second there."""
    found = favour(["a", "b"], ["b", "a"], steps, values=GRADED, effort=EFFORT)
    assert found.assignment == {"a": 0.5, "b": 0.0}
    assert found.value > favour(["a", "b"], ["b", "a"], steps, effort=EFFORT).value


# The witness.


@examples(120)
@given(cases(MONOTONE + OTHERS), st.sampled_from([1, 20, EFFORT]))
def test_the_witness_reaches_the_value(case: Case, effort: int) -> None:
    found = case.solve(effort=effort)
    directions = [
        (found.gain, case.after, case.before),
        (found.loss, case.before, case.after),
    ]
    for direction, favoured, other in directions:
        scores = [
            float(case.score(np.array(vector))) for vector in (direction.favoured, direction.other)
        ]
        assert scores[0] - scores[1] == close(direction.value, rel=0, abs=EXACT)
        seen = {*favoured[: case.cutoff], *other[: case.cutoff]}
        assert direction.assignment.keys() == seen
        for ranking, vector in ((favoured, direction.favoured), (other, direction.other)):
            assert case.cutoff is None or len(vector) == case.cutoff
            for document, value in zip(ranking, vector, strict=False):
                assert direction.assignment[document] == value
        for document in seen & case.judged.keys():
            grade = min(max(case.judged[document], 0), len(case.values) - 1)
            assert direction.assignment[document] == case.values[grade]


def test_documents_are_anything_hashable() -> None:
    found = favour([1, (2, "b")], [(2, "b"), None], precision, judged={None: 1}, effort=EFFORT)
    assert found.assignment == {1: 1.0, (2, "b"): 0.0, None: 1.0}
    assert found.value == 0


# What lies below the lists.


@examples(100)
@given(cases(MONOTONE + OTHERS, cutoff=True, longest=3, binary=True))
def test_lower_is_never_above_a_continuation(case: Case) -> None:
    assert case.cutoff is not None
    lower = case.solve().lower
    deep = oracle.continuations(case.before, case.after, case.cutoff, case.judged, case.cut)
    for before, after in deep:
        full = Case(**{**vars(case), "before": before, "after": after, "cut": BOTH_ENDED})
        assert max(definition(full)) >= lower - EXACT


@examples(50)
@given(cases(MONOTONE + OTHERS))
def test_lower_is_med_where_nothing_is_unseen(case: Case) -> None:
    whole = [case.solve(cut=BOTH_ENDED), case.solve(cutoff=None)]
    if case.before and case.after:
        whole.append(case.solve(cutoff=1))
    for found in whole:
        assert found.lower == found.med


def test_lower_of_lists_that_end_early() -> None:
    """Two documents at the first ranks here may yet stand at rank 3 there."""
    found = difference(D[:2], D[2:4], ndcg, cutoff=3, effort=EFFORT)
    assert found.med == 1
    assert found.lower == close(ndcg(np.array([1, 1, 0])) - ndcg(np.array([0, 0, 1])))
    unordered = difference(D[:2], D[2:4], variance, monotone=False, cutoff=3, effort=EFFORT)
    assert unordered.lower == 0


# The same measure in medir's own kernels.

LISTS = ranked(D[:10], 0, 8)
GRADES = st.dictionaries(st.sampled_from(D[:12]), st.integers(0, 2), max_size=4)


@examples(50)
@given(LISTS, LISTS, GRADES, st.integers(1, 8), st.sampled_from(UNSEEN))
def test_equals_the_kernels(
    before: list[str], after: list[str], judged: dict[str, int], k: int, unseen: Rule
) -> None:
    cut = cut_of_lists(before, after, unseen)
    options: dict[str, Any] = {"judged": judged, "cut": cut, "effort": EFFORT, "cutoff": k}
    pairs = [
        (medir.nDCG(max_grade=2) @ k, ndcg, (0, 1 / 3, 1)),  # (2^g - 1) / 3
        (medir.AP @ k, average_precision, BINARY),
    ]
    for measure, score, values in pairs:
        row = row_of(measure, before, after, judged, unseen)
        found = difference(before, after, score, values=values, **options)
        assert found.gap == 0
        assert found.gain.value == close(row.gain, rel=0, abs=EXACT)
        assert found.loss.value == close(row.loss, rel=0, abs=EXACT)
        assert found.med == close(row.med, rel=0, abs=EXACT)
        med = medir.med(before, after, measure, judged=judged, unseen=unseen)
        assert found.med == close(med, rel=0, abs=EXACT)
        assert found.lower <= row.med + EXACT


# Long lists, and searches cut short.


def shuffled(count: int, spread: float, seed: int) -> list[str]:
    keys = np.arange(count) + np.random.default_rng(seed).normal(0, spread, count)
    return [D[i] for i in np.argsort(keys)]


@pytest.mark.parametrize("monotone", [True, False])
def test_identical_lists(monotone: bool) -> None:
    for score in (ndcg, variance)[: 1 if monotone else 2]:
        found = difference(D, D, score, monotone=monotone, cutoff=100, effort=1)
        assert (found.med, found.lower, found.gap) == (0, 0, 0)
    short = difference(D[:3], D[:3], ndcg, monotone=monotone, cutoff=4, effort=EFFORT)
    assert short.med > 0


@pytest.mark.parametrize("score", [reciprocal_rank, success, enough])
def test_long_lists_under_scores_that_saturate(score: Callable[[Array], Any]) -> None:
    found = difference(D[:60], shuffled(60, 3.0, 0), score, effort=EFFORT)
    assert found.gap == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("effort", [1, 30, 300])
def test_search_cut_short_gives_a_true_interval(seed: int, effort: int) -> None:
    after = shuffled(18, 2.0, seed)
    proven = row_of(medir.AP @ 18, D[:18], after)
    found = difference(D[:18], after, average_precision, cutoff=18, effort=effort)
    assert found.gap > 0
    for exact, cut in ((proven.gain, found.gain), (proven.loss, found.loss)):
        assert cut.value - EXACT <= exact <= cut.value + cut.gap + EXACT


@pytest.mark.parametrize("seed", range(2))
def test_more_effort_never_widens_the_gap(seed: int) -> None:
    after = shuffled(12, 2.0, seed)
    gaps = [favour(D[:12], after, ndcg, effort=effort).gap for effort in (1, 10, 100, 1000)]
    assert gaps == sorted(gaps, reverse=True)
    assert favour(D[:12], after, ndcg, effort=100_000).gap == 0


@examples(60)
@given(cases(OTHERS))
def test_without_a_bound_the_gap_is_infinite(case: Case) -> None:
    gain, loss = definition(case)
    found = case.solve(effort=1)
    for exact, direction in ((gain, found.gain), (loss, found.loss)):
        assert direction.gap in (0, math.inf)
        assert direction.value <= exact + EXACT
        if direction.gap == 0:
            assert direction.value == close(exact, rel=0, abs=EXACT)
    assert case.solve(effort=1) == found


def test_vectors_are_counted() -> None:
    """Three unknown documents in one list, two in the other: 8 + 4 vectors."""
    lists = (["a", "b", "c"], ["c", "d"])
    assert favour(*lists, variance, monotone=False, effort=12).gap == 0
    assert favour(*lists, variance, monotone=False, effort=11).gap == math.inf


def test_local_search_goes_on_as_long_as_it_may() -> None:
    def calls(effort: int) -> int:
        scored: list[float] = []

        def counted(relevance: Array) -> float:
            scored.append(variance(relevance))
            return scored[-1]

        found = favour(D[:30], D[20:60], counted, monotone=False, effort=effort)
        assert found.gap == math.inf
        assert found.value == close(0.25, abs=0.01)
        return len(scored)

    assert calls(1) < calls(2000) < calls(4000) <= 5000


# Faults of the function.


def solved(score: Callable[[Array], Any], **options: Any) -> Difference:
    return difference(["a", "b"], ["b", "c"], score, name="mine@2", effort=EFFORT, **options)


@pytest.mark.parametrize("monotone", [True, False])
def test_an_exception_of_the_function_is_told(monotone: bool) -> None:
    def broken(relevance: Array) -> float:
        return [1.0, 2.0][len(relevance)]

    with pytest.raises(MeasureError, match=r"mine@2: .*\[.*\].* IndexError: list index") as caught:
        solved(broken, monotone=monotone)
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_function_that_cannot_take_an_empty_list() -> None:
    with pytest.raises(MeasureError, match=r"score of \[\] failed: ZeroDivisionError"):
        favour(["a"], [], lambda relevance: sum(relevance) / len(relevance), effort=1)


@pytest.mark.parametrize(
    "result", [math.nan, math.inf, -math.inf, None, "0.5", [0.5], np.zeros(2), 1j]
)
@pytest.mark.parametrize("monotone", [True, False])
def test_a_score_is_a_finite_number(result: object, monotone: bool) -> None:
    with pytest.raises(MeasureError, match=r"mine@2: .* not a finite number but "):
        solved(lambda _: result, monotone=monotone)


def test_a_score_is_any_kind_of_number() -> None:
    def first_as(kind: Callable[[Any], Any]) -> Callable[[Array], Any]:
        return lambda relevance: kind(relevance[0])

    for kind in (bool, int, np.float32, np.int64, np.bool_):
        assert solved(first_as(kind)).med == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [(D[:4], D[4:8]), (D[:4], D[3::-1]), (D[:4], D[1:5]), (D[:3], []), (D[:6], D[5::-1])],
)
@pytest.mark.parametrize("score", [variance, lambda relevance: -np.sum(relevance)])
def test_a_score_that_only_claims_to_be_monotone(
    before: list[str], after: list[str], score: Callable[[Array], Any]
) -> None:
    def guarded(relevance: Array) -> Any:
        return score(relevance) if len(relevance) else 0

    with pytest.raises(MeasureError, match=r"mine is not monotone: .* declare monotone=False"):
        favour(before, after, guarded, name="mine", effort=EFFORT)


def test_rounding_is_no_contradiction() -> None:
    random = np.random.default_rng(0)

    def noisy(relevance: Array) -> float:
        return 1e6 * (reciprocal_rank(relevance) + 1e-13 * float(random.random()))

    found = favour(D[:8], D[7::-1], noisy, effort=EFFORT)
    assert found.value == close(1e6 * 7 / 8, rel=1e-9)


def test_the_function_may_write_on_its_vector() -> None:
    def careless(relevance: Array) -> float:
        relevance *= 0.5 ** np.arange(len(relevance))
        return float(np.sum(relevance))

    def careful(relevance: Array) -> float:
        return careless(relevance.copy())

    lists: tuple[Sequence[Hashable], Sequence[Hashable]] = (D[:5], D[4::-1])
    assert difference(*lists, careless, effort=EFFORT) == difference(*lists, careful, effort=EFFORT)


def test_judgments_settle_everything() -> None:
    judged: Mapping[str, int] = {"a": 1, "b": 0, "c": 2, "d": -1}
    found = difference(list("abc"), list("cda"), ndcg, judged=judged, cutoff=3, effort=1)
    scores = [ndcg(np.array(vector)) for vector in ([1, 0, 1], [1, 0, 1])]
    assert found.gain.value == -found.loss.value == close(scores[1] - scores[0])
    assert found.gap == 0
