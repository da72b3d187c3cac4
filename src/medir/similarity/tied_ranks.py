"""Ranked lists in which documents may be tied, as the rank similarities read them.

A ranking is a sequence of documents, best first. A tuple, list or set in it is a tie.

>>> ranks = tied_ranks(["a", ("b", "c"), "d"])
>>> ranks.spans
{'a': (1, 1), 'b': (2, 3), 'c': (2, 3), 'd': (4, 4)}
"""

from __future__ import annotations

import operator
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from medir.base.arrays import Array
from medir.errors import UsageError

Ranking = Iterable[object]
Spans = Mapping[Hashable, tuple[int, int]]
TIES = (tuple, list, set, frozenset)


@dataclass(frozen=True)
class TiedRanks:
    """A ranking: its ties from the top (a document alone is a tie of one) and where they lie."""

    groups: tuple[tuple[Hashable, ...], ...]
    spans: dict[Hashable, tuple[int, int]]  # first and last rank of a document's tie

    @property
    def size(self) -> int:
        """How many documents the ranking holds."""
        return len(self.spans)

    def order(self, purpose: str) -> list[Hashable]:
        """The documents in order, for what cannot have ties."""
        for group in self.groups:
            if len(group) > 1:
                raise UsageError(
                    f"{purpose} has no ties, and {_named(group)} are tied: break the tie, "
                    "for instance by document id"
                )
        return [group[0] for group in self.groups]

    def top(self, k: int) -> dict[Hashable, float]:
        """The documents of the first k ranks, with the middle of the ranks of their tie."""
        found: dict[Hashable, float] = {}
        for group in self.groups:
            first, last = self.spans[group[0]]
            if first > k:
                break
            if last > k:
                raise UsageError(
                    f"{_named(group)} are tied at the ranks {first} to {last}, so the first {k} "
                    f"are not known: take k = {last}{f' or {first - 1}' if first > 1 else ''}, "
                    "or break the tie"
                )
            found.update(dict.fromkeys(group, (first + last) / 2))
        return found


def tied_ranks(ranking: Ranking) -> TiedRanks:
    """The ranking, checked: every document once, no ties in ties."""
    if isinstance(ranking, str | bytes | set | frozenset | Mapping):
        raise UsageError(
            f"a ranking is a list of documents, best first, such as ['a', ('b', 'c')] where b and "
            f"c are tied; this is a {type(ranking).__name__}"
        )
    try:
        entries = list(ranking)
    except TypeError:
        raise UsageError(f"a ranking is a list of documents, not {ranking!r}") from None
    groups = []
    spans: dict[Hashable, tuple[int, int]] = {}
    for entry in entries:
        group = tuple(entry) if isinstance(entry, TIES) else (entry,)
        if not group:
            raise UsageError("a tie without documents: leave it out")
        span = (len(spans) + 1, len(spans) + len(group))
        for document in group:
            if isinstance(document, TIES) or not isinstance(document, Hashable):
                raise UsageError(f"{document!r} is not a document; a tie holds documents only")
            if document in spans:
                raise UsageError(f"{document!r} is in a ranking twice: keep one of the two")
            spans[document] = span
        groups.append(group)
    return TiedRanks(tuple(groups), spans)


def whole_number(name: str, value: object, least: int = 1) -> int:
    """An argument that is a whole number, such as a cutoff."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise UsageError(f"{name} is a whole number from {least} on, not {value!r}")
    return number


def share(depth: int, first: int, last: int) -> float:
    """How much of a document of a tie lies above a depth: the probability, over all its orders."""
    return min(1.0, max(0, depth - first + 1) / (last - first + 1))


def overlap_by_depth(x: Spans, y: Spans, depth: int) -> Array:
    """The expected number of documents that both lists hold in the first 1, 2, ..., depth ranks.

    >>> x, y = tied_ranks([("a", "b")]), tied_ranks(["a", "b"])
    >>> overlap_by_depth(x.spans, y.spans, 2).tolist()
    [0.5, 2.0]
    """
    complete = np.zeros(depth + 1)
    begun = np.zeros(depth)
    for document in x.keys() & y.keys():
        (first_x, last_x), (first_y, last_y) = x[document], y[document]
        last = min(max(last_x, last_y), depth + 1)
        complete[last - 1] += 1
        for d in range(max(first_x, first_y), last):
            begun[d - 1] += share(d, first_x, last_x) * share(d, first_y, last_y)
    return np.asarray(np.cumsum(complete)[:depth] + begun, dtype=np.float64)


def _named(group: tuple[Hashable, ...]) -> str:
    shown = ", ".join(repr(document) for document in group[:3])
    return shown if len(group) <= 3 else f"{shown} and {len(group) - 3} more"
