"""Responses of Elasticsearch and OpenSearch, single ones and the items of `_msearch`."""

from __future__ import annotations

from typing import Any

from medir.base.words import count
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

NAME = "Elasticsearch or OpenSearch"


def speaks(response: Fields) -> bool:
    """Whether this engine writes such responses."""
    return isinstance(response.get("hits"), dict) or any(
        name in response for name in ("error", "took", "timed_out", "_shards")
    )


def results_of(response: Fields, document: str | None) -> Results:
    """The results, with ids from `_id` or from a field of the source."""
    status = whole(response.get("status"))
    if response.get("error") is not None or (status is not None and status >= 400):
        return failure(_error(response.get("error"), status))
    if "_scroll_id" in response:
        raise InputError(
            "this is a page of a scroll, and which one cannot be told",
            remedy="Ask for the results of a query at once: size, without scroll.",
        )
    hits = part(response, "hits", "hits")
    found = part(response, "hits", "total")
    found = found.get("value") if isinstance(found, dict) else found
    if hits is None and found == 0:  # filter_path leaves out empty lists
        hits = []
    if not isinstance(hits, list):
        raise InputError(
            "there are no results in hits.hits",
            remedy="Where filter_path is used, let it keep hits.total and hits.hits.",
        )
    results = Results(_ids(hits, document), [hit.get("_score") for hit in hits])
    results.fault = _fault(response)
    zero = "aggregations alone: size 0" if "aggregations" in response else "size 0"
    return check_returned(results, found, zero)


def _ids(hits: list[Any], document: str | None) -> list[Any]:
    if document is None:
        return ids_of(hits, "_id")
    if hits and isinstance(hits[0], dict) and "_source" not in hits[0] and "fields" in hits[0]:
        fetched = ids_of(hits, document, "fields")  # lists, also of single values
        return [one[0] if isinstance(one, list) and len(one) == 1 else one for one in fetched]
    return ids_of(hits, document, "_source")


def _error(error: Any, status: int | None) -> str:
    """What went wrong, by the innermost cause."""
    causes = part(error, "root_cause")
    if isinstance(causes, list) and causes:
        error = causes[0]
    said = [part(error, "type"), part(error, "reason")] if isinstance(error, dict) else [error]
    text = ": ".join(str(one) for one in said if one)
    return text or f"status {status}"


def _fault(response: Fields) -> str:
    """Why the results are not all."""
    if response.get("timed_out"):
        return "the search timed out"
    failed, total = whole(part(response, "_shards", "failed")), part(response, "_shards", "total")
    if failed:
        reasons = part(response, "_shards", "failures")
        reason = part(reasons[0], "reason") if isinstance(reasons, list) and reasons else None
        why = _error(reason, None) if reason else ""
        return f"{failed} of {count(whole(total) or failed, 'shard')} failed" + (
            f" ({why})" if why else ""
        )
    for state in ("failed", "partial", "skipped"):
        number = whole(part(response, "_clusters", state))
        if number:
            what = {"failed": "failed", "partial": "answered in part", "skipped": "left out"}[state]
            return f"{count(number, 'cluster')} {what}"
    return ""
