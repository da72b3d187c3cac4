"""How much could the change between two runs matter, query by query? The heart of medir."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import EFFORT, Duplicates, Options, Order, Settings, Unseen, with_settings
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.comparison import Comparison
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.identifiers import bytes_of
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.pairing import grades_of, lists_of
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Run, Source
from medir.measures import Measure, effectiveness, nDCG
from medir.measures.chosen import Measures, reach_of_relevance


@with_settings(Options)
def compare(
    before: Source,
    after: Source,
    measures: Measures = nDCG,
    *,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """The maximized effectiveness difference of every query.

    MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to documents; judgments fix
    some of it.

    `before` and `after` are paths, `{query: {document: score}}`, `{query: [documents]}` or runs.
    `lengths` are the words of documents (`{document: words}` or a path), which measures of time
    need. `progress` is called now and then with the queries done and to do.

    >>> result = compare({"q": ["a", "b", "c"]}, {"q": ["b", "a", "d"]}, "P@3")
    >>> result.mean()
    {P@3: 0.3333333333333333}
    """
    settings = Settings(**options)
    sources = {"before": before, "after": after}
    inputs = Inputs.read(sources, measures, settings, qrels=qrels, lengths=lengths)
    pairing = inputs.pairing()
    values, changes, counts = _maximised(inputs, pairing, progress)
    reach = reach_of_relevance(inputs.measures)
    return Comparison(
        pairing=pairing,
        measures=inputs.measures,
        values=values,
        changes=changes,
        runs=(inputs.runs[0], inputs.runs[1]),
        judged=inputs.judged,
        settings=settings,
        repeats=counts.repeats,
        without_relevant=counts.without_relevant,
        short=short_lists(counts, len(pairing), settings.depth, reach),
        depth=reach,
        lengths=inputs.lengths,
        without_length=counts.without_length,
    )


def med(
    before: Iterable[Hashable],
    after: Iterable[Hashable],
    measure: Measure | str = nDCG,
    *,
    judged: Mapping[Any, int] | None = None,
    lengths: WordCounts | None = None,
    unseen: Unseen = "anything",
    effort: int = EFFORT,
) -> float:
    """The maximized effectiveness difference of two ranked lists of documents.

    >>> round(med(["a", "b"], ["b", "a"], "nDCG@2"), 6)
    0.226294
    >>> med(["a", "b"], ["b", "a"], "P@1", judged={"a": 0})
    1.0
    """
    settings = Settings(unseen=unseen, effort=effort, threads=1)
    sources = {"before": {"": list(before)}, "after": {"": list(after)}}
    qrels = None if judged is None else {"": judged}
    inputs = Inputs.read(sources, measure, settings, qrels=qrels, lengths=lengths)
    values, *_ = _maximised(inputs, inputs.pairing(), None)
    return float(values[0, 0, 0])


def score(
    run: Source,
    measure: Measure | str,
    qrels: Judgments,
    *,
    lengths: WordCounts | None = None,
    order: Order = "score",
    duplicates: Duplicates = "error",
    threads: int | None = None,
) -> dict[str, float]:
    """Plain effectiveness of each judged query; a document without judgment is not relevant.

    A query that the run does not have scores as an empty list.

    >>> score({"q": ["a", "b"]}, "P@2", {"q": {"b": 1}})
    {'q': 0.5}
    """
    settings = Settings(order=order, duplicates=duplicates, unseen="nothing", threads=threads)
    inputs = Inputs.read({"run": run}, measure, settings, qrels=qrels, lengths=lengths)
    if len(inputs.measures) != 1:
        raise UsageError("score needs exactly one measure")
    one, (ranked,), judged = effectiveness(inputs.measures[0]), inputs.runs, inputs.judged
    assert judged is not None
    if one.in_python:
        return _scores_of_function(one, ranked, judged, inputs.options())
    values = np.zeros((1, len(judged)))
    kernels = inputs.kernels([one])
    _core.score(ranked._lists, judged._lists, kernels, inputs.options(), values)
    return dict(zip(judged.queries, values[0].tolist(), strict=True))


def _scores_of_function(
    one: Measure, run: Run, judged: Qrels, options: _core.Options
) -> dict[str, float]:
    """The scores of a measure that is computed in Python."""
    pairing = _core.Pairing(run._lists, Run.of({})._lists, 1)
    scores = {}
    for query in judged.queries:
        position = pairing.find(bytes_of(query, "query", ""))
        documents: list[bytes] = []
        grades: dict[bytes, int] = {}
        if position is not None:
            found = _core.query(pairing, position, judged._lists, [], options)
            (documents, _), grades = lists_of(found), grades_of(found)
        scores[query] = one.shape.score(one, documents, grades)
    return scores


def _maximised(
    inputs: Inputs, pairing: _core.Pairing, progress: Watcher | None
) -> tuple[Array, NDArray[np.uint32], _core.Counts]:
    """The values of all measures, the changes of all queries, and what was counted on the way."""
    native = [one for one in inputs.measures if not one.in_python]
    kernels, options = inputs.kernels(native), inputs.options()
    values = np.zeros((len(native), len(COLUMNS), len(pairing)))
    changes = np.zeros((len(CHANGES), len(pairing)), dtype=np.uint32)

    def work(state: _core.Progress) -> _core.Counts:
        return _core.compare(pairing, inputs.judgments, kernels, options, values, changes, state)

    counts = watched(work, len(pairing), progress)
    if len(native) < len(inputs.measures):
        values = _with_functions(values, inputs, pairing, progress)
    return values, changes, counts


def _with_functions(
    native: Array, inputs: Inputs, pairing: _core.Pairing, progress: Watcher | None
) -> Array:
    """The values of all measures, in order: those that are computed in Python join the others."""
    rest = iter(native)
    settings, options = inputs.settings, inputs.options()
    values = np.zeros((len(inputs.measures), *native.shape[1:]))
    for one, row in zip(inputs.measures, values, strict=True):
        if not one.in_python:
            row[:] = next(rest)
            continue
        solve = one.shape.solver(one, settings.unseen, settings.effort)
        for i in range(len(pairing)):
            query = _core.query(pairing, i, inputs.judgments, [], options)
            row[:, i] = solve(*lists_of(query), grades_of(query))
            if progress is not None:
                progress(i + 1, len(pairing))
    return values


def short_lists(counts: _core.Counts, queries: int, depth: int | None, reach: int | None) -> int:
    """How many queries have a list that ends above the deepest rank that counts."""
    if reach is None:
        return 0
    return queries if depth is not None and depth < reach else counts.short_lists
