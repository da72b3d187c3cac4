"""Runs whose lists were cut or ended, in every mixture, and a measure of every shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from hypothesis import strategies as st

import medir
from medir import AP, ERR, RBP, RR, TBG, Cascade, Comparison, Measure, P, define, nDCG
from tests.cases.runs import UNSEEN
from tests.oracles import black_box, exhaustive
from tests.oracles import dot_product as dot
from tests.oracles.exhaustive import Formula, average_precision, cascade, graded, reciprocal
from tests.oracles.time_biased_gain import Clock, Problem
from tests.oracles.unseen import BOTH_ENDED, Cut, Rule, cut_of_two_runs

Lists = dict[str, list[str]]
Grades = dict[str, int]
Both = Callable[[Sequence[str], Sequence[str], Mapping[str, int], Cut], tuple[float, float]]

DOCUMENTS = "abcdefg"
WORDS = dict(zip(DOCUMENTS, (0.0, 20_000.0, 300.0, 40.0, 9_000.0, 1_000.0, 70.0), strict=True))
TOP = 2  # the highest grade
K = 3


# Runs.


@dataclass(frozen=True)
class Runs:
    """Two runs of some queries, and how they are compared."""

    before: Lists
    after: Lists
    rule: Rule
    depth: int | None
    missing: Literal["empty", "skip"]
    qrels: dict[str, Grades]

    @property
    def options(self) -> dict[str, Any]:
        """The settings of a comparison. A document may stand in a list twice."""
        return {
            "unseen": self.rule,
            "depth": self.depth,
            "missing": self.missing,
            "duplicates": "first",
        }

    @property
    def queries(self) -> list[str]:
        """Those that are compared, in order."""
        every = dict.fromkeys([*self.before, *self.after])
        if self.missing == "empty":
            return list(every)
        return [query for query in every if query in self.before and query in self.after]

    @property
    def cut(self) -> dict[str, Cut]:
        """Whether unseen ranks follow the lists of each query."""
        return cut_of_two_runs(self.before, self.after, self.rule, self.depth)

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        """What is shown of a query, before and after."""
        before, after = (shown(run.get(query, []), self.depth) for run in (self.before, self.after))
        return before, after

    def unseen(self, query: str, reach: float) -> list[bool]:
        """Whether unseen ranks follow each list within the reach of a measure."""
        lists = zip(self.lists(query), self.cut[query], strict=True)
        return [cut and len(some) < reach for some, cut in lists]

    def ended(self, query: str, reach: float) -> bool:
        """Whether a list with results ended within the reach of a measure."""
        lists = zip(self.lists(query), self.cut[query], strict=True)
        return any(not cut and 0 < len(some) < reach for some, cut in lists)


def shown(documents: Sequence[str], depth: int | None) -> list[str]:
    """Each document once, down to the depth."""
    return list(dict.fromkeys(documents))[:depth]


@st.composite
def one_run(draw: st.DrawFn, queries: Sequence[str], longest: int, repeats: bool = True) -> Lists:
    """Often cut: lists of the greatest length come up more often than others."""
    greatest = draw(st.integers(0, longest))
    lengths = st.sampled_from([greatest] * (greatest + 1) + list(range(greatest)))
    run: Lists = {}
    for query in queries:
        if not draw(st.sampled_from([True, True, True, True, False])):
            continue  # it is not in this run
        documents = draw(st.permutations(DOCUMENTS))[: draw(lengths)]
        if repeats and documents and draw(st.booleans()):
            again = draw(st.sampled_from(documents))
            documents.insert(draw(st.integers(documents.index(again) + 1, len(documents))), again)
        run[query] = documents
    return run


@st.composite
def runs(
    draw: st.DrawFn,
    judged: bool = True,
    longest: int = 5,
    most: int = 5,
    rules: Sequence[Rule] = UNSEEN,
) -> Runs:
    """One to five queries; they may be missing in one run, and lists may be empty."""
    queries = [f"q{number}" for number in range(draw(st.integers(1, most)))]
    before, after = draw(one_run(queries, longest)), draw(one_run(queries, longest))
    if draw(st.booleans()):  # lists of the same documents
        after = {query: _shuffled(draw, before.get(query, some)) for query, some in after.items()}
    qrels = {}
    for query in queries if judged and draw(st.booleans()) else ():
        documents = st.sampled_from([*DOCUMENTS, "x"])
        qrels[query] = draw(st.dictionaries(documents, st.integers(0, TOP), max_size=3))
    common = before.keys() & after.keys()
    return Runs(
        before,
        after,
        draw(st.sampled_from(rules)),
        draw(st.none() | st.integers(1, longest)),
        draw(st.sampled_from(["empty", "skip"])) if common else "empty",
        qrels,
    )


def _shuffled(draw: st.DrawFn, documents: list[str]) -> list[str]:
    return draw(st.permutations(documents))


# Measures.


@dataclass(frozen=True)
class Shape:
    """A measure of medir, and gain and loss of two lists by its definition."""

    measure: Measure
    both: Both
    by_intent: bool = False
    judged: bool = False  # the ideal comes from judgments
    endless_lower: dot.Formula | None = None  # a formula without decay that looks endlessly deep

    @property
    def reach(self) -> int | None:
        """The deepest rank that counts."""
        return self.measure.cutoff

    @property
    def timed(self) -> bool:
        """Whether it needs the lengths of documents."""
        return self.measure.shape.needs_lengths

    def expected(self, case: Runs, query: str, cut: Cut | None = None) -> tuple[float, float]:
        """Gain and loss of a query, with its statuses or others."""
        statuses = case.cut[query] if cut is None else cut
        return self.both(*case.lists(query), self.grades(case, query), statuses)

    def grades(self, case: Runs, query: str) -> dict[str, int]:
        """The judgments of a query; an ideal of judgments needs a relevant one."""
        some = case.qrels.get(query, {})
        return {**some, "x": 1} if self.judged and not any(some.values()) else some

    def qrels(self, case: Runs) -> Any:
        """The judgments as medir takes them."""
        if not case.qrels and not self.judged:
            return None
        if self.by_intent:
            return {query: {"i": some} for query, some in case.qrels.items() if some}
        if self.judged:
            return {query: self.grades(case, query) for query in {**case.before, **case.after}}
        return case.qrels

    def compare(self, case: Runs, **changes: Any) -> Comparison:
        """What medir says."""
        return medir.compare(
            case.before,
            case.after,
            self.measure,
            qrels=self.qrels(case),
            lengths=WORDS if self.timed else None,
            threads=1,
            **(case.options | changes),
        )


def _dot(formula: dot.Formula) -> Both:
    return lambda before, after, judged, cut: dot.both(before, after, formula, judged, cut)


def _ndcg(ideal: Any, k: int = K) -> Both:
    values = dot.relevance("exp", TOP, unit=False)

    def both(before: Any, after: Any, judged: Any, cut: Cut) -> tuple[float, float]:
        norm = dot.ideal_dcg(ideal, values, dot.logarithmic, k, judged)
        counts = ideal if isinstance(ideal, dict) else None
        formula = dot.Formula(dot.logarithmic, values, norm, k, counts=counts)
        return dot.both(before, after, formula, judged, cut)

    return both


def _exhaustive(formula: Formula) -> Both:
    return lambda before, after, judged, cut: exhaustive.both(before, after, formula, judged, cut)


def _ap_of_judgments(before: Any, after: Any, judged: Any, cut: Cut) -> tuple[float, float]:
    relevant = sum(grade > 0 for grade in judged.values())
    score = average_precision(relevant) if relevant else lambda _: 0.0
    return exhaustive.both(before, after, Formula(score, BINARY, K + 1), judged, cut)


def _timed(clock: Clock) -> Both:
    def both(before: Any, after: Any, judged: Any, cut: Cut) -> tuple[float, float]:
        gain = Problem(clock, after, before, WORDS, judged, cut=cut[1]).most()
        return gain, Problem(clock, before, after, WORDS, judged, cut=cut[0]).most()

    return both


def _two_intents(formula: Formula) -> Both:
    """One is judged, nothing is known of the other."""

    def both(before: Any, after: Any, judged: Any, cut: Cut) -> tuple[float, float]:
        by_intent: list[Grades] = [judged, {}]
        pairs = [exhaustive.both(before, after, formula, some, cut) for some in by_intent]
        return sum(pair[0] for pair in pairs) / 2, sum(pair[1] for pair in pairs) / 2

    return both


def _function(score: Any, values: Sequence[float], k: int | None) -> Both:
    def both(before: Any, after: Any, judged: Any, cut: Cut) -> tuple[float, float]:
        return black_box.both(before, after, score, values, judged, k, cut)

    return both


def saturated(relevance: Any) -> float:
    """Two documents are enough, and early ones are better."""
    total = sum(value / rank for rank, value in enumerate(relevance, 1))
    return min(float(total), 1.2)


def spread(relevance: Any) -> float:
    """Not monotone: best where relevant documents alternate with others."""
    return float(np.abs(np.diff(relevance)).sum()) if len(relevance) else 0.0


BINARY = (0.0, 1.0)
GRADED = (0.0, 0.4, 1.0)
SATURATED = define("saturated_of_unseen", saturated, values=GRADED)
SPREAD = define("spread_of_unseen", spread, monotone=False)
FADING = [1.0, 0.7, 0.7, 0.1]
RELEVANT = dot.relevance("binary", TOP)
RBP_FORMULA = dot.Formula(dot.geometric(0.8)[0], RELEVANT, 1.0, None, dot.geometric(0.8)[1])
P_FORMULA = dot.Formula(dot.flat, RELEVANT, 4.0, 4)
ERR_OF_INTENT = Formula(cascade(reciprocal, 1.0), graded(TOP), K)
OWN_CASCADE = Formula(cascade(exhaustive.listed(FADING), 0.4), BINARY, None, 0.6, len(FADING))

SHAPES: dict[str, Shape] = {
    "nDCG": Shape(nDCG(max_grade=TOP) @ K, _ndcg("unbounded")),
    "nDCG, ideal of judgments": Shape(
        nDCG(max_grade=TOP, ideal="judged") @ K, _ndcg("judged"), judged=True
    ),
    "nDCG, number of relevant": Shape(nDCG(max_grade=TOP, ideal=2) @ K, _ndcg(2)),
    "nDCG, counts": Shape(nDCG(max_grade=TOP, ideal={2: 3, 1: 3}) @ 2, _ndcg({2: 3, 1: 3}, 2)),
    "P": Shape(P @ 4, _dot(P_FORMULA)),
    "RBP": Shape(RBP(p=0.8), _dot(RBP_FORMULA), endless_lower=RBP_FORMULA),
    "AP": Shape(AP @ 4, _exhaustive(Formula(average_precision(4), BINARY, 4))),
    "AP, ideal of judgments": Shape(AP(ideal="judged") @ 4, _ap_of_judgments, judged=True),
    "ERR": Shape(
        ERR(max_grade=TOP), _exhaustive(Formula(cascade(reciprocal, 1.0), graded(TOP), None, 0.25))
    ),
    "ERR@3": Shape(ERR(max_grade=TOP) @ K, _exhaustive(ERR_OF_INTENT)),
    "RR": Shape(RR @ 4, _exhaustive(Formula(cascade(reciprocal, 1.0), BINARY, 4))),
    "Cascade": Shape(Cascade(FADING, decay=0.4), _exhaustive(OWN_CASCADE)),
    "TBG": Shape(TBG, _timed(Clock())),
    "TBG@3": Shape(TBG(half_life=60) @ K, _timed(Clock(half_life=60, cutoff=K))),
    "ERR_IA": Shape(
        medir.ERR_IA(max_grade=TOP, intents=2) @ K, _two_intents(ERR_OF_INTENT), by_intent=True
    ),
    "function": Shape(SATURATED @ K, _function(saturated, GRADED, K)),
    "function that is not monotone": Shape(SPREAD @ K, _function(spread, BINARY, K)),
    "function without cutoff": Shape(SATURATED, _function(saturated, GRADED, None)),
}
WITH_CUTOFF = [name for name, shape in SHAPES.items() if shape.reach is not None]


def reach_of(shape: Shape) -> float:
    """How deep unseen ranks count: a function without cutoff sees what the list has."""
    if not shape.measure.looks_below:
        return 0
    if shape.measure is SHAPES["Cascade"].measure:
        return len(FADING)
    return math.inf if shape.reach is None else shape.reach


def med_if_ended(shape: Shape, case: Runs, query: str) -> float:
    """MED if both lists had ended."""
    return max(shape.expected(case, query, BOTH_ENDED))
