"""What a worker does with a part: many queries at once, by the core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from medir import _core
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from medir.comparing.compare import maximised
from medir.comparing.decision.sample import EVERY_QUERY, Sample
from medir.comparing.table import ComparedTable
from medir.errors import InputError
from medir.files.frames import arrow_table
from medir.integrations.spark.rows import Part
from medir.integrations.spark.workers.contents import named, queries_in
from medir.integrations.spark.workers.part import Plan

if TYPE_CHECKING:
    import pyarrow as pa

SIDE, COUNTS = "medir_side", "medir_counts"  # columns of which only summaries know


@dataclass(frozen=True)
class Columns:
    """The columns of a comparison on Spark, by what they hold."""

    known: tuple[str, ...]  # of the table of queries
    has_table: bool
    weight: str | None = None
    by: str | None = None
    missing_weight: float | None = None

    @property
    def sampled(self) -> tuple[str | None, str | None, float | None]:
        """How queries are weighed and split."""
        return self.weight, self.by, self.missing_weight

    def schema(self) -> pa.Schema:
        """As Arrow has it."""
        import pyarrow as pa

        return pa.schema(
            [
                ("query_id", pa.string()),
                ("measure", pa.string()),
                *((name, pa.float64()) for name in (*COLUMNS, VALUE)),
                *((name, pa.int64()) for name in CHANGES),
                *((name, pa.string()) for name in self.known),
                (SIDE, pa.int8()),
                (COUNTS, pa.list_(pa.int64())),
            ]
        )

    def sample(self, part: Part, pairing: _core.Pairing) -> Sample:
        """What the table of queries says of a part; weights and segments are checked."""
        table = queries_in(part) if self.has_table else None
        if table is None:
            return EVERY_QUERY
        try:
            return Sample.of(pairing, table, self.weight, self.by, self.missing_weight)
        except InputError as error:
            raise named(error, part.rows("queries")[0]) from None


def compared(plan: Plan, columns: Columns, part: Part) -> list[pa.RecordBatch]:
    """The rows of a comparison."""
    import pyarrow as pa

    with plan.inputs(part) as inputs:
        pairing = inputs.pairing()
        sample = columns.sample(part, pairing)
        values, changes, counts = maximised(inputs, pairing, None)
    rows = ComparedTable(pairing, inputs.measures, values, changes, sample.rows(pairing), threads=1)
    found = arrow_table(_core.arrow_stream(list(rows.batches())))
    schema = columns.schema()
    sides = np.empty(len(pairing), dtype=np.uint8)
    pairing.sides(sides)
    made = {
        SIDE: pa.array(np.repeat(sides.astype(np.int8), len(inputs.measures))),
        COUNTS: _on_first_row(_numbers(counts), found.num_rows),
    }
    for name in columns.known:
        if name not in found.column_names:  # no query of this part has a row in the table
            made[name] = pa.nulls(found.num_rows, pa.string())
    parts = [made[name] if name in made else found[name] for name in schema.names]
    batches: list[pa.RecordBatch] = pa.table(parts, names=schema.names).cast(schema).to_batches()
    return batches


def _numbers(counts: _core.Counts) -> list[int]:
    """What was counted in a part, one number behind the other."""
    return [
        counts.repeats,
        counts.without_relevant,
        counts.without_length,
        *counts.unseen,
        *counts.ended,
    ]


def _on_first_row(numbers: Sequence[int], rows: int) -> pa.Array:
    import pyarrow as pa

    offsets = np.full(rows + 1, len(numbers), dtype=np.int32)
    offsets[0] = 0
    return pa.ListArray.from_arrays(offsets, pa.array(numbers, pa.int64()))
