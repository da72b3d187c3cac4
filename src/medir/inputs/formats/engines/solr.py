"""Responses of Solr, as its JSON writer has them."""

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

NAME = "Solr"
IDS = ("query_id", "qid", "q_id")  # parameters that name the query, the first that is there


def speaks(response: Fields) -> bool:
    """Whether this engine writes such responses."""
    return (
        "responseHeader" in response
        or isinstance(part(response, "response", "docs"), list)
        or isinstance(part(response, "error", "msg"), str)
    )


def results_of(response: Fields, document: str | None) -> Results:
    """The results, with ids from `id` or from another field of the documents."""
    parameters = part(response, "responseHeader", "params")
    results = _results(response, document or "id")
    names = (_text(part(parameters, name)) for name in IDS)
    results.query = next((name for name in names if name is not None), None)
    results.text = _text(part(parameters, "q"))
    results.asked = whole(part(parameters, "rows"))
    return results


def _results(response: Fields, document: str) -> Results:
    status = part(response, "responseHeader", "status")
    error = response.get("error")
    if error is not None or status not in (None, 0):
        message = part(error, "msg") or part(error, "trace") or f"status {status}"
        return failure(str(message).splitlines()[0])
    partial = part(response, "responseHeader", "partialResults")
    if partial == "omitted":
        return failure(_why(response, "the search was stopped, and its results left out"))
    if "nextCursorMark" in response:
        raise InputError(
            "this is a page of a cursor, and which one cannot be told",
            remedy="Ask for the results of a query at once: rows, without cursorMark.",
        )
    documents = part(response, "response", "docs")
    if not isinstance(documents, list):
        grouped = ", but groups" if "grouped" in response else ""
        raise InputError(
            f"there are no results in response.docs{grouped}",
            remedy="Search with group.main=true." if grouped else "",
        )
    start = part(response, "response", "start")
    if whole(start):
        raise InputError(
            f"the results begin behind rank {start}",
            remedy="Ask for all results of a query at once: rows, with start=0.",
        )
    results = Results(ids_of(documents, document), [one.get("score") for one in documents])
    if partial:
        results.fault = _why(response, "the search was stopped before all documents were seen")
    return check_returned(results, part(response, "response", "numFound"), "rows=0")


def _why(response: Fields, default: str) -> str:
    """Why the results are not all, in Solr's words where it has some."""
    details = part(response, "responseHeader", "partialResultsDetails")
    return str(details).splitlines()[0] if details else default


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
