"""`medir.spark.summary`, `check` and `top`: what the values of all queries say together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from math import sqrt
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from medir.comparing.decision import statistics
from medir.comparing.decision.gate import Check, Outcome, checked
from medir.comparing.decision.sample import WEIGHT as WEIGHT_COLUMN
from medir.comparing.decision.sample import Sample, Segments
from medir.comparing.decision.statistics import Interval
from medir.comparing.decision.summary import LEVELS, Share, Summary
from medir.comparing.differences import NAMED
from medir.errors import UsageError
from medir.inputs.queries import NO_SEGMENT
from medir.integrations.spark.figures import (
    CHANGED,
    COMMON,
    EFFECTS,
    EVERY,
    SEGMENT,
    SIDES,
    WEIGHT,
    Figures,
    Key,
    Numbers,
    Small,
    Wanted,
    Weighing,
    at_most,
)
from medir.integrations.spark.sources import check_frame, start
from medir.measures import Measure, measure
from medir.measures.chosen import Measures, named_measures, number_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_COLLECTED = 100_000  # rows of small groups, all together
NOTHING = np.zeros((len(COLUMNS), 0))
SOME = np.ones(0)  # weights that are elsewhere


def summary(
    comparison: DataFrame,
    measures: Measures | None = None,
    *,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
) -> Summaries:
    """What the rows of a comparison say together; only those of small groups are collected.

    `comparison` is what `medir.spark.compare` returned, also when it was stored and read again;
    `measures` are those that it holds, where they cannot be told by their names. A column `weight`
    is used unless `weight` names another (`""`: none), and the column `by` splits queries into
    segments. Percentiles are exact and weighted, as those of `medir.compare`.
    """
    start()
    from pyspark import StorageLevel

    weighing = weighing_of(comparison, weight, by, missing_weight)
    figures = Figures.of(comparison, weighing)
    kept = replace(figures, rows=figures.rows.persist(StorageLevel.MEMORY_AND_DISK))
    try:
        found = summaries_of(kept, weighing, measures)
        found.look_through()
    finally:
        kept.rows.unpersist()
    return replace(found, figures=figures)


def check(
    comparison: DataFrame,
    limits: str | Check | Iterable[str | Check],
    *,
    below: str | Iterable[str] = (),
    noise: DataFrame | None = None,
    measures: Measures | None = None,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
) -> list[Outcome]:
    """Whether a comparison keeps limits, such as `loss:nDCG@20=0.05`: one outcome for each.

    `below` are lower limits of rank similarities (`RBO=0.8`). `noise` is the comparison of two runs
    of the system before the change, for limits such as `nDCG@20=2xnoise`. `outcome.passed` says
    whether a limit is kept, and `str(outcome)` what was found.
    """
    sampled = {"weight": weight, "by": by, "missing_weight": missing_weight}
    checks = [*_checks(limits, "above"), *_checks(below, "below")]
    found = summary(comparison, measures, **cast("Any", sampled))
    if noise is not None:
        found = replace(found, noise=summary(noise, measures, **cast("Any", sampled)))
    return checked(cast("Any", found), checks)


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


def _checks(limits: str | Check | Iterable[str | Check], fails: Any) -> Iterator[Check]:
    for limit in [limits] if isinstance(limits, str | Check) else limits:
        yield limit if isinstance(limit, Check) else Check.parse(limit, fails)


def weighing_of(
    frame: DataFrame, weight: str | None, by: str | None, missing_weight: float | None
) -> Weighing:
    """How the queries of a comparison are weighed and split."""
    check_frame(frame, "comparison", "a comparison")
    chosen = weight or None
    if weight is None and WEIGHT_COLUMN in frame.columns:
        chosen = WEIGHT_COLUMN
    for name in filter(None, [chosen, by]):
        if name not in frame.columns:
            known = ", ".join(frame.columns)
            raise UsageError(f"the comparison has no column {name!r} among {known}")
    if chosen is None and missing_weight is not None:
        raise UsageError("missing_weight needs weights: name their column with weight=")
    return Weighing(chosen, 1.0 if missing_weight is None else float(missing_weight), by)


def summaries_of(
    figures: Figures, weighing: Weighing, measures: Measures | None = None
) -> Summaries:
    """The summaries of all groups of rows."""
    numbers = figures.sums()
    present = {name for name, _ in numbers}
    if measures is None:
        chosen = [measure(name) for name in sorted(present)]
    else:
        chosen = named_measures(measures)
    labels = {key[1].removeprefix(SEGMENT) for key in numbers if key[1].startswith(SEGMENT)}
    ordered = sorted(labels - {NO_SEGMENT}) + [NO_SEGMENT] * (NO_SEGMENT in labels)
    return Summaries(figures, weighing, tuple(chosen), numbers, ordered)


@dataclass(frozen=True)
class Summaries:
    """What the rows of a comparison say together, by measure and segment."""

    figures: Figures
    weighing: Weighing
    measures: tuple[Measure, ...]
    numbers: Mapping[Key, dict[str, Any]]
    labels: Sequence[str]  # of segments
    noise: Summaries | None = None
    _known: dict[Key, SparkSummary] = field(default_factory=dict)
    _small: dict[Key, Small] = field(default_factory=dict)  # groups of few queries

    def summary(self, of: Measure | str | None = None, segment: str | None = None) -> SparkSummary:
        """The summary of a measure (default: the first), of all queries or of a segment."""
        one = self.measures[0]
        if of is not None:
            number = number_of(of, self.measures)
            if number is None:
                known = ", ".join(map(repr, self.measures))
                raise UsageError(f"{measure(of)} was not compared; these were: {known}")
            one = self.measures[number]
        if segment is not None:
            self._check_segment(segment)
        return self.of_group(one, EVERY if segment is None else SEGMENT + segment)

    def of_group(self, one: Measure, group: str) -> SparkSummary:
        """The summary of a group of queries."""
        key = repr(one), group
        if key not in self._known:
            weights = None if self.weighing.weight is None else SOME
            self._known[key] = SparkSummary(
                one, NOTHING, np.zeros(0, np.bool_), weights, summaries=self, key=key
            )
        return self._known[key]

    def segments(self, of: Measure | str | None = None) -> dict[str, SparkSummary]:
        """The summary of each segment, in the order of their labels; none without segments."""
        return {label: self.summary(of, label) for label in self.labels}

    def look_through(self) -> None:
        """Finds all percentiles and intervals now.

        Groups of few queries are collected, for intervals as on one machine: in their order, as
        long as they hold no more than MOST_COLLECTED rows together.
        """
        groups = [EVERY, *(SEGMENT + label for label in self.labels)]
        every = [self.of_group(one, group) for one in self.measures for group in groups]
        small = [one for one in every if one.total <= statistics.MOST_RESAMPLED]
        reached = accumulate(one.total for one in small)
        keys = [one.key for one, rows in zip(small, reached, strict=True) if rows <= MOST_COLLECTED]
        self._small.update(self.figures.collected(keys))
        wanted = [
            Wanted(one.key, name, False, level)
            for one in every
            if one.weight and one.key not in self._small
            for name in one.sides
            for level in LEVELS.values()
        ]
        self.figures.quantiles(wanted, self.numbers)

    def small(self, one: SparkSummary) -> Summary | None:
        """The summary of one machine, for a group of few queries."""
        rows = self._small.get(one.key)
        if rows is None:
            return None
        weights = None if one.weights is None else rows.weights
        return Summary(one.measure, rows.columns, rows.changed, weights)

    @cached_property
    def sample(self) -> Sample:
        """How queries are weighed and split, in words."""
        weighing, segments = self.weighing, None
        if weighing.by is not None:
            segments = Segments(weighing.by, self.labels, np.zeros(0, np.int32))
        weights = None if weighing.weight is None else SOME
        return Sample(
            weights=weights,
            weight_column=weighing.weight,
            missing_weight=weighing.missing_weight,
            segments=segments,
        )

    def _check_segment(self, label: str) -> None:
        if label not in self.labels:
            (self.sample.segments or _no_segments()).of(label)

    def beyond(
        self, limit: float, of: Measure | str, name: str, *, above: bool, segment: str | None
    ) -> tuple[int, list[tuple[str, float]]]:
        """How many queries, of a segment, are beyond a limit; and the first of them, by far."""
        from pyspark.sql import functions as sql

        one = self.summary(of, segment)
        value = at_most(name, one.measure.kind == "difference")
        rows = self.figures.of_group(one.key).select("query_id", value.alias("v"))
        rows = rows.where(sql.col("v") > limit if above else sql.col("v") < limit)
        total = rows.count()
        first = sql.desc("v") if above else sql.asc("v")
        named = rows.orderBy(first, "query_id").limit(NAMED).collect()
        return total, [(row["query_id"], row["v"]) for row in named]

    def __iter__(self) -> Iterator[SparkSummary]:
        """The summary of each measure."""
        return iter([self.summary(one) for one in self.measures])

    def __repr__(self) -> str:
        return f"<Summaries of {', '.join(map(repr, self.measures))}>"


def _no_segments() -> Segments:
    raise UsageError("queries have no segments: name a column of the comparison with by=")


@dataclass(frozen=True, eq=False, repr=False)
class SparkSummary(Summary):
    """The values of one measure over some queries, of which Spark knows the sums."""

    summaries: Summaries = field(kw_only=True)
    key: Key = field(kw_only=True)

    @property
    def _numbers(self) -> Numbers:
        return self.summaries.numbers.get(self.key, _NONE)

    @cached_property
    def _small(self) -> Summary | None:
        return self.summaries.small(self)

    @property
    def total(self) -> int:
        """How many queries there are, with a value or without."""
        return self.queries + self.missing

    @property
    def sides(self) -> Sequence[str]:
        """The columns that have values."""
        return SIDES if self.measure.kind == "difference" else SIDES[:1]

    @property
    def queries(self) -> int:
        """How many queries have a value."""
        return int(self._numbers["queries"])

    @property
    def missing(self) -> int:
        """How many queries have no value."""
        return int(self._numbers["missing"])

    @cached_property
    def weight(self) -> float:
        """The total weight of the queries that have a value."""
        return float(self._numbers["weight"] or 0.0)

    def column(self, name: str = "med", with_gap: bool = False) -> Array:
        """Rows stay where they are."""
        raise UsageError("the values of queries are in the DataFrame, not in its summary")

    def mean(self, name: str = "med", with_gap: bool = False) -> float:
        """The weighted mean of a column, at its upper bound if wanted."""
        gap = " at most" if with_gap and name in SIDES else ""
        return float(self._numbers[f"sum {name}{gap}"]) / self.weight

    def extremes(self, name: str = "med", with_gap: bool = False) -> tuple[float, float]:
        """The least and the greatest value of the queries that count."""
        of = f"{name} at most" if with_gap else name
        return self._numbers[f"min {of}"], self._numbers[f"max {of}"]

    def quantiles(
        self, levels: Iterable[float], name: str = "med", with_gap: bool = False
    ) -> list[float]:
        """The least values such that they and those below have such shares of the weight."""
        if self._small is not None:
            return self._small.quantiles(levels, name, with_gap)
        wanted = [Wanted(self.key, name, with_gap, level) for level in levels]
        return self.summaries.figures.quantiles(wanted, self.summaries.numbers)

    def share_above(self, limit: float, name: str = "med", with_gap: bool = False) -> float:
        """The share of the weight whose column is above a limit, by more than rounding."""
        if self._small is not None:
            return self._small.share_above(limit, name, with_gap)
        return self._share_where(at_most(name, with_gap) > limit + self.rounding)

    def share_below(self, limit: float, name: str = "med", with_gap: bool = False) -> float:
        """The share of the weight whose column is below a limit, by more than rounding."""
        if self._small is not None:
            return self._small.share_below(limit, name, with_gap)
        return self._share_where(at_most(name, with_gap) < limit - self.rounding)

    def _share_where(self, those: Any) -> float:
        from pyspark.sql import functions as sql

        rows = self.summaries.figures.of_group(self.key).where(those)
        (total,) = rows.agg(sql.sum(WEIGHT)).collect()[0]
        return float(total or 0.0) / self.weight

    def histogram(self, edges: Array, name: str = "med") -> Array:
        """The weight between edges."""
        if self._small is not None:
            return self._small.histogram(edges, name)
        from pyspark.sql import functions as sql

        inner = statistics.inner_edges(edges)
        value = sql.col(name)
        place = sum(
            (sql.when(value >= edge, 1).otherwise(0) for edge in inner.tolist()), sql.lit(0)
        )
        rows = self.summaries.figures.of_group(self.key).groupBy(place.alias("bin"))
        weights = np.zeros(len(edges) - 1)
        for row in rows.agg(sql.sum(WEIGHT).alias("weight")).collect():
            weights[row["bin"]] = row["weight"]
        return weights

    def interval_of(self, name: str) -> Interval | None:
        """The 95% interval of a mean; None where too few queries changed, or none has a value.

        It is the normal interval. Up to 2,000 queries it is resampled as that of `medir.compare`,
        with the queries in the order of their ids, as far as such groups are collected.
        """
        if self._small is not None:
            return self._small.interval_of(name)
        numbers, changed = self._numbers, self._changed_with_weight
        if self.weight == 0 or min(changed, numbers["counted"]) < statistics.FEWEST_CHANGED:
            return None
        least, most = self._bounds_of(name)
        center, error = self.mean(name), sqrt(numbers[f"variance {name}"])
        low, high = (center + bound * error for bound in statistics.normal_bounds())
        return Interval(max(low, least), min(high, most))

    @property
    def _changed_with_weight(self) -> int:
        return int(self._numbers["counted changed"])

    def _some(self, name: str) -> Share:
        """Queries that were counted under a name."""
        queries, weight = int(self._numbers[name] or 0), self._numbers[f"weight {name}"]
        if self.weights is None:
            return Share(queries, queries / max(self.queries, 1))
        return Share(queries, float(weight or 0.0) / self.weight if self.weight else 0.0)

    @cached_property
    def changed(self) -> Share:
        """The queries whose lists differ."""
        return self._some("changed")

    @cached_property
    def moving(self) -> Summary:
        """The queries whose lists differ, alone."""
        if self.key[1] != EVERY:
            raise UsageError("the changed queries of a segment are not summarised on Spark")
        return self.summaries.of_group(self.measure, CHANGED)

    @property
    def common(self) -> Summary:
        """The queries that both runs have."""
        return self.summaries.of_group(self.measure, COMMON)

    @property
    def far(self) -> Share:
        """The changed queries that could move by more than 0.5."""
        return self._some("far")

    @property
    def rounding(self) -> float:
        """What is no further from a limit is at the limit."""
        return float(self._numbers["rounding"])

    @cached_property
    def effects(self) -> dict[str, Share]:
        """How many queries can only win, only lose, either, or neither; with gaps."""
        return {name: self._some(name) for name in EFFECTS}

    @property
    def above_one(self) -> int:
        """How many values exceed 1, by more than rounding."""
        return int(self._numbers["above one"])

    @property
    def unproven(self) -> int:
        """How many values have a gap."""
        return int(self._numbers["unproven"])

    @property
    def two_sided(self) -> bool:
        """Whether gain and loss say more than med."""
        apart = self._numbers["apart"]
        return self.measure.kind == "difference" and (apart or 0.0) > self.rounding


class _Nothing(dict[str, Any]):
    """The numbers of a group without queries."""

    def __missing__(self, name: str) -> Any:
        return 0


_NONE = _Nothing()
