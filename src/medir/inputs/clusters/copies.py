"""Which documents have the same content: clusters from their texts.

Texts are the same when their words are, in lower case and without punctuation. With a threshold,
texts of nearly the same words are, too: sequences of words (shingles) are compared, the pairs that
may be similar enough come from MinHash, and each of them is checked. Clusters are connected
components: two documents of one cluster may differ more than the threshold says, where others lie
between them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from medir.base.words import count
from medir.errors import InputError, MissingExtraError, UsageError
from medir.files.tables import Table, Written
from medir.inputs.clusters.reading import Clusters
from medir.inputs.texts import Texts, every_text

SHINGLE = 5  # words
PERMUTATIONS = 128  # of MinHash
# How candidates of MinHash are chosen: rather too many than too few, since all are checked.
FALSE_POSITIVES, FALSE_NEGATIVES = 0.1, 0.9
WORD = re.compile(r"\w+")

Shingles = NDArray[np.uint64]  # hashes, sorted, each once


def find_clusters(documents: Texts, *, threshold: float | None = None) -> FoundClusters:
    """Clusters of documents with the same content, from their texts.

    `documents` is a file (id, tab, title, tab, text; or JSON lines) or `{id: text}`. Texts are
    compared word by word, whatever their case and punctuation. With `threshold`, texts are the same
    if so much of their sequences of five words is (Jaccard), from 0 to 1; that needs datasketch.

    >>> found = find_clusters({"a": "One text.", "b": "one  TEXT", "c": "Another"})
    >>> found.verdict
    '1 of 3 documents repeats another: 1 cluster, the largest of 2 documents.'
    >>> list(found)
    [('a', 'a'), ('b', 'a')]
    """
    if threshold is not None and not 0 < threshold <= 1:
        raise UsageError(f"threshold is a number above 0, up to 1, not {threshold!r}")
    ids: list[str] = []
    words: list[str] = []
    for document, text in every_text(documents):
        ids.append(document)
        words.append(" ".join(WORD.findall(unicodedata.normalize("NFKC", text).casefold())))
    if not ids:
        raise InputError(
            "there are no documents", "" if isinstance(documents, Mapping) else str(documents)
        )
    groups = _Groups(len(ids))
    first: dict[bytes, int] = {}
    for number, some in enumerate(words):
        if some:
            digest = blake2b(some.encode(errors="surrogatepass"), digest_size=16).digest()
            groups.join(first.setdefault(digest, number), number)
    if threshold is not None:
        for one, other in _similar({n: words[n] for n in first.values()}, threshold):
            groups.join(one, other)
    return FoundClusters(tuple(ids), tuple(map(groups.first, range(len(ids)))), words.count(""))


@dataclass(frozen=True, eq=False, repr=False)
class FoundClusters(Written):
    """Clusters of two documents or more; each is called as its first document."""

    ids: tuple[str, ...]
    first: tuple[int, ...]  # by document: the first of its cluster
    empty: int  # documents without words, which are in no cluster

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """The documents of each cluster, the first of which gives it its name."""
        found: dict[int, list[str]] = {}
        for document, first in zip(self.ids, self.first, strict=True):
            found.setdefault(first, []).append(document)
        return {self.ids[n]: some for n, some in found.items() if len(some) > 1}

    @property
    def repeating(self) -> int:
        """How many documents repeat one that comes before them."""
        return sum(map(len, self.members.values())) - len(self.members)

    @property
    def largest(self) -> list[str]:
        """The documents of the largest cluster."""
        return max(self.members.values(), key=len, default=[])

    @property
    def verdict(self) -> str:
        """How many documents repeat others, in a sentence."""
        every = count(len(self.ids), "document")
        if not self.members:
            return f"None of {every} repeats another."
        repeat = "repeats" if self.repeating == 1 else "repeat"
        clusters, size = count(len(self.members), "cluster"), len(self.largest)
        return (
            f"{self.repeating:,} of {every} {repeat} another: {clusters}, the largest of "
            f"{count(size, 'document')}."
        )

    @property
    def clusters(self) -> Clusters:
        """As `medir.compare` takes them."""
        return Clusters.of(dict(self))

    def __len__(self) -> int:
        return sum(map(len, self.members.values()))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Every document of a cluster, and the cluster."""
        return ((one, name) for name, some in self.members.items() for one in some)

    def table(self) -> Table:
        """One row for each document of a cluster."""
        return Table({"doc_id": str, "cluster": str}, self)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.verdict}>"


class _Groups:
    """Numbers that are joined to groups."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def first(self, number: int) -> int:
        """The smallest number of a group."""
        while self._above[number] != number:
            self._above[number] = self._above[self._above[number]]
            number = self._above[number]
        return number

    def join(self, one: int, other: int) -> None:
        """Makes two groups one."""
        low, high = sorted((self.first(one), self.first(other)))
        self._above[high] = low


def _similar(texts: Mapping[int, str], threshold: float) -> Iterator[tuple[int, int]]:
    """The pairs of texts that share enough of their shingles."""
    try:
        from datasketch import MinHash, MinHashLSH
    except ImportError:
        raise MissingExtraError("datasketch", "clusters", "clusters with a threshold") from None

    index = MinHashLSH(
        threshold=threshold,
        num_perm=PERMUTATIONS,
        weights=(FALSE_POSITIVES, FALSE_NEGATIVES),
    )
    known: dict[int, Shingles] = {}
    for number, text in texts.items():
        shingles = _shingles(text)
        sketch = MinHash(num_perm=PERMUTATIONS, seed=1)
        sketch.update_batch(one.tobytes() for one in shingles)
        for other in index.query(sketch):
            if _jaccard(shingles, known[other]) >= threshold:
                yield other, number
        index.insert(number, sketch, check_duplication=False)
        known[number] = shingles


def _shingles(text: str) -> Shingles:
    words = text.split()
    runs = (words[i : i + SHINGLE] for i in range(max(1, len(words) - SHINGLE + 1)))
    hashed = (
        blake2b(" ".join(some).encode(errors="surrogatepass"), digest_size=8).digest()
        for some in runs
    )
    return np.unique(np.frombuffer(b"".join(hashed), dtype=np.uint64))


def _jaccard(one: Shingles, other: Shingles) -> float:
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)
