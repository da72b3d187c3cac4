"""Every result in every format: one look of ids and numbers."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import UsageError
from medir.comparing.columns import COLUMNS
from medir.comparing.table import ComparedTable
from medir.files.tables import FORMATS, Table, number
from medir.inputs.groups import Member
from medir.measures.notation import measure
from medir.validation.files import tables
from medir.validation.results import Study

BAD = "q\udcff1"  # the byte 0xff, which is no UTF-8
HARD = 'a,b\t"c"\nd'
IDS = [BAD, HARD, "plain"]
DELIMITERS = {"csv": ",", "tsv": "\t"}


def lists(*documents: str) -> dict[str, list[str]]:
    return {query: list(documents) for query in IDS}


def comparison() -> Table:
    """MED of 1, and a rank correlation that has no value for lists of one document."""
    return medir.compare(lists("a"), lists("b"), ["P@1", "tau_b"]).table()


def passages() -> Table:
    before, after = ({query: [(name, 0, 2)] for query in IDS} for name in "ab")
    return medir.compare_passages(before, after, "U(discount='none')@2").table()


def matrix() -> Table:
    runs = {BAD: lists("a"), HARD: lists("b")}
    return medir.matrix(runs, ["P@1", "tau_b"]).table(per_query=True)


def judge() -> Table:
    return medir.judge(lists("a"), lists("b"), measures="P@1", unseen="nothing").table()


def expectation() -> Table:
    return medir.expect(lists("a"), lists("b"), "P@1", prior={"plain": {"b": 1}}).table()


def study() -> Table:
    return tables(
        Study(
            names=(BAD, HARD, "plain"),
            members=(Member("x"), Member("x"), Member("y")),
            measure=measure("P@1"),
            truth=measure("P@1"),
            seed=0,
            queries=("q",),
            without_judgments=0,
            judgments={0: 0},
            pairs=((0, 1), (0, 2), (1, 2)),
            scores=np.array([1.0, 0.0, 0.75]),
            difference=np.array([1.0, 0.25, math.nan]),
            mean_difference=np.array([1.0, 0.5, math.nan]),
            med={0: np.array([1.0, 0.5, 1.0])},
            distances={},
        )
    )["figure-2.csv"]


RESULTS: dict[str, Callable[[], Table]] = {
    "compare": comparison,
    "passages": passages,
    "matrix": matrix,
    "judge": judge,
    "expect": expectation,
    "study": study,
}


def is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_text(value: Any) -> str:
    """A value as text formats have it."""
    if is_missing(value):
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else repr(value)


def as_unicode(value: Any) -> Any:
    """A value as JSON and Parquet have it."""
    if isinstance(value, str):
        return value.replace("\udcff", r"\xff")
    return None if is_missing(value) else value


def read(data: bytes, format_: str) -> tuple[list[str], list[list[Any]]]:
    """Columns and rows, by readers that know nothing of medir."""
    if format_ == "parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(io.BytesIO(data))
        return table.column_names, [list(row.values()) for row in table.to_pylist()]
    if format_ == "jsonl":
        records = [
            json.loads(line, parse_constant=pytest.fail) for line in data.decode().splitlines()
        ]
        return list(records[0]), [list(record.values()) for record in records]
    text = io.StringIO(data.decode("utf-8", "surrogateescape"), newline="")
    header, *rows = csv.reader(text, delimiter=DELIMITERS[format_], strict=True)
    return header, rows


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("name", RESULTS)
def test_every_result_in_every_format(name: str, format_: str, tmp_path: Path) -> None:
    stream = io.BytesIO()
    RESULTS[name]().write(stream, format_)
    table = RESULTS[name]()
    rows = [[float(v) if isinstance(v, np.floating) else v for v in row] for row in table.rows]
    kinds = list(table.columns.values())
    header, found = read(stream.getvalue(), format_)
    assert header == list(table.columns)
    shape = as_text if format_ in DELIMITERS else as_unicode
    whole = [
        [int(v) if kind is int else v for v, kind in zip(row, kinds, strict=True)] for row in rows
    ]
    assert found == [[shape(value) for value in row] for row in whole]
    cells = [value for row in found for value in row]
    assert {shape(BAD), shape(HARD), "plain"} <= set(cells)
    assert (b"q\xff1" if format_ in DELIMITERS else rb"q\\xff1") in stream.getvalue() or (
        format_ == "parquet"
    )
    assert ("1" if format_ in DELIMITERS else 1) in cells
    assert b"1.0" not in stream.getvalue()
    RESULTS[name]().write(tmp_path / f"out.{format_}")
    assert (tmp_path / f"out.{format_}").read_bytes() == stream.getvalue()


@pytest.mark.parametrize("name", ["compare", "matrix", "study"])
def test_missing_values(name: str) -> None:
    """No NaN stands in JSON, and nothing in CSV."""
    for format_ in ("csv", "jsonl"):
        stream = io.BytesIO()
        RESULTS[name]().write(stream, format_)
        cells = {str(cell) for row in read(stream.getvalue(), format_)[1] for cell in row}
        assert ("" if format_ == "csv" else "None") in cells
        assert not cells & {"nan", "NaN", "inf"}


@pytest.mark.parametrize("format_", FORMATS)
def test_other_kinds_of_columns(format_: str) -> None:
    """Counts, flags, text that is missing and text that is empty."""
    columns = {"text": str, "count": int, "flag": bool, "name, of it": float}
    rows = [("", 100000, True, 1e-7), (None, 3.0, False, math.inf), ("\ud800", None, None, None)]
    stream = io.BytesIO()
    Table(columns, rows).write(stream, format_)
    header, found = read(stream.getvalue(), format_)
    assert header == list(columns)
    if format_ in DELIMITERS:
        mark = DELIMITERS[format_]
        assert stream.getvalue().decode().splitlines()[1:] == [
            mark.join(row)
            for row in (['""', "100000", "True", "1e-07"], ["", "3", "False", "inf"],
                        [r"\ud800", "", "", ""])
        ]  # fmt: skip
    else:
        last = math.inf if format_ == "parquet" else None
        assert found == [
            ["", 100000, True, 1e-7],
            [None, 3, False, last],
            [r"\ud800", None, None, None],
        ]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_table_without_rows(format_: str) -> None:
    stream = io.BytesIO()
    Table({"query_id": str, "med": float}, []).write(stream, format_)
    if format_ == "jsonl":
        assert stream.getvalue() == b""
    else:
        assert read(stream.getvalue(), format_) == (["query_id", "med"], [])


def test_rows_are_taken_as_they_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """No table is held in memory."""
    monkeypatch.setattr("medir.files.tables.ROWS", 10)
    for format_ in FORMATS:
        stream = io.BytesIO()
        taken: list[int] = []

        def rows(stream: io.BytesIO = stream, taken: list[int] = taken) -> Any:
            for i in range(100):
                taken.append(stream.tell())
                yield f"q{i}", i / 7

        Table({"query_id": str, "med": float}, rows()).write(stream, format_)
        assert len(set(taken)) >= 10, format_
        assert [row[0] for row in read(stream.getvalue(), format_)[1]] == [
            f"q{i}" for i in range(100)
        ]


def test_a_stream_needs_a_format() -> None:
    for format_ in (None, "xml"):
        with pytest.raises(UsageError, match="format"):
            Table({"a": str}, []).write(io.BytesIO(), format_)


ids = st.text(st.characters(codec="utf-8"), min_size=1, max_size=5)
floats = st.floats(allow_infinity=False) | st.sampled_from(
    [1e5, 123456.0, 1e16, 1e17 + 16, 1e22, 5e-324, 1e-4, 1.5e-4, 0.00012345, -1e5, 1e-5, 1e300]
)


@given(st.lists(ids, min_size=1, max_size=3, unique=True), st.data())
def test_the_core_writes_as_python_does(queries: list[str], data: st.DataObject) -> None:
    """The fast writer of comparisons has the look of all others, byte by byte."""
    run = {query: ["a"] for query in queries}
    shape = 2, len(COLUMNS), len(queries)
    size = math.prod(shape)
    values = data.draw(st.lists(floats, min_size=size, max_size=size))
    counts = st.lists(
        st.integers(0, 2**32 - 1), min_size=6 * len(queries), max_size=6 * len(queries)
    )
    changes = np.reshape(np.array(data.draw(counts), dtype=np.uint32), (2, 3, len(queries)))
    names = [measure("P@1"), measure("tau_b" if data.draw(st.booleans()) else "RBP(p=0.8)")]
    about = {queries[0]: {"text": data.draw(st.text(max_size=5)), 'a,"\t': "x"}}
    result = medir.compare(run, run, "P@1", queries=about if data.draw(st.booleans()) else None)
    cells = result.sample.rows(result.pairing)
    for format_ in ("csv", "tsv", "jsonl"):
        written = []
        for writer in (ComparedTable, Table):
            stream = io.BytesIO()
            columns = np.reshape(values, shape)
            table = ComparedTable(result.pairing, names, columns, changes, cells, 1)
            writer.write_text(table, stream, format_)
            written.append(stream.getvalue())
        assert written[0] == written[1]


@given(floats)
def test_numbers_read_back(value: float) -> None:
    if not math.isnan(value):
        assert float(number(value)) == value
        assert len(number(value)) <= len(repr(value))
