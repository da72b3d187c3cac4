"""Documents with the same content, by the definition: mathematics.md, section 12.

A reader who has seen a document finds nothing new in another one of its cluster. So a list is worth
what its ranks are worth to the reader: the first document of a cluster has the relevance of the
cluster, a later one has none. MED is the maximum over every relevance of the clusters.

Nothing here comes from medir, and nothing is merged or renumbered: lists stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.oracles.exhaustive import Formula
from tests.oracles.time_biased_gain import Clock

Clusters = Mapping[str, Hashable]
Judged = Mapping[str, int]


def cluster_of(document: str, clusters: Clusters) -> Hashable:
    """A document without a cluster is its own."""
    return ("cluster", clusters[document]) if document in clusters else ("alone", document)


def grades_of(judged: Judged, clusters: Clusters) -> dict[Hashable, int]:
    """A judged document judges its cluster: the highest grade counts."""
    grades: dict[Hashable, int] = {}
    for document, grade in judged.items():
        cluster = cluster_of(document, clusters)
        grades[cluster] = max(grades.get(cluster, 0), grade)
    return grades


def disagreements(judged: Judged, clusters: Clusters) -> int:
    """How many clusters have documents with different grades."""
    grades: dict[Hashable, set[int]] = {}
    for document, grade in judged.items():
        grades.setdefault(cluster_of(document, clusters), set()).add(grade)
    return sum(len(some) > 1 for some in grades.values())


def is_new(documents: Sequence[str], place: int, clusters: Clusters) -> bool:
    """Whether no document above has the same content."""
    above = [cluster_of(document, clusters) for document in documents[:place]]
    return cluster_of(documents[place], clusters) not in above


def gains(
    documents: Sequence[str], clusters: Clusters, relevance: Mapping[Hashable, Any], nothing: float
) -> list[Any]:
    """What each rank is worth to a reader."""
    return [
        relevance[cluster_of(document, clusters)] if is_new(documents, place, clusters) else nothing
        for place, document in enumerate(documents)
    ]


def without_repeats(documents: Sequence[str], clusters: Clusters) -> list[str]:
    """The clusters of a list by name, each once."""
    return list(dict.fromkeys(str(cluster_of(document, clusters)) for document in documents))


def most(
    favoured: Sequence[str],
    other: Sequence[str],
    formula: Formula,
    judged: Judged,
    clusters: Clusters,
    cut: bool,
    available: Mapping[int, int] | None = None,
) -> float:
    """The maximum of S(favoured) - S(other) over every relevance of the clusters.

    `cut` says whether unseen ranks follow the favoured list: they are of top relevance. `available`
    is how many clusters have each grade, where that is known.
    """
    known = grades_of(judged, clusters)
    mine, theirs = favoured[: formula.cutoff], other[: formula.cutoff]
    shown = {cluster_of(document, clusters) for document in (*mine, *theirs)}
    unknown = sorted(shown - known.keys(), key=str)
    choices = list(product(range(len(formula.values)), repeat=len(unknown)))
    if available is not None:
        used = Counter(known.values())
        left = {g: available.get(g, 0) - used[g] for g in range(1, len(formula.values))}
        choices = [
            some for some in choices if all(some.count(g) <= max(n, 0) for g, n in left.items())
        ]
    tried = np.array(choices, dtype=np.intp)
    values = np.array(formula.values)
    relevance: dict[Hashable, Any] = {c: formula.value(grade) for c, grade in known.items()}
    relevance |= {cluster: values[tried[:, i]] for i, cluster in enumerate(unknown)}
    unseen = [formula.top] * (formula.unseen(len(favoured)) if cut else 0)
    first = formula.score([*gains(mine, clusters, relevance, values[0]), *unseen])
    second = formula.score(gains(theirs, clusters, relevance, values[0]))
    return float(np.max(first - second))


def both(
    before: Sequence[str],
    after: Sequence[str],
    formula: Formula,
    judged: Judged,
    clusters: Clusters,
    cut: tuple[bool, bool],
    available: Mapping[int, int] | None = None,
) -> tuple[float, float]:
    """Gain and loss."""
    gain = most(after, before, formula, judged, clusters, cut[1], available)
    return gain, most(before, after, formula, judged, clusters, cut[0], available)


def score(documents: Sequence[str], formula: Formula, judged: Judged, clusters: Clusters) -> float:
    """S of a list; a cluster without judgment is not relevant."""
    known = {c: formula.value(grade) for c, grade in grades_of(judged, clusters).items()}
    every = {cluster_of(d, clusters): formula.values[0] for d in documents} | known
    return float(
        formula.score(gains(documents[: formula.cutoff], clusters, every, formula.values[0]))
    )


def longest(words: Mapping[str, float], clusters: Clusters) -> dict[str, float]:
    """The words of each document when every cluster has those of its longest document."""
    most_words: dict[Hashable, float] = {}
    for document in {*words, *clusters}:
        cluster = cluster_of(document, clusters)
        if document in words:
            most_words[cluster] = max(most_words.get(cluster, 0.0), words[document])
    return {
        document: most_words[cluster_of(document, clusters)]
        for document in {*words, *clusters}
        if cluster_of(document, clusters) in most_words
    }


def most_timed(
    favoured: Sequence[str],
    other: Sequence[str],
    clock: Clock,
    words: Mapping[str, float],
    judged: Judged,
    clusters: Clusters,
    cut: bool,
) -> float:
    """The same for time-biased gain: a repeat takes time as any document that is not relevant."""
    known = {c: float(grade >= 1) for c, grade in grades_of(judged, clusters).items()}
    mine, theirs = favoured[: clock.cutoff], other[: clock.cutoff]
    shown = {cluster_of(document, clusters) for document in (*mine, *theirs)}
    unknown = sorted(shown - known.keys(), key=str)
    tried = np.array(list(product([0.0, 1.0], repeat=len(unknown))))
    relevance: dict[Hashable, Any] = dict(known)
    relevance |= {cluster: tried[:, i] for i, cluster in enumerate(unknown)}
    length = longest(words, clusters)

    def scored(documents: Sequence[str], unseen: bool) -> Any:
        ranks = [f"rank {rank}" for rank in range(len(documents))]
        worth = dict(zip(ranks, gains(documents, clusters, relevance, 0.0), strict=True))
        lengths = {rank: length[d] for rank, d in zip(ranks, documents, strict=True)}
        return clock.score(ranks, lengths, worth, unseen)

    return float(np.max(scored(mine, cut) - scored(theirs, False)))


def changes(
    before: Sequence[str], after: Sequence[str], clusters: Clusters, reach: int
) -> tuple[int, int, int]:
    """How many clusters entered, left and moved within the first ranks."""
    first, second = (
        {
            cluster_of(document, clusters): place
            for place, document in enumerate(documents[:reach])
            if is_new(documents, place, clusters)
        }
        for documents in (before, after)
    )
    moved = sum(first[cluster] != second[cluster] for cluster in first.keys() & second.keys())
    return len(second.keys() - first.keys()), len(first.keys() - second.keys()), moved
