"""Measures without decay: S(C) = (1/N) sum_i c_i d_i."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.measures.family import Known, Measure, Shape, check_counts
from medir.measures.relevance import max_grade_of, values_of
from medir.measures.shapes.discounts import own_reach

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels
    from medir.measures.shapes.terms import RankTerms


@dataclass(frozen=True, eq=False, repr=False)
class DotProduct(Shape):
    """A dot product of relevance and discounts.

    `discount(ranks, parameters)` gives d_i. `tail(depth, parameters)` is the sum of all d_i below a
    depth, for a measure that looks endlessly deep. `norm` says what N is: `"one"`, `"discounts"`
    (the sum of all d_i) or `"ideal"` (the best that any list can score).
    """

    discount: Callable[[Array, Mapping[str, Any]], Array]
    tail: Callable[[Array, Mapping[str, Any]], Array] | None = None
    norm: Literal["one", "discounts", "ideal"] = "one"
    unit: bool = True

    def check(self, one: Measure) -> None:
        """A function of rank needs a name and a sum."""
        if callable(one["weights"]) and (one["name"] is None or one["total"] is None):
            raise MeasureError(
                "Discount: a function of rank needs a name and the sum of its values over all "
                "ranks: Discount(lambda rank: 0.5**rank, name='halving', total=1)"
            )

    def reach(self, one: Measure) -> int | None:
        """The cutoff, or the end of a list of discounts."""
        return own_reach(one, one["weights"])

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """Each document is decided alone."""
        longest, highest = (judged.longest, judged.highest) if judged else (0, None)
        table = self.tabulate(one, ranks, longest, highest)
        return _core.DotProduct(
            table.discount, table.tail, table.values, table.available, table.norm
        )

    def terms(self, one: Measure, known: Known) -> RankTerms:
        """c_i d_i / N."""
        from medir.measures.shapes.terms import RankTerms

        table = self.tabulate(one, known.ranks, len(known.grades), known.highest)
        norm = table.norm
        if norm == 0:
            best = np.sort(table.values[[max(grade, 0) for grade in known.grades]])[::-1]
            best = best[: len(table.discount)]
            norm = float(best @ table.discount[: len(best)])
        below = table.values[-1] * table.tail
        return RankTerms(table.values, table.discount, below, 0.0, norm)

    def exposure(self, one: Measure, ranks: int) -> Array:
        """r_G d_i / N."""
        table = self.tabulate(one, ranks, 0, None)
        return np.asarray(table.values[-1] * table.discount / table.norm)

    def tabulate(self, one: Measure, ranks: int, judged: int, highest: int | None) -> Table:
        """The measure as numbers, for lists of together `ranks` results and `judged` judgments."""
        values = values_of(one, highest)
        available = np.zeros(0, dtype=np.int64)
        ideal, cutoff = one["ideal"], one.cutoff
        if isinstance(ideal, tuple):
            check_counts(one, max_grade_of(one, highest))
            available = np.zeros(len(values), dtype=np.int64)
            for grade, count in ideal:
                available[grade] = min(count, ranks + judged + (cutoff or 0))
        length = ranks + judged if cutoff is None else cutoff
        discount = self.discount(np.arange(1.0, length + 1), one.parameters)
        if one.within_lists:
            tail = np.zeros(length + 1)
        elif cutoff is None:
            assert self.tail is not None, one
            tail = self.tail(np.arange(length + 1.0), one.parameters)
        else:
            tail = np.concatenate([np.cumsum(discount[::-1])[::-1], [0.0]])
        return Table(
            discount, tail, values, available, self._norm(one, discount, values, available)
        )

    def _norm(
        self, one: Measure, discount: Array, values: Array, available: NDArray[np.int64]
    ) -> float:
        match self.norm, one["ideal"]:
            case "discounts", _:
                return float(np.sum(discount))
            case "ideal", "judged":
                return 0.0
            case "ideal", "unbounded":
                return float(values[-1] * np.sum(discount))
            case "ideal", int(count):
                return float(values[-1] * np.sum(discount[:count]))
            case "ideal", _:
                best = np.repeat(values[::-1], available[::-1])[: len(discount)]
                norm = float(np.dot(best, discount[: len(best)]))
                if norm == 0:
                    raise MeasureError(f"{one}: ideal counts no relevant document")
                return norm
        return float(one["norm"] or 1.0)


class Table(NamedTuple):
    """A measure as numbers, for lists up to a certain length."""

    discount: Array  # d_1, d_2, ...
    tail: Array  # tail[K] = sum of d_i for i > K
    values: Array  # relevance of each grade
    available: NDArray[np.int64]  # documents of each grade, where that is known; else empty
    norm: float  # 0: from the judgments of each query
