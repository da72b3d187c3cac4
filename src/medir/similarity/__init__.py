"""Rank similarities and distances of two ranked lists, to set beside MED.

A ranking is a sequence of documents, best first. A tuple, list or set in it is a tie. What cannot
be computed, such as a correlation of fewer than two shared documents, is None.

>>> from medir.similarity import rbo, tau_b, footrule
>>> round(rbo(["a", "b", "c"], ["b", "a", "d"], p=0.9), 6)
0.63
>>> tau_b(["a", "b", "c"], ["b", "a", "d"])
-1.0
>>> footrule(["a", ("b", "c"), "d"], ["b", "c", "a", "d"])
4.0
"""

from __future__ import annotations

from medir.similarity.correlations import rho, tau_ap, tau_b
from medir.similarity.distances import (
    footrule,
    reciprocal_rank_distance,
    w_hoeffding,
    weighted_footrule,
    weighted_kendall,
)
from medir.similarity.overlaps import anchor_map, jaccard, overlap
from medir.similarity.rank_biased_overlap import rbo
from medir.similarity.tied_ranks import Ranking

__all__ = [
    "Ranking", "anchor_map", "footrule", "jaccard", "overlap", "rbo", "reciprocal_rank_distance",
    "rho", "tau_ap", "tau_b", "w_hoeffding", "weighted_footrule", "weighted_kendall",
]  # fmt: skip
