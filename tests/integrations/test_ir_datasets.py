"""Rows of ir_datasets: judgments and scored documents, as its own readers make them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases.libraries import Pair, compare, rows, same
from tests.integrations.packages import needed

ir_datasets: Any = needed("ir_datasets")
formats: Any = needed("ir_datasets.formats")


class Stream:
    """A file, as ir_datasets opens it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def stream(self) -> Any:
        return self._path.open("rb")


@pytest.fixture
def dataset(pair: Pair, tmp_path: Path) -> Any:
    """A dataset with the runs' judgments and the run before as its scored documents."""
    before, _, judged = pair.files(tmp_path)
    names = {0: "not relevant", 1: "a little", 2: "relevant", 3: "perfect"}
    return ir_datasets.Dataset(
        formats.TrecQrels(Stream(judged), names), formats.TrecScoredDocs(Stream(before))
    )


def test_judgments(pair: Pair, tmp_path: Path, dataset: Any) -> None:
    expected = pair.expected(tmp_path, judged=True)
    same(compare(pair.before, pair.after, qrels=dataset.qrels_iter()), expected)
    same(compare(pair.before, pair.after, qrels=list(dataset.qrels_iter())), expected)
    same(compare(pair.before, pair.after, qrels=dataset), expected)


def test_scored_documents(pair: Pair, tmp_path: Path, dataset: Any) -> None:
    expected = pair.expected(tmp_path)
    same(compare(dataset.scoreddocs_iter(), pair.after), expected)
    same(compare(dataset, pair.after), expected)


def test_scored_documents_one_by_one(pair: Pair, tmp_path: Path) -> None:
    def documents() -> Iterator[Any]:
        for row in rows(pair.after):
            yield formats.GenericScoredDoc(*row)

    same(compare(pair.before, documents()), pair.expected(tmp_path))


def test_judgments_of_subtopics() -> None:
    some = [formats.TrecSubQrel("q", "a", 1, "1"), formats.TrecSubQrel("q", "a", 2, "2")]
    nested = {"q": {"1": {"a": 1}, "2": {"a": 2}}}
    runs = {"q": ["a"]}, {"q": ["b"]}
    results = [medir.compare(*runs, "ERR_IA@2", qrels=judged) for judged in (some, nested)]
    assert results[0].values.tolist() == results[1].values.tolist()
