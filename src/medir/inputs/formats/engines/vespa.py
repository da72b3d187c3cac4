"""Responses of Vespa in its default JSON format."""

from __future__ import annotations

from typing import Any

from medir.errors import InputError
from medir.inputs.formats.engines.results import (
    Fields,
    Results,
    check_returned,
    failure,
    ids_of,
    part,
    whole,
)

NAME = "Vespa"
DOCUMENT_ID = "documentid"


def speaks(response: Fields) -> bool:
    """Whether this engine writes such responses."""
    return isinstance(response.get("root"), dict)


def results_of(response: Fields, document: str | None) -> Results:
    """The results, with ids from a field, or from `documentid`, or else from the hits' own ids."""
    root = response["root"]
    children = root.get("children", [])
    if not isinstance(children, list):
        raise InputError("there is no list of results in root.children")
    hits = [one for one in children if not _is_group(one)]
    errors = root.get("errors")
    if errors and not hits:
        return failure(_error(errors[0]))
    results = Results(scores=[part(hit, "relevance") for hit in hits])
    results.documents, results.named_by = _ids(hits, document)
    results.fault = _error(errors[0]) if errors else _coverage(root.get("coverage"))
    zero = "groups alone: hits 0" if len(hits) < len(children) else "hits 0"
    return check_returned(results, whole(part(root, "fields", "totalCount")), zero)


def _is_group(child: Any) -> bool:
    """Whether this is the outcome of grouping; it is no result."""
    if not isinstance(child, dict):
        raise InputError("there are results in root.children that are no objects")
    if str(child.get("id", "")).startswith("group:"):
        return True
    if "children" in child:
        raise InputError(
            f"there are results within results (in {child.get('id')!r}), which are no ranking",
            remedy="Search one source, so that root.children holds the results.",
        )
    return False


def _ids(hits: list[Any], document: str | None) -> tuple[list[Any], str]:
    if document is not None:
        return ids_of(hits, document, "fields"), document
    having = sum(part(hit, "fields", DOCUMENT_ID) is not None for hit in hits)
    if not hits:
        return [], ""
    if having == len(hits):
        return [hit["fields"][DOCUMENT_ID] for hit in hits], DOCUMENT_ID
    if having:
        raise InputError(
            f"{having} of {len(hits)} results have {DOCUMENT_ID}",
            remedy="Return it with all of them, so that ids are of one kind.",
        )
    return ids_of(hits, "id"), "id"


def _error(error: Any) -> str:
    said = [part(error, "summary"), part(error, "message")]
    return ": ".join(str(one) for one in said if one) or "the search failed"


def _coverage(coverage: Any) -> str:
    """Why not all documents were searched."""
    degraded = part(coverage, "degraded")
    if part(coverage, "full") is not False and not degraded:
        return ""
    reasons = [name for name, is_one in degraded.items() if is_one] if degraded else []
    why = f" ({', '.join(reasons)})" if reasons else ""
    return f"{part(coverage, 'coverage')}% of the documents were searched{why}"
