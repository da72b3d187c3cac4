"""The results of a query as other libraries give them: documents that have an id somewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import numpy as np

from medir.errors import InputError

IDS = ("id", "id_", "node_id", "doc_id", "_id")  # of LangChain, LlamaIndex, and others
METADATA = ("metadata", "meta")


def plain_id(identifier: Any) -> Any:
    """An id as text or a number: a UUID is its text."""
    return str(identifier) if isinstance(identifier, UUID) else identifier


def id_of(document: Any, name: str, key: str | None = None) -> Any:
    """The id of a document: its own, or what its metadata have under a key.

    What is no document is returned as it is.
    """
    if isinstance(document, tuple) and len(document) == 2 and not _is_id(document[0]):
        document = document[0]  # and its score beside it; the order stands
    if _is_id(document):
        return plain_id(document)
    metadata = _metadata(document)
    known = _known_ids(document) if key is None else metadata
    found = next((known[one] for one in ((key,) if key else IDS) if one in known), None)
    if found is None and metadata:
        where = "" if key is None else f" {key!r} in its metadata"
        raise InputError(
            f"a document has no id{where}",
            name,
            text=f"{type(document).__name__} with {', '.join(map(str, metadata))}",
            remedy="Say which key of the metadata is the id: Run.of(results, id='source').",
        )
    return document if found is None else plain_id(found)


def refuse_frames(query: Any, results: Any, name: str) -> None:
    """Raises an error for a frame, and for a Series of pandas unless it holds texts.

    A frame would be read as the names of its columns, and numbers may be scores as well as ids.
    """
    if hasattr(results, "columns"):
        raise InputError(
            f"query {query!r} has a table where its results should be",
            name,
            remedy="Give one table of all queries, with a column of query ids.",
        )
    if type(results).__module__.partition(".")[0] != "pandas" or not hasattr(results, "tolist"):
        return
    if not all(isinstance(value, str | UUID) for value in results.tolist()):
        raise InputError(
            f"query {query!r} has a pandas Series of numbers, which may be scores or ids",
            name,
            remedy="Give series.to_dict() for scores by document (its index), or series.tolist() "
            "for ids in their order.",
        )


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | np.integer | UUID)


def _known_ids(document: Any) -> dict[str, Any]:
    if isinstance(document, Mapping):
        found = {key: document.get(key) for key in IDS}
    else:
        found = {key: getattr(document, key, None) for key in IDS}
    return {key: value for key, value in found.items() if _is_id(value)}


def _metadata(document: Any) -> Mapping[Any, Any]:
    """What a document says of itself."""
    if isinstance(document, Mapping):
        return document
    held = (getattr(document, name, None) for name in METADATA)
    return next((one for one in held if isinstance(one, Mapping)), {})
