"""A pair of runs as TREC text, and the comparison that every other way of giving it must equal."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import medir
from medir import Comparison

Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]

MEASURES = ["nDCG@10", "RBP(p=0.8)", "AP@20", "RBO"]
DOCUMENTS = [*(f"d{number}" for number in range(40)), "é", "文書", "A-1", "007", "7"]


def run(seed: int, documents: list[str] = DOCUMENTS, queries: int = 12) -> Scores:
    """Lists of unequal length, with ties; one query in ten is missing."""
    chance = random.Random(seed)
    return {
        f"q{query:02}": {
            document: chance.choice([1.0, 1.5, 2.0, chance.random()])
            for document in chance.sample(documents, chance.randint(1, 20))
        }
        for query in range(queries)
        if chance.random() < 0.9
    }


def qrels(seed: int) -> Grades:
    """Some judgments of every query."""
    chance = random.Random(seed)
    return {
        f"q{query:02}": {
            document: chance.randint(0, 3) for document in chance.sample(DOCUMENTS, 12)
        }
        for query in range(12)
    }


@dataclass(frozen=True)
class Pair:
    """Two runs and judgments, in memory."""

    before: Scores
    after: Scores
    judged: Grades

    @classmethod
    def of(cls, seed: int, **options: Any) -> Pair:
        return cls(run(seed, **options), run(seed + 1, **options), qrels(seed))

    def files(self, folder: Path) -> tuple[Path, Path, Path]:
        """The same as TREC text."""
        before, after, judged = (folder / name for name in ("before", "after", "qrels"))
        write_scores(before, self.before)
        write_scores(after, self.after)
        lines = (f"{q} 0 {d} {g}\n" for q, some in self.judged.items() for d, g in some.items())
        judged.write_text("".join(lines), encoding="utf-8")
        return before, after, judged

    def expected(self, folder: Path, judged: bool = False, **options: Any) -> Comparison:
        """What medir says of the text."""
        before, after, grades = self.files(folder)
        return medir.compare(before, after, MEASURES, qrels=grades if judged else None, **options)


def write_scores(path: Path, some: Scores) -> None:
    """A TREC file; its ranks are those of its lines."""
    lines = (
        f"{query} Q0 {document} {rank} {score!r} test\n"
        for query, results in some.items()
        for rank, (document, score) in enumerate(results.items(), 1)
    )
    path.write_text("".join(lines), encoding="utf-8")


def rows(some: Mapping[str, Mapping[str, float]]) -> list[tuple[str, str, float]]:
    """One row per result."""
    return [
        (query, document, value) for query, each in some.items() for document, value in each.items()
    ]


def same(result: Comparison, expected: Comparison) -> None:
    """Every row to the last bit, and the lists behind it."""
    assert result.queries == expected.queries
    assert len(result) > 5
    assert np.array_equal(result.values, expected.values, equal_nan=True)
    assert np.array_equal(result.changes, expected.changes)
    for query in expected.queries:
        assert result.lists(query) == expected.lists(query)


def compare(before: Any, after: Any, **options: Any) -> Comparison:
    """What medir says of two objects."""
    return medir.compare(before, after, MEASURES, **options)
