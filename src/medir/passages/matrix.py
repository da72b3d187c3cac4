"""Distances between many runs of passages: the mean MED of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Unpack

from medir import _core
from medir.base.settings import PassageOptions, Settings, with_settings
from medir.base.version import __version__
from medir.comparing.matrix import Matrix, check_names, pairs_of, size, split
from medir.files.background import Watcher, watched
from medir.files.checkpoint import keeping, saving
from medir.files.opening import check_one_stdin
from medir.inputs.by_query import query_ids
from medir.inputs.pairing import pool_of
from medir.inputs.unseen import list_lengths
from medir.measures.chosen import Measures, identities, measures_of_passages
from medir.passages.compare import (
    DEFAULT,
    STRETCHES,
    Source,
    UnjudgedDocuments,
    check_unjudged,
    gold_of,
    read_passages,
    trail_options,
)


@with_settings(PassageOptions)
def passage_matrix(
    runs: Mapping[str, Source],
    measures: Measures = DEFAULT,
    *,
    against: str | None = None,
    gold: Source | None = None,
    unjudged_documents: UnjudgedDocuments = "unknown",
    checkpoint: str | PathLike[str] | None = None,
    progress: Watcher | None = None,
    **options: Unpack[PassageOptions],
) -> Matrix:
    """The mean MED of all pairs of runs of passages, as `matrix` has it for ranked documents.

    `gold` and `unjudged_documents` are those of `compare_passages`, `checkpoint` is that of
    `matrix`. `progress` is called with the queries done and to do.

    >>> runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    >>> passage_matrix(runs, "U@9").mean().tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    settings = Settings(**options)
    chosen = measures_of_passages(measures)
    check_names(runs, against)
    check_one_stdin(*runs.values(), gold)
    check_unjudged(unjudged_documents, gold)
    workers = settings.workers
    judged = None if gold is None else gold_of(gold, workers)
    read = read_passages(runs, settings)
    pool = pool_of(read, settings.missing)
    queries = query_ids(pool)
    pairs = pairs_of(tuple(runs), against, both_ways=False)
    lengths = tuple(list_lengths(run, settings.duplicates, workers) for run in read)
    scope = trail_options(chosen, unjudged_documents, settings, lengths)
    kernels = [one.shape.trail_kernel(one) for one in chosen]
    subject = [
        __version__,
        *identities(chosen),
        *(some.digest(workers) for some in read),
        *([] if judged is None else [judged.digest(workers)]),
        f"{len(queries)} {pairs} {unjudged_documents} {replace(settings, threads=1)}",
    ]
    shape = len(chosen), len(pairs), len(queries)
    with keeping(checkpoint, subject, (size(shape, len(pool)),), len(pool)) as kept:
        values, notes = split(kept.values, shape, len(pool))

        def work(state: _core.Progress) -> None:
            gold_lists = None if judged is None else judged._lists
            _core.compare_passage_pairs(
                pool, pairs, gold_lists, kernels, scope, values, notes, kept.finished, state
            )

        watched(work, len(pool), saving(kept, progress))
    return Matrix(
        tuple(runs),
        tuple(chosen),
        queries,
        pairs,
        values,
        notes,
        settings,
        lengths,
        against,
        contents=STRETCHES,
    )
