"""Generated cases of cascades: a measure of medir beside the same by its definition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from medir import ERR, RR, Cascade, Measure, Success
from tests.cases.runs import UNSEEN, ranked
from tests.oracles.exhaustive import Formula, both, cascade, graded, listed, reciprocal
from tests.oracles.unseen import Cut, Rule, cut_of_lists

D = [f"d{i}" for i in range(1, 101)]


@dataclass(frozen=True, repr=False)
class Case:
    """Two lists, what is judged, and a measure."""

    measure: Measure
    formula: Formula
    before: list[str]
    after: list[str]
    judged: dict[str, int]
    unseen: Rule

    def __repr__(self) -> str:
        lists = f"{self.before} -> {self.after}"
        return f"<{self.measure}: {lists}, judged {self.judged}, unseen {self.unseen}>"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))  # what hypothesis shows

    @property
    def cut(self) -> Cut:
        """Whether unseen ranks follow the two lists."""
        return cut_of_lists(self.before, self.after, self.unseen)

    def expected(self, intermediate: bool = False) -> tuple[float, float]:
        """Gain and loss, by the definition."""
        lists = self.before, self.after
        return both(*lists, self.formula, self.judged, self.cut, intermediate)


def fading(rank: int) -> float:
    """A discount of the user's own."""
    return 0.9**rank


def flat(_: int) -> float:
    """d_i of Success."""
    return 1.0


Made = tuple[Measure, Callable[[int], float], float, bool, int | None]  # and where it ends


def _own(draw: st.DrawFn) -> Made:
    """A cascade with discounts of its own, often with ties."""
    decay = draw(st.sampled_from([0.1, 0.5, 0.9, 1.0]))
    relevance = draw(st.sampled_from(["binary", "graded"]))
    if draw(st.booleans()):
        made = Cascade(fading, decay=decay, relevance=relevance, name="FadingCascade")
        return made, fading, decay, relevance == "graded", None
    some = st.sampled_from([0.0, 0.25, 0.5, 1.0, 1.0]) | st.floats(0, 2)
    weights = sorted(draw(st.lists(some, min_size=1, max_size=14)), reverse=True)
    made = Cascade(weights, decay=decay, relevance=relevance)
    return made, listed(weights), decay, relevance == "graded", len(weights)


FAMILIES: dict[str, Callable[[st.DrawFn], Made]] = {
    "ERR": lambda _: (ERR, reciprocal, 1.0, True, None),
    "RR": lambda _: (RR, reciprocal, 1.0, False, None),
    "Success": lambda _: (Success, flat, 1.0, False, None),
    "Cascade": _own,
}


@st.composite
def cases(
    draw: st.DrawFn,
    family: str,
    most: int = 12,
    cutoff: bool | None = None,
    longest: int | None = None,
    judgments: int = 5,
) -> Case:
    """Lists of at most `most` documents together, and often of the same documents."""
    pool = D[: draw(st.sampled_from(range(most, 0, -1)))]
    if draw(st.booleans()):
        before, after = (draw(st.permutations(pool))[:longest] for _ in range(2))
    else:
        before, after = (draw(ranked(pool))[:longest] for _ in range(2))
    top = draw(st.integers(1, 3))
    documents = st.sampled_from([*pool, "x", "y"])
    judged = draw(st.dictionaries(documents, st.integers(-1, top), max_size=judgments))
    made, discount, decay, is_graded, depth = FAMILIES[family](draw)
    highest = max(judged.values(), default=0)
    values = graded(highest if highest > 0 else 2) if is_graded else (0.0, 1.0)
    if family != "Success" and (draw(st.booleans()) if cutoff is None else not cutoff):
        k = None
    else:
        k = draw(st.integers(1, most + 2))
        made = made @ k
    keep = 1 - decay * values[-1]
    formula = Formula(cascade(discount, decay), values, k, keep, depth)
    return Case(made, formula, before, after, judged, draw(st.sampled_from(UNSEEN)))
