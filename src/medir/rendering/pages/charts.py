"""The pictures of a report as numbers: bars of a histogram, marks of a scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.comparing.decision.summary import Summary
from medir.comparing.differences import Differences
from medir.files.identifiers import shown, text_of
from medir.measures import Measure

BINS = 20
NOTHING = 1e-12  # a difference that is none
FEW = 500  # queries that are drawn one by one
CELLS = 60  # of a scatter of many, along each axis
SIDE = 360  # of a scatter, in units of its picture


@dataclass(frozen=True)
class Bar:
    """How many queries have a med in a range."""

    label: str
    count: str
    share: float  # of all queries
    length: float  # of the longest bar


def histogram(summary: Summary) -> list[Bar]:
    """Queries that cannot change, then ranges of equal width up to 1, or to a higher maximum."""
    top = max(1.0, summary.med.maximum)
    edges = np.linspace(0, top, BINS + 1)
    weights = summary.histogram(edges)
    still = summary.weight * (1 - summary.share_above(NOTHING))
    rest = weights[0] - still
    weights[0] = rest if rest > 1e-9 * summary.weight else 0.0  # no rounding
    counts = [still, *weights.tolist()]
    texts = [f"{edge:.2f}" for edge in edges]
    labels = ["0", *(f"{low}–{high}" for low, high in pairwise(texts))]
    return [
        Bar(label, _count(weight), weight / summary.weight, weight / max(counts))
        for label, weight in zip(labels, counts, strict=True)
    ]


def _count(weight: float) -> str:
    whole = round(weight)
    return f"{whole:,}" if abs(weight - whole) < 1e-6 * max(1, whole) else f"{weight:,.1f}"


@dataclass(frozen=True)
class Tick:
    """A labelled place on both axes."""

    at: float
    label: str


@dataclass(frozen=True)
class Point:
    """One query."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Level:
    """The cells that hold about as many queries, as one path."""

    label: str
    opacity: float
    path: str


@dataclass(frozen=True)
class Scatter:
    """Gain against loss: points of few queries, or cells that count many."""

    ticks: Sequence[Tick]
    zero: float
    points: Sequence[Point]
    levels: Sequence[Level]
    verdicts: Sequence[tuple[str, int, float]]  # what a change can do, queries, share
    side: int = SIDE


def scatter(result: Differences[Any], measure: Measure) -> Scatter:
    """Gain (to the right) against loss (upwards), on the same scale."""
    gain, loss, queries = result.sides_of(measure)
    low = min(float(gain.min(initial=0)), float(loss.min(initial=0)))
    high = max(float(gain.max(initial=0)), float(loss.max(initial=0)), low + 0.01)
    step = _step(high - low)
    low, high = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
    scale = SIDE / (high - low)
    count = round((high - low) / step)
    decimals = max(0 if step >= 1 else 1, -int(np.floor(np.log10(step) + 1e-9)))
    ticks = [
        Tick(round(i * step * scale, 1), f"{low + i * step + 0.0:.{decimals}f}".replace("-", "−"))
        for i in range(count + 1)
    ]
    points: list[Point] = []
    levels: list[Level] = []
    if result.has_every_row and len(result) <= FEW:
        known = np.flatnonzero(~np.isnan(result.column(measure, "gain")))
        points = [
            Point(
                round(float(gain[i] - low) * scale, 1),
                round(SIDE - float(loss[i] - low) * scale, 1),
                f"{shown(text_of(result.pairing.query(query)))}: gain {gain[i]:.4f}, "
                f"loss {loss[i]:.4f}",
            )
            for i, query in enumerate(known.tolist())
        ]
    else:
        levels = _levels((gain - low) * scale, (loss - low) * scale, queries)
    return Scatter(ticks, round(-low * scale, 1), points, levels, _effects(result.summary(measure)))


def _step(extent: float) -> float:
    """A round distance of ticks, about five of them."""
    rough = extent / 5
    unit = 10.0 ** np.floor(np.log10(rough))
    return float(next(unit * n for n in (1, 2, 5, 10) if unit * n >= rough - 1e-12))


def _levels(x: Array, y: Array, queries: NDArray[np.int64]) -> list[Level]:
    cell = SIDE / CELLS
    columns, rows = (
        np.clip((values / cell + 1e-9).astype(np.intp), 0, CELLS - 1) for values in (x, y)
    )
    counts = np.bincount(columns * CELLS + rows, queries, minlength=CELLS * CELLS)
    size = f"h{cell:g}v-{cell:g}h-{cell:g}z"
    magnitudes = np.floor(np.log10(np.maximum(counts, 1)) + 1e-9).astype(int)
    most = int(magnitudes.max())
    levels = []
    for magnitude in range(most + 1):
        cells = np.flatnonzero((counts > 0) & (magnitudes == magnitude))
        path = "".join(
            f"M{c // CELLS * cell:g} {SIDE - c % CELLS * cell:g}{size}" for c in cells.tolist()
        )
        label = f"{10**magnitude:,} to {10 ** (magnitude + 1) - 1:,}"
        opacity = 0.2 + 0.8 * magnitude / most if most else 1.0
        levels.append(Level(label, round(opacity, 2), path))
    return levels


def _effects(summary: Summary) -> list[tuple[str, int, float]]:
    """What the change can do, queries and share."""
    words = {
        "only wins": "can only win",
        "only loses": "can only lose",
        "either": "can win or lose",
        "no effect": "cannot change",
    }
    return [(words[name], share.queries, share.share) for name, share in summary.effects.items()]
