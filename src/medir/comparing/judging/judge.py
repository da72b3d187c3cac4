"""Which documents to judge next: those that leave least room for a difference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, SupportsIndex, Unpack, overload

from medir import _core
from medir.base.checks import check_whole
from medir.base.settings import Options, Settings, with_settings
from medir.base.words import count, rounded
from medir.comparing.inputs import Inputs
from medir.errors import UsageError
from medir.files.background import Watcher, watched
from medir.files.identifiers import shown, text_of
from medir.files.origins import Input
from medir.files.tables import Table, Written
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Source
from medir.measures import Measure, effectiveness
from medir.measures.chosen import Measures, refuse_timed, single
from medir.measures.relevance import max_grade_note, max_grade_of, values_of


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


@with_settings(Options)
def judge(
    before: Source,
    after: Source,
    *others: Source,
    measures: Measures | None = None,
    qrels: Judgments | None = None,
    top: int = 50,
    progress: Watcher | None = None,
    **options: Unpack[Options],
) -> Suggestions:
    """The `top` documents that are most worth judging, best first, over all queries.

    Runs are what `compare` takes, two or more; `qrels` are the judgments that there are. Only
    documents that the measure sees in one of the lists count, and of those only documents whose
    judgment could change something: there may be fewer. One measure is used.

    >>> for suggestion in judge({"q": ["a", "b", "c"]}, {"q": ["c", "b", "a"]}, measures="nDCG@3"):
    ...     print(suggestion.document, round(suggestion.reduction, 4))
    a 0.2346
    c 0.2346
    """
    settings = Settings(**options)
    named = None
    if measures is not None:
        named = _judged_measure(single(measures, qrels is not None))
    check_whole(top, "top")
    sources = (before, after, *others)
    names = ("before", "after", *(f"run {number}" for number in range(3, len(sources) + 1)))
    inputs = Inputs.read(dict(zip(names, sources, strict=True)), named, settings, qrels=qrels)
    (chosen,) = inputs.measures
    pool = inputs.pool()
    (kernel,) = inputs.kernels([chosen])
    scale = _scale(chosen, inputs.judged)

    def work(state: _core.Progress) -> Any:
        options = inputs.options()
        return _core.judge(pool, inputs.judgments, kernel, *scale, options, int(top), state)

    found = watched(work, len(pool), progress)
    rows = (
        Suggestion(text_of(query), text_of(document), *values) for query, document, *values in found
    )
    return Suggestions(rows, chosen, inputs.judged)


class Suggestions(Written, Sequence[Suggestion]):
    """Documents to judge, best first.

    `max_grade` is the highest grade that a judge may give, and `grades` says where it comes from.
    """

    def __init__(self, rows: Iterable[Suggestion], measure: Measure, judged: Qrels | None) -> None:
        self._rows, self.measure, self._judged = list(rows), measure, judged
        self.max_grade = max_grade_of(measure, None if judged is None else judged.highest)
        self.grades = max_grade_note([measure], judged)

    def origins(self) -> Iterable[Input | None]:
        """The judgments that there were."""
        return (self._judged,)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: SupportsIndex) -> Suggestion: ...
    @overload
    def __getitem__(self, place: slice) -> Suggestions: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Suggestion | Suggestions:
        """A suggestion, or some of them with the same measure."""
        if isinstance(place, slice):
            return Suggestions(self._rows[place], self.measure, self._judged)
        return self._rows[place]

    def __eq__(self, other: object) -> bool:
        """Whether the other, which may be a list, has the same suggestions."""
        return self._rows == (other._rows if isinstance(other, Suggestions) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Suggestions: {count(len(self), 'document')} to judge by {self.measure!r}>"

    @property
    def verdict(self) -> str:
        """What judging them brings, in a sentence."""
        if not self:
            return f"Nothing to judge: no judgment could change {self.measure!r}."
        first = self[0]
        queries = count(len({one.query_id for one in self}), "query", "queries")
        return (
            f"Judge {shown(first.document)} for {shown(first.query_id)} first: whatever its grade, "
            f"the interval of {self.measure!r} gets {rounded(first.reduction)} shorter. "
            f"{count(len(self), 'document')} of {queries} "
            f"{'is' if len(self) == 1 else 'are'} suggested."
        )

    def table(self) -> Table:
        """Every suggestion, unrounded."""
        texts = "query_id", "document"
        return Table({name: str if name in texts else float for name in Suggestion._fields}, self)


def _judged_measure(measure: Measure | str) -> Measure:
    """The measure, where a single judgment has one meaning under it."""
    chosen = effectiveness(measure)
    if chosen.shape.by_intent:
        raise UsageError(f"{chosen} uses judgments by intent; judge needs one grade per document")
    if chosen.shape.is_function:
        raise UsageError(
            f"{chosen} is a function of your own; judge needs a measure that medir knows, "
            "or a Discount or Cascade"
        )
    refuse_timed([chosen], "judge")
    if chosen["ideal"] == "judged":
        raise UsageError(
            f"{chosen} takes its ideal from the judgments, so that every judgment changes the "
            "scale; judge needs another ideal, such as 'unbounded'"
        )
    return chosen


def _scale(measure: Measure, judged: Qrels | None) -> tuple[Sequence[int], Sequence[int]]:
    """The grades to try, and how many documents have each grade where that is known."""
    highest = None if judged is None else judged.highest
    values = values_of(measure, highest).tolist()
    if isinstance(measure["ideal"], tuple):
        available = dict(measure["ideal"])
        return range(len(values)), [available.get(grade, 0) for grade in range(len(values))]
    return [grade for grade, value in enumerate(values) if value not in values[:grade]], []
