"""Pictures of a matrix of runs: what a heat map and a map of the runs show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from medir.base.arrays import Array
from medir.base.words import count
from medir.comparing.matrix import Matrix
from medir.errors import UsageError
from medir.files.opening import unpacked_name
from medir.inputs.groups import read_groups
from medir.measures import Measure
from medir.rendering.pictures.plots import draw_heat_map, draw_system_map
from medir.rendering.pictures.trees import draw_system_tree

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Groups = Mapping[str, str] | str | PathLike[str]
DRAWN = {"heat-map": draw_heat_map, "tree": draw_system_tree}


@dataclass(frozen=True)
class Distances:
    """The distances of all pairs of runs under a measure, and what a picture says of them."""

    values: Array
    title: str
    label: str

    @classmethod
    def of(cls, result: Matrix, which: Measure | str | None = None) -> Distances:
        """Those of a measure (default: the first); of a similarity, what it lacks to 1."""
        if result.against is not None:
            raise UsageError(f"a picture needs all pairs of runs, not those with {result.against}")
        one, means = result.measure(which), result.mean(which)
        similar = one.kind == "similarity"
        values = 1 - means if similar else means
        without = np.argwhere(np.isnan(values))
        if len(without):
            first, second = (result.names[end] for end in without[0])
            raise UsageError(
                f"{first} and {second} have no value of {one!r} under any query: choose another "
                "measure to draw"
            )
        queries = count(len(result.queries), "query", "queries")
        title = f"{len(result.names)} runs, {queries}, {one.title}"
        return cls(values, title, f"{'1 - ' if similar else ''}mean {one.title}")


def groups_of(names: Sequence[str], groups: Groups, source: object = "groups") -> dict[str, str]:
    """The group of each run that has one; an error where none has.

    The `source` is where groups that are given come from. A file may name a packed run without its
    ending: `a.run` is `a.run.gz` too.
    """
    if not isinstance(groups, Mapping):
        return groups_of(names, read_groups(groups), groups)
    found = {name: groups.get(name, groups.get(unpacked_name(name), "")) for name in names}
    chosen = {name: group for name, group in found.items() if group}
    if not chosen:
        raise UsageError(f"{source}: no run here is in the column run")
    return chosen


def matrix_figure(
    result: Matrix,
    of: Measure | str | None = None,
    groups: Mapping[str, str] | None = None,
    kind: str = "heat-map",
    *,
    title: bool = True,
    **look: Any,
) -> Figure:
    """A heat map of the runs with a tree of clusters beside it, the tree alone, or a map."""
    if kind == "map":
        return map_figure(result, of, groups, title=title, **look)
    if kind not in DRAWN:
        raise UsageError(f"kind is {', '.join([*DRAWN, 'map'])}, not {kind!r}")
    found = Distances.of(result, of)
    return DRAWN[kind](
        result.names,
        found.values,
        title=found.title if title else "",
        label=found.label,
        groups=groups,
        **look,
    )


def map_figure(
    result: Matrix,
    of: Measure | str | None = None,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    *,
    title: bool = True,
    **look: Any,
) -> Figure:
    """A map on which runs are as far apart as their distances say, as nearly as can be."""
    found = Distances.of(result, of)
    stated = found.title if title else ""
    figure, _ = draw_system_map(
        result.names, found.values, title=stated, groups=groups, seed=seed, **look
    )
    return figure
