"""Time reading a table of queries and aligning its columns with a run, beside Polars.

``python benchmarks/queries.py [--queries 1000000] [--repeat 5]`` makes a TSV table (query_id, text,
weight, segment; 41 MB at the default size), plain and shuffled, and prints the seconds of
``Queries.of`` with one column of weights and one of segments by position of a run, and of Polars
merely reading the file, with the list of targets. The exit code is 1 when one of them is missed.
Times are the best of ``--repeat`` rounds in one process, in which everybody has a turn. Needs
polars.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars

from compare import Target, print_table, print_targets
from medir import Run
from medir.inputs.queries import Queries
from runs import MOST_QUERIES, SEED, SEGMENTS, make_table

MOST_OF_POLARS = 1.5  # which reads alone; here ids are checked and two columns aligned


def make(folder: Path, queries: int) -> tuple[Path, Path, Path]:
    """Write a run with one result per query, and the table in its order and in another."""
    run, table, shuffled = (folder / name for name in ("bench.run", "table.tsv", "shuffled.tsv"))
    run.write_text("".join(f"q{i + 1:07d} Q0 d 1 1 bench\n" for i in range(queries)))
    make_table(table, queries, SEED)
    header, *rows = table.read_text().splitlines(keepends=True)
    order = np.random.default_rng(SEED).permutation(queries)
    shuffled.write_text(header + "".join(rows[i] for i in order))
    return run, table, shuffled


def align(table: Path, run: Run) -> None:
    """Read the table, and its weights and segments in the order of the run."""
    queries = Queries.of(table)
    weights, missing = queries.numbers("weight", run._lists)
    _, labels, without = queries.segments("segment", run._lists)
    if missing or without or sorted(labels) != sorted(SEGMENTS) or weights.min() < 1:
        raise ValueError("the table has a row for every query")


def seconds_of(job: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time reading a table of queries")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    if not 1 <= options.queries <= MOST_QUERIES:
        parser.error(f"--queries must be from 1 to {MOST_QUERIES}")
    with tempfile.TemporaryDirectory() as temporary:
        run_path, table, shuffled = make(Path(temporary), options.queries)
        run = Run.of(run_path)
        peer = f"Polars {version('polars')}, reading only"
        jobs: dict[str, Callable[[], object]] = {
            "medir": lambda: align(table, run),
            "medir, rows in another order": lambda: align(shuffled, run),
            peer: lambda: polars.read_csv(table, separator="\t"),
        }
        times: dict[str, list[float]] = {name: [] for name in jobs}
        for _ in range(options.repeat):
            for name, job in jobs.items():
                times[name].append(seconds_of(job))
        size = table.stat().st_size / 1e6
    best = {name: min(seconds) for name, seconds in times.items()}
    print_table(
        [f"{options.queries:,} queries, {size:.0f} MB", "seconds", "of Polars"],
        [[name, f"{best[name]:.3f}", f"{best[name] / best[peer]:.2f}"] for name in jobs],
    )
    ratio = best["medir"] / best[peer]
    target = Target(
        f"table, weights and segments at most {MOST_OF_POLARS:g} x Polars reading the table",
        ratio <= MOST_OF_POLARS,
        f"{ratio:.2f} x",
    )
    print_targets([target])
    return 0 if target.holds else 1


if __name__ == "__main__":
    sys.exit(main())
