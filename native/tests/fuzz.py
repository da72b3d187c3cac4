"""Runs the harnesses of native/tests/fuzz under libFuzzer, and says how much code they reached.

A harness is done where the last tenth of its executions reached no new edge.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

TESTS = Path(__file__).parent
SOLVERS = {
    "dot_product",
    "cascade",
    "average_precision",
    "quadratic",
    "time_biased_gain",
    "alignment",
    "effort",
    "trails",
}
DICTIONARIES = {
    **dict.fromkeys(
        ("trec_run", "trec_pair", "qrels", "lengths", "passages", "gold", "marco"), "trec.dict"
    ),
    **dict.fromkeys(("delimited", "query_table"), "delimited.dict"),
    **dict.fromkeys(("json_lines", "json_run"), "json.dict"),
}
LONGEST = {"trec.dict": 256, "delimited.dict": 256, "json.dict": 384}  # bytes of an input
LONGEST_CHOICES = 128  # of an input that is a sequence of choices
STATUS = re.compile(r"^#(\d+)\s+(\w+)\s.*?cov: (\d+)", re.MULTILINE)


@dataclass(frozen=True)
class Run:
    """What libFuzzer says of one harness."""

    harness: str
    code: int
    seconds: float
    log: str

    def edges(self) -> list[tuple[int, int]]:
        """After how many executions how many edges were reached."""
        return [(int(count), int(edges)) for count, _, edges in STATUS.findall(self.log)]

    def row(self) -> list[str]:
        """The harness, executions, edges, those of the last tenth, executions per second."""
        edges = self.edges() or [(0, 0)]
        executions, reached = edges[-1]
        before = max((found for count, found in edges if count <= 0.9 * executions), default=0)
        rate = executions / max(self.seconds, 1e-9)
        return [
            self.harness,
            f"{executions:,}",
            str(reached),
            str(reached - before),
            f"{rate:,.0f}",
        ]


def harnesses(build: Path, only: Sequence[str]) -> list[str]:
    """The harnesses that were built: parsers, then solvers."""
    built = [path.name.removeprefix("fuzz_") for path in build.glob("fuzz_*") if path.is_file()]
    names = [name for name in built if not only or name in only]
    return sorted(names, key=lambda name: (name in SOLVERS, name))


def fuzz(harness: str, build: Path, limits: Sequence[str]) -> Run:
    """Runs one harness from the corpus; what it finds besides stays in the build folder."""
    found = build / "found" / harness
    found.mkdir(parents=True, exist_ok=True)
    words = DICTIONARIES.get(harness, "")
    dictionary = [f"-dict={TESTS / 'dictionaries' / words}"] if words else []
    command = [
        str(build / f"fuzz_{harness}"),
        f"-max_len={LONGEST.get(words, LONGEST_CHOICES)}",
        f"-artifact_prefix={found.parent}/{harness}-",
        "-detect_leaks=0",
        "-entropic=0",  # its statistics of rare features take half of the time
        "-seed=1",
        "-print_final_stats=1",
        *limits,
        *dictionary,
        str(found),
        str(TESTS / "corpus" / harness),
    ]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    seconds = time.monotonic() - start
    (found.parent / f"{harness}.log").write_text(done.stderr, encoding="utf-8")
    return Run(harness, done.returncode, seconds, done.stderr)


def limits_of(harness: str, arguments: argparse.Namespace) -> list[str]:
    """When a harness ends: after so many executions, or seconds."""
    if arguments.seconds:
        return [f"-max_total_time={arguments.seconds}"]
    runs = arguments.solver_runs if harness in SOLVERS else arguments.runs
    return [f"-runs={runs}"]


def table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows with their columns aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, *numbers in rows:
        cells = [number.rjust(width) for number, width in zip(numbers, widths[1:], strict=True)]
        yield "  ".join([name.ljust(widths[0]), *cells])


def main() -> int:
    """Runs all harnesses, prints the table; 1 where one of them found a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path, help="the folder with the harnesses")
    parser.add_argument("harnesses", nargs="*", help="only these")
    parser.add_argument("--runs", type=int, default=10**7, help="executions per parser")
    parser.add_argument("--solver-runs", type=int, default=10**6, help="executions per solver")
    parser.add_argument("--seconds", type=int, help="seconds per harness, instead of executions")
    parser.add_argument("--jobs", type=int, default=2, help="harnesses at the same time")
    arguments = parser.parse_intermixed_args()
    names = harnesses(arguments.build, arguments.harnesses)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        runs = list(
            pool.map(lambda name: fuzz(name, arguments.build, limits_of(name, arguments)), names)
        )
    header = ["harness", "executions", "edges", "new in the last tenth", "executions/s"]
    print("\n".join(table([header, *(run.row() for run in runs)])))
    failed = [run for run in runs if run.code != 0]
    for run in failed:
        print(f"\n{run.harness} found a fault (exit code {run.code}):\n{run.log[-3000:]}")
    return 1 if failed or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
