"""The matrix of the 48 runs of TREC-COVID round 5: a metric, and equal to comparing two runs."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

import medir

DEPTH = 20


@pytest.fixture(scope="module")
def runs(data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The runs, unpacked."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for packed in sorted((data / "trec-covid-r5" / "runs").iterdir()):
        target = folder / packed.name.removesuffix(".gz")
        target.write_bytes(gzip.decompress(packed.read_bytes()))
        found[target.name] = str(target)
    assert len(found) == 48
    return found


def test_is_a_metric_on_real_runs(runs: dict[str, str]) -> None:
    """Symmetric, 0 on the diagonal where lists are complete, the triangle inequality everywhere."""
    result = medir.matrix(runs, ["nDCG@20", "RBP(p=0.9)"])
    d = result.mean("nDCG@20")
    complete = [min(len(ranking) for ranking in _lists(run)) >= DEPTH for run in runs.values()]
    assert sum(complete) > 40
    assert not d.diagonal()[complete].any()
    for measure in result.measures:
        d = result.mean(measure)
        assert np.array_equal(d, d.T)
        for j in range(len(d)):  # over all triples
            assert (d <= d[:, [j]] + d[[j], :] + 1e-12).all()


def _lists(path: str) -> list[list[str]]:
    run = medir.Run.of(path)
    return [run[query] for query in run]


def test_equals_comparing_two_runs(runs: dict[str, str], data: Path) -> None:
    names = sorted(runs)[::6]
    qrels = str(data / "trec-covid-r5" / "qrels.txt")
    measures = ["nDCG@20", "AP@100", "ERR@20"]
    for judged in (None, qrels):
        result = medir.matrix({name: runs[name] for name in names}, measures, qrels=judged)
        for number, (i, j) in enumerate(result.pairs):
            one = medir.compare(runs[names[i]], runs[names[j]], measures, qrels=judged)
            position = {query: at for at, query in enumerate(result.queries)}
            order = [position[query] for query in one.queries]
            for m, measure in enumerate(one.measures):
                found = result.values[m, number, order]
                assert found.tolist() == pytest.approx(one.column(measure).tolist(), abs=1e-12)
