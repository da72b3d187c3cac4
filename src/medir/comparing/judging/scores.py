"""What `score` returns: effectiveness by run, measure and query, and how two runs differ in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.sums import total
from medir.base.words import count, rounded
from medir.comparing.compare import compare
from medir.comparing.comparison import Comparison
from medir.comparing.decision.statistics import Interval, interval_of_mean
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.identifiers import shown
from medir.files.origins import Input
from medir.files.tables import Table, Written
from medir.measures import Measure
from medir.measures.chosen import judged_ideal
from medir.measures.notation import measure
from medir.measures.relevance import max_grade_note


class Counted(NamedTuple):
    """What was met in a run besides its scores."""

    missing: int  # judged queries that it does not have
    unjudged: int  # queries of it without judgments
    repeats: int  # results dropped as duplicates of a higher-ranked document
    without_relevant: int  # judged queries without a relevant judgment
    without_length: int  # documents that got the default length

    @classmethod
    def of(cls, there: NDArray[np.bool_], queries: int, counts: _core.Counts) -> Counted:
        """By which judged queries a run has, and how many queries it has in all."""
        judged = int(np.count_nonzero(there))
        return cls(
            missing=len(there) - judged,
            unjudged=queries - judged,
            repeats=counts.repeats,
            without_relevant=counts.without_relevant,
            without_length=counts.without_length,
        )


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """By how much two runs differ under a measure, query by query.

    An unjudged document is not relevant for `before` and `after`. Whatever it may be, the
    difference of a query lies between -loss and gain: these are the two directions of MED, for the
    same ideal and highest grade. They are None for a measure without MED.
    """

    measure: Measure
    queries: Sequence[str]
    before: Array
    after: Array
    gain: Array | None
    loss: Array | None

    def __len__(self) -> int:
        return len(self.queries)

    @cached_property
    def change(self) -> Array:
        """After less before, by query."""
        return np.asarray(self.after - self.before)

    def mean(self) -> float:
        """The mean of the change."""
        return _mean(self.change)

    def interval(self) -> Interval | None:
        """The 95 % interval of the mean; None where fewer than 10 queries change."""
        return interval_of_scores(self.change, int(np.count_nonzero(self.change)))

    def possible(self) -> tuple[float, float] | None:
        """Between which bounds the mean lies, whatever unjudged documents are."""
        if self.gain is None or self.loss is None:
            return None
        return -_mean(self.loss), _mean(self.gain)

    def most_changed(self, n: int) -> list[int]:
        """The positions of the `n` queries that change most, most first; none that do not."""
        size = np.abs(self.change)
        order = np.argsort(-size, kind="stable")
        return [int(i) for i in order[: max(n, 0)] if size[i] > 0]


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Written, Mapping[str, float]):
    """The effectiveness of runs by measure and query.

    For one run and one measure this is a mapping from query to score. With several, `column`,
    `mean` and `interval` need to be told which, and `only` picks one.
    """

    runs: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: Sequence[str]  # those with judgments, in their order
    scores: Array  # run x measure x query; NaN where a query is left out
    inputs: Inputs
    counted: Sequence[Counted]  # by run

    def origins(self) -> Iterable[Input | None]:
        """What was read."""
        read = self.inputs
        return *read.runs, read.judged, read.lengths, read.settings.clusters

    def only(self, of: Measure | str | None = None, run: str | None = None) -> Scores:
        """The scores of one run under one measure."""
        which, what = self._run(run), self._measure(of)
        return replace(
            self,
            runs=(self.runs[which],),
            measures=(self.measures[what],),
            scores=self.scores[which : which + 1, what : what + 1],
            inputs=replace(self.inputs, runs=[self.inputs.runs[which]]),
            counted=[self.counted[which]],
        )

    def column(self, of: Measure | str | None = None, run: str | None = None) -> Array:
        """The scores of a run under a measure, in the order of `queries`; NaN where left out."""
        return np.asarray(self.scores[self._run(run), self._measure(of)])

    def mean(self, of: Measure | str | None = None, run: str | None = None) -> float:
        """The mean over the queries that count; NaN where there is none."""
        return _mean(_known(self.column(of, run)))

    def interval(self, of: Measure | str | None = None, run: str | None = None) -> Interval | None:
        """The 95 % interval of the mean; None where there are fewer than 10 queries.

        It is about the choice of queries and nothing else.
        """
        known = _known(self.column(of, run))
        return interval_of_scores(known, len(known), least=0.0)

    def difference(self, of: Measure | str | None = None) -> PairedDifference:
        """By how much the second of two runs differs from the first, over the queries of both."""
        if len(self.runs) != 2:
            raise UsageError(f"a difference needs two runs, not {len(self.runs)}")
        number = self._measure(of)
        before, after = self.scores[:, number]
        both = np.flatnonzero(~np.isnan(before) & ~np.isnan(after))
        queries = [self.queries[i] for i in both.tolist()]
        one = self.measures[number]
        gain, loss = (None, None) if one.shape.scores_only else self._bounds(one, queries)
        return PairedDifference(one, queries, before[both], after[both], gain, loss)

    def verdict(self, of: Measure | str | None = None) -> str:
        """How good the runs are, in a sentence."""
        one = self.measures[self._measure(of)]
        means = {run: self.mean(one, run) for run in self.runs}
        over = count(len(self.queries), "judged query", "judged queries")
        if len(means) == 2:
            change, possible = self.difference(one), self.difference(one).possible()
            mean = rounded(change.mean(), signed=True)
            text = f"{one!r} changes by {mean} on average over {over}"
            if possible is None:
                return f"{text}."
            low, high = (rounded(bound, signed=True) for bound in possible)
            return f"{text}; unjudged documents leave room from {low} to {high}."
        best = max(means, key=lambda run: means[run])
        mean = rounded(means[best])
        if len(means) == 1:
            return f"{shown(best)} has a mean {one!r} of {mean} over {over}."
        return f"{shown(best)} is the best of {len(means)} runs: mean {one!r} {mean} over {over}."

    def notes(self) -> Iterator[str]:
        """What is particular about these scores, in sentences."""
        if any(one.graded for one in self.measures):
            yield max_grade_note(self.measures, self.inputs.judged)
        without = self.counted[0].without_relevant
        if without:
            queries = count(without, "query has", "queries have")
            yield f"{queries} no relevant judgment: the score is 0 there"
        skipped = self.inputs.settings.missing == "skip"
        for name, counted in zip(map(shown, self.runs), self.counted, strict=True):
            if counted.missing:
                queries = count(counted.missing, "judged query is", "judged queries are")
                scored = "left out" if skipped else "scored as without results"
                yield f"{name}: {queries} not in the run and {scored}"
            if counted.unjudged:
                queries = count(counted.unjudged, "query", "queries")
                yield f"{name}: {queries} without judgments left out"
            if counted.repeats:
                results = count(counted.repeats, "result")
                yield f"{name}: {results} dropped: duplicates of a higher-ranked document"
            if counted.without_length:
                documents = count(counted.without_length, "document")
                yield f"{name}: {documents} without a length got --default-length"

    def table(self) -> Table:
        """One row for each run, query and measure, unrounded."""
        columns = {"run": str, "query_id": str, "measure": str, "score": float}
        return Table(columns, self._rows())

    @property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(np.count_nonzero(~np.isnan(self.scores)))

    def _rows(self) -> Iterator[tuple[str, str, str, float]]:
        names = [repr(one) for one in self.measures]
        for run, by_measure in zip(self.runs, self.scores, strict=True):
            for query, scores in zip(self.queries, by_measure.T.tolist(), strict=True):
                for name, score in zip(names, scores, strict=True):
                    if score == score:  # noqa: PLR0124  # a query that is left out has NaN
                        yield run, query, name, score

    @cached_property
    def _with_med(self) -> list[Measure]:
        """The measures whose difference can be maximised."""
        return [one for one in self.measures if not one.shape.scores_only]

    @cached_property
    def _compared(self) -> Comparison:
        """MED of the two runs: the same measures, judgments and highest grade."""
        inputs = self.inputs
        options = replace(inputs.settings, missing="empty").options()
        before, after = inputs.runs
        lengths, judged = inputs.lengths, inputs.judged
        return compare(before, after, self._with_med, qrels=judged, lengths=lengths, **options)

    def _bounds(self, one: Measure, queries: Sequence[str]) -> tuple[Array, Array]:
        """Gain and loss of queries, not proven ones with their gaps.

        They are 0 for a query that no run has, and where the ideal is 0: every score is 0 there.
        """
        found = self._compared
        places = {query: i for i, query in enumerate(found.queries)}
        at = np.array([places.get(query, -1) for query in queries], dtype=np.intp)
        columns = []
        for name in ("gain", "loss"):
            values = found.column(one, name) + found.column(one, f"{name}_gap")
            values = np.append(np.nan_to_num(values), 0.0)  # the last is that of no place
            columns.append(np.asarray(values[at]))
        return columns[0], columns[1]

    def _run(self, run: str | None) -> int:
        if run is None:
            if len(self.runs) > 1:
                raise UsageError(f"say which run: {', '.join(map(shown, self.runs))}")
            return 0
        if run not in self.runs:
            known = ", ".join(map(shown, self.runs))
            raise UsageError(f"there is no run {run!r}; these were scored: {known}")
        return self.runs.index(run)

    def _measure(self, of: Measure | str | None) -> int:
        known = ", ".join(map(repr, self.measures))
        if of is None:
            if len(self.measures) > 1:
                raise UsageError(f"say which measure: {known}")
            return 0
        wanted = judged_ideal(measure(of))
        if wanted not in self.measures:
            raise UsageError(f"{wanted} was not scored; these were: {known}")
        return self.measures.index(wanted)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {query: place for place, query in enumerate(self.queries)}

    def __getitem__(self, query: str) -> float:
        """The score of a query, for one run and one measure."""
        score = float(self.column()[self._places[query]])
        if np.isnan(score):
            raise KeyError(query)
        return score

    def __iter__(self) -> Iterator[str]:
        return (self.queries[place] for place in np.flatnonzero(self._scored).tolist())

    def __len__(self) -> int:
        return int(np.count_nonzero(self._scored))

    @cached_property
    def _scored(self) -> NDArray[np.bool_]:
        """Which queries any run has a score for."""
        return np.asarray(~np.isnan(self.scores).all(axis=(0, 1)))

    def __repr__(self) -> str:
        means = [
            f"{shown(run)} {one!r}: {self.mean(one, run):.4f}"
            for run in self.runs
            for one in self.measures
        ]
        return f"<Scores of {count(len(self), 'query', 'queries')}; {', '.join(means)}>"


def interval_of_scores(values: Array, changed: int, least: float = -inf) -> Interval | None:
    """The 95 % interval of a mean of scores, or of their differences."""
    if len(values) == 0:
        return None
    return interval_of_mean(values, changed=changed, bounds=(least, inf))


def _known(column: Array) -> Array:
    return column[~np.isnan(column)]


def _mean(values: Array) -> float:
    return total(values) / len(values) if len(values) else float("nan")
