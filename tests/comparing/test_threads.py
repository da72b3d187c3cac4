"""The number of threads changes no bit of any result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.summaries import PASSAGES
from tests.shell import EXAMPLES
from tests.shell import medir as shell

THREADS = 1, 2, 3, 8, 64
REBUILT = EXAMPLES / "rebuilt.run"
WEIGHTED = ("--queries", QUERIES)
MEASURES = ("-m", "nDCG@20", "-m", "AP@20", "-m", "ERR@20", "-m", "RBP(p=0.8)", "-m", "RBO")
COMMANDS: dict[str, tuple[object, ...]] = {
    "compare": ("compare", BEFORE, AFTER, *MEASURES),
    "compare, rows": ("compare", BEFORE, AFTER, *MEASURES, "--qrels", QRELS, "--format", "csv"),
    "compare, weighted": ("compare", BEFORE, AFTER, *WEIGHTED, "--by", "segment"),
    "compare, noise": ("compare", BEFORE, AFTER, "--noise", REBUILT),
    "matrix": ("matrix", BEFORE, AFTER, REBUILT, *MEASURES, "-o", "-"),
    "matrix by query": ("matrix", BEFORE, AFTER, REBUILT, "-m", "AP@20", "--per-query", "-o", "-"),
    "expect": ("expect", BEFORE, AFTER, "--prior", "rank", "-m", "nDCG@20", "-m", "ERR@20",
               "--format", "csv"),
    "documents": ("documents", BEFORE, AFTER, *WEIGHTED, "--format", "csv"),
    "judge": ("judge", BEFORE, AFTER, REBUILT, "--format", "csv"),
    "score": ("score", BEFORE, AFTER, "--qrels", QRELS),
    "score, rows": ("score", BEFORE, AFTER, "--qrels", QRELS, "--format", "csv"),
    "passages": ("passages", *PASSAGES[:2], "--format", "csv"),
    "convert": ("convert", BEFORE, "-o", "-"),
}  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_output(name: str) -> None:
    first, *others = (shell(*COMMANDS[name], "--threads", threads) for threads in THREADS)
    assert first.code == 0
    for other in others:
        assert other == first


def without_threads(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key not in ("options", "settings")}


@pytest.mark.parametrize("command", [("compare", BEFORE, AFTER), ("passages", *PASSAGES[:2])])
def test_the_same_record(command: tuple[object, ...], tmp_path: Path) -> None:
    """Every figure of `--json`, which has all digits."""
    records = []
    for threads in THREADS:
        path = tmp_path / f"{threads}.json"
        assert shell(*command, "--json", path, "--threads", threads).code == 0
        records.append(without_threads(json.loads(path.read_text(encoding="utf-8"))))
    assert all(record == records[0] for record in records)
