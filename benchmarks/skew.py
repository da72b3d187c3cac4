"""What uneven data costs on a cluster: a simulation with times that are measured here.

``python benchmarks/skew.py`` measures how long the core takes for a query of 20 results and for one
of a million results, on one thread. It then lets a cluster of CORES cores work through a billion
queries, split into partitions, and prints how long that takes, beside an even split, when

- one query has a million results in both runs;
- ten of all partitions hold half of the queries and are solved where they lie (bucketed by query);
- the same queries are shuffled first, which spreads them by a hash of their ids.

Tasks are given to the core that is free first, the largest partition last, which is the worst case.
Needs numpy.
"""

import argparse
import heapq
import time
from collections.abc import Iterable

import numpy as np

import medir

DEPTH, LONG = 20, 1_000_000
QUERIES = 1_000_000_000
MEASURE = "nDCG@20"


def seconds_of(queries: int, results: int) -> float:
    """How long the core takes for all lists, at best of three."""
    random = np.random.default_rng(1)
    before, after = (
        np.stack([random.permutation(2 * results)[:results] for _ in range(queries)])
        for _ in range(2)
    )
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        medir.compare(before, after, MEASURE, threads=1)
        taken.append(time.perf_counter() - start)
    return min(taken)


def makespan(tasks: Iterable[float], cores: int) -> float:
    """When the last core is done."""
    free = [0.0] * cores
    for task in tasks:
        heapq.heapreplace(free, free[0] + task)
    return max(free)


def main() -> None:
    """Measures, simulates and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cores", type=int, default=200)
    parser.add_argument("--partitions", type=int, default=2000)
    parser.add_argument(
        "--microseconds",
        type=float,
        default=57.0,
        help="of a core for one query, start to end, as benchmarks/spark.py measures it",
    )
    given = parser.parse_args()
    one = given.microseconds / 1e6
    short = seconds_of(20_000, DEPTH) / 20_000
    long = seconds_of(1, LONG)
    print(f"the core: {1e6 * short:.1f} us for {DEPTH} results, {long:.2f} s for {LONG:,} results")
    part = QUERIES * one / given.partitions
    even = makespan([part] * given.partitions, given.cores)
    print(f"even: {even / 60:.1f} minutes on {given.cores} cores")
    # Everything about a result but the core costs as much in a long list as in a short one.
    deep = long + LONG / DEPTH * max(one - short, 0)
    found = makespan([*[part] * (given.partitions - 1), part + deep], given.cores)
    print(f"one query of {LONG:,} results: +{found - even:.0f} s ({deep:.0f} s for that query)")
    few = 10
    small = QUERIES / 2 * one / (given.partitions - few)
    large = QUERIES / 2 * one / few
    found = makespan([*[small] * (given.partitions - few), *[large] * few], given.cores)
    print(f"{few} partitions with half of the queries: {found / even:.1f} x")
    mean = QUERIES / given.partitions
    spread = np.random.default_rng(2).poisson(mean, given.partitions)
    found = makespan((spread * one).tolist(), given.cores)
    print(f"the same, shuffled by query: {found / even:.2f} x")


if __name__ == "__main__":
    main()
