"""Distances between many runs: the mean MED, or rank similarity, of all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, product
from os import PathLike
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Options, Settings, with_settings
from medir.base.version import __version__
from medir.comparing.compare import compare
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.checkpoint import Flags, keeping
from medir.files.tables import Table, Target, Written
from medir.inputs.by_query import query_ids
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.qrels import Judgments
from medir.inputs.runs import Source
from medir.measures import Measure, measure, nDCG
from medir.measures.chosen import Measures, by_intent, identities

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Written):
    """MED of pairs of runs, by measure, pair and query; or their rank similarity or distance.

    `pairs` are numbers of runs; a run is paired with itself too: its lists may be too short for
    their distance to be 0. Where a measure is not symmetric, both orders of two runs are pairs.
    """

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: list[str]
    pairs: tuple[Pair, ...]
    values: Array  # measure x pair x query; NaN where neither run has the query, or without a value
    against: str | None = None  # where only pairs with one run were compared
    gaps: Array | None = None  # measure x query: the largest gap of any pair; None: all are proven
    compared: NDArray[np.bool_] | None = None  # pair x query: a run has it; None: by the values

    def gap(self, of: Measure | str | None = None) -> float:
        """The most that any value under a measure may be higher: 0 where all are proven."""
        return 0.0 if self.gaps is None else float(self.gaps[self._number(of)].max(initial=0.0))

    def missing(self, of: Measure | str | None = None) -> int:
        """How many pairs of two runs and a query have no value of a rank similarity."""
        if self.compared is None:
            return 0
        one = self._number(of)
        both_ways = not self.measures[one].symmetric
        wanted = [i < j or (i > j and both_ways) for i, j in self.pairs]
        return int((np.isnan(self.values[one]) & self.compared)[wanted].sum())

    def mean(self, of: Measure | str | None = None) -> Array:
        """The mean MED over the queries of either run: a square matrix in the order of `names`.

        Where runs were compared against one run only, the other entries are NaN. The matrix is
        symmetric, unless the measure is not: then rows are the first run, the reference.
        """
        square = np.full((len(self.names), len(self.names)), np.nan)
        both_ways = len(set(map(frozenset, self.pairs))) < len(self.pairs)
        for (i, j), value in zip(self.pairs, self._means(of), strict=True):
            square[i, j] = value
            if not both_ways:
                square[j, i] = value
        return square

    def rows(self, per_query: bool = False) -> Iterator[dict[str, Any]]:
        """One row for each pair of two runs and each measure, and for each query if wanted.

        A missing value is None.
        """
        table = self.table(per_query)
        for row in table.rows:
            yield dict(zip(table.columns, row, strict=True))

    def table(self, per_query: bool = False) -> Table:
        """The rows, unrounded."""
        texts = ["run_a", "run_b", "measure", *(["query_id"] if per_query else [])]
        columns = {**dict.fromkeys(texts, str), "med": float}
        return Table(columns, self._query_rows() if per_query else self._mean_rows())

    def write(self, target: Target, format: str | None = None, per_query: bool = False) -> None:
        """Writes the rows, unrounded: .csv, .tsv, .jsonl or .parquet."""
        self.table(per_query).write(target, format)

    def _mean_rows(self) -> Iterator[tuple[str, str, str, float | None]]:
        for start, _, med in self._compared_pairs():
            yield *start, _or_none(float(query_means(med)))

    def _query_rows(self) -> Iterator[tuple[str, str, str, str, float | None]]:
        for start, number, med in self._compared_pairs():
            known = ~np.isnan(med) if self.compared is None else self.compared[number]
            for query in np.flatnonzero(known).tolist():
                yield *start, self.queries[query], _or_none(float(med[query]))

    def _compared_pairs(self) -> Iterator[tuple[tuple[str, str, str], int, Array]]:
        """Runs and measure, number and values of each pair of two runs."""
        for number, (i, j) in enumerate(self.pairs):
            for one, med in zip(self.measures, self.values[:, number], strict=True):
                if i < j or (i > j and not one.symmetric):
                    yield (self.names[i], self.names[j], repr(one)), number, med

    def _means(self, of: Measure | str | None) -> Array:
        return query_means(self.values[self._number(of)])

    def _number(self, of: Measure | str | None) -> int:
        wanted = self.measures[0] if of is None else measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not compared; these were: {known}")
        return self.measures.index(wanted)

    def __repr__(self) -> str:
        return f"<Matrix of {len(self.names)} runs, {len(self.queries)} queries>"


@with_settings(Options)
def matrix(
    runs: Mapping[str, Source],
    measures: Measures = nDCG,
    *,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    against: str | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Matrix:
    """The mean MED of all pairs of runs, or their mean rank similarity or distance.

    `runs` are named sources as for `compare`; every run is read once. With `against`, the name of a
    run, only pairs with this run are compared. `missing="skip"` leaves out queries that some run
    does not have. `checkpoint` names a file that keeps what is computed: after an interruption, the
    same call goes on from there. It stays until you remove it. `progress` is called with the
    queries done and to do.

    >>> runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}, "three": {"q": ["a", "c"]}}
    >>> matrix(runs, "P@1").mean().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    settings = Settings(**options)
    check_names(runs, against)
    inputs = Inputs.read(runs, measures, settings, qrels=qrels, lengths=lengths)
    names, chosen = tuple(runs), inputs.measures
    pairs = pairs_of(names, against, both_ways=not all(one.symmetric for one in chosen))
    work = _Work(inputs, pairs)
    with keeping(checkpoint, work.subject, (work.size,), work.parts) as kept:

        def watch(done: int, total: int) -> None:
            kept.save_now_and_then()
            if progress is not None:
                progress(done, total)

        computed = work.compute(kept.values, kept.finished, watch).copy()
    values, gaps = work.split(computed)
    places = [work.measures.index(one) for one in chosen]
    queries = query_ids(work.pool)
    found = values[places], against, gaps[places]
    if all(one.kind == "difference" for one in chosen):
        return Matrix(names, tuple(chosen), queries, pairs, *found)
    has = np.array([[query in known for query in queries] for known in map(set, inputs.runs)])
    compared = np.array([has[i] | has[j] for i, j in pairs])
    return Matrix(names, tuple(chosen), queries, pairs, *found, compared)


def check_names(runs: Mapping[str, Any], against: str | None) -> None:
    """Raises an error where there are too few runs, or no such run to compare with."""
    if len(runs) < 2:
        raise UsageError("a matrix needs two runs or more")
    if against is not None and against not in runs:
        raise UsageError(f"there is no run {against!r} among {', '.join(runs)}")


def pairs_of(names: Sequence[str], against: str | None, both_ways: bool) -> tuple[Pair, ...]:
    """The pairs of runs to compare: all, or those with one run; a run with itself, too."""
    numbers = range(len(names))
    every = product(numbers, repeat=2) if both_ways else combinations_with_replacement(numbers, 2)
    return tuple((i, j) for i, j in every if against is None or against in (names[i], names[j]))


class _Work:
    """What is to be computed, in parts that can be finished one by one.

    Under most measures, all pairs of a query are one part. Under the others, all queries of a pair
    are: these measures come last.
    """

    def __init__(self, inputs: Inputs, pairs: Sequence[Pair]) -> None:
        self.inputs, self.pairs, self.pool = inputs, pairs, inputs.pool()
        self.measures = sorted(inputs.measures, key=_is_native, reverse=True)
        self._native = [one for one in self.measures if _is_native(one)]
        self._others = self.measures[len(self._native) :]
        self.shape = len(self.measures), len(pairs), len(self.pool)
        self.size = len(self.measures) * (len(pairs) + 1) * len(self.pool)  # values and gaps
        self.parts = len(self.pool) + len(pairs)

    @property
    def subject(self) -> Iterator[str]:
        """All that the values depend on."""
        judged, lengths, settings = self.inputs.judged, self.inputs.lengths, self.inputs.settings
        yield __version__
        yield from identities(self.measures)
        for run in self.inputs.runs:
            yield run.digest(settings.workers)
        if judged is not None:
            yield judged.digest(settings.workers, intents=by_intent(self.measures))
        if lengths is not None:
            yield f"{lengths.digest:x} {lengths.default}"
        yield f"{judged is None} {self.pairs} {len(self.pool)}"
        yield repr(replace(settings, threads=1))

    def split(self, numbers: Array) -> tuple[Array, Array]:
        """Values by measure, pair and query, and gaps by measure and query."""
        measures, pairs, queries = self.shape
        values, gaps = np.split(numbers, [measures * pairs * queries])
        return values.reshape(self.shape), gaps.reshape(measures, queries)

    def compute(self, numbers: Array, finished: Flags, progress: Watcher | None) -> Array:
        """Fills in the numbers that are not finished."""
        values, gaps = self.split(numbers)
        queries, pairs = finished[: len(self.pool)], finished[len(self.pool) :]
        count = len(self._native)
        if self._native:
            self._compare_pairs(values[:count], gaps[:count], queries, progress)
        if self._others:
            self._compare_runs(values[count:], gaps[count:], pairs, progress)
        return numbers

    def _compare_pairs(
        self, values: Array, gaps: Array, finished: Flags, progress: Watcher | None
    ) -> None:
        kernels = self.inputs.kernels(self._native)
        options, lists = self.inputs.options(self.measures), self.inputs.judgments

        def work(state: _core.Progress) -> None:
            _core.compare_pairs(
                self.pool, self.pairs, lists, kernels, options, values, gaps, finished, state
            )

        watched(work, len(self.pool), progress)

    def _compare_runs(
        self, values: Array, gaps: Array, finished: Flags, progress: Watcher | None
    ) -> None:
        queries = query_ids(self.pool)
        places = {query: place for place, query in enumerate(queries)}
        for number, (i, j) in enumerate(self.pairs):
            if not finished[number]:
                settings = replace(self.inputs.settings, missing="empty")
                runs = self.inputs.runs[i], self.inputs.runs[j]
                judged = self.inputs.judged
                result = compare(*runs, self._others, qrels=judged, **settings.options())
                known = [i for i, query in enumerate(result.queries) if query in places]
                here = [places[result.queries[i]] for i in known]
                values[:, number] = np.nan
                for m, one in enumerate(self._others):
                    values[m, number, here] = result.column(one)[known]
                    gaps[m, here] = np.maximum(gaps[m, here], result.column(one, "gap")[known])
                finished[number] = 1
            if progress is not None:
                progress(number + 1, len(self.pairs))


def query_means(values: Array) -> Array:
    """Means over the queries that there are; NaN where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else value


def _is_native(one: Measure) -> bool:
    """Whether the pairs of a query are compared together: not for intents and functions."""
    return not one.in_python and not one.shape.by_intent
