"""Lists that are already in memory, as columns for the native core."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.checks import HIGHEST_GRADE
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.inputs.grading import Grading

NOTHING = np.zeros(0)
NO_ENDS = np.zeros(0, dtype=np.uint64)


def joined(parts: Sequence[bytes]) -> tuple[bytes, NDArray[np.uint64]]:
    return b"".join(parts), ends_of(parts)


def ends_of(parts: Sequence[Sized]) -> NDArray[np.uint64]:
    """Where each part ends, one behind the other."""
    if not parts:
        return NO_ENDS
    return np.fromiter(accumulate(map(len, parts)), dtype=np.uint64, count=len(parts))


def run_columns(source: Mapping[Any, Any], order: str, name: str) -> _core.ColumnLists:
    """`{query: {document: score}}` or `{query: [documents]}`, also mixed."""
    if source and not any(isinstance(results, Mapping) for results in source.values()):
        return _ranked(source, name)
    documents: list[Iterable[Any]] = []
    scores: list[NDArray[np.float64]] = []
    ranked = False
    for query, results in source.items():
        if isinstance(results, Mapping):
            documents.append(results.keys())
            scores.append(_scores(query, results, name))
        else:
            documents.append(ranking := _results(query, results, name))
            scores.append(np.arange(len(ranking), 0, -1, dtype=np.float64))
            ranked = True
    if order == "rank":
        if not ranked and documents:
            raise InputError(
                "order='rank' needs ranks, and a mapping of document to score has none",
                name,
                remedy="Choose order='score', or 'file' to take the documents as they come.",
            )
        order = "file"
    return _columns(source, documents, scores, order, name)


def _ranked(source: Mapping[Any, Any], name: str) -> _core.ColumnLists:
    """`{query: [documents]}`: in the order that they have."""
    rankings = [
        [bytes_of(document, "document", name) for document in _results(query, results, name)]
        for query, results in source.items()
    ]
    return _core.ranked_lists(shown(name), _queries(source, name), rankings)


def _results(query: Any, results: Any, name: str) -> list[Any]:
    """The results of a query, best first."""
    if isinstance(results, str | bytes) or not isinstance(results, Iterable):
        raise InputError(
            f"query {query!r} has {results!r} where its results should be",
            name,
            remedy="Give a list of documents, best first, or a mapping of document to score.",
        )
    return list(results)


def _queries(source: Mapping[Any, Any], name: str) -> list[bytes]:
    """The ids of the queries, each once."""
    queries = [bytes_of(query, "query", name) for query in source]
    if len(set(queries)) < len(queries):
        twice = next(text_of(q) for i, q in enumerate(queries) if q in queries[:i])
        raise InputError(f"two queries have the id {twice!r}", name)
    return queries


def _scores(query: Any, results: Mapping[Any, Any], name: str) -> NDArray[np.float64]:
    scores = np.array([_score(score) for score in results.values()], dtype=np.float64)
    if np.isnan(scores).any():
        wrong = next(d for d, s in zip(results, scores, strict=True) if np.isnan(s))
        raise InputError(
            f"query {query!r}: the score of {wrong!r} is {results[wrong]!r}, not a number", name
        )
    with np.errstate(over="ignore"):
        return scores.astype(np.float32).astype(np.float64)  # single precision, as trec_eval


def _score(score: Any) -> float:
    """A score as a number, infinite beyond all numbers; NaN where it is none."""
    try:
        return math.nan if isinstance(score, str) else float(score)
    except OverflowError:
        return math.inf if score > 0 else -math.inf
    except (TypeError, ValueError):
        return math.nan


def qrels_columns(
    source: Mapping[Any, Mapping[Any, Any]],
    by_intent: bool,
    name: str,
    grading: Grading | None = None,
) -> _core.ColumnLists:
    """`{query: {document: grade}}`, or `{query: {intent: {document: grade}}}`.

    Values are numbers; which grades they stand for is found out later.
    """
    number = (grading or Grading()).number
    documents: list[Iterable[Any]] = []
    grades: list[NDArray[np.float64]] = []
    intents: list[bytes] = []
    for query, judgments in source.items():
        _check_judgments(query, judgments, name)
        rows = [
            (intent, document, grade)
            for intent, judged in (judgments.items() if by_intent else [("", judgments)])
            for document, grade in _numbers(query, judged, name, number)
        ]
        documents.append([document for _, document, _ in rows])
        grades.append(np.array([grade for _, _, grade in rows], dtype=np.float64))
        if by_intent:
            intents += [bytes_of(intent, "intent", name) for intent, _, _ in rows]
    return _columns(source, documents, grades, "file", name, intents)


def judgment_columns(
    source: Mapping[Any, Sequence[tuple[Any, float]]], name: str
) -> _core.ColumnLists:
    """`{query: [(document, value)]}`, where a document may come again."""
    documents = [[document for document, _ in judged] for judged in source.values()]
    values = [np.array([value for _, value in judged]) for judged in source.values()]
    return _columns(source, [*documents], values, "file", name)


def joined_qrels(parts: Sequence[_core.Lists], name: str) -> _core.ColumnLists:
    """Judgments of several sources as one, without intents."""
    judged: dict[bytes, list[tuple[bytes, float]]] = {}
    for part in parts:
        ids, ends = part.queries()
        for number, (first, last) in enumerate(pairwise([0, *ends])):
            judged.setdefault(ids[first:last], []).extend(part.entries(number))
    documents = [document for some in judged.values() for document, _ in some]
    values = [np.array([grade for _, grade in some], dtype=np.float64) for some in judged.values()]
    return _packed(list(judged), documents, values, "file", name)


def probability_columns(
    source: Mapping[bytes, Mapping[bytes, float]], name: str
) -> _core.ColumnLists:
    """`{query: {document: probability}}`, in bytes."""
    documents = [document for known in source.values() for document in known]
    values = [np.array([*known.values()], dtype=np.float64) for known in source.values()]
    return _packed(list(source), documents, values, "file", name)


def _check_judgments(query: Any, judgments: Any, name: str) -> None:
    if not isinstance(judgments, Mapping):
        raise InputError(
            f"query {query!r} has {judgments!r} where its judgments should be",
            name,
            remedy="Give a mapping of document to grade.",
        )


def _numbers(
    query: Any, judged: Any, name: str, number: Callable[[Any], float | None]
) -> Iterator[tuple[Any, float]]:
    _check_judgments(query, judged, name)
    for document, grade in judged.items():
        plain = type(grade) is int and -HIGHEST_GRADE <= grade <= HIGHEST_GRADE
        value = grade if plain else number(grade)
        if value is None:
            raise InputError(
                f"query {query!r}: the grade of {document!r} is {grade!r}, not a number",
                name,
                remedy=f"Declare which grade a text stands for: grades={{{grade!r}: 1, ...}}."
                if isinstance(grade, str)
                else "",
            )
        yield document, value


def _columns(
    source: Mapping[Any, Any],
    documents: list[Iterable[Any]],
    values: list[NDArray[np.float64]],
    order: str,
    name: str,
    intents: Sequence[bytes] = (),
) -> _core.ColumnLists:
    queries = _queries(source, name)
    ids = [bytes_of(document, "document", name) for some in documents for document in some]
    return _packed(queries, ids, values, order, name, intents)


def _packed(
    queries: Sequence[bytes],
    documents: Sequence[bytes],
    values: Sequence[NDArray[np.float64]],
    order: str,
    name: str,
    intents: Sequence[bytes] = (),
) -> _core.ColumnLists:
    return _core.ColumnLists(
        shown(name),
        *joined(queries),
        ends_of(values),
        *joined(documents),
        *joined(intents),
        values[0] if len(values) == 1 else np.concatenate([*values, NOTHING]),
        _core.Order[order],
    )
