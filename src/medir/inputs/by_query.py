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


def documents_of(lists: _core.Lists, query: bytes) -> list[bytes]:
    """The ranked documents of a query, each once; none where the run does not have the query."""
    number = lists.find(query)
    if number == NOT_FOUND:
        return []
    return list(dict.fromkeys(document for document, _ in lists.entries(number)))


def grades_of(lists: _core.Lists, query: bytes) -> dict[bytes, int]:
    """The judgments of a query, the highest of any intent; none where it has none."""
    number = lists.find(query)
    grades: dict[bytes, int] = {}
    for document, grade in [] if number == NOT_FOUND else lists.entries(number):
        grades[document] = max(int(grade), grades.get(document, 0))
    return grades
