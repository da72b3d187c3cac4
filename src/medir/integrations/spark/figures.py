"""The rows of a comparison, added up by Spark: sums, extremes and quantiles of groups of queries.

A group is all queries, those that changed, those that both runs have, or a segment. Each job adds
up all groups of all measures. What comes out can be merged, so no row of a large group is
collected; those of small groups may be, to be summed up as on one machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS, GAP, VALUE, gap_of
from medir.comparing.decision.statistics import ROUNDING as AT_LEVEL
from medir.comparing.decision.summary import FAR, ROUNDING
from medir.inputs.queries import NO_SEGMENT
from medir.integrations.spark.sources import column
from medir.integrations.spark.workers.solving import SIDE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

EVERY, CHANGED, COMMON, SEGMENT = "every", "changed", "common", "segment "
SIDES = ("med", "gain", "loss")
BUCKETS = 1024
WEIGHT, GROUP = "medir_weight", "medir_group"
EFFECTS = ("only wins", "only loses", "either", "no effect")

Numbers = Mapping[str, Any]  # of a group, by name
Key = tuple[str, str]  # a measure by its name, and a group


class Wanted(NamedTuple):
    """A quantile of a column in a group."""

    key: Key
    name: str
    with_gap: bool
    level: float


@dataclass(frozen=True)
class Weighing:
    """How much queries count, and how they are split."""

    weight: str | None = None  # the column
    missing_weight: float = 1.0
    by: str | None = None

    def weights(self) -> Column:
        """The weight of each row."""
        from pyspark.sql import functions as sql

        if self.weight is None:
            return sql.lit(1.0)
        number = sql.expr(f"try_cast(trim({_quoted(self.weight)}) as double)")
        return sql.coalesce(number, sql.lit(float(self.missing_weight)))

    def is_missing(self) -> Column:
        """Whether a row has no weight of its own."""
        from pyspark.sql import functions as sql

        if self.weight is None:
            return sql.lit(False)
        return sql.coalesce(sql.length(sql.trim(column(self.weight))), sql.lit(0)) == 0

    def segment(self) -> Column:
        """The group of the segment of each row."""
        from pyspark.sql import functions as sql

        assert self.by is not None
        text = column(self.by).cast("string")
        known = sql.when(sql.length(text) > 0, text)
        return sql.concat(sql.lit(SEGMENT), sql.coalesce(known, sql.lit(NO_SEGMENT)))


@dataclass(frozen=True)
class Figures:
    """What the rows of a comparison say together."""

    rows: DataFrame
    _quantiles: dict[Wanted, float] = field(default_factory=dict)

    @classmethod
    def of(cls, frame: DataFrame, weighing: Weighing) -> Figures:
        """The rows of a comparison, with a weight and their groups."""
        from pyspark.sql import functions as sql

        changed = sum((sql.col(name) for name in CHANGES), sql.lit(0)) > 0
        groups = [sql.lit(EVERY), sql.when(changed, sql.lit(CHANGED))]
        if SIDE in frame.columns:
            groups.append(sql.when(sql.col(SIDE) == 0, sql.lit(COMMON)))
        if weighing.by is not None:
            groups.append(weighing.segment())
        med = sql.coalesce(sql.col(SIDES[0]), sql.col(VALUE))
        numbers = [sql.coalesce(sql.col(name), sql.lit(0.0)).alias(name) for name in COLUMNS[GAP:]]
        return cls(
            frame.select(
                "query_id",
                "measure",
                med.alias("med"),
                "gain",
                "loss",
                *numbers,
                changed.alias("changed"),
                weighing.weights().alias(WEIGHT),
                weighing.is_missing().alias("unweighted"),
                sql.array_compact(sql.array(*groups)).alias("groups"),
            )
        )

    def grouped(self) -> DataFrame:
        """One row for each group of a row."""
        from pyspark.sql import functions as sql

        others = [name for name in self.rows.columns if name != "groups"]
        return self.rows.select(*others, sql.explode("groups").alias(GROUP))

    def sums(self) -> dict[Key, dict[str, Any]]:
        """The numbers of all groups, in two jobs: the second knows the means of the first."""
        found = {
            (row["measure"], row[GROUP]): row.asDict()
            for row in self.grouped().groupBy("measure", GROUP).agg(*_first_sums()).collect()
        }
        for numbers in found.values():
            numbers["rounding"] = ROUNDING * max(1.0, numbers["largest"] or 0.0)
        for row in self._second_sums(found):
            found[row["measure"], row[GROUP]].update(row.asDict())
        return found

    def _second_sums(self, found: Mapping[Key, Numbers]) -> list[Any]:
        from pyspark.sql import functions as sql

        fixed = [
            (
                *key,
                numbers["rounding"],
                float(numbers["counted"]),
                float(numbers["weight"] or 0.0),
                *(_ratio(numbers[f"sum {name}"], numbers["weight"]) for name in SIDES),
            )
            for key, numbers in found.items()
        ]
        names = ["rounding", "counted", "weight", *(f"mean {name}" for name in SIDES)]
        kinds = ", ".join(f"`{name}` double" for name in names)
        schema = f"measure string, {GROUP} string, {kinds}"
        known = self.rows.sparkSession.createDataFrame(fixed, schema)
        joined = self.grouped().join(sql.broadcast(known), ["measure", GROUP])
        return list(joined.groupBy("measure", GROUP).agg(*_later_sums()).collect())

    def quantiles(self, wanted: Sequence[Wanted], found: Mapping[Key, Numbers]) -> list[float]:
        """Quantiles without interpolation: values are put into buckets, and looked into again."""
        targets = [
            _Target(number, one, found[one.key])
            for number, one in enumerate(wanted)
            if one not in self._quantiles
        ]
        while open_ := [one for one in targets if not one.is_found]:
            buckets = self._buckets(open_)
            for one in open_:
                one.narrow(buckets.get(one.number, []))
        self._quantiles.update({one.wanted: one.least for one in targets})
        return [self._quantiles[one] for one in wanted]

    def _buckets(self, targets: Sequence[_Target]) -> dict[int, list[Any]]:
        """The weight, the least and the greatest value in each bucket of each target."""
        from pyspark.sql import functions as sql

        of = sorted({(one.wanted.name, one.wanted.with_gap) for one in targets})
        values = sql.array(
            *(
                sql.struct(sql.lit(number).alias("of"), at_most(*which).alias("v"))
                for number, which in enumerate(of)
            )
        )
        states = [
            (*one.wanted.key, of.index(one.wanted[1:3]), one.number, one.least, one.most)
            for one in targets
        ]
        schema = f"measure string, {GROUP} string, of int, target int, low double, high double"
        known = self.rows.sparkSession.createDataFrame(states, schema)
        rows = self.grouped().where(f"{WEIGHT} > 0 and med is not null")
        long = rows.select("measure", GROUP, WEIGHT, sql.explode(values).alias("one"))
        long = long.select("measure", GROUP, WEIGHT, "one.of", "one.v")
        inside = long.join(sql.broadcast(known), ["measure", GROUP, "of"]).where(
            "v between low and high"
        )
        place = (sql.col("v") - sql.col("low")) / (sql.col("high") - sql.col("low")) * BUCKETS
        bucket = sql.least(sql.floor(place), sql.lit(BUCKETS - 1))
        found = inside.groupBy("target", bucket.alias("bucket")).agg(
            sql.sum(WEIGHT).alias("weight"), sql.min("v").alias("least"), sql.max("v").alias("most")
        )
        by_target: dict[int, list[Any]] = {}
        for row in found.orderBy("target", "bucket").collect():
            by_target.setdefault(row["target"], []).append(row)
        return by_target

    def collected(self, keys: Sequence[Key]) -> dict[Key, Small]:
        """The rows of small groups, in the order of their queries."""
        from pyspark.sql import functions as sql

        if not keys:
            return {}
        known = self.rows.sparkSession.createDataFrame(keys, f"measure string, {GROUP} string")
        inside = self.grouped().join(sql.broadcast(known), ["measure", GROUP])
        names = [name for name in COLUMNS if name in self.rows.columns]
        rows: dict[Key, list[Any]] = {key: [] for key in keys}
        found = inside.select("measure", GROUP, "query_id", *names, "changed", WEIGHT).collect()
        for measure, group, *rest in found:
            rows[measure, group].append(rest)
        return {key: _small(sorted(some), names) for key, some in rows.items()}

    def of_group(self, key: Key) -> DataFrame:
        """The rows of a group that have a value."""
        from pyspark.sql import functions as sql

        measure, group = key
        inside = sql.array_contains("groups", group) & sql.col("med").isNotNull()
        return self.rows.where((sql.col("measure") == measure) & inside)


class Small(NamedTuple):
    """The rows of a small group, as a summary of one machine takes them."""

    columns: Array  # COLUMNS x query
    changed: NDArray[np.bool_]
    weights: Array


def _small(rows: Sequence[Sequence[Any]], names: Sequence[str]) -> Small:
    columns = np.full((len(COLUMNS), len(rows)), np.nan)
    for place, name in enumerate(names, 1):
        values = [np.nan if row[place] is None else row[place] for row in rows]
        columns[COLUMNS.index(name)] = values
    changed = np.array([row[-2] for row in rows], dtype=np.bool_)
    return Small(columns, changed, np.array([row[-1] for row in rows], dtype=np.float64))


class _Target:
    """A quantile that is looked for, between two values."""

    def __init__(self, number: int, wanted: Wanted, numbers: Numbers) -> None:
        self.number, self.wanted = number, wanted
        total, level = numbers["weight"], wanted.level
        self._weight = total * (level - AT_LEVEL if level < 1 else level)
        self._below = 0.0
        gap = " at most" if wanted.with_gap else ""
        self.least, self.most = (
            numbers[f"min {wanted.name}{gap}"],
            numbers[f"max {wanted.name}{gap}"],
        )

    @property
    def is_found(self) -> bool:
        return bool(self.least == self.most)

    def narrow(self, buckets: Sequence[Any]) -> None:
        """Looks into the bucket that holds the quantile."""
        for bucket in buckets:
            reached = self._below + bucket["weight"]
            if reached >= self._weight or bucket is buckets[-1]:
                self.least, self.most = bucket["least"], bucket["most"]
                return
            self._below = reached


def at_most(name: str, with_gap: bool) -> Column:
    """A column, at its upper bound if wanted."""
    from pyspark.sql import functions as sql

    return sql.col(name) + sql.col(gap_of(name)) if with_gap else sql.col(name)


def _first_sums() -> Iterable[Column]:
    """What needs to be known of a group before anything else."""
    from pyspark.sql import functions as sql

    weight, known = sql.col(WEIGHT), sql.col("med").isNotNull()
    counts = known & (weight > 0)
    yield sql.count_if(known).alias("queries")
    yield sql.count_if(~known).alias("missing")
    yield sql.coalesce(sql.sum(sql.when(known, weight)), sql.lit(0.0)).alias("weight")
    yield sql.count_if(counts).alias("counted")
    yield sql.count_if(known & sql.col("changed")).alias("changed")
    yield sql.sum(sql.when(known & sql.col("changed"), weight)).alias("weight changed")
    yield sql.count_if(counts & sql.col("changed")).alias("counted changed")
    yield sql.sum(weight * sql.col("unseen")).alias("sum unseen")
    yield sql.max(sql.abs("med")).alias("largest")
    yield sql.max(sql.abs(sql.col("gain") - sql.col("loss"))).alias("apart")
    yield sql.count_if(known & (sql.col("gap") != 0)).alias("unproven")
    yield sql.count_if(sql.col("med") > 1 + ROUNDING).alias("above one")
    yield sql.count_if(~sql.col("changed")).alias("unchanged")
    yield sql.count_if(sql.col("unweighted")).alias("unweighted")
    for name in SIDES:
        for gap in ("", " at most"):
            value = at_most(name, bool(gap))
            yield sql.sum(weight * value).alias(f"sum {name}{gap}")
            yield sql.min(sql.when(weight > 0, value)).alias(f"min {name}{gap}")
            yield sql.max(sql.when(weight > 0, value)).alias(f"max {name}{gap}")


def _later_sums() -> Iterable[Column]:
    """What depends on the means and on the largest value of a group."""
    from pyspark.sql import functions as sql

    weight, known = sql.col(WEIGHT), sql.col("med").isNotNull()
    share = weight / sql.col("weight")
    others = sql.greatest(1 - share, sql.lit(math.ulp(1.0)))
    influence = (share / others) ** 2 * ((sql.col("counted") - 1) / sql.col("counted"))
    for name in SIDES:
        away = sql.col(name) - sql.col(f"mean {name}")
        yield sql.sum(sql.when(known & (share > 0), influence * away * away)).alias(
            f"variance {name}"
        )
    far = sql.col("changed") & (at_most("med", True) > FAR + sql.col("rounding"))
    gain, loss = (at_most(name, True) > sql.col("rounding") for name in SIDES[1:])
    those = dict(
        zip(EFFECTS, (gain & ~loss, loss & ~gain, gain & loss, ~gain & ~loss), strict=True)
    )
    for name, which in {"far": far, **those}.items():
        yield sql.count_if(known & which).alias(name)
        yield sql.sum(sql.when(known & which, weight)).alias(f"weight {name}")


def _ratio(total: float | None, weight: float | None) -> float | None:
    return None if total is None or not weight else total / weight


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
