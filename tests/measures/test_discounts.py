"""Discounts of the user's own, and the numbers behind a measure."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import DCG, INSQ, RBP, SDCG, Discount, Measure, MeasureError, P, measure, nDCG
from medir.measures.family import OWN
from medir.measures.relevance import relevance_values
from medir.measures.shapes.dot_product import DotProduct
from tests.cases.runs import UNSEEN
from tests.measures.test_measures import counts, halves
from tests.oracles import dot_product as oracle
from tests.profiles import examples


@pytest.fixture
def _names_are_forgotten() -> Iterator[None]:
    """What a test names does not live on."""
    with patch.dict(OWN, clear=True):
        yield


@pytest.mark.usefixtures("_names_are_forgotten")
@pytest.mark.parametrize("name", ["P_10", "ndcg_cut_20", "nDCG_5"])
def test_names_that_are_spellings_of_a_measure(name: str) -> None:
    """A measure of the user's own does not change what a text meant before."""
    meant = measure(name)
    with pytest.raises(MeasureError, match="new word"):
        Discount([1], name=name)
    assert measure(name) == meant


# Discounts of the user's own.


def test_named_discount_is_known_from_then_on() -> None:
    mine = Discount([1, 0.5, 0.25], name="MineAlone")
    assert repr(mine) == "MineAlone"
    assert repr(mine @ 2) == "MineAlone@2"
    assert measure("minealone") == mine
    assert measure("MINEALONE@2") == mine @ 2
    assert measure("MineAlone_2") == mine @ 2
    assert mine.reach == 3
    assert (mine @ 2).reach == 2
    assert (mine @ 9).reach == 3
    assert medir.med(["a", "b", "c"], ["b", "a", "c"], "minealone") == 0.5


def test_unknown_names_suggest_named_discounts() -> None:
    Discount([1], name="Zigzagging")
    with pytest.raises(MeasureError, match=r"did you mean Zigzagging@3\?"):
        measure("zigzaging@3")


@examples(100)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=6), st.integers(1, 8) | st.none())
def test_list_and_function_are_the_same(weights: list[float], cutoff: int | None) -> None:
    weights.sort(reverse=True)

    def looked_up(rank: int) -> float:
        return weights[rank - 1] if rank <= len(weights) else 0.0

    by_list = Discount(weights)
    by_function = Discount(looked_up, name="LookedUp", total=math.fsum(weights) or 1e-300)
    if cutoff is not None:
        by_list, by_function = by_list @ cutoff, by_function @ cutoff
    for before, after in (("abc", "bcd"), ("", "ab"), ("abcdefg", "gfedcba")):
        for unseen in UNSEEN:
            values = [
                medir.med(before, after, one, unseen=unseen) for one in (by_list, by_function)
            ]
            assert values[0] == pytest.approx(values[1], rel=0, abs=1e-12)


def test_function_that_adds_up_to_more_than_its_total() -> None:
    one = Discount(halves, name="TooMuch", total=0.6)
    with pytest.raises(MeasureError, match=r"TooMuch: .* add up to 0.75, more than total=0.6"):
        medir.med(["a"], ["b"], one)


@pytest.mark.parametrize("function", [lambda rank: rank, lambda rank: -1.0, lambda rank: math.nan])
def test_function_that_is_no_discount(function: Any) -> None:
    one = Discount(function, name="Wrong", total=100)
    with pytest.raises(MeasureError, match="never rise with rank"):
        medir.med(["a", "b"], ["b", "c"], one)


def test_function_may_be_as_rbp() -> None:
    fading = Discount(lambda rank: 0.2 * 0.8 ** (rank - 1), name="AsRbp", total=1)
    for before, after in (("abc", "bcd"), ("abcdef", "fedcba")):
        expected = medir.med(before, after, RBP(p=0.8))
        assert medir.med(before, after, fading) == pytest.approx(expected, rel=0, abs=1e-12)


# Numbers.


@pytest.mark.parametrize(
    ("one", "top", "values"),
    [
        (nDCG, 2, [0, 0.25, 0.75]),
        (nDCG, 3, [0, 1 / 8, 3 / 8, 7 / 8]),
        (DCG, 1, [0, 0.5]),
        (RBP(gains="exp"), 2, [0, 1 / 3, 1]),
        (nDCG(gains="linear"), 4, [0, 0.25, 0.5, 0.75, 1]),
        (SDCG, 2, [0, 0.5, 1]),
        (P, 3, [0, 1, 1, 1]),
        (P(rel=2), 3, [0, 0, 1, 1]),
    ],
)
def test_relevance_values(one: Measure, top: int, values: list[float]) -> None:
    assert relevance_values(one, top).tolist() == pytest.approx(values, rel=1e-15)


def endless(one: Measure, depth: int = 50) -> tuple[list[float], list[float]]:
    """d_i and the tail below each depth, as medir has them."""
    assert isinstance(one.shape, DotProduct)
    table = one.shape.tabulate(one, depth, 0, None)
    return table.discount.tolist(), table.tail.tolist()


@examples(100)
@given(st.floats(0.05, 100))
def test_insq_adds_up_to_one(t: float) -> None:
    discount, tail = endless(INSQ(T=t))
    expected, below = oracle.inverse_squares(t)
    assert discount == pytest.approx([expected(rank) for rank in range(1, 51)], rel=1e-12)
    assert tail == pytest.approx([below(depth) for depth in range(51)], rel=1e-12)
    assert tail[0] == pytest.approx(1, rel=1e-12)
    for depth in range(51):
        assert math.fsum(discount[:depth]) + tail[depth] == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("t", [1e-9, 1e-6, 1e-4, 1e4, 1e6])
def test_insq_of_extreme_hopes_adds_up_to_one(t: float) -> None:
    discount, tail = endless(INSQ(T=t))
    assert math.fsum(discount) + tail[50] == pytest.approx(1, rel=0, abs=1e-12)
    assert discount[0] == pytest.approx(oracle.inverse_squares(t)[0](1), rel=1e-12)


def test_insq_against_a_known_sum() -> None:
    """With T = 1/2 the sum is that of all inverse squares, pi^2 / 6."""
    discount, tail = endless(INSQ(T=0.5))
    assert discount[0] == pytest.approx(6 / math.pi**2, rel=1e-14)
    assert tail[1] == pytest.approx(1 - 6 / math.pi**2, rel=1e-13)


@examples(100)
@given(st.floats(0.01, 0.999))
def test_rbp_adds_up_to_one(p: float) -> None:
    discount, tail = endless(RBP(p=p))
    assert tail[0] == 1
    for depth in range(51):
        assert tail[depth] == pytest.approx(p**depth, rel=1e-13)
        assert math.fsum(discount[:depth]) + tail[depth] == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("one", [nDCG @ 7, P @ 7, DCG @ 7, RBP @ 7, INSQ @ 7, Discount([3, 2]) @ 7])
def test_tail_above_a_cutoff_is_what_is_left(one: Measure) -> None:
    discount, tail = endless(one)
    assert len(discount) == 7
    assert tail == pytest.approx([math.fsum(discount[depth:]) for depth in range(8)], rel=1e-14)


@examples(200)
@given(
    st.sampled_from(["unbounded", "judged"]) | st.integers(1, 30) | counts,
    st.sampled_from(["exp", "linear", "binary"]),
    st.integers(1, 20),
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 5)),
)
def test_normaliser(ideal: oracle.Ideal, gains: str, cutoff: int, judged: dict[str, int]) -> None:
    """A list that scores c at rank 1 scores c / N, whatever the ideal."""
    one = nDCG(ideal=ideal, gains=gains, max_grade=5) @ cutoff
    values = oracle.relevance(gains, 5, unit=False)
    norm = oracle.ideal_dcg(ideal, values, oracle.logarithmic, cutoff, judged)
    judged = {**judged, "z": 0}
    for document, grade in judged.items():
        expected = values[grade] / norm if norm else 0.0
        score = medir.score({"q": [document]}, one, {"q": judged})["q"]
        assert score == pytest.approx(expected, rel=1e-12, abs=1e-300)
