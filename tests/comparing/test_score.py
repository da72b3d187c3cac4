"""Scores: against trec_eval's own code, against the definition, and what a result answers."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval
from hypothesis import assume, given
from hypothesis import strategies as st

import medir
from medir import AP, InputError, Judged, MedirError, P, Run, UsageError, nDCG
from medir.comparing.decision.statistics import interval_of_mean
from tests.cases.runs import EXACT, ranked
from tests.profiles import examples

CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
SPELLINGS = ["map", "ndcg", "recip_rank", "success_1", "success_5", "success_10"]
SPELLINGS += [f"{name}_{k}" for name in ("P", "map_cut", "ndcg_cut") for k in CUTOFFS]
FAMILIES = {"map", "ndcg", "recip_rank", "success", "P", "map_cut", "ndcg_cut"}
D = [f"d{i}" for i in range(1, 13)]
queries = st.sampled_from(["q1", "q2", "q3", "q4"])
runs = st.dictionaries(
    queries,
    st.dictionaries(st.sampled_from(D), st.sampled_from([0.0, 0.5, 1.0, 1 / 3]), min_size=1),
    min_size=1,
)
# trec_eval may never end where all grades of a query are negative.
grades = st.dictionaries(st.sampled_from(D), st.integers(-1, 3), min_size=1).filter(
    lambda some: max(some.values()) >= 0
)
judgments = st.dictionaries(queries, grades, min_size=1)

Results = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def theirs(run: Results, qrels: Grades) -> Results:
    """What trec_eval says of a run, with its -c: a missing query scores 0."""
    found = pytrec_eval.RelevanceEvaluator(qrels, FAMILIES).evaluate(run)
    nothing = dict.fromkeys(SPELLINGS, 0.0)
    return {query: dict(found.get(query, nothing)) for query in qrels}


def check_spellings(scores: medir.Scores, run: str, expected: Results) -> None:
    for name in SPELLINGS:
        ours = scores.column(name, run)
        wanted = [expected[query][name] for query in scores.queries]
        np.testing.assert_allclose(ours, wanted, rtol=0, atol=1e-9)
        assert scores.mean(name, run) == pytest.approx(np.mean(wanted), rel=0, abs=1e-9)


# Against trec_eval.


@examples(200)
@given(runs, judgments)
def test_every_spelling_is_trec_evals(run: Results, qrels: Grades) -> None:
    if not run.keys() & qrels.keys():
        with pytest.raises(InputError, match="no query of run 1 is judged"):
            medir.score(run, SPELLINGS, qrels)
        return
    check_spellings(medir.score(run, SPELLINGS, qrels), "run 1", theirs(run, qrels))


def test_every_run_of_the_data_folder(data: Path) -> None:
    """48 runs of TREC-COVID, five that are whole, and trec_eval's own."""
    from tests.comparing.test_trec_eval import grades_in, scores_in

    covid = data / "trec-covid-r5"
    paths = [path for part in ("runs", "deep") for path in sorted((covid / part).glob("*.gz"))]
    assert len(paths) == 53
    qrels = grades_in(covid / "qrels.txt")
    scores = medir.score(paths, SPELLINGS, covid / "qrels.txt")
    for path, name in zip(paths, scores.runs, strict=True):
        check_spellings(scores, name, theirs(scores_in(path), qrels))
    for path in (data / "trec_eval").glob("results.*"):
        judged = data / "trec_eval" / "qrels.test"
        expected = theirs(scores_in(path), grades_in(judged))
        check_spellings(medir.score(path, SPELLINGS, judged), path.name, expected)


# Judged@k.


@examples(200)
@given(ranked(D), st.sets(st.sampled_from(D), min_size=1), st.integers(1, 14))
def test_share_that_is_judged(documents: list[str], judged: set[str], k: int) -> None:
    """Of a list that is shorter than k, the share of what there is, as in ir_measures."""
    first = documents[:k]
    expected = len(judged & set(first)) / len(first) if first else 0.0
    qrels = {"q": dict.fromkeys(judged, 0)}
    assert medir.score({"q": documents}, Judged @ k, qrels)["q"] == expected


@pytest.mark.parametrize(
    "call",
    [
        lambda: medir.compare({"q": ["a"]}, {"q": ["b"]}, Judged),
        lambda: medir.med(["a"], ["b"], "Judged@5"),
        lambda: medir.solve(["a"], ["b"], "Judged@5"),
        lambda: medir.explain(["a"], ["b"], "Judged@5"),
        lambda: medir.judge({"q": ["a"]}, {"q": ["b"]}, measures="Judged@5"),
        lambda: medir.expect({"q": ["a"]}, {"q": ["b"]}, "Judged@5", prior=0.5),
        lambda: medir.matrix({"a": {"q": ["a"]}, "b": {"q": ["b"]}}, "Judged@5"),
    ],
)
def test_what_is_judged_has_no_med(call: Any) -> None:
    with pytest.raises(MedirError, match="use medir score"):
        call()


# Which ideal.


def test_an_ideal_that_is_not_stated_is_judged() -> None:
    """Two relevant documents; the second of three is one of them."""
    run, qrels = {"q": ["x", "a", "y"]}, {"q": {"a": 1, "b": 1}}
    scores = medir.score(run, ["nDCG@3", "AP@3", "P@3", "nDCG(ideal=1)@3"], qrels)
    assert [repr(one) for one in scores.measures] == [
        "nDCG(ideal='judged')@3", "AP(ideal='judged')@3", "P@3", "nDCG(ideal=1)@3"
    ]  # fmt: skip
    second, first = 1 / np.log2(3), 1.0
    assert scores.column("nDCG@3")[0] == pytest.approx(second / (first + second), abs=EXACT)
    assert scores.column("AP@3")[0] == pytest.approx((1 / 2) / 2, abs=EXACT)
    assert scores.column("nDCG(ideal=1)@3")[0] == pytest.approx(second, abs=EXACT)
    stated = medir.score(run, AP(ideal="unbounded") @ 3, qrels)
    assert stated["q"] == pytest.approx((1 / 2) / 3, abs=EXACT)
    assert repr(stated.measures[0]) == "AP(ideal='unbounded')@3"


def test_ideal_of_nothing_scores_0() -> None:
    scores = medir.score({"q": ["a"]}, ["nDCG@3", "map"], {"q": {"a": 0}})
    assert scores.scores.tolist() == [[[0.0], [0.0]]]
    assert "1 query has no relevant judgment: the score is 0 there" in scores.notes()


def test_default_measure_is_as_deep_as_the_lists() -> None:
    qrels = {"q": {"a": 1}}
    assert medir.score({"q": ["a", "b"]}, None, qrels).measures == (nDCG(ideal="judged") @ 2,)
    deep = medir.score({"q": [f"d{i}" for i in range(30)]}, None, {"q": {"d3": 1}})
    assert deep.measures == (nDCG(ideal="judged") @ 20,)


# Which queries.

RUN = {"q1": ["a"], "q2": ["b"], "other": ["a"]}
QRELS = {"q3": {"a": 1}, "q1": {"a": 1}, "q2": {"a": 1}}


def test_a_missing_query_is_an_empty_list() -> None:
    scores = medir.score(RUN, "P@1", QRELS)
    assert list(scores.items()) == [("q3", 0.0), ("q1", 1.0), ("q2", 0.0)]
    assert scores.mean() == pytest.approx(1 / 3)
    assert list(scores.notes()) == [
        "run 1: 1 judged query is not in the run and scored as without results",
        "run 1: 1 query without judgments left out",
    ]


def test_a_missing_query_may_be_left_out() -> None:
    scores = medir.score(RUN, "P@1", QRELS, missing="skip")
    assert dict(scores) == {"q1": 1.0, "q2": 0.0}
    assert (len(scores), scores.mean()) == (2, 0.5)
    assert "q3" not in scores
    assert np.isnan(scores.column()).tolist() == [True, False, False]
    assert [row[1] for row in scores.table().rows] == ["q1", "q2"]
    assert "run 1: 1 judged query is not in the run and left out" in scores.notes()


def test_a_missing_query_may_be_an_error() -> None:
    with pytest.raises(InputError, match="1 judged query is not in run 1: q3"):
        medir.score(RUN, "P@1", QRELS, missing="error")
    assert len(medir.score(RUN | {"q3": []}, "P@1", QRELS, missing="error")) == 3


def test_judgments_of_other_queries() -> None:
    with pytest.raises(InputError, match="no query of run 1 is judged"):
        medir.score({"x": ["a"]}, "P@1", QRELS)
    with pytest.raises(InputError, match="no judgments"):
        medir.score({"x": ["a"]}, "P@1", {})


def test_depth_and_duplicates() -> None:
    run, qrels = {"q": ["a", "a", "b"]}, {"q": {"b": 1}}
    assert medir.score(run, "RR", qrels, duplicates="first")["q"] == 1 / 2
    assert medir.score(run, "RR", qrels, duplicates="first", depth=1)["q"] == 0
    with pytest.raises(InputError):
        medir.score(run, "RR", qrels)


# Several runs and measures.

BEFORE = {f"q{i}": ["a", "b", "c", "d"] for i in range(12)}
AFTER = {f"q{i}": [*["x", "a", "b", "c"][i % 3 :], "y"] for i in range(12)}
JUDGED = {f"q{i}": {"a": 2, "c": 1, "x": i % 2} for i in range(12)}


def test_runs_and_measures() -> None:
    scores = medir.score({"old": BEFORE, "new": AFTER}, ["P@2", "map"], JUDGED)
    assert (scores.runs, len(scores.measures)) == (("old", "new"), 2)
    for run, source in (("old", BEFORE), ("new", AFTER)):
        for one in ("P@2", "map"):
            alone = medir.score(source, one, JUDGED)
            assert scores.only(one, run) == alone
            assert scores.column(one, run).tolist() == list(alone.values())
            assert scores.mean(one, run) == alone.mean()
            assert scores.interval(one, run) == alone.interval()
    rows = list(scores.table().rows)
    assert len(rows) == 2 * 2 * 12
    assert rows[1] == ("old", "q0", "AP(ideal='judged')@all", scores.only("map", "old")["q0"])
    with pytest.raises(UsageError, match="say which run: old, new"):
        scores.mean("P@2")
    with pytest.raises(UsageError, match=r"say which measure: P@2, AP\(ideal='judged'\)@all"):
        scores.column(run="old")
    with pytest.raises(UsageError, match="say which"):
        scores["q0"]
    with pytest.raises(UsageError, match="P@3 was not scored; these were: P@2"):
        scores.mean("P@3", "old")
    with pytest.raises(UsageError, match="there is no run 'x'; these were scored: old, new"):
        scores.mean("P@2", "x")


def test_names_of_runs(tmp_path: Path) -> None:
    one, two = Run.of(BEFORE, name="one"), Run.of(AFTER, name="two")
    assert medir.score([one, two], P @ 1, JUDGED).runs == ("one", "two")
    assert medir.score([BEFORE, AFTER], P @ 1, JUDGED).runs == ("run 1", "run 2")
    with pytest.raises(UsageError, match="two runs are called one; give them names"):
        medir.score([one, one], P @ 1, JUDGED)
    with pytest.raises(UsageError, match="name at least one run"):
        medir.score([], P @ 1, JUDGED)


def test_a_mapping_of_queries() -> None:
    scores = medir.score(BEFORE, P @ 1, JUDGED)
    assert scores == dict.fromkeys(JUDGED, 1.0)
    assert (scores["q3"], scores.get("x"), "q3" in scores) == (1.0, None, True)
    with pytest.raises(KeyError):
        scores["x"]
    assert repr(scores) == "<Scores of 12 queries; run 1 P@1: 1.0000>"


def test_interval() -> None:
    scores = medir.score(AFTER, "P@2", JUDGED)
    expected = interval_of_mean(scores.column(), changed=12, bounds=(0.0, np.inf))
    found = scores.interval()
    assert found == expected
    assert found is not None
    assert 0 <= found.low < scores.mean() < found.high
    few = dict(list(JUDGED.items())[:9])
    assert medir.score(AFTER, "P@2", few).interval() is None


@pytest.mark.parametrize("name", ["x@5", "RBO", "U@500"])
def test_other_measures_are_refused(name: str) -> None:
    with pytest.raises(MedirError):
        medir.score(BEFORE, name, JUDGED)


def test_functions_of_your_own_are_scored() -> None:
    first = medir.define("first", lambda c: c[:1].sum())
    scores = medir.score([BEFORE, AFTER], [first, "P@1"], JUDGED)
    for run in scores.runs:
        assert scores.column(first, run).tolist() == scores.column("P@1", run).tolist()


# The difference of two runs.

MEASURES = ["nDCG@3", "map", "ndcg_cut_5", "RBP", "ERR@4", "P@2", "AP@5"]


@examples(100)
@given(
    st.lists(st.tuples(ranked(D[:6]), ranked(D[:6])), min_size=1, max_size=4),
    st.lists(
        st.dictionaries(st.sampled_from(D[:8]), st.integers(0, 2)), min_size=4, max_size=4
    ).filter(any),
    st.sampled_from(["auto", "anything", "nothing"]),
    st.sampled_from(["empty", "skip"]),
)
def test_difference_lies_where_it_can(
    lists: list[tuple[list[str], list[str]]],
    grades: list[dict[str, int]],
    unseen: Any,
    missing: Any,
) -> None:
    before, after = ({f"q{i}": pair[side] for i, pair in enumerate(lists)} for side in (0, 1))
    before["none"] = []
    qrels = {f"q{i}": some for i, some in enumerate(grades) if some} | {"none": {"a": 1}}
    assume(any(query in after for query in qrels))
    scores = medir.score([before, after], MEASURES, qrels, unseen=unseen, missing=missing)
    for one in scores.measures:
        found = scores.difference(one)
        both = [query for query in qrels if missing == "empty" or query in {*before} & {*after}]
        assert found.queries == both
        first, second = (scores.only(one, run) for run in scores.runs)
        assert found.change.tolist() == [second[query] - first[query] for query in both]
        assert found.gain is not None
        assert found.loss is not None
        assert (-found.loss <= found.change + EXACT).all()
        assert (found.change <= found.gain + EXACT).all()
        if both:
            assert found.mean() == pytest.approx(np.mean(found.change))
            possible = found.possible()
            assert possible is not None
            bounds = [-np.mean(found.loss), np.mean(found.gain)]
            assert list(possible) == pytest.approx(bounds, rel=1e-15, abs=1e-15)
        largest = [abs(found.change[i]) for i in found.most_changed(3)]
        assert all(a >= b > 0 for a, b in pairwise([*largest, 1e-300]))


def test_bounds_are_those_of_a_comparison() -> None:
    """The same queries, ideal and highest grade."""
    scores = medir.score([BEFORE, AFTER], MEASURES, JUDGED)
    result = medir.compare(BEFORE, AFTER, list(scores.measures), qrels=JUDGED)
    for one in scores.measures:
        found = scores.difference(one)
        assert found.queries == result.queries
        assert found.gain is not None
        assert found.loss is not None
        assert found.gain.tolist() == result.column(one, "gain").tolist()
        assert found.loss.tolist() == result.column(one, "loss").tolist()


def test_with_all_judged_nothing_is_left_open() -> None:
    full = {query: dict.fromkeys("abcdxy", 0) | grades for query, grades in JUDGED.items()}
    scores = medir.score([BEFORE, AFTER], MEASURES, full, unseen="nothing")
    for one in scores.measures:
        found = scores.difference(one)
        assert found.possible() == pytest.approx((found.mean(), found.mean()), abs=EXACT)
        assert found.interval() == interval_of_mean(
            found.change, changed=int(np.count_nonzero(found.change))
        )


def test_a_query_of_ideal_0_changes_nothing() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 0}}
    lists = {"q1": ["a"], "q2": ["a"]}, {"q1": ["b"], "q2": ["b"]}
    found = medir.score(lists, "nDCG@1", qrels).difference()
    assert found.change.tolist() == [-1.0, 0.0]
    assert found.gain is not None
    assert found.gain.tolist()[1] == 0


def test_difference_needs_two_runs() -> None:
    with pytest.raises(UsageError, match="a difference needs two runs, not 1"):
        medir.score(BEFORE, "P@1", JUDGED).difference()
    assert medir.score([BEFORE, AFTER], Judged, JUDGED).difference().possible() is None
