"""A part of the data as the inputs of a comparison, with what is known of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from medir.base.settings import Order, Settings
from medir.comparing.inputs import Inputs
from medir.errors import InputError
from medir.inputs.clusters.reading import Clusters
from medir.inputs.lengths import Lengths
from medir.inputs.qrels import Qrels
from medir.integrations.spark.known import Depths, Judged
from medir.integrations.spark.rows import Part
from medir.integrations.spark.workers.contents import judgments_in, named, run_in
from medir.measures import Measure, define
from medir.measures.notation import restored
from medir.measures.shapes.function import Function

if TYPE_CHECKING:
    from pyspark import Broadcast


@dataclass(frozen=True)
class RunPart:
    """How the lists of a run come in a part."""

    source: str  # the name of its source
    name: str  # what people are told
    columns: dict[str, str]
    order: Order
    depths: Depths


@dataclass(frozen=True)
class Plan:
    """What every part is solved with. It travels to the workers."""

    measures: tuple[Measure, ...]
    settings: Settings
    runs: tuple[RunPart, ...]
    judged: Judged | None = None
    words: Broadcast[Any] | None = None  # the lengths of documents: a table, and the default
    clusters: Broadcast[Clusters] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """With the definitions of functions of one's own, which other processes do not know."""
        state = {one.name: getattr(self, one.name) for one in fields(self)}
        shapes = [(one.name, one.shape) for one in self.measures]
        state["own"] = [
            (name, shape.function, shape.monotone, shape.values)
            for name, shape in shapes
            if isinstance(shape, Function)
        ]
        state["measures"] = [(one.name, one.cutoff, one.settings) for one in self.measures]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        for own in state.pop("own"):
            define(*own)
        state["measures"] = tuple(restored(*one) for one in state["measures"])
        for name, value in state.items():
            object.__setattr__(self, name, value)

    @cached_property
    def ranks(self) -> int:
        """How many results any two lists have together, at most."""
        return sum(sorted(run.depths.longest for run in self.runs)[-2:])

    @cached_property
    def lengths(self) -> Lengths | None:
        """The lengths of documents."""
        if self.words is None:
            return None
        table, default = self.words.value
        lengths = Lengths.of(table, default=default)
        return lengths if self.clusters is None else lengths.of_clusters(self.clusters.value)

    @contextmanager
    def inputs(self, part: Part) -> Iterator[Inputs]:
        """The inputs of a part; errors about a row of it name the query."""
        parts = [run_in(part, run.source, run.columns, run.order, run.name) for run in self.runs]
        depths = [run.depths.native() for run in self.runs]
        runs = [run for run, _ in parts]
        clusters = None if self.clusters is None else self.clusters.value
        settings = replace(self.settings, threads=1, missing="empty", clusters=clusters)
        judged = self._judgments(part)
        try:
            yield PartInputs(
                self.measures, runs, judged, self.lengths, settings, depths, all_ranks=self.ranks
            )
        except InputError as error:
            known = {run.name: queries for run, queries in parts}
            raise named(error, known[error.source]) if error.source in known else error from None

    def _judgments(self, part: Part) -> Qrels | None:
        if self.judged is None:
            return None
        known = self.judged
        found = judgments_in(part, known.grading, known.intents, known.columns, PartQrels)
        assert isinstance(found, PartQrels)
        found.of_all, found.disagreeing = known.longest, known.disagreements
        found.highest, found.shares = known.highest, known.shares
        return found


class PartQrels(Qrels):
    """Some of the judgments; how many a query has, at most, is that of all."""

    of_all, disagreeing = 0, 0

    def disagreements(self, clusters: Clusters, threads: int) -> int:
        """Those of all judgments."""
        return self.disagreeing

    @property
    def longest(self) -> int:
        """The number of judgments of any query, at most."""
        return max(self.of_all, self._lists.longest)


@dataclass(frozen=True)
class PartInputs(Inputs):
    """Inputs whose kernels are those for all of the data."""

    all_ranks: int = 0

    @property
    def ranks(self) -> int:
        """How many results any two lists of all data have together, at most."""
        return self.all_ranks
