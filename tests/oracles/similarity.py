"""Rank similarities by brute force: their definitions, word for word.

Nothing here is clever and nothing comes from medir. A ranking is a list of ties, each a tuple of
documents. Where a definition speaks of all orders, all orders are tried; where it speaks of an
endless list, the list is written out so far that the rest is below what a float can tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

Ties = Sequence[Sequence[str]]
Order = Sequence[str]
DEEP = 300  # p^DEEP is nothing for the p that tests use


def orders(ranking: Ties) -> Iterator[list[str]]:
    """All orders of the tied documents."""
    for chosen in product(*(permutations(tie) for tie in ranking)):
        yield [document for tie in chosen for document in tie]


def first_rank(ranking: Ties, document: str) -> int:
    """The first rank of the tie of a document."""
    rank = 1
    for tie in ranking:
        if document in tie:
            return rank
        rank += len(tie)
    raise KeyError(document)


def documents(ranking: Ties) -> list[str]:
    return [document for tie in ranking for document in tie]


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# Rank-biased overlap.


def rbo_of_endless(x: Order, y: Order, p: float) -> float:
    """RBO of two lists that are given so deep that nothing below counts."""
    return math.fsum(
        (1 - p) * p ** (d - 1) * len(set(x[:d]) & set(y[:d])) / d for d in range(1, DEEP + 1)
    )


def rbo_min(x: Order, y: Order, p: float) -> float:
    """Both lists go on with documents of their own."""
    return rbo_of_endless(
        [*x, *(f"x{i}" for i in range(DEEP))], [*y, *(f"y{i}" for i in range(DEEP))], p
    )


def rbo_max(x: Order, y: Order, p: float) -> float:
    """Both lists go on with what the other one has, as early as they can, then with the same."""
    one, other = sorted((list(x), list(y)), key=len)
    for rank in range(1, DEEP + 1):
        for mine, theirs in ((one, other[:rank]), (other, list(one))):
            if len(mine) < rank:
                known = {*mine}
                missing = [document for document in theirs if document not in known]
                mine.append(missing[0] if missing else f"new{rank}")
    return rbo_of_endless(one, other, p)


def rbo_ext(x: Order, y: Order, p: float) -> float:
    """Lists of one length, without ties: the last agreement goes on for ever."""
    assert len(x) == len(y)
    agreement = [len(set(x[:d]) & set(y[:d])) / d for d in range(1, len(x) + 1)]
    agreement += [agreement[-1]] * (DEEP - len(x))
    return math.fsum((1 - p) * p**i * value for i, value in enumerate(agreement))


def rbo_w(x: Ties, y: Ties, p: float) -> float:
    """Extrapolated, of lists of one length: a tie is there as soon as its first rank is."""
    depth = len(documents(x))
    agreement = []
    for d in range(1, depth + 1):
        one, other = ({e for e in documents(r) if first_rank(r, e) <= d} for r in (x, y))
        agreement.append(2 * len(one & other) / (len(one) + len(other)))
    agreement += [agreement[-1]] * (DEEP - depth)
    return math.fsum((1 - p) * p**i * value for i, value in enumerate(agreement))


def rbo_b(x: Ties, y: Ties, p: float) -> float:
    """Extrapolated, of lists of one length: cosine of the probabilities to lie above a depth."""
    depth = len(documents(x))
    known = sorted({*documents(x), *documents(y)})
    agreement = []
    for d in range(1, depth + 1):
        one, other = (
            [mean([document in order[:d] for order in orders(r)]) for document in known]
            for r in (x, y)
        )
        agreement.append(_dot(one, other) / math.sqrt(_dot(one, one) * _dot(other, other)))
    agreement += [agreement[-1]] * (DEEP - depth)
    return math.fsum((1 - p) * p**i * value for i, value in enumerate(agreement))


def _dot(x: Sequence[float], y: Sequence[float]) -> float:
    return math.fsum(a * b for a, b in zip(x, y, strict=True))


# Correlations of the shared documents.


def tau_b(x: Ties, y: Ties) -> float | None:
    shared = [document for document in documents(x) if document in documents(y)]
    score, untied_x, untied_y = 0, 0, 0
    for a, b in combinations(shared, 2):
        one, other = (first_rank(r, a) - first_rank(r, b) for r in (x, y))
        untied_x += one != 0
        untied_y += other != 0
        score += (one * other > 0) - (one * other < 0)
    return score / math.sqrt(untied_x * untied_y) if untied_x and untied_y else None


def tau_ap(reference: Order, order: Order) -> float | None:
    """2 P(right) - 1: a document but the first of the order, and one above it, at random."""
    shared = [document for document in order if document in reference]
    if len(shared) < 2:
        return None
    chances = []
    for i in range(1, len(shared)):
        right = [reference.index(above) < reference.index(shared[i]) for above in shared[:i]]
        chances.append(mean(right))
    return 2 * mean(chances) - 1


# Distances.


def footrule(x: Order, y: Order, k: int) -> float:
    def rank(order: Order, document: str) -> int:
        return order.index(document) + 1 if document in order[:k] else k + 1

    return sum(abs(rank(x, e) - rank(y, e)) for e in {*x[:k], *y[:k]})


def reciprocal_rank_distance(x: Order, y: Order) -> float:
    def value(order: Order, document: str) -> float:
        return 1 / (order.index(document) + 1) if document in order else 0

    return math.fsum(abs(value(x, e) - value(y, e)) for e in {*x, *y})


def hoeffding(x: Order, y: Order, q: float) -> float:
    """d_w of two orders of the same documents: the weights of all steps between two ranks."""
    total = 0.0
    for document in x:
        low, high = sorted((x.index(document) + 1, y.index(document) + 1))
        total += math.fsum(step**-q for step in range(low, high))
    return total


def w_hoeffding(x: Ties, y: Ties, n: int, q: float) -> float:
    """The mean of d_w over all orders of n documents that begin with the lists."""
    known = sorted({*documents(x), *documents(y)})
    known += [f"other{i}" for i in range(n - len(known))]
    one, other = (
        list(orders([*r, tuple(e for e in known if e not in documents(r))])) for r in (x, y)
    )
    return mean([hoeffding(a, b, q) for a in one for b in other])


class Weights:
    """The weights of Kumar and Vassilvitskii, for two orders of the same documents."""

    def __init__(
        self,
        x: Order,
        y: Order,
        swap: Callable[[int], float],
        weight: Mapping[str, float],
        distance: Callable[[str, str], float],
    ) -> None:
        self.x, self.y, self.swap, self.weight, self.distance = x, y, swap, weight, distance

    def position(self, rank: int) -> float:
        return 1 + math.fsum(self.swap(r) for r in range(2, rank + 1))

    def mean_swap(self, document: str) -> float:
        one, other = self.x.index(document) + 1, self.y.index(document) + 1
        if one == other:
            return 1
        return (self.position(one) - self.position(other)) / (one - other)

    def of(self, document: str) -> float:
        return self.weight[document] * self.mean_swap(document)

    def kendall(self) -> float:
        total = 0.0
        for i, j in combinations(self.x, 2):
            if self.y.index(i) > self.y.index(j):
                total += self.of(i) * self.of(j) * self.distance(i, j)
        return total

    def footrule(self) -> float:
        def above(order: Order, i: str) -> float:
            return math.fsum(self.of(j) * self.distance(i, j) for j in order[: order.index(i)])

        return math.fsum(self.of(i) * abs(above(self.x, i) - above(self.y, i)) for i in self.x)


# Sets.


def average_precision(relevant: Sequence[str], order: Order) -> float:
    precisions = [
        len({*order[:rank]} & {*relevant}) / rank
        for rank in range(1, len(order) + 1)
        if order[rank - 1] in relevant
    ]
    return math.fsum(precisions) / len(relevant)
