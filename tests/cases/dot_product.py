"""Generated cases: lists, judgments, and a measure of medir beside the same as plain numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hypothesis import assume
from hypothesis import strategies as st

from medir import DCG, INSQ, RBP, SDCG, Discount, Measure, P, Row, nDCG
from tests.cases.runs import UNSEEN, ranked, row_of
from tests.oracles import dot_product as oracle
from tests.oracles.dot_product import Formula
from tests.oracles.unseen import Cut, Rule, cut_of_lists

DOCUMENTS = "abcdefgh"
OTHERS = "xyz"  # judged, but in no list
FEW = 1100  # assignments that are tried


@dataclass(frozen=True, repr=False)
class Case:
    """Two lists, what is judged, and a measure."""

    measure: Measure
    formula: Formula
    before: list[str]
    after: list[str]
    judged: dict[str, int] | None
    unseen: Rule

    def __repr__(self) -> str:
        lists = f"{''.join(self.before)} -> {''.join(self.after)}"
        return f"<{self.measure}: {lists}, judged {self.judged}, unseen {self.unseen}>"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))  # what hypothesis shows

    @property
    def grades(self) -> dict[str, int]:
        """The judgments, also where there are none."""
        return self.judged or {}

    @property
    def cut(self) -> Cut:
        """Whether unseen ranks follow the two lists."""
        return cut_of_lists(self.before, self.after, self.unseen)

    def row(self, **changes: Any) -> Row:
        """What medir says, with some of the case changed."""
        return row_of(**{**vars(self), **changes})


@dataclass(frozen=True)
class Shape:
    """A family of measures: how a measure of medir is set, and what it is by definition.

    `make` gives the measure and d_i, the tail below a rank, and N but for the ideal of nDCG.
    """

    make: Callable[..., tuple[Measure, oracle.Discount, oracle.Discount | None, float]]
    gains: str  # the default
    unit: bool = True
    endless: bool = False  # may go without a cutoff


def _total(discount: oracle.Discount, cutoff: int) -> float:
    return sum(discount(rank) for rank in range(1, cutoff + 1))


def _ndcg(draw: st.DrawFn, cutoff: int | None) -> Any:
    return nDCG, oracle.logarithmic, None, 1.0


def _rbp(draw: st.DrawFn, cutoff: int | None) -> Any:
    p = draw(st.sampled_from([0.5, 0.8, 0.9, 0.95]) | st.floats(0.01, 0.999))
    return RBP(p=p), *oracle.geometric(p), 1.0


def _p(draw: st.DrawFn, cutoff: int | None) -> Any:
    return P, oracle.flat, None, float(cutoff or 0)


def _dcg(draw: st.DrawFn, cutoff: int | None) -> Any:
    return DCG, oracle.logarithmic, None, 1.0


def _sdcg(draw: st.DrawFn, cutoff: int | None) -> Any:
    return SDCG, oracle.logarithmic, None, _total(oracle.logarithmic, cutoff or 0)


def _insq(draw: st.DrawFn, cutoff: int | None) -> Any:
    t = draw(st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0.1, 10))
    return INSQ(T=t), *oracle.inverse_squares(t), 1.0


def _by_list(draw: st.DrawFn, cutoff: int | None) -> Any:
    # Weights that differ are far enough apart for sums of them to show it.
    weight = st.floats(0, 2).map(lambda some: round(some, 6))
    weights = sorted(draw(st.lists(weight, min_size=1, max_size=3)), reverse=True)
    norm = draw(st.sampled_from([1.0, 0.5, 3.0]))

    def discount(rank: int) -> float:
        return weights[rank - 1] if rank <= len(weights) else 0.0

    return Discount(weights, norm=norm), discount, lambda depth: sum(weights[depth:]), norm


def _by_function(draw: st.DrawFn, cutoff: int | None) -> Any:
    scale, ratio = draw(st.floats(0.1, 2)), draw(st.floats(0.1, 0.9))

    def discount(rank: int) -> float:
        return scale * ratio**rank

    made = Discount(discount, name="Fading", total=scale * ratio / (1 - ratio))
    return made, discount, lambda depth: scale * ratio ** (depth + 1) / (1 - ratio), 1.0


SHAPES = {
    "nDCG": Shape(_ndcg, "exp", unit=False),
    "RBP": Shape(_rbp, "binary", endless=True),
    "P": Shape(_p, "binary"),
    "DCG": Shape(_dcg, "exp", unit=False),
    "SDCG": Shape(_sdcg, "linear"),
    "INSQ": Shape(_insq, "linear", endless=True),
    "Discount by list": Shape(_by_list, "binary", endless=True),
    "Discount by function": Shape(_by_function, "binary", endless=True),
}
IDEALS = ("unbounded", "judged", "number", "counts")


@dataclass(frozen=True)
class Plan:
    """What a case is to be, before there are lists and judgments."""

    shape: Shape
    gains: str
    top: int  # the highest grade of the case
    declared: bool  # whether the measure says so
    ideal: str
    rel: int
    with_judgments: bool
    cutoff: int | None
    most: int  # unknown documents, so that few assignments are to be tried


@st.composite
def cases(
    draw: st.DrawFn,
    family: str | None = None,
    ideals: Sequence[str] = ("unbounded", "judged", "number"),
    judged: Literal["no", "maybe", "some", "all"] = "maybe",
    unseen: Rule | None = None,
    declared: bool | None = None,
    equal_depth: bool = False,
    deepest: int = 5,
    longest: int = 6,
    cutoff: bool | None = None,
    judgments: int | None = None,
) -> Case:
    """A case that is small enough to try every assignment, under any measure or one family.

    `deepest` is the largest cutoff, `longest` the longest list, `judgments` the most of them;
    `cutoff` says whether an endless measure has one.
    """
    plan = _plan(draw, family, ideals, judged, declared, deepest, cutoff)
    k = plan.cutoff
    pool = DOCUMENTS[: plan.most - 2] if k is None else DOCUMENTS[: draw(st.integers(k, 2 * k))]
    size = min(longest, len(pool))
    before = draw(ranked(pool, 0, size))
    low, high = (len(before), len(before)) if equal_depth else (0, size)
    after = draw(ranked(pool, low, high))
    grades: dict[str, int] | None = None
    if plan.with_judgments:
        at_most = 2 if plan.ideal == "counts" else judgments
        chosen = draw(ranked(pool + OTHERS, 1 if judged == "some" else 0, at_most))
        if judged == "all":
            chosen = sorted({*chosen, *before, *after})
        grades = {document: draw(st.integers(0, plan.top)) for document in chosen}
    elif plan.ideal == "judged":
        grades = {}
    measure, formula = _measure(draw, plan, grades or {})
    assume(formula.norm > 0)  # else there is no value
    shown = unseen if unseen is not None else draw(st.sampled_from(UNSEEN))
    return Case(measure, formula, before, after, grades, shown)


def _plan(
    draw: st.DrawFn,
    family: str | None,
    ideals: Sequence[str],
    judged: str,
    declared: bool | None,
    deepest: int,
    cutoff: bool | None,
) -> Plan:
    name = family or draw(st.sampled_from(list(SHAPES)))
    shape = SHAPES[name]
    gains = draw(st.sampled_from([shape.gains, "binary", "exp", "linear"]))
    top = draw(st.integers(1, 3))
    ideal = draw(st.sampled_from(list(ideals))) if name == "nDCG" else "none"
    binary = gains == "binary" and ideal != "counts"
    with_judgments = judged != "no" and (judged != "maybe" or draw(st.booleans()))
    if ideal == "counts" and with_judgments:
        deepest = min(deepest, 2)
    values = 2 if binary else max(top, 2) + 1
    most = max(n for n in range(1, 11) if values**n <= FEW)
    k = None
    if not shape.endless or (draw(st.booleans()) if cutoff is None else cutoff):
        k = draw(st.sampled_from(range(max(1, min(deepest, most // 2)), 0, -1)))
    return Plan(
        shape=shape,
        gains=gains,
        top=top,
        declared=draw(st.booleans()) if declared is None else declared,
        ideal=ideal,
        rel=draw(st.integers(1, top)) if binary else 1,
        with_judgments=with_judgments,
        cutoff=k,
        most=most,
    )


def _measure(draw: st.DrawFn, plan: Plan, judged: Mapping[str, int]) -> tuple[Measure, Formula]:
    """The measure of medir, and the same from the definitions."""
    # The highest grade: declared, else the highest judged, else 2.
    scale = plan.top if plan.declared else max(judged.values(), default=0) or 2
    values = oracle.relevance(plan.gains, max(scale, plan.rel), plan.rel, plan.shape.unit)
    measure, discount, tail, norm = plan.shape.make(draw, plan.cutoff)
    settings: dict[str, Any] = {"gains": plan.gains}
    if plan.gains == "binary":
        settings["rel"] = plan.rel
    if plan.declared:
        settings["max_grade"] = plan.top
    counts = None
    if plan.ideal != "none":
        assert plan.cutoff is not None
        settings["ideal"] = ideal = _ideal(draw, plan.ideal, scale, judged)
        norm = oracle.ideal_dcg(ideal, values, discount, plan.cutoff, judged)
        counts = ideal if isinstance(ideal, dict) else None
    measure = measure(**settings)
    if plan.cutoff is not None:
        measure, tail = measure @ plan.cutoff, None
    return measure, Formula(discount, values, norm, plan.cutoff, tail, counts)


def _ideal(draw: st.DrawFn, ideal: str, top: int, judged: Mapping[str, int]) -> oracle.Ideal:
    if ideal == "number":
        return draw(st.integers(1, 6))
    if ideal != "counts":
        return ideal
    relevant = Counter(grade for grade in judged.values() if grade > 0)
    others = draw(st.dictionaries(st.integers(1, top), st.integers(0, 3)))
    counts = relevant + Counter(others)  # what is judged is among what there is
    return dict(sorted((counts or Counter({top: 1})).items(), reverse=True))
