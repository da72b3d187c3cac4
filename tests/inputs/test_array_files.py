"""Files of arrays of neighbours."""

from __future__ import annotations

import gzip
import io
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import medir
from tests.cases.tables import saved

Array = NDArray[Any]
IDS = np.array([[3, 1, 2], [17, -1, -1], [5, 4, -1]], dtype=np.int32)
LISTS = {"0": ["3", "1", "2"], "1": ["17"], "2": ["5", "4"]}


def npy(array: Array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def npz(**arrays: Array) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def ibin(array: Array) -> bytes:
    return struct.pack("<II", *array.shape) + array.astype("<i4").tobytes()


def hdf5(folder: Path, **arrays: Array) -> bytes:
    h5py = pytest.importorskip("h5py")
    path = folder / "arrays"
    with h5py.File(path, "w") as file:
        for name, array in arrays.items():
            file[name] = array
    return path.read_bytes()


DISTANCES = np.zeros((3, 3), dtype=np.float32)
FILES: dict[str, tuple[Callable[[Path], bytes], str]] = {
    ".npy": (lambda _: npy(IDS), ".npy: 3 x 3 int32 ids, in rank order"),
    ".npy of 64 bits": (
        lambda _: npy(IDS.astype(np.int64)),
        ".npy: 3 x 3 int64 ids, in rank order",
    ),
    ".npy in columns": (lambda _: npy(np.asfortranarray(IDS)), ".npy: 3 x 3 int32 ids, in rank"),
    ".npz": (lambda _: npz(any_name=IDS), ".npz, array any_name: 3 x 3 int32 ids, in rank order"),
    ".npz of FAISS": (
        lambda _: npz(D=DISTANCES, I=IDS),
        ".npz, array I: 3 x 3 int32 ids, in rank order",
    ),
    ".ibin": (lambda _: ibin(IDS), ".ibin: 3 x 3 int32 ids, in rank order"),
    ".hdf5": (
        lambda folder: hdf5(folder, distances=DISTANCES, neighbors=IDS, train=DISTANCES),
        "HDF5, dataset neighbors: 3 x 3 int32 ids, in rank order",
    ),
}


@pytest.mark.parametrize("packer", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("kind", FILES)
def test_neighbours(kind: str, packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """Padding ends a list; only .ibin is known by its name."""
    write, words = FILES[kind]
    names = ["truth.ibin"] if kind == ".ibin" else ["truth", "truth.run"]
    for name in names:
        run = medir.Run.read(saved(tmp_path, packer(write(tmp_path)), name))
        assert {query: run[query] for query in run} == LISTS
        assert run.format is not None
        assert run.format.startswith(words)


def test_ids_of_queries_and_padding(tmp_path: Path) -> None:
    path = saved(tmp_path, npy(IDS))
    run = medir.Run.read(path, queries=["a", "b", "c"], pad=2)
    assert {query: run[query] for query in run} == {
        "a": ["3", "1"],
        "b": ["17", "-1", "-1"],
        "c": ["5", "4", "-1"],
    }


def test_a_file_equals_text(tmp_path: Path) -> None:
    path = saved(tmp_path, npy(IDS))
    result = medir.compare(path, LISTS, "nDCG@3")
    assert not result.changed().any()


REFUSED: dict[str, tuple[str, bytes, str]] = {
    "one dimension": (
        "a.npy",
        npy(np.arange(3)),
        ": the array has 1 dimensions (3)\nGive an array of queries x k ids, in rank order.",
    ),
    "fractions": ("a.npy", npy(DISTANCES), ": holds float32 where ids were expected\n"),
    "an array that ends early": ("a.npy", npy(IDS)[:-4], ": cannot be read by numpy: "),
    "objects": (
        "a.npy",
        npy(np.array([[None]], dtype=object)),
        ": cannot be read by numpy: ",
    ),
    "several arrays": (
        "a.npz",
        npz(a=IDS, b=IDS),
        ": there is no array of ids among the arrays a, b\nName it neighbors, or say which it is: "
        "columns={'doc_ids': ...} or --columns doc_ids=...",
    ),
    "two candidates": (
        "a.npz",
        npz(ids=IDS, I=IDS),
        ": ids and I may hold the ids among the arrays ids, I\n",
    ),
    "another zip archive": (
        "a.zip",
        npz(a=IDS).replace(b"a.npy", b"a.txt"),
        ": is a zip archive that numpy did not write\nUnpack it, or compress the run with gzip, bz",
    ),
    "a damaged zip archive": ("a.npz", npz(a=IDS)[:100], ": the zip archive is truncated or dam"),
    ".ibin: too short": (
        "a.ibin",
        ibin(IDS)[:-4],
        ": its header says 3 x 3 ids, 44 bytes, and there are 40 bytes\nAn .ibin file holds",
    ),
    ".ibin: no header": ("a.ibin", b"123", ": has 3 bytes, less than a header\n"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, tmp_path: Path) -> None:
    name, data, message = REFUSED[case]
    path = saved(tmp_path, data, name)
    with pytest.raises(medir.InputError) as caught:
        medir.Run.read(path)
    assert str(caught.value).startswith(f"{path}{message}")


def test_the_caller_says_which_array(tmp_path: Path) -> None:
    path = saved(tmp_path, npz(a=IDS, b=IDS[:, ::-1]))
    assert medir.Run.read(path, columns={"doc_ids": "a"})["0"] == ["3", "1", "2"]
    with pytest.raises(medir.InputError, match="there is no array 'c' among the arrays a, b"):
        medir.Run.read(path, columns={"doc_ids": "c"})


def test_arrays_are_no_judgments(tmp_path: Path) -> None:
    path = saved(tmp_path, npy(IDS))
    with pytest.raises(medir.InputError, match=r"holds an array \(npy\) where judgments were exp"):
        medir.Qrels.of(path)


def test_hdf5_needs_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "h5py", None)
    path = saved(tmp_path, b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(ImportError, match=r"reading HDF5 needs h5py: pip install 'medir\[arrays"):
        medir.Run.read(path)
