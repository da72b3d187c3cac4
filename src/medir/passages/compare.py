"""How much could a change matter where results are passages? U-measure and time-biased gain.

A result is a trailtext: all passages one behind the other, as a user reads them. Relevance belongs
to the characters of documents, and every character has a weight by the place where it is first
shown; MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from medir import _core
from medir.checks import check_choice
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.compare import named_measures
from medir.comparing.comparison import Differences
from medir.comparing.contents import Contents, Ranking
from medir.comparing.matrix import Matrix
from medir.errors import MeasureError, UsageError
from medir.files.background import Watcher, thread_count, watched
from medir.files.checkpoint import keeping
from medir.files.identifiers import shown
from medir.files.opening import is_stdin
from medir.inputs.by_query import query_ids
from medir.inputs.pairing import Missing, pair, pool_of, read_both
from medir.inputs.passages import Passages, Shown
from medir.inputs.runs import Order
from medir.measures.kernels import NO_LIMIT, Unseen, deepest
from medir.measures.notation import Measure
from medir.version import __version__

if TYPE_CHECKING:
    from medir.passages.explain import PassageExplanation

Source = Passages | str | PathLike[str] | Shown
UnjudgedDocuments = Literal["unknown", "not-relevant"]
DEFAULT = "U@12000"
PARAMETERS = {"U": ("discount", "half_life"), "TBG": ("half_life", "speed")}  # over passages

STRETCHES = Contents(
    item="stretch",
    items="stretches",
    part="stretch of text",
    places="stretches of text",
    relevant="text",
    changed="characters",
    changes="characters that are new, gone, or at another place",
    explainer="medir passages --explain",
    lists="stretches of text that stand together in both runs, or in one alone: document and "
    "characters; their numbers are places among them",
    ranked=False,
)


@dataclass(frozen=True, eq=False, repr=False)
class PassageComparison(Differences[Passages]):
    """The comparison of two runs of passages. What changed is counted in characters."""

    gold: Passages | None
    closed: bool  # documents without a gold passage are not relevant
    empty: int  # passages of length 0
    repeated: int  # characters that were shown already
    gold_repeated: int  # characters of gold passages that overlap others
    cut: int | None  # passages, where runs were cut
    options: _core.TrailOptions

    @property
    def contents(self) -> Contents:
        """What results are called: stretches of text."""
        return STRETCHES

    @property
    def is_judged(self) -> bool:
        """Whether any relevance is known."""
        return self.gold is not None

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        yield from super().facts()
        yield "Gold passages", "none" if self.gold is None else shown(self.gold.name)
        if self.cut is not None:
            yield "Depth", f"runs cut at {self.cut:,} passages"
        if self.complete:
            yield "Below the text", "nothing: it is complete"
        yield "Notes", "; ".join(self.notes())

    def notes(self) -> Iterator[str]:
        """What is particular about this comparison, in sentences."""
        if self.gold is not None:
            rest = "not relevant" if self.closed else "unknown"
            yield f"documents without a gold passage are {rest}"
            if self.without_relevant:
                yield f"{self.without_relevant:,} queries without a gold passage"
            if self.gold_repeated:
                yield f"{self.gold_repeated:,} characters in more than one gold passage"
        if self.empty:
            yield f"{self.empty:,} passages of length 0"
        if self.repeated:
            yield f"{self.repeated:,} characters shown again: they count where they are first shown"
        if self.short and not self.complete:
            yield (
                f"{self.short:,} queries with less than {self.depth} characters: "
                "what may follow counts too (--complete: nothing does)"
            )
        yield "entered, left and moved are numbers of characters"

    def explain(self, query: str, of: Measure | str | None = None) -> PassageExplanation:
        """The value of one query, taken apart: what each stretch of text adds to it."""
        return self.explain_at(self.position(query), of)

    def explain_at(self, position: int, of: Measure | str | None = None) -> PassageExplanation:
        """The value of the query at a position, taken apart."""
        from medir.passages.explain import explain_passages

        measure = self.measures[0] if of is None else self.measures[self._number(of)]
        gold = None if self.gold is None else self.gold._lists
        kernel = native_measure(measure)
        return explain_passages(self.pairing, position, gold, measure, kernel, self.options)

    def ranking(self, position: int) -> Ranking:
        """The texts of the query at a position, stretch by stretch, and its values taken apart."""
        from medir.passages.explain import stretches_of

        return stretches_of([self.explain_at(position, measure) for measure in self.measures])


def compare_passages(
    before: Source,
    after: Source,
    measures: Measure | str | Sequence[Measure | str] = DEFAULT,
    *,
    gold: Source | None = None,
    unjudged_documents: UnjudgedDocuments = "unknown",
    missing: Missing = "empty",
    order: Order = "score",
    unseen: Unseen = "anything",
    depth: int | None = None,
    threads: int | None = None,
    progress: Watcher | None = None,
) -> PassageComparison:
    """The maximized effectiveness difference of every query of two runs of passages.

    `before` and `after` are paths, `{query: [(document, offset, length), ...]}` or `Passages`.
    Characters within `gold` passages are relevant, and what else their documents hold is not; other
    documents are unknown, or not relevant (`unjudged_documents="not-relevant"`). `depth` is where
    lists are cut, in passages; `unseen` is what may follow a trailtext that ends before the measure
    does. The other options are those of `compare`.

    >>> result = compare_passages({"q": [("a", 0, 12000)]}, {"q": [("b", 0, 12000)]})
    >>> result.mean()
    {U@12000: 2999.75}
    """
    chosen = trail_measures(measures)
    workers = thread_count(threads)
    check_choice(missing, Missing, "missing")
    if sum(map(is_stdin, (before, after, gold))) > 1:
        raise UsageError("only one of the files can come from standard input")
    options = trail_options(chosen, gold, unjudged_documents, unseen, depth, workers)
    judged = None if gold is None else gold_of(gold, workers)

    def read(source: Source, name: str) -> Passages:
        return Passages.of(source, order=order, name=name, threads=workers)

    runs = read_both(before, after, read, workers)
    pairing = pair(*runs, missing, workers)
    values = np.zeros((len(chosen), len(COLUMNS), len(pairing)))
    changes = np.zeros((len(CHANGES), len(pairing)), dtype=np.uint32)
    kernels = [native_measure(one) for one in chosen]

    def work(state: _core.Progress) -> _core.TrailCounts:
        lists = None if judged is None else judged._lists
        return _core.compare_passages(pairing, lists, kernels, options, values, changes, state)

    counts = watched(work, len(pairing), progress)
    return PassageComparison(
        pairing=pairing,
        measures=chosen,
        values=values,
        changes=changes,
        runs=runs,
        complete=unseen == "nothing",
        short=0 if deepest(chosen) is None else counts.short_texts,
        depth=deepest(chosen),
        without_relevant=counts.without_relevant,
        threads=workers,
        gold=judged,
        closed=unjudged_documents == "not-relevant",
        empty=counts.empty,
        repeated=counts.repeated,
        gold_repeated=counts.gold_repeated,
        cut=depth,
        options=options,
    )


def passage_matrix(
    runs: Mapping[str, Source],
    measures: Measure | str | Sequence[Measure | str] = DEFAULT,
    *,
    against: str | None = None,
    gold: Source | None = None,
    missing: Missing = "empty",
    order: Order = "score",
    threads: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    progress: Watcher | None = None,
    **options: Any,
) -> Matrix:
    """The mean MED of all pairs of runs of passages, as `matrix` has it for ranked documents.

    The options are those of `compare_passages`; `checkpoint` is that of `matrix`. `progress` is
    called with the pairs done and to do.

    >>> runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    >>> passage_matrix(runs, "U@9").mean().tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    chosen = trail_measures(measures)
    names = tuple(runs)
    if len(names) < 2:
        raise UsageError("a matrix takes two runs or more")
    if against is not None and against not in names:
        raise UsageError(f"there is no run {against!r} among {', '.join(names)}")
    workers = thread_count(threads)
    if sum(map(is_stdin, (*runs.values(), gold))) > 1:
        raise UsageError("only one of the files can come from standard input")
    judged = None if gold is None else gold_of(gold, workers)
    read = [
        Passages.of(source, order=order, name=name, threads=workers)
        for name, source in runs.items()
    ]
    pool = pool_of(read, missing)
    queries = query_ids(pool)
    position = {query: i for i, query in enumerate(queries)}
    pairs = tuple(
        (i, j)
        for i, j in combinations_with_replacement(range(len(names)), 2)
        if against is None or against in (names[i], names[j])
    )
    subject = [
        __version__,
        *(f"{one.family.name} {one.cutoff} {one.settings}" for one in chosen),
        *(f"{some._lists.digest(_core.Intents.ignored, workers):x}" for some in read),
        *([] if judged is None else [f"{judged._lists.digest(_core.Intents.ignored, workers):x}"]),
        f"{pairs} {options}",
    ]
    shape = len(chosen), len(pairs), len(queries)
    with keeping(checkpoint, subject, shape, len(pairs)) as kept:
        for number, (i, j) in enumerate(pairs):
            if not kept.finished[number]:
                result = compare_passages(
                    read[i], read[j], chosen, gold=judged, threads=threads, **options
                )
                known = [(at, position[q]) for at, q in enumerate(result.queries) if q in position]
                here, there = np.array(known, dtype=np.intp).reshape(-1, 2).T
                kept.values[:, number] = np.nan
                kept.values[:, number, there] = result.values[:, COLUMNS.index("med"), here]
                kept.finished[number] = 1
                kept.save_now_and_then()
            if progress is not None:
                progress(number + 1, len(pairs))
        values = kept.values.copy()
    return Matrix(names, tuple(chosen), queries, pairs, values, against)


def gold_of(source: Source, threads: int) -> Passages:
    """Gold passages from whatever holds them, all of them checked."""
    if isinstance(source, str | PathLike):
        return Passages.read(source, layout="gold", threads=threads)
    return Passages.of(source, layout="gold", name="gold", threads=threads)


def trail_measures(measures: Measure | str | Sequence[Measure | str]) -> list[Measure]:
    """One or several measures of passages or their names, each once."""
    chosen = named_measures(measures)
    for one in chosen:
        if not one.family.passages:
            raise MeasureError(
                f"{one} is a measure of ranked documents, not of passages; use medir compare, or a "
                f"measure of passages: {DEFAULT}, TBG"
            )
        if one.family.name == "TBG" and one.cutoff is not None:
            raise MeasureError(f"{one}: over passages, TBG takes no cutoff; it has a half_life")
        other = next((p for p, _ in one.settings if p not in PARAMETERS[one.family.name]), None)
        if other is not None:
            raise MeasureError(
                f"{one}: over passages, {one.family.name} has "
                f"{' and '.join(PARAMETERS[one.family.name])}, not {other}"
            )
    return chosen


def native_measure(one: Measure) -> _core.TrailMeasure:
    """A measure of passages as the kernel takes it."""
    if one.family.name == "TBG":
        return _core.TimeBiasedTrail(one["half_life"], one["speed"])
    assert one.cutoff is not None, one
    return _core.UMeasure(_core.TrailDiscount[one["discount"]], one.cutoff, one["half_life"])


def trail_options(
    measures: Sequence[Measure],
    gold: Source | None,
    unjudged_documents: UnjudgedDocuments,
    unseen: Unseen,
    depth: int | None,
    threads: int,
) -> _core.TrailOptions:
    """The options of the kernel. No character is looked at that no measure looks at."""
    check_choice(unseen, Unseen, "unseen")
    check_choice(unjudged_documents, UnjudgedDocuments, "unjudged_documents")
    closed = unjudged_documents == "not-relevant"
    if closed and gold is None:
        raise UsageError("documents can be not relevant for lack of gold only where there is gold")
    if depth is not None and (not isinstance(depth, Integral) or depth < 1):
        raise UsageError(f"depth is 1 or more, not {depth!r}")
    reach = deepest(measures)
    return _core.TrailOptions(
        depth or NO_LIMIT,
        math.inf if reach is None else float(reach),
        closed,
        _core.Unseen[unseen],
        threads,
    )
