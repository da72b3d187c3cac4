"""What a DataFrame of Spark holds: a run, judgments or queries.

The columns keep their types, so that the core reads them as it reads a table of Arrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from medir.base.settings import Order, Settings
from medir.errors import InputError, MissingExtraError
from medir.inputs.formats.column_names import chosen_qrels_columns, chosen_run_columns
from medir.inputs.formats.queries import id_column
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run
from medir.integrations.spark.failing import raise_own_errors

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType

QUERY = "query"  # the column of ids


def start() -> None:
    """Raises the error that names the extra where Spark or Arrow is not installed.

    From here on, pyspark raises medir's own errors.
    """
    for library in ("pyspark", "pyarrow"):
        if find_spec(library) is None:
            raise MissingExtraError(library, "spark", "medir.spark")
    raise_own_errors()


@dataclass(frozen=True)
class Source:
    """Rows of a DataFrame; `columns` are their names in it, by what they hold."""

    frame: DataFrame
    columns: Mapping[str, str]
    name: str
    order: Order = "score"

    @property
    def has_lists(self) -> bool:
        """Whether a row holds all results of a query."""
        return "doc_ids" in self.columns

    @property
    def document(self) -> Column:
        """The column of documents, or of lists of them."""
        return column(self.columns["doc_ids" if self.has_lists else "doc_id"])

    @cached_property
    def key_type(self) -> DataType:
        """The type of the ids of queries."""
        return self.kind("query_id")

    def kind(self, role: str) -> DataType:
        """The type of a column, by what it holds."""
        return self.frame.schema[self.columns[role]].dataType

    def queries(self, key: DataType) -> DataFrame:
        """The ids of its queries, each once."""
        return self.frame.select(self.key(key).alias(QUERY)).distinct()

    def key(self, kind: DataType) -> Column:
        """The ids of queries as a type; where they have it already, as they are."""
        ids = column(self.columns["query_id"])
        return ids if self.key_type == kind else ids.cast(kind)


def column(name: str) -> Column:
    """A column by its name, whatever characters that has."""
    from pyspark.sql import functions as sql

    return sql.col("`" + name.replace("`", "``") + "`")


def key_type(sources: Sequence[Source]) -> DataType:
    """The type of query ids that all sources share: their own, or text where they differ."""
    from pyspark.sql.types import StringType

    kinds = {source.key_type for source in sources}
    return kinds.pop() if len(kinds) == 1 else StringType()


def check_frame(frame: Any, name: str, what: str) -> None:
    """Raises an error where something is no DataFrame of Spark."""
    if not type(frame).__module__.startswith("pyspark.sql"):
        raise InputError(
            f"cannot use an object of type {type(frame).__name__} as {what} on Spark",
            name,
            remedy="Give a DataFrame of Spark: spark.read.parquet(...), spark.table(...) or "
            "spark.createDataFrame(...).",
        )


def run_source(frame: DataFrame, settings: Settings, name: str) -> Source:
    """A run: one row per result, or one row per query with arrays."""
    check_frame(frame, name, "a run")
    _refuse_twins(frame, name)
    found = chosen_run_columns(frame.columns, settings.order, settings.columns, name)
    if found.order == "file" and not found.has_lists:
        raise InputError(
            "Spark does not keep the order of rows, and "
            + (
                "order='file' asks for it"
                if settings.order == "file"
                else "there is neither a score nor a rank among the columns "
                f"{', '.join(frame.columns)}"
            ),
            name,
            remedy="Give ranks in a column (order='rank'), scores, or one row per query with an "
            "array of documents.",
        )
    kept = _kept(frame, found.columns)
    Run.of(_empty(kept), order=found.order, columns=dict(found.columns), name=name)
    return Source(kept, found.columns, name, found.order)


def qrels_source(frame: DataFrame, settings: Settings, intents: bool) -> Source:
    """Judgments: one row per judgment."""
    name = "qrels"
    check_frame(frame, name, "judgments")
    _refuse_twins(frame, name)
    columns = chosen_qrels_columns(frame.columns, settings.columns, name)
    if not intents:
        columns.pop("intent", None)
    kept = _kept(frame, columns)
    Qrels.of(_empty(kept), intents=intents, columns=columns)
    return Source(kept, columns, name)


def queries_source(frame: DataFrame) -> Source:
    """A table of queries: one row per query."""
    name = "queries"
    check_frame(frame, name, "queries")
    _refuse_twins(frame, name)
    ids = id_column(frame.columns, name)
    others = [one for one in frame.columns if one != ids]
    return Source(frame, {"query_id": ids, **{one: one for one in others}}, name)


def _refuse_twins(frame: DataFrame, name: str) -> None:
    twice = next((one for one in frame.columns if frame.columns.count(one) > 1), None)
    if twice is not None:
        raise InputError(f"two columns have the name {twice!r}", name, remedy="Rename one of them.")


def _kept(frame: DataFrame, columns: Mapping[str, str]) -> DataFrame:
    return frame.select(*map(column, columns.values()))


def _empty(frame: DataFrame) -> pa.Table:
    """A table without rows, for the errors about its columns."""
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema).empty_table()
