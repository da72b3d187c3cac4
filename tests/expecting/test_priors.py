"""Priors: numbers, functions of rank, mappings and files, and what can be wrong with them."""

from __future__ import annotations

import bz2
import gzip
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, UsageError

close = partial(pytest.approx, rel=0, abs=1e-9)
TWO = {"q": ["a", "b", "c"]}, {"q": ["c", "d", "a"]}


def expectation(prior: Any, measure: str = "P@2", **options: Any) -> float:
    options["unseen"] = "nothing"
    return medir.expect(*TWO, measure, prior=prior, **options).row(0).expected


def test_numbers() -> None:
    assert expectation(0.4, "RBP(p=0.5)") == close(0)
    assert expectation("0.4", "ERR") == expectation(0.4, "ERR")
    assert expectation(1) == expectation(0) == 0


def test_ranks() -> None:
    """A document in both lists has the probability of its better rank."""
    weights = {"a": 1 / 8 - 1 / 2, "b": -1 / 4, "c": 1 / 2 - 1 / 8, "d": 1 / 4}
    best = {"a": 1, "b": 2, "c": 1, "d": 2}
    cases: list[tuple[Any, Callable[[int], float]]] = [
        ("rank", lambda rank: 0.6 * rank**-0.5),
        ("rank()", lambda rank: 0.6 * rank**-0.5),
        ("rank(p1=0.9, s=1)", lambda rank: 0.9 / rank),
        (" rank( s=2 ) ", lambda rank: 0.6 / rank**2),
        (lambda rank: 1 / (2 + rank), lambda rank: 1 / (2 + rank)),
    ]
    for prior, p in cases:
        for qrels in (None, {"q": {"b": 0}}):
            left = {d: w for d, w in weights.items() if qrels is None or d != "b"}
            truth = sum(w * p(best[d]) for d, w in left.items())
            assert expectation(prior, "RBP(p=0.5)", qrels=qrels) == close(truth)


def test_documents(tmp_path: Path) -> None:
    likely = {"q": {"a": 0.5, "b": 0.25, "d": 1}, "other": {"a": 0.1}}
    result = medir.expect(*TWO, "P@2", prior=likely, default=0.125)
    truth = (0.125 + 1 - 0.5 - 0.25) / 2
    assert result.row(0).expected == close(truth)
    assert (result.without_prior, result.default, result.unjudged) == (1, 0.125, 4)
    lines = "# a comment\nq a 0.5\r\n\n  q\tb  2.5e-1 \nother a .1\nq d 1\nq d 1.0"
    for name, packed in (
        ("plain", lines.encode()),
        ("gz", gzip.compress(lines.encode())),
        ("bz2", bz2.compress(lines.encode())),
    ):
        path = tmp_path / name
        path.write_bytes(packed)
        assert expectation(path, default=0.125) == expectation(str(path), default=0.125)
        assert expectation(path, default=0.125) == close(truth)


def test_documents_by_number_and_in_any_bytes(tmp_path: Path) -> None:
    runs = {1: [10, 20]}, {1: [20, 10]}
    assert medir.expect(*runs, "P@1", prior={1: {20: 1}}).row(0).expected == 1
    for name, document in (("a", b"x\xff"), ("b", b"y")):
        (tmp_path / name).write_bytes(b"q Q0 %b 1 1 t\n" % document)
    (tmp_path / "p").write_bytes(b"q x\xff 1\n")
    result = medir.expect(tmp_path / "a", tmp_path / "b", "P@1", prior=tmp_path / "p")
    assert result.row(0).expected == -1


def test_judgments_come_first() -> None:
    likely = {"q": dict.fromkeys("abcd", 0.5)}
    result = medir.expect(*TWO, "P@2", prior=likely, qrels={"q": {"a": 0, "d": 1}})
    assert result.row(0).expected == close((0.5 + 1 - 0 - 0.5) / 2)
    assert (result.row(0).unjudged, result.unjudged) == (2, 2)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("q a", 1, "expected 3 columns (query document probability), found 2"),
        ("q a 0.5\nq 0 b 1", 2, "expected 3 columns (query document probability), found 4"),
        ("q a high", 1, "the probability 'high' is not a number from 0 to 1"),
        ("q a 1.5", 1, "the probability '1.5' is not a number from 0 to 1"),
        ("q a -0.1", 1, "the probability '-0.1' is not a number from 0 to 1"),
        ("q a nan", 1, "the probability 'nan' is not a number from 0 to 1"),
        ("q a 0_1", 1, "the probability '0_1' is not a number from 0 to 1"),
        ("#\nq a 0.5\n\nq a 0.6", 4, "document 'a' has two probabilities for query 'q'"),
        ("", None, "is empty"),
        ("# only\n\n", None, "holds only comments and blank lines"),
        ("q\0 a", 1, "binary data (byte 0x00) where text was expected"),
    ],
)
def test_faults_of_files(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "prior.txt"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        expectation(path)
    assert (caught.value.source, caught.value.line) == (str(path), line)
    assert caught.value.problem == message
    assert caught.value.remedy
    if line is not None and "binary" not in message:
        assert caught.value.text == text.splitlines()[line - 1]


@pytest.mark.parametrize(
    ("prior", "error", "message"),
    [
        (1.5, UsageError, "the prior is a probability from 0 to 1, not 1.5"),
        (-1, UsageError, "the prior is a probability"),
        (math.nan, UsageError, "the prior is a probability"),
        (True, UsageError, "the prior is a probability"),
        ("1.5", UsageError, "the prior is a probability"),
        ("rank(p=1)", UsageError, r"write it as rank\(p1=0.6, s=0.5\)"),
        ("rank(p1=x)", UsageError, r"write it as rank\(p1=0.6, s=0.5\)"),
        ("rank(p1=2)", UsageError, "p1 is a probability from 0 to 1, not 2.0"),
        ("rank(s=-1)", UsageError, "s is a number from 0 on"),
        (lambda rank: rank, UsageError, "the prior of rank 2 is a probability from 0 to 1, not 2"),
        (lambda rank: "x", UsageError, "the prior of rank 1 is a probability from 0 to 1"),
        ("no/such/file", InputError, "there is no such file\nA prior is a number"),
        ([0.5], InputError, "cannot use an object of type list as a prior"),
        ({"q": 0.5}, InputError, "query 'q' has 0.5 where its probabilities should be"),
        ({"q": {"a": 2}}, InputError, "the probability of 'a' is 2, not a number from 0 to 1"),
        ({"q": {"a": "x"}}, InputError, "the probability of 'a' is 'x'"),
        ({"q": {0.5: 1}}, InputError, "a document id is text or a whole number"),
    ],
)
def test_faults_of_priors(prior: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        expectation(prior)
