"""The results of a query as other libraries give them: their documents, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import numpy as np

from medir.errors import InputError

IDS = ("id", "id_", "node_id", "doc_id")  # of LangChain, LlamaIndex, and others
METADATA = ("metadata", "meta")
TEXTS = str | bytes


def is_plain(source: Mapping[Any, Any]) -> bool:
    """Whether results are lists or mappings that begin with a plain id, as far as a look tells."""
    for query, results in source.items():
        if not isinstance(results, dict | list | tuple) or isinstance(query, UUID):
            return False
        first = next(iter(results), "")
        if not isinstance(first, str | int | np.integer):
            return False
    return True


def plain_results(source: Mapping[Any, Any], name: str, id: str | None = None) -> dict[Any, Any]:
    """A mapping by query whose results are texts and numbers, or mappings of them to scores.

    The id of a document is its `id`, or what its metadata have under a key (`id`). A UUID is its
    text. None ends a list.
    """
    return {
        plain_id(query): _results(query, results, name, id) for query, results in source.items()
    }


def _results(query: Any, results: Any, name: str, id: str | None) -> Any:
    if _is_series(results):
        return _ids_in_series(query, results, name)
    if isinstance(results, Mapping):
        return {plain_id(document): score for document, score in results.items()}
    if isinstance(results, TEXTS) or not isinstance(results, Iterable):
        raise InputError(
            f"query {query!r} has {results!r} where its results should be",
            name,
            remedy="Give a list of documents, best first, or a mapping of document to score.",
        )
    ranked: list[Any] = []
    ended = False
    for rank, document in enumerate(results, 1):
        if document is None:
            ended = True
        elif ended:
            raise InputError(
                f"query {query!r} has a document at rank {rank}, after its list has ended",
                name,
                text=repr(document),
                remedy="None ends a list; leave out those in the middle.",
            )
        else:
            ranked.append(_identified(query, rank, document, name, id))
    return ranked


def plain_id(identifier: Any) -> Any:
    """An id as text or a number: a UUID is its text."""
    return str(identifier) if isinstance(identifier, UUID) else identifier


def _is_series(results: Any) -> bool:
    """Whether these are a Series of pandas, whose values may be ids or scores."""
    return type(results).__module__.partition(".")[0] == "pandas" and hasattr(results, "index")


def _ids_in_series(query: Any, results: Any, name: str) -> list[Any]:
    values = results.tolist()
    if not all(isinstance(value, str | UUID) for value in values):
        raise InputError(
            f"query {query!r} has a pandas Series of numbers, which may be scores or ids",
            name,
            remedy="Give series.to_dict() for scores by document (its index), or series.tolist() "
            "for ids in their order.",
        )
    return list(map(plain_id, values))


def _identified(query: Any, rank: int, document: Any, name: str, id: str | None) -> Any:
    """The id of a document."""
    if isinstance(document, str | int | np.integer):
        return document
    if isinstance(document, UUID):
        return str(document)
    if isinstance(document, tuple) and len(document) == 2 and not _is_id(document[0]):
        document = document[0]  # and its score beside it; the order stands
    metadata = _metadata(document)
    known = _known_ids(document) if id is None else metadata
    found = next((known[key] for key in (IDS if id is None else (id,)) if key in known), None)
    if found is None and metadata:
        where = "" if id is None else f" {id!r} in its metadata"
        raise InputError(
            f"query {query!r}: the document at rank {rank} has no id{where}",
            name,
            text=f"{type(document).__name__} with {', '.join(metadata)}",
            remedy="Say which key of the metadata is the id: Run.of(results, id='source').",
        )
    return document if found is None else plain_id(found)


def _known_ids(document: Any) -> dict[str, Any]:
    if isinstance(document, Mapping):
        return {key: document[key] for key in ("_id", *IDS) if document.get(key) is not None}
    found = {key: getattr(document, key, None) for key in IDS}
    return {key: value for key, value in found.items() if _is_id(value)}


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | np.integer | UUID)


def _metadata(document: Any) -> dict[str, Any]:
    """What a document says of itself."""
    if isinstance(document, Mapping):
        return dict(document)
    for name in METADATA:
        found = getattr(document, name, None)
        if isinstance(found, Mapping):
            return dict(found)
    return {}
