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
from medir.inputs.formats.mappings import qrels_columns, run_columns
from medir.inputs.formats.source import Reading, Taken


def run_of(source: Any, reading: Reading, name: str) -> Taken[_core.Lists]:
    """A run from an object."""
    if isinstance(source, Mapping):
        return Taken(run_columns(source, reading.order, name), name)
    if speaks_arrow(source):
        return Taken(arrow_run(source, reading, name), name)
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
    if speaks_arrow(source):
        return Taken(arrow_qrels(source, reading, name, intents), name), intents
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
