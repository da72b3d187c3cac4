"""Objects of other libraries, as something that medir reads: a table, columns, or a mapping.

They are recognised by what they offer. No library is imported to find out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir.errors import InputError

What = Literal["run", "qrels"]

TO_ARROW = ("to_arrow", "to_arrow_table", "to_pyarrow", "fetch_arrow_table")
ROWS = {"run": "scoreddocs_iter", "qrels": "qrels_iter"}  # of a dataset of ir_datasets
FRAMES = {"run": "run_data", "qrels": "qrels_data"}  # of trectools


class Columns(NamedTuple):
    """A table as columns of equal length, by their names."""

    columns: Mapping[str, NDArray[Any]]


def unwrapped(source: Any, what: What = "run") -> Any | None:
    """What an object of another library holds; None for an object that nobody knows.

    That is an object with Arrow's stream, `Columns`, a mapping, or a list. An iterator is used up.
    """
    for unwrap in (_collected, _held, _matches, _arrow, _frame, _mapping, _rows):
        found = unwrap(source, what)
        if found is not None:
            return found
    return None


def _collected(source: Any, _: What) -> Any | None:
    """A LazyFrame of polars."""
    lazy = _library(source) == "polars" and hasattr(source, "collect")
    return source.collect() if lazy else None


def _held(source: Any, what: What) -> Any | None:
    """The frame of trectools' TrecRun and TrecQrel; the rows of a dataset of ir_datasets."""
    if hasattr(source, FRAMES[what]):
        return getattr(source, FRAMES[what])
    if callable(getattr(source, ROWS[what], None)):
        return _rows(getattr(source, ROWS[what])(), what)
    return None


def _matches(source: Any, _: What) -> Any | None:
    """Matches of usearch: its keys, as many of a row as were found."""
    if not all(hasattr(source, name) for name in ("keys", "distances", "to_list")):
        return None
    keys = np.atleast_2d(source.keys)
    counts = getattr(source, "counts", None)
    if counts is None or (np.asarray(counts) == keys.shape[1]).all():
        return keys
    return [row[:count].tolist() for row, count in zip(keys, counts, strict=True)]


def _arrow(source: Any, _: What) -> Any | None:
    """What becomes a table of Arrow when it is asked to."""
    named = (getattr(source, name, None) for name in TO_ARROW)
    convert = next((method for method in named if callable(method)), None)
    return None if convert is None else convert()


def _frame(source: Any, _: What) -> Columns | None:
    """A frame of pandas."""
    is_frame = hasattr(source, "columns") and hasattr(source, "itertuples")
    return Columns(frame_columns(source)) if is_frame else None


def _mapping(source: Any, _: What) -> Mapping[Any, Any] | None:
    """Run and Qrels of ranx; not a Series, which has a list, too."""
    if not callable(getattr(source, "to_dict", None)) or hasattr(source, "tolist"):
        return None
    held = source.to_dict()
    return held if isinstance(held, Mapping) else None


def _library(source: Any) -> str:
    return type(source).__module__.partition(".")[0]


def frame_columns(frame: Any) -> dict[str, NDArray[Any]]:
    """The columns of a pandas DataFrame whose Arrow stream needs pyarrow, where there is none.

    The index is no column.
    """
    return {str(name): np.asarray(frame.iloc[:, i]) for i, name in enumerate(frame.columns)}


def _rows(source: Any, _: What) -> Any | None:
    """Rows with `query_id` and `doc_id`, such as ScoredDoc and Qrel of ir_measures."""
    if isinstance(source, str | bytes | Mapping) or not isinstance(source, Iterable):
        return None
    if hasattr(source, "dtype"):  # an array
        return None
    rows = iter(source)
    first = next(rows, None)
    is_iterator = rows is source
    if first is None:
        return {} if is_iterator else None
    fields = _fields(first)
    if "query_id" not in fields and not isinstance(first, Mapping):
        return list(chain([first], rows)) if is_iterator else None
    return Columns(_gathered(chain([first], rows), fields, isinstance(first, Mapping)))


def _fields(row: Any) -> list[str]:
    """The names of what a row holds."""
    if isinstance(row, Mapping):
        return [name for name in row if isinstance(name, str)]
    if hasattr(row, "_fields"):  # a namedtuple
        return list(row._fields)
    known = ("query_id", "doc_id", "score", "rank", "relevance", "subtopic_id", "iteration")
    return [name for name in known if hasattr(row, name)]


def _gathered(
    rows: Iterator[Any], fields: list[str], are_mappings: bool
) -> dict[str, NDArray[Any]]:
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    for number, row in enumerate(rows, 1):
        for name, column in columns.items():
            try:
                column.append(row[name] if are_mappings else getattr(row, name))
            except (AttributeError, KeyError, TypeError):
                raise InputError(
                    f"row {number} has no {name}, which the first row has",
                    text=repr(row),
                    remedy="Give rows of one kind.",
                ) from None
    return {name: _array(column) for name, column in columns.items()}


def _array(values: list[Any]) -> NDArray[Any]:
    """Values as they are, without becoming text or floats."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column
