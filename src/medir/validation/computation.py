"""The numbers of a study, each kept on disk as soon as it is computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from medir.base.arrays import Array
from medir.base.settings import Settings
from medir.comparing.inputs import Inputs
from medir.comparing.judging.score import score
from medir.comparing.judging.truth import true_differences
from medir.comparing.matrix import Matrix, matrix, query_means
from medir.errors import InputError, UsageError
from medir.files.background import Watcher, part
from medir.inputs.groups import Member
from medir.inputs.pairing import NAMED
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Run, Source
from medir.measures import Measure, measure
from medir.measures.chosen import is_recognisable, judged_ideal, refuse_timed
from medir.validation.results import Study

SHARES = (0, 25, 75, 100)  # percent of the judgments
SIMILARITY = "RBO(p=0.9)"
PERSISTENCE = "RBP(p=0.9)"
OTHER_PERSISTENCES = ("RBP(p=0.8)", "RBP(p=0.95)")
MEASURES = (PERSISTENCE, "nDCG@5", "nDCG@20", "nDCG@100", "AP@100", "ERR")
PARTS = len(SHARES) + 1  # of progress: a matrix for each, and the pictures
LEAST_ADDED = 0.00005  # to a mean, so that four digits show it


def compute(
    runs: Mapping[str, Source],
    qrels: Judgments,
    members: Mapping[str, Member] | None,
    stated: Measure | None,
    seed: int,
    folder: Path,
    progress: Watcher | None,
    settings: Settings,
) -> Study:
    """Compares all pairs of runs; what is computed is kept in a folder."""
    if stated is not None:
        _check_measure(stated)
    inputs = Inputs.read(runs, stated, settings, qrels=qrels)
    settings = inputs.settings
    (main,) = inputs.measures
    judged, read = inputs.judged, dict(zip(runs, inputs.runs, strict=True))
    assert judged is not None
    _check_judged({name: run.queries for name, run in read.items()}, judged)
    work = _Work(read, folder, progress, judged.highest, settings)
    rbo, *others = (measure(name) for name in (SIMILARITY, *MEASURES, *OTHER_PERSISTENCES))
    measures = list(dict.fromkeys([rbo, *others, main]))
    unjudged = work.compare("judged-0", measures)
    samples = {share: sample(judged, share, seed) for share in SHARES[1:]}
    partly = {share: work.compare(f"judged-{share}", [main], samples[share]) for share in samples}

    numbers = [number for number, (i, j) in enumerate(unjudged.pairs) if i != j]
    columns = [number for number, query in enumerate(unjudged.queries) if query in judged]
    if not columns:
        raise InputError("no query that all runs have is judged", judged.name)
    where = np.ix_(numbers, columns)
    values = dict(zip(measures, (table[where] for table in unjudged.values), strict=True))
    pairs = tuple(unjudged.pairs[number] for number in numbers)
    queries = tuple(unjudged.queries[column] for column in columns)
    # A list that is not there shares nothing: MED counts such queries too.
    values[rbo] = np.where(np.isnan(values[rbo]) & ~np.isnan(values[main]), 0.0, values[rbo])
    scores = _scores(read, judged_ideal(main), judged, queries, settings)
    truth = true_differences(scores, pairs, ~np.isnan(values[main]))
    med = {0: values[main]} | {share: partly[share].values[0][where] for share in partly}
    return Study(
        names=tuple(read),
        members=None if members is None else tuple(members[name] for name in read),
        measure=main,
        truth=judged_ideal(main),
        seed=seed,
        queries=queries,
        without_judgments=len(unjudged.queries) - len(columns),
        judgments={0: 0} | {share: sum(map(len, some.values())) for share, some in samples.items()},
        pairs=pairs,
        scores=query_means(scores),
        difference=truth.of_means,
        mean_difference=truth.by_query,
        med={share: query_means(table) for share, table in med.items()},
        distances={f"1-{SIMILARITY}": 1 - query_means(values[rbo])}
        | {f"MED-{one!r}": query_means(values[one]) for one in measures if one != rbo},
        gap=max(found.gap(one) for found in (unjudged, *partly.values()) for one in found.measures),
        unseen=tuple(_unseen_notes(unjudged, partly, measures, main)),
    )


def _check_measure(main: Measure) -> None:
    """Raises an error where a measure cannot be studied."""
    if main.kind != "difference" or main.shape.by_intent:
        raise UsageError(f"a study needs a measure of effectiveness without intents, not {main!r}")
    refuse_timed([main], "study")
    if main["ideal"] == "judged":
        raise UsageError(
            f"a study uses the ideal of the judgments for the true "
            f"difference only: remove ideal= from {main!r}"
        )


def _unseen_notes(
    unjudged: Matrix, partly: Mapping[int, Matrix], measures: Sequence[Measure], main: Measure
) -> Iterator[str]:
    """What unseen ranks add to the mean of the distances, and how cut lists were told apart.

    Judgments leave less to the lists, but nothing is judged at unseen ranks: they add the more.
    """
    pairs = zip(measures, map(unjudged.unseen_added, unjudged.measures), strict=True)
    added = {one: mean for one, mean in pairs if mean >= LEAST_ADDED}
    if added:
        parts = ", ".join(f"{mean:.4f} to MED-{one!r}" for one, mean in added.items())
        yield f"unseen ranks add, in the mean over all pairs: {parts}"
    judged = {share: found.unseen_added() for share, found in partly.items()}
    if any(mean >= LEAST_ADDED for mean in judged.values()):
        parts = ", ".join(f"{mean:.4f} with {share} %" for share, mean in judged.items())
        yield f"unseen ranks add to MED-{main!r}: {parts} of the judgments"
    yield from partly[SHARES[-1]].cut_notes()


def _check_judged(queries: Mapping[str, Sequence[str]], judged: Qrels) -> None:
    """Raises an error where none of a run's queries is judged."""
    without = [name for name, some in queries.items() if not any(one in judged for one in some)]
    if without:
        raise InputError(
            f"{len(without)} of {len(queries)} runs have no query that is judged: "
            f"{', '.join(without[:NAMED])}{', ...' if len(without) > NAMED else ''}",
            judged.name,
            remedy="Do runs and judgments write query ids in the same way?",
        )


class _Work:
    """Matrices of the same runs, one after the other."""

    def __init__(
        self,
        runs: Mapping[str, Run],
        folder: Path,
        progress: Watcher | None,
        highest: int | None,
        settings: Settings,
    ) -> None:
        self.runs, self.folder, self.progress, self.settings = runs, folder, progress, settings
        self.highest, self.done = highest, 0

    def compare(
        self, name: str, measures: Sequence[Measure], qrels: Judgments | None = None
    ) -> Matrix:
        """All pairs under some measures, from where an earlier call was interrupted.

        A function of the user's own could be another one then: it is computed again.
        """
        watcher = part(self.progress, self.done, PARTS)
        found = matrix(
            self.runs,
            [with_highest(one, self.highest) for one in measures],
            qrels=qrels,
            checkpoint=self.folder / name if all(map(is_recognisable, measures)) else None,
            progress=watcher,
            **self.settings.options(),
        )
        if watcher is not None:
            watcher(1, 1)
        self.done += 1
        return found


def sample(judged: Qrels, share: int, seed: int) -> dict[str, dict[str, int]]:
    """A random part of the judgments, the larger one holding the smaller one.

    The sample does not depend on the order in which the judgments are given.

    >>> sample(Qrels.of({"q": {"a": 1, "b": 0, "c": 2, "d": 1}}), 50, seed=1)
    {'q': {'a': 1, 'b': 0}}
    """
    every = sorted((query, *item) for query in judged for item in judged[query].items())
    shuffled = np.random.default_rng(seed).permutation(len(every))
    chosen: dict[str, dict[str, int]] = {}
    for number in sorted(shuffled[: round(len(every) * share / 100)]):
        query, document, grade = every[number]
        chosen.setdefault(query, {})[document] = grade
    return chosen


def with_highest(one: Measure, highest: int | None) -> Measure:
    """The measure with the highest grade of all judgments, also where only some are known.

    >>> with_highest(measure("nDCG@20"), 3)
    nDCG(max_grade=3)@20
    """
    graded = "max_grade" in one.parameters
    return one(max_grade=highest) if graded and highest and not one["max_grade"] else one


def _scores(
    runs: Mapping[str, Run],
    truth: Measure,
    judged: Qrels,
    queries: Sequence[str],
    settings: Settings,
) -> Array:
    """The effectiveness of each run for each query."""
    found = score(
        runs,
        truth,
        judged,
        depth=settings.depth,
        duplicates=settings.duplicates,
        clusters=settings.clusters,
        threads=settings.threads,
    )
    places = {query: place for place, query in enumerate(found.queries)}
    return np.asarray(found.scores[:, 0, [places[query] for query in queries]])
