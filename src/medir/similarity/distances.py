"""Distances between ranked lists: footrules, Kendall's with weights, Hoeffding's, reciprocal ranks.

0 is agreement, and more is further apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.similarity.tied_ranks import (
    Ranking,
    TiedRanks,
    overlap_by_depth,
    tied_ranks,
    whole_number,
)

Swap = Callable[[int], float]
Weight = Callable[[Any], float]
Distance = Callable[[Any, Any], float]


def footrule(
    x: Ranking, y: Ranking, k: int | None = None, normalized: bool = False
) -> float | None:
    """Spearman's footrule of the first k ranks: a distance from 0 to k (k+1).

    sum over the documents of |rank in x - rank in y|, where a document that is not in the first k
    ranks of a list has the rank k + 1 there (Fagin's induced footrule with location parameter
    k + 1). Without k, k is the length of the longer list. `normalized` divides by k (k+1), which
    disjoint lists of k documents reach; None where that is 0. Tied documents have the mean of their
    ranks.

    A metric for a fixed k.

    Fagin, Kumar and Sivakumar, "Comparing top k lists", SIAM J. Discrete Math. 2003; ties: Fagin et
    al., "Comparing partial rankings", 2006.

    >>> footrule(["a", "b", "c"], ["b", "a", "d"])
    4.0
    >>> footrule(["a", "b"], ["c", "d"], normalized=True)
    1.0
    """
    first, second = tied_ranks(x), tied_ranks(y)
    depth = max(first.size, second.size) if k is None else whole_number("k", k)
    ranks, others = first.top(depth), second.top(depth)
    absent = depth + 1
    total = math.fsum(
        abs(ranks.get(document, absent) - others.get(document, absent))
        for document in ranks.keys() | others.keys()
    )
    if not normalized:
        return total
    return total / (depth * absent) if depth else None


def reciprocal_rank_distance(x: Ranking, y: Ranking, k: int | None = None) -> float:
    """Differences of reciprocal ranks: a distance from 0 to 2 (1 + 1/2 + ... + 1/k).

    sum over the documents of |1/rank in x - 1/rank in y|, where 1/rank is 0 for a document that a
    list does not hold (in its first k ranks, with k). A metric. No ties.

    After Carterette, "Low-cost and robust evaluation of information retrieval systems", thesis,
    University of Massachusetts Amherst 2008, pages 156-157, which compares lists by differences
    of reciprocal ranks. This is the plain sum, without a normalisation.

    >>> reciprocal_rank_distance(["a", "b"], ["b", "a"])
    1.0
    >>> reciprocal_rank_distance(["a"], [])
    1.0
    """
    depth = None if k is None else whole_number("k", k)
    first, second = (
        {
            document: 1 / rank
            for rank, document in enumerate(
                tied_ranks(ranking).order("the reciprocal-rank distance")[:depth], 1
            )
        }
        for ranking in (x, y)
    )
    return math.fsum(
        abs(first.get(document, 0.0) - second.get(document, 0.0))
        for document in first.keys() | second.keys()
    )


def w_hoeffding(x: Ranking, y: Ranking, n: int | None = None, q: float = 1.0) -> float:
    """The expected weighted Hoeffding distance: from 0 on.

    For two orders of all n documents, d_w = sum over the documents of the weights w_t of the steps
    from t to t + 1 between their two ranks, w_t = t^-q: a move near the top counts more. A list is
    taken as all orders that begin with it, tied documents in any order, and the value is the mean
    of d_w over all pairs of such orders. Without n, the documents are those of the two lists.

    It is computed as 2 sum_{t<n} w_t (t - X_t), where X_t is the expected number of documents that
    both have in the first t ranks. A metric on complete lists without ties; else symmetric and
    with the triangle inequality, but a list that leaves orders open is at a distance from itself.

    Sun, Lebanon and Collins-Thompson, "Visualizing differences in web search algorithms using the
    expected weighted Hoeffding distance", WWW 2010.

    >>> w_hoeffding(["a", "b", "c"], ["b", "a", "c"])
    2.0
    >>> w_hoeffding(["a", "b", "c"], ["a", "c", "b"])
    1.0
    >>> w_hoeffding(["a"], ["a"]), w_hoeffding(["a"], ["a"], n=3)
    (0.0, 0.5)
    """
    if isinstance(q, str) or not 0 <= q < math.inf:
        raise UsageError(f"q is a number from 0 on, not {q!r}")
    first, second = tied_ranks(x), tied_ranks(y)
    known = len(first.spans.keys() | second.spans.keys())
    documents = known if n is None else whole_number("n", n, 0)
    if documents < known:
        raise UsageError(f"the two lists hold {known} documents, more than n = {documents}")
    if documents < 2:
        return 0.0
    step = np.arange(1, documents, dtype=np.float64)
    apart = step - _expected_overlap(first, second, documents)
    return float(2 * np.sum(step**-q * np.maximum(apart, 0.0)))


def _expected_overlap(x: TiedRanks, y: TiedRanks, n: int) -> Array:
    """X_t for t < n, where what a list does not hold comes below it in any order."""
    depth = n - 1
    step = np.arange(1, n, dtype=np.float64)
    shared = overlap_by_depth(x.spans, y.spans, depth)
    seen_x = overlap_by_depth(x.spans, _only(x, y), depth)  # what only one of the lists holds
    seen_y = overlap_by_depth(y.spans, _only(y, x), depth)
    unseen_x = np.clip((step - x.size) / max(n - x.size, 1), 0, 1)
    unseen_y = np.clip((step - y.size) / max(n - y.size, 1), 0, 1)
    neither = n - len(x.spans.keys() | y.spans.keys())
    overlap = shared + seen_x * unseen_y + seen_y * unseen_x + neither * unseen_x * unseen_y
    return np.asarray(overlap, dtype=np.float64)


def _only(x: TiedRanks, y: TiedRanks) -> dict[Hashable, tuple[int, int]]:
    """What only x holds, each at rank 1, so that its overlap with x is what x has shown of it."""
    return {document: (1, 1) for document in x.spans if document not in y.spans}


def weighted_kendall(
    x: Ranking,
    y: Ranking,
    swap: Swap | None = None,
    weight: Weight | None = None,
    distance: Distance | None = None,
) -> float | None:
    """Kendall's distance with weights of ranks and documents: from 0 on.

    K* = sum over the pairs of documents i, j that the lists order differently of
    w_i w_j p_i p_j D_ij. Without weights, the number of such pairs.

    - `swap(r)`, the position weight: what it costs to exchange the ranks r-1 and r, for r >= 2. A
      document that moves from rank r to rank s has p_i, the mean cost of the swaps between them; a
      document that stays has p_i = 1.
    - `weight(document)`, the element weight w_i.
    - `distance(document, document)`, the element distance D_ij: little for documents that are much
      alike. A similarity s from 0 to 1 becomes 1 - s.

    It is defined on two orders of the same documents: those that both lists hold, ranked among
    themselves. None where fewer than two are shared. No ties. A metric on lists of the same
    documents for positive w and D, without `swap`.

    Kumar and Vassilvitskii, "Generalized distances between rankings", WWW 2010.

    >>> weighted_kendall(["a", "b", "c"], ["c", "b", "a"])
    3.0
    >>> weighted_kendall(["a", "b", "c"], ["b", "a", "c"], swap=lambda rank: 1 / rank)
    0.25
    >>> weighted_kendall(["a", "b"], ["b", "a"], distance=lambda one, other: 0.5)
    0.5
    """
    places = _shared_places(x, y, "the weighted Kendall distance")
    if places is None:
        return None
    before, after, costs = _moves(places, swap, weight, distance)
    return float(np.sum(costs[before & ~after]))


def weighted_footrule(
    x: Ranking,
    y: Ranking,
    swap: Swap | None = None,
    weight: Weight | None = None,
    distance: Distance | None = None,
) -> float | None:
    """Spearman's footrule with weights of ranks and documents: a distance from 0 on.

    F* = sum_i w_i p_i |sum_{j above i in x} w_j p_j D_ij - sum_{j above i in y} w_j p_j D_ij|.
    Without weights, sum_i |rank in x - rank in y|. The weights, and what is missing, are those of
    `weighted_kendall`; the two distances differ by no more than a constant factor.

    A metric on lists of the same documents for positive w and D that is a metric, without `swap`.

    Kumar and Vassilvitskii, "Generalized distances between rankings", WWW 2010.

    >>> weighted_footrule(["a", "b", "c"], ["c", "b", "a"])
    4.0
    >>> weighted_footrule(["a", "b", "c"], ["b", "a", "c"], swap=lambda rank: 1 / rank)
    0.5
    """
    places = _shared_places(x, y, "the weighted footrule")
    if places is None:
        return None
    before, after, costs = _moves(places, swap, weight, distance)
    above = costs * (before.astype(np.float64) - after)
    return float(np.sum(np.abs(np.sum(above, axis=0))))


Places = tuple[list[Hashable], dict[Hashable, int]]


def _shared_places(x: Ranking, y: Ranking, purpose: str) -> Places | None:
    """The shared documents in the order of x, and their places, from 1, in that of y."""
    first, second = (tied_ranks(ranking).order(purpose) for ranking in (x, y))
    known, others = set(first), set(second)
    shared = [document for document in first if document in others]
    places = {document: 1 + i for i, document in enumerate(d for d in second if d in known)}
    return (shared, places) if len(shared) >= 2 else None


def _moves(
    places: Places, swap: Swap | None, weight: Weight | None, distance: Distance | None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Array]:
    """Of all pairs i, j in the order of x: is i above j in x, in y, and w_i p_i w_j p_j D_ij."""
    documents, other = places
    ranks = np.arange(1, len(documents) + 1)
    others = np.array([other[document] for document in documents])
    weights = _mean_swaps(ranks, others, swap)
    if weight is not None:
        weights = weights * [_positive("weight", weight(document)) for document in documents]
    costs = np.outer(weights, weights)
    if distance is not None:
        costs *= _distances(documents, distance)
    return ranks[:, None] < ranks, others[:, None] < others, costs


def _mean_swaps(ranks: NDArray[np.int64], others: NDArray[np.int64], swap: Swap | None) -> Array:
    """What a step costs each document, in the mean of the steps between its two ranks."""
    if swap is None:
        return np.ones(len(ranks))
    costs = [_positive("swap", swap(rank)) for rank in range(2, len(ranks) + 1)]
    position = np.cumsum([0.0, 1.0, *costs])  # p_1 = 1, p_r = p_(r-1) + swap(r)
    moved = ranks != others
    steps = np.where(moved, ranks - others, 1)
    mean = np.where(moved, (position[ranks] - position[others]) / steps, 1.0)
    return np.asarray(mean, dtype=np.float64)


def _distances(documents: list[Hashable], distance: Distance) -> Array:
    matrix = np.zeros((len(documents), len(documents)))
    for i, one in enumerate(documents):
        for j, other in enumerate(documents[:i]):
            matrix[i, j] = matrix[j, i] = _positive("distance", distance(one, other))
            if distance(other, one) != matrix[i, j]:
                raise UsageError(f"distance is not the same both ways for {one!r} and {other!r}")
    return matrix


def _positive(name: str, value: float) -> float:
    if not 0 <= value < math.inf:
        raise UsageError(f"{name} gives numbers from 0 on, not {value!r}")
    return float(value)
