"""RBO against all published values with ties, its definitions, and values worked by hand."""

from __future__ import annotations

import csv
import math
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medir.similarity import overlap, rbo
from tests.cases.rankings import Ties, lists, near, pairs_of_one_length, persistence, tied_lists
from tests.oracles import similarity as oracle
from tests.profiles import examples

LN2 = math.log(2)
TIED, PLAIN = [("a", "b")], ["a", "b"]


@pytest.mark.parametrize(
    ("x", "y", "ties", "values"),  # p = 1/2, so that rank d weighs 2^-d; ext, min, max
    [
        (["a", "b"], ["b", "a"], "w", (1 / 2, 2 * LN2 - 1, 1 / 2)),
        (["a"], ["a"], "w", (1, LN2, 1)),
        (["a"], ["b"], "w", (0, 0, 1 / 2)),
        (["a"], ["a", "b"], "w", (1, LN2, 1)),
        (["b"], ["a", "b"], "w", (1 / 4, LN2 - 1 / 2, 1 / 2)),
        (TIED, PLAIN, "w", (5 / 6, 7 / 12 + 2 * (LN2 - 5 / 8), 5 / 6)),
        (TIED, PLAIN, "a", (3 / 4, 1 / 2 + 2 * (LN2 - 5 / 8), 3 / 4)),
        (TIED, PLAIN, "b", (1 / 2 + 8**-0.5, 1 / 4 + 8**-0.5 + 2 * (LN2 - 5 / 8), 1 / 2 + 8**-0.5)),
        (TIED, TIED, "w", (1, 3 / 4 + 2 * (LN2 - 5 / 8), 1)),
        (TIED, TIED, "a", (3 / 4, 1 / 2 + 2 * (LN2 - 5 / 8), 3 / 4)),
        (TIED, TIED, "b", (1, 3 / 4 + 2 * (LN2 - 5 / 8), 1)),
        (TIED, ["c"], "w", (0, 0, 3 / 8)),
        (TIED, ["c"], "a", (0, 0, 3 / 8)),
    ],
)
def test_rbo_by_hand(x: Any, y: Any, ties: Any, values: tuple[float, float, float]) -> None:
    extrapolated, least, most = values
    assert rbo(x, y, 0.5, "ext", ties) == near(extrapolated)
    assert rbo(x, y, 0.5, "min", ties) == near(least)
    assert rbo(x, y, 0.5, "max", ties) == near(most)
    assert rbo(x, y, 0.5, "res", ties) == near(most - least)


def test_overlap_and_rbo_of_the_example_of_webber_et_al() -> None:
    """Webber, Moffat and Zobel (2010): the agreement of abcdefg and zcavwxy at the depths 1..7."""
    x, y = list("abcdefg"), list("zcavwxy")
    agreement = [0, 0, 2 / 3, 1 / 2, 2 / 5, 1 / 3, 2 / 7]
    assert [overlap(x, y, k) for k in range(1, 8)] == agreement
    expected = sum(0.1 * 0.9**i * value for i, value in enumerate(agreement)) + 0.9**7 * 2 / 7
    assert rbo(x, y) == near(expected)


def parsed(text: str) -> list[str | tuple[str, ...]]:
    """`a (b c)` as a ranking."""
    return [
        tuple(part[1:-1].split()) if part.startswith("(") else part
        for part in re.findall(r"\([^)]*\)|\S+", text)
    ]


def test_rbo_of_corsi_and_urbano(data: Path) -> None:
    """All values that come with "The treatment of ties in rank-biased overlap", SIGIR 2024."""
    with (data / "rbo-ties" / "expected.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2000
    kinds: list[tuple[Any, Any]] = list(product("wab", ("ext", "min", "max", "res")))
    for row in rows:
        x, y, p = parsed(row["x"]), parsed(row["y"]), float(row["p"])
        for ties, score in kinds:
            expected = near(float(row[f"{ties}.{score}"]), 1e-9)
            assert rbo(x, y, p, score, ties) == expected, (row["x"], row["y"], ties, score)


@examples(30)
@given(lists(1), lists(1), persistence)
def test_rbo_bounds_are_reached_by_continuations(x: list[str], y: list[str], p: float) -> None:
    assert rbo(x, y, p, "min") == near(oracle.rbo_min(x, y, p))
    assert rbo(x, y, p, "max") == near(oracle.rbo_max(x, y, p))


@examples(60)
@given(pairs_of_one_length(ties=True), persistence)
def test_rbo_with_ties_by_its_definitions(pair: tuple[Ties, Ties], p: float) -> None:
    x, y = pair
    assert rbo(x, y, p, ties="w") == near(oracle.rbo_w(x, y, p))
    assert rbo(x, y, p, ties="b") == near(oracle.rbo_b(x, y, p))
    means = [oracle.rbo_ext(a, b, p) for a in oracle.orders(x) for b in oracle.orders(y)]
    assert rbo(x, y, p, ties="a") == near(oracle.mean(means))


@examples(10)
@given(tied_lists(1, 4), tied_lists(1, 4))
def test_rbo_a_min_is_the_mean_over_all_orders(x: Ties, y: Ties) -> None:
    means = [oracle.rbo_min(a, b, 0.5) for a in oracle.orders(x) for b in oracle.orders(y)]
    assert rbo(x, y, 0.5, "min", "a") == near(oracle.mean(means))


@given(tied_lists(), tied_lists(), persistence, st.sampled_from(["w", "a", "b"]))
def test_rbo_is_symmetric_and_within_its_bounds(x: Ties, y: Ties, p: float, ties: Any) -> None:
    least, most, residual = (rbo(x, y, p, s, ties) for s in ("min", "max", "res"))
    assert least is not None
    assert most is not None
    assert 0 <= least <= most + 1e-12 <= 1 + 1e-12
    assert residual == near(most - least)
    extrapolated = rbo(x, y, p, "ext", ties)
    assert (extrapolated is None) == (not x or not y)
    if extrapolated is not None:
        assert least - 1e-12 <= extrapolated <= most + 1e-12
        assert rbo(y, x, p, "ext", ties) == near(extrapolated)
    assert rbo(y, x, p, "max", ties) == near(most)


@given(tied_lists(1), persistence)
def test_rbo_of_a_list_with_itself(x: Ties, p: float) -> None:
    assert rbo(x, x, p, ties="w") == near(1)
    assert rbo(x, x, p, ties="b") == near(1)
    assert (rbo(x, x, p, ties="a") == near(1)) == all(len(tie) == 1 for tie in x)


def test_rbo_of_empty_lists() -> None:
    for x, y in (([], []), ([], ["a", "b"]), ([("a", "b")], [])):
        assert rbo(x, y) is None
        assert rbo(x, y, score="min") == 0
        assert rbo(x, y, score="max") == 1
        assert rbo(x, y, score="res") == 1


def test_rbo_of_a_long_list_and_its_reverse() -> None:
    """X_d = max(0, 2d - n)."""
    n, p = 2000, 0.999
    x = [f"d{i}" for i in range(n)]
    seen = math.fsum((1 - p) * p ** (d - 1) * max(0, 2 * d - n) / d for d in range(1, n + 1))
    assert rbo(x, x[::-1], p) == near(seen + p**n)
