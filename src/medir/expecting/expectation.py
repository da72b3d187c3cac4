"""What `expect` returns: an estimate for each query and measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from medir.base.arrays import Array
from medir.base.words import count, rounded
from medir.comparing.comparison import Comparison
from medir.errors import UsageError
from medir.expecting.distribution import COLUMNS, COUNTS, QUANTILES
from medir.files.origins import Input
from medir.files.tables import Table, Written
from medir.measures import Measure, measure
from medir.measures.chosen import number_of

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
class Expectation(Written):
    """The expected difference of two runs, query by query and in the mean."""

    comparison: Comparison  # what is compared
    measures: Sequence[Measure]
    values: Array  # measure x column x query
    means: Array  # measure x column
    prior: str
    without_prior: int  # unjudged results that the prior says nothing of
    default: float  # their probability
    unjudged: int  # results, as deep as any measure looks
    samples: int
    seed: int

    def origins(self) -> Iterable[Input | None]:
        """What was read, besides the prior."""
        return self.comparison.origins()

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

    def verdict(self, of: Measure | str | None = None) -> str:
        """What to expect, in a sentence."""
        mean = self.mean(of)
        helps = mean.helps
        certain = "exactly" if mean.samples == 0 else (
            f"95% interval {helps.low:.3f} to {helps.high:.3f}, "
            f"{mean.samples:,} samples, seed {self.seed}"
        )  # fmt: skip
        return (
            f"Expect the mean of {mean.measure!r} to change by {rounded(mean.expected, True)}; it "
            f"rises with probability {helps.value:.3f} ({certain})."
        )

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

    def table(self) -> Table:
        """Every row, unrounded; the means last."""
        kinds = {name: int if name in COUNTS else float for name in COLUMNS}
        return Table({"query_id": str, "measure": str, **kinds}, self._rows())

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for position, query in enumerate(self.queries):
            for number, one in enumerate(self.measures):
                yield query, repr(one), *self.values[number, :, position].tolist()
        for number, one in enumerate(self.measures if self.queries else ()):
            yield MEAN, repr(one), *self.means[number].tolist()

    def _number(self, of: Measure | str | None) -> int:
        if of is None:
            return 0
        number = number_of(of, self.measures)
        if number is None:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{measure(of)} was not estimated; these were: {known}")
        return number

    def __repr__(self) -> str:
        before, after = self.comparison.names
        means = ", ".join(f"{one}: {self.mean(one).expected:+.4f}" for one in self.measures)
        queries = count(len(self), "query", "queries")
        return f"<Expectation of {before} and {after}: {queries}; {means}>"


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
        *(0 if np.isnan(known[name]) else int(known[name]) for name in COUNTS),  # NaN: no query
    )
