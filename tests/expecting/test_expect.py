"""The expected difference of one query, against every assignment of relevance."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import AP, ERR_IA, NRBP, Estimate, InputError, Measure, UsageError, alpha_nDCG
from tests.cases import cascade as cascade_cases
from tests.cases import dot_product as cases
from tests.cases.expectations import D, agrees, close, likelihoods, logarithmic, named
from tests.cases.runs import ranked
from tests.oracles.exhaustive import average_precision, cascade, graded, reciprocal
from tests.oracles.expectation import Score, dot, enumerate_all
from tests.profiles import examples
from tests.shell import EXAMPLES

Judged = Mapping[str, int]


def expected_of(
    measure: Measure | str,
    before: Sequence[str],
    after: Sequence[str],
    likely: Mapping[str, float],
    judged: Any = None,
    **options: Any,
) -> Estimate:
    """What medir says of one query whose lists ended."""
    qrels = None if judged is None else {"q": judged}
    lists = {"q": before}, {"q": after}
    options["unseen"] = "nothing"
    result = medir.expect(*lists, measure, prior={"q": likely}, qrels=qrels, **options)
    mean = result.mean()
    assert mean[1:] == result.row(0)[1:]
    return result.row(0)


# Every measure, against every assignment.


@pytest.mark.parametrize("family", sorted(cases.SHAPES))
@examples(40)
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
@examples(40)
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


@examples(60)
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
@examples(50)
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


@examples(50)
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


@examples(40)
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
    same = medir.expect(filled[0], filled[1], measure, prior=prior, unseen="nothing").row(0)
    assert (found.expected, found.expected_error) == close((same.expected, same.expected_error))
    assert (found.sd, found.helps.value) == close((same.sd, same.helps.value))


@examples(50)
@given(cases.cases(judged="all", unseen="nothing"), st.floats(0, 1))
def test_full_judgments_leave_nothing_to_chance(case: cases.Case, prior: float) -> None:
    scores = [
        medir.score({"q": some}, case.measure, {"q": case.grades})["q"]
        for some in (case.before, case.after)
    ]
    lists = {"q": case.before}, {"q": case.after}
    known: Any = {"qrels": {"q": case.grades}, "unseen": case.unseen}
    row = medir.expect(*lists, case.measure, prior=prior, **known).row(0)
    assert row.expected == close(scores[1] - scores[0])
    assert row.sd == close(0)
    assert (row.samples, row.unjudged) == (0, 0)
    assert {row.helps.value, row.hurts.value, row.equal.value} == {0, 1}


# Options.


def expectation(measure: str = "P@2", **options: Any) -> float:
    lists = {"q": ["a", "b", "c"]}, {"q": ["c", "d", "a"]}
    return medir.expect(*lists, measure, prior=0.5, **options).row(0).expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 99}, "samples must be 100 or more, not 99"),
        ({"seed": -1}, "seed must be 0 or more, not -1"),
        ({"default": 2}, "default is a probability"),
        ({"unseen": "all"}, "unseen must be one of auto, anything, nothing"),
        ({"unseen": "anything", "measure": "RBP"}, r"set a cutoff, such as RBP\(p=0.9\)@100"),
        ({"measure": "RBP"}, r"RBP\(p=0.9\) has no cutoff, and unseen ranks without end"),
        ({"measure": "nDCG(ideal='judged')@3"}, "takes its ideal from judgments"),
        ({"missing": "all"}, "missing must be one of"),
        ({"depth": 0}, "depth must be 1 or more"),
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
    with pytest.raises(InputError, match="appears twice"):
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
    with pytest.raises(UsageError, match="P@5 was not estimated"):
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
