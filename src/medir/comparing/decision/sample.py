"""The queries of a comparison as a sample of what users send: weights, segments, texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.words import count
from medir.comparing.columns import CHANGES, MEANINGS
from medir.errors import UsageError
from medir.files.identifiers import shown
from medir.inputs.queries import NO_SEGMENT, Queries

if TYPE_CHECKING:
    from medir.inputs.queries import Source

WEIGHT = "weight"  # the column of weights, unless another one is named


@dataclass(frozen=True, eq=False, repr=False)
class Segments:
    """The groups that a column of the table of queries makes."""

    column: str
    labels: Sequence[str]
    codes: NDArray[np.int32]  # by query: the number of its label

    @cached_property
    def _by_label(self) -> list[NDArray[np.intp]]:
        """The queries of each label."""
        ends = np.cumsum(np.bincount(self.codes, minlength=len(self.labels)))[:-1]
        # Of small numbers, a stable sort takes one pass over each of their bytes.
        codes = self.codes.astype(np.min_scalar_type(max(len(self.labels) - 1, 0)))
        return np.split(np.argsort(codes, kind="stable"), ends)

    def of(self, label: str) -> NDArray[np.intp]:
        """The queries of a segment."""
        if label not in self.labels:
            known = ", ".join(map(shown, self.labels))
            raise UsageError(
                f"no query has {self.column} {shown(label)!r}; there are queries of {known}"
            )
        return self._by_label[self.labels.index(label)]


@dataclass(frozen=True, eq=False, repr=False)
class Sample:
    """How much each query counts, and what is known of it."""

    table: Queries | None = None
    weights: Array | None = None  # by query
    weight_column: str | None = None
    without_weight: int = 0  # queries that took the missing weight
    missing_weight: float = 1.0
    segments: Segments | None = None
    without_segment: int = 0

    @classmethod
    def of(
        cls,
        pairing: _core.Pairing,
        queries: Source | None,
        weight: str | None,
        by: str | None,
        missing_weight: float | None,
    ) -> Sample:
        """The queries of a pairing.

        A column `weight` is used unless `weight` names another; an empty name is none.
        """
        column = weight_column(queries, weight, by, missing_weight)
        if queries is None:
            return cls()
        table = Queries.of(queries)
        missing = 1.0 if missing_weight is None else float(missing_weight)
        weights, without_weight = None, 0
        if column is not None:
            weights, without_weight = table.numbers(column, pairing, missing)
        segments, without_segment = None, 0
        if by is not None:
            codes, labels, without_segment = table.segments(by, pairing)
            segments = Segments(by, labels, codes)
        return cls(table, weights, column, without_weight, missing, segments, without_segment)

    def rows(self, pairing: _core.Pairing) -> _core.QueryRows | None:
        """What the table knows of each query, for the files that are written."""
        return None if self.table is None else self.table.rows(pairing)

    def text(self, query: str) -> str:
        """The text of a query on one line; empty where there is none."""
        return (self.table.text(query) if self.table is not None else None) or ""

    def choices(self) -> dict[str, Any]:
        """How queries are weighed and split, by the names of the arguments."""
        return {
            "weight": self.weight_column,
            "missing_weight": None if self.weights is None else self.missing_weight,
            "by": None if self.segments is None else self.segments.column,
        }

    def notes(self, what: str = "means, shares and percentiles") -> Iterator[str]:
        """How queries are weighed, in sentences; `what` is weighted."""
        if self.weights is not None:
            yield f"{what} are weighted by the column {self.weight_column}"
        if self.without_weight:
            queries = count(self.without_weight, "query has", "queries have")
            yield f"{queries} no weight: {self.missing_weight:g} is used (--missing-weight)"
        if self.segments is not None and self.without_segment:
            queries = count(self.without_segment, "query has", "queries have")
            they = "it is" if self.without_segment == 1 else "they are"
            yield f"{queries} no {shown(self.segments.column)}: {they} the segment {NO_SEGMENT}"


def weight_column(
    queries: Source | None, weight: str | None, by: str | None, missing_weight: float | None
) -> str | None:
    """The column of weights, if there is one; an error where the options do not fit the table."""
    if queries is None:
        named = {"weight": weight, "by": by, "missing_weight": missing_weight}
        option = next((name for name, value in named.items() if value is not None), None)
        if option is not None:
            flag = option.replace("_", "-")
            raise UsageError(f"--{flag} ({option}=) needs a table of queries: --queries FILE")
        return None
    table = Queries.of(queries)
    table.refuse_columns(("measure", *MEANINGS, *CHANGES))
    column = weight or None
    if weight is None and WEIGHT in table.columns:
        column = WEIGHT
    if column is None and missing_weight is not None:
        raise UsageError("--missing-weight (missing_weight=) needs weights: --weight COLUMN")
    return column


EVERY_QUERY = Sample()  # counts once
