"""Scores that say the same as the order of lists: they fall from result to result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]


class Descending(NamedTuple):
    """Scores whose order is that of the lists, and in how many lists they had to change."""

    values: Values
    lowered: int  # lists with ties that were broken by the smallest steps
    counted: int  # lists whose scores went another way, and now count down to 1


def descending(
    values: Values, ends: NDArray[Any], documents: Sequence[bytes] | None = None
) -> Descending:
    """The scores of lists, changed where they would not lead to the order that the lists have.

    Scores are compared in single precision. With the documents, a tie may stay where the ids
    descend, since readers break ties so; without them no tie stays. Lists whose scores are all
    equal and will not do count down too, but are not counted: they said nothing. `ends` are where
    lists end.

    >>> scores, ends = np.array([2.0, 1.0, 1.0, 3.0, np.nan, 7.0]), np.array([3, 5, 6])
    >>> descending(scores, ends, [b"a", b"c", b"b", b"x", b"y", b"z"])
    Descending(values=array([2., 1., 1., 2., 1., 7.]), lowered=0, counted=1)
    """
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    begins = np.concatenate([[0], ends[:-1]]).astype(np.int64)
    lists = np.unique(np.searchsorted(ends, _misplaced(single, begins, documents), side="right"))
    if not len(lists):
        return Descending(values, 0, 0)
    values, lowered, counted = values.copy(), 0, 0
    for number in lists:
        part = slice(int(begins[number]), int(ends[number]))
        some = _lowered(single[part], None if documents is None else documents[part])
        if some is None:
            values[part] = np.arange(part.stop - part.start, 0, -1)
            counted += bool(np.any(single[part] != single[part.start]))
        else:
            changed = some != single[part]
            values[part][changed] = some[changed]
            lowered += 1
    return Descending(values, lowered, counted)


def _misplaced(
    single: NDArray[np.float32], begins: NDArray[np.int64], documents: Sequence[bytes] | None
) -> NDArray[np.int64]:
    """Where a score does not follow the one above it, or is none."""
    follows = np.empty(len(single), dtype=bool)
    follows[1:] = single[:-1] > single[1:]
    follows[begins[begins < len(single)]] = True
    if documents is not None:
        ties = np.flatnonzero(~follows[1:] & (single[:-1] == single[1:])) + 1
        for i in ties.tolist():
            follows[i] = documents[i - 1] > documents[i]
    return np.flatnonzero(~follows | np.isnan(single))


def _lowered(
    single: NDArray[np.float32], documents: Sequence[bytes] | None
) -> NDArray[np.float32] | None:
    """Scores whose ties are broken by the smallest steps; None where that will not do."""
    falls = np.all(single[:-1] >= single[1:]) and not np.isnan(single[0])
    if not falls or single[0] == single[-1]:
        return None
    lowest, scores = np.float32(-np.inf), single.copy()
    for i in range(1, len(scores)):
        above = scores[i - 1]
        tie_stays = documents is not None and documents[i - 1] > documents[i]
        if scores[i] > above or (scores[i] == above and not tie_stays):
            if above == lowest:
                return None
            scores[i] = np.nextafter(above, lowest)
    return scores
