"""Rank-biased overlap, with ties and with lists of different lengths."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Literal

import numpy as np

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.similarity.tied_ranks import (
    Ranking,
    Spans,
    TiedRanks,
    overlap_by_depth,
    share,
    tied_ranks,
)

Score = Literal["ext", "min", "max", "res"]
Ties = Literal["w", "a", "b"]


def rbo(
    x: Ranking, y: Ranking, p: float = 0.9, score: Score = "ext", ties: Ties = "w"
) -> float | None:
    """Rank-biased overlap: a similarity from 0 to 1.

    RBO = (1-p) sum_{d>=1} p^(d-1) A_d, where A_d is the agreement of the first d ranks: the number
    of documents in both, X_d, divided by d. A user looks at one more rank with probability p.

    The lists are taken as the beginnings of longer ones. `score` says what is assumed of the rest:

    - "ext": it agrees as the lists have agreed so far. None where one of them is empty.
    - "min" and "max": the least and the most that any continuation gives.
    - "res": max - min, what is not known yet.

    `ties` says what a tie means:

    - "w": the documents share a rank, the first of the tie: A_d = 2 X_d / (|x_d| + |y_d|), with
      the lists down to the end of the tie at rank d. (Webber et al.)
    - "a": their order is not known: the mean over all orders of the tied documents. A list with
      ties then does not fully agree with itself.
    - "b": as "a", divided by what the lists agree with themselves: X_d / sqrt(X_d^xx X_d^yy).

    1 - RBO("ext") is a metric on lists of one length without ties; in general it is none.

    Webber, Moffat and Zobel, "A similarity measure for indefinite rankings", TOIS 2010; ties: Corsi
    and Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024.

    >>> rbo(["a", "b"], ["b", "a"], p=0.5)
    0.5
    >>> rbo([("a", "b")], ["a", "b"], p=0.5, ties="a")
    0.75
    >>> rbo(["b"], ["a", "b"], p=0.5), rbo(["b"], ["a", "b"], p=0.5, score="max")
    (0.25, 0.5)
    """
    _check(p, score, ties)
    shorter, longer = sorted((tied_ranks(x), tied_ranks(y)), key=lambda ranks: ranks.size)
    if score == "ext":
        return _extrapolated(shorter, longer, p, ties)
    if score == "res":
        return _most(shorter, longer, p, ties) - _least(shorter, longer, p, ties)
    return (_least if score == "min" else _most)(shorter, longer, p, ties)


def _check(p: float, score: str, ties: str) -> None:
    if isinstance(p, str) or not 0 < p < 1:
        raise UsageError(f"p is a number between 0 and 1, not {p!r}")
    choices: list[tuple[str, str, Collection[str]]] = [
        ("score", score, ("ext", "min", "max", "res")),
        ("ties", ties, ("w", "a", "b")),
    ]
    for name, value, allowed in choices:
        if value not in allowed:
            raise UsageError(f"{name} is one of {', '.join(allowed)}, not {value!r}")


def _extrapolated(shorter: TiedRanks, longer: TiedRanks, p: float, ties: Ties) -> float | None:
    seen, depth = shorter.size, longer.size
    if seen == 0:
        return None
    overlap, norm = _overlap(shorter, longer, ties), _norm(shorter, longer, ties)
    agreement = float(overlap[seen - 1] / norm[seen - 1])
    for d, (before, open_, part) in _only_in_longer(shorter, longer, ties).items():
        mean = (before + open_ * part) / (before + open_)
        overlap[d - 1] += (d - seen) * agreement * mean
    final = float(overlap[-1] / norm[-1])
    return _unit(_weighted(overlap / norm, p) + final * p**depth)


def _least(shorter: TiedRanks, longer: TiedRanks, p: float, ties: Ties) -> float:
    if shorter.size == 0:
        return 0.0
    overlap, norm = _overlap(shorter, longer, ties), _norm(shorter, longer, ties)
    powers = sum(p**d / d for d in range(1, longer.size + 1))
    below = max(0.0, -math.log1p(-p) - powers) * (1 - p) / p  # nothing new: X_d / d from here on
    return _unit(_weighted(overlap / norm, p) + float(overlap[-1]) * below)


def _most(shorter: TiedRanks, longer: TiedRanks, p: float, ties: Ties) -> float:
    seen, depth = shorter.size, longer.size
    if seen == 0:
        return 1.0
    overlap, norm = _overlap(shorter, longer, ties), _norm(shorter, longer, ties)
    shared = float(overlap[-1])
    for d, (before, open_, part) in _only_in_longer(shorter, longer, ties).items():
        complete = min(d - seen, before)
        overlap[d - 1] += complete + min(d - seen - complete, open_) * part
    full = seen + depth - round(shared)  # where both may hold the same documents
    below = (
        (1 - p) * p ** (d - 1) * (2 * d - depth - seen + shared) / d
        for d in range(depth + 1, full + 1)
    )
    return _unit(_weighted(overlap / norm, p) + math.fsum(below) + p**full)


def _overlap(shorter: TiedRanks, longer: TiedRanks, ties: Ties) -> Array:
    """X_d of what is seen, for d = 1 to the end of the longer list."""
    spans = _entering if ties == "w" else _spread
    return overlap_by_depth(spans(shorter), spans(longer), longer.size)


def _entering(ranks: TiedRanks) -> Spans:
    """The whole tie counts from its first rank."""
    return {document: (first, first) for document, (first, _) in ranks.spans.items()}


def _spread(ranks: TiedRanks) -> Spans:
    return ranks.spans


def _norm(shorter: TiedRanks, longer: TiedRanks, ties: Ties) -> Array:
    """What X_d is divided by. Below its end, the shorter list has no ties."""
    x, y = _weight(shorter, longer.size, ties), _weight(longer, longer.size, ties)
    return (x + y) / 2 if ties == "w" else np.sqrt(x * y)


def _weight(ranks: TiedRanks, depth: int, ties: Ties) -> Array:
    """w: the documents down to the end of the tie; b: the overlap of the list with itself."""
    weight = np.arange(1, depth + 1, dtype=np.float64)
    if ties == "a":
        return weight
    for group in ranks.groups:
        first, last = ranks.spans[group[0]]
        for d in range(first, last):
            above = d - first + 1
            weight[d - 1] = last if ties == "w" else first - 1 + above**2 / len(group)
    return weight


def _only_in_longer(
    shorter: TiedRanks, longer: TiedRanks, ties: Ties
) -> dict[int, tuple[int, int, float]]:
    """For every depth below the end of the shorter list, what only the longer one holds.

    The documents above the tie at this depth, those in it, and how much each of those counts.
    """
    found = {}
    before = 0
    for group in longer.groups:
        first, last = longer.spans[group[0]]
        new = sum(document not in shorter.spans for document in group)
        for d in range(max(first, shorter.size + 1), last + 1):
            found[d] = (before, new, 1.0 if ties == "w" else share(d, first, last))
        before += new
    return found


def _weighted(agreement: Array, p: float) -> float:
    return float((1 - p) * np.sum(p ** np.arange(len(agreement)) * agreement))


def _unit(value: float) -> float:
    """Without what rounding adds."""
    return min(1.0, max(0.0, value))
