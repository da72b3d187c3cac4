"""The value of one query, taken apart: what each document adds to it, and the value in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple

from medir.comparing.solve import Solution, Solved
from medir.measures import Measure

NAMED = 2  # documents of a kind that a sentence names
SMALL_PART = 0.01  # of a value
ROUNDING = 1e-12


def move_between(before: int | None, after: int | None) -> str:
    """How something moved between two places: entered, left, up, down, stays.

    >>> move_between(3, 1), move_between(None, 1)
    ('up', 'entered')
    """
    if before is None:
        return "entered"
    if after is None:
        return "left"
    if before == after:
        return "stays"
    return "up" if after < before else "down"


class Evidence(NamedTuple):
    """One document: its ranks, how it was judged, and its part in both extreme cases.

    `gain_relevance` is its relevance where the change wins most, and `gain` what it adds to that
    value; `loss_relevance` and `loss` likewise where the change costs most. For measures of
    intents, relevance is the mean over intents.
    """

    document: Any
    before: int | None  # rank
    after: int | None
    grade: int | None
    gain_relevance: float
    gain: float
    loss_relevance: float
    loss: float

    @property
    def move(self) -> str:
        """How the document moved: entered, left, up, down or stays."""
        return move_between(self.before, self.after)


@dataclass(frozen=True)
class Explanation:
    """The value of one query, taken apart.

    The `gain` of all documents and `unseen_gain` (what the unseen ranks of the list after the
    change add) sum up to the gain; the losses likewise.
    """

    query: str
    measure: Measure
    solved: Solved = field(compare=False, repr=False)
    names: Mapping[int, Any] = field(compare=False, repr=False)  # of the documents, by number
    documents: tuple[Evidence, ...]  # of the list before the change, then those that entered
    unseen_gain: float
    unseen_loss: float

    @cached_property
    def solution(self) -> Solution:
        """The value in both directions, and the relevance that reaches it."""
        return self.solved.solution(self.names)

    @property
    def sentence(self) -> str:
        """The larger direction in plain words."""
        med, gain, loss, *_ = self.solved.values
        name = repr(self.measure)
        if max(abs(med), abs(gain)) < ROUNDING:
            return unchanged(name, all(one.before == one.after for one in self.documents))
        direction = _Direction.of(self)
        if abs(gain + loss) < ROUNDING:
            return f"{name} {direction.verb} by {direction.value:.2f}: all that counts is judged."
        if direction.surely > 0:
            return f"{direction.sentence} It {direction.verb} by at least {direction.surely:.2f}."
        return direction.sentence


def unchanged(name: str, same: bool) -> str:
    """Why a measure cannot change.

    >>> unchanged("P@2", same=False)
    'P@2 cannot change: both lists score the same, whatever is relevant.'
    """
    reason = (
        "the two lists are the same" if same else "both lists score the same, whatever is relevant"
    )
    return f"{name} cannot change: {reason}."


# Relevance and part of a document, and its part in the other direction.
GETTERS = {
    "falls": (attrgetter("loss_relevance"), attrgetter("loss"), attrgetter("gain")),
    "rises": (attrgetter("gain_relevance"), attrgetter("gain"), attrgetter("loss")),
}


@dataclass(frozen=True)
class _Direction:
    """The larger direction of an explanation."""

    name: str
    verb: str  # falls or rises
    value: float
    surely: float  # by how much it changes whatever is relevant
    documents: Sequence[Evidence]
    unseen: float

    @classmethod
    def of(cls, why: Explanation) -> _Direction:
        _, gain, loss, *_ = why.solved.values
        name, documents = repr(why.measure), why.documents
        if loss >= gain - ROUNDING:
            return cls(name, "falls", loss, -gain, documents, why.unseen_loss)
        return cls(name, "rises", gain, -loss, documents, why.unseen_gain)

    @property
    def sentence(self) -> str:
        """Which documents decide, and how much comes from the first of them."""
        relevance, part, opposite = GETTERS[self.verb]
        small = SMALL_PART * self.value
        free = [one for one in self.documents if one.grade is None]
        good = [one for one in free if relevance(one) > 0 and part(one) >= small]
        good.sort(key=part, reverse=True)
        bad = [one for one in free if relevance(one) == 0 and opposite(one) > 0]
        bad.sort(key=opposite, reverse=True)
        if not good:
            judged = sum(part(one) for one in self.documents if one.grade is not None)
            others = self._others(judged, small)
            return f"{self.name} {self.verb} by at most {self.value:.2f}; {others}."
        conditions = [_listed(good, "relevant")]
        if bad:
            conditions.append(_listed(bad, "not"))
        first = good[0]
        share = "all" if abs(part(first) - self.value) < small else "part"
        if share == "part" and part(first) > self.value / 2:
            share = "most"
        return (
            f"If {' and '.join(conditions)}, {self.name} {self.verb} by {self.value:.2f}; "
            f"{share} of it comes from {first.document} {_moved(first)}."
        )

    def _others(self, judged: float, small: float) -> str:
        """What accounts for a value to which no unjudged document adds much."""
        sources = {"judged documents": judged, "unseen ranks": self.unseen}
        named = [name for name, share in sources.items() if share > small]
        return f"{' and '.join(named) or 'many documents'} account for it"


def _listed(documents: Sequence[Evidence], what: str) -> str:
    names = [str(one.document) for one in documents[:NAMED]]
    if len(documents) > NAMED:
        names.append(f"{len(documents) - NAMED} more")
    if len(names) == 1:
        return f"{names[0]} is {what}"
    return f"{', '.join(names[:-1])} and {names[-1]} are {what}"


def _moved(evidence: Evidence) -> str:
    match evidence.move:
        case "entered":
            return f"entering at rank {evidence.after}"
        case "left":
            return f"leaving rank {evidence.before}"
        case "stays":
            return f"at rank {evidence.before}"
        case _:
            return f"moving from rank {evidence.before} to {evidence.after}"
