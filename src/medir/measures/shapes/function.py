"""Measures that are Python functions: compared and scored query by query, in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.inputs.qrels import Qrels
from medir.measures.kernels import Unseen
from medir.measures.notation import Measure
from medir.measures.shapes.black_box import Difference, difference, relevance_of
from medir.measures.shapes.similarity import element_similarity
from medir.measures.table import Function

EFFORT_OF_A_NODE = 100  # a node costs many calls of the function


def solve_function(
    before: Sequence[bytes],
    after: Sequence[bytes],
    measure: Measure,
    judged: dict[bytes, int],
    unseen: Unseen,
    effort: int,
) -> Difference:
    """Both directions of two lists under a function."""
    function = _function(measure)
    return difference(
        before,
        after,
        function.score,
        values=function.values,
        monotone=function.monotone,
        judged=judged,
        cutoff=measure.cutoff,
        unseen=unseen,
        effort=max(1, effort // EFFORT_OF_A_NODE),
        name=repr(measure),
    )


def compare_function(
    pairing: _core.Pairing,
    judged: Qrels | None,
    measure: Measure,
    options: _core.Options,
    unseen: Unseen,
    effort: int,
    values: NDArray[np.float64],
    progress: Callable[[int, int], None] | None,
) -> None:
    """Fills in med, gain, loss, lower and gap of every query."""
    similarity = None if measure.family.similarity is None else element_similarity(measure)
    qrels = None if judged is None else judged._lists
    for i in range(len(pairing)):
        query = _core.query(pairing, i, qrels, [], options)
        before, after = lists_of(query)
        if similarity is not None:
            values[:, i] = similarity(before, after), np.nan, np.nan, np.nan, 0
        else:
            found = solve_function(before, after, measure, grades_of(query), unseen, effort)
            values[:, i] = found.med, found.gain.value, found.loss.value, found.lower, found.gap
        if progress is not None:
            progress(i + 1, len(pairing))


def score_function(
    pairing: _core.Pairing, query: bytes, judged: Qrels, measure: Measure, options: _core.Options
) -> float:
    """The score of a list before; a document without judgment is not relevant."""
    function = _function(measure)
    position = pairing.find(query)
    ranking: list[bytes] = []
    grades: dict[bytes, int] = {}
    if position is not None:
        found = _core.query(pairing, position, judged._lists, [], options)
        ranking, grades = lists_of(found)[0], grades_of(found)
    rest = function.values, measure.cutoff, repr(measure)
    return relevance_of(ranking, function.score, grades, *rest)


def lists_of(query: _core.Query) -> tuple[list[bytes], list[bytes]]:
    """The documents of a query before and after, in rank order."""
    size = int(np.count_nonzero(query.before))
    absent = int(np.count_nonzero(query.after == 0))
    order = np.argsort(query.after)[absent:].tolist()
    return query.documents[:size], [query.documents[i] for i in order]


def grades_of(query: _core.Query) -> dict[bytes, int]:
    """The judgments of a query, the highest of any intent."""
    pairs = zip(query.documents, query.grades.tolist(), strict=True)
    return {document: grade for document, grade in pairs if grade >= 0}


def _function(measure: Measure) -> Function:
    assert measure.family.function is not None, measure
    return measure.family.function
