"""Writing runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from medir import _core
from medir.base.words import count
from medir.errors import InputError, MissingExtraError, UsageError
from medir.files.opening import unpacked_name
from medir.files.packing import packed
from medir.files.replacing import replacing
from medir.inputs.writing import text
from medir.inputs.writing.batches import Batch, batches
from medir.inputs.writing.descending import descending

FORMATS = ("trec", "parquet", "arrow", "csv", "tsv", "jsonl", "json", "msmarco")
SUFFIXES = {
    ".run": "trec",
    ".trec": "trec",
    ".txt": "trec",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".msmarco": "msmarco",
}
BINARY = ("parquet", "arrow")
WITH_LISTS = ("jsonl", "parquet", "arrow")  # one row per query, if asked for
FINITE = ("json", "jsonl")  # have no infinite numbers

Target = str | PathLike[str] | BinaryIO


class WrittenRun(NamedTuple):
    """What was written: how much of it, and in a few words what had to change."""

    queries: int
    results: int
    notes: list[str]


def run_format(target: Target, format: str | None, lists: bool = False) -> str:
    """The format of a run that is to be written: the one stated, or that of the file's name."""
    chosen = format
    if chosen is None and isinstance(target, str | PathLike):
        chosen = SUFFIXES.get(Path(unpacked_name(str(target))).suffix.lower())
    if chosen not in FORMATS:
        said = f"a format of runs is one of {', '.join(FORMATS)}, not {chosen!r}"
        unknown = f"cannot tell the format of {str(target)!r}; end the name in "
        unknown += f"{', '.join(SUFFIXES)}, or state the format: {', '.join(FORMATS)}"
        raise UsageError(unknown if chosen is None else said)
    if lists and chosen not in WITH_LISTS:
        raise UsageError(f"only {', '.join(WITH_LISTS)} have one row per query, not {chosen}")
    if chosen in BINARY:
        if isinstance(target, str | PathLike) and unpacked_name(str(target)) != str(target):
            raise UsageError(f"{chosen} is compressed by itself: leave out {Path(target).suffix}")
        if find_spec("pyarrow") is None:
            raise MissingExtraError("pyarrow", "tables", f"writing {chosen}")
    return chosen


def write_run(
    run: _core.Lists,
    target: Target,
    format: str | None = None,
    *,
    tag: str,
    lists: bool = False,
    name: str = "",
) -> WrittenRun:
    """Writes all lists to a path or a stream; `name` is what an error calls the run.

    A file appears when it is complete, or not at all.
    """
    chosen = run_format(target, format, lists)
    if not tag or text.BLANK.search(tag.encode()):
        raise UsageError(f"a tag is one word, not {tag!r}")
    writing = _Writing(run, chosen in FINITE)
    write = partial(_write, writing.batches(), chosen=chosen, tag=tag.encode(), lists=lists)
    try:
        if isinstance(target, str | PathLike):
            path = Path(target)
            with replacing(path) as file, packed(file, path.name) as stream:
                write(stream)
        else:
            write(target)
    except InputError as error:
        raise InputError(error.problem, error.source or name, remedy=error.remedy) from None
    return writing.told(chosen, keeps_empty=lists or chosen == "json")


class _Writing:
    """The batches of a run with scores that lead to its order, counted as they go."""

    def __init__(self, run: _core.Lists, finite: bool) -> None:
        self._run, self._finite = run, finite
        self.queries = self.results = self.empty = self.lowered = self.counted = 0

    def batches(self) -> Iterator[Batch]:
        """In the order of the queries."""
        for batch in batches(self._run):
            values = batch.values
            if self._finite:
                values = np.where(np.isinf(values), np.nan, values)
            values, lowered, counted = descending(values, batch.ends, batch.documents)
            self.queries += len(batch.queries)
            self.results += len(batch.documents)
            self.empty += int(np.count_nonzero(batch.begins == batch.ends))
            self.lowered += lowered
            self.counted += counted
            yield replace(batch, values=values)

    def told(self, format: str, keeps_empty: bool) -> WrittenRun:
        """How much was written, and what is not as it was."""
        notes = []
        if self.counted and format != "msmarco":
            notes.append(
                f"{count(self.counted, 'list')} ordered otherwise than by score: written with "
                "scores that count down"
            )
        if self.lowered and format != "msmarco":
            notes.append(
                f"{count(self.lowered, 'list')} with ties in another order than by id: tied scores "
                "lowered by the smallest steps"
            )
        if self.empty and not keeps_empty:
            notes.append(
                f"{count(self.empty, 'query', 'queries')} without results: left out, since only "
                "json, and rows with lists, can hold them"
            )
        notes += self._size_note()
        queries = self.queries if keeps_empty else self.queries - self.empty
        return WrittenRun(queries, self.results, notes)

    def _size_note(self) -> Iterator[str]:
        """Where readers will take lists for cut or ended, and the run knows better."""
        lengths = self._run.lengths(_core.Repeats.first, 1)
        if not lengths.asked or not lengths.longest:
            return
        count_as_cut = lengths.at_longest > 1 or lengths.with_results == 1
        said = f"{count(lengths.asked, 'result')} per query asked for, which the file cannot say"
        if lengths.longest < lengths.asked and count_as_cut:
            yield f"{said}: all lists ended before, so compare with --unseen nothing"
        if lengths.longest >= lengths.asked and not count_as_cut:
            yield f"{said}: the one list that has so many will not count as cut"


def _write(
    some: Iterable[Batch], stream: BinaryIO, *, chosen: str, tag: bytes, lists: bool
) -> None:
    if chosen in BINARY:
        from medir.inputs.writing.arrow import write_arrow

        write_arrow(some, stream, chosen, lists)
        return
    for block in _text(some, chosen, tag, lists):
        stream.write(block)


def _text(some: Iterable[Batch], chosen: str, tag: bytes, lists: bool) -> Iterator[bytes]:
    if chosen == "trec":
        return text.trec_lines(some, tag)
    if chosen == "msmarco":
        return text.msmarco_lines(some)
    if chosen == "json":
        return text.json_mapping(some)
    if chosen == "jsonl":
        return text.json_lists(some) if lists else text.json_lines(some)
    return text.delimited_lines(some, b"," if chosen == "csv" else b"\t")
