"""The difference of two lists when relevance is a matter of chance: every case of it, or samples.

A query is made of parts: one, or one for each of its intents. In a part, every document has its
value or is an unknown that is relevant with its probability, independently of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medir.arrays import Array
from medir.expecting.expectation import ROUNDING, Moments
from medir.expecting.priors import Prior
from medir.inputs.qrels import Qrels
from medir.measures.family import Measure, Terms
from medir.measures.shapes.average_precision import PrecisionTerms
from medir.measures.shapes.black_box import Score
from medir.measures.shapes.dot_product import DotProduct
from medir.measures.shapes.function import Function
from medir.measures.shapes.terms import RankTerms
from medir.settings import Unseen

UNJUDGED = -1

Numbers = NDArray[np.intp]


@dataclass(frozen=True)
class Query:
    """The two lists of a query: its documents are numbers."""

    before: Numbers
    after: Numbers
    probability: Array  # by document
    grades: Numbers  # by document; UNJUDGED for some
    by_intent: Sequence[Numbers]  # the same for each judged intent
    judged: Mapping[bytes, int]  # all judgments of the query

    def unjudged(self, measure: Measure) -> int:
        """How many unjudged documents the measure sees, for any intent."""
        shown = np.union1d(self.before[: measure.reach], self.after[: measure.reach])
        if not measure.shape.by_intent:
            return int(np.count_nonzero(self.grades[shown] == UNJUDGED))
        known = [grades[shown] != UNJUDGED for grades in self.by_intent]
        whole = len(known) >= measure["intents"]
        return int(np.count_nonzero(~np.all(known, axis=0))) if known and whole else len(shown)


class Scores:
    """A measure for many assignments of relevance at a time."""

    def __init__(self, measure: Measure, ranks: int, judged: Qrels | None) -> None:
        self.measure, self._ranks = measure, ranks
        self._highest = None if judged is None else judged.highest
        self._terms: Terms | None = None
        self._function = measure.shape if isinstance(measure.shape, Function) else None
        if self._function is not None:
            self._score = Score(repr(measure), self._function.function)
        elif measure["ideal"] != "judged":
            self._terms = measure.shape.terms(measure, ranks, (), self._highest)
        self.linear = isinstance(measure.shape, DotProduct)

    def terms(self, judged: Mapping[bytes, int]) -> Terms | None:
        """The measure for a query; none for a function, which is no sum over ranks."""
        if self._function is not None or self._terms is not None:
            return self._terms
        grades = list(judged.values())
        return self.measure.shape.terms(self.measure, self._ranks, grades, self._highest)

    def values(self, terms: Terms | None) -> Array:
        """The relevance of each grade."""
        if terms is None:
            assert self._function is not None
            return np.array(self._function.values)
        return terms.values

    def of(self, relevance: Array, terms: Terms | None) -> Array:
        """The score of each column, whose rows are the ranks."""
        if terms is None:
            return self._called(relevance)
        assert isinstance(terms, PrecisionTerms | RankTerms)
        seen = min(len(relevance), len(terms.discount))
        c, d = relevance[:seen], terms.discount[:seen]
        if terms.norm == 0 or seen == 0:
            return np.zeros(relevance.shape[1])
        if isinstance(terms, PrecisionTerms):
            return np.asarray(d @ (c * (1 + np.cumsum(c, axis=0) - c)) / terms.norm)
        if terms.decay:
            reach = np.ones_like(c)
            np.cumprod(1 - terms.decay * c[:-1], axis=0, out=reach[1:])
            return np.asarray(d @ (c * reach) / terms.norm)
        return np.asarray(d @ c / terms.norm)

    def _called(self, relevance: Array) -> Array:
        assert self._function is not None
        below = (self.measure.cutoff or 0) - len(relevance)
        if below > 0:
            nothing = np.full((below, relevance.shape[1]), self._function.values[0])
            relevance = np.concatenate([relevance, nothing])
        vectors = np.ascontiguousarray(relevance.T)
        return np.array([self._score(vector) for vector in vectors])


@dataclass(frozen=True)
class Part:
    """The two lists of a query for one intent, or for the query as a whole.

    The relevance of document i is `fixed[i]`, and `fixed[i] + rise` if it is one of the `unknown`
    and relevant.
    """

    scores: Scores
    terms: Terms | None
    before: Numbers
    after: Numbers
    fixed: Array
    rise: float
    unknown: Numbers
    probability: Array  # of each unknown
    weights: Array | None  # of each document, for a measure that is linear

    def differences(self, relevant: NDArray[np.bool_]) -> tuple[Array, float]:
        """S(after) - S(before) for each column, and the size of rounding errors in it."""
        if self.weights is not None:
            steps = self.weights[self.unknown] * self.rise
            known = self.weights * self.fixed
            scale = float(np.abs(steps).sum() + np.abs(known).sum())
            return steps @ relevant + float(known.sum()), ROUNDING * scale
        c = np.repeat(self.fixed[:, None], relevant.shape[1], axis=1)
        c[self.unknown] += self.rise * relevant
        before, after = (self.scores.of(c[some], self.terms) for some in (self.before, self.after))
        scale = max(np.abs(before).max(initial=0), np.abs(after).max(initial=0))
        return after - before, ROUNDING * float(scale)

    def expected(self) -> float | None:
        """E[S(after) - S(before)]: the difference at the expected values; None for a function."""
        if self.terms is None:
            return None
        c = self.fixed.copy()
        c[self.unknown] += self.rise * self.probability
        return float(self.terms.of(c[self.after]).sum() - self.terms.of(c[self.before]).sum())

    def variance(self) -> float | None:
        """The sum of (weight r_G)^2 p (1 - p), where the measure is linear."""
        if self.weights is None:
            return None
        steps = self.weights[self.unknown] * self.rise
        return float(np.sum(steps**2 * self.probability * (1 - self.probability)))


def parts_of(
    query: Query, scores: Scores, unseen: Unseen, prior: Prior, default: float
) -> Iterator[Part]:
    """A query under one measure: a part for each intent, or one."""
    measure = scores.measure
    terms = scores.terms(query.judged)
    values = scores.values(terms)
    lists = [query.before[: measure.reach], query.after[: measure.reach]]
    likely, extra = [query.probability], len(query.probability)
    if unseen == "anything" and measure.reach is not None:
        for side, ranking in enumerate(lists):
            below = np.arange(len(ranking), measure.reach)
            lists[side] = np.concatenate([ranking, extra + np.arange(len(below))])
            likely.append(np.nan_to_num(prior.unseen((below + 1).tolist()), nan=default))
            extra += len(below)
    p = np.concatenate(likely)
    same = np.array_equal(lists[0], lists[1])
    weights = (
        _weights(terms, lists, len(p)) if scores.linear and isinstance(terms, RankTerms) else None
    )
    matters = np.zeros(len(p), dtype=np.bool_)
    if not same:
        matters[np.concatenate(lists)] = True
    if weights is not None:
        matters &= weights != 0
    for known in _known(query, measure):
        grades = np.concatenate([known, np.full(extra - len(known), UNJUDGED)])
        free = grades == UNJUDGED
        fixed = values[np.clip(grades, 0, len(values) - 1)]
        fixed[free & (p == 1)] = values[-1]
        unknown = np.flatnonzero(free & matters & (p > 0) & (p < 1))
        rise = float(values[-1] - values[0])
        yield Part(scores, terms, lists[0], lists[1], fixed, rise, unknown, p[unknown], weights)


def _known(query: Query, measure: Measure) -> Iterator[Numbers]:
    """The grades of the documents: for each intent, those that nobody judged last."""
    if not measure.shape.by_intent:
        yield query.grades
        return
    yield from query.by_intent
    for _ in range(measure["intents"] - len(query.by_intent)):
        yield np.full(len(query.grades), UNJUDGED)


def _weights(terms: RankTerms, lists: Sequence[Numbers], documents: int) -> Array:
    """(d_n - d_m) / N of each document at rank n after and m before the change."""
    weights = np.zeros(documents)
    for ranking, sign in ((lists[0], -1.0), (lists[1], 1.0)):
        seen = min(len(ranking), len(terms.discount))
        weights[ranking[:seen]] += sign * terms.discount[:seen]
    return weights / terms.norm if terms.norm else np.zeros(documents)


def enumerated(parts: Sequence[Part]) -> tuple[Array, Array, float]:
    """Every difference that there can be, with its probability."""
    p = np.concatenate([part.probability for part in parts])
    cases = np.arange(1 << len(p))
    relevant = ((cases[None, :] >> np.arange(len(p))[:, None]) & 1).astype(np.bool_)
    weights = np.prod(np.where(relevant, p[:, None], 1 - p[:, None]), axis=0)
    differences, rounding, start = np.zeros(len(cases)), 0.0, 0
    for part in parts:
        some, error = part.differences(relevant[start : start + len(part.unknown)])
        differences += some / len(parts)
        rounding += error / len(parts)
        start += len(part.unknown)
    return differences, weights, rounding


def sampled(
    parts: Sequence[Part], random: np.random.Generator, samples: int
) -> tuple[Array, float]:
    """Differences of independent assignments."""
    differences, rounding = np.zeros(samples), 0.0
    for part in parts:
        drawn = random.random((len(part.unknown), samples)) < part.probability[:, None]
        some, error = part.differences(drawn)
        differences += some / len(parts)
        rounding += error / len(parts)
    return differences, rounding


def moments_of(parts: Sequence[Part], differences: Array, weights: Array | None) -> Moments:
    """Expectation and variance: by formula or over all cases where that can be, else of samples."""
    n, count = len(differences), len(parts)
    means = [mean for part in parts if (mean := part.expected()) is not None]
    by_formula = len(means) == count
    shares = np.full(n, 1 / n) if weights is None else weights
    expected = sum(means) / count if by_formula else float(shares @ differences)
    squares = (differences - expected) ** 2
    if weights is not None:
        return Moments(expected, float(weights @ squares))
    variances = [some for part in parts if (some := part.variance()) is not None]
    if len(variances) == count:
        return Moments(expected, sum(variances) / count**2)
    variance = float(squares.sum()) / (n if by_formula else n - 1)
    spread = max(float((squares**2).mean()) - variance**2, 0.0)
    error = 0.0 if by_formula else float(np.sqrt(variance / n))
    return Moments(expected, variance, error, float(np.sqrt(spread / n)))
