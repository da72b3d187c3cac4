"""Runs that do not fit into memory: time, memory and rows of ``medir compare --memory``.

``python benchmarks/beyond_memory.py`` makes two runs of 10,000,000 queries with 20 results each as
Parquet, sorted by query and with their queries in another order, in a temporary folder (TMPDIR; up
to 25 GB, which are removed), and prints

- the seconds of ``medir compare --memory 2GB -o OUT.parquet``, of Polars merely scanning both
  inputs in the same sitting, and their ratio, whole processes; and the processor seconds of both;
- the peak memory of medir: the resident set that the system counts for the child;
- whether the rows are those of the parts compared alone, in memory, and whether those of the
  unsorted inputs are the same.

``--queries N`` makes smaller runs, and ``--text`` compares TREC text, too. It ends with exit code 1
where rows differ or a target is missed. Needs polars and pyarrow.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import BinaryIO, NamedTuple

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import medir
from compare import Target, medir_command, print_table, print_targets

QUERIES, DEPTH = 10_000_000, 20
CHUNK = 200_000  # queries that are made, and compared, together
MEMORY, MOST = "2GB", 4.0  # what medir is told, and gigabytes that it may take
MEASURE = "nDCG@20"
TIMES = {"sorted": 4.0, "unsorted": 10.0}  # the time of a scan
SCHEMA = pa.schema({"query_id": pa.string(), "doc_id": pa.string(), "score": pa.float32()})
SCAN = """
import polars, sys
for path in sys.argv[1:]:
    frame = polars.scan_parquet(path).select("query_id", "doc_id", "score")
    for batch in frame.collect_batches():
        pass
"""
RUNS = ("before", "after")


def results(numbers: pl.Series, run: str) -> pl.DataFrame:
    """The lists of some queries: those after differ in a tenth of their documents, and in order."""
    frame = pl.DataFrame({"query": numbers}).select(
        query=pl.col("query").repeat_by(DEPTH).explode(), rank=pl.lit(0, pl.Int64)
    )
    query, rank = pl.col("query"), pl.col("rank")
    frame = frame.with_columns(rank=pl.int_range(pl.len()) % DEPTH)
    changed = (query * 31 + rank * 17) % 10 == 0 if run == "after" else pl.lit(value=False)
    document = (query * 100 + rank * 3 + changed.cast(pl.Int64)) % 50_000_000
    step = 7 if run == "after" else 5
    score = 100 - rank - ((query * step + rank * 13) % 5) * 0.6
    return frame.select(
        query_id=pl.concat_str(pl.lit("q"), query.cast(pl.String).str.zfill(9)),
        doc_id=pl.concat_str(pl.lit("d"), document.cast(pl.String)),
        score=score.cast(pl.Float32),
    )


def make(folder: Path, queries: int, order: str, text: bool) -> None:
    """Both runs as Parquet, and as TREC text if wanted."""
    factor = 1 if order == "sorted" else 7_368_787  # a prime: all queries, in another order
    for run in RUNS:
        path = folder / f"{run}-{order}.parquet"
        if path.exists():
            continue
        trec = (folder / f"{run}.trec").open("wb") if text and order == "sorted" else None
        with pq.ParquetWriter(path, SCHEMA) as writer:
            for first in range(0, queries, CHUNK):
                last = min(first + CHUNK, queries)
                numbers = pl.int_range(first, last, eager=True) * factor % queries
                frame = results(numbers, run)
                writer.write_table(frame.to_arrow().cast(SCHEMA))
                if trec is not None:
                    write_trec(frame, trec)
        if trec is not None:
            trec.close()


def write_trec(frame: pl.DataFrame, file: BinaryIO) -> None:
    """Results as TREC text; nobody reads the ranks."""
    frame.select(
        "query_id", pl.lit("Q0").alias("q0"), "doc_id", pl.lit(1).alias("rank"), "score",
        pl.lit("t").alias("tag"),
    ).write_csv(file, separator=" ", include_header=False)  # fmt: skip


class Spent(NamedTuple):
    """What a process takes."""

    seconds: float
    processor: float  # seconds
    peak: float  # gigabytes of its resident set


def measured(command: list[str]) -> Spent:
    """Runs a process to its end."""
    start = perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    scale = 1e9 if sys.platform == "darwin" else 1e6
    processor = usage.ru_utime + usage.ru_stime
    return Spent(perf_counter() - start, processor, usage.ru_maxrss / scale)


def same_as_parts(folder: Path, queries: int) -> bool:
    """Whether the rows of the sorted inputs are those of their parts, compared in memory."""
    rows = pl.scan_parquet(folder / "sorted.parquet")
    whole = rows.select(pl.len()).collect().item() == queries
    for first in range(0, queries, CHUNK):
        before, after = (
            pl.scan_parquet(folder / f"{run}-sorted.parquet")
            .slice(first * DEPTH, CHUNK * DEPTH)
            .collect()
            for run in RUNS
        )
        alone = pl.DataFrame(medir.compare(before, after, MEASURE)).cast(rows.collect_schema())
        whole &= rows.slice(first, CHUNK).collect().equals(alone)
    return bool(whole)


def same(one: Path, other: Path, queries: int) -> bool:
    """Whether two files have the same rows in the same order."""
    tables = [pl.scan_parquet(path) for path in (one, other)]
    return all(
        tables[0].slice(first, CHUNK).collect().equals(tables[1].slice(first, CHUNK).collect())
        for first in range(0, queries + 1, CHUNK)
    )


def row_of(spent: Spent) -> list[str]:
    """What a process took, for people."""
    return [f"{spent.seconds:.1f}", f"{spent.processor:.1f}", f"{spent.peak:.2f}"]


def run(folder: Path, queries: int, memory: str, text: bool) -> int:
    """Times all, prints what came of it, and returns the exit code."""
    targets, table = [], []
    for order, times in TIMES.items():
        make(folder, queries, order, text)
        inputs = [str(folder / f"{run}-{order}.parquet") for run in RUNS]
        scan = measured([sys.executable, "-c", SCAN, *inputs])
        command = medir_command((Path(inputs[0]), Path(inputs[1])), folder / f"{order}.parquet")
        found = measured([*command, "--memory", memory])
        ratio = found.seconds / scan.seconds
        table.append([order, *row_of(scan)[:2], *row_of(found), f"{ratio:.1f}"])
        targets += [
            Target(f"{order}: at most {times:g} scans", ratio <= times, f"{ratio:.1f}"),
            Target(f"{order}: less than {MOST:g} GB", found.peak < MOST, f"{found.peak:.2f}"),
        ]
        print(" ".join(table[-1]), flush=True)
    if text:
        found = measured(
            medir_command((folder / "before.trec", folder / "after.trec"), folder / "text.csv")
        )
        table.append(["TREC text", "", "", *row_of(found), ""])
    columns = ["scan (s)", "processor", "medir (s)", "processor", "peak (GB)", "ratio"]
    print_table(["inputs", *columns], table)
    targets.append(Target("rows of parts, alone", same_as_parts(folder, queries), ""))
    outputs = folder / "sorted.parquet", folder / "unsorted.parquet"
    targets.append(Target("rows of unsorted inputs", same(*outputs, queries), ""))
    print_targets(targets)
    return 0 if all(target.holds for target in targets) else 1


def main() -> int:
    """Makes the runs in a folder that is removed, unless one is named, and times all."""
    parser = argparse.ArgumentParser(description="time medir on runs larger than memory")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--memory", default=MEMORY)
    parser.add_argument("--text", action="store_true", help="compare TREC text, too")
    parser.add_argument("--folder", type=Path, help="keep the runs here, and use them again")
    options = parser.parse_args()
    if options.folder is not None:
        options.folder.mkdir(parents=True, exist_ok=True)
        return run(options.folder, options.queries, options.memory, options.text)
    with tempfile.TemporaryDirectory(prefix="beyond-memory-") as folder:
        return run(Path(folder), options.queries, options.memory, options.text)


if __name__ == "__main__":
    sys.exit(main())
