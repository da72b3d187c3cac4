"""The runs of TREC Genomics 2007."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import Passages, compare_passages
from tests.cases.passages import LARGEST
from tests.oracles import passages as oracle
from tests.oracles.passages import World
from tests.oracles.unseen import were_cut
from tests.shell import ROOT


@pytest.fixture(scope="module")
def genomics(data: Path) -> dict[str, Passages]:
    """The runs of TREC Genomics 2007."""
    folder = data / "genomics07" / "runs"
    return {path.name.removesuffix(".gz"): Passages.read(path) for path in sorted(folder.iterdir())}


def test_runs_of_one_laboratory_are_closer(genomics: dict[str, Passages]) -> None:
    """As the paper found on the HARD track: Figure 4 and the text on it."""
    found = medir.passage_matrix(genomics)
    assert (len(found.names), len(found.queries)) == (6, 36)
    mean = found.mean()
    york = [name.startswith("york") for name in found.names]
    same = [mean[i, j] for i, j in found.pairs if i != j and york[i] and york[j]]
    other = [mean[i, j] for i, j in found.pairs if york[i] != york[j]]
    assert (len(same), len(other)) == (10, 5)
    assert max(found.values.max(), 0) == LARGEST
    assert not mean.diagonal().any()
    assert sum(same) / 10 < sum(other) / 5


def test_the_documented_values(genomics: dict[str, Passages], data: Path) -> None:
    """The table of docs/passages.md: MED, MED with gold, and the true difference of each pair."""
    gold = Passages.read(data / "genomics07" / "gold.tsv", layout="gold")
    page = (ROOT / "docs" / "passages.md").read_text(encoding="utf-8")
    pattern = r"^\| (\S+), (\S+) \| ([\d,.]+) \| ([\d,.]+) \| ([\d,.]+) \|$"
    table = re.findall(pattern, page, flags=re.MULTILINE)
    assert len(table) == 15
    closed: Any = {"gold": gold, "unjudged_documents": "not-relevant", "unseen": "nothing"}
    found = [medir.passage_matrix(genomics, **how).mean() for how in ({}, {"gold": gold}, closed)]
    names = [name.replace("york07-ga-0", "york-").partition("-lucene")[0] for name in genomics]
    for a, b, *values in table:
        means = [matrix[names.index(a), names.index(b)] for matrix in found]
        assert [f"{mean:,.1f}" for mean in means] == values


def test_real_runs_against_the_definition(genomics: dict[str, Passages], data: Path) -> None:
    """Two pairs of runs over all topics, character by character, with and without gold."""
    gold = Passages.read(data / "genomics07" / "gold.tsv", layout="gold")
    assert sum(len(gold[query]) for query in gold) == 4492
    names = ["york07-ga-01", "york07-ga-02", "popat-lucene-checkbook"]
    weight = oracle.linear(12_000)
    for a, b in pairwise(names):
        for judged in (None, gold):
            result = compare_passages(genomics[a], genomics[b], gold=judged)
            for row in list(result)[::4]:
                world = World()
                if judged is not None:
                    known: dict[str, list[tuple[int, int]]] = {}
                    for p in gold[row.query_id]:
                        known.setdefault(p.document, []).append((p.offset, p.length))
                    world = World(known)
                before, after = (
                    [(p.document, p.offset, p.length) for p in genomics[name][row.query_id]][:60]
                    for name in (a, b)
                )
                expected = oracle.most(after, before, weight, world)
                assert row.gain == pytest.approx(expected, abs=1e-8)


def test_every_run_and_itself(genomics: dict[str, Passages]) -> None:
    """0 where trailtexts that were cut reach l; the others ended."""
    chance = random.Random(5)
    for run in genomics.values():
        lists = {q: [(one.document, one.offset, one.length) for one in run[q]] for q in run}
        thinned = {q: [one for one in some if chance.random() >= 0.1] for q, some in lists.items()}
        for passages in (lists, {q: some[:10] for q, some in lists.items()}, thinned):
            was_cut = were_cut(passages, length=len)
            ends = [sum(p[2] for p in some) for q, some in passages.items() if was_cut[q]]
            deepest = min(ends, default=12_000)
            measures = [f"U@{k}" for k in sorted({1, 500, min(deepest, 12_000), deepest})]
            result = compare_passages(passages, passages, measures)
            assert not result.values.any()
            square = medir.passage_matrix({"a": passages, "b": passages}, measures)
            assert not square.values.any()
            assert not square.notes[:, :3].any()
            by_default = compare_passages(passages, passages)
            short = [was_cut[q] and sum(p[2] for p in passages[q]) < 12_000 for q in passages]
            assert (by_default.column() > 0).tolist() == short
