"""The results of a run, many at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from medir import _core

DIGITS = (7, 8, 9, 15, 16, 17)  # that a score may have: as few as will do
RESULTS = 1 << 16  # that are written together, at least


@dataclass(frozen=True)
class Batch:
    """Whole lists, one behind the other."""

    queries: list[bytes]
    ends: NDArray[np.int64]  # of the lists
    documents: list[bytes]
    values: NDArray[np.float64]

    @cached_property
    def begins(self) -> NDArray[np.int64]:
        """Where lists begin."""
        return np.concatenate([[0], self.ends[:-1]]).astype(np.int64)

    def lists(self) -> Iterator[tuple[bytes, slice]]:
        """The queries, and where their results are."""
        parts = map(slice, self.begins.tolist(), self.ends.tolist())
        return zip(self.queries, parts, strict=True)

    def ranks(self) -> NDArray[np.int64]:
        """From 1 in each list."""
        begins = np.repeat(self.begins, self.ends - self.begins)
        return np.arange(1, len(self.documents) + 1) - begins

    def score_texts(self) -> list[bytes]:
        """Short digits that read back as the same number; in single precision where it is one."""
        texts = _digits(self.values, DIGITS[0])
        wrong = np.flatnonzero(~_read_back(texts, self.values))
        for digits in DIGITS[1:]:
            if len(wrong):
                tried = _digits(self.values[wrong], digits)
                for i, text in zip(wrong.tolist(), tried, strict=True):
                    texts[i] = text
                wrong = wrong[~_read_back(tried, self.values[wrong])]
        for i in np.flatnonzero(self.values == 0).tolist():
            texts[i] = b"0"
        return texts


def _digits(values: NDArray[np.float64], digits: int) -> list[bytes]:
    """Numbers of so many digits at most; whole ones have no point."""
    lines = (f"%.{digits}g\n" * len(values)) % tuple(values.tolist())
    return lines.encode().split(b"\n")[:-1]


def _read_back(texts: list[bytes], values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether texts are read as the same numbers; in single precision where these are such."""
    back = np.array(list(map(float, texts)))
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
        same: NDArray[np.bool_] = (single == values) & (back.astype(np.float32) == single)
        same |= back == values
    return same


def batches(lists: _core.Lists) -> Iterator[Batch]:
    """All lists in their order."""
    joined, ends = lists.queries()
    queries: list[bytes] = []
    lengths: list[int] = []
    documents: list[bytes] = []
    values: list[float] = []
    begin = 0
    for number, end in enumerate(ends):
        queries.append(joined[begin:end])
        begin = end
        entries = lists.entries(number)
        if entries:
            some, scores = zip(*entries, strict=True)
            documents += some
            values += scores
        lengths.append(len(entries))
        if len(documents) >= RESULTS:
            yield _batch(queries, lengths, documents, values)
            queries, lengths, documents, values = [], [], [], []
    if queries:
        yield _batch(queries, lengths, documents, values)


def _batch(
    queries: list[bytes], lengths: list[int], documents: list[bytes], values: list[float]
) -> Batch:
    return Batch(queries, np.cumsum(lengths), documents, np.array(values, dtype=np.float64))
