"""Objects in memory that hold rankings, told apart by what they offer.

No optional library is imported to find out whose object it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medir import _core
from medir.errors import InputError
from medir.inputs.formats.arrays import array_run, is_array
from medir.inputs.formats.arrow import arrow_run, speaks_arrow
from medir.inputs.formats.mappings import run_columns
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
