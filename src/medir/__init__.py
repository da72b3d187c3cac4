"""How much could a change to a search engine matter?

medir computes the Maximized Effectiveness Difference (MED) of ranked lists: the largest difference
in nDCG, RBP, ... that any assignment of relevance could produce between them.

>>> import medir
>>> from medir import P
>>> medir.med(["a", "b"], ["b", "c"], P @ 2)
0.5
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from medir.compare import compare, med, score
    from medir.comparison import Comparison, Row
    from medir.errors import InputError, MeasureError, MedirError, UsageError
    from medir.expect import expect
    from medir.expectation import Estimate, Expectation
    from medir.explain import Explanation, explain
    from medir.judge import Suggestion, judge, write_pool
    from medir.judgments import Qrels
    from medir.lengths import Lengths
    from medir.matrix import Matrix, matrix
    from medir.measures import (
        AP,
        DCG,
        ERR,
        ERR_IA,
        INSQ,
        NRBP,
        RBP,
        RR,
        SDCG,
        TBG,
        Cascade,
        Discount,
        Measure,
        P,
        Success,
        U,
        alpha_nDCG,
        define,
        measure,
        nDCG,
    )
    from medir.passages import PassageComparison, compare_passages, passage_matrix
    from medir.rankings import Run
    from medir.solve import Solution, solve
    from medir.study import Study, study
    from medir.trailtexts import Passage, Passages

__version__ = "0.1.0"

# Names are loaded when they are first used, so that importing medir costs next to nothing.
_HOMES = {
    "medir.compare": ("compare", "med", "score"),
    "medir.comparison": ("Comparison", "Row"),
    "medir.errors": ("InputError", "MeasureError", "MedirError", "UsageError"),
    "medir.expect": ("expect",),
    "medir.expectation": ("Estimate", "Expectation"),
    "medir.explain": ("Explanation", "explain"),
    "medir.judge": ("Suggestion", "judge", "write_pool"),
    "medir.judgments": ("Qrels",),
    "medir.lengths": ("Lengths",),
    "medir.matrix": ("Matrix", "matrix"),
    "medir.measures": (
        "AP", "DCG", "ERR", "ERR_IA", "INSQ", "NRBP", "RBP", "RR", "SDCG", "TBG", "Cascade",
        "Discount", "Measure", "P", "Success", "U", "alpha_nDCG", "define", "measure", "nDCG",
    ),
    "medir.passages": ("PassageComparison", "compare_passages", "passage_matrix"),
    "medir.rankings": ("Run",),
    "medir.solve": ("Solution", "solve"),
    "medir.study": ("Study", "study"),
    "medir.trailtexts": ("Passage", "Passages"),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AP", "DCG", "ERR", "ERR_IA", "INSQ", "NRBP", "RBP", "RR", "SDCG", "TBG", "Cascade",
    "Comparison", "Discount", "Estimate", "Expectation", "Explanation", "InputError", "Lengths",
    "Matrix", "Measure", "MeasureError", "MedirError", "P", "Passage", "PassageComparison",
    "Passages", "Qrels", "Row", "Run", "Solution", "Study", "Success", "Suggestion", "U",
    "UsageError", "__version__", "alpha_nDCG", "compare", "compare_passages", "define", "expect",
    "explain", "judge", "matrix", "measure", "med", "nDCG", "passage_matrix", "score", "solve",
    "study", "write_pool",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'medir' has no attribute {name!r}")
    if name == "similarity":
        return import_module("medir.similarity")
    try:  # a name without a home may be a new row of the table of measures
        value = getattr(import_module(_HOME_OF.get(name, "medir.measures")), name)
    except AttributeError:
        raise AttributeError(f"module 'medir' has no attribute {name!r}") from None
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """`medir.compare` is the function, also after something has imported the module around it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _HOME_OF and isinstance(value, ModuleType):
            value = getattr(value, name)
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
