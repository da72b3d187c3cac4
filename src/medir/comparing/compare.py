"""How much could the change between two runs matter, query by query? The heart of medir."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import EFFORT, Options, Settings, Unseen, with_settings
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.comparison import Comparison
from medir.comparing.decision.sample import Sample
from medir.comparing.inputs import Inputs
from medir.files.background import Watcher, watched
from medir.inputs.pairing import grades_of, lists_of
from medir.inputs.queries import table_and_ids
from medir.measures.chosen import single

if TYPE_CHECKING:
    from medir.comparing.explaining.witnesses import Recorder
    from medir.inputs.clusters.reading import Source as ClusterSource
    from medir.inputs.lengths import Source as WordCounts
    from medir.inputs.qrels import Judgments
    from medir.inputs.queries import Ids
    from medir.inputs.queries import Source as QueryTable
    from medir.inputs.runs import Source
    from medir.measures import Measure
    from medir.measures.chosen import Measures


@with_settings(Options)
def compare(
    before: Source,
    after: Source,
    measures: Measures | None = None,
    *,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    queries: QueryTable | Ids | None = None,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
    noise: Source | None = None,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Comparison:
    """The maximized effectiveness difference of every query.

    MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to documents; judgments fix
    some of it. With `clusters`, documents of the same content count as one.

    Without `measures`, nDCG is measured: down to rank 20, or as deep as the longest list.

    `before` and `after` are paths, tables (of pandas, polars, pyarrow, DuckDB and whatever else
    speaks Arrow), arrays of neighbours (queries x k), `{query: {document: score}}`, `{query:
    [documents]}` or runs.
    `lengths` are the words of documents (`{document: words}` or a path), which measures of time
    need. `queries` is a table with one row per query (a path, a table, or `{query: {column:
    value}}`); its ids name the rows of arrays, in their order, as does a list of ids alone. Its
    column `weight`, or the one that `weight` names (`""` for none), says how much a query counts in
    means, shares and percentiles (`missing_weight`, else 1, where it has no row), and the column
    `by` splits summaries into segments. `noise` is a second run of the system before the change:
    what two runs of one system differ by is what the change is read against. `progress` is called
    now and then with the queries done and to do.

    >>> result = compare({"q": ["a", "b", "c"]}, {"q": ["b", "a", "d"]}, "P@3")
    >>> result.mean()
    {P@3: 0.3333333333333333}
    """
    return compare_recorded(
        None,
        before,
        after,
        measures,
        qrels=qrels,
        lengths=lengths,
        queries=queries,
        sampled={"weight": weight, "by": by, "missing_weight": missing_weight},
        noise=noise,
        progress=progress,
        settings=Settings(**options),
    )


def compare_recorded(
    recorder: Recorder | None,
    before: Source,
    after: Source,
    measures: Measures | None,
    *,
    settings: Settings,
    sampled: Mapping[str, Any],
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
    queries: QueryTable | Ids | None = None,
    noise: Source | None = None,
    progress: Watcher | None = None,
) -> Comparison:
    """The same, with someone who takes the lists of all queries on the way."""
    sources = {"before": before, "after": after}
    if noise is not None:
        sources["noise"] = noise
    about, ids = table_and_ids(queries, settings.threads)
    inputs = Inputs.read(
        sources,
        measures,
        settings,
        qrels=qrels,
        lengths=lengths,
        others=[queries],
        queries=ids,
        by_rank=recorder is None,
    )
    sampled = {"queries": about, **sampled}
    pairs = [inputs.pair(0, number) for number in range(1, len(sources))]
    first, *others = pairs
    result = compared(first, first.pairing(), sampled, progress, recorder)
    noises = [compared(pair, pair.pairing(), sampled, progress) for pair in others]
    return replace(result, noise=noises[0]) if noises else result


def compared(
    inputs: Inputs,
    pairing: _core.Pairing,
    sampled: Mapping[str, Any],
    progress: Watcher | None,
    recorder: Recorder | None = None,
) -> Comparison:
    """The queries of two runs, compared."""
    sample = Sample.of(pairing, **sampled)
    values, changes, counts = maximised(inputs, pairing, progress, recorder)
    return Comparison(
        pairing=pairing,
        measures=inputs.measures,
        values=values,
        changes=changes,
        runs=(inputs.runs[0], inputs.runs[1]),
        judged=inputs.judged,
        settings=inputs.settings,
        repeats=counts.repeats,
        without_relevant=counts.without_relevant,
        list_lengths=(inputs.list_lengths[0], inputs.list_lengths[1]),
        unseen_queries=looking_below(inputs.measures, counts.unseen),
        ended_queries=looking_below(inputs.measures, counts.ended),
        lengths=inputs.lengths,
        without_length=counts.without_length,
        sample=sample,
    )


def med(
    before: Iterable[Hashable],
    after: Iterable[Hashable],
    measures: Measures | None = None,
    *,
    judged: Mapping[Any, int] | None = None,
    lengths: WordCounts | None = None,
    clusters: ClusterSource | None = None,
    unseen: Unseen = "auto",
    effort: int = EFFORT,
    time_limit: float | None = None,
) -> float:
    """The maximized effectiveness difference of two ranked lists of documents.

    >>> round(med(["a", "b"], ["b", "a"], "nDCG@2"), 6)
    0.226294
    >>> med(["a", "b"], ["b", "a"], "P@1", judged={"a": 0})
    1.0
    >>> med(["a", "b"], ["a-copy", "b"], "nDCG@2", clusters={"a": 1, "a-copy": 1})
    0.0
    """
    from medir.inputs.formats.mappings import ranking_of

    settings = Settings(
        unseen=unseen, effort=effort, time_limit=time_limit, clusters=clusters, threads=1
    )
    lists = {"before": before, "after": after}
    sources = {name: {"": ranking_of(some, name)} for name, some in lists.items()}
    qrels = None if judged is None else {"": judged}
    chosen = None if measures is None else single(measures, judged is not None)
    inputs = Inputs.read(sources, chosen, settings, qrels=qrels, lengths=lengths)
    values, *_ = maximised(inputs, inputs.pairing(), None)
    return float(values[0, 0, 0])


def maximised(
    inputs: Inputs,
    pairing: _core.Pairing,
    progress: Watcher | None,
    recorder: Recorder | None = None,
) -> tuple[Array, NDArray[np.uint32], _core.Counts]:
    """The values of all measures, the changes of all queries, and what was counted on the way."""
    measures = inputs.measures
    native = iter(inputs.kernels(one for one in measures if not one.in_python))
    kernels = [None if one.in_python else next(native) for one in measures]
    options = inputs.options()
    shards = None if recorder is None else recorder.shards(inputs, pairing, kernels)
    values = np.zeros((len(measures), len(COLUMNS), len(pairing)))
    changes = np.zeros((len(measures), len(CHANGES), len(pairing)), dtype=np.uint32)

    def work(state: _core.Progress) -> _core.Counts:
        return _core.compare(
            pairing, inputs.judgments, kernels, options, values, changes, state, shards
        )

    counts = watched(work, len(pairing), progress)
    for one, row in zip(measures, values, strict=True):
        if one.in_python:
            _solve_in_python(one, row, inputs, pairing, progress)
    return values, changes, counts


def _solve_in_python(
    one: Measure, row: Array, inputs: Inputs, pairing: _core.Pairing, progress: Watcher | None
) -> None:
    """Fills in the values of a measure that no kernel computes."""
    options = inputs.options()
    solve = one.shape.solver(one, inputs.settings.effort)
    for i in range(len(pairing)):
        query = _core.query(pairing, i, inputs.judgments, [], options)
        cut = query.before_cut, query.after_cut
        row[:, i] = solve(*lists_of(query), grades_of(query), cut)
        if progress is not None:
            progress(i + 1, len(pairing))


def looking_below(measures: Sequence[Measure], counts: Sequence[int]) -> tuple[int, ...]:
    """Counts of queries with short lists, for those measures that look below a list."""
    pairs = zip(measures, counts, strict=True)
    return tuple(count if one.looks_below else 0 for one, count in pairs)
