"""Which queries of two or more runs belong together, and those that some runs do not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from medir import _core
from medir.errors import InputError
from medir.files.background import Background
from medir.files.identifiers import text_of
from medir.files.opening import is_stdin
from medir.inputs.passages import Passages
from medir.inputs.runs import Run
from medir.settings import Missing

S = TypeVar("S")
T = TypeVar("T")

NAMED = 5  # queries that an error names


def read_all(sources: Mapping[str, S], read: Callable[[S, str], T], threads: int) -> list[T]:
    """All runs by name; two of them at the same time where there is more than one thread."""
    names = list(sources)
    if len(names) != 2 or threads == 1 or any(map(is_stdin, sources.values())):
        # Standard input last, so that a fault of the others is told at once.
        ordered = sorted(names, key=lambda name: is_stdin(sources[name]))
        found = {name: read(sources[name], name) for name in ordered}
        return [found[name] for name in names]
    first = Background(lambda: read(sources[names[0]], names[0]))
    try:
        second = read(sources[names[1]], names[1])
    finally:
        first.wait()
    return [first.result(), second]


def pair(
    before: Run | Passages, after: Run | Passages, missing: Missing, threads: int
) -> _core.Pairing:
    """The queries of both runs, or of those that both have."""
    pairing = _core.Pairing(before._lists, after._lists, threads)
    alone = pairing.only_before + pairing.only_after
    if missing == "error" and alone:
        some = (i for i in range(len(pairing)) if not pairing.in_both(i))
        named = [text_of(pairing.query(i)) for i, _ in zip(some, range(NAMED), strict=False)]
        raise InputError(
            f"{pairing.only_before} queries only in {before.name}, "
            f"{pairing.only_after} only in {after.name}: {', '.join(named)}"
            f"{', ...' if alone > NAMED else ''}",
            remedy="Choose --missing empty (compare with an empty list) or skip.",
        )
    if missing == "skip":
        pairing.keep_common()
        if len(pairing) == 0:
            raise InputError(
                f"{before.name} and {after.name} have no query in common",
                remedy="Do both files write query ids in the same way?",
            )
    return pairing


def pool_of(runs: Sequence[Run] | Sequence[Passages], missing: Missing) -> _core.Pool:
    """The queries of all runs, or of those that every run has."""
    pool = _core.Pool([run._lists for run in runs])
    if missing == "error":
        alone = [i for i in range(len(pool)) if not pool.in_all(i)]
        if alone:
            named = [text_of(pool.query(i)) for i in alone[:NAMED]]
            raise InputError(
                f"{len(alone)} queries are not in all runs: {', '.join(named)}"
                f"{', ...' if len(alone) > NAMED else ''}",
                remedy="Choose --missing empty (an empty list) or skip.",
            )
    if missing == "skip":
        pool.keep_common()
        if len(pool) == 0:
            raise InputError(
                f"{', '.join(run.name for run in runs)} have no query in common",
                remedy="Do all files write query ids in the same way?",
            )
    return pool
