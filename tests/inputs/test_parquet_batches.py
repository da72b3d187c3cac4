"""Parquet, decoded and taken in batch by batch: lists and errors are those of the whole table."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.inputs.formats.contents import decoding
from tests.cases.tables import Row, documents, found, listed, ranked

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

LONG = ["é" * 40, "x" * 127, "x" * 128, "y" * 5_000, "z" * 20_000, "日本"]  # bytes: 80 to 20,000


@pytest.fixture(params=["polars", "pyarrow"], autouse=True)
def decoder(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small batches of either library."""
    name: str = request.param
    pytest.importorskip(name)
    find = importlib.util.find_spec
    monkeypatch.setattr(decoding, "find_spec", lambda one: find(one) if one == name else None)
    monkeypatch.setattr(decoding, "ROWS", 3)


def written(folder: Path, columns: Mapping[str, Any], rows: int = 4) -> Path:
    """A file with few rows in each group."""
    path = folder / "table.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=rows)
    return path


def of_rows(folder: Path, some: Sequence[Row]) -> Path:
    query, document, score = zip(*some, strict=True)
    return written(folder, {"query_id": query, "doc_id": document, "score": score})


def results(count: int) -> list[Row]:
    """Queries that go on in later batches and come back, ids of all sizes, ties."""
    chance = random.Random(1)
    ids = [*LONG, *(str(i) for i in range(8)), "", "a", "ab" * 4, "ab" * 6, "ab" * 7]
    queries = ["q1", "q2", LONG[4], "", "12"]
    some, query = [], "q1"
    for _ in range(count):
        if chance.random() < 0.2:
            query = chance.choice(queries)
        some.append(Row(query, chance.choice(ids), chance.choice([0.5, 1.0, 1 / 3, -2e300, 7.25])))
    return some


def test_texts(tmp_path: Path) -> None:
    some = results(200)
    path = of_rows(tmp_path, some)
    run = medir.Run.read(path)
    assert found(run) == ranked(some)
    assert documents(medir.Run.read(path, order="file")) == listed(some)
    assert run.format == "Parquet: query_id, doc_id, score (200 rows)"


@pytest.mark.parametrize("kind", ["int8", "uint16", "int32", "int64", "uint64"])
def test_whole_numbers(kind: str, tmp_path: Path) -> None:
    queries = [3, 3, 5, 5, 5, 3, 100]
    ids = [0, 100, 7, 101, 9, 8, 1]
    scores = [1.0, 1.0, 3.0, 2.0, 2.0, 0.5, 4.0]
    columns = {
        "query_id": pa.array(queries, getattr(pa, kind)()),
        "doc_id": pa.array(ids, getattr(pa, kind)()),
        "score": scores,
    }
    run = medir.Run.read(written(tmp_path, columns, 2))
    some = [Row(str(q), str(d), s) for q, d, s in zip(queries, ids, scores, strict=True)]
    assert found(run) == ranked(some)


def test_ranks_are_exact(tmp_path: Path) -> None:
    """Two whole numbers that single precision does not tell apart."""
    ranks = [16_777_217, 16_777_216, 3, 2, 1]
    columns = {"query_id": ["q"] * 5, "doc_id": ["a", "b", "c", "d", "e"], "rank": ranks}
    assert medir.Run.read(written(tmp_path, columns, 2))["q"] == ["e", "d", "c", "b", "a"]


def test_lists(tmp_path: Path) -> None:
    ids: list[list[str]] = [["a", LONG[3]], [], ["b"], ["c", "d", "e"], ["a"]]
    scores = [[1.0, 2.0], [], [1.0], [1.0, 3.0, 2.0], [5.0]]
    columns = {"query_id": ["q", "r", "s", "t", "u"], "doc_ids": ids, "scores": scores}
    run = medir.Run.read(written(tmp_path, columns, 2))
    assert [run[query] for query in "qrstu"] == [[LONG[3], "a"], [], ["b"], ["d", "e", "c"], ["a"]]
    columns["query_id"] = ["q", "r", "s", "t", "q"]
    with pytest.raises(medir.InputError, match="query 'q' has a second row\n    row 5\n"):
        medir.Run.read(written(tmp_path, columns, 2))
    columns = {"query_id": ["q", "r", "s"], "doc_ids": [[1], [2], [3, 40]]}
    assert medir.Run.read(written(tmp_path, columns, 2))["s"] == ["3", "40"]


@pytest.mark.parametrize("numbers", [True, False])
def test_intents(numbers: bool, tmp_path: Path) -> None:
    intents = [1, 22, 1, 3, 22]
    columns = {
        "query_id": ["q", "q", "r", "q", "r"],
        "doc_id": [4, 4, 5, 6, 7] if numbers else ["a", "a", LONG[3], "b", "c"],
        "relevance": [1, 2, 3, 0, 1],
        "intent": intents if numbers else [str(intent) for intent in intents],
    }
    batches = medir.Qrels.of(written(tmp_path, columns, 2), intents=True)
    whole = medir.Qrels.of(pa.table(columns), intents=True)
    assert batches.digest(1, intents=True) == whole.digest(1, intents=True)
    columns["intent"] = ["1", "22", "1", "3", "1"]
    other = medir.Qrels.of(written(tmp_path, columns, 2), intents=True)
    assert other.digest(1, intents=True) != whole.digest(1, intents=True)


@pytest.mark.parametrize("column", ["query_id", "doc_id", "score"])
def test_nulls_are_named_by_their_rows(column: str, tmp_path: Path) -> None:
    columns: dict[str, Any] = {
        "query_id": ["q"] * 20,
        "doc_id": [str(i) for i in range(20)],
        "score": [1.0] * 20,
    }
    columns[column][13] = None
    with pytest.raises(medir.InputError, match=f"the column '{column}' has a null\n    row 14\n"):
        medir.Run.of(written(tmp_path, columns))


def test_a_score_that_is_not_a_number(tmp_path: Path) -> None:
    scores = [1.0] * 8 + [float("nan")]
    columns = {"query_id": ["q"] * 9, "doc_id": list("abcdefghi"), "score": scores}
    path = written(tmp_path, columns)
    with pytest.raises(medir.InputError, match=r"the score is NaN, .*\n    row 9\n"):
        medir.Run.read(path)
    assert medir.Run.read(path, order="file")["q"] == list("abcdefghi")


def test_a_document_twice_is_named_by_its_row(tmp_path: Path) -> None:
    rows = [Row("q", one, 1.0) for one in "abcdefg"] + [Row("r", "a", 1.0), Row("q", "b", 2.0)]
    columns = dict(zip(("query_id", "doc_id", "relevance"), zip(*rows, strict=True), strict=True))
    said = []
    for source in (written(tmp_path, columns), pa.table(columns)):
        with pytest.raises(medir.InputError) as caught:
            medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1", qrels=source)
        said.append(str(caught.value).replace(str(tmp_path / "table.parquet"), "qrels"))
    assert said[0] == said[1]
    assert "row " in said[0]


def test_no_rows(tmp_path: Path) -> None:
    some = {"query_id": pa.array([], pa.string()), "doc_id": pa.array([], pa.string())}
    run = medir.Run.of(written(tmp_path, some))
    assert len(run) == 0


def test_batches_are_not_kept(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if "pyarrow" not in request.node.name:
        pytest.skip("polars does not tell how much memory it holds")
    some = results(500)
    path = of_rows(tmp_path, some)
    before = pa.total_allocated_bytes()
    run = medir.Run.of(path)
    held = pa.total_allocated_bytes() - before
    assert held < sum(len(row.document) for row in some) / 100
    assert found(run) == ranked(some)
