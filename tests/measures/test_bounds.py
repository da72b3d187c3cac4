"""What measures accept at the very bounds of what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

import medir
from medir.errors import MeasureError
from medir.measures.arguments import MOST_DIGITS
from medir.measures.notation import LONGEST, measure
from medir.measures.rank_similarities import SIMILARITIES, Similarity


@pytest.mark.parametrize("name", ["P", "RR", "AP"])
def test_the_lowest_relevant_grade(name: str) -> None:
    assert measure(f"{name}(rel=1000)@5")["rel"] == 1000
    for rel in (0, 1001):
        with pytest.raises(MeasureError, match=r"1 to 1,?000"):
            measure(f"{name}(rel={rel})@5")


def test_counts_of_documents_by_grade_are_pairs() -> None:
    for odd in ("((1,),)", "((),)", "((1, 2, 3),)"):
        with pytest.raises(MeasureError):
            measure(f"nDCG(ideal={odd})@5")


@pytest.mark.parametrize("discount", ["linear", "none"])
def test_a_half_life_goes_with_the_exponential_discount_alone(discount: str) -> None:
    with pytest.raises(MeasureError, match="half_life goes with"):
        measure(f"U(discount='{discount}', half_life=100)")


def test_the_length_of_a_text() -> None:
    longest = "nDCG@5".ljust(LONGEST)
    assert measure(longest) == measure("nDCG@5")
    for longer in (longest + " ", longest * 2):
        with pytest.raises(MeasureError, match="at most 10,000 characters"):
            measure(longer)


def test_the_digits_of_a_number() -> None:
    zeros = "0" * (MOST_DIGITS - 1)
    assert measure(f"P(rel={zeros}2)@5")["rel"] == 2
    with pytest.raises(MeasureError):
        measure(f"P(rel={zeros}02)@5")


def test_costs_of_swaps_may_be_small() -> None:
    assert measure("wKendall(swap=(0, 0.5, 1))")["swap"] == (0, 0.5, 1)
    with pytest.raises(MeasureError, match="costs from 0"):
        measure("wKendall(swap=(-0.5, 1))")


@pytest.mark.parametrize("one", SIMILARITIES, ids=lambda one: one.name)
def test_whether_the_order_of_two_lists_counts(one: Similarity) -> None:
    """What the table says, against values: 300 pairs of lists of one length."""
    random = np.random.default_rng(1)
    name = f"{one.name}@5" if one.cutoff else one.name
    before, after = (
        {f"q{q}": random.permutation(8)[:5].astype(str).tolist() for q in range(300)}
        for _ in range(2)
    )
    values = [
        [row.value for row in medir.compare(first, second, name)]
        for first, second in ((before, after), (after, before))
    ]
    same = np.allclose(values[0], values[1], rtol=0, atol=1e-12, equal_nan=True)
    assert same == one.symmetric
