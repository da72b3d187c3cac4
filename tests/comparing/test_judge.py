"""What to judge next, against brute force, and the properties that suggestions have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import AP, ERR, RBP, RR, InputError, Measure, P, Suggestion, UsageError, nDCG
from medir.comparing.judging.judge import Suggestions
from tests.cases.dot_product import Case as CountsCase
from tests.cases.dot_product import cases
from tests.cases.runs import EXACT, UNSEEN, ranked
from tests.oracles import dot_product as oracle
from tests.oracles.exhaustive import (
    Formula,
    average_precision,
    both,
    cascade,
    graded,
    reciprocal,
    total_discount,
)
from tests.oracles.unseen import Rule, cut_of_lists
from tests.profiles import examples

close = partial(pytest.approx, rel=0, abs=EXACT)
DOCUMENTS = "abcdefgh"
NOISE = 1e-11  # far above rounding, far below any value here


class Values(NamedTuple):
    """What a suggestion says of a document."""

    reduction: float
    med: float
    worst: float
    best: float


@dataclass(frozen=True)
class Case:
    """Lists of one query, what is judged, and a measure beside its definition."""

    measure: Measure
    formula: Formula
    runs: list[list[str]]
    judged: dict[str, int]
    unseen: Rule

    def suggestions(self, **options: Any) -> Suggestions:
        """What medir says."""
        settings: dict[str, Any] = {
            "top": 100,
            "qrels": {"q": self.judged},
            "unseen": self.unseen,
            "threads": 1,
        }
        return medir.judge(
            *({"q": run} for run in self.runs), measures=self.measure, **(settings | options)
        )

    def state(self, judged: Mapping[str, int], every_grade: bool) -> tuple[float, float]:
        """The mean of gain + loss and of MED over the pairs of lists, by trying everything."""
        pairs = [
            both(*pair, self.formula, judged, cut_of_lists(*pair, self.unseen), every_grade)
            for pair in combinations(self.runs, 2)
        ]
        widths, meds = [gain + loss for gain, loss in pairs], [max(pair) for pair in pairs]
        return sum(widths) / len(pairs), sum(meds) / len(pairs)

    def expected(self) -> tuple[dict[str, Values], set[str]]:
        """What every document is worth, and those whose judgment changes nothing."""
        shown = {document for run in self.runs for document in run[: self.formula.cutoff]}
        unjudged = sorted(shown - self.judged.keys())
        state = partial(self.state, every_grade=len(unjudged) < 5)
        width, med = state(self.judged)
        values, idle = {}, set()
        for document in unjudged:
            after = [
                state({**self.judged, document: grade}) for grade in range(len(self.formula.values))
            ]
            widths, meds = zip(*after, strict=True)
            values[document] = Values(width - max(widths), med, max(meds), min(meds))
            if width - min(widths) < NOISE:
                idle.add(document)
        return values, idle


Made = tuple[Measure, Formula]


def _geometric(p: float) -> Callable[[int], float]:
    return lambda rank: (1 - p) * p ** (rank - 1)


def _ndcg(draw: st.DrawFn, k: int) -> Made:
    top = draw(st.integers(1, 3))
    norm = total_discount(oracle.logarithmic, 0, graded(top)[-1], k)
    formula = Formula(cascade(oracle.logarithmic, 0, norm), graded(top), k)
    return nDCG(max_grade=top) @ k, formula


def _rbp(draw: st.DrawFn, k: int) -> Made:
    p = draw(st.sampled_from([0.5, 0.8]))
    return RBP(p=p), Formula(cascade(_geometric(p), 0), (0.0, 1.0), None, keep=p)


def _p(draw: st.DrawFn, k: int) -> Made:
    return P @ k, Formula(cascade(oracle.flat, 0, k), (0.0, 1.0), k)


def _ap(draw: st.DrawFn, k: int) -> Made:
    return AP @ k, Formula(average_precision(k), (0.0, 1.0), k)


def _err(draw: st.DrawFn, k: int) -> Made:
    top = draw(st.integers(1, 3))
    values = graded(top)
    if draw(st.booleans()):
        return ERR(max_grade=top) @ k, Formula(cascade(reciprocal, 1), values, k)
    formula = Formula(cascade(reciprocal, 1), values, None, 1 - values[-1])
    return ERR(max_grade=top), formula


def _rr(draw: st.DrawFn, k: int) -> Made:
    return RR @ k, Formula(cascade(reciprocal, 1), (0.0, 1.0), k)


WITHOUT_DECAY = {"nDCG": _ndcg, "RBP": _rbp, "P": _p}
FAMILIES = WITHOUT_DECAY | {"AP": _ap, "ERR": _err, "RR": _rr}


@st.composite
def judging(
    draw: st.DrawFn,
    family: str | None = None,
    most: int = 8,
    runs: int = 2,
) -> Case:
    """Lists of at most `most` documents together."""
    family = family or draw(st.sampled_from(sorted(FAMILIES)))
    pool = DOCUMENTS[: draw(st.sampled_from(range(most, 1, -1)))]
    lists = [draw(ranked(pool)) for _ in range(runs)]
    measure, formula = FAMILIES[family](draw, draw(st.integers(1, 9)))
    grades = st.integers(0, len(formula.values) - 1)
    judged = draw(st.dictionaries(st.sampled_from([*pool, "x"]), grades, max_size=3))
    return Case(measure, formula, lists, judged, draw(st.sampled_from(UNSEEN)))


def agrees(case: Case) -> None:
    """Every document that counts is there, with the values that brute force gives, best first."""
    expected, idle = case.expected()
    found = {one.document: one for one in case.suggestions()}
    assert set(found) == expected.keys() - idle
    for document, suggestion in found.items():
        assert Values(*suggestion[2:]) == close(expected[document])
    reductions = [one.reduction for one in found.values()]
    assert all(first >= second - EXACT for first, second in pairwise(reductions))
    if found:
        assert reductions[0] == close(max(values.reduction for values in expected.values()))


# Against brute force.


@pytest.mark.parametrize("family", sorted(FAMILIES))
@examples(60)
@given(st.data())
def test_every_document_by_brute_force(family: str, data: st.DataObject) -> None:
    agrees(data.draw(judging(family)))


@examples(60)
@given(judging(most=6, runs=3))
def test_three_runs_by_brute_force(case: Case) -> None:
    agrees(case)


@examples(100)
@given(cases("nDCG", ideals=["counts"], declared=True, unseen="nothing", deepest=4))
def test_a_grade_that_is_used_up_is_not_possible(case: CountsCase) -> None:
    counts = case.formula.counts
    assert counts is not None

    def state(judged: Mapping[str, int]) -> tuple[float, float]:
        pair = oracle.both(case.before, case.after, case.formula, judged, case.cut)
        return sum(pair), max(pair)

    given_out = list(case.grades.values())
    possible = [0, *(g for g, count in counts.items() if given_out.count(g) < count)]
    width, med = state(case.grades)
    lists = {"q": case.before}, {"q": case.after}
    qrels = {"q": case.grades}
    for one in medir.judge(*lists, measures=case.measure, qrels=qrels, unseen=case.unseen):
        after = [state({**case.grades, one.document: grade}) for grade in possible]
        widths, meds = zip(*after, strict=True)
        assert one[2:] == close((width - max(widths), med, max(meds), min(meds)))


# Properties.


@examples(200)
@given(judging())
def test_the_worst_grade_leaves_med_as_it_is(case: Case) -> None:
    """The relevance that reaches MED gives the document some grade: that one is the worst."""
    for suggestion in case.suggestions():
        assert suggestion.worst == close(suggestion.med)


@examples(200)
@given(judging(), st.data())
def test_judging_what_is_suggested_never_raises_med(case: Case, data: st.DataObject) -> None:
    judged = dict(case.judged)
    med = float("inf")
    while suggestions := case.suggestions(qrels={"q": judged}):
        first = suggestions[0]
        assert first.best - EXACT <= first.worst <= first.med + EXACT
        assert first.reduction >= 0
        assert first.med <= med + EXACT
        med = first.med
        grades = st.integers(0, len(case.formula.values) - 1)
        judged[first.document] = data.draw(grades)
    before, after = ({"q": run} for run in case.runs)
    row = medir.compare(before, after, case.measure, qrels={"q": judged}, unseen=case.unseen).row(0)
    assert row.med <= med + EXACT
    if case.unseen == "nothing":
        assert row.gain == close(-row.loss)  # nothing is left open


@examples(200)
@given(st.sampled_from(sorted(WITHOUT_DECAY)), st.data())
def test_without_decay_the_weight_gives_the_reduction(family: str, data: st.DataObject) -> None:
    case = data.draw(judging(family))
    measure, scores = case.measure, {}
    if "ideal" in measure.parameters:
        measure = measure(ideal=measure["ideal"])  # else it is that of the judgments
    for document in DOCUMENTS:
        alone = {d: len(case.formula.values) - 1 if d == document else 0 for d in DOCUMENTS}
        parts = [medir.score({"q": run}, measure, {"q": alone})["q"] for run in case.runs]
        scores[document] = abs(parts[1] - parts[0])
    for suggestion in case.suggestions():
        assert suggestion.reduction == close(scores[suggestion.document])


@examples(200)
@given(st.sampled_from(sorted(WITHOUT_DECAY)), st.data())
def test_without_decay_reductions_add_up(family: str, data: st.DataObject) -> None:
    case = data.draw(judging(family))
    suggestions = case.suggestions()
    some = data.draw(st.sets(st.sampled_from(suggestions))) if suggestions else set()
    grades = st.integers(0, len(case.formula.values) - 1)
    judged = case.judged | {one.document: data.draw(grades) for one in some}
    width, _ = case.state(case.judged, False)
    after, _ = case.state(judged, False)
    assert width - after == close(sum(one.reduction for one in some))


def queries(cases: Sequence[Case]) -> tuple[list[dict[str, list[str]]], dict[str, dict[str, int]]]:
    """The cases as queries of two runs."""
    runs = [{f"q{i}": case.runs[r] for i, case in enumerate(cases)} for r in range(2)]
    return runs, {f"q{i}": case.judged for i, case in enumerate(cases)}


def key(suggestion: Suggestion) -> tuple[float, ...]:
    """The order of suggestions, but for what rounding does."""
    return -round(suggestion.reduction, 9), round(suggestion.worst, 9), round(suggestion.best, 9)


@examples(100)
@given(st.lists(judging("P"), min_size=1, max_size=6), st.integers(1, 60), st.integers(1, 3))
def test_suggestions_spread_over_queries(some: list[Case], n: int, threads: int) -> None:
    runs, qrels = queries(some)
    judge = partial(medir.judge, *runs, measures=P @ 4, qrels=qrels, unseen="anything")
    everything = judge(top=1000, threads=1)
    alone = [
        suggestion
        for query in qrels
        for suggestion in medir.judge(
            *({query: run[query]} for run in runs),
            measures=P @ 4,
            qrels={query: qrels[query]},
            unseen="anything",
            top=1000,
        )
    ]
    assert everything == sorted(alone, key=key)  # stable: queries in order
    assert judge(top=n, threads=threads) == everything[:n]


@examples(50)
@given(st.lists(judging("ERR"), min_size=1, max_size=6), st.integers(1, 60))
def test_threads_and_n_change_nothing(some: list[Case], n: int) -> None:
    runs, qrels = queries(some)
    judge = partial(medir.judge, *runs, measures=ERR(max_grade=3), qrels=qrels)
    everything = judge(top=1000, threads=1)
    assert [key(one) for one in everything] == sorted(key(one) for one in everything)
    assert judge(top=n, threads=3) == everything[:n]


@pytest.mark.parametrize(("measure", "count"), [("AP@100", 100), ("ERR", 30)])
def test_what_is_not_proven_is_not_promised(measure: str, count: int) -> None:
    before = [f"d{i}" for i in range(count)]
    noise = np.random.default_rng(29).normal(0, 20, count)
    after = [before[i] for i in np.argsort(np.arange(count) + noise)]
    lists = {"q": before}, {"q": after}
    row = medir.compare(*lists, measure, effort=1).row(0)
    assert max(row.gain_gap, row.loss_gap) > 0
    judge = partial(medir.judge, *lists, measures=measure, top=100)
    exact = {one.document: one.reduction for one in judge()}
    for suggestion in judge(effort=1):
        assert 0 <= suggestion.reduction <= exact.get(suggestion.document, 0) + EXACT


# Which documents count, and in which order.


def test_ties_go_by_query_and_rank() -> None:
    before = {"q2": ["a", "b", "c"], "q1": ["d", "e", "f"]}
    after = {"q2": ["x", "y", "z"], "q1": ["u", "v", "w"]}
    found = medir.judge(before, after, measures="P@3")
    assert [one.document for one in found] == [*"axbyczduevfw"]
    assert all(one.reduction == close(1 / 3) for one in found)
    assert [one.document for one in medir.judge(before, after, measures="P@3", top=3)] == [*"axb"]


def test_a_query_with_less_at_stake_comes_first_among_equals() -> None:
    before, after = {"q1": ["a", "b"], "q2": ["a", "b"]}, {"q1": ["c", "d"], "q2": ["a", "d"]}
    found = medir.judge(before, after, measures="P@2")
    assert [(one.query_id, one.med) for one in found] == [("q2", 0.5)] * 2 + [("q1", 1.0)] * 4


def test_only_documents_that_can_change_something() -> None:
    before, after = {"q": ["a", "b", "c", "d"]}, {"q": ["a", "c", "b", "e"]}

    def documents(measure: str, **options: Any) -> set[str]:
        return {one.document for one in medir.judge(before, after, measures=measure, **options)}

    assert documents("nDCG@4") == {*"bcde"}  # a stays where it is
    assert documents("nDCG@3") == {*"bc"}
    assert documents("nDCG@4", depth=3) == {*"bc"}
    assert documents("nDCG@4", qrels={"q": {"b": 0, "d": 2, "zz": 1}}) == {*"ce"}
    assert documents("P@3") == set()
    assert documents("ERR@4") == {*"abcde"}  # a relevant first result ends the search in both


def test_several_runs() -> None:
    runs = [{"q": ["a", "b"]}, {"q": ["c", "b"]}, {"q": ["a", "b"]}]
    found = medir.judge(*runs, measures="P@2")
    assert [one.document for one in found] == [*"ac"]  # b stands at the same rank everywhere
    for suggestion in found:
        assert Values(*suggestion[2:]) == close(Values(1 / 3, 1 / 3, 1 / 3, 1 / 3))


def test_queries_that_a_run_does_not_have() -> None:
    runs = [{"q1": ["a"], "q2": ["b"]}, {"q2": ["c"], "q3": ["d"]}, {"q4": ["e"], "q2": ["b"]}]
    judge = partial(medir.judge, *runs, measures="P@1", unseen="nothing")
    assert sorted(one.document for one in judge()) == [*"abcde"]
    assert sorted(one.document for one in judge(missing="skip")) == [*"bc"]
    with pytest.raises(InputError, match="3 queries are not in all runs: q1, q3, q4"):
        judge(missing="error")
    with pytest.raises(InputError, match="no query in common"):
        medir.judge({"q1": ["a"]}, {"q2": ["b"]}, missing="skip")


def test_duplicates() -> None:
    twice = {"q": ["a", "a", "b"]}
    with pytest.raises(InputError, match="appears twice"):
        medir.judge(twice, {"q": ["c"]})
    first = medir.judge(twice, {"q": ["c"]}, measures="P@2", duplicates="first")
    assert [one.document for one in first] == [*"acb"]


def test_progress() -> None:
    seen: list[tuple[int, int]] = []
    run = {f"q{i}": ["a", "b"] for i in range(40)}
    other = {f"q{i}": ["b", "a"] for i in range(40)}
    medir.judge(run, other, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (40, 40)


# Errors.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": "ERR_IA"}, "judgments by intent"),
        ({"measures": "nDCG(ideal='judged')@5"}, "ideal from the judgments"),
        ({"measures": "AP(ideal='judged')@5"}, "ideal from the judgments"),
        ({"top": 0}, "top must be 1 or more, not 0"),
        ({"top": "x"}, "top must be 1 or more"),
        ({"depth": 0}, "depth must be 1 or more"),
        ({"missing": "all"}, "missing must be one of"),
        ({"unseen": "all"}, "unseen must be one of"),
    ],
)
def test_bad_usage(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        medir.judge({"q": ["a"]}, {"q": ["b"]}, **options)


def test_functions_are_refused() -> None:
    mine = medir.define("judge_sum", lambda c: c.sum())
    with pytest.raises(UsageError, match="judge_sum is a function of your own"):
        medir.judge({"q": ["a"]}, {"q": ["b"]}, measures=mine)


# Pool files.


def test_pool_file(tmp_path: Path) -> None:
    found = medir.judge({"q1": ["a", "b"]}, {"q1": ["b", "ü\u00a0"]}, measures="P@2")
    path = tmp_path / "pool.txt"
    path.write_text("old")
    medir.write_pool(path, found)
    assert path.read_text(encoding="utf-8") == "q1 a\nq1 ü\u00a0\n"
    assert [file.name for file in tmp_path.iterdir()] == ["pool.txt"]
    medir.write_pool(path, [])
    assert path.read_text() == ""


def test_pool_file_that_cannot_be(tmp_path: Path) -> None:
    found = medir.judge({"q": ["a b"]}, {"q": ["c"]}, measures="P@1")
    with pytest.raises(UsageError, match="'a b' cannot be written to a pool file"):
        medir.write_pool(tmp_path / "pool.txt", found)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError, match="cannot write"):
        medir.write_pool(tmp_path / "missing" / "pool.txt", [])
