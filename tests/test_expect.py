"""The expected difference: against every assignment of relevance, and how far samples are off."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cascade_cases
import cases
import medir
from cases import ranked
from exhaustive import average_precision, cascade, graded, reciprocal
from medir import AP, ERR_IA, NRBP, Estimate, InputError, Measure, UsageError, alpha_nDCG
from shell import EXAMPLES

close = partial(pytest.approx, rel=0, abs=1e-9)
QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
D = [f"d{i}" for i in range(30)]
Score = Callable[[Sequence[Any]], Any]  # of the relevance of each rank
Judged = Mapping[str, int]


# The truth: every assignment, with its probability.


@dataclass(frozen=True)
class Truth:
    """Every difference that there can be, with its probability."""

    values: Any
    weights: Any

    @property
    def expected(self) -> float:
        return float(self.weights @ self.values)

    @property
    def sd(self) -> float:
        return math.sqrt(self.weights @ (self.values - self.expected) ** 2)

    @property
    def helps(self) -> float:
        return float(self.weights[self.values > 1e-10].sum())

    @property
    def hurts(self) -> float:
        return float(self.weights[self.values < -1e-10].sum())

    @property
    def equal(self) -> float:
        return float(self.weights[np.abs(self.values) <= 1e-10].sum())

    def quantile(self, q: float) -> float:
        order = np.argsort(self.values)
        below = np.cumsum(self.weights[order])
        return float(self.values[order][np.searchsorted(below, q - 1e-12).clip(max=len(below) - 1)])

    def is_quantile(self, value: float, q: float) -> bool:
        below = self.weights[self.values < value - 1e-9].sum()
        up_to = self.weights[self.values <= value + 1e-9].sum()
        return bool(below <= q + 1e-9 and up_to >= q - 1e-9)


def enumerate_all(
    before: Sequence[str],
    after: Sequence[str],
    score: Score,
    cutoff: int | None,
    known: Mapping[str, float],
    likely: Mapping[str, float],
    top: float = 1.0,
    low: float = 0.0,
) -> Truth:
    """Each document that is not known is of value `top` or `low`, independently."""
    first, second = before[:cutoff], after[:cutoff]
    unknown = sorted({*first, *second} - known.keys())
    tried = (np.arange(2 ** len(unknown))[:, None] >> np.arange(len(unknown))) & 1
    p = np.array([likely[d] for d in unknown])
    weights = np.prod(np.where(tried == 1, p, 1 - p), axis=1)
    relevance: dict[str, Any] = {d: np.full(len(tried), float(value)) for d, value in known.items()}
    relevance |= {d: low + (top - low) * tried[:, i] for i, d in enumerate(unknown)}
    scores = [
        score([relevance[d] for d in some]) + np.zeros(len(tried)) for some in (first, second)
    ]
    return Truth(scores[1] - scores[0], weights)


def dot(discount: Callable[[int], float], norm: float) -> Score:
    """(1/N) sum_i c_i d_i; 0 where N is."""

    def score(gains: Sequence[Any]) -> Any:
        total = sum(c * discount(rank) for rank, c in enumerate(gains, 1))
        return total / norm if norm else 0.0

    return score


def expected_of(
    measure: Measure | str,
    before: Sequence[str],
    after: Sequence[str],
    likely: Mapping[str, float],
    judged: Any = None,
    **options: Any,
) -> Estimate:
    """What medir says of one query."""
    qrels = None if judged is None else {"q": judged}
    lists = {"q": before}, {"q": after}
    result = medir.expect(*lists, measure, prior={"q": likely}, qrels=qrels, **options)
    mean = result.mean()
    assert mean[1:] == result.row(0)[1:]
    return result.row(0)


def agrees(row: Estimate, truth: Truth, few: bool = True) -> None:
    """Expectation and standard deviation are exact; with few unknowns, so is all else."""
    assert row.expected == close(truth.expected)
    assert row.expected_error == 0
    if row.sd_error == 0:
        assert row.sd**2 == close(truth.sd**2)
    if not few:
        return
    assert (row.samples, row.sd_error) == (0, 0)
    shares = {"helps": truth.helps, "hurts": truth.hurts, "equal": truth.equal}
    rounding = np.any((np.abs(truth.values) > 0) & (np.abs(truth.values) < 1e-9))
    for name, share in () if rounding else shares.items():
        found = getattr(row, name)
        assert found.value == close(share)
        assert (found.low, found.high, found.error) == (found.value, found.value, 0)
    for name, q in QUANTILES.items():
        value = row.quantiles[name]
        assert truth.is_quantile(value.value, q)
        assert value.low == value.high == value.value


chances = st.sampled_from([0.0, 1.0, 0.5, 0.1]) | st.floats(0, 1)
likelihoods = st.lists(chances, min_size=30, max_size=30)


def named(values: Sequence[float], documents: Sequence[str]) -> dict[str, float]:
    return dict(zip(documents, values, strict=False))


# Every measure, against every assignment.


@pytest.mark.parametrize("family", sorted(cases.SHAPES))
@settings(max_examples=40)
@given(data=st.data())
def test_measures_without_decay(family: str, data: st.DataObject) -> None:
    ideals = ["unbounded", "judged", "number", "counts"]
    case = data.draw(cases.cases(family, ideals=ideals, unseen="nothing"))
    likely = named(data.draw(likelihoods), cases.DOCUMENTS)
    formula = case.formula
    truth = enumerate_all(
        case.before,
        case.after,
        dot(formula.discount, formula.norm),
        formula.cutoff,
        {d: formula.values[grade] for d, grade in case.grades.items()},
        likely,
        formula.values[-1],
    )
    agrees(expected_of(case.measure, case.before, case.after, likely, case.judged), truth)


@pytest.mark.parametrize("family", cascade_cases.FAMILIES)
@settings(max_examples=40)
@given(data=st.data())
def test_cascades(family: str, data: st.DataObject) -> None:
    case = data.draw(cascade_cases.cases(family, most=10))
    likely = named(data.draw(likelihoods), cascade_cases.D)
    formula = case.formula
    known = {d: formula.value(grade) for d, grade in case.judged.items()}
    rest = formula.score, formula.cutoff, known, likely, formula.top
    truth = enumerate_all(case.before, case.after, *rest)
    judged = case.judged or None
    agrees(expected_of(case.measure, case.before, case.after, likely, judged), truth)


@settings(max_examples=60)
@given(
    ranked(D[:10]),
    ranked(D[:10]),
    st.integers(1, 12),
    st.dictionaries(st.sampled_from(D[:12]), st.integers(-1, 2)),
    st.sampled_from(["unbounded", "judged", 3]),
    likelihoods,
)
def test_average_precision(
    before: list[str], after: list[str], k: int, judged: dict[str, int], ideal: Any, p: list[float]
) -> None:
    known = {d: float(grade >= 1) for d, grade in judged.items()}
    norm = {"unbounded": k, "judged": sum(known.values())}.get(ideal, ideal)
    score: Score = average_precision(norm) if norm else dot(reciprocal, 0)
    truth = enumerate_all(before, after, score, k, known, named(p, D))
    agrees(expected_of(AP(ideal=ideal) @ k, before, after, named(p, D), judged), truth)


def logarithmic(rank: int) -> float:
    return 1 / math.log2(rank + 1)


INTENTS: dict[str, tuple[Measure, Score, bool]] = {
    "ERR_IA": (ERR_IA @ 5, cascade(reciprocal, 1.0), True),
    "alpha_nDCG": (
        alpha_nDCG(alpha=0.4) @ 5,
        cascade(logarithmic, 0.4, cascade(logarithmic, 0.4)([1.0] * 5)),
        False,
    ),
    "NRBP": (
        NRBP(alpha=0.5, beta=0.8),
        cascade(lambda i: 0.8 ** (i - 1), 0.5, cascade(lambda i: 0.8 ** (i - 1), 0.5)([1.0] * 200)),
        False,
    ),
}


@pytest.mark.parametrize("family", INTENTS)
@settings(max_examples=50)
@given(
    ranked(D[:5]),
    ranked(D[:5]),
    st.dictionaries(
        st.sampled_from(["i1", "i2", "i3"]),
        st.dictionaries(st.sampled_from(D[:6]), st.integers(0, 2), min_size=1, max_size=5),
    ),
    st.integers(1, 3),
    likelihoods,
)
def test_intents(
    family: str,
    before: list[str],
    after: list[str],
    judged: dict[str, dict[str, int]],
    intents: int,
    p: list[float],
) -> None:
    """The mean of independent intents: expectations average, variances add up."""
    measure, score, is_graded = INTENTS[family]
    highest = max((g for grades in judged.values() for g in grades.values()), default=0) or 2
    values = graded(highest) if is_graded else (0.0, *[1.0] * highest)
    parts = [*judged.values(), *[{}] * (intents - len(judged))]
    truths = [
        enumerate_all(
            before,
            after,
            score,
            measure.cutoff,
            {d: values[grade] for d, grade in grades.items()},
            named(p, D),
            values[-1],
        )
        for grades in parts
    ]
    qrels = judged or None
    row = expected_of(measure(intents=intents), before, after, named(p, D), qrels)
    assert row.expected == close(sum(one.expected for one in truths) / len(parts))
    variance = sum(one.sd**2 for one in truths) / len(parts) ** 2
    if row.sd_error == 0:
        assert row.sd**2 == close(variance)
    else:
        assert row.sd == pytest.approx(math.sqrt(variance), abs=6 * row.sd_error)
    if len(parts) == 1:
        agrees(row, truths[0])


def best_two(relevance: Any) -> float:
    """A function that is not linear in any document."""
    return float(np.sort(relevance)[-2:].sum()) ** 2 if len(relevance) else 0.0


def best_two_of(gains: Sequence[Any]) -> Any:
    whole = np.array([*gains, np.full_like(gains[0], 0.25)]) if gains else np.full((1, 1), 0.25)
    whole = np.concatenate([whole, np.full_like(whole, 0.25)])
    return np.sort(whole, axis=0)[-2:].sum(axis=0) ** 2


MINE = medir.define("BestTwo", best_two, values=(0.25, 0.5, 2))


@settings(max_examples=50)
@given(
    ranked(D[:8]),
    ranked(D[:8]),
    st.dictionaries(st.sampled_from(D[:9]), st.integers(0, 4)),
    likelihoods,
)
def test_functions(
    before: list[str], after: list[str], judged: dict[str, int], p: list[float]
) -> None:
    """A document that is not relevant is worth what grade 0 is; so is a rank without a document."""
    known = {d: [0.25, 0.5, 2][min(grade, 2)] for d, grade in judged.items()}
    truth = enumerate_all(before, after, best_two_of, 4, known, named(p, D), 2.0, 0.25)
    agrees(expected_of(MINE @ 4, before, after, named(p, D), judged), truth)


@settings(max_examples=40)
@given(
    ranked(D[:8]),
    ranked(D[:8]),
    st.integers(1, 5),
    st.sampled_from(["nDCG", "AP", "ERR", "P", "BestTwo"]),
    st.sampled_from([0.3, "rank", lambda rank: 1 / (rank + 1)]),
)
def test_unseen_ranks_may_hold_documents(
    before: list[str], after: list[str], k: int, name: str, prior: Any
) -> None:
    """They are as documents of their own at those ranks, with the probability of the rank."""
    measure = f"{name}@{k}"
    filled: Any = [
        {"q": [*some, *(f"{side}{rank}" for rank in range(len(some), k))]}
        for some, side in ((before, "b"), (after, "a"))
    ]
    found = medir.expect({"q": before}, {"q": after}, measure, prior=prior, unseen="anything").row(
        0
    )
    same = medir.expect(filled[0], filled[1], measure, prior=prior).row(0)
    assert (found.expected, found.expected_error) == close((same.expected, same.expected_error))
    assert (found.sd, found.helps.value) == close((same.sd, same.helps.value))


@settings(max_examples=50)
@given(cases.cases(judged="all", unseen="nothing"), st.floats(0, 1))
def test_full_judgments_leave_nothing_to_chance(case: cases.Case, prior: float) -> None:
    scores = [
        medir.score({"q": some}, case.measure, {"q": case.grades})["q"]
        for some in (case.before, case.after)
    ]
    lists = {"q": case.before}, {"q": case.after}
    row = medir.expect(*lists, case.measure, prior=prior, qrels={"q": case.grades}).row(0)
    assert row.expected == close(scores[1] - scores[0])
    assert row.sd == close(0)
    assert (row.samples, row.unjudged) == (0, 0)
    assert {row.helps.value, row.hurts.value, row.equal.value} == {0, 1}


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


@pytest.mark.parametrize("name", SAMPLED)
def test_intervals_cover_the_truth(name: str) -> None:
    """Stated: 95 %. Of 300 seeded cases, at least 92 % are covered, for each number."""
    score, top = SAMPLED[name]
    documents = 12
    before, after = shuffled_lists(documents, 1)
    prior = probabilities(documents, 2)
    result = medir.expect(before, after, name, prior=prior, samples=400, seed=3)
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
    result = medir.expect(before, after, halves @ 8, prior=prior, samples=200, seed=6)
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
            runs[0], runs[1], ["ERR", "nDCG@20"], prior=prior, samples=300, seed=number
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
    result = medir.expect(before, after, measures, prior="rank", **options)
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


# Options.


def expectation(measure: str = "P@2", **options: Any) -> float:
    lists = {"q": ["a", "b", "c"]}, {"q": ["c", "d", "a"]}
    return medir.expect(*lists, measure, prior=0.5, **options).row(0).expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 99}, "samples is a whole number from 100 on, not 99"),
        ({"seed": -1}, "seed is a whole number from 0 on, not -1"),
        ({"default": 2}, "default is a probability"),
        ({"unseen": "all"}, "unseen is one of anything, nothing"),
        ({"unseen": "anything", "measure": "RBP"}, r"set a cutoff, such as RBP\(p=0.9\)@100"),
        ({"measure": "nDCG(ideal='judged')@3"}, "takes its ideal from judgments"),
        ({"missing": "all"}, "missing is one of"),
        ({"depth": 0}, "depth is 1 or more"),
    ],
)
def test_faults_of_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        expectation(**options)


def test_only_one_from_standard_input() -> None:
    with pytest.raises(UsageError, match="only one of the files"):
        medir.expect("-", {"q": ["a"]}, prior="-")


def test_runs_are_read_as_compare_reads_them() -> None:
    runs: tuple[Any, Any] = {"q1": ["a", "b", "a"], "q2": ["x"]}, {"q1": ["b", "c"], "q3": ["y"]}
    with pytest.raises(InputError, match="stands twice"):
        medir.expect(*runs, "P@2", prior=0.5)
    result = medir.expect(*runs, "P@2", prior=1, duplicates="first", depth=1)
    assert result.queries == ["q1", "q2", "q3"]
    assert result.column("P@2").tolist() == [0, -0.5, 0.5]
    skipped = medir.expect(*runs, "P@2", prior=1, duplicates="first", missing="skip")
    assert skipped.queries == ["q1"]


# The result.


def test_result(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    result = medir.expect(
        EXAMPLES / "before.run",
        EXAMPLES / "after.run",
        ["nDCG@20", "AP@20"],
        prior=0.2,
        qrels=EXAMPLES / "qrels.txt",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == sorted(seen)
    assert seen[-1] == (240, 240)
    assert {total for _, total in seen} == {240}
    assert len(list(result)) == 482
    assert result.mean("AP@20").expected == close(float(result.column("AP@20").mean()))
    assert "240 queries; nDCG@20: +0.0" in repr(result)
    hurts = result.column("nDCG@20", "hurts")
    first = result.largest(3, "nDCG@20", "hurts")
    assert hurts[first].tolist() == sorted(hurts.tolist(), reverse=True)[:3]
    with pytest.raises(UsageError, match="a column is one of expected"):
        result.column("nDCG@20", "mad")
    with pytest.raises(UsageError, match="P@5 was not looked at"):
        result.mean("P@5")
    with pytest.raises(UsageError, match="by is one of"):
        result.largest(1, by="sd")
    rows = [[row.query_id, repr(row.measure), row.expected] for row in result]
    for name, delimiter in (("out.csv", ","), ("out.tsv", "\t")):
        result.write(tmp_path / name)
        with (tmp_path / name).open(newline="") as file:
            records = list(csv.DictReader(file, delimiter=delimiter))
        found = [[r["query_id"], r["measure"], float(r["expected"])] for r in records]
        assert found == rows
    result.write(tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    read = [json.loads(line) for line in lines]
    assert [[r["query_id"], r["measure"], r["expected"]] for r in read] == rows
    assert read[-1]["helps_low"] == result.mean("AP@20").helps.low
    parquet = pytest.importorskip("pyarrow.parquet")
    result.write(tmp_path / "out.parquet")
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table.column("expected").to_pylist() == [expected for *_, expected in rows]
    assert len(list(tmp_path.iterdir())) == 4
    with pytest.raises(UsageError, match="a format is one of"):
        result.write(tmp_path / "out", "xml")
