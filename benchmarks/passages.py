"""Time ``medir passages`` on two synthetic runs of passages, and show what its cost follows.

``python benchmarks/passages.py [--topics 100000] [--folder DIR] [--repeat 3]`` prints

- the seconds of ``medir passages`` from start to end, with all rows written, of Polars merely
  reading both files, and of ``wc -l``;
- the seconds of U@12,000 and of U@12,000,000 on the same passages, held in memory: all of them
  count under both measures; and of U@12,000,000 on passages that are 1,000 times as long;
- a list of targets. The exit code is 1 when one of them is missed.

A topic has 50 passages of 100 to 229 characters. Between the two runs some passages move, some
are replaced, and some are shifted, so that they overlap. Times are the best of ``--repeat``
rounds; medir and ``wc`` are timed as whole processes. The files of the default size take 0.5 GB.
"""

import argparse
import os
import platform
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import medir
from compare import (
    HERE,
    MEDIR,
    Runs,
    Target,
    best_times,
    print_table,
    print_targets,
    time_polars,
    time_process,
    time_wc,
)
from medir.inputs.formats.passages import Table, table_passages
from runs import SEED, Integers, digits

DEPTH = 50
MOST_TOPICS = 999_999  # topic numbers have six digits
SHORT, DEEP = "U@12000", "U@12000000"
LONGER = 1000

MOST_OF_POLARS = 1.0
MOST_OF_SHORT = 1.5


def passages(topics: int, seed: int) -> tuple[dict[str, Integers], dict[str, Integers]]:
    """Return documents, offsets, lengths and scores of both runs: one row per topic."""
    rng = np.random.default_rng(seed)
    shape = topics, DEPTH
    before = {
        "document": rng.integers(1_000_000, 2_000_000, shape),
        "offset": rng.integers(10_000, 99_000, shape),
        "length": rng.integers(100, 230, shape),
    }
    order = np.argsort(np.arange(DEPTH) + 2 * rng.standard_normal(shape), axis=1)
    after = {name: np.take_along_axis(some, order, axis=1) for name, some in before.items()}
    fresh = rng.integers(1_000_000, 2_000_000, shape)
    after["document"] = np.where(rng.random(shape) < 0.3, fresh, after["document"])
    shift = rng.integers(0, 100, shape)
    after["offset"] = after["offset"] + np.where(rng.random(shape) < 0.2, shift, 0)
    for run in (before, after):
        steps = rng.integers(1, 9_000, shape)
        run["score"] = rng.integers(600_000, 1_000_000, (topics, 1)) - np.cumsum(steps, axis=1)
    return before, after


def write(path: Path, run: dict[str, Integers], tag: str) -> None:
    """Write a run as lines of text: a copy of the template a topic, with the numbers filled in."""
    line = f"000000 d0000000 {{rank}} 00.0000 00000 000 {tag}\n"
    lines = [line.format(rank=rank).encode() for rank in range(1, DEPTH + 1)]
    topics = len(run["score"])
    text = np.tile(np.frombuffer(b"".join(lines), dtype=np.uint8), (topics, 1))
    at = 0
    score = digits(run["score"], 6)
    for i, one in enumerate(lines):
        text[:, at : at + 6] = digits(np.arange(1, topics + 1), 6)
        text[:, at + 8 : at + 15] = digits(run["document"][:, i], 7)
        point = at + one.index(b".")
        text[:, point - 2 : point] = score[:, i, :2]
        text[:, point + 1 : point + 5] = score[:, i, 2:]
        text[:, point + 6 : point + 11] = digits(run["offset"][:, i], 5)
        text[:, point + 12 : point + 15] = digits(run["length"][:, i], 3)
        at += len(one)
    with path.open("wb") as file:
        file.write(text.tobytes())
        file.flush()
        os.fsync(file.fileno())  # so that no later timing shares the disk with this writing


def make(folder: Path, runs: tuple[dict[str, Integers], ...]) -> Runs:
    """Write both runs."""
    folder.mkdir(parents=True, exist_ok=True)
    topics = len(runs[0]["score"])
    before, after = (folder / f"passages-{tag}-{topics}.txt" for tag in ("before", "after"))
    write(before, runs[0], "before")
    write(after, runs[1], "after")
    return before, after


def in_memory(run: dict[str, Integers], times: int) -> medir.Passages:
    """Return the run as medir holds it, its passages so many times as long."""
    topics = len(run["score"])
    columns: dict[str, Any] = {
        "query": np.repeat(np.arange(topics), DEPTH).tolist(),
        "document": run["document"].reshape(-1).tolist(),
        "offset": (times * run["offset"]).reshape(-1).tolist(),
        "length": (times * run["length"]).reshape(-1).tolist(),
    }
    table = Table("run", columns, lambda row: (None, f"row {row}"))
    return medir.Passages(table_passages(table, "file"), "run")


def time_kernel(runs: tuple[medir.Passages, medir.Passages], measure: str) -> float:
    """Time the comparison of runs that are read already."""
    start = time.perf_counter()
    medir.compare_passages(*runs, measure)
    return time.perf_counter() - start


def compare_programs(files: Runs, repeat: int, out: Path) -> Target:
    """Time all programs on the same files, print the table, and return the target."""
    ours, wc = "medir passages", "wc -l"
    polars = f"Polars {version('polars')}, reading only"
    command = [str(MEDIR), "passages", *map(str, files), "-m", SHORT, "-o", str(out)]
    seconds = best_times(
        {
            ours: (files, lambda: time_process(command)),
            polars: (files, lambda: time_polars(files)),
            wc: (files, lambda: time_wc(files)),
        },
        repeat,
    )
    ratios = {name: seconds[ours] / value for name, value in seconds.items()}
    print_table(
        ["program", "seconds", "medir / program"],
        [[name, f"{seconds[name]:.3f}", f"{ratios[name]:.3f}"] for name in seconds],
    )
    text = f"medir takes at most {MOST_OF_POLARS:g} x Polars reading"
    return Target(text, ratios[polars] <= MOST_OF_POLARS, f"{ratios[polars]:.3f} x")


def compare_depths(runs: tuple[dict[str, Integers], ...], files: Runs, repeat: int) -> list[Target]:
    """Time the comparison at two depths, print the table, and return the targets."""
    same = in_memory(runs[0], 1), in_memory(runs[1], 1)
    longer = in_memory(runs[0], LONGER), in_memory(runs[1], LONGER)
    deep, long_ = f"{DEEP}, the same passages", f"{DEEP}, passages {LONGER:,} x as long"
    seconds = best_times(
        {
            SHORT: (files, lambda: time_kernel(same, SHORT)),
            deep: (files, lambda: time_kernel(same, DEEP)),
            long_: (files, lambda: time_kernel(longer, DEEP)),
        },
        repeat,
    )
    topics = len(runs[0]["score"])
    print_table(
        ["measure", "seconds", "microseconds a topic", f"of {SHORT}"],
        [
            [name, f"{s:.3f}", f"{1e6 * s / topics:.2f}", f"{s / seconds[SHORT]:.3f}"]
            for name, s in seconds.items()
        ],
    )
    return [
        Target(
            f"{name} at most {MOST_OF_SHORT:g} x {SHORT}",
            seconds[name] <= MOST_OF_SHORT * seconds[SHORT],
            f"{seconds[name] / seconds[SHORT]:.3f} x",
        )
        for name in (deep, long_)
    ]


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time medir passages")
    parser.add_argument("--topics", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, default=HERE / "data")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    if not 1 <= options.topics <= MOST_TOPICS:
        parser.error(f"--topics must be from 1 to {MOST_TOPICS}")
    runs = passages(options.topics, SEED)
    files = make(options.folder, runs)
    size = sum(path.stat().st_size for path in files) / 1e9
    print(
        f"{options.topics:,} topics x {DEPTH} passages, two files, together {size:.2f} GB;", end=" "
    )
    print(f"best of {options.repeat}; {os.cpu_count()} processors, Python", end=" ")
    print(f"{platform.python_version()}\n")
    with tempfile.TemporaryDirectory(dir=options.folder) as temporary:
        targets = [compare_programs(files, options.repeat, Path(temporary) / "out.csv")]
    targets += compare_depths(runs, files, options.repeat)
    print_targets(targets)
    return 0 if all(target.holds for target in targets) else 1


if __name__ == "__main__":
    sys.exit(main())
