"""Runs and judgments from columns in Python: of rows, and of frames where there is no Arrow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown
from medir.inputs.formats.column_names import chosen_qrels_columns, chosen_run_columns
from medir.inputs.formats.libraries.documents import plain_id
from medir.inputs.formats.mappings import joined
from medir.inputs.formats.source import Reading

Table = Mapping[str, NDArray[Any]]


def column_run(columns: Table, reading: Reading, name: str) -> _core.ColumnLists:
    """A run from columns: one row per result, or one row per query with lists."""
    chosen, order = chosen_run_columns(list(columns), reading.order, reading.columns, name)
    table: Table = {role: columns[column] for role, column in chosen.items()}
    codes, queries = _numbered(table["query_id"], name)
    if "doc_ids" in table:
        table = _unnested(table, name)
        if len(queries) < len(codes):
            raise InputError("two rows have the same query", name, remedy="Give one row per query.")
        codes = np.repeat(codes, table["sizes"])
    documents = _ids(table["doc_id"], "document", name)
    keys: list[NDArray[Any]] = [codes]
    values = np.zeros(len(codes))
    if order != "file":
        values = _numbers(table[order], order, name)
    if order == "rank":
        keys.insert(0, values)
    sequence = np.lexsort(keys)  # is stable
    with np.errstate(over="ignore"):
        values = values.astype(np.float32).astype(np.float64)  # single precision, as trec_eval
    return _core.ColumnLists(
        shown(name),
        *joined(queries),
        np.cumsum(np.bincount(codes, minlength=len(queries)), dtype=np.uint64),
        *joined([documents[row] for row in sequence]),
        *joined([]),
        values[sequence],
        _core.Order.score if order == "score" else _core.Order.file,
    )


def column_qrels(
    columns: Table, reading: Reading, name: str, intents: bool
) -> dict[str, dict[Any, Any]]:
    """Judgments from columns, as a mapping; with intents, one level more."""
    chosen = chosen_qrels_columns(list(columns), reading.columns, name)
    roles = ["query_id", *(["intent"] if intents and "intent" in chosen else []), "doc_id"]
    ids = [[plain_id(one) for one in columns[chosen[role]].tolist()] for role in roles]
    found: dict[Any, Any] = {}
    for row, (*path, document) in enumerate(zip(*ids, strict=True), 1):
        judged = found
        for part in path:
            judged = judged.setdefault(part, {})
        grade = columns[chosen["relevance"]][row - 1]
        if judged.setdefault(document, grade) != grade:
            raise InputError(
                f"row {row}: document {document!r} is judged twice for query {path[0]!r}, with "
                f"different grades: {judged[document]} and {grade}",
                name,
                remedy="Remove one of the judgments.",
            )
    return found


def _unnested(table: Table, name: str) -> Table:
    """The documents and scores of rows with lists, one behind the other, and how many each has."""
    lists = [_listed(one, row, name) for row, one in enumerate(table["doc_ids"], 1)]
    sizes = [len(one) for one in lists]
    long = {"sizes": np.array(sizes), "doc_id": _array(list(chain.from_iterable(lists)))}
    if "scores" in table:
        scores = [_listed(one, row, name) for row, one in enumerate(table["scores"], 1)]
        for row, (size, some) in enumerate(zip(sizes, scores, strict=True), 1):
            if len(some) != size:
                problem = f"row {row} has {size} documents and {len(some)} scores"
                raise InputError(problem, name, remedy="Give as many scores as documents.")
        long["score"] = _array(list(chain.from_iterable(scores)))
    return long


def _listed(value: Any, row: int, name: str) -> Sequence[Any]:
    if isinstance(value, np.ndarray):
        listed: list[Any] = value.tolist()
        return listed
    if not isinstance(value, list | tuple):
        problem = f"row {row} has {value!r} where a list should be"
        raise InputError(problem, name, remedy="Give one list per query.")
    return value


def _array(values: Sequence[Any]) -> NDArray[Any]:
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _numbered(column: NDArray[Any], name: str) -> tuple[NDArray[np.int64], list[bytes]]:
    """The number of the query of each row, and the queries in the order in which they appear."""
    known: dict[bytes, int] = {}
    codes = [known.setdefault(one, len(known)) for one in _ids(column, "query", name)]
    return np.array(codes, dtype=np.int64), list(known)


def _ids(column: NDArray[Any], what: str, name: str) -> list[bytes]:
    ids = []
    for row, value in enumerate(column.tolist(), 1):
        try:
            ids.append(bytes_of(plain_id(value), what, name))
        except InputError as error:
            raise InputError(f"row {row}: {error.problem}", name, remedy=error.remedy) from None
    return ids


def _numbers(column: NDArray[Any], what: str, name: str) -> NDArray[np.float64]:
    """A column of numbers, none of which is missing."""
    numbers = np.empty(len(column))
    for row, value in enumerate(column.tolist()):
        try:
            number = np.nan if isinstance(value, str) else float(value)
        except (TypeError, ValueError):
            number = np.nan
        if np.isnan(number):
            raise InputError(
                f"row {row + 1}: the {what} is {value!r}, not a number",
                name,
                remedy=f"Fix the {what}, or choose another order.",
            )
        numbers[row] = number
    return numbers
