"""`medir.spark.documents`: which documents a change shows more, and which less."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Unpack

from medir.base.settings import ReadingOptions, Settings, with_settings
from medir.comparing.exposure import COLUMNS, ROUNDING, STATUSES, expose, exposing
from medir.files.frames import arrow_table
from medir.integrations.spark.comparing import Asked
from medir.integrations.spark.rows import Part
from medir.integrations.spark.sources import start
from medir.integrations.spark.workers.part import Plan
from medir.integrations.spark.workers.solving import Columns
from medir.measures.chosen import Measures

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

PARTS = "doc_id string, before double, after double, queries_before long, queries_after long"


@with_settings(ReadingOptions)
def documents(
    before: DataFrame,
    after: DataFrame,
    measures: Measures | None = None,
    *,
    queries: DataFrame | None = None,
    weight: str | None = None,
    missing_weight: float | None = None,
    **options: Unpack[ReadingOptions],
) -> DataFrame:
    """Which documents gain and lose exposure by a change: one row per document.

    Columns are those of `medir.documents`, without titles. Parts of the queries are added up by
    document, so that sums may differ from those of one machine in the last digits.
    """
    start()
    asked = Asked.of(
        before,
        after,
        None if measures is None else exposing(measures),
        qrels=None,
        lengths=(None, None),
        queries=queries,
        sampled=(weight, None, missing_weight),
        settings=Settings(**options),
    )
    return _added_up(asked.sources.solved(partial(_exposed, asked.plan, asked.columns), PARTS))


def _exposed(plan: Plan, columns: Columns, part: Part) -> list[pa.RecordBatch]:
    """The exposure of the documents of a part."""
    import pyarrow as pa

    (one,), deepest = plan.measures, max(run.depths.longest for run in plan.runs)
    names = [name for name in COLUMNS if name not in ("change", "status", "title")]
    kinds = [pa.string(), pa.float64(), pa.float64(), pa.int64(), pa.int64()]
    schema = pa.schema(list(zip(names, kinds, strict=True)))
    with plan.inputs(part) as inputs:
        pairing = inputs.pairing()
        found = expose(
            pairing,
            (inputs.runs[0], inputs.runs[1]),
            one,
            inputs.settings,
            sample=columns.sample(part, pairing),
            deepest=deepest,
        )
    every = arrow_table(found.__arrow_c_stream__())
    batches: list[pa.RecordBatch] = every.select(names).cast(schema).to_batches()
    return batches


def _added_up(parts: DataFrame) -> DataFrame:
    """The exposure of each document over all parts, and what becomes of it."""
    from pyspark.sql import functions as sql

    _, before, after, _, queries_before, queries_after, *_ = COLUMNS
    sums = [sql.sum(name).alias(name) for name in (before, after, queries_before, queries_after)]
    every = parts.groupBy("doc_id").agg(*sums)
    change, total = sql.col(after) - sql.col(before), sql.col(after) + sql.col(before)
    change = sql.when(sql.abs(change) <= ROUNDING * total, sql.lit(0.0)).otherwise(change)
    known = every.withColumn("change", change)
    new, gone, gained, lost, same = map(sql.lit, STATUSES)
    status = (
        sql.when(sql.col(queries_before) == 0, new)
        .when(sql.col(queries_after) == 0, gone)
        .when(sql.col("change") > 0, gained)
        .when(sql.col("change") < 0, lost)
        .otherwise(same)
    )
    title = sql.lit(None).cast("string")
    return known.withColumn("status", status).withColumn("title", title).select(*COLUMNS)
