"""Which documents to judge next: those that leave least room for a difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from medir import _core
from medir.checks import check_choice
from medir.errors import UsageError
from medir.files.background import Watcher, thread_count, watched
from medir.files.identifiers import ENCODING, UNDECODABLE, text_of
from medir.files.opening import is_stdin
from medir.files.replacing import replacing
from medir.files.tables import Table
from medir.inputs.lengths import refuse_timed
from medir.inputs.pairing import Missing, pool_of
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Order, Run, Source
from medir.measures.kernels import (
    EFFORT,
    Duplicates,
    Unseen,
    max_grade_of,
    native_measures,
    native_options,
    relevance_values,
)
from medir.measures.notation import Measure, effectiveness, nDCG


class Suggestion(NamedTuple):
    """A document to judge.

    The true difference of two lists lies somewhere from -loss to gain; `reduction` is by how much
    that interval becomes shorter, whatever grade the document gets. `med` is the MED of the query
    now; `worst` and `best` are the largest and the smallest that it can be after the judgment. With
    more than two runs, all of them are means over the pairs of runs.
    """

    query_id: str
    document: str
    reduction: float
    med: float
    worst: float
    best: float


def judge(
    before: Source,
    after: Source,
    *others: Source,
    measure: Measure | str = nDCG,
    qrels: Judgments | None = None,
    n: int = 50,
    missing: Missing = "empty",
    order: Order = "score",
    duplicates: Duplicates = "error",
    unseen: Unseen = "anything",
    depth: int | None = None,
    effort: int = EFFORT,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> list[Suggestion]:
    """The `n` documents that are most worth judging, best first, over all queries.

    Runs are what `compare` takes, two or more; `qrels` are the judgments that there are. Only
    documents that the measure sees in one of the lists count, and of those only documents whose
    judgment could change something: there may be fewer than `n`.

    >>> for suggestion in judge({"q": ["a", "b", "c"]}, {"q": ["c", "b", "a"]}, measure="nDCG@3"):
    ...     print(suggestion.document, round(suggestion.reduction, 4))
    a 0.2346
    c 0.2346
    """
    chosen = _judged_measure(measure)
    workers = thread_count(threads)
    check_choice(missing, Missing, "missing")
    if not isinstance(n, Integral) or n < 1:
        raise UsageError(f"n is 1 or more, not {n!r}")
    sources = (before, after, *others)
    if sum(map(is_stdin, (*sources, qrels))) > 1:
        raise UsageError("only one of the files can come from standard input")
    judged = None if qrels is None else Qrels.of(qrels, threads=threads)
    names = ("before", "after", *(f"run {number}" for number in range(3, len(sources) + 1)))
    runs = [
        Run.of(source, order=order, name=name, threads=threads)
        for source, name in zip(sources, names, strict=True)
    ]
    pool = pool_of(runs, missing)
    longest = sum(sorted(run.longest for run in runs)[-2:])
    (kernel,) = native_measures([chosen], longest, judged, effort)
    options = native_options([chosen], depth, unseen, duplicates, workers)
    scale = _scale(chosen, judged)

    def work(state: _core.Progress) -> Any:
        lists = None if judged is None else judged._lists
        return _core.judge(pool, lists, kernel, *scale, options, int(n), state)

    found = watched(work, len(pool), progress)
    return [
        Suggestion(text_of(query), text_of(document), *values) for query, document, *values in found
    ]


def suggestion_table(suggestions: Iterable[Suggestion]) -> Table:
    """Every suggestion, unrounded, as a table that can be written."""
    return Table(
        {name: str if name in ("query_id", "document") else float for name in Suggestion._fields},
        suggestions,
    )


def write_pool(path: str | PathLike[str], suggestions: Iterable[Suggestion]) -> None:
    """Writes `query document`, one line a suggestion, for those who judge.

    The file appears when it is complete, or not at all.
    """
    lines = [f"{_word(one.query_id)} {_word(one.document)}\n" for one in suggestions]
    with replacing(Path(path)) as temporary:
        temporary.write_bytes("".join(lines).encode(ENCODING, UNDECODABLE))


def _word(identifier: str) -> str:
    if not identifier or min(identifier) <= " ":  # blanks and control characters
        raise UsageError(
            f"{identifier!r} cannot stand in a pool file, where blanks separate query and document"
        )
    return identifier


def _judged_measure(measure: Measure | str) -> Measure:
    """The measure, where a single judgment has one meaning under it."""
    chosen = effectiveness(measure)
    if chosen.family.intents:
        raise UsageError(f"{chosen} takes judgments by intent; judge needs one grade a document")
    if chosen.family.function is not None:
        raise UsageError(
            f"{chosen} is a function of your own; judge needs a measure that medir knows, "
            "or a Discount or Cascade"
        )
    refuse_timed([chosen], "judge", "RBP")
    if chosen["ideal"] == "judged":
        raise UsageError(
            f"{chosen} takes its ideal from the judgments, so that every judgment changes the "
            "scale; judge needs another ideal, such as 'unbounded'"
        )
    return chosen


def _scale(measure: Measure, judged: Qrels | None) -> tuple[Sequence[int], Sequence[int]]:
    """The grades to try, and how many documents have each grade where that is known."""
    highest = max(
        max_grade_of(measure, None if judged is None else judged.highest), measure["rel"] or 0
    )
    counts = measure["ideal"]
    if isinstance(counts, tuple):
        available = dict(counts)
        return range(highest + 1), [available.get(grade, 0) for grade in range(highest + 1)]
    values = relevance_values(measure, highest).tolist()
    return [grade for grade, value in enumerate(values) if value not in values[:grade]], []
