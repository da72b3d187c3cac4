"""What is keyed by query: lists of the core, found by the id of a query."""

from __future__ import annotations

from medir import _core
from medir.files.identifiers import bytes_of, text_of

NOT_FOUND = 0xFFFFFFFF


def find(lists: _core.Lists, query: str) -> int:
    """The number of a query in lists, or `NOT_FOUND`."""
    return lists.find(bytes_of(query, "query", ""))


def query_ids(lists: _core.Lists | _core.Pairing | _core.Pool) -> list[str]:
    """The ids of all queries of lists."""
    joined, ends = lists.queries()
    starts = [0, *ends[:-1]]
    return [text_of(joined[i:j]) for i, j in zip(starts, ends, strict=True)] if ends else []
