"""From grades to relevance values, and which grade is the highest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from medir.base.arrays import Array
from medir.measures.family import Measure

if TYPE_CHECKING:
    from medir.inputs.qrels import Qrels

DEFAULT_MAX_GRADE = 2


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
    return np.asarray(values / values[-1] if measure.shape.unit else values)


def values_of(measure: Measure, highest_judged: int | None) -> Array:
    """The relevance value of each grade there is."""
    highest = max(max_grade_of(measure, highest_judged), measure["rel"] or 0)
    return relevance_values(measure, highest)


def max_grade_note(measures: Sequence[Measure], judged: Qrels | None) -> str:
    """Which highest grade was used, and where it comes from."""
    declared = sorted({m["max_grade"] for m in measures if m["max_grade"] is not None})
    shares = "; fractions are shares of it" if judged is not None and judged.shares else ""
    if declared:
        return f"highest grade {', '.join(map(str, declared))} (declared{shares})"
    if judged is not None and judged.highest:
        source = "from the judgments" if judged.declared is None else "declared for the judgments"
        return f"highest grade {judged.highest} ({source}{shares})"
    return f"highest grade {DEFAULT_MAX_GRADE} (default)"


def ideal_notes(one: Measure, above: int) -> Iterator[str]:
    """What the ideal of the judgments does to a measure and its values, of which some exceed 1."""
    if one["ideal"] != "judged":
        return
    if one.within_lists:
        yield f"{one!r}: unseen ranks do not apply, since there is nothing below a list"
    if above:
        queries = "query" if above == 1 else "queries"
        yield (
            f"{one!r}: {above:,} {queries} above 1, since its ideal counts judged documents only"
        )
