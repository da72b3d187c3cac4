"""The relevance that makes the values of all queries, written by the kernels in one go.

Ranks and relevance say what each document adds; whoever reads them computes it by the formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.comparing.inputs import Inputs
from medir.measures.family import Known, Measure

MOST_VALUES = 64  # of relevance: one letter each

Words = NDArray[np.uint32]
Kernels = Sequence[_core.Measure | None]
# Takes the number of a shard, the ids of its queries and their lists, both as JSON.
Sink = Callable[[int, memoryview, memoryview], None]


class Recorder(Protocol):
    """What takes the lists of all queries while they are compared."""

    def shards(
        self, inputs: Inputs, pairing: _core.Pairing, kernels: Kernels
    ) -> _core.Shards | None:
        """What is to be written; None for nothing."""


@dataclass(frozen=True)
class Witnesses:
    """What the kernels write of a comparison, and how to read it: see `shards/shards.hpp`."""

    measures: Sequence[Measure]  # all that are compared
    formulas: Sequence[dict[str, Any]]  # of each measure of effectiveness

    @classmethod
    def of(cls, inputs: Inputs) -> Witnesses | None:
        """The witnesses under all measures of effectiveness; None where one has no formula."""
        formulas = []
        for one in inputs.measures:
            if one.kind != "difference":
                continue
            formula = _formula(one, inputs)
            if formula is None or len(formula["values"]) > MOST_VALUES:
                return None
            formulas.append(formula)
        return cls(inputs.measures, formulas)

    def shards(
        self, kernels: Kernels, queries: int, checksums: Words, occurring: Words, sink: Sink
    ) -> _core.Shards:
        """What a comparison is to write: shards of so many queries, in any order.

        `checksums` takes the CRC-32 of each query's id, and `occurring` a bit for each document
        that occurs, by the highest bits of the CRC-32 of its id; it may be empty.
        """
        formulas = iter(self.formulas)
        measures = [
            _measure(one, kernel, next(formulas)) if one.kind == "difference" else None
            for one, kernel in zip(self.measures, kernels, strict=True)
        ]
        return _core.Shards(measures, queries, checksums, occurring, sink)


def _measure(
    one: Measure, kernel: _core.Measure | None, formula: dict[str, Any]
) -> _core.ShardMeasure:
    assert kernel is not None, one
    return _core.ShardMeasure(
        kernel, np.array(formula["values"]), one.reach, formula["norm"] is None
    )


def _formula(one: Measure, inputs: Inputs) -> dict[str, Any] | None:
    """How the terms of a measure are computed; a norm that each query has of its own is None."""
    if one.shape.needs_lengths:
        return None
    highest = None if inputs.judged is None else inputs.judged.highest
    terms = one.shape.terms(one, Known(inputs.ranks, (), highest))
    formula = None if terms is None else terms.formula()
    if formula is None:
        return None
    if one["ideal"] == "judged":
        formula["norm"] = None
    if "tail" in formula:  # no list is deeper than both are together
        formula["discount"] = formula["discount"][: inputs.ranks]
        formula["tail"] = formula["tail"][: inputs.ranks + 1]
    return {**formula, "limited": isinstance(one["ideal"], tuple)}
