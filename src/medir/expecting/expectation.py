"""What `expect` returns: an estimate for each query and measure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from medir.arrays import Array
from medir.comparing.comparison import Comparison
from medir.errors import UsageError
from medir.files.tables import Table, Written
from medir.measures import Measure, measure
from medir.settings import Unseen

QUANTILES = {"p05": 0.05, "p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95}
OUTCOMES = ("helps", "hurts", "equal")
COUNTS = ("unjudged", "samples")
COLUMNS = (
    "expected", "expected_error", "sd", "sd_error",
    *(name + end for name in QUANTILES for end in ("", "_low", "_high")),
    *(name + end for name in OUTCOMES for end in ("", "_error", "_low", "_high")),
    *COUNTS,
)  # fmt: skip
MEAN = "all"  # the query id of a mean, as trec_eval writes it
ORDERS = ("expected", "helps", "hurts")
Z = 1.959963984540054  # 95 % of a normal distribution lie within as many standard deviations
ROUNDING = 1e-12


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


@dataclass(frozen=True)
class Moments:
    """Expectation and variance with their standard errors, 0 for what is exact."""

    expected: float
    variance: float
    expected_error: float = 0.0
    variance_error: float = 0.0


@dataclass(frozen=True)
class Distribution:
    """Differences in ascending order: all that there are, with their weights, or samples."""

    values: Array
    weights: Array | None

    @classmethod
    def of(cls, values: Array, weights: Array | None, rounding: float) -> Distribution:
        """What is no further from 0 than `rounding` is 0."""
        whole = np.where(np.abs(values) <= rounding, 0.0, values)
        if weights is None:
            return cls(np.sort(whole), None)
        order = np.argsort(whole, kind="stable")
        return cls(whole[order], weights[order])

    def quantile(self, q: float) -> Quantile:
        """The smallest value that is not exceeded with probability q.

        Of samples: the interval between two of them, by the binomial distribution of how many are
        below the true quantile, whatever the distribution.
        """
        if self.weights is None:
            ranks = order_statistics(len(self.values), q)
            return Quantile(*(float(self.values[rank - 1]) for rank in ranks))
        below = np.cumsum(self.weights)
        position = int(np.searchsorted(below, q - ROUNDING))
        value = float(self.values[min(position, len(self.values) - 1)])
        return Quantile(value, value, value)

    def outcomes(self) -> Iterator[Probability]:
        """The probabilities of a difference above, below and equal to 0."""
        for mask in (self.values > 0, self.values < 0, self.values == 0):
            if self.weights is None:
                yield share(int(np.count_nonzero(mask)), len(self.values))
            else:
                exact = min(float(self.weights[mask].sum()), 1.0)
                yield Probability(exact, 0.0, exact, exact)

    def columns(self, moments: Moments, unjudged: int) -> list[float]:
        """The numbers of an estimate, in the order of `COLUMNS`."""
        sd = float(np.sqrt(max(moments.variance, 0.0)))
        sd_error = moments.variance_error / (2 * sd) if sd > 0 else 0.0
        values = [moments.expected, moments.expected_error, sd, sd_error]
        for q in QUANTILES.values():
            values += self.quantile(q)
        for outcome in self.outcomes():
            values += outcome
        return [*values, unjudged, len(self.values) if self.weights is None else 0]


def share(count: int, of: int) -> Probability:
    """The probability of what was seen `count` times in `of` samples.

    The interval is Wilson's with continuity correction, which covers about 95 % at
    the least.

    >>> [round(x, 4) for x in share(900, 1000)]
    [0.9, 0.0095, 0.8793, 0.9175]
    """
    p, n, z2 = count / of, of, Z * Z
    middle, scale = 2 * n * p + z2, 2 * (n + z2)
    low = middle - (Z * np.sqrt(max(z2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1), 0)) + 1)
    high = middle + (Z * np.sqrt(max(z2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1), 0)) + 1)
    return Probability(
        p,
        float(np.sqrt(p * (1 - p) / n)),
        0.0 if count == 0 else max(0.0, float(low / scale)),
        1.0 if count == of else min(1.0, float(high / scale)),
    )


@lru_cache(maxsize=64)
def order_statistics(samples: int, q: float) -> tuple[int, int, int]:
    """Which samples, in ascending order from 1, are the quantile q and the ends of its interval.

    With B binomial(samples, q): the largest l with P(B < l) <= 2.5 %, and the smallest u with
    P(B >= u) <= 2.5 %.

    >>> order_statistics(1000, 0.5)
    (500, 469, 532)
    """
    counts = np.arange(samples + 1)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1.0, samples + 1)))])
    chances = logs[-1] - logs - logs[::-1] + counts * np.log(q) + counts[::-1] * np.log1p(-q)
    below = np.cumsum(np.exp(chances))  # P(B <= count)
    low = int(np.searchsorted(below, 0.025, side="right"))
    high = int(np.searchsorted(below, 0.975, side="left")) + 1
    rank = int(np.ceil(samples * q - ROUNDING))
    return min(max(rank, 1), samples), max(low, 1), min(high, samples)


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
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not looked at; there are {known}")
        return list(self.measures).index(wanted)

    def __repr__(self) -> str:
        before, after = self.comparison.names
        means = ", ".join(f"{one}: {self.mean(one).expected:+.4f}" for one in self.measures)
        return f"<Expectation of {before} and {after}: {len(self)} queries; {means}>"


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
