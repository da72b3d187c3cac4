"""A comparison on a cluster as reports and checks take it: sums of all rows, lists of a few.

Summaries come from Spark. The lists of the most affected queries are collected, and compared once
more on this machine, so that each of their values can be taken apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.compare import looking_below, maximised
from medir.comparing.comparison import Comparison
from medir.comparing.decision.sample import Sample
from medir.comparing.decision.summary import Summary
from medir.comparing.exposure import Exposures
from medir.errors import InputError
from medir.inputs.queries import NO_SEGMENT
from medir.integrations.spark.comparing import Asked
from medir.integrations.spark.figures import COMMON, EVERY, SEGMENT, Figures
from medir.integrations.spark.rows import Part
from medir.integrations.spark.summary import SparkSummary, Summaries, summaries_of, top, weighing_of
from medir.integrations.spark.workers.contents import queries_in
from medir.integrations.spark.workers.solving import COUNTS, SIDE
from medir.measures import Measure

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

NO_NAMES: Mapping[str, str] = {}
GRID = 4096  # places between -1 and 1 that gains and losses of a picture are rounded to


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SparkComparison(Comparison):
    """A comparison whose rows lie on a cluster; its pairing holds the most affected queries."""

    rows: DataFrame  # with what only summaries need; kept, so that each job reads it
    summaries: Summaries
    alone: tuple[int, int]  # queries in the first run only, and in the second only

    @classmethod
    def of(
        cls,
        asked: Asked,
        affected: int,
        names: Mapping[str, str] = NO_NAMES,
        queries: Sequence[str] = (),
    ) -> SparkComparison:
        """The comparison that was asked for, with the lists of so many affected queries.

        `names` are what judgments and queries are called; `queries` are wanted besides.
        """
        from pyspark import StorageLevel

        rows = asked.rows().persist(StorageLevel.MEMORY_AND_DISK)
        weighing = weighing_of(rows, *asked.columns.sampled)
        found = summaries_of(Figures.of(rows, weighing), weighing, asked.plan.measures)
        found.look_through()
        *counts, unseen, ended, before, after = _counts(rows, len(asked.plan.measures))
        part = _lists_of(asked, rows, affected, queries)
        with asked.plan.inputs(part) as inputs:
            pairing = inputs.pairing()
            values, changes, _ = maximised(inputs, pairing, None)
        if inputs.judged is not None:
            inputs.judged.name = names.get("qrels", inputs.judged.name)
        measures = list(asked.plan.measures)
        return cls(
            pairing=pairing,
            measures=measures,
            values=values,
            changes=changes,
            runs=(inputs.runs[0], inputs.runs[1]),
            judged=inputs.judged,
            settings=asked.settings,
            repeats=counts[0],
            without_relevant=counts[1],
            list_lengths=(inputs.list_lengths[0], inputs.list_lengths[1]),
            unseen_queries=looking_below(measures, unseen),
            ended_queries=looking_below(measures, ended),
            lengths=inputs.lengths,
            without_length=counts[2],
            sample=_sample(found, part if asked.columns.has_table else None, names),
            rows=rows,
            summaries=found,
            alone=(before, after),
        )

    def __len__(self) -> int:
        """All queries of the cluster."""
        first = self.summaries.numbers.get((repr(self.summaries.measures[0]), EVERY))
        return 0 if first is None else int(first["queries"] + first["missing"])

    def write_rows(self, path: str) -> None:
        """Writes every row as a folder of Parquet, where Spark writes."""
        from pyspark.errors import AnalysisException

        try:
            self.rows.drop(SIDE, COUNTS).write.parquet(path)
        except AnalysisException as error:
            first = str(error).partition("\n")[0]
            raise InputError(
                f"Spark cannot write it: {first}", path, remedy="Name a folder that does not exist."
            ) from None

    @property
    def has_every_row(self) -> bool:
        """Most rows are elsewhere."""
        return False

    @property
    def only_before(self) -> int:
        """How many queries only the first run has."""
        return self.alone[0]

    @property
    def only_after(self) -> int:
        """How many queries only the second run has."""
        return self.alone[1]

    @property
    def unchanged(self) -> int:
        """How many queries have the same lists, as far as the first measure looks."""
        return int(self.summary()._numbers["unchanged"])

    @property
    def unproven(self) -> int:
        """How many values have a gap."""
        return sum(self.summary(one).unproven for one in self.measures)

    def summary(self, of: Measure | str | None = None, segment: str | None = None) -> SparkSummary:
        """What the values of all queries, or of a segment, say together."""
        return self.summaries.summary(self.measures[self._number(of)], segment)

    def segments(self, of: Measure | str | None = None) -> dict[str, Summary]:
        """The summary of each segment, in the order of their labels; none without segments."""
        return dict(self.summaries.segments(self.measures[self._number(of)]))

    def segments_at(self, positions: Sequence[int]) -> list[int | None]:
        """The segment of collected queries, by its number among those of all queries."""
        segments, table = self.sample.segments, self.sample.table
        if segments is None or table is None:
            return [None] * len(positions)
        codes, labels, _ = table.segments(segments.column, self.pairing)
        numbers = {label: number for number, label in enumerate(segments.labels)}
        return [numbers[labels[codes[at]]] for at in positions]

    def _common(self, number: int) -> Summary:
        return self.summaries.of_group(self.measures[number], COMMON)

    def beyond(
        self, limit: float, of: Measure | str, name: str, *, above: bool, segment: str | None
    ) -> tuple[int, list[tuple[str, float]]]:
        """How many queries, of a segment, are beyond a limit; and the first of them, by far."""
        return self.summaries.beyond(limit, of, name, above=above, segment=segment)

    def exposures(self) -> Exposures | None:
        """Those of all documents are a table of their own: `medir.spark.documents`."""
        return None

    def sides_of(self, of: Measure | str) -> tuple[Array, Array, NDArray[np.int64]]:
        """Gains and losses on a fine grid, and how many queries each place stands for."""
        from pyspark.sql import functions as sql

        rows = self.summaries.figures.of_group(self.summary(of).key)
        places = [sql.round(sql.col(name) * GRID).alias(name) for name in ("gain", "loss")]
        found = rows.select(*places).groupBy("gain", "loss").count().collect()
        gain, loss, queries = (np.array([row[i] for row in found]) for i in range(3))
        return gain / GRID, loss / GRID, queries.astype(np.int64)


def _counts(rows: DataFrame, measures: int) -> Sequence[Any]:
    """What was counted in all parts, and the queries that only one run has."""
    from pyspark.sql import functions as sql

    sums = [sql.sum(sql.get(COUNTS, sql.lit(place))) for place in range(3 + 2 * measures)]
    alone = [sql.count_if(sql.col(SIDE) == side) for side in (1, 2)]
    *numbers, before, after = rows.agg(*sums, *alone).collect()[0]
    known = [int(number or 0) for number in numbers]
    unseen, ended = known[3 : 3 + measures], known[3 + measures :]
    return *known[:3], unseen, ended, before // measures, after // measures


def _lists_of(asked: Asked, rows: DataFrame, affected: int, queries: Sequence[str]) -> Part:
    """The lists of some queries, and of those that are most affected under each measure."""
    found = dict.fromkeys(queries)
    for one in asked.plan.measures:
        found.update(dict.fromkeys(row["query_id"] for row in top(rows, affected, one).collect()))
    return asked.sources.of_queries(list(found))


def _sample(found: Summaries, part: Part | None, names: Mapping[str, str]) -> Sample:
    """How all queries are weighed and split, and the table of a few of them."""
    table = None if part is None else queries_in(part)
    if table is not None:
        table.name = names.get("queries", table.name)
    name = repr(found.measures[0])
    nowhere = found.numbers.get((name, SEGMENT + NO_SEGMENT))
    return replace(
        found.sample,
        table=table,
        without_weight=found.numbers.get((name, EVERY), {}).get("unweighted", 0),
        without_segment=0 if nowhere is None else nowhere["queries"] + nowhere["missing"],
    )
