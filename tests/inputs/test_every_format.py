"""The same runs give the same bits in whatever format they come."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import medir
from medir.files.opening import read_bytes
from tests.cases.every_format import FORMATS, Format, Result, Rows, generated, trec
from tests.integrations.packages import LEFT_OUT

MEASURES = ["nDCG@3", "RBP(p=0.7)", "AP@5", "ERR@4", "RBO(p=0.8)"]
PAIRS = max(10, 1000 * settings().max_examples // 100)  # 1,000 in CI


def same_rows(kind: Format, pair: tuple[Rows, Rows], folder: Path, unseen: Any) -> None:
    """Every number of every row, in the order of the queries in text."""
    options: dict[str, Any] = {"duplicates": "first", "unseen": unseen}
    texts = [trec(rows, folder / f"{i}.run") for i, rows in enumerate(pair)]
    sources = [kind.make(rows, folder / f"{i}.any") for i, rows in enumerate(pair)]
    expected = medir.compare(texts[0], texts[1], MEASURES, **options)
    found = medir.compare(sources[0], sources[1], MEASURES, **options)
    assert sorted(found.queries) == sorted(expected.queries)
    order = [found.position(query) for query in expected.queries]
    assert np.array_equal(found.values[:, :, order], expected.values, equal_nan=True)
    assert np.array_equal(found.changes[:, :, order], expected.changes)
    assert found.repeats == expected.repeats


ELSEWHERE = {"HDF5", *(name for name in FORMATS if "pandas" in name)}  # in `make integrations` too
NAMES = [
    pytest.param(name, marks=[pytest.mark.integration] if name in ELSEWHERE else [])
    for name in FORMATS
]


def needed(name: str) -> Format:
    if name == "HDF5" and find_spec("h5py") is None:
        pytest.skip(LEFT_OUT.format("h5py"))
    return FORMATS[name]


@pytest.mark.parametrize("name", NAMES)
def test_generated_runs(name: str, tmp_path: Path) -> None:
    kind = needed(name)
    for seed in range(PAIRS):
        folder = tmp_path / str(seed)
        folder.mkdir()
        pair = generated(seed, kind.numbers, kind.repeats)
        # An array says how many results were asked for, and text does not.
        rules = ["anything", "nothing"] if kind.numbers else ["auto", "anything"]
        same_rows(kind, pair, folder, rules[seed % 2])


@pytest.mark.parametrize("name", NAMES)
def test_runs_of_trec_covid(name: str, tmp_path: Path, data: Path) -> None:
    kind = needed(name)
    folder = data / "trec-covid-r5"
    names = "covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr"
    paths = [next((folder / "runs").glob(f"{one}*")) for one in names]
    documents: dict[str, str] = {}
    queries: dict[str, str] = {}

    def numbered(known: dict[str, str], one: str, first: int) -> str:
        return known.setdefault(one, str(len(known) + first))

    def rows(path: Path) -> Rows:
        read = []
        for line in read_bytes(str(path))[1].decode().splitlines():
            query, _, document, _, score, _ = line.split()
            if kind.numbers:
                query = numbered(queries, query, 0)
                document = numbered(documents, document, 1)
            read.append(Result(query, document, float(score)))
        return read

    same_rows(kind, (rows(paths[0]), rows(paths[1])), tmp_path, "anything")


def test_1000_pairs_in_ci() -> None:
    if os.environ.get("MEDIR_PROFILE") == "full":
        assert PAIRS == 1000
