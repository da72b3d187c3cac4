"""Systems and their distances, as pictures show them: labels, groups and what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from medir.base.arrays import Array
from medir.errors import UsageError
from medir.rendering.pictures.style import COLOURS, GREY, MARKERS, PALE, labels_of, printable

Bools = NDArray[np.bool_]

TOLERANCE = 1e-9  # of symmetry
NO_GROUP = "no group"


@dataclass(frozen=True)
class Systems:
    """Systems as they are drawn: label, group and distances of each."""

    labels: list[str]
    distances: Array
    groups: list[str] | None

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def apart(self) -> Array:
        """The distances between different systems, with zeros on the diagonal."""
        apart = (self.distances + self.distances.T) / 2
        np.fill_diagonal(apart, 0)
        return apart

    @cached_property
    def _ranked(self) -> list[str]:
        """The groups, the largest first."""
        counts = Counter(self.groups or [])
        return sorted(counts.keys() - {NO_GROUP}, key=lambda group: (-counts[group], group))

    @property
    def _others(self) -> str:
        """What the groups without a colour of their own are called; empty where all have one."""
        others = self._ranked[len(COLOURS) :]
        return f"{len(others)} other groups" if len(others) > 1 else "".join(others)

    @property
    def shown_groups(self) -> list[str]:
        """The group of each system; those that have no colour of their own are one."""
        shown = {*self._ranked[: len(COLOURS)], NO_GROUP}
        return [group if group in shown else self._others for group in self.groups or []]

    @property
    def styles(self) -> dict[str, tuple[str, str]]:
        """The colour and the marker of each group, the largest first; ten have a colour."""
        styles = dict(zip(self._ranked, zip(COLOURS, MARKERS, strict=False), strict=False))
        if self._others:
            styles[self._others] = GREY, "o"
        if NO_GROUP in (self.groups or []):
            styles[NO_GROUP] = PALE, "."
        return styles


def systems(
    names: Sequence[str], distances: ArrayLike, groups: Mapping[str, str] | None, least: int
) -> Systems:
    """Systems and their distances, checked."""
    try:
        matrix = np.asarray(distances, dtype=np.float64)
    except (TypeError, ValueError):
        raise UsageError("distances are a square of numbers") from None
    if len(names) < least:
        raise UsageError(f"this picture needs at least {least} systems, not {len(names)}")
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise UsageError(f"the name {repeated[0]!r} is used for more than one system")
    if matrix.shape != (len(names), len(names)):
        raise UsageError(
            f"{len(names)} systems have a square of {len(names)} by {len(names)} distances, "
            f"not an array of shape {matrix.shape}"
        )
    _check(names, ~np.isfinite(matrix) | (matrix < 0), "is {} and not 0 or more", matrix)
    _check(names, abs(matrix - matrix.T) > TOLERANCE, "is {}, unlike the reverse distance", matrix)
    of = None if groups is None else [printable(groups.get(n) or NO_GROUP) for n in names]
    return Systems(labels_of(names), matrix, of)


def _check(names: Sequence[str], wrong: Bools, problem: str, matrix: Array) -> None:
    if wrong.any():
        i, j = np.argwhere(wrong)[0]
        problem = problem.format(matrix[i, j])
        raise UsageError(f"the distance from {names[i]!r} to {names[j]!r} {problem}")
