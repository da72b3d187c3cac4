"""Measures that are Python functions: `medir.define`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.errors import MeasureError
from medir.inputs.pairing import Name
from medir.measures.family import Cut, Measure, Shape, Solver, Values
from medir.measures.shapes.black_box import PROVEN, Difference, difference, relevance_of

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels

EFFORT_OF_A_NODE = 100  # a node costs many calls of the function


@dataclass(frozen=True)
class Function(Shape):
    """A function from the relevance of each rank to a score."""

    function: Callable[[Array], float]
    values: tuple[float, ...]  # the relevance of each grade
    monotone: bool  # more relevance never lowers the score

    is_function = True

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """There is none."""
        raise MeasureError(f"{one} is a function of your own, which is computed in Python")

    def in_python(self, one: Measure) -> bool:
        """Always."""
        return True

    def looks_below(self, one: Measure) -> bool:
        """Without a cutoff, the function sees what the list has."""
        return one.cutoff is not None

    def solver(self, one: Measure, effort: int) -> Solver:
        """Branch and bound, query by query."""

        def values(
            before: Sequence[Name], after: Sequence[Name], grades: Mapping[Name, int], cut: Cut
        ) -> Values:
            found = self.solve(one, before, after, grades, cut, effort)
            sizes = len(before), len(after)
            if not any(c and n < (one.cutoff or 0) for c, n in zip(cut, sizes, strict=True)):
                return *found.values, 0.0
            ended = self.solve(one, before, after, grades, (False, False), effort)
            added = found.med - ended.med
            return *found.values, added if added > PROVEN * found.med else 0.0

        return values

    def solve(
        self,
        one: Measure,
        before: Sequence[Name],
        after: Sequence[Name],
        grades: Mapping[Name, int],
        cut: Cut,
        effort: int,
    ) -> Difference:
        """Both directions of two lists, with their witnesses."""
        return difference(
            before,
            after,
            self.function,
            values=self.values,
            monotone=self.monotone,
            judged=grades,
            cutoff=one.cutoff,
            cut=cut,
            effort=max(1, effort // EFFORT_OF_A_NODE),
            name=repr(one),
        )

    def score(self, one: Measure, documents: Sequence[Name], grades: Mapping[Name, int]) -> float:
        """The score of one list; a document without judgment is not relevant."""
        return relevance_of(
            documents, self.function, dict(grades), self.values, one.cutoff, repr(one)
        )

    def of(self, one: Measure, relevance: Sequence[float]) -> float:
        """The score of a list, given the relevance of its ranks."""
        below = [self.values[0]] * ((one.cutoff or len(relevance)) - len(relevance))
        return float(self.function(np.array([*relevance, *below])))
