"""What two runs differ in, by query and measure, whatever they hold."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Settings
from medir.base.views import view
from medir.base.words import count
from medir.comparing.columns import CHANGES, COLUMNS, GAP, VALUE, gap_of
from medir.comparing.decision import statistics
from medir.comparing.decision.sample import EVERY_QUERY, Sample, Segments
from medir.comparing.decision.summary import Summary
from medir.comparing.decision.verdict import Case, verdict
from medir.errors import MissingQueryError, UsageError
from medir.files.background import Background
from medir.files.identifiers import shown, text_of
from medir.files.origins import Fingerprint, Input, fingerprints, name_and_format
from medir.files.tables import Written
from medir.inputs.by_query import query_ids
from medir.inputs.unseen import cut_notes
from medir.measures import Measure, measure
from medir.measures.chosen import deepest, number_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from medir.comparing.explaining.contents import Contents, Ranking
    from medir.comparing.explaining.witnesses import Recorder
    from medir.comparing.exposure import Exposures
    from medir.files.tables import Table
    from medir.inputs.passages import Passages
    from medir.inputs.runs import Run

R = TypeVar("R", bound="Run | Passages")

MANY = 100_000  # queries, which are summarised by several threads
NAMED = 5  # queries beyond a limit
SMALLEST = 1e-5  # the GMAP transformation takes no logarithm of less, as trec_eval


class Row(NamedTuple):
    """The value of one query under one measure: see `medir.comparing.columns.MEANINGS`."""

    query_id: str
    measure: Measure
    med: float
    gain: float
    loss: float
    lower: float
    gap: float
    gain_gap: float
    loss_gap: float
    unseen: float
    value: float


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Differences(Written, Generic[R]):
    """What two runs differ in, by query and measure, whatever they hold."""

    pairing: _core.Pairing
    measures: Sequence[Measure]
    values: Array  # measure x column x query
    changes: NDArray[np.uint32]  # measure x (entered, left, moved) x query
    runs: tuple[R, R]
    settings: Settings
    list_lengths: tuple[_core.ListLengths, _core.ListLengths]  # of each run
    unseen_queries: Sequence[int]  # by measure: queries with unseen ranks within its reach
    ended_queries: Sequence[int]  # by measure: queries with a list that ended within its reach
    without_relevant: int  # queries without a relevant judgment
    sample: Sample = EVERY_QUERY  # weights and segments of the queries
    noise: Self | None = None  # the run before against a second run of the same system

    def __len__(self) -> int:
        return len(self.pairing)

    @property
    def cut(self) -> int | None:
        """Where lists were cut."""
        return self.settings.depth

    @property
    def names(self) -> tuple[str, str]:
        """Where the two runs come from."""
        return self.runs[0].name, self.runs[1].name

    @cached_property
    def queries(self) -> list[str]:
        """The query ids: those of the first run in its order, then those of the second alone."""
        return query_ids(self.pairing)

    def position(self, query: str) -> int:
        """Where a query stands in `queries`."""
        if query not in self._positions:
            raise MissingQueryError(query)
        return self._positions[query]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {query: position for position, query in enumerate(self.queries)}

    @cached_property
    def sides(self) -> NDArray[np.uint8]:
        """Which runs have each query: 0 both, 1 only the first, 2 only the second."""
        sides = np.empty(len(self.pairing), dtype=np.uint8)
        self.pairing.sides(sides)
        return sides

    @property
    def only_before(self) -> int:
        """How many queries only the first run has."""
        return self.pairing.only_before

    @property
    def only_after(self) -> int:
        """How many queries only the second run has."""
        return self.pairing.only_after

    @property
    def unchanged(self) -> int:
        """How many queries have the same lists, as far as the first measure looks."""
        return int(np.count_nonzero(~self.changed()))

    @property
    def unproven(self) -> int:
        """How many values have a gap."""
        return int(np.count_nonzero(self.values[:, GAP]))

    @property
    @abstractmethod
    def contents(self) -> Contents:
        """What results are called."""

    @property
    @abstractmethod
    def is_judged(self) -> bool:
        """Whether any relevance is known."""

    @abstractmethod
    def notes(self) -> Iterator[str]:
        """What is particular about this comparison, in sentences."""

    @abstractmethod
    def lengths_at(self, position: int) -> tuple[int, int]:
        """How many results the query at a position has before and after."""

    def marks(self, position: int, of: Measure | str | None = None) -> list[str]:
        """What is particular about a query under a measure, in a few words each."""
        number = self._number(of)
        marks = []
        if self.sides[position]:
            marks.append("only before" if self.sides[position] == 1 else "only after")
        else:
            marks += self._short(self.lengths_at(position), self.measures[number].reach)
        unseen = float(self.values[number, COLUMNS.index("unseen"), position])
        if self.measures[number].kind == "difference" and abs(unseen) >= 5e-5:
            marks.append(f"unseen {unseen:.2f}" if unseen >= 0.005 else "unseen <0.01")
        return marks

    def _short(self, lengths: tuple[int, int], reach: int | None) -> Iterator[str]:
        before, after = lengths
        if min(before, after) == 0 < max(before, after):
            yield f"no results {'after' if after == 0 else 'before'}"
        elif self.contents.ranked and reach is not None and min(before, after) < reach:
            results = count(after, "result")
            yield results if before == after else f"{before:,}→{results}"

    def grade_values(self, of: Measure | str | None = None) -> list[float] | None:
        """The relevance value of each grade; None for a measure that knows relevant and not."""
        return None

    @abstractmethod
    def ranking(self, position: int) -> Ranking:
        """The two lists of the query at a position, and its values taken apart."""

    def record(self, recorder: Recorder) -> None:  # most have no kernel for it
        """Hands over the lists of all queries, where the kernels write them."""

    def exposures(self) -> Exposures | None:
        """How documents gain and lose exposure by the first measure; None where they have none."""
        return None

    def inputs(self) -> Iterator[tuple[str, Input]]:
        """What was read, by the part that it plays."""
        yield "before", self.runs[0]
        yield "after", self.runs[1]
        if self.noise is not None:
            yield "noise", self.noise.runs[1]
        if self.sample.table is not None:
            yield "queries", self.sample.table

    def origins(self) -> Iterable[Input | None]:
        """What was read."""
        return (one for _, one in self.inputs())

    @cached_property
    def fingerprints(self) -> list[tuple[str, Input, Fingerprint | None]]:
        """What was read, with size and SHA-256; every file is read again for it, once."""
        roles, inputs = zip(*self.inputs(), strict=True)
        return list(zip(roles, inputs, fingerprints(inputs), strict=True))

    def choices(self) -> dict[str, Any]:
        """How it was compared, by the names of the arguments."""
        return self.sample.choices()

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        total = len(self)
        yield "Before", name_and_format(self.runs[0])
        yield "After", name_and_format(self.runs[1])
        yield "Measures", ", ".join(map(repr, self.measures))
        yield "Queries", f"{total:,}"
        if unchanged := self.unchanged:
            yield "Unchanged", f"{unchanged:,} ({unchanged / total:.1%})"
        if self.only_before or self.only_after:
            yield "In one run only", f"{self.only_before:,} before, {self.only_after:,} after"

    def unseen_notes(self) -> Iterator[str]:
        """What unseen ranks add, by measure, and how cut lists were told from those that ended."""
        for one, queries in zip(self.measures, self.unseen_queries, strict=True):
            summary = self.summary(one)
            if queries and one.kind == "difference" and summary.weight:
                yield (
                    f"unseen {self.contents.places} add {summary.unseen:.4f} to the mean of "
                    f"{one.title}, in "
                    f"{count(queries, 'query', 'queries')}"
                )
        if self.settings.unseen == "auto" and any(self.ended_queries):
            looking = [one for one in self.measures if one.looks_below]
            reach = deepest(looking) if self.contents.ranked else None
            yield from cut_notes(self.names, self.list_lengths, self.settings.depth, reach)

    def only(self, measures: Sequence[Measure | str]) -> Self:
        """The comparison under some of its measures."""
        if not measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"add a measure of effectiveness, such as nDCG@20, to {known}")
        numbers = [self._number(one) for one in measures]
        chosen = [self.measures[number] for number in numbers]
        return replace(
            self,
            measures=chosen,
            values=self.values[numbers],
            changes=self.changes[numbers],
            unseen_queries=[self.unseen_queries[number] for number in numbers],
            ended_queries=[self.ended_queries[number] for number in numbers],
        )

    def column(self, of: Measure | str | None = None, name: str | None = None) -> Array:
        """One column in the order of `queries`: by default med, or value for a rank similarity."""
        number = self._number(of)
        columns = COLUMNS if self.measures[number].kind == "difference" else (VALUE,)
        if name is not None and name not in columns:
            known = f"a column of {self.measures[number]!r} is one of {', '.join(columns)}"
            raise UsageError(f"{known}, not {name!r}")
        return np.asarray(self.values[number, 0 if name is None else columns.index(name)])

    def change(self, name: str, of: Measure | str | None = None) -> NDArray[np.uint32]:
        """How many results of each query entered, left or moved, as far as a measure looks."""
        if name not in CHANGES:
            raise UsageError(f"a change is one of {', '.join(CHANGES)}, not {name!r}")
        return np.asarray(self.changes[self._number(of), CHANGES.index(name)])

    def changed(self, of: Measure | str | None = None) -> NDArray[np.bool_]:
        """Whether the lists of each query differ, as far as a measure looks."""
        return np.asarray(self._changed[self._number(of)])

    def mean(self, how: Literal["arithmetic", "geometric"] = "arithmetic") -> dict[Measure, float]:
        """The mean of med over all queries that have a value and a weight; NaN if there are none.

        `geometric` is the GMAP transformation: exp of the mean of log(max(med, 0.00001)).
        """
        if how not in ("arithmetic", "geometric"):
            raise UsageError(f"how is arithmetic or geometric, not {how!r}")
        if how == "geometric" and any(one.kind != "difference" for one in self.measures):
            raise UsageError("the geometric mean is for MED only; leave out rank similarities")
        return {one: self._mean(one, how) for one in self.measures}

    def _mean(self, one: Measure, how: str) -> float:
        summary = self.summary(one)
        if summary.weight == 0:
            return float("nan")
        if how == "arithmetic":
            return summary.mean()
        logarithms = np.log(np.maximum(summary.column(), SMALLEST))
        return float(np.exp(statistics.mean(logarithms, summary.counted)))

    def summary(self, of: Measure | str | None = None, segment: str | None = None) -> Summary:
        """What the values of all queries, or of a segment, say together (default: first measure).

        Means, shares and percentiles are weighted where queries have weights.
        """
        key = self._number(of), segment
        if key not in self._summaries:
            group = None if segment is None else self._segments.of(segment)
            self._summaries[key] = self._summary(key[0], group)
        return self._summaries[key]

    @cached_property
    def _summaries(self) -> dict[tuple[int, str | None], Summary]:
        return {}

    def _summary(self, number: int, group: NDArray[np.intp] | None) -> Summary:
        one, changed = self.measures[number], self._changed[number]
        return Summary(one, self.values[number], changed, self.sample.weights, group)

    def _common(self, number: int) -> Summary:
        """The summary of the queries that both runs have."""
        return self._summary(number, np.flatnonzero(self.sides == 0))

    @cached_property
    def _changed(self) -> NDArray[np.bool_]:
        return np.asarray(self.changes.any(axis=1))

    @property
    def _segments(self) -> Segments:
        if self.sample.segments is None:
            raise UsageError("queries have no segments: name a column of their table with --by")
        return self.sample.segments

    def segments(self, of: Measure | str | None = None) -> dict[str, Summary]:
        """The summary of each segment, in the order of their labels; none without segments."""
        if self.sample.segments is None:
            return {}
        return {label: self.summary(of, label) for label in self.sample.segments.labels}

    def summarise(self) -> None:
        """Computes what summaries of many queries show: segments beside the whole."""
        if len(self) <= MANY:
            return
        beside = Background(self._summarise_segments)
        for one in self.measures:
            self.verdict(one)
            _computed(self.summary(one))
        beside.wait()

    def _summarise_segments(self) -> None:
        for one in self.measures:
            for segment in self.segments(one).values():
                _computed(segment)

    def segments_at(self, positions: Sequence[int]) -> list[int | None]:
        """The segment of the queries at some positions, by number; None without segments."""
        segments = self.sample.segments
        return [None if segments is None else int(segments.codes[at]) for at in positions]

    def verdict(self, of: Measure | str | None = None) -> list[str]:
        """What changed and what it could cost, in one to three sentences (default: first measure).

        Without judgments: how many queries changed, and by how much they could move. With
        judgments: between which bounds the mean changes, and how many queries can only win or lose.
        """
        number, common = self._number(of), None
        alone = (0, 0) if self.settings.missing == "skip" else (self.only_before, self.only_after)
        if any(alone):
            common = self._common(number)
        summary = self.summary(of)
        unseen = self.unseen_queries[number]
        places = self.contents.places
        return verdict(Case(summary, self.is_judged, *alone, common, places, unseen))

    def __str__(self) -> str:
        before, after = map(shown, self.names)
        lines = [*self.verdict(), f"{before} -> {after}, {', '.join(map(repr, self.measures))}"]
        return "\n".join(lines)

    def top(self, n: int = 10, of: Measure | str | None = None) -> list[Row]:
        """The `n` changed queries that are most affected, most first; ties in order of `queries`.

        These have the largest med, the least rank similarity or the largest rank distance.
        """
        return [self.row(i, of) for i in self.most_affected(n, of)]

    def most_affected(self, n: int, of: Measure | str | None = None) -> list[int]:
        """The positions of the `n` changed queries that are most affected, most first."""
        one = self.measures[self._number(of)]
        changed, greatest = self.changed(one), one.kind != "similarity"
        return _core.furthest(self.column(one), changed, max(n, 0), greatest)

    def beyond(
        self, limit: float, of: Measure | str, name: str, *, above: bool, segment: str | None
    ) -> tuple[int, list[tuple[str, float]]]:
        """How many queries, of a segment, are beyond a limit; and the first of them, by far.

        What is not proven counts with its gap.
        """
        one = self.measures[self._number(of)]
        values = self.column(one, name if one.kind == "difference" else None)
        if one.kind == "difference":
            values = values + self.column(one, gap_of(name))
        beyond = values > limit if above else values < limit
        if segment is not None:
            inside = np.zeros_like(beyond)
            inside[self._segments.of(segment)] = True
            beyond &= inside
        order = np.argsort(-values[beyond] if above else values[beyond], kind="stable")
        first = np.flatnonzero(beyond)[order][:NAMED].tolist()
        named = [(text_of(self.pairing.query(i)), float(values[i])) for i in first]
        return int(np.count_nonzero(beyond)), named

    def row(self, position: int, of: Measure | str | None = None) -> Row:
        """The row of one query under one measure (default: the first)."""
        number = self._number(of)
        values = self.values[number, :, position].tolist()
        value = math.nan
        if self.measures[number].kind != "difference":
            value, values = values[0], [math.nan] * len(values)
        return Row(text_of(self.pairing.query(position)), self.measures[number], *[*values, value])

    def __iter__(self) -> Iterator[Row]:
        """Every row: queries in order, the measures of a query together."""
        for position in range(len(self)):
            for one in self.measures:
                yield self.row(position, one)

    def table(self) -> Table:
        """Every row, unrounded."""
        from medir.comparing.table import ComparedTable

        return ComparedTable(
            self.pairing,
            self.measures,
            self.values,
            self.changes,
            self.sample.rows(self.pairing),
            self.settings.workers,
        )

    def sides_of(self, of: Measure | str) -> tuple[Array, Array, NDArray[np.int64]]:
        """Gains and losses of the queries that have them, and for how many queries each stands."""
        gain, loss = self.column(of, "gain"), self.column(of, "loss")
        known = ~np.isnan(gain)
        return gain[known], loss[known], np.ones(np.count_nonzero(known), dtype=np.int64)

    @property
    def has_every_row(self) -> bool:
        """Whether the rows of all queries are here."""
        return True

    def plot(
        self, of: Measure | str | None = None, kind: str = "overview", **options: Any
    ) -> Figure:
        """The comparison under one measure (default: the first), as a figure of matplotlib.

        `kind` is what is drawn: the "distribution" of MED, "gain-loss" (one against the other, a
        query is a point), both as an "overview", the "changes" that each query could undergo, or
        MED by "segments". `theme` is "light" or "dark"; `width` is that of a "column", of a "page"
        or a number of inches; `title=False` leaves the title to a caption.
        """
        figure: Figure = view(self, "plot")(self, of, kind, **options)
        return figure

    def report(self, path: str | PathLike[str], **options: Any) -> None:
        """Writes the comparison as one HTML page, or as a folder where the path ends in a slash.

        `medir.write_report` has the options.
        """
        view(self, "report")(self, path, **options)

    def _number(self, of: Measure | str | None) -> int:
        """The number of a measure (default: the first)."""
        if of is None:
            return 0
        number = number_of(of, self.measures)
        if number is None:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{measure(of)} was not compared; these were: {known}")
        return number

    def __repr__(self) -> str:
        means = ", ".join(f"{name}: {value:.4f}" for name, value in self.mean().items())
        kind = type(self).__name__
        queries = count(len(self), "query", "queries")
        return f"<{kind} of {self.names[0]} and {self.names[1]}: {queries}; {means}>"


def _computed(summary: Summary) -> None:
    """What is asked for later is kept by a summary."""
    _ = summary.med, summary.interval, summary.changed
