"""What `compare` returns: the comparison of two runs of ranked documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from medir import _core
from medir.base.settings import Settings
from medir.base.words import count
from medir.comparing.differences import Differences
from medir.comparing.explaining.contents import Contents
from medir.comparing.inputs import Inputs, cluster_notes
from medir.files.background import watched
from medir.files.identifiers import bytes_of, text_of
from medir.files.origins import Input, name_and_format
from medir.inputs.pairing import by_rank
from medir.inputs.runs import Run
from medir.inputs.unseen import all_ended
from medir.measures import Measure, effectiveness
from medir.measures.chosen import native_options
from medir.measures.relevance import ideal_notes, max_grade_note, values_of

if TYPE_CHECKING:
    from medir.comparing.explaining.contents import Ranking, SameContent, TakenApart
    from medir.comparing.explaining.explain import Explainer
    from medir.comparing.explaining.explanation import Explanation
    from medir.comparing.explaining.witnesses import Recorder
    from medir.comparing.exposure import Exposures
    from medir.inputs.lengths import Lengths
    from medir.inputs.qrels import Qrels

DOCUMENTS = Contents(
    item="document",
    items="documents",
    part="document",
    places="ranks",
    relevant="documents",
    changed="results",
    changes="results that are new, gone, or at another rank",
    explainer="medir explain",
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Differences[Run]):
    """The comparison of two runs of ranked documents."""

    judged: Qrels | None
    repeats: int  # results dropped as duplicates of a higher-ranked document
    lengths: Lengths | None = None  # of documents, for measures of time
    without_length: int = 0  # documents that got the default length

    @property
    def contents(self) -> Contents:
        """What results are called: documents."""
        return DOCUMENTS

    @property
    def is_judged(self) -> bool:
        """Whether any relevance is known."""
        return self.judged is not None

    def inputs(self) -> Iterator[tuple[str, Input]]:
        """What was read, by the part that it plays."""
        yield from super().inputs()
        if self.judged is not None:
            yield "qrels", self.judged
        if self.lengths is not None:
            yield "lengths", self.lengths
        if self.settings.clusters is not None:
            yield "clusters", self.settings.clusters

    def choices(self) -> dict[str, Any]:
        """How it was compared, by the names of the arguments."""
        default = None if self.lengths is None else self.lengths.default
        return {**self.settings.choices(), **super().choices(), "default_length": default}

    def facts(self) -> Iterator[tuple[str, str]]:
        """What was compared, as names and values."""
        yield from super().facts()
        if self.judged is None:
            yield "Judgments", "none"
        else:
            without = self.without_relevant
            queries = count(without, "query", "queries")
            relevant = f"; {queries} without a relevant one" if without else ""
            yield "Judgments", f"{name_and_format(self.judged)}{relevant}"
        yield "Grades", max_grade_note(self.measures, self.judged)
        if self.lengths is not None:
            default = f"; {self.without_length:,} took the default" if self.without_length else ""
            yield "Lengths", f"{name_and_format(self.lengths)}{default}"
        if self.settings.clusters is not None:
            found = cluster_notes(self.judged, self.lengths, self.settings)
            yield "Clusters", "; ".join([self.settings.clusters.summary, *found])
        if self.cut is not None:
            yield "Depth", f"lists cut at {self.cut:,}"
        if self.settings.unseen != "auto":
            yield "Below the lists", self.settings.unseen
        if self.repeats:
            yield "Dropped", f"{count(self.repeats, 'duplicate')} of higher-ranked documents"
        if self.unproven:
            yield "Not proven", f"{count(self.unproven, 'value')}: see gap"

    def notes(self) -> Iterator[str]:
        """What is particular about this comparison, in sentences."""
        graded = any(
            measure["gains"] in ("exp", "linear") or measure["relevance"] == "graded"
            for measure in self.measures
        )
        if graded or self.judged is not None:
            yield max_grade_note(self.measures, self.judged)
        if self.repeats:
            yield f"{count(self.repeats, 'result')} dropped: duplicates of a higher-ranked document"
        if self.without_length:
            yield f"{count(self.without_length, 'document')} without a length got --default-length"
        if self.judged is not None and self.without_relevant:
            yield f"{count(self.without_relevant, 'query', 'queries')} without a relevant judgment"
        for one in self.measures:
            yield from ideal_notes(one, self.summary(one).above_one)
        if self.unproven:
            values = count(self.unproven, "value is", "values are")
            limited = " or --time-limit, which ended them" if self.settings.time_limit else ""
            yield f"{values} not proven: see gap, or raise --effort{limited}"
        yield from self.unseen_notes()

    def lengths_at(self, position: int) -> tuple[int, int]:
        """How many results the query at a position has before and after."""
        before, after = self._lists_at(position)
        return len(before), len(after)

    def grade_values(self, of: Measure | str | None = None) -> list[float] | None:
        """The relevance value of each grade; None for a measure that knows relevant and not."""
        from medir.measures.shapes.function import Function

        highest = None if self.judged is None else self.judged.highest
        one = self.measures[self._number(of)]
        values: list[float] = (
            list(one.shape.values)
            if isinstance(one.shape, Function)
            else values_of(one, highest).tolist()
        )
        return values if len(set(values)) > 2 else None

    def exposures(self) -> Exposures | None:
        """How documents gain and lose exposure by the first measure; None where it has decay."""
        from medir.comparing.exposure import expose, has_exposure

        if not has_exposure(self.measures[0]):
            return None
        one, settings = self.measures[0], self.settings
        return expose(self.pairing, self.runs, one, settings, sample=self.sample)

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        """The documents of a query before and after, as they were compared.

        A duplicate counts at its higher rank; lists are cut after duplicates are removed.
        """
        position = self.pairing.find(bytes_of(query, "query", ""))
        if position is None:
            return [], []
        before, after = (list(map(text_of, some)) for some in self._lists_at(position))
        return before, after

    @cached_property
    def _as_listed(self) -> _core.Options:
        """How lists are read that are shown as they were compared."""
        settings = Settings(depth=self.cut, duplicates="first", threads=1)
        return native_options(settings, [], all_ended(2))

    def _lists_at(self, position: int) -> tuple[list[bytes], list[bytes]]:
        query = _core.query(self.pairing, position, None, [], self._as_listed)
        before, after = (by_rank(ranks).tolist() for ranks in (query.before, query.after))
        return [query.documents[i] for i in before], [query.documents[i] for i in after]

    def explain(self, query: str, of: Measure | str | None = None) -> Explanation:
        """The value of one query, taken apart: what each document adds to it."""
        return self.explain_at(self.position(query), of)

    def explain_at(self, position: int, of: Measure | str | None = None) -> Explanation:
        """The value of the query at a position, taken apart."""
        measure = effectiveness(self.measures[self._number(of)])
        return self._explainer([measure])(position)[0]

    def ranking(self, position: int) -> Ranking:
        """The two lists of the query at a position, and its values taken apart."""
        from medir.comparing.explaining.clusters import RowsOfClusters, rows_of_clusters
        from medir.comparing.explaining.contents import Ranking

        whys: Sequence[TakenApart] = self._explain_all(position)
        query = self._explain_all.query(position)
        same: dict[str, SameContent] = {}
        if self.settings.clusters is not None:
            same = {row: one for why in whys for row, one in rows_of_clusters(why.evidence)}
            whys = [RowsOfClusters(why) for why in whys]
        before: dict[int | None, str] = {}
        after: dict[int | None, str] = {}
        grades: dict[str, int | None] = {}
        for why in whys:
            one = why.evidence
            before.update(zip(one.before, one.document, strict=True))
            after.update(zip(one.after, one.document, strict=True))
            grades.update(zip(one.document, one.grade, strict=True))
        known = {document: grade for document, grade in grades.items() if grade is not None}
        documents = {row: one.document for row, one in same.items()}
        return Ranking(query, _in_order(before), _in_order(after), known, whys, documents, same)

    @cached_property
    def _explain_all(self) -> Explainer:
        return self._explainer(self.measures)

    def record(self, recorder: Recorder) -> None:
        """Hands over the lists of all queries, where the kernels write them."""
        inputs = self._inputs(self.measures, threads=self.settings.threads)
        if any(one.in_python for one in self.measures):
            return
        kernels = inputs.kernels(self.measures)
        shards = recorder.shards(inputs, self.pairing, kernels)
        if shards is None:
            return
        options, judgments = inputs.options(), inputs.judgments

        def work(state: _core.Progress) -> None:
            _core.write_shards(self.pairing, judgments, kernels, options, shards, state)

        watched(work, len(self.pairing), None)

    def _explainer(self, measures: Sequence[Measure]) -> Explainer:
        from medir.comparing.explaining.explain import Explainer

        return Explainer(self._inputs(measures), self.pairing)

    def _inputs(self, measures: Sequence[Measure], threads: int | None = 1) -> Inputs:
        """What was compared, by some of the measures."""
        timed = any(one.shape.needs_lengths for one in measures)
        # Where duplicates are an error, there are none.
        settings = replace(self.settings, duplicates="first", threads=threads)
        lengths = self.lengths if timed else None
        return Inputs(measures, self.runs, self.judged, lengths, settings, self.list_lengths)


def _in_order(by_rank: Mapping[int | None, str]) -> list[str]:
    """The documents of a list; those of no rank are in the other."""
    return [by_rank[rank] for rank in sorted(rank for rank in by_rank if rank is not None)]
