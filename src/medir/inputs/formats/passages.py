"""Passages that are already in memory, or in a table with named columns, for the native core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError, MissingExtraError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.inputs.formats.arrow import arrow_table, refuse_nulls
from medir.inputs.formats.contents.json_lines import json_value
from medir.inputs.formats.mappings import joined

LARGEST = 10**12  # of an offset or a length

# What a column may be called, by what it holds.
NAMES = {
    "query": ("query_id", "topic", "topic_id", "qid", "q_id", "query"),
    "document": ("doc_id", "docid", "docno", "document", "document_id"),
    "offset": ("offset",),
    "length": ("length",),
    "rank": ("rank",),
    "score": ("score",),
    "duration": ("duration", "seconds"),
}
IDS = ("query", "document")
NEEDED = ("query", "document", "offset", "length")


class Coded(NamedTuple):
    """Ids in the order in which they appear, and which of them each row has."""

    codes: NDArray[np.int64]
    ids: list[bytes]


@dataclass(frozen=True)
class Table:
    """The columns of a table, and where to find a row of it."""

    name: str
    columns: Mapping[str, Any]  # by what they hold: sequences, arrays of numbers, Coded ids
    place: Callable[[int], tuple[int | None, str]]  # of a row: its line, or its text

    def error(self, row: int, problem: str, remedy: str = "") -> InputError:
        """An error about one row."""
        line, text = self.place(row)
        return InputError(problem, self.name, line, text, remedy)


def mapping_passages(source: Mapping[Any, Any], name: str) -> _core.ColumnPassages:
    """`{query: [(document, offset, length), ...]}`; a fourth number is a duration in seconds."""
    rows = [
        (query, _fields(query, one, name)) for query, some in _lists(source, name) for one in some
    ]
    fields: tuple[list[Any], ...] = tuple([one[i] for _, one in rows] for i in range(4))
    columns: dict[str, Sequence[Any]] = {"query": [query for query, _ in rows]}
    columns |= dict(zip(("document", "offset", "length", "duration"), fields, strict=True))
    if not any(one is not None for one in fields[3]):
        del columns["duration"]

    def place(row: int) -> tuple[None, str]:
        return None, f"query {rows[row][0]}, passage {rows[row][1]}"

    queries = [bytes_of(query, "query", name) for query in source]
    if len(set(queries)) < len(queries):
        twice = next(text_of(q) for i, q in enumerate(queries) if q in queries[:i])
        raise InputError(f"two queries have the id {twice!r}", name)
    return table_passages(Table(name, columns, place), "file", queries)


def _lists(source: Mapping[Any, Any], name: str) -> Iterable[tuple[Any, list[Any]]]:
    for query, passages in source.items():
        if isinstance(passages, str | bytes | Mapping) or not isinstance(passages, Iterable):
            raise InputError(
                f"query {query!r} has {passages!r} where its passages should be",
                name,
                remedy="Give a list of (document, offset, length), in the order they are shown.",
            )
        yield query, list(passages)


def _fields(query: Any, passage: Any, name: str) -> tuple[Any, Any, Any, Any]:
    if not isinstance(passage, Sequence) or isinstance(passage, str) or len(passage) not in (3, 4):
        raise InputError(
            f"query {query!r}: {passage!r} is not a passage",
            name,
            remedy="A passage is (document, offset, length), and a duration in seconds if known.",
        )
    document, offset, length, *duration = passage
    return document, offset, length, duration[0] if duration else None


def jsonl_passages(content: bytes, order: str, name: str) -> _core.ColumnPassages:
    """Passages from JSON lines: an object a line, with the columns by name."""
    rows: list[dict[str, Any]] = []
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(content.decode("utf-8-sig", "surrogateescape").split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json_value(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise InputError(
                "is not a JSON object", name, number, line, "Write one object per line: {...}"
            )
        rows.append(row)
        lines.append((number, line))
    if not rows:
        raise InputError("holds no passages", name)
    present = list(dict.fromkeys(key for row in rows for key in row))
    chosen = _chosen(present, name)
    table = Table(
        name,
        {what: [row.get(key) for row in rows] for what, key in chosen.items()},
        lines.__getitem__,
    )
    for what in NEEDED:
        for row, value in enumerate(table.columns[what]):
            if value is None:
                raise table.error(row, f"there is no {chosen[what]}", "Complete the line.")
    return table_passages(table, order)


def parquet_passages(source: Any, order: str, name: str) -> _core.ColumnPassages:
    """Passages from a Parquet file (a path or a buffer)."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "tables", "reading Parquet") from None
    try:
        with pq.ParquetFile(
            pa.BufferReader(source) if isinstance(source, bytes) else source
        ) as file:
            chosen = _chosen(file.schema_arrow.names, name)
            read = file.read(columns=list(chosen.values()))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"cannot be read as Parquet: {error}", name) from None
    if not read.num_rows:
        raise InputError("holds no passages", name)
    return arrow_passages(read, order, name)


def arrow_passages(
    source: Any, order: str, name: str, given: Mapping[str, str] | None = None
) -> _core.ColumnPassages:
    """Passages from a table that speaks Arrow."""
    table = arrow_table(source, name)
    chosen = _chosen(table.columns, name, given)
    refuse_nulls(table, (chosen[what] for what in NEEDED), name)
    number = {what: table.columns.index(column) for what, column in chosen.items()}
    columns = {
        what: Coded(*table.codes(i)) if what in IDS else _arrow_numbers(table, i)
        for what, i in number.items()
    }
    return table_passages(Table(name, columns, lambda row: (None, f"row {row + 1}")), order)


def _arrow_numbers(table: _core.ArrowTable, column: int) -> NDArray[Any]:
    numbers = table.numbers(column)
    whole = "int" in table.types[column] and not np.isnan(numbers).any()
    return numbers.astype(np.int64) if whole else numbers


def _chosen(
    present: Sequence[str], name: str, given: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Which column holds what."""
    chosen: dict[str, str] = {}
    ours = {"query_id": "query", "doc_id": "document"}
    said = {ours.get(what, what): column for what, column in (given or {}).items()}
    for what, usual in NAMES.items():
        names = (said[what],) if what in said else usual
        found = [key for key in names if key in present]
        if len(found) > 1:
            raise InputError(f"has the columns {' and '.join(found)}, which mean the same", name)
        if found and list(present).count(found[0]) > 1:
            raise InputError(f"has the column {found[0]} twice", name)
        if found:
            chosen[what] = found[0]
        elif what in NEEDED:
            raise InputError(
                f"there is no column {' or '.join(names)}",
                name,
                remedy=f"It has {', '.join(map(str, present)) or 'none'}.",
            )
    return chosen


def table_passages(
    table: Table, order: str, queries: Sequence[bytes] | None = None
) -> _core.ColumnPassages:
    """The passages of a table: by query, and in order within each.

    `queries` are their ids where some have no passage.
    """
    query_codes, query_ids = _codes(table, "query")
    if queries is not None:
        number = {query: i for i, query in enumerate(queries)}
        query_codes = np.array([number[q] for q in query_ids], dtype=np.int64)[query_codes]
        query_ids = list(queries)
    documents, names = _codes(table, "document")
    starts, lengths = _extents(table, "offset"), _extents(table, "length")
    seconds = _durations(table)
    sequence = np.lexsort((*_keys(table, order), query_codes))
    return _core.ColumnPassages(
        shown(table.name),
        *joined(query_ids),
        np.cumsum(np.bincount(query_codes, minlength=len(query_ids)), dtype=np.uint64),
        *joined(names),
        documents[sequence].astype(np.uint32),
        starts[sequence],
        lengths[sequence],
        seconds[sequence] if len(seconds) else seconds,
    )


def _codes(table: Table, what: str) -> tuple[NDArray[np.int64], list[bytes]]:
    """The ids of a column in the order in which they appear, and which of them each row has."""
    column = table.columns[what]
    if isinstance(column, Coded):
        return column
    known: dict[bytes, int] = {}
    numbers = []
    for row, one in enumerate(column):
        try:
            numbers.append(known.setdefault(bytes_of(one, what, table.name), len(known)))
        except InputError as error:
            raise table.error(row, error.problem, error.remedy) from None
    return np.array(numbers, dtype=np.int64), list(known)


def _numbers(table: Table, what: str) -> NDArray[Any]:
    """A column as numbers; NaN where there is none."""
    column = table.columns[what]
    if isinstance(column, np.ndarray):
        return column
    wrong = (
        row for row, value in enumerate(column)
        if value is not None
        and (isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.number))
    )  # fmt: skip
    row = next(wrong, None)
    if row is not None:
        raise table.error(row, f"the {what} {column[row]!r} is not a number")
    if all(isinstance(value, int | np.integer) and abs(int(value)) < 2**63 for value in column):
        return np.array(column, dtype=np.int64)
    return np.array([np.nan if value is None else _float(value) for value in column])


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _extents(table: Table, what: str) -> NDArray[np.int64]:
    """Offsets or lengths."""
    numbers = _numbers(table, what)
    remedy = "Offsets and lengths are whole numbers of characters or bytes, 0 or more."
    if numbers.dtype.kind == "f":
        _refuse(table, what, numbers, numbers != np.floor(numbers), "is not a whole number", remedy)
    _refuse(table, what, numbers, numbers < 0, "is negative", remedy)
    _refuse(table, what, numbers, numbers > LARGEST, "is above 10^12", "Is it in the right column?")
    return numbers.astype(np.int64)


def _durations(table: Table) -> NDArray[np.float64]:
    """The seconds of each passage, negative where they are not given; none for all."""
    if "duration" not in table.columns:
        return np.zeros(0)
    numbers = _numbers(table, "duration").astype(np.float64)
    remedy = "A duration is a number of seconds, 0 or more."
    _refuse(table, "duration", numbers, numbers < 0, "is negative", remedy)
    _refuse(table, "duration", numbers, np.isinf(numbers), "is not finite", remedy)
    return np.where(np.isnan(numbers), -1.0, numbers)


def _keys(table: Table, order: str) -> list[NDArray[Any]]:
    """What rows are ordered by within a query, the most important last."""
    if order == "rank" and "rank" not in table.columns:
        raise InputError("there is no column rank", table.name, remedy="Choose --order file.")
    if order == "file":
        return []
    keys = []
    if "rank" in table.columns:
        keys.append(_sortable(table, "rank"))
    if order == "score" and "score" in table.columns:
        keys.append(-_sortable(table, "score"))
    return keys


def _sortable(table: Table, what: str) -> NDArray[Any]:
    numbers = _numbers(table, what).astype(np.float64)
    remedy = f"Fix the {what}, or choose another --order."
    _refuse(table, what, numbers, np.isnan(numbers), "is not a number", remedy)
    return numbers


def _refuse(
    table: Table,
    what: str,
    numbers: NDArray[Any],
    wrong: NDArray[np.bool_],
    problem: str,
    remedy: str,
) -> None:
    if wrong.any():
        row = int(np.argmax(wrong))
        raise table.error(row, f"the {what} {numbers[row]} {problem}", remedy)
