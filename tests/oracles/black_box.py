"""MED of a measure that is any function of a relevance vector: every assignment is tried.

Nothing here comes from medir.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from tests.oracles.unseen import Cut


def both(
    before: Sequence[str],
    after: Sequence[str],
    score: Callable[[Any], Any],
    values: Sequence[float],
    judged: Mapping[str, int],
    cutoff: int | None,
    cut: Cut,
) -> tuple[float, float]:
    """Gain and loss: every value for every unjudged document and unseen rank is tried."""
    scored = cache(lambda relevance: float(score(np.array(relevance, dtype=float))))
    top = len(values) - 1
    known = {d: values[min(max(grade, 0), top)] for d, grade in judged.items()}
    known["nothing"] = values[0]
    lists = filled(before, cutoff, "before", cut[0]), filled(after, cutoff, "after", cut[1])
    unknown = sorted({*lists[0], *lists[1]} - known.keys())
    differences = []
    for chosen in itertools.product(values, repeat=len(unknown)):
        value = known | dict(zip(unknown, chosen, strict=True))
        first, second = (scored(tuple(value[d] for d in documents)) for documents in lists)
        differences.append(second - first)
    return max(differences), -min(differences)


def filled(documents: Sequence[str], cutoff: int | None, side: str, cut: bool) -> list[str]:
    """What stands at each rank: below a list that ended, nothing."""
    if cutoff is None:
        return list(documents)
    ranks = range(len(documents), cutoff)
    below = [f"rank {rank} of {side}" if cut else "nothing" for rank in ranks]
    return [*documents, *below][:cutoff]
