"""Scores as they are written, in single precision."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from tests.cases.trec import save, scores, single
from tests.profiles import examples


def exact(value: float) -> str:
    """A number in single precision, in full."""
    return f"{value:.60e}" if np.isfinite(value) else str(value)


def places(texts: Sequence[str], tail: str) -> bytes:
    """A query for each score, which stands between documents that have it exactly.

    With the same score, order is by id: z, m, a. The next lower and higher numbers in single
    precision, l and h, come after and before.
    """
    lines = []
    for number, score in enumerate(texts):
        value = np.float32(single(float(score)))
        with np.errstate(all="ignore"):
            lower = float(np.nextafter(value, np.float32(-np.inf)))
            higher = float(np.nextafter(value, np.float32(np.inf)))
        around = {
            "a": exact(float(value)),
            "z": exact(float(value)),
            "l": exact(lower),
            "h": exact(higher),
            "m": score,
        }
        lines += [f"{number} Q0 {d} 1 {s} {tail}" for d, s in around.items()]
    return "\n".join(lines).encode()


def check_scores(texts: Sequence[str], folder: Path) -> None:
    """Each text has the value of `numpy.float32(float(text))`."""
    for tail in ("t", "t\r", "t" * 60):
        run = medir.Run.read(save(folder / "scores.run", places(texts, tail)))
        wrong = {}
        for number, score in enumerate(texts):
            ranked = run[str(number)]
            if not np.isfinite(single(float(score))):  # one of the neighbours is infinite too
                ranked = [document for document in ranked if document not in "lh"]
                good = ranked == ["z", "m", "a"]
            else:
                good = ranked == ["h", "z", "m", "a", "l"]
            if not good:
                wrong[score] = ranked
        assert not wrong


def spread() -> list[str]:
    """Decimals with the point at each place among 1 to 20 digits."""
    chance = random.Random(20)
    found = []
    for size in range(1, 21):
        for point in range(size + 1):
            for _ in range(3):
                digits = "".join(chance.choice("0123456789") for _ in range(size))
                found.append(f"{digits[:point]}.{digits[point:]}")
                found.append(f"-{digits[:point]}.{digits[point:]}")
        found += ["9" * size, "0" * size, "1" + "0" * (size - 1), "-" + "9" * size]
    return [score for score in found if score.strip("-") != "."]


MANTISSAS = ["1", "1.5", ".75", "2.", "9.99999999999"]
EXPONENTS = [
    "0",
    "5",
    "-5",
    "+7",
    "37",
    "38",
    "39",
    "-37",
    "-44",
    "-46",
    "-60",
    "400",
    "-400",
    "007",
]
NUMBERS = {
    "decimals": spread(),
    "whole numbers": [
        str(number) for k in range(1, 26) for number in (10**k, 10**k - 1, 10**k + 1, -(10**k))
    ],
    "exponents": [
        f"{sign}{mantissa}{letter}{exponent}"
        for sign in ("", "-", "+")
        for mantissa in MANTISSAS
        for letter in "eE"
        for exponent in EXPONENTS
    ],
    "between singles": [
        *(f"{1 + k * 2.0**-26:.30f}" for k in range(-9, 10)),
        *(repr(16777216 + k / 4) for k in range(-9, 10)),
        *(f"{k * 2.0**-151:.60e}" for k in range(-9, 10)),
    ],
    "edges": [
        "3.4028234663852886e38",
        "3.4028235677973366e38",
        "3.4028235677973365e38",
        "-3.4028235677973366e38",
        "1.1754943508222875e-38",
        "1.401298464324817e-45",
        "7.006492321624085e-46",
        "7.006492321624086e-46",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "4.9e-324",
        "2e-324",
    ],
    "infinite": [
        "inf",
        "-inf",
        "+inf",
        "Inf",
        "INF",
        "infinity",
        "-Infinity",
        "+INFINITY",
        "1e999",
        "-1e999",
    ],
    "many digits": [
        "0." + "1" * 400,
        "1" * 38 + "." + "2" * 300,
        "0" * 500 + "3.5",
        "1." + "0" * 700 + "1",
        "12345678901234567890" * 5 + "e-80",
        "0." + "0" * 40 + "123",
    ],
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores(kind: str, folder: Path) -> None:
    check_scores(NUMBERS[kind], folder)


@examples(100)
@given(st.lists(scores(), min_size=1, max_size=20))
def test_any_score(folder: Path, texts: list[str]) -> None:
    check_scores(texts, folder)
