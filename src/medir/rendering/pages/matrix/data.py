"""What the page of a matrix holds: distances, orders, places on the map, true differences."""

from __future__ import annotations

import base64
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.judging.truth import Truth
from medir.comparing.matrix import Matrix
from medir.errors import UsageError
from medir.files.identifiers import shown
from medir.measures import Measure
from medir.rendering.pages.data import embedded
from medir.rendering.pages.matrix.queries import Peaking, Peaks
from medir.rendering.pictures.matrices import Distances
from medir.rendering.pictures.scaling import scale_to_plane, stress_1
from medir.rendering.pictures.systems import Systems, systems
from medir.rendering.pictures.trees import cluster

LEAST_ON_MAP = 3  # runs
SHADES = 256  # of the colours
DIGITS = 5  # of places on the map


@dataclass(frozen=True)
class Plan:
    """How much of each pair the page holds."""

    queries: int  # of each pair, the most different first
    scores: bool  # of each run and each of these queries

    @classmethod
    def every(cls) -> Iterator[Plan]:
        """Ever less."""
        yield from (cls(queries, True) for queries in (5, 3, 2, 1))
        yield from (cls(queries, False) for queries in (1, 0))


@dataclass(frozen=True)
class View:
    """The runs under one measure."""

    measure: Measure
    distances: Distances
    drawn: Systems
    truth: Truth | None

    @classmethod
    def of(cls, result: Matrix, one: Measure, groups: Mapping[str, str] | None) -> View:
        """The runs under a measure; an error where it gives no distance for each pair."""
        if not one.symmetric:
            raise UsageError(f"{one} is not symmetric: the page needs another measure")
        found = Distances.of(result, one)
        drawn = systems(result.names, found.values, groups, least=2)
        return cls(one, found, drawn, Truth.of(result, one))


def views_of(
    result: Matrix, groups: Mapping[str, str] | None
) -> tuple[list[View], list[tuple[Measure, str]]]:
    """The runs under each measure that has distances, and why others have none.

    It is an error where no measure has.
    """
    views, without = [], []
    for one in result.measures:
        try:
            views.append(View.of(result, one, groups))
        except UsageError as error:
            if result.against is not None or len(result.measures) == 1:
                raise
            without.append((one, str(error)))
    if not views:
        raise UsageError(without[0][1])
    return views, without


def fitted(result: Matrix, views: Sequence[View], room: int) -> tuple[str, Plan]:
    """The most that fits into some bytes; what every page needs is there in any case."""
    pairs = [number for number, (i, j) in enumerate(result.pairs) if i < j]
    rest = {**_runs(views[0].drawn, result.names), "shades": _shades()}
    plain = [_view(view, pairs) for view in views]
    most = max(plan.queries for plan in Plan.every())
    peaks = [Peaking(result, view.measure).of(pairs, most) for view in views]
    for plan in Plan.every():
        details = _details(result, views, peaks, plan)
        measures = [one | more for one, more in zip(plain, details["measures"], strict=True)]
        text = embedded({**rest, **details, "measures": measures})
        if len(text.encode()) <= room:
            break
    return text, plan


def _runs(drawn: Systems, names: Sequence[str]) -> dict[str, Any]:
    """Names, labels and groups."""
    styles = list(drawn.styles)
    return {
        "names": [shown(name) for name in names],
        "labels": drawn.labels,
        "groups": [styles.index(group) for group in drawn.shown_groups] or None,
        "own": drawn.groups,
        "styles": [[name, colour, mark] for name, (colour, mark) in drawn.styles.items()],
    }


def _view(view: View, pairs: Sequence[int]) -> dict[str, Any]:
    """All of a measure but its queries."""
    from scipy.cluster.hierarchy import leaves_list

    apart, truth = view.drawn.apart, view.truth
    above = np.triu_indices(len(apart), 1)
    data = {
        "name": repr(view.measure),
        "title": view.measure.title,
        "label": view.distances.label,
        "values": packed(view.distances.values[above], "f8"),
        "tree": leaves_list(cluster(apart)).tolist(),
        "points": None,
        "truth": None,
    }
    if len(apart) >= LEAST_ON_MAP:
        points = scale_to_plane(apart)
        data["points"] = points.round(DIGITS).tolist()
        data["stress"] = stress_1(apart, points)
    if truth is not None:
        data["truth"] = {
            "measure": repr(truth.measure),
            "queries": len(truth.queries),
            "means": [None if math.isnan(x) else x for x in truth.means.tolist()],
            "of_means": packed(truth.differences.of_means[pairs], "f4"),
            "by_query": packed(truth.differences.by_query[pairs], "f4"),
        }
    return data


def _details(
    result: Matrix, views: Sequence[View], peaks: Sequence[Peaks], plan: Plan
) -> dict[str, Any]:
    """The most different queries of each pair, as numbers of those that are named."""
    found = [some.first(plan.queries) for some in peaks]
    named = np.unique(np.concatenate([some.queries.ravel() for some in found]))
    named = named[named >= 0]
    kind, none = ("u2", 0xFFFF) if len(named) < 0xFFFF else ("u4", 0xFFFFFFFF)
    measures = []
    for view, (queries, values) in zip(views, found, strict=True):
        numbers = np.where(queries < 0, none, np.searchsorted(named, queries))
        measures.append(
            {
                "peaks": packed(numbers, kind),
                "peak_values": packed(values, "f4"),
                "scores": _scores(view.truth, named) if plan.scores else None,
            }
        )
    names = [shown(result.queries[number]) for number in named.tolist()]
    return {"queries": names, "most": plan.queries, "wide": kind == "u4", "measures": measures}


def _scores(truth: Truth | None, named: NDArray[np.intp]) -> str | None:
    """The effectiveness of each run for the queries that are named; NaN where none is judged."""
    if truth is None:
        return None
    scores = np.full((len(truth.scores), len(named)), np.nan)
    _, here, there = np.intersect1d(named, truth.queries, return_indices=True)
    scores[:, here] = truth.scores[:, there]
    return packed(scores, "f4")


def packed(values: Array | NDArray[Any], kind: str) -> str:
    """Numbers as the page reads them: little-endian, row by row, in base64."""
    return base64.b64encode(np.ascontiguousarray(values, f"<{kind}").tobytes()).decode()


def _shades() -> str:
    """The colours from the smallest to the largest distance, as red, green and blue."""
    from matplotlib import colormaps

    colours = colormaps["viridis"](np.linspace(0, 1, SHADES))[:, :3]
    return packed((255 * colours).round(), "u1")
