"""The core's estimates beside the definition: every assignment of relevance, to 1e-12."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import UsageError
from tests.cases.expectations import QUANTILES, D, likelihoods, logarithmic, named
from tests.cases.runs import UNSEEN, ranked
from tests.oracles.exhaustive import average_precision, cascade, graded, reciprocal
from tests.oracles.expectation import Score, Truth, dot, enumerate_all
from tests.oracles.unseen import Rule, cut_of_lists
from tests.profiles import examples
from tests.shell import EXAMPLES

exact = partial(pytest.approx, rel=0, abs=1e-12)
CUTOFF = 3
TOP = 2  # the highest grade
NDCG = sum(logarithmic(rank) for rank in range(1, CUTOFF + 1)) * graded(TOP)[-1]
# Of one intent: the score of a list, and the relevance of each grade.
SHAPES: dict[str, tuple[str, Score, Sequence[float]]] = {
    "dot product": (f"nDCG(max_grade=2)@{CUTOFF}", dot(logarithmic, NDCG), graded(TOP)),
    "cascade": (f"ERR(max_grade=2)@{CUTOFF}", cascade(reciprocal, 1.0), graded(TOP)),
    "average precision": (f"AP@{CUTOFF}", average_precision(CUTOFF), (0.0, 1.0, 1.0)),
    "intents": (
        f"ERR_IA(intents=2, max_grade=2)@{CUTOFF}",
        cascade(reciprocal, 1.0),
        graded(TOP),
    ),
}


def mean_of(parts: Sequence[Truth]) -> Truth:
    """The mean of independent parts: every case of one with every case of the others."""
    values, weights = np.zeros(1), np.ones(1)
    for part in parts:
        values = np.add.outer(values, part.values / len(parts)).ravel()
        weights = np.outer(weights, part.weights).ravel()
    return Truth(values, weights)


def filled(ranking: Sequence[str], side: str) -> list[str]:
    """A list with documents of their own at its unseen ranks."""
    return [*ranking, *(f"{side}{rank}" for rank in range(len(ranking) + 1, CUTOFF + 1))]


@pytest.mark.parametrize("shape", SHAPES)
@examples(60)
@given(
    ranked(D[:4]),
    ranked(D[:4]),
    st.lists(
        st.dictionaries(st.sampled_from(D[:5]), st.integers(0, TOP), min_size=1, max_size=4),
        max_size=2,
    ),
    likelihoods,
    st.sampled_from(UNSEEN),
    st.floats(0, 1),
)
def test_every_assignment(
    shape: str,
    before: list[str],
    after: list[str],
    judged: list[dict[str, int]],
    likely: list[float],
    unseen: Rule,
    default: float,
) -> None:
    name, score, values = SHAPES[shape]
    by_intent = shape == "intents"
    judged = judged if by_intent else judged[:1]
    qrels: Any = {f"i{number}": grades for number, grades in enumerate(judged)}
    if not by_intent:
        qrels = judged[0] if judged else {}
    cut = cut_of_lists(before, after, unseen)
    lists = [filled(some, side) if was_cut else some
             for some, side, was_cut in zip((before, after), "ba", cut, strict=True)]  # fmt: skip
    p = {d: default for some in lists for d in some} | named(likely, D)
    parts: list[Mapping[str, int]] = [*judged, *[{}] * (2 - len(judged))]
    truth = mean_of(
        [
            enumerate_all(
                lists[0],
                lists[1],
                score,
                CUTOFF,
                {d: values[grade] for d, grade in grades.items()},
                p,
                values[-1],
            )
            for grades in (parts if by_intent else parts[:1])
        ]
    )
    row = medir.expect(
        {"q": before},
        {"q": after},
        name,
        prior={"q": named(likely, D)},
        default=default,
        qrels={"q": qrels} if qrels else None,
        unseen=unseen,
    ).row(0)
    assert row.expected == exact(truth.expected)
    if row.samples:
        rare = any(0 < chance < 0.01 or 0.99 < chance < 1 for chance in p.values())
        if not rare:  # else samples may show nothing of it
            assert row.sd == pytest.approx(truth.sd, abs=6 * row.sd_error + 1e-12)
        return
    assert row.sd**2 == exact(truth.sd**2)
    assert sum((row.helps.value, row.hurts.value, row.equal.value)) == exact(1)
    rounding = np.abs(truth.values)
    if not np.any((rounding > 0) & (rounding < 1e-10)):
        found = row.helps.value, row.hurts.value, row.equal.value
        assert found == exact((truth.helps, truth.hurts, truth.equal))
    for quantile, q in QUANTILES.items():
        assert truth.is_quantile(row.quantiles[quantile].value, q)


@pytest.mark.parametrize("name", ["nDCG@20", "ERR", "AP@30", "ERR_IA(intents=3)@20"])
def test_samples_have_the_exact_moments(name: str) -> None:
    """Many samples of one query: their mean and variance are those of the formulas."""
    random = np.random.default_rng(1)
    before, after = ({"q": random.permutation(D)[:25].tolist()} for _ in range(2))
    ended: Any = {"prior": "rank", "unseen": "nothing"}
    result = medir.expect(before, after, name, samples=40_000, **ended)
    row = result.row(0)
    middle = (row.quantiles["p25"].value + row.quantiles["p75"].value) / 2
    assert row.samples == 40_000
    assert middle == pytest.approx(row.expected, abs=row.sd / 4)
    more = [medir.expect(before, after, name, seed=seed, **ended).row(0) for seed in (1, 2)]
    for other in more:
        assert other.expected == row.expected
        assert other.sd == pytest.approx(row.sd, abs=4 * math.hypot(other.sd_error, row.sd_error))
        for outcome in ("helps", "hurts", "equal"):
            mine, theirs = getattr(row, outcome), getattr(other, outcome)
            assert theirs.value == pytest.approx(mine.value, abs=4 * theirs.error + 1e-3)


MEASURES = ["ERR", "nDCG@20", "AP@20", "RBP", "ERR_IA(intents=2)@10"]


@pytest.mark.parametrize("unseen", ["nothing", "anything"])
def test_any_number_of_threads_gives_the_same_bytes(unseen: Any, tmp_path: Path) -> None:
    runs = EXAMPLES / "before.run", EXAMPLES / "after.run"
    measures = MEASURES if unseen == "nothing" else ["ERR@20", *MEASURES[1:3]]
    written = set()
    for threads in (1, 2, 3):
        path = tmp_path / f"{threads}.jsonl"
        medir.expect(
            *runs, measures, prior="rank", unseen=unseen, samples=100, threads=threads
        ).write(path)
        written.add(path.read_bytes())
    assert len(written) == 1


def test_a_query_has_the_same_samples_wherever_it_stands() -> None:
    random = np.random.default_rng(2)
    lists: Any = [{f"q{n}": random.permutation(D).tolist() for n in range(5)} for _ in range(2)]
    options: Any = {"prior": 0.3, "unseen": "nothing"}
    whole = medir.expect(lists[0], lists[1], MEASURES[:3], **options)
    alone = medir.expect({"q3": lists[0]["q3"]}, {"q3": lists[1]["q3"]}, MEASURES[:3], **options)
    for measure in whole.measures:
        assert alone.row(0, measure) == whole.row(3, measure)


def test_unseen_ranks_have_the_samples_of_documents_there() -> None:
    before, after = D[:15], D[29:14:-1]
    k = 25
    filled_lists: Any = [
        {"q": [*some, *(f"{side}{rank}" for rank in range(len(some) + 1, k + 1))]}
        for some, side in ((before, "b"), (after, "a"))
    ]
    unseen = medir.expect({"q": before}, {"q": after}, f"ERR@{k}", prior="rank", unseen="anything")
    seen = medir.expect(filled_lists[0], filled_lists[1], f"ERR@{k}", prior="rank")
    assert unseen.row(0).quantiles == seen.row(0).quantiles
    assert unseen.row(0).helps == seen.row(0).helps


def test_what_cannot_be_sampled_is_an_error() -> None:
    with pytest.raises(UsageError, match="lengths"):
        medir.expect({"q": ["a"]}, {"q": ["b"]}, "TBG", prior=0.5)


def test_an_ideal_of_nothing_leaves_nothing_to_chance() -> None:
    """Where no judgment is relevant every list scores 0, however many documents are unknown."""
    before, after = {"q": D}, {"q": D[::-1]}
    qrels = {"q": {"other": 0}}
    for name in ("AP(ideal='judged')@30", "nDCG(ideal='judged')@30"):
        row = medir.expect(before, after, name, prior=0.5, qrels=qrels).row(0)
        assert (row.expected, row.sd, row.samples, row.equal) == (0, 0, 0, (1, 0, 1, 1))
