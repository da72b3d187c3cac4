"""MED of average precision: against the definition by brute force, and an integer program."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

import medir
from medir import AP
from medir.errors import MeasureError, UsageError
from medir.measures import measure
from tests.cases.runs import UNSEEN
from tests.oracles.unseen import BOTH_ENDED, Cut, Rule, cut_of_lists
from tests.profiles import examples

EXACT = 1e-12
D = [f"d{i}" for i in range(1, 101)]


def average_precision(relevance: Sequence[int], norm: float) -> float:
    """(1/N) sum of c_i * precision at i."""
    precisions = [c * sum(relevance[: i + 1]) / (i + 1) for i, c in enumerate(relevance)]
    return sum(precisions) / norm if norm else 0.0


def extremes(
    before: Sequence[str],
    after: Sequence[str],
    k: int,
    judged: Mapping[str, int],
    norm: float,
    cut: Cut,
    rel: int = 1,
) -> tuple[float, float]:
    """The largest S(after) - S(before) and S(before) - S(after), over every assignment."""

    def filled(ranking: Sequence[str], name: str, was_cut: bool) -> list[str]:
        unseen = [f"{name}{i}" for i in range(len(ranking), k)] if was_cut else []
        return [*ranking[:k], *unseen]

    lists = filled(before, "unseen before ", cut[0]), filled(after, "unseen after ", cut[1])
    unknown = sorted({d for ranking in lists for d in ranking} - set(judged))
    known = {d: int(grade >= rel) for d, grade in judged.items()}
    differences = []
    for values in itertools.product((0, 1), repeat=len(unknown)):
        relevance = known | dict(zip(unknown, values, strict=True))
        first, second = ([relevance[d] for d in ranking] for ranking in lists)
        differences.append(average_precision(second, norm) - average_precision(first, norm))
    return max(differences), -min(differences)


@st.composite
def rankings(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    documents = draw(st.permutations(D[:7]))
    before = documents[: draw(st.integers(0, 6))]
    after = draw(st.permutations(documents))[: draw(st.integers(0, 6))]
    return list(before), list(after)


@examples(500)
@given(
    rankings(),
    st.integers(1, 6),
    st.dictionaries(st.sampled_from(D[:9]), st.integers(-1, 3), max_size=5),
    st.sampled_from(UNSEEN),
    st.sampled_from(["unbounded", "judged", 3]),
    st.integers(1, 2),
)
def test_equals_brute_force(
    lists: tuple[list[str], list[str]],
    k: int,
    judged: dict[str, int],
    unseen: Rule,
    ideal: str | int,
    rel: int,
) -> None:
    before, after = lists
    relevant = sum(grade >= rel for grade in judged.values())
    norm = {"unbounded": k, "judged": relevant}.get(str(ideal), 3)
    cut = cut_of_lists(before, after, unseen)
    gain, loss = extremes(before, after, k, judged, norm, cut, rel)
    row = next(
        iter(
            medir.compare(
                {"q": before},
                {"q": after},
                AP(ideal=ideal, rel=rel) @ k,
                qrels={"q": judged},
                unseen=unseen,
            )
        )
    )
    if norm == 0:
        assert np.isnan([row.med, row.gain, row.loss, row.lower]).all()
        return
    assert row.gain == pytest.approx(gain, abs=EXACT)
    assert row.loss == pytest.approx(loss, abs=EXACT)
    assert row.med == max(row.gain, row.loss)
    assert row.gap == 0
    assert 0 <= row.lower <= row.med


@examples(60)
@given(st.permutations(D[:12]), st.permutations(D[:12]))
def test_equals_brute_force_with_twelve_shared_documents(a: list[str], b: list[str]) -> None:
    gain, loss = extremes(a, b, 12, {}, 12, BOTH_ENDED)
    row = next(iter(medir.compare({"q": a}, {"q": b}, AP @ 12)))
    assert row.gain == pytest.approx(gain, abs=EXACT)
    assert row.loss == pytest.approx(loss, abs=EXACT)


@examples(300)
@given(st.permutations(D[:6]), st.permutations(D[:6]), st.integers(0, 3), st.integers(0, 3))
def test_lower_holds_for_every_continuation(
    a: list[str], b: list[str], seen_a: int, seen_b: int
) -> None:
    """With both lists known to depth k, med is never below what `lower` said before."""
    k = 4
    before, after = a[:seen_a], b[:seen_b]
    result = medir.compare({"q": before}, {"q": after}, AP @ k, unseen="anything")
    lower = result.row(0).lower
    deep = [before + [d for d in more if d not in before][: k - seen_a] for more in (a, b)]
    deep_after = [after + [d for d in more if d not in after][: k - seen_b] for more in (a, b)]
    for x, y in itertools.product(deep, deep_after):
        assert medir.med(x, y, AP @ k, unseen="nothing") >= lower - EXACT


# mathematics.md, section 11: med, and both directions (before favoured, after favoured).
REFERENCE = {
    "5 identical": (D[:5], D[:5], None, 0.5, 0.5),
    "10 reversed": (D[:10], D[9::-1], None, 0.338253968254, 0.338253968254),
    "B = d4..d13": (D[:10], D[3:13], None, 0.389444444444, 0.628690476190),
    "B = d3..d6": (D[:8], D[2:6], None, 0.600000, 0.790000),
    "judged": (
        D[:10],
        D[9::-1],
        {"d1": 2, "d4": 1, "d10": 0, "d6": 2},
        0.338253968254,
        0.016785714286,
    ),
}


@pytest.mark.parametrize("case", REFERENCE)
def test_reference_values(case: str) -> None:
    before, after, judged, loss, gain = REFERENCE[case]
    qrels = None if judged is None else {"q": judged}
    result = medir.compare({"q": before}, {"q": after}, AP @ 10, qrels=qrels, unseen="anything")
    row = result.row(0)
    assert row.gain == pytest.approx(gain, abs=1e-9)
    assert row.loss == pytest.approx(loss, abs=1e-9)
    med = medir.med(before, after, AP @ 10, judged=judged, unseen="anything")
    assert med == max(row.gain, row.loss)


def test_one_hundred_reversed() -> None:
    """mathematics.md, section 11."""
    assert medir.med(D, D[::-1], "AP@100") == pytest.approx(0.364743, abs=1e-6)


def integer_program(before: Sequence[str], after: Sequence[str]) -> float:
    """The largest S(before) - S(after) for complete lists of the same documents, N = k, by HiGHS.

    A product x_i x_j is a variable of its own: at most each of the two, at least their sum - 1.
    """
    k = len(before)
    rank_a = {d: i + 1 for i, d in enumerate(before)}
    rank_b = {d: i + 1 for i, d in enumerate(after)}
    documents = list(rank_a)
    gains = [1 / rank_a[d] - 1 / rank_b[d] for d in documents]
    rows: list[tuple[int, int, float]] = []
    limits: list[float] = []
    for (i, x), (j, y) in itertools.combinations(enumerate(documents), 2):
        w = 1 / max(rank_a[x], rank_a[y]) - 1 / max(rank_b[x], rank_b[y])
        product = len(gains)
        gains.append(w)
        sides = [{product: 1.0, i: -1.0}, {product: 1.0, j: -1.0}]
        below = [0.0, 0.0]
        if w < 0:
            sides, below = [{i: 1.0, j: 1.0, product: -1.0}], [1.0]
        for side, limit in zip(sides, below, strict=True):
            rows += [(len(limits), column, value) for column, value in side.items()]
            limits.append(limit)
    r, c, v = zip(*rows, strict=True)
    matrix = coo_array((v, (r, c)), shape=(len(limits), len(gains)))
    found = milp(
        -np.array(gains),
        constraints=LinearConstraint(matrix, ub=np.array(limits)),
        bounds=Bounds(0, 1),
        integrality=[1] * k + [0] * (len(gains) - k),
        options={"mip_rel_gap": 0},
    )
    assert found.success
    return float(-found.fun) / k


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200))
def test_equals_an_integer_program(seed: int) -> None:
    """20 to 60 shared documents; every other instance is a nearly identical pair of lists."""
    random = np.random.default_rng(seed)
    count = int(random.integers(20, 61))
    before = D[:count]
    spread = 1.5 if seed % 2 else count
    keys = np.arange(count) + random.normal(0, spread, count)
    after = [before[i] for i in np.argsort(keys)]
    row = next(iter(medir.compare({"q": before}, {"q": after}, AP @ count)))
    assert row.gap == 0
    assert row.loss == pytest.approx(integer_program(before, after), abs=1e-6)


@pytest.mark.parametrize("seed", [29, 36, 41, 52])
def test_search_cut_short_gives_a_true_interval(seed: int) -> None:
    random = np.random.default_rng(seed)
    after = [D[i] for i in np.argsort(np.arange(100) + random.normal(0, 20.0, 100))]
    proven = next(iter(medir.compare({"q": D}, {"q": after}, AP @ 100)))
    hurried = next(iter(medir.compare({"q": D}, {"q": after}, AP @ 100, effort=1)))
    assert (proven.gap, proven.gain_gap, proven.loss_gap) == (0, 0, 0)
    assert max(hurried.gain_gap, hurried.loss_gap) > 0
    assert hurried.med <= proven.med <= hurried.med + hurried.gap
    assert hurried.gain <= proven.gain <= hurried.gain + hurried.gain_gap
    assert hurried.loss <= proven.loss <= hurried.loss + hurried.loss_gap


def test_names() -> None:
    assert repr(AP) == "AP@100"
    assert measure(repr(AP(ideal="judged", rel=2) @ 30)) == AP(ideal="judged", rel=2) @ 30
    with pytest.raises(MeasureError, match="ideal"):
        AP(ideal={1: 3})


def test_errors() -> None:
    with pytest.raises(UsageError, match="qrels"):
        medir.med(["a"], ["b"], AP(ideal="judged"))
    with pytest.raises(UsageError, match="effort"):
        medir.med(["a"], ["b"], AP, effort=0)
