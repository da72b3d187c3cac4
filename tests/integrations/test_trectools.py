"""Runs and judgments of trectools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cases.libraries import Pair, compare, same
from tests.integrations.packages import needed

trectools: Any = needed("trectools")


def test_runs(pair: Pair, tmp_path: Path) -> None:
    before, after, _ = pair.files(tmp_path)
    result = compare(trectools.TrecRun(str(before)), trectools.TrecRun(str(after)))
    same(result, pair.expected(tmp_path))


def test_judgments(pair: Pair, tmp_path: Path) -> None:
    _, _, judged = pair.files(tmp_path)
    result = compare(pair.before, pair.after, qrels=trectools.TrecQrel(str(judged)))
    same(result, pair.expected(tmp_path, judged=True))


def test_order_by_rank(pair: Pair, tmp_path: Path) -> None:
    before, after, _ = pair.files(tmp_path)
    some = trectools.TrecRun(str(before)), trectools.TrecRun(str(after))
    same(compare(*some, order="rank"), pair.expected(tmp_path, order="rank"))
