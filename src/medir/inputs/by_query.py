"""What is keyed by query: lists of the core, found by the id of a query."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cached_property
from typing import Generic, TypeVar

from medir import _core
from medir.base.words import count
from medir.files.identifiers import bytes_of, text_of
from medir.files.origins import Origin

NOT_FOUND = 0xFFFFFFFF

L = TypeVar("L", bound=_core.Lists)
T = TypeVar("T")


class ByQuery(ABC, Generic[L, T]):
    """Lists of the core by query, each of which is a T in Python."""

    def __init__(
        self, lists: L, name: str, origin: Origin | None = None, format: str | None = None
    ) -> None:
        self._lists, self.name, self.origin = lists, name, origin
        self.format = format  # how it was read, in a few words; None for TREC text and mappings

    @abstractmethod
    def _list(self, number: int | None) -> T:
        """The list of the query of a number, or the list of a query that there is not."""

    @cached_property
    def queries(self) -> list[str]:
        """The query ids, in the order in which they first appear."""
        return query_ids(self._lists)

    @property
    def longest(self) -> int:
        """The number of entries in the longest list, at most."""
        return self._lists.longest

    def find(self, query: str) -> int | None:
        """The number of a query; None where there is no such query."""
        number = self._lists.find(bytes_of(query, "query", ""))
        return None if number == NOT_FOUND else number

    def get(self, query: str) -> T:
        """The list of a query; an empty one where there is no such query."""
        return self._list(self.find(query))

    def __getitem__(self, query: str) -> T:
        """The list of a query."""
        number = self.find(query)
        if number is None:
            raise KeyError(query)
        return self._list(number)

    def digest(self, threads: int, *, intents: bool = False) -> str:
        """A hash of all lists."""
        kept = _core.Intents.kept if intents else _core.Intents.ignored
        return f"{self._lists.digest(kept, threads):x}"

    def __contains__(self, query: object) -> bool:
        return isinstance(query, str) and self.find(query) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.queries)

    def __len__(self) -> int:
        return len(self._lists)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {count(len(self), 'query', 'queries')}>"


def query_ids(lists: _core.Lists | _core.Pairing | _core.Pool | _core.QueryTable) -> list[str]:
    """The ids of all queries of lists."""
    joined, ends = lists.queries()
    starts = [0, *ends[:-1]]
    return [text_of(joined[i:j]) for i, j in zip(starts, ends, strict=True)] if ends else []
