"""Clusters over the runs of TREC-COVID round 5: MED stays a metric."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import medir

EXACT = 1e-12


@pytest.fixture(scope="module")
def runs(data: Path) -> dict[str, str]:
    """Every fourth run: 220 triples in each order."""
    found = sorted((data / "trec-covid-r5" / "runs").iterdir())
    assert len(found) == 48
    return {path.name: str(path) for path in found[::4]}


@pytest.fixture(scope="module")
def clusters(runs: dict[str, str]) -> dict[str, int]:
    """Documents of neighbouring ranks of one list in clusters of one to five, by chance."""
    random = np.random.default_rng(12)
    found: dict[str, int] = {}
    for name in list(runs)[::3]:
        run = medir.Run.of(runs[name])
        for query in run:
            documents = [d for d in run[query][:60] if d not in found]
            for document in documents:
                cluster = len(found) if random.random() < 0.5 else max(found.values(), default=0)
                found[document] = cluster
    return found


@pytest.mark.parametrize("judged", [False, True])
def test_triangle_inequality(
    runs: dict[str, str], clusters: dict[str, int], data: Path, judged: bool
) -> None:
    qrels = str(data / "trec-covid-r5" / "qrels.txt") if judged else None
    measures = ["nDCG@20", "RBP(p=0.9)", "ERR@20", "AP@20"]
    result = medir.matrix(runs, measures, qrels=qrels, clusters=clusters)
    plain = medir.matrix(runs, measures, qrels=qrels)
    size = len(runs)
    for one in result.measures:
        d = result.mean(one)
        assert (d != plain.mean(one)).any()  # the clusters matter
        values = result.values[result.measures.index(one)]
        by_query = np.zeros((size, size, values.shape[1]))
        for pair, (i, j) in enumerate(result.pairs):
            by_query[i, j] = by_query[j, i] = values[pair]
        assert (by_query >= 0).all()
        for j in range(size):  # over all triples, query by query
            assert (by_query <= by_query[:, [j]] + by_query[[j], :] + EXACT).all()


def test_copies_of_a_run_are_no_change(runs: dict[str, str]) -> None:
    """Every document is replaced by a copy of it, or not, by chance."""
    random = np.random.default_rng(3)
    run = medir.Run.of(next(iter(runs.values())))
    before = {query: run[query][:100] for query in run}
    after = {
        query: [f"{d}-copy" if random.random() < 0.5 else d for d in documents]
        for query, documents in before.items()
    }
    clusters = {
        d: d.removesuffix("-copy") for some in (*before.values(), *after.values()) for d in some
    }
    measures = ["nDCG@20", "RBP(p=0.9)@50", "ERR@20", "AP@50"]
    assert medir.compare(before, after, "nDCG@20").column().mean() > 0.3
    result = medir.compare(before, after, measures, clusters=clusters)
    assert not result.values.any()
    assert not result.changes.any()
