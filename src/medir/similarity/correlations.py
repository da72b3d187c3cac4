"""Rank correlations of the documents that two lists share: tau_b, rho and tau_AP.

What only one list holds does not count, and the shared documents are ranked among themselves. With
fewer than two of them there is nothing to correlate, and the value is None.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.similarity.tied_ranks import Ranking, TiedRanks, tied_ranks


def tau_b(x: Ranking, y: Ranking) -> float | None:
    """Kendall's tau-b of the shared documents: a similarity from -1 to 1.

    (C - D) / sqrt((n0 - n_x) (n0 - n_y)): of the n0 pairs of shared documents, C are in the same
    order in both lists and D in the opposite one; n_x and n_y are tied in x and in y. None where
    all shared documents are tied in a list, or fewer than two are shared.

    Kendall, "The treatment of ties in ranking problems", Biometrika 1945.

    >>> round(tau_b(["a", "b", "c"], ["b", "a", "c"]), 6)
    0.333333
    >>> tau_b(["a", "b"], ["a", "c"]) is None
    True
    """
    first, second = _shared_ranks(tied_ranks(x), tied_ranks(y))
    pairs = len(first) * (len(first) - 1) // 2
    untied = (pairs - _tied_pairs(first)) * (pairs - _tied_pairs(second))
    if untied == 0:
        return None
    agreeing = sum(
        int(np.sum(np.sign(first[i] - first[:i]) * np.sign(second[i] - second[:i])))
        for i in range(1, len(first))
    )
    return max(-1.0, min(1.0, agreeing / math.sqrt(untied)))


def rho(x: Ranking, y: Ranking) -> float | None:
    """Spearman's rho of the shared documents: a similarity from -1 to 1.

    Pearson's correlation of their ranks among themselves, where tied documents have the mean of
    their ranks; without ties 1 - 6 sum_i (r_i - s_i)^2 / (n^3 - n). None where all shared documents
    are tied in a list, or fewer than two are shared.

    Spearman, "The proof and measurement of association between two things", 1904.

    >>> rho(["a", "b", "c"], ["b", "a", "c"])
    0.5
    """
    first, second = (_mean_ranks(ranks) for ranks in _shared_ranks(tied_ranks(x), tied_ranks(y)))
    if len(first) < 2:
        return None
    first, second = first - first.mean(), second - second.mean()
    scale = math.sqrt(float(first @ first) * float(second @ second))
    return max(-1.0, min(1.0, float(first @ second) / scale)) if scale else None


def tau_ap(x: Ranking, y: Ranking, symmetric: bool = False) -> float | None:
    """AP correlation of the shared documents, top-weighted: a similarity from -1 to 1.

    tau_AP = 2/(n-1) sum_{i=2..n} C(i)/(i-1) - 1, where C(i) counts the documents above rank i of y
    that x, *the reference*, has above the document at rank i too. So an exchange at the top of y
    costs more. Not symmetric; `symmetric=True` is the mean of both ways. No ties. None where fewer
    than two documents are shared.

    Yilmaz, Aslam and Robertson, "A new rank correlation coefficient for information retrieval",
    SIGIR 2008.

    >>> tau_ap(["a", "b", "c"], ["a", "c", "b"]), tau_ap(["a", "b", "c"], ["b", "a", "c"])
    (0.5, 0.0)
    >>> round(tau_ap(["a", "b", "c", "d"], ["b", "c", "a", "d"]), 6)
    0.333333
    >>> round(tau_ap(["b", "c", "a", "d"], ["a", "b", "c", "d"]), 6)
    0.0
    """
    reference, other = (tied_ranks(ranking).order("tau_AP") for ranking in (x, y))
    one = _tau_ap(reference, other)
    if one is None or not symmetric:
        return one
    back = _tau_ap(other, reference)
    assert back is not None  # it has as many shared documents
    return (one + back) / 2


def _tau_ap(reference: list[Hashable], other: list[Hashable]) -> float | None:
    places = {document: i for i, document in enumerate(reference)}
    shared = [places[document] for document in other if document in places]
    if len(shared) < 2:
        return None
    above = [shared[0]]
    total = 0.0
    for place in shared[1:]:
        total += bisect_left(above, place) / len(above)
        insort(above, place)
    return 2 * total / (len(shared) - 1) - 1


def _shared_ranks(x: TiedRanks, y: TiedRanks) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    shared = [document for document in x.spans if document in y.spans]
    first, second = (
        np.array([ranks.spans[document][0] for document in shared], dtype=np.int64)
        for ranks in (x, y)
    )
    return first, second


def _tied_pairs(ranks: NDArray[np.int64]) -> int:
    counts = np.unique(ranks, return_counts=True)[1]
    return int(np.sum(counts * (counts - 1) // 2))


def _mean_ranks(ranks: NDArray[np.int64]) -> Array:
    _, places, counts = np.unique(ranks, return_inverse=True, return_counts=True)
    mean = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(mean[places], dtype=np.float64)
