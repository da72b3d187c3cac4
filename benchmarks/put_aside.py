"""What it takes medir, polars and DuckDB to put an unsorted run aside by ranges, or sorted.

``python benchmarks/put_aside.py`` makes a run of 500,000 queries as `beyond_memory.py` does and
prints the processor seconds and the peak memory of each engine, whole processes. DuckDB is told to
stay within 1 GB; polars cannot be told; medir writes some megabytes at a time. ``python
benchmarks/put_aside.py ENGINE RUN FOLDER N`` is one of these processes. Needs polars and duckdb.
"""

import sys
import tempfile
from pathlib import Path

import duckdb
import polars as pl

from beyond_memory import make, measured, row_of
from compare import print_table
from medir.inputs.formats.contents.ranges.budget import ROWS
from medir.inputs.formats.contents.ranges.partitioning import Partitions
from medir.inputs.formats.contents.ranges.tables import RunTable
from medir.inputs.formats.source import Reading

QUERIES, RANGES = 500_000, 16
PACKED = 1 << 25  # bytes that medir writes together
LIMITS = {"memory_limit": "1GB", "preserve_insertion_order": "false"}


def bounds(queries: int) -> list[str]:
    """The first query of each range but the first."""
    return [f"q{number * queries // RANGES:09}" for number in range(1, RANGES)]


def medir_ranges(run: str, folder: str, queries: int) -> None:
    """One file, range by range; it finds the bounds of ranges itself."""
    place = Path(folder)
    Partitions([RunTable(run, Reading(), place)], RANGES, ROWS, PACKED, place)


def polars_ranges(run: str, folder: str, queries: int) -> None:
    """One file per range, by the streaming engine."""
    number = sum((pl.col("query_id") >= bound).cast(pl.UInt16) for bound in bounds(queries))
    parts = pl.PartitionBy(f"{folder}/parts", key="part", include_key=False)
    frame = pl.scan_parquet(run).with_columns(part=number)
    frame.sink_parquet(parts, compression="lz4", mkdir=True, engine="streaming")


def polars_sorted(run: str, folder: str, queries: int) -> None:
    """One sorted file, by the streaming engine."""
    frame = pl.scan_parquet(run).sort("query_id")
    frame.sink_parquet(f"{folder}/rows", compression="lz4", engine="streaming")


def duckdb_ranges(run: str, folder: str, queries: int) -> None:
    """One file per range, within a limit of memory."""
    cases = [f"WHEN query_id < '{bound}' THEN {i}" for i, bound in enumerate(bounds(queries))]
    number = f"CASE {' '.join(cases)} ELSE {RANGES - 1} END AS part"
    duckdb.connect(config={**LIMITS, "temp_directory": f"{folder}/spilled"}).execute(
        f"COPY (SELECT *, {number} FROM read_parquet('{run}')) TO '{folder}/parts' "
        "(FORMAT parquet, PARTITION_BY (part), COMPRESSION lz4)"
    )


def duckdb_sorted(run: str, folder: str, queries: int) -> None:
    """One sorted file, within a limit of memory."""
    duckdb.connect(config={**LIMITS, "temp_directory": f"{folder}/spilled"}).execute(
        f"COPY (SELECT * FROM read_parquet('{run}') ORDER BY query_id) TO '{folder}/rows' "
        "(FORMAT parquet, COMPRESSION lz4)"
    )


ENGINES = {
    "medir-ranges": medir_ranges,
    "polars-ranges": polars_ranges,
    "duckdb-ranges": duckdb_ranges,
    "polars-sorted": polars_sorted,
    "duckdb-sorted": duckdb_sorted,
}


def main() -> None:
    """Runs all engines, one after the other."""
    table = []
    with tempfile.TemporaryDirectory(prefix="put-aside-") as folder:
        make(Path(folder), QUERIES, "unsorted", text=False)
        run = f"{folder}/before-unsorted.parquet"
        for name in ENGINES:
            with tempfile.TemporaryDirectory(dir=folder) as place:
                command = [sys.executable, __file__, name, run, place, str(QUERIES)]
                table.append([name, *row_of(measured(command))])
    print_table(["engine", "seconds", "processor seconds", "peak (GB)"], table)


if __name__ == "__main__":
    if sys.argv[1:]:
        ENGINES[sys.argv[1]](sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
