"""What is handed to those who judge: documents to judge, with their texts where they are wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from medir.base.checks import check_choice
from medir.comparing.judging.judge import Suggestion, Suggestions
from medir.errors import InputError, UsageError
from medir.files.identifiers import ENCODING, UNDECODABLE, shown
from medir.files.paths import refuse_inputs
from medir.files.replacing import replacing
from medir.files.tables import Target
from medir.inputs.queries import Queries
from medir.inputs.queries import Source as QueryTable
from medir.inputs.texts import DocumentText, Texts, texts_of

FORMATS = ("trec", "jsonl", "umbrela", "label-studio")
UMBRELA_HIGHEST = 3  # umbrela's grades are 0 to 3


class Request(NamedTuple):
    """A document to judge for a query, with texts."""

    query_id: str
    query: str | None
    doc_id: str
    document: DocumentText


def write_requests(
    target: Target,
    suggestions: Suggestions,
    format: str = "jsonl",
    *,
    documents: Texts | None = None,
    queries: QueryTable | None = None,
) -> None:
    """Writes documents to judge as a judge or a labelling tool reads them.

    `format` is `"trec"` (lines `query document`, without texts), `"jsonl"` (one object per
    document: query_id, query, doc_id, title, text, max_grade), `"umbrela"` (one request per query)
    or `"label-studio"` (a list of tasks). `documents` are the texts of documents, as a path or
    `{document: text}`, `queries` those of queries as for `compare`; a text that is missing is an
    error. A file appears when it is complete, or not at all.
    """
    check_choice(format, FORMATS, "format")
    refuse_inputs(target, suggestions.origins())
    if format == "trec":
        write_pool(target, suggestions)
        return
    check_texts(format, documents, queries)
    assert documents is not None
    asked = _requests(suggestions, documents, queries)
    if format == "umbrela":
        _check_scale(suggestions)
        content = _lines(_umbrela(asked))
    elif format == "label-studio":
        tasks = [{"data": _fields(one, suggestions.max_grade, True)} for one in asked]
        content = json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"
    else:
        content = _lines(_fields(one, suggestions.max_grade, False) for one in asked)
    _deliver(target, content.encode(ENCODING))


def write_pool(target: Target, suggestions: Iterable[Suggestion]) -> None:
    """Writes `query document`, one line per suggestion, for those who judge.

    A file appears when it is complete, or not at all.
    """
    lines = [f"{_word(one.query_id)} {_word(one.document)}\n" for one in suggestions]
    _deliver(target, "".join(lines).encode(ENCODING, UNDECODABLE))


def check_texts(format: str, documents: object, queries: object) -> None:
    """Raises an error where a format lacks the texts that it holds."""
    if documents is None:
        raise UsageError(f"the format {format} holds texts: give those of documents (--documents)")
    if queries is None and format != "jsonl":
        raise UsageError(f"the format {format} holds texts: give those of queries (--queries)")


def _deliver(target: Target, content: bytes) -> None:
    if not isinstance(target, str | PathLike):
        target.write(content)
        return
    with replacing(Path(target)) as file:
        file.write(content)


def _word(identifier: str) -> str:
    if not identifier or min(identifier) <= " ":  # blanks and control characters
        raise UsageError(
            f"{identifier!r} cannot be written to a pool file, where blanks separate query and "
            "document; csv, tsv and jsonl hold any id"
        )
    return identifier


def _requests(
    suggestions: Suggestions, documents: Texts, queries: QueryTable | None
) -> list[Request]:
    """The suggestions with their texts, all of which must be there."""
    table = None if queries is None else Queries.of(queries)
    wanted = dict.fromkeys(one.document for one in suggestions)
    texts = texts_of(documents, set(wanted))
    name = "documents" if isinstance(documents, Mapping) else str(documents)
    _refuse_missing([one for one in wanted if one not in texts or not texts[one].text], name, "doc")
    if table is not None:
        ids = dict.fromkeys(one.query_id for one in suggestions)
        _refuse_missing([one for one in ids if not table.full_text(one)], table.name, "query")
    return [
        Request(
            one.query_id,
            None if table is None else table.full_text(one.query_id),
            one.document,
            texts[one.document],
        )
        for one in suggestions
    ]


def _refuse_missing(missing: list[str], name: str, kind: str) -> None:
    if not missing:
        return
    noun = "document" if kind == "doc" else "query"
    others = f", nor of {len(missing) - 1:,} others" if len(missing) > 1 else ""
    raise InputError(
        f"there is no text of the {noun} {shown(missing[0])!r}{others}",
        name,
        remedy="A judge needs the text of everything that is to be judged: add it.",
    )


def _check_scale(suggestions: Suggestions) -> None:
    """Raises an error where umbrela could give a grade above the highest one."""
    measure, highest = suggestions.measure, suggestions.max_grade
    graded = measure["relevance"] == "graded" or measure["gains"] in ("exp", "linear")
    if highest < UMBRELA_HIGHEST and (graded or measure["max_grade"] is not None):
        raise UsageError(
            f"umbrela gives grades up to {UMBRELA_HIGHEST}, and the highest grade is {highest}: "
            f"declare it, as in {measure(max_grade=UMBRELA_HIGHEST)!r}"
        )


def _fields(one: Request, max_grade: int, every: bool) -> dict[str, Any]:
    """A request as an object; with `every` field, also an empty one."""
    title, text = one.document
    fields = {
        "query_id": one.query_id,
        "query": one.query,
        "doc_id": one.doc_id,
        "title": title if title != text else "",
        "text": text,
        "max_grade": max_grade,
    }
    return {
        name: shown(value) if isinstance(value, str) else value
        for name, value in fields.items()
        if every or value not in (None, "")
    }


def _umbrela(asked: Iterable[Request]) -> Iterator[dict[str, Any]]:
    """One request per query, in the order in which queries first appear."""
    by_query: dict[str, list[Request]] = {}
    for one in asked:
        by_query.setdefault(one.query_id, []).append(one)
    for query, some in by_query.items():
        yield {
            "query": {"text": shown(some[0].query or ""), "qid": shown(query)},
            "candidates": [
                {"doc": {"segment": _segment(one.document)}, "docid": shown(one.doc_id)}
                for one in some
            ],
        }


def _segment(document: DocumentText) -> str:
    title, text = document
    return shown(text if title in ("", text) else f"{title}\n{text}")


def _lines(objects: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects)
