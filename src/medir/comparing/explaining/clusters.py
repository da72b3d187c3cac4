"""Rows of a query where documents have the same content: every row has a name of its own.

A document may stand for its cluster in one list and repeat another one in the other list. These are
two rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from medir.comparing.explaining.contents import SameContent, TakenApart
from medir.comparing.explaining.explanation import Columns


def row_name(document: str, repeats: str | None) -> str:
    """What a row is called.

    >>> row_name("a", None), row_name("a", "b")
    ('a', 'a repeats b')
    """
    return document if repeats is None else f"{document} repeats {repeats}"


def rows_of_clusters(evidence: Columns) -> Iterator[tuple[str, SameContent]]:
    """The rows that hold another document after the change, and those that repeat another."""
    first = {after: one for one, after in _pairs(evidence) if after is not None}
    rows = zip(evidence.document, evidence.document_after, evidence.repeats, strict=True)
    for document, after, repeats in rows:
        if after is not None or repeats is not None:
            above = first.get(repeats, repeats)  # rows are called by the document before
            yield row_name(document, repeats), SameContent(document, after, above)


def _pairs(evidence: Columns) -> Iterator[tuple[str, str | None]]:
    return zip(evidence.document, evidence.document_after, strict=True)


@dataclass(frozen=True)
class RowsOfClusters:
    """A value of one query whose rows have names of their own."""

    why: TakenApart

    @property
    def sentence(self) -> str:
        """The value in plain words."""
        return self.why.sentence

    @property
    def evidence(self) -> Columns:
        """What each row adds."""
        one = self.why.evidence
        rows = zip(one.document, one.repeats, strict=True)
        return one._replace(document=[row_name(*row) for row in rows])

    @property
    def unseen_gain(self) -> float:
        """What unseen ranks below the list after the change add to the gain."""
        return self.why.unseen_gain

    @property
    def unseen_loss(self) -> float:
        """What unseen ranks below the list before the change add to the loss."""
        return self.why.unseen_loss
