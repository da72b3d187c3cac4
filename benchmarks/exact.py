"""Time the exact solvers for AP and ERR beside the heuristics of the paper, on real runs.

``MEDIR_DATA=DIR python benchmarks/exact.py [--sample 2000] [--repeat 3] [--noisy 500] [--seed 1]``
takes all pairs of the runs of TREC-COVID round 5 in the folder ``trec-covid-r5`` of DIR, topic by
topic, without judgments, and prints

- the time of the exact solver for one pair of lists, both directions, of how many pairs it did not
  prove MED, and of how many it did not prove both directions: AP@100 and ERR on lists cut at 100,
  over all pairs and over those of one group's runs; AP@1000 and ERR on all pairs of one group's
  runs that are 1000 deep, and on ``--noisy`` lists of these beside noisy copies of them;
- on a seeded sample of the same pairs of lists, how often the paper's heuristic (tabu search for
  AP, five documents among the first thirty for ERR; see heuristics.hpp) misses the maximum, by how
  much, how often it is better than an exact solver that proved nothing, and both times;
- checks: no heuristic finds more than the exact solver holds possible; on deep lists, every MED is
  proven, both directions of 99 %, in 5 ms in the mean. The exit code is 1 when one fails.

The solvers run in a C++ program of one thread, which is built first. A time is the lowest of
``--repeat`` calls; reading the lists and matching their documents are not counted. Needs numpy,
CMake, a C++ compiler, and medir installed for its default effort.
"""

import argparse
import csv
import gzip
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from medir.base.settings import EFFORT

SOURCE = Path(__file__).resolve().parent.parent
COLLECTION = "trec-covid-r5"
WHOLE_RUNS = ("covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr")  # among those that are cut at 100
DEEP, NOISY = "deep", "noisy"  # folders of runs that are 1000 deep
NOISE = (0.5, 2, 8, 32, 128)  # ranks: standard deviations
LEAST_PROVEN, MOST_SECONDS = 0.99, 0.005  # of deep lists: both directions, and their mean time
SEED = 1
TOLERANCE = 1e-9  # below the maximum by more is a miss
TIMES = [
    "measure", "pairs", "number", "mean", "median", "99th percentile", "maximum", "MED not proven",
    "a direction", "mean MED",
]  # fmt: skip

Floats = npt.NDArray[np.float64]


class Contest(NamedTuple):
    """A measure as the program knows it, the depth of the lists, and the heuristic."""

    measure: str
    depth: int
    title: str
    heuristic: str


CONTESTS = {
    "AP": Contest("AP", 100, "AP@100", "tabu search"),
    "ERR": Contest("ERR", 100, "ERR", "five of thirty"),
}
DEEP_CONTEST = Contest("AP", 1000, "AP@1000", "tabu search")
DEEP_CONTESTS = {"AP": DEEP_CONTEST, "ERR": Contest("ERR", 1000, "ERR", "five of thirty")}


class Pair(NamedTuple):
    """Two lists: those of two runs for one topic."""

    before: str
    after: str
    topic: str


class Collection(NamedTuple):
    """The unpacked runs, and the group of each."""

    folder: Path
    groups: dict[str, str]
    topics: list[str]

    def pairs(self) -> list[Pair]:
        """Return all pairs of lists."""
        runs = combinations(sorted(self.groups), 2)
        return [Pair(*both, topic) for both in runs for topic in self.topics]

    def in_one_group(self, pair: Pair) -> bool:
        """Tell whether both lists come from one group."""
        return self.groups[pair.before] == self.groups[pair.after]


class Solved(NamedTuple):
    """What the exact solver found for some pairs of lists, one value per pair."""

    seconds: Floats
    med: Floats
    gap: Floats
    direction_gap: Floats  # the larger one of gain and loss


class Sample(NamedTuple):
    """What the exact solver and the heuristic found for the same pairs of lists."""

    title: str
    pairs: int  # from which the sample was drawn
    exact: Solved
    seconds: Floats  # of the heuristic
    med: Floats

    @property
    def errors(self) -> Floats:
        """By how much the heuristic's value lies below the exact one; negative where above."""
        return self.exact.med - self.med


class Program(NamedTuple):
    """The built program and its options."""

    path: Path
    runs: Path
    effort: int
    repeat: int
    more: tuple[str, ...] = ()

    def solve(
        self, contest: Contest, pairs: Sequence[Pair], heuristic: set[Pair]
    ) -> tuple[dict[Pair, list[float]], dict[Pair, list[float]]]:
        """Return the exact values of all pairs, and the heuristic's of those that it is for."""
        numbers = (contest.depth, self.effort, self.repeat)
        command = [str(self.path), contest.measure, *map(str, numbers), str(self.runs), *self.more]
        lines = "".join(f"{' '.join(pair)} {int(pair in heuristic)}\n" for pair in pairs)
        answer = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, check=True)
        rows = [[float(field) for field in line.split()] for line in answer.stdout.splitlines()]
        results = dict(zip(pairs, rows, strict=True))
        return (
            {pair: row[:4] for pair, row in results.items()},
            {pair: row[4:] for pair, row in results.items() if pair in heuristic},
        )


# What is measured: the program and the data.


@contextmanager
def folder_or_temporary(folder: Path | None) -> Iterator[Path]:
    """Give the folder, or one that is removed afterwards."""
    if folder is not None:
        yield folder
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)


def build(folder: Path) -> Path:
    """Build the program in the folder and return its path."""
    cmake = shutil.which(
        "cmake", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    )
    if cmake is None:
        sys.exit("exact.py needs CMake: install it")
    options = ["-DMEDIR_BENCHMARKS=ON", "-DCMAKE_BUILD_TYPE=Release"]
    configure = [cmake, "-S", str(SOURCE), "-B", str(folder), *options]
    for command in (configure, [cmake, "--build", str(folder), "--target", "exact"]):
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return folder / "exact"


def unpack(data: Path, folder: Path) -> Collection:
    """Unpack the runs into the folder."""
    with (data / "runs.csv").open(newline="") as file:
        groups = {row["run"]: row["group"] for row in csv.DictReader(file)}
    for run in groups:
        with gzip.open(data / "runs" / f"{run}.gz") as packed, (folder / run).open("wb") as plain:
            shutil.copyfileobj(packed, plain)
    with (folder / next(iter(groups))).open() as file:
        topics = list(dict.fromkeys(line.split()[0] for line in file))
    return Collection(folder, groups, topics)


def unpack_deep(data: Path, collection: Collection) -> list[Pair]:
    """Unpack the runs that are whole; return the pairs of those of one group."""
    folder = collection.folder / DEEP
    folder.mkdir()
    packed = [
        *sorted((data / "deep").glob("*.gz")),
        *(data / "runs" / f"{r}.gz" for r in WHOLE_RUNS),
    ]
    names = []
    for path in packed:
        names.append(path.name.removesuffix(".gz"))
        with gzip.open(path) as file, (folder / names[-1]).open("wb") as plain:
            shutil.copyfileobj(file, plain)
    return [
        Pair(f"{DEEP}/{before}", f"{DEEP}/{after}", topic)
        for before, after in combinations(names, 2)
        if collection.groups[before] == collection.groups[after]
        for topic in collection.topics
    ]


def add_noise(pairs: Sequence[Pair], collection: Collection, count: int, seed: int) -> list[Pair]:
    """Write some of the lists, and copies of them whose ranks are noisy; return these pairs."""
    rng = random.Random(seed)
    folder = collection.folder / NOISY
    folder.mkdir()
    with (folder / "before").open("w") as before, (folder / "after").open("w") as after:
        for number in range(count):
            run, _, topic = rng.choice(pairs)
            with (collection.folder / run).open() as file:
                rows = [line.split() for line in file if line.split()[0] == topic]
            rows.sort(key=lambda row: -float(row[4]))
            spread = rng.choice(NOISE)
            places = {i: i + rng.gauss(0, spread) for i in range(len(rows))}
            for side, order in (
                (before, range(len(rows))),
                (after, sorted(places, key=lambda place: places[place])),
            ):
                side.writelines(
                    f"{number} Q0 {rows[i][2]} {rank} {len(rows) - rank} x\n"
                    for rank, i in enumerate(order)
                )
    return [Pair(f"{NOISY}/before", f"{NOISY}/after", str(number)) for number in range(count)]


# The parts of the report.


def run_contest(
    program: Program, contest: Contest, collection: Collection, size: int
) -> tuple[dict[str, Solved], list[Sample]]:
    """Solve all pairs, and a sample of them with the heuristic too."""
    everything = collection.pairs()
    populations = {
        "all": everything,
        "one group": [pair for pair in everything if collection.in_one_group(pair)],
    }
    rng = random.Random(SEED)
    drawn = {
        title: rng.sample(pairs, min(size, len(pairs))) for title, pairs in populations.items()
    }
    chosen = {pair for pairs in drawn.values() for pair in pairs}
    exact, heuristic = program.solve(contest, everything, chosen)
    solved = {title: solved_of(exact, pairs) for title, pairs in populations.items()}
    samples = [
        Sample(title, len(populations[title]), solved_of(exact, pairs), *columns(heuristic, pairs))
        for title, pairs in drawn.items()
    ]
    return solved, samples


def columns(rows: dict[Pair, list[float]], pairs: Sequence[Pair]) -> Floats:
    """Return the values of these pairs, column by column."""
    return np.array([rows[pair] for pair in pairs]).T


def solved_of(rows: dict[Pair, list[float]], pairs: Sequence[Pair]) -> Solved:
    """Return what the exact solver found for these pairs."""
    return Solved(*columns(rows, pairs))


def time_row(measure: str, title: str, solved: Solved) -> list[str]:
    """Return the times of the exact solver as cells."""
    times = 1e6 * solved.seconds
    summary = [times.mean(), np.median(times), np.percentile(times, 99), times.max()]
    unproven = [np.count_nonzero(gap > 0) for gap in (solved.gap, solved.direction_gap)]
    cells = [f"{value:,.1f}" for value in summary]
    counts = [f"{count:,}" for count in unproven]
    return [measure, title, f"{len(times):,}", *cells, *counts, f"{solved.med.mean():.6f}"]


def heuristic_row(contest: Contest, sample: Sample) -> list[str]:
    """Return the heuristic's misses and times as cells."""
    missed, beaten = sample.errors > TOLERANCE, sample.errors < -TOLERANCE
    errors = np.maximum(sample.errors, 0)
    ours, theirs = sample.exact.seconds, sample.seconds
    return [
        f"{contest.title}, {contest.heuristic}",
        sample.title,
        f"{len(theirs):,} of {sample.pairs:,}",
        f"{missed.mean():.2%}",
        f"{errors.mean():.1e}",
        f"{errors.max():.1e}",
        f"{np.count_nonzero(beaten):,}",
        f"{1e6 * theirs.mean():,.1f}",
        f"{1e6 * ours.mean():,.1f}",
        f"{theirs.mean() / ours.mean():,.1f}",
        f"{np.median(theirs) / np.median(ours):,.1f}",
    ]


def print_times(rows: list[list[str]]) -> None:
    """Print the table of the exact solvers."""
    print("The exact solvers: microseconds for one pair of lists, both directions")
    print_table(TIMES, rows)


def print_heuristics(rows: list[list[str]]) -> None:
    """Print the table of the heuristics."""
    print(
        "The paper's heuristics on a sample: misses of the maximum, and microseconds for one pair"
    )
    errors = ["missed", "mean error", "worst", "better"]
    times = ["mean time", "exact", "ratio of means", "of medians"]
    print_table(["measure and heuristic", "pairs", "sample", *errors, *times], rows)


def print_table(header: list[str], rows: list[list[str]]) -> None:
    """Print the rows in columns, the first two aligned left and the others right."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, *rows]:
        cells = [
            cell.ljust(width) if i < 2 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells))
    print(flush=True)


def print_check(samples: list[Sample]) -> bool:
    """Print whether the heuristics stay within what the exact solvers hold possible."""
    above = sum(np.count_nonzero(-one.errors > one.exact.gap + TOLERANCE) for one in samples)
    verdict = "MISSED" if above else "holds"
    print(f"{verdict:6}  no heuristic finds more than the exact solver's bound: {above:,} do")
    return not above


def print_deep_check(title: str, solved: Solved) -> bool:
    """Print whether the exact solver is as good on deep lists as it should be."""
    proven, both = (1 - np.mean(gap > 0) for gap in (solved.gap, solved.direction_gap))
    seconds = float(solved.seconds.mean())
    good = bool(proven == 1 and both >= LEAST_PROVEN and seconds <= MOST_SECONDS)
    print(
        f"{'holds' if good else 'MISSED':6}  {title}: MED proven on {proven:.1%} (100%), both "
        f"directions on {both:.1%} ({LEAST_PROVEN:.0%}), mean {1e3 * seconds:.2f} ms "
        f"({1e3 * MOST_SECONDS:g}), at most {1e3 * solved.seconds.max():.0f} ms"
    )
    return good


def report(
    program: Program,
    contests: Sequence[Contest],
    collection: Collection,
    size: int,
    deep: dict[str, list[Pair]],
) -> int:
    """Run everything, print it, and return the exit code."""
    times: list[list[str]] = []
    of_deep: dict[str, Solved] = {}
    heuristics: list[list[str]] = []
    samples: list[Sample] = []
    for contest in contests:
        solved, drawn = run_contest(program, contest, collection, size)
        times += [time_row(contest.title, title, one) for title, one in solved.items()]
        heuristics += [heuristic_row(contest, sample) for sample in drawn]
        samples += drawn
        whole = DEEP_CONTESTS[contest.measure]
        for title, pairs in deep.items():
            exact, _ = program.solve(whole, pairs, set())
            of_deep[f"{whole.title}, {title}"] = solved_of(exact, pairs)
            times.append(time_row(whole.title, title, solved_of(exact, pairs)))
    print_times(times)
    print_heuristics(heuristics)
    good = [print_check(samples), *(print_deep_check(*one) for one in of_deep.items())]
    return 0 if all(good) else 1


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time the exact solvers and the heuristics")
    parser.add_argument("--measure", choices=CONTESTS, help="one of them; both by default")
    parser.add_argument("--sample", type=int, default=2000, help="pairs for the heuristics")
    parser.add_argument("--noisy", type=int, default=500, help="noisy copies of deep lists")
    parser.add_argument("--seed", type=int, default=SEED, help="of the noise")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--effort", type=int, default=EFFORT)
    parser.add_argument("--build", type=Path, help="where to build; a temporary folder by default")
    options = parser.parse_args()
    if min(options.sample, options.repeat, options.effort) < 1:
        parser.error("--sample, --repeat and --effort must be at least 1")
    data = Path(os.environ.get("MEDIR_DATA", "")) / COLLECTION
    if not data.is_dir():
        parser.error(f"MEDIR_DATA must name a folder that holds {COLLECTION}")

    contests = [CONTESTS[options.measure]] if options.measure else list(CONTESTS.values())
    with folder_or_temporary(options.build) as folder, tempfile.TemporaryDirectory() as runs:
        collection = unpack(data, Path(runs))
        program = Program(build(folder), collection.folder, options.effort, options.repeat)
        print(f"{len(collection.groups)} runs of {len(set(collection.groups.values()))}", end=" ")
        print(f"groups, {len(collection.topics)} topics; effort {options.effort:,};", end=" ")
        print(f"lowest of {options.repeat}\n", flush=True)
        pairs = unpack_deep(data, collection)
        noisy = add_noise(pairs, collection, options.noisy, options.seed)
        deep = {"deep, one group": pairs, f"noisy, seed {options.seed}": noisy}
        return report(program, contests, collection, options.sample, deep)


if __name__ == "__main__":
    sys.exit(main())
