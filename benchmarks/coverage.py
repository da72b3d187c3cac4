"""How often a 95 % interval of the mean holds the true mean, by five methods, on real values.

``MEDIR_DATA=DIR python benchmarks/coverage.py [--samples 1000] [--seed 1]`` compares five pairs of
the runs of TREC-COVID round 5 in the folder ``trec-covid-r5`` of DIR by nDCG@20. The values of the
50 topics of a pair are a population, of which samples of 20, 50 and 200 queries are drawn with
replacement. Further populations are the values of the first pair

- with nine zeros for each of them, as if 90 % of the queries were unchanged,
- 200 times with weights: log-normal with sigma 1, or 1/rank as the traffic of a search engine.

The methods are the normal interval, the percentile, BCa and studentised bootstraps, and medir: the
normal interval with each side moved out to where the studentised bootstrap has it. They are tried
here also with fewer than ten changed queries, where medir shows none: ``shown`` is the share of the
samples with at least ten, and ``of these`` how often medir's interval holds the true mean there.
The exit code is 1 if it does so in less than 92 % of the samples of 50 or more queries of a pair.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import medir
from medir.comparing.decision.statistics import (
    FEWEST_CHANGED,
    RESAMPLES,
    interval_of_mean,
    mean,
    quantile,
    studentised_bounds,
    variance_of_mean,
)

COLLECTION = "trec-covid-r5"
MEASURE = "nDCG@20"
PAIRS = (
    ("covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr"),
    ("elhuyar_prf_nof99p", "elhuyar_rrf_nof99p"),
    ("UPrrf93-wt-r5", "UPrrf102-wt-r5"),
    ("sab20.5.4.dfo", "sab20.5.dfo"),
    ("sab20.5.1.meta.docs", "covidex.r5.2s.lr"),
)
SIZES = (20, 50, 200)
COPIES = 200  # of the values, with weights of their own
METHODS = ("normal", "percentile", "BCa", "studentised", "medir")
LEAST = 0.92  # of the samples of ENOUGH queries or more
ENOUGH = 50
NORMAL = NormalDist()
TAIL = 0.025

Floats = npt.NDArray[np.float64]
Bounds = tuple[float, float]


class Population(NamedTuple):
    """Queries to draw from."""

    name: str
    values: Floats
    weights: Floats
    is_pair: bool


def populations(data: Path, seed: int) -> Iterator[Population]:
    """Yield the pairs, and what is made of the first."""
    pairs = {(before, after): values_of(data, before, after) for before, after in PAIRS}
    for (before, after), values in pairs.items():
        yield Population(f"{before}, {after}", values, np.ones(len(values)), True)
    first = pairs[PAIRS[0]]
    zeros = np.append(first, np.zeros(9 * len(first)))
    yield Population("the first, and 90 % zeros", zeros, np.ones(len(zeros)), False)
    many = np.tile(first, COPIES)
    rng = np.random.default_rng(seed)
    yield Population("the first, log-normal weights", many, rng.lognormal(size=len(many)), False)
    ranks = 1.0 + rng.permutation(len(many))
    yield Population("the first, weights 1/rank", many, 1 / ranks, False)


def values_of(data: Path, before: str, after: str) -> Floats:
    """Return the values of the topics of a pair."""
    runs = data / "runs"
    result = medir.compare(runs / f"{before}.gz", runs / f"{after}.gz", MEASURE)
    return result.column(MEASURE)


def intervals(values: Floats, weights: Floats, rng: np.random.Generator) -> dict[str, Bounds]:
    """Return the interval of each method."""
    center = mean(values, weights)
    error = variance_of_mean(values, weights) ** 0.5
    half = NORMAL.inv_cdf(1 - TAIL) * error
    rows = rng.integers(0, len(values), (RESAMPLES, len(values)))
    resampled = np.sum((values * weights)[rows], axis=1) / np.sum(weights[rows], axis=1)
    low, high = quantile(resampled, (TAIL, 1 - TAIL))
    seed = int(rng.integers(2**32))
    ours = interval_of_mean(values, weights, changed=len(values), seed=seed, bounds=(0, 1))
    assert ours is not None
    least, greatest = studentised_bounds(values, weights, seed=seed) if error else (0.0, 0.0)
    return {
        "normal": (center - half, center + half),
        "percentile": (low, high),
        "BCa": bias_corrected(values, weights, resampled),
        "studentised": (center - greatest * error, center - least * error),
        "medir": ours,
    }


def bias_corrected(values: Floats, weights: Floats, resampled: Floats) -> Bounds:
    """Return the interval that is bias-corrected and accelerated (Efron 1987)."""
    center, shares = mean(values, weights), weights / weights.sum()
    influences = shares * (values - center) / (1 - shares)
    squares = np.sum(influences**2)
    if squares == 0:
        return center, center
    acceleration = np.sum(influences**3) / (6 * squares**1.5)
    below = (np.mean(resampled < center) + np.mean(resampled <= center)) / 2
    bias = NORMAL.inv_cdf(min(max(float(below), 1 / RESAMPLES), 1 - 1 / RESAMPLES))
    levels = []
    for level in (TAIL, 1 - TAIL):
        away = bias + NORMAL.inv_cdf(level)
        levels.append(NORMAL.cdf(bias + away / (1 - acceleration * away)))
    low, high = quantile(resampled, levels)
    return low, high


def coverage(population: Population, size: int, samples: int, seed: int) -> dict[str, float]:
    """Return how often each method holds the true mean, and how often medir shows an interval."""
    truth = mean(population.values, population.weights)
    rng = np.random.default_rng((seed, size))
    held = dict.fromkeys(METHODS, 0)
    shown = held_where_shown = 0
    for _ in range(samples):
        rows = rng.integers(0, len(population.values), size)
        values = population.values[rows]
        found = intervals(values, population.weights[rows], rng)
        holds = {name: low <= truth <= high for name, (low, high) in found.items()}
        for name in METHODS:
            held[name] += holds[name]
        if np.count_nonzero(values) >= FEWEST_CHANGED:
            shown += 1
            held_where_shown += holds["medir"]
    shares = {name: count / samples for name, count in held.items()}
    of_these = held_where_shown / shown if shown else float("nan")
    return {**shares, "shown": shown / samples, "of these": of_these}


def main() -> int:
    """Run the benchmark and return the exit code."""
    parser = argparse.ArgumentParser(description="coverage of intervals of the mean")
    parser.add_argument("--samples", type=int, default=1000, help="of each size")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.samples < 1:
        parser.error("--samples must be at least 1")
    data = Path(os.environ.get("MEDIR_DATA", "")) / COLLECTION
    if not data.is_dir():
        parser.error(f"MEDIR_DATA must name a folder that holds {COLLECTION}")

    columns = (*METHODS, "shown", "of these")
    print(f"Samples that hold the true mean of {MEASURE}, of {options.samples:,} each, in percent")
    print(f"{'population':40}{'queries':>8}" + "".join(f"{name:>12}" for name in columns))
    enough = True
    for population in populations(data, options.seed):
        for size in SIZES:
            shares = coverage(population, size, options.samples, options.seed)
            cells = (f"{100 * shares[name]:12.1f}" for name in columns)
            print(
                f"{population.name:40}{size:8}" + "".join(cells).replace("nan", "  -"), flush=True
            )
            if population.is_pair and size >= ENOUGH:
                enough &= shares["medir"] >= LEAST
    print(
        f"{'holds' if enough else 'MISSED':6}  medir, {ENOUGH} queries or more of a pair: "
        f"at least {LEAST:.0%}"
    )
    return 0 if enough else 1


if __name__ == "__main__":
    sys.exit(main())
