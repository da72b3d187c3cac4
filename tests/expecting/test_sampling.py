"""Samples of the difference: how far they are off, means over queries, and seeds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import medir
from medir import Estimate
from tests.cases.expectations import QUANTILES, D, agrees, close, logarithmic, named
from tests.oracles.exhaustive import average_precision, cascade, reciprocal
from tests.oracles.expectation import Score, Truth, dot, enumerate_all

# Samples, and how far they may be off. A run of many queries is many seeded cases.

CASES = 300


def shuffled_lists(documents: int, seed: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    random = np.random.default_rng(seed)
    pool = np.array(D[:documents])
    runs: tuple[dict[str, list[str]], dict[str, list[str]]] = ({}, {})
    for number in range(CASES):
        for run in runs:
            run[f"q{number}"] = random.permutation(pool)[: documents - 1].tolist()
    return runs


def probabilities(documents: int, seed: int) -> dict[str, dict[str, float]]:
    random = np.random.default_rng(seed)
    return {
        f"q{number}": named((random.random(documents) ** 2).tolist(), D) for number in range(CASES)
    }


SAMPLED: dict[str, tuple[Score, float]] = {
    "nDCG@20": (dot(logarithmic, 0.75 * sum(map(logarithmic, range(1, 21)))), 0.75),
    "RBP(p=0.8)": (dot(lambda rank: 0.2 * 0.8 ** (rank - 1), 1), 1.0),
    "AP@20": (average_precision(20), 1.0),
    "ERR": (cascade(reciprocal, 1.0), 0.75),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLED)
def test_intervals_cover_the_truth(name: str) -> None:
    """Stated: 95 %. Of 300 seeded cases, at least 92 % are covered, for each number."""
    score, top = SAMPLED[name]
    documents = 12
    before, after = shuffled_lists(documents, 1)
    prior = probabilities(documents, 2)
    result = medir.expect(before, after, name, prior=prior, samples=400, seed=3, unseen="nothing")
    covered: dict[str, list[bool]] = {}
    for row in list(result)[:-1]:
        query = row.query_id
        rest: Any = score, result.measures[0].cutoff, {}, prior[query], top
        truth = enumerate_all(before[query], after[query], *rest)
        agrees(row, truth, few=row.samples == 0)
        for outcome in ("helps", "hurts", "equal"):
            found = getattr(row, outcome)
            hit = found.low - 1e-12 <= getattr(truth, outcome) <= found.high + 1e-12
            covered.setdefault(outcome, []).append(hit)
            assert found.low <= found.value <= found.high
            if row.samples:
                assert found.error == close(math.sqrt(found.value * (1 - found.value) / 400))
        for quantile, q in QUANTILES.items():
            value = row.quantiles[quantile]
            hit = value.low - 1e-9 <= truth.quantile(q) <= value.high + 1e-9
            covered.setdefault(quantile, []).append(hit)
        covered.setdefault("sd", []).append(abs(row.sd - truth.sd) <= 1.96 * row.sd_error + 1e-9)
        if name in ("nDCG@20", "RBP(p=0.8)"):
            assert row.sd_error == 0
    assert result.column(name, "samples").mean() > 200
    for what, hits in covered.items():
        assert len(hits) == CASES
        assert np.mean(hits) >= 0.92, what


def test_the_expectation_of_a_function_has_an_error() -> None:
    """Nothing is known of a function: it is sampled, where there are many assignments."""
    documents = 12
    before, after = shuffled_lists(documents, 4)
    prior = probabilities(documents, 5)
    halves = medir.define("Halves", lambda c: min(c.sum(), 2) / 2)
    result = medir.expect(
        before, after, halves @ 8, prior=prior, samples=200, seed=6, unseen="nothing"
    )
    hits, sampled = [], 0
    for row in list(result)[:-1]:
        query = row.query_id

        def score(gains: Sequence[Any]) -> Any:
            return np.minimum(sum(gains), 2) / 2

        truth = enumerate_all(before[query], after[query], score, 8, {}, prior[query])
        hits.append(abs(row.expected - truth.expected) <= 1.96 * row.expected_error + 1e-12)
        sampled += row.samples > 0
    assert sampled > CASES / 2
    assert np.mean(hits) >= 0.92


def test_mean_over_queries() -> None:
    """Queries are independent: the truth is the sum over every pair of assignments."""
    documents = 6
    before, after = shuffled_lists(documents, 7)
    prior = probabilities(documents, 8)
    covered = []
    for number in range(0, 60, 2):
        pair = [f"q{number}", f"q{number + 1}"]
        runs: Any = [{q: run[q] for q in pair} for run in (before, after)]
        result = medir.expect(
            runs[0],
            runs[1],
            ["ERR", "nDCG@20"],
            prior=prior,
            samples=300,
            seed=number,
            unseen="nothing",
        )
        for name in ("ERR", "nDCG@20"):
            score, top = SAMPLED[name]
            first, second = (
                enumerate_all(before[q], after[q], score, None, {}, prior[q], top) for q in pair
            )
            truth = Truth(
                (np.add.outer(first.values, second.values) / 2).ravel(),
                np.outer(first.weights, second.weights).ravel(),
            )
            mean = result.mean(name)
            assert mean.query_id == "all"
            agrees(mean, truth, few=False)
            assert mean.sd_error == 0
            assert mean.samples == 300
            covered += [
                mean.helps.low <= truth.helps <= mean.helps.high,
                mean.hurts.low <= truth.hurts <= mean.hurts.high,
            ]
            for quantile, q in QUANTILES.items():
                value = mean.quantiles[quantile]
                covered.append(value.low - 1e-9 <= truth.quantile(q) <= value.high + 1e-9)
    assert len(covered) >= 300
    assert np.mean(covered) >= 0.92


def test_mean_of_certain_queries_is_certain() -> None:
    runs = {"q1": ["a"], "q2": ["b"]}, {"q1": ["b"], "q2": ["b"]}
    mean = medir.expect(*runs, "P@1", prior=0.5, qrels={"q1": {"a": 0, "b": 1}}).mean()
    assert (mean.expected, mean.sd, mean.samples, mean.helps) == (0.5, 0, 0, (1, 0, 1, 1))
    assert mean.quantiles["p05"] == (0.5, 0.5, 0.5)


# Seeds.


def draws(*measures: str, **options: Any) -> Estimate:
    before, after = ({f"q{n}": run[f"q{n}"] for n in range(40)} for run in shuffled_lists(16, 9))
    result = medir.expect(before, after, measures, prior="rank", unseen="nothing", **options)
    return result.mean(measures[0])


def test_seeds() -> None:
    assert draws("ERR") == draws("ERR") == draws("ERR", seed=0)
    assert draws("ERR") != draws("ERR", seed=1)


def test_measures_do_not_change_each_other() -> None:
    assert draws("ERR@5") == draws("ERR@5", "nDCG@3", "AP@20", "RBP")


def test_more_samples_are_closer() -> None:
    few, many = (draws("ERR", samples=n).helps for n in (100, 10_000))
    assert many.error < few.error / 5
    assert many.high - many.low < (few.high - few.low) / 5
