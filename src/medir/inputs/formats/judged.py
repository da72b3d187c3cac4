"""What judges and labelling tools return: JSON lines, umbrela's judgments, Label Studio's export.

Told apart by content. What is no judgment (a task without a label, a cancelled annotation, a
response that umbrela could not read) is left out, and counted in the words on how it was read.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.opening import Content, plain_bytes, read_bytes
from medir.inputs.formats.column_names import (
    Kinds,
    checked_roles,
    chosen_columns,
    chosen_qrels_columns,
    has_columns,
)
from medir.inputs.formats.contents.json_lines import json_value, records
from medir.inputs.formats.mappings import judgment_columns
from medir.inputs.formats.source import Reading, Taken
from medir.inputs.grading import Grading

LABELS = ("choices", "rating", "number")  # results of Label Studio that may be a grade
EXAMPLE = '{"query_id": "q1", "doc_id": "d1", "relevance": 1}'
CASTORINI = "castorini.cli.v1"  # the envelope of umbrela's --output json
START = 1 << 16  # bytes by which a file is recognised


class Judgment(NamedTuple):
    """A value that a document was given for a query, and where it stands."""

    query: Any
    document: Any
    value: Any
    place: str


class Left(NamedTuple):
    """What is no judgment, and why."""

    reason: str
    plural: str


Records = list[tuple[str, dict[str, Any]]]  # where each stands, and what it holds


def judged_in_file(content: Content, reading: Reading) -> Taken[_core.Lists] | None:
    """Judgments that a judge or a labelling tool returned; None for anything else."""
    name, data, origin = content
    if not _start(name, data).removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"[")):
        return None
    whole = plain_bytes(name) if data is None else data
    found = _records(whole, name)
    kind = None if found is None else _kind(found, reading.columns)
    if found is None or kind is None:
        return None
    lists, words = qrels_of_judge(found, kind, name, reading)
    return Taken(lists, name, origin, words)


def _start(name: str, data: bytes | None) -> bytes:
    return plain_bytes(name, START) if data is None else data[:START]


def qrels_of_judge(
    found: Records, kind: str, name: str, reading: Reading
) -> tuple[_core.ColumnLists, str]:
    """The judgments among records of a kind, and how they were read in a few words."""
    if kind == "Label Studio export":
        answers = _of_label_studio(found, name, reading)
    elif kind == "umbrela judgments":
        answers = _of_umbrela(found, name, reading.requests)
    else:
        answers = _of_lines(found, name, reading.columns)
    left: Counter[Left] = Counter()
    judged: dict[Any, list[tuple[Any, float]]] = {}
    for answer in answers:
        if isinstance(answer, Left):
            left[answer] += 1
        else:
            value = _number(answer, name, reading.grading)
            judged.setdefault(answer.query, []).append((answer.document, value))
    notes = [count(number, one.reason, one.plural) for one, number in left.items()]
    if not judged:
        raise InputError(
            "holds no judgment" + (f": {', '.join(notes)}" if notes else ""),
            name,
            remedy="Give the file that the judge returned.",
        )
    return judgment_columns(judged, name), ": ".join(filter(None, [kind, ", ".join(notes)]))


def _records(data: bytes, name: str) -> Records | None:
    """The objects of JSON lines or of a list; None where there are none."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    first = text.lstrip().partition(b"\n")[0]
    if text.lstrip().startswith(b"{") and isinstance(_loaded(first), dict):
        lines = text.splitlines()
        return [(f"line {number}", fields) for number, _, fields in records(lines, name, EXAMPLE)]
    whole = _loaded(text)
    if isinstance(whole, dict) and whole.get("schema_version") == CASTORINI:
        artifacts = [one.get("data", one.get("value")) for one in whole.get("artifacts", [])]
        whole = next((one for one in artifacts if isinstance(one, list)), None)
    if not isinstance(whole, list) or not all(isinstance(one, dict) for one in whole):
        return None
    return [(f"entry {number}", fields) for number, fields in enumerate(whole, 1)]


def _loaded(text: bytes) -> Any:
    try:
        return json_value(text)
    except ValueError:
        return None


def _kind(found: Records, columns: Mapping[str, str] | None) -> str | None:
    """What a file holds, by the names in its objects."""
    first = found[0][1] if found else {}
    if isinstance(first.get("data"), dict) and "annotations" in first:
        return "Label Studio export"
    if {"query", "passage", "judgment"} <= first.keys() and not _has(first, columns, "doc_id"):
        return "umbrela judgments"
    known = (_has(one, columns, "query_id", "doc_id", "relevance") for _, one in found)
    return "JSON judgments" if _has(first, columns, "query_id", "doc_id") and any(known) else None


def _has(fields: Mapping[str, Any], columns: Mapping[str, str] | None, *roles: str) -> bool:
    return has_columns(list(fields), roles, columns)


def _number(answer: Judgment, name: str, grading: Grading) -> float:
    """A judged value as a number."""
    value = grading.number(answer.value)
    if value is None:
        raise InputError(
            f"{answer.place}: the grade {answer.value!r} is not a number",
            name,
            text=f"query {answer.query}, document {answer.document}",
            remedy="Declare which grade a text stands for: grades={'relevant': 1, ...} "
            "(--grades relevant=1,...).",
        )
    return value


def _ids(
    fields: Mapping[str, Any], columns: Mapping[str, str], place: str, name: str
) -> tuple[str, str]:
    ids = []
    for role in ("query_id", "doc_id"):
        value = fields[columns[role]]
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise InputError(f"{place}: {columns[role]} is {value!r}, not an id", name)
        ids.append(str(value))
    return ids[0], ids[1]


def _of_lines(
    found: Records, name: str, given: Mapping[str, str] | None
) -> Iterator[Judgment | Left]:
    """Objects with the ids of a query and of a document and a grade."""
    without = Left("object without a grade", "objects without a grade")
    known: dict[tuple[str, ...], dict[str, str]] = {}  # by the names in an object
    for place, fields in found:
        columns = known.get(tuple(fields))
        if columns is None:
            labelled = _has(fields, given, "relevance")
            choose = chosen_qrels_columns if labelled else _id_columns
            columns = known[tuple(fields)] = choose(list(fields), given, f"{name}, {place}")
        value = fields[columns["relevance"]] if "relevance" in columns else None
        if value is None or value == "":
            yield without
        else:
            yield Judgment(*_ids(fields, columns, place, name), value, place)


def _id_columns(
    present: Sequence[str], given: Mapping[str, str] | None, name: str
) -> dict[str, str]:
    return chosen_columns(present, Kinds(("query_id", "doc_id")), given, name)


def _of_umbrela(found: Records, name: str, requests: str | None) -> Iterator[Judgment | Left]:
    """Judgments of umbrela, which repeats the texts of a request and not its ids."""
    if requests is None:
        raise InputError(
            "judgments of umbrela name no ids",
            name,
            remedy="Give the file of requests, too: requests=... (--requests FILE), which "
            "'medir judge --format umbrela' wrote.",
        )
    asked = _requested(requests)
    invalid = Left("response that umbrela could not read", "responses that umbrela could not read")
    for place, fields in found:
        texts = fields.get("query"), fields.get("passage")
        pairs = asked.get(texts)
        if not pairs:
            more = "no request" if pairs is None else "no further request"
            raise InputError(
                f"{place}: {requests} has {more} with this query and passage",
                name,
                text=" | ".join(str(text)[:40] for text in texts),
                remedy="Give the requests that these judgments answer.",
            )
        query, document = pairs.popleft()
        if fields.get("judgment") is None or fields.get("result_status", 1) != 1:
            yield invalid
        else:
            yield Judgment(query, document, fields["judgment"], place)


def _requested(path: str) -> dict[tuple[Any, Any], deque[tuple[Any, Any]]]:
    """The ids of queries and documents by their texts, in the order of the requests."""
    asked: dict[tuple[Any, Any], deque[tuple[Any, Any]]] = {}
    name, data = read_bytes(path)
    for number, line, fields in records(data.splitlines(), name, '{"query": ..., "candidates":'):
        try:
            query, text = fields["query"]["qid"], fields["query"]["text"]
            for one in fields["candidates"]:
                key = text, one["doc"]["segment"]
                asked.setdefault(key, deque()).append((str(query), str(one["docid"])))
        except (KeyError, TypeError):
            remedy = "Give what 'medir judge --format umbrela' wrote."
            raise InputError("not a request of umbrela", name, number, line, remedy) from None
    return asked


def _of_label_studio(found: Records, name: str, reading: Reading) -> Iterator[Judgment | Left]:
    """Tasks of Label Studio with their annotations."""
    control = checked_roles(reading.columns).get("relevance")
    unlabelled = Left("task without a label", "tasks without a label")
    cancelled = Left("cancelled annotation", "cancelled annotations")
    for entry, task in found:
        place = f"task {task['id']}" if "id" in task else entry
        data = task.get("data") or {}
        columns = _id_columns(list(data), _of_ids(reading.columns), f"{name}, {place}")
        query, document = _ids(data, columns, place, name)
        values: list[Any] = []
        for annotation in task.get("annotations") or []:
            if annotation.get("was_cancelled"):
                yield cancelled
            else:
                values += _labels(annotation, control, place, name)
        numbers = {reading.grading.number(value) for value in values}
        if len(numbers) > 1:
            raise InputError(
                f"{place}: the annotations disagree: {', '.join(map(str, values))}",
                name,
                text=f"query {query}, document {document}",
                remedy="Agree on one label, and cancel or delete the other annotations.",
            )
        if values:
            yield Judgment(query, document, values[0], place)
        else:
            yield unlabelled


def _of_ids(columns: Mapping[str, str] | None) -> dict[str, str]:
    """What the caller says of ids; what else there is concerns annotations."""
    return {role: column for role, column in (columns or {}).items() if role.endswith("_id")}


def _labels(
    annotation: Mapping[str, Any], control: str | None, place: str, name: str
) -> Iterator[Any]:
    """The label that an annotation gives, if it does: that of the control for grades."""
    given = [
        (one.get("from_name"), one["value"][one["type"]])
        for one in annotation.get("result") or []
        if one.get("type") in LABELS and one["type"] in one.get("value", {})
    ]
    if control is not None:
        given = [pair for pair in given if pair[0] == control]
    labels = [
        label for _, value in given for label in (value if isinstance(value, list) else [value])
    ]
    if len(labels) > 1:
        raise InputError(
            f"{place}: an annotation with {len(labels)} labels: {', '.join(map(str, labels))}",
            name,
            remedy="Name the control that holds the grade: columns={'relevance': ...} "
            "(--columns relevance=...), and let it take one choice.",
        )
    yield from islice(labels, 1)
