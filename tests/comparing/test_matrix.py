"""All pairs of runs: equal to comparing them one by one, a metric, and how it is written."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import medir
from medir import InputError, UsageError
from tests.cases.runs import UNSEEN, write_run
from tests.oracles.unseen import Rule
from tests.profiles import examples
from tests.shell import medir as shell

EXACT = 1e-12
D = [f"d{i}" for i in range(9)]
OWN = medir.define("any_of_two", lambda c: float(c[:2].any()))
MEASURES: list[Any] = ["nDCG@4", "RBP(p=0.8)", "AP@5", "ERR", "RR", "ERR_IA@3", OWN]
rankings = st.lists(st.sampled_from(D), unique=True, max_size=6)
runs = st.lists(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), rankings), min_size=2,
                max_size=4)  # fmt: skip
judgments = st.none() | st.dictionaries(
    st.sampled_from(["q1", "q2"]), st.dictionaries(st.sampled_from(D), st.integers(0, 2))
)


@examples(120)
@given(runs, judgments, st.sampled_from(UNSEEN), st.none() | st.integers(1, 4))
def test_equals_comparing_one_by_one(
    lists: list[dict[str, list[str]]], qrels: Any, unseen: Any, depth: int | None
) -> None:
    if not any(lists):
        return
    named = {f"run {i}": run for i, run in enumerate(lists)}
    result = medir.matrix(named, MEASURES, qrels=qrels, unseen=unseen, depth=depth)
    for i, j in itertools.product(range(len(lists)), repeat=2):
        one = medir.compare(
            lists[i], lists[j], MEASURES, qrels=qrels, unseen=unseen, depth=depth, threads=1
        )
        pair = result.pairs.index((min(i, j), max(i, j)))
        for number, measure in enumerate(one.measures):
            values = one.column(measure).tolist() if i != j else [0.0] * len(one)
            med = dict(zip(one.queries, values, strict=True))
            found = dict(zip(result.queries, result.values[number, pair].tolist(), strict=True))
            assert {q: v for q, v in found.items() if not math.isnan(v)} == pytest.approx(
                med, abs=EXACT
            )
            if med:
                mean = np.mean(list(med.values()))
                assert result.mean(measure)[i, j] == pytest.approx(mean, abs=EXACT)


by_intent = st.dictionaries(
    st.sampled_from(["i", "j"]),
    st.dictionaries(st.sampled_from(D), st.integers(0, 2), min_size=1),
    min_size=1,
)
same_content = st.none() | st.dictionaries(st.sampled_from(D), st.integers(1, 3), min_size=1)


@examples(150)
@given(
    runs,
    st.none() | st.dictionaries(st.sampled_from(["q1", "q2"]), by_intent),
    st.sampled_from(UNSEEN),
    st.none() | st.integers(1, 4),
    same_content,
)
@example(  # a third run repeats a document: the first two are compared as if it were not there
    [{}, {"q": ["d0", "d1", "d2"]}, {"q": ["d0", "d3"]}], None, "anything", None, {"d0": 1, "d3": 1}
)
@example(  # the first list has a document below the depth, which the second one shows
    [{"q1": ["d0", "d1", "d4", "d6", "d3"]}, {"q1": ["d0", "d2", "d5", "d3"]}],
    None,
    "anything",
    4,
    None,
)
def test_measures_of_intents_are_compared_like_the_others(
    lists: list[dict[str, list[str]]], qrels: Any, unseen: Any, depth: int | None, clusters: Any
) -> None:
    """All pairs of a query together: the bits of comparing them one by one."""
    if not any(lists):
        return
    options: Any = {"unseen": unseen, "depth": depth, "clusters": clusters, "threads": 1}
    chosen = ["ERR_IA", "alpha_nDCG(intents=3)@4", "nDCG@4", "NRBP", "ERR_IA(intents=2)@3"]
    named = {f"run {i}": run for i, run in enumerate(lists)}
    result = medir.matrix(named, chosen, qrels=qrels, **options)
    assert [repr(one) for one in result.measures] == [repr(medir.measure(one)) for one in chosen]
    for pair, (i, j) in enumerate(result.pairs):
        one = medir.compare(lists[i], lists[j], chosen, qrels=qrels, **options)
        for number, measure in enumerate(one.measures):
            values = one.column(measure).tolist() if i != j else [0.0] * len(one)
            found = dict(zip(result.queries, result.values[number, pair].tolist(), strict=True))
            known = {query: value for query, value in found.items() if not math.isnan(value)}
            assert known == dict(zip(one.queries, values, strict=True))


def test_judgments_that_contradict_each_other_for_an_intent(tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q 1 x 0\nq 2 x 1\nq 1 x 2\n")
    named: Any = {"a": {"q": ["x"]}, "b": {"q": ["y"]}}
    with pytest.raises(InputError, match="judged twice for query 'q' and intent '1'"):
        medir.matrix(named, "ERR_IA@2", qrels=qrels)


@examples(60)
@given(st.lists(st.permutations(D[:6]), min_size=3, max_size=5))
def test_is_a_metric(lists: list[list[str]]) -> None:
    """Complete lists: symmetric, 0 on the diagonal, and the triangle inequality."""
    named = {str(i): {"q": ranking} for i, ranking in enumerate(lists)}
    result = medir.matrix(named, ["nDCG@6", "AP@6", "ERR@6"])
    for measure in result.measures:
        d = result.mean(measure)
        assert np.array_equal(d, d.T)
        assert not d.diagonal().any()
        for i, j, k in itertools.product(range(len(lists)), repeat=3):
            assert d[i, k] <= d[i, j] + d[j, k] + 1e-12


def test_against_one_run() -> None:
    named = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}, "c": {"q": ["z", "x"]}}
    result = medir.matrix(named, "P@1", against="b")
    assert result.pairs == ((0, 1), (1, 1), (1, 2))
    mean = result.mean()
    assert mean[1].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(mean[0, 2])


@pytest.mark.parametrize("measure", ["P@4", OWN @ 4])
def test_unseen_ranks_of_equal_lists(measure: Any) -> None:
    """Two equal lists of 1 result may differ in the 3 others, but a run is 0 from itself."""
    named = {"a": {"q": ["x"]}, "b": {"q": ["x"]}}
    apart = medir.compare(named["a"], named["b"], measure).row(0).med
    assert apart == {"P@4": 0.75}.get(measure, 1.0)
    rules: list[Rule] = ["auto", "anything"]
    for unseen in rules:
        found = medir.matrix(named, measure, unseen=unseen)
        assert found.mean().tolist() == [[0.0, apart], [apart, 0.0]]
    assert not medir.matrix(named, measure, unseen="nothing").mean().any()


@pytest.mark.parametrize(
    ("named", "options", "message"),
    [
        ({"a": {"q": ["x"]}}, {}, "two runs or more"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"against": "c"}, "no run 'c'"),
        ({"a": {"q": ["x", "x"]}, "b": {"q": ["x"]}}, {}, "appears twice"),
        (
            {"a": {"q": ["x"]}, "b": {"r": ["x"]}},
            {"missing": "error"},
            "2 queries are not in all runs: q, r",
        ),
        ({"a": {"q": ["x"]}, "b": {"r": ["x"]}}, {"missing": "skip"}, "no query in common"),
        ({"a": {"q": ["x"]}, "b": {"q": ["x"]}}, {"missing": "no"}, "missing must be one of"),
    ],
)
def test_errors(named: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, InputError), match=message):
        medir.matrix(named, **options)


def test_what_some_run_does_not_have() -> None:
    named = {"a": {"q": ["x"], "r": ["y"]}, "b": {"q": ["x"]}, "c": {"q": ["y"], "s": ["z"]}}
    assert medir.matrix(named, "P@1").queries == ["q", "r", "s"]
    assert medir.matrix(named, "P@1", missing="skip").queries == ["q"]
    # a and b: q is equal, r is in one run only, s in neither and does not count
    assert medir.matrix(named, "P@1").mean()[0].tolist() == [0.0, 0.5, 1.0]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    lists = {"a.run": ["x", "y"], "b.run": ["y", "x"], "c.run": ["z", "x"]}
    return [
        str(write_run(tmp_path / name, {"q1": ranking, "q2": ["w"]}))
        for name, ranking in lists.items()
    ]


def test_parquet_equals_csv(files: list[str], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    result = medir.matrix({Path(f).name: f for f in files}, ["P@1", "ERR"])
    result.write(tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").to_pylist() == list(result.rows())


def test_what_is_not_proven_is_said(tmp_path: Path) -> None:
    documents = [f"d{i}" for i in range(40)]
    orders = [documents, documents[::-1], documents[1::2] + documents[::2]]
    runs = {f"run {i}": {"q": order, "r": ["a"]} for i, order in enumerate(orders)}
    one_step = medir.matrix(runs, ["ERR", "ERR_IA@20", "P@5"], effort=1)
    for measure in one_step.measures:
        gaps = [
            medir.compare(runs[a], runs[b], measure, effort=1).column(measure, "gap").max()
            for a, b in itertools.combinations_with_replacement(runs, 2)
        ]
        assert one_step.gap(measure) == pytest.approx(max(gaps), abs=EXACT)
    assert one_step.gap("ERR") > 0
    assert one_step.gap("P@5") == 0
    again = medir.matrix(runs, "ERR", effort=1, checkpoint=tmp_path / "kept")
    resumed = medir.matrix(runs, "ERR", effort=1, checkpoint=tmp_path / "kept")
    assert resumed.gap() == again.gap() == one_step.gap("ERR")
    assert medir.matrix(runs, "ERR").gap() == 0
    paths = [write_run(tmp_path / f"{i}.run", run) for i, run in enumerate(runs.values())]
    cut_short = shell("matrix", *paths, "-m", "ERR", "--effort", "1")
    assert "some values of MED-ERR are not proven and may be up to " in cut_short.out
    assert "proven" not in shell("matrix", *paths, "-m", "ERR").out
