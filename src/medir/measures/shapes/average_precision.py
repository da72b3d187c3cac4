"""Average precision: S(C) = (1/N) sum_{i<=k} (c_i / i) sum_{j<=i} c_j, binary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from medir import _core
from medir.base.settings import Effort
from medir.measures.family import Known, Measure, Shape
from medir.measures.relevance import max_grade_of

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels
    from medir.measures.shapes.terms import PrecisionTerms


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
        from medir.measures.shapes.terms import PrecisionTerms

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
