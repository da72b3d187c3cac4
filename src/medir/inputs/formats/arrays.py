"""Arrays of neighbours, as FAISS, hnswlib, usearch and ScaNN return them; lists of lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.checks import check_whole
from medir.errors import InputError, UsageError
from medir.files.identifiers import bytes_of, shown
from medir.inputs.formats.mappings import joined, run_columns
from medir.inputs.formats.source import Reading

LISTS, WHOLE = (list, tuple), (int, np.integer)  # faster to check than unions
REMEDY = "Give the array of ids, queries x k, in rank order; or the pair of ids and scores."


def is_array(source: Any) -> bool:
    """Whether an object is an array or a pair of arrays, or rows of ids."""
    if isinstance(source, list | tuple):
        return any(map(_has_places, source)) or all(map(_is_row, source))
    return _dimensions(source) is not None


def array_run(source: Any, reading: Reading, name: str) -> _core.Lists:
    """A run from an array of ids, in rank order; the scores beside it never reorder."""
    check_whole(reading.pad, "pad", -(2**63), 2**64 - 1)
    if isinstance(source, list | tuple) and not any(map(_has_places, source)):
        return _rows(source, reading, name)
    if isinstance(source, list) and all(map(_is_row, source)):
        return _rows(
            [_plain(one, reading).tolist() if _has_places(one) else one for one in source],
            reading,
            name,
        )
    pair = isinstance(source, list | tuple)
    ids = _ids_of_pair(source, reading, name) if pair else _plain(source, reading)
    if ids.dtype == object and ids.ndim == 1 and all(map(_is_row, ids)):
        return _rows(ids.tolist(), reading, name)
    _check_shape(ids, name)
    if ids.dtype.kind in "iu":
        return _numbers(ids, reading, name)
    if ids.dtype.kind in "USOT":  # texts, or any objects
        return _rows(ids.tolist(), reading, name)
    raise InputError(f"holds {ids.dtype} where ids were expected", name, remedy=REMEDY)


def _plain(source: Any, reading: Reading) -> NDArray[Any]:
    """An array as numpy's; what is masked is padding."""
    if isinstance(source, np.ma.MaskedArray) and source.dtype.kind in "iu":
        padding: Any = np.array(reading.pad).astype(source.dtype)  # -1 is the greatest unsigned
        return source.filled(padding)
    return np.asarray(source)


def _numbers(ids: NDArray[Any], reading: Reading, name: str) -> _core.Lists:
    """A run from an array of integers."""
    if not len(ids):
        return _rows([], reading, name)
    if ids.strides[1] != ids.itemsize:
        ids = np.ascontiguousarray(ids)
    native = ids.astype(ids.dtype.newbyteorder("="), copy=False)
    queries = None if reading.queries is None else joined(_queries(len(ids), reading, name))
    pad = int(reading.pad)
    if pad == np.iinfo(np.uint64).max and native.dtype == np.uint64:
        pad = -1  # the same number, for the core
    if not -(1 << 63) <= pad < 1 << 63:
        raise UsageError(f"pad must be a number of 64 bits, not {pad}")
    return _core.ArrayLists(shown(name), queries, native, pad, reading.threads)


def _ids_of_pair(source: Sequence[Any], reading: Reading, name: str) -> NDArray[Any]:
    """The ids of (distances, ids) or (ids, distances), whichever holds integers."""
    if len(source) != 2:
        raise InputError(f"is a sequence of {len(source)} arrays", name, remedy=REMEDY)
    first, second = (_plain(one, reading) for one in source)
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
    """A run from lists of ids. Numbers are padded as in arrays."""
    if any(_is_padded(row, reading.pad) for row in rows):
        if len(set(map(len, rows))) == 1:
            array = np.array(rows)
            if array.dtype.kind in "iu":  # whose width is what was asked for
                return _numbers(array, reading, name)
        rows = [_ended(row, reading.pad, number, name) for number, row in enumerate(rows)]
    queries = _ids(len(rows), reading, name)
    if reading.queries is None:
        queries = list(map(str, queries))
    elif len(set(map(str, queries))) < len(rows):
        raise InputError("two rows have the same query id", name, remedy="Give different queries=.")
    lists = dict(zip(queries, rows, strict=True))
    return run_columns(lists, reading.order if reading.order != "score" else "file", name)


def _is_padded(row: Sequence[Any], pad: int) -> bool:
    return len(row) > 0 and isinstance(row[0], WHOLE) and pad in row


def _ended(row: Sequence[Any], pad: int, number: int, name: str) -> Sequence[Any]:
    """A row up to its padding."""
    if not _is_padded(row, pad):
        return row
    end = list(row).index(pad)
    behind = [one for one in row[end:] if one != pad]
    if behind:
        raise InputError(
            f"{behind[0]!r} stands behind {pad}, which ends a row",
            name,
            text=f"row {number}",
            remedy="Say which number fills the rows: pad=... (--pad).",
        )
    return row[:end]


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


def _has_places(source: Any) -> bool:
    return not isinstance(source, LISTS) and bool(_dimensions(source))


def _is_row(source: Any) -> bool:
    return isinstance(source, LISTS) or _dimensions(source) == 1
