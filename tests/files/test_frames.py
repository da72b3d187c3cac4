"""Results in the hands of other libraries: the rows of the files, whoever reads them.

JSON lines are the reference: they tell a missing text from an empty one, numbers read back exactly,
and the core writes those of comparisons and documents by a way of its own.
"""

from __future__ import annotations

import gc
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import _core
from medir.comparing import table as compared
from medir.comparing.judging.judge import Suggestion, Suggestions
from medir.files import tables
from medir.files.tables import Table, Written
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.shell import python

PASSAGES = {"q,1": [("a", 0, 5), ("b", 0, 5)], "q2": [("c", 3, 9)]}, {"q,1": [("b", 0, 9)]}
IDS = ["plain", "", 'say "hi"', "naïve 語 🔍", "q\udcff", "new\nline", "1e5"]


def odd_ids() -> medir.Comparison:
    """Ids of every kind, a rank similarity, and an ideal that some queries lack."""
    before, after = {query: ["a", "b"] for query in IDS}, {"plain": ["b"], "": ["a", "c"]}
    about = {"plain": {"text": "two words", "kind": ""}, IDS[3]: {"text": "é\udcff", "kind": "x"}}
    measures = ["P@2", "tau_b", "nDCG(ideal='judged')@2"]
    return medir.compare(before, after, measures, qrels={"plain": {"a": 1}}, queries=about)


RESULTS: dict[str, Callable[[], Written]] = {
    "comparison": lambda: medir.compare(BEFORE, AFTER, ["nDCG@20", "RBP"]),
    "judged, with a table of queries": lambda: medir.compare(
        BEFORE, AFTER, ["nDCG@5", "RBO"], qrels=QRELS, queries=QUERIES, by="segment"
    ),
    "odd ids": odd_ids,
    "nothing compared": lambda: medir.compare({}, {}, "P@1"),
    "passages": lambda: medir.compare_passages(*PASSAGES, ["U@10", "TBG"]),
    "matrix": lambda: medir.matrix(
        {"b": BEFORE, "a": AFTER, "é": {"q001": ["x"]}}, ["P@5", "tau_b"]
    ),
    "suggestions": lambda: medir.judge(BEFORE, AFTER, measures="nDCG@5", top=20),
    "no suggestions": lambda: medir.judge({"q": ["a"]}, {"q": ["a"]}, measures="P@1"),
    "expectation": lambda: medir.expect(BEFORE, AFTER, "nDCG@3", prior=0.3, samples=100),
    "scores": lambda: medir.score({"b": BEFORE, "a": AFTER}, ["nDCG@5", "P@3"], QRELS),
    "documents": lambda: medir.documents(BEFORE, AFTER, "nDCG@5"),
    "documents with titles": lambda: medir.documents(
        BEFORE, AFTER, "nDCG@5", documents={"imaplib.IMAP4.sort": "", "csv.reader": "\udcff"}
    ),
    "no documents": lambda: medir.documents({}, {}, "nDCG@5"),
}


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Written:
    """A result of each kind."""
    return RESULTS[request.param]()


def rows_of(result: Written) -> list[dict[str, Any]]:
    """The rows of its JSON lines."""
    stream = io.BytesIO()
    result.write(stream, "jsonl")
    return [json.loads(line) for line in stream.getvalue().decode().splitlines()]


def records(frame: Any) -> list[dict[str, Any]]:
    """The rows of a frame of pandas; NaN is None."""
    plain = frame.astype(object)
    found: list[dict[str, Any]] = plain.where(plain.notna(), None).to_dict("records")
    return found


def test_every_library_has_the_rows_of_the_files(result: Written, tmp_path: Path) -> None:
    rows = rows_of(result)
    result.write(tmp_path / "out.parquet")
    written = pq.read_table(tmp_path / "out.parquet")
    taken = pa.table(result)
    taken.validate(full=True)
    assert taken.to_pylist() == rows
    assert written.equals(taken)
    assert result.to_arrow().equals(taken)
    assert result.to_polars().to_dicts() == rows
    assert records(result.to_pandas()) == rows
    assert result.to_pandas().columns.tolist() == taken.column_names
    assert result.to_polars().columns == taken.column_names
    if not isinstance(result, medir.Scores):  # a mapping, which polars takes for columns
        assert pl.DataFrame(result).to_dicts() == rows
    relation = duckdb.sql("from result")
    assert relation is not None
    assert [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()] == rows


def test_types(result: Written) -> None:
    """Texts, numbers and counts are what the table says they are; nothing is an object."""
    types = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
    schema = pa.table(result).schema
    for field, (name, kind) in zip(schema, result.table().columns.items(), strict=True):
        value = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        assert (field.name, value) == (name, types[kind])


def test_the_columns_are_those_of_csv(result: Written) -> None:
    stream = io.BytesIO()
    result.write(stream, "csv")
    assert stream.getvalue().decode(errors="replace").splitlines()[0].split(",") == (
        pa.table(result).column_names
    )


def test_many_batches(result: Written, monkeypatch: pytest.MonkeyPatch) -> None:
    """How many rows stand together does not matter to any reader."""
    rows = rows_of(result)
    for module in (tables, compared):
        monkeypatch.setattr(module, "ROWS", 7)
    monkeypatch.setattr("medir.comparing.exposure.TOGETHER", 7)
    reader = pa.RecordBatchReader.from_stream(result)
    sizes = [len(batch) for batch in reader]
    assert sum(sizes) == len(rows)
    assert len(sizes) > 1 or len(rows) <= 7
    assert pa.table(result).to_pylist() == rows
    assert result.to_polars().to_dicts() == rows
    assert records(result.to_pandas()) == rows
    stream = io.BytesIO()
    result.write(stream, "parquet")
    assert pq.read_table(stream).to_pylist() == rows


def test_all_queries_of_a_matrix() -> None:
    found = medir.matrix({"a": {"q": ["x"], "r": ["y"]}, "b": {"q": ["z"]}}, "P@1")
    frame = found.table(per_query=True).to_polars()
    assert frame.columns == ["run_a", "run_b", "measure", "query_id", "med", "value"]
    assert frame.to_dicts() == list(found.rows(per_query=True))


def test_what_is_taken_outlives_the_result() -> None:
    """Whole, in part or not at all: the memory belongs to whoever holds it."""
    result = RESULTS["odd ids"]()
    rows = rows_of(result)
    whole = pa.table(result)
    column = pa.table(result).column("query_id")
    first = next(iter(pa.RecordBatchReader.from_stream(result)))
    del result
    gc.collect()
    assert whole.to_pylist() == rows
    assert column.to_pylist() == [row["query_id"] for row in rows]
    assert first.to_pylist() == rows


def resident() -> int:
    """The memory of this process, in bytes."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


def test_what_nobody_takes_is_freed() -> None:
    table = {"query_id": str, "value": float}
    rows = [("q" * 1000, float(n)) for n in range(1000)]
    Table(table, rows).__arrow_c_stream__()
    before = resident()
    for taken in range(300):  # a megabyte each
        stream = Table(table, rows)
        if taken % 3 == 0:
            stream.__arrow_c_stream__()
        elif taken % 3 == 1:
            pa.RecordBatchReader.from_stream(stream)
        else:
            pa.table(stream)
    assert resident() - before < 100e6


texts = st.none() | st.text(max_size=6)
KINDS: dict[type, Any] = {
    str: texts,
    float: st.none() | st.floats(),
    int: st.none() | st.integers(-(2**63), 2**63 - 1),
    bool: st.none() | st.booleans(),
}


@given(st.lists(st.sampled_from(list(KINDS)), max_size=5), st.integers(0, 20), st.data())
def test_any_table(kinds: list[type], size: int, data: st.DataObject) -> None:
    """Against pyarrow's own arrays; NaN is a missing number in the files too."""
    columns = {f"column {n}": kind for n, kind in enumerate(kinds)}
    values = [data.draw(st.lists(KINDS[kind], min_size=size, max_size=size)) for kind in kinds]
    rows = list(zip(*values, strict=True)) if kinds else []
    found = pa.table(Table(columns, rows))
    found.validate(full=True)
    types = {str: pa.string(), float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
    for name, kind, some in zip(columns, kinds, values, strict=True):
        expected = pa.chunked_array([pa.array(some, types[kind], from_pandas=True)])
        assert found.column(name).equals(expected)


@given(st.lists(st.binary(max_size=6) | texts.map(lambda t: (t or "").encode()), max_size=9))
def test_bytes_that_are_no_text_become_escapes(values: list[bytes]) -> None:
    batch = _core.ArrowBatch(len(values))
    batch.add_texts("x", values)
    found = pa.table(Stream([batch])).column("x")
    found.validate(full=True)
    assert found.to_pylist() == [value.decode("utf-8", "backslashreplace") for value in values]


class Stream:
    """Batches of the core."""

    def __init__(self, batches: list[_core.ArrowBatch]) -> None:
        self.batches = batches

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return _core.arrow_stream(self.batches)


def test_codes_have_labels() -> None:
    batches = []
    for codes in ([0, 1, 1], [1]):
        batch = _core.ArrowBatch(len(codes))
        batch.add_codes("x", np.array(codes, dtype=np.int32), [b"a", b"\xff"])
        batches.append(batch)
    assert pa.table(Stream(batches)).column("x").to_pylist() == ["a", r"\xff", r"\xff", r"\xff"]
    assert pl.DataFrame(Stream(batches))["x"].to_list() == ["a", r"\xff", r"\xff", r"\xff"]


def test_suggestions_are_a_sequence() -> None:
    found = medir.judge({"q": ["a", "b", "c"]}, {"q": ["c", "b", "a"]}, measures="nDCG@3")
    assert isinstance(found, Suggestions)
    first, second = found
    assert isinstance(first, Suggestion)
    assert found == [first, second]
    assert found != [second, first]
    assert (found[0], found[-1], found.index(second), len(found[1:])) == (first, second, 1, 1)
    assert isinstance(found[:1], Suggestions)
    assert found[:1].to_polars()["document"].to_list() == [first.document]
    assert list(reversed(found)) == [second, first]
    assert second in found
    assert repr(found) == "<Suggestions: 2 documents to judge by nDCG@3>"


# ---- Libraries that are not there


WITHOUT = """
import sys
for name in sys.argv[1].split():
    sys.modules[name] = None
from importlib import util
find = util.find_spec
util.find_spec = lambda name, *rest: None if name in sys.argv[1].split() else find(name, *rest)
import medir
result = medir.compare({"q": ["a", "b"]}, {"q": ["b", "c"]}, ["P@2", "RBO"])
"""


@pytest.mark.slow
def test_polars_needs_no_pyarrow() -> None:
    code = (
        WITHOUT
        + "import polars; print(polars.DataFrame(result)['med'][0], result.to_polars().shape)"
    )
    assert python(code, "pyarrow pandas").out == "0.5 (2, 14)\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "missing", "message"),
    [
        ("to_arrow", "pyarrow", "to_arrow() needs pyarrow: pip install 'medir[tables]'"),
        ("to_pandas", "pyarrow", "to_pandas() needs pyarrow: pip install 'medir[tables]'"),
        ("to_pandas", "pandas", "to_pandas() needs pandas: pip install pandas"),
        ("to_polars", "polars", "to_polars() needs polars: pip install polars"),
    ],
)
def test_a_library_that_is_missing(call: str, missing: str, message: str) -> None:
    code = f"""{WITHOUT}
try:
    result.{call}()
except medir.MedirError as error:
    print(error)
"""
    assert python(code, missing).out == f"{message}\n"


@pytest.mark.slow
def test_nothing_is_said_at_the_end() -> None:
    """Libraries keep the classes that they have met; that is no leak to warn of."""
    code = WITHOUT + "import polars; polars.DataFrame(result); result.to_pandas()"
    assert python(code, "").err == ""


@pytest.mark.parametrize(
    "name", ["Comparison", "PassageComparison", "Matrix", "Scores", "Expectation", "Exposures"]
)
def test_results_offer_frames(name: str) -> None:
    assert issubclass(getattr(medir, name), Written)
