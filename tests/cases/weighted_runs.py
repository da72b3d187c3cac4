"""Runs whose queries have whole weights, and the same runs with their queries repeated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

import medir
from tests.cases.runs import ranked

POOL = "abcd"
LONGEST = list("wxyz")  # the lists of two further queries, so that the run is cut at 4 in any case

Lists = dict[str, list[str]]


@dataclass(frozen=True)
class WeightedRuns:
    """Two runs, judgments, and how often each query is sent."""

    before: Lists
    after: Lists
    qrels: dict[str, dict[str, int]] | None
    weights: dict[str, int]
    noise: Lists
    segments: dict[str, str] = field(default_factory=dict)

    def weighted(self, measures: Any, **options: Any) -> medir.Comparison:
        """The comparison with weights, in segments."""
        queries = {
            query: {"weight": weight, "part": self.segments[query]}
            for query, weight in self.weights.items()
        }
        return medir.compare(
            self.before, self.after, measures, qrels=self.qrels, queries=queries, by="part",
            noise=self.noise, **options,
        )  # fmt: skip

    def repeated(self, measures: Any, **options: Any) -> medir.Comparison:
        """The comparison of each query as often as its weight says, without weights."""
        queries = {copy: {"part": self.segments[query]} for query, copy in self._copies()}
        return medir.compare(
            self._repeat(self.before), self._repeat(self.after), measures,
            qrels=None if self.qrels is None else self._repeat(self.qrels), queries=queries,
            by="part", noise=self._repeat(self.noise), **options,
        )  # fmt: skip

    def _copies(self) -> list[tuple[str, str]]:
        return [(q, f"{q}#{copy}") for q, weight in self.weights.items() for copy in range(weight)]

    def _repeat(self, by_query: dict[str, Any]) -> dict[str, Any]:
        return {copy: by_query[query] for query, copy in self._copies() if query in by_query}


@st.composite
def weighted_runs(draw: st.DrawFn, judged: bool | None = None) -> WeightedRuns:
    """Up to eight queries, some unchanged, some in one run only, some never sent."""
    names = [f"q{number}" for number in range(draw(st.integers(1, 8)))]
    before, after, noise = {"z0": LONGEST}, {"z0": LONGEST}, {"z0": LONGEST}
    for name in names:
        kind = draw(st.sampled_from(["both", "both", "same", "before", "after"]))
        lists = draw(ranked(POOL)), draw(ranked(POOL))
        if kind != "after":
            before[name] = noise[name] = lists[0]
            if draw(st.booleans()):
                noise[name] = draw(ranked(POOL))
        if kind != "before":
            after[name] = lists[0] if kind == "same" else lists[1]
    for run in (before, after, noise):
        run["z1"] = LONGEST
    weights = {name: draw(st.integers(0, 4)) for name in names} | {"z0": 1, "z1": 2}
    grades = st.dictionaries(st.sampled_from(POOL), st.integers(0, 2))
    has_qrels = draw(st.booleans()) if judged is None else judged
    qrels = {name: draw(grades) for name in names} | {"z0": {"w": 2}} if has_qrels else None
    segments = {name: draw(st.sampled_from(["head", "tail"])) for name in weights}
    return WeightedRuns(before, after, qrels, weights, noise, segments)
