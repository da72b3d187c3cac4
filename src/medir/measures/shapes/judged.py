"""How much of a list is judged: for scores only, since judging changes it whatever the grade."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from medir import _core
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.inputs.pairing import Name
from medir.measures.family import Measure, Shape

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels


class Judged(Shape):
    """The share of the first results that have a judgment."""

    scores_only = True

    def check_documents(self, one: Measure) -> None:
        """There is no effectiveness to maximise the difference of."""
        raise MeasureError(
            f"{one} says how much of a list is judged, not how good it is, so that there is no "
            "difference to maximise; use medir score (medir.score)"
        )

    def check_scored(self, one: Measure) -> None:
        """Scores are what it is for."""

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """There is none."""
        raise MeasureError(f"{one} has no kernel")

    def in_python(self, one: Measure) -> bool:
        """Always."""
        return True

    def score(self, one: Measure, documents: Sequence[Name], grades: Mapping[Name, int]) -> float:
        """Of a list that is shorter than the cutoff, the share of what there is; 0 of nothing."""
        first = documents[: one.cutoff]
        return sum(document in grades for document in first) / max(len(first), 1)
