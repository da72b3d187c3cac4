"""The table of measures: one row each, with its parameters, its formula and its discount.

The parser, the help of the shell and the documentation are made from these rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from medir.arrays import Array
from medir.errors import MeasureError
from medir.measures.parameters import (
    DEFAULT_CUTOFF,
    LARGEST,
    SMALLEST,
    Parameter,
    decay_check,
    ideal_check,
    ideal_number_check,
    number,
    one_of,
    probability_check,
    seconds_check,
    whole,
)
from medir.measures.rank_similarities import SIMILARITIES, Similarity

DEFAULT_MAX_GRADE = 2
DEEPEST = 10_000_000  # the largest cutoff: its discounts are a table


@dataclass(frozen=True)
class Function:
    """A measure of the user's own: from the relevance of each rank to a score."""

    score: Callable[[Array], float]
    values: tuple[float, ...]  # the relevance of each grade
    monotone: bool  # more relevance never lowers the score


@dataclass(frozen=True)
class Family:
    """One row of the table: a measure with its parameters still open.

    `shape` is how the documents of a list make up its score: a dot product of relevance and
    discounts, a cascade, where each relevant document makes it less likely that the user reads on,
    average precision, a cascade in time, where each document takes as long as its length says, or a
    function of the user's own; or how the characters of a trailtext do. A similarity compares two
    lists without relevance. `discount(ranks, parameters)` gives d_i, and
    `decay(parameters)` the rho of a cascade. For a dot product, `tail(depth, parameters)` is the
    sum of all d_i below a depth, where the measure looks endlessly deep. `norm` says what N is:
    `"one"`, `"discounts"` (the sum of all d_i) or `"ideal"` (the best that any list can score).
    With `intents`, the score is the mean over the intents of a query.
    """

    name: str
    meaning: str
    formula: str
    parameters: tuple[Parameter, ...]
    discount: Callable[[Array, Mapping[str, Any]], Array] | None = None
    shape: Literal[
        "dot product",
        "cascade",
        "average precision",
        "timed",
        "function",
        "similarity",
        "trailtext",
    ] = "dot product"
    decay: Callable[[Mapping[str, Any]], float] | None = None
    aliases: tuple[str, ...] = ()
    cutoff: int | None = None
    tail: Callable[[Array, Mapping[str, Any]], Array] | None = None
    norm: str = "one"
    unit: bool = True  # relevance values are scaled so that the highest is 1
    intents: bool = False
    function: Function | None = None
    similarity: Similarity | None = None
    passages: bool = False  # also, or only (shape trailtext), a measure of passages
    deepest: int = DEEPEST


def _weights(value: Any) -> Any:
    if callable(value):
        return value
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) == 0:
        raise MeasureError(f"is a list of discounts or a function of rank, not {value!r}")
    try:
        weights = np.array([float(weight) for weight in value])
    except (TypeError, ValueError):
        raise MeasureError(f"is a list of numbers, not {value!r}") from None
    return tuple(_checked_discount(weights).tolist())


def _checked_discount(weights: Array) -> Array:
    if not np.all(np.isfinite(weights)) or np.any(weights < 0) or np.any(np.diff(weights) > 0):
        raise MeasureError("has discounts that are finite, not negative, and never rise with rank")
    return weights


def name_check(value: Any) -> Any:
    """A name for a measure of the user's own, or None."""
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_][\w.-]*", value):
        raise MeasureError(f"is a word, not {value!r}")
    notation = NOTATION.fullmatch(value)
    if notation is not None and notation[1].lower() in BY_NAME:
        raise MeasureError(f"is a new word: {value!r} is a measure of medir's own")
    return value


def _total(value: Any) -> Any:
    return None if value is None else number(0, math.inf)(value)


def _relevance(gains: str) -> tuple[Parameter, ...]:
    return (
        Parameter(
            "gains",
            gains,
            "how a grade becomes relevance: 'binary', 'exp' (2^g - 1) or 'linear' (g)",
            one_of("binary", "exp", "linear"),
        ),
        Parameter(
            "max_grade",
            None,
            "the highest grade there is; else the highest in the judgments, else 2",
            whole(1, 1000, optional=True),
        ),
        Parameter(
            "rel",
            1,
            "with gains='binary': the lowest grade that counts as relevant",
            whole(1, 1000),
        ),
    )


_REL = Parameter("rel", 1, "the lowest grade that counts as relevant", whole(1, 1000))
_INTENTS = Parameter(
    "intents",
    1,
    "how many intents a query has; more where more are judged",
    whole(1, 100_000),
)
_ALPHA = Parameter(
    "alpha", 0.5, "how much a document loses by each relevant one above it", number(0, 1)
)


def _log_discount(ranks: Array, _: Mapping[str, Any]) -> Array:
    return np.asarray(1 / np.log2(ranks + 1))


def _trigamma(x: Array) -> Array:
    """Sum of 1 / (x + n)^2 over n = 0, 1, ...: by recurrence up to 20, then its expansion."""
    steps = np.arange(20.0)
    head = np.sum(1 / np.add.outer(np.asarray(x), steps) ** 2, axis=-1)
    y = np.asarray(x) + 20.0
    series = 1 / y + 1 / (2 * y**2) + 1 / (6 * y**3) - 1 / (30 * y**5) + 1 / (42 * y**7)
    return np.asarray(head + series - 1 / (30 * y**9))


def _reciprocal(ranks: Array, _: Mapping[str, Any]) -> Array:
    return np.asarray(1 / ranks)


def _custom_discount(ranks: Array, p: Mapping[str, Any]) -> Array:
    weights = p["weights"] if "weights" in p else p["discount"]
    if callable(weights):
        given = np.array([float(weights(int(rank))) for rank in ranks])
        return _checked_discount(given)
    padded = np.zeros(len(ranks))
    padded[: len(weights)] = weights[: len(ranks)]
    return padded


def _custom_tail(depth: Array, p: Mapping[str, Any]) -> Array:
    if not callable(p["weights"]):
        below = np.concatenate([np.cumsum(p["weights"][::-1])[::-1], [0.0]])
        return np.asarray(below[np.minimum(depth, len(below) - 1).astype(int)])
    ranks = np.arange(1.0, depth.max(initial=0) + 1)
    seen = np.concatenate([[0.0], np.cumsum(_custom_discount(ranks, p))])
    total = p["total"]
    if seen[-1] > total * (1 + 1e-9):
        raise MeasureError(
            f"{p['name']}: the discounts of the first {len(ranks)} ranks add up to {seen[-1]:g}, "
            f"more than total={total:g}; state the sum over all ranks"
        )
    return np.asarray(np.maximum(total - seen[depth.astype(int)], 0.0))


FAMILIES: tuple[Family, ...] = (
    Family(
        "nDCG",
        "normalised discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = the best that a list can reach",
        (
            *_relevance("exp"),
            Parameter(
                "ideal",
                "unbounded",
                "what is known of the collection, for N: 'unbounded' (as many documents of the "
                "highest grade as ranks), 'judged' (from the judgments, as trec_eval), a number "
                "of documents of the highest grade, or counts per grade such as {2: 1, 1: 12}, "
                "which limit the assignment too",
                ideal_check,
            ),
        ),
        discount=_log_discount,
        aliases=("ndcg_cut",),
        cutoff=DEFAULT_CUTOFF,
        norm="ideal",
        unit=False,
    ),
    Family(
        "RBP",
        "rank-biased precision",
        "(1-p) sum_i c_i p^(i-1)",
        (
            Parameter("p", 0.9, "persistence of the user", number(0, 1), shown=True),
            *_relevance("binary"),
        ),
        discount=lambda ranks, p: np.asarray((1 - p["p"]) * p["p"] ** (ranks - 1)),
        tail=lambda depth, p: np.asarray(p["p"] ** depth),
    ),
    Family(
        "P",
        "precision",
        "(1/k) sum_{i<=k} c_i",
        _relevance("binary"),
        discount=lambda ranks, _: np.ones_like(ranks),
        aliases=("precision", "prec"),
        cutoff=DEFAULT_CUTOFF,
        norm="discounts",
    ),
    Family(
        "AP",
        "average precision",
        "(1/N) sum_{i<=k} (c_i / i) sum_{j<=i} c_j, N = k",
        (
            _REL,
            Parameter(
                "ideal",
                "unbounded",
                "what is known of the collection, for N: 'unbounded' (k), 'judged' (the number of "
                "relevant judgments, as trec_eval), or a number of relevant documents",
                ideal_number_check,
            ),
        ),
        shape="average precision",
        aliases=("map", "map_cut"),
        cutoff=100,
    ),
    Family(
        "ERR",
        "expected reciprocal rank",
        "sum_i (c_i / i) prod_{j<i} (1 - c_j)",
        _relevance("exp"),
        discount=_reciprocal,
        shape="cascade",
        decay=lambda _: 1.0,
        unit=False,
    ),
    Family(
        "RR",
        "reciprocal rank of the first relevant document",
        "sum_i (c_i / i) prod_{j<i} (1 - c_j), binary",
        (_REL,),
        discount=_reciprocal,
        shape="cascade",
        decay=lambda _: 1.0,
        aliases=("recip_rank", "mrr"),
    ),
    Family(
        "Success",
        "whether any document is relevant",
        "sum_{i<=k} c_i prod_{j<i} (1 - c_j), binary",
        (_REL,),
        discount=lambda ranks, _: np.ones_like(ranks),
        shape="cascade",
        decay=lambda _: 1.0,
        cutoff=10,
    ),
    Family(
        "DCG",
        "discounted cumulative gain",
        "sum_{i<=k} c_i / log2(i+1)",
        _relevance("exp"),
        discount=_log_discount,
        aliases=("dcg_cut",),
        cutoff=DEFAULT_CUTOFF,
        unit=False,
    ),
    Family(
        "SDCG",
        "scaled discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = sum_{i<=k} 1 / log2(i+1)",
        _relevance("linear"),
        discount=_log_discount,
        cutoff=DEFAULT_CUTOFF,
        norm="discounts",
    ),
    Family(
        "INSQ",
        "inverse squares",
        "(1/N) sum_i c_i / (i+2T-1)^2, N = sum_i 1 / (i+2T-1)^2",
        (
            Parameter("T", 1.0, "relevant documents that the user hopes for", number(0, math.inf)),
            *_relevance("linear"),
        ),
        discount=lambda ranks, p: np.asarray(
            (ranks - 1 + 2 * p["T"]) ** -2.0 / _trigamma(2 * p["T"])
        ),
        tail=lambda depth, p: _trigamma(depth + 2 * p["T"]) / _trigamma(2 * p["T"]),
    ),
    Family(
        "TBG",
        "time-biased gain of documents of known length, or of passages",
        "sum_k gain c_k exp(-T(k) ln 2 / half_life), T(k) = sum_{i<k} (snippet_seconds\n"
        "  + P(click | c_i) (document_seconds + word_seconds words_i));\n"
        "  passages: integral of exp(-t ln 2 / half_life) over the seconds t of relevant material",
        (
            Parameter("half_life", 224, "seconds after which a gain counts half", seconds_check()),
            Parameter("gain", 0.4928, "gain of a relevant document", number(0, LARGEST)),
            Parameter("snippet_seconds", 4.4, "time for a snippet", seconds_check()),
            Parameter(
                "document_seconds",
                7.8,
                "time for a document that is opened, besides its words",
                seconds_check(zero=True),
            ),
            Parameter("word_seconds", 0.018, "time for a word of it", seconds_check(zero=True)),
            Parameter(
                "click_relevant",
                0.64,
                "probability that a relevant document is opened",
                probability_check,
            ),
            Parameter(
                "click_not_relevant",
                0.39,
                "probability that one that is not relevant is opened",
                probability_check,
            ),
            _REL,
            Parameter(
                "speed",
                25,
                "of passages without a duration: characters that a user reads in a second",
                seconds_check(),
            ),
        ),
        shape="timed",
        passages=True,
    ),
    Family(
        "Discount",
        "any discount of your own, known by its name from then on",
        "(1/norm) sum_i c_i d_i",
        (
            Parameter("weights", None, "d_1, d_2, ..., or a function of rank", _weights, True),
            Parameter("name", None, "what the measure is called; a function needs one", name_check),
            Parameter("total", None, "for a function: the sum of d_i over all ranks", _total),
            Parameter("norm", 1.0, "what the sum is divided by", number(0, math.inf)),
            *_relevance("binary"),
        ),
        discount=_custom_discount,
        tail=_custom_tail,
    ),
    Family(
        "Cascade",
        "any cascade of your own, known by its name from then on",
        "sum_i c_i d_i prod_{j<i} (1 - decay c_j)",
        (
            Parameter("discount", None, "d_1, d_2, ..., or a function of rank", _weights, True),
            Parameter(
                "decay", 1.0, "how much a relevant document ends the search", decay_check, True
            ),
            Parameter(
                "relevance",
                "binary",
                "'binary', or 'graded': (2^g - 1) / 2^G",
                one_of("binary", "graded"),
            ),
            Parameter("name", None, "what the measure is called; a function needs one", name_check),
            Parameter("norm", 1.0, "what the sum is divided by", number(0, math.inf)),
            Parameter(
                "max_grade",
                None,
                "the highest grade there is; else the highest in the judgments, else 2",
                whole(1, 1000, optional=True),
            ),
            _REL,
        ),
        discount=_custom_discount,
        shape="cascade",
        decay=lambda p: float(p["decay"]),
        unit=False,
    ),
    Family(
        "ERR_IA",
        "intent-aware expected reciprocal rank",
        "mean over intents: sum_i (c_i / i) prod_{j<i} (1 - c_j)",
        (*_relevance("exp"), _INTENTS),
        discount=_reciprocal,
        shape="cascade",
        decay=lambda _: 1.0,
        aliases=("err-ia",),
        unit=False,
        intents=True,
    ),
    Family(
        "alpha_nDCG",
        "discounted cumulative gain with a penalty for redundancy",
        "mean over intents: (1/N) sum_{i<=k} c_i / log2(i+1) prod_{j<i} (1 - alpha c_j)",
        (_ALPHA, _REL, _INTENTS),
        discount=_log_discount,
        shape="cascade",
        decay=lambda p: float(p["alpha"]),
        aliases=("alpha-ndcg",),
        cutoff=DEFAULT_CUTOFF,
        norm="ideal",
        intents=True,
    ),
    Family(
        "NRBP",
        "novelty- and rank-biased precision",
        "mean over intents: (1/N) sum_i c_i beta^(i-1) prod_{j<i} (1 - alpha c_j)",
        (
            _ALPHA,
            Parameter("beta", 0.5, "patience of the user", number(0, 1)),
            _REL,
            _INTENTS,
        ),
        discount=lambda ranks, p: np.asarray(p["beta"] ** (ranks - 1)),
        shape="cascade",
        decay=lambda p: float(p["alpha"]),
        norm="ideal",
        intents=True,
    ),
    Family(
        "U",
        "U-measure of passages: relevant characters, by where they are shown",
        "sum_{i<=k} c_i (1 - i/k) over characters, c_i = 1/2 where relevant",
        (
            Parameter(
                "discount",
                "linear",
                "d_i: 'linear' (1 - i/k), 'none' (1) or 'exponential' (2^(-i/half_life))",
                one_of("linear", "none", "exponential"),
            ),
            Parameter(
                "half_life",
                3000.0,
                "with discount='exponential': characters until a user is half as likely to read on",
                number(SMALLEST, LARGEST),
            ),
        ),
        shape="trailtext",
        cutoff=12_000,
        passages=True,
        deepest=10**9,
    ),
)

FAMILIES += tuple(
    Family(
        row.name,
        row.meaning,
        row.formula,
        row.parameters,
        shape="similarity",
        aliases=row.aliases,
        cutoff=row.cutoff,
        similarity=row,
    )
    for row in SIMILARITIES
)

BY_NAME = {name.lower(): row for row in FAMILIES for name in (row.name, *row.aliases)}
NOTATION = re.compile(r"\s*([^\W\d_][\w.-]*?)\s*(\(.*\))?\s*(?:[@_](\d+))?\s*", re.DOTALL)
