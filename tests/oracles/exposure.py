"""The exposure of documents, from the definition: Σ_q w_q r_G d_rank / N, down to the cutoff.

Nothing here comes from medir.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

Run = Mapping[str, Sequence[str]]


class Worth(NamedTuple):
    """r_G d_i / N of each rank, down to a cutoff."""

    of: Callable[[int], float]
    cutoff: int | None


class Truth(NamedTuple):
    """How much a document is shown."""

    before: float
    after: float
    queries_before: int
    queries_after: int


def _logarithmic(rank: int) -> float:
    return 1 / math.log2(rank + 1)


def _share(discount: Callable[[int], float], cutoff: int) -> Worth:
    """Of a list that reaches the cutoff."""
    total = math.fsum(map(discount, range(1, cutoff + 1)))
    return Worth(lambda rank: discount(rank) / total, cutoff)


WORTH = {
    "nDCG@20": _share(_logarithmic, 20),
    "nDCG@3": _share(_logarithmic, 3),
    "nDCG(gains='linear')@4": _share(_logarithmic, 4),
    "nDCG(ideal='judged')@3": _share(_logarithmic, 3),  # the ideal is unbounded all the same
    "nDCG(ideal=1)@3": _share(_logarithmic, 3),
    "SDCG@4": _share(_logarithmic, 4),
    "P@2": _share(lambda _: 1, 2),
    "DCG@3": Worth(lambda rank: 0.75 * _logarithmic(rank), 3),  # r_2 of grades 0 to 2
    "DCG(max_grade=1)@3": Worth(lambda rank: 0.5 * _logarithmic(rank), 3),
    "RBP(p=0.8)": Worth(lambda rank: 0.2 * 0.8 ** (rank - 1), None),
    "RBP(p=0.5)@3": Worth(lambda rank: 0.5**rank, 3),
    "INSQ(T=1)": Worth(lambda rank: (rank + 1) ** -2 / (math.pi**2 / 6 - 1), None),
}


def visible(run: Run, query: str, cutoff: int | None, depth: int | None) -> Sequence[str]:
    """The documents of a query that count."""
    return run.get(query, [])[:cutoff][:depth]


def exposures(
    before: Run,
    after: Run,
    worth: Worth,
    weights: Mapping[str, float] | None = None,
    depth: int | None = None,
) -> dict[str, Truth]:
    """Every document that is shown for a query whose weight is not 0."""
    parts: dict[str, tuple[list[float], list[float]]] = {}
    for side, run in enumerate((before, after)):
        for query in run:
            weight = 1.0 if weights is None else weights[query]
            if weight == 0:
                continue
            for rank, document in enumerate(visible(run, query, worth.cutoff, depth), 1):
                both = parts.setdefault(document, ([], []))
                both[side].append(weight * worth.of(rank))
    return {
        document: Truth(math.fsum(first), math.fsum(second), len(first), len(second))
        for document, (first, second) in parts.items()
    }


def change_of_depths(
    before: Run, after: Run, worth: Worth, weights: Mapping[str, float] | None = None
) -> float:
    """What the depths of the lists alone make of the sum of all exposures, after less before."""
    terms = []
    for sign, run in ((-1, before), (1, after)):
        for query, documents in run.items():
            depth = min(len(documents), worth.cutoff or len(documents))
            weight = 1.0 if weights is None else weights[query]
            terms.append(sign * weight * math.fsum(map(worth.of, range(1, depth + 1))))
    return math.fsum(terms)
