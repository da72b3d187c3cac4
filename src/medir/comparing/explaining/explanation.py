"""The value of one query, taken apart: what each document adds to it, and the value in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from medir.base.views import Viewed
from medir.files.identifiers import shown
from medir.measures import Measure

if TYPE_CHECKING:
    from medir.comparing.solve import Solution, Solved

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

    Of documents with the same content, `document` is the one that stands in the list before the
    change and `document_after` another one that stands for it after. One that `repeats` a document
    above it is worth nothing.
    """

    document: Any
    before: int | None  # rank
    after: int | None
    grade: int | None
    gain_relevance: float
    gain: float
    loss_relevance: float
    loss: float
    document_after: Any = None
    repeats: Any = None

    @property
    def move(self) -> str:
        """How the document moved: entered, left, up, down or stays."""
        return move_between(self.before, self.after)

    @property
    def shown(self) -> str:
        """The document, and those with the same content that are in the lists."""
        if self.repeats is not None:
            return f"{self.document} (repeats {self.repeats})"
        if self.document_after is not None:
            return f"{self.document} (after: {self.document_after})"
        return str(self.document)


class Columns(NamedTuple):
    """The evidence of all documents of a query, column by column."""

    document: Sequence[Any]
    before: Sequence[int | None]
    after: Sequence[int | None]
    grade: Sequence[int | None]
    gain_relevance: Sequence[float]
    gain: Sequence[float]
    loss_relevance: Sequence[float]
    loss: Sequence[float]
    document_after: Sequence[Any]
    repeats: Sequence[Any]

    def row(self, number: int) -> Evidence:
        """One document."""
        values: Any = (column[number] for column in self)
        return Evidence(*values)

    @classmethod
    def of(cls, rows: Sequence[Evidence]) -> Columns:
        """The columns of rows."""
        return cls(*zip(*rows, strict=True)) if rows else cls(*([()] * len(cls._fields)))


@dataclass(frozen=True, repr=False)
class Explanation(Viewed):
    """The value of one query, taken apart.

    The `gain` of all documents and `unseen_gain` (what the unseen ranks of the list after the
    change add) sum up to the gain; the losses likewise.
    """

    query: str
    measure: Measure
    solved: Solved = field(compare=False, repr=False)
    name_of: Callable[[bytes], Any] = field(compare=False, repr=False)  # names its documents
    evidence: Columns  # of the list before the change, then those that entered
    unseen_gain: float
    unseen_loss: float

    @cached_property
    def documents(self) -> tuple[Evidence, ...]:
        """The documents of the list before the change, then those that entered."""
        return tuple(map(Evidence, *self.evidence))

    @cached_property
    def solution(self) -> Solution:
        """The value in both directions, and the relevance that reaches it."""
        shown = set(self.solved.shown.tolist())
        numbers = self.solved.numbers(self.name_of)
        return self.solved.solution({name: i for name, i in numbers.items() if i in shown})

    @property
    def sentence(self) -> str:
        """The larger direction in plain words."""
        med, gain, loss, *_ = self.solved.values
        name = repr(self.measure)
        if math.isnan(med):
            return f"{name} has no value: its ideal comes from judgments, and none is relevant."
        if max(abs(med), abs(gain)) < ROUNDING:
            return unchanged(name, self._is_same, None not in self.evidence.grade)
        direction = _Direction.of(self)
        if abs(gain + loss) < ROUNDING:
            return f"{name} {direction.verb} by {direction.value:.2f}: all that counts is judged."
        if direction.surely > 0:
            return f"{direction.sentence} It {direction.verb} by at least {direction.surely:.2f}."
        return direction.sentence

    @property
    def _is_same(self) -> bool:
        """Whether both lists show the same; what repeats a document above it does not count."""
        rows = zip(self.evidence.before, self.evidence.after, self.evidence.repeats, strict=True)
        return all(before == after for before, after, repeats in rows if repeats is None)

    def __repr__(self) -> str:
        return explained(self.query, self.measure, self.solved.values[0])


def explained(query: str, one: Measure, med: float) -> str:
    """An explanation in a few words.

    >>> from medir.measures import measure
    >>> explained("q1", measure("P@2"), 0.5)
    '<Explanation of query q1 by P@2: med 0.5000>'
    """
    return f"<Explanation of query {shown(query)} by {one!r}: med {med:.4f}>"


def unchanged(name: str, same: bool, judged: bool) -> str:
    """Why a measure cannot change.

    >>> unchanged("P@2", same=False, judged=False)
    'P@2 cannot change: both lists score the same, whatever is relevant.'
    """
    if same:
        return f"{name} cannot change: the two lists are the same."
    if judged:
        return f"{name} does not change: all that counts is judged."
    return f"{name} cannot change: both lists score the same, whatever is relevant."


class _Direction(NamedTuple):
    """The larger direction of an explanation."""

    name: str
    verb: str  # falls or rises
    value: float
    surely: float  # by how much it changes whatever is relevant
    evidence: Columns
    relevance: Sequence[float]
    parts: Sequence[float]
    opposite: Sequence[float]  # parts in the other direction
    unseen: float

    @classmethod
    def of(cls, why: Explanation) -> _Direction:
        _, gain, loss, *_ = why.solved.values
        name, one = repr(why.measure), why.evidence
        if loss >= gain - ROUNDING:
            columns = one.loss_relevance, one.loss, one.gain
            return cls(name, "falls", loss, -gain, one, *columns, why.unseen_loss)
        columns = one.gain_relevance, one.gain, one.loss
        return cls(name, "rises", gain, -loss, one, *columns, why.unseen_gain)

    @property
    def sentence(self) -> str:
        """Which documents decide, and how much comes from the first of them."""
        small = SMALL_PART * self.value
        rows = list(
            zip(self.evidence.grade, self.relevance, self.parts, self.opposite, strict=True)
        )
        good = [
            (-part, row)
            for row, (grade, relevance, part, _) in enumerate(rows)
            if grade is None and relevance > 0 and part >= small
        ]
        bad = [
            (-opposite, row)
            for row, (grade, relevance, _, opposite) in enumerate(rows)
            if grade is None and relevance == 0 and opposite > 0
        ]
        if not good:
            return f"{self.name} {self.verb} by at most {self.value:.2f}; {self._others(small)}."
        relevant, other = ([row for _, row in sorted(some)] for some in (good, bad))
        conditions = [self._listed(relevant, "relevant")]
        if other:
            conditions.append(self._listed(other, "not"))
        first = self.evidence.row(relevant[0])
        part = self.parts[relevant[0]]
        share = "all" if abs(part - self.value) < small else "part"
        if share == "part" and part > self.value / 2:
            share = "most"
        return (
            f"If {' and '.join(conditions)}, {self.name} {self.verb} by {self.value:.2f}; "
            f"{share} of it comes from {first.document} {_moved(first)}."
        )

    def _others(self, small: float) -> str:
        """What accounts for a value to which no unjudged document adds much."""
        grades = self.evidence.grade
        judged = sum(
            part for grade, part in zip(grades, self.parts, strict=True) if grade is not None
        )
        sources = {"judged documents": judged, "unseen ranks": self.unseen}
        named = [name for name, share in sources.items() if share > small]
        return f"{' and '.join(named) or 'many documents'} account for it"

    def _listed(self, rows: Sequence[int], what: str) -> str:
        names = [str(self.evidence.document[row]) for row in rows[:NAMED]]
        if len(rows) > NAMED:
            names.append(f"{len(rows) - NAMED} more")
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
