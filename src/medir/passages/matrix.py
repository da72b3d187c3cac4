"""Distances between many runs of passages: the mean MED of all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from typing import Unpack

import numpy as np

from medir.base.settings import PassageOptions, Settings, with_settings
from medir.base.version import __version__
from medir.comparing.columns import COLUMNS
from medir.comparing.matrix import (
    Matrix,
    check_names,
    pairs_of,
    size,
    split,
    take_notes,
    zero_diagonal,
)
from medir.files.background import Watcher
from medir.files.checkpoint import keeping
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
    compare_passages,
    gold_of,
    read_passages,
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
    `matrix`. `progress` is called with the pairs done and to do.

    >>> runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    >>> passage_matrix(runs, "U@9").mean().tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    settings = Settings(**options)
    chosen = measures_of_passages(measures)
    check_names(runs, against)
    check_one_stdin(*runs.values(), gold)
    workers = settings.workers
    judged = None if gold is None else gold_of(gold, workers)
    read = read_passages(runs, settings)
    pool = pool_of(read, settings.missing)
    queries = query_ids(pool)
    position = {query: i for i, query in enumerate(queries)}
    pairs = pairs_of(tuple(runs), against, both_ways=False)
    each = replace(settings, missing="empty")
    subject = [
        __version__,
        *identities(chosen),
        *(some.digest(workers) for some in read),
        *([] if judged is None else [judged.digest(workers)]),
        f"{pairs} {unjudged_documents} {replace(settings, threads=1)}",
    ]
    shape = len(chosen), len(pairs), len(queries)
    with keeping(checkpoint, subject, (size(shape, len(pairs)),), len(pairs)) as kept:
        values, notes = split(kept.values, shape, len(pairs))
        for number, (i, j) in enumerate(pairs):
            if not kept.finished[number]:
                result = compare_passages(
                    read[i],
                    read[j],
                    chosen,
                    gold=judged,
                    unjudged_documents=unjudged_documents,
                    **each.passage_options(),
                )
                known = [(at, position[q]) for at, q in enumerate(result.queries) if q in position]
                here, there = np.array(known, dtype=np.intp).reshape(-1, 2).T
                values[:, number] = np.nan
                values[:, number, there] = result.values[:, COLUMNS.index("med"), here]
                if i != j:
                    take_notes(notes, number, result, here)
                kept.finished[number] = 1
                kept.save_now_and_then()
            if progress is not None:
                progress(number + 1, len(pairs))
    zero_diagonal(values, chosen, pairs)
    lengths = tuple(list_lengths(run, settings.duplicates, workers) for run in read)
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
