"""Time-biased gain: S(C) = sum_k gain c_k exp(-T(k) ln 2 / half_life).

T(k) is the expected time to reach rank k; over passages, the time at which material is shown.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.measures.family import Known, Measure, Shape, Terms

if TYPE_CHECKING:
    from medir.inputs.lengths import Lengths
    from medir.inputs.qrels import Qrels

OVER_PASSAGES = ("half_life", "speed")  # the parameters that count there


class Timed(Shape):
    """A cascade in time: each document takes as long as its length says."""

    needs_lengths = True

    def check(self, one: Measure) -> None:
        """A relevant document is opened at least as often as another."""
        if one["click_relevant"] < one["click_not_relevant"]:
            raise MeasureError(f"{one.name}: click_relevant is below click_not_relevant")

    def check_documents(self, one: Measure) -> None:
        """Documents have word_seconds, passages a speed."""
        if one.states("speed"):
            raise MeasureError(f"{one}: speed is for passages; documents have word_seconds")

    def check_passages(self, one: Measure) -> None:
        """Over passages there is no cutoff and no click."""
        if one.cutoff is not None:
            raise MeasureError(f"{one}: over passages, {one.name} has no cutoff but a half_life")
        other = next((name for name, _ in one.settings if name not in OVER_PASSAGES), None)
        if other is not None:
            raise MeasureError(
                f"{one}: over passages, {one.name} has {' and '.join(OVER_PASSAGES)}, not {other}"
            )

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """Persistency, a walk down both lists, and branch and bound."""
        return _core.TimeBiasedGain(
            one["half_life"],
            one["gain"],
            one["snippet_seconds"],
            one["document_seconds"],
            one["word_seconds"],
            one["click_relevant"],
            one["click_not_relevant"],
            one.cutoff,
            one["rel"],
            *effort,
        )

    def trail_kernel(self, one: Measure) -> _core.TrailMeasure:
        """An exponential discount of the seconds at which material is shown."""
        return _core.TimeBiasedTrail(one["half_life"], one["speed"])

    def terms(self, one: Measure, known: Known) -> TimedTerms:
        """Straight from the times."""
        assert known.lengths is not None, one
        return TimedTerms(one, known.lengths)


@dataclass(frozen=True, eq=False, repr=False)
class TimedTerms(Terms):
    """Time-biased gain for documents of known length.

    >>> from medir import TBG
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
