"""How much could the change between two runs matter, query by query? The heart of medir."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.checks import check_choice
from medir.comparing.comparison import COLUMNS, Comparison
from medir.errors import UsageError
from medir.files.background import Watcher, thread_count, watched
from medir.files.identifiers import bytes_of
from medir.files.opening import is_stdin
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.lengths import lengths_for
from medir.inputs.pairing import Missing, pair, read_both
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Order, Run, Source
from medir.measures.kernels import (
    EFFORT,
    Duplicates,
    Unseen,
    check_for_lists,
    native_measures,
    native_options,
    reach_of_relevance,
)
from medir.measures.notation import Measure, effectiveness, measure, nDCG

if TYPE_CHECKING:
    pass


def compare(
    before: Source,
    after: Source,
    measures: Measure | str | Sequence[Measure | str] = nDCG,
    *,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    missing: Missing = "empty",
    order: Order = "score",
    duplicates: Duplicates = "error",
    unseen: Unseen = "anything",
    depth: int | None = None,
    effort: int = EFFORT,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> Comparison:
    """The maximized effectiveness difference of every query.

    MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to documents; judgments fix
    some of it.

    `before` and `after` are paths, `{query: {document: score}}`, `{query: [documents]}` or runs.
    `missing` says what becomes of a query that only one run has: the other list is empty, the query
    is skipped, or that is an error. `lengths` are the words of documents (`{document: words}` or a
    path), which measures of time need. `order` is how results are ordered, `depth` where lists are
    cut. `unseen` is what the ranks below a list may hold: anything (the default), or nothing where
    lists are complete. `effort` is how long the search for one maximum may go on (steps); what is
    not proven by then has a `gap`. `progress` is called now and then with the queries done
    and to do.

    >>> result = compare({"q": ["a", "b", "c"]}, {"q": ["b", "a", "d"]}, "P@3")
    >>> result.mean()
    {P@3: 0.3333333333333333}
    """
    chosen = measures_of(measures)
    workers = thread_count(threads)
    check_choice(missing, Missing, "missing")
    if sum(map(is_stdin, (before, after, qrels, lengths))) > 1:
        raise UsageError("only one of the files can come from standard input")
    words = lengths_for(chosen, lengths)
    by_intent = any(one.family.intents for one in chosen)
    judged = None if qrels is None else Qrels.of(qrels, intents=by_intent, threads=threads)

    def read(source: Source, name: str) -> Run:
        return Run.of(source, order=order, name=name, threads=workers)

    runs = read_both(before, after, read, workers)
    pairing = pair(*runs, missing, workers)
    native = [one for one in chosen if not one.in_python]
    kernels = native_measures(native, sum(run.longest for run in runs), judged, effort)
    values = np.zeros((len(native), len(COLUMNS), len(pairing)))
    changes = np.zeros((3, len(pairing)), dtype=np.uint32)
    options = native_options(chosen, depth, unseen, duplicates, workers, words)

    def work(state: _core.Progress) -> _core.Counts:
        lists = None if judged is None else judged._lists
        return _core.compare(pairing, lists, kernels, options, values, changes, state)

    counts = watched(work, len(pairing), progress)
    if len(native) < len(chosen):
        settings = options, unseen, effort
        values = _with_functions(values, chosen, pairing, judged, *settings, progress)
    return Comparison(
        pairing=pairing,
        measures=chosen,
        values=values,
        changes=changes,
        runs=runs,
        judged=judged,
        complete=unseen == "nothing",
        repeats=counts.repeats,
        without_relevant=counts.without_relevant,
        short=short_lists(counts, len(pairing), depth, reach_of_relevance(chosen)),
        depth=reach_of_relevance(chosen),
        cut=depth,
        effort=effort,
        threads=workers,
        lengths=words,
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
    result = compare(
        {"": list(before)},
        {"": list(after)},
        measure,
        qrels=None if judged is None else {"": judged},
        lengths=lengths,
        unseen=unseen,
        effort=effort,
        threads=1,
    )
    return float(result.values[0, 0, 0])


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
    chosen = measures_of(measure)
    if len(chosen) != 1:
        raise UsageError("score takes one measure")
    effectiveness(chosen[0])
    words = lengths_for(chosen, lengths)
    judged = Qrels.of(qrels, intents=chosen[0].family.intents, threads=threads)
    ranked = Run.of(run, order=order, name="run", threads=threads)
    options = native_options(chosen, None, "nothing", duplicates, thread_count(threads), words)
    if chosen[0].family.function is not None:
        from medir.measures.shapes.function import score_function

        pairing = _core.Pairing(ranked._lists, Run.of({})._lists, 1)
        rest = judged, chosen[0], options
        return {
            query: score_function(pairing, bytes_of(query, "query", ""), *rest)
            for query in judged.queries
        }
    kernels = native_measures(chosen, ranked.longest, judged)
    values = np.zeros((1, len(judged)))
    _core.score(ranked._lists, judged._lists, kernels, options, values)
    return dict(zip(judged.queries, values[0].tolist(), strict=True))


def measures_of(measures: Measure | str | Sequence[Measure | str]) -> list[Measure]:
    """One or several measures of ranked documents or their names, each once."""
    chosen = named_measures(measures)
    check_for_lists(chosen)
    return chosen


def named_measures(measures: Measure | str | Sequence[Measure | str]) -> list[Measure]:
    """One or several measures or their names, each once."""
    single = isinstance(measures, str) or not isinstance(measures, Iterable)
    several = [cast("Measure | str", measures)] if single else list(cast("Any", measures))
    if not several:
        raise UsageError("name at least one measure, such as nDCG@20")
    return list(dict.fromkeys(measure(one) for one in several))


def _with_functions(
    native: NDArray[np.float64],
    measures: Sequence[Measure],
    pairing: _core.Pairing,
    judged: Qrels | None,
    options: _core.Options,
    unseen: Unseen,
    effort: int,
    progress: Watcher | None,
) -> NDArray[np.float64]:
    """The values of all measures, in order: those that are Python functions join the others."""
    from medir.measures.shapes.function import compare_function

    rest = iter(native)
    values = np.zeros((len(measures), *native.shape[1:]))
    for one, row in zip(measures, values, strict=True):
        if not one.in_python:
            row[:] = next(rest)
        else:
            compare_function(pairing, judged, one, options, unseen, effort, row, progress)
    return values


def short_lists(counts: _core.Counts, queries: int, depth: int | None, reach: int | None) -> int:
    """How many queries have a list that ends above the deepest rank that counts."""
    if reach is None:
        return 0
    return queries if depth is not None and depth < reach else counts.short_lists
