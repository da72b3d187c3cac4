"""Time ``medir compare`` with and without ``--report`` on the same two synthetic run files.

``python benchmarks/report.py [--queries 1000000] [--folder DIR] [--repeat 3]`` prints the seconds
of both, as whole processes that also write all rows as CSV, and the size of the report, with the
list of targets. The exit code is 1 when one of them is missed. Times are the best of ``--repeat``
rounds. The files of the default size take 1.5 GB of disk.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from compare import HERE, Runs, Target, best_times, medir_command, print_table, print_targets
from runs import MOST_QUERIES, SEED, make

MOST_OF_COMPARISON = 1.3
MOST_MEGABYTES = 2.0


def time_report(runs: Runs, out: Path, report: Path | None) -> float:
    """Time the whole process of ``medir compare``, with a report or without."""
    out.unlink(missing_ok=True)
    command = medir_command(runs, out)
    if report is not None:
        command += ["--report", str(report)]
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time medir with and without a report")
    parser.add_argument("--queries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, default=HERE / "data")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not 1 <= options.queries <= MOST_QUERIES:
        parser.error(f"--queries must be from 1 to {MOST_QUERIES}")
    runs = make(options.folder, options.queries, SEED)
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        out, report = Path(temporary) / "out.csv", Path(temporary) / "report.html"
        alone, both = "medir compare", "medir compare --report"
        seconds = best_times(
            {
                alone: (runs, lambda: time_report(runs, out, None)),
                both: (runs, lambda: time_report(runs, out, report)),
            },
            options.repeat,
        )
        megabytes = report.stat().st_size / 1e6
    ratio = seconds[both] / seconds[alone]
    print_table(
        [f"{options.queries:,} queries", "seconds", "of the comparison"],
        [
            [name, f"{seconds[name]:.3f}", f"{seconds[name] / seconds[alone]:.3f}"]
            for name in seconds
        ],
    )
    targets = [
        Target(
            f"with a report at most {MOST_OF_COMPARISON:g} x the comparison alone",
            ratio <= MOST_OF_COMPARISON,
            f"{ratio:.3f} x",
        ),
        Target(
            f"the report is below {MOST_MEGABYTES:g} MB",
            megabytes < MOST_MEGABYTES,
            f"{megabytes:.2f} MB",
        ),
    ]
    print_targets(targets)
    return 0 if all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
