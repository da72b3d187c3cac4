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
from medir.inputs.formats.libraries.documents import id_of, plain_id, refuse_frames
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


def run_columns(
    source: Mapping[Any, Any], order: str, name: str, key: str | None = None
) -> _core.ColumnLists:
    """`{query: {document: score}}` or `{query: [documents]}`, also mixed.

    Documents of other libraries have an id of their own, or metadata that have one under a key.
    """

    def encode(identifier: Any, what: str) -> bytes:
        found = id_of(identifier, name, key) if what == "document" else plain_id(identifier)
        return bytes_of(found, what, name)

    def results(query: Any, results: Any) -> Any:
        return _results(query, results, name)

    def score(query: Any, document: Any, score: Any) -> float:
        return _score(query, document, score, name)

    known = source if type(source) is dict else dict(source.items())
    return _core.mapping_lists(shown(name), known, _core.Order[order], encode, results, score)


def _results(query: Any, results: Any, name: str) -> dict[Any, Any] | list[Any]:
    """The results of a query that are neither a dict nor a list."""
    if isinstance(results, Mapping):
        return dict(results)
    refuse_frames(query, results, name)
    _refuse_sets(results, f"query {query!r} has", name)
    if isinstance(results, str | bytes) or not isinstance(results, Iterable):
        raise InputError(
            f"query {query!r} has {results!r} where its results should be",
            name,
            remedy="Give a list of documents, best first, or a mapping of document to score.",
        )
    return results.tolist() if isinstance(results, np.ndarray) else list(results)


def ranking_of(documents: Any, name: str) -> list[Any]:
    """A list of documents by itself, best first, from what can be iterated over in order."""
    _refuse_sets(documents, "is", name)
    if isinstance(documents, Mapping):
        raise InputError(
            "is a mapping where a ranked list was expected",
            name,
            remedy="Give a list of documents, best first; or compare runs, "
            "{query: {document: score}}.",
        )
    return list(documents)


def _refuse_sets(documents: Any, place: str, name: str) -> None:
    if isinstance(documents, set | frozenset):
        raise InputError(
            f"{place} a set, which has no order",
            name,
            remedy="Give a list of documents, best first, or a mapping of document to score.",
        )


def _score(query: Any, document: Any, score: Any, name: str) -> float:
    """A score that is no float as a number, infinite beyond all numbers."""
    try:
        number = math.nan if isinstance(score, str) else float(score)
    except OverflowError:
        number = math.inf if score > 0 else -math.inf
    except (TypeError, ValueError):
        number = math.nan
    if math.isnan(number):
        raise InputError(
            f"query {query!r}: the score of {document!r} is {score!r}, not a number", name
        )
    return number


def _queries(source: Mapping[Any, Any], name: str) -> list[bytes]:
    """The ids of the queries, each once."""
    queries = [bytes_of(query, "query", name) for query in source]
    if len(set(queries)) < len(queries):
        twice = next(text_of(q) for i, q in enumerate(queries) if q in queries[:i])
        raise InputError(f"two queries have the id {twice!r}", name)
    return queries


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


def cluster_columns(pairs: Iterable[tuple[bytes, bytes]], name: str) -> _core.ColumnLists:
    """Documents and their clusters, in bytes, as one list of documents for each cluster."""
    clusters: dict[bytes, list[bytes]] = {}
    for document, cluster in pairs:
        clusters.setdefault(cluster, []).append(document)
    values = [np.zeros(len(members)) for members in clusters.values()]
    documents = [document for members in clusters.values() for document in members]
    return _packed(list(clusters), documents, values, "file", name)


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
