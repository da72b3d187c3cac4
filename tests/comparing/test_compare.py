"""Comparison against brute force, and the properties that every comparison has."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import medir
from medir import RBP, P, Row, nDCG
from tests.cases.dot_product import IDEALS, SHAPES, Case, cases
from tests.cases.runs import EXACT, UNSEEN, ranked, row_of
from tests.oracles import dot_product as oracle
from tests.oracles.unseen import Rule, cut_of_lists
from tests.profiles import examples

FAMILIES = sorted(SHAPES)
close = pytest.approx


def agrees(row: Row, expected: tuple[float, float]) -> None:
    """The row has this gain and loss, and what follows from them."""
    gain, loss = expected
    assert row.gain == close(gain, rel=0, abs=EXACT)
    assert row.loss == close(loss, rel=0, abs=EXACT)
    assert row.med == close(max(gain, loss), rel=0, abs=EXACT)
    assert row.med == max(row.gain, row.loss)
    assert 0 <= row.lower <= row.med
    assert row.gap == 0


def definition(case: Case) -> tuple[float, float]:
    """Gain and loss by brute force."""
    return oracle.both(case.before, case.after, case.formula, case.grades, case.cut)


# Against the oracle.


@pytest.mark.parametrize("family", FAMILIES)
@examples(800)
@given(st.data())
def test_every_assignment(family: str, data: st.DataObject) -> None:
    case = data.draw(cases(family))
    agrees(case.row(), definition(case))


@examples(500)
@given(cases("nDCG", ideals=["counts"], judged="no"))
def test_every_assignment_within_counts(case: Case) -> None:
    agrees(case.row(), definition(case))


@examples(500)
@given(cases("nDCG", ideals=["counts"], judged="some", unseen="nothing"))
def test_counts_with_judgments_in_complete_lists(case: Case) -> None:
    agrees(case.row(), definition(case))


@examples(500)
@given(cases("nDCG", ideals=["counts"], judged="some", unseen="anything"))
def test_counts_with_judgments(case: Case) -> None:
    """A judged document has its grade already: it can stand at an unseen rank beside the counts."""
    agrees(case.row(), definition(case))


def test_judged_document_at_unseen_rank() -> None:
    """The one relevant document there is may yet turn up at rank 2 of either list."""
    one = nDCG(ideal={2: 1}) @ 2
    short = row_of(one, ["a"], ["b"], {"x": 2})
    longer = row_of(one, ["a", "x"], ["b"], {"x": 2})
    assert longer.med == close(oracle.logarithmic(2))
    assert short.med >= longer.med


@examples(200)
@given(cases(judged="maybe", ideals=["unbounded", "judged", "number"]))
def test_each_document_can_be_decided_alone(case: Case) -> None:
    """The oracle's two ways agree, so the quick one may judge long lists."""
    quick = oracle.by_document(case.before, case.after, case.formula, case.grades, case.cut)
    assert quick == close(definition(case), rel=0, abs=EXACT)


MANY = [f"d{n}" for n in range(60)]


@examples(300)
@given(
    st.integers(1, 50),
    ranked(MANY),
    ranked(MANY),
    st.dictionaries(st.sampled_from(MANY), st.integers(0, 2)),
    st.sampled_from(UNSEEN),
)
def test_long_lists(
    cutoff: int, before: list[str], after: list[str], judged: dict[str, int], unseen: Rule
) -> None:
    values = oracle.relevance("exp", 2, unit=False)
    norm = oracle.ideal_dcg("unbounded", values, oracle.logarithmic, cutoff)
    formula = oracle.Formula(oracle.logarithmic, values, norm, cutoff)
    row = row_of(nDCG(max_grade=2) @ cutoff, before, after, judged, unseen)
    cut = cut_of_lists(before, after, unseen)
    agrees(row, oracle.by_document(before, after, formula, judged, cut))


@examples(200)
@given(
    st.floats(0.5, 0.99),
    ranked(MANY),
    ranked(MANY),
    st.dictionaries(st.sampled_from(MANY), st.integers(0, 1)),
    st.sampled_from(UNSEEN),
)
def test_long_lists_looked_at_endlessly(
    p: float, before: list[str], after: list[str], judged: dict[str, int], unseen: Rule
) -> None:
    discount, tail = oracle.geometric(p)
    formula = oracle.Formula(discount, [0.0, 1.0], 1.0, None, tail)
    row = row_of(RBP(p=p, max_grade=1), before, after, judged, unseen)
    cut = cut_of_lists(before, after, unseen)
    agrees(row, oracle.by_document(before, after, formula, judged, cut))


@examples(300)
@given(cases(judged="all"))
def test_score(case: Case) -> None:
    score = medir.score({"q": case.before}, case.measure, {"q": case.grades})
    expected = oracle.score(case.before, case.formula, case.grades)
    assert score == close({"q": expected}, rel=0, abs=EXACT)


@examples(200)
@given(cases("nDCG", ideals=["counts"], judged="all"))
def test_score_within_counts(case: Case) -> None:
    score = medir.score({"q": case.before}, case.measure, {"q": case.grades})
    expected = oracle.score(case.before, case.formula, case.grades)
    assert score == close({"q": expected}, rel=0, abs=EXACT)


# What lies below the lists.


@examples(300)
@given(cases(cutoff=True, unseen="anything", deepest=3, judgments=2))
def test_med_is_the_largest_of_all_continuations(case: Case) -> None:
    agrees(case.row(), oracle.most_both(case.before, case.after, case.formula, case.grades))


@examples(200)
@given(cases("nDCG", ideals=["counts"], judged="maybe", unseen="anything", deepest=2))
def test_med_within_counts_is_the_largest_of_all_continuations(case: Case) -> None:
    agrees(case.row(), oracle.most_both(case.before, case.after, case.formula, case.grades))


@examples(300)
@given(cases(unseen="anything", deepest=3, longest=3, judgments=2))
def test_lower_is_never_above_a_continuation(case: Case) -> None:
    depth = case.formula.cutoff or 3
    least = oracle.least_med(case.before, case.after, case.formula, case.grades, depth)
    assert case.row().lower <= least + EXACT


@examples(150)
@given(cases("nDCG", ideals=["counts"], unseen="anything", deepest=2, longest=3))
def test_lower_within_counts_is_never_above_a_continuation(case: Case) -> None:
    least = oracle.least_med(case.before, case.after, case.formula, case.grades)
    assert case.row().lower <= least + EXACT


@examples(300)
@given(cases(judged="no", ideals=["unbounded", "number"], unseen="anything", equal_depth=True,
             cutoff=True, deepest=4, longest=5))  # fmt: skip
def test_lower_is_tight_for_equal_depths_without_judgments(case: Case) -> None:
    least = oracle.least_med(case.before, case.after, case.formula)
    assert case.row().lower == close(least, rel=0, abs=EXACT)


@examples(300)
@given(st.sampled_from(["RBP", "INSQ", "Discount by function"]), st.data())
def test_lower_is_tight_where_a_measure_looks_endlessly(family: str, data: st.DataObject) -> None:
    """Four ranks are enough to let two documents of each list turn up in the other."""
    case = data.draw(
        cases(family, judged="no", unseen="anything", equal_depth=True, cutoff=False, longest=2)
    )
    least = oracle.least_med(case.before, case.after, case.formula, depth=4)
    assert case.row().lower == close(least, rel=0, abs=EXACT)


@examples(200)
@given(cases(unseen="nothing", ideals=IDEALS))
def test_lower_of_complete_lists_is_med(case: Case) -> None:
    row = case.row()
    assert row.lower == row.med


# Properties.


@examples(300)
@given(cases(ideals=IDEALS))
def test_identity(case: Case) -> None:
    complete = case.row(after=case.before, unseen="nothing")
    assert (complete.med, complete.gain, complete.loss, complete.lower) == (0, 0, 0, 0)
    if case.formula.cutoff is not None and len(case.before) >= case.formula.cutoff:
        assert case.row(after=case.before, unseen="anything").med == 0


@examples(300)
@given(cases(ideals=IDEALS))
def test_symmetry(case: Case) -> None:
    row, swapped = case.row(), case.row(before=case.after, after=case.before)
    assert swapped.med == close(row.med, rel=0, abs=EXACT)
    assert swapped.gain == close(row.loss, rel=0, abs=EXACT)
    assert swapped.loss == close(row.gain, rel=0, abs=EXACT)
    assert swapped.lower == close(row.lower, rel=0, abs=EXACT)


@examples(300)
@given(cases(ideals=IDEALS), st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6))
def test_triangle_inequality(case: Case, third: list[str]) -> None:
    direct = case.row().med
    detour = case.row(after=third).med + case.row(before=third).med
    assert direct <= detour + EXACT


@examples(300)
@given(cases(judged="no", unseen="anything"))
def test_both_directions_are_equal_without_judgments(case: Case) -> None:
    row = case.row()
    assert row.gain == row.loss


def never_rises_with_depth(case: Case, kept: Sequence[int]) -> None:
    """What is known of the short lists holds for the long ones."""
    short = case.row(before=case.before[: kept[0]], after=case.after[: kept[1]])
    full = case.row()
    assert full.gain <= short.gain + EXACT
    assert full.loss <= short.loss + EXACT
    assert short.lower - EXACT <= full.med <= short.med + EXACT
    assert short.lower <= full.lower + EXACT


@examples(500)
@given(cases(unseen="anything"), st.tuples(st.integers(0, 5), st.integers(0, 5)))
def test_deeper_lists_never_raise_med(case: Case, kept: tuple[int, int]) -> None:
    never_rises_with_depth(case, kept)


@examples(300)
@given(
    cases("nDCG", ideals=["counts"], unseen="anything"),
    st.tuples(st.integers(0, 5), st.integers(0, 5)),
)
def test_deeper_lists_never_raise_med_within_counts(case: Case, kept: tuple[int, int]) -> None:
    never_rises_with_depth(case, kept)


@examples(500)
@given(
    cases(ideals=["unbounded", "number"], declared=True),
    st.sampled_from("abcdefghx"),
    st.data(),
)
def test_judging_never_raises_med(case: Case, document: str, data: st.DataObject) -> None:
    """With the scale of grades declared, so that it stays the same."""
    rest = {d: grade for d, grade in case.grades.items() if d != document}
    grade = data.draw(st.integers(0, case.measure["max_grade"]))
    before, after = case.row(judged=rest), case.row(judged={**rest, document: grade})
    assert after.gain <= before.gain + EXACT
    assert after.loss <= before.loss + EXACT
    assert after.med <= before.med + EXACT


@examples(300)
@given(
    cases("nDCG", ideals=["counts"], declared=True, unseen="nothing"),
    st.sampled_from("abcdefghx"),
    st.data(),
)
def test_judging_never_raises_med_within_counts(
    case: Case, document: str, data: st.DataObject
) -> None:
    """With a grade of which the counts have one left."""
    assert case.formula.counts is not None
    rest = {d: grade for d, grade in case.grades.items() if d != document}
    given_out = list(rest.values())
    left = [g for g, count in case.formula.counts.items() if given_out.count(g) < count]
    grade = data.draw(st.sampled_from([0, *left]))
    before, after = case.row(judged=rest), case.row(judged={**rest, document: grade})
    assert after.gain <= before.gain + EXACT
    assert after.loss <= before.loss + EXACT


@examples(500)
@given(cases(judged="all", ideals=IDEALS))
def test_full_judgments_give_the_difference_of_scores(case: Case) -> None:
    scores = [
        medir.score({"q": documents}, case.measure, {"q": case.grades})["q"]
        for documents in (case.before, case.after)
    ]
    row = case.row(unseen="nothing")
    assert row.med == close(abs(scores[1] - scores[0]), rel=0, abs=EXACT)
    assert row.gain == close(scores[1] - scores[0], rel=0, abs=EXACT)
    assert row.loss == close(scores[0] - scores[1], rel=0, abs=EXACT)


@examples(300)
@given(
    st.integers(1, 30),
    st.lists(st.integers(0, 40), unique=True),
    st.lists(st.integers(0, 40), unique=True),
)
def test_precision_is_overlap(k: int, before: list[int], after: list[int]) -> None:
    overlap = len(set(before[:k]) & set(after[:k]))
    med = medir.med(before, after, P @ k, unseen="anything")
    assert med == close(1 - overlap / k, rel=0, abs=EXACT)


@examples(100)
@given(cases(ideals=IDEALS), cases(ideals=["unbounded", "number"]))
def test_measures_do_not_influence_each_other(case: Case, other: Case) -> None:
    """Together with a measure that looks at other ranks, values stay what they are alone."""
    qrels = None if case.judged is None else {"q": case.grades}
    if other.measure["max_grade"] is not None:
        other_measure = other.measure(max_grade=3)
    else:
        other_measure = other.measure
    assume(case.measure == other_measure or repr(case.measure) != repr(other_measure))
    together = medir.compare(
        {"q": case.before},
        {"q": case.after},
        [other_measure, case.measure],
        qrels=qrels,
        unseen=case.unseen,
    )
    expected = pytest.approx(case.row()[2:], rel=0, abs=EXACT, nan_ok=True)
    assert together.row(0, case.measure)[2:] == expected


@pytest.mark.parametrize("grades", list(itertools.product([-1, 0, 1, 2], repeat=2)))
def test_negative_grades_count_as_zero(grades: tuple[int, int]) -> None:
    judged = dict(zip("ab", grades, strict=True))
    floored = {document: max(grade, 0) for document, grade in judged.items()}
    for measure in ("nDCG@2", "DCG@2", "RBP", "SDCG@2"):
        rows = [row_of(measure, ["a", "c"], ["b", "a"], some) for some in (judged, floored)]
        assert rows[0] == rows[1]
