"""Time ``medir compare`` beside other programs on the same two synthetic run files.

``python benchmarks/compare.py [--queries 1000000] [--folder DIR] [--repeat 3]`` prints

- the seconds of medir, of Polars merely reading both files, of the same measure as a full join
  in DuckDB, and of ``wc -l``;
- medir's peak anonymous memory;
- whether medir's values equal DuckDB's on all queries;
- medir's time for the summary alone, without and with weights and segments from a table;
- medir's time at a tenth, at all and at twice the queries;
- a list of targets. The exit code is 1 when one of them is missed.

Every time is the best of ``--repeat`` rounds, and every program has its turn in each round. The
files are read once before each run, so that they come from the page cache. medir and ``wc`` are
timed as whole processes; for Polars and DuckDB, starting Python and importing the library are
not counted. Needs Linux, numpy, polars, duckdb, and medir installed beside the running Python.
The files of the default size take 4.7 GB of disk.
"""

import argparse
import csv
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from runs import MOST_QUERIES, SEED, make, make_table

HERE = Path(__file__).resolve().parent
MEDIR = Path(sys.executable).parent / "medir"
MEASURE = "nDCG@20"
SAMPLE_SECONDS = 0.002  # between two readings of a process's memory
TOLERANCE = 1e-9  # between medir's values and DuckDB's

MOST_OF_POLARS = 0.2
MOST_OF_WC = 4.0
MOST_MEGABYTES = 400.0
MOST_GROWTH = 1.3
MOST_OF_UNWEIGHTED = 1.1

Runs = tuple[Path, Path]


class Target(NamedTuple):
    """A target, whether it holds, and the measured number."""

    text: str
    holds: bool
    measured: str


# The timed programs: each runs once and returns its seconds.


def time_medir(runs: Runs, out: Path) -> float:
    """Time the whole process of ``medir compare``, writing the values to ``out``."""
    out.unlink(missing_ok=True)
    return time_process(medir_command(runs, out))


def time_polars(runs: Runs) -> float:
    """Time Polars reading both files in a fresh process."""
    return _time_peer("polars", *runs)


def time_duckdb(runs: Runs, out: Path) -> float:
    """Time the full join in DuckDB in a fresh process, writing the values to ``out``."""
    out.unlink(missing_ok=True)
    return _time_peer("duckdb", *runs, out)


def time_wc(runs: Runs) -> float:
    """Time the whole process of ``wc -l``."""
    return time_process(["wc", "-l", *map(str, runs)])


def medir_command(runs: Runs, out: Path) -> list[str]:
    """Return the command that compares the two files."""
    return [str(MEDIR), "compare", *map(str, runs), "-m", MEASURE, "-o", str(out)]


def time_process(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def _time_peer(name: str, *paths: Path) -> float:
    command = [sys.executable, str(HERE / "peers.py"), name, *map(str, paths)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def best_times(jobs: dict[str, tuple[Runs, Callable[[], float]]], repeat: int) -> dict[str, float]:
    """Run all jobs in turn, ``repeat`` times, and return the lowest seconds of each."""
    best = dict.fromkeys(jobs, float("inf"))
    for _ in range(repeat):
        for name, (runs, job) in jobs.items():
            warm(runs)
            best[name] = min(best[name], job())
    return best


def warm(runs: Runs) -> None:
    """Read the files, so that the next reader finds them in the page cache."""
    buffer = bytearray(1 << 20)
    for path in runs:
        with path.open("rb", buffering=0) as file:
            while file.readinto(buffer):
                pass


# Memory and values.


def peak_anonymous_megabytes(command: list[str]) -> float:
    """Run the command and return the highest anonymous memory seen, in MB of a million bytes."""
    peak = 0
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        peak = max(peak, _anonymous_kibibytes(process.pid))
        time.sleep(SAMPLE_SECONDS)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak * 1024 / 1e6


def _anonymous_kibibytes(pid: int) -> int:
    """Return the process's anonymous memory; 0 when it has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return int(fields.get("RssAnon", "0 kB").split()[0])


def read_values(path: Path, query_column: str) -> dict[str, float]:
    """Return the value of each query from a CSV file that has one line per query."""
    with path.open(newline="") as file:
        reader = csv.reader(file)
        header = next(reader)
        query, med = header.index(query_column), header.index("med")
        values: dict[str, float] = {}
        for row in reader:
            if row[query] in values:
                raise ValueError(f"{path}: query {row[query]} has two lines")
            values[row[query]] = float(row[med])
    return values


def check_values(medir_csv: Path, duckdb_csv: Path, queries: int) -> Target:
    """Compare medir's values with DuckDB's, query by query."""
    text = f"values equal DuckDB's to {TOLERANCE:g} on all {queries:,} queries"
    ours, theirs = read_values(medir_csv, "query_id"), read_values(duckdb_csv, "query")
    if len(theirs) != queries:
        raise ValueError(f"DuckDB gives {len(theirs):,} queries, not {queries:,}")
    if ours.keys() != theirs.keys():
        return Target(text, False, f"{len(ours.keys() ^ theirs.keys()):,} queries in one only")
    differences = [abs(value - theirs[query]) for query, value in ours.items()]
    wrong = sum(not difference <= TOLERANCE for difference in differences)  # counts NaN too
    if wrong:
        return Target(text, False, f"{wrong:,} queries differ")
    return Target(text, True, f"largest difference {max(differences):.1e}")


# The parts of the report.


def compare_programs(runs: Runs, repeat: int, medir_csv: Path, duckdb_csv: Path) -> list[Target]:
    """Time all programs on the same files, print the table, and return the targets."""
    medir, wc = "medir compare", "wc -l"
    polars = f"Polars {version('polars')}, reading only"
    duckdb = f"DuckDB {version('duckdb')}, full join"
    seconds = best_times(
        {
            medir: (runs, lambda: time_medir(runs, medir_csv)),
            polars: (runs, lambda: time_polars(runs)),
            duckdb: (runs, lambda: time_duckdb(runs, duckdb_csv)),
            wc: (runs, lambda: time_wc(runs)),
        },
        repeat,
    )
    ratios = {name: seconds[medir] / value for name, value in seconds.items()}
    print_table(
        ["program", "seconds", "medir / program"],
        [[name, f"{seconds[name]:.3f}", f"{ratios[name]:.3f}"] for name in seconds],
    )
    return [
        Target(
            f"medir takes at most {MOST_OF_POLARS:g} x Polars reading",
            ratios[polars] <= MOST_OF_POLARS,
            f"{ratios[polars]:.3f} x",
        ),
        Target(
            f"medir takes at most {MOST_OF_WC:g} x wc -l",
            ratios[wc] <= MOST_OF_WC,
            f"{ratios[wc]:.2f} x",
        ),
    ]


def measure_memory(runs: Runs, out: Path) -> Target:
    """Run medir once more, untimed, and print its peak anonymous memory."""
    out.unlink(missing_ok=True)
    peak = peak_anonymous_megabytes(medir_command(runs, out))
    print(f"medir's peak anonymous memory: {peak:.0f} MB")
    text = f"anonymous memory below {MOST_MEGABYTES:g} MB"
    return Target(text, peak < MOST_MEGABYTES, f"{peak:.0f} MB")


def measure_linearity(folder: Path, queries: int, repeat: int, out: Path) -> Target:
    """Time medir at a tenth, at all and at twice the queries, and print the table."""
    sizes = {f"{size:,}": size for size in (max(1, queries // 10), queries, 2 * queries)}
    files = {name: make(folder, size, SEED) for name, size in sizes.items()}

    def job(runs: Runs) -> tuple[Runs, Callable[[], float]]:
        return runs, lambda: time_medir(runs, out)

    seconds = best_times({name: job(runs) for name, runs in files.items()}, repeat)
    each = {name: 1e6 * seconds[name] / size for name, size in sizes.items()}
    print_table(
        ["queries", "seconds", "microseconds per query"],
        [[name, f"{seconds[name]:.3f}", f"{each[name]:.3f}"] for name in sizes],
    )
    growth = each[f"{2 * queries:,}"] / each[f"{queries:,}"]
    text = f"time per query at {2 * queries:,} within {MOST_GROWTH:g} x of that at {queries:,}"
    return Target(text, growth <= MOST_GROWTH, f"{growth:.3f} x")


def measure_weights(runs: Runs, queries: int, repeat: int, table: Path) -> Target:
    """Time the summary without and with weights and segments, and print the table."""
    make_table(table, queries, SEED)
    plain = [str(MEDIR), "compare", *map(str, runs), "-m", MEASURE]
    weighted = [*plain, "--queries", str(table), "--by", "segment"]
    seconds = best_times(
        {
            "the summary": (runs, lambda: time_process(plain)),
            "with weights and segments": (runs, lambda: time_process(weighted)),
        },
        repeat,
    )
    rows = [[name, f"{value:.3f}"] for name, value in seconds.items()]
    print_table(["medir compare", "seconds"], rows)
    ratio = seconds["with weights and segments"] / seconds["the summary"]
    text = f"weights and segments take at most {MOST_OF_UNWEIGHTED:g} x the time without"
    return Target(text, ratio <= MOST_OF_UNWEIGHTED, f"{ratio:.3f} x")


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print the rows in columns, the first aligned left and the others right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        print("  ".join(cells))
    print(flush=True)


def print_targets(targets: list[Target]) -> None:
    """Print the targets in columns."""
    print("Targets")
    width = max(len(target.text) for target in targets)
    for target in targets:
        verdict = "holds" if target.holds else "MISSED"
        print(f"{verdict:6}  {target.text:{width}}  {target.measured}")


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time medir beside other programs")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=HERE / "data")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not 1 <= options.queries <= MOST_QUERIES // 2:
        parser.error(f"--queries must be from 1 to {MOST_QUERIES // 2}")
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not MEDIR.exists():
        parser.error(f"there is no {MEDIR}; install medir for this Python")

    runs = make(options.folder, options.queries, SEED)
    size = sum(path.stat().st_size for path in runs) / 1e9
    print(f"{options.queries:,} queries, two files, together {size:.2f} GB; best of", end=" ")
    print(f"{options.repeat}; {os.cpu_count()} processors, Python {platform.python_version()}\n")
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        medir_csv, duckdb_csv = Path(temporary) / "medir.csv", Path(temporary) / "duckdb.csv"
        targets = compare_programs(runs, options.repeat, medir_csv, duckdb_csv)
        targets.append(measure_memory(runs, medir_csv))
        agreement = check_values(medir_csv, duckdb_csv, options.queries)
        print(f"{agreement.text}: {'yes' if agreement.holds else 'NO'}, {agreement.measured}\n")
        table = Path(temporary) / "queries.tsv"
        weights = measure_weights(runs, options.queries, options.repeat, table)
        linearity = measure_linearity(options.folder, options.queries, options.repeat, medir_csv)
    targets += [weights, linearity, agreement]
    print_targets(targets)
    return 0 if all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
