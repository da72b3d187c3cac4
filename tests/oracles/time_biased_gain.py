"""Time-biased gain by its definition, and its MED by trying every assignment of relevance.

Nothing here comes from medir, and nothing is a product of factors: a user's clock runs down a list,
and what a relevant document adds is discounted by the time on it. All assignments go at once: the
relevance of a document is an array with a number for each assignment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

NEGLIGIBLE = 1e-17


@dataclass(frozen=True)
class Clock:
    """The calibration of Smucker and Clarke (2012), and how deep the user looks."""

    half_life: float = 224
    gain: float = 0.4928
    snippet: float = 4.4
    document: float = 7.8
    word: float = 0.018
    click_relevant: float = 0.64
    click_not_relevant: float = 0.39
    cutoff: int | None = None

    def seconds(self, relevance: Any, words: float) -> Any:
        """What a document takes: its snippet, and the document as often as it is opened."""
        reading = self.document + self.word * words
        opened = np.where(np.asarray(relevance) > 0, self.click_relevant, self.click_not_relevant)
        return self.snippet + opened * reading

    def discount(self, seconds: Any) -> Any:
        """D(t) = exp(-t ln 2 / h)"""
        return np.exp(-np.asarray(seconds) * math.log(2) / self.half_life)

    def unseen_ranks(self, seen: int) -> int:
        """How many ranks below a list count: without a cutoff, until nothing is left of D(t)."""
        if self.cutoff is not None:
            return max(self.cutoff - seen, 0)
        one = float(self.discount(self.seconds(1, 0)))
        return math.ceil(math.log(NEGLIGIBLE * (1 - one)) / math.log(one))

    def score(
        self,
        documents: Sequence[str],
        words: Mapping[str, float],
        relevance: Mapping[str, Any],
        unseen: bool = False,
    ) -> Any:
        """S of a list; `unseen` says that the ranks below hold relevant documents of no words."""
        shown = documents[: self.cutoff]
        time: Any = 0.0
        total: Any = 0.0
        for document in shown:
            total = total + self.gain * relevance[document] * self.discount(time)
            time = time + self.seconds(relevance[document], words[document])
        if unseen:
            later = self.seconds(1, 0) * np.arange(self.unseen_ranks(len(shown)))
            total = total + self.gain * self.discount(time) * math.fsum(self.discount(later))
        return total


@dataclass(frozen=True)
class Problem:
    """Two lists, the words of documents, and what is judged."""

    clock: Clock
    favoured: Sequence[str]
    other: Sequence[str]
    words: Mapping[str, float]
    judged: Mapping[str, int]
    rel: int = 1
    cut: bool = True  # whether unseen ranks follow the favoured list

    def difference(self, relevance: Mapping[str, Any]) -> Any:
        """S(favoured) - S(other)"""
        mine = self.clock.score(self.favoured, self.words, relevance, self.cut)
        return mine - self.clock.score(self.other, self.words, relevance)

    @property
    def known(self) -> dict[str, float]:
        """The relevance of the judged documents."""
        return {document: float(grade >= self.rel) for document, grade in self.judged.items()}

    @property
    def unknown(self) -> list[str]:
        """The unjudged documents that are seen."""
        cutoff = self.clock.cutoff
        return sorted({*self.favoured[:cutoff], *self.other[:cutoff]} - self.judged.keys())

    def most(self) -> float:
        """The maximum over every assignment."""
        tried = np.array(list(product([0.0, 1.0], repeat=len(self.unknown))))
        columns = {document: tried[:, i] for i, document in enumerate(self.unknown)}
        return float(np.max(self.difference({**self.known, **columns})))

    def most_by_shared(self) -> float:
        """The same for longer lists with few unknown documents in common.

        Once those are decided, the lists have nothing to do with each other: from the end up, each
        of their own documents is what suits its own list.
        """
        cutoff = self.clock.cutoff
        lists = self.favoured[:cutoff], self.other[:cutoff]
        shared = sorted({*lists[0]} & {*lists[1]} - self.judged.keys())
        best = -math.inf
        for values in product([0.0, 1.0], repeat=len(shared)):
            relevance = {**self.known, **dict(zip(shared, values, strict=True))}
            best = max(best, self._best(lists[0], relevance) - self._least(lists[1], relevance))
        return best

    def _best(self, documents: Sequence[str], relevance: Mapping[str, float]) -> float:
        below = float(self.clock.score([], {}, {}, True)) if self.cut else 0.0
        if self.cut and self.clock.cutoff is not None:
            rest = self.clock.cutoff - len(documents)
            below = float(Clock(**{**vars(self.clock), "cutoff": rest}).score([], {}, {}, True))
        return self._from_below(documents, relevance, below, max)

    def _least(self, documents: Sequence[str], relevance: Mapping[str, float]) -> float:
        return self._from_below(documents, relevance, 0.0, min)

    def _from_below(
        self, documents: Sequence[str], relevance: Mapping[str, float], below: float, choose: Any
    ) -> float:
        for document in reversed(documents):
            values = [relevance[document]] if document in relevance else [0.0, 1.0]
            seconds = {c: self.clock.seconds(c, self.words[document]) for c in values}
            below = choose(
                self.clock.gain * c + float(self.clock.discount(seconds[c])) * below for c in values
            )
        return below
