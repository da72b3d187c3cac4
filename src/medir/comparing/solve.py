"""One pair of lists, solved: the values, and the relevance that reaches them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from medir import _core
from medir.files.identifiers import bytes_of, text_of
from medir.inputs.by_query import documents_of, grades_of
from medir.inputs.lengths import Lengths
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run
from medir.measures import Measure, effectiveness, nDCG
from medir.measures.chosen import lengths_for, native_measures, native_options
from medir.measures.shapes.function import Function
from medir.settings import EFFORT, Settings, Unseen

Assignment = dict[Any, Any]


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
    gain_assignment: Assignment
    loss_assignment: Assignment

    @property
    def assignment(self) -> Assignment:
        """The relevance of each document that reaches `med`."""
        return self.gain_assignment if self.gain >= self.loss else self.loss_assignment


def solve(
    before: Iterable[Hashable],
    after: Iterable[Hashable],
    measure: Measure | str = nDCG,
    *,
    judged: Mapping[Any, Any] | None = None,
    lengths: WordCounts | None = None,
    unseen: Unseen = "anything",
    effort: int = EFFORT,
) -> Solution:
    """MED of two ranked lists, in both directions, and the relevance that reaches it.

    `judged` is `{document: grade}`, or `{intent: {document: grade}}` for measures of intents;
    `lengths` is `{document: words}` for measures of time.

    >>> solution = solve(["a", "b"], ["b", "a"], "ERR@2", unseen="nothing")
    >>> solution.med, solution.assignment
    (0.375, {'a': 0.0, 'b': 0.75})
    """
    qrels = None if judged is None else Qrels.of({"": judged}, threads=1)
    chosen = effectiveness(measure)
    words = lengths_for([chosen], lengths)
    return solve_query("", list(before), list(after), chosen, qrels, unseen, effort, words)


def solve_query(
    query: str,
    before: Sequence[Any],
    after: Sequence[Any],
    measure: Measure,
    qrels: Qrels | None,
    unseen: Unseen,
    effort: int,
    lengths: Lengths | None = None,
) -> Solution:
    """MED of the two lists of a query with the judgments that there are for it."""
    names = {bytes_of(document, "document", "lists"): document for document in (*before, *after)}
    runs = [
        Run.of({query: ranking}, name=name, threads=1)
        for ranking, name in ((before, "before"), (after, "after"))
    ]
    if isinstance(measure.shape, Function):
        return _solve_function(runs, qrels, measure, unseen, effort, names)
    return _solve_native(runs, qrels, measure, unseen, effort, names, lengths)


def _solve_native(
    runs: Sequence[Run],
    qrels: Qrels | None,
    measure: Measure,
    unseen: Unseen,
    effort: int,
    names: Mapping[bytes, Any],
    lengths: Lengths | None,
) -> Solution:
    (kernel,) = native_measures([measure], sum(run.longest for run in runs), qrels, effort)
    row, witness, documents, intents = _core.solve(
        _core.Pairing(runs[0]._lists, runs[1]._lists, 1),
        None if qrels is None else qrels._lists,
        kernel,
        native_options(Settings(unseen=unseen, effort=effort, threads=1), [measure], lengths),
    )
    called = [text_of(intent) for intent in intents]

    def assignment(relevance: list[float]) -> Assignment:
        by_intent = np.array(relevance).reshape(-1, len(documents)).T.tolist() if documents else []
        if not measure.shape.by_intent:
            values: Iterable[Any] = (value for (value,) in by_intent)
        else:
            unjudged = len(by_intent[0]) - len(called) if by_intent else 0
            keys = [*called, *(f"unjudged {n}" for n in range(1, unjudged + 1))]
            values = (dict(zip(keys, some, strict=True)) for some in by_intent)
        pairs = zip(documents, values, strict=True)
        return {names[document]: value for document, value in pairs if document in names}

    return Solution(*row, assignment(witness.gain_relevance), assignment(witness.loss_relevance))


def _solve_function(
    runs: Sequence[Run],
    qrels: Qrels | None,
    measure: Measure,
    unseen: Unseen,
    effort: int,
    names: Mapping[bytes, Any],
) -> Solution:
    settings, shape = Settings(unseen=unseen, effort=effort), measure.shape
    assert isinstance(shape, Function)
    query = bytes_of(runs[0].queries[0], "query", "")
    before, after = (documents_of(run._lists, query) for run in runs)
    grades = {} if qrels is None else grades_of(qrels._lists, query)
    found = shape.solve(measure, before, after, grades, settings.unseen, settings.effort)
    gain, loss = (
        {names[document]: value for document, value in direction.assignment.items()}
        for direction in (found.gain, found.loss)
    )
    values = found.med, found.gain.value, found.loss.value, found.lower, found.gap
    return Solution(*values, gain, loss)
