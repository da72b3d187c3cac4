"""Time the exact solver for time-biased gain beside that for ERR, on real runs.

``MEDIR_DATA=DIR python benchmarks/tbg.py [--repeat 3] [--median 600] [--spread 1] [--build DIR]``
takes all pairs of the runs of TREC-COVID round 5, as ``exact.py`` does, with lists cut at 100 and
without judgments. The collection comes without lengths: each document has a number of words drawn
from a seeded log-normal distribution of this median and this standard deviation of the logarithm.
It prints, over all pairs and over those of one group's runs, the time of the exact solver for one
pair of lists, both directions, how many maxima it did not prove, and the ratio of its mean time to
that of the solver for ERR on the same lists: TBG where unseen ranks count, and
where they are complete; and TBG on the two runs that are 1000 deep.

The exit code is 1 when a maximum is not proven. Needs what ``exact.py`` needs.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

import numpy as np

from exact import (
    COLLECTION,
    SEED,
    TIMES,
    WHOLE_RUNS,
    Collection,
    Contest,
    Pair,
    Program,
    Solved,
    build,
    folder_or_temporary,
    print_table,
    solved_of,
    time_row,
    unpack,
)
from medir.base.settings import EFFORT

CONTESTS = (
    Contest("TBG", 100, "TBG", ""),
    Contest("TBG-complete", 100, "TBG, complete lists", ""),
)
DEEP_CONTEST = Contest("TBG", 1000, "TBG, 1000 deep", "")
PEER = Contest("ERR", 100, "ERR", "")


def write_lengths(collection: Collection, path: Path, median: float, spread: float) -> Path:
    """Write a length for each document of the runs and return the path."""
    documents: set[str] = set()
    for run in collection.groups:
        with (collection.folder / run).open() as file:
            documents.update(line.split()[2] for line in file)
    drawn = np.random.default_rng(SEED).lognormal(np.log(median), spread, len(documents))
    lines = zip(sorted(documents), np.round(drawn).astype(int).tolist(), strict=True)
    path.write_text("".join(f"{document} {words}\n" for document, words in lines))
    return path


def report(program: Program, peer: Program, collection: Collection) -> int:
    """Run everything, print it, and return the exit code."""
    pairs = collection.pairs()
    populations = {
        "all": pairs,
        "one group": [pair for pair in pairs if collection.in_one_group(pair)],
    }
    rows: list[list[str]] = []
    unproven = 0

    def add(contest: Contest, title: str, solved: Solved, peers: Solved | None) -> None:
        ratio = "" if peers is None else f"{solved.seconds.mean() / peers.seconds.mean():.2f}"
        rows.append([*time_row(contest.title, title, solved), ratio])

    other, _ = peer.solve(PEER, pairs, set())
    for contest in CONTESTS:
        exact, _ = program.solve(contest, pairs, set())
        for title, some in populations.items():
            add(contest, title, solved_of(exact, some), solved_of(other, some))
        unproven += sum(row[2] > 0 for row in exact.values())
    deep = [Pair(*WHOLE_RUNS, topic) for topic in collection.topics]
    exact, _ = program.solve(DEEP_CONTEST, deep, set())
    add(DEEP_CONTEST, "whole runs", solved_of(exact, deep), None)
    unproven += sum(row[2] > 0 for row in exact.values())
    print("The exact solver: microseconds for one pair of lists, both directions")
    print_table([*TIMES, "of ERR"], rows)
    return 1 if unproven else 0


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="time the exact solver for time-biased gain")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--effort", type=int, default=EFFORT)
    parser.add_argument("--median", type=float, default=600, help="words of a document")
    parser.add_argument("--spread", type=float, default=1, help="deviation of their logarithm")
    parser.add_argument("--build", type=Path, help="where to build; a temporary folder by default")
    options = parser.parse_args()
    if min(options.repeat, options.effort, options.median) < 1 or options.spread < 0:
        parser.error("--repeat, --effort and --median must be at least 1, --spread not negative")
    data = Path(os.environ.get("MEDIR_DATA", "")) / COLLECTION
    if not data.is_dir():
        parser.error(f"MEDIR_DATA must name a folder that holds {COLLECTION}")
    with folder_or_temporary(options.build) as folder, tempfile.TemporaryDirectory() as runs:
        collection = unpack(data, Path(runs))
        lengths = write_lengths(collection, folder / "words.txt", options.median, options.spread)
        peer = Program(build(folder), collection.folder, options.effort, options.repeat)
        program = peer._replace(more=(str(lengths),))
        print(f"{len(collection.groups)} runs, {len(collection.topics)} topics;", end=" ")
        print(f"effort {options.effort:,}; lowest of {options.repeat}\n", flush=True)
        return report(program, peer, collection)


if __name__ == "__main__":
    sys.exit(main())
