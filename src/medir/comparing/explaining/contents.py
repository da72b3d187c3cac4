"""What a comparison holds: words for its results, and one query with its value taken apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from medir.comparing.explaining.explanation import Columns


class Contents(NamedTuple):
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


class SameContent(NamedTuple):
    """Documents of a cluster in a row: the one before, another one after, and the row above."""

    document: str
    after: str | None  # None where it is the same document
    repeats: str | None  # the row that it repeats


class Ranking(NamedTuple):
    """The two lists of a query as far as any measure looks, and its values taken apart."""

    query: str
    before: Sequence[str]
    after: Sequence[str]
    grades: Mapping[str, int]
    explanations: Sequence[TakenApart]  # one per measure
    documents_of: Mapping[str, str] = {}  # where rows are not documents
    same: Mapping[str, SameContent] = {}  # rows with documents of clusters

    def documents(self, ranks: int) -> list[str]:
        """The documents in the first ranks of either list."""
        return list(dict.fromkeys((*self.before[:ranks], *self.after[:ranks])))

    def titled(self, ranks: int) -> dict[str, str]:
        """What has a title in the first ranks of either list: the document of each name."""
        names = {one: self.documents_of.get(one, one) for one in self.documents(ranks)}
        for row in names.keys() & self.same.keys():
            document, after, _ = self.same[row]
            names |= {one: one for one in (document, after) if one is not None}
        return names
