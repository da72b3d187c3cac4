"""Two lists of the same documents, in the ways in which searches get hard."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import medir

STRUCTURES = ("reversed", "rotated", "interleaved", "block swaps", "noisy copy", "random")
NOISE = 8.0  # ranks: a standard deviation
BLOCK = 10


def rearranged(structure: str, size: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """The numbers below `size` in another order."""
    random, numbers = np.random.default_rng(seed), np.arange(size, dtype=np.int64)
    if structure == "reversed":
        return numbers[::-1].copy()
    if structure == "rotated":
        return np.roll(numbers, -(size // 3))
    if structure == "interleaved":
        return np.concatenate([numbers[::2], numbers[1::2]])
    if structure == "block swaps":
        whole = size - size % (2 * BLOCK)
        swapped = numbers[:whole].reshape(-1, 2, BLOCK)[:, ::-1].reshape(-1)
        return np.concatenate([swapped, numbers[whole:]])
    if structure == "noisy copy":
        return np.argsort(numbers + random.normal(0, NOISE, size), kind="stable")
    return random.permutation(size)


def hard_measures(size: int) -> dict[str, medir.Measure | str]:
    """Measures that are searched for, down to a rank."""
    ranks = np.arange(1, size + 1)
    return {
        "AP": f"AP@{size}",
        "ERR": f"ERR@{size}",
        "Cascade": medir.Cascade(ranks**-0.2, decay=0.05),
        "alpha_nDCG": medir.Cascade(1 / np.log2(ranks + 1), decay=0.5),
        "TBG": "TBG(half_life=20000)",
    }


def words(size: int) -> dict[str, int]:
    """The lengths of the documents."""
    random = np.random.default_rng(size)
    return {str(i): int(length) for i, length in enumerate(random.integers(50, 2000, size))}
