"""`medir.spark.top`: the queries that a change affects most."""

from __future__ import annotations

from typing import TYPE_CHECKING

from medir.comparing.columns import CHANGES, VALUE
from medir.errors import UsageError
from medir.integrations.spark.sources import check_frame, start
from medir.measures import Measure, measure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def top(comparison: DataFrame, n: int = 10, of: Measure | str | None = None) -> DataFrame:
    """The rows of the `n` changed queries that are most affected, most first.

    These have the largest med, the least rank similarity or the largest rank distance under a
    measure, which has to be named where a comparison has several. Ties are in the order of the
    query ids.
    """
    start()
    check_frame(comparison, "comparison", "a comparison")
    from pyspark.sql import functions as sql

    one = _only_measure(comparison) if of is None else measure(of)
    changed = sum((sql.col(name) for name in CHANGES), sql.lit(0)) > 0
    value = sql.coalesce(sql.col("med"), sql.col(VALUE))
    rows = comparison.where((sql.col("measure") == repr(one)) & changed & value.isNotNull())
    order = value.asc() if one.kind == "similarity" else value.desc()
    return rows.orderBy(order, "query_id").limit(n)


def _only_measure(comparison: DataFrame) -> Measure:
    """The measure of a comparison that has only one."""
    names = sorted(row[0] for row in comparison.select("measure").distinct().collect())
    if len(names) != 1:
        raise UsageError(f"name the measure that counts with of=: {', '.join(names)}")
    return measure(names[0])
