"""Runs and judgments of ranx."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import medir
from tests.cases.libraries import Pair, compare, same
from tests.integrations.packages import needed

ranx: Any = needed("ranx")


def test_runs(pair: Pair, tmp_path: Path) -> None:
    same(compare(ranx.Run(pair.before), ranx.Run(pair.after)), pair.expected(tmp_path))


def test_judgments(pair: Pair, tmp_path: Path) -> None:
    result = compare(pair.before, pair.after, qrels=ranx.Qrels(pair.judged))
    same(result, pair.expected(tmp_path, judged=True))


def test_a_run_that_ranx_has_read(pair: Pair, tmp_path: Path) -> None:
    before, after, _ = pair.files(tmp_path)
    some = [ranx.Run.from_file(str(path), kind="trec") for path in (before, after)]
    same(compare(*some), pair.expected(tmp_path))


def test_a_frame_that_ranx_has_made(pair: Pair, tmp_path: Path) -> None:
    frame = ranx.Run(pair.before).to_dataframe()
    assert list(frame.columns) == ["q_id", "doc_id", "score"]
    run = medir.Run.of(frame)
    same(compare(run, pair.after), pair.expected(tmp_path))
