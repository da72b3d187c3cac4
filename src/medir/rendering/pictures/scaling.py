"""Multidimensional scaling: points in the plane with distances near to those given."""

from __future__ import annotations

from typing import cast

import numpy as np

from medir.base.arrays import Array


def scale_to_plane(apart: Array, seed: int = 0, starts: int = 4) -> Array:
    """Points in the plane with distances near to those given, on their principal axes."""
    random = np.random.default_rng(seed)
    spread = float(apart.max()) or 1.0
    best, least = smacof(apart, classical_scaling(apart))
    for _ in range(starts):
        points, stresses = smacof(apart, random.normal(scale=spread, size=(len(apart), 2)))
        if stresses[-1] < least[-1] - 1e-6 * float((apart**2).sum()):
            best, least = points, stresses
    centred = best - best.mean(axis=0)
    turned = centred @ np.linalg.svd(centred)[2].T
    return cast(Array, turned * np.where(turned.max(axis=0) >= -turned.min(axis=0), 1, -1))


def classical_scaling(apart: Array) -> Array:
    """Torgerson's scaling: the first two principal coordinates."""
    centre = np.eye(len(apart)) - 1 / len(apart)
    values, vectors = np.linalg.eigh(-centre @ apart**2 @ centre / 2)
    return cast(Array, vectors[:, :-3:-1] * np.sqrt(np.maximum(values[:-3:-1], 0)))


def smacof(
    apart: Array, start: Array, iterations: int = 500, tolerance: float = 1e-8
) -> tuple[Array, list[float]]:
    """Majorises raw stress, which never rises; returns the points and the stress of each step."""
    points, enough = start, tolerance * float((apart**2).sum())
    between = between_points(points)
    stresses = [_raw_stress(apart, between)]
    for _ in range(iterations):
        far = between > 1e-12 * between.max()
        ratio = np.divide(apart, between, out=np.zeros_like(apart), where=far)
        points = (ratio.sum(axis=1)[:, None] * points - ratio @ points) / len(points)
        between = between_points(points)
        stresses.append(_raw_stress(apart, between))
        if stresses[-2] - stresses[-1] <= enough:
            break
    return points, stresses


def stress_1(apart: Array, points: Array) -> float:
    """Kruskal's stress-1: the root of raw stress over the sum of squared distances on paper."""
    between = between_points(points)
    total = float((between**2).sum()) / 2
    return float(np.sqrt(_raw_stress(apart, between) / total)) if total > 0 else 0.0


def between_points(points: Array) -> Array:
    """The distances of all pairs of points."""
    x, y = points.T
    return cast(Array, np.sqrt(np.subtract.outer(x, x) ** 2 + np.subtract.outer(y, y) ** 2))


def _raw_stress(apart: Array, between: Array) -> float:
    return float(((apart - between) ** 2).sum()) / 2
