"""A batch of Spark as what the core reads: the rows of many queries, without a loop over them.

A batch has one row per query. Its columns `before`, `after`, `qrels` and `queries` are arrays of
structures: the rows of that query in each source.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from medir import _core
from medir.base.settings import Order
from medir.errors import InputError
from medir.files.identifiers import shown
from medir.inputs.formats.arrow import arrow_table
from medir.inputs.grading import Grading
from medir.inputs.qrels import Qrels
from medir.inputs.queries import Queries
from medir.inputs.runs import Run
from medir.integrations.spark.sources import QUERY

if TYPE_CHECKING:
    import pyarrow as pa

ROW = re.compile(r"row (\d+)(?:: )?")
T = TypeVar("T")


def run_in(
    batch: pa.RecordBatch, source: str, columns: Mapping[str, str], order: Order, name: str
) -> tuple[Run, pa.Array]:
    """The lists of a run that a batch holds, and the ids of the queries by their rows."""
    import pyarrow as pa

    if "doc_ids" in columns:
        queries, rows = _flat(batch, source)
        parts = {columns["query_id"]: queries, columns["doc_ids"]: rows["doc_ids"]}
        if "scores" in columns:
            parts[columns["scores"]] = rows["scores"]
    else:
        present = _present(batch, source)
        lists = present[source]
        offsets, (documents, *values) = _flat_lists(lists)
        parts = {
            columns["query_id"]: (queries := present[QUERY]),
            columns["doc_id"]: pa.ListArray.from_arrays(offsets, documents),
        }
        if values:
            parts[columns[order]] = pa.ListArray.from_arrays(offsets, values[0])
        if order == "rank":
            _refuse_ties(queries, lists, values[0], name)
    table = pa.table(parts)
    return _naming(queries, lambda: Run(_lists(table, order, name), name)), queries


def _refuse_ties(queries: pa.Array, lists: pa.ListArray, ranks: pa.Array, name: str) -> None:
    """Raises an error where two results of a query have one rank, since rows have no order."""
    import pyarrow.compute as pc

    query = pc.list_parent_indices(lists).to_numpy(zero_copy_only=False)
    numbers = ranks.to_numpy(zero_copy_only=False)
    order = np.lexsort((numbers, query))
    same = (np.diff(query[order]) == 0) & (np.diff(numbers[order]) == 0)
    if same.any():
        place = order[int(same.argmax())]
        raise InputError(
            f"two results have the rank {numbers[place]:g}, and rows have no order on Spark",
            name,
            text=f"query {shown(_text(queries[int(query[place])].as_py()))}",
            remedy="Give each result of a query a rank of its own, or order by score.",
        )


def _lists(table: pa.Table, order: Order, name: str) -> _core.Lists:
    """Lists with the ids of queries, those of documents, and what orders them, in this order."""
    values = _core.Values.ranks if order == "rank" else _core.Values.scores
    value = 2 if table.num_columns > 2 else None
    native = arrow_table(table, name)
    return _core.TableLists(native, 0, 1, value, None, values, _core.Order[order], 1)


def judgments_in(
    batch: pa.RecordBatch,
    grading: Grading,
    intents: bool,
    columns: Mapping[str, str],
    kind: type[Qrels] = Qrels,
) -> Qrels:
    """The judgments that a batch holds."""
    import pyarrow as pa

    queries, rows = _flat(batch, "qrels")
    table = pa.table({columns["query_id"]: queries, **_renamed(rows, columns)})

    def read() -> Qrels:
        return kind.of(table, grades=grading, intents=intents, columns=columns, threads=1)

    return _naming(queries, read)


def queries_in(batch: pa.RecordBatch) -> Queries | None:
    """The table of queries, as far as a batch holds it; None where it holds no row."""
    import pyarrow as pa

    queries, rows = _flat(batch, "queries")
    if len(queries) == 0:
        return None
    table = pa.table({"query_id": queries, **rows})
    return _naming(queries, lambda: Queries.of(table, threads=1))


def _renamed(rows: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    return {columns[role]: values for role, values in rows.items()}


def _present(batch: pa.RecordBatch, source: str) -> pa.RecordBatch:
    """The queries that a source has."""
    lists = batch[source]
    return batch.filter(lists.is_valid()) if lists.null_count else batch


def _flat_lists(lists: pa.ListArray) -> tuple[pa.Array, list[pa.Array]]:
    """Where each list starts and ends, and the columns of all entries, one behind the other."""
    import pyarrow.compute as pc

    offsets = lists.offsets
    first = offsets[0]
    return (pc.subtract(offsets, first) if first.as_py() else offsets), lists.flatten().flatten()


def _flat(batch: pa.RecordBatch, source: str) -> tuple[pa.Array, dict[str, pa.Array]]:
    """All rows of a source, beside the ids of their queries."""
    import pyarrow.compute as pc

    present = _present(batch, source)
    lists = present[source]
    _, columns = _flat_lists(lists)
    queries = present[QUERY].take(pc.list_parent_indices(lists))
    names = [field.name for field in lists.type.value_type]
    return queries, dict(zip(names, columns, strict=True))


def _naming(queries: pa.Array, read: Callable[[], T]) -> T:
    """What is read; the error about a row names its query, since rows have no order on Spark."""
    try:
        return read()
    except InputError as error:
        raise named(error, queries) from None


def named(error: InputError, queries: pa.Array) -> InputError:
    """The error with a query in the place of a row."""
    match = ROW.match(error.text)
    if match is None:
        return error
    query = queries[int(match[1]) - 1].as_py()
    place = "a row without a query" if query is None else f"query {shown(_text(query))}"
    rest = error.text[match.end() :]
    text = rest if rest.startswith("query ") else ", ".join(filter(None, [place, rest]))
    return InputError(error.problem, error.source, error.line, text, error.remedy)


def _text(query: object) -> str:
    return query.decode(errors="surrogateescape") if isinstance(query, bytes) else str(query)
