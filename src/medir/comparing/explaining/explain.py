"""Why a value is what it is: what each document adds to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, zip_longest
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Options, Settings, with_settings
from medir.comparing.explaining.explanation import Columns, Explanation
from medir.comparing.inputs import Inputs
from medir.comparing.solve import Solved, Solver, inputs_of_lists
from medir.errors import MissingQueryError
from medir.files.identifiers import bytes_of, text_of
from medir.inputs.formats.mappings import ranking_of
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.pairing import by_rank
from medir.inputs.qrels import Judgments
from medir.inputs.runs import Source
from medir.measures import Measure, effectiveness
from medir.measures.chosen import Measures, single
from medir.measures.family import Known, Terms
from medir.measures.shapes.function import Function

Numbers = NDArray[np.intp]


@with_settings(Options)
def explain(
    before: Any,
    after: Any,
    measures: Measures | None = None,
    *,
    query: str | None = None,
    qrels: Any = None,
    lengths: WordCounts | None = None,
    **options: Unpack[Options],
) -> Explanation:
    """What drives the MED of two lists, or of one query of two runs.

    With `query`, `before` and `after` are runs and `qrels` their judgments, as for `compare`;
    without it, they are lists of documents, and `qrels` is `{document: grade}`. What a document
    adds is the term of its rank in one list less the term of its rank in the other: the score of a
    list is a sum over its ranks. For a function, which is not such a sum, documents become relevant
    one after the other, and what each changes is its part. `lengths` are the words of documents,
    for measures of time.

    >>> why = explain(["a", "b"], ["b", "a"], "RR", unseen="nothing")
    >>> [(d.document, d.before, d.after, d.loss) for d in why.documents]
    [('a', 1, 2, 0.5), ('b', 2, 1, 0.0)]
    >>> print(why.sentence)
    If a is relevant and b is not, RR falls by 0.50; all of it comes from a moving from rank 1 to 2.
    """
    settings = Settings(**options)
    if query is not None:
        known = {"qrels": qrels, "lengths": lengths}
        chosen = None if measures is None else single(measures, qrels is not None)
        return explain_measures(before, after, chosen, query, settings, **known)[0]
    lists = ranking_of(before, "before"), ranking_of(after, "after")
    names = {
        bytes_of(document, "document", "lists"): document for some in lists for document in some
    }
    inputs = inputs_of_lists(*lists, measures, qrels, lengths, settings)
    return Explainer(inputs, inputs.pairing(), names.get)(0)[0]


def explain_measures(
    before: Source,
    after: Source,
    measures: Measures | None,
    query: str,
    settings: Settings,
    *,
    qrels: Judgments | None = None,
    lengths: WordCounts | None = None,
) -> list[Explanation]:
    """One query of two runs under several measures; every input is read once."""
    sources = {"before": before, "after": after}
    inputs = Inputs.read(sources, measures, settings, qrels=qrels, lengths=lengths)
    for one in inputs.measures:
        effectiveness(one)
    pairing = inputs.pairing()
    position = pairing.find(bytes_of(query, "query", ""))
    if position is None:
        raise MissingQueryError(query, *(run.name for run in inputs.runs))
    return Explainer(inputs, pairing)(position)


class Explainer:
    """Takes queries of two runs apart, by position."""

    def __init__(
        self, inputs: Inputs, pairing: _core.Pairing, name_of: Callable[[bytes], Any] = text_of
    ) -> None:
        self._pairing, self._name_of = pairing, name_of
        self._solve = Solver(inputs, pairing)
        self._attributions = [Attribution(one, inputs) for one in inputs.measures]

    def query(self, position: int) -> str:
        """The id of a query."""
        return text_of(self._pairing.query(position))

    def __call__(self, position: int) -> list[Explanation]:
        """A query under each of the measures."""
        query, some = self.query(position), self._solve(position)
        return [
            attribution.of(solved, query, self._name_of)
            for attribution, solved in zip(self._attributions, some, strict=True)
        ]


class Attribution:
    """How the values of a measure are shared out among documents.

    What a document adds is the term of its rank in the favoured list less that in the other.
    """

    def __init__(
        self,
        measure: Measure,
        inputs: Inputs,
    ) -> None:
        self._measure, self._inputs = measure, inputs
        # The ideal of the judgments is another one for each query.
        self._terms = self._terms_for(()) if measure["ideal"] != "judged" else None

    def _terms_for(self, grades: Sequence[int]) -> Terms | None:
        inputs, one = self._inputs, self._measure
        highest = None if inputs.judged is None else inputs.judged.highest
        return one.shape.terms(one, Known(inputs.ranks, grades, highest, inputs.lengths))

    def of(self, solved: Solved, query: str, name_of: Callable[[bytes], Any]) -> Explanation:
        """A query, taken apart; `name_of` names its documents."""
        view = solved.query
        numbers = solved.shown
        reach = self._measure.reach
        before, after = (by_rank(ranks, reach) for ranks in (view.before, view.after))
        gains, unseen_gain = self._parts(
            solved, (after, before), solved.gain_relevance, solved.values[1], view.after_cut
        )
        losses, unseen_loss = self._parts(
            solved, (before, after), solved.loss_relevance, solved.values[2], view.before_cut
        )
        evidence = Columns(
            [name_of(view.documents[i]) for i in numbers.tolist()],
            _placed(view.before[numbers], reach),
            _placed(view.after[numbers], reach),
            [None if grade < 0 else grade for grade in view.grades[numbers].tolist()],
            _mean(solved.gain_relevance)[numbers].tolist(),
            gains[numbers].tolist(),
            _mean(solved.loss_relevance)[numbers].tolist(),
            losses[numbers].tolist(),
            *_same_content(view, numbers.tolist(), name_of),
        )
        return Explanation(
            query,
            self._measure,
            solved,
            name_of,
            evidence,
            unseen_gain,
            unseen_loss,
        )

    def _parts(
        self,
        solved: Solved,
        lists: tuple[Numbers, Numbers],
        relevance: Array,
        value: float,
        cut: bool,
    ) -> tuple[Array, float]:
        """What each document adds to S(favoured) - S(other), and what the unseen ranks add.

        `lists` are the favoured and the other; `cut` says whether unseen ranks follow the first.
        """
        favoured, other = lists
        parts = np.zeros(len(solved.query.documents))
        terms = self._terms_of(solved.query)
        if terms is None:
            self._by_steps(parts, favoured, other, relevance)
            return parts, value - float(parts.sum())
        unseen, intents = 0.0, relevance if relevance.ndim > 1 else relevance[np.newaxis]
        mine, theirs = (self._named(solved.query, ranking) for ranking in (favoured, other))
        for c in intents:
            parts[favoured] += terms.of(c[favoured], mine)
            parts[other] -= terms.of(c[other], theirs)
            if cut:
                unseen += terms.below(c[favoured], mine)
        parts /= len(intents)
        if isinstance(self._measure["ideal"], tuple):  # unseen ranks hold the rest of the counts
            return parts, value - float(parts.sum())
        return parts, unseen / len(intents)

    def _named(self, query: _core.Query, ranking: Numbers) -> Sequence[str]:
        """The ids of a list, for a measure that looks up their lengths."""
        if not self._measure.shape.needs_lengths:
            return ()
        return [text_of(query.documents[i]) for i in ranking]

    def _terms_of(self, query: _core.Query) -> Terms | None:
        if self._measure["ideal"] != "judged":
            return self._terms
        return self._terms_for(query.grades[query.grades >= 0].tolist())

    def _by_steps(self, parts: Array, favoured: Numbers, other: Numbers, relevance: Array) -> None:
        """Documents become relevant one after the other: what each changes is its part."""
        shape = self._measure.shape
        assert isinstance(shape, Function)
        now = np.full(len(relevance), shape.values[0])

        def difference() -> float:
            mine, theirs = now[favoured].tolist(), now[other].tolist()
            return shape.of(self._measure, mine) - shape.of(self._measure, theirs)

        last = difference()
        for document in _best_first(favoured, other):
            now[document] = relevance[document]
            changed = difference()
            parts[document] = changed - last
            last = changed


def _placed(ranks: NDArray[np.uint32], reach: int | None) -> list[int | None]:
    """The ranks that a measure looks at; None for no rank."""
    deepest = reach or np.iinfo(np.uint32).max
    return [rank if 0 < rank <= deepest else None for rank in ranks.tolist()]


def _same_content(
    query: _core.Query, numbers: Sequence[int], name_of: Callable[[bytes], Any]
) -> tuple[list[Any], list[Any]]:
    """Which other document stands for each after the change, and which it repeats; None for none.

    In either list, a document repeats the one above it.
    """
    after: list[Any] = [None] * len(numbers)
    repeats: list[Any] = [None] * len(numbers)
    repeated = query.repeated.tolist()
    for row, number in enumerate(numbers):
        first, in_after = query.documents[number], query.documents_after[number]
        if first != in_after:
            after[row] = name_of(in_after)
        if repeated[number] >= 0:
            documents = query.documents if query.before[number] else query.documents_after
            repeats[row] = name_of(documents[repeated[number]])
    return after, repeats


def _mean(relevance: Array) -> Array:
    """Relevance, or its mean over intents."""
    return relevance if relevance.ndim == 1 else relevance.mean(axis=0)


def _best_first(*rankings: Numbers) -> list[int]:
    """Documents in the order of their better rank."""
    by_rank = chain.from_iterable(zip_longest(*(ranking.tolist() for ranking in rankings)))
    return list(dict.fromkeys(document for document in by_rank if document is not None))
