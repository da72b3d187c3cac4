"""Arrays of neighbours, as FAISS, hnswlib, usearch and ScaNN return them; lists of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown
from medir.inputs.formats.mappings import joined, run_columns
from medir.inputs.formats.source import Reading

REMEDY = "Give the array of ids, queries x k, in rank order; or the pair of ids and scores."


def is_array(source: Any) -> bool:
    """Whether an object is an array or a pair of arrays, or rows of ids."""
    return (
        _has_dimensions(source)
        or (isinstance(source, tuple) and any(map(_has_dimensions, source)))
        or (isinstance(source, list | tuple) and all(map(_is_row, source)))
    )


def array_run(source: Any, reading: Reading, name: str) -> _core.Lists:
    """A run from an array of ids, in rank order; the scores beside it never reorder."""
    if isinstance(source, list | tuple) and not any(map(_has_dimensions, source)):
        return _rows(source, reading, name)
    if isinstance(source, list) and all(_dimensions(one) == 1 for one in source):
        return _rows([one.tolist() for one in source], reading, name)
    ids = _ids_of_pair(source, name) if isinstance(source, list | tuple) else np.asarray(source)
    _check_shape(ids, name)
    if ids.dtype.kind not in "iu":
        if ids.dtype.kind in "USOT":  # texts, or any objects
            return _rows(ids.tolist(), reading, name)
        raise InputError(f"holds {ids.dtype} where ids were expected", name, remedy=REMEDY)
    if ids.shape[1] > 1 and ids.strides[1] != ids.itemsize:
        ids = np.ascontiguousarray(ids)
    native = ids.astype(ids.dtype.newbyteorder("="), copy=False)
    queries = joined(_queries(len(ids), reading, name))
    return _core.ArrayLists(shown(name), *queries, native, reading.pad, reading.threads)


def _ids_of_pair(source: Sequence[Any], name: str) -> NDArray[Any]:
    """The ids of (distances, ids) or (ids, distances), whichever holds integers."""
    if len(source) != 2:
        raise InputError(f"is a sequence of {len(source)} arrays", name, remedy=REMEDY)
    first, second = map(np.asarray, source)
    whole = [one for one in (first, second) if one.dtype.kind in "iu"]
    if len(whole) == 2:
        raise InputError(
            "both arrays of the pair hold integers, so that either may be the ids",
            name,
            remedy="Give the array of ids alone.",
        )
    if not whole:
        raise InputError("neither array of the pair holds integer ids", name, remedy=REMEDY)
    if first.shape != second.shape:
        shapes = " and ".join(" x ".join(map(str, one.shape)) for one in (first, second))
        raise InputError(f"the arrays of the pair have the shapes {shapes}", name, remedy=REMEDY)
    return whole[0]


def _check_shape(ids: NDArray[Any], name: str) -> None:
    if ids.ndim != 2:
        shape = " x ".join(map(str, ids.shape))
        raise InputError(
            f"has {ids.ndim} dimensions ({shape}) where queries x k were expected",
            name,
            remedy="For one query, add a dimension: ids[None, :]." if ids.ndim == 1 else REMEDY,
        )


def _rows(rows: Sequence[Any], reading: Reading, name: str) -> _core.Lists:
    """A run from lists of ids."""
    queries = _ids(len(rows), reading, name)
    if len(set(map(str, queries))) < len(rows):
        raise InputError("two rows have the same query id", name, remedy="Give different queries=.")
    lists = dict(zip(queries, rows, strict=True))
    return run_columns(lists, reading.order if reading.order != "score" else "file", name)


def _ids(rows: int, reading: Reading, name: str) -> Sequence[Any]:
    """The ids of queries: as the caller says, or the numbers of the rows."""
    if reading.queries is None:
        return range(rows)
    queries = list(reading.queries)
    if len(queries) != rows:
        raise InputError(
            f"there are {rows:,} rows and {len(queries):,} ids of queries",
            name,
            remedy="Give one id for each row, in the order of the rows.",
        )
    return queries


def _queries(rows: int, reading: Reading, name: str) -> list[bytes]:
    return [bytes_of(query, "query", name) for query in _ids(rows, reading, name)]


def _dimensions(source: Any) -> int | None:
    shape = getattr(source, "shape", None)
    return len(shape) if isinstance(shape, tuple) and hasattr(source, "dtype") else None


def _has_dimensions(source: Any) -> bool:
    return _dimensions(source) is not None


def _is_row(source: Any) -> bool:
    return isinstance(source, list | tuple) or _dimensions(source) == 1
