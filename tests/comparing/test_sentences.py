"""What is said of a value is true: cases in which earlier sentences were not."""

from __future__ import annotations

import pytest

import medir


@pytest.mark.parametrize(
    ("before", "after", "measure", "qrels", "sentence"),
    [
        # Documents moved, and nothing can come of it.
        (
            "ab",
            "ba",
            "P@2",
            None,
            "P@2 cannot change: both lists score the same, whatever is relevant.",
        ),
        ("ab", "ab", "P@2", None, "P@2 cannot change: the two lists are the same."),
        ("ab", "ba", "P@1", {"a": 0, "b": 0}, "P@1 does not change: all that counts is judged."),
        # Lists are longer than the cutoff: no rank is unseen, and judged documents decide.
        (
            "abcd",
            "xbcd",
            "P@2",
            {"a": 1, "x": 0},
            "P@2 falls by 0.50: all that counts is judged.",
        ),
        (
            "abcd",
            "abxy",
            "RBP(p=0.5)@3",
            {"c": 1},
            "RBP(p=0.5)@3 falls by at most 0.12; judged documents account for it.",
        ),
        ("a", "a", "P@2", None, "P@2 falls by at most 0.50; unseen ranks account for it."),
    ],
)
def test_sentences(
    before: str, after: str, measure: str, qrels: dict[str, int] | None, sentence: str
) -> None:
    why = medir.explain([*before], [*after], measure, qrels=qrels)
    assert why.sentence == sentence
