"""Lists whose documents have clusters, and measures of every shape by their definition."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import medir
from medir import Measure
from tests.cases.runs import UNSEEN, ranked
from tests.oracles import clusters as oracle
from tests.oracles.exhaustive import (
    Formula,
    average_precision,
    cascade,
    graded,
    reciprocal,
)
from tests.oracles.unseen import Cut, Rule, cut_of_lists

D = [f"d{i}" for i in range(8)]
TOP = 2  # the highest grade


def logarithmic(rank: int) -> float:
    """d_i of nDCG."""
    return 1 / math.log2(rank + 1)


def flat(_: int) -> float:
    """d_i of P and Success."""
    return 1.0


def persistent(rank: int) -> float:
    """d_i of RBP(p=0.8)."""
    return 0.2 * 0.8 ** (rank - 1)


def best(relevance: Any) -> float:
    """A function of one's own: the best of the first three, and a bit for all that is relevant."""
    first = relevance[:3]
    return float(np.max(first, initial=0.0) + 0.1 * np.sum(relevance))


def as_formula(gains: Any) -> Any:
    """The same for the oracle, whose gains may be arrays by assignment."""
    if not len(gains):
        return 0.0
    columns = np.broadcast_arrays(*(np.asarray(gain, dtype=float) for gain in gains))
    return np.max(columns[:3], axis=0) + 0.1 * np.sum(columns, axis=0)


BINARY, GRADES = (0.0, 1.0), graded(TOP)
MEASURES: Mapping[str, tuple[Measure, Formula]] = {
    "nDCG": (
        medir.nDCG(max_grade=TOP) @ 4,
        Formula(
            cascade(logarithmic, 0.0, sum(GRADES[-1] * logarithmic(i) for i in range(1, 5))),
            GRADES,
            4,
        ),
    ),
    "P": (medir.P @ 3, Formula(cascade(flat, 0.0, 3.0), BINARY, 3)),
    "RBP": (medir.RBP(p=0.8) @ 6, Formula(cascade(persistent, 0.0), BINARY, 6)),
    "ERR": (medir.ERR(max_grade=TOP) @ 5, Formula(cascade(reciprocal, 1.0), GRADES, 5)),
    "RR": (medir.RR @ 5, Formula(cascade(reciprocal, 1.0), BINARY, 5)),
    "Success": (medir.Success @ 3, Formula(cascade(flat, 1.0), BINARY, 3)),
    "Cascade": (
        medir.Cascade(lambda rank: 0.9**rank, decay=0.5, name="Fading") @ 6,
        Formula(cascade(lambda rank: 0.9**rank, 0.5), BINARY, 6),
    ),
    "AP": (medir.AP @ 5, Formula(average_precision(5.0), BINARY, 5)),
    "function": (
        medir.define("Best", best, values=BINARY) @ 5,
        Formula(as_formula, BINARY, 5),
    ),
}


@dataclass(frozen=True)
class Case:
    """Two lists, what is judged, and which documents have the same content."""

    before: list[str]
    after: list[str]
    judged: dict[str, int]
    clusters: dict[str, int]
    unseen: Rule

    @property
    def cut(self) -> Cut:
        """Whether unseen ranks follow the lists."""
        return cut_of_lists(self.before, self.after, self.unseen)

    @property
    def options(self) -> dict[str, Any]:
        """As `medir.compare` takes them."""
        return {
            "qrels": {"q": self.judged} if self.judged else None,
            "clusters": self.clusters,
            "unseen": self.unseen,
            "threads": 1,
        }

    def compare(self, *measures: Any, **more: Any) -> medir.Comparison:
        """The comparison of the two lists."""
        lists = {"q": self.before}, {"q": self.after}
        return medir.compare(*lists, list(measures), **(self.options | more))

    def expected(self, formula: Formula) -> tuple[float, float]:
        """Gain and loss, by the definition."""
        lists = self.before, self.after
        return oracle.both(*lists, formula, self.judged, self.clusters, self.cut)


@st.composite
def cases(draw: st.DrawFn, judgments: int = 4, low: int = 0, pool: int = len(D)) -> Case:
    """Few clusters, so that most lists repeat something."""
    documents = D[:pool]
    before, after = (draw(ranked(documents, low)) for _ in range(2))
    named = st.sampled_from([*documents, "elsewhere"])
    clusters = draw(st.dictionaries(named, st.integers(1, 3), max_size=pool + 1))
    judged = draw(st.dictionaries(named, st.integers(0, TOP), max_size=judgments))
    return Case(before, after, judged, clusters, draw(st.sampled_from(UNSEEN)))
