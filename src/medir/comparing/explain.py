"""Why a value is what it is: what each document adds to it, and in plain words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.arrays import Array
from medir.comparing.solve import Solution, Solved, Solver, solved_lists
from medir.errors import InputError
from medir.files.identifiers import bytes_of, text_of
from medir.inputs.lengths import Lengths, lengths_for
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Order, Run
from medir.measures.kernels import EFFORT, Duplicates, Unseen
from medir.measures.notation import Measure, effectiveness, nDCG
from medir.measures.shapes.terms import Terms
from medir.measures.shapes.timed import TimedTerms

Numbers = NDArray[np.intp]

NAMED = 2  # documents of a kind that a sentence names
SMALL_PART = 0.01  # of a value


def move_between(before: int | None, after: int | None) -> str:
    """What became of something that stood at a place, or at none: entered, left, up, down, stays.

    >>> move_between(3, 1), move_between(None, 1)
    ('up', 'entered')
    """
    if before is None:
        return "entered"
    if after is None:
        return "left"
    if before == after:
        return "stays"
    return "up" if after < before else "down"


class Evidence(NamedTuple):
    """One document: where it stands, how it was judged, and its part in both worst cases.

    `gain_relevance` is its relevance where the change wins most, and `gain` what it adds to that
    value; `loss_relevance` and `loss` likewise where the change costs most. For measures of
    intents, relevance is the mean over intents.
    """

    document: Any
    before: int | None  # rank
    after: int | None
    grade: int | None
    gain_relevance: float
    gain: float
    loss_relevance: float
    loss: float

    @property
    def move(self) -> str:
        """What became of the document: entered, left, up, down or stays."""
        return move_between(self.before, self.after)


@dataclass(frozen=True)
class Explanation:
    """The value of one query, taken apart.

    The `gain` of all documents and `unseen_gain` (what the unseen ranks of the list after the
    change add) sum up to the gain; the losses likewise.
    """

    query: str
    measure: Measure
    solution: Solution
    documents: tuple[Evidence, ...]  # of the list before the change, then those that entered
    unseen_gain: float
    unseen_loss: float

    @property
    def sentence(self) -> str:
        """The value in plain words."""
        return sentence(self)


def explain(
    before: Any,
    after: Any,
    measure: Measure | str = nDCG,
    *,
    query: str | None = None,
    qrels: Any = None,
    lengths: WordCounts | None = None,
    unseen: Unseen = "anything",
    order: Order = "score",
    duplicates: Duplicates = "error",
    depth: int | None = None,
    effort: int = EFFORT,
) -> Explanation:
    """What drives the MED of two lists, or of one query of two runs.

    With `query`, `before` and `after` are runs and `qrels` their judgments, as `compare` takes
    them; without it, they are lists of documents, and `qrels` is `{document: grade}`. What a
    document adds is the term of its rank in one list less the term of its rank in the other: the
    score of a list is a sum over its ranks. `lengths` are the words of documents, for measures of
    time. For a function, which is no such sum, documents become
    relevant one after the other, and what each changes is its part.

    >>> why = explain(["a", "b"], ["b", "a"], "RR", unseen="nothing")
    >>> [(d.document, d.before, d.after, d.loss) for d in why.documents]
    [('a', 1, 2, 0.5), ('b', 2, 1, 0.0)]
    >>> print(why.sentence)
    If a is relevant and b is not, RR falls by 0.50; all of it comes from a moving from rank 1 to 2.
    """
    chosen = effectiveness(measure)
    words = lengths_for([chosen], lengths)
    if query is None:
        judged = None if qrels is None else Qrels.of({"": qrels}, intents=chosen.family.intents)
        lists = list(before)[: chosen.reach], list(after)[: chosen.reach]
        solved, names = solved_lists(*lists, chosen, judged, unseen, effort, words)
        ranks = len(lists[0]) + len(lists[1])
        return Attribution(chosen, ranks, judged, unseen, words).of(solved, "", names.__getitem__)
    runs = Run.of(before, order=order, name="before"), Run.of(after, order=order, name="after")
    judged = None if qrels is None else Qrels.of(qrels, intents=chosen.family.intents)
    pairing = _core.Pairing(runs[0]._lists, runs[1]._lists, 1)
    position = pairing.find(bytes_of(query, "query", ""))
    if position is None:
        raise InputError(
            f"there is no query {query!r} in {runs[0].name} or {runs[1].name}",
            remedy="Query ids are written as in the runs.",
        )
    explainer = Explainer(
        runs,
        pairing,
        [chosen],
        judged,
        unseen=unseen,
        effort=effort,
        duplicates=duplicates,
        depth=depth,
        lengths=words,
    )
    return explainer(position)[0]


class Explainer:
    """Takes queries of two runs apart, by position; the options are those of `Solver`."""

    def __init__(
        self,
        runs: Sequence[Run],
        pairing: _core.Pairing,
        measures: Sequence[Measure],
        qrels: Qrels | None,
        *,
        unseen: Unseen,
        lengths: Lengths | None,
        **options: Any,
    ) -> None:
        rest: dict[str, Any] = {"unseen": unseen, "lengths": lengths, **options}
        self._solve = Solver(runs, pairing, measures, qrels, **rest)
        ranks = self._solve.ranks
        self._attributions = [
            Attribution(one, ranks, qrels, unseen, lengths if one.family.shape == "timed" else None)
            for one in measures
        ]

    def __call__(self, position: int) -> list[Explanation]:
        """A query under each of the measures."""
        query = text_of(self._solve.pairing.query(position))
        return [
            attribution.of(solved, query, text_of)
            for attribution, solved in zip(self._attributions, self._solve(position), strict=True)
        ]


class Attribution:
    """How the values of a measure are shared out among documents.

    What a document adds is the term of its rank in the favoured list less that in the other.
    """

    def __init__(
        self,
        measure: Measure,
        ranks: int,
        qrels: Qrels | None,
        unseen: Unseen,
        lengths: Lengths | None,
    ) -> None:
        self._measure, self._ranks, self._unseen = measure, ranks, unseen
        self._highest = None if qrels is None else qrels.highest
        self._terms: Terms | TimedTerms | None = None
        if lengths is not None:
            self._terms = TimedTerms(measure, lengths)
        elif measure.family.function is None and measure["ideal"] != "judged":
            self._terms = Terms.for_query(measure, ranks, None, self._highest)

    def of(self, solved: Solved, query: str, name_of: Callable[[bytes], Any]) -> Explanation:
        """A query, taken apart."""
        view = solved.query
        numbers = solved.shown
        names = {i: name_of(view.documents[i]) for i in numbers.tolist()}
        reach = self._measure.reach
        before, after = (_by_rank(ranks, reach) for ranks in (view.before, view.after))
        gains, unseen_gain = self._parts(
            solved, after, before, solved.gain_relevance, solved.values[1]
        )
        losses, unseen_loss = self._parts(
            solved, before, after, solved.loss_relevance, solved.values[2]
        )
        documents = map(
            Evidence,
            names.values(),
            _placed(view.before[numbers], reach),
            _placed(view.after[numbers], reach),
            [None if grade < 0 else grade for grade in view.grades[numbers].tolist()],
            _mean(solved.gain_relevance)[numbers].tolist(),
            gains[numbers].tolist(),
            _mean(solved.loss_relevance)[numbers].tolist(),
            losses[numbers].tolist(),
        )
        return Explanation(
            query,
            self._measure,
            solved.solution(names),
            tuple(documents),
            unseen_gain,
            unseen_loss,
        )

    def _parts(
        self, solved: Solved, favoured: Numbers, other: Numbers, relevance: Array, value: float
    ) -> tuple[Array, float]:
        """What each document adds to S(favoured) - S(other), and what the unseen ranks add."""
        parts = np.zeros(len(solved.query.documents))
        if self._measure.family.function is not None:
            self._by_steps(parts, favoured, other, relevance)
            return parts, value - float(parts.sum())
        terms, unseen = self._terms_of(solved.query), 0.0
        intents = np.atleast_2d(relevance)
        for c in intents:
            mine, theirs = c[favoured], c[other]
            parts[favoured] += terms(mine, favoured)
            parts[other] -= terms(theirs, other)
            if self._unseen == "anything":
                unseen += terms.below(mine, favoured)
        parts /= len(intents)
        if isinstance(self._measure["ideal"], tuple):  # what is left of the counts stands below
            return parts, value - float(parts.sum())
        return parts, unseen / len(intents)

    def _terms_of(self, query: _core.Query) -> _RankTerms:
        terms = self._terms
        if terms is None:
            judged = dict(enumerate(query.grades[query.grades >= 0].tolist()))
            terms = Terms.for_query(self._measure, self._ranks, judged, self._highest)
        return _RankTerms(terms, query.documents)

    def _by_steps(self, parts: Array, favoured: Numbers, other: Numbers, relevance: Array) -> None:
        """Documents become relevant one after the other: what each changes is its part."""
        function = self._measure.family.function
        assert function is not None
        now = np.full(len(relevance), function.values[0])

        def difference() -> float:
            return self._score(now[favoured]) - self._score(now[other])

        last = difference()
        for document in _best_first(favoured, other):
            now[document] = relevance[document]
            changed = difference()
            parts[document] = changed - last
            last = changed

    def _score(self, c: Array) -> float:
        function = self._measure.family.function
        assert function is not None
        below = max((self._measure.cutoff or 0) - len(c), 0)
        return float(function.score(np.concatenate([c, np.full(below, function.values[0])])))


@dataclass(frozen=True)
class _RankTerms:
    """The terms of a list whose documents are numbers."""

    terms: Terms | TimedTerms
    documents: Sequence[bytes]

    def __call__(self, c: Array, ranking: Numbers) -> Array:
        if isinstance(self.terms, TimedTerms):
            return self.terms.of(c, [text_of(self.documents[i]) for i in ranking])
        return self.terms.of(c)

    def below(self, c: Array, ranking: Numbers) -> float:
        if isinstance(self.terms, TimedTerms):
            return self.terms.below(c, [text_of(self.documents[i]) for i in ranking])
        return self.terms.below(c)


def _by_rank(ranks: NDArray[np.uint32], reach: int | None) -> Numbers:
    """The numbers of the documents of a list, in rank order."""
    absent = int(np.count_nonzero(ranks == 0))
    return np.argsort(ranks)[absent:][:reach]


def _placed(ranks: NDArray[np.uint32], reach: int | None) -> list[int | None]:
    """The ranks that a measure looks at; None for no rank."""
    deepest = reach or np.iinfo(np.uint32).max
    return [rank if 0 < rank <= deepest else None for rank in ranks.tolist()]


def _mean(relevance: Array) -> Array:
    """Relevance, or its mean over intents."""
    return relevance if relevance.ndim == 1 else relevance.mean(axis=0)


def _best_first(*rankings: Numbers) -> list[int]:
    """Documents in the order of their better rank."""
    by_rank = chain.from_iterable(zip_longest(*(ranking.tolist() for ranking in rankings)))
    return list(dict.fromkeys(document for document in by_rank if document is not None))


def sentence(why: Explanation) -> str:
    """The larger direction in plain words.

    >>> sentence(explain(["a"], ["a"], "P@1"))
    'P@1 cannot change: what counts stands where it stood.'
    """
    solution, name = why.solution, repr(why.measure)
    falls = solution.loss >= solution.gain - 1e-12
    value = solution.loss if falls else solution.gain
    if abs(solution.med) < 1e-12 and abs(solution.gain) < 1e-12:
        return f"{name} cannot change: what counts stands where it stood."
    verb = "falls" if falls else "rises"
    if abs(solution.gain + solution.loss) < 1e-12:
        return f"{name} {verb} by {value:.2f}: all that counts is judged."
    surely = -(solution.gain if falls else solution.loss)
    if surely > 0:
        return f"{_worst(why, falls, value, verb)} It {verb} by {surely:.2f} at least."
    return _worst(why, falls, value, verb)


def _worst(why: Explanation, falls: bool, value: float, verb: str) -> str:
    name = repr(why.measure)
    relevance = attrgetter("loss_relevance" if falls else "gain_relevance")
    part = attrgetter("loss" if falls else "gain")
    free = [d for d in why.documents if d.grade is None]
    good = [d for d in free if relevance(d) > 0 and part(d) >= SMALL_PART * value]
    good.sort(key=lambda d: -part(d))
    opposite = attrgetter("gain" if falls else "loss")
    bad = sorted(
        (d for d in free if relevance(d) == 0 and opposite(d) > 0), key=lambda d: -opposite(d)
    )
    if not good:
        return f"{name} {verb} by {value:.2f} at most: what stands below the lists decides."
    conditions = [_listed(good, "relevant")]
    if bad:
        conditions.append(_listed(bad, "not"))
    first = good[0]
    share = "all" if abs(part(first) - value) < SMALL_PART * value else "part"
    if share == "part" and part(first) > value / 2:
        share = "most"
    return (
        f"If {' and '.join(conditions)}, {name} {verb} by {value:.2f}; "
        f"{share} of it comes from {first.document} {_moved(first)}."
    )


def _listed(documents: Sequence[Evidence], what: str) -> str:
    names = [str(d.document) for d in documents[:NAMED]]
    if len(documents) > NAMED:
        names.append(f"{len(documents) - NAMED} more")
    if len(names) == 1:
        return f"{names[0]} is {what}"
    return f"{', '.join(names[:-1])} and {names[-1]} are {what}"


def _moved(evidence: Evidence) -> str:
    match evidence.move:
        case "entered":
            return f"entering at rank {evidence.after}"
        case "left":
            return f"leaving rank {evidence.before}"
        case "stays":
            return f"at rank {evidence.before}"
        case _:
            return f"moving from rank {evidence.before} to {evidence.after}"
