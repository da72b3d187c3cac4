"""What each rank adds to the score of a list, for a query at a time.

Every measure of medir's own is a sum over ranks. Its terms are computed here from the relevance
values of the ranks, plainly: for explanations and expectations, where a query counts and not a
million of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.arrays import Array
from medir.measures.kernels import max_grade_of, tabulate, tabulate_cascade
from medir.measures.notation import Measure


@dataclass(frozen=True)
class Terms:
    """A measure for one query: `of(relevance)` are the terms of a list, divided by N.

    `values` are the relevance values of the grades; the last is the highest. With all ranks below a
    depth of top relevance, `below(relevance)` is what they add.

    >>> from medir import ERR
    >>> Terms.for_query(ERR @ 3, 3).of(np.array([0.0, 0.75, 0.75])).round(4).tolist()
    [0.0, 0.375, 0.0625]
    """

    measure: Measure
    values: Array
    discount: Array  # by rank, from 1
    tail: Array  # by depth
    decay: float  # 0 where there is none
    norm: float

    @classmethod
    def for_query(
        cls,
        measure: Measure,
        ranks: int,
        judged: Mapping[Any, int] | None = None,
        highest_judged: int | None = None,
    ) -> Terms:
        """The measure for lists of together at most `ranks` results and the judgments of a query.

        `highest_judged` is the highest grade of all judgments, not of this query alone.
        """
        grades = [max(grade, 0) for grade in (judged or {}).values()]
        shape = measure.family.shape
        if shape == "average precision":
            assert measure.cutoff is not None, measure
            top = max(max_grade_of(measure, highest_judged), measure["rel"], *grades, 1)
            values = np.where(np.arange(top + 1) >= measure["rel"], 1.0, 0.0)
            discount = 1 / np.arange(1.0, measure.cutoff + 1)
            ideal = {
                "unbounded": float(measure.cutoff),
                "judged": float(sum(grade >= measure["rel"] for grade in grades)),
            }
            norm = ideal.get(measure["ideal"], measure["ideal"])
            return cls(measure, values, discount, np.zeros(0), 0.0, float(norm))
        if shape == "cascade":
            discount, tail, values, decay, norm = tabulate_cascade(
                measure, ranks + len(grades), highest_judged
            )
            return cls(measure, values, discount, tail, decay, norm)
        table = tabulate(measure, ranks, len(grades), highest_judged)
        norm = table.norm
        if norm == 0:
            best = np.sort(table.values[grades])[::-1][: len(table.discount)]
            norm = float(best @ table.discount[: len(best)])
        below = table.values[-1] * table.tail
        return cls(measure, table.values, table.discount, below, 0.0, norm)

    @property
    def top(self) -> float:
        """The highest relevance value."""
        return float(self.values[-1])

    def value(self, grade: int) -> float:
        """The relevance value of a grade."""
        return float(self.values[max(grade, 0)])

    def of(self, relevance: Sequence[float] | Array) -> Array:
        """What each rank adds, given the relevance of the ranks from 1 on.

        For independent probabilities of relevance (times the top value), these are the expected
        terms: every measure is linear in the relevance of each document.
        """
        c = np.zeros(len(relevance))
        seen = min(len(c), len(self.discount))
        c[:seen] = np.asarray(relevance)[:seen]
        d = np.zeros(len(c))
        d[:seen] = self.discount[:seen]
        if self.norm == 0:
            return np.zeros(len(c))
        if self.measure.family.shape == "average precision":
            return np.asarray(c * d * (1 + np.cumsum(c) - c) / self.norm)
        return np.asarray(c * d * self.reach(c)[:-1] / self.norm)

    def reach(self, relevance: Array) -> Array:
        """How likely the user comes to each rank, and to what is below the last."""
        return np.concatenate([[1.0], np.cumprod(1 - self.decay * relevance)])

    def below(self, relevance: Sequence[float] | Array) -> float:
        """What the unseen ranks below a list add when they are of top relevance."""
        c = np.asarray(relevance, dtype=np.float64)
        if self.norm == 0:
            return 0.0
        if self.measure.family.shape == "average precision":
            cutoff = len(self.discount)
            if len(c) >= cutoff:
                return 0.0
            whole = np.concatenate([c, np.ones(cutoff - len(c))])
            return float(self.of(whole)[len(c) :].sum())
        if len(c) >= len(self.tail):
            return 0.0
        return float(self.reach(c)[-1] * self.tail[len(c)] / self.norm)
