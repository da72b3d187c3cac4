"""`medir.spark.matrix`: how far apart many runs are, pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from medir.base.settings import Options, Settings, with_settings
from medir.comparing.columns import VALUE
from medir.comparing.matrix import Pair, Work, check_names, is_native, pairs_of, split
from medir.errors import UsageError
from medir.integrations.spark.comparing import planned, refuse_nothing, with_clusters
from medir.integrations.spark.rows import Part, together
from medir.integrations.spark.sources import key_type, run_source, start
from medir.integrations.spark.workers.part import Plan
from medir.measures import Measure
from medir.measures.chosen import Measures

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

PARTS = "pair int, number int, total double, queries long"


@with_settings(Options)
def matrix(
    runs: Mapping[str, DataFrame],
    measures: Measures | None = None,
    *,
    qrels: DataFrame | None = None,
    lengths: DataFrame | Mapping[Any, float] | None = None,
    default_length: float | None = None,
    against: str | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """The mean MED of all pairs of runs, or their mean rank similarity: one row per pair.

    Columns are those of `medir.matrix(...).to_arrow()`. Every run is read and grouped once, and all
    pairs of a query are compared together. `missing` is `empty` or `skip`.
    """
    start()
    settings = Settings(**options)
    check_names(runs, against)
    if settings.missing == "error":
        raise UsageError("medir.spark.matrix has missing='empty' and 'skip'")
    names = list(runs)
    sources = [
        replace(run_source(frame, settings, name), name=f"run {number}")
        for number, (name, frame) in enumerate(runs.items())
    ]
    settings = with_clusters(settings)
    plan, judged = planned(sources, measures, qrels, (lengths, default_length), settings, names)
    _refuse_slow(plan.measures)
    every = [*sources, *([] if judged is None else [judged])]
    key, skip = key_type(every), settings.missing == "skip"
    if skip:
        refuse_nothing(sources, key, ", ".join(names), "all")
    pairs = pairs_of(names, against, both_ways=not all(one.symmetric for one in plan.measures))
    rows = together(every, key, len(sources), in_all_runs=skip)
    parts = rows.solved(partial(_compared, plan, pairs), PARTS)
    return _means(parts, names, plan.measures, pairs)


def _refuse_slow(measures: Sequence[Measure]) -> None:
    """Measures that are computed in Python are compared pair by pair."""
    slow = next((one for one in measures if not is_native(one)), None)
    if slow is not None:
        raise UsageError(
            f"{slow} is not computed for all pairs of a query together: compare two runs at a time "
            "with medir.spark.compare"
        )


def _compared(plan: Plan, pairs: Sequence[Pair], part: Part) -> list[pa.RecordBatch]:
    """The sums of all pairs over the queries of a part."""
    import pyarrow as pa

    with plan.inputs(part) as inputs:
        work = Work(inputs, pairs)
        computed = np.zeros(work.size)
        work.compute(computed, np.zeros(work.parts, np.uint8), None)
    values, *_ = split(computed, work.shape, *work.divided)
    values = values[[work.measures.index(one) for one in plan.measures]]
    known = ~np.isnan(values)
    totals = np.where(known, values, 0.0).sum(axis=2).reshape(-1)
    measure, pair = np.indices((len(plan.measures), len(pairs)), np.int32).reshape(2, -1)
    sums = [pair, measure, totals, known.sum(axis=2).reshape(-1)]
    names = ["pair", "number", "total", "queries"]
    return [pa.RecordBatch.from_arrays(list(map(pa.array, sums)), names)]


def _means(
    parts: DataFrame, names: Sequence[str], measures: Sequence[Measure], pairs: Sequence[Pair]
) -> DataFrame:
    """The mean of each pair of two runs and measure, as a local matrix writes it."""
    from pyspark.sql import functions as sql

    sums = parts.groupBy("pair", "number").agg(
        sql.sum("total").alias("total"), sql.sum("queries").alias("queries")
    )
    told = [
        (pair, number, names[i], names[j], repr(one), one.kind == "difference")
        for pair, (i, j) in enumerate(pairs)
        for number, one in enumerate(measures)
        if i < j or (i > j and not one.symmetric)
    ]
    schema = "pair int, number int, run_a string, run_b string, measure string, is_med boolean"
    known = parts.sparkSession.createDataFrame(told, schema)
    joined = sql.broadcast(known).join(sums, ["pair", "number"])
    mean = sql.when(sql.col("queries") > 0, sql.col("total") / sql.col("queries"))
    return joined.orderBy("pair", "number").select(
        "run_a",
        "run_b",
        "measure",
        sql.when(sql.col("is_med"), mean).alias("med"),
        sql.when(~sql.col("is_med"), mean).alias(VALUE),
    )
