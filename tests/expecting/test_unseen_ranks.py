"""Documents of their own below lists that were cut, and none below lists that ended."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import UsageError
from tests.cases.expectations import agrees, close, likelihoods, logarithmic, named
from tests.cases.runs import UNSEEN
from tests.cases.unseen import DOCUMENTS, TOP, Runs, runs, saturated
from tests.oracles.exhaustive import average_precision, cascade, graded, reciprocal
from tests.oracles.expectation import Score, Truth, dot, enumerate_all
from tests.profiles import examples

K = 3
OWN = medir.define("saturated_of_expect", saturated)


def saturated_of(gains: Any) -> Any:
    """As `saturated`, for many assignments at once."""
    total = sum(gain / rank for rank, gain in enumerate(gains, 1))
    return total - (total - 1.2) * (total > 1.2)


NORM = sum(map(logarithmic, range(1, K + 1))) * graded(TOP)[-1]
SHAPES: dict[str, tuple[Any, Score, tuple[float, ...]]] = {
    "dot product": (f"nDCG(max_grade=2)@{K}", dot(logarithmic, NORM), graded(TOP)),
    "cascade": (f"ERR(max_grade=2)@{K}", cascade(reciprocal, 1.0), graded(TOP)),
    "average precision": (f"AP@{K}", average_precision(K), (0.0, 1.0, 1.0)),
    "function": (OWN @ K, saturated_of, (0.0, 1.0, 1.0)),
}


def filled(case: Runs, query: str) -> list[list[str]]:
    """Both lists, with documents of their own at the unseen ranks below those that were cut."""
    return [
        [*some, *(f"{side} {rank}" for rank in range(len(some) + 1, K + 1) if cut)]
        for some, side, cut in zip(
            case.lists(query), ("before", "after"), case.cut[query], strict=True
        )
    ]


def truth_of(case: Runs, query: str, shape: str, likely: dict[str, float]) -> Truth:
    _, score, values = SHAPES[shape]
    known = {d: values[grade] for d, grade in case.qrels.get(query, {}).items()}
    before, after = filled(case, query)
    return enumerate_all(before, after, score, K, known, likely, values[-1])


@pytest.mark.parametrize("shape", SHAPES)
@examples(50)
@given(runs(longest=4, most=4), likelihoods, st.sampled_from([0.0, 0.3, 1.0]))
def test_a_prior_by_document(shape: str, case: Runs, likely: list[float], default: float) -> None:
    """At an unseen rank it is the default."""
    by_document = named(likely, DOCUMENTS)
    result = medir.expect(
        case.before,
        case.after,
        SHAPES[shape][0],
        prior=dict.fromkeys(case.queries, by_document),
        default=default,
        qrels=case.qrels or None,
        **case.options,
    )
    assert result.queries == case.queries
    for position, query in enumerate(case.queries):
        p = {d: default for some in filled(case, query) for d in some} | by_document
        agrees(result.row(position), truth_of(case, query, shape, p))
    counts = [sum(any(case.unseen(query, K)) for query in case.queries)]
    assert list(result.comparison.unseen_queries) == counts


@pytest.mark.parametrize("shape", SHAPES)
@examples(40)
@given(runs(longest=4, most=3))
def test_a_prior_by_rank(shape: str, case: Runs) -> None:
    """At an unseen rank it is that of the rank."""

    def prior(rank: int) -> float:
        return 1 / (rank + 1)

    result = medir.expect(
        case.before,
        case.after,
        SHAPES[shape][0],
        prior=prior,
        qrels=case.qrels or None,
        **case.options,
    )
    for position, query in enumerate(case.queries):
        ranks: dict[str, int] = {}
        for some in filled(case, query):
            for rank, document in enumerate(some, 1):
                ranks[document] = min(rank, ranks.get(document, rank))
        p = {document: prior(rank) for document, rank in ranks.items()}
        agrees(result.row(position), truth_of(case, query, shape, p))


def test_by_hand() -> None:
    """P@2 of lists of 1 result: two were cut and one, of a run that nothing cut, ended."""
    before = {"q1": ["a"], "q2": ["b"]}
    after = {"q1": ["a"], "q2": ["b", "c"]}
    result = medir.expect(before, after, "P@2", prior=0.5)
    # q1 before may have one more relevant document; q2 too, but after has c at the same chance.
    assert result.column("P@2").tolist() == close([-0.25, 0.0])
    ended = medir.expect(before, after, "P@2", prior=0.5, unseen="nothing")
    assert ended.column("P@2").tolist() == close([0.0, 0.25])
    every = medir.expect(before, after, "P@2", prior=0.5, unseen="anything")
    assert every.column("P@2").tolist() == close([0.0, 0.0])


@pytest.mark.parametrize("rule", UNSEEN)
def test_endless_measures_where_no_list_was_cut(rule: Any) -> None:
    """Only ranks without end cannot be sampled."""
    before, after = {"q1": ["a", "b"], "q2": ["b"]}, {"q1": ["b"], "q2": []}
    cut = {**before, "q2": ["c", "d"]}
    options: Any = {"prior": 0.5, "unseen": rule}
    if rule == "anything":
        with pytest.raises(UsageError, match="has no cutoff, and unseen ranks without end"):
            medir.expect(before, {"q1": ["b", "c"]}, "RBP", **options)
        return
    # After has one list with results, which was cut under auto.
    if rule == "auto":
        with pytest.raises(UsageError, match="has no cutoff"):
            medir.expect(before, after, "RBP", **options)
        with pytest.raises(UsageError, match="has no cutoff"):
            medir.expect(cut, cut, "RBP", **options)
        with pytest.raises(UsageError, match="has no cutoff"):
            medir.expect(before, before, "RBP", depth=1, **options)
    for depth in (None, 2, 100):  # which cuts nothing
        found = medir.expect(before, before, "RBP", depth=depth, **options)
        assert found.column("RBP").tolist() == [0, 0]
