"""What must be known of all data before any part of it is solved: one aggregate of each source.

How deep the lists of a run are decides which of them were cut, and the highest grade what a grade
is worth. Both can be added up from parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import TYPE_CHECKING

from medir import _core
from medir.base.settings import Duplicates
from medir.inputs.clusters.reading import Clusters
from medir.inputs.grading import Grading
from medir.integrations.spark.rows import Part, Rows, together
from medir.integrations.spark.sources import QUERY, Source
from medir.integrations.spark.workers.contents import judgments_in

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark import Broadcast
    from pyspark.sql import DataFrame

WITHOUT_GRADE = -1


@dataclass(frozen=True)
class Depths:
    """How many lists of a run have each length."""

    lengths: tuple[int, ...]  # as `duplicates` leaves them
    lists: tuple[int, ...]
    longest: int  # with all duplicates

    def native(self) -> _core.ListLengths:
        """As the core adds them up."""
        return _core.ListLengths(self.lengths, self.lists)


def depths_of(runs: Sequence[Source], duplicates: Duplicates) -> list[Depths]:
    """The depths of all lists of runs, in one job."""
    parts = [_lengths(run, duplicates, number) for number, run in enumerate(runs)]
    every = reduce(lambda one, other: one.union(other), parts)
    found = every.groupBy("run", "length", "entries").count().collect()
    return [
        Depths(
            tuple(row["length"] for row in found if row["run"] == number),
            tuple(row["count"] for row in found if row["run"] == number),
            max((row["entries"] for row in found if row["run"] == number), default=0),
        )
        for number in range(len(runs))
    ]


def _lengths(run: Source, duplicates: Duplicates, number: int) -> DataFrame:
    """The length of each list, and how many entries it has with duplicates."""
    from pyspark.sql import functions as sql

    frame, documents = run.frame, run.document
    if run.has_lists:
        every = sql.coalesce(documents, sql.array())  # a null is an error, later
        entries = sql.size(every)
        length = sql.size(sql.array_distinct(every)) if duplicates == "first" else entries
        return frame.select(
            sql.lit(number).alias("run"),
            length.cast("long").alias("length"),
            entries.cast("long").alias("entries"),
        )
    every = sql.count(sql.lit(1))
    length = sql.count_distinct(documents) if duplicates == "first" else every
    grouped = frame.groupBy(run.key(run.key_type).alias(QUERY))
    lengths = grouped.agg(length.alias("length"), every.alias("entries"))
    return lengths.select(sql.lit(number).alias("run"), "length", "entries")


@dataclass(frozen=True)
class Judged:
    """What is known of all judgments."""

    grading: Grading
    intents: bool
    columns: dict[str, str]
    highest: int | None = None
    longest: int = 0
    shares: bool = False
    disagreements: int = 0  # clusters of a query with documents of different grades


def judged_of(
    qrels: Source, grading: Grading, intents: bool, clusters: Broadcast[Clusters] | None
) -> Judged:
    """What all judgments say together; each of them is checked, whatever its query."""
    first = Judged(grading, intents, dict(qrels.columns))
    rows = together([qrels], qrels.key_type)
    found = _added_up(rows, first, clusters)
    if not found.shares:
        return found
    # A part without fractions does not know that its 1 is a share, too.
    (scale,) = grading.scales
    levels = tuple((share / scale, share) for share in range(scale + 1))
    shares = replace(first, grading=grading._replace(levels=levels))
    return replace(_added_up(rows, shares, clusters), shares=True)


def _added_up(rows: Rows, judged: Judged, clusters: Broadcast[Clusters] | None) -> Judged:
    from pyspark.sql import functions as sql

    schema = "highest long, longest long, shares boolean, disagreements long"
    parts = rows.solved(partial(_looked_through, judged, clusters), schema)
    (row,) = parts.agg(
        sql.max("highest").alias("highest"),
        sql.max("longest").alias("longest"),
        sql.max("shares").alias("shares"),
        sql.sum("disagreements").alias("disagreements"),
    ).collect()
    known = row["highest"] is not None and row["highest"] != WITHOUT_GRADE
    highest = row["highest"] if known else judged.grading.highest
    return replace(
        judged,
        highest=highest,
        longest=row["longest"] or 0,
        shares=bool(row["shares"]),
        disagreements=row["disagreements"] or 0,
    )


def _looked_through(
    judged: Judged, clusters: Broadcast[Clusters] | None, part: Part
) -> list[pa.RecordBatch]:
    """What the judgments of a part say, as one row."""
    import pyarrow as pa

    qrels = judgments_in(part, judged.grading, judged.intents, judged.columns)
    highest = WITHOUT_GRADE if qrels.highest is None else qrels.highest
    different = 0 if clusters is None else qrels.disagreements(clusters.value, threads=1)
    row = {
        "highest": [highest],
        "longest": [qrels.longest],
        "shares": [bool(qrels.shares)],
        "disagreements": [different],
    }
    return [pa.RecordBatch.from_pydict(row)]
