"""The study of the 48 runs of TREC-COVID round 5, against a computation of its own.

The reference is written from the definitions, in plain numpy: without decay, each document adds its
relevance times the difference of its discounts, and an unknown document is taken at the grade that
helps. True effectiveness comes from trec_eval's code.
"""

from __future__ import annotations

import gzip
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import pytrec_eval
from numpy.typing import NDArray

import medir
from medir.inputs.groups import read_members
from tests.cases.studies import Collection, numbers

Array = NDArray[np.float64]
CUTOFF, TOP_GRADE = 20, 2


class Reference(NamedTuple):
    """For each pair of runs: mean MED-nDCG@20 without and with all judgments, both truths."""

    without: Array
    judged: Array
    difference: Array
    mean_difference: Array


@pytest.fixture(scope="module")
def study(data: Path, tmp_path_factory: pytest.TempPathFactory) -> medir.Study:
    folder = data / "trec-covid-r5"
    members = read_members(folder / "runs.csv")
    runs: dict[str, Any] = {name: str(folder / "runs" / f"{name}.gz") for name in members}
    assert len(runs) == 48
    given = Collection(runs, str(folder / "qrels.txt"), members)  # type: ignore[arg-type]
    return numbers(given, tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="module")
def reference(data: Path) -> Reference:
    folder = data / "trec-covid-r5"
    qrels: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels.txt").read_text().splitlines():
        query, _, document, grade = line.split()
        qrels.setdefault(query, {})[document] = 2 ** max(int(grade), 0) - 1
    scores = [_scores(folder / "runs" / f"{name}.gz") for name in read_members(folder / "runs.csv")]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_20"})
    found = [evaluator.evaluate(run) for run in scores]
    true = np.array([[one[query]["ndcg_cut_20"] for query in qrels] for one in found])
    first, second = np.array(list(combinations(range(len(scores)), 2))).T
    without, judged = np.zeros(len(first)), np.zeros(len(first))
    for query, gains in qrels.items():
        lists = [_ranked(run[query])[:CUTOFF] for run in scores]
        without += _med(lists, {}, first, second) / len(qrels)
        judged += _med(lists, gains, first, second) / len(qrels)
    apart = true[first] - true[second]
    return Reference(without, judged, np.abs(apart.mean(axis=1)), np.abs(apart).mean(axis=1))


def _scores(path: Path) -> dict[str, dict[str, float]]:
    run: dict[str, dict[str, float]] = {}
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(np.float32(score))
    return run


def _ranked(scores: dict[str, float]) -> list[str]:
    """By score and, where that is equal, by document id, both descending, as trec_eval does."""
    return sorted(scores, key=lambda document: (scores[document], document), reverse=True)


def _med(lists: list[list[str]], gains: dict[str, int], first: Any, second: Any) -> Array:
    """MED-nDCG@20 of pairs of lists: the larger of both directions."""
    documents = {d: n for n, d in enumerate(sorted({d for ranking in lists for d in ranking}))}
    discounts = 1 / np.log2(np.arange(2, CUTOFF + 2))
    weights = np.zeros((len(lists), len(documents)))
    unseen = np.zeros(len(lists))
    for row, ranking in enumerate(lists):
        weights[row, [documents[d] for d in ranking]] = discounts[: len(ranking)]
        unseen[row] = discounts[len(ranking) :].sum()
    known = np.array([d in gains for d in documents])
    relevance = np.array([gains.get(d, 0) for d in documents], dtype=float)
    top = 2**TOP_GRADE - 1
    apart = weights[first] - weights[second]
    fixed = apart @ relevance
    unknown = np.where(known, 0.0, apart)
    up = fixed + top * (np.maximum(unknown, 0).sum(axis=1) + unseen[first])
    down = -fixed + top * (np.maximum(-unknown, 0).sum(axis=1) + unseen[second])
    return np.asarray(np.maximum(up, down) / (top * discounts.sum()))


def test_equals_the_reference(study: medir.Study, reference: Reference) -> None:
    assert len(study.pairs) == 1128
    assert len(study.queries) == 50
    assert study.med[0] == pytest.approx(reference.without, abs=1e-12)
    assert study.med[100] == pytest.approx(reference.judged, abs=1e-12)
    assert study.difference == pytest.approx(reference.difference, abs=1e-9)
    assert study.mean_difference == pytest.approx(reference.mean_difference, abs=1e-9)
    for share, values in ((0, reference.without), (100, reference.judged)):
        for kind, true in (
            ("difference of means", reference.difference),
            ("mean of differences", reference.mean_difference),
        ):
            expected = np.corrcoef(values, true)[0, 1]
            assert study.with_truth(share, kind).pearson == pytest.approx(expected, abs=1e-9)


def test_both_truths_correlate_as_the_design_says(study: medir.Study) -> None:
    """Reference values of section 11 of the design, with all runs and without one."""
    odd = study.names.index("uogTrDPH_QE_RF_SB_B")
    for kind, share, whole, rest in (
        ("difference of means", 0, 0.531, 0.364),
        ("difference of means", 100, 0.927, 0.677),
        ("mean of differences", 0, 0.653, 0.714),
        ("mean of differences", 100, 0.982, 0.936),
    ):
        assert study.with_truth(share, kind).pearson == pytest.approx(whole, abs=0.001)
        without = study.without_each(study.med[share], study.true_differences[kind])
        assert without[odd] == pytest.approx(rest, abs=0.001)


def test_measures_go_together_as_the_design_says(study: medir.Study) -> None:
    """0.9994 and 0.9943: the reference values of section 11 of the design."""
    with_ndcg = study.correlation("MED-RBP(p=0.9)", "MED-nDCG@20")
    with_rbo = study.correlation("MED-RBP(p=0.9)", "1-RBO(p=0.9)")
    assert with_ndcg.pearson == pytest.approx(0.9994, abs=0.002)
    assert with_rbo.pearson == pytest.approx(0.9943, abs=0.002)


def test_more_judgments_raise_the_correlation(study: medir.Study) -> None:
    values = [study.with_truth(share).pearson for share in (0, 25, 75, 100)]
    assert values == sorted(values)
    assert values[0] > 0


def test_runs_of_one_group_are_closer(study: medir.Study) -> None:
    for found in study.contrasts.values():
        assert found.first_mean < found.second_mean
        assert found.closer > 0.5
