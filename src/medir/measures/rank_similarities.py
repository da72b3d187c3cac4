"""The table of rank similarities and distances, as measures of runs: one row each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from medir.base.words import quoted
from medir.errors import MeasureError
from medir.measures.parameters import DEFAULT_CUTOFF, LARGEST, Parameter, number, one_of, whole

if TYPE_CHECKING:
    from medir.similarity.distances import Swap


class Similarity(NamedTuple):
    """One row of the table: a function of two rankings, and what may be said of it.

    `parameters` and `cutoff` are those of the measure of this name, which compares runs.
    """

    name: str
    aliases: tuple[str, ...]
    called: str  # the name of the function in `medir.similarity`
    meaning: str
    formula: str
    kind: Literal["similarity", "distance"]
    range: str
    metric: str  # "yes", "no", or when
    symmetric: bool
    ties: str  # "yes", "no", or which
    missing: str  # when the value is None; "never"
    parameters: tuple[Parameter, ...] = ()
    cutoff: int | None = None
    cuts_both: bool = True  # the cutoff is one of both lists, not of the first alone

    @property
    def function(self) -> Callable[..., float | None]:
        """The function, which is loaded when it is first asked for."""
        from medir import similarity

        found: Callable[..., float | None] = getattr(similarity, self.called)
        return found

    @property
    def about(self) -> str:
        """What a user should know of the value."""
        symmetric = "" if self.symmetric else "; not symmetric: the first run is the reference"
        missing = "" if self.missing == "never" else f"; no value: {self.missing}"
        return f"a rank {self.kind}, {self.range}; a metric: {self.metric}{symmetric}{missing}"


def _or_none(check: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: None if value is None else check(value)


def _yes_or_no(value: Any) -> Any:
    if not isinstance(value, bool):
        raise MeasureError(f"is True or False, not {quoted(value)}")
    return value


def _swap(value: Any) -> Any:
    if value is None or (isinstance(value, str) and value in SWAPS):
        return value
    try:
        costs = tuple(float(cost) for cost in value)
    except (TypeError, ValueError, OverflowError):
        costs = ()
    if isinstance(value, str) or not costs or not all(0 <= cost <= LARGEST for cost in costs):
        known = ", ".join(map(repr, SWAPS))
        raise MeasureError(
            f"is one of {known}, or a list of costs from 0 to {LARGEST:g}, not {quoted(value)}"
        )
    return costs


def _exponent(value: Any) -> Any:
    return 0.0 if value == 0 and not isinstance(value, bool) else number(0, math.inf)(value)


def _path(value: Any) -> Any:
    if not isinstance(value, str) or value in ("", "-"):
        raise MeasureError(f"is the name of a file, not {quoted(value)}")
    return value


SWAPS: dict[str, Swap] = {
    "reciprocal": lambda rank: 1 / rank,
    "dcg": lambda rank: 1 / math.log2(rank) - 1 / math.log2(rank + 1),
}
_TIES = Parameter("ties", False, "True: results with equal scores are tied", _yes_or_no)
_ELEMENTS = (
    Parameter(
        "swap",
        None,
        "what it costs to exchange the ranks r-1 and r: 'reciprocal' (1/r), 'dcg' "
        "(1/log2(r) - 1/log2(r+1)), or the costs for r = 2, 3, ..., the last for all below",
        _swap,
    ),
    Parameter(
        "weight",
        None,
        "a file of lines 'document weight'; 1 for the others",
        _or_none(_path),
    ),
    Parameter(
        "distance",
        None,
        "a file of lines 'document document distance'; 1 for the other pairs",
        _or_none(_path),
    ),
)
_FEW_SHARED = "fewer than two shared documents"
_SAME = "lists of the same documents"

SIMILARITIES: tuple[Similarity, ...] = (
    Similarity(
        "RBO", ("rbo",), "rbo", "rank-biased overlap",
        "(1-p) sum_d p^(d-1) A_d, A_d = the agreement of the first d ranks",
        "similarity", "0 to 1", "1 - RBO, on lists of one length without ties", True, "w, a or b",
        "score='ext' and an empty list",
        (
            Parameter(
                "p", 0.9, "probability that the user looks at the next rank", number(0, 1), True
            ),
            Parameter(
                "score", "ext",
                "how unseen ranks count: 'ext' (they agree as the lists so far), 'min', 'max', or "
                "'res' (max - min)",
                one_of("ext", "min", "max", "res"),
            ),
            Parameter(
                "ties", None,
                "results with equal scores are tied: 'w': they share a rank; 'a': in any order; "
                "'b': as 'a', normalised by each list's agreement with itself; default: no ties",
                _or_none(one_of("w", "a", "b")),
            ),
        ),
    ),
    Similarity(
        "tau_b", ("kendall", "tau"), "tau_b", "Kendall's tau-b of the shared documents",
        "(C - D) / sqrt((n0 - n_x) (n0 - n_y))",
        "similarity", "-1 to 1", "no", True, "yes", f"{_FEW_SHARED}, or all of them tied",
        (_TIES,),
    ),
    Similarity(
        "rho", ("spearman",), "rho", "Spearman's rho of the shared documents",
        "the correlation of their ranks; without ties 1 - 6 sum_i (r_i - s_i)^2 / (n^3 - n)",
        "similarity", "-1 to 1", "no", True, "yes", f"{_FEW_SHARED}, or all of them tied",
        (_TIES,),
    ),
    Similarity(
        "tau_AP", ("tauap",), "tau_ap", "AP correlation of the shared documents",
        "2/(n-1) sum_{i=2..n} C(i)/(i-1) - 1, the first list is the reference",
        "similarity", "-1 to 1", "no", False, "no", _FEW_SHARED,
        (Parameter("symmetric", False, "True: the mean of both ways", _yes_or_no),),
    ),
    Similarity(
        "footrule", ("spearman_footrule",), "footrule", "Spearman's footrule of the first k ranks",
        "sum_d |r(d) - s(d)|, absent documents at k + 1",
        "distance", "0 to k (k+1)", "for a fixed k", True, "not across k",
        "normalized, of two empty lists",
        (Parameter("normalized", False, "True: divided by k (k+1)", _yes_or_no),),
    ),
    Similarity(
        "Jaccard", (), "jaccard", "Jaccard's coefficient of the first k ranks",
        "|X ∩ Y| / |X ∪ Y|",
        "similarity", "0 to 1", "1 - Jaccard, on the sets of the first k", True, "not across k",
        "both lists empty",
        cutoff=DEFAULT_CUTOFF,
    ),
    Similarity(
        "Overlap", (), "overlap", "overlap of the first k ranks",
        "|X ∩ Y| / k",
        "similarity", "0 to 1", "1 - Overlap, on sets of k documents", True, "not across k",
        "never",
        cutoff=DEFAULT_CUTOFF,
    ),
    Similarity(
        "AnchorMAP", ("anchormap",), "anchor_map",
        "average precision of the second list if the first k of the first were relevant",
        "(1/R) sum_{i: y_i in X} |X ∩ Y_i| / i, R = |X|",
        "similarity", "0 to 1", "no", False, "first list, not across k", "the first list empty",
        cutoff=DEFAULT_CUTOFF, cuts_both=False,
    ),
    Similarity(
        "wHoeffding", ("hoeffding",), "w_hoeffding", "expected weighted Hoeffding distance",
        "2 sum_{t<n} t^-q (t - X_t), X_t = expected overlap of the first t of n ranks",
        "distance", "0 to 2 sum_{t<n} t^-q min(t, n-t)", "on complete lists without ties", True,
        "yes", "as a measure: more documents than n",
        (
            Parameter("q", 1.0, "weights t^-q of the steps from rank t to t+1", _exponent),
            Parameter(
                "n", None,
                "how many documents there are, at least those of both lists; else just these",
                whole(1, 10_000_000, optional=True),
            ),
        ),
    ),
    Similarity(
        "wFootrule", ("weighted_footrule",), "weighted_footrule",
        "footrule of the shared documents, with weights of ranks and documents",
        "sum_i w_i p_i |sum_{j above i in x} w_j p_j D_ij - sum_{j above i in y} w_j p_j D_ij|",
        "distance", "from 0; without weights to n^2 / 2", f"on {_SAME}, without `swap`", True, "no",
        _FEW_SHARED,
        _ELEMENTS,
    ),
    Similarity(
        "wKendall", ("weighted_kendall",), "weighted_kendall",
        "Kendall's distance of the shared documents, with weights of ranks and documents",
        "sum_{i, j in different order} w_i w_j p_i p_j D_ij",
        "distance", "from 0; without weights to n (n-1) / 2", f"on {_SAME}, without `swap`", True,
        "no", _FEW_SHARED,
        _ELEMENTS,
    ),
    Similarity(
        "RRD", ("reciprocal_rank_distance",), "reciprocal_rank_distance",
        "differences of reciprocal ranks",
        "sum_d |1/r(d) - 1/s(d)|, 1/r = 0 for absent documents",
        "distance", "0 to 2 (1 + 1/2 + ... + 1/k)", "yes", True, "no", "never",
    ),
)  # fmt: skip
