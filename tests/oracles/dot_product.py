"""MED by brute force: the definition that everything else is checked against.

Nothing here is clever and nothing comes from medir. A measure is plain numbers (`Formula`), lists
hold the names of documents, judgments are `{document: grade}`. `gain`, `loss` and `med` try every
assignment of relevance; `least_med` and `most_both` try every continuation of both lists as well.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from tests.oracles.unseen import BOTH_CUT, BOTH_ENDED, Cut

Discount = Callable[[int], float]
Judged = Mapping[str, int]
Ideal = str | int | Mapping[int, int]
NOTHING: Judged = {}


@dataclass(frozen=True)
class Formula:
    """A measure without decay: S(C) = (1/N) sum_i c_i d_i.

    `values` are r_0..r_G. The measure looks at `cutoff` ranks; at all ranks where that is None, and
    then `tail(K)` is the sum of d_i for i > K. `counts` says how many documents of each grade the
    collection holds, where that is known: those not named have none, and grade 0 has no limit.
    """

    discount: Discount
    values: Sequence[float]
    norm: float
    cutoff: int | None
    tail: Discount | None = None
    counts: Mapping[int, int] | None = None


@dataclass(frozen=True)
class Slot:
    """A document (or a placeholder for one) in a list, and the discount that it meets there."""

    document: str
    weight: float


# The parts that formulas are made of.


def logarithmic(rank: int) -> float:
    """d_i of nDCG, DCG and SDCG."""
    return 1 / math.log2(rank + 1)


def flat(_: int) -> float:
    """d_i of precision."""
    return 1.0


def geometric(p: float) -> tuple[Discount, Discount]:
    """d_i of RBP, and what lies below a rank."""
    return lambda rank: (1 - p) * p ** (rank - 1), lambda depth: p**depth


def inverse_squares(t: float) -> tuple[Discount, Discount]:
    """d_i of INSQ, and what lies below a rank."""
    total = squares_from(2 * t)

    def discount(rank: int) -> float:
        return (2 * t + (rank - 1)) ** -2 / total

    return discount, lambda depth: squares_from(2 * t + depth) / total


@cache
def squares_from(x: float, terms: int = 2000) -> float:
    """Sum of 1 / (x + n)^2 over n = 0, 1, ...: many terms, then the rest as an integral."""
    y = x + terms
    rest = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3)
    return math.fsum([*((x + n) ** -2 for n in range(terms)), rest])


def relevance(gains: str, top: int, rel: int = 1, unit: bool = True) -> list[float]:
    """r_0..r_G for G = `top`; `unit` scales exponential gains so that r_G = 1."""
    match gains:
        case "binary":
            return [1.0 if grade >= rel else 0.0 for grade in range(top + 1)]
        case "linear":
            return [grade / top for grade in range(top + 1)]
        case _:
            whole = 2**top - 1 if unit else 2**top
            return [(2**grade - 1) / whole for grade in range(top + 1)]


def dcg(gains: Iterable[float], discount: Discount, cutoff: int) -> float:
    """Sum of c_i d_i over the ranks up to the cutoff."""
    return math.fsum(c * discount(i) for i, c in enumerate(gains, 1) if i <= cutoff)


def ideal_dcg(
    ideal: Ideal, values: Sequence[float], discount: Discount, cutoff: int, judged: Judged = NOTHING
) -> float:
    """The best that a list can reach, with what is known of the collection."""
    if ideal == "unbounded":
        gains = [values[-1]] * cutoff
    elif ideal == "judged":
        gains = [values[max(grade, 0)] for grade in judged.values()]
    elif isinstance(ideal, int):
        gains = [values[-1]] * ideal
    else:
        assert isinstance(ideal, Mapping), ideal
        gains = [values[grade] for grade, count in ideal.items() for _ in range(count)]
    return dcg(sorted(gains, reverse=True), discount, cutoff)


# Scores, and the largest difference of two.


def score(documents: Sequence[str], formula: Formula, judged: Judged) -> float:
    """S of a list; a document without judgment is not relevant."""
    if formula.norm == 0:  # no relevant document is known: as in trec_eval, every list scores 0
        return 0.0
    grades = {
        slot.document: max(judged.get(slot.document, 0), 0) for slot in seen(documents, formula)
    }
    return sum_of(seen(documents, formula), grades, formula) / formula.norm


def gain(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> float:
    """The maximum of S(after) - S(before)."""
    return both(before, after, formula, judged, cut)[0]


def loss(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> float:
    """The maximum of S(before) - S(after)."""
    return both(before, after, formula, judged, cut)[1]


def med(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> float:
    """The maximum of |S(after) - S(before)|."""
    return max(both(before, after, formula, judged, cut))


def both(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> tuple[float, float]:
    """Gain and loss: every grade for every unjudged document and unseen rank is tried."""
    known = {document: max(grade, 0) for document, grade in judged.items()}
    differences = []
    for first in filled(before, "before", formula, known, cut[0]):
        for second in filled(after, "after", formula, known, cut[1]):
            for grades in assignments([*first, *second], formula, known):
                differences.append(sum_of(second, grades, formula) - sum_of(first, grades, formula))
    return max(differences) / formula.norm, -min(differences) / formula.norm


def seen(documents: Sequence[str], formula: Formula) -> list[Slot]:
    """The documents of a list that the measure looks at."""
    ranks = enumerate(documents[: formula.cutoff], 1)
    return [Slot(document, formula.discount(rank)) for rank, document in ranks]


def sum_of(slots: Iterable[Slot], grades: Mapping[str, int], formula: Formula) -> float:
    """Sum of c_i d_i."""
    return math.fsum(formula.values[grades[slot.document]] * slot.weight for slot in slots)


def filled(
    documents: Sequence[str], side: str, formula: Formula, judged: Judged, cut: bool
) -> Iterator[list[Slot]]:
    """A list with its unseen ranks, in every way that matters; it has none where it ended.

    A placeholder stands for a document of its own at each unseen rank. Where a measure looks
    endlessly deep, one placeholder with the sum of their discounts stands for all of them: each can
    take every value whatever the others take, so a largest and a smallest sum give all of them one
    common value.

    A placeholder can take the value of any judged document, so nothing else need be tried. That is
    not so where counts limit the assignment: judged documents, which have their grade already, are
    tried at the unseen ranks too. (Unjudged documents of the other list need not be: a new document
    uses up a grade just the same, and adds nothing to the other list.)
    """
    slots = seen(documents, formula)
    if not cut:
        yield slots
        return
    if formula.cutoff is None:
        assert formula.tail is not None
        yield [*slots, Slot(f"all unseen of {side}", formula.tail(len(documents)))]
        return
    ranks = range(len(slots) + 1, formula.cutoff + 1)
    present = {slot.document for slot in slots}
    others = [] if formula.counts is None else [d for d in judged if d not in present]
    for chosen in product([None, *others], repeat=len(ranks)):
        taken = [document for document in chosen if document is not None]
        if len(set(taken)) == len(taken):
            yield slots + [
                Slot(document or f"unseen {rank} of {side}", formula.discount(rank))
                for rank, document in zip(ranks, chosen, strict=True)
            ]


def assignments(
    slots: Sequence[Slot], formula: Formula, judged: Judged
) -> Iterator[dict[str, int]]:
    """Every grade for every unjudged document, as far as counts allow."""
    unknown = sorted({slot.document for slot in slots} - judged.keys())
    grades = list(range(len(formula.values)))
    left = {}
    if formula.counts is None:  # one grade for each value is enough
        grades = [g for g in grades if formula.values[g] not in formula.values[:g]]
    else:
        used = Counter(judged.values())
        left = {g: max(formula.counts.get(g, 0) - used[g], 0) for g in grades if g > 0}
    for chosen in product(grades, repeat=len(unknown)):
        if all(chosen.count(grade) <= count for grade, count in left.items()):
            yield {**judged, **dict(zip(unknown, chosen, strict=True))}


def by_document(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> tuple[float, float]:
    """As `both`, for lists of any length, without counts: each document is decided alone.

    The largest sum of terms, each of which depends on one document only, is the sum of the largest
    terms.
    """
    assert formula.counts is None
    weights: dict[str, float] = {}
    for documents, sign, was_cut in ((before, -1, cut[0]), (after, 1, cut[1])):
        for slot in next(filled(documents, str(sign), formula, {}, was_cut)):
            weights[slot.document] = weights.get(slot.document, 0) + sign * slot.weight
    most, least = [], []
    for document, weight in weights.items():
        known = document in judged
        possible = [formula.values[max(judged[document], 0)]] if known else formula.values
        most.append(max(value * weight for value in possible))
        least.append(min(value * weight for value in possible))
    return math.fsum(most) / formula.norm, -math.fsum(least) / formula.norm


# Lists that are not known to full depth.


def continuations(
    before: Sequence[str], after: Sequence[str], depth: int, judged: Judged, cut: Cut = BOTH_CUT
) -> Iterator[tuple[list[str], list[str]]]:
    """Every way to continue both lists to a depth; one that ended stays as it is.

    An unseen rank holds a document that is not in the list yet: of the other list, a judged one, or
    a new one, which the other list may have too.
    """
    depths = [depth if was_cut else 0 for was_cut in cut]
    for first in continued(before[:depth], depths[0], [*after, *judged], "before"):
        for second in continued(after[:depth], depths[1], [*first, *before, *judged], "after"):
            yield first, second


def continued(
    documents: Sequence[str], depth: int, known: Sequence[str], side: str
) -> Iterator[list[str]]:
    """Every way to continue one list, with known documents or new ones."""
    if len(documents) >= depth:
        yield list(documents)
        return
    for document in [*dict.fromkeys(known), f"new {len(documents) + 1} of {side}"]:
        if document not in documents:
            yield from continued([*documents, document], depth, known, side)


def at_full_depth(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged,
    depth: int,
    cut: Cut = BOTH_CUT,
) -> Iterator[tuple[float, float]]:
    """Gain and loss of every continuation.

    A measure that looks deeper than `depth` is taken to see the same documents in both lists there:
    they change nothing.
    """
    whole = replace(formula, cutoff=depth, tail=None)
    solve = by_document if formula.counts is None else both
    for first, second in continuations(before, after, depth, judged, cut):
        yield solve(first, second, whole, judged, BOTH_ENDED)


def least_med(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    depth: int | None = None,
    cut: Cut = BOTH_CUT,
) -> float:
    """The smallest med that both lists can have once they are known to full depth."""
    depth = depth or formula.cutoff
    assert depth is not None
    return min(max(pair) for pair in at_full_depth(before, after, formula, judged, depth, cut))


def most_both(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged = NOTHING,
    cut: Cut = BOTH_CUT,
) -> tuple[float, float]:
    """The largest gain and the largest loss that both lists can have at full depth."""
    assert formula.cutoff is not None
    pairs = list(at_full_depth(before, after, formula, judged, formula.cutoff, cut))
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
