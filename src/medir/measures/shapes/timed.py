"""Time-biased gain, a list at a time: what each rank adds, straight from the times.

S(C) = sum_k gain c_k exp(-T(k) ln 2 / half_life), where T(k) is the expected time to reach rank k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.arrays import Array
from medir.inputs.lengths import Lengths
from medir.measures.notation import Measure


@dataclass(frozen=True)
class TimedTerms:
    """Time-biased gain for documents of known length.

    >>> from medir import TBG
    >>> terms = TimedTerms(TBG, Lengths.of({"a": 300, "b": 50}))
    >>> terms.of([1.0, 1.0], ["a", "b"]).round(4).tolist()
    [0.4928, 0.4736]
    """

    measure: Measure
    lengths: Lengths

    def of(self, relevance: Sequence[float] | Array, documents: Sequence[Any]) -> Array:
        """What each rank adds, given the documents of a list and their relevance."""
        gains = self.measure["gain"] * np.asarray(relevance, dtype=np.float64)
        return np.asarray(gains * self._decay(self._times(relevance, documents)[:-1]))

    def below(self, relevance: Sequence[float] | Array, documents: Sequence[Any]) -> float:
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
