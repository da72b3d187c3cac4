"""What a comparison needs, read and checked once: measures, runs, judgments and the like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from medir import _core
from medir.base.notices import tell
from medir.base.settings import Settings
from medir.base.words import count
from medir.files.opening import check_one_stdin
from medir.files.origins import announce
from medir.inputs.pairing import pair, pool_of, read_all, read_together
from medir.inputs.runs import Run
from medir.inputs.unseen import list_lengths, unseen_rule
from medir.measures.chosen import (
    Measures,
    by_intent,
    default_measure,
    grading_for,
    lengths_for,
    measures_of_documents,
    native_measures,
    native_options,
    without_judgments,
)
from medir.measures.family import Measure

if TYPE_CHECKING:
    from medir.inputs.lengths import Lengths
    from medir.inputs.lengths import Source as WordCounts
    from medir.inputs.qrels import Judgments, Qrels
    from medir.inputs.runs import Source


@dataclass(frozen=True, eq=False, repr=False)
class Inputs:
    """Measures, runs and what is known of them."""

    measures: Sequence[Measure]
    runs: Sequence[Run]
    judged: Qrels | None
    lengths: Lengths | None
    settings: Settings
    list_lengths: Sequence[_core.ListLengths]  # of each run

    @classmethod
    def read(
        cls,
        sources: Mapping[str, Source],
        measures: Measures | None,
        settings: Settings,
        *,
        qrels: Judgments | None = None,
        lengths: WordCounts | None = None,
        others: Sequence[object] = (),
        queries: Collection[Any] | None = None,
        check: Callable[[Measures], list[Measure]] = measures_of_documents,
        by_rank: bool = False,
    ) -> Inputs:
        """Reads all of them. `others` are further inputs that may be standard input.

        `queries` are the ids of the rows of arrays and of responses, in their order.
        Without measures, the default one is as deep as the longest list, if that is short.
        `by_rank`: of the first two runs, only where documents stand will be asked for, unless
        something is known of documents.
        """
        several = qrels if isinstance(qrels, list | tuple) else [qrels]
        stdin = *sources.values(), *several, lengths, *others
        chosen, judged, words, settings = known(measures, settings, qrels, lengths, stdin, check)
        threads = settings.workers

        def read(source: Source, name: str) -> Run:
            return Run.of(
                source,
                order=settings.order,
                columns=settings.columns,
                pad=settings.pad,
                queries=queries,
                name=name,
                threads=threads,
            )

        by_rank = by_rank and settings.order == "score"
        if by_rank and judged is None and words is None and settings.clusters is None:
            runs = read_together(sources, read, threads)
        else:
            runs = read_all(sources, read, threads)
        announce([judged, words, settings.clusters])
        if judged is None or judged.origin is not None:  # what is in memory is known
            for note in cluster_notes(judged, words, settings):
                tell(note)
        return cls.of(chosen, runs, judged, words, settings)

    @classmethod
    def of(
        cls,
        measures: Sequence[Measure],
        runs: Sequence[Run],
        judged: Qrels | None,
        lengths: Lengths | None,
        settings: Settings,
    ) -> Inputs:
        """What was read. Without measures, the default one."""
        lists = [list_lengths(run, settings.duplicates, settings.workers) for run in runs]
        if not measures:
            longest = max((one.longest for one in lists), default=0)
            measures = [default_measure(min(longest, settings.depth or longest))]
        return cls(measures, runs, judged, lengths, settings, lists)

    @property
    def judgments(self) -> _core.Lists | None:
        """The judgments as the kernels read them."""
        return None if self.judged is None else self.judged._lists

    def pair(self, before: int, after: int) -> Inputs:
        """Two of the runs."""
        runs = [self.runs[before], self.runs[after]]
        return replace(
            self, runs=runs, list_lengths=[self.list_lengths[before], self.list_lengths[after]]
        )

    def pairing(self) -> _core.Pairing:
        """The queries of two runs."""
        before, after = self.runs
        return pair(before, after, self.settings.missing, self.settings.workers)

    def pool(self) -> _core.Pool:
        """The queries of all runs."""
        return pool_of(self.runs, self.settings.missing)

    @property
    def ranks(self) -> int:
        """How many results any two lists have together, at most."""
        return sum(sorted(run.longest for run in self.runs)[-2:])

    def kernels(self, measures: Iterable[Measure]) -> list[_core.Measure]:
        """The kernels of measures, for any two of the runs."""
        return native_measures(measures, self.ranks, self.judged, self.settings.search)

    def options(self, measures: Sequence[Measure] | None = None) -> _core.Options:
        """The settings as the kernels read them."""
        chosen = self.measures if measures is None else measures
        return native_options(self.settings, chosen, self.unseen, self.lengths)

    @cached_property
    def unseen(self) -> _core.Unseen:
        """What decides for each list whether unseen ranks follow."""
        return unseen_rule(self.settings.unseen, self.list_lengths)


def known(
    measures: Measures | None,
    settings: Settings,
    qrels: Judgments | None,
    lengths: WordCounts | None,
    inputs: Sequence[object],
    check: Callable[[Measures], list[Measure]] = measures_of_documents,
) -> tuple[list[Measure], Qrels | None, Lengths | None, Settings]:
    """The measures that were chosen, what is known of documents, and the settings with clusters.

    One of all `inputs` may be standard input.
    """
    if measures is not None and qrels is None:
        measures = without_judgments(measures)
    chosen = [] if measures is None else check(measures)
    check_one_stdin(*inputs, settings.clusters)
    settings = with_clusters(settings)
    words = lengths_for(chosen, lengths, settings)
    if qrels is None:
        return chosen, None, words, settings
    from medir.inputs.qrels import Qrels

    judged = Qrels.of(
        qrels,
        intents=by_intent(chosen),
        grades=grading_for(chosen, settings.grades),
        columns=settings.columns,
        requests=settings.requests,
        threads=settings.workers,
    )
    return chosen, judged, words, settings


def with_clusters(settings: Settings) -> Settings:
    """Settings whose clusters are read."""
    if settings.clusters is None:
        return settings
    from medir.inputs.clusters.reading import Clusters

    return replace(settings, clusters=Clusters.of(settings.clusters))


def cluster_notes(
    judged: Qrels | None, lengths: Lengths | None, settings: Settings
) -> Iterator[str]:
    """Where documents of one cluster were judged differently or have different lengths."""
    if settings.clusters is None:
        return
    if judged is not None:
        different = judged.disagreements(settings.clusters, settings.workers)
        if different:
            are = count(different, "cluster has", "clusters have")
            yield f"{are} documents with different grades: the highest counts"
    if lengths is not None and lengths.uneven_clusters:
        are = count(lengths.uneven_clusters, "cluster has", "clusters have")
        yield f"{are} documents of different lengths: the longest counts"
