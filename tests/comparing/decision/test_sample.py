"""Queries as a sample: their weights, their segments, and their columns in files."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, UsageError
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from tests.cases.decisions import AFTER, BEFORE, MED, QRELS, compared

WEIGHTS = {"q0": 1, "q1": 2, "q2": 0, "q3": 3, "q4": 4}
TABLE = {query: {"text": f"text of {query}", "traffic": w} for query, w in WEIGHTS.items()}


def mean_of(weights: dict[str, float]) -> float:
    """The weighted mean of MED by hand."""
    return sum(w * med for w, med in zip(weights.values(), MED, strict=True)) / sum(
        weights.values()
    )


def test_a_column_of_weights_by_name() -> None:
    result = compared(queries=TABLE, weight="traffic")
    assert result.summary("P@4").mean() == pytest.approx(mean_of(dict(WEIGHTS)))
    assert list(result.sample.notes()) == [
        "means, shares and percentiles are weighted by the column traffic"
    ]


def test_the_column_weight_is_used_unasked() -> None:
    table = {query: {"weight": weight, "other": 1} for query, weight in WEIGHTS.items()}
    assert compared(queries=table).summary("P@4").mean() == pytest.approx(mean_of(dict(WEIGHTS)))
    unweighted = compared(queries=table, weight="other")
    assert unweighted.summary("P@4").mean() == pytest.approx(sum(MED) / 5)


def test_a_table_without_weights() -> None:
    result = compared(queries=TABLE)
    assert result.sample.weights is None
    assert result.summary("P@4").mean() == pytest.approx(sum(MED) / 5)
    assert list(result.sample.notes()) == []


@pytest.mark.parametrize(("missing", "used"), [(None, 1.0), (0, 0.0), (2.5, 2.5)])
def test_missing_weights(missing: float | None, used: float) -> None:
    """q1 has no row, and the field of q3 is empty."""
    table: dict[str, Any] = {query: {"weight": w} for query, w in WEIGHTS.items() if query != "q1"}
    table["q3"] = {"weight": None}
    result = compared(queries=table, missing_weight=missing)
    weights = WEIGHTS | {"q1": used, "q3": used}
    assert result.summary("P@4").mean() == pytest.approx(mean_of(weights))
    assert list(result.sample.notes()) == [
        "means, shares and percentiles are weighted by the column weight",
        f"2 queries have no weight: {used:g} is used (--missing-weight)",
    ]


def test_one_missing_weight() -> None:
    table = {query: {"weight": weight} for query, weight in WEIGHTS.items() if query != "q1"}
    notes = list(compared(queries=table).sample.notes())
    assert notes[1] == "1 query has no weight: 1 is used (--missing-weight)"


def test_queries_without_a_segment() -> None:
    table = {"q0": {"part": "head"}, "q1": {"part": ""}, "q2": {"part": "head"}}
    result = compared(queries=table, by="part")
    assert list(result.segments()) == ["head", "(none)"]
    assert [one.queries for one in result.segments().values()] == [2, 3]
    assert list(result.sample.notes()) == ["3 queries have no part: they are the segment (none)"]
    table |= {"q3": {"part": "tail"}, "q4": {"part": "tail"}}
    assert list(compared(queries=table, by="part").sample.notes()) == [
        "1 query has no part: it is the segment (none)"
    ]


def test_no_segments() -> None:
    assert compared().segments() == {}
    assert compared(queries=TABLE).segments() == {}
    with pytest.raises(UsageError, match="name a column of their table with --by"):
        compared(queries=TABLE).summary("P@4", "head")


@pytest.mark.parametrize(
    ("option", "value"), [("weight", "traffic"), ("by", "part"), ("missing_weight", 2.0)]
)
def test_options_that_need_a_table(option: str, value: Any) -> None:
    flag = option.replace("_", "-")
    with pytest.raises(UsageError, match=rf"--{flag} \({option}=\) needs a table of queries"):
        compared(**{option: value})


def test_a_missing_weight_needs_weights() -> None:
    with pytest.raises(UsageError, match=r"--missing-weight .* needs weights: --weight COLUMN"):
        compared(queries=TABLE, missing_weight=2)
    with pytest.raises(UsageError, match="a missing weight must be a finite number of 0 or more"):
        compared(queries=TABLE, weight="traffic", missing_weight=-1)


@pytest.mark.parametrize("option", ["weight", "by"])
def test_columns_that_are_not_there(option: str) -> None:
    with pytest.raises(InputError, match=r"(?s)no column 'trafic'.*text, traffic.*mean 'traffic'"):
        compared(queries=TABLE, **{option: "trafic"})


@pytest.mark.parametrize("column", ["measure", *COLUMNS, VALUE, *CHANGES])
def test_columns_named_like_those_of_a_result(column: str) -> None:
    queries, run = {"q": {column: "1"}}, {"q": [("a", 0, 1)]}
    message = f"(?s)'{column}' has the name of a column of the result.*Rename"
    with pytest.raises(InputError, match=message):
        compared(queries=queries)
    with pytest.raises(InputError, match=message):
        medir.compare_passages(run, run, queries=queries)


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file, by readers that know nothing of medir; all values as text."""
    if path.suffix == ".parquet":
        return list(pytest.importorskip("pyarrow.parquet").read_table(path).to_pylist())
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    delimiter = {".csv": ",", ".tsv": "\t"}[path.suffix]
    return list(csv.DictReader(io.StringIO(path.read_text(), newline=""), delimiter=delimiter))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_columns_of_queries_in_files(suffix: str, tmp_path: Path) -> None:
    """They come last, as they are written in the table, in the rows of every measure."""
    path = tmp_path / f"out.{suffix}"
    table = tmp_path / "queries.tsv"
    table.write_text('query_id\ttext\tweight\tpart\nq1\ta "b", c\t2.50\thead\nq0\t\t1\ttail\n')
    result = medir.compare(
        BEFORE, AFTER, ["P@4", "Overlap@4"], qrels=QRELS, queries=table, by="part"
    )
    result.write(path)
    rows = read(path)
    own = ["query_id", "measure", *COLUMNS, VALUE, *CHANGES]
    assert all(list(row) == [*own, "text", "weight", "part"] for row in rows)
    nothing = "" if suffix in ("csv", "tsv") else None
    known = {"q0": (nothing, "1", "tail"), "q1": ('a "b", c', "2.50", "head")}
    assert [(row["text"], row["weight"], row["part"]) for row in rows] == [
        known.get(query, (nothing,) * 3) for query in BEFORE for _ in range(2)
    ]
    plain = tmp_path / f"plain.{suffix}"
    medir.compare(BEFORE, AFTER, ["P@4", "Overlap@4"], qrels=QRELS).write(plain)
    assert [{name: row[name] for name in own} for row in rows] == read(plain)


def test_columns_of_queries_in_rows_of_passages(tmp_path: Path) -> None:
    run = {"q": [("a", 0, 1)], "r": [("a", 0, 1)]}
    queries = {"r": {"text": "more", "weight": 3}}
    medir.compare_passages(run, run, queries=queries).write(tmp_path / "out.csv")
    rows = read(tmp_path / "out.csv")
    assert [(row["query_id"], row["text"], row["weight"]) for row in rows] == [
        ("q", "", ""),
        ("r", "more", "3"),
    ]


def test_texts() -> None:
    sample = compared(queries=TABLE).sample
    assert (sample.text("q1"), sample.text("q9")) == ("text of q1", "")
    assert compared().sample.text("q1") == ""
