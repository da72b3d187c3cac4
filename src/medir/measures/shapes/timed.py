"""Time-biased gain: S(C) = sum_k gain c_k exp(-T(k) ln 2 / half_life).

T(k) is the expected time to reach rank k; over passages, the time at which material is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from medir import _core
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.measures.family import Known, Measure, Shape

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels
    from medir.measures.shapes.terms import TimedTerms

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
        from medir.measures.shapes.terms import TimedTerms

        assert known.lengths is not None, one
        return TimedTerms(one, known.lengths)
