"""What `expect` returns: an estimate for each query and measure, and how it is written out."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from medir.arrays import Array
from medir.comparing.comparison import Comparison
from medir.errors import UsageError
from medir.expecting.distribution import COLUMNS, QUANTILES
from medir.files.identifiers import ENCODING, UNDECODABLE, shown
from medir.files.tables import check_format, write_rows
from medir.measures.kernels import Unseen
from medir.measures.notation import Measure, measure

MEAN = "all"  # the query id of a mean, as trec_eval writes it
ORDERS = ("expected", "helps", "hurts")


class Quantile(NamedTuple):
    """A quantile, and the interval that holds the true one in 95 of 100 cases."""

    value: float
    low: float
    high: float


class Probability(NamedTuple):
    """A probability, its standard error, and the interval that holds the true one likewise."""

    value: float
    error: float
    low: float
    high: float


class Estimate(NamedTuple):
    """The difference S(after) - S(before) of one query, or of the mean of all, as far as known.

    `expected` is its expectation, `sd` its standard deviation, `quantiles` are those of 5, 25, 50,
    75 and 95 %; `helps`, `hurts` and `equal` are the probabilities that it is above, below and
    equal to 0. What is exact has an error of 0 and an interval of one point. `samples` is 0 where
    everything is exact.
    """

    query_id: str
    measure: Measure
    expected: float
    expected_error: float
    sd: float
    sd_error: float
    quantiles: dict[str, Quantile]
    helps: Probability
    hurts: Probability
    equal: Probability
    unjudged: int
    samples: int


@dataclass(frozen=True, eq=False, repr=False)
class Expectation:
    """The expected difference of two runs, query by query and in the mean."""

    comparison: Comparison  # what is compared
    measures: Sequence[Measure]
    values: Array  # measure x column x query
    means: Array  # measure x column
    prior: str
    without_prior: int  # unjudged results that the prior says nothing of
    default: float  # their probability
    unjudged: int  # results, as deep as any measure looks
    unseen: Unseen
    samples: int
    seed: int

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def queries(self) -> list[str]:
        """The query ids: those of the first run in its order, then those of the second alone."""
        return self.comparison.queries

    def column(self, of: Measure | str, name: str = "expected") -> Array:
        """One column of a measure in the order of `queries`."""
        if name not in COLUMNS:
            raise UsageError(f"a column is one of {', '.join(COLUMNS)}, not {name!r}")
        return np.asarray(self.values[self._number(of), COLUMNS.index(name)])

    def row(self, position: int, of: Measure | str | None = None) -> Estimate:
        """The estimate of one query under one measure (default: the first)."""
        number = self._number(of)
        return _estimate(
            self.queries[position], self.measures[number], self.values[number, :, position]
        )

    def mean(self, of: Measure | str | None = None) -> Estimate:
        """The estimate of the mean of all queries under one measure (default: the first)."""
        number = self._number(of)
        return _estimate(MEAN, self.measures[number], self.means[number])

    def largest(self, n: int, of: Measure | str | None = None, by: str = "expected") -> list[int]:
        """The positions of the `n` largest |expected|, or probabilities to help or to hurt."""
        if by not in ORDERS:
            raise UsageError(f"by is one of {', '.join(ORDERS)}, not {by!r}")
        chosen = self.measures[self._number(of)]
        keys = [np.abs(self.column(chosen))]
        if by != "expected":
            keys.append(self.column(chosen, by))
        order = np.lexsort([-key for key in keys])
        return [int(position) for position in order[:n]]

    def __iter__(self) -> Iterator[Estimate]:
        """Every estimate: queries in order, the measures of a query together; the means last."""
        for position in range(len(self)):
            for one in self.measures:
                yield self.row(position, one)
        for one in self.measures:
            yield self.mean(one)

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Writes every row, unrounded, as csv, tsv, jsonl or parquet (by suffix); means last.

        The file appears when it is complete, or not at all.
        """
        write_rows(path, format, self.write_text, self._write_parquet)

    def write_text(self, stream: BinaryIO, format: str) -> None:
        """Writes every row to a binary stream as csv, tsv or jsonl."""
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t" if format == "tsv" else ",", lineterminator="\n")
        header = ["query_id", "measure", *COLUMNS]
        if format != "jsonl":
            writer.writerow(header)
        for query, one, values in self._rows():
            row = [query, repr(one), *map(_plain, values)]
            if format == "jsonl":
                record = dict(zip(header, row, strict=True))
                text.write(json.dumps(record, ensure_ascii=False) + "\n")
            else:
                writer.writerow(row)
        stream.write(text.getvalue().encode(ENCODING, UNDECODABLE))

    def _rows(self) -> Iterator[tuple[str, Measure, list[float]]]:
        for position, query in enumerate(self.queries):
            for number, one in enumerate(self.measures):
                yield query, one, self.values[number, :, position].tolist()
        for number, one in enumerate(self.measures if self.queries else ()):
            yield MEAN, one, self.means[number].tolist()

    def _write_parquet(self, path: Path) -> None:
        check_format("parquet")
        import pyarrow as pa
        import pyarrow.parquet as pq

        rows = list(self._rows())
        columns = {
            "query_id": pa.array([shown(query) for query, *_ in rows]),
            "measure": pa.array([repr(one) for _, one, _ in rows]),
        }
        for number, name in enumerate(COLUMNS):
            columns[name] = pa.array([values[number] for *_, values in rows])
        pq.write_table(pa.table(columns), path)

    def _number(self, of: Measure | str | None) -> int:
        if of is None:
            return 0
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not looked at; there are {known}")
        return list(self.measures).index(wanted)

    def __repr__(self) -> str:
        before, after = self.comparison.names
        means = ", ".join(f"{one}: {self.mean(one).expected:+.4f}" for one in self.measures)
        return f"<Expectation of {before} and {after}: {len(self)} queries; {means}>"


def _plain(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _estimate(query: str, measure: Measure, values: Array) -> Estimate:
    known = dict(zip(COLUMNS, values.tolist(), strict=True))

    def probability(name: str) -> Probability:
        return Probability(*(known[name + end] for end in ("", "_error", "_low", "_high")))

    return Estimate(
        query,
        measure,
        known["expected"],
        known["expected_error"],
        known["sd"],
        known["sd_error"],
        {
            name: Quantile(*(known[name + end] for end in ("", "_low", "_high")))
            for name in QUANTILES
        },
        probability("helps"),
        probability("hurts"),
        probability("equal"),
        int(known["unjudged"]),
        int(known["samples"]),
    )
