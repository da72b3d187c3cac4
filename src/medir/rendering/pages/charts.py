"""The pictures of a report as numbers: bars of a histogram, marks of a scatter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from medir.base.arrays import Array
from medir.comparing.comparison import Differences
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
    count: int
    share: float  # of all queries
    length: float  # of the longest bar


def histogram(med: Array) -> list[Bar]:
    """Queries that cannot change, then ranges of equal width up to 1, or to a higher maximum."""
    top = max(1.0, float(med.max()))
    changed = med[med > NOTHING]
    bins = np.minimum((changed * (BINS / top) + 1e-9).astype(np.intp), BINS - 1)
    counts = [len(med) - len(changed), *np.bincount(bins, minlength=BINS).tolist()]
    edges = [f"{edge:.2f}" for edge in np.linspace(0, top, BINS + 1)]
    labels = ["0", *(f"{low}–{high}" for low, high in pairwise(edges))]
    return [
        Bar(label, count, count / len(med), count / max(counts))
        for label, count in zip(labels, counts, strict=True)
    ]


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
    gain, loss = result.column(measure, "gain"), result.column(measure, "loss")
    low = min(0.0, float(gain.min()), float(loss.min()))
    high = max(float(gain.max()), float(loss.max()), low + 0.01)
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
    if len(result) <= FEW:
        points = [
            Point(
                round(float(gain[i] - low) * scale, 1),
                round(SIDE - float(loss[i] - low) * scale, 1),
                f"{shown(text_of(result.pairing.query(i)))}: gain {gain[i]:.4f}, "
                f"loss {loss[i]:.4f}",
            )
            for i in range(len(result))
        ]
    else:
        levels = _levels((gain - low) * scale, (loss - low) * scale)
    return Scatter(ticks, round(-low * scale, 1), points, levels, _verdicts(gain, loss))


def _step(extent: float) -> float:
    """A round distance of ticks, about five of them."""
    rough = extent / 5
    unit = 10.0 ** np.floor(np.log10(rough))
    return float(next(unit * n for n in (1, 2, 5, 10) if unit * n >= rough - 1e-12))


def _levels(x: Array, y: Array) -> list[Level]:
    cell = SIDE / CELLS
    columns, rows = (
        np.clip((values / cell + 1e-9).astype(np.intp), 0, CELLS - 1) for values in (x, y)
    )
    counts = np.bincount(columns * CELLS + rows, minlength=CELLS * CELLS)
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


def _verdicts(gain: Array, loss: Array) -> list[tuple[str, int, float]]:
    """What the change can do, by the signs of gain and loss."""
    wins, costs = gain > NOTHING, loss > NOTHING
    cases = {
        "can only win": wins & ~costs,
        "can only lose": costs & ~wins,
        "can win or lose": wins & costs,
        "cannot change": ~wins & ~costs,
    }
    return [
        (name, count := int(np.count_nonzero(those)), count / len(gain))
        for name, those in cases.items()
    ]
