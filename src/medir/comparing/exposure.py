"""The side of the documents: which of them a change shows more, and which less."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import BinaryIO, Literal, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import ReadingOptions, Settings, with_settings
from medir.comparing.decision.sample import EVERY_QUERY, Sample
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.identifiers import ENCODING, UNDECODABLE, text_of, writable
from medir.files.tables import Table, Written
from medir.inputs.clusters.reading import Clusters
from medir.inputs.queries import Source as QueryTable
from medir.inputs.runs import Run, Source
from medir.inputs.texts import Texts, titles_of
from medir.inputs.unseen import all_ended
from medir.measures import Measure, effectiveness
from medir.measures.chosen import Measures, native_options, single

Status = Literal["new", "gone", "gained", "lost", "same"]
STATUSES: dict[Status, str] = {
    "new": "newly visible",
    "gone": "gone dark",
    "gained": "gained",
    "lost": "lost",
    "same": "unchanged",
}
ROUNDING = 1e-12  # of what is added up

TOGETHER = 1 << 15  # documents that are turned into rows

Numbers = NDArray[np.intp]
Sink = Callable[[memoryview], object]


class Exposure(NamedTuple):
    """A document and how much it is shown before and after a change.

    `before` and `after` are its exposure, the sum of what its ranks are worth over all queries;
    `queries_before` and `queries_after` are how many queries show it, down to the cutoff. `status`
    is new or gone where only one run shows it, else gained, lost or same. `title` is None where
    none is known.
    """

    doc_id: str
    before: float
    after: float
    change: float
    queries_before: int
    queries_after: int
    status: Status
    title: str | None


COLUMNS = {
    "doc_id": str,
    "before": float,
    "after": float,
    "change": float,
    "queries_before": int,
    "queries_after": int,
    "status": str,
    "title": str,
}


@with_settings(ReadingOptions)
def documents(
    before: Source,
    after: Source,
    measures: Measures | None = None,
    *,
    documents: Texts | None = None,
    queries: QueryTable | None = None,
    weight: str | None = None,
    missing_weight: float | None = None,
    progress: Watcher | None = None,
    **options: Unpack[ReadingOptions],
) -> Exposures:
    """Which documents gain and lose exposure by a change.

    The exposure of a document in a run is the sum over queries of r_G d_rank / N, down to the
    cutoff, under one measure without decay; N is that of the unbounded ideal, so that under nDCG a
    list that reaches the cutoff has exposure 1 to give away. Runs are what `compare` takes;
    `documents` are titles, a file or `{id: title}`. With `clusters`, one row is about all documents
    of a cluster and has the id of the first that they name. `queries`, `weight` and
    `missing_weight` weigh queries as in `compare`.

    >>> found = documents({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2")
    >>> for row in found:
    ...     print(row.doc_id, row.before, row.after, row.status)
    c 0.0 0.5 new
    b 0.5 0.5 same
    a 0.5 0.0 gone
    """
    settings = Settings(**options)
    named = None if measures is None else exposing(measures)
    sources = {"before": before, "after": after}
    inputs = Inputs.read(sources, named, settings, others=[queries])
    runs, pairing = (inputs.runs[0], inputs.runs[1]), inputs.pairing()
    sample = Sample.of(pairing, queries, weight, None, missing_weight)
    (chosen,) = inputs.measures
    return expose(
        pairing, runs, chosen, inputs.settings, sample=sample, titles=documents, progress=progress
    )


def expose(
    pairing: _core.Pairing,
    runs: tuple[Run, Run],
    one: Measure,
    settings: Settings,
    *,
    sample: Sample = EVERY_QUERY,
    titles: Texts | None = None,
    deepest: int | None = None,
    progress: Watcher | None = None,
) -> Exposures:
    """The exposure of all documents; a query counts as much as it weighs in the sample.

    `deepest` is the length of the longest list, where these are not all lists.
    """
    one = with_unbounded_ideal(one)
    worth = one.shape.exposure(one, deepest or max(run.longest for run in runs))
    assert worth is not None, one
    options = native_options(settings, [one], all_ended(2))

    def work(state: _core.Progress) -> _core.Exposures:
        return _core.expose(pairing, worth, sample.weights, options, state)

    found = watched(work, len(pairing), progress)
    names = runs[0].name, runs[1].name
    workers, clusters = settings.workers, settings.clusters
    return Exposures(found, one, names, len(pairing), workers, titles, sample, clusters)


@dataclass(frozen=True, eq=False, repr=False)
class Exposures(Written):
    """The exposure of every document that either run shows; those that gain most come first."""

    _found: _core.Exposures
    measure: Measure
    names: tuple[str, str]
    queries: int
    threads: int
    titles: Texts | None = None
    sample: Sample = EVERY_QUERY
    clusters: Clusters | None = None  # each of them is one document, called as its first one

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def before(self) -> Array:
        """By document, in no particular order."""
        return self._found.before()

    @cached_property
    def after(self) -> Array:
        """By document, in the order of `before`."""
        return self._found.after()

    @cached_property
    def change(self) -> Array:
        """By document: after less before, and 0 where that is rounding."""
        change = self.after - self.before
        change[np.abs(change) <= ROUNDING * (self.after + self.before)] = 0.0
        return change

    @cached_property
    def _queries(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
        return self._found.queries_before(), self._found.queries_after()

    @cached_property
    def _statuses(self) -> NDArray[np.uint8]:
        """By document, the number of its status."""
        before, after = self._queries
        known = [before == 0, after == 0, self.change > 0, self.change < 0]
        return np.select(known, range(len(known)), len(known)).astype(np.uint8)

    @property
    def _order(self) -> Numbers:
        """The numbers of all documents: the largest gain first, ties in order of appearance."""
        return np.lexsort((self._found.first(), -self.change))

    @property
    def total_before(self) -> float:
        """What all documents have together before, by the depths of the lists alone.

        Ranks of documents that repeat another one do not count.
        """
        return self._found.total_before

    @property
    def total_after(self) -> float:
        """What all documents have together after, by the depths of the lists alone."""
        return self._found.total_after

    @property
    def repeats(self) -> int:
        """How many results were dropped as duplicates of a higher-ranked document."""
        return self._found.repeats

    def counts(self) -> dict[Status, int]:
        """How many documents have each status."""
        counts = np.bincount(self._statuses, minlength=len(STATUSES)).tolist()
        return dict(zip(STATUSES, counts, strict=True))

    def counts_in_words(self) -> str:
        """How many documents are newly visible, gone dark, ...; those that there are."""
        counts = self.counts().items()
        return ", ".join(f"{count:,} {STATUSES[status]}" for status, count in counts if count)

    def top(self, n: int = 10) -> list[Exposure]:
        """The `n` documents whose exposure changes most, either way, most first."""
        return self._rows(self._first(n, np.abs(self.change)))

    def gains(self, n: int = 10) -> list[Exposure]:
        """The `n` documents that gain most, most first; fewer where fewer gain anything."""
        return self._rows(self._first(n, self.change))

    def losses(self, n: int = 10) -> list[Exposure]:
        """The `n` documents that lose most, most first; fewer where fewer lose anything."""
        return self._rows(self._first(n, -self.change))

    def extremes(self, n: int = 10) -> tuple[list[Exposure], list[Exposure]]:
        """Gains and losses; titles are looked up once."""
        gains, losses = self._first(n, self.change), self._first(n, -self.change)
        rows = self._rows(np.concatenate([gains, losses]))
        return rows[: len(gains)], rows[len(gains) :]

    def __iter__(self) -> Iterator[Exposure]:
        """Every document: the largest gain first, the largest loss last."""
        order = self._order
        known = self._titles(self._ids(order)) if self.titles is not None else {}
        for start in range(0, len(order), TOGETHER):
            yield from self._rows(order[start : start + TOGETHER], known)

    def table(self) -> Table:
        """Every document, unrounded."""
        return ExposureTable(self)

    def write_text(self, sink: Sink, format: str, spreadsheet: bool) -> None:
        """Hands every row to a sink, as csv, tsv or jsonl."""
        order, titles = self._order, []
        if self.titles is not None:
            ids = self._ids(order)
            known = self._titles(ids)
            titles = [_encoded(known.get(one)) for one in ids]
        _core.write_exposures(
            self._found,
            list(COLUMNS),
            list(STATUSES),
            self.change,
            self._statuses,
            order,
            titles,
            _core.RowFormat[format],
            spreadsheet,
            self.threads,
            sink,
        )

    def batches(self) -> Iterator[_core.ArrowBatch]:
        """Every row for Arrow and Parquet, many at a time."""
        order, known = self._order, {}
        if self.titles is not None:
            known = self._titles(self._ids(order))
        for start in range(0, max(1, len(order)), TOGETHER):
            yield self._batch(order[start : start + TOGETHER], known)

    def _batch(self, numbers: Numbers, titles: Mapping[str, str]) -> _core.ArrowBatch:
        batch = _core.ArrowBatch(len(numbers))
        doc_id, *amounts, before, after, status, title = COLUMNS
        batch.add_documents(doc_id, self._found, numbers)
        for name, values in zip(amounts, (self.before, self.after, self.change), strict=True):
            batch.add_floats(name, values[numbers])
        for name, queries in zip((before, after), self._queries, strict=True):
            batch.add_integers(name, queries[numbers].astype(np.int64))
        names = list(STATUSES)
        batch.add_texts(status, [names[i].encode() for i in self._statuses[numbers].tolist()])
        found = map(titles.get, self._ids(numbers)) if titles else [None] * len(numbers)
        batch.add_texts(title, [_encoded(text) for text in found])
        return batch

    def _ids(self, numbers: Numbers) -> list[str]:
        return [text_of(self._found.document(number)) for number in numbers.tolist()]

    def _titles(self, ids: Sequence[str]) -> dict[str, str]:
        return {} if self.titles is None else titles_of(self.titles, set(ids))

    def _rows(self, numbers: Numbers, titles: Mapping[str, str] | None = None) -> list[Exposure]:
        """The rows of some documents, with titles that are known already or looked up."""
        ids = self._ids(numbers)
        known = self._titles(ids) if titles is None else titles
        columns = self.before, self.after, self.change, *self._queries
        values = [column[numbers].tolist() for column in columns]
        names = list(STATUSES)
        statuses = [names[status] for status in self._statuses[numbers].tolist()]
        return list(map(Exposure, ids, *values, statuses, map(known.get, ids)))

    def _first(self, n: int, values: Array) -> Numbers:
        """The numbers of the `n` largest values above 0, ties in order of appearance."""
        n = min(n, int(np.count_nonzero(values > 0)))
        if n <= 0:
            return np.zeros(0, dtype=np.intp)
        least = np.partition(values, len(values) - n)[len(values) - n]
        some = np.flatnonzero(values >= least)
        order = np.lexsort((self._found.first()[some], -values[some]))
        return np.asarray(some[order[:n]])

    def __repr__(self) -> str:
        names, counts = " and ".join(self.names), self.counts_in_words() or "no documents"
        return f"<{type(self).__name__} by {self.measure!r} in {names}: {counts}>"


class ExposureTable(Table):
    """One row for each document: millions of them, written by the core."""

    def __init__(self, exposures: Exposures) -> None:
        super().__init__(COLUMNS, exposures)
        self._exposures = exposures

    def write_text(self, stream: BinaryIO, format: str, spreadsheet: bool = False) -> None:
        """Writes csv, tsv or jsonl to a binary stream."""
        self._exposures.write_text(stream.write, format, spreadsheet)

    def batches(self) -> Iterator[_core.ArrowBatch]:
        """The rows for Arrow and Parquet, column by column."""
        return self._exposures.batches()


def _encoded(title: str | None) -> bytes | None:
    return None if title is None else writable(title).encode(ENCODING, UNDECODABLE)


def has_exposure(one: Measure) -> bool:
    """Whether what a rank is worth to a document depends on no other document: without decay."""
    return one.shape.exposure(with_unbounded_ideal(one), 1) is not None


def with_unbounded_ideal(one: Measure) -> Measure:
    """The measure whose normaliser depends on no judgments."""
    return one if one["ideal"] in (None, "unbounded") else one(ideal="unbounded")


def exposing(measures: Measures) -> Measure:
    """The one measure, which must be without decay."""
    one = effectiveness(single(measures, judged=False))
    one.shape.check_documents(one)
    if not has_exposure(one):
        raise UsageError(
            f"under {one}, what a rank is worth depends on the documents above it; choose a "
            "measure without decay, such as nDCG@20 or RBP(p=0.9)"
        )
    return one
