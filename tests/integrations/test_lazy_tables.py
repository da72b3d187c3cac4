"""Tables that are not computed yet: polars' LazyFrame, relations of DuckDB, tables of Ibis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cases.libraries import Pair, compare, rows, same
from tests.integrations.packages import needed

COLUMNS = ["query_id", "doc_id", "score"]


def test_lazy_frames_of_polars(pair: Pair, tmp_path: Path) -> None:
    pl = needed("polars")
    some = [
        pl.DataFrame(rows(one), schema=COLUMNS, orient="row").lazy()
        for one in (pair.before, pair.after)
    ]
    same(compare(*some), pair.expected(tmp_path))
    judged = pl.DataFrame(rows(pair.judged), schema=[*COLUMNS[:2], "relevance"], orient="row")
    result = compare(*some, qrels=judged.lazy())
    same(result, pair.expected(tmp_path, judged=True))


def test_relations_of_duckdb(pair: Pair, tmp_path: Path) -> None:
    duckdb, pl = needed("duckdb"), needed("polars")
    before, after = (
        pl.DataFrame(rows(one), schema=COLUMNS, orient="row") for one in (pair.before, pair.after)
    )
    connection: Any = duckdb.connect()
    connection.register("before", before.to_arrow())
    connection.register("after", after.to_arrow())
    some = (
        connection.sql("from before"),
        connection.sql("select doc_id, query_id, score from after"),
    )
    same(compare(*some), pair.expected(tmp_path))


def test_tables_of_ibis(pair: Pair, tmp_path: Path) -> None:
    ibis, pl = needed("ibis"), needed("polars")
    before, after = (
        ibis.memtable(pl.DataFrame(rows(one), schema=COLUMNS, orient="row"))
        for one in (pair.before, pair.after)
    )
    same(compare(before, after.filter(after.score >= 0), threads=2), pair.expected(tmp_path))
