"""Results as rows, written in every format of files that holds them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st

import medir
from tests.cases.trec import single


class Row(NamedTuple):
    """A result."""

    query: str
    document: str
    score: float


Rows = Sequence[Row]
NAMES = ("query_id", "doc_id", "score")

# Ids with all that a format must quote or escape; no surrogates and no zeros.
SPECIAL = st.sampled_from(
    ['"', ",", "\t", " ", "'", "\\", "\n", "\r", "#", "{", "é", "日", "😀", "|"]
)
CHARACTERS = st.one_of(
    st.sampled_from("abc019"),
    SPECIAL,
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
)
ids = st.text(CHARACTERS, min_size=1, max_size=6)
scores = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, width=32),
    st.floats(allow_nan=False, allow_infinity=False),
)


@st.composite
def rows(draw: st.DrawFn, names: st.SearchStrategy[str] = ids) -> list[Row]:
    """Results of a few queries in any order, with ties and the same document twice."""
    queries = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    documents = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    result = st.builds(Row, st.sampled_from(queries), st.sampled_from(documents), scores)
    return draw(st.lists(result, min_size=1, max_size=20))


@st.composite
def lists(draw: st.DrawFn, names: st.SearchStrategy[str] = ids) -> list[Row]:
    """As `rows`, each document once for a query, and each query with its results together."""
    found = {(row.query, row.document): row for row in draw(rows(names))}
    return sorted(found.values(), key=lambda row: row.query)


def ranked(some: Rows) -> dict[bytes, list[tuple[bytes, float]]]:
    """The documents of each query by the definition: score descending, then id descending."""
    lists: dict[bytes, list[tuple[bytes, float]]] = {}
    for query, document, score in some:
        lists.setdefault(query.encode(), []).append((document.encode(), single(score)))
    for results in lists.values():
        results.sort(key=lambda result: (result[1], result[0]), reverse=True)
    return lists


def listed(some: Rows) -> dict[bytes, list[bytes]]:
    """The documents of each query as they come."""
    lists: dict[bytes, list[bytes]] = {}
    for query, document, _ in some:
        lists.setdefault(query.encode(), []).append(document.encode())
    return lists


def found(run: medir.Run) -> dict[bytes, list[tuple[bytes, float]]]:
    """What a run holds, as `ranked` has it."""
    lists = run._lists
    joined, ends = lists.queries()
    starts = [0, *ends[:-1]]
    return {
        joined[i:j]: lists.entries(number)
        for number, (i, j) in enumerate(zip(starts, ends, strict=True))
    }


def documents(run: medir.Run) -> dict[bytes, list[bytes]]:
    """As `listed` has it."""
    return {query: [document for document, _ in some] for query, some in found(run).items()}


# Writers of rows.


def delimited(some: Rows, delimiter: str = ",", **options: Any) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, **{"lineterminator": "\n"} | options)
    writer.writerow(NAMES)
    for query, document, score in some:
        writer.writerow([query, document, repr(score)])
    return stream.getvalue().encode()


def json_lines(some: Rows, **options: Any) -> bytes:
    lines = [json.dumps(dict(zip(NAMES, row, strict=True)), **options) for row in some]
    return "\n".join(lines).encode().replace(b"Infinity", b"1e999")


def by_query(some: Rows) -> dict[str, dict[str, float]]:
    lists: dict[str, dict[str, float]] = {}
    for query, document, score in some:
        lists.setdefault(query, {})[document] = score
    return lists


def json_object(some: Rows, **options: Any) -> bytes:
    return json.dumps(by_query(some), **options).encode().replace(b"Infinity", b"1e999")


def json_lists(some: Rows, **options: Any) -> bytes:
    """JSON lines with one object per query."""
    lines = [
        json.dumps({"query_id": query, "doc_ids": [*held], "scores": [*held.values()]}, **options)
        for query, held in by_query(some).items()
    ]
    return ("\n".join(lines) + "\n").encode().replace(b"Infinity", b"1e999")


def json_rankings(some: Rows) -> bytes:
    """`{query: [documents]}`."""
    return json.dumps({query: [*held] for query, held in by_query(some).items()}).encode()


def arrow_table(some: Rows) -> Any:
    pa = pytest.importorskip("pyarrow")
    columns = zip(*some, strict=True)
    return pa.table(dict(zip(NAMES, map(list, columns), strict=True)))


def parquet(some: Rows) -> bytes:
    table = arrow_table(some)
    import pyarrow.parquet as pq

    stream = io.BytesIO()
    pq.write_table(table, stream)
    return stream.getvalue()


def ipc(some: Rows, stream: bool) -> bytes:
    table = arrow_table(some)
    import pyarrow as pa

    sink = io.BytesIO()
    new = pa.ipc.new_stream if stream else pa.ipc.new_file
    with new(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


Writer = Callable[[Rows], bytes]
# Formats with one row per result.
LONG: dict[str, Writer] = {
    "CSV": delimited,
    "CSV, all quoted": lambda some: delimited(some, quoting=csv.QUOTE_ALL),
    "CSV with CRLF": lambda some: delimited(some, lineterminator="\r\n"),
    "JSON lines": json_lines,
    "JSON lines in UTF-8": lambda some: json_lines(some, ensure_ascii=False),
    "Parquet": parquet,
    "Arrow IPC file": lambda some: ipc(some, stream=False),
    "Arrow IPC stream": lambda some: ipc(some, stream=True),
}
# Formats with all results of a query together, where a document appears once.
LISTS: dict[str, Writer] = {
    "JSON": json_object,
    "JSON in UTF-8": lambda some: json_object(some, ensure_ascii=False),
    "JSON with indents": lambda some: json_object(some, indent=2),
    "JSON without blanks": lambda some: json_object(some, separators=(",", ":")),
    "JSON lines of lists": json_lists,
    "JSON lines of lists in UTF-8": lambda some: json_lists(some, ensure_ascii=False),
}


def saved(folder: Path, data: bytes, name: str = "results") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path
