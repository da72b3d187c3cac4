"""`medir.spark.compare`: two runs that are DataFrames of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Unpack

from medir.base.settings import Options, Settings, with_settings
from medir.comparing.decision.sample import weight_column
from medir.errors import UsageError
from medir.inputs.clusters.reading import Clusters
from medir.inputs.lengths import Lengths
from medir.inputs.pairing import NAMED, not_in_both, nothing_in_common
from medir.inputs.queries import Queries
from medir.integrations.spark.known import depths_of, judged_of
from medir.integrations.spark.rows import Rows, together
from medir.integrations.spark.sources import (
    QUERY,
    Source,
    key_type,
    qrels_source,
    queries_source,
    run_source,
    start,
)
from medir.integrations.spark.workers.part import Plan, RunPart
from medir.integrations.spark.workers.solving import COUNTS, SIDE, Columns, compared
from medir.measures.chosen import (
    Measures,
    by_intent,
    default_measure,
    grading_for,
    lengths_for,
    measures_of_documents,
    native_measures,
    without_judgments,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

    from medir.measures import Measure

SIDES = ("before", "after")  # the columns of their lists


@with_settings(Options)
def compare(
    before: DataFrame,
    after: DataFrame,
    measures: Measures | None = None,
    *,
    qrels: DataFrame | None = None,
    lengths: DataFrame | Mapping[Any, float] | None = None,
    default_length: float | None = None,
    queries: DataFrame | None = None,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
    **options: Unpack[Options],
) -> DataFrame:
    """The comparison of two runs, as a DataFrame of Spark: one row per query and measure.

    Runs have one row per result, or one row per query with arrays of documents and of scores;
    columns are recognised by the names that `medir.compare` knows. Columns and values are those of
    `medir.compare`, bit by bit; the order of the rows is Spark's. `qrels` have one row per
    judgment, `queries` one row per query, `lengths` and `clusters` one row per document: every
    worker gets all of these two, and all judgments and queries as long as Spark would broadcast
    them. What has to be known of all lists, such as which were cut, is computed now, in one job for
    all runs and one for judgments; the comparison is computed when you use it.
    """
    start()
    asked = Asked.of(
        before,
        after,
        measures,
        qrels=qrels,
        lengths=(lengths, default_length),
        queries=queries,
        sampled=(weight, by, missing_weight),
        settings=Settings(**options),
    )
    return asked.rows().drop(SIDE, COUNTS)


@dataclass(frozen=True)
class Asked:
    """A comparison that was asked for: what comes to the workers, and how it is solved."""

    plan: Plan
    columns: Columns
    sources: Rows
    settings: Settings

    @classmethod
    def of(
        cls,
        before: DataFrame,
        after: DataFrame,
        measures: Measures | None,
        *,
        qrels: DataFrame | None,
        lengths: tuple[Any, float | None],
        queries: DataFrame | None,
        sampled: tuple[str | None, str | None, float | None],
        settings: Settings,
        names: Sequence[str] = SIDES,
    ) -> Asked:
        """Checks everything that can be checked before the comparison, and looks at all lists."""
        runs = [
            replace(run_source(frame, settings, name), name=side)
            for side, frame, name in zip(SIDES, (before, after), names, strict=True)
        ]
        settings = with_clusters(settings)
        plan, judged = planned(runs, measures, qrels, lengths, settings, names)
        columns, table = _sampled(queries, *sampled)
        sources = [*runs, *filter(None, [judged, table])]
        key = key_type(sources)
        if settings.missing == "error":
            _refuse_alone(runs, key, names)
        elif settings.missing == "skip":
            refuse_nothing(runs, key, f"{names[0]} and {names[1]}", "both")
        every = together(sources, key, len(runs), in_all_runs=settings.missing == "skip")
        return cls(plan, columns, every, settings)

    def rows(self) -> DataFrame:
        """Every row, with what only summaries need."""
        from pyspark.sql.pandas.types import from_arrow_schema

        work = partial(compared, self.plan, self.columns)
        return self.sources.solved(work, from_arrow_schema(self.columns.schema()))


def planned(
    runs: Sequence[Source],
    measures: Measures | None,
    qrels: DataFrame | None,
    lengths: tuple[Any, float | None],
    settings: Settings,
    names: Sequence[str],
) -> tuple[Plan, Source | None]:
    """How any part is solved, and the judgments that come into it."""
    if measures is not None and qrels is None:
        measures = without_judgments(measures)
    chosen = [] if measures is None else measures_of_documents(measures)
    words = _words(chosen, *lengths, runs[0].frame, settings)
    clusters = None
    if settings.clusters is not None:
        clusters = runs[0].frame.sparkSession.sparkContext.broadcast(settings.clusters)
    intents = by_intent(chosen)
    source = None if qrels is None else qrels_source(qrels, settings, intents)
    depths = depths_of(runs, settings.duplicates)
    if not chosen:
        longest = max(max(one.lengths, default=0) for one in depths)
        chosen = [default_measure(min(longest, settings.depth or longest))]
    known = None
    if source is not None:
        known = judged_of(source, grading_for(chosen, settings.grades), intents, clusters)
    native = [one for one in chosen if not one.in_python]
    if known is None:
        native_measures(native, 1, None, settings.search)  # refuses those that need judgments
    parts = [
        RunPart(run.name, name, dict(run.columns), run.order, depth)
        for run, name, depth in zip(runs, names, depths, strict=True)
    ]
    # Whoever solves a part does not cut its lists by anything but these.
    alone = replace(settings, columns=None, clusters=None)
    plan = Plan(tuple(chosen), alone, tuple(parts), known, words, clusters)
    return plan, source


def with_clusters(settings: Settings) -> Settings:
    """Settings whose clusters are read; every worker gets all of them."""
    source = settings.clusters
    if source is None:
        return settings
    return replace(settings, clusters=Clusters.of(_collected(source)))


def _collected(source: Any) -> Any:
    """A DataFrame of Spark as a table of Arrow; what is something else as it is."""
    import pyarrow as pa

    if source is not None and type(source).__module__.startswith("pyspark.sql"):
        return pa.Table.from_pandas(source.toPandas(), preserve_index=False)
    return source


def _words(
    measures: Sequence[Measure],
    source: Any,
    default: float | None,
    frame: DataFrame,
    settings: Settings,
) -> Any:
    """The lengths of documents for every worker, and the default."""
    import pyarrow as pa

    source = _collected(source)
    if isinstance(source, Mapping):
        source = pa.table({"doc_id": list(map(str, source)), "words": list(source.values())})
    if source is None and default is not None:
        raise UsageError("default_length (--default-length) goes with lengths (--lengths)")
    if source is not None and not isinstance(source, pa.Table):
        raise UsageError(
            "on Spark, lengths are a DataFrame with doc_id and words, {document: words}, or a "
            "table of pyarrow"
        )
    found = None if source is None else Lengths.of(source, default=default)
    if lengths_for(measures, found, settings) is None:
        return None
    return frame.sparkSession.sparkContext.broadcast((source, default))


def _sampled(
    queries: DataFrame | None, weight: str | None, by: str | None, missing_weight: float | None
) -> tuple[Columns, Source | None]:
    """The columns that the table of queries adds, checked, and the table."""
    if queries is None:
        weight_column(None, weight, by, missing_weight)
        return Columns((), False), None
    source = queries_source(queries)
    known = tuple(name for name in source.columns if name != "query_id")
    table = Queries.of({"any": dict.fromkeys(known, "1")})
    for name in filter(None, [weight_column(table, weight, by, missing_weight), by]):
        table.check_column(name)
    return Columns(known, True, weight, by, missing_weight), source


def _refuse_alone(runs: Sequence[Source], key: DataType, names: Sequence[str]) -> None:
    """Raises an error where a query is in one run only."""
    from pyspark.sql import functions as sql

    marked = [
        run.queries(key).withColumn(f"in_{number}", sql.lit(True))
        for number, run in enumerate(runs)
    ]
    alone = marked[0].join(marked[1], QUERY, "full_outer").where("in_0 is null or in_1 is null")
    only_before, only_after = alone.agg(sql.count("in_0"), sql.count("in_1")).collect()[0]
    if only_before + only_after:
        first = alone.select(sql.col(QUERY).cast("string")).orderBy(QUERY).limit(NAMED).collect()
        sides = [(only_before, names[0]), (only_after, names[1])]
        raise not_in_both(sides, [row[0] for row in first])


def refuse_nothing(runs: Sequence[Source], key: DataType, names: str, how_many: str) -> None:
    """Raises an error where no query is in all runs."""
    ids = [run.queries(key) for run in runs]
    if reduce(lambda one, other: one.join(other, QUERY, "left_semi"), ids).isEmpty():
        raise nothing_in_common(names, how_many)
