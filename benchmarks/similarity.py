"""Time RBO of real lists beside the `rbo` package.

``MEDIR_DATA=DIR python benchmarks/similarity.py [--repeat 3]`` takes all pairs of the 48 runs of
TREC-COVID round 5, cut at 100 results, and 50 topics. medir's time for a pair is that of the whole
matrix with reading the runs, and on one thread without; the package's is that of a sample of these
pairs, given as lists. Both compute the extrapolated value, and the values are compared. The matrix
is to be 100 times as fast; the exit code is 1 when it is not.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

import rbo

import medir
from matrix import best, unpacked

TARGET = 100
DEPTH = 100
SAMPLE = 3_000  # pairs that the package computes
P = 0.9


def main() -> int:
    """Prints microseconds a pair and their ratio."""
    parser = argparse.ArgumentParser(description="Time RBO beside the rbo package.")
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    measure = f"RBO(p={P})"
    with tempfile.TemporaryDirectory() as folder:
        paths = unpacked(Path(folder))
        runs = {name: medir.Run.read(path) for name, path in paths.items()}
        result = medir.matrix(runs, measure, depth=DEPTH)
        pairs = len(result.pairs) * len(result.queries)
        alone = best(repeat, lambda: medir.matrix(runs, measure, depth=DEPTH, threads=1))
        whole = best(repeat, lambda: medir.matrix(paths, measure, depth=DEPTH))
    chosen = random.Random(1)
    sample = [
        (chosen.randrange(len(result.pairs)), chosen.choice(result.queries)) for _ in range(SAMPLE)
    ]
    names = list(runs)
    lists = {name: {query: run[query][:DEPTH] for query in run} for name, run in runs.items()}
    error, seconds = 0.0, 0.0
    for pair, query in sample:
        x, y = (lists[names[number]][query] for number in result.pairs[pair])
        start = time.perf_counter()
        value = rbo.RankingSimilarity(x, y).rbo_ext(p=P)
        seconds += time.perf_counter() - start
        error = max(error, abs(value - result.values[0, pair, result.queries.index(query)]))
    peer = seconds / SAMPLE
    print(f"{pairs:,} pairs of lists of {DEPTH}, lowest of {repeat}; microseconds a pair")
    print(f"{'the rbo package':44}{peer * 1e6:9.2f}")
    for title, took in (
        ("medir, the matrix with reading the runs", whole),
        ("medir, one thread, runs read before", alone),
    ):
        print(f"{title:44}{took / pairs * 1e6:9.2f}{peer * pairs / took:10.0f} x as fast")
    print(f"largest difference of a value: {error:.1e}")
    held = peer * pairs / whole >= TARGET
    print(f"target, the matrix {TARGET} x as fast: {'held' if held else 'missed'}")
    return 0 if held and error < 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
