"""Text with named columns, JSON and MS MARCO, read by the native core."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import fsencode
from typing import TypeVar

from medir import _core
from medir.base.words import count
from medir.errors import InputError
from medir.files.identifiers import ENCODING, UNDECODABLE
from medir.inputs.formats.column_names import (
    CLUSTERS,
    LENGTHS,
    RunColumns,
    chosen_columns,
    chosen_qrels_columns,
    chosen_run_columns,
)
from medir.inputs.formats.contents.json_lines import json_value
from medir.inputs.formats.contents.recognition import File, Format
from medir.inputs.formats.mappings import qrels_columns
from medir.inputs.formats.source import Reading, Taken

T = TypeVar("T")

DELIMITERS = {"CSV": _core.Delimiter.comma, "TSV": _core.Delimiter.tab}
VALUE_ROLES = ("score", "scores", "rank", "relevance", "words")
VALUES = {"score": _core.Values.scores, "rank": _core.Values.ranks, "file": None}


def marco_run(file: File, form: Format, reading: Reading) -> Taken[_core.Lists]:
    """A run of MS MARCO: `query document rank`, or `query document rank score`."""
    width, order = len(form.columns), _core.Order[reading.order]
    lists = _core.read_marco(fsencode(file.name), file.data, width, order, reading.threads)
    return Taken(lists, file.name, file.origin, f"MS MARCO: {', '.join(form.columns)}")


def table_run(file: File, form: Format, reading: Reading) -> Taken[_core.Lists]:
    """A run in CSV, TSV or JSON lines."""
    chosen = chosen_run_columns(form.columns, reading.order, reading.columns, file.name)
    if form.kind == "JSON lines":
        lists = _json_lines(file, chosen.columns, VALUES[chosen.order], chosen.order, reading)
    elif chosen.has_lists:
        raise InputError(
            f"{form.kind} holds no lists, as the column {chosen.columns['doc_ids']} would need",
            file.name,
            remedy="Write one row per result, or JSON lines or Parquet.",
        )
    else:
        values = VALUES[chosen.order]
        lists = _delimited(file, form, chosen.columns, values, chosen.order, reading)
    return Taken(lists, file.name, file.origin, _words(form, chosen, lists.rows))


def table_qrels(file: File, form: Format, reading: Reading, intents: bool) -> Taken[_core.Lists]:
    """Judgments in CSV, TSV or JSON lines."""
    columns = chosen_qrels_columns(form.columns, reading.columns, file.name)
    if not intents:
        columns.pop("intent", None)
    values = _core.Values.grades
    if form.kind == "JSON lines":
        lists = _json_lines(file, columns, values, "file", reading)
    else:
        lists = _delimited(file, form, columns, values, "file", reading)
    words = f"{form.kind}: {', '.join(columns.values())} ({count(lists.rows, 'row')})"
    return Taken(lists, file.name, file.origin, words)


def table_lengths(file: File, form: Format) -> tuple[_core.TextLists, str]:
    """Documents and their words in CSV, TSV or JSON lines, all in one list; how it was read."""
    columns = chosen_columns(form.columns, LENGTHS, None, file.name)
    values, reading = _core.Values.words, Reading()
    if form.kind == "JSON lines":
        lists = _json_lines(file, columns, values, "file", reading)
    else:
        lists = _delimited(file, form, columns, values, "file", reading)
    return lists, f"{form.kind}: {', '.join(columns.values())} ({count(lists.rows, 'row')})"


def table_clusters(file: File, form: Format) -> tuple[_core.TextLists, str]:
    """Documents in CSV, TSV or JSON lines, one list for each cluster; how it was read."""
    columns = chosen_columns(form.columns, CLUSTERS, None, file.name)
    by_cluster = {"query_id": columns["cluster"], "doc_id": columns["doc_id"]}
    if form.kind == "JSON lines":
        lists = _json_lines(file, by_cluster, None, "file", Reading())
    else:
        lists = _delimited(file, form, by_cluster, None, "file", Reading())
    return lists, f"{form.kind}: {', '.join(columns.values())} ({count(lists.rows, 'row')})"


def json_run(file: File, reading: Reading) -> Taken[_core.Lists]:
    """`{query: {document: score}}` or `{query: [documents]}`."""
    lists = _core.read_json_run(fsencode(file.name), file.data, _core.Order[reading.order])
    words = f"JSON: one object ({count(len(lists), 'query', 'queries')})"
    return Taken(lists, file.name, file.origin, words)


def json_qrels(file: File, reading: Reading) -> Taken[_core.Lists]:
    """`{query: {document: grade}}` or `{query: {intent: {document: grade}}}`."""
    try:
        source = json_value(file.read())
    except ValueError as error:
        raise InputError(f"cannot be read as JSON: {error}", file.name) from None
    nested = isinstance(source, dict) and any(
        isinstance(judged, dict)
        for judgments in source.values()
        if isinstance(judgments, dict)
        for judged in judgments.values()
    )
    lists = qrels_columns(source, nested, file.name, reading.grading)
    words = f"JSON: one object ({count(len(lists), 'query', 'queries')})"
    return Taken(lists, file.name, file.origin, words)


def _delimited(
    file: File,
    form: Format,
    columns: Mapping[str, str],
    values: _core.Values | None,
    order: str,
    reading: Reading,
) -> _core.TextLists:
    position = {role: list(form.columns).index(column) for role, column in columns.items()}
    return _core.read_delimited(
        fsencode(file.name),
        file.data,
        DELIMITERS[form.kind],
        position.get("query_id"),
        position["doc_id"],
        _number(position),
        position.get("intent"),
        values,
        _core.Order[order],
        list((reading.grading.labels or {}).items()),
        reading.threads,
    )


def _json_lines(
    file: File,
    columns: Mapping[str, str],
    values: _core.Values | None,
    order: str,
    reading: Reading,
) -> _core.TextLists:
    names = {role: one.encode(ENCODING, UNDECODABLE) for role, one in columns.items()}
    lists = "doc_ids" in names
    return _core.read_json_lines(
        fsencode(file.name),
        file.data,
        names.get("query_id", b""),
        names["doc_ids" if lists else "doc_id"],
        _number(names) or b"",
        names.get("intent", b""),
        lists,
        values,
        _core.Order[order],
        reading.threads,
    )


def _number(columns: Mapping[str, T]) -> T | None:
    """The column of values."""
    found = (columns.get(role) for role in VALUE_ROLES)
    return next((one for one in found if one is not None), None)


def _words(form: Format, chosen: RunColumns, rows: int) -> str:
    """How a run was read."""
    names: Sequence[str] = list(chosen.columns.values())
    words = f"{form.kind}: {', '.join(names)} ({count(rows, 'result')})"
    if chosen.order == "score":
        return words
    return f"{words}, in the order of the {'ranks' if chosen.order == 'rank' else 'file'}"
