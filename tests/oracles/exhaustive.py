"""MED of any measure by trying every assignment of relevance, all of them at once with numpy.

Nothing here comes from medir. A score is a plain function of the relevance of rank 1, 2, ...; it
takes numbers, or arrays that hold one number for each assignment.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from tests.oracles.unseen import Cut

Gains = Any  # the relevance of each rank, in order: a number, or an array by assignment
Score = Callable[[Gains], Any]
NEGLIGIBLE = 1e-17


@dataclass(frozen=True)
class Formula:
    """A measure: its score, the relevance of each grade, how deep it looks.

    Without a cutoff, `keep` is the chance that a user reads on past a document of top relevance;
    ranks are added up until nothing is left of it. Where `depth` is set, no rank below it counts.
    """

    score: Score
    values: tuple[float, ...]
    cutoff: int | None
    keep: float = 0.0
    depth: int | None = None

    @property
    def top(self) -> float:
        """The relevance of the highest grade."""
        return self.values[-1]

    def unseen(self, seen: int) -> int:
        """How many ranks below a list count."""
        if self.cutoff is not None:
            return max(self.cutoff - seen, 0)
        if self.depth is not None:
            return max(self.depth - seen, 0)
        return 1 if self.keep <= 0 else math.ceil(math.log(NEGLIGIBLE) / math.log(self.keep))

    def value(self, grade: int) -> float:
        """The relevance of a grade as it is judged."""
        return self.values[min(max(grade, 0), len(self.values) - 1)]


def cascade(discount: Callable[[int], float], decay: float, norm: float = 1.0) -> Score:
    """(1/N) sum_i c_i d_i prod_{j<i} (1 - decay c_j)"""

    def score(gains: Gains) -> Any:
        total, reach = 0.0, 1.0
        for rank, gain in enumerate(gains, 1):
            total = total + reach * gain * discount(rank)
            reach = reach * (1 - decay * gain)
        return total / norm

    return score


def average_precision(norm: float) -> Score:
    """(1/N) sum_i (c_i / i) sum_{j<=i} c_j"""

    def score(gains: Gains) -> Any:
        total, relevant = 0.0, 0.0
        for rank, gain in enumerate(gains, 1):
            relevant = relevant + gain
            total = total + gain * relevant / rank
        return total / norm

    return score


def graded(top: int) -> tuple[float, ...]:
    """(2^g - 1) / 2^G"""
    return tuple((2**grade - 1) / 2**top for grade in range(top + 1))


def reciprocal(rank: int) -> float:
    """d_i of ERR and RR."""
    return 1 / rank


def listed(weights: Sequence[float]) -> Callable[[int], float]:
    """d_i as a list has them."""
    return lambda rank: weights[rank - 1] if rank <= len(weights) else 0.0


def seen_gains(documents: Sequence[str], formula: Formula, relevance: Mapping[str, Any]) -> Gains:
    """The relevance of the ranks that a list has."""
    return [relevance[document] for document in documents[: formula.cutoff]]


def difference(
    favoured: Sequence[str],
    other: Sequence[str],
    formula: Formula,
    relevance: Mapping[str, Any],
    cut: bool,
) -> Any:
    """S(favoured) - S(other): its own unseen ranks are relevant, those of the other are not.

    `cut` says whether unseen ranks follow the favoured list.
    """
    filled = [formula.top] * (formula.unseen(len(favoured)) if cut else 0)
    mine = [*seen_gains(favoured, formula, relevance), *filled]
    return formula.score(mine) - formula.score(seen_gains(other, formula, relevance))


def most(
    favoured: Sequence[str],
    other: Sequence[str],
    formula: Formula,
    judged: Mapping[str, int],
    cut: bool,
    intermediate: bool = False,
) -> float:
    """The maximum of S(favoured) - S(other) over every assignment to the unjudged documents.

    `cut` says whether unseen ranks follow the favoured list.

    They are 0 or of top relevance; of any grade with `intermediate`. Nothing else is assumed of
    documents in one list or in both.
    """
    shown = {*favoured[: formula.cutoff], *other[: formula.cutoff]}
    unknown = sorted(shown - judged.keys())
    choices = sorted(set(formula.values)) if intermediate else [0.0, formula.top]
    tried = np.array(list(product(choices, repeat=len(unknown))), dtype=float)
    relevance: dict[str, Any] = {d: formula.value(grade) for d, grade in judged.items()}
    relevance |= {document: tried[:, i] for i, document in enumerate(unknown)}
    return float(np.max(difference(favoured, other, formula, relevance, cut)))


def most_with_unseen(
    favoured: Sequence[str],
    other: Sequence[str],
    formula: Formula,
    judged: Mapping[str, int],
    cut: Cut,
) -> float:
    """As `most`, with a document of its own at each unseen rank: every grade of it is tried too.

    `cut` says whether unseen ranks follow the favoured list, and the other one.
    """
    assert formula.cutoff is not None
    k = formula.cutoff
    mine, theirs = (
        [*documents, *(f"rank {rank} of {side}" for rank in range(len(documents), k) if was_cut)]
        for side, documents, was_cut in zip(
            ("favoured", "other"), (favoured, other), cut, strict=True
        )
    )
    return most(mine, theirs, formula, judged, False, intermediate=True)


def both(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Mapping[str, int],
    cut: Cut,
    intermediate: bool = False,
) -> tuple[float, float]:
    """Gain and loss."""
    gain = most(after, before, formula, judged, cut[1], intermediate)
    return gain, most(before, after, formula, judged, cut[0], intermediate)


def total_discount(discount: Callable[[int], float], decay: float, top: float, ranks: int) -> float:
    """What a list scores whose ranks are all of top relevance."""
    return float(cascade(discount, decay)([top] * ranks))
