"""MED of cascades: against every assignment, a dynamic program, trec_eval, and values by hand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import AP, ERR, RR, Cascade, MeasureError, Success
from medir.measures import measure
from tests.cases.cascade import FAMILIES, Case, cases, fading, flat
from tests.cases.runs import EXACT, ranked, row_of, write_qrels, write_run
from tests.oracles import dot_product as oracle
from tests.oracles.exhaustive import Formula, both, cascade, graded, most_with_unseen, reciprocal
from tests.oracles.unseen import BOTH_CUT, BOTH_ENDED
from tests.profiles import examples
from tests.shell import medir as shell

close = partial(pytest.approx, rel=0, abs=EXACT)
D = [f"d{i}" for i in range(1, 101)]


# mathematics.md, section 11: ERR as (A favoured, B favoured); A is before.
REFERENCE = {
    "20 disjoint": (D[:20], D[20:40], {}, 0.863046217, 0.863046217),
    "5 identical": (D[:5], D[:5], {}, 0.159326572, 0.159326572),
    "10 reversed": (D[:10], D[9::-1], {}, 0.747198219, 0.747198219),
    "B = d4..d13": (D[:10], D[3:13], {}, 0.860757888, 0.628447714),
    "B = d3..d6": (D[:8], D[2:6], {}, 0.852331643, 0.558739478),
    "judged": (
        D[:10],
        D[9::-1],
        {"d1": 2, "d4": 1, "d10": 0, "d6": 2},
        0.680783845,
        -0.343441036,
    ),
}


@pytest.mark.parametrize("case", REFERENCE)
def test_reference_values(case: str) -> None:
    before, after, judged, loss, gain = REFERENCE[case]
    row = row_of("ERR", before, after, judged or None)
    solution = medir.solve(before, after, "ERR", judged=judged or None)
    for found in (row, solution):
        assert found.gain == pytest.approx(gain, rel=0, abs=1e-9)
        assert found.loss == pytest.approx(loss, rel=0, abs=1e-9)
        assert found.gap == 0
    value = medir.med(before, after, ERR, judged=judged or None)
    assert value == row.med == solution.med == max(row.gain, row.loss)


def test_identical_lists_by_hand() -> None:
    """ERR of 1 list of 5: sum_{i>5} r (1-r)^(i-6) / i with r = 3/4, twenty terms and the rest."""
    expected = math.fsum(0.75 * 0.25 ** (i - 6) / i for i in range(6, 40))
    assert medir.med(D[:5], D[:5], ERR) == close(expected)


# Against every assignment.


def check(case: Case, gain: float, loss: float) -> None:
    row = row_of(case.measure, case.before, case.after, case.judged, case.unseen)
    assert row.gain == close(gain)
    assert row.loss == close(loss)
    assert row.med == max(row.gain, row.loss)
    assert row.gap == 0
    assert 0 <= row.lower <= max(row.med, 0)
    if case.unseen == "nothing":
        assert row.lower == row.med


@pytest.mark.parametrize("family", FAMILIES)
@examples(250)
@given(data=st.data())
def test_equals_brute_force(family: str, data: st.DataObject) -> None:
    case = data.draw(cases(family))
    check(case, *case.expected())


@examples(60)
@given(
    st.permutations(D[:12]),
    st.permutations(D[:12]),
    st.sampled_from([0.1, 0.5, 0.9, 1.0]),
    st.sampled_from(["binary", "graded"]),
    st.sampled_from([reciprocal, fading, flat]),
)
def test_twelve_shared_documents(
    a: list[str], b: list[str], decay: float, relevance: str, discount: Callable[[int], float]
) -> None:
    values = graded(2) if relevance == "graded" else (0.0, 1.0)
    formula = Formula(cascade(discount, decay), values, 12)
    made = Cascade([discount(i) for i in range(1, 13)], decay=decay, relevance=relevance)
    case = Case(made, formula, a, b, {}, "anything")
    check(case, *case.expected())


@pytest.mark.parametrize("family", ["ERR", "Cascade"])
@examples(100)
@given(data=st.data())
def test_intermediate_grades_do_no_better(family: str, data: st.DataObject) -> None:
    case = data.draw(cases(family, most=5))
    check(case, *case.expected(intermediate=True))


@pytest.mark.parametrize("family", FAMILIES)
@examples(60)
@given(data=st.data())
def test_unseen_ranks_hold_documents_of_any_grade(family: str, data: st.DataObject) -> None:
    """That the favoured list has relevant unseen ranks, and the other none, is not assumed."""
    case = data.draw(cases(family, most=3, cutoff=True))
    rest = case.formula, case.judged
    gain = most_with_unseen(case.after, case.before, *rest, case.cut[::-1])
    loss = most_with_unseen(case.before, case.after, *rest, case.cut)
    check(case, gain, loss)


# Larger lists, by a dynamic program.


def straddlers(before: Sequence[str], after: Sequence[str]) -> int:
    """The most shared documents that stand above a cut in one list and below it in the other."""
    shared = {*before} & {*after}
    cuts = range(max(len(before), len(after)))
    return max(len(({*before[:t]} ^ {*after[:t]}) & shared) for t in cuts)


def program(
    favoured: Sequence[str], other: Sequence[str], judged: Mapping[str, int], k: int | None
) -> float:
    """The largest difference in ERR (G = 2): section 4 of the design's mathematics.md.

    V_t(s) is the best that the ranks below t add, s being the straddlers that are relevant, when
    the documents that stand above t in both lists count for nothing yet.
    """
    top, keep = 0.75, 0.25
    favoured, other = favoured[:k], other[:k]
    known = {d: graded(2)[grade] for d, grade in judged.items()}
    known = dict.fromkeys(other, 0.0) | dict.fromkeys(favoured, top) | known
    unknown = ({*favoured} & {*other}) - judged.keys()
    first, second = ({d: rank for rank, d in enumerate(x)} for x in (favoured, other))
    ends = max(len(favoured), len(other))

    def reaches(documents: Sequence[str]) -> list[float]:
        factors = [1.0 if d in unknown else 1 - known[d] for d in documents]
        factors += [1.0] * (ends - len(documents))
        return list(itertools.accumulate(factors, lambda a, b: a * b, initial=1.0))

    mine, theirs = reaches(favoured), reaches(other)
    below = range(len(favoured) + 1, (k or len(favoured) + 60) + 1)
    tail = math.fsum(top * keep**n / rank for n, rank in enumerate(below))

    @cache
    def best(t: int, relevant: frozenset[str]) -> float:
        if t == ends:
            return mine[t] * tail
        here = [x[t] if t < len(x) else None for x in (favoured, other)]
        reach = mine[t] * keep ** sum(first[d] < t for d in relevant)
        other_reach = theirs[t] * keep ** sum(second[d] < t for d in relevant)
        new = sorted({d for d in here if d in unknown and min(first[d], second[d]) == t})
        values = []
        for chosen in itertools.product((False, True), repeat=len(new)):
            now = relevant | {d for d, one in zip(new, chosen, strict=True) if one}
            gains = [
                0 if d is None else top * (d in now) if d in unknown else known[d] for d in here
            ]
            closed = {d for d in now if max(first[d], second[d]) == t}
            rest = keep ** len(closed) * best(t + 1, frozenset(now - closed))
            values.append((reach * gains[0] - other_reach * gains[1]) / (t + 1) + rest)
        return max(values)

    return best(0, frozenset())


def perturbed(random: np.random.Generator, kind: int) -> tuple[list[str], list[str]]:
    """Two lists of 20 to 60 documents: a few swaps, a document on top, or moves near and far."""
    before = D[: int(random.integers(20, 61))]
    after = list(before)
    if kind % 2 == 0:
        for i in random.integers(0, len(after) - 1, random.integers(1, 5)):
            after[i], after[i + 1] = after[i + 1], after[i]
        if kind % 4 == 0:
            after.insert(0, "new")
        return before, after
    while True:
        keys = np.arange(len(before)) + random.normal(0, random.uniform(0.5, 2.5), len(before))
        after = [before[i] for i in np.argsort(keys)][: int(random.integers(10, 61))]
        if straddlers(before, after) <= 8:
            return before, after


@pytest.mark.parametrize("seed", range(160))
def test_equals_a_dynamic_program(seed: int) -> None:
    random = np.random.default_rng(seed)
    before, after = perturbed(random, seed)
    assert straddlers(before, after) <= 10
    chosen = random.choice(before, 6 * (seed % 3 == 0), replace=False)
    judged = {str(d): int(random.integers(0, 3)) for d in chosen}
    judged |= {"judged elsewhere": 2} if judged else {}
    k = int(random.integers(5, 70)) if seed % 5 == 0 else None
    row = row_of(ERR if k is None else ERR @ k, before, after, judged or None)
    assert row.gain == close(program(after, before, judged, k))
    assert row.loss == close(program(before, after, judged, k))
    assert row.gap == 0


def test_dynamic_program_is_right() -> None:
    """It agrees with every assignment where these are few."""
    random = np.random.default_rng(0)
    for k in (None, 4, 8, 11):
        before, after = ([D[i] for i in random.permutation(9)[:size]] for size in (8, 7))
        formula = Formula(cascade(reciprocal, 1.0), graded(2), k, 0.25)
        gain, loss = both(before, after, formula, {"d1": 1}, BOTH_CUT)
        assert program(after, before, {"d1": 1}, k) == close(gain)
        assert program(before, after, {"d1": 1}, k) == close(loss)


# What MED cannot fall below.


@pytest.mark.parametrize("family", FAMILIES)
@examples(60)
@given(data=st.data())
def test_lower_holds_for_every_continuation(family: str, data: st.DataObject) -> None:
    """Also where there is nothing at all below rank 3."""
    case = data.draw(cases(family, most=3, longest=2, judgments=2))
    row = row_of(case.measure, case.before, case.after, case.judged)
    depth = min(case.formula.cutoff or 3, 3)
    for lists in oracle.continuations(case.before, case.after, depth, case.judged):
        deeper = max(both(*lists, case.formula, case.judged, BOTH_ENDED))
        assert row.lower <= deeper + EXACT
        assert deeper <= row.med + EXACT


def test_lower_is_not_trivial() -> None:
    """Success: "a" is relevant; of the others none is, wherever they stand."""
    assert row_of(Success @ 1, ["a"], ["b"]).lower == 1
    assert row_of(RR, ["a", "b"], ["b", "c", "a"]).lower == close(1 - 1 / 3)


# With full judgments.


@examples(200)
@given(ranked(D[:8], 1), ranked(D[:8], 1), st.lists(st.integers(0, 2), min_size=12, max_size=12))
def test_agrees_with_trec_eval(before: list[str], after: list[str], grades: list[int]) -> None:
    judged = dict(zip(D[:12], grades, strict=True))
    evaluator = pytrec_eval.RelevanceEvaluator({"q": judged}, {"recip_rank", "success", "map"})
    first, second = (
        evaluator.evaluate({"q": {d: -float(rank) for rank, d in enumerate(x)}})["q"]
        for x in (before, after)
    )
    measures = {"recip_rank": RR, "map": AP(ideal="judged") @ 8}
    measures |= {f"success_{k}": Success @ k for k in (1, 5, 10)}
    for name, one in measures.items():
        if name != "map" or any(grades):  # else there is no value
            row = row_of(one, before, after, judged, "nothing")
            assert row.gain == pytest.approx(second[name] - first[name], rel=0, abs=1e-9)
            assert row.gain == -row.loss
        assert medir.score({"q": after}, one, {"q": judged})["q"] == close(second[name])


def test_err_by_hand() -> None:
    """Grades up to 2: r = 0, 1/4, 3/4.

    a b c d = 1 0 2 1: 1/4 + 0 + (3/4)(3/4)/3 + (3/4)(1/4)(1/4)/4 = 0.25 + 0.1875 + 0.01171875
    """
    judged = {"a": 1, "b": 0, "c": 2, "d": 1}
    expected = {"ERR@1": 0.25, "ERR@2": 0.25, "ERR@3": 0.4375, "ERR@4": 0.44921875}
    for name, value in {**expected, "ERR": 0.44921875}.items():
        assert medir.score({"q": [*"abcd"]}, name, {"q": judged}) == {"q": close(value)}
    # c a b d = 2 1 0 1: 3/4 + (1/4)(1/4)/2 + 0 + (1/4)(3/4)(1/4)/4 = 0.79296875
    row = row_of("ERR@4", [*"abcd"], [*"cabd"], judged)
    assert row.gain == -row.loss == close(0.79296875 - 0.44921875)
    # G = 4, as gdeval has it: r = 1/16 and 3/16; 1/16 + (15/16)(3/16)/3 + (15/16)(13/16)(1/16)/4
    value = 1 / 16 + 15 / 256 + 195 / 16384
    graded_to_four = medir.score({"q": [*"abcd"]}, "ERR(max_grade=4)@4", {"q": judged})
    assert graded_to_four == {"q": close(value)}


# Measures of the user's own, the shell, and what is refused.


def test_cascade_covers_the_others() -> None:
    lists = D[:7], [*D[3:9], "d1"]
    weights = [1 / i for i in range(1, 11)]
    pairs = [
        (ERR @ 10, Cascade(weights, relevance="graded")),
        (RR @ 10, Cascade(weights)),
        (Success @ 10, Cascade([1] * 10, decay=1)),
    ]
    for one, same in pairs:
        rows = [row_of(x, *lists, {"d5": 1, "d2": 0}) for x in (one, same)]
        assert (rows[0].gain, rows[0].loss) == (rows[1].gain, rows[1].loss)
    halved = Cascade(weights, norm=2)
    assert medir.med(*lists, halved) == medir.med(*lists, Cascade(weights)) / 2


def test_names() -> None:
    assert measure("err@20") == ERR @ 20
    assert measure("recip_rank") == measure("MRR") == RR
    assert measure("success_5") == Success @ 5
    assert repr(Success) == "Success@10"
    assert repr(Cascade([1, 0.5], decay=0.5)) == "Cascade(discount=[1.0, 0.5], decay=0.5)"
    named = Cascade(fading, decay=0.5, name="PatientReader")
    assert repr(named @ 5) == "PatientReader@5"
    assert measure("patientreader@5") == named @ 5


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: measure("Cascade"), "Cascade needs its discount"),
        (lambda: medir.solve(["a"], ["b"], Cascade), "Cascade needs its discount"),
        (lambda: Cascade([1], decay=0), "Cascade: decay is a number above 0 and at most 1, not 0"),
        (lambda: Cascade([1], decay=1.1), "decay is a number above 0 and at most 1, not 1.1"),
        (lambda: Cascade(fading), "a function of rank needs a name"),
        (lambda: Cascade([1, 2]), "never rise with rank"),
        (lambda: Cascade([1], relevance="linear"), "relevance is one of 'binary', 'graded'"),
        (lambda: Cascade([1], relevance="graded", rel=2), "rel goes with relevance='binary' only"),
        (lambda: Cascade([1], discounts=[1]), "Cascade has no parameter 'discounts'; did you mean"),
        (lambda: Cascade([1], name="RR_5"), "must be a new word"),
        (lambda: ERR(rel=2), "ERR: rel goes with gains='binary' only"),
        (lambda: RR(p=0.5), "RR has no parameter 'p'; it has rel"),
        (lambda: medir.med("a", "b", Cascade(flat, decay=1e-9, name="Slow")), "set a cutoff"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        make()
    assert message in str(caught.value)


def test_shell(tmp_path: Path) -> None:
    before, after = {"q": D[:10]}, {"q": D[9::-1]}
    judged = {"d1": 2, "d4": 1, "d10": 0, "d6": 2}
    done = shell(
        *("compare", write_run(tmp_path / "A", before), write_run(tmp_path / "B", after)),
        *("-m", "ERR", "-m", "RR@10", "--format", "csv"),
        *("--qrels", write_qrels(tmp_path / "qrels", {"q": judged})),
    )
    assert (done.code, done.err) == (0, "")
    header, *lines = (line.split(",") for line in done.out.splitlines())
    rows = {row["measure"]: row for row in (dict(zip(header, x, strict=True)) for x in lines)}
    assert float(rows["ERR"]["loss"]) == pytest.approx(0.680783845, rel=0, abs=1e-9)
    # d1 is relevant, so RR@10 of A is 1; B has d10, not relevant, then d9.
    assert float(rows["RR@10"]["gain"]) == close(-0.5)
    assert float(rows["RR@10"]["loss"]) == close(0.8)
