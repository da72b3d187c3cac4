"""The rows of all sources as one DataFrame, sorted by query, and what a worker sees of it.

Spark splits the rows by query, or leaves them where they are in tables that are bucketed by query,
and sorts each part. So a worker reads whole queries one behind the other, however long their lists
are, and nothing collects a list in Java. What is small and no run is sent whole to every worker, as
Spark would join it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial, reduce
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from medir.integrations.spark.failing import telling
from medir.integrations.spark.sources import QUERY, Source, column

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

    Cells = tuple[pa.Array, dict[str, pa.Array], NDArray[np.int64]]
    Work = Callable[["Part"], Iterable[pa.RecordBatch]]

SOURCE = "source"  # the number of a row's source
ENOUGH = 200_000  # rows that are solved together


@dataclass(frozen=True)
class Layout:
    """Where the columns of each source are. It travels to the workers."""

    places: dict[str, dict[str, int]]  # by source and by what they hold
    runs: int = 0  # the first sources: a query that none of them has is left out
    in_all_runs: bool = False  # a query that one of them lacks is left out, too
    beside: dict[str, Broadcast[pa.Table]] = field(default_factory=dict)  # small sources, whole


@dataclass(frozen=True)
class Rows:
    """One row per row of any source, split and sorted by query."""

    frame: DataFrame
    layout: Layout

    def solved(self, work: Work, schema: StructType | str) -> DataFrame:
        """What `work` makes of many queries at a time."""
        return self.frame.mapInArrow(partial(_solved, work, self.layout), schema)

    def of_queries(self, ids: Sequence[str]) -> Part:
        """All rows of some queries, collected, in the order of the queries' ids."""
        from pyspark.sql import functions as sql
        from pyspark.sql.types import IntegralType

        known: list[str] | list[int] = list(ids)
        if isinstance(self.frame.schema[QUERY].dataType, IntegralType):
            known = [int(one) for one in ids if one.isdecimal()]
        some = self.frame.where(sql.col(QUERY).isin(known)) if known else self.frame.limit(0)
        return Part(some.orderBy(sql.col(QUERY).cast("string")).toArrow(), self.layout)


def together(
    sources: Sequence[Source], key: DataType, runs: int = 0, *, in_all_runs: bool = False
) -> Rows:
    """The rows of all sources, which share columns of the same type.

    What is no run and small enough for Spark's own broadcasts is sent to every worker instead.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as sql

    small = [one for one in sources[runs:] if runs and _is_small(one.frame)]
    kinds: list[tuple[str, DataType]] = []
    places: dict[str, dict[str, int]] = {}
    for source in sources:
        fields = [(role, source.kind(role)) for role in _roles(source)]
        if source in small:
            places[source.name] = {role: place for place, (role, _) in enumerate(fields)}
            continue
        kinds += [one for one in fields if one not in kinds]
        places[source.name] = {role: kinds.index((role, kind)) for role, kind in fields}
    frames = []
    for number, source in enumerate(sources):
        if source in small:
            continue
        names = {place: source.columns[role] for role, place in places[source.name].items()}
        cells = (
            column(names[place]) if place in names else sql.lit(None).cast(kind)
            for place, (_, kind) in enumerate(kinds)
        )
        named = [cell.alias(str(place)) for place, cell in enumerate(cells)]
        tag = sql.lit(number).cast("short").alias(SOURCE)
        frames.append(source.frame.select(source.key(key).alias(QUERY), tag, *named))
    every = reduce(lambda one, other: one.union(other), frames)
    # No count is 0. The window is there to have the rows of a query in one part, and sorted: Spark
    # shuffles them if it must.
    rows = sql.count(sql.lit(1)).over(Window.partitionBy(QUERY))
    counted = every.withColumn("rows", rows).where("rows > 0").drop("rows")
    beside = {source.name: _sent(source, key) for source in small}
    return Rows(counted, Layout(places, runs, in_all_runs, beside))


def _roles(source: Source) -> list[str]:
    """What the columns of a source hold, but for the ids of queries."""
    return [role for role in source.columns if role != "query_id"]


def _is_small(frame: DataFrame) -> bool:
    """Whether Spark would send a frame to all workers to join it, by its own estimate and limit."""
    plan = getattr(frame, "_jdf", None)
    if plan is None:  # by Spark Connect, which tells neither
        return False
    size = int(str(plan.queryExecution().optimizedPlan().stats().sizeInBytes()))
    state = frame.sparkSession._jsparkSession.sessionState()
    return size <= int(state.conf().autoBroadcastJoinThreshold())


def _sent(source: Source, key: DataType) -> Broadcast[pa.Table]:
    """All rows of a source, for every worker."""
    cells = [
        column(source.columns[role]).alias(str(place)) for place, role in enumerate(_roles(source))
    ]
    table = source.frame.select(source.key(key).alias(QUERY), *cells).toArrow()
    return source.frame.sparkSession.sparkContext.broadcast(table.combine_chunks())


@dataclass(frozen=True)
class Part:
    """All rows of some queries, one query behind the other."""

    table: pa.Table
    layout: Layout

    @cached_property
    def sources(self) -> NDArray[np.int16]:
        """The source of each row."""
        found: NDArray[np.int16] = self.table[SOURCE].to_numpy()
        return found

    @cached_property
    def _begins(self) -> NDArray[np.bool_]:
        """Which rows are the first of another query than the row before."""
        return _begins(self.table[QUERY].combine_chunks(), None)

    @cached_property
    def _query(self) -> NDArray[np.int64]:
        """The query of each row, by its number here."""
        number: NDArray[np.int64] = np.cumsum(self._begins)
        return number

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Which queries are compared, by their numbers here."""
        layout, query = self.layout, self._query
        queries = int(query[-1]) + 1 if len(query) else 0
        if not layout.runs:
            return np.ones(queries, dtype=np.bool_)
        present = np.zeros((layout.runs, queries), dtype=np.bool_)
        of_runs = self.sources < layout.runs
        present[self.sources[of_runs], query[of_runs]] = True
        wanted = np.logical_and if layout.in_all_runs else np.logical_or
        kept: NDArray[np.bool_] = wanted.reduce(present)
        return kept

    @property
    def empty(self) -> bool:
        """Whether no query is left."""
        return not self._kept.any()

    def rows(self, source: str) -> Cells:
        """The rows of a source: their queries' ids, their columns, and their queries' numbers."""
        if source in self.layout.beside:
            return self._rows_beside(source)
        mine = self.sources == list(self.layout.places).index(source)
        mine &= self._kept[self._query]
        table = self.table.select(self._columns(source))
        return *self._cells(source, table if mine.all() else table.filter(mine)), self._query[mine]

    def _rows_beside(self, source: str) -> Cells:
        """The same of a source that every worker has whole, in the order of the queries here."""
        import pyarrow.compute as pc

        table = self.layout.beside[source].value
        first = self._begins.copy()
        first[:1] = True
        ids = self.table[QUERY].combine_chunks().filter(first).cast(table[QUERY].type)
        found = pc.index_in(table[QUERY], value_set=ids, skip_nulls=True).fill_null(-1).to_numpy()
        known = np.flatnonzero(found >= 0)
        mine = known[self._kept[found[known]]]
        mine = mine[np.argsort(found[mine], kind="stable")]
        return *self._cells(source, table.take(mine)), found[mine].astype(np.int64)

    def _columns(self, source: str) -> list[str]:
        return [QUERY, *map(str, self.layout.places[source].values())]

    def _cells(self, source: str, table: pa.Table) -> tuple[pa.Array, dict[str, pa.Array]]:
        """The ids of queries and the columns of a source, by what they hold."""
        ids, *cells = (table[name].combine_chunks() for name in self._columns(source))
        return ids, dict(zip(self.layout.places[source], cells, strict=True))


def parts(batches: Iterable[pa.RecordBatch], layout: Layout) -> Iterator[Part]:
    """Whole queries, about as many rows at a time as are solved well."""
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        before = held[-1][QUERY][-1] if held else None
        begins = np.flatnonzero(_begins(batch[QUERY], before))
        if len(begins) and rows + begins[-1] >= ENOUGH:
            last = int(begins[-1])
            yield Part(pa.Table.from_batches([*held, batch.slice(0, last)]), layout)
            held, rows = [batch.slice(last)], batch.num_rows - last
        else:
            held.append(batch)
            rows += batch.num_rows
    if rows:
        yield Part(pa.Table.from_batches(held), layout)


def _begins(queries: pa.Array, before: pa.Scalar | None) -> NDArray[np.bool_]:
    """Which rows have another query than the row before; the first one only if there was any."""
    import pyarrow.compute as pc

    begins = np.zeros(len(queries), dtype=np.bool_)
    others = pc.not_equal(queries[1:], queries[:-1])
    begins[1:] = pc.coalesce(others, True).to_numpy(zero_copy_only=False)
    begins[:1] = before is not None and before != queries[0]
    return begins


@telling
def _solved(
    work: Work, layout: Layout, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for part in parts(batches, layout):
        if not part.empty:
            yield from work(part)
