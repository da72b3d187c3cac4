"""Which query each response is of."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import bytes_of, text_of
from medir.inputs.formats.engines.results import Answer

REMEDY = (
    "Name the queries in the order of the responses (--queries FILE, queries=), or write "
    'lines such as {"query_id": "q1", "response": {...}}.'
)


def named(
    answers: Sequence[Answer], given: Collection[Any] | None, source: str
) -> tuple[list[str], str]:
    """The ids of the queries, and where they come from in a few words.

    They are in the responses, or given in the order of the responses, or the names of files, or
    the texts of the queries, or row numbers.
    """
    own = [one.results.query for one in answers]
    stems = [one.stem for one in answers]
    if given is not None:
        table = [text_of(bytes_of(query, "query", source)) for query in given]
        queries, where = _given(table, own, stems, source), "query ids from the table of queries"
    elif any(name is not None for name in own):
        queries, where = _complete(own, answers), "query ids from the responses"
    elif all(name is not None for name in stems):
        queries, where = _complete(stems, answers), "query ids from file names"
    else:
        queries, where = _texts(answers)
    _check_once(queries, answers)
    return queries, where


def _given(
    table: list[str],
    own: Sequence[str | None],
    stems: Sequence[str | None],
    source: str,
) -> list[str]:
    """The given queries in the order of the responses; names that are among them win."""
    if len(table) != len(own):
        raise InputError(
            f"{count(len(own), 'response')} for {count(len(table), 'query', 'queries')}",
            source,
            remedy="Give the queries that were searched for, one for each response, in their "
            "order.",
        )
    names = [name or stem for name, stem in zip(own, stems, strict=True)]
    known = set(table)
    are_known = [name in known for name in names if name is not None]
    if len(are_known) == len(names) and all(are_known):
        return [str(name) for name in names]
    if any(are_known) or any(name is not None for name in own):
        unknown = next((name for name in names if name is not None and name not in known), None)
        problem = (
            "some responses name their queries and others do not"
            if unknown is None
            else f"there is a response of query {unknown!r}, which is not among the queries given"
        )
        raise InputError(problem, source, remedy="Give the queries that were searched for.")
    return table


def _complete(names: Sequence[str | None], answers: Sequence[Answer]) -> list[str]:
    for name, answer in zip(names, answers, strict=True):
        if name is None:
            problem = "a response does not say which query it is of, as others do"
            raise InputError(problem, answer.source, answer.line, remedy=REMEDY)
    return [str(name) for name in names]


def _texts(answers: Sequence[Answer]) -> tuple[list[str], str]:
    """The texts that were searched for, unless all are the same; else row numbers."""
    texts = [one.results.text for one in answers]
    if all(texts) and (len(set(texts)) > 1 or len(texts) == 1):
        return [str(text) for text in texts], "query ids from params.q"
    return [str(number) for number in range(len(answers))], "query ids by row number from 0"


def _check_once(queries: Sequence[str], answers: Sequence[Answer]) -> None:
    seen: dict[str, Answer] = {}
    for query, answer in zip(queries, answers, strict=True):
        if query in seen:
            other = seen[query]
            where = f"line {other.line}" if other.source == answer.source else other.source
            problem = f"there are two responses of query {query!r}; the other is in {where}"
            raise InputError(problem, answer.source, answer.line, remedy=REMEDY)
        seen[query] = answer
