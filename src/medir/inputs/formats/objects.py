"""Objects in memory that hold rankings, told apart by what they offer.

No optional library is imported to find out whose object it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medir import _core
from medir.errors import InputError
from medir.inputs.formats.arrays import array_run, is_array
from medir.inputs.formats.arrow import arrow_qrels, arrow_run, speaks_arrow
from medir.inputs.formats.libraries.columns import column_qrels, column_run
from medir.inputs.formats.libraries.unwrapping import Columns, frame_columns, unwrapped
from medir.inputs.formats.mappings import qrels_columns, run_columns
from medir.inputs.formats.source import Reading, Taken


def run_of(source: Any, reading: Reading, name: str) -> Taken[_core.Lists]:
    """A run from an object."""
    if isinstance(source, Mapping):
        key = (reading.columns or {}).get("doc_id")
        return Taken(run_columns(source, reading.order, name, key), name)
    if isinstance(source, Columns):
        return Taken(column_run(source.columns, reading, name), name)
    if speaks_arrow(source):
        try:
            return Taken(arrow_run(source, reading, name), name)
        except ImportError:  # pandas without pyarrow
            return run_of(Columns(frame_columns(source)), reading, name)
    held = unwrapped(source, "run")
    if held is not None:
        return run_of(held, reading, name)
    if is_array(source):
        return Taken(array_run(source, reading, name), name)
    raise InputError(
        f"cannot use an object of type {type(source).__name__} as a run",
        name,
        remedy="Give a path, a table, an array of ids, {query: {document: score}}, "
        "{query: [documents]} or a medir.Run.",
    )


def qrels_of(
    source: Any, reading: Reading, name: str, intents: bool
) -> tuple[Taken[_core.Lists], bool]:
    """Judgments from an object, and whether they have intents."""
    if isinstance(source, Mapping):
        nested = _is_nested(source)
        return Taken(qrels_columns(source, nested, name, reading.grading), name), nested
    if isinstance(source, Columns):
        held: Any = column_qrels(source.columns, reading, name, intents)
        return qrels_of(held, reading, name, intents)
    if speaks_arrow(source):
        try:
            return Taken(arrow_qrels(source, reading, name, intents), name), intents
        except ImportError:  # pandas without pyarrow
            return qrels_of(Columns(frame_columns(source)), reading, name, intents)
    held = unwrapped(source, "qrels")
    if held is not None and not isinstance(held, list):
        return qrels_of(held, reading, name, intents)
    raise InputError(
        f"cannot use an object of type {type(source).__name__} as judgments",
        name,
        remedy="Give a path, a table, {query: {document: grade}} or a medir.Qrels.",
    )


def _is_nested(source: Mapping[Any, Any]) -> bool:
    """Whether judgments have intents."""
    return any(
        isinstance(judged, Mapping)
        for judgments in source.values()
        if isinstance(judgments, Mapping)
        for judged in judgments.values()
    )
