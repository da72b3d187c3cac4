"""Measures and options as the native kernels take them: numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Integral
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.arrays import Array
from medir.checks import check_choice
from medir.errors import MeasureError, UsageError
from medir.inputs.lengths import Lengths
from medir.inputs.qrels import Qrels
from medir.measures.notation import Measure, check_counts
from medir.measures.table import DEEPEST, DEFAULT_MAX_GRADE

Unseen = Literal["anything", "nothing"]
Duplicates = Literal["error", "first"]

NO_LIMIT = 1 << 40  # ranks
EFFORT = 1_000_000  # entries and labels of a search
NEGLIGIBLE = 1e-18  # of a cascade that goes on


def check_for_lists(measures: Sequence[Measure]) -> None:
    """Raises an error where one of the measures is not one of ranked documents."""
    for one in measures:
        if one.family.shape == "trailtext":
            raise MeasureError(
                f"{one} is a measure of passages, not of ranked documents; "
                "use medir passages (medir.compare_passages)"
            )
        if one.family.shape == "timed" and "speed" in dict(one.settings):
            raise MeasureError(f"{one}: speed is for passages; documents have word_seconds")


def native_measures(
    measures: Sequence[Measure], depth: int, judged: Qrels | None, effort: int = EFFORT
) -> list[_core.Measure]:
    """The measures as the kernels take them, for lists of together `depth` results."""
    if not isinstance(effort, Integral) or effort < 1:
        raise UsageError(f"effort is 1 or more, not {effort!r}")
    check_for_lists(measures)
    for one in measures:
        if judged is not None and one["max_grade"] is not None:
            judged.refuse_grades_above(one["max_grade"])
        if judged is None and one["ideal"] == "judged":
            raise UsageError(f"{one} takes its ideal from judgments: give qrels (--qrels FILE)")
    return [_native_measure(one, depth, judged, effort) for one in measures]


def _native_measure(one: Measure, depth: int, judged: Qrels | None, effort: int) -> _core.Measure:
    if one.family.similarity is not None:
        from medir.measures.shapes.similarity import native_similarity

        return native_similarity(one, depth)
    if one.family.shape == "average precision":
        assert one.cutoff is not None, one
        norm = {"unbounded": one.cutoff, "judged": 0}.get(one["ideal"], one["ideal"])
        return _core.AveragePrecision(one.cutoff, one["rel"], norm, effort)
    if one.family.shape == "timed":
        return _core.TimeBiasedGain(
            one["half_life"],
            one["gain"],
            one["snippet_seconds"],
            one["document_seconds"],
            one["word_seconds"],
            one["click_relevant"],
            one["click_not_relevant"],
            one.cutoff,
            one["rel"],
            effort,
        )
    longest, highest = (judged.longest, judged.highest) if judged else (0, None)
    if one.family.shape == "cascade":
        cascade = _core.Cascade(*tabulate_cascade(one, depth + longest, highest), effort)
        return _core.IntentAware(cascade, one["intents"]) if one.family.intents else cascade
    table = tabulate(one, depth, longest, highest)
    return _core.DotProduct(table.discount, table.tail, table.values, table.available, table.norm)


def native_options(
    measures: Sequence[Measure],
    depth: int | None,
    unseen: Unseen,
    duplicates: Duplicates,
    threads: int,
    lengths: Lengths | None = None,
) -> _core.Options:
    """The options of the kernels. No rank is looked at that no measure looks at."""
    check_choice(unseen, Unseen, "unseen")
    check_choice(duplicates, Duplicates, "duplicates")
    if depth is not None and (not isinstance(depth, Integral) or depth < 1):
        raise UsageError(f"depth is 1 or more, not {depth!r}")
    limit = min(deepest(measures) or NO_LIMIT, depth or NO_LIMIT)
    by_intent = any(one.family.intents for one in measures)
    return _core.Options(
        limit,
        reach_of_relevance(measures) or NO_LIMIT,
        _core.Unseen[unseen],
        _core.Repeats[duplicates],
        _core.Intents.kept if by_intent else _core.Intents.ignored,
        _core.Ties.kept if any(one["ties"] for one in measures) else _core.Ties.ignored,
        threads,
        None if lengths is None else lengths._native,
    )


def reach_of_relevance(measures: Sequence[Measure]) -> int | None:
    """The deepest rank whose relevance counts under any of the measures."""
    some = [one for one in measures if one.kind == "difference"]
    return deepest(some) if some else None


def deepest(measures: Sequence[Measure]) -> int | None:
    """The deepest rank that any of the measures looks at; None where one looks endlessly deep."""
    reaches = [one.reach for one in measures]
    return None if None in reaches else max(cast("list[int]", reaches), default=None)


@dataclass(frozen=True)
class Table:
    """A measure as numbers, for lists up to a certain length: what the kernels work with."""

    discount: Array  # d_1, d_2, ...
    tail: Array  # tail[K] = sum of d_i for i > K
    values: Array  # relevance of each grade
    available: NDArray[np.int64]  # documents of each grade, where that is known; else empty
    norm: float  # 0: from the judgments of each query


def max_grade_of(measure: Measure, highest_judged: int | None) -> int:
    """The highest grade G: as declared, else the highest in the judgments, else 2."""
    return int(measure["max_grade"] or highest_judged or DEFAULT_MAX_GRADE)


def relevance_values(measure: Measure, max_grade: int) -> Array:
    """The relevance value of each grade 0..G.

    `exp`: r_j = (2^j - 1) / 2^G, or over 2^G - 1 where the measure wants r_G = 1; `linear`: j / G;
    `binary`: 1 from grade `rel` on.

    >>> from medir import nDCG
    >>> relevance_values(nDCG, 2).tolist()
    [0.0, 0.25, 0.75]
    """
    grades = np.arange(max_grade + 1.0)
    gains = measure["gains"] or ("exp" if measure["relevance"] == "graded" else "binary")
    if gains == "binary":
        return np.where(grades >= measure["rel"], 1.0, 0.0)
    if gains == "linear":
        return np.asarray(grades / max_grade)
    values = np.exp2(grades - max_grade) - np.exp2(-max_grade)
    return np.asarray(values / values[-1] if measure.family.unit else values)


def tabulate(measure: Measure, depth: int, judged: int, highest_judged: int | None) -> Table:
    """The measure as numbers, for two lists of together `depth` results and `judged` judgments."""
    grade = max_grade_of(measure, highest_judged)
    values = relevance_values(measure, max(grade, measure["rel"]))
    available = np.zeros(0, dtype=np.int64)
    ideal = measure["ideal"]
    cutoff = measure.cutoff
    if isinstance(ideal, tuple):
        check_counts(measure, grade)
        available = np.zeros(len(values), dtype=np.int64)
        for g, n in ideal:
            available[g] = min(n, depth + judged + (cutoff or 0))
    length = depth + judged if cutoff is None else cutoff
    ranks = np.arange(1.0, length + 1)
    parameters = {p.name: measure[p.name] for p in measure.family.parameters}
    assert measure.family.discount is not None, measure
    discount = measure.family.discount(ranks, parameters)
    if cutoff is None:
        assert measure.family.tail is not None, measure
        tail = measure.family.tail(np.arange(length + 1.0), parameters)
    else:
        tail = np.concatenate([np.cumsum(discount[::-1])[::-1], [0.0]])
    norm = _norm(measure, discount, values, available)
    return Table(discount, tail, values, available, norm)


def tabulate_cascade(
    measure: Measure, length: int, highest_judged: int | None
) -> tuple[Array, Array, Array, float, float]:
    """A cascade as numbers: d_i, what lies below each depth, the relevance values, rho and N.

    Below depth K, where all is of top relevance r: T_K = r d_{K+1} + (1 - rho r) T_{K+1}.
    """
    grade = max_grade_of(measure, highest_judged)
    values = relevance_values(measure, max(grade, measure["rel"]))
    parameters = {p.name: measure[p.name] for p in measure.family.parameters}
    family, top = measure.family, float(values[-1])
    assert family.discount is not None, measure
    assert family.decay is not None, measure
    decay = family.decay(parameters)
    keep = 1 - decay * top
    length = measure.cutoff or length
    further = 0 if measure.cutoff else _negligible_after(measure, keep)
    discount = family.discount(np.arange(1.0, length + further + 1), parameters)
    below = accumulate(discount[::-1].tolist(), lambda t, d: top * d + keep * t, initial=0.0)
    tail = np.array(list(below)[::-1])[: length + 1]
    norm = float(tail[0]) if family.norm == "ideal" else float(measure["norm"] or 1.0)
    return discount[:length], tail, values, decay, norm


def _negligible_after(measure: Measure, keep: float) -> int:
    """How many ranks of top relevance further down a user reads on with no chance to speak of."""
    if isinstance(measure.own_discount, tuple):
        return len(measure.own_discount)
    ranks = 1 if keep <= 0 else math.ceil(math.log(NEGLIGIBLE) / math.log(keep))
    if ranks > DEEPEST:
        raise MeasureError(
            f"{measure}: the decay is too small to add up an endless list; set a cutoff with @"
        )
    return ranks


def _norm(measure: Measure, discount: Array, values: Array, available: NDArray[np.int64]) -> float:
    match measure.family.norm, measure["ideal"]:
        case "discounts", _:
            return float(np.sum(discount))
        case "ideal", "judged":
            return 0.0
        case "ideal", "unbounded":
            return float(values[-1] * np.sum(discount))
        case "ideal", int(count):
            return float(values[-1] * np.sum(discount[:count]))
        case "ideal", _:
            best = np.repeat(values[::-1], available[::-1])[: len(discount)]
            norm = float(np.dot(best, discount[: len(best)]))
            if norm == 0:
                raise MeasureError(f"{measure}: ideal counts no relevant document")
            return norm
    return float(measure["norm"] or 1.0)


def max_grade_note(measures: Sequence[Measure], judged: Qrels | None) -> str:
    """Which highest grade was used, and where it comes from."""
    declared = sorted({m["max_grade"] for m in measures if m["max_grade"] is not None})
    if declared:
        return f"highest grade {', '.join(map(str, declared))} (declared)"
    if judged is not None and judged.highest:
        return f"highest grade {judged.highest} (from the judgments)"
    return f"highest grade {DEFAULT_MAX_GRADE} (default)"
