"""`solve`: the relevance that reaches a value, and searches that are cut short."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import medir
from medir import AP, ERR, Cascade, InputError, Measure, MeasureError, Solution, UsageError, nDCG
from tests.cases import dot_product as cases
from tests.cases.cascade import FAMILIES, Case
from tests.cases.cascade import cases as cascades
from tests.cases.runs import EXACT, UNSEEN, ranked, row_of
from tests.oracles import dot_product as oracle
from tests.oracles import exhaustive
from tests.oracles.exhaustive import Formula, average_precision, difference, graded, reciprocal
from tests.profiles import examples

close = partial(pytest.approx, rel=0, abs=EXACT)
D = [f"d{i}" for i in range(1, 101)]
SPENT = 5.0  # seconds; a search that is cut short takes far less


def solved(case: Case | cases.Case, **options: Any) -> Solution:
    judged = case.judged or None
    return medir.solve(
        case.before, case.after, case.measure, judged=judged, unseen=case.unseen, **options
    )


def check_witness(case: Case, solution: Solution) -> None:
    """Both assignments score back to their values, and leave judgments as they are."""
    lists = case.after, case.before
    directions = [(lists, case.cut[1], solution.gain, solution.gain_assignment)]
    directions += [(lists[::-1], case.cut[0], solution.loss, solution.loss_assignment)]
    for (favoured, other), cut, value, assignment in directions:
        assert difference(favoured, other, case.formula, assignment, cut) == close(value)
        check_judged(assignment, case.judged, case.formula.value)
        assert {*assignment.values()} <= {*case.formula.values}
    best = solution.gain_assignment if solution.gain >= solution.loss else solution.loss_assignment
    assert solution.assignment == best


def check_judged(
    assignment: Mapping[str, float], judged: Mapping[str, int], value: Callable[[int], float]
) -> None:
    for document, relevance in assignment.items():
        if document in judged:
            assert relevance == close(value(judged[document]))


def check_as_compared(case: Case | cases.Case, solution: Solution) -> None:
    row = row_of(case.measure, case.before, case.after, case.judged, case.unseen)
    names = "med", "gain", "loss", "lower", "gap", "gain_gap", "loss_gap"
    assert [getattr(row, name) for name in names] == [getattr(solution, name) for name in names]


# Assignments that reach the value.


@pytest.mark.parametrize("family", FAMILIES)
@examples(200)
@given(data=st.data())
def test_witness_of_cascades(family: str, data: st.DataObject) -> None:
    case = data.draw(cascades(family))
    solution = solved(case)
    assert (solution.gain, solution.loss) == close(case.expected())
    assert solution.gap == 0
    check_witness(case, solution)
    check_as_compared(case, solution)


@st.composite
def precisions(draw: st.DrawFn, most: int = 12) -> Case:
    """A case of average precision."""
    pool = D[: draw(st.sampled_from(range(most, 0, -1)))]
    before, after = draw(st.permutations(pool)), draw(st.permutations(pool))
    if draw(st.booleans()):
        before, after = draw(ranked(pool)), draw(ranked(pool))
    judged = draw(st.dictionaries(st.sampled_from([*pool, "x"]), st.integers(-1, 2), max_size=4))
    k = draw(st.integers(1, most + 2))
    ideal = draw(st.sampled_from(["unbounded", "judged", 3]))
    rel = draw(st.integers(1, 2))
    relevant = sum(grade >= rel for grade in judged.values())
    norm = {"unbounded": k, "judged": relevant}.get(str(ideal), 3)
    assume(norm > 0)  # else there is no value
    formula = Formula(average_precision(norm), (0.0, 1.0, 1.0) if rel == 1 else (0.0, 0.0, 1.0), k)
    measure = AP(ideal=ideal, rel=rel) @ k
    return Case(measure, formula, before, after, judged, draw(st.sampled_from(UNSEEN)))


@examples(300)
@given(precisions())
def test_witness_of_average_precision(case: Case) -> None:
    solution = solved(case)
    assert (solution.gain, solution.loss) == close(case.expected())
    assert solution.gap == 0
    check_witness(case, solution)
    check_as_compared(case, solution)


def unseen_gains(
    case: cases.Case, favoured: Sequence[str], assignment: Mapping[str, float]
) -> list[float]:
    """What the unseen ranks of the favoured list hold at best, by what is left of the counts."""
    formula = case.formula
    assert formula.cutoff is not None
    ranks = max(formula.cutoff - len(favoured), 0)
    if formula.counts is None:
        return [formula.values[-1]] * ranks
    known = {d: formula.values[max(grade, 0)] for d, grade in case.grades.items()}
    used = Counter({**assignment, **known}.values())
    absent = [value for document, value in known.items() if document not in favoured]
    available: Counter[float] = Counter()  # grades may have the same value
    for grade, count in formula.counts.items():
        available[formula.values[grade]] += count
    for value, count in available.items():
        absent += [value] * (count - used[value])
    return sorted(absent, reverse=True)[:ranks]


def dot_difference(
    case: cases.Case,
    favoured: Sequence[str],
    other: Sequence[str],
    assignment: Mapping[str, float],
    cut: bool,
) -> float:
    """S(favoured) - S(other) of a measure without decay; `cut` is the favoured list's status."""
    formula = case.formula
    if formula.norm == 0:
        return 0.0
    sums = [
        math.fsum(assignment[slot.document] * slot.weight for slot in oracle.seen(x, formula))
        for x in (favoured, other)
    ]
    if cut and formula.cutoff is None:
        assert formula.tail is not None
        sums[0] += formula.values[-1] * formula.tail(len(favoured))
    elif cut:
        below = enumerate(unseen_gains(case, favoured, assignment), len(favoured) + 1)
        sums[0] += math.fsum(gain * formula.discount(rank) for rank, gain in below)
    return (sums[0] - sums[1]) / formula.norm


def check_dot_product(case: cases.Case) -> None:
    solution = solved(case)
    expected = oracle.both(case.before, case.after, case.formula, case.grades, case.cut)
    assert (solution.gain, solution.loss) == close(expected)
    lists = case.after, case.before
    gain = dot_difference(case, *lists, solution.gain_assignment, case.cut[1])
    loss = dot_difference(case, *lists[::-1], solution.loss_assignment, case.cut[0])
    assert (gain, loss) == close(expected)
    for assignment in (solution.gain_assignment, solution.loss_assignment):
        check_judged(assignment, case.grades, lambda grade: case.formula.values[max(grade, 0)])


@examples(300)
@given(cases.cases())
def test_witness_of_dot_products(case: cases.Case) -> None:
    if case.measure["ideal"] == "judged" and not case.judged:
        return
    check_dot_product(case)


@examples(150)
@given(cases.cases(family="nDCG", ideals=["counts"], declared=True))
def test_witness_within_counts(case: cases.Case) -> None:
    """No more documents of a grade than there are."""
    check_dot_product(case)
    counts = case.formula.counts
    assert counts is not None
    solution = solved(case)
    judged = Counter(grade for grade in case.grades.values() if grade > 0)
    for assignment in (solution.gain_assignment, solution.loss_assignment):
        given_out = Counter(v for d, v in assignment.items() if d not in case.grades and v > 0)
        for grade, value in enumerate(case.formula.values):
            if grade > 0 and case.formula.values.count(value) == 1:
                assert given_out[value] <= counts.get(grade, 0) - judged[grade]


def test_a_navigational_query() -> None:
    """One document of the highest grade: it is at rank 1 before, and at rank 3 after."""
    one = nDCG(ideal={2: 1}, max_grade=2) @ 3
    solution = medir.solve(["a", "b", "c"], ["b", "c", "a"], one)
    assert solution.loss == close(1 - 0.5)
    assert solution.loss_assignment == {"a": 0.75, "b": 0.0, "c": 0.0}
    assert sum(solution.gain_assignment.values()) == 0.75


def test_documents_are_what_they_were() -> None:
    solution = medir.solve([1, 2], iter([2, 3]), "RR", judged={3: 0})
    assert solution.assignment == {1: 1.0, 2: 0.0, 3: 0.0}
    assert solution.med == solution.loss == 1
    assert medir.solve([], [], "ERR", unseen="nothing").assignment == {}


@pytest.mark.parametrize("call", [medir.med, medir.solve, medir.explain])
def test_lists_are_lists(call: Callable[..., object]) -> None:
    for unordered in ({"a", "b"}, frozenset({"a", "b"})):
        with pytest.raises(InputError, match="after: is a set, which has no order"):
            call(["a", "b"], unordered, "nDCG@2")
    with pytest.raises(InputError, match="before: is a mapping where a ranked list was expected"):
        call({"a": 2.0, "b": 1.0}, ["b", "a"], "nDCG@2")


def test_refused() -> None:
    with pytest.raises(UsageError, match="effort"):
        medir.solve(["a"], ["b"], ERR, effort=0)
    with pytest.raises(UsageError, match="unseen"):
        medir.solve(["a"], ["b"], ERR, unseen="all")  # type: ignore[arg-type]
    with pytest.raises(MeasureError, match="no measure"):
        medir.solve(["a"], ["b"], "ERROR@5")


# Searches that are cut short.


def check_interval(case: Case, effort: int) -> None:
    """The maxima lie in [value, value + gap], each with its own gap, and the value is reached."""
    solution = solved(case, effort=effort)
    gain, loss = case.expected()
    for value, gap, exact in (
        (solution.gain, solution.gain_gap, gain),
        (solution.loss, solution.loss_gap, loss),
    ):
        assert value - EXACT <= exact <= value + gap + EXACT
    assert solution.med - EXACT <= max(gain, loss) <= solution.med + solution.gap + EXACT
    assert solution.lower <= max(gain, loss) + EXACT
    check_witness(case, solution)


@pytest.mark.parametrize("family", FAMILIES)
@examples(100)
@given(data=st.data(), effort=st.sampled_from([1, 2, 10, 50, 200]))
def test_interval_of_cascades(family: str, data: st.DataObject, effort: int) -> None:
    check_interval(data.draw(cascades(family)), effort)


@examples(150)
@given(precisions(), st.sampled_from([1, 2, 10, 50, 200]))
def test_interval_of_average_precision(case: Case, effort: int) -> None:
    check_interval(case, effort)


@examples(100)
@given(
    st.permutations(D[:12]),
    st.permutations(D[:12]),
    st.sampled_from([0.05, 0.1, 0.3]),
    st.sampled_from([1, 10, 100, 300]),
)
def test_interval_of_slow_decay(a: list[str], b: list[str], decay: float, effort: int) -> None:
    """Few documents are settled without a search."""
    weights = [1 / math.log2(i + 1) for i in range(1, 13)]
    score = exhaustive.cascade(exhaustive.listed(weights), decay)
    case = Case(Cascade(weights, decay=decay), Formula(score, (0.0, 1.0), 12), a, b, {}, "nothing")
    check_interval(case, effort)


def shuffled(seed: int, count: int) -> list[str]:
    return [D[i] for i in np.random.default_rng(seed).permutation(count)]


SLOW = [1 / math.log2(i + 1) for i in range(1, 61)]
HARD: dict[str, Measure] = {
    "decay 0.05": Cascade(SLOW, decay=0.05),
    "decay 0.1": Cascade(SLOW, decay=0.1),
    "decay 0.2": Cascade(SLOW, decay=0.2),
    "straight": Cascade([1 - i / 80 for i in range(60)], decay=0.1),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", HARD)
def test_two_random_orders_of_sixty(name: str, seed: int) -> None:
    """Too much for the budget: the intervals of all budgets have a value in common."""
    after = shuffled(seed, 60)
    found = []
    for effort in (1, 100, 3000, 100_000):
        started = time.perf_counter()
        found.append(medir.solve(D[:60], after, HARD[name], effort=effort))
        assert time.perf_counter() - started < SPENT
    assert max(found[0].gain_gap, found[0].loss_gap) > 0
    for value in ("gain", "loss"):
        least = max(getattr(solution, value) for solution in found)
        gap = f"{value}_gap"
        assert all(least <= getattr(one, value) + getattr(one, gap) + EXACT for one in found)
        assert all(math.isfinite(getattr(one, gap)) and getattr(one, gap) < 100 for one in found)
    most = max(solution.med for solution in found)
    assert all(most <= one.med + one.gap + EXACT for one in found)
    assert all(one.lower <= found[-1].med + found[-1].gap for one in found)


@pytest.mark.parametrize("seed", range(12))
def test_hurried_search_of_err(seed: int) -> None:
    """Where the budget is enough for a proof, a smaller one says the truth about it."""
    random = np.random.default_rng(seed)
    after = [D[i] for i in np.argsort(np.arange(60) + random.normal(0, 4.0, 60))]
    proven = row_of(ERR, D[:60], after)
    assert (proven.gap, proven.gain_gap, proven.loss_gap) == (0, 0, 0)
    for effort in (1, 50, 500, 2000):
        hurried = medir.solve(D[:60], after, ERR, effort=effort)
        assert hurried.gain <= proven.gain + EXACT <= hurried.gain + hurried.gain_gap + 2 * EXACT
        assert hurried.loss <= proven.loss + EXACT <= hurried.loss + hurried.loss_gap + 2 * EXACT
    case = Case(
        ERR, Formula(exhaustive.cascade(reciprocal, 1.0), graded(2), None, 0.25), D[:60], after,
        {}, "anything",
    )  # fmt: skip
    check_witness(case, medir.solve(D[:60], after, ERR))
    check_witness(case, hurried)
