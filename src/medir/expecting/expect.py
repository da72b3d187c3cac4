"""Not the worst case but the likely one: the difference of two runs under a prior of relevance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from numbers import Integral
from typing import Unpack

import numpy as np

from medir import _core
from medir.arrays import Array
from medir.comparing.compare import compare
from medir.errors import UsageError
from medir.expecting.expectation import COLUMNS, Distribution, Expectation, Moments
from medir.expecting.priors import Prior, prior_of, probability
from medir.expecting.priors import Source as PriorSource
from medir.expecting.sampling import (
    UNJUDGED,
    Numbers,
    Part,
    Query,
    Scores,
    enumerated,
    moments_of,
    parts_of,
    sampled,
)
from medir.files.background import Watcher
from medir.files.identifiers import text_of
from medir.files.opening import check_one_stdin
from medir.inputs.by_query import NOT_FOUND
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Run, Source
from medir.measures import Measure, effectiveness, measure, nDCG
from medir.measures.chosen import (
    Measures,
    by_intent,
    deepest,
    measures_of_documents,
    native_measures,
    refuse_timed,
)
from medir.settings import ReadingOptions, Settings, Unseen, with_settings

SAMPLES = 1000
FEWEST = 100  # samples, so that the interval of every quantile lies between two of them
FEW = 10  # unknown documents, all of whose assignments are tried


@with_settings(ReadingOptions, unseen="nothing")
def expect(
    before: Source,
    after: Source,
    measures: Measures = nDCG,
    *,
    prior: PriorSource,
    default: float = 0.0,
    qrels: Judgments | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Watcher | None = None,
    **options: Unpack[ReadingOptions],
) -> Expectation:
    """The expected difference of every query and of their mean, and how it is distributed.

    Every unjudged document is of top relevance with its probability and else not relevant,
    independently of the others; a judged document has its value. Every measure of medir's is linear
    in each document's relevance, so that E[S(after) - S(before)] is the difference at the expected
    values: exact. The distribution is exact where at most ten documents are unknown; else quantiles
    and probabilities come from seeded samples, with their error.

    `prior` is a number, a function of rank, `{query: {document: p}}`, a path, `"rank"` or
    `"rank(p1=0.6, s=0.5)"`, which is p(rank) = p1 rank^-s; `default` is the probability of a
    document that a file or mapping does not name. `unseen` is "nothing" unless you say otherwise;
    with "anything", the ranks below a list hold documents of their own with the prior's
    probability.

    >>> prior = {"q": {"a": 1, "c": 0.5}}
    >>> row = expect({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2", prior=prior).row(0)
    >>> row.expected, row.sd, row.hurts.value, row.helps.value
    (-0.25, 0.25, 0.5, 0.0)
    """
    settings = Settings(**(ReadingOptions(unseen="nothing") | options))
    chosen, unseen = measures_of_documents(measures), settings.unseen
    _check(chosen, unseen, samples, seed)
    check_one_stdin(before, after, qrels, prior)
    default = probability(default, "default")
    judged = None
    if qrels is not None:
        judged = Qrels.of(qrels, intents=by_intent(chosen), threads=settings.workers)
    belief = prior_of(prior)
    plain = replace(settings, unseen="nothing", effort=1)
    comparison = compare(before, after, _lightest(chosen), qrels=judged, **plain.options())
    depth = settings.depth
    reading = _Reading(comparison.runs, judged, belief, default, _shallower(chosen, depth))
    ranks = max(2 * (one.reach or 0) for one in chosen) if unseen == "anything" else 0
    ranks = max(ranks, sum(run.longest for run in comparison.runs))
    native_measures([one for one in chosen if not one.shape.is_function], ranks, judged, 1)
    tallies = [_Tally(one, Scores(one, ranks, judged), samples) for one in chosen]
    total = len(comparison)
    for number in range(total):
        query = reading.query(comparison.pairing.query(number), by_intent(chosen))
        for tally in tallies:
            parts = list(parts_of(query, tally.scores, unseen, belief, default))
            tally.add(parts, np.random.default_rng([seed, number]), query.unjudged(tally.measure))
        if progress is not None:
            progress(number + 1, total)
    return Expectation(
        comparison=comparison,
        measures=chosen,
        values=np.array([tally.values() for tally in tallies]),
        means=np.array([tally.mean() for tally in tallies]),
        prior=str(belief),
        without_prior=reading.without_prior,
        default=default,
        unjudged=reading.unjudged,
        unseen=unseen,
        samples=int(samples),
        seed=int(seed),
    )


def _check(measures: Sequence[Measure], unseen: Unseen, samples: int, seed: int) -> None:
    refuse_timed(measures, "expect")
    if not isinstance(samples, Integral) or samples < FEWEST:
        raise UsageError(f"samples is a whole number from {FEWEST} on, not {samples!r}")
    if not isinstance(seed, Integral) or seed < 0:
        raise UsageError(f"seed is a whole number from 0 on, not {seed!r}")
    for one in measures:
        effectiveness(one)
        if unseen == "anything" and one.reach is None and not one.shape.is_function:
            raise UsageError(
                f"{one} looks endlessly deep, and so many unseen ranks cannot be sampled; set a "
                f"cutoff, such as {one}@100, or unseen='nothing'"
            )


def _lightest(measures: Sequence[Measure]) -> Measure:
    """A measure that looks as deep as all of these, and costs nothing to maximise."""
    reach = deepest(measures)
    if by_intent(measures):
        return measure("NRBP") if reach is None else measure("alpha_nDCG") @ reach
    return measure("RBP") if reach is None else measure("P") @ reach


def _shallower(measures: Sequence[Measure], depth: int | None) -> int | None:
    limits = [limit for limit in (deepest(measures), depth) if limit is not None]
    return min(limits, default=None)


class _Reading:
    """Queries as they are read, and what is counted on the way."""

    def __init__(
        self,
        runs: tuple[Run, Run],
        judged: Qrels | None,
        prior: Prior,
        default: float,
        depth: int | None,
    ) -> None:
        self._runs, self._judged, self._prior = runs, judged, prior
        self._default, self._depth = default, depth
        self.unjudged = self.without_prior = 0

    def query(self, query: bytes, with_intents: bool) -> Query:
        """One query of both runs."""
        lists = [documents_of(run._lists, query)[: self._depth] for run in self._runs]
        by_rank = chain.from_iterable(zip_longest(*lists))  # so that no other measure changes draws
        documents = list(dict.fromkeys(document for document in by_rank if document is not None))
        numbers = {document: number for number, document in enumerate(documents)}
        before, after = (np.array([numbers[d] for d in some], dtype=np.intp) for some in lists)
        best = np.full(len(documents), len(documents) + 1)
        for ranking in (before, after):
            best[ranking] = np.minimum(best[ranking], np.arange(1, len(ranking) + 1))
        judged = {} if self._judged is None else grades_of(self._judged._lists, query)
        grades = np.array([judged.get(d, UNJUDGED) for d in documents], dtype=np.intp)
        intents = self._intents(query, documents) if with_intents and judged else []
        probability = self._prior.of(query, documents, best.tolist())
        unknown = np.isnan(probability)
        probability[unknown] = self._default
        self.unjudged += int(np.count_nonzero(grades == UNJUDGED))
        self.without_prior += int(np.count_nonzero(unknown & (grades == UNJUDGED)))
        return Query(before, after, probability, grades, intents, judged)

    def _intents(self, query: bytes, documents: Sequence[bytes]) -> list[Numbers]:
        """The grades of the documents for each judged intent.

        They are read off two assignments: with these documents against an empty list, what is
        unjudged is of the top value where the list is favoured, and else 0.
        """
        assert self._judged is not None
        name, texts = text_of(query), [text_of(document) for document in documents]
        empty, shown = (Run.of({name: some}, threads=1)._lists for some in ([], texts))
        values = np.arange((self._judged.highest or 0) + 2.0)
        flat, tail = np.ones(len(documents)), np.zeros(len(documents) + 1)
        kernel = _core.DotProduct(flat, tail, values, np.zeros(0, dtype=np.int64), 1.0)
        options = _core.Options(
            len(documents),
            len(documents),
            _core.Unseen.nothing,
            _core.Repeats.first,
            _core.Intents.kept,
            _core.Ties.ignored,
            1,
        )
        _, witness, named, intents = _core.solve(
            _core.Pairing(empty, shown, 1),
            self._judged._lists,
            _core.IntentAware(kernel, 1),
            options,
        )
        high, low = (
            np.array(some).reshape(-1, len(named))[: len(intents)]
            for some in (witness.gain_relevance, witness.loss_relevance)
        )
        place = {document: number for number, document in enumerate(named)}
        columns = [place[document] for document in documents]
        grades = np.where(high == low, high, UNJUDGED).astype(np.intp)[:, columns]
        return list(grades)


class _Tally:
    """The estimates of one measure, query after query, and of their mean."""

    def __init__(self, measure: Measure, scores: Scores, samples: int) -> None:
        self.measure, self.scores, self._samples = measure, scores, samples
        self._rows: list[list[float]] = []
        self._moments: list[Moments] = []
        self._sum = np.zeros(samples)
        self._rounding = 0.0

    def add(self, parts: Sequence[Part], random: np.random.Generator, unjudged: int) -> None:
        """The next query."""
        unknown = sum(len(part.unknown) for part in parts)
        weights = None
        if unknown <= FEW:
            differences, weights, rounding = enumerated(parts)
            picked = np.searchsorted(np.cumsum(weights), random.random(self._samples))
            self._sum += differences[np.minimum(picked, len(differences) - 1)]
        else:
            differences, rounding = sampled(parts, random, self._samples)
            self._sum += differences
        moments = moments_of(parts, differences, weights)
        distribution = Distribution.of(differences, weights, rounding)
        self._rows.append(distribution.columns(moments, unjudged))
        self._moments.append(moments)
        self._rounding += rounding

    def values(self) -> Array:
        """The estimates: column x query."""
        return np.array(self._rows).reshape(-1, len(COLUMNS)).T

    def mean(self) -> list[float]:
        """The estimate of the mean of all queries, which are independent of each other."""
        queries = len(self._rows)
        if queries == 1:
            return self._rows[0]
        if queries == 0:
            return [float("nan")] * len(COLUMNS)
        rows = np.array(self._rows)
        moments = Moments(
            sum(one.expected for one in self._moments) / queries,
            sum(one.variance for one in self._moments) / queries**2,
            float(np.sqrt(sum(one.expected_error**2 for one in self._moments))) / queries,
            float(np.sqrt(sum(one.variance_error**2 for one in self._moments))) / queries**2,
        )
        certain = not rows[:, COLUMNS.index("samples")].any() and moments.variance == 0
        sums, weights = (self._sum[:1], np.ones(1)) if certain else (self._sum, None)
        distribution = Distribution.of(sums / queries, weights, self._rounding / queries)
        return distribution.columns(moments, int(rows[:, COLUMNS.index("unjudged")].sum()))


def documents_of(lists: _core.Lists, query: bytes) -> list[bytes]:
    """The ranked documents of a query, each once; none where the run does not have the query."""
    number = lists.find(query)
    if number == NOT_FOUND:
        return []
    return list(dict.fromkeys(document for document, _ in lists.entries(number)))


def grades_of(lists: _core.Lists, query: bytes) -> dict[bytes, int]:
    """The judgments of a query, the highest of any intent; none where it has none."""
    number = lists.find(query)
    grades: dict[bytes, int] = {}
    for document, grade in [] if number == NOT_FOUND else lists.entries(number):
        grades[document] = max(int(grade), grades.get(document, 0))
    return grades
