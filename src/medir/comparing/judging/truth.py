"""What judgments tell of pairs of runs, beside what MED says could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.judging.score import score
from medir.comparing.matrix import Matrix, query_means
from medir.measures import Measure


class TrueDifferences(NamedTuple):
    """How much two runs differ in effectiveness, for each pair; NaN where no query is known."""

    of_means: Array  # |mean S(A) - mean S(B)|
    by_query: Array  # the mean of |S(A) - S(B)|, which is never less


def true_differences(
    scores: Array, pairs: Sequence[tuple[int, int]], known: NDArray[np.bool_]
) -> TrueDifferences:
    """The true differences of pairs of runs, over the `known` queries of each pair.

    >>> scores, known = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[True, True]])
    >>> both = true_differences(scores, [(0, 1)], known)
    >>> both.of_means.tolist(), both.by_query.tolist()
    ([0.0], [1.0])
    """
    first, second = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    apart = np.where(known, scores[first] - scores[second], np.nan)
    return TrueDifferences(np.abs(query_means(apart)), query_means(np.abs(apart)))


@dataclass(frozen=True)
class Truth:
    """The effectiveness of the runs of a matrix, under one of its measures."""

    measure: Measure
    queries: NDArray[np.intp]  # those of the matrix that are judged
    scores: Array  # run x query; NaN for a run none of whose queries is judged
    differences: TrueDifferences  # of the pairs of the matrix

    @property
    def means(self) -> Array:
        """The effectiveness of each run: its mean over the judged queries; NaN without any."""
        return query_means(self.scores)

    @classmethod
    def of(cls, result: Matrix, of: Measure | str | None = None) -> Truth | None:
        """What the judgments of a matrix tell; None without any, and for rank similarities.

        An ideal that is not stated comes from the judgments. A judged query that a run does not
        have counts as an empty list, unless the run has none of them: then it has no scores. It is
        an error where that is so of all runs.
        """
        read, one = result.read, result.measure(of)
        if read is None or read.judged is None or one.kind != "difference":
            return None
        runs = dict(zip(result.names, read.runs, strict=True))
        judged = [
            not len(run) or any(query in run for query in read.judged) for run in runs.values()
        ]
        some = dict(compress(runs.items(), judged)) or runs
        settings = replace(result.settings, missing="empty").options()
        scored = score(some, one, read.judged, lengths=read.lengths, **settings)
        places = {query: place for place, query in enumerate(scored.queries)}
        queries = [at for at, query in enumerate(result.queries) if query in places]
        if not queries:
            return None
        scores = np.full((len(runs), len(queries)), np.nan)
        scores[judged] = scored.scores[:, 0, [places[result.queries[at]] for at in queries]]
        known = ~np.isnan(result.values[result.measures.index(one)][:, queries])
        return cls(
            scored.measures[0],
            np.array(queries, dtype=np.intp),
            scores,
            true_differences(scores, result.pairs, known),
        )
