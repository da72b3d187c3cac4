"""Ranked lists that tests make up, with and without ties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

DOCUMENTS = "abcdefg"
Ties = list[tuple[str, ...]]


def near(value: float, tolerance: float = 1e-12) -> Any:
    return pytest.approx(value, abs=tolerance, rel=0)


@st.composite
def tied_lists(draw: st.DrawFn, least: int = 0, most: int = 5, size: int | None = None) -> Ties:
    """A list of some of the documents, with ties."""
    length = draw(st.integers(least, most)) if size is None else size
    left = draw(st.permutations(DOCUMENTS))[:length]
    ranking = []
    while left:
        tie = draw(st.integers(1, min(3, len(left))))
        ranking.append(tuple(left[:tie]))
        left = left[tie:]
    return ranking


def lists(least: int = 0, most: int = 6) -> st.SearchStrategy[list[str]]:
    """Some of the documents, without ties."""
    return st.integers(least, most).flatmap(
        lambda length: st.permutations(DOCUMENTS).map(lambda order: list(order[:length]))
    )


def pairs_of_one_length(ties: bool) -> st.SearchStrategy[tuple[Any, Any]]:
    def pair(size: int) -> st.SearchStrategy[tuple[Any, Any]]:
        one: st.SearchStrategy[Any] = tied_lists(size=size) if ties else lists(size, size)
        return st.tuples(one, one)

    return st.integers(1, 5).flatmap(pair)


persistence = st.sampled_from([0.1, 0.5, 0.8, 0.9])
