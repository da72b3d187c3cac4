"""Cascades: S(C) = (1/N) sum_i c_i d_i prod_{j<i} (1 - rho c_j)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.measures.family import DEEPEST, Known, Measure, Shape
from medir.measures.relevance import values_of
from medir.measures.shapes.discounts import own_reach

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels
    from medir.measures.shapes.terms import RankTerms

NEGLIGIBLE = 1e-18  # of a cascade that goes on


@dataclass(frozen=True, eq=False, repr=False)
class Cascade(Shape):
    """Every relevant document makes it less likely that the user reads on.

    `discount(ranks, parameters)` gives d_i and `decay(parameters)` rho. `norm` says what N is:
    `"one"` or `"ideal"` (the best that any list can score). With `by_intent`, the score is the mean
    over the intents of a query.
    """

    discount: Callable[[Array, Mapping[str, Any]], Array]
    decay: Callable[[Mapping[str, Any]], float]
    norm: Literal["one", "ideal"] = "one"
    unit: bool = True
    by_intent: bool = False

    def check(self, one: Measure) -> None:
        """A function of rank needs a name; grades and `rel` exclude each other."""
        if one["relevance"] == "graded" and one.states("rel"):
            raise MeasureError(f"{one.name}: rel goes with relevance='binary' only")
        if callable(one["discount"]) and one["name"] is None:
            raise MeasureError(
                "Cascade: a function of rank needs a name: "
                "Cascade(lambda rank: 0.9**rank, decay=0.5, name='fading')"
            )

    def reach(self, one: Measure) -> int | None:
        """The cutoff, or the end of a list of discounts."""
        return own_reach(one, one["discount"])

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """Persistency, then a walk down both lists and a search by counts."""
        longest, highest = (judged.longest, judged.highest) if judged else (0, None)
        terms = self._tabulate(one, ranks + longest, highest)
        cascade = _core.Cascade(
            terms.discount, terms.tail, terms.values, terms.decay, terms.norm, *effort
        )
        return _core.IntentAware(cascade, one["intents"]) if self.by_intent else cascade

    def terms(self, one: Measure, known: Known) -> RankTerms:
        """c_i d_i / N, times how likely the user comes to rank i."""
        return self._tabulate(one, known.ranks + len(known.grades), known.highest)

    def _tabulate(self, one: Measure, length: int, highest: int | None) -> RankTerms:
        """Below depth K, where all is of top relevance r: T_K = r d_{K+1} + (1 - rho r) T_{K+1}."""
        from medir.measures.shapes.terms import RankTerms

        values = values_of(one, highest)
        top, decay = float(values[-1]), self.decay(one.parameters)
        keep = 1 - decay * top
        length = one.cutoff or length
        further = 0 if one.cutoff else _negligible_after(one, keep)
        discount = self.discount(np.arange(1.0, length + further + 1), one.parameters)
        below = accumulate(discount[::-1].tolist(), lambda t, d: top * d + keep * t, initial=0.0)
        tail = np.array(list(below)[::-1])[: length + 1]
        norm = float(tail[0]) if self.norm == "ideal" else float(one["norm"] or 1.0)
        return RankTerms(values, discount[:length], tail, decay, norm)


def _negligible_after(one: Measure, keep: float) -> int:
    """How many ranks of top relevance further down the chance of reading on is negligible."""
    if isinstance(one["discount"], tuple):
        return len(one["discount"])
    ranks = 1 if keep <= 0 else math.ceil(math.log(NEGLIGIBLE) / math.log(keep))
    if ranks > DEEPEST:
        raise MeasureError(
            f"{one}: the decay is too small to add up an endless list; set a cutoff with @"
        )
    return ranks
