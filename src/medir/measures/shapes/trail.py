"""U-measure: relevant characters of a trailtext, by where they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medir import _core
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.measures.family import Measure, Shape

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels


class Trail(Shape):
    """Every character of the passages that are shown counts by where it is first shown."""

    def check(self, one: Measure) -> None:
        """The half-life is that of the exponential discount."""
        if one.states("half_life") and one["discount"] != "exponential":
            raise MeasureError(f"{one.name}: half_life goes with discount='exponential'")

    def check_documents(self, one: Measure) -> None:
        """A measure of passages alone."""
        raise MeasureError(
            f"{one} is a measure of passages, not of ranked documents; "
            "use medir passages (medir.compare_passages)"
        )

    def check_passages(self, one: Measure) -> None:
        """Every parameter counts."""

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """There is none for ranked documents."""
        raise MeasureError(f"{one} has no kernel for ranked documents")

    def trail_kernel(self, one: Measure) -> _core.TrailMeasure:
        """Prefix sums of the discount in closed form."""
        assert one.cutoff is not None, one
        discount = _core.TrailDiscount[one["discount"]]
        return _core.UMeasure(discount, one.cutoff, one["half_life"])
