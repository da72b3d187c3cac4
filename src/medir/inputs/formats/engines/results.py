"""What one response of an engine says, whichever engine it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from medir.base.words import count
from medir.errors import InputError

Fields = Mapping[str, Any]


@dataclass
class Results:
    """The results of one query, best first, and what the engine says of them."""

    documents: list[Any] = field(default_factory=list)
    scores: list[Any] = field(default_factory=list)  # None where a result has none
    asked: int | None = None  # how many results the request asked for
    query: str | None = None  # its id, where the response has one
    text: str | None = None  # what was searched for
    fault: str = ""  # why these are not all results
    failed: bool = False  # whether there are none for that reason
    named_by: str = ""  # the field that has the ids of documents, where engines have several


@dataclass
class Answer:
    """A response, and where it stands."""

    results: Results
    engine: ModuleType
    source: str
    line: int
    stem: str | None = None  # of its file, where it is alone there


def failure(problem: str) -> Results:
    """The results of a search that failed."""
    return Results(fault=problem, failed=True)


def check_returned(results: Results, found: Any, parameter: str) -> Results:
    """Marks as failed what found documents and returned none: the ranking is not known."""
    if not results.documents and not results.fault and isinstance(found, int) and found > 0:
        return failure(f"{count(found, 'document')} matched and none was returned ({parameter})")
    return results


def ids_of(hits: Iterable[Any], name: str, inside: str = "") -> list[Any]:
    """The ids of hits in a field, or in a field of a field."""
    try:
        return [(hit[inside] if inside else hit)[name] for hit in hits]
    except (KeyError, TypeError, IndexError):
        pass
    path = f"{inside}.{name}" if inside else name
    for rank, hit in enumerate(hits, 1):
        place = hit.get(inside) if inside and isinstance(hit, dict) else hit
        if not isinstance(place, dict) or name not in place:
            has = f"; it has {', '.join(map(str, place))}" if isinstance(place, dict) else ""
            raise InputError(
                f"the result at rank {rank} has no field {path}{has}",
                remedy="Return it with the results, or name the field that holds the ids of "
                "documents: columns={'doc_id': 'FIELD'}, --columns doc_id=FIELD.",
            )
    raise AssertionError("unreachable")


def whole(value: Any) -> int | None:
    """A whole number, also as text; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() else None


def part(value: Any, *names: str) -> Any:
    """What stands in a field of a field ...; None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
