"""How much could a change matter where results are passages? U-measure and time-biased gain.

A result is a trailtext: all passages one behind the other, as a user reads them. Relevance belongs
to the characters of documents, and every character has a weight by the place where it is first
shown; MED(A, B) = max |S(A) - S(B)| over every assignment of relevance to characters.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Literal, Unpack, get_args

import numpy as np

from medir import _core
from medir.base.checks import check_choice
from medir.base.settings import PassageOptions, Settings, with_settings
from medir.base.words import count
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.decision.sample import Sample
from medir.comparing.differences import Differences
from medir.comparing.explaining.contents import Contents, Ranking
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.identifiers import text_of
from medir.files.opening import check_one_stdin
from medir.files.origins import Input, announce, name_and_format
from medir.inputs.pairing import pair, read_all
from medir.inputs.passages import Passages, Shown
from medir.inputs.queries import Queries
from medir.inputs.queries import Source as QueryTable
from medir.inputs.unseen import list_lengths, unseen_rule
from medir.measures import Measure
from medir.measures.chosen import NO_LIMIT, Measures, measures_of_passages
from medir.passages.explain import PassageExplanation, explain_passages, stretches_of

Source = Passages | str | PathLike[str] | Shown
UnjudgedDocuments = Literal["unknown", "not-relevant"]
DEFAULT = "U@12000"

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
    options: _core.TrailOptions

    @property
    def contents(self) -> Contents:
        """What results are called: stretches of text."""
        return STRETCHES

    @property
    def is_judged(self) -> bool:
        """Whether any relevance is known."""
        return self.gold is not None

    def inputs(self) -> Iterator[tuple[str, Input]]:
        """What was read, by the part that it plays."""
        yield from super().inputs()
        if self.gold is not None:
            yield "gold", self.gold

    def choices(self) -> dict[str, Any]:
        """How it was compared, by the names of the arguments."""
        unjudged = "not-relevant" if self.closed else "unknown"
        return {
            **self.settings.passage_options(),
            **super().choices(),
            "unjudged_documents": unjudged,
        }

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        yield from super().facts()
        yield "Gold passages", "none" if self.gold is None else name_and_format(self.gold)
        if self.cut is not None:
            yield "Depth", f"runs cut at {self.cut:,} passages"
        if self.settings.unseen != "auto":
            yield "Below the text", self.settings.unseen
        yield "Notes", "; ".join(self.notes())

    def notes(self) -> Iterator[str]:
        """What is particular about this comparison, in sentences."""
        if self.gold is not None:
            rest = "not relevant" if self.closed else "unknown"
            yield f"documents without a gold passage are {rest}"
            if self.without_relevant:
                queries = count(self.without_relevant, "query", "queries")
                yield f"{queries} without a gold passage"
            if self.gold_repeated:
                characters = count(self.gold_repeated, "character")
                yield f"{characters} in more than one gold passage"
        if self.empty:
            yield f"{count(self.empty, 'passage')} of length 0"
        if self.repeated:
            characters = count(self.repeated, "character")
            yield f"{characters} shown again: text counts where it first appears"
        yield from self.unseen_notes()
        yield "entered, left and moved are numbers of characters"

    def lengths_at(self, position: int) -> tuple[int, int]:
        """How many passages the query at a position has before and after."""
        query = text_of(self.pairing.query(position))
        before, after = (len(run.get(query)) for run in self.runs)
        return before, after

    def explain(self, query: str, of: Measure | str | None = None) -> PassageExplanation:
        """The value of one query, taken apart: what each stretch of text adds to it."""
        return self.explain_at(self.position(query), of)

    def explain_at(self, position: int, of: Measure | str | None = None) -> PassageExplanation:
        """The value of the query at a position, taken apart."""
        measure = self.measures[0] if of is None else self.measures[self._number(of)]
        gold = None if self.gold is None else self.gold._lists
        return explain_passages(self.pairing, position, gold, measure, self.options)

    def ranking(self, position: int) -> Ranking:
        """The texts of the query at a position, stretch by stretch, and its values taken apart."""
        return stretches_of([self.explain_at(position, measure) for measure in self.measures])


@with_settings(PassageOptions)
def compare_passages(
    before: Source,
    after: Source,
    measures: Measures = DEFAULT,
    *,
    gold: Source | None = None,
    unjudged_documents: UnjudgedDocuments = "unknown",
    queries: QueryTable | None = None,
    weight: str | None = None,
    by: str | None = None,
    missing_weight: float | None = None,
    noise: Source | None = None,
    progress: Watcher | None = None,
    **options: Unpack[PassageOptions],
) -> PassageComparison:
    """The maximized effectiveness difference of every query of two runs of passages.

    `before` and `after` are paths, `{query: [(document, offset, length), ...]}` or `Passages`.
    Characters within `gold` passages are relevant, and what else their documents hold is not; other
    documents are unknown, or not relevant (`unjudged_documents="not-relevant"`). `depth` is a
    number of passages; `unseen` is what may follow a text that ends before the measure does.
    `queries`, `weight`, `by`, `missing_weight` and `noise` are those of `compare`.

    >>> result = compare_passages({"q": [("a", 0, 12000)]}, {"q": [("b", 0, 12000)]})
    >>> result.mean()
    {U@12000: 2999.75}
    """
    settings = Settings(**options)
    chosen = measures_of_passages(measures)
    check_one_stdin(before, after, gold, queries, noise)
    check_unjudged(unjudged_documents, gold)
    judged = None if gold is None else gold_of(gold, settings.workers)
    sources = {"before": before, "after": after}
    if noise is not None:
        sources["noise"] = noise
    first, second, *again = read_passages(sources, settings)
    about = None if queries is None else Queries.of(queries, settings.threads)
    sampled = {"queries": about, "weight": weight, "by": by, "missing_weight": missing_weight}

    def compared(one: Passages, other: Passages) -> PassageComparison:
        runs = one, other
        return _compared(runs, chosen, judged, unjudged_documents, sampled, settings, progress)

    result = compared(first, second)
    return replace(result, noise=compared(first, *again)) if again else result


def _compared(
    runs: tuple[Passages, Passages],
    measures: Sequence[Measure],
    gold: Passages | None,
    unjudged: UnjudgedDocuments,
    sampled: dict[str, Any],
    settings: Settings,
    progress: Watcher | None,
) -> PassageComparison:
    """Two runs of passages, compared."""
    duplicates, workers = settings.duplicates, settings.workers
    lengths = tuple(list_lengths(run, duplicates, workers) for run in runs)
    scope = trail_options(measures, unjudged, settings, lengths)
    pairing = pair(*runs, settings.missing, workers)
    sample = Sample.of(pairing, **sampled)
    values = np.zeros((len(measures), len(COLUMNS), len(pairing)))
    changes = np.zeros((len(measures), len(CHANGES), len(pairing)), dtype=np.uint32)
    kernels = [one.shape.trail_kernel(one) for one in measures]

    def work(state: _core.Progress) -> _core.TrailCounts:
        lists = None if gold is None else gold._lists
        return _core.compare_passages(pairing, lists, kernels, scope, values, changes, state)

    counts = watched(work, len(pairing), progress)
    return PassageComparison(
        pairing=pairing,
        measures=measures,
        values=values,
        changes=changes,
        runs=runs,
        settings=settings,
        list_lengths=(lengths[0], lengths[1]),
        unseen_queries=counts.unseen,
        ended_queries=counts.ended,
        without_relevant=counts.without_relevant,
        sample=sample,
        gold=gold,
        closed=unjudged == "not-relevant",
        empty=counts.empty,
        repeated=counts.repeated,
        gold_repeated=counts.gold_repeated,
        options=scope,
    )


def read_passages(sources: Mapping[str, Source], settings: Settings) -> list[Passages]:
    """Runs of passages from whatever holds them."""
    if settings.clusters is not None:
        raise UsageError(
            "clusters (--clusters) are of whole documents, and passages do not take them; text "
            "that is shown twice counts once there already"
        )
    order, threads = settings.order, settings.workers

    def read(source: Source, name: str) -> Passages:
        return Passages.of(
            source, order=order, name=name, columns=settings.columns, threads=threads
        )

    return read_all(sources, read, threads)


def gold_of(source: Source, threads: int) -> Passages:
    """Gold passages from whatever holds them, all of them checked."""
    if not isinstance(source, str | PathLike):
        return Passages.of(source, layout="gold", name="gold", threads=threads)
    gold = Passages.read(source, layout="gold", threads=threads)
    announce([gold])
    return gold


def check_unjudged(unjudged: UnjudgedDocuments, gold: Source | None) -> None:
    """Raises an error where documents are said to be not relevant, but none is judged."""
    check_choice(unjudged, get_args(UnjudgedDocuments), "unjudged_documents")
    if unjudged == "not-relevant" and gold is None:
        raise UsageError("unjudged_documents='not-relevant' needs gold passages (--gold FILE)")


def trail_options(
    measures: Sequence[Measure],
    unjudged: UnjudgedDocuments,
    settings: Settings,
    lengths: Sequence[_core.ListLengths],
) -> _core.TrailOptions:
    """The options of the kernel. No character is looked at that no measure looks at."""
    return _core.TrailOptions(
        settings.depth or NO_LIMIT,
        [math.inf if one.reach is None else float(one.reach) for one in measures],
        unjudged == "not-relevant",
        unseen_rule(settings.unseen, lengths),
        settings.workers,
    )
