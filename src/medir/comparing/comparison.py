"""What `compare` returns: a value for each query and measure, and how it is written out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Generic, Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.arrays import Array
from medir.errors import UsageError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.files.tables import check_format, write_rows
from medir.inputs.by_query import query_ids
from medir.inputs.lengths import Lengths
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run
from medir.measures.kernels import native_options
from medir.measures.notation import Measure, effectiveness, measure

if TYPE_CHECKING:
    from medir.comparing.explain import Explainer, Explanation
    from medir.inputs.passages import Passages

R = TypeVar("R", bound="Run | Passages")

COLUMNS = ("med", "gain", "loss", "lower", "gap")
CHANGES = ("entered", "left", "moved")
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
class Differences(Generic[R]):
    """What two runs differ in, by query and measure, whatever they hold."""

    pairing: _core.Pairing
    measures: Sequence[Measure]
    values: Array  # measure x column x query
    changes: NDArray[np.uint32]  # entered, left, moved x query
    runs: tuple[R, R]
    complete: bool  # nothing stands below the lists
    short: int  # queries with a list that ends above `depth`
    depth: int | None  # the deepest place that was looked at; None where there is no such place
    without_relevant: int  # queries without a relevant judgment
    threads: int

    def __len__(self) -> int:
        return len(self.pairing)

    @property
    def names(self) -> tuple[str, str]:
        """Where the two runs come from."""
        return self.runs[0].name, self.runs[1].name

    @cached_property
    def queries(self) -> list[str]:
        """The query ids: those of the first run in its order, then those of the second alone."""
        return query_ids(self.pairing)

    @property
    def only_before(self) -> int:
        """How many queries only the first run has."""
        return self.pairing.only_before

    @property
    def only_after(self) -> int:
        """How many queries only the second run has."""
        return self.pairing.only_after

    def only(self, measures: Sequence[Measure | str]) -> Self:
        """The comparison under some of its measures."""
        if not measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"name a measure of effectiveness, such as nDCG@20, beside {known}")
        numbers = [self._number(one) for one in measures]
        chosen = [self.measures[number] for number in numbers]
        return replace(self, measures=chosen, values=self.values[numbers])

    def column(self, of: Measure | str, name: str = "med") -> Array:
        """One column (med, gain, loss, lower, gap) in the order of `queries`."""
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
            raise UsageError("the geometric mean is one of MED; leave out rank similarities")
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

    def write(self, path: str | PathLike[str], format: str | None = None) -> None:
        """Writes every row, unrounded, as csv, tsv, jsonl or parquet (by suffix).

        The file appears when it is complete, or not at all.
        """
        write_rows(path, format, self.write_text, self._write_parquet)

    def write_text(self, stream: BinaryIO, format: str) -> None:
        """Writes every row to a binary stream as csv, tsv or jsonl."""
        names = [repr(one) for one in self.measures]
        row_format = _core.RowFormat[format]
        sink: Callable[[memoryview], int] = stream.write
        _core.write_rows(self.pairing, names, self.values, row_format, self.threads, sink)

    def _write_parquet(self, path: Path) -> None:
        check_format("parquet")
        import pyarrow as pa
        import pyarrow.parquet as pq

        count = len(self.measures)
        ids = [shown(query) for query in self.queries]  # Parquet holds nothing but UTF-8
        names = pa.array([repr(one) for one in self.measures])
        codes = pa.array(np.tile(np.arange(count, dtype=np.int32), len(self)))
        columns = {
            "query_id": pa.array(np.repeat(np.array(ids, dtype=object), count)),
            "measure": pa.DictionaryArray.from_arrays(codes, names),
        }
        for number, name in enumerate(COLUMNS):
            columns[name] = pa.array(self.values[:, number, :].T.reshape(-1), from_pandas=True)
        pq.write_table(pa.table(columns), path)

    def _number(self, of: Measure | str) -> int:
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not compared; there are {known}")
        return list(self.measures).index(wanted)

    def __repr__(self) -> str:
        means = ", ".join(f"{name}: {value:.4f}" for name, value in self.mean().items())
        kind = type(self).__name__
        return f"<{kind} of {self.names[0]} and {self.names[1]}: {len(self)} queries; {means}>"


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Differences[Run]):
    """The comparison of two runs of ranked documents."""

    judged: Qrels | None
    repeats: int  # results dropped because their document stood higher already
    cut: int | None  # where lists were cut
    effort: int
    lengths: Lengths | None = None  # of documents, for measures of time
    without_length: int = 0  # documents of queries that took the default length

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        """The documents of a query before and after, as they were compared.

        A document that stands twice counts where it stands higher, and only then is a list cut.
        """
        from medir.measures.shapes.function import lists_of

        position = self.pairing.find(bytes_of(query, "query", ""))
        if position is None:
            return [], []
        options = native_options([], self.cut, "nothing", "first", 1)
        found = _core.query(self.pairing, position, None, [], options)
        before, after = ([text_of(document) for document in some] for some in lists_of(found))
        return before, after

    def explain(self, query: str, of: Measure | str | None = None) -> Explanation:
        """The value of one query, taken apart: what each document adds to it."""
        measure = effectiveness(self.measures[0 if of is None else self._number(of)])
        position = self.pairing.find(bytes_of(query, "query", ""))
        if position is None:
            raise UsageError(f"there is no query {query!r} in this comparison")
        return self.explainer([measure])(position)[0]

    def explainer(self, measures: Sequence[Measure]) -> Explainer:
        """Takes queries apart, by position, under some of the measures."""
        from medir.comparing.explain import Explainer

        timed = any(one.family.shape == "timed" for one in measures)
        return Explainer(
            self.runs,
            self.pairing,
            measures,
            self.judged,
            unseen="nothing" if self.complete else "anything",
            effort=self.effort,
            duplicates="first",  # where they are an error, there is none
            depth=self.cut,
            lengths=self.lengths if timed else None,
        )
