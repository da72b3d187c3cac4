"""ir_measures: its measures in medir, MED in its functions, and its rows as runs and judgments.

Every expected value is computed by ir_measures itself, or by medir from TREC text.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.errors import MeasureError, UsageError
from tests.cases.libraries import Pair, compare, rows, same
from tests.integrations.packages import needed

ir_measures: Any = needed("ir_measures")

Grades = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

DOCUMENTS = [f"d{number}" for number in range(30)]
SEEDS = range(25)


def test_scored_documents_and_judgments(pair: Pair, tmp_path: Path) -> None:
    before, after = (
        [ir_measures.ScoredDoc(*row) for row in rows(some)] for some in (pair.before, pair.after)
    )
    qrels = [
        ir_measures.Qrel(query, document, int(grade))
        for query, document, grade in rows(pair.judged)
    ]
    same(compare(before, iter(after)), pair.expected(tmp_path))
    same(compare(before, after, qrels=iter(qrels)), pair.expected(tmp_path, judged=True))


def test_what_ir_measures_reads(pair: Pair, tmp_path: Path) -> None:
    before, after, judged = map(str, pair.files(tmp_path))
    runs = ir_measures.read_trec_run(before), ir_measures.read_trec_run(after)
    result = compare(*runs, qrels=ir_measures.read_trec_qrels(judged))
    same(result, pair.expected(tmp_path, judged=True))


def run(seed: int, longest: int = 20) -> Scores:
    """Results without ties: ir_measures' providers break them in different ways."""
    chance = random.Random(seed)
    return {
        query: {
            document: float(longest - rank)
            for rank, document in enumerate(chance.sample(DOCUMENTS, chance.randint(1, longest)))
        }
        for query in ("1", "2", "3")
    }


def judgments(seed: int, highest: int = 4) -> Grades:
    """A grade for every document; one at least is the highest."""
    chance = random.Random(1000 + seed)
    return {
        query: {document: chance.choice([0, 0, 1, 2, 3, highest]) for document in DOCUMENTS}
        | {"d0": highest}
        for query in ("1", "2", "3")
    }


def measures() -> list[Any]:
    from ir_measures import AP, ERR, INSQ, RBP, RR, SDCG, P, Success, nDCG

    return [
        nDCG,
        nDCG @ 5,
        nDCG(dcg="exp-log2") @ 10,
        AP,
        AP @ 7,
        AP(rel=2),
        AP(rel=3) @ 10,
        P @ 5,
        P(rel=2) @ 10,
        RR,
        RR @ 3,
        RR(rel=3),
        RBP(rel=1),
        RBP(p=0.9, rel=2),
        ERR @ 10,
        Success @ 5,
        Success(rel=4) @ 2,
        SDCG(max_rel=4) @ 10,
        INSQ(max_rel=4),
        INSQ(T=2.0, max_rel=4),
    ]


def values(measure: Any, qrels: Grades, some: Scores) -> dict[str, float]:
    return {
        row.query_id: row.value * _normaliser(measure)
        for row in ir_measures.iter_calc([measure], qrels, some)
    }


def _normaliser(measure: Any) -> float:
    """cwl_eval, which computes INSQ there, divides by the sum of the first 1,000 discounts."""
    if measure.NAME != "INSQ":
        return 1.0
    first = 2 * measure["T"]  # discounts are 1 / (i + 2T - 1)^2 from i = 1
    seen = math.fsum((first + rank) ** -2 for rank in range(1000))
    rest = first + 1000 - 0.5  # the sum of the others, by the midpoint rule
    return float(seen / (seen + 1 / rest))


def tolerance(measure: Any) -> float:
    """Gdeval prints five places."""
    by_gdeval = measure.NAME == "ERR" or measure.params.get("dcg") == "exp-log2"
    return 1.1e-5 if by_gdeval else 1e-9


@pytest.mark.parametrize("measure", measures(), ids=str)
def test_scores_are_those_of_ir_measures(measure: Any) -> None:
    for seed in SEEDS:
        qrels, some = judgments(seed), run(seed)
        scores = medir.score(some, qrels=qrels, measures=measure)
        expected = values(measure, qrels, some)
        found = dict(zip(scores.queries, scores.column(measure).tolist(), strict=True))
        assert found == pytest.approx(expected, abs=tolerance(measure))


@pytest.mark.parametrize("measure", measures(), ids=str)
def test_full_judgments_leave_the_difference_of_ir_measures(measure: Any) -> None:
    for seed in SEEDS:
        qrels, before, after = judgments(seed), run(seed), run(seed + 100)
        result = medir.compare(before, after, measure, qrels=qrels, unseen="nothing")
        first, second = (values(measure, qrels, one) for one in (before, after))
        for row in result:
            change = second[row.query_id] - first[row.query_id]
            assert row.gain == pytest.approx(change, abs=2 * tolerance(measure))
            assert row.med == pytest.approx(abs(change), abs=2 * tolerance(measure))


def test_judged_is_the_share_of_judged_results() -> None:
    qrels = {"1": {"a": 1, "c": 0}}
    some = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    measure = ir_measures.Judged @ 2
    found = medir.score(some, qrels=qrels, measures=measure).column(measure)
    assert found.tolist() == [values(measure, qrels, some)["1"]]


def test_graded_rbp_is_linear_in_the_grade() -> None:
    """No provider computes RBP without rel; ir_measures says that it has graded relevance."""
    measure = ir_measures.RBP(p=0.5)
    qrels, some = {"1": {"a": 2, "b": 4}}, {"1": ["a", "b", "c"]}
    found = medir.score(some, qrels=qrels, measures=measure)
    assert found.column(measure).tolist() == [pytest.approx(0.5 * 0.5 + 0.25 * 1)]


@pytest.mark.parametrize(
    ("measure", "written"),
    [
        (ir_measures.nDCG @ 10, "nDCG(gains='linear')@10"),
        (ir_measures.nDCG(dcg="exp-log2") @ 10, "nDCG@10"),
        (ir_measures.AP(rel=2) @ 50, "AP(rel=2)@50"),
    ],
)
def test_without_judgments_the_ideal_is_unbounded(measure: Any, written: str) -> None:
    before, after = run(1), run(2)
    result = medir.compare(before, after, measure)
    expected = medir.compare(before, after, written)
    assert list(result) == list(expected)
    assert result.column(measure).tolist() == expected.column(written).tolist()
    lists = ["a", "b", "c"], ["b", "d", "a"]
    assert medir.med(*lists, measure) == medir.med(*lists, written)
    assert medir.solve(*lists, measure).med == medir.solve(*lists, written).med
    assert medir.explain(*lists, measure).sentence == medir.explain(*lists, written).sentence
    assert medir.matrix({"a": before, "b": after}, measure).mean(measure) is not None
    assert medir.expect(before, after, measure, prior=0.2).mean(measure).expected == (
        medir.expect(before, after, written, prior=0.2).mean(written).expected
    )


def test_several_measures_also_mixed() -> None:
    result = medir.compare(run(1), run(2), [ir_measures.P @ 5, "RBP", ir_measures.RR])
    assert list(map(str, result.measures)) == ["P@5", "RBP(p=0.9)", "RR"]


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (ir_measures.R @ 10, "divides by the number of relevant documents"),
        (ir_measures.Rprec, "its cutoff is the number of relevant documents"),
        (ir_measures.Bpref, "judged documents only"),
        (ir_measures.NumRet, "counts queries, results or judgments"),
        (ir_measures.IPrec @ 0.1, "number of relevant documents"),
        (ir_measures.INST(max_rel=2), "does not have it"),
        (ir_measures.BPM(max_rel=2) @ 10, "does not have it"),
        (ir_measures.Compat(p=0.9), "does not have it"),
        (ir_measures.alpha_nDCG @ 20, "not supported"),
        (ir_measures.ERR_IA @ 20, "not supported"),
        (ir_measures.P(judged_only=True) @ 5, "leave judged_only out"),
        (ir_measures.nDCG(gains={1: 5}) @ 5, "map the grades"),
        (ir_measures.SDCG(min_rel=1, max_rel=3) @ 5, "leave min_rel out"),
        (ir_measures.SDCG @ 5, "max_rel=2"),
        (ir_measures.P, "needs a cutoff"),
        (ir_measures.AP(rel=0), "choose rel=1 or more"),
        (ir_measures.define_byquery(lambda qrels, run: 0.0, "mine"), "medir.define"),
    ],
    ids=str,
)
def test_what_medir_does_not_have_is_refused_with_a_reason(measure: Any, words: str) -> None:
    with pytest.raises(MeasureError, match=words):
        medir.compare(run(1), run(2), measure, qrels=judgments(1))


def test_as_deep_as_the_lists_needs_judgments() -> None:
    with pytest.raises(MeasureError, match="give qrels, or a cutoff: AP@100"):
        medir.compare(run(1), run(2), ir_measures.AP)


def test_med_is_a_measure_of_ir_measures() -> None:
    from medir.integrations.ir_measures import MED

    qrels, before, after = judgments(1), run(1), run(2)
    med = MED(before, "nDCG@10")
    assert str(med) == "MED-nDCG@10"
    expected = {row.query_id: row.med for row in medir.compare(before, after, "nDCG@10")}
    assert values(med, qrels, after) == expected
    means = ir_measures.calc_aggregate([med, ir_measures.nDCG @ 10], qrels, after)
    assert means[med] == pytest.approx(sum(expected.values()) / 3)
    assert means[ir_measures.nDCG @ 10] > 0


def test_med_of_a_run_that_has_fewer_queries() -> None:
    """A query of the judgments without results has an empty list, not a difference of 0."""
    from medir.integrations.ir_measures import MED

    before, after = run(1), {"1": run(2)["1"]}
    before["9"] = {"d1": 1.0}  # is not judged, and no measure of ir_measures has a value of it
    expected = {row.query_id: row.med for row in medir.compare(before, after, "P@5")}
    del expected["9"]
    assert expected["3"] > 0
    assert values(MED(before, "P@5"), judgments(1), after) == expected


def test_med_by_its_columns_and_judgments() -> None:
    from medir.integrations.ir_measures import MED

    qrels = {"1": {"d0": 2, "d1": 0, "d2": 1}, "2": {"d3": 1}, "3": {"d9": 0}}
    before, after = run(1), run(2)
    loss = MED(before, ir_measures.RBP(rel=1), column="loss", judged=True)
    assert str(loss) == "loss-RBP(p=0.8)"
    expected = medir.compare(before, after, "RBP(p=0.8)", qrels=qrels)
    assert values(loss, qrels, after) == {row.query_id: row.loss for row in expected}
    with pytest.raises(UsageError, match="column is one of"):
        MED(before, "RBP", column="mean")


def test_rank_similarities_to_a_reference() -> None:
    from medir.integrations.ir_measures import MED

    before, after = run(1), run(2)
    expected = {row.query_id: row.value for row in medir.compare(before, after, "RBO")}
    assert values(MED(before, "RBO"), judgments(1), after) == expected
    nothing = values(MED(before, "RBO"), {"7": {"d1": 1}}, after)
    assert math.isnan(nothing["7"])
