"""Ranked lists, as generated, as files, and as the rows that a comparison makes of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import medir
from medir import Measure, Row
from tests.oracles.unseen import Rule

UNSEEN: tuple[Rule, ...] = ("anything", "nothing", "auto")
EXACT = 1e-12


@st.composite
def ranked(
    draw: st.DrawFn, pool: Sequence[str], low: int = 0, high: int | None = None
) -> list[str]:
    """Some documents in any order; long lists more often than hypothesis would have them."""
    sizes = range(low, (len(pool) if high is None else high) + 1)
    size = draw(st.sampled_from([size for size in sizes for _ in range(1 + 2 * (size - low))]))
    return draw(st.permutations(pool))[:size]


def row_of(
    measure: Measure | str,
    before: Sequence[str],
    after: Sequence[str],
    judged: Mapping[str, int] | None = None,
    unseen: Rule = "anything",
    **_: Any,
) -> Row:
    """The row of one query."""
    qrels = None if judged is None else {"q": judged}
    result = medir.compare(
        {"q": before}, {"q": after}, measure, qrels=qrels, unseen=unseen, threads=1
    )
    return result.row(0)


def write_run(path: Path, run: Mapping[str, Sequence[str]]) -> Path:
    """A TREC file of ranked lists."""
    lines = [
        f"{query} Q0 {document} {rank} {len(documents) - rank} test\n"
        for query, documents in run.items()
        for rank, document in enumerate(documents, 1)
    ]
    path.write_text("".join(lines))
    return path


def write_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> Path:
    """A TREC file of judgments."""
    lines = [
        f"{query} 0 {document} {grade}\n"
        for query, judged in qrels.items()
        for document, grade in judged.items()
    ]
    path.write_text("".join(lines))
    return path
