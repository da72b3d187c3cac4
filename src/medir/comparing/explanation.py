"""The value of one query, taken apart: what each document adds to it, and the value in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, NamedTuple

from medir.comparing.solve import Solution
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
    solution: Solution
    documents: tuple[Evidence, ...]  # of the list before the change, then those that entered
    unseen_gain: float
    unseen_loss: float

    @property
    def sentence(self) -> str:
        """The larger direction in plain words."""
        solution, name = self.solution, repr(self.measure)
        if max(abs(solution.med), abs(solution.gain)) < ROUNDING:
            return unchanged(name, all(one.before == one.after for one in self.documents))
        direction = _Direction.of(self)
        if abs(solution.gain + solution.loss) < ROUNDING:
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


@dataclass(frozen=True)
class _Direction:
    """The larger direction of an explanation."""

    name: str
    verb: str  # falls or rises
    value: float
    surely: float  # by how much it changes whatever is relevant
    documents: Sequence[_Share]
    unseen: float

    @classmethod
    def of(cls, why: Explanation) -> _Direction:
        gain, loss = why.solution.gain, why.solution.loss
        falls = loss >= gain - ROUNDING
        verb, value, surely = ("falls", loss, -gain) if falls else ("rises", gain, -loss)
        mine, theirs = ("loss", "gain") if falls else ("gain", "loss")
        numbers = attrgetter(f"{mine}_relevance", mine, theirs)
        shares = [_Share(one, *numbers(one)) for one in why.documents]
        unseen = why.unseen_loss if falls else why.unseen_gain
        return cls(repr(why.measure), verb, value, surely, shares, unseen)

    @property
    def sentence(self) -> str:
        """Which documents decide, and how much comes from the first of them."""
        small = SMALL_PART * self.value
        free = [one for one in self.documents if one.evidence.grade is None]
        good = [one for one in free if one.relevance > 0 and one.part >= small]
        good.sort(key=lambda one: -one.part)
        bad = [one for one in free if one.relevance == 0 and one.opposite > 0]
        bad.sort(key=lambda one: -one.opposite)
        if not good:
            return f"{self.name} {self.verb} by at most {self.value:.2f}; {self._others(small)}."
        conditions = [_listed(good, "relevant")]
        if bad:
            conditions.append(_listed(bad, "not"))
        first = good[0]
        share = "all" if abs(first.part - self.value) < small else "part"
        if share == "part" and first.part > self.value / 2:
            share = "most"
        return (
            f"If {' and '.join(conditions)}, {self.name} {self.verb} by {self.value:.2f}; "
            f"{share} of it comes from {first.evidence.document} {_moved(first.evidence)}."
        )

    def _others(self, small: float) -> str:
        """What accounts for a value to which no unjudged document adds much."""
        judged = sum(one.part for one in self.documents if one.evidence.grade is not None)
        sources = {"judged documents": judged, "unseen ranks": self.unseen}
        named = [name for name, part in sources.items() if part > small]
        return f"{' and '.join(named) or 'many documents'} account for it"


class _Share(NamedTuple):
    """A document in one direction."""

    evidence: Evidence
    relevance: float
    part: float
    opposite: float  # its part in the other direction


def _listed(shares: Sequence[_Share], what: str) -> str:
    names = [str(one.evidence.document) for one in shares[:NAMED]]
    if len(shares) > NAMED:
        names.append(f"{len(shares) - NAMED} more")
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
