"""MED of a measure that is known only as a function from a relevance vector to a score.

For one list to be favoured over another, S(favoured) - S(other) is to be as large as possible over
every assignment of one of `values` to each document. A monotone score never falls when a document
becomes more relevant. Then

    S(favoured at the highest values) - S(other at the lowest values)

bounds the difference for all assignments between, and branch and bound proves the maximum: the open
document that lowers the bound the most is decided first, the node with the highest bound is split
next. Nothing better is known of a black box, so a score to which every document adds its share
takes long where many documents stand in both lists; a search cut short says so by its `gap`. A
score that is not monotone has no bound at all: every vector is tried, or the gap is infinite.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.errors import MeasureError

Numbers = NDArray[np.intp]  # documents, by their number

PROVEN = 1e-12  # how far below a bound a value may lie and still count as the maximum
ROUNDING = 1e-9  # how far a monotone score may seem to fall
REMEMBERED = 1 << 14  # scores


@dataclass(frozen=True)
class Direction:
    """The maximum of S(favoured) - S(other), and an assignment that reaches it.

    `gap` is 0 where the value is proven, else how much higher the maximum may be. `least` is what
    MED cannot fall below once both lists are known to full depth. `favoured` and `other` are the
    relevance vectors under the assignment, with the unseen ranks.
    """

    value: float
    gap: float
    least: float
    assignment: dict[Any, float]
    favoured: tuple[float, ...]
    other: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """Both directions: the most that the change could win, and the most that it could cost."""

    gain: Direction
    loss: Direction

    @property
    def med(self) -> float:
        """The maximum of |S(after) - S(before)|."""
        return max(self.gain.value, self.loss.value)

    @property
    def lower(self) -> float:
        """What med cannot fall below once both lists are known to full depth."""
        return min(max(self.gain.least, self.loss.least, 0.0), self.med)

    @property
    def gap(self) -> float:
        """0 where med is proven, else the most that it may be higher."""
        return max(self.gain.value + self.gain.gap, self.loss.value + self.loss.gap) - self.med

    @property
    def values(self) -> tuple[float, ...]:
        """The columns med, gain, loss, lower, gap, gain_gap and loss_gap."""
        gain, loss = self.gain, self.loss
        return self.med, gain.value, loss.value, self.lower, self.gap, gain.gap, loss.gap


def difference(
    before: Sequence[Hashable],
    after: Sequence[Hashable],
    score: Callable[[Array], Any],
    *,
    cut: tuple[bool, bool] = (True, True),
    **options: Any,
) -> Difference:
    """Gain (after favoured) and loss (before favoured); the options are those of `favour`.

    `cut` says whether unseen ranks follow the list before, and the list after.

    >>> def success(relevance): return relevance.any()
    >>> found = difference(["a", "b"], ["b", "c"], success, cutoff=2, effort=100)
    >>> found.med, found.gain.assignment
    (1.0, {'b': 0.0, 'c': 1.0, 'a': 0.0})
    """
    gain = favour(after, before, score, cut=(cut[1], cut[0]), **options)
    return Difference(gain, favour(before, after, score, cut=cut, **options))


def favour(
    favoured: Sequence[Hashable],
    other: Sequence[Hashable],
    score: Callable[[Array], Any],
    *,
    values: Sequence[float] = (0.0, 1.0),
    monotone: bool = True,
    judged: Mapping[Any, int] | None = None,
    cutoff: int | None = None,
    cut: tuple[bool, bool] = (True, True),
    effort: int,
    name: str = "the measure",
) -> Direction:
    """The maximum of S(favoured) - S(other), each document having one of `values`.

    `values` ascend from what a document that is not relevant is worth; a judged document of grade g
    has `values[g]`, at most the last. `score` gets the values of ranks 1, 2, ...: of `cutoff` ranks
    or, without a cutoff, of as many as the list has. The ranks below a list that was cut hold
    documents of their own, those below a list that ended the lowest value.

    `effort` is how many nodes branch and bound may visit. Where the score is not monotone, it is
    how many vectors may be scored: all that the two lists can have (`len(values)` to the power of
    the unknown documents of a list, for each list) if they are no more than that; otherwise a
    seeded local search stops after about as many (with repeats), and the gap is infinite.

    >>> def reciprocal_rank(relevance):
    ...     found = np.flatnonzero(relevance)
    ...     return 1 / (found[0] + 1) if len(found) else 0.0
    >>> best = favour(["a", "b", "c"], ["b", "c", "a"], reciprocal_rank, effort=100)
    >>> round(best.value, 6), best.gap, best.assignment
    (0.666667, 0.0, {'a': 1.0, 'b': 0.0, 'c': 0.0})
    """
    known = {document: _value(grade, values) for document, grade in (judged or {}).items()}
    nothing = _Unseen()
    problem = _Problem.of(
        Score(name, score),
        values,
        _filled(favoured, cutoff, None if cut[0] else nothing),
        _filled(other, cutoff, None if cut[1] else nothing),
        fixed={**known, nothing: float(values[0])},
    )
    if monotone:
        found = _branch_and_bound(problem.without_free(), effort)
    else:
        found = _without_bounds(problem, effort)
    return Direction(
        value=found.value,
        gap=found.gap,
        least=_least(problem, found, known, monotone),
        assignment=problem.assignment(found.x),
        favoured=tuple(found.x[problem.mine].tolist()),
        other=tuple(found.x[problem.theirs].tolist()),
    )


def relevance_of(
    ranking: Sequence[Hashable],
    score: Callable[[Array], Any],
    judged: Mapping[Any, int],
    values: Sequence[float],
    cutoff: int | None,
    name: str,
) -> float:
    """The score of a list; what is not judged, or not there, is not relevant.

    >>> relevance_of(["a", "b"], np.mean, {"b": 1}, (0, 1), 4, "mean")
    0.25
    """
    grades = [judged.get(document, 0) for document in ranking[:cutoff]]
    grades += [0] * (0 if cutoff is None else cutoff - len(grades))
    return Score(name, score)(np.array([_value(grade, values) for grade in grades]))


class _Unseen:
    """What stands at an unseen rank."""


def _filled(
    ranking: Sequence[Hashable], cutoff: int | None, nothing: _Unseen | None
) -> list[Hashable]:
    """What stands at each rank that the measure looks at."""
    seen = list(ranking[:cutoff])
    below = 0 if cutoff is None else cutoff - len(seen)
    return seen + [nothing or _Unseen() for _ in range(below)]


def _value(grade: int, values: Sequence[float]) -> float:
    return float(values[min(max(grade, 0), len(values) - 1)])


class Score:
    """The user's function, with its faults told and its last results remembered."""

    def __init__(self, name: str, function: Callable[[Array], Any]) -> None:
        self.name, self.asked = name, 0
        self._function = function
        self._remembered = lru_cache(REMEMBERED)(self._called)

    def __call__(self, relevance: Array) -> float:
        self.asked += 1
        return self._remembered(relevance.tobytes())

    def _called(self, content: bytes) -> float:
        relevance = np.frombuffer(content).copy()  # whose elements the function may change
        try:
            result = self._function(relevance)
            number = float(result) if isinstance(result, Real | np.bool_) else math.nan
        except Exception as error:
            raise MeasureError(
                f"{self.name}: computing the score of {_shown(np.frombuffer(content))} failed: "
                f"{type(error).__name__}: {error}"
            ) from error
        if not math.isfinite(number):
            raise MeasureError(
                f"{self.name}: the score of {_shown(np.frombuffer(content))} is not a finite "
                f"number but {result!r}"
            )
        return number

    def check_rise(self, below: Array, above: Array) -> None:
        """Raises an error where a vector scores less than one with no higher value."""
        low, high = self(below), self(above)
        if low - high > ROUNDING * max(1.0, abs(low), abs(high)):
            raise MeasureError(
                f"{self.name} is not monotone: {_shown(below)} scores {low:g}, but "
                f"{_shown(above)} only {high:g}; declare monotone=False"
            )


def _shown(relevance: Array) -> str:
    values = ", ".join(f"{value:g}" for value in relevance[:20])
    return f"[{values}{', ...' if len(relevance) > 20 else ''}]"


@dataclass(frozen=True)
class _Problem:
    """Which documents stand at the ranks of both lists, and what each may be worth.

    Documents are numbers; an assignment is an array x, and x[mine] the vector of the favoured list.
    """

    score: Score
    values: Array
    documents: Sequence[Hashable]
    mine: Numbers
    theirs: Numbers
    low: Array
    high: Array

    @classmethod
    def of(
        cls,
        score: Score,
        values: Sequence[float],
        mine: Sequence[Hashable],
        theirs: Sequence[Hashable],
        fixed: Mapping[Any, float],
    ) -> _Problem:
        documents = list(dict.fromkeys([*mine, *theirs]))
        number = {document: i for i, document in enumerate(documents)}
        return cls(
            score=score,
            values=np.array(values, dtype=float),
            documents=documents,
            mine=np.array([number[document] for document in mine], dtype=np.intp),
            theirs=np.array([number[document] for document in theirs], dtype=np.intp),
            low=np.array([fixed.get(document, values[0]) for document in documents], dtype=float),
            high=np.array([fixed.get(document, values[-1]) for document in documents], dtype=float),
        )

    def without_free(self) -> _Problem:
        """With the free documents decided, as a monotone score has them."""
        low, high = self.low.copy(), self.high.copy()
        favoured, other = np.setdiff1d(self.mine, self.theirs), np.setdiff1d(self.theirs, self.mine)
        low[favoured] = high[favoured]
        high[other] = low[other]
        return _Problem(self.score, self.values, self.documents, self.mine, self.theirs, low, high)

    @property
    def unknown(self) -> Numbers:
        """The documents that are yet to be decided."""
        return np.flatnonzero(self.low < self.high)

    def difference(self, x: Array) -> float:
        """S(favoured) - S(other)"""
        return self.score(x[self.mine]) - self.score(x[self.theirs])

    def bound(self, low: Array, high: Array) -> float:
        """What no assignment from `low` to `high` exceeds, if the score is monotone."""
        most = self.score(high[self.mine]) - self.score(low[self.theirs])
        return min(most, 0.0) if self._never_ahead(low, high) else most

    def _never_ahead(self, low: Array, high: Array) -> bool:
        """Whether no rank of the favoured list can hold more than that of the other."""
        if len(self.mine) != len(self.theirs):
            return False
        same = self.mine == self.theirs
        return bool(np.all(same | (high[self.mine] <= low[self.theirs])))

    def starts(self) -> Iterator[Array]:
        """Assignments to start a search from: low, high, and high where the rank is the better."""
        yield self.low.copy()
        yield self.high.copy()
        ranks = np.full((2, len(self.documents)), np.inf)
        ranks[0, self.mine] = np.arange(len(self.mine))
        ranks[1, self.theirs] = np.arange(len(self.theirs))
        yield np.where(ranks[0] < ranks[1], self.high, self.low)

    def assignment(self, x: Array) -> dict[Hashable, float]:
        """The values of the documents, but for unseen ranks."""
        named = zip(self.documents, x.tolist(), strict=True)
        return {document: value for document, value in named if not isinstance(document, _Unseen)}


@dataclass(frozen=True)
class _Found:
    """An assignment, its difference, and how much more there may be."""

    x: Array
    value: float
    gap: float = 0.0


def _climbed(problem: _Problem, x: Array) -> _Found:
    """The best that is reached by changing one document at a time."""
    best, improved = problem.difference(x), True
    while improved:
        improved = False
        for document in problem.unknown:
            for value in problem.values[problem.values != x[document]]:
                kept = x[document]
                x[document] = value
                reached = problem.difference(x)
                if reached > best + PROVEN:
                    best, improved = reached, True
                else:
                    x[document] = kept
    return _Found(x, best)


def _better(first: _Found, second: _Found) -> _Found:
    return second if second.value > first.value else first


# Monotone scores.


@dataclass(frozen=True, order=True)
class _Node:
    """All assignments from `low` to `high`; the highest bound comes first, then the newest."""

    key: tuple[float, int]
    decided: int = field(compare=False)
    low: Array = field(compare=False)
    high: Array = field(compare=False)

    @property
    def bound(self) -> float:
        return -self.key[0]


def _branch_and_bound(problem: _Problem, effort: int) -> _Found:
    """The maximum, proven, or the best that was found within `effort` nodes."""
    _check_monotone(problem)
    best = max((_climbed(problem, x) for x in problem.starts()), key=lambda found: found.value)
    problem.score.check_rise(best.x[problem.mine], problem.high[problem.mine])
    problem.score.check_rise(problem.low[problem.theirs], best.x[problem.theirs])
    bound = problem.bound(problem.low, problem.high)
    proven = PROVEN * max(1.0, abs(bound))
    newest = itertools.count(0, -1)
    order = _by_influence(problem) if bound > best.value + proven else []
    nodes = [_Node((-bound, next(newest)), 0, problem.low, problem.high)]
    visited = 0
    while nodes and nodes[0].bound > best.value + proven:
        if visited == effort:
            return _Found(best.x, best.value, nodes[0].bound - best.value)
        visited += 1
        node = heapq.heappop(nodes)
        for low, high in _children(problem, node, order[node.decided]):
            bound = problem.bound(low, high)
            if bound <= best.value + proven:
                continue
            best = _better(best, _completed(problem, low, high, best))
            if node.decided + 1 < len(order):
                key = -bound, next(newest)
                heapq.heappush(nodes, _Node(key, node.decided + 1, low, high))
    return best


def _check_monotone(problem: _Problem) -> None:
    """Lowers each document of the favoured list and raises each of the other."""
    for document in range(len(problem.documents)):
        lowered, raised = problem.high.copy(), problem.low.copy()
        lowered[document], raised[document] = problem.values[0], problem.values[-1]
        problem.score.check_rise(lowered[problem.mine], problem.high[problem.mine])
        problem.score.check_rise(problem.low[problem.theirs], raised[problem.theirs])


def _by_influence(problem: _Problem) -> list[int]:
    """The unknown documents, those first whose decision lowers the bound the most."""
    root = _Node((0.0, 0), 0, problem.low, problem.high)

    def bounds(document: int) -> tuple[float, float]:
        decided = [problem.bound(*child) for child in _children(problem, root, document)]
        return max(decided), sum(decided)

    return sorted(problem.unknown.tolist(), key=bounds)


def _children(problem: _Problem, node: _Node, document: int) -> Iterator[tuple[Array, Array]]:
    """The node with a document decided, in each way."""
    for value in problem.values:
        low, high = node.low.copy(), node.high.copy()
        low[document] = high[document] = value
        problem.score.check_rise(high[problem.mine], node.high[problem.mine])
        problem.score.check_rise(node.low[problem.theirs], low[problem.theirs])
        yield low, high


def _completed(problem: _Problem, low: Array, high: Array, best: _Found) -> _Found:
    """What is decided, and the rest as in the best so far; climbed from there if that is better."""
    x = np.where(low == high, low, best.x)
    value = problem.difference(x)
    return _climbed(problem, x) if value > best.value else _Found(x, value)


# Scores that are not monotone.


def _without_bounds(problem: _Problem, effort: int) -> _Found:
    """Every vector is tried; where they are too many, the best found, with an infinite gap."""
    if np.array_equal(problem.mine, problem.theirs):
        return _Found(problem.low, problem.difference(problem.low))
    mine = np.intersect1d(problem.unknown, problem.mine)
    theirs = np.intersect1d(problem.unknown, problem.theirs)
    choices = len(problem.values)
    if choices ** len(mine) + choices ** len(theirs) <= effort:
        return _enumerated(problem, mine, theirs)
    return _sampled(problem, effort)


def _enumerated(problem: _Problem, mine: Numbers, theirs: Numbers) -> _Found:
    """For all that the lists share, the best for the one and the worst for the other."""
    shared = np.intersect1d(mine, theirs)
    best = _Found(problem.low, -math.inf)
    x = problem.low.copy()
    for chosen in itertools.product(problem.values, repeat=len(shared)):
        x[shared] = chosen
        high = _extreme(problem, x, np.setdiff1d(mine, shared), problem.mine, 1)
        low = _extreme(problem, x, np.setdiff1d(theirs, shared), problem.theirs, -1)
        if high - low > best.value:
            best = _Found(x.copy(), high - low)
    return best


def _extreme(problem: _Problem, x: Array, free: Numbers, ranks: Numbers, sign: int) -> float:
    """The highest score (sign 1) or the lowest (-1) of a list; sets its free documents so in x."""
    best, values = -math.inf, x[free]
    for chosen in itertools.product(problem.values, repeat=len(free)):
        x[free] = chosen
        reached = sign * problem.score(x[ranks])
        if reached > best:
            best, values = reached, x[free]
    x[free] = values
    return sign * best


def _sampled(problem: _Problem, effort: int) -> _Found:
    """Local search from seeded random assignments, until `effort` scores were asked for."""
    random = np.random.default_rng(0)
    best = max((_climbed(problem, x) for x in problem.starts()), key=lambda found: found.value)
    while problem.score.asked < effort:
        x = problem.low.copy()
        x[problem.unknown] = random.choice(problem.values, len(problem.unknown))
        best = _better(best, _climbed(problem, x))
    return _Found(best.x, best.value, math.inf)


def _least(problem: _Problem, found: _Found, judged: Mapping[Any, float], monotone: bool) -> float:
    """What MED cannot fall below, whatever the unseen ranks hold.

    The score of the same assignment, with no other document relevant, when each unseen rank of the
    favoured list holds the lowest value, and each of the other list the highest that a document has
    which does not stand there already.
    """
    unseen = [
        i
        for i, document in enumerate(problem.documents)
        if isinstance(document, _Unseen) and problem.low[i] < problem.high[i]
    ]
    if not unseen:
        return found.value
    if not monotone:
        return 0.0
    assigned = {**judged, **problem.assignment(found.x)}
    for i in problem.theirs:
        assigned.pop(problem.documents[i], None)
    x = found.x.copy()
    x[np.intersect1d(unseen, problem.mine)] = problem.values[0]
    x[np.intersect1d(unseen, problem.theirs)] = max(assigned.values(), default=problem.values[0])
    return problem.difference(x)
