"""Not the worst case but the likely one: the difference of two runs under a prior of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

import numpy as np

from medir import _core
from medir.base.checks import FEWEST_SAMPLES, LARGEST_SEED, MOST_SAMPLES, check_whole
from medir.base.settings import JudgedOptions, Settings, with_settings
from medir.comparing.columns import CHANGES
from medir.comparing.columns import COLUMNS as DIFFERENCES
from medir.comparing.compare import looking_below
from medir.comparing.comparison import Comparison
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.expecting.distribution import QUANTILES, ROWS, finished, mean, order_statistics
from medir.expecting.expectation import Expectation
from medir.expecting.priors import ByDocument, prior_of, probability
from medir.expecting.priors import Source as PriorSource
from medir.expecting.sampling import expect_function
from medir.files.background import Watcher, watched
from medir.inputs.qrels import Judgments
from medir.inputs.runs import Source
from medir.inputs.unseen import may_be_cut
from medir.measures import effectiveness
from medir.measures.chosen import (
    NO_LIMIT,
    Measures,
    deepest,
    measures_of_documents,
    native_measures,
    refuse_timed,
    without_judgments,
)
from medir.measures.family import Measure

SAMPLES = 1000


@with_settings(JudgedOptions)
def expect(
    before: Source,
    after: Source,
    measures: Measures | None = None,
    *,
    prior: PriorSource,
    default: float = 0.0,
    qrels: Judgments | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Watcher | None = None,
    **options: Unpack[JudgedOptions],
) -> Expectation:
    """The expected difference of every query and of their mean, and how it is distributed.

    Every unjudged document is of top relevance with its probability and else not relevant,
    independently of the others; a judged document has its value. Every measure of medir's is linear
    in each document's relevance, so that E[S(after) - S(before)] is the difference at the expected
    values: exact. The distribution is exact where at most ten documents are unknown; else quantiles
    and probabilities come from seeded samples, with their error.

    `prior` is a number, a function of rank, `{query: {document: p}}`, a path, `"rank"` or
    `"rank(p1=0.6, s=0.5)"`, which is p(rank) = p1 rank^-s; `default` is the probability of a
    document that a file or mapping does not name. The ranks below a list that
    was cut hold documents of their own with the prior's probability, down to the measure's cutoff.

    >>> prior = {"q": {"a": 1, "c": 0.5}}
    >>> row = expect({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2", prior=prior).row(0)
    >>> row.expected, row.sd, row.hurts.value, row.helps.value
    (-0.25, 0.25, 0.5, 0.0)
    """
    settings = Settings(**options)
    if measures is not None and qrels is None:
        measures = without_judgments(measures)
    named = None if measures is None else measures_of_documents(measures)
    _check(named or [], samples, seed)
    default = probability(default, "default")
    inputs = Inputs.read(
        {"before": before, "after": after}, named, settings, qrels=qrels, others=[prior]
    )
    chosen = inputs.measures
    _refuse_endless(inputs)
    belief, pairing = prior_of(prior), inputs.pairing()
    if isinstance(belief, ByDocument) and inputs.settings.clusters is not None:
        belief = belief.of_clusters(inputs.settings.clusters)
    native = [one for one in chosen if not one.shape.is_function]
    kernels = native_measures(native, _ranks(inputs), inputs.judged, settings.search)
    places = [order_statistics(int(samples), q) for q in QUANTILES.values()]
    rows = np.zeros((len(native), ROWS, len(pairing)))
    sums = np.zeros((len(native), samples))
    changes = np.zeros((len(chosen), len(CHANGES), len(pairing)), dtype=np.uint32)

    def work(state: _core.Progress) -> _core.ExpectedCounts:
        return _core.expect(
            pairing,
            inputs.judgments,
            kernels,
            [one.reach or NO_LIMIT for one in native],
            inputs.options(),
            belief.native(_deepest(inputs), default),
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
        if not one.shape.is_function
        else expect_function(one, inputs, pairing, belief, default, samples, seed, progress)
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
            runs=(inputs.runs[0], inputs.runs[1]),
            judged=inputs.judged,
            settings=inputs.settings,
            repeats=counts.repeats,
            without_relevant=counts.without_relevant,
            list_lengths=(inputs.list_lengths[0], inputs.list_lengths[1]),
            unseen_queries=looking_below(chosen, counts.unseen),
            ended_queries=looking_below(chosen, counts.ended),
        ),
        measures=chosen,
        values=np.array(values),
        means=np.array(means),
        prior=str(belief),
        without_prior=counts.without_prior,
        default=default,
        unjudged=counts.unjudged,
        samples=int(samples),
        seed=int(seed),
    )


def _ranks(inputs: Inputs) -> int:
    """How many ranks of both lists together any measure may need."""
    return max(2 * _filled(inputs), inputs.ranks)


def _deepest(inputs: Inputs) -> int:
    """The deepest rank whose probability may be asked for."""
    limit = min(deepest(inputs.measures) or NO_LIMIT, inputs.settings.depth or NO_LIMIT)
    return max(_filled(inputs), min(limit, max(run.longest for run in inputs.runs)))


def _filled(inputs: Inputs) -> int:
    """Down to which rank unseen documents fill up lists."""
    if not may_be_cut(inputs.settings, inputs.list_lengths):
        return 0
    return max(one.reach or 0 for one in inputs.measures)


def _check(measures: Sequence[Measure], samples: int, seed: int) -> None:
    refuse_timed(measures, "expect")
    check_whole(samples, "samples", FEWEST_SAMPLES, MOST_SAMPLES)
    check_whole(seed, "seed", 0, LARGEST_SEED)
    for one in measures:
        effectiveness(one)


def _refuse_endless(inputs: Inputs) -> None:
    """Raises an error where a measure looks at ranks without end."""
    if not may_be_cut(inputs.settings, inputs.list_lengths):
        return
    for one in inputs.measures:
        if one.reach is None and one.looks_below:
            raise UsageError(
                f"{one} has no cutoff, and unseen ranks without end cannot be sampled; set a "
                f"cutoff, such as {one}@100, or choose --unseen nothing (unseen='nothing')"
            )
