"""The table of measures: one row each, with its parameters, its formula and its shape.

The parser, the help of the shell and the documentation are made from these rows.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from medir.base.words import quoted
from medir.errors import MeasureError
from medir.measures.family import Family
from medir.measures.parameters import (
    DEFAULT_CUTOFF,
    HUGE,
    LARGEST,
    SMALLEST,
    Parameter,
    decay_check,
    ideal_check,
    ideal_number_check,
    moderate,
    number,
    one_of,
    probability_check,
    seconds_check,
    whole,
)
from medir.measures.rank_similarities import SIMILARITIES
from medir.measures.shapes import discounts
from medir.measures.shapes.average_precision import AveragePrecision
from medir.measures.shapes.cascade import Cascade
from medir.measures.shapes.discounts import trigamma
from medir.measures.shapes.dot_product import DotProduct
from medir.measures.shapes.judged import Judged
from medir.measures.shapes.similarity import RankSimilarity
from medir.measures.shapes.timed import Timed
from medir.measures.shapes.trail import Trail

# How a measure is written: nDCG@20, RBP(p=0.8), P_10, P.10, AP(ideal='judged')@all.
NOTATION = re.compile(
    r"\s*+(?P<name>[^\W\d_][\w.-]*?)\s*+(?P<arguments>\(.*\))?\s*+"
    r"(?:(?P<mark>[@_.])(?P<cutoff>[0-9]+|(?<=@)(?i:all)))?\s*+",
    re.DOTALL,
)


def name_check(value: Any) -> Any:
    """A name for a measure of the user's own, or None."""
    if value is None:
        return None
    if not isinstance(value, str) or not re.fullmatch(r"[^\W\d_][\w.-]*", value):
        raise MeasureError(f"is a word, not {quoted(value)}")
    notation = NOTATION.fullmatch(value)
    if notation is not None and notation["name"].lower() in {*BY_NAME, *TREC_EVAL}:
        raise MeasureError(f"must be a new word: {quoted(value)} is a measure of medir")
    return value


def _total(value: Any) -> Any:
    return None if value is None else number(0, HUGE)(value)


def relevance(gains: str) -> tuple[Parameter, ...]:
    """The parameters of a measure of graded relevance."""
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


ALL_RANKS = (
    "@all, with ideal='judged', is as deep as the lists: below a list there is nothing, and unseen "
    "ranks do not apply."
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


FAMILIES: tuple[Family, ...] = (
    Family(
        "nDCG",
        "normalised discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = the best that a list can reach",
        (
            *relevance("exp"),
            Parameter(
                "ideal",
                "unbounded",
                "what is known of the collection, for N: 'unbounded' (as many documents of the "
                "highest grade as ranks), 'judged' (from the judgments, as trec_eval), a number "
                "of documents of the highest grade, or counts per grade such as {2: 1, 1: 12}, "
                "which limit the assignment too; 'medir score' has 'judged' unless it is stated",
                ideal_check,
                kept=True,
            ),
        ),
        DotProduct(discounts.logarithmic, norm="ideal", unit=False),
        trec_eval=(
            ("ndcg_cut", "nDCG(gains='linear', ideal='judged')"),
            ("ndcg", "nDCG(gains='linear', ideal='judged')@all"),
        ),
        cutoff=DEFAULT_CUTOFF,
        about=f"{ALL_RANKS} ir_measures' nDCG@20 is trec_eval's ndcg_cut_20; "
        "gdeval's is nDCG(ideal='judged')@20.",
    ),
    Family(
        "RBP",
        "rank-biased precision",
        "(1-p) sum_i c_i p^(i-1)",
        (
            Parameter("p", 0.9, "persistence of the user", number(0, 1), shown=True),
            *relevance("binary"),
        ),
        DotProduct(
            lambda ranks, p: np.asarray((1 - p["p"]) * p["p"] ** (ranks - 1)),
            tail=lambda depth, p: np.asarray(p["p"] ** depth),
        ),
    ),
    Family(
        "P",
        "precision",
        "(1/k) sum_{i<=k} c_i",
        relevance("binary"),
        DotProduct(discounts.flat, norm="discounts"),
        aliases=("precision", "prec"),
        cutoff=DEFAULT_CUTOFF,
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
                "relevant judgments, as trec_eval), or a number of relevant documents; 'medir "
                "score' has 'judged' unless it is stated",
                ideal_number_check,
                kept=True,
            ),
        ),
        AveragePrecision(),
        trec_eval=(("map_cut", "AP(ideal='judged')"), ("map", "AP(ideal='judged')@all")),
        cutoff=100,
        about=f"{ALL_RANKS} ir_measures' AP is trec_eval's map.",
    ),
    Family(
        "ERR",
        "expected reciprocal rank",
        "sum_i (c_i / i) prod_{j<i} (1 - c_j)",
        relevance("exp"),
        Cascade(discounts.reciprocal, decay=lambda _: 1.0, unit=False),
        about="c = (2^g - 1) / 2^G depends on the highest grade G: gdeval's ERR@20 is "
        "ERR(max_grade=4)@20, whatever grades the judgments have.",
    ),
    Family(
        "RR",
        "reciprocal rank of the first relevant document",
        "sum_i (c_i / i) prod_{j<i} (1 - c_j), binary",
        (_REL,),
        Cascade(discounts.reciprocal, decay=lambda _: 1.0),
        aliases=("recip_rank", "mrr"),
    ),
    Family(
        "Success",
        "whether any document is relevant",
        "sum_{i<=k} c_i prod_{j<i} (1 - c_j), binary",
        (_REL,),
        Cascade(discounts.flat, decay=lambda _: 1.0),
        cutoff=10,
    ),
    Family(
        "DCG",
        "discounted cumulative gain",
        "sum_{i<=k} c_i / log2(i+1)",
        relevance("exp"),
        DotProduct(discounts.logarithmic, unit=False),
        aliases=("dcg_cut",),
        cutoff=DEFAULT_CUTOFF,
        unit_scale=False,
        about="c is (2^g - 1) / 2^G, or g / G with gains='linear', G being the highest grade: "
        "multiply by 2^G, or by G, for the sum of 2^g - 1 or g over log2(i+1) that others report.",
    ),
    Family(
        "SDCG",
        "scaled discounted cumulative gain",
        "(1/N) sum_{i<=k} c_i / log2(i+1), N = sum_{i<=k} 1 / log2(i+1)",
        relevance("linear"),
        DotProduct(discounts.logarithmic, norm="discounts"),
        cutoff=DEFAULT_CUTOFF,
    ),
    Family(
        "INSQ",
        "inverse squares",
        "(1/N) sum_i c_i / (i+2T-1)^2, N = sum_i 1 / (i+2T-1)^2",
        (
            Parameter("T", 1.0, "how many relevant documents the user hopes to find", moderate),
            *relevance("linear"),
        ),
        DotProduct(
            lambda ranks, p: np.asarray((ranks - 1 + 2 * p["T"]) ** -2.0 / trigamma(2 * p["T"])),
            tail=lambda depth, p: trigamma(depth + 2 * p["T"]) / trigamma(2 * p["T"]),
        ),
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
                "time to open a document, besides reading its words",
                seconds_check(zero=True),
            ),
            Parameter(
                "word_seconds", 0.018, "time to read one word of it", seconds_check(zero=True)
            ),
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
        Timed(),
        passages=True,
        unit_scale=False,
    ),
    Family(
        "Discount",
        "any discount of your own, known by its name from then on",
        "(1/norm) sum_i c_i d_i",
        (
            Parameter(
                "weights",
                None,
                "d_1, d_2, ..., or a function of rank",
                discounts.weights_check,
                True,
            ),
            Parameter("name", None, "what the measure is called; a function needs one", name_check),
            Parameter("total", None, "for a function: the sum of d_i over all ranks", _total),
            Parameter("norm", 1.0, "what the sum is divided by", moderate),
            *relevance("binary"),
        ),
        DotProduct(discounts.own, tail=discounts.own_tail),
        required="Discount needs its weights: Discount([1, 0.5, 0.25], name='mine')",
        unit_scale=False,
    ),
    Family(
        "Cascade",
        "any cascade of your own, known by its name from then on",
        "sum_i c_i d_i prod_{j<i} (1 - decay c_j)",
        (
            Parameter(
                "discount",
                None,
                "d_1, d_2, ..., or a function of rank",
                discounts.weights_check,
                True,
            ),
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
            Parameter("norm", 1.0, "what the sum is divided by", moderate),
            Parameter(
                "max_grade",
                None,
                "the highest grade there is; else the highest in the judgments, else 2",
                whole(1, 1000, optional=True),
            ),
            _REL,
        ),
        Cascade(discounts.own, decay=lambda p: float(p["decay"]), unit=False),
        required="Cascade needs its discount: Cascade([1, 0.5, 0.25], decay=0.5)",
        unit_scale=False,
    ),
    Family(
        "ERR_IA",
        "intent-aware expected reciprocal rank",
        "mean over intents: sum_i (c_i / i) prod_{j<i} (1 - c_j)",
        (*relevance("exp"), _INTENTS),
        Cascade(discounts.reciprocal, decay=lambda _: 1.0, unit=False, by_intent=True),
        aliases=("err-ia",),
        about="ndeval's ERR-IA@k has binary relevance and decays by alpha = 0.5; it is ERR_IA@k of "
        "judgments with grades 0 and 1, divided by sum_{i<=k} 0.5^i / i, the score of a list whose "
        "documents are all relevant to all intents.",
    ),
    Family(
        "alpha_nDCG",
        "discounted cumulative gain with a penalty for redundancy",
        "mean over intents: (1/N) sum_{i<=k} c_i / log2(i+1) prod_{j<i} (1 - alpha c_j)",
        (_ALPHA, _REL, _INTENTS),
        Cascade(
            discounts.logarithmic, decay=lambda p: float(p["alpha"]), norm="ideal", by_intent=True
        ),
        aliases=("alpha-ndcg",),
        cutoff=DEFAULT_CUTOFF,
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
        Cascade(
            lambda ranks, p: np.asarray(p["beta"] ** (ranks - 1)),
            decay=lambda p: float(p["alpha"]),
            norm="ideal",
            by_intent=True,
        ),
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
        Trail(),
        cutoff=12_000,
        documents=False,
        passages=True,
        deepest=10**9,
        unit_scale=False,
    ),
    Family(
        "Judged",
        "share of the first k results that are judged; for medir score only",
        "(1/n) sum_{i<=n} 1 if the document at rank i has a judgment, n = k or the list's length",
        (),
        Judged(),
        cutoff=10,
        documents=False,
    ),
)

FAMILIES += tuple(
    Family(
        row.name,
        row.meaning,
        row.formula,
        row.parameters,
        RankSimilarity(row),
        aliases=row.aliases,
        cutoff=row.cutoff,
        about=row.about,
        unit_scale=False,
    )
    for row in SIMILARITIES
)

TREC_EVAL = {name: text for row in FAMILIES for name, text in row.trec_eval}
BY_NAME = {name.lower(): row for row in FAMILIES for name in (row.name, *row.aliases)}
