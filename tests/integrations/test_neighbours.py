"""Neighbours as the real libraries return them: FAISS, hnswlib, usearch, and ann-benchmarks' HDF5.

What is expected is computed from `{query: [ids]}`, written out of the same arrays by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import medir
from tests.cases.libraries import same
from tests.integrations.packages import needed

MEASURES = ["nDCG@10", "RBP(p=0.8)", "RBO"]
SIZE, DIMENSIONS, QUERIES, K = 2000, 16, 25, 10


@pytest.fixture(scope="module")
def vectors() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of documents and of queries."""
    chance = np.random.default_rng(7)
    return (
        chance.normal(size=(SIZE, DIMENSIONS)).astype(np.float32),
        chance.normal(size=(QUERIES, DIMENSIONS)).astype(np.float32),
    )


def lists(ids: NDArray[Any]) -> dict[str, list[str]]:
    """The rows as texts, up to the padding."""
    return {
        str(number): [str(one) for one in row if one >= 0]
        for number, row in enumerate(ids.astype(np.int64).tolist())
    }


def exact(vectors: Any, k: int = K) -> NDArray[np.int64]:
    """The nearest neighbours, by brute force."""
    documents, queries = vectors
    distances = ((queries[:, None, :] - documents[None, :, :]) ** 2).sum(axis=2)
    return np.argsort(distances, axis=1, kind="stable")[:, :k].astype(np.int64)


def check(before: Any, after: Any, first: NDArray[Any], second: NDArray[Any]) -> None:
    result = medir.compare(before, after, MEASURES)
    same(result, medir.compare(lists(first), lists(second), MEASURES))
    assert 0 < result.column().mean() < 1


def test_faiss(vectors: Any) -> None:
    """A pair of distances and ids; the distances rise, and the order stands."""
    faiss = needed("faiss")
    documents, queries = vectors
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(DIMENSIONS), DIMENSIONS, 32)
    index.train(documents)
    index.add(documents)
    distances, ids = index.search(queries, K)
    assert (np.diff(distances, axis=1) >= 0).all()
    truth = exact(vectors)
    check(truth, (distances, ids), truth, ids)
    check(truth, ids, truth, ids)


def test_faiss_pads_with_minus_one(vectors: Any) -> None:
    """Where the probed cell holds fewer than k vectors."""
    faiss = needed("faiss")
    documents, queries = vectors
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(DIMENSIONS), DIMENSIONS, 400)
    index.train(documents)
    index.add(documents)
    found = index.search(queries, K)
    assert (found[1] == -1).any()
    truth = exact(vectors)
    result = medir.compare(truth, found, MEASURES)
    for number, row in enumerate(found[1].tolist()):
        assert result.lists(str(number))[1] == [str(one) for one in row if one >= 0]


def test_hnswlib(vectors: Any) -> None:
    """A pair of ids, unsigned, and distances."""
    hnswlib = needed("hnswlib")
    documents, queries = vectors
    index = hnswlib.Index(space="l2", dim=DIMENSIONS)
    index.init_index(max_elements=SIZE, ef_construction=20, M=4, random_seed=1)
    index.add_items(documents, num_threads=1)
    index.set_ef(K)
    found = index.knn_query(queries, k=K, num_threads=1)
    assert found[0].dtype == np.uint64
    truth = exact(vectors)
    check(truth, found, truth, found[0])


def test_usearch(vectors: Any) -> None:
    """Its matches, for many queries and for one."""
    index_of = needed("usearch.index")
    documents, queries = vectors
    index = index_of.Index(ndim=DIMENSIONS, metric="l2sq", connectivity=4, expansion_search=10)
    index.add(np.arange(SIZE), documents, threads=1)
    found = index.search(queries, K, threads=1)
    truth = exact(vectors)
    check(truth, found, truth, found.keys)
    one = index.search(queries[0], K)
    assert medir.Run.of(one)["0"] == [str(key) for key in one.keys]


def test_usearch_with_few_vectors(vectors: Any) -> None:
    index_of = needed("usearch.index")
    documents, queries = vectors
    index = index_of.Index(ndim=DIMENSIONS, metric="l2sq")
    index.add(np.arange(3), documents[:3])
    found = index.search(queries, K)
    run = medir.Run.of(found)
    assert [len(run[query]) for query in run] == [3] * QUERIES
    assert sorted(run["0"]) == ["0", "1", "2"]


def test_hdf5(vectors: Any, tmp_path: Path) -> None:
    """A dataset of h5py, as ann-benchmarks writes it."""
    h5py = needed("h5py")
    truth = exact(vectors)
    other = np.roll(truth, 1, axis=1)
    path = tmp_path / "sift.hdf5"
    with h5py.File(path, "w") as file:
        file["neighbors"] = truth.astype(np.int32)
        file["distances"] = np.zeros_like(truth, dtype=np.float32)
    with h5py.File(path) as file:
        check(file["neighbors"], other, truth, other)


def test_hdf5_file(vectors: Any, tmp_path: Path) -> None:
    h5py = needed("h5py")
    truth = exact(vectors)
    other = np.roll(truth, 1, axis=1)
    path = tmp_path / "sift.hdf5"
    with h5py.File(path, "w") as file:
        file["neighbors"] = truth.astype(np.int32)
        file["distances"] = np.zeros_like(truth, dtype=np.float32)
    check(path, other, truth, other)
