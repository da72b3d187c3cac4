"""The notation of measures: what it refuses, how fast, and that every measure parses back."""

from __future__ import annotations

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.errors import MeasureError
from medir.measures.arguments import ArgumentError, parse_arguments
from medir.measures.family import OWN
from medir.measures.table import FAMILIES
from tests.profiles import examples

LONG = 5_000
HOSTILE = [
    f"nDCG@{'9' * LONG}",
    f"RBP(p={'-' * LONG}1)",
    f"RBP(p={'1+' * LONG}1)",
    f"RBP(p={'(' * LONG}1{')' * LONG})",
    f"RBP(p={'[' * 4000}1{']' * 4000})",
    f"nDCG(ideal={'{1:' * 1000}1{'}' * 1000})",
    "RBP(p=1+1)",
    "RBP(p=--1)",
    "RBP(p=1j)",
    "RBP(p=0x1)",
    "RBP(p=1_0)",
    "RBP(p=٣)",
    "nDCG@٣",
    "RBP(p=b'1')",
    "RBP(p=f'1')",
    "RBP(p='0.5' '1')",
    "RBP(p=...)",
    "RBP(p=__import__('os'))",
    "RBP(*[1])",
    "RBP(**{'p': 1})",
    "RBP(p=0.5)(p=0.6)",
    "RBP(p=0.5,,)",
    "RBP(p=0.5, p=0.6)",
    "RBP(p=0.5, 0.6)",
    "RBP(p=1e400)",
    "RBP(p=1e-400)",
    f"RBP(p={'9' * 399})",
    f"RBP(p={'9' * 401})",
    "nDCG(ideal=(1,2))",
    "nDCG(ideal=[1])",
    "nDCG(ideal=[[1, 2]])",
    "nDCG(ideal={[]:1})",
    "nDCG(ideal={{}:1})",
    "nDCG(ideal={1:1, 1:2})",
    "nDCG(ideal={})",
    "nDCG(gains=['exp'])",
    "nDCG(gains={'exp': 1})",
    "nDCG(gains=None)",
    "Discount([1e308, 1e308])",
    "Discount([1e10, 1])",
    f"Discount([{'9' * 399}])",
    "Discount([])",
    "Discount([[1]])",
    "Discount([1, nan])",
    "Discount([1], norm=1e-320)",
    "Discount([1], norm=1e300)",
    "Discount([1], total=1e300)",
    "Cascade([1e308, 1e308])",
    "Cascade([1], norm=1e-320)",
    "INSQ(T=1e-200)",
    "INSQ(T=1e200)",
    "U(half_life=1e-300, discount='exponential')",
    "nDCG@20 " * 2000,
    "a" + " " * 9_000 + "!",
    "a" * 20_000,
    "a." * 4_000 + "!",
    "a_1" * 3_000 + "!",
    "\0",
    "nDCG\0@20",
    "nDCG(gains='\ud800')",
    "nDCG(gains='\\N{BULLET}')",
    "nDCG(gains='\\777')",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:30]))
def test_hostile_texts(text: str) -> None:
    """A short message, at once."""
    begin = time.process_time()
    with pytest.raises(MeasureError) as caught:
        medir.measure(text)
    assert time.process_time() - begin < 1
    assert len(str(caught.value)) < 500


def test_hostile_cutoffs() -> None:
    for cutoff in (0, -1, 10**30, 10**5000, 1.5, "x", None, True):
        with pytest.raises(MeasureError, match="the cutoff of nDCG"):
            medir.nDCG @ cutoff  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("()", ([], [])),
        ("(1, -2.5, +.5e1, 1.)", ([1, -2.5, 5.0, 1.0], [])),
        ("( 'a' , \"b'c\" , )", (["a", "b'c"], [])),
        ("(x=True, y=None, z=False)", ([], [("x", True), ("y", None), ("z", False)])),
        ("(x=[1, (2, 3), []], y={1: 2, 'a': [3]})", ([], [("x", [1, [2, 3], []]),
                                                          ("y", {1: 2, "a": [3]})])),
        (r"(x='a\\b\'c\n\x41\u00e9\U0001F600')", ([], [("x", "a\\b'c\nAé😀")])),
    ],
)  # fmt: skip
def test_arguments(text: str, found: object) -> None:
    assert parse_arguments(text) == found


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(st.integers() | st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


def depth_of(value: object) -> int:
    parts = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if parts is None else 1 + max(map(depth_of, parts), default=0)


@given(LITERALS)
@examples(200)
def test_what_python_writes_is_read(value: object) -> None:
    """As Python reads it, down to the depth that there may be."""
    if depth_of(value) > 4:
        with pytest.raises(ArgumentError):
            parse_arguments(f"({value!r})")
        return
    assert parse_arguments(f"({value!r})") == ([value], [])


NAMES = [name for row in FAMILIES for name in (row.name, *row.aliases)]
PARAMETERS = sorted({parameter.name for row in FAMILIES for parameter in row.parameters})
WORDS = ["exp", "linear", "binary", "unbounded", "judged", "graded", "mine", "ext", "none", "dcg"]
VALUES = st.one_of(
    LITERALS,
    st.sampled_from(WORDS),
    st.floats(0, 1),
    st.integers(0, 30),
    st.lists(st.floats(0, 2), max_size=4).map(lambda some: sorted(some, reverse=True)),
    st.dictionaries(st.integers(1, 5), st.integers(0, 20), max_size=3),
)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Texts like those of measures."""
    name = draw(st.sampled_from(NAMES))
    name = draw(st.sampled_from([name, name.lower(), name.upper(), f" {name} "]))
    arguments = [repr(draw(VALUES)) for _ in range(draw(st.integers(0, 1)))]
    for _ in range(draw(st.integers(0, 3))):
        arguments.append(f"{draw(st.sampled_from(PARAMETERS))}={draw(VALUES)!r}")
    text = name + (f"({', '.join(arguments)})" if arguments else draw(st.sampled_from(["", "()"])))
    if draw(st.booleans()):
        text += draw(st.sampled_from("@_.")) + draw(st.sampled_from(["1", "5", "20", "all", "0"]))
    if draw(st.integers(0, 4)) == 0:
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.text(max_size=3)) + text[at + draw(st.integers(0, 2)) :]
    return text


def check_text(text: str) -> bool:
    """Whether a text is a measure; one whose own text means the same. Others are MeasureErrors."""
    own = dict(OWN)
    try:
        try:
            found = medir.measure(text)
        except MeasureError:
            return False
        assert medir.measure(repr(found)) == found
        assert hash(medir.measure(repr(found))) == hash(found)
        return True
    finally:
        OWN.clear()
        OWN.update(own)


@given(texts() | st.text(max_size=40))
@examples(600)
def test_every_measure_parses_back(text: str) -> None:
    check_text(text)


@given(texts())
@examples(100)
def test_every_measure_computes_a_number(text: str) -> None:
    """What may be written may be computed; the value is finite, whatever the parameters."""
    own = dict(OWN)
    try:
        try:
            value = medir.med(["a", "b", "c"], ["c", "d"], medir.measure(text))
        except medir.MedirError:
            return
        assert math.isfinite(value) or medir.measure(text).kind != "difference", text
    finally:
        OWN.clear()
        OWN.update(own)
