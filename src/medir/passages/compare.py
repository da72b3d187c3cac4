"""How much could a change matter where results are passages? U-measure and time-biased gain.

A result is a trailtext: all passages one behind the other, as a user reads them. Relevance belongs
to the characters of documents, and every character has a weight by the place where it is first
shown; MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Literal, Unpack, get_args

import numpy as np

from medir import _core
from medir.checks import check_choice
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.comparison import Differences
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.opening import check_one_stdin
from medir.inputs.pairing import pair, read_all
from medir.inputs.passages import Passages, Shown
from medir.measures import Measure
from medir.measures.chosen import NO_LIMIT, Measures, deepest, measures_of_passages
from medir.passages.explain import PassageExplanation, explain_passages
from medir.settings import PassageOptions, Settings, with_settings

Source = Passages | str | PathLike[str] | Shown
UnjudgedDocuments = Literal["unknown", "not-relevant"]
DEFAULT = "U@12000"


@dataclass(frozen=True, eq=False, repr=False)
class PassageComparison(Differences[Passages]):
    """The comparison of two runs of passages. What changed is counted in characters."""

    gold: Passages | None
    closed: bool  # documents without a gold passage are not relevant
    empty: int  # passages of length 0
    repeated: int  # characters that were shown already
    gold_repeated: int  # characters of gold passages that overlap others
    options: _core.TrailOptions

    def explain(self, query: str, of: Measure | str | None = None) -> PassageExplanation:
        """The value of one query, taken apart: what each stretch of text adds to it."""
        if query not in self.queries:
            raise UsageError(f"there is no query {query!r} in this comparison")
        measure = self.measures[0] if of is None else self.measures[self._number(of)]
        gold = None if self.gold is None else self.gold._lists
        position = self.queries.index(query)
        return explain_passages(self.pairing, position, query, gold, measure, self.options)


@with_settings(PassageOptions)
def compare_passages(
    before: Source,
    after: Source,
    measures: Measures = DEFAULT,
    *,
    gold: Source | None = None,
    unjudged_documents: UnjudgedDocuments = "unknown",
    progress: Watcher | None = None,
    **options: Unpack[PassageOptions],
) -> PassageComparison:
    """The maximized effectiveness difference of every query of two runs of passages.

    `before` and `after` are paths, `{query: [(document, offset, length), ...]}` or `Passages`.
    Characters within `gold` passages are relevant, and what else their documents hold is not; other
    documents are unknown, or not relevant (`unjudged_documents="not-relevant"`). `depth` is a
    number of passages; `unseen` is what may follow a text that ends before the measure does.

    >>> result = compare_passages({"q": [("a", 0, 12000)]}, {"q": [("b", 0, 12000)]})
    >>> result.mean()
    {U@12000: 2999.75}
    """
    settings = Settings(**options)
    chosen = measures_of_passages(measures)
    check_one_stdin(before, after, gold)
    scope = trail_options(chosen, gold, unjudged_documents, settings)
    judged = None if gold is None else gold_of(gold, settings.workers)
    first, second = read_passages({"before": before, "after": after}, settings)
    pairing = pair(first, second, settings.missing, settings.workers)
    values = np.zeros((len(chosen), len(COLUMNS), len(pairing)))
    changes = np.zeros((len(CHANGES), len(pairing)), dtype=np.uint32)
    kernels = [one.shape.trail_kernel(one) for one in chosen]

    def work(state: _core.Progress) -> _core.TrailCounts:
        lists = None if judged is None else judged._lists
        return _core.compare_passages(pairing, lists, kernels, scope, values, changes, state)

    counts = watched(work, len(pairing), progress)
    return PassageComparison(
        pairing=pairing,
        measures=chosen,
        values=values,
        changes=changes,
        runs=(first, second),
        settings=settings,
        short=0 if deepest(chosen) is None else counts.short_texts,
        depth=deepest(chosen),
        without_relevant=counts.without_relevant,
        gold=judged,
        closed=unjudged_documents == "not-relevant",
        empty=counts.empty,
        repeated=counts.repeated,
        gold_repeated=counts.gold_repeated,
        options=scope,
    )


def read_passages(sources: Mapping[str, Source], settings: Settings) -> list[Passages]:
    """Runs of passages from whatever holds them."""
    order, threads = settings.order, settings.workers

    def read(source: Source, name: str) -> Passages:
        return Passages.of(source, order=order, name=name, threads=threads)

    return read_all(sources, read, threads)


def gold_of(source: Source, threads: int) -> Passages:
    """Gold passages from whatever holds them, all of them checked."""
    if isinstance(source, str | PathLike):
        return Passages.read(source, layout="gold", threads=threads)
    return Passages.of(source, layout="gold", name="gold", threads=threads)


def trail_options(
    measures: Sequence[Measure],
    gold: Source | None,
    unjudged: UnjudgedDocuments,
    settings: Settings,
) -> _core.TrailOptions:
    """The options of the kernel. No character is looked at that no measure looks at."""
    check_choice(unjudged, get_args(UnjudgedDocuments), "unjudged_documents")
    closed = unjudged == "not-relevant"
    if closed and gold is None:
        raise UsageError("documents can be not relevant for lack of gold only where there is gold")
    reach = deepest(measures)
    return _core.TrailOptions(
        settings.depth or NO_LIMIT,
        math.inf if reach is None else float(reach),
        closed,
        _core.Unseen[settings.unseen],
        settings.workers,
    )


def notes_on(result: PassageComparison) -> Iterator[str]:
    """What is particular about a comparison of passages."""
    if result.gold is not None:
        rest = "not relevant" if result.closed else "unknown"
        yield f"documents without a gold passage are {rest}"
        if result.without_relevant:
            yield f"{result.without_relevant:,} queries without a gold passage"
        if result.gold_repeated:
            yield f"{result.gold_repeated:,} characters in more than one gold passage"
    if result.empty:
        yield f"{result.empty:,} passages of length 0"
    if result.repeated:
        yield f"{result.repeated:,} characters shown again: they count where they are first shown"
    if result.short and not result.complete:
        yield (
            f"{result.short:,} queries with less than {result.depth} characters: "
            "unseen text counts too; pass --unseen nothing if the text ends there"
        )
    yield "entered, left and moved are numbers of characters"
