"""What a study holds: all pairs of runs, their distances and their true differences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.base.views import Viewed, view
from medir.base.words import count
from medir.inputs.groups import Member
from medir.measures import Measure
from medir.validation.leaving_out import constant, without_each

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from medir.rendering.pictures.appearance import Theme, Width

Bools = NDArray[np.bool_]
Pair = tuple[int, int]

OF_MEANS, BY_QUERY = "difference of means", "mean of differences"


class Correlation(NamedTuple):
    """How two numbers of a pair of runs go together; NaN where that cannot be computed.

    `lowest` and `highest` are the smallest and the largest of Pearson's correlations when one run
    is left out: the run of `lowest_without` raises the correlation most, the other one lowers it.
    """

    figure: int
    x: str
    y: str
    judgments: int | None  # percent
    pairs: int
    pearson: float
    spearman: float
    kendall: float
    lowest: float
    lowest_without: str
    highest: float
    highest_without: str


class Contrast(NamedTuple):
    """Two kinds of pairs: how many there are, their mean distance, and which are closer.

    `closer` is the probability that a random pair of the first kind is closer than a random one of
    the second; where they are equal, half counts.
    """

    first: int
    first_mean: float
    second: int
    second_mean: float
    closer: float


@dataclass(frozen=True, eq=False, repr=False)
class Study(Viewed):
    """Pairs of runs with what is found of them.

    There are two true differences of a pair: `difference` is that of the means, |mean S(A) - mean
    S(B)|, and `mean_difference` is the mean of |S(A) - S(B)|, which MED bounds query by query.
    `med` is the mean MED by percent of the judgments; `distances` are the mean distances without
    judgments, by name; `scores` is the mean effectiveness of each run.
    """

    names: tuple[str, ...]
    members: tuple[Member, ...] | None
    measure: Measure
    truth: Measure
    seed: int
    queries: tuple[str, ...]
    without_judgments: int  # queries that were left out
    judgments: Mapping[int, int]
    pairs: tuple[Pair, ...]
    scores: Array
    difference: Array
    mean_difference: Array
    med: Mapping[int, Array]
    distances: Mapping[str, Array]
    gap: float = 0.0  # the most that any MED may be higher; 0 where all are proven
    unseen: tuple[str, ...] = ()  # what unseen ranks add to the distances, in sentences

    @property
    def main(self) -> str:
        """The name of the distance that is studied most."""
        return f"MED-{self.measure!r}"

    @cached_property
    def same_group(self) -> Bools | None:
        """Whether the runs of a pair come from one group; None where no groups are known."""
        if self.members is None:
            return None
        groups = [member.group for member in self.members]
        return np.array([groups[i] == groups[j] != "" for i, j in self.pairs])

    @cached_property
    def pair_types(self) -> list[str] | None:
        """The type of each pair, such as "both manual"; None where no types are known."""
        if self.members is None or not any(member.type for member in self.members):
            return None
        types = [member.type or "no type" for member in self.members]
        return [
            f"both {types[i]}"
            if types[i] == types[j]
            else " and ".join(sorted({types[i], types[j]}))
            for i, j in self.pairs
        ]

    def within_groups(self) -> dict[str, list[int]]:
        """The numbers of the pairs within each group, in order of distance."""
        found: dict[str, list[int]] = {}
        if self.members is None or self.same_group is None:
            return found
        for number in np.flatnonzero(self.same_group).tolist():
            found.setdefault(self.members[self.pairs[number][0]].group, []).append(number)
        distance = self.med[0]
        return {
            group: sorted(found[group], key=lambda number: (distance[number], number))
            for group in sorted(found, key=lambda name: (name.casefold(), name))
        }

    @cached_property
    def contrasts(self) -> dict[str, Contrast]:
        """Pairs of the same group against other pairs, under each distance."""
        same = self.same_group
        if same is None or not same.any() or same.all():
            return {}
        return {
            name: contrast(values[same], values[~same]) for name, values in self.distances.items()
        }

    @cached_property
    def correlations(self) -> list[Correlation]:
        """Of the true difference with MED by judgments, and of all pairs of distances."""
        found = [
            self._correlation(2, self.main, f"{kind} in {self.truth!r}", share, values, true)
            for kind, true in self.true_differences.items()
            for share, values in self.med.items()
        ]
        for (x, first), (y, second) in combinations(self.distances.items(), 2):
            found.append(self._correlation(3, x, y, None, first, second))
        return found

    def correlation(self, x: str, y: str) -> Correlation:
        """The correlation of two distances without judgments."""
        return next(c for c in self.correlations if c.figure == 3 and {c.x, c.y} == {x, y})

    @property
    def true_differences(self) -> dict[str, Array]:
        """Both true differences of each pair, by what they are called."""
        return {OF_MEANS: self.difference, BY_QUERY: self.mean_difference}

    def with_truth(self, share: int, kind: str = OF_MEANS) -> Correlation:
        """The correlation of MED and a true difference, with a percentage of the judgments."""
        with_share = (c for c in self.correlations if c.figure == 2 and c.judgments == share)
        return next(c for c in with_share if c.y.startswith(kind))

    def without_each(self, first: Array, second: Array) -> Array:
        """Pearson's correlation of numbers of pairs when each run is left out, by run."""
        return without_each(self.pairs, len(self.names), first, second)

    def _correlation(
        self, figure: int, x: str, y: str, judgments: int | None, first: Array, second: Array
    ) -> Correlation:
        from scipy import stats

        known = np.isfinite(first) & np.isfinite(second)
        a, b = first[known], second[known]
        if len(a) < 3 or constant(a) or constant(b):
            nothing = math.nan, math.nan, math.nan, math.nan, "", math.nan, ""
            return Correlation(figure, x, y, judgments, len(a), *nothing)
        pearson, spearman, kendall = (
            float(f(a, b).statistic) for f in (stats.pearsonr, stats.spearmanr, stats.kendalltau)
        )
        values = pearson, spearman, kendall, *self._ends(self.without_each(first, second))
        return Correlation(figure, x, y, judgments, len(a), *values)

    def _ends(self, without: Array) -> tuple[float, str, float, str]:
        """The smallest and the largest correlation without one run, each with the run."""
        if np.isnan(without).all():
            return math.nan, "", math.nan, ""
        low, high = int(np.nanargmin(without)), int(np.nanargmax(without))
        return float(without[low]), self.names[low], float(without[high]), self.names[high]

    def figure(self, number: int, *, theme: Theme = "light", width: Width = None) -> Figure:
        """A figure of the study, as one of matplotlib.

        1: MED of pairs within each group, where groups are known; 2: the true difference against
        MED, by judgments; 3: measure against measure. `theme` is "light" or "dark"; `width` is that
        of a "column", of a "page" or a number of inches.
        """
        figure: Figure = view(self, "figure")(self, number, theme=theme, width=width)
        return figure

    def __repr__(self) -> str:
        return f"<Study of {len(self.names)} runs, {count(len(self.queries), 'query', 'queries')}>"


def contrast(first: Array, second: Array) -> Contrast:
    """Compares two kinds of pairs by their distances."""
    from scipy.stats import rankdata

    first, second = first[np.isfinite(first)], second[np.isfinite(second)]
    if len(first) == 0 or len(second) == 0:
        return Contrast(len(first), math.nan, len(second), math.nan, math.nan)
    ranks = rankdata(np.concatenate([first, second]))[len(first) :]
    below = float(ranks.sum()) - len(second) * (len(second) + 1) / 2  # the U of Mann and Whitney
    return Contrast(
        len(first),
        float(first.mean()),
        len(second),
        float(second.mean()),
        below / (len(first) * len(second)),
    )
