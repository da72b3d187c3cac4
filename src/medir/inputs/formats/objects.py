"""Objects in memory that hold rankings, told apart by what they offer.

No optional library is imported to find out whose object it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medir import _core
from medir.errors import InputError
from medir.inputs.formats.libraries.columns import column_qrels, column_run
from medir.inputs.formats.libraries.documents import is_plain, plain_results
from medir.inputs.formats.libraries.unwrapping import Columns, unwrapped
from medir.inputs.formats.mappings import run_columns
from medir.inputs.formats.source import Reading, Taken


def run_of(source: Any, reading: Reading, name: str) -> Taken[_core.Lists]:
    """A run from an object."""
    if isinstance(source, Mapping):
        return Taken(_mapped_run(source, reading, name), name)
    if isinstance(source, Columns):
        return Taken(column_run(source.columns, reading, name), name)
    held = unwrapped(source, "run")
    if held is not None:
        return run_of(held, reading, name)
    raise InputError(
        f"cannot use an object of type {type(source).__name__} as a run",
        name,
        remedy="Give a path, {query: {document: score}}, {query: [documents]} or a medir.Run.",
    )


def _mapped_run(source: Mapping[Any, Any], reading: Reading, name: str) -> _core.Lists:
    key = (reading.columns or {}).get("doc_id")
    if not is_plain(source):
        source = plain_results(source, name, key)
    try:
        return run_columns(source, reading.order, name)
    except InputError:
        plain = plain_results(source, name, key)  # may have a better error
        if plain == source:
            raise
        return run_columns(plain, reading.order, name)


def mapped_qrels(source: Any, reading: Reading, name: str, intents: bool) -> Mapping[Any, Any]:
    """Judgments from an object, as a mapping."""
    if isinstance(source, Mapping):
        return source
    if isinstance(source, Columns):
        return column_qrels(source.columns, reading, name, intents)
    held = unwrapped(source, "qrels")
    if held is not None:
        return mapped_qrels(held, reading, name, intents)
    raise InputError(
        f"cannot use an object of type {type(source).__name__} as judgments",
        name,
        remedy="Give a path, {query: {document: grade}} or a medir.Qrels.",
    )
