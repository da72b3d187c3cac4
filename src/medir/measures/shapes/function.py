"""Measures that are Python functions: compared and scored query by query, in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.inputs.by_query import NOT_FOUND
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
    runs: tuple[_core.Lists, _core.Lists],
    judged: Qrels | None,
    measure: Measure,
    depth: int | None,
    unseen: Unseen,
    effort: int,
    values: NDArray[np.float64],
    progress: Callable[[int, int], None] | None,
) -> None:
    """Fills in med, gain, loss, lower and gap of every query."""
    similarity = None if measure.family.similarity is None else element_similarity(measure)
    for i in range(len(pairing)):
        query = pairing.query(i)
        before, after = (documents_of(run, query)[:depth] for run in runs)
        if similarity is not None:
            values[:, i] = similarity(before, after), np.nan, np.nan, np.nan, 0
        else:
            grades = {} if judged is None else grades_of(judged._lists, query)
            found = solve_function(before, after, measure, grades, unseen, effort)
            values[:, i] = found.med, found.gain.value, found.loss.value, found.lower, found.gap
        if progress is not None:
            progress(i + 1, len(pairing))


def score_function(run: _core.Lists, query: bytes, judged: Qrels, measure: Measure) -> float:
    """The score of one list; a document without judgment is not relevant."""
    function = _function(measure)
    return relevance_of(
        documents_of(run, query),
        function.score,
        grades_of(judged._lists, query),
        function.values,
        measure.cutoff,
        repr(measure),
    )


def documents_of(lists: _core.Lists, query: bytes) -> list[bytes]:
    """The ranked documents of a query, each once; none where the run does not have the query."""
    number = lists.find(query)
    if number == NOT_FOUND:
        return []
    return list(dict.fromkeys(document for document, _ in lists.entries(number)))


def grades_of(lists: _core.Lists, query: bytes) -> dict[bytes, int]:
    """The judgments of a query, the highest of any intent; none where it has none."""
    number = lists.find(query)
    grades: dict[bytes, int] = {}
    for document, grade in [] if number == NOT_FOUND else lists.entries(number):
        grades[document] = max(int(grade), grades.get(document, 0))
    return grades


def _function(measure: Measure) -> Function:
    assert measure.family.function is not None, measure
    return measure.family.function
