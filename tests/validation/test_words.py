"""What a study says: computed from its numbers, whichever way they turn out."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from medir.inputs.groups import Member
from medir.measures import measure
from medir.validation.computation import MEASURES, OTHER_PERSISTENCES
from medir.validation.findings import Finding, answer, findings, headline, strength
from medir.validation.study import Study

RUNS = 6
PAIRS = tuple(combinations(range(RUNS), 2))
DISTANCES = ["1-RBO(p=0.9)", *(f"MED-{name}" for name in (*MEASURES, *OTHER_PERSISTENCES))]
TYPES = ("manual", "manual", "automatic")


def made(**changes: Any) -> Study:
    """A study of two groups of three runs, where all goes as in the paper."""
    chance = np.random.default_rng(0)
    same = np.array([i // 3 == j // 3 for i, j in PAIRS])
    two_types = np.array([TYPES[i % 3] != TYPES[j % 3] for i, j in PAIRS])
    med = np.where(same, 0.2, 0.6) + 0.1 * two_types + chance.uniform(0, 0.02, len(PAIRS))
    true = 0.2 * med + chance.uniform(0, 0.05, len(PAIRS))
    parts = {0: med, 25: 0.7 * med + 0.3 * true, 75: 0.2 * med + 0.8 * true, 100: true + 0.001}
    noise = {"MED-nDCG@20": 0.0, "MED-RBP(p=0.9)": 0.01, "1-RBO(p=0.9)": 0.05}
    distances = {
        name: med + noise.get(name, 0.04) * chance.uniform(-1, 1, len(PAIRS)) for name in DISTANCES
    }
    fields: dict[str, Any] = {
        "names": tuple(f"run {i}" for i in range(RUNS)),
        "members": tuple(Member("ab"[i // 3], TYPES[i % 3]) for i in range(RUNS)),
        "measure": measure("nDCG@20"),
        "truth": measure("nDCG(ideal='judged')@20"),
        "seed": 0,
        "queries": ("q",),
        "without_judgments": 0,
        "judgments": {0: 0, 25: 10, 75: 30, 100: 40},
        "pairs": PAIRS,
        "scores": np.linspace(0.2, 0.7, RUNS),
        "difference": true,
        "mean_difference": true + 0.02 + 0.05 * med,
        "med": parts,
        "distances": distances,
    }
    return Study(**(fields | changes))


def finding(study: Study, start: str) -> Finding:
    """The finding whose claim starts so."""
    (found,) = [one for one in findings(study) if one.claim.startswith(start)]
    return found


def test_all_findings_hold_where_all_goes_as_in_the_paper() -> None:
    found = findings(made())
    assert [one.holds for one in found] == [True] * 9, found


def test_pairs_of_the_same_group() -> None:
    study = made()
    same = [n for n, (i, j) in enumerate(PAIRS) if i // 3 == j // 3]
    first, second = study.med[0][same].mean(), np.delete(study.med[0], same).mean()
    found = finding(study, "Runs of one group")
    assert found.holds is True
    values = study.distances["MED-nDCG@20"]
    assert values.tolist() == study.med[0].tolist()
    assert f"are closer: mean MED-nDCG@20 {first:.3f} (6 pairs) against {second:.3f} (9 pairs)" in (
        found.evidence
    )
    assert "with probability 1.00" in found.evidence
    far = made(distances={name: 1 - some for name, some in study.distances.items()})
    found = finding(far, "Runs of one group")
    assert found.holds is False
    assert "are not closer" in found.evidence
    assert "with probability 0.00" in found.evidence


@pytest.mark.parametrize(
    ("members", "why"),
    [
        (None, "needs groups"),
        (tuple(Member("a") for _ in range(RUNS)), "not both pairs"),
        (tuple(Member(str(i)) for i in range(RUNS)), "not both pairs"),
        (tuple(Member("") for _ in range(RUNS)), "not both pairs"),
    ],
)
def test_groups_that_tell_nothing(members: Any, why: str) -> None:
    found = finding(made(members=members), "Runs of one group")
    assert found.holds is None
    assert why in found.evidence


def test_types_of_pairs() -> None:
    study = made()
    found = finding(study, "Within a group")
    assert found.holds is True
    assert "In 2 of 2 groups" in found.evidence
    one = study.med[0][[PAIRS.index((0, 1)), PAIRS.index((3, 4))]].mean()
    assert f"is {one:.3f} for pairs of one type (2)" in found.evidence
    swapped = tuple(Member("ab"[i // 3], TYPES[(i + 1) % 3]) for i in range(RUNS))
    assert finding(made(members=swapped), "Within a group").holds is False
    alike = tuple(Member("ab"[i // 3], "manual") for i in range(RUNS))
    assert "no group has pairs of both kinds" in finding(made(members=alike), "Within").evidence
    without = tuple(Member("ab"[i // 3]) for i in range(RUNS))
    assert "needs the types" in finding(made(members=without), "Within").evidence


def test_a_correlation_with_the_truth_that_is_not_clear() -> None:
    chance = np.random.default_rng(1)
    true = chance.uniform(0, 0.1, len(PAIRS))
    study = made(difference=true)
    found = finding(study, "Without any judgments")
    pearson = np.corrcoef(study.med[0], true)[0, 1]
    assert abs(pearson) < 0.4
    assert found.holds is False
    assert f"is {strength(pearson)}: Pearson {pearson:.3f}" in found.evidence
    assert f"with the difference of means (Pearson {pearson:.3f})" in answer(study)[0]


def test_a_run_that_makes_the_correlation_is_named() -> None:
    chance = np.random.default_rng(2)
    outlier = np.array([5 in pair for pair in PAIRS])
    med = np.where(outlier, 1.0, 0.5) + chance.uniform(0, 0.1, len(PAIRS))
    true = np.where(outlier, 0.8, 0.1) + chance.uniform(0, 0.1, len(PAIRS))
    study = made(med={0: med, 25: med, 75: med, 100: med}, difference=true)
    rest = np.corrcoef(med[~outlier], true[~outlier])[0, 1]
    assert rest < 0.4
    found = finding(study, "Without any judgments")
    words = f"run 5 raises it most: without this run, Pearson's correlation is {rest:.3f} "
    assert f"{words}({strength(rest)})" in found.evidence
    assert found.only_with == "run 5"
    assert found.verdict == "Holds only with run 5"
    assert answer(study)[-1].endswith(f"without run 5, it is {rest:.3f}.")
    held = [one for one in findings(study) if one.holds and not one.only_with]
    assert headline(findings(study)) == (
        f"{len(held)} of 9 findings of the paper hold here, 1 more only with one run."
    )
    assert finding(made(), "Without any judgments").only_with == ""


def test_a_run_that_lowers_the_correlation_is_named() -> None:
    """Four runs on a line; those of the last run are far by MED, and true differences are small."""
    chance = np.random.default_rng(2)
    odd = np.array([5 in pair for pair in PAIRS])
    true = np.where(odd, 0.0, chance.uniform(0.1, 0.8, len(PAIRS)))
    med = np.where(odd, 1.0, true + 0.01 * chance.uniform(0, 1, len(PAIRS)))
    study = made(med=dict.fromkeys((0, 25, 75, 100), med), difference=true)
    rest = np.corrcoef(med[~odd], true[~odd])[0, 1]
    found = study.with_truth(0)
    assert found.highest == pytest.approx(rest)
    assert found.highest_without == "run 5"
    words = f"run 5 lowers it most: without this run, Pearson's correlation is {rest:.3f} "
    assert words in finding(study, "Without any judgments").evidence


def test_both_truths_are_told() -> None:
    study = made()
    found = finding(study, "Without any judgments").evidence
    for true in (study.difference, study.mean_difference):
        assert f"Pearson {np.corrcoef(study.med[0], true)[0, 1]:.3f}" in found
    first, second = answer(study)
    for share, sentence in ((0, first), (100, second)):
        for true in (study.difference, study.mean_difference):
            assert f"(Pearson {np.corrcoef(study.med[share], true)[0, 1]:.3f})" in sentence


def test_what_rounding_hides_decides_nothing() -> None:
    """Means and correlations that look the same are not called closer or higher."""
    study = made()
    same = np.array([i // 3 == j // 3 for i, j in PAIRS])
    alike = np.where(same, 0.5, 0.50001) + 0.1 * np.tile([0, 1, 0], 5)
    alike[same] += alike[~same].mean() - alike[same].mean() - 0.00001
    distances = {**study.distances, "MED-nDCG@20": alike}
    assert finding(made(distances=distances), "Runs of one group").holds is False
    steps = {share: study.med[0] + share * 1e-9 * study.difference for share in study.med}
    assert finding(made(med=steps), "The more judgments there are, the higher").holds is False
    near = {**study.distances, "MED-RBP(p=0.8)": study.distances["MED-RBP(p=0.9)"] + 1e-7}
    assert finding(made(distances=near), "Other persistences").holds is False


def test_med_that_is_hardly_above_the_truth() -> None:
    study = made()
    assert finding(study, "MED without judgments").holds is True
    assert "for 15 of 15 pairs" in finding(study, "MED without judgments").evidence
    near = made(difference=0.9 * study.med[0])
    found = finding(near, "MED without judgments")
    assert found.holds is False
    assert "1.1 times as much" in found.evidence
    nothing = made(difference=np.zeros(len(PAIRS)))
    assert "times as much" not in finding(nothing, "MED without judgments").evidence


def test_more_judgments_that_do_not_help() -> None:
    study = made()
    backwards = made(med=dict(zip(study.med, reversed(list(study.med.values())), strict=True)))
    assert finding(backwards, "The more judgments there are, the higher").holds is False
    assert finding(backwards, "The more judgments there are, the nearer").holds is False
    gap = np.abs(study.med[25] - study.difference).mean()
    assert f"{gap:.3f} with 25 %" in finding(study, "The more judgments there are, the n").evidence
    pearson = np.corrcoef(study.med[75], study.difference)[0, 1]
    assert (
        f"{pearson:.3f} with 75 %" in finding(study, "The more judgments there are, the h").evidence
    )


def test_measures_that_go_together_differently() -> None:
    study = made()
    chance = np.random.default_rng(3)
    far = {**study.distances, "MED-RBP(p=0.9)": chance.uniform(0, 1, len(PAIRS))}
    found = {one.claim.split(",")[0].split(" c")[0]: one for one in findings(made(distances=far))}
    assert found["MED-RBP and RBO"].holds is False
    assert found["Other persistences than 0.9 weaken the"].holds is False
    swapped = {
        **study.distances,
        "1-RBO(p=0.9)": study.distances["MED-RBP(p=0.9)"],
    }
    nearer = finding(made(distances=swapped), "MED-RBP correlates even more highly")
    assert nearer.holds is False
    assert "1.0000 with 1-RBO(p=0.9)" in nearer.evidence


def test_nothing_is_told_of_pairs_that_do_not_differ() -> None:
    flat = np.full(len(PAIRS), 0.5)
    study = made(
        difference=flat,
        med=dict.fromkeys((0, 25, 75, 100), flat),
        distances=dict.fromkeys(DISTANCES, flat),
    )
    verdicts = [one.holds for one in findings(study)]
    assert verdicts.count(None) == 5
    assert all(math.isnan(one.pearson) for one in study.correlations)
    assert "nan" not in " ".join(one.evidence for one in findings(study))


@pytest.mark.parametrize(
    ("value", "word"),
    [(1.0, "very strong"), (0.8, "very strong"), (0.79, "strong"), (0.4, "moderate"),
     (0.39, "weak"), (0.0, "very weak"), (-0.1, "very weak"), (-0.7, "strong and negative")],
)  # fmt: skip
def test_strengths(value: float, word: str) -> None:
    assert strength(value) == word
