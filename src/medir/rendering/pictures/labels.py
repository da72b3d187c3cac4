"""Names beside points: where they cover neither each other nor a point.

Lengths are in points; boxes are (left, bottom, right, top).
"""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from medir.base.arrays import Array
from medir.rendering.pictures.scaling import between_points

Bools = NDArray[np.bool_]

MARK = 6.0  # the side of a marker
MARKED = MARK / 2 + 1.5  # from a point to the end of what its marker needs
LEADER = 8.0  # a name further away from its point is joined to it by a line
REACH = 100.0  # how much further away than need be a better place for a name is looked for
ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)
TURNS = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
# Right of the point is best, then left, above and below; what lies between is a little worse.
PREFERENCE = 1 - TURNS[:, 0] - 0.2 * TURNS[:, 1] + 2 * abs(TURNS).min(axis=1)


def room_for_labels(points: Array, sizes: Array) -> tuple[Array, Array, Array]:
    """Points scaled to a frame, a box for each name, and the frame.

    The frame grows until all names find room, and a little more where lines cross much.
    """
    extent = np.ptp(points, axis=0)
    edge = np.median(sizes, axis=0) * (0.7, 1.5) + 2 * MARKED
    shape = float(np.clip(extent[0] / max(extent[1], 1e-9), 1.2, 1.6))
    area = 4.5 * float((sizes + 2 * MARKED).prod(axis=1).sum())
    width = float(sizes[:, 0].max()) + 2 * float(edge[0])
    height = max(250.0, np.sqrt(area / shape), width / shape)
    found: list[tuple[int, LabelPlacement]] = []
    while len(found) < 4 and not (found and found[-1][0] <= len(points) / 20):
        frame = np.array([shape * height, height])
        zoom = ((frame - 2 * edge) / np.maximum(extent, 1e-9 * (extent.max() or 1.0))).min()
        middle = (points.max(axis=0) + points.min(axis=0)) / 2
        placement = LabelPlacement((points - middle) * zoom + frame / 2, sizes, frame)
        if placement.sweep():
            found.append((placement.crossings(), placement))
        height *= 1.15
    best = min(found, key=lambda one: one[0])[1]
    best.improve()
    return best.places, best.boxes, best.frame


def room_of_width(points: Array, sizes: Array, width: float) -> tuple[Array, Array, Array] | None:
    """The same in a frame of a width; None where it has no room for all names."""
    extent = np.maximum(np.ptp(points, axis=0), 1e-9 * (float(np.ptp(points)) or 1.0))
    edge = np.median(sizes, axis=0) * (0.5, 1.5) + 2 * MARKED
    if width - 2 * edge[0] < 3 * MARK or width < sizes[:, 0].max() + 2 * MARKED:
        return None
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    for height in width * np.array([0.65, 0.75, 0.85, 1.0, 1.15, 1.3]):
        frame = np.array([width, height])
        zoom = ((frame - 2 * edge) / extent).min()
        placement = LabelPlacement((points - middle) * zoom + frame / 2, sizes, frame)
        if placement.sweep():
            placement.improve()
            return placement.places, placement.boxes, frame
    return None


class LabelPlacement:
    """Boxes for names that cover neither each other nor a point: greedy, then put right."""

    def __init__(self, places: Array, sizes: Array, frame: Array) -> None:
        self.places, self.sizes, self.frame = places, sizes, frame
        self.marks = np.hstack([places - MARKED, places + MARKED])
        self.apart = between_points(places)
        gaps = np.arange(MARKED + 0.5, np.linalg.norm(frame), 5.0)
        self.rings = np.split(gaps, [1, 3, *range(9, len(gaps), 8)])
        # What is not placed, and a line that is not needed, is NaN: it meets nothing.
        self.boxes = np.full((len(places), 4), np.nan)
        self.lines = np.full((len(places), 4), np.nan)  # x, y of the point and of the name

    def sweep(self) -> bool:
        """Places every name anew, the most crowded first; False where there is no room for one."""
        crowding = np.sort(self.apart, axis=1)[:, 1:6].mean(axis=1)
        return all(self._place(int(number)) for number in np.argsort(crowding, kind="stable"))

    def improve(self, sweeps: int = 4) -> None:
        """Sweeps again, with all others in place, until nothing moves."""
        for _ in range(sweeps):
            before = self.boxes.copy()
            self.sweep()
            if np.array_equal(before, self.boxes):
                break

    def crossings(self) -> int:
        """How many names, points and lines are crossed by a line."""
        return sum(
            int(self._crossed(number, self.boxes[[number]], self.lines[[number]])[0])
            for number in range(len(self.boxes))
        )

    def _place(self, number: int) -> bool:
        self.boxes[number], self.lines[number] = np.nan, np.nan
        least, chosen, line = np.inf, self.boxes[number], self.lines[number]
        reach = np.inf
        for gaps in self.rings:
            if gaps[0] >= min(least, reach):
                break
            boxes = self._around(number, gaps)
            free = self._free(boxes)
            if not free.any():
                continue
            boxes, wanted = boxes[free], np.add.outer(gaps, PREFERENCE).ravel()[free]
            lines = self._lines(number, boxes)
            costs = wanted + self._cost(number, boxes, lines)
            best = int(np.argmin(costs))
            reach = min(reach, gaps[0] + REACH)
            if costs[best] < least:
                least, chosen, line = float(costs[best]), boxes[best], lines[best]
        self.boxes[number], self.lines[number] = chosen, line
        return bool(np.isfinite(least))

    def _around(self, number: int, gaps: Array) -> Array:
        """Boxes around a point, these gaps away from it."""
        half = self.sizes[number] / 2
        beside = self.places[number] + np.clip(1.5 * TURNS, -1, 1) * half
        middles = (beside + np.multiply.outer(gaps, TURNS)).reshape(-1, 2)
        return np.hstack([middles - half, middles + half])

    def _free(self, boxes: Array) -> Bools:
        inside = (boxes[:, :2] >= 2).all(axis=1) & (boxes[:, 2:] <= self.frame - 2).all(axis=1)
        taken = np.concatenate([self.boxes, self.marks])
        return cast(Bools, inside & ~_overlap(boxes, taken).any(axis=1))

    def _lines(self, number: int, boxes: Array) -> Array:
        """A line from the point to each box; NaN where there is none."""
        place = self.places[number]
        ends = np.clip(place, boxes[:, :2], boxes[:, 2:])
        lines = np.hstack([np.broadcast_to(place, ends.shape), ends])
        lines[np.linalg.norm(ends - place, axis=1) <= LEADER] = np.nan
        return lines

    def _cost(self, number: int, boxes: Array, lines: Array) -> Array:
        """What is wrong with boxes: what is crossed, a line at all, a point of another beside."""
        others = np.delete(self.places, number, axis=0)
        nearest = np.clip(others, boxes[:, None, :2], boxes[:, None, 2:])
        beside = (np.linalg.norm(nearest - others, axis=2) < LEADER).any(axis=1)
        joined = ~np.isnan(lines[:, 0])
        return cast(Array, 60 * self._crossed(number, boxes, lines) + 6 * joined + 8 * beside)

    def _crossed(self, number: int, boxes: Array, lines: Array) -> NDArray[np.int64]:
        others = np.arange(len(self.boxes)) != number
        distinct = self.apart[number] > 2 * MARKED
        return cast(
            NDArray[np.int64],
            _cuts(lines, self.boxes[others]).sum(axis=1)
            + _cuts(lines, self.marks[distinct]).sum(axis=1)
            + _cuts(self.lines[others], boxes).sum(axis=0)
            + _cross(lines, self.lines[others]).sum(axis=1),
        )


def _overlap(boxes: Array, others: Array) -> Bools:
    """Which boxes overlap which others."""
    a, b = boxes[:, None], others[None]
    return cast(Bools, ((a[..., :2] < b[..., 2:]) & (b[..., :2] < a[..., 2:])).all(axis=2))


def _cuts(lines: Array, boxes: Array) -> Bools:
    """Which lines go through which boxes."""
    around = np.hstack([np.minimum(lines[:, :2], lines[:, 2:]),
                        np.maximum(lines[:, :2], lines[:, 2:])])  # fmt: skip
    sides = np.stack(
        [_side(lines, boxes[:, corner]) for corner in ([0, 1], [0, 3], [2, 1], [2, 3])]
    )
    return cast(Bools, _overlap(around, boxes) & (sides.min(axis=0) < 0) & (sides.max(axis=0) > 0))


def _cross(lines: Array, others: Array) -> Bools:
    """Which lines cross which others."""
    apart = _side(lines, others[:, :2]) * _side(lines, others[:, 2:]) < 0
    return apart & (_side(others, lines[:, :2]) * _side(others, lines[:, 2:]) < 0).T


def _side(lines: Array, points: Array) -> Array:
    """Positive where points lie left of lines, negative where they lie right of them."""
    x, y, end_x, end_y = lines.T[:, :, None]
    return cast(Array, (end_x - x) * (points[:, 1] - y) - (end_y - y) * (points[:, 0] - x))
