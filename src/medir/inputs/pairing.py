"""Which queries of two or more runs belong together, and those that some runs do not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.settings import Missing
from medir.base.words import count
from medir.errors import InputError
from medir.files.ahead import forget_ahead, is_large, read_ahead
from medir.files.background import Background
from medir.files.identifiers import text_of
from medir.files.opening import is_stdin
from medir.files.origins import Input, announce
from medir.inputs.runs import Run

if TYPE_CHECKING:
    from medir.inputs.passages import Passages

S = TypeVar("S")
T = TypeVar("T", bound=Input)

NAMED = 5  # queries that an error names


def read_all(sources: Mapping[str, S], read: Callable[[S, str], T], threads: int) -> list[T]:
    """All runs by name; two files at the same time where there is more than one thread.

    Objects of other libraries are read one after the other: two may share what is not to be used
    by two threads at once, such as a connection to a database.
    """
    names = list(sources)
    files = all(isinstance(source, str | PathLike) for source in sources.values())
    if len(names) != 2 or threads == 1 or not files or any(map(is_stdin, sources.values())):
        # Standard input last, so that a fault of the others is told at once.
        ordered = sorted(names, key=lambda name: is_stdin(sources[name]))
        found = {name: read(sources[name], name) for name in ordered}
        runs = [found[name] for name in names]
        announce(runs)
        return runs
    first = Background(lambda: read(sources[names[0]], names[0]))
    try:
        second = read(sources[names[1]], names[1])
    except Exception:  # an interrupt does not wait
        first.wait()
        raise
    announce(runs := [first.result(), second])
    return runs


def read_together(sources: Mapping[str, S], read: Callable[[S, str], T], threads: int) -> list[T]:
    """The same, where the first two are compared by rank: large files are read at the same time."""
    paths = [one for one in islice(sources.values(), 2) if isinstance(one, str | PathLike)]
    if len(paths) == 2 and all(map(is_large, paths)):
        read_ahead(paths, compared=True)
    try:
        return read_all(sources, read, threads)
    except BaseException:
        forget_ahead()
        raise


def pair(
    before: Run | Passages, after: Run | Passages, missing: Missing, threads: int
) -> _core.Pairing:
    """The queries of both runs, or of those that both have."""
    pairing = _core.Pairing(before._lists, after._lists, threads)
    if missing == "error" and pairing.only_before + pairing.only_after:
        sides = (pairing.only_before, before.name), (pairing.only_after, after.name)
        raise not_in_both(sides, _missing(pairing, pairing.in_both))
    if missing == "skip":
        _keep_common(pairing, f"{before.name} and {after.name}", "both")
    return pairing


def pool_of(runs: Sequence[Run] | Sequence[Passages], missing: Missing) -> _core.Pool:
    """The queries of all runs, or of those that every run has."""
    pool = _core.Pool([run._lists for run in runs])
    if missing == "error" and (alone := sum(not pool.in_all(i) for i in range(len(pool)))):
        raise not_in_all(alone, _missing(pool, pool.in_all))
    if missing == "skip":
        _keep_common(pool, ", ".join(run.name for run in runs), "all")
    return pool


def _missing(queries: _core.Pairing | _core.Pool, is_in_all: Callable[[int], bool]) -> list[str]:
    """The first queries that some runs do not have."""
    some = (i for i in range(len(queries)) if not is_in_all(i))
    return [text_of(queries.query(i)) for i in islice(some, NAMED)]


def not_in_both(sides: Sequence[tuple[int, str]], named: Sequence[str]) -> InputError:
    """The error about queries of one run only: how many of each, and the first of them."""
    (first, name), *rest = [(some, name) for some, name in sides if some]
    counts = f"{count(first, 'query', 'queries')} only in {name}"
    counts += "".join(f", {some:,} only in {name}" for some, name in rest)
    alone = sum(some for some, _ in sides)
    return _missing_error(counts, alone, named, "compare with an empty list")


def not_in_all(alone: int, named: Sequence[str]) -> InputError:
    """The error about queries that some of many runs do not have."""
    counts = f"{count(alone, 'query is', 'queries are')} not in all runs"
    return _missing_error(counts, alone, named, "an empty list")


def _missing_error(counts: str, alone: int, named: Sequence[str], empty: str) -> InputError:
    return InputError(
        f"{counts}: {', '.join(named)}{', ...' if alone > NAMED else ''}",
        remedy=f"Choose --missing empty ({empty}) or skip.",
    )


def nothing_in_common(runs: str, files: str) -> InputError:
    """The error about runs that share no query."""
    return InputError(
        f"{runs} have no query in common",
        remedy=f"Do {files} files write query ids in the same way?",
    )


def _keep_common(queries: _core.Pairing | _core.Pool, runs: str, files: str) -> None:
    """Keeps the queries that all runs have; an error where there is none."""
    queries.keep_common()
    if len(queries) == 0:
        raise nothing_in_common(runs, files)


class Repeat(NamedTuple):
    """A document that repeats what stands above it: by its number in the query."""

    number: int


Name = bytes | Repeat  # of a document; of those in a cluster, the first stands for all


def names_of(query: _core.Query) -> list[Name]:
    """What the documents of a query are known by in both lists."""
    if (query.repeated < 0).all():
        return [*query.keys]
    pairs = enumerate(zip(query.keys, query.repeated.tolist(), strict=True))
    return [key if repeated < 0 else Repeat(number) for number, (key, repeated) in pairs]


def lists_of(query: _core.Query) -> tuple[list[Name], list[Name]]:
    """The documents of a query before and after, in rank order."""
    size, names = int(np.count_nonzero(query.before)), names_of(query)
    return names[:size], [names[i] for i in by_rank(query.after).tolist()]


def by_rank(ranks: NDArray[Any], reach: int | None = None) -> NDArray[np.intp]:
    """The numbers of the documents of a list, in rank order."""
    absent = int(np.count_nonzero(ranks == 0))
    return np.argsort(ranks)[absent:][:reach]


def grades_of(query: _core.Query) -> dict[Name, int]:
    """The judgments of a query, the highest of any intent; repeats are worth nothing."""
    pairs = zip(names_of(query), query.grades.tolist(), strict=True)
    return {document: grade for document, grade in pairs if grade >= 0}
