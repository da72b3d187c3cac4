"""What `compare` returns: a value for each query and measure."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Settings
from medir.comparing.columns import CHANGES, COLUMNS, GAP
from medir.comparing.contents import Contents, Ranking
from medir.comparing.explain import Explainer
from medir.comparing.explanation import Explanation
from medir.comparing.exposure import Exposures, expose, has_exposure
from medir.comparing.inputs import Inputs
from medir.comparing.table import ComparedTable
from medir.errors import MissingQueryError, UsageError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.files.tables import Table, Written
from medir.inputs.by_query import query_ids
from medir.inputs.lengths import Lengths
from medir.inputs.pairing import lists_of
from medir.inputs.passages import Passages
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run
from medir.measures import Measure, effectiveness, measure
from medir.measures.chosen import native_options
from medir.measures.relevance import max_grade_note

R = TypeVar("R", bound="Run | Passages")

DOCUMENTS = Contents(
    item="document",
    items="documents",
    part="document",
    places="ranks",
    relevant="documents",
    changed="results",
    changes="results that are new, gone, or at another rank",
    explainer="medir explain",
)
SMALLEST = 1e-5  # the GMAP transformation takes no logarithm of less, as trec_eval


class Row(NamedTuple):
    """The value of one query under one measure.

    `gain` is the most that the change could win, `loss` the most that it could cost, `med` the
    larger of the two; `lower` is what med cannot fall below once both lists are known to full
    depth; `gap` is 0 where gain and loss are proven, else the most that either may be higher.
    Under a rank similarity or distance, `med` is its value, NaN where there is none, and gain, loss
    and lower are NaN.
    """

    query_id: str
    measure: Measure
    med: float
    gain: float
    loss: float
    lower: float
    gap: float


class Summary(NamedTuple):
    """The distribution of med, or of a rank similarity, over the queries that have a value."""

    mean: float
    median: float
    p95: float
    maximum: float
    p05: float
    minimum: float
    missing: int  # queries without a value


@dataclass(frozen=True, eq=False, repr=False)
class Differences(Written, Generic[R]):
    """What two runs differ in, by query and measure, whatever they hold."""

    pairing: _core.Pairing
    measures: Sequence[Measure]
    values: Array  # measure x column x query
    changes: NDArray[np.uint32]  # entered, left, moved x query
    runs: tuple[R, R]
    settings: Settings
    short: int  # queries with a list that ends above `depth`
    depth: int | None  # the deepest place that was looked at; None where there is no such place
    without_relevant: int  # queries without a relevant judgment

    def __len__(self) -> int:
        return len(self.pairing)

    @property
    def complete(self) -> bool:
        """Whether the lists end where they end: no unseen ranks count."""
        return self.settings.unseen == "nothing"

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

    @property
    def only_before(self) -> int:
        """How many queries only the first run has."""
        return self.pairing.only_before

    @property
    def only_after(self) -> int:
        """How many queries only the second run has."""
        return self.pairing.only_after

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
    def ranking(self, position: int) -> Ranking:
        """The two lists of the query at a position, and its values taken apart."""

    def exposures(self) -> Exposures | None:
        """How documents gain and lose exposure by the first measure; None where they have none."""
        return None

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        total = len(self)
        yield "Before", shown(self.names[0])
        yield "After", shown(self.names[1])
        yield "Measures", ", ".join(map(repr, self.measures))
        yield "Queries", f"{total:,}"
        yield "Unchanged", f"{self.unchanged:,} ({self.unchanged / total:.1%})"
        if self.only_before or self.only_after:
            yield "In one run only", f"{self.only_before:,} before, {self.only_after:,} after"

    def only(self, measures: Sequence[Measure | str]) -> Self:
        """The comparison under some of its measures."""
        if not measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"add a measure of effectiveness, such as nDCG@20, to {known}")
        numbers = [self._number(one) for one in measures]
        chosen = [self.measures[number] for number in numbers]
        return replace(self, measures=chosen, values=self.values[numbers])

    def column(self, of: Measure | str, name: str = "med") -> Array:
        """One column, such as med or gain, in the order of `queries`."""
        if name not in COLUMNS:
            raise UsageError(f"a column is one of {', '.join(COLUMNS)}, not {name!r}")
        return np.asarray(self.values[self._number(of), COLUMNS.index(name)])

    def change(self, name: str) -> NDArray[np.uint32]:
        """How many results of each query entered, left or moved, as far as any measure looks."""
        if name not in CHANGES:
            raise UsageError(f"a change is one of {', '.join(CHANGES)}, not {name!r}")
        return np.asarray(self.changes[CHANGES.index(name)])

    @property
    def unchanged(self) -> int:
        """How many queries have the same results in the same order."""
        return int(np.count_nonzero(~self.changes.any(axis=0)))

    def mean(self, how: Literal["arithmetic", "geometric"] = "arithmetic") -> dict[Measure, float]:
        """The mean of med over all queries that have a value.

        `geometric` is the GMAP transformation: exp of the mean of log(max(med, 0.00001)).
        """
        if how not in ("arithmetic", "geometric"):
            raise UsageError(f"how is arithmetic or geometric, not {how!r}")
        if how == "geometric" and any(one.kind != "difference" for one in self.measures):
            raise UsageError("the geometric mean is for MED only; leave out rank similarities")
        means = {}
        for one in self.measures:
            med = self._known(one)
            if len(med) == 0:
                means[one] = float("nan")
            elif how == "geometric":
                means[one] = float(np.exp(np.mean(np.log(np.maximum(med, SMALLEST)))))
            else:
                means[one] = float(np.mean(med))
        return means

    def summary(self, of: Measure | str) -> Summary:
        """Mean, median, percentiles and extremes of med."""
        med = self._known(of)
        missing = len(self) - len(med)
        if len(med) == 0:
            nan = float("nan")
            return Summary(nan, nan, nan, nan, nan, nan, missing)
        p05, median, p95 = np.quantile(med, [0.05, 0.5, 0.95]).tolist()
        extremes = float(np.max(med)), float(np.min(med))
        return Summary(float(np.mean(med)), median, p95, extremes[0], p05, extremes[1], missing)

    def _known(self, of: Measure | str) -> Array:
        """The values that there are: a rank similarity may have none."""
        med = self.column(of)
        return med if measure(of).kind == "difference" else med[~np.isnan(med)]

    def top(self, n: int, of: Measure | str | None = None) -> list[Row]:
        """The `n` queries that are most affected, most first; ties in the order of `queries`.

        These have the largest med, the least rank similarity or the largest rank distance.
        """
        return [self.row(i, of) for i in self.most_affected(n, of)]

    def most_affected(self, n: int, of: Measure | str | None = None) -> list[int]:
        """The positions of the `n` queries that are most affected, most first."""
        one = measure(self.measures[0] if of is None else of)
        apart = -self.column(one) if one.kind == "similarity" else self.column(one)
        if one.kind != "difference":
            apart = np.where(np.isnan(apart), -np.inf, apart)
            n = min(n, int(np.count_nonzero(np.isfinite(apart))))
        n = min(n, len(apart))
        if n <= 0:
            return []
        threshold = np.partition(apart, len(apart) - n)[len(apart) - n]
        candidates = np.flatnonzero(apart >= threshold)
        ordered = candidates[np.argsort(-apart[candidates], kind="stable")]
        return [int(i) for i in ordered[:n]]

    def row(self, position: int, of: Measure | str | None = None) -> Row:
        """The row of one query under one measure (default: the first)."""
        number = 0 if of is None else self._number(of)
        values = self.values[number, :, position].tolist()
        return Row(text_of(self.pairing.query(position)), self.measures[number], *values)

    def __iter__(self) -> Iterator[Row]:
        """Every row: queries in order, the measures of a query together."""
        for position in range(len(self)):
            for one in self.measures:
                yield self.row(position, one)

    def table(self) -> Table:
        """Every row, unrounded."""
        names = [repr(one) for one in self.measures]
        return ComparedTable(self.pairing, names, self.values, self.settings.workers)

    def _number(self, of: Measure | str) -> int:
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not compared; these were: {known}")
        return list(self.measures).index(wanted)

    def __repr__(self) -> str:
        means = ", ".join(f"{name}: {value:.4f}" for name, value in self.mean().items())
        kind = type(self).__name__
        return f"<{kind} of {self.names[0]} and {self.names[1]}: {len(self)} queries; {means}>"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Differences[Run]):
    """The comparison of two runs of ranked documents."""

    judged: Qrels | None
    repeats: int  # results dropped as duplicates of a higher-ranked document
    lengths: Lengths | None = None  # of documents, for measures of time
    without_length: int = 0  # documents that got the default length

    @property
    def contents(self) -> Contents:
        """What results are called: documents."""
        return DOCUMENTS

    @property
    def is_judged(self) -> bool:
        """Whether any relevance is known."""
        return self.judged is not None

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        yield from super().facts()
        if self.judged is None:
            yield "Judgments", "none"
        else:
            without = self.without_relevant
            relevant = f"; {without:,} queries without a relevant one" if without else ""
            yield "Judgments", f"{shown(self.judged.name)}{relevant}"
        yield "Grades", max_grade_note(self.measures, self.judged)
        if self.lengths is not None:
            default = f"; {self.without_length:,} took the default" if self.without_length else ""
            yield "Lengths", f"{shown(self.lengths.name)}{default}"
        if self.cut is not None:
            yield "Depth", f"lists cut at {self.cut:,}"
        if self.complete:
            yield "Below the lists", "nothing: they are complete"
        elif self.short:
            yield "Below the lists", f"{self.short:,} queries with a list shorter than {self.depth}"
        if self.repeats:
            yield "Dropped", f"{self.repeats:,} duplicates of higher-ranked documents"
        if self.unproven:
            yield "Not proven", f"{self.unproven:,} values: see gap"

    def notes(self) -> Iterator[str]:
        """What is particular about this comparison, in sentences."""
        graded = any(
            measure["gains"] in ("exp", "linear") or measure["relevance"] == "graded"
            for measure in self.measures
        )
        if graded or self.judged is not None:
            yield max_grade_note(self.measures, self.judged)
        if self.repeats:
            yield f"{self.repeats:,} results dropped: duplicates of a higher-ranked document"
        if self.without_length:
            yield f"{self.without_length:,} documents without a length got --default-length"
        if self.judged is not None and self.without_relevant:
            yield f"{self.without_relevant:,} queries without a relevant judgment"
        if self.unproven:
            yield f"{self.unproven:,} values are not proven: see gap, or raise --effort"
        if self.short and not self.complete:
            yield (
                f"{self.short:,} queries with a list shorter than {self.depth}: "
                "unseen ranks count too; pass --unseen nothing if the lists end there"
            )

    def exposures(self) -> Exposures | None:
        """How documents gain and lose exposure by the first measure; None where it has decay."""
        if not has_exposure(self.measures[0]):
            return None
        return expose(self.pairing, self.runs, self.measures[0], self.settings)

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        """The documents of a query before and after, as they were compared.

        A duplicate counts at its higher rank; lists are cut after duplicates are removed.
        """
        position = self.pairing.find(bytes_of(query, "query", ""))
        if position is None:
            return [], []
        settings = Settings(depth=self.cut, duplicates="first", threads=1)
        found = _core.query(self.pairing, position, None, [], native_options(settings, []))
        before, after = ([text_of(document) for document in some] for some in lists_of(found))
        return before, after

    def explain(self, query: str, of: Measure | str | None = None) -> Explanation:
        """The value of one query, taken apart: what each document adds to it."""
        return self.explain_at(self.position(query), of)

    def explain_at(self, position: int, of: Measure | str | None = None) -> Explanation:
        """The value of the query at a position, taken apart."""
        measure = effectiveness(self.measures[0 if of is None else self._number(of)])
        return self._explainer([measure])(position)[0]

    def ranking(self, position: int) -> Ranking:
        """The two lists of the query at a position, and its values taken apart."""
        whys = self._explain_all(position)
        before: dict[int | None, str] = {}
        after: dict[int | None, str] = {}
        grades: dict[str, int | None] = {}
        for why in whys:
            one = why.evidence
            before.update(zip(one.before, one.document, strict=True))
            after.update(zip(one.after, one.document, strict=True))
            grades.update(zip(one.document, one.grade, strict=True))
        known = {document: grade for document, grade in grades.items() if grade is not None}
        return Ranking(whys[0].query, _in_order(before), _in_order(after), known, whys)

    @cached_property
    def _explain_all(self) -> Explainer:
        return self._explainer(self.measures)

    def _explainer(self, measures: Sequence[Measure]) -> Explainer:
        timed = any(one.shape.needs_lengths for one in measures)
        # Where duplicates are an error, there are none.
        settings = replace(self.settings, duplicates="first", threads=1)
        lengths = self.lengths if timed else None
        inputs = Inputs(measures, self.runs, self.judged, lengths, settings)
        return Explainer(inputs, self.pairing)


def _in_order(by_rank: Mapping[int | None, str]) -> list[str]:
    """The documents of a list; those of no rank are in the other."""
    return [by_rank[rank] for rank in sorted(rank for rank in by_rank if rank is not None)]
