"""Distances between many runs: the mean MED, or rank similarity, of all pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement, product
from os import PathLike
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Options, Settings, with_settings
from medir.base.sums import total, totals
from medir.base.version import __version__
from medir.base.views import view
from medir.base.words import count, rounded
from medir.comparing.columns import VALUE
from medir.comparing.compare import compare
from medir.comparing.comparison import DOCUMENTS
from medir.comparing.differences import Differences
from medir.comparing.explaining.contents import Contents
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.checkpoint import Flags, keeping, saving
from medir.files.identifiers import shown
from medir.files.origins import Fingerprint, Input, fingerprints
from medir.files.paths import refuse_inputs
from medir.files.tables import Table, Target, Written
from medir.inputs.by_query import query_ids
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.qrels import Judgments
from medir.inputs.runs import Source
from medir.inputs.unseen import cut_notes
from medir.measures import Measure, measure
from medir.measures.chosen import Measures, by_intent, deepest, identities, number_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Pair = tuple[int, int]

# The largest gap, to how many values unseen ranks add, how much, and how many pairs have a list
# that ended within reach of the measure: as in `_core.compare_pairs`.
NOTES = 4
GAP, UNSEEN_PAIRS, UNSEEN_ADDED, ENDED_PAIRS = range(NOTES)


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(Written):
    """MED of pairs of runs, by measure, pair and query; or their rank similarity or distance.

    `pairs` are numbers of runs; a run is paired with itself too, and its MED is 0 by definition.
    Where a measure is not symmetric, both orders of two runs are pairs.
    """

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: list[str]
    pairs: tuple[Pair, ...]
    values: Array  # measure x pair x query; NaN where neither run has the query, or without a value
    notes: Array  # measure x note x part of the work, over all pairs of two runs
    settings: Settings
    list_lengths: tuple[_core.ListLengths, ...]  # of each run
    against: str | None = None  # where only pairs with one run were compared
    compared: NDArray[np.bool_] | None = None  # pair x query: a run has it; None: by the values
    contents: Contents = DOCUMENTS  # what results are called
    read: Inputs | None = None  # what was compared, as far as it is known

    def inputs(self) -> Iterator[tuple[str, Input]]:
        """What was read, by the part that it plays."""
        if self.read is not None:
            yield from (("run", run) for run in self.read.runs)
            others = {
                "qrels": self.read.judged,
                "lengths": self.read.lengths,
                "clusters": self.settings.clusters,
            }
            yield from ((role, one) for role, one in others.items() if one is not None)

    def origins(self) -> Iterable[Input | None]:
        """What was read."""
        return (one for _, one in self.inputs())

    @cached_property
    def fingerprints(self) -> list[tuple[str, Input, Fingerprint | None]]:
        """What was read, with size and SHA-256; every file is read again for it, once."""
        known = list(self.inputs())
        found = fingerprints([one for _, one in known])
        return [(role, one, print_) for (role, one), print_ in zip(known, found, strict=True)]

    def choices(self) -> dict[str, Any]:
        """How it was compared, by the names of the arguments."""
        return {"against": self.against, **self.settings.choices()}

    def gap(self, of: Measure | str | None = None) -> float:
        """The most that any value under a measure may be higher: 0 where all are proven."""
        return float(self.notes[self._number(of), GAP].max(initial=0.0))

    def unseen_added(self, of: Measure | str | None = None) -> float:
        """What unseen ranks add to the mean of all pairs of two runs; 0 where that is not known.

        It is known for measures with a cutoff, and for those without decay.
        """
        number = self._number(of)
        return total(self.notes[number, UNSEEN_ADDED]) / max(self._pairs_of_lists(number), 1)

    def unseen_notes(self) -> Iterator[str]:
        """What unseen ranks add, by measure, and how cut lists were told from those that ended."""
        for number, one in enumerate(self.measures):
            lists = int(self.notes[number, UNSEEN_PAIRS].sum())
            if lists:
                where = f"{count(lists, 'pair')} of lists out of {self._pairs_of_lists(number):,}"
                added = self.unseen_added(one)
                adding = f"add {added:.4f} to the mean of" if added else "count in"
                yield f"unseen {self.contents.places} {adding} {one.title}, in {where}"
        yield from self.cut_notes()

    def cut_notes(self) -> Iterator[str]:
        """How cut lists were told from those that ended, where that matters."""
        if self.settings.unseen == "auto" and self.notes[:, ENDED_PAIRS].any():
            looking = [one for one in self.measures if one.looks_below]
            reach = deepest(looking) if self.contents.ranked else None
            yield from cut_notes(self.names, self.list_lengths, self.settings.depth, reach)

    def _pairs_of_lists(self, number: int) -> int:
        """How many pairs of lists of two runs have a value under a measure."""
        two_runs = [i != j for i, j in self.pairs]
        return int(np.count_nonzero(~np.isnan(self.values[number][two_runs])))

    def missing(self, of: Measure | str | None = None) -> int:
        """How many pairs of two runs and a query have no value under a measure."""
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

    def ranked_pairs(self, of: Measure | str | None = None) -> list[tuple[float, int, int]]:
        """Mean and numbers of each pair of two runs, the most alike first."""
        one, means = self.measures[self._number(of)], self.mean(of)
        known = (
            (float(means[i, j]), i, j)
            for i, j in self.pairs
            if i != j and not (i > j and one.symmetric)
        )
        pairs = sorted(pair for pair in known if not math.isnan(pair[0]))
        return pairs[::-1] if one.kind == "similarity" else pairs

    def verdict(self, of: Measure | str | None = None) -> str:
        """How far apart the runs are, in a sentence."""
        one, pairs = self.measures[self._number(of)], self.ranked_pairs(of)
        if not pairs:
            return f"No two runs have a value of {one!r}."
        (least, *near), (most, *far) = pairs[0], pairs[-1]
        if len(pairs) == 1:
            return f"{self._named(near)} have a mean {one.title} of {rounded(least)}."
        return (
            f"The closest runs are {self._named(near)} (mean {one.title} {rounded(least)}), the "
            f"farthest {self._named(far)} ({rounded(most)})."
        )

    def _named(self, pair: Sequence[int]) -> str:
        return " and ".join(shown(self.names[end]) for end in pair)

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
        columns = {**dict.fromkeys(texts, str), "med": float, VALUE: float}
        return Table(columns, self._query_rows() if per_query else self._mean_rows())

    def write(
        self,
        target: Target,
        format: str | None = None,
        per_query: bool = False,
        *,
        spreadsheet: bool = False,
    ) -> None:
        """Writes the rows, unrounded: .csv, .tsv, .jsonl or .parquet.

        With `spreadsheet`, texts of csv and tsv that a spreadsheet could run as formulas begin with
        an apostrophe. An input of this result is refused.
        """
        refuse_inputs(target, self.origins())
        self.table(per_query).write(target, format, spreadsheet=spreadsheet)

    def _mean_rows(self) -> Iterator[tuple[Any, ...]]:
        for i, j, one, _, values in self._compared_pairs():
            start = self.names[i], self.names[j], repr(one)
            yield *start, *_cells(one, float(query_means(values)))

    def _query_rows(self) -> Iterator[tuple[Any, ...]]:
        for i, j, one, pair, values in self._compared_pairs():
            start = self.names[i], self.names[j], repr(one)
            known = ~np.isnan(values) if self.compared is None else self.compared[pair]
            for query in np.flatnonzero(known).tolist():
                yield *start, self.queries[query], *_cells(one, float(values[query]))

    def _compared_pairs(self) -> Iterator[tuple[int, int, Measure, int, Array]]:
        """Both runs, the measure, the number of the pair and its values, of each pair of two."""
        for pair, (i, j) in enumerate(self.pairs):
            for one, values in zip(self.measures, self.values[:, pair], strict=True):
                if i < j or (i > j and not one.symmetric):
                    yield i, j, one, pair, values

    def _means(self, of: Measure | str | None) -> Array:
        return query_means(self.values[self._number(of)])

    def measure(self, of: Measure | str | None = None) -> Measure:
        """A measure that was compared (default: the first)."""
        return self.measures[self._number(of)]

    def plot(
        self,
        of: Measure | str | None = None,
        groups: Mapping[str, str] | None = None,
        kind: str = "heat-map",
        **options: Any,
    ) -> Figure:
        """The runs under a measure (default: the first), as a figure of matplotlib.

        `kind` is a "heat-map" in the order of a tree of clusters, the "tree" alone, or a "map".
        `groups` is `{run: group}`, shown in colours. `theme` is "light" or "dark"; `width` is that
        of a "column", of a "page" or a number of inches; `title=False` leaves the title to a
        caption.
        """
        figure: Figure = view(self, "plot")(self, of, groups, kind, **options)
        return figure

    def map(
        self,
        of: Measure | str | None = None,
        groups: Mapping[str, str] | None = None,
        seed: int = 0,
        **options: Any,
    ) -> Figure:
        """A map under a measure (default: the first), as a figure of matplotlib.

        Runs are as far apart as their distances say, as nearly as can be; the title says how
        nearly. There must be three of them or more. The options are those of `plot`.
        """
        figure: Figure = view(self, "map")(self, of, groups, seed, **options)
        return figure

    def report(self, path: str | PathLike[str], **options: Any) -> None:
        """Writes the distances as one HTML page with a heat map and a map to look through.

        `groups` is `{run: group}` or a CSV file with the columns run and group, and `command` is
        what made the matrix, for those who want to make it again.
        """
        view(self, "report")(self, path, **options)

    def _number(self, of: Measure | str | None) -> int:
        if of is None:
            return 0
        number = number_of(of, self.measures)
        if number is None:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{measure(of)} was not compared; these were: {known}")
        return number

    def __repr__(self) -> str:
        return f"<Matrix of {len(self.names)} runs, {count(len(self.queries), 'query', 'queries')}>"


@with_settings(Options)
def matrix(
    runs: Mapping[str, Source],
    measures: Measures | None = None,
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
    work = Work(inputs, pairs)
    with keeping(checkpoint, work.subject, (work.size,), work.parts) as kept:
        computed = work.compute(kept.values, kept.finished, saving(kept, progress))
    values, *notes = split(computed, work.shape, *work.divided)
    zero_diagonal(values, work.measures, pairs)
    places = [work.measures.index(one) for one in chosen]
    queries = query_ids(work.pool)
    compared = None
    if any(one.kind != "difference" or one["ideal"] == "judged" for one in chosen):
        known = [set(run) for run in inputs.runs]
        has = np.array([[query in some for query in queries] for some in known], dtype=np.bool_)
        compared = np.array([has[i] | has[j] for i, j in pairs])
    return Matrix(
        names,
        tuple(chosen),
        queries,
        pairs,
        values[places],
        np.concatenate(notes, axis=2)[places],
        inputs.settings,
        tuple(inputs.list_lengths),
        against,
        compared,
        read=inputs,
    )


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


def size(shape: tuple[int, int, int], *parts: int) -> int:
    """How many numbers there are: values of measures, pairs and queries, and notes on each part."""
    return math.prod(shape) + shape[0] * NOTES * sum(parts)


def split(numbers: Array, shape: tuple[int, int, int], *parts: int) -> list[Array]:
    """Values by measure, pair and query, then notes by measure and part, for each kind of part."""
    ends = np.cumsum([math.prod(shape), *(shape[0] * NOTES * count for count in parts)])
    values, *notes = np.split(numbers, ends[:-1])
    kinds = zip(notes, parts, strict=True)
    return [values.reshape(shape), *(some.reshape(shape[0], NOTES, n) for some, n in kinds)]


def take_notes(notes: Array, pair: int, result: Differences[Any], known: Any) -> None:
    """Notes what there is to say of a pair of runs, for its `known` queries."""
    for number, one in enumerate(result.measures):
        if one.kind != "difference":
            continue
        gaps, unseen = (result.column(one, name)[known] for name in ("gap", "unseen"))
        adding, added = np.count_nonzero(unseen), total(unseen)
        notes[number, :, pair] = gaps.max(initial=0.0), adding, added, result.ended_queries[number]


def zero_diagonal(values: Array, measures: Sequence[Measure], pairs: Sequence[Pair]) -> None:
    """A run does not differ from itself, whatever is unseen of its lists."""
    same = [i == j for i, j in pairs]
    for one, table in zip(measures, values, strict=True):
        if one.kind == "difference":
            table[same] = np.where(np.isnan(table[same]), np.nan, 0.0)


class Work:
    """What is to be computed, in parts that can be finished one by one.

    Under most measures, all pairs of a query are one part. Under the others, all queries of a pair
    are: these measures come last.
    """

    def __init__(self, inputs: Inputs, pairs: Sequence[Pair]) -> None:
        self.inputs, self.pairs, self.pool = inputs, pairs, inputs.pool()
        self.measures = sorted(inputs.measures, key=is_native, reverse=True)
        self._native = [one for one in self.measures if is_native(one)]
        self._others = self.measures[len(self._native) :]
        self.shape = len(self.measures), len(pairs), len(self.pool)
        self.divided = len(self.pool), len(pairs)
        self.size = size(self.shape, *self.divided)
        self.parts = sum(self.divided)

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
        yield f"{judged is None} {self.pairs} {len(self.pool)} {len(self._native)}"
        yield repr(replace(settings, threads=1))

    def compute(self, numbers: Array, finished: Flags, progress: Watcher | None) -> Array:
        """Fills in the numbers that are not finished."""
        values, by_query, by_pair = split(numbers, self.shape, *self.divided)
        queries, pairs = finished[: len(self.pool)], finished[len(self.pool) :]
        native = len(self._native)
        if self._native:
            self._compare_pairs(values[:native], by_query[:native], queries, progress)
        if self._others:
            self._compare_runs(values[native:], by_pair[native:], pairs, progress)
        return numbers

    def _compare_pairs(
        self, values: Array, notes: Array, finished: Flags, progress: Watcher | None
    ) -> None:
        kernels = self.inputs.kernels(self._native)
        options, lists = self.inputs.options(self._native), self.inputs.judgments

        def work(state: _core.Progress) -> None:
            _core.compare_pairs(
                self.pool, self.pairs, lists, kernels, options, values, notes, finished, state
            )

        watched(work, len(self.pool), progress)

    def _compare_runs(
        self, values: Array, notes: Array, finished: Flags, progress: Watcher | None
    ) -> None:
        queries = query_ids(self.pool)
        places = {query: place for place, query in enumerate(queries)}
        for number, (i, j) in enumerate(self.pairs):
            if not finished[number]:
                settings = replace(self.inputs.settings, missing="empty")
                runs = self.inputs.runs[i], self.inputs.runs[j]
                judged = self.inputs.judged
                result = compare(*runs, self._others, qrels=judged, **settings.options())
                known = [at for at, query in enumerate(result.queries) if query in places]
                here = [places[result.queries[at]] for at in known]
                values[:, number] = np.nan
                for m, one in enumerate(self._others):
                    values[m, number, here] = result.column(one)[known]
                if i != j:
                    take_notes(notes, number, result, known)
                finished[number] = 1
            if progress is not None:
                progress(number + 1, len(self.pairs))


def query_means(values: Array) -> Array:
    """Means over the queries that there are; NaN where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    sums = totals(np.where(known, values, 0.0))
    return np.asarray(np.where(count > 0, sums / np.maximum(count, 1), np.nan))


def _cells(one: Measure, value: float) -> tuple[float | None, float | None]:
    """A value in its column: med, or that of rank similarities."""
    known = None if math.isnan(value) else value
    return (known, None) if one.kind == "difference" else (None, known)


def is_native(one: Measure) -> bool:
    """Whether the pairs of a query are compared together: not for functions."""
    return not one.in_python
