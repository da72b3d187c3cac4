"""One pair of lists, solved: the values, and the relevance that reaches them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import EFFORT, Settings, Unseen
from medir.comparing.inputs import Inputs, with_clusters
from medir.files.identifiers import bytes_of, text_of
from medir.inputs.clusters.reading import Source as ClusterSource
from medir.inputs.formats.mappings import ranking_of
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.pairing import grades_of, lists_of, names_of
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run
from medir.measures import Measure, effectiveness
from medir.measures.chosen import Measures, by_intent, grading_for, lengths_for, single
from medir.measures.family import Values
from medir.measures.shapes.function import Function

Assignment = dict[Any, Any]
NOBODY = object()  # the name of a document that is in no list


@dataclass(frozen=True)
class Solution:
    """The MED of two lists with its witness.

    An assignment is the relevance value of each document; for measures of intents, `{intent:
    value}` of each document. `gain_assignment` maximises S(after) - S(before), `loss_assignment`
    the opposite, and `assignment` is the one of the two that reaches `med`. Unseen ranks hold other
    documents: in the list that is favoured they are relevant too, in the other they are not.
    """

    med: float
    gain: float
    loss: float
    lower: float
    gap: float
    gain_gap: float
    loss_gap: float
    gain_assignment: Assignment
    loss_assignment: Assignment

    @property
    def assignment(self) -> Assignment:
        """The relevance of each document that reaches `med`."""
        return self.gain_assignment if self.gain >= self.loss else self.loss_assignment


@dataclass(frozen=True)
class Solved:
    """A query under one measure, as arrays by document.

    The relevance that reaches each direction is that of each document, or that of each intent and
    document for a measure of intents; NaN where a function does not see the document.
    """

    query: _core.Query
    measure: Measure
    values: Values
    gain_relevance: Array
    loss_relevance: Array

    @property
    def shown(self) -> NDArray[np.intp]:
        """The numbers of the documents that the measure sees in either list."""
        reach = self.measure.reach or np.iinfo(np.uint32).max
        # In unsigned numbers, the rank 0 of an absent document less 1 is the deepest of all.
        return np.flatnonzero(np.minimum(self.query.before - 1, self.query.after - 1) < reach)

    def numbers(self, name_of: Callable[[bytes], Any]) -> dict[Any, int]:
        """The numbers of all documents by name: that of their cluster for those that repeat it."""
        view, numbers = self.query, dict[Any, int]()
        rows = zip(view.documents, view.documents_after, view.repeated.tolist(), strict=True)
        for number, (first, in_after, repeated) in enumerate(rows):
            for document in (first, in_after):
                numbers.setdefault(name_of(document), number if repeated < 0 else repeated)
        return numbers

    def solution(self, numbers: Mapping[Any, int], beyond: Iterable[Any] = ()) -> Solution:
        """With documents by name. Those beyond what the measure sees are of no relevance."""
        gain = self._assignment(self.gain_relevance, numbers, beyond)
        loss = self._assignment(self.loss_relevance, numbers, beyond)
        med, most, least, lower, gap, gain_gap, loss_gap, _ = self.values
        return Solution(med, most, least, lower, gap, gain_gap, loss_gap, gain, loss)

    def _assignment(
        self, relevance: Array, numbers: Mapping[Any, int], beyond: Iterable[Any]
    ) -> Assignment:
        nothing: Any = 0.0
        values: list[Any]
        if relevance.ndim == 1:
            values = relevance.tolist()
        else:
            intents = [text_of(intent) for intent in self.query.intents]
            unjudged = len(relevance) - len(intents)
            keys = [*intents, *(f"unjudged {n}" for n in range(1, unjudged + 1))]
            values = [dict(zip(keys, some, strict=True)) for some in relevance.T.tolist()]
            nothing = dict.fromkeys(keys, 0.0)
        assignment = {name: values[i] for name, i in numbers.items() if values[i] == values[i]}
        if not self.measure.shape.is_function:
            assignment |= dict.fromkeys(beyond, nothing)
        return assignment


class Solver:
    """Solves the queries of two runs, one at a time, by position; each direction once."""

    def __init__(self, inputs: Inputs, pairing: _core.Pairing) -> None:
        self.inputs, self.pairing = inputs, pairing
        native = [one for one in inputs.measures if not one.shape.is_function]
        self._kernels = inputs.kernels(native)
        self._options = inputs.options()

    def __call__(self, position: int) -> list[Solved]:
        """A query under each of the measures."""
        query = _core.query(
            self.pairing, position, self.inputs.judgments, self._kernels, self._options
        )
        native = zip(query.differences, query.gain_relevance, query.loss_relevance, strict=True)
        return [
            self._called(query, one, one.shape)
            if isinstance(one.shape, Function)
            else Solved(query, one, *next(native))
            for one in self.inputs.measures
        ]

    def _called(self, query: _core.Query, measure: Measure, shape: Function) -> Solved:
        cut, effort = (query.before_cut, query.after_cut), self.inputs.settings.effort
        found = shape.solve(measure, *lists_of(query), grades_of(query), cut, effort)
        gain, loss = (
            np.array([direction.assignment.get(name, np.nan) for name in names_of(query)])
            for direction in (found.gain, found.loss)
        )
        return Solved(query, measure, (*found.values, 0.0), gain, loss)


def solve(
    before: Iterable[Hashable],
    after: Iterable[Hashable],
    measures: Measures | None = None,
    *,
    judged: Mapping[Any, Any] | None = None,
    lengths: WordCounts | None = None,
    clusters: ClusterSource | None = None,
    unseen: Unseen = "auto",
    effort: int = EFFORT,
    time_limit: float | None = None,
) -> Solution:
    """MED of two ranked lists, in both directions, and the relevance that reaches it.

    `judged` is `{document: grade}`, or `{intent: {document: grade}}` for measures of intents;
    `lengths` is `{document: words}` for measures of time, `clusters` is `{document: cluster}`:
    documents with the same content, of which only the first in each list counts.

    >>> solution = solve(["a", "b"], ["b", "a"], "ERR@2", unseen="nothing")
    >>> solution.med, solution.assignment
    (0.375, {'a': 0.0, 'b': 0.75})
    """
    settings = with_clusters(
        Settings(unseen=unseen, effort=effort, time_limit=time_limit, clusters=clusters, threads=1)
    )
    lists = ranking_of(before, "before"), ranking_of(after, "after")
    solved, known = solved_lists(*lists, measures, judged, lengths, settings)
    numbers = solved.numbers(lambda document: known.get(document, NOBODY))
    numbers.pop(NOBODY, None)
    if settings.clusters is not None:  # below what the measure sees, documents repeat others, too
        places = {name: number for number, name in enumerate(names_of(solved.query))}
        for document, name in known.items():
            place = places.get(settings.clusters.key_bytes(document))
            if place is not None:
                numbers.setdefault(name, place)
    return solved.solution(numbers, [name for name in known.values() if name not in numbers])


def solved_lists(
    before: Sequence[Any],
    after: Sequence[Any],
    measures: Measures | None,
    judged: Mapping[Any, Any] | None,
    lengths: WordCounts | None,
    settings: Settings,
) -> tuple[Solved, dict[bytes, Any]]:
    """Two lists under a measure, and what their documents are called by whoever gave them."""
    inputs = inputs_of_lists(before, after, measures, judged, lengths, settings)
    names = {bytes_of(document, "document", "lists"): document for document in (*before, *after)}
    (solved,) = Solver(inputs, inputs.pairing())(0)
    return solved, names


def inputs_of_lists(
    before: Sequence[Any],
    after: Sequence[Any],
    measures: Measures | None,
    judged: Mapping[Any, Any] | None,
    lengths: WordCounts | None,
    settings: Settings,
) -> Inputs:
    """Two lists as two runs of one query."""
    chosen = [] if measures is None else [effectiveness(single(measures, judged is not None))]
    qrels = None
    if judged is not None:
        qrels = Qrels.of(
            {"": judged}, intents=by_intent(chosen), grades=grading_for(chosen), threads=1
        )
    runs = [
        Run.of({"": ranking}, name=name, threads=1)
        for ranking, name in ((before, "before"), (after, "after"))
    ]
    settings = with_clusters(settings)
    return Inputs.of(chosen, runs, qrels, lengths_for(chosen, lengths, settings), settings)
