"""Files of arrays: `.npy`, `.npz`, `.hdf5` of ann-benchmarks and `.ibin` of BigANN."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from io import BytesIO
from typing import Any, TypeVar
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError, MissingExtraError
from medir.files.opening import opened_plain
from medir.inputs.formats.arrays import array_run
from medir.inputs.formats.contents.recognition import File, Kind
from medir.inputs.formats.source import Reading, Taken

T = TypeVar("T")

# What the array of ids is called where a file holds several.
NAMES = ("neighbors", "neighbours", "ids", "I", "indices", "labels", "doc_ids")
HEADER = 8  # bytes of .ibin: two numbers of 32 bits


def array_file(file: File, kind: Kind, reading: Reading) -> Taken[_core.Lists]:
    """A run of neighbours, in rank order."""
    with opened_plain(file.name) if file.data is None else nullcontext():
        label, array = READERS[kind](file, reading)  # reads it: what numpy maps may end the process
    lists = array_run(array, reading, file.name)
    queries, width = array.shape
    words = f"{label}: {queries:,} x {width:,} {array.dtype} ids, in rank order"
    return Taken(lists, file.name, file.origin, words)


def _npy(file: File, reading: Reading) -> tuple[str, NDArray[Any]]:
    array = _loaded(file)
    _check(array.shape, file.name)
    return ".npy", array


def _npz(file: File, reading: Reading) -> tuple[str, NDArray[Any]]:
    with _zip(file), _loaded(file) as arrays:
        name = _chosen(arrays.files, reading.columns, file.name)
        array = _read(file, lambda: np.asarray(arrays[name]))
    _check(array.shape, file.name)
    return f".npz, array {name}", array


def _zip(file: File) -> ZipFile:
    """The archive, in which numpy keeps one .npy file per array."""
    try:
        archive = ZipFile(file.name if file.data is None else BytesIO(file.data))
    except BadZipFile:
        problem = "the zip archive is truncated or damaged"
        raise InputError(problem, file.name, remedy="Fetch or save the file again.") from None
    if not all(name.endswith(".npy") for name in archive.namelist()):
        raise InputError(
            "is a zip archive that numpy did not write",
            file.name,
            remedy="Unpack it, or compress the run with gzip, bzip2, xz or zstd.",
        )
    return archive


def _loaded(file: File) -> Any:
    """What numpy finds: an array, or arrays by name."""
    source = file.name if file.data is None else BytesIO(file.data)
    return _read(file, lambda: np.load(source, allow_pickle=False))


def _read(file: File, read: Callable[[], T]) -> T:
    """What numpy reads. Headers are Python: where one is damaged, any error may come."""
    try:
        return read()
    except MemoryError:
        raise InputError("there is not enough memory to read it", file.name) from None
    except Exception as error:
        first = next(iter(str(error).splitlines()), type(error).__name__)
        raise InputError(
            f"cannot be read by numpy: {first}",
            file.name,
            remedy="Save a 2-D array of integer ids with numpy.save.",
        ) from None


def _hdf5(file: File, reading: Reading) -> tuple[str, NDArray[Any]]:
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("h5py", "arrays", "reading HDF5") from None
    try:
        with h5py.File(file.name if file.data is None else BytesIO(file.data), "r") as arrays:
            sets = [one for one in arrays if isinstance(arrays[one], h5py.Dataset)]
            name = _chosen(sets, reading.columns, file.name)
            _check(arrays[name].shape, file.name)
            return f"HDF5, dataset {name}", np.asarray(arrays[name])
    except OSError as error:
        raise InputError(f"cannot be read as HDF5: {error}", file.name) from None


def _ibin(file: File, reading: Reading) -> tuple[str, NDArray[Any]]:
    """The numbers of queries and of neighbours, then the neighbours: all of 32 bits."""
    if file.size >= HEADER:
        queries, width = np.frombuffer(file.start, dtype="<u4", count=2).tolist()
        if file.size == HEADER + 4 * queries * width:
            if file.data is None:
                array = np.fromfile(file.name, dtype="<i4", count=queries * width, offset=HEADER)
            else:
                array = np.frombuffer(file.data, dtype="<i4", offset=HEADER)
            if array.size == queries * width:
                return ".ibin", array.reshape(queries, width)
        problem = (
            f"its header says {queries:,} x {width:,} ids, {HEADER + 4 * queries * width:,} bytes, "
            f"and there are {file.size:,} bytes"
        )
    else:
        problem = f"has {file.size} bytes, less than a header"
    raise InputError(
        problem,
        file.name,
        remedy="An .ibin file holds the numbers of queries and neighbours, then the neighbours: "
        "integers of 32 bits. Other files need another name.",
    )


READERS = {"npy": _npy, "npz": _npz, "HDF5": _hdf5, "ibin": _ibin}


def _chosen(present: list[str], given: Mapping[str, str] | None, name: str) -> str:
    """The name of the array of ids: as the caller says, by a usual name, or the only one."""
    listed = ", ".join(present) or "none"
    if stated := (given or {}).get("doc_ids"):
        if stated in present:
            return stated
        raise InputError(
            f"there is no array {stated!r} among the arrays {listed}",
            name,
            remedy="It was named for doc_ids.",
        )
    usual = [one for one in NAMES if one in present]
    if len(usual) == 1 or len(present) == 1:
        return (usual or present)[0]
    problem = "there is no array of ids" if not usual else f"{' and '.join(usual)} may hold the ids"
    raise InputError(
        f"{problem} among the arrays {listed}",
        name,
        remedy=f"Name it {NAMES[0]}, or say which it is: columns={{'doc_ids': ...}} or --columns "
        "doc_ids=...",
    )


def _check(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise InputError(
            f"the array has {len(shape)} dimensions ({' x '.join(map(str, shape))})",
            name,
            remedy="Give an array of queries x k ids, in rank order.",
        )
