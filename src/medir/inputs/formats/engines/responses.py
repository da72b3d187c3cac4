"""Runs from responses of search engines: files, JSON lines and folders of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import bytes_of, shown
from medir.files.opening import Content, content_of, is_folder, unpacked_name
from medir.files.origins import FilesOrigin, Origin
from medir.inputs.formats.engines import vespa
from medir.inputs.formats.engines.finding import LABELS, answers_in
from medir.inputs.formats.engines.naming import named
from medir.inputs.formats.engines.results import Answer, Results
from medir.inputs.formats.mappings import ends_of, joined
from medir.inputs.formats.source import Reading, Taken
from medir.inputs.writing.descending import descending


def engine_run(
    path: str | PathLike[str], reading: Reading, kind: str = "auto"
) -> Taken[_core.Lists]:
    """A run from a file of responses, or from a folder of such files; `-` is standard input."""
    place = fspath(path)
    if is_folder(place):
        return folder_run(place, reading, kind)
    return content_run(content_of(place), reading, kind)


def content_run(content: Content, reading: Reading, kind: str = "auto") -> Taken[_core.Lists]:
    """A run from responses whose bytes are at hand, unless they are those of a plain file."""
    answers = list(answers_in(content, reading.columns, kind))
    return _taken(answers, content.name, content.origin, reading, kind)


def folder_run(folder: str, reading: Reading, kind: str = "auto") -> Taken[_core.Lists]:
    """A run from the JSON files of a folder by name; files of one response name its query."""
    answers, origins = [], []
    for path in response_files(folder):
        content = content_of(str(path))
        found = list(answers_in(content, reading.columns, kind))
        if len(found) == 1 and found[0].results.query is None:
            found[0].stem = Path(unpacked_name(path.name)).stem
        answers += found
        origins.append(content.origin)
    if not answers:
        raise InputError(
            "there are no responses (*.json, *.jsonl) in this folder",
            folder,
            remedy="Save one response per file, named after its query: q1.json.",
        )
    return _taken(answers, folder, FilesOrigin(tuple(origins)), reading, kind)


def response_files(folder: str) -> list[Path]:
    """The JSON files in a folder by name, plain or compressed, hidden ones left out."""
    return sorted(
        path
        for path in Path(folder).iterdir()
        if Path(unpacked_name(path.name)).suffix.lower() in (".json", ".jsonl", ".ndjson")
        and not path.name.startswith(".")
        and path.is_file()
    )


def _taken(
    answers: list[Answer], name: str, origin: Origin, reading: Reading, kind: str
) -> Taken[_core.Lists]:
    if not answers:
        raise InputError("there are no responses", name)
    queries, naming = named(answers, reading.queries, name)
    faults = _faults(answers, queries, reading.allow_partial)
    responses = Responses(queries, [one.results for one in answers], name)
    _check_size(responses, answers, reading.size)
    lists, scores = responses.lists()
    asked = responses.asked(reading.size)
    if asked is not None:
        lists.set_asked(asked)
    words = [
        f"responses of {_whose(answers, kind)}",
        naming,
        *_documents(answers),
        *faults,
        *([f"scores of {count(scores, 'list')} left out: not in their order"] if scores else []),
    ]
    return Taken(lists, name, origin, ", ".join(words))


@dataclass(frozen=True)
class Responses:
    """The results of queries as an engine returned them."""

    queries: list[str]
    results: list[Results]
    name: str

    def asked(self, size: int | None = None) -> int | None:
        """How many results each query asked for; None where that is not known, or differs."""
        stated = {one.asked for one in self.results if not one.failed} - {None}
        return size if not stated else stated.pop() if len(stated) == 1 else None

    def lists(self) -> tuple[_core.ColumnLists, int]:
        """For the core, and how many of them are not in the order of their scores."""
        documents = [one.documents for one in self.results]
        ends = ends_of(documents)
        ids = [bytes_of(one, "document", self.name) for some in documents for one in some]
        queries = [bytes_of(one, "query", self.name) for one in self.queries]
        scores, _, counted = descending(self._scores(), ends)
        parts = (*joined(queries), ends, *joined(ids), *joined([]), scores)
        return _core.ColumnLists(shown(self.name), *parts, _core.Order.file), counted

    def _scores(self) -> NDArray[np.float64]:
        """As they are; counting down where a list has none, as that of a sorted search."""
        scores: list[Any] = []
        for one in self.results:
            if one.scores and one.scores[0] is None and not any(one.scores):
                scores += range(len(one.scores), 0, -1)
            else:
                scores += one.scores
        try:
            return np.array(scores, dtype=np.float64)
        except (TypeError, ValueError):
            pass
        for query, one in zip(self.queries, self.results, strict=True):
            for score in one.scores:
                if not isinstance(score, int | float | None):
                    problem = f"query {query!r}: the score {score!r} is not a number"
                    raise InputError(problem, self.name)
        raise InputError("there are scores beyond all numbers", self.name)


def _whose(answers: Sequence[Answer], kind: str) -> str:
    if kind in LABELS:
        return LABELS[kind]
    return " and ".join(dict.fromkeys(one.engine.NAME for one in answers))


def _documents(answers: Sequence[Answer]) -> list[str]:
    """Which ids documents have, where that is not plain."""
    names = sorted({one.results.named_by for one in answers} - {""})
    if "id" in names and vespa in {one.engine for one in answers}:
        return ["documents by the ids of hits, which need not be the same in another response"]
    return [f"documents by {' and '.join(names)}"] if names else []


def _faults(answers: Sequence[Answer], queries: Sequence[str], allowed: bool) -> list[str]:
    """What is said of responses that are not whole; an error, unless they are allowed."""
    faulty = [(one, q) for one, q in zip(answers, queries, strict=True) if one.results.fault]
    if faulty and not allowed:
        answer, query = faulty[0]
        state = "failed" if answer.results.failed else "is partial"
        others = f" ({count(len(faulty) - 1, 'other')} too)" if len(faulty) > 1 else ""
        raise InputError(
            f"the response of query {query!r} {state}{others}: {answer.results.fault}",
            answer.source,
            answer.line,
            remedy="Search again. Or convert them with medir convert --allow-partial (in Python "
            "allow_partial=True): partial results are kept, and failed queries have none.",
        )
    kinds = Counter(one.results.failed for one, _ in faulty)
    return [
        *([f"{count(kinds[False], 'partial response')} kept"] if kinds[False] else []),
        *([f"{count(kinds[True], 'failed response')} without results"] if kinds[True] else []),
    ]


def _check_size(responses: Responses, answers: Sequence[Answer], size: int | None) -> None:
    """Raises an error where more results came than were asked for."""
    for query, answer in zip(responses.queries, answers, strict=True):
        asked = answer.results.asked or size
        if asked is not None and len(answer.results.documents) > asked:
            raise InputError(
                f"query {query!r} has {count(len(answer.results.documents), 'result')}, and "
                f"{asked:,} {'was' if asked == 1 else 'were'} asked for",
                answer.source,
                answer.line,
                remedy="State the size of the requests (size=, --size).",
            )
