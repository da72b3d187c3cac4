"""Overlap of the first ranks of two lists."""

from __future__ import annotations

from medir.similarity.tied_ranks import Ranking, tied_ranks, whole_number


def jaccard(x: Ranking, y: Ranking, k: int) -> float | None:
    """Jaccard's coefficient of the first k ranks: a similarity from 0 to 1.

    |X ∩ Y| / |X ∪ Y|, with the sets of documents in the first k ranks. None where both are empty.
    1 - Jaccard@k is a metric on these sets. The order within the first k does not count.

    Jaccard, 1901; Levandowsky and Winter, "Distance between sets", Nature 1971.

    >>> jaccard(["a", "b", "c"], ["b", "d", "a"], 2)
    0.3333333333333333
    """
    depth = whole_number("k", k)
    first, second = (tied_ranks(ranking).top(depth).keys() for ranking in (x, y))
    return len(first & second) / len(first | second) if first or second else None


def overlap(x: Ranking, y: Ranking, k: int) -> float:
    """Overlap of the first k ranks: a similarity from 0 to 1.

    |X ∩ Y| / k, with the sets of documents in the first k ranks; lists shorter than k do not reach
    1. 1 - Overlap@k is a metric on sets of k documents.

    The agreement at depth k of Webber, Moffat and Zobel, "A similarity measure for indefinite
    rankings", TOIS 2010.

    >>> overlap(["a", "b", "c"], ["b", "d", "a"], 2)
    0.5
    """
    depth = whole_number("k", k)
    first, second = (tied_ranks(ranking).top(depth).keys() for ranking in (x, y))
    return len(first & second) / depth


def anchor_map(x: Ranking, y: Ranking, k: int) -> float | None:
    """AnchorMAP: the average precision of y if the first k of x were relevant; from 0 to 1.

    (1/R) sum over the ranks i of y that hold one of the first k documents of x of (the number of
    those in the first i ranks of y) / i. R is k, or the length of x where that is less. All ranks
    of y count. Not symmetric: x is the anchor. No ties in y. None where x is empty.

    Buckley, "Topic prediction based on comparative retrieval rankings", SIGIR 2004.

    >>> anchor_map(["a", "b", "c"], ["b", "d", "a"], 2)
    0.8333333333333333
    """
    relevant = tied_ranks(x).top(whole_number("k", k))
    found, total = 0, 0.0
    for rank, document in enumerate(tied_ranks(y).order("the second list of AnchorMAP"), 1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant) if relevant else None
