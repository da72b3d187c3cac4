"""A part of the rows as what the core reads: many queries, without a loop over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.settings import Order
from medir.errors import InputError
from medir.files.identifiers import shown
from medir.inputs.formats.arrow import arrow_table
from medir.inputs.grading import Grading
from medir.inputs.qrels import Qrels
from medir.inputs.queries import Queries
from medir.inputs.runs import Run
from medir.integrations.spark.rows import Part

if TYPE_CHECKING:
    import pyarrow as pa

ROW = re.compile(r"row (\d+)(?:: |, )?")
T = TypeVar("T")


def run_in(
    part: Part, source: str, columns: Mapping[str, str], order: Order, name: str
) -> tuple[Run, pa.Array]:
    """The lists of a run that a part holds, and the ids of the queries by their rows."""
    import pyarrow as pa

    queries, cells, number = part.rows(source)
    if "doc_ids" in columns:
        arrays = cells
    else:
        begins = np.flatnonzero(np.diff(number, prepend=-1))
        offsets = pa.array(np.append(begins, len(number)).astype(np.int32))
        if order == "rank":
            _refuse_ties(queries, number, cells["rank"], name)
        queries = queries.take(pa.array(begins))
        arrays = {role: pa.ListArray.from_arrays(offsets, cell) for role, cell in cells.items()}
    wanted = ("doc_ids", "doc_id", "scores", order)
    table = pa.table(
        {
            columns["query_id"]: queries,
            **{columns[role]: arrays[role] for role in wanted if role in arrays},
        }
    )
    return _naming(queries, lambda: Run(_lists(table, order, name), name)), queries


def _refuse_ties(queries: pa.Array, query: NDArray[np.int64], ranks: pa.Array, name: str) -> None:
    """Raises an error where two results of a query have one rank, since rows have no order."""
    numbers = ranks.to_numpy(zero_copy_only=False)
    order = np.lexsort((numbers, query))
    same = (np.diff(query[order]) == 0) & (np.diff(numbers[order]) == 0)
    if same.any():
        place = order[int(same.argmax())]
        raise InputError(
            f"two results have the rank {numbers[place]:g}, and rows have no order on Spark",
            name,
            text=f"query {shown(_text(queries[int(place)].as_py()))}",
            remedy="Give each result of a query a rank of its own, or order by score.",
        )


def _lists(table: pa.Table, order: Order, name: str) -> _core.Lists:
    """Lists with the ids of queries, those of documents, and what orders them, in this order."""
    values = _core.Values.ranks if order == "rank" else _core.Values.scores
    value = 2 if table.num_columns > 2 else None
    native = arrow_table(table, name)
    return _core.TableLists(native, 0, 1, value, None, values, _core.Order[order], 1)


def judgments_in(
    part: Part,
    grading: Grading,
    intents: bool,
    columns: Mapping[str, str],
    kind: type[Qrels] = Qrels,
) -> Qrels:
    """The judgments that a part holds."""
    import pyarrow as pa

    queries, rows, _ = part.rows("qrels")
    table = pa.table({columns["query_id"]: queries, **_renamed(rows, columns)})

    def read() -> Qrels:
        return kind.of(table, grades=grading, intents=intents, columns=columns, threads=1)

    return _naming(queries, read)


def queries_in(part: Part) -> Queries | None:
    """The table of queries, as far as a part holds it; None where it holds no row."""
    import pyarrow as pa

    queries, rows, _ = part.rows("queries")
    if len(queries) == 0:
        return None
    table = pa.table({"query_id": queries, **rows})
    return _naming(queries, lambda: Queries.of(table, threads=1))


def _renamed(rows: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    return {columns[role]: values for role, values in rows.items()}


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
