"""200,000 queries on a cluster, and a cluster that loses an executor meanwhile."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import medir
from tests.cases import clusters
from tests.cases.clusters import same_rows

QUERIES, RESULTS = 200_000, 10
PATIENCE = 240  # seconds


def generated(seed: int, queries: int = QUERIES) -> Any:
    """Long rows of many queries, in no order."""
    random = np.random.default_rng(seed)
    rows = queries * RESULTS
    ids = np.repeat(np.arange(queries), RESULTS)
    documents = (np.arange(rows) % RESULTS) * 3 + random.integers(0, 3, rows)
    scores = random.integers(0, 50, rows).astype(np.float32) / 8
    order = random.permutation(rows)
    return clusters.table(query_id=ids[order], doc_id=documents[order], score=scores[order])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Any]]:
    """Both runs as folders of Parquet, and as tables."""
    import pyarrow.parquet as pq

    found = {}
    for seed, name in enumerate(("before", "after")):
        folder, table = tmp_path_factory.mktemp(name), generated(seed)
        for part in range(4):
            rows = table.num_rows // 4
            pq.write_table(table.slice(part * rows, rows), folder / f"part-{part}.parquet")
        found[name] = folder, table
    return found


def test_many_queries(spark: Any, runs: dict[str, tuple[Path, Any]]) -> None:
    (before, one), (after, other) = runs.values()
    read = spark.read.parquet
    ours = medir.spark.compare(read(str(before)), read(str(after)), ["nDCG@10", "RBO"])
    same_rows(ours, medir.compare(one, other, ["nDCG@10", "RBO"]))


def executors(spark: Any) -> list[int]:
    """The processes of the executors of this cluster.

    They are known by the driver's port: clusters that start in one second share the app's name.
    """
    port = b":" + spark.sparkContext.getConf().get("spark.driver.port").encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if b"--executor-id" not in words:
            continue
        if words[words.index(b"--driver-url") + 1].endswith(port):
            found.append(int(path.parent.name))
    return found


@pytest.mark.posix
def test_a_killed_executor_changes_nothing(spark: Any, runs: dict[str, tuple[Path, Any]]) -> None:
    (before, one), (after, other) = runs.values()
    read = spark.read.parquet
    ours = medir.spark.compare(read(str(before)), read(str(after)), "nDCG@10")
    found: list[Any] = []
    work = Thread(target=lambda: found.append(clusters.in_order(ours)))
    known = executors(spark)
    assert len(known) == 2
    work.start()
    end = time.monotonic() + PATIENCE
    tracker = spark.sparkContext.statusTracker()
    while not _is_in_the_middle(tracker):
        assert work.is_alive()
        assert time.monotonic() < end
        time.sleep(0.02)
    os.kill(known[0], signal.SIGKILL)
    time.sleep(0.1)
    assert work.is_alive(), "the comparison was complete before the executor was killed"
    work.join(PATIENCE)
    assert found, "the comparison did not end"
    theirs = clusters.in_order(medir.compare(one, other, "nDCG@10"))
    assert found[0].equals(theirs)
    assert set(executors(spark)) != set(known)


def _is_in_the_middle(tracker: Any) -> bool:
    """Whether tasks of a stage are done, and others run."""
    stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
    return any(one is not None and one.numCompletedTasks and one.numActiveTasks for one in stages)
