"""Why a value is what it is: what each document adds to it, and in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Unpack

import numpy as np

from medir.comparing.inputs import Inputs
from medir.comparing.solve import Assignment, Solution, solve_query
from medir.errors import InputError
from medir.inputs.lengths import Lengths
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Source
from medir.measures import Measure, effectiveness, nDCG
from medir.measures.chosen import Measures, lengths_for
from medir.measures.family import Terms
from medir.measures.shapes.function import Function
from medir.settings import Options, Settings, Unseen, with_settings

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


@dataclass(frozen=True)
class Evidence:
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


@with_settings(Options)
def explain(
    before: Any,
    after: Any,
    measure: Measure | str = nDCG,
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
    list is a sum over its ranks. For a function, which is no such sum, documents become relevant
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
        return explain_measures(before, after, [measure], query, settings, **known)[0]
    chosen = effectiveness(measure)
    words = lengths_for([chosen], lengths)
    judged = None if qrels is None else Qrels.of({"": qrels}, intents=chosen.shape.by_intent)
    first, second = (_cut(list(ranking), settings) for ranking in (before, after))
    unseen, effort = settings.unseen, settings.effort
    return explain_query("", first, second, chosen, judged, unseen, effort, words)


def explain_measures(
    before: Source,
    after: Source,
    measures: Measures,
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
    inputs.pairing()
    if not any(query in run for run in inputs.runs):
        raise InputError(
            f"there is no query {query!r} in {inputs.runs[0].name} or {inputs.runs[1].name}",
            remedy="Query ids are written as in the runs.",
        )
    first, second = (_cut(run.get(query), settings) for run in inputs.runs)
    unseen, effort = settings.unseen, settings.effort
    return [
        explain_query(
            query,
            first,
            second,
            one,
            inputs.judged,
            unseen,
            effort,
            inputs.lengths if one.shape.needs_lengths else None,
        )
        for one in inputs.measures
    ]


def _cut(ranking: Sequence[Any], settings: Settings) -> Sequence[Any]:
    """A list as it is compared."""
    if settings.duplicates == "first":
        ranking = list(dict.fromkeys(ranking))
    return ranking[: settings.depth]


def explain_query(
    query: str,
    before: Sequence[Any],
    after: Sequence[Any],
    measure: Measure,
    qrels: Qrels | None,
    unseen: Unseen,
    effort: int,
    lengths: Lengths | None = None,
) -> Explanation:
    """The two lists of a query, taken apart."""
    reach = measure.reach
    before, after = before[:reach], after[:reach]
    solution = solve_query(query, before, after, measure, qrels, unseen, effort, lengths)
    grades = qrels[query] if qrels is not None and query in qrels else {}
    terms = measure.shape.terms(
        measure,
        len(before) + len(after),
        list(grades.values()),
        None if qrels is None else qrels.highest,
        lengths,
    )
    attribution = _Attribution(measure, terms, unseen)
    gains, unseen_gain = attribution.parts(after, before, solution.gain_assignment, solution.gain)
    losses, unseen_loss = attribution.parts(before, after, solution.loss_assignment, solution.loss)
    ranks = [{d: rank for rank, d in enumerate(ranking, 1)} for ranking in (before, after)]
    documents = tuple(
        Evidence(
            document,
            ranks[0].get(document),
            ranks[1].get(document),
            grades.get(str(document)),
            _mean(solution.gain_assignment[document]),
            gains[document],
            _mean(solution.loss_assignment[document]),
            losses[document],
        )
        for document in dict.fromkeys((*before, *after))
    )
    return Explanation(query, measure, solution, documents, unseen_gain, unseen_loss)


def _mean(relevance: Any) -> float:
    """Relevance, or its mean over intents."""
    if isinstance(relevance, Mapping):
        return float(np.mean(list(relevance.values())))
    return float(relevance)


@dataclass(frozen=True)
class _Attribution:
    """How a value is shared out among documents."""

    measure: Measure
    terms: Terms | None  # none for a function: it is no sum over ranks
    unseen: Unseen

    def parts(
        self,
        favoured: Sequence[Any],
        other: Sequence[Any],
        assignment: Assignment,
        value: float,
    ) -> tuple[dict[Any, float], float]:
        """What each document adds to S(favoured) - S(other), and what the unseen ranks add."""
        parts = dict.fromkeys(assignment, 0.0)
        if self.terms is None:
            self._by_steps(parts, favoured, other, assignment)
            return parts, value - sum(parts.values())
        unseen = 0.0
        for relevance in _by_intent(assignment):
            mine, theirs = (
                np.array([relevance[d] for d in ranking]) for ranking in (favoured, other)
            )
            weight = relevance.weight
            for ranking, c, sign in ((favoured, mine, 1), (other, theirs, -1)):
                for document, term in zip(ranking, self.terms.of(c, ranking), strict=True):
                    parts[document] += sign * weight * float(term)
            if self.unseen == "anything":
                unseen += weight * self.terms.below(mine, favoured)
        if isinstance(self.measure["ideal"], tuple):  # what is left of the counts stands below
            unseen = value - sum(parts.values())
        return parts, unseen

    def _by_steps(
        self,
        parts: dict[Any, float],
        favoured: Sequence[Any],
        other: Sequence[Any],
        assignment: Assignment,
    ) -> None:
        """Documents become relevant one after the other: what each changes is its part."""
        shape = self.measure.shape
        assert isinstance(shape, Function)
        now = dict.fromkeys(assignment, shape.values[0])

        def score(ranking: Sequence[Any]) -> float:
            return shape.of(self.measure, [now[d] for d in ranking])

        def difference() -> float:
            return score(favoured) - score(other)

        last = difference()
        for document in sorted(assignment, key=_best_rank(favoured, other)):
            now[document] = assignment[document]
            changed = difference()
            parts[document] = changed - last
            last = changed


class _Relevance(dict[Any, float]):
    """The relevance of documents to one intent, and the weight of the intent."""

    weight: float = 1.0


def _by_intent(assignment: Assignment) -> Iterable[_Relevance]:
    intents = next((list(v) for v in assignment.values() if isinstance(v, Mapping)), None)
    if intents is None:
        yield _Relevance(assignment)
        return
    for intent in intents:
        relevance = _Relevance({d: values[intent] for d, values in assignment.items()})
        relevance.weight = 1 / len(intents)
        yield relevance


def _best_rank(*rankings: Sequence[Any]) -> Any:
    ranks: dict[Any, int] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking):
            ranks[document] = min(rank, ranks.get(document, rank))
    return ranks.__getitem__


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
