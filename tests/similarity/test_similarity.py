"""Rank similarities against their definitions, scipy, published values and hand-worked ones.

RBO has a file of its own, test_rank_biased_overlap.py.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from importlib import import_module
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from medir import UsageError
from medir.measures.rank_similarities import SIMILARITIES
from medir.similarity import (
    anchor_map,
    footrule,
    jaccard,
    overlap,
    rbo,
    reciprocal_rank_distance,
    rho,
    tau_ap,
    tau_b,
    w_hoeffding,
    weighted_footrule,
    weighted_kendall,
)
from tests.cases.rankings import DOCUMENTS, Ties, lists, near, tied_lists
from tests.oracles import similarity as oracle
from tests.profiles import examples
from tests.shell import ROOT, python

PAGE = ROOT / "docs" / "similarity.md"


# Correlations.


@given(tied_lists(), tied_lists())
def test_correlations_agree_with_scipy(x: Ties, y: Ties) -> None:
    shared = [document for tie in x for document in tie if any(document in other for other in y)]
    ranks, others = (
        [oracle.first_rank(ranking, document) for document in shared] for ranking in (x, y)
    )
    if len(set(ranks)) < 2 or len(set(others)) < 2:
        assert tau_b(x, y) is None
        assert rho(x, y) is None
    else:
        assert tau_b(x, y) == near(stats.kendalltau(ranks, others).statistic)
        assert rho(x, y) == near(stats.spearmanr(ranks, others).statistic)
    defined = oracle.tau_b(x, y)
    assert tau_b(x, y) == (None if defined is None else near(defined))
    assert (tau_b(y, x), rho(y, x)) == (tau_b(x, y), rho(x, y))


def test_correlations_of_long_lists() -> None:
    rng = np.random.default_rng(7)
    order = rng.permutation(500)
    assert tau_b(range(500), order) == near(stats.kendalltau(range(500), np.argsort(order))[0])
    assert rho(range(500), order) == near(stats.spearmanr(range(500), np.argsort(order))[0])


def test_tau_ap_of_the_package_of_urbano_and_marrero() -> None:
    """The example of tauAP in the R package ircor: 0.3928571, the first vector is the truth."""
    truth = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
    estimate = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
    x, y = (sorted(range(10), key=lambda i: -scores[i]) for scores in (truth, estimate))
    assert tau_ap(x, y) == near(0.3928571, 5e-8)


@given(lists(), lists())
def test_tau_ap_by_its_definition(x: list[str], y: list[str]) -> None:
    one, back = oracle.tau_ap(x, y), oracle.tau_ap(y, x)
    if one is None or back is None:
        assert tau_ap(x, y) is None
        assert tau_ap(x, y, symmetric=True) is None
    else:
        assert tau_ap(x, y) == near(one)
        assert tau_ap(x, y, symmetric=True) == near((one + back) / 2)
        assert -1 <= one <= 1


def test_tau_ap_knows_which_list_is_the_reference() -> None:
    assert tau_ap(list("bcad"), list("abcd")) == near(0)
    assert tau_ap(list("abcd"), list("bcad")) == near(1 / 3)
    assert tau_ap(list("abcd"), list("dcba")) == -1


# Distances.


@given(lists(), lists(), st.integers(1, 8))
def test_footrule_by_its_definition(x: list[str], y: list[str], k: int) -> None:
    value = oracle.footrule(x, y, k)
    assert footrule(x, y, k) == near(value)
    assert footrule(x, y, k, normalized=True) == near(value / (k * (k + 1)))
    assert 0 <= value <= k * (k + 1)
    assert footrule(x, y) == near(oracle.footrule(x, y, max(len(x), len(y))))


@given(tied_lists(), tied_lists())
def test_a_tie_has_the_mean_of_its_ranks_in_the_footrule(x: Ties, y: Ties) -> None:
    depth = max(len(oracle.documents(ranking)) for ranking in (x, y))
    ranks, others = (
        {
            document: oracle.first_rank(ranking, document) + (len(tie) - 1) / 2
            for tie in ranking
            for document in tie
        }
        for ranking in (x, y)
    )
    absent = depth + 1
    expected = sum(
        abs(ranks.get(document, absent) - others.get(document, absent))
        for document in {*ranks, *others}
    )
    assert footrule(x, y) == near(expected)


def test_footrule_of_fagin_et_al() -> None:
    """Disjoint lists of k are k (k+1) apart; reversed ones k^2 / 2, rounded down."""
    for k in range(1, 8):
        x = list(range(k))
        assert footrule(x, [-1 - i for i in x], k) == k * (k + 1)
        assert footrule(x, x[::-1], k) == k * k // 2
    assert footrule([], [], 5) == footrule([], []) == 0
    assert footrule([], [], normalized=True) is None


@given(lists(), lists())
def test_reciprocal_rank_distance_by_its_definition(x: list[str], y: list[str]) -> None:
    assert reciprocal_rank_distance(x, y) == near(oracle.reciprocal_rank_distance(x, y))
    cut = oracle.reciprocal_rank_distance(x[:3], y[:3])
    assert reciprocal_rank_distance(x, y, 3) == near(cut)
    assert cut <= 2 * (1 + 1 / 2 + 1 / 3) + 1e-12


@examples(40)
@given(tied_lists(most=3), tied_lists(most=3), st.integers(0, 1), st.sampled_from([0.0, 0.5, 2.0]))
def test_hoeffding_is_the_mean_over_all_orders(x: Ties, y: Ties, more: int, q: float) -> None:
    x, y = x[:3], y[:2]
    known = len({*oracle.documents(x), *oracle.documents(y)})
    if known + more <= 5:
        expected = oracle.w_hoeffding(x, y, known + more, q)
        assert w_hoeffding(x, y, known + more, q) == near(expected)
        assert w_hoeffding(y, x, known + more, q) == near(expected)
        if not more:
            assert w_hoeffding(x, y, q=q) == near(expected)


def test_hoeffding_by_hand() -> None:
    assert w_hoeffding(list("abcd"), list("dcba"), q=0) == 8  # Spearman's footrule
    assert w_hoeffding(list("abcd"), list("dcba"), q=1) == near(2 * (1 + 1 + 1 / 3))
    assert w_hoeffding(["a"], ["b"]) == 2
    assert w_hoeffding([], []) == w_hoeffding([], ["a"]) == w_hoeffding(["a"], []) == 0
    assert w_hoeffding([], [], n=2) == 1  # the same order or the other one
    big = w_hoeffding(["a", "b"], ["b", "a"], n=100_000)
    assert big > w_hoeffding(["a", "b"], ["a", "b"], n=100_000) > 0


WEIGHT = {document: 1 + i / 3 for i, document in enumerate(DOCUMENTS)}


def swap(rank: int) -> float:
    return 1 / rank


def line(one: Any, other: Any) -> float:
    """A metric: the documents lie on a line."""
    return abs(math.sqrt(ord(one)) - math.sqrt(ord(other)))


@given(st.permutations(DOCUMENTS[:5]), st.permutations(DOCUMENTS[:5]))
def test_weighted_distances_by_their_definitions(x: list[str], y: list[str]) -> None:
    full = oracle.Weights(x, y, swap, WEIGHT, line)
    assert weighted_kendall(x, y, swap, WEIGHT.__getitem__, line) == near(full.kendall())
    assert weighted_footrule(x, y, swap, WEIGHT.__getitem__, line) == near(full.footrule())
    plain = oracle.Weights(
        x, y, lambda _: 1, dict.fromkeys(DOCUMENTS, 1), lambda one, other: one != other
    )
    kendall, foot = weighted_kendall(x, y), weighted_footrule(x, y)
    assert kendall == near(plain.kendall())
    assert foot == near(plain.footrule()) == footrule(x, y)
    assert kendall is not None
    assert foot is not None
    assert kendall <= foot <= 2 * kendall  # Diaconis and Graham


def test_weighted_distances_are_of_the_shared_documents() -> None:
    x, y = ["a", "x", "b", "c"], ["c", "b", "y", "z", "a"]
    assert weighted_kendall(x, y) == 3
    assert weighted_footrule(x, y) == 4
    for x, y in (([], []), (["a"], ["a"]), (["a", "b"], ["c", "a"])):
        assert weighted_kendall(x, y) is None
        assert weighted_footrule(x, y) is None


def test_position_weights_break_the_triangle_inequality() -> None:
    """Which is why the table says that the weighted distances are metrics without them only."""
    x, y, z = "abcd", "acbd", "dcba"
    for function in (weighted_kendall, weighted_footrule):

        def apart(one: str, other: str, f: Callable[..., Any] = function) -> float:
            return float(f(list(one), list(other), swap=lambda _: 2.0))

        assert apart(x, z) > apart(x, y) + apart(y, z)


# Sets.


@given(tied_lists(), tied_lists(), st.integers(1, 6))
def test_sets_by_their_definitions(x: Ties, y: Ties, k: int) -> None:
    first, second = (oracle.documents(ranking)[:k] for ranking in (x, y))
    if crosses(x, k) or crosses(y, k):
        for function in (jaccard, overlap, footrule):
            with pytest.raises(UsageError, match="are tied at the ranks"):
                function(x, y, k)
        return
    both, either = len({*first} & {*second}), len({*first} | {*second})
    assert jaccard(x, y, k) == (both / either if either else None)
    assert overlap(x, y, k) == both / k


def crosses(ranking: Ties, k: int) -> bool:
    """Whether a tie lies on both sides of a cutoff."""
    return any(
        oracle.first_rank(ranking, tie[0]) <= k < oracle.first_rank(ranking, tie[0]) + len(tie) - 1
        for tie in ranking
    )


@given(lists(1), lists(), st.integers(1, 6))
def test_anchor_map_by_its_definition(x: list[str], y: list[str], k: int) -> None:
    value = anchor_map(x, y, k)
    assert value == near(oracle.average_precision(x[:k], y))
    assert value is not None
    assert 0 <= value <= 1
    assert anchor_map(x, x, k) == 1
    assert anchor_map([], y, k) is None


def test_anchor_map_is_not_symmetric() -> None:
    assert anchor_map(["a", "b"], ["c", "a"], 1) == 0.5
    assert anchor_map(["c", "a"], ["a", "b"], 1) == 0
    assert anchor_map([("a", "b"), "c"], ["c", "b", "a"], 2) == near((1 / 2 + 2 / 3) / 2)


# What the table says of each.

Function = Callable[[Any, Any], float | None]
CALLS: dict[str, Function] = {
    "RBO": rbo,
    "tau_b": tau_b,
    "rho": rho,
    "tau_AP": tau_ap,
    "footrule": lambda x, y: footrule(x, y, 4),
    "Jaccard": lambda x, y: jaccard(x, y, 4),
    "Overlap": lambda x, y: overlap(x, y, 4),
    "AnchorMAP": lambda x, y: anchor_map(x, y, 4),
    "wHoeffding": w_hoeffding,
    "wFootrule": lambda x, y: weighted_footrule(x, y, None, WEIGHT.__getitem__, line),
    "wKendall": lambda x, y: weighted_kendall(x, y, None, WEIGHT.__getitem__, line),
    "RRD": reciprocal_rank_distance,
}
ROWS = {row.name: row for row in SIMILARITIES}
DISTANCES = [name for name, row in ROWS.items() if row.kind == "distance"]
METRICS: dict[str, Function] = {
    **{name: CALLS[name] for name in DISTANCES},
    "1 - RBO": lambda x, y: 1 - (rbo(x, y) or 0),
    "1 - Jaccard": lambda x, y: 1 - (jaccard(x, y, 3) or 0),
    "1 - Overlap": lambda x, y: 1 - overlap(x, y, 3),
}


@given(lists(), lists())
def test_symmetric_where_the_table_says_so(x: list[str], y: list[str]) -> None:
    for name, call in CALLS.items():
        value, back = call(x, y), call(y, x)
        if ROWS[name].symmetric and value is not None:
            assert back == near(value), name


def test_the_others_are_not_symmetric() -> None:
    some = [*permutations("abc"), *permutations("abcdef", 5)][:40]
    for name, call in CALLS.items():
        if not ROWS[name].symmetric:
            assert any(call(x, y) != call(y, x) for x, y in product(some, repeat=2))


@given(lists(2, 4))
def test_a_list_agrees_with_itself(x: list[str]) -> None:
    for name, call in CALLS.items():
        perfect = len(x) / 4 if name == "Overlap" else 1
        assert call(x, x) == near(0 if name in DISTANCES else perfect), name


@given(lists(), lists())
def test_values_are_numbers_in_range_or_missing(x: list[str], y: list[str]) -> None:
    for name, call in CALLS.items():
        value = call(x, y)
        if value is None:
            assert ROWS[name].missing != "never", name
            continue
        assert type(value) is float, name
        low, high = (0.0, math.inf) if name in DISTANCES else (0.0, 1.0)
        if name in ("tau_b", "rho", "tau_AP"):
            low = -1.0
        assert low <= value <= high, name
    n = len({*x, *y})
    ceiling = 2 * sum(min(t, n - t) / t for t in range(1, n))
    assert w_hoeffding(x, y) <= ceiling + 1e-12


@given(*[st.permutations("abcd")] * 3)
def test_metrics_on_lists_of_the_same_documents(x: Any, y: Any, z: Any) -> None:
    for name, call in METRICS.items():
        apart = distance(call, x, y)
        assert distance(call, x, z) <= apart + distance(call, y, z) + 1e-12, name
        if name not in ("1 - Jaccard", "1 - Overlap"):  # metrics on sets
            assert (apart < 1e-12) == (list(x) == list(y)), name


def distance(call: Function, x: Any, y: Any) -> float:
    value = call(x, y)
    assert value is not None
    return value


@given(*[tied_lists()] * 3)
def test_metrics_on_any_lists(x: Ties, y: Ties, z: Ties) -> None:
    """Also of uneven lengths and different documents, and with ties where these are allowed."""
    calls: list[Function] = [lambda a, b: footrule(a, b, 6), lambda a, b: w_hoeffding(a, b, 7)]
    for call in calls:
        assert distance(call, x, z) <= distance(call, x, y) + distance(call, y, z) + 1e-12
    assert (footrule(x, y, 6) == 0) == ([{*tie} for tie in x] == [{*tie} for tie in y])
    a, b, c = (oracle.documents(ranking) for ranking in (x, y, z))
    ac, ab, bc = (reciprocal_rank_distance(*pair) for pair in ((a, c), (a, b), (b, c)))
    assert ac <= ab + bc + 1e-12
    assert (ab == 0) == (a == b)


@given(*[lists(3, 3)] * 3)
def test_one_minus_similarity_is_a_metric_on_lists_of_one_length(x: Any, y: Any, z: Any) -> None:
    for name in ("1 - RBO", "1 - Jaccard", "1 - Overlap"):
        xz, xy, yz = (METRICS[name](*pair) or 0 for pair in ((x, z), (x, y), (y, z)))
        assert xz <= xy + yz + 1e-12, name


@pytest.mark.parametrize("name", CALLS)
def test_empty_single_and_disjoint_lists(name: str) -> None:
    """None, or the number that the definition gives."""
    call, shared = CALLS[name], ("tau_b", "rho", "tau_AP", "wFootrule", "wKendall")
    expected: dict[str, tuple[float | None, ...]] = {
        # of [] and [], [] and a, a and [], a and a, a and b, ab and cd
        "RBO": (None, None, None, 1, 0, 0),
        "footrule": (0, 4, 4, 0, 8, 14),
        "Jaccard": (None, 0, 0, 1, 0, 0),
        "Overlap": (0, 0, 0, 1 / 4, 0, 0),
        "AnchorMAP": (None, None, 0, 1, 0, 0),
        "wHoeffding": (0, 0, 0, 0, 2, 2 * (1 + 1 + 1 / 3)),
        "RRD": (0, 1, 1, 0, 2, 3),
        **dict.fromkeys(shared, (None,) * 6),
    }
    pairs = [("", ""), ("", "a"), ("a", ""), ("a", "a"), ("a", "b"), ("ab", "cd")]
    for (x, y), value in zip(pairs, expected[name], strict=True):
        assert call(list(x), list(y)) == (None if value is None else near(value)), (x, y)


@pytest.mark.parametrize("name", CALLS)
def test_ties_are_taken_where_the_table_says_so(name: str) -> None:
    tied: Any = ["a", {"b", "c"}, "d"]
    plain = ["b", "a", "d", "c"]
    call = CALLS[name]
    if ROWS[name].ties == "no":
        with pytest.raises(UsageError, match=r"has no ties, and .* are tied"):
            call(tied, plain)
        with pytest.raises(UsageError, match="break the tie"):
            call(plain, tied)
    else:
        value = call(tied, plain)
        assert value is not None
        for tie in (("b", "c"), ["c", "b"], frozenset("bc")):
            assert call(["a", tie, ("d",)], plain) == near(value)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    ("ranking", "problem"),
    [
        (["a", "b", "a"], "'a' is in a ranking twice"),
        (["a", ("b", "a")], "'a' is in a ranking twice"),
        (["a", ("b", "b")], "'b' is in a ranking twice"),
        (["a", ()], "a tie without documents"),
        (["a", ("b", ("c", "d"))], "a tie holds documents only"),
        ([{"a": 1}], "is not a document"),
        ("abc", "this is a str"),
        ({"a", "b"}, "this is a set"),
        ({"a": 1.0}, "this is a dict"),
        (3, "a ranking is a list of documents, not 3"),
    ],
)
def test_what_is_not_a_ranking(name: str, ranking: Any, problem: str) -> None:
    for x, y in ((ranking, ["a", "b"]), (["a", "b"], ranking)):
        with pytest.raises(UsageError, match=re.escape(problem)):
            CALLS[name](x, y)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: rbo(["a"], ["a"], p=1), "p is a number between 0 and 1"),
        (lambda: rbo(["a"], ["a"], p=math.nan), "p is a number between 0 and 1"),
        (lambda: rbo(["a"], ["a"], score="mean"), "score is one of ext, min, max, res"),  # type: ignore[arg-type]
        (lambda: rbo(["a"], ["a"], ties="c"), "ties is one of w, a, b"),  # type: ignore[arg-type]
        (lambda: jaccard(["a"], ["a"], 0), "k is a whole number from 1 on, not 0"),
        (lambda: overlap(["a"], ["a"], 2.5), "k is a whole number"),  # type: ignore[arg-type]
        (lambda: anchor_map(["a"], ["a"], True), "k is a whole number"),
        (lambda: footrule(["a"], ["a"], -1), "k is a whole number"),
        (lambda: anchor_map(["a"], [("a", "b")], 1), "the second list of AnchorMAP has no ties"),
        (lambda: jaccard(["a", ("b", "c")], ["a"], 2), "take k = 3 or 1, or break the tie"),
        (
            lambda: jaccard([tuple("abcde")], ["a"], 2),
            "'c' and 2 more are tied at the ranks 1 to 5",
        ),
        (lambda: w_hoeffding(["a", "b"], ["c"], n=2), "hold 3 documents, more than n = 2"),
        (lambda: w_hoeffding(["a"], ["b"], q=-1), "q is a number from 0 on"),
        (lambda: weighted_kendall(["a", "b"], ["b", "a"], swap=lambda _: -1), "swap gives numbers"),
        (
            lambda: weighted_footrule(["a", "b"], ["b", "a"], weight=lambda _: math.inf),
            "weight gives numbers",
        ),
        (
            lambda: weighted_footrule(["a", "b"], ["b", "a"], distance=lambda a, b: float(a < b)),
            "distance is not the same both ways for 'b' and 'a'",
        ),
    ],
)
def test_arguments_are_checked(call: Callable[[], Any], problem: str) -> None:
    with pytest.raises(UsageError, match=re.escape(problem)):
        call()


def test_the_table_is_whole_and_frozen() -> None:
    names = [name.lower() for row in SIMILARITIES for name in (row.name, *row.aliases)]
    assert len({*names}) + sum(row.name.lower() in row.aliases for row in SIMILARITIES) == len(
        names
    )
    assert [row.name for row in SIMILARITIES] == list(CALLS)
    module = import_module("medir.similarity")
    functions = {row.function.__name__ for row in SIMILARITIES}
    assert functions | {"Ranking"} == {*module.__all__}
    with pytest.raises(AttributeError):
        SIMILARITIES[0].name = "other"  # type: ignore[misc]


def test_the_page_says_what_the_table_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for row in SIMILARITIES:
        symmetric = "yes" if row.symmetric else "no"
        cells = [f"`{row.function.__name__}`", row.kind, row.range, row.metric, symmetric, row.ties]
        assert f"| {row.name} | {' | '.join(cells)} | {row.missing} |" in text
        assert row.function.__doc__ is not None
        assert row.kind in row.function.__doc__ or row.kind == "similarity"


def test_importing_medir_does_not_import_it() -> None:
    code = "import sys, medir; print(any('similarity' in name for name in sys.modules))"
    assert python(code) == (0, "False\n", "")
    assert (
        python("from medir import similarity; print(similarity.tau_b(['a'], []))").out == "None\n"
    )
