"""Average precision: S(C) = (1/N) sum_{i<=k} (c_i / i) sum_{j<=i} c_j, binary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.measures.family import Known, Measure, Shape, Terms
from medir.measures.relevance import max_grade_of

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels


class AveragePrecision(Shape):
    """Every relevant document counts with all relevant ones above it."""

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """A quadratic function of the documents that both lists hold."""
        cutoff = _cutoff(one, ranks)
        norm = {"unbounded": cutoff, "judged": 0}.get(one["ideal"], one["ideal"])
        return _core.AveragePrecision(cutoff, one["rel"], norm, *effort)

    def terms(self, one: Measure, known: Known) -> PrecisionTerms:
        """c_i (1 + relevant above) / (i N)."""
        cutoff = _cutoff(one, known.ranks)
        top = max(max_grade_of(one, known.highest), one["rel"], *known.grades, 1)
        values = np.where(np.arange(top + 1) >= one["rel"], 1.0, 0.0)
        ideal = {
            "unbounded": float(cutoff),
            "judged": float(sum(grade >= one["rel"] for grade in known.grades)),
        }
        norm = float(ideal.get(one["ideal"], one["ideal"]))
        return PrecisionTerms(values, 1 / np.arange(1.0, cutoff + 1), norm, one.within_lists)


def _cutoff(one: Measure, ranks: int) -> int:
    """The deepest rank that counts; no list of a measure without one is deeper than `ranks`."""
    return ranks if one.cutoff is None else one.cutoff


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionTerms(Terms):
    """The terms of average precision."""

    values: Array
    discount: Array  # 1/i by rank, from 1
    norm: float
    within_lists: bool = False  # there is nothing below a list

    def of(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> Array:
        """c_i (1 + relevant above) / (i N)."""
        terms = np.zeros(len(relevance))
        if self.norm == 0:
            return terms
        seen = min(len(terms), len(self.discount))
        c = np.asarray(relevance, dtype=np.float64)[:seen]
        terms[:seen] = c * self.discount[:seen] * (1 + np.cumsum(c) - c) / self.norm
        return terms

    def below(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> float:
        """What the unseen ranks add when all of them are relevant."""
        c = np.asarray(relevance, dtype=np.float64)
        if self.within_lists or len(c) >= len(self.discount):
            return 0.0
        whole = np.concatenate([c, np.ones(len(self.discount) - len(c))])
        return float(self.of(whole)[len(c) :].sum())

    def formula(self) -> dict[str, Any]:
        """Discounts alone: the rest is the same for all."""
        return {
            "kind": "precision",
            "values": self.values.tolist(),
            "discount": self.discount.tolist(),
            "decay": 0.0,
            "norm": self.norm,
            "endless": not self.within_lists,
        }
