"""Reveal true judgments in the order that medir suggests, and in two others, on real runs.

``MEDIR_DATA=DIR python benchmarks/judge.py [--pairs 20] [--seed 1] [--batch 50] [--measure M]``
takes seeded pairs of the runs of TREC-COVID round 5 in the folder ``trec-covid-r5`` of DIR, starts
each without judgments, and reveals those of NIST one after the other; a document that NIST did not
judge is revealed as not relevant. The order is

- suggested: what ``medir.judge`` names first, asked again after each batch,
- by rank: pooling, the documents of the first ranks of both runs first, all topics alike,
- random: the mean of several seeded orders.

The budget is for all topics together. Prints the mean MED over topics and pairs against the number
of judgments per topic, and the area under each curve. The exit code is 1 unless the suggested order
is lowest at every budget that is not 0 and in area.
"""

import argparse
import csv
import os
import random
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import numpy.typing as npt

import medir

COLLECTION = "trec-covid-r5"
TOP_GRADE = 2
PER_TOPIC = (0, 1, 2, 5, 10, 15, 20)  # judgments
RANDOM_ORDERS = 5

Lists = dict[str, list[str]]
Grades = dict[str, dict[str, int]]
Choice = tuple[str, str]  # a topic and a document
Floats = npt.NDArray[np.float64]


class Pair:
    """Two runs, what NIST says of their documents, and the measure."""

    def __init__(self, before: Lists, after: Lists, truth: Grades, measure: medir.Measure) -> None:
        self.before, self.after, self.truth, self.measure = before, after, truth, measure
        depth = measure.reach
        ranks: dict[Choice, int] = {}
        for run in (before, after):
            for topic, documents in run.items():
                for rank, document in enumerate(documents[:depth], 1):
                    choice = topic, document
                    ranks[choice] = min(rank, ranks.get(choice, rank))
        self.ranks = ranks  # the best of each document

    def suggested(self, size: int) -> Iterator[Choice]:
        """The order of medir, asked again after each batch."""
        known: Grades = {topic: {} for topic in self.before}
        while True:
            batch = medir.judge(
                self.before, self.after, measures=self.measure, qrels=known, top=size
            )
            if not batch:
                return
            for suggestion in batch:
                choice = suggestion.query_id, suggestion.document
                self.reveal(choice, known)
                yield choice

    def by_rank(self) -> Iterator[Choice]:
        """The order of pooling."""
        return iter(sorted(self.ranks, key=lambda choice: self.ranks[choice]))

    def shuffled(self, rng: random.Random) -> Iterator[Choice]:
        """A random order."""
        return iter(rng.sample(list(self.ranks), len(self.ranks)))

    def reveal(self, choice: Choice, known: Grades) -> None:
        """Add the true judgment of a document."""
        topic, document = choice
        known[topic][document] = max(self.truth.get(topic, {}).get(document, 0), 0)

    def curve(self, order: Iterator[Choice]) -> Floats:
        """Return the mean MED at each budget."""
        known: Grades = {topic: {} for topic in self.before}
        values, revealed = [], 0
        for budget in PER_TOPIC:
            while revealed < budget * len(known) and (choice := next(order, None)) is not None:
                self.reveal(choice, known)
                revealed += 1
            result = medir.compare(self.before, self.after, self.measure, qrels=known)
            values.append(result.mean()[self.measure])
        return np.array(values)


def pairs_of(data: Path, count: int, seed: int, measure: medir.Measure) -> list[Pair]:
    """Return seeded pairs of runs."""
    with (data / "runs.csv").open(newline="") as file:
        names = sorted(row["run"] for row in csv.DictReader(file))
    chosen = random.Random(seed).sample(list(combinations(names, 2)), count)
    runs = {name: lists_of(data / "runs" / f"{name}.gz") for both in chosen for name in both}
    qrels = medir.Qrels.read(data / "qrels.txt")
    truth = {topic: qrels[topic] for topic in qrels}
    return [Pair(runs[before], runs[after], truth, measure) for before, after in chosen]


def lists_of(path: Path) -> Lists:
    """Return the lists of a run."""
    run = medir.Run.read(path)
    return {topic: run[topic] for topic in run}


def area(curve: Floats) -> float:
    """Return the mean height of a curve."""
    return float(np.dot(np.diff(PER_TOPIC), (curve[1:] + curve[:-1]) / 2)) / PER_TOPIC[-1]


def print_curves(curves: dict[str, Floats]) -> None:
    """Print the curves side by side, and the area under each."""
    print(f"{'judgments per topic':20}" + "".join(f"{name:>12}" for name in curves))
    for number, budget in enumerate(PER_TOPIC):
        values = "".join(f"{curve[number]:12.4f}" for curve in curves.values())
        print(f"{budget:<20}{values}")
    print(f"{'area':20}" + "".join(f"{area(curve):12.4f}" for curve in curves.values()))


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="reveal judgments in several orders")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1, help="of the pairs and the random orders")
    parser.add_argument("--batch", type=int, default=50, help="judgments between suggestions")
    parser.add_argument("--measure", default=f"nDCG(max_grade={TOP_GRADE})@20")
    options = parser.parse_args()
    if min(options.pairs, options.batch) < 1:
        parser.error("--pairs and --batch must be at least 1")
    data = Path(os.environ.get("MEDIR_DATA", "")) / COLLECTION
    if not data.is_dir():
        parser.error(f"MEDIR_DATA must name a folder that holds {COLLECTION}")

    measure = medir.measure(options.measure)
    pairs = pairs_of(data, options.pairs, options.seed, measure)
    rng = random.Random(options.seed)
    orders: dict[str, Callable[[Pair], Floats]] = {
        "suggested": lambda pair: pair.curve(pair.suggested(options.batch)),
        "by rank": lambda pair: pair.curve(pair.by_rank()),
        "random": lambda pair: np.mean(
            [pair.curve(pair.shuffled(rng)) for _ in range(RANDOM_ORDERS)], axis=0
        ),
    }
    print(f"Mean MED under {measure} of {len(pairs)} pairs of runs")
    curves = {
        name: np.mean([curve(pair) for pair in pairs], axis=0) for name, curve in orders.items()
    }
    print_curves(curves)
    ours, *others = curves.values()
    lowest = all(np.all(ours[1:] < other[1:]) and area(ours) < area(other) for other in others)
    print(f"{'holds' if lowest else 'MISSED':6}  the suggested order is lowest")
    return 0 if lowest else 1


if __name__ == "__main__":
    sys.exit(main())
