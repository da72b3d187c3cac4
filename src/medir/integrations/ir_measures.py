"""MED as a measure of ir_measures, for its functions and for PyTerrier's `pt.Experiment`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from medir.comparing.columns import COLUMNS
from medir.comparing.compare import compare
from medir.errors import MedirError, UsageError
from medir.inputs.runs import Run, Source
from medir.measures.chosen import Measures, single


def MED(  # noqa: N802  # what it is called
    reference: Source,
    measure: Measures = "nDCG@20",
    *,
    column: str = "med",
    judged: bool = False,
    **options: Any,
) -> Any:
    """A measure of ir_measures: how much a run could differ from a reference run.

    `column` is `med`, `gain`, `loss` or `lower` of the rows of `compare`; `options` are settings of
    `compare`. With `judged`, the judgments that ir_measures is given fix what they say. Queries are
    those of the judgments, as for every measure of ir_measures; of a query without results the list
    is empty. A rank similarity, such as RBO, has its value.
    """
    try:
        import ir_measures
    except ImportError:
        message = "MED as a measure of ir_measures needs ir_measures: pip install ir-measures"
        raise _MissingError(message) from None
    chosen = single(measure, judged)
    is_difference = chosen.kind == "difference"
    if column not in COLUMNS:
        raise UsageError(f"column is one of {', '.join(COLUMNS)}, not {column!r}")
    reading = {key: options[key] for key in ("order", "columns", "pad") if key in options}
    before = Run.of(reference, name="reference", **reading)

    def values(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        grades = _table(qrels, "relevance") if judged else None
        result = compare(before, _table(run, "score"), chosen, qrels=grades, **options)
        known = set(qrels["query_id"])
        shown = result.column(chosen, column if is_difference else None)
        for query, value in zip(result.queries, shown.tolist(), strict=True):
            if query in known:
                yield query, value

    name = chosen.title if column == "med" else f"{column}-{chosen!r}"
    made = ir_measures.define(values, name, support_cutoff=False)
    made.DEFAULT = 0.0 if is_difference else math.nan  # of a query that neither run has
    return made


class _MissingError(MedirError, ImportError):
    """ir_measures is not installed."""


def _table(frame: Any, value: str) -> Any:
    """The columns of a frame of ir_measures that count; an empty frame has no types."""
    return frame[["query_id", "doc_id", value]] if len(frame) else {}
