"""A run and itself: 0 on every query, by default and with every cutoff within the lists."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import medir
from tests.cases.examples import AFTER, BEFORE, QRELS
from tests.cases.runs import EXACT
from tests.cases.unseen import WORDS, Lists, Runs, runs
from tests.oracles.unseen import were_cut
from tests.profiles import examples
from tests.shell import EXAMPLES

FAMILIES = ["nDCG", "P", "SDCG", "AP", "ERR", "RR", "Success", "alpha_nDCG", "TBG"]
OWN = medir.define("mean_of_same_run", lambda c: float(c.mean()))


def cut(run: medir.Run | Lists, depth: int) -> Lists:
    """Every list down to a rank."""
    return {query: run[query][:depth] for query in run}


def thinned(run: medir.Run | Lists, seed: int) -> Lists:
    """A tenth of all results are dropped, wherever they stand, and a tenth of the lists."""
    chance = random.Random(seed)
    return {
        query: [d for d in run[query] if chance.random() >= 0.1] if chance.random() >= 0.1 else []
        for query in run
    }


def variants(run: medir.Run) -> Iterator[tuple[str, Any]]:
    """A run whole, cut at 10, with results dropped at random, and both."""
    yield "whole", run
    yield "cut at 10", cut(run, 10)
    yield "thinned", thinned(run, 1)
    yield "cut and thinned", thinned(cut(run, 10), 2)
    yield "thinned and cut", cut(thinned(run, 3), 10)


def check(run: Any, judged: Any = None, measures: Any = None) -> None:
    """Compare, matrix, expect and judge, under the default measure or others."""
    known: dict[str, Any] = {"qrels": judged}
    result = medir.compare(run, run, measures, **known)
    for name in ("med", "gain", "loss", "lower", "gap", "unseen"):
        assert not any(result.column(one, name).any() for one in result.measures)
    assert not result.changes.any()
    assert not any(result.unseen_queries)
    square = medir.matrix({"a": run, "b": run}, measures, **known)
    assert not np.nan_to_num(square.values).any()
    assert not square.notes[:, :3].any()
    expected = medir.expect(run, run, measures, prior="rank", samples=100, **known)
    assert not any(expected.column(one).any() for one in expected.measures)
    assert not any(expected.column(one, "sd").any() for one in expected.measures)
    for one in result.measures if measures is not None else [None]:
        if one is None or not (one.shape.by_intent or one.shape.is_function):
            assert medir.judge(run, run, measures=one, **known) == []


def cutoffs(run: Any) -> list[int]:
    """Some cutoffs within the lists that were cut, which are the longest; the deepest, too."""
    deepest = max((len(run[query]) for query in run), default=0)
    return sorted({k for k in (1, 2, 5, 9, 10, deepest // 2, deepest) if 0 < k <= deepest})


@examples(150)
@given(runs())
def test_generated_runs(case: Runs) -> None:
    for run in (case.before, case.after):
        once = {query: list(dict.fromkeys(some)) for query, some in run.items()}
        check(once, case.qrels or None)
        for k in cutoffs(once):
            check(once, case.qrels or None, [f"{name}@{k}" for name in FAMILIES[:7]] + [OWN @ k])


@examples(80)
@given(runs())
def test_measures_of_intents_and_of_time(case: Runs) -> None:
    once = {query: list(dict.fromkeys(some)) for query, some in case.before.items()}
    for k in cutoffs(once):
        named = {"a": once, "b": once}
        for one in (f"ERR_IA(intents=2)@{k}", f"alpha_nDCG@{k}", f"TBG@{k}"):
            lengths = WORDS if one.startswith("TBG") else None
            found = medir.compare(once, once, one, lengths=lengths)
            assert not found.values[:, :3].any()
            assert not medir.matrix(named, one, lengths=lengths).mean().any()


@examples(60)
@given(runs(rules=["auto"]))
def test_lists_that_ended_are_0_under_every_measure(case: Runs) -> None:
    """However deep it looks."""
    once = {query: list(dict.fromkeys(some)) for query, some in case.before.items()}
    result = medir.compare(once, once, ["nDCG@99", "RBP", "ERR", "AP@50"])
    was_cut = were_cut(once)
    for row in result:
        if not was_cut[row.query_id]:
            assert (row.med, row.gain, row.loss, row.unseen) == (0, 0, 0, 0)
        else:
            assert row.med == pytest.approx(row.unseen, abs=EXACT) != 0


@pytest.mark.parametrize("path", [BEFORE, AFTER], ids=lambda path: path.stem)
def test_the_examples(path: Any) -> None:
    run = medir.Run.read(path)
    for _, variant in variants(run):
        check(variant)
        check(variant, QRELS)
        for k in cutoffs(variant):
            check(variant, QRELS, [f"nDCG@{k}", f"AP@{k}", f"ERR@{k}"])
    both_files = medir.compare(path, path)
    assert not both_files.values.any()


def deepest_text(passages: medir.Passages) -> int:
    """How far all trailtexts go that were cut; the others ended."""
    was_cut = were_cut({query: passages[query] for query in passages}, length=len)
    sizes = [sum(one.length for one in passages[q]) for q in passages if was_cut[q]]
    return min(sizes, default=1)


@pytest.mark.parametrize("name", ["before.txt", "after.txt"])
def test_passages_of_the_examples(name: str) -> None:
    path = EXAMPLES / "passages" / name
    deepest = deepest_text(medir.Passages.read(path))
    result = medir.compare_passages(path, path, [f"U@{k}" for k in (1, 50, deepest)])
    assert not result.values.any()
    square = medir.passage_matrix({"a": path, "b": path}, f"U@{deepest}")
    assert not square.values.any()


@pytest.mark.parametrize("path", [BEFORE, AFTER], ids=lambda path: path.stem)
def test_what_other_commands_say_of_the_examples(path: Any) -> None:
    """No document gains or loses, no score changes, and no explanation has anything to explain."""
    for name, run in variants(medir.Run.read(path)):
        counts = medir.documents(run, run).counts()
        assert {status for status, number in counts.items() if number} == {"same"}, name
        twice = {"once": run, "again": run}
        scores = medir.score(twice, ["nDCG@10", "map"], QRELS)
        for measure in scores.measures:
            difference = scores.difference(measure)
            assert not difference.change.any(), name
        query = next(iter(run))
        assert medir.explain(run, run, query=query).solution.med == 0, name
