"""Measures that are Python functions, when relevance is a matter of chance: every case, or samples.

Every document has its value or is an unknown that is of top relevance with its probability and else
not relevant, independently of the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.comparing.inputs import Inputs
from medir.expecting.distribution import ROUNDING, ROWS, summary
from medir.expecting.priors import Prior
from medir.files.background import Watcher
from medir.inputs.pairing import by_rank
from medir.measures.family import Measure
from medir.measures.shapes.black_box import Score
from medir.measures.shapes.function import Function

FEW = 10  # unknown documents, all of whose assignments are tried

Numbers = NDArray[np.intp]


def expect_function(
    measure: Measure,
    inputs: Inputs,
    pairing: _core.Pairing,
    prior: Prior,
    default: float,
    samples: int,
    seed: int,
    progress: Watcher | None,
) -> tuple[Array, Array, Array]:
    """The rows of every query, the standard errors of expectations, and the sum of each sample."""
    rows, errors = np.zeros((ROWS, len(pairing))), np.zeros(len(pairing))
    sums = np.zeros(samples)
    options = inputs.options()
    for number in range(len(pairing)):
        query = _core.query(pairing, number, inputs.judgments, [], options)
        problem = _Problem.of(pairing.query(number), query, measure, prior, default)
        random = np.random.default_rng([seed, number])
        rows[:, number], errors[number], drawn = _estimate(problem, random, samples)
        sums += drawn
        if progress is not None:
            progress(number + 1, len(pairing))
    return rows, errors, sums


def _estimate(
    problem: _Problem, random: np.random.Generator, samples: int
) -> tuple[Array, float, Array]:
    """The row of a query, the standard error of its expectation, and samples of its difference."""
    p = problem.probability
    if len(p) <= FEW:
        cases = np.arange(1 << len(p))
        relevant = ((cases[None, :] >> np.arange(len(p))[:, None]) & 1).astype(np.bool_)
        weights = np.prod(np.where(relevant, p[:, None], 1 - p[:, None]), axis=0)
        differences, rounding = problem.differences(relevant)
        expected = float(weights @ differences)
        moments = expected, float(weights @ (differences - expected) ** 2), 0.0
        row = summary(differences, weights, moments, rounding, problem.unjudged)
        picked = np.searchsorted(np.cumsum(weights), random.random(samples))
        return row, 0.0, differences[np.minimum(picked, len(differences) - 1)]
    differences, rounding = problem.differences(random.random((len(p), samples)) < p[:, None])
    expected = float(differences.mean())
    squares = (differences - expected) ** 2
    variance = float(squares.sum()) / (samples - 1)
    spread = max(float((squares**2).mean()) - variance**2, 0.0)
    moments = expected, variance, float(np.sqrt(spread / samples))
    row = summary(differences, None, moments, rounding, problem.unjudged)
    return row, float(np.sqrt(variance / samples)), differences


@dataclass(frozen=True)
class _Problem:
    """The two lists of a query under a function.

    The relevance of document i is `fixed[i]`, and `fixed[i] + rise` if it is one of the `unknown`
    and relevant.
    """

    measure: Measure
    before: Numbers
    after: Numbers
    fixed: Array
    rise: float
    unknown: Numbers
    probability: Array  # of each unknown
    unjudged: int

    @classmethod
    def of(
        cls,
        query_id: bytes,
        query: _core.Query,
        measure: Measure,
        prior: Prior,
        default: float,
    ) -> _Problem:
        """A query of two runs, its documents by their better rank."""
        assert isinstance(measure.shape, Function)
        values = np.array(measure.shape.values)
        ranks = np.array([query.before, query.after], dtype=np.intp)
        better = np.where(ranks == 0, np.iinfo(np.intp).max, ranks)
        order = np.lexsort([better[0] > better[1], better.min(axis=0)])
        order = order[np.any(ranks[:, order], axis=0)]
        best = better.min(axis=0)[order].tolist()
        likely = prior.of(query_id, [query.keys[i] for i in order], best)
        known = query.grades[order]
        lists = [by_rank(some, measure.reach) for some in ranks[:, order]]
        seen = np.union1d(*lists)
        unjudged = int(np.count_nonzero(known[seen] < 0))
        for side, cut in enumerate((query.before_cut, query.after_cut)):
            if cut and measure.reach is not None:
                ranking = lists[side]
                below = np.arange(len(ranking), measure.reach)
                lists[side] = np.concatenate([ranking, len(likely) + np.arange(len(below))])
                likely = np.concatenate([likely, prior.unseen((below + 1).tolist())])
        p = np.nan_to_num(likely, nan=default)
        free = np.concatenate([known < 0, np.ones(len(p) - len(known), dtype=np.bool_)])
        fixed = np.full(len(p), values[0])
        fixed[: len(known)] = values[np.clip(known, 0, len(values) - 1)]
        fixed[free & (p == 1)] = values[-1]
        matters = np.zeros(len(p), dtype=np.bool_)
        if not np.array_equal(lists[0], lists[1]):
            matters[np.concatenate(lists)] = True
        unknown = np.flatnonzero(free & matters & (p > 0) & (p < 1))
        rise = float(values[-1] - values[0])
        return cls(measure, lists[0], lists[1], fixed, rise, unknown, p[unknown], unjudged)

    def differences(self, relevant: NDArray[np.bool_]) -> tuple[Array, float]:
        """S(after) - S(before) for each column, and the size of rounding errors in it."""
        c = np.repeat(self.fixed[:, None], relevant.shape[1], axis=1)
        c[self.unknown] += self.rise * relevant
        before, after = (self._scores(c[some]) for some in (self.before, self.after))
        scale = max(np.abs(before).max(initial=0), np.abs(after).max(initial=0))
        return after - before, ROUNDING * float(scale)

    def _scores(self, relevance: Array) -> Array:
        """The score of each column, whose rows are the ranks."""
        shape = self.measure.shape
        assert isinstance(shape, Function)
        below = (self.measure.cutoff or 0) - len(relevance)
        if below > 0:
            nothing = np.full((below, relevance.shape[1]), shape.values[0])
            relevance = np.concatenate([relevance, nothing])
        score = Score(repr(self.measure), shape.function)
        return np.array([score(vector) for vector in np.ascontiguousarray(relevance.T)])
