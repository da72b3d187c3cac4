"""Not the worst case but the likely one: the difference of two runs under a prior of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from medir import _core
from medir.checks import check_choice
from medir.comparing.compare import measures_of, short_lists
from medir.comparing.comparison import CHANGES, Comparison
from medir.comparing.comparison import COLUMNS as DIFFERENCES
from medir.errors import UsageError
from medir.expecting.distribution import QUANTILES, ROWS, finished, mean, order_statistics
from medir.expecting.expectation import Expectation
from medir.expecting.priors import Source as PriorSource
from medir.expecting.priors import prior_of, probability
from medir.expecting.sampling import expect_function
from medir.files.background import Watcher, thread_count, watched
from medir.files.opening import is_stdin
from medir.inputs.lengths import refuse_timed
from medir.inputs.pairing import Missing, pair, read_both
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Order, Run, Source
from medir.measures.kernels import (
    EFFORT,
    NO_LIMIT,
    Duplicates,
    Unseen,
    deepest,
    native_measures,
    native_options,
    reach_of_relevance,
)
from medir.measures.notation import Measure, effectiveness, nDCG

SAMPLES = 1000
FEWEST = 100  # samples, so that the interval of every quantile lies between two of them


def expect(
    before: Source,
    after: Source,
    measures: Measure | str | Sequence[Measure | str] = nDCG,
    *,
    prior: PriorSource,
    default: float = 0.0,
    qrels: Judgments | None = None,
    unseen: Unseen = "nothing",
    samples: int = SAMPLES,
    seed: int = 0,
    missing: Missing = "empty",
    order: Order = "score",
    duplicates: Duplicates = "error",
    depth: int | None = None,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> Expectation:
    """The expected difference of every query and of their mean, and how it is distributed.

    Every unjudged document is of top relevance with its probability and else not relevant,
    independently of the others; a judged document has its value. Every measure of medir's is linear
    in each document's relevance, so that E[S(after) - S(before)] is the difference at the expected
    values: exact. The distribution is exact where at most ten documents are unknown; else quantiles
    and probabilities come from seeded samples, with their error.

    `prior` is a number, a function of rank, `{query: {document: p}}`, a path, `"rank"` or
    `"rank(p1=0.6, s=0.5)"`, which is p(rank) = p1 rank^-s; `default` is the probability of a
    document that a file or mapping does not name. With `unseen="anything"`, the ranks below a list
    hold documents of their own with the prior's probability, else nothing. The other options are
    those of `compare`.

    >>> prior = {"q": {"a": 1, "c": 0.5}}
    >>> row = expect({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2", prior=prior).row(0)
    >>> row.expected, row.sd, row.hurts.value, row.helps.value
    (-0.25, 0.25, 0.5, 0.0)
    """
    chosen = measures_of(measures)
    workers = thread_count(threads)
    _check(chosen, unseen, samples, seed)
    if sum(map(is_stdin, (before, after, qrels, prior))) > 1:
        raise UsageError("only one of the files can come from standard input")
    default = probability(default, "default")
    by_intent = any(one.family.intents for one in chosen)
    judged = None if qrels is None else Qrels.of(qrels, intents=by_intent, threads=threads)
    belief = prior_of(prior)

    def read(source: Source, name: str) -> Run:
        return Run.of(source, order=order, name=name, threads=workers)

    runs = read_both(before, after, read, workers)
    pairing = pair(*runs, missing, workers)
    options = native_options(chosen, depth, unseen, duplicates, workers)
    native = [one for one in chosen if one.family.function is None]
    kernels = native_measures(native, _ranks(chosen, runs, unseen), judged)
    places = [order_statistics(int(samples), q) for q in QUANTILES.values()]
    rows = np.zeros((len(native), ROWS, len(pairing)))
    sums = np.zeros((len(native), samples))
    changes = np.zeros((len(CHANGES), len(pairing)), dtype=np.uint32)

    def work(state: _core.Progress) -> _core.ExpectedCounts:
        return _core.expect(
            pairing,
            None if judged is None else judged._lists,
            kernels,
            [one.reach or NO_LIMIT for one in native],
            options,
            belief.native(_deepest(chosen, runs, depth, unseen), default),
            samples,
            seed,
            [*QUANTILES.values()],
            [place for some in places for place in some],
            rows,
            sums,
            changes,
            state,
        )

    counts = watched(work, len(pairing), progress)
    exact = np.zeros(len(pairing))
    found = iter(zip(rows, [exact] * len(native), sums, strict=True))
    estimates = [
        next(found)
        if one.family.function is None
        else expect_function(
            one, pairing, judged, options, belief, default, unseen, samples, seed, progress
        )
        for one in chosen
    ]
    values = [finished(row, error) for row, error, _ in estimates]
    means = [
        mean(row, error, columns, total)
        for (row, error, total), columns in zip(estimates, values, strict=True)
    ]
    return Expectation(
        comparison=Comparison(
            pairing=pairing,
            measures=[],
            values=np.zeros((0, len(DIFFERENCES), len(pairing))),
            changes=changes,
            runs=runs,
            judged=judged,
            complete=unseen == "nothing",
            repeats=counts.repeats,
            without_relevant=counts.without_relevant,
            short=short_lists(counts, len(pairing), depth, reach_of_relevance(chosen)),
            depth=reach_of_relevance(chosen),
            cut=depth,
            effort=EFFORT,
            threads=workers,
        ),
        measures=chosen,
        values=np.array(values),
        means=np.array(means),
        prior=str(belief),
        without_prior=counts.without_prior,
        default=default,
        unjudged=counts.unjudged,
        unseen=unseen,
        samples=int(samples),
        seed=int(seed),
    )


def _ranks(measures: Sequence[Measure], runs: Sequence[Run], unseen: Unseen) -> int:
    """How many ranks of both lists together any measure may need."""
    filled = max(2 * (one.reach or 0) for one in measures) if unseen == "anything" else 0
    return max(filled, sum(run.longest for run in runs))


def _deepest(
    measures: Sequence[Measure], runs: Sequence[Run], depth: int | None, unseen: Unseen
) -> int:
    """The deepest rank whose probability may be asked for."""
    limit = min(deepest(measures) or NO_LIMIT, depth or NO_LIMIT)
    filled = max(one.reach or 0 for one in measures) if unseen == "anything" else 0
    return max(filled, min(limit, max(run.longest for run in runs)))


def _check(measures: Sequence[Measure], unseen: Unseen, samples: int, seed: int) -> None:
    check_choice(unseen, Unseen, "unseen")
    refuse_timed(measures, "expect", "RBP")
    if not isinstance(samples, Integral) or samples < FEWEST:
        raise UsageError(f"samples is a whole number from {FEWEST} on, not {samples!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"seed is a whole number from 0 on, not {seed!r}")
    for one in measures:
        effectiveness(one)
        if unseen == "anything" and one.reach is None and one.family.function is None:
            raise UsageError(
                f"{one} looks endlessly deep, and so many unseen ranks cannot be sampled; set a "
                f"cutoff, such as {one}@100, or unseen='nothing'"
            )
