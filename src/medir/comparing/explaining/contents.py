"""What a comparison holds: words for its results, and one query with its value taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from medir.comparing.explaining.explanation import Columns


@dataclass(frozen=True)
class Contents:
    """What results are called, for pages and commands that show them."""

    item: str  # what stands in a list
    items: str
    part: str  # what adds to a value
    places: str  # what a list is counted in
    relevant: str  # what relevance belongs to
    changed: str  # what is counted as entered, left or moved
    changes: str  # what these counts mean
    explainer: str  # the command that shows one query
    lists: str = ""  # how lists are to be read, where that is not plain
    ranked: bool = True  # whether a measure's reach is counted in places of the list

    def counted(self, reach: int | None) -> str:
        """What is counted as entered, left or moved by a measure that looks so far."""
        if reach is None:
            return f"{self.changed} of whole lists"
        places = self.places if self.ranked else self.changed
        first = places.removesuffix("s") if reach == 1 else f"{reach:,} {places}"
        return f"{self.changed} within the first {first}"


class TakenApart(Protocol):
    """A value of one query, and what each row of its lists adds to it."""

    @property
    def sentence(self) -> str:
        """The value in plain words."""

    @property
    def evidence(self) -> Columns:
        """What each row adds."""

    @property
    def unseen_gain(self) -> float:
        """What unseen ranks below the list after the change adds to the gain."""

    @property
    def unseen_loss(self) -> float:
        """What unseen ranks below the list before the change adds to the loss."""


@dataclass(frozen=True)
class Ranking:
    """The two lists of a query as far as any measure looks, and its values taken apart."""

    query: str
    before: Sequence[str]
    after: Sequence[str]
    grades: Mapping[str, int]
    explanations: Sequence[TakenApart]  # one per measure
    documents_of: Mapping[str, str] = field(default_factory=dict)  # where rows are not documents

    def documents(self, ranks: int) -> list[str]:
        """The documents in the first ranks of either list."""
        return list(dict.fromkeys((*self.before[:ranks], *self.after[:ranks])))
