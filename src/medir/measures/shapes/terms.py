"""What each rank adds to the score of a list, for one query at a time.

Computed plainly from the relevance of the ranks: for explanations and expectations, which look at
one query and not at a million.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from medir.base.arrays import Array
from medir.measures.family import Measure, Terms

if TYPE_CHECKING:
    from medir.inputs.lengths import Lengths


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


@dataclass(frozen=True, eq=False, repr=False)
class TimedTerms(Terms):
    """Time-biased gain for documents of known length.

    >>> from medir import TBG
    >>> from medir.inputs.lengths import Lengths
    >>> terms = TimedTerms(TBG, Lengths.of({"a": 300, "b": 50}))
    >>> terms.of([1.0, 1.0], ["a", "b"]).round(4).tolist()
    [0.4928, 0.4736]
    """

    measure: Measure
    lengths: Lengths

    def of(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> Array:
        """What each rank adds, given the documents of a list and their relevance."""
        gains = self.measure["gain"] * np.asarray(relevance, dtype=np.float64)
        return np.asarray(gains * self._decay(self._times(relevance, documents)[:-1]))

    def below(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> float:
        """The most that the unseen ranks add: relevant documents of no words."""
        one, cutoff = self.measure, self.measure.cutoff
        ranks = math.inf if cutoff is None else max(cutoff - len(documents), 0)
        seconds = one["snippet_seconds"] + one["click_relevant"] * one["document_seconds"]
        rate = math.log(2) / one["half_life"] * seconds
        total = one["gain"] * math.expm1(-rate * ranks) / math.expm1(-rate)
        return float(total * self._decay(self._times(relevance, documents)[-1:])[0])

    def _times(self, relevance: Sequence[float] | Array, documents: Sequence[Any]) -> Array:
        """The expected seconds to reach each rank, and what is below the last."""
        one = self.measure
        words = np.array([self.lengths[document] for document in documents])
        reading = one["document_seconds"] + one["word_seconds"] * words
        relevant = np.asarray(relevance, dtype=np.float64) > 0
        clicks = np.where(relevant, one["click_relevant"], one["click_not_relevant"])
        return np.concatenate([[0.0], np.cumsum(one["snippet_seconds"] + clicks * reading)])

    def _decay(self, seconds: Array) -> Array:
        return np.asarray(np.exp2(-seconds / self.measure["half_life"]))
