"""Tables that speak Arrow: pandas, polars, pyarrow, DuckDB, Ibis, Spark and others.

The native core reads the Arrow C stream itself, so pyarrow is not needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from medir import _core
from medir.files.identifiers import shown
from medir.inputs.formats.column_names import chosen_qrels_columns, chosen_run_columns
from medir.inputs.formats.source import Reading


def speaks_arrow(source: Any) -> bool:
    """Whether an object is a table, or a batch of one, for Arrow."""
    kind = type(source)
    return hasattr(kind, "__arrow_c_stream__") or hasattr(kind, "__arrow_c_array__")


def arrow_table(source: Any, name: str) -> _core.ArrowTable:
    """A table of the core."""
    if hasattr(type(source), "__arrow_c_stream__"):
        return _core.ArrowTable(shown(name), source.__arrow_c_stream__())
    return _core.ArrowTable.of_batch(shown(name), *source.__arrow_c_array__())


def arrow_run(source: Any, reading: Reading, name: str) -> _core.Lists:
    """A run from a table: one row per result, or one row per query with lists."""
    table = arrow_table(source, name)
    columns, order = chosen_run_columns(table.columns, reading.order, reading.columns, name)
    number = _numbers(table, columns)
    return _core.TableLists(
        table,
        number["query_id"],
        number.get("doc_ids", number.get("doc_id", 0)),
        number.get(order if "doc_id" in number else "scores"),
        None,
        _core.Values.ranks if order == "rank" else _core.Values.scores,
        _core.Order[order],
        reading.threads,
    )


def arrow_qrels(source: Any, reading: Reading, name: str, intents: bool) -> _core.Lists:
    """Judgments from a table with one row per judgment."""
    table = arrow_table(source, name)
    number = _numbers(table, chosen_qrels_columns(table.columns, reading.columns, name))
    return _core.TableLists(
        table,
        number["query_id"],
        number["doc_id"],
        number["relevance"],
        number.get("intent") if intents else None,
        _core.Values.grades,
        _core.Order.file,
        reading.threads,
    )


def _numbers(table: _core.ArrowTable, columns: Mapping[str, str]) -> dict[str, int]:
    return {role: table.columns.index(column) for role, column in columns.items()}
