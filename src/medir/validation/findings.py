"""What a study found, in words: the findings of the paper, each held against the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from medir.base.words import count
from medir.validation.computation import OTHER_PERSISTENCES, PERSISTENCE, SIMILARITY
from medir.validation.results import Correlation, Study, contrast

CLEAR = 0.4  # Pearson's correlation from which on one is called clear
STRENGTHS = (
    (0.8, "very strong"),
    (0.6, "strong"),
    (0.4, "moderate"),
    (0.2, "weak"),
    (0.0, "very weak"),
)
NOT_TOLD = "Not tested"


class Finding(NamedTuple):
    """A finding of the paper, whether it holds here (None: it not tested), and the numbers."""

    claim: str
    holds: bool | None
    evidence: str


def findings(study: Study) -> list[Finding]:
    """All findings, in the order of the figures."""
    return [
        _groups(study),
        _types(study),
        _truth(study),
        _above(study),
        _judgments(study),
        _closer(study),
        *_measures(study),
    ]


def _groups(study: Study) -> Finding:
    claim = "Runs of one group are closer to each other than runs of different groups."
    found = study.contrasts.get(study.main)
    if found is None:
        why = (
            "it needs groups (--groups)"
            if study.members is None
            else "there are not both pairs of one group and of different groups"
        )
        return Finding(claim, None, f"{NOT_TOLD}: {why}.")
    holds = found.first_mean < found.second_mean
    return Finding(
        claim,
        holds,
        f"Pairs of the same group are {'closer' if holds else 'not closer'}: "
        f"mean {study.main} {found.first_mean:.3f} ({_pairs(found.first)}) against "
        f"{found.second_mean:.3f} ({_pairs(found.second)}). A pair of the same group is closer "
        f"than a pair of different groups with probability {found.closer:.2f}.",
    )


def _types(study: Study) -> Finding:
    claim = "Within a group, pairs of one type are closer than pairs of two types."
    if study.pair_types is None:
        return Finding(claim, None, f"{NOT_TOLD}: it needs the types of the runs (a column type).")
    distance = study.med[0]
    alike = np.array([kind.startswith("both ") for kind in study.pair_types])
    means = []
    for numbers in study.within_groups().values():
        some = np.array(numbers)
        one, two = some[alike[some]], some[~alike[some]]
        if len(one) and len(two):
            means.append((float(distance[one].mean()), float(distance[two].mean()), one, two))
    if not means:
        return Finding(claim, None, f"{NOT_TOLD}: no group has pairs of both kinds.")
    first, second = (np.concatenate([row[side] for row in means]) for side in (2, 3))
    found = contrast(distance[first], distance[second])
    closer = sum(one < two for one, two, *_ in means)
    holds = found.first_mean < found.second_mean and closer > len(means) / 2
    return Finding(
        claim,
        holds,
        f"In {closer} of {count(len(means), 'group')} with pairs of both kinds, pairs of one type "
        f"are closer in the mean. Over all of these groups, the mean {study.main} is "
        f"{found.first_mean:.3f} for pairs of one type ({found.first:,}) and "
        f"{found.second_mean:.3f} for pairs of two types ({found.second:,}).",
    )


def _truth(study: Study) -> Finding:
    claim = (
        "Without any judgments, MED clearly correlates with the true difference in effectiveness."
    )
    found = study.with_truth(0)
    if math.isnan(found.pearson):
        return Finding(claim, None, f"{NOT_TOLD}: the pairs do not differ.")
    return Finding(
        claim,
        found.pearson >= CLEAR,
        f"The correlation of {study.main} with the true difference is {strength(found.pearson)}: "
        f"{correlations(found)}.{_without_one(found)}",
    )


def _above(study: Study) -> Finding:
    claim = "MED without judgments is much higher than the true difference."
    med, true = study.med[0], study.difference
    above = int((med > true).sum())
    if med.mean() == 0 or true.mean() == 0:
        return Finding(claim, None, f"{NOT_TOLD}: the pairs do not differ.")
    ratio = float(med.mean() / true.mean())
    times = f" ({ratio:.1f} times as much)"
    return Finding(
        claim,
        ratio >= 2,
        f"The mean {study.main} is {med.mean():.3f}, the mean true difference {true.mean():.3f}"
        f"{times}; MED is higher for {above:,} of {_pairs(len(med))}.",
    )


def _judgments(study: Study) -> Finding:
    claim = (
        "The more judgments there are, the higher is the correlation of MED and true difference."
    )
    values = [study.with_truth(share).pearson for share in study.med]
    if any(map(math.isnan, values)):
        return Finding(claim, None, f"{NOT_TOLD}: the pairs do not differ.")
    steps = ", ".join(f"{v:.3f} with {s} %" for s, v in zip(study.med, values, strict=True))
    last = study.with_truth(100)
    return Finding(
        claim,
        all(b > a for a, b in pairwise(values)),
        f"Pearson's correlation is {steps} of the judgments. With all of them it is "
        f"{strength(last.pearson)} ({correlations(last)}).{_without_one(last)}",
    )


def _closer(study: Study) -> Finding:
    claim = "The more judgments there are, the nearer MED comes to the true difference."
    ideal = "" if study.truth == study.measure else "from an ideal list of top grades only, "
    gaps = [float(np.abs(med - study.difference).mean()) for med in study.med.values()]
    steps = ", ".join(f"{v:.3f} with {s} %" for s, v in zip(study.med, gaps, strict=True))
    return Finding(
        claim,
        all(b < a for a, b in pairwise(gaps)),
        f"The mean distance between the two is {steps} of the judgments. What is left with all of "
        f"them comes from documents that nobody judged, {ideal}and from runs that are better for "
        "some queries and worse for others.",
    )


def _measures(study: Study) -> Iterator[Finding]:
    ndcg, rbp, rbo = "MED-nDCG@20", f"MED-{PERSISTENCE}", f"1-{SIMILARITY}"
    with_rbo, with_ndcg = study.correlation(rbp, rbo), study.correlation(rbp, ndcg)
    claims = (
        "MED-RBP and RBO, which share a model of the user, correlate highly.",
        "MED-RBP correlates even more highly with MED-nDCG@20 than with RBO.",
        "Other persistences than 0.9 weaken the correlation of MED-RBP and MED-nDCG@20.",
    )
    others = [study.correlation(f"MED-{name}", ndcg) for name in OTHER_PERSISTENCES]
    if any(math.isnan(one.pearson) for one in (with_rbo, with_ndcg, *others)):
        yield from (
            Finding(claim, None, f"{NOT_TOLD}: the pairs do not differ.") for claim in claims
        )
        return
    yield Finding(
        claims[0],
        with_rbo.pearson >= STRENGTHS[0][0],
        f"The correlation of {rbp} and {rbo} is {strength(with_rbo.pearson)}: "
        f"{correlations(with_rbo, 4)}.",
    )
    yield Finding(
        claims[1],
        with_ndcg.pearson > with_rbo.pearson,
        f"Pearson's correlation of {rbp} is {with_ndcg.pearson:.4f} with {ndcg} and "
        f"{with_rbo.pearson:.4f} with {rbo}.",
    )
    stated = ", ".join(
        f"{one.pearson:.4f} for {name}"
        for one, name in zip(others, OTHER_PERSISTENCES, strict=True)
    )
    yield Finding(
        claims[2],
        all(one.pearson < with_ndcg.pearson for one in others),
        f"Pearson's correlation with {ndcg} is {with_ndcg.pearson:.4f} for {PERSISTENCE}, "
        f"{stated}.",
    )


def strength(value: float) -> str:
    """A correlation in words.

    >>> strength(0.53), strength(-0.9), strength(0.1)
    ('moderate', 'very strong and negative', 'very weak')
    """
    word = next(word for least, word in STRENGTHS if abs(value) >= least)
    return f"{word} and negative" if value <= -STRENGTHS[-2][0] else word


def correlations(found: Correlation, digits: int = 3) -> str:
    """The three correlations in words."""
    return (
        f"Pearson {found.pearson:.{digits}f}, Spearman {found.spearman:.{digits}f}, "
        f"Kendall {found.kendall:.{digits}f}"
    )


def _without_one(found: Correlation) -> str:
    """What one run does to a correlation, where it does much."""
    if not found.without or found.pearson - found.lowest < 0.1:
        return ""
    return (
        f" It depends much on one run: without {found.without}, Pearson's correlation is "
        f"{found.lowest:.3f} ({strength(found.lowest)})."
    )


def _pairs(count: int) -> str:
    return f"{count:,} pair{'' if count == 1 else 's'}"
