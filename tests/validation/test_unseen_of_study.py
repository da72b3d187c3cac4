"""What a study says of unseen ranks, and the measure that it chooses."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import medir
from medir.base.settings import Settings
from medir.validation.computation import compute, sample
from medir.validation.page import page
from tests.cases.studies import Collection, collection, numbers, write_collection
from tests.shell import medir as shell

MAIN = "nDCG(max_grade=2)@20"


def cut_one(lengths: dict[str, int] | int) -> Collection:
    """A collection where one run has few results."""
    given = collection()
    name, run = next(iter(given.runs.items()))
    few = {
        query: documents[: lengths if isinstance(lengths, int) else lengths[query]]
        for query, documents in run.items()
    }
    return Collection({**given.runs, name: few}, given.qrels, given.members)


def test_what_unseen_ranks_add_is_said(tmp_path: Path) -> None:
    """One run was cut at 10: with judgments, its unseen ranks count the more."""
    given = cut_one(10)
    found = numbers(given, tmp_path)
    judged = medir.Qrels.of(given.qrels)
    added = {
        share: medir.matrix(given.runs, MAIN, qrels=sample(judged, share, 0)).unseen_added()
        for share in (25, 75, 100)
    }
    assert 0 < added[25] < added[75] < added[100]
    parts = ", ".join(f"{mean:.4f} with {share} %" for share, mean in added.items())
    note = f"unseen ranks add to MED-nDCG@20: {parts} of the judgments"
    assert note in found.unseen
    (without,) = [one for one in found.unseen if one.startswith("unseen ranks add, in the mean")]
    for name in ("AP@100", "nDCG@100", "RBP(p=0.9)"):
        mean = medir.matrix(given.runs, name).unseen_added()
        assert f"{mean:.4f} to MED-{name}" in without
    assert "MED-nDCG@5" not in without  # all lists go that deep
    text = page(found)
    assert note in text
    assert "Below the lists" in text


def test_lists_of_ten_to_twelve_results_ended(tmp_path: Path) -> None:
    """One list is the longest, so nothing cut the run: the numbers are those of ended lists."""
    chance = random.Random(3)
    lengths = {f"q{i}": chance.choice([10, 11]) for i in range(6)} | {"q2": 12}
    given = cut_one(lengths)
    auto, ended, every = (
        numbers(given, tmp_path, unseen=rule) for rule in ("auto", "nothing", "anything")
    )
    for share in (0, 25, 75, 100):
        assert np.array_equal(auto.med[share], ended.med[share])
        assert auto.with_truth(share).pearson == ended.with_truth(share).pearson
    assert every.med[100].mean() > auto.med[100].mean() + 0.01
    (note,) = [one for one in auto.unseen if "greatest length 12" in one]
    assert note.startswith("north-0: only one of 6 lists has the greatest length 12, so nothing")
    assert not any("to MED-nDCG@20" in one for one in (*auto.unseen, *ended.unseen))
    assert any("to MED-nDCG@20" in one for one in every.unseen)


def test_nothing_is_said_where_nothing_is_unseen(tmp_path: Path) -> None:
    """40 results for every query: what is left to endless measures is a hundredth or less."""
    found = numbers(collection(), tmp_path)
    (note,) = found.unseen
    named = note.removeprefix("unseen ranks add, in the mean over all pairs: ").split(", ")
    assert {one.split(" to MED-")[1] for one in named} == {
        "RBP(p=0.9)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG@100", "AP@100",
    }  # fmt: skip


def test_the_shell_says_it(tmp_path: Path) -> None:
    runs, qrels, groups = write_collection(tmp_path / "in", cut_one(10))
    target = tmp_path / "out"
    done = shell("study", *runs, "--qrels", qrels, "--groups", groups, "-o", target)
    assert done.code == 0
    assert "unseen ranks add to MED-nDCG@20: " in " ".join(done.out.split())


@pytest.mark.parametrize(("depth", "expected"), [(None, 20), (7, 7)])
def test_the_default_measure(tmp_path: Path, depth: int | None, expected: int) -> None:
    """One for all runs: nDCG@20, or as deep as the longest list."""
    given = collection()
    shallow = {name: {q: some[:9] for q, some in run.items()} for name, run in given.runs.items()}
    for runs, k in ((given.runs, expected), (shallow, min(9, expected))):
        known = given.qrels, None, None, 0, tmp_path, None, Settings(depth=depth)
        found = compute(runs, *known)
        assert found.measure == medir.nDCG @ k
        assert found.truth == medir.nDCG(ideal="judged") @ k
        assert found.main in found.distances
