"""May this ship? Limits for a comparison, such as `nDCG@20=0.3` or `p95:nDCG@20=0.5`."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.base.arrays import Array
from medir.comparing.comparison import Differences
from medir.errors import MeasureError, UsageError
from medir.files.identifiers import shown
from medir.measures import Measure, measure

NAMED = 5  # queries that a verdict names
_STATISTIC = re.compile(r"mean|median|any|p(\d{1,2}(?:\.\d+)?)")


@dataclass(frozen=True)
class Check:
    """A limit for a statistic of MED over the queries: mean, median, p95 (any percentile) or any.

    >>> Check.parse("p95:nDCG@20=0.5")
    Check(statistic='p95', measure=nDCG@20, limit=0.5)
    """

    statistic: str
    measure: Measure
    limit: float

    @classmethod
    def parse(cls, text: str) -> Check:
        """A check from `MEASURE=LIMIT` (the mean) or `STATISTIC:MEASURE=LIMIT`."""
        subject, equals, limit = text.rpartition("=")
        statistic, colon, name = subject.partition(":")
        if not colon:
            statistic, name = "mean", subject
        try:
            number = float(limit)
        except ValueError:
            number = math.nan
        if not equals or not math.isfinite(number) or not _STATISTIC.fullmatch(statistic):
            raise UsageError(
                f"cannot read the check {text!r}; write nDCG@20=0.3 (the mean), p95:nDCG@20=0.5 "
                "(a percentile), median:... or any:nDCG@20=0.9 (every query)"
            )
        try:
            chosen = measure(name.strip())
        except MeasureError as error:
            raise UsageError(f"the check {text!r}: {error}") from None
        if chosen.kind == "similarity":
            raise UsageError(
                f"the check {text!r}: {chosen} is higher when less has changed; set a "
                "limit on MED or on a rank distance"
            )
        return cls(statistic, chosen, number)

    def __str__(self) -> str:
        return f"{self.statistic} {self.measure!r}"

    def of(self, result: Differences[Any]) -> Verdict:
        """The verdict on a comparison. What is not proven counts with its gap."""
        most = result.column(self.measure) + result.column(self.measure, "gap")
        known = most[~np.isnan(most)]
        missing = len(most) - len(known)
        return Verdict(self, self._value(known) if len(known) else 0.0, result, missing)

    def _value(self, most: Array) -> float:
        percentile = _STATISTIC.fullmatch(self.statistic)
        if percentile is not None and percentile[1] is not None:
            return float(np.percentile(most, float(percentile[1])))
        if self.statistic == "any":
            return float(most.max())
        return float(np.mean(most) if self.statistic == "mean" else np.median(most))


@dataclass(frozen=True)
class Verdict:
    """What a check found."""

    check: Check
    value: float
    result: Differences[Any]
    missing: int = 0  # queries without a value: nobody can say that they keep the limit

    @property
    def passed(self) -> bool:
        """Whether the value is not above the limit, and every query has one."""
        return self.value <= self.check.limit and not self.missing

    def __str__(self) -> str:
        relation = "not above" if self.value <= self.check.limit else "above"
        text = f"{self.check} is {self.value:.4f}, {relation} {self.check.limit:g}"
        if self.missing:
            queries = "query has" if self.missing == 1 else "queries have"
            text += f"; {self.missing:,} {queries} no value"
        return text if self.value <= self.check.limit else f"{text}; {self._queries()}"

    def _queries(self) -> str:
        """The queries behind a failure, most affected first."""
        one = self.check.measure
        most = self.result.column(one) + self.result.column(one, "gap")
        above = int(np.count_nonzero(most > self.check.limit))
        rows = self.result.top(min(NAMED, above), self.check.measure)
        named = ", ".join(f"{shown(row.query_id)} ({row.med:.4f})" for row in rows)
        more = f" and {above - len(rows):,} more" if above > len(rows) else ""
        return f"{above:,} {'query' if above == 1 else 'queries'} above it: {named}{more}"
