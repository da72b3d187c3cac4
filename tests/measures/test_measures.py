"""Measures as values: written, read, compared, and refused."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import (
    DCG,
    ERR,
    ERR_IA,
    INSQ,
    NRBP,
    RBP,
    RR,
    SDCG,
    Cascade,
    Discount,
    Measure,
    MeasureError,
    MedirError,
    P,
    Success,
    alpha_nDCG,
    measure,
    nDCG,
)
from medir.measures.table import FAMILIES
from tests.profiles import examples

positive = st.floats(1e-120, 1e120, exclude_min=True, exclude_max=True)
counts = st.dictionaries(st.integers(1, 5), st.integers(0, 100), min_size=1).filter(
    lambda some: any(some.values())
)
falling = st.lists(st.floats(0, 1e6), min_size=1, max_size=5).map(
    lambda weights: sorted(weights, reverse=True)
)
PARAMETERS: dict[str, st.SearchStrategy[Any]] = {
    "gains": st.sampled_from(["binary", "exp", "linear"]),
    "max_grade": st.integers(5, 1000) | st.none(),
    "rel": st.integers(1, 5),
    "ideal": st.sampled_from(["unbounded", "judged"]) | st.integers(1, 10**9) | counts,
    "p": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "T": positive,
    "norm": positive,
    "total": positive | st.none(),
    "weights": falling,
    "discount": falling,
    "decay": st.floats(0, 1, exclude_min=True),
    "relevance": st.sampled_from(["binary", "graded"]),
    "alpha": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "beta": st.floats(0, 1, exclude_min=True, exclude_max=True),
    "intents": st.integers(1, 100_000),
    "score": st.sampled_from(["ext", "min", "max", "res"]),
    "symmetric": st.booleans(),
    "normalized": st.booleans(),
    "q": st.floats(0, 10),
    "n": st.integers(1, 10_000_000),
    "swap": st.sampled_from(["reciprocal", "dcg", None]) | st.lists(st.floats(0, 9), min_size=1),
    "weight": st.sampled_from(["weights.tsv", None]),
    "distance": st.sampled_from(["pairs of documents.tsv", None]),
    "half_life": st.floats(0.001, 1e8) | st.integers(1, 10**6),
    "gain": st.floats(0.001, 1e8),
    "snippet_seconds": st.floats(0.001, 1e8) | st.integers(1, 10**6),
    "document_seconds": st.floats(0.001, 1e8) | st.integers(0, 10**6),
    "word_seconds": st.floats(0.001, 1e8) | st.integers(0, 10**6),
    "click_relevant": st.floats(0.64, 1),
    "click_not_relevant": st.floats(0, 0.39),
    "speed": st.floats(0.001, 1e8) | st.integers(1, 10**6),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure with any parameters, but without a name of its own."""
    family = draw(st.sampled_from(FAMILIES))
    needed = {"Discount": "weights", "Cascade": "discount"}.get(family.name)
    names = [p.name for p in family.parameters if p.name not in ("name", needed)]
    chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
    own = {
        "ties": st.sampled_from(["w", "a", "b", None]) if family.name == "RBO" else st.booleans()
    }
    settings = {name: draw((PARAMETERS | own)[name]) for name in chosen}
    if needed is not None:
        settings[needed] = draw(PARAMETERS[needed])
    if family.name == "U":
        discounts = ["linear", "none", "exponential"]
        settings["discount"] = draw(st.sampled_from(discounts))
        if "half_life" in settings:
            settings["discount"] = "exponential"
    if "rel" in settings and "gains" in names:
        settings["gains"] = "binary"
    if "rel" in settings and "relevance" in names:
        settings["relevance"] = "binary"
    if family.name == "AP" and isinstance(settings.get("ideal"), dict):
        settings["ideal"] = "judged"
    made = Measure(family, family.cutoff)(**settings)
    if settings.get("ideal") == "judged" and draw(st.booleans()):
        return made @ "all"
    cutoff = draw(st.integers(1, 10_000_000) | st.none())
    return made if cutoff is None else made @ cutoff


def wrong(value: Any) -> Any:
    """A value that a type checker would refuse."""
    return value


def halves(rank: int) -> float:
    """A discount that can be pickled."""
    return 0.5**rank


# Written and read.


@examples(1000)
@given(measures())
def test_repr_parses_back(one: Measure) -> None:
    again = measure(repr(one))
    assert again == one
    assert repr(again) == repr(one)
    assert hash(again) == hash(one)
    assert str(one) == repr(one)
    assert measure(one) is one


@examples(300)
@given(measures())
def test_case_and_blanks_do_not_matter(one: Measure) -> None:
    name = one.family.name
    text = repr(one)
    for spelled in (name.lower(), name.upper(), f"  {name}"):
        assert measure(spelled + text[len(name) :]) == one
    assert measure(f" {text.replace('(', ' ( ').replace('@', ' @')} ") == one


@examples(300)
@given(measures())
def test_pickled_and_copied(one: Measure) -> None:
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.copy(one) == one
    assert copy.deepcopy(one) == one


def test_function_pickles_with_its_measure() -> None:
    one = Discount(halves, name="Pickled", total=1) @ 7
    again = pickle.loads(pickle.dumps(one))
    assert again == one
    assert repr(again) == "Pickled@7"


@examples(300)
@given(measures(), measures())
def test_equality_is_that_of_the_text(one: Measure, other: Measure) -> None:
    assert (one == other) == (repr(one) == repr(other))
    assert len({one, other}) == (1 if one == other else 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nDCG", nDCG @ 20),
        ("nDCG@20", nDCG),
        ("ndcg@10", nDCG @ 10),
        ("NDCG_10", nDCG @ 10),
        ("nDCG(gains='linear')@5", nDCG(gains="linear") @ 5),
        ("nDCG('linear')@5", nDCG(gains="linear") @ 5),
        ("nDCG()@5", nDCG @ 5),
        ("nDCG(ideal={1: 12, 2: 1})", nDCG(ideal={2: 1, 1: 12})),
        ("nDCG(ideal=3)@7", nDCG(ideal=3) @ 7),
        ("P_10", P @ 10),
        ("P@10", P @ 10),
        ("p@10", P @ 10),
        ("precision@10", P @ 10),
        ("Prec_10", P @ 10),
        ("P(rel=2)@5", P(rel=2) @ 5),
        ("RBP", RBP(p=0.9)),
        ("rbp(0.8)", RBP(p=0.8)),
        ("RBP(p=0.8)@100", RBP(p=0.8) @ 100),
        ("dcg_cut_5", DCG @ 5),
        ("sdcg@3", SDCG @ 3),
        ("INSQ", INSQ(T=1)),
        ("err@20", ERR @ 20),
        ("recip_rank", RR),
        ("mrr@10", RR @ 10),
        ("success_5", Success @ 5),
        ("alpha-nDCG@5", alpha_nDCG @ 5),
        ("nrbp(beta=0.8)", NRBP(beta=0.8)),
        ("err-ia", ERR_IA),
        ("cascade([1, 0.5], 0.5)", Cascade([1, 0.5], decay=0.5)),
        ("insq(T=2.5)", INSQ(T=2.5)),
        ("Discount([1, 0.5])", Discount([1, 0.5])),
        ("discount(weights=[3, 2, 1], norm=6)", Discount([3, 2, 1], norm=6)),
    ],
)
def test_spellings(text: str, expected: Measure) -> None:
    assert measure(text) == expected


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (nDCG, "nDCG@20"),
        (nDCG(gains="exp"), "nDCG@20"),
        (nDCG(ideal="unbounded"), "nDCG(ideal='unbounded')@20"),
        (nDCG(ideal={1: 12, 2: 1}) @ 5, "nDCG(ideal={2: 1, 1: 12})@5"),
        (RBP, "RBP(p=0.9)"),
        (RBP(p=0.5, gains="exp", max_grade=3), "RBP(p=0.5, gains='exp', max_grade=3)"),
        (P @ 5, "P@5"),
        (DCG @ 5, "DCG@5"),
        (INSQ, "INSQ"),
        (INSQ(T=2), "INSQ(T=2.0)"),
        (Discount((1, 0.5)) @ 2, "Discount(weights=[1.0, 0.5])@2"),
    ],
)
def test_written(one: Measure, text: str) -> None:
    assert repr(one) == text


def test_settings_add_up() -> None:
    """Called again, a measure keeps what is not set anew; a default is no setting."""
    assert nDCG(gains="linear")(ideal="judged") == nDCG(gains="linear", ideal="judged")
    assert (nDCG @ 5)(gains="linear") == nDCG(gains="linear") @ 5
    assert nDCG(gains="linear")(gains="exp") == nDCG
    assert nDCG @ 5 @ 20 == nDCG
    assert (RBP(p=0.5) @ 3).cutoff == 3
    assert RBP(p=0.5)["p"] == 0.5
    assert RBP["rel"] == 1
    assert RBP["ideal"] is None


def test_numbers_of_numpy_are_numbers() -> None:
    assert RBP(p=np.float64(0.8)) == RBP(p=0.8)
    assert nDCG @ wrong(np.int64(5)) == nDCG @ 5
    assert P(rel=np.int32(2)) == P(rel=2)
    assert Discount(np.array([1.0, 0.5])) == Discount([1, 0.5])


def test_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        nDCG.cutoff = 5  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del nDCG.settings


def test_public_names() -> None:
    names = {row.name for row in FAMILIES}
    assert names == {
        "nDCG", "RBP", "P", "AP", "ERR", "RR", "Success", "DCG", "SDCG", "INSQ", "Discount",
        "Cascade", "ERR_IA", "alpha_nDCG", "NRBP", "RBO", "tau_b", "rho", "tau_AP", "footrule",
        "Jaccard", "Judged", "Overlap", "AnchorMAP", "wHoeffding", "wFootrule", "wKendall", "RRD",
        "TBG", "U",
    }  # fmt: skip
    for name in names:
        assert getattr(medir, name).family.name == name


# Refused.


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("nDGC@20", "nDCG@20"),
        ("nDGC(gains='linear')@5", "nDCG(gains='linear')@5"),
        ("ndcgcut_20", "ndcg_cut_20"),
        ("RPB(p=0.8)", "RBP(p=0.8)"),
        ("precison@5", "precision@5"),
        ("insqq", "INSQ"),
        ("Discout([1])", "Discount([1])"),
    ],
)
def test_unknown_names_suggest_the_nearest(text: str, near: str) -> None:
    with pytest.raises(MeasureError) as caught:
        measure(text)
    assert str(caught.value) == f"there is no measure {text!r}; did you mean {near}?"


def test_names_near_nothing() -> None:
    with pytest.raises(MeasureError, match="'medir measures' lists them all"):
        measure("zzzzzz@3")


@pytest.mark.parametrize(
    "text", ["", "@20", "20", "nDCG@", "nDCG@x", "nDCG@-1", "nDCG(", "nDCG)", "nDCG@5@5", "(p=1)"]
)
def test_texts_that_are_no_measure(text: str) -> None:
    with pytest.raises(MeasureError):
        measure(text)


@pytest.mark.parametrize(
    "text",
    [
        "nDCG(gains=linear)@20",
        "nDCG(gains='linear'@20",
        "nDCG(**{'gains': 'linear'})",
        "nDCG(gains=open('x'))",
        "nDCG(*[1])",
        "nDCG(gains='linear')(ideal='judged')",
        "RBP(p=1-0.5j*2, )x",
    ],
)
def test_parameters_that_cannot_be_read(text: str) -> None:
    with pytest.raises(MeasureError):
        measure(text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nDCG @ 0, "the cutoff of nDCG is a whole number from 1 to 10000000, not 0"),
        (lambda: nDCG @ wrong(2.5), "the cutoff of nDCG is a whole number"),
        (lambda: nDCG @ True, "the cutoff of nDCG is a whole number"),
        (lambda: measure("P@99999999999"), "the cutoff of P is a whole number"),
        (lambda: measure("P@0"), "the cutoff of P is a whole number"),
        (lambda: nDCG(gains="log"), "nDCG: gains is one of 'binary', 'exp', 'linear', not 'log'"),
        (lambda: nDCG(max_grade=0), "nDCG: max_grade is a whole number from 1 to 1000, not 0"),
        (lambda: nDCG(max_grade="2"), "nDCG: max_grade is a whole number"),
        (lambda: nDCG(ideal="best"), "nDCG: ideal is 'unbounded', 'judged', a number"),
        (lambda: nDCG(ideal=0), "nDCG: ideal is 'unbounded', 'judged', a number"),
        (lambda: nDCG(ideal=True), "nDCG: ideal is 'unbounded', 'judged', a number"),
        (lambda: nDCG(ideal={}), "nDCG: ideal names at least one relevant document"),
        (lambda: nDCG(ideal={2: 0}), "nDCG: ideal names at least one relevant document"),
        (lambda: nDCG(ideal={0: 3}), "nDCG: ideal is a whole number from 1 to 1000, not 0"),
        (lambda: nDCG(ideal={2: -1}), "nDCG: ideal is a whole number from 0"),
        (lambda: nDCG(ideal={3: 1}, max_grade=2), "declare max_grade=3"),
        (lambda: P(rel=0), "P: rel is a whole number from 1 to 1000, not 0"),
        (lambda: nDCG(rel=2), "nDCG: rel goes with gains='binary' only"),
        (lambda: P(rel=3, max_grade=2), "P: rel is above max_grade"),
        (lambda: RBP(p=0), "RBP: p is a number between 0 and 1, not 0"),
        (lambda: RBP(p=1.0), "RBP: p is a number between 0 and 1, not 1.0"),
        (lambda: RBP(p=math.nan), "RBP: p is a number between 0 and 1, not nan"),
        (lambda: RBP(p="0.9"), "RBP: p is a number between 0 and 1, not '0.9'"),
        (lambda: RBP(p=True), "RBP: p is a number between 0 and 1, not True"),
        (lambda: INSQ(T=0), "INSQ: T is a number between 1e-120 and 1e+120, not 0"),
        (lambda: INSQ(T=math.inf), "INSQ: T is a number between 1e-120 and 1e+120, not inf"),
        (lambda: RBP(q=0.5), "RBP has no parameter 'q'; it has p, gains, max_grade, rel"),
        (lambda: RBP(gain="exp"), "RBP has no parameter 'gain'; did you mean gains?"),
        (lambda: RBP(0.5, p=0.6), "RBP: p is given twice"),
        (lambda: measure("RBP(p=0.8, p=0.9)"), "'RBP(p=0.8, p=0.9)': p is given twice"),
        (lambda: measure("RBP(0.8, p=0.9)"), "RBP: p is given twice"),
        (lambda: P("binary", 2, 1, 5), "P has at most 3 parameters"),
        (lambda: measure("Discount"), "Discount needs its weights"),
        (lambda: measure("Discount()@3"), "Discount needs its weights"),
        (lambda: Discount([]), "Discount: weights is a list of discounts or a function of rank"),
        (lambda: Discount("abc"), "Discount: weights is a list of discounts or a function of rank"),
        (lambda: Discount(5), "Discount: weights is a list of discounts or a function of rank"),
        (lambda: Discount([1, 2]), "never rise with rank"),
        (lambda: Discount([1, -1]), "not negative"),
        (lambda: Discount([math.inf]), "finite"),
        (lambda: Discount([math.nan]), "finite"),
        (
            lambda: Discount([1], norm=0),
            "Discount: norm is a number between 1e-120 and 1e+120, not 0",
        ),
        (lambda: Discount([1], name="my name"), "Discount: name is a word, not 'my name'"),
        (lambda: Discount([1], name="5"), "Discount: name is a word, not '5'"),
        (lambda: Discount([1], name="ndcg"), "must be a new word"),
        (lambda: Discount([1], name="Prec"), "must be a new word"),
        (lambda: Discount(halves), "needs a name and the sum of its values"),
        (lambda: Discount(halves, name="halves"), "needs a name and the sum of its values"),
        (lambda: Discount(halves, total=1), "needs a name and the sum of its values"),
        (
            lambda: Discount(halves, name="halves", total=-1),
            "total is a number between 0 and 1e+120",
        ),
    ],
)
def test_bad_parameters(make: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        make()
    assert message in str(caught.value)
    assert isinstance(caught.value, MedirError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("weights", [["a"], [[1, 0.5], [0.5, 0.25]], [None]])
def test_weights_that_are_no_numbers(weights: Any) -> None:
    with pytest.raises(MeasureError):
        Discount(weights)


def test_open_discount_is_refused() -> None:
    with pytest.raises(MeasureError, match="needs its weights"):
        medir.med(["a"], ["b"], Discount)


@pytest.mark.parametrize("one", [5, ""])
def test_things_that_are_no_measure(one: Any) -> None:
    with pytest.raises(MedirError):
        medir.med(["a"], ["b"], one)


def test_counts_above_the_highest_grade() -> None:
    one = nDCG(ideal={3: 2}) @ 5
    with pytest.raises(MeasureError, match="declare max_grade=3"):
        medir.med(["a"], ["b"], one)
    assert medir.med(["a"], ["b"], one, judged={"c": 3}) > 0
    assert medir.med(["a"], ["b"], one(max_grade=3)) == 1
