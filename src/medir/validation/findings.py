"""What a study found, in words: the findings of the paper, each held against the numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from medir.base.words import count
from medir.validation.computation import OTHER_PERSISTENCES, PERSISTENCE, SIMILARITY
from medir.validation.results import BY_QUERY, Correlation, Study, contrast

CLEAR = 0.4  # Pearson's correlation from which on one is called clear
STRENGTHS = (
    (0.8, "very strong"),
    (0.6, "strong"),
    (0.4, "moderate"),
    (0.2, "weak"),
    (0.0, "very weak"),
)
NOT_TOLD = "Not tested"
ROUNDING = 1e-9  # of a mean: no difference
VISIBLE = 0.01  # of a correlation: what one run does to it


class Finding(NamedTuple):
    """A finding of the paper, whether it holds here (None: not tested), and the numbers.

    `only_with` is a run without which it would not hold.
    """

    claim: str
    holds: bool | None
    evidence: str
    only_with: str = ""

    @property
    def verdict(self) -> str:
        """Whether it holds here, in words."""
        if self.only_with:
            return f"Holds only with {self.only_with}"
        return {True: "Holds here", False: "Does not hold here", None: NOT_TOLD}[self.holds]


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


def headline(found: Sequence[Finding]) -> str:
    """How many findings hold, in a sentence."""
    tested = [one for one in found if one.holds is not None]
    held = sum(bool(one.holds) and not one.only_with for one in tested)
    text = f"{held} of {count(len(tested), 'finding')} of the paper hold here"
    if fragile := sum(bool(one.only_with) for one in tested):
        text += f", {fragile} more only with one run"
    return f"{text}."


def answer(study: Study) -> list[str]:
    """Whether MED goes with true differences, in a few sentences."""
    if math.isnan(study.with_truth(0).pearson):
        return ["The pairs do not differ: nothing can be told."]
    sentences = [
        f"Without any judgments, {study.main} correlates {_both(study, 0)}.",
        f"With all judgments, it correlates {_both(study, 100)}.",
    ]
    if run := _truth(study).only_with:
        sentences.append(
            f"Without judgments, the first depends on one run: without {run}, it is "
            f"{study.with_truth(0).lowest:.3f}."
        )
    return sentences


def _both(study: Study, share: int) -> str:
    """How MED correlates with both true differences."""
    found = [(kind, study.with_truth(share, kind).pearson) for kind in study.true_differences]
    known = [(kind, value) for kind, value in found if not math.isnan(value)]
    named = [f"the {kind} (Pearson {value:.3f})" for kind, value in known]
    how = [_adverb(value) for _, value in known]
    if len(set(how)) == 1:
        return f"{how[0]} with {' and '.join(named)}"
    parts = zip(how, named, strict=True)
    return " and ".join(f"{adverb} with {kind}" for adverb, kind in parts) or "with neither"


def _adverb(value: float) -> str:
    """How two numbers correlate.

    >>> _adverb(0.9), _adverb(-0.5), _adverb(0.05)
    ('very strongly', 'moderately and negatively', 'very weakly')
    """
    return " and ".join(
        f"{part.removesuffix('e')}ely" if part.endswith("e") else f"{part}ly"
        for part in strength(value).split(" and ")
    )


def _more(values: Iterable[float], digits: int) -> bool:
    """Whether each value is more than the one before, as far as the digits that are shown."""
    return all(round(b, digits) > round(a, digits) for a, b in pairwise(values))


def _groups(study: Study) -> Finding:
    claim = "Runs of one group are closer to each other than runs of different groups."
    found = study.contrasts.get(study.main)
    if found is None:
        why = (
            "It needs groups (--groups)"
            if study.members is None
            else "There are not both pairs of one group and of different groups"
        )
        return Finding(claim, None, f"{why}.")
    holds = _more([found.first_mean, found.second_mean], 3)
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
        return Finding(claim, None, "It needs the types of the runs (a column type).")
    distance = study.med[0]
    alike = np.array([kind.startswith("both ") for kind in study.pair_types])
    means = []
    for numbers in study.within_groups().values():
        some = np.array(numbers)
        one, two = some[alike[some]], some[~alike[some]]
        if len(one) and len(two):
            means.append((float(distance[one].mean()), float(distance[two].mean()), one, two))
    if not means:
        return Finding(claim, None, "Here no group has pairs of both kinds.")
    first, second = (np.concatenate([row[side] for row in means]) for side in (2, 3))
    found = contrast(distance[first], distance[second])
    closer = sum(_more([one, two], 3) for one, two, *_ in means)
    holds = _more([found.first_mean, found.second_mean], 3) and closer > len(means) / 2
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
        return Finding(claim, None, "The pairs do not differ.")
    return Finding(
        claim,
        found.pearson >= CLEAR,
        f"The correlation of {study.main} with the difference of means is "
        f"{strength(found.pearson)}: {correlations(found)}.{_influences(found)}"
        f"{_with_other_truth(study, 0)}",
        found.lowest_without if found.lowest < CLEAR <= found.pearson else "",
    )


def _above(study: Study) -> Finding:
    claim = "MED without judgments is much higher than the true difference."
    med, true = study.med[0], study.difference
    above = int((med > true + ROUNDING).sum())
    if med.mean() == 0 or true.mean() == 0:
        return Finding(claim, None, "The pairs do not differ.")
    ratio = float(med.mean() / true.mean())
    times = f" ({ratio:.1f} times as much)"
    return Finding(
        claim,
        ratio >= 2,
        f"The mean {study.main} is {med.mean():.3f}, the mean difference of means {true.mean():.3f}"
        f"{times}; MED is higher for {above:,} of {_pairs(len(med))}.",
    )


def _judgments(study: Study) -> Finding:
    claim = (
        "The more judgments there are, the higher is the correlation of MED and true difference."
    )
    values = [study.with_truth(share).pearson for share in study.med]
    if any(map(math.isnan, values)):
        return Finding(claim, None, "The pairs do not differ.")
    steps = ", ".join(f"{v:.3f} with {s} %" for s, v in zip(study.med, values, strict=True))
    last = study.with_truth(100)
    return Finding(
        claim,
        _more(values, 3),
        f"Pearson's correlation is {steps} of the judgments. With all of them it is "
        f"{strength(last.pearson)} ({correlations(last)}).{_influences(last)}"
        f"{_with_other_truth(study, 100)}",
    )


def _closer(study: Study) -> Finding:
    claim = "The more judgments there are, the nearer MED comes to the true difference."
    ideal = "" if study.truth == study.measure else "from an ideal list of top grades only, "
    apart = float(np.abs(study.med[100] - study.mean_difference).mean())
    gaps = [float(np.abs(med - study.difference).mean()) for med in study.med.values()]
    steps = ", ".join(f"{v:.3f} with {s} %" for s, v in zip(study.med, gaps, strict=True))
    return Finding(
        claim,
        _more(reversed(gaps), 3),
        f"The mean distance between MED and the difference of means is {steps} of the judgments. "
        f"What is left with all of them comes from documents that nobody judged, {ideal}and from "
        "runs that are better for some queries and worse for others: to the mean of differences, "
        f"the distance is {apart:.3f} then.",
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
        yield from (Finding(claim, None, "The pairs do not differ.") for claim in claims)
        return
    yield Finding(
        claims[0],
        with_rbo.pearson >= STRENGTHS[0][0],
        f"The correlation of {rbp} and {rbo} is {strength(with_rbo.pearson)}: "
        f"{correlations(with_rbo, 4)}.",
    )
    yield Finding(
        claims[1],
        _more([with_rbo.pearson, with_ndcg.pearson], 4),
        f"Pearson's correlation of {rbp} is {with_ndcg.pearson:.4f} with {ndcg} and "
        f"{with_rbo.pearson:.4f} with {rbo}.",
    )
    stated = ", ".join(
        f"{one.pearson:.4f} for {name}"
        for one, name in zip(others, OTHER_PERSISTENCES, strict=True)
    )
    yield Finding(
        claims[2],
        all(_more([one.pearson, with_ndcg.pearson], 4) for one in others),
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


def _influences(found: Correlation) -> str:
    """The runs that raise and lower a correlation most, where that can be seen."""
    text = ""
    for verb, without, run in (
        ("raises", found.lowest, found.lowest_without),
        ("lowers", found.highest, found.highest_without),
    ):
        change = found.pearson - without if verb == "raises" else without - found.pearson
        if change >= VISIBLE:
            text += (
                f" {run} {verb} it most: without this run, Pearson's correlation is "
                f"{without:.3f} ({strength(without)})."
            )
    return text


def _with_other_truth(study: Study, share: int) -> str:
    """The same with the mean of differences."""
    found = study.with_truth(share, BY_QUERY)
    if math.isnan(found.pearson):
        return ""
    return (
        f" With the mean of differences, it is {strength(found.pearson)}: {correlations(found)}."
        f"{_influences(found)}"
    )


def _pairs(count: int) -> str:
    return f"{count:,} pair{'' if count == 1 else 's'}"
