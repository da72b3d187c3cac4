"""Rank similarities and distances: two lists compared without relevance."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.errors import InputError
from medir.files.identifiers import text_of
from medir.files.opening import read_bytes
from medir.inputs.pairing import Name, Repeat
from medir.measures.family import Cut, Kind, Measure, Shape, Solver, Values
from medir.measures.rank_similarities import SWAPS, Similarity

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels
    from medir.similarity.distances import Swap

NOT_OF_RANKS = (math.nan,) * 3 + (0.0,) * 4  # gain, loss and lower; gaps and what unseen ranks add

NO_LIMIT = 1 << 40  # ranks


class RankSimilarity(Shape):
    """A similarity or distance of the ranks of two lists."""

    def __init__(self, of: Similarity) -> None:
        self.of = of

    def kind(self, one: Measure) -> Kind:
        """The residual of RBO is what is not known of it: more of it is not more similar."""
        return "distance" if one["score"] == "res" else self.of.kind

    def symmetric(self, one: Measure) -> bool:
        """As the table says, or as a parameter asks for."""
        return self.of.symmetric or bool(one["symmetric"])

    def reach(self, one: Measure) -> int | None:
        """The cutoff, where it is one of both lists."""
        return one.cutoff if self.of.cuts_both else None

    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """The native similarity."""
        return _KERNELS[one.name](one, one.cutoff or NO_LIMIT, ranks)

    def in_python(self, one: Measure) -> bool:
        """Weights or distances of documents, which the kernels do not know."""
        return bool(self.files(one))

    def files(self, one: Measure) -> tuple[str, ...]:
        """The files of these weights and distances."""
        return tuple(path for path in (one["weight"], one["distance"]) if path is not None)

    def solver(self, one: Measure, effort: int) -> Solver:
        """With weights or distances of documents from files."""
        weights = {} if one["weight"] is None else _elements(one["weight"], 1)
        distances = {} if one["distance"] is None else _elements(one["distance"], 2)
        options: dict[str, Any] = {"swap": _swap_of(one)}
        if weights:
            options["weight"] = lambda document: weights.get((document,), 1.0)
        if distances:
            options["distance"] = lambda *pair: distances.get(tuple(sorted(pair)), 1.0)

        def values(
            before: Sequence[Name], after: Sequence[Name], _: Mapping[Name, int], __: Cut
        ) -> Values:
            lists = (
                [name for name in some if not isinstance(name, Repeat)] for some in (before, after)
            )
            found = self.of.function(*(some[: one.cutoff] for some in lists), **options)
            return math.nan if found is None else found, *NOT_OF_RANKS

        return values


def _rank_biased_overlap(one: Measure, cutoff: int, ranks: int) -> _core.Similarity:
    kernel = _core.RankBiasedOverlap
    rest, ties = kernel.Rest[one["score"]], kernel.Ties[one["ties"] or "none"]
    return kernel(one["p"], rest, ties, cutoff, ranks)


def _correlation(one: Measure, cutoff: int, _: int) -> _core.Similarity:
    kernel = _core.RankCorrelation
    name = ("symmetric_" if one["symmetric"] else "") + one.name.lower()
    return kernel(kernel.Kind[name], bool(one["ties"]), cutoff)


def _set_overlap(one: Measure, cutoff: int, _: int) -> _core.Similarity:
    kernel = _core.SetOverlap
    return kernel(kernel.Kind[one.name.lower()], cutoff)


def _footrule(one: Measure, cutoff: int, _: int) -> _core.Similarity:
    return _core.Footrule(one["normalized"], cutoff, one.cutoff is not None)


def _hoeffding(one: Measure, cutoff: int, ranks: int) -> _core.Similarity:
    steps = np.arange(1.0, max(ranks, one["n"] or 0) + 1)
    return _core.WeightedHoeffding(steps ** -one["q"], one["n"] or 0, cutoff)


def _position_weighted(one: Measure, cutoff: int, ranks: int) -> _core.Similarity:
    kernel = _core.PositionWeighted
    kind = kernel.Kind[one.name.removeprefix("w").lower()]
    return kernel(kind, _positions(_swap_of(one), ranks), cutoff)


_KERNELS: dict[str, Callable[[Measure, int, int], _core.Similarity]] = {
    "RBO": _rank_biased_overlap,
    "tau_b": _correlation,
    "rho": _correlation,
    "tau_AP": _correlation,
    "Jaccard": _set_overlap,
    "Overlap": _set_overlap,
    "AnchorMAP": lambda _, cutoff, __: _core.AnchorMap(cutoff),
    "footrule": _footrule,
    "RRD": lambda _, cutoff, __: _core.ReciprocalRankDistance(cutoff),
    "wHoeffding": _hoeffding,
    "wFootrule": _position_weighted,
    "wKendall": _position_weighted,
}


def _positions(swap: Swap | None, ranks: int) -> Array:
    """What the swaps down to each rank cost, from rank 0: p_1 = 1, p_r = p_(r-1) + swap(r)."""
    if swap is None:
        return np.zeros(0)
    costs = (swap(rank) for rank in range(2, ranks + 1))
    return np.array([0.0, *accumulate(costs, initial=1.0)])


def _swap_of(one: Measure) -> Swap | None:
    """The position weights of a measure as a function of rank."""
    given = one["swap"]
    if given is None or isinstance(given, str):
        return None if given is None else SWAPS[given]
    return lambda rank: float(given[min(rank - 2, len(given) - 1)])


def _elements(path: str, documents: int) -> dict[tuple[bytes, ...], float]:
    """Numbers of documents, or of pairs of them in any order."""
    name, content = read_bytes(path)
    return _parsed(name, content, documents)


@lru_cache(maxsize=4)
def _parsed(name: str, content: bytes, documents: int) -> dict[tuple[bytes, ...], float]:
    found: dict[tuple[bytes, ...], float] = {}
    for line, text in enumerate(content.splitlines(), 1):
        words = text.split()
        if not words or words[0].startswith(b"#"):
            continue
        key = tuple(sorted(words[:-1]))
        number = _number(words[-1])
        if len(key) != documents or number is None:
            form = "document weight" if documents == 1 else "document document distance"
            raise InputError(
                f"expected '{form}'", name, line, text_of(text), "The number must be 0 or more."
            )
        if found.setdefault(key, number) != number:
            raise InputError(
                "is listed twice with different numbers",
                name,
                line,
                text_of(text),
                "Remove one of the lines.",
            )
    if not found:
        raise InputError("contains no numbers of documents", name)
    return found


def _number(word: bytes) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if 0 <= number < math.inf else None
