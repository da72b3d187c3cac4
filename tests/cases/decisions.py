"""A comparison of five queries whose values are known by hand, and its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import medir

BEFORE = {f"q{number}": list("abcd") for number in range(5)}
AFTER = {
    query: list(documents)
    for query, documents in zip(BEFORE, ["abcd", "xbcd", "xycd", "xyzd", "xyzw"], strict=True)
}
QRELS = {
    "q1": {"x": 0},  # the new document is not relevant
    "q2": {"x": 1, "y": 0, "a": 0},  # b of the old ones may be
    "q4": {"a": 1, "b": 1, "c": 0},  # d of the old ones may be, and all new ones
}
# P@4 counts how many more of four are relevant: in quarters.
GAIN = [0.0, 0.0, 0.25, 0.75, 0.5]
LOSS = [0.0, 0.25, 0.0, 0.75, 0.75]
MED = [0.0, 0.25, 0.25, 0.75, 0.75]
OVERLAP = [1.0, 0.75, 0.5, 0.25, 0.0]
VALUES: Mapping[str, list[float]] = {"med": MED, "gain": GAIN, "loss": LOSS}

SEGMENTS = {"q0": "head", "q1": "head", "q2": "long: tail", "q3": "long: tail", "q4": "head"}
QUERIES = {query: {"part": part} for query, part in SEGMENTS.items()}


def compared(**options: Any) -> medir.Comparison:
    """P@4 and Overlap@4 of the five queries."""
    return medir.compare(BEFORE, AFTER, ["P@4", "Overlap@4"], **({"qrels": QRELS} | options))
