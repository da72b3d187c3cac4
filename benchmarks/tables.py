"""What it costs to take rankings from tables, arrays, lists and dicts, beside TREC text.

``python benchmarks/tables.py`` makes the runs of ``benchmarks/runs.py`` and prints

- processor time per result for taking one run in, from each kind of source: `Run.of`, and then
  reading every list once, as a comparison does; one thread, lowest of three;
- the seconds of ``medir compare`` on Parquet files and on TREC text of the same data, of Polars
  merely reading the Parquet files, whole processes, and the peak anonymous memory of medir.

It ends with exit code 1 when a target is missed. Needs numpy, pandas, polars, pyarrow and duckdb.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import medir
from compare import (
    Target,
    best_times,
    medir_command,
    peak_anonymous_megabytes,
    print_table,
    print_targets,
    time_process,
)
from runs import DEPTH, make

HERE = Path(__file__).parent
TABLES, LISTS, DICTS = 60, 150, 250  # nanoseconds per result, at most
MOST_OF_TEXT = 1.3
READ = "import polars, sys; [polars.read_parquet(path) for path in sys.argv[1:]]"

Sources = dict[str, tuple[Any, int | None]]  # by name: what it is, and its target


def table_of(path: Path) -> pa.Table:
    """The columns of a run that count."""
    names = ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    frame = pl.read_csv(path, separator=" ", has_header=False, new_columns=names)
    return (
        frame.select("query_id", "doc_id", pl.col("score").cast(pl.Float64))
        .to_arrow()
        .cast(pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float64()}))
        .combine_chunks()
    )


def sources(path: Path) -> Sources:
    """A run in all kinds of memory."""
    table = table_of(path)
    columns = {name: table[name].to_pylist() for name in table.column_names}
    queries = columns["query_id"][::DEPTH]
    numbers = np.array([int(one[1:]) for one in columns["doc_id"]]).reshape(-1, DEPTH)
    starts = range(0, len(table), DEPTH)
    documents = [columns["doc_id"][i : i + DEPTH] for i in starts]
    scores = [columns["score"][i : i + DEPTH] for i in starts]
    lists = dict(zip(queries, documents, strict=True))
    dicts = {
        query: dict(zip(some, values, strict=True))
        for query, some, values in zip(queries, documents, scores, strict=True)
    }
    encoded = table.set_column(0, "query_id", table["query_id"].dictionary_encode())
    by_query = pa.table({"query_id": queries, "doc_ids": documents, "scores": scores})
    whole = pl.DataFrame({"query_id": np.repeat(np.arange(len(queries)), DEPTH)}).with_columns(
        doc_id=numbers.ravel(), score=pl.Series(columns["score"])
    )
    return {
        "TREC text": (path, None),
        "pyarrow, strings": (table, TABLES),
        "pyarrow, queries as a dictionary": (encoded, TABLES),
        "pyarrow, one row per query": (by_query, TABLES),
        "polars, strings": (pl.DataFrame(table), TABLES),
        "polars, whole numbers": (whole, TABLES),
        "pandas, strings": (table.to_pandas(), TABLES),
        "DuckDB, strings, with its own query": (duckdb.from_arrow(table), None),
        "numpy, 64 bits": (numbers, TABLES),
        "numpy, 32 bits": (numbers.astype(np.int32), TABLES),
        "{query: [ids]}": (lists, LISTS),
        "{query: {id: score}}": (dicts, DICTS),
    }


def taking(source: Any) -> float:
    """Processor seconds from a source to its lists, each read once."""
    start = time.process_time()
    run = medir.Run.of(source, threads=1)
    run._lists.check(1)
    return time.process_time() - start


def measure_taking(path: Path, results: int, repeat: int) -> list[Target]:
    """Print the table of sources, and return the targets."""
    rows, targets = [], []
    for name, (source, most) in sources(path).items():
        each = min(taking(source) for _ in range(repeat)) / results * 1e9
        rows.append([name, f"{each:.0f}", "" if most is None else str(most)])
        if most is not None:
            targets.append(Target(f"{name}: at most {most} ns", each <= most, f"{each:.0f} ns"))
    print_table(["source", "ns per result", "at most"], rows)
    return targets


def parquet_of(path: Path) -> Path:
    """The same run as Parquet, as pyarrow writes it."""
    target = path.with_suffix(".parquet")
    if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
        pq.write_table(table_of(path), target)
    return target


def measure_parquet(folder: Path, queries: int, repeat: int) -> Target:
    """Print the seconds from Parquet and from text, and return the target."""
    text = make(folder, queries)
    tables = parquet_of(text[0]), parquet_of(text[1])
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        out = Path(temporary) / "out.csv"

        def job(runs: tuple[Path, Path]) -> tuple[tuple[Path, Path], Callable[[], float]]:
            return runs, lambda: time_process(medir_command(runs, out))

        reading = [sys.executable, "-c", READ, *map(str, tables)]
        seconds = best_times(
            {
                "medir, TREC text": job(text),
                "medir, Parquet": job(tables),
                "Polars, reading the Parquet": (tables, lambda: time_process(reading)),
            },
            repeat,
        )
        both = {"medir, TREC text": text, "medir, Parquet": tables}
        peak = {
            name: peak_anonymous_megabytes(medir_command(runs, out)) for name, runs in both.items()
        }
    parquet = seconds["medir, Parquet"]
    rows = []
    for name, value in seconds.items():
        memory = f"{peak[name]:,.0f}" if name in peak else ""
        rows.append([name, f"{value:.2f}", f"{parquet / value:.2f} x", memory])
    print_table(["start to end", "seconds", "Parquet takes", "peak anonymous MB"], rows)
    ratio = parquet / seconds["medir, TREC text"]
    said = f"Parquet takes at most {MOST_OF_TEXT:g} x TREC text"
    return Target(said, ratio <= MOST_OF_TEXT, f"{ratio:.2f} x")


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time what it costs to take rankings in")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=HERE / "data")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    few = max(1, options.queries // 5)
    targets = measure_taking(make(options.folder, few)[0], few * DEPTH, options.repeat)
    targets.append(measure_parquet(options.folder, options.queries, options.repeat))
    print_targets(targets)
    return 0 if all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
