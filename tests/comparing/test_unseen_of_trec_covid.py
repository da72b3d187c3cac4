"""Unseen ranks on the runs of TREC-COVID round 5: a run and itself, and the triangle inequality."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from tests.cases.unseen import Lists
from tests.comparing.test_same_run import check, cut, cutoffs, variants

DEPTHS = (10, 12, None)


@pytest.fixture(scope="module")
def covid(data: Path) -> dict[str, medir.Run]:
    """The runs, and the deep ones."""
    folder = data / "trec-covid-r5"
    paths = [*sorted((folder / "runs").iterdir()), *sorted((folder / "deep").iterdir())]
    found = {f"{path.parent.name}/{path.name}": medir.Run.read(path) for path in paths}
    assert len(found) == 53
    return found


@pytest.mark.slow
def test_every_run_and_itself(covid: dict[str, medir.Run], data: Path) -> None:
    """Whole, cut at 10, with results dropped at random: 0 on every query."""
    qrels = medir.Qrels.read(data / "trec-covid-r5" / "qrels.txt")
    for run in covid.values():
        for _, variant in variants(run):
            check(variant)
            check(variant, qrels)


@pytest.mark.slow
def test_every_cutoff_within_the_lists(covid: dict[str, medir.Run]) -> None:
    """Each run in one way, under a measure of each shape."""
    for number, run in enumerate(covid.values()):
        _, variant = list(variants(run))[number % 5]
        for k in cutoffs(variant):
            result = medir.compare(variant, variant, [f"{m}@{k}" for m in ("nDCG", "AP", "ERR")])
            assert not result.values.any()
            assert not medir.matrix({"a": variant, "b": variant}, f"nDCG@{k}").notes[:, :3].any()


def shortened(run: Any, seed: int) -> Lists:
    """A tenth of the lists end at some higher rank, or have no results at all."""
    chance = random.Random(seed)
    lists = {query: list(run[query]) for query in run}
    for query in chance.sample(sorted(lists), len(lists) // 10):
        lists[query] = lists[query][: chance.choice([0, chance.randrange(1, 20)])]
    return lists


@pytest.mark.slow
def test_the_triangle_inequality(covid: dict[str, medir.Run]) -> None:
    """For every triple of runs cut at different depths, on every query; one measure for all."""
    runs = {
        f"{name} {depth}": shortened(run if depth is None else cut(run, depth), 100 * number + k)
        for number, (name, run) in enumerate(list(covid.items())[:48])
        for k, depth in enumerate(DEPTHS)
    }
    assert len(runs) == 144
    result = medir.matrix(runs, ["nDCG@20", "RBP", "AP@20", "ERR@20"])
    assert sum(1 for one in result.list_lengths if one.longest == 10) == 48
    assert all(result.unseen_added(one) > 0 for one in result.measures)
    for number, one in enumerate(result.measures):
        assert result.gap(one) == 0
        d = np.zeros((len(runs), len(runs), len(result.queries)))
        for (i, j), values in zip(result.pairs, result.values[number], strict=True):
            d[i, j] = d[j, i] = values
        assert not np.isnan(d).any()
        for j in range(len(runs)):  # over all triples and queries
            assert (d <= d[:, [j]] + d[[j], :] + 1e-12).all(), one


def test_what_unseen_ranks_add(covid: dict[str, medir.Run], data: Path) -> None:
    """One run has 10 to 12 results, a single list 12: nothing cut it, and this is said.

    Were all of its lists to go on unseen, that would add much to MED with judgments, which say
    nothing of these ranks; without judgments, the longer lists have as much to win.
    """
    qrels = data / "trec-covid-r5" / "qrels.txt"
    names = list(covid)[:48:8]
    chance = random.Random(7)
    few = {query: covid[names[0]][query][: chance.randint(10, 11)] for query in covid[names[0]]}
    few["1"] = covid[names[0]]["1"][:12]
    runs: dict[str, Any] = {name: covid[name] for name in names[1:]} | {"few": few}
    found = medir.matrix(runs, "nDCG@20", qrels=qrels)
    (note,) = found.unseen_notes()
    assert note.startswith("few: only one of 50 lists has the greatest length 12, so nothing cut")
    ended = medir.matrix(runs, "nDCG@20", qrels=qrels, unseen="nothing")
    assert found.values.tolist() == ended.values.tolist()
    every = medir.matrix(runs, "nDCG@20", qrels=qrels, unseen="anything")
    added = float((every.values - ended.values).sum()) / (15 * 50)  # 15 pairs of two runs
    assert added > 0.02
    assert every.unseen_added() == pytest.approx(added, abs=1e-12)
    (said,) = every.unseen_notes()
    assert said.startswith(f"unseen ranks add {added:.4f} to the mean of MED-nDCG@20, in ")
    assert medir.matrix(runs, "nDCG@20", unseen="anything").unseen_added() < 0.001
