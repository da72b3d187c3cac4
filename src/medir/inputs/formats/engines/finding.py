"""Responses in JSON: whole files, lines, lists, those of `_msearch`, and wrapped ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from medir.base.checks import check_choice
from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE, shown
from medir.files.opening import Content, plain_bytes
from medir.inputs.formats.engines import elasticsearch, solr, vespa
from medir.inputs.formats.engines.results import Answer
from medir.inputs.formats.queries import IDS

ENGINES = {
    "elasticsearch": elasticsearch,
    "opensearch": elasticsearch,
    "solr": solr,
    "vespa": vespa,
}
KINDS = ("auto", *ENGINES)
LABELS = {
    "elasticsearch": "Elasticsearch",
    "opensearch": "OpenSearch",
    "solr": "Solr",
    "vespa": "Vespa",
}
BLANKS = re.compile(r"\s*")
SHOWN = 200  # characters of a line that is no JSON


class _Response(NamedTuple):
    """An object that should be a response, with what is around it."""

    fields: Any
    query: str | None = None
    fault: str = ""
    engine: ModuleType | None = None  # where it stands says whose it is


def answers_in(content: Content, columns: Mapping[str, str] | None, kind: str) -> Iterator[Answer]:
    """The responses in a file, one after the other."""
    check_choice(kind, KINDS, "engine")
    name, data, _ = content
    document = (columns or {}).get("doc_id")
    for line, value in _values(plain_bytes(name) if data is None else data, name):
        for response in _responses(value):
            engine = _engine(response, kind, name, line)
            try:
                results = engine.results_of(response.fields, document)
            except InputError as error:
                which = "" if response.query is None else f"query {response.query!r}: "
                problem = which + error.problem
                raise InputError(problem, name, line, remedy=error.remedy) from None
            results.query = response.query or results.query
            results.fault = results.fault or response.fault
            yield Answer(results, engine, name, line)


def _values(data: bytes, name: str) -> Iterator[tuple[int, Any]]:
    """JSON values, one behind the other, on one line each or over many."""
    text = data.decode(ENCODING, UNDECODABLE).removeprefix("\ufeff")
    decoder, line, last = json.JSONDecoder(), 1, 0
    position = _behind_blanks(text, 0)
    while position < len(text):
        line += text.count("\n", last, position)
        last = position
        try:
            value, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            raise _not_json(error, text, position, name) from None
        yield line, value
        position = _behind_blanks(text, position)
    if not last and not text.strip():
        raise InputError("is empty: there are no responses", name)


def _not_json(
    error: ValueError | RecursionError, text: str, position: int, name: str
) -> InputError:
    """What is wrong with the JSON value at a position."""
    told, at = "it is too deep", position
    if isinstance(error, json.JSONDecodeError):
        told, at = error.msg[:1].lower() + error.msg[1:], error.pos
    elif isinstance(error, ValueError):
        told = "a number has too many digits"
    begin = text.rfind("\n", 0, at) + 1
    return InputError(
        f"is not valid JSON: {told}",
        name,
        text.count("\n", 0, at) + 1,
        shown(text[begin : begin + SHOWN].partition("\n")[0]),
        "Save whole responses: one JSON file, one response per line, or one file each.",
    )


def _behind_blanks(text: str, position: int) -> int:
    match = BLANKS.match(text, position)
    return position if match is None else match.end()


def _responses(value: Any) -> Iterator[_Response]:
    """The responses in a JSON value: one, a list of them, those of `_msearch`, or a wrapped one."""
    if isinstance(value, list):
        for one in value:
            yield from _responses(one)
    elif isinstance(value, dict) and isinstance(value.get("responses"), list):
        yield from (_Response(one, engine=elasticsearch) for one in value["responses"])
    elif _is_wrapper(value):
        running = value.get("is_partial") or value.get("is_running")  # of an asynchronous search
        fault = "the search was still running" if running else ""
        for one in _responses(value["response"]):
            yield one._replace(query=_query_in(value) or one.query, fault=fault or one.fault)
    else:
        yield _Response(value)


def _is_wrapper(value: Any) -> bool:
    """Whether this holds a response in a field `response`, which Solr has as well."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("response"), dict)
        and "responseHeader" not in value
        and "docs" not in value["response"]
    )


def _query_in(wrapper: dict[str, Any]) -> str | None:
    if "is_running" in wrapper:  # the id of an asynchronous search is not that of a query
        return None
    name = next((wrapper[one] for one in IDS if one in wrapper), None)
    return None if name is None else str(name)


def _engine(response: _Response, kind: str, name: str, line: int) -> ModuleType:
    """Whose response it is."""
    fields, engine = response.fields, response.engine
    if isinstance(fields, dict):
        if kind != "auto":
            known = [ENGINES[kind]]
        else:
            known = [solr, vespa, elasticsearch] if engine is None else [engine]
        for one in known:
            if one is engine or one.speaks(fields):
                return one
        has = f"it has the fields {', '.join(fields)}" if fields else "it has no fields"
    else:
        has = f"it is {json.dumps(fields)[:40]}"
    raise InputError(
        f"this is no response of {LABELS.get(kind, 'a search engine that medir knows')}: {has}",
        name,
        line,
        remedy="Give the JSON that Elasticsearch, OpenSearch, Solr or Vespa returned, as it is.",
    )
