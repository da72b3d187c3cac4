"""The example that tunes an index of FAISS, and the page that shows what it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import medir
from tests.integrations.packages import needed
from tests.shell import EXAMPLES

PAGE = EXAMPLES.parent / "docs" / "index-tuning.md"
SIZE, QUERIES, CELLS, K = 3_000, 60, 150, 10
Found = dict[str, tuple[NDArray[Any], NDArray[Any]]]


@pytest.fixture(scope="module")
def tuning() -> Any:
    """The example, as a module."""
    needed("faiss")
    spec = spec_from_file_location("index_tuning", EXAMPLES / "index_tuning.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def data(tuning: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Documents and queries."""
    documents, queries = tuning.vectors(SIZE, QUERIES)
    return documents, queries


@pytest.fixture(scope="module")
def truth(data: tuple[NDArray[Any], NDArray[Any]]) -> NDArray[np.int64]:
    """The nearest neighbours, by numpy alone, in double precision."""
    documents, queries = (some.astype(np.float64) for some in data)
    distances = ((queries[:, None, :] - documents[None, :, :]) ** 2).sum(axis=2)
    return np.argsort(distances, axis=1, kind="stable")[:, :K]


@pytest.fixture(scope="module")
def found(tuning: Any, data: Any) -> Found:
    """What every setting finds."""
    documents, queries = data
    return {
        f"{family} {setting}": index.search(queries, K)
        for family, setting, index in tuning.settings(documents, CELLS)
    }


@pytest.fixture(scope="module")
def rows(tuning: Any, data: Any) -> dict[str, Any]:
    """What the example says of every setting."""
    return {f"{row.family} {row.setting}": row for row in tuning.measured(*data, CELLS)}


def as_text(row: NDArray[Any]) -> list[str]:
    """The ids of a row, up to the padding, as texts."""
    return [str(one) for one in row.tolist() if one != -1]


def recall_by_sets(truth: NDArray[Any], found: NDArray[Any]) -> list[float]:
    return [
        len(set(near) & set(row)) / len(near)
        for near, row in zip(truth.tolist(), found.tolist(), strict=True)
    ]


def test_the_exact_index_finds_the_neighbours(tuning: Any, data: Any, truth: Any) -> None:
    documents, queries = data
    exact = tuning.built("Flat", documents).search(queries, K)
    assert exact[1].dtype == np.int64
    assert (exact[1] == truth).all()
    for before, after in [(exact, exact), (exact, truth), (truth, exact[::-1])]:
        result = medir.compare(before, after, "nDCG@10")
        assert (result.column() == 0).all()
        assert not result.changed().any()


def test_every_query_has_the_value_of_its_lists(truth: Any, found: Found) -> None:
    """As `medir.med` of two lists of text, which have ended or were cut as the rows say."""
    for setting, pair in found.items():
        med = medir.compare(truth, pair, "nDCG@10").column()
        for query in sorted({*range(0, QUERIES, 7), *np.flatnonzero(pair[1][:, -1] == -1)}):
            before, after = as_text(truth[query]), as_text(pair[1][query])
            assert med[query] == medir.med(before, after, "nDCG@10"), (setting, query)


def test_rows_of_the_table(truth: Any, found: Found, rows: dict[str, Any]) -> None:
    assert rows.keys() == found.keys()
    for setting, row in rows.items():
        ids = found[setting][1]
        lists = [(as_text(truth[query]), as_text(ids[query])) for query in range(QUERIES)]
        med = [medir.med(*pair, "nDCG@10") for pair in lists]
        assert row.recall == pytest.approx(np.mean(recall_by_sets(truth, ids)), abs=1e-12)
        assert row.med == pytest.approx(np.mean(med), abs=1e-12)
        assert row.serious == pytest.approx(np.mean([value > 0.1 for value in med]), abs=1e-12)
        assert row.worst == pytest.approx(max(med), abs=1e-12)
        assert row.same == pytest.approx(np.mean([a == b for a, b in lists]), abs=1e-12)
        assert row.padded == sum(len(after) < K for _, after in lists)
        assert row.microseconds > 0
    assert rows["IVF, nprobe 1"].padded > 0


def test_what_must_hold_of_any_setting(tuning: Any, truth: Any, found: Found) -> None:
    """The same list has MED 0, another has not; where everything is missed, it is 1."""
    for _, ids in found.values():
        med = medir.compare(truth, ids, "nDCG@10").column()
        same = (truth == ids).all(axis=1)
        recall = tuning.recall(truth, ids)
        assert (med[same] == 0).all()
        assert (recall[same] == 1).all()
        assert (med[~same] > 0).all()
        assert med[recall == 0] == pytest.approx(1)


def test_reranking_the_same_documents_never_loses(truth: Any, found: Found, rows: Any) -> None:
    """Of lists with the same documents, the one in the order of the exact distances is closest.

    So recall stays as it is, and the documents of both lists are in the same order.
    """
    plain, ranked = found["PQ, bytes 16"][1], found["PQ 16, re-ranked 10"][1]
    assert (np.sort(plain, axis=1) == np.sort(ranked, axis=1)).all()
    assert rows["PQ, bytes 16"].recall == rows["PQ 16, re-ranked 10"].recall
    for near, row in zip(truth.tolist(), ranked.tolist(), strict=True):
        assert [one for one in near if one in row] == [one for one in row if one in near]
    assert (plain != ranked).any()


def test_more_effort_finds_no_less(tuning: Any, truth: Any, found: Found) -> None:
    """IVF with more cells searches a superset of vectors, with exact distances."""
    recalls = [tuning.recall(truth, found[f"IVF, nprobe {n}"][1]) for n in (1, 2, 4, 8, 16, 32)]
    for less, more in pairwise(recalls):
        assert (more >= less).all()


def test_k_above_the_number_of_documents(tuning: Any, data: Any) -> None:
    """FAISS fills the rows with -1; the lists end, in `compare` and in its notes."""
    documents, queries = data
    few = tuning.built("Flat", documents[:7]).search(queries, K)
    many = tuning.built("Flat", documents[:20]).search(queries, K)
    assert (few[1][:, 7:] == -1).all()
    result = medir.compare(few, many, "nDCG@10")
    assert result.lists("0") == (as_text(few[1][0]), as_text(many[1][0]))
    assert (
        f"before: 10 results were asked for; 0 lists have as many and count as cut, {QUERIES} "
        "lists are shorter and count as ended" in list(result.notes())
    )
    same = medir.compare(few, few, "nDCG@20")
    assert (same.column() == 0).all()


def numbers(line: str) -> tuple[str, list[float]]:
    """A row of the page's table: the setting, and its numbers without the time."""
    name, *cells = [cell.strip() for cell in line.strip("| \n").split("|")]
    return name, [float(re.sub(r"%$", "e-2", cell)) for cell in cells[:-1]]


def table_of_the_page() -> Iterator[tuple[str, list[float]]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("| Setting |"))
    for line in lines[start + 2 :]:
        if not line:
            return
        yield numbers(line)


def test_labels_of_the_picture(tuning: Any) -> None:
    """In the picture of the page's table, no label covers another or leaves its axes."""
    rows = []
    for name, values in table_of_the_page():
        family, _, setting = name.rpartition(" ")
        rows.append(tuning.Row(family, setting, *values, 0))
    figure = tuning.draw(rows)
    figure.draw_without_rendering()
    for axes in figure.axes:
        labels = [one for one in axes.texts if one.get_text()]
        assert [one.get_text() for one in labels] == [row.setting for row in rows]
        boxes = [label.get_window_extent() for label in labels]
        for one, other in combinations(boxes, 2):
            assert not one.overlaps(other)
        for box in boxes:
            assert axes.bbox.x0 < box.x0 < box.x1 < axes.bbox.x1
            assert axes.bbox.y0 < box.y0 < box.y1 < axes.bbox.y1


@pytest.mark.slow
def test_the_table_of_the_page(tuning: Any) -> None:
    """Other processors find other clusters; single queries move, means hardly."""
    shown = dict(table_of_the_page())
    assert tuning.HEAD in PAGE.read_text(encoding="utf-8")
    rows = [numbers(tuning.line(row)) for row in tuning.measured(*tuning.vectors(30_000, 1_000))]
    assert [name for name, _ in rows] == list(shown)
    for name, (recall, med, serious, _, same, *_) in rows:
        expected = shown[name]
        assert recall == pytest.approx(expected[0], abs=0.02), name
        assert med == pytest.approx(expected[1], abs=0.02), name
        assert [serious, same] == pytest.approx([expected[2], expected[4]], abs=0.05), name
