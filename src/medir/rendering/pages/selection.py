"""Which queries a page holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir.base.words import count
from medir.comparing.differences import Differences
from medir.errors import UsageError

TOP = 200  # queries in the table


@dataclass(frozen=True)
class Selection:
    """What a page should hold: the most affected queries, unless some are named or sampled."""

    top: int = TOP
    queries: Sequence[str] = ()
    sample: int = 0

    def __post_init__(self) -> None:
        if self.top < 0:
            raise UsageError(f"top must be 0 or more, not {self.top!r}")
        if self.sample < 0:
            raise UsageError(f"a sample has 0 queries or more, not {self.sample!r}")

    def positions(self, result: Differences[Any]) -> list[int]:
        """The queries: those that are named, then the sample, each once."""
        if not self.queries and not self.sample:
            return result.most_affected(self.top)
        named = [result.position(query) for query in self.queries]
        return list(dict.fromkeys([*named, *_sampled(result, self.sample)]))

    def heading(self) -> str:
        """What the table of queries is called."""
        if self.queries:
            return "Chosen queries"
        return "A sample of queries" if self.sample else "Most affected queries"

    def note(self, result: Differences[Any], rows: int) -> str:
        """Which queries are in the table; empty where these are all."""
        first, total = repr(result.measures[0]), count(len(result), "query", "queries")
        if self.queries or self.sample:
            named = count(len(set(self.queries)), "query that was", "queries that were")
            parts = [f"{named} asked for"] if self.queries else []
            if self.sample:
                parts.append(
                    f"a sample of {min(self.sample, len(result)):,} of {total}, evenly spread from "
                    f"the most to the least affected by {first}"
                )
            return f"The table has {' and '.join(parts)}. Pictures and numbers count all queries."
        changed = result.summary().changed.queries
        if changed == 0:
            return f"No query changed as far as {first} looks."
        if rows < changed:
            return (
                f"The table has the {rows:,} most affected of {total} by {first}. Pictures and "
                "numbers count all of them."
            )
        if rows < len(result):
            return (
                f"The table has all that changed as far as {first} looks: {rows:,} of {total}. "
                "Pictures and numbers count the others too."
            )
        return ""


def _sampled(result: Differences[Any], size: int) -> list[int]:
    """Queries from the most to the least affected, at equal distances in that order."""
    med = result.column()
    valued = np.flatnonzero(~np.isnan(med))
    size = min(size, len(valued))
    if size == 0:
        return []
    order = valued[np.argsort(-med[valued], kind="stable")]
    places = (np.arange(size) * 2 + 1) * len(order) // (2 * size)
    return [int(position) for position in order[places]]
