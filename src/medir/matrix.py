"""Distances between many runs: the mean MED of all pairs."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import combinations_with_replacement
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from medir import _core
from medir.background import Watcher, watched
from medir.compare import Judgments, Missing, Source, compare, measures_of
from medir.errors import UsageError
from medir.families import Array
from medir.judgments import Qrels
from medir.kernels import (
    EFFORT,
    Duplicates,
    Unseen,
    native_measures,
    native_options,
)
from medir.measures import Measure, measure, nDCG
from medir.pools import pool_of
from medir.rankings import Order, Run, query_ids
from medir.reading.columns import shown
from medir.threads import thread_count
from medir.writing import write_rows

Pair = tuple[int, int]


@dataclass(frozen=True, eq=False, repr=False)
class Matrix:
    """MED of pairs of runs, by measure, pair and query.

    `pairs` are numbers of runs; a run is paired with itself too: its lists may be too short for
    their distance to be 0.
    """

    names: tuple[str, ...]
    measures: tuple[Measure, ...]
    queries: list[str]
    pairs: tuple[Pair, ...]
    values: Array  # measure x pair x query; NaN where neither run has the query
    against: str | None = None  # where only pairs with one run were compared

    def mean(self, of: Measure | str | None = None) -> Array:
        """The mean MED over the queries of either run: a symmetric matrix in the order of `names`.

        Where runs were compared against one run only, the other entries are NaN.
        """
        square = np.full((len(self.names), len(self.names)), np.nan)
        for (i, j), value in zip(self.pairs, self._means(of), strict=True):
            square[i, j] = square[j, i] = value
        return square

    def rows(self, per_query: bool = False) -> Iterator[dict[str, Any]]:
        """One row for each pair of two runs and each measure, and for each query if wanted."""
        for number, (i, j) in enumerate(self.pairs):
            if i == j:
                continue
            for one, med in zip(self.measures, self.values[:, number], strict=True):
                row = {"run_a": self.names[i], "run_b": self.names[j], "measure": repr(one)}
                if per_query:
                    for query, value in zip(self.queries, med.tolist(), strict=True):
                        if not math.isnan(value):
                            yield {**row, "query_id": shown(query), "med": value}
                else:
                    yield {**row, "med": float(_means(med))}

    def write(
        self, path: str | PathLike[str], format: str | None = None, per_query: bool = False
    ) -> None:
        """Writes the rows, unrounded: .csv, .tsv, .jsonl or .parquet."""
        write_rows(
            path,
            format,
            lambda stream, chosen: self.write_text(stream, chosen, per_query),
            lambda target: self._write_parquet(target, per_query),
        )

    def write_text(self, stream: BinaryIO, format: str, per_query: bool = False) -> None:
        """Writes the rows to a binary stream as csv, tsv or jsonl."""
        text = TextIOWrapper(stream, encoding="utf-8", newline="")
        rows = self.rows(per_query)
        if format == "jsonl":
            text.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        else:
            columns = ["run_a", "run_b", "measure", *(["query_id"] if per_query else []), "med"]
            separator = "," if format == "csv" else "\t"
            writer = csv.DictWriter(text, columns, delimiter=separator, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        text.flush()
        text.detach()

    def _write_parquet(self, path: Path, per_query: bool) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.Table.from_pylist(list(self.rows(per_query))), path)

    def _means(self, of: Measure | str | None) -> Array:
        if of is None:
            return _means(self.values[0])
        wanted = measure(of)
        if wanted not in self.measures:
            known = ", ".join(map(repr, self.measures))
            raise UsageError(f"{wanted} was not compared; there are {known}")
        return _means(self.values[self.measures.index(wanted)])

    def __repr__(self) -> str:
        return f"<Matrix of {len(self.names)} runs, {len(self.queries)} queries>"


def matrix(
    runs: Mapping[str, Source],
    measures: Measure | str | Sequence[Measure | str] = nDCG,
    *,
    qrels: Judgments | None = None,
    against: str | None = None,
    missing: Missing = "empty",
    order: Order = "score",
    duplicates: Duplicates = "error",
    unseen: Unseen = "anything",
    depth: int | None = None,
    effort: int = EFFORT,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> Matrix:
    """The mean MED of all pairs of runs.

    `runs` are named sources as `compare` takes them; every run is read once. With `against`, the
    name of a run, only pairs with this run are compared. The other options are those of `compare`;
    `missing="skip"` leaves out queries that some run does not have. `progress` is called with the
    queries done and to do.

    >>> runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}, "three": {"q": ["a", "c"]}}
    >>> matrix(runs, "P@1").mean().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]
    """
    chosen = measures_of(measures)
    names = tuple(runs)
    if len(names) < 2:
        raise UsageError("a matrix takes two runs or more")
    if against is not None and against not in names:
        raise UsageError(f"there is no run {against!r} among {', '.join(names)}")
    workers = thread_count(threads)
    judged = None
    if qrels is not None:
        by_intent = any(one.family.intents for one in chosen)
        judged = Qrels.of(qrels, intents=by_intent, threads=threads)
    read = [
        Run.of(source, order=order, name=name, threads=threads) for name, source in runs.items()
    ]
    pool = pool_of(read, missing)
    pairs = tuple(
        (i, j)
        for i, j in combinations_with_replacement(range(len(names)), 2)
        if against is None or against in (names[i], names[j])
    )
    queries = query_ids(pool)
    values = np.zeros((len(chosen), len(pairs), len(pool)))
    native = [one for one in chosen if _is_native(one)]
    if native:
        longest = sum(sorted(run.longest for run in read)[-2:])
        kernels = native_measures(native, longest, judged, effort)
        options = native_options(chosen, depth, unseen, duplicates, workers)
        lists = None if judged is None else judged._lists
        found = np.zeros((len(native), len(pairs), len(pool)))

        def work(state: _core.Progress) -> None:
            _core.compare_pairs(pool, pairs, lists, kernels, options, found, state)

        watched(work, len(pool), progress)
        values[[chosen.index(one) for one in native]] = found
    others = [one for one in chosen if not _is_native(one)]
    if others:
        settings: dict[str, Any] = {"qrels": judged, "duplicates": duplicates}
        settings |= {"unseen": unseen, "depth": depth, "effort": effort, "threads": threads}
        found = _one_by_one(read, pairs, others, queries, settings)
        values[[chosen.index(one) for one in others]] = found
    return Matrix(names, tuple(chosen), queries, pairs, values, against)


def _one_by_one(
    runs: Sequence[Run],
    pairs: Sequence[Pair],
    measures: Sequence[Measure],
    queries: Sequence[str],
    settings: Mapping[str, Any],
) -> Array:
    """The values of measures that the pairs of a query are not compared under together."""
    values = np.full((len(measures), len(pairs), len(queries)), np.nan)
    for number, (i, j) in enumerate(pairs):
        result = compare(runs[i], runs[j], measures, **settings)
        for m, one in enumerate(measures):
            med = dict(zip(result.queries, result.column(one).tolist(), strict=True))
            values[m, number] = [med.get(query, np.nan) for query in queries]
    return values


def _means(values: Array) -> Array:
    """Means over the queries that there are; NaN where there is none."""
    known = ~np.isnan(values)
    count = known.sum(axis=-1)
    total = np.where(known, values, 0.0).sum(axis=-1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _is_native(one: Measure) -> bool:
    """Whether the pairs of a query are compared together: not for intents and functions."""
    return one.family.function is None and not one.family.intents
