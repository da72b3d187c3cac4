"""What each rank adds to the score of a list, for one query at a time.

Computed plainly from the relevance of the ranks: for explanations and expectations, which look at
one query and not at a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.base.arrays import Array
from medir.measures.family import Terms


@dataclass(frozen=True, eq=False, repr=False)
class RankTerms(Terms):
    """A sum over ranks, with decay or without it.

    >>> from medir import ERR
    >>> from medir.measures.family import Known
    >>> ERR.shape.terms(ERR @ 3, Known(ranks=3)).of([0.0, 0.75, 0.75]).round(4).tolist()
    [0.0, 0.375, 0.0625]
    """

    values: Array
    discount: Array  # by rank, from 1
    tail: Array  # by depth: what all ranks below add when they are of top relevance
    decay: float  # 0 where there is none
    norm: float

    def of(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> Array:
        """c_i d_i / N, times how likely the user comes to rank i."""
        c = np.asarray(relevance, dtype=np.float64)
        terms = np.zeros(len(c))
        if self.norm == 0:
            return terms
        seen = min(len(c), len(self.discount))
        terms[:seen] = c[:seen] * self.discount[:seen] / self.norm
        if self.decay:
            terms[:seen] *= self._reach(c[:seen])[:-1]
        return terms

    def below(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> float:
        """What the unseen ranks add when they are of top relevance."""
        c = np.asarray(relevance, dtype=np.float64)
        if self.norm == 0 or len(c) >= len(self.tail):
            return 0.0
        reach = np.prod(1 - self.decay * c) if self.decay else 1.0
        return float(reach * self.tail[len(c)] / self.norm)

    def formula(self) -> dict[str, Any]:
        """Discounts, tails and decay."""
        return {
            "kind": "ranks",
            "values": self.values.tolist(),
            "discount": self.discount.tolist(),
            "tail": self.tail.tolist(),
            "decay": self.decay,
            "norm": self.norm,
        }

    def _reach(self, relevance: Array) -> Array:
        """How likely the user comes to each rank, and to what is below the last."""
        return np.concatenate([[1.0], np.cumprod(1 - self.decay * relevance)])
