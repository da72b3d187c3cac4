"""The same run in every format that medir takes. A new format joins by one line of FORMATS."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather

COLUMNS = ("query_id", "doc_id", "score")


class Result(NamedTuple):
    """A line of a run."""

    query: str
    document: str
    score: float


Rows = Sequence[Result]


def ranked(rows: Rows) -> dict[str, list[Result]]:
    """The lists in trec_eval's order: score descending in single precision, then id descending."""
    lists: dict[str, list[Result]] = {}
    for row in rows:
        lists.setdefault(row.query, []).append(row)
    for some in lists.values():
        some.sort(key=lambda row: (np.float32(row.score), row.document.encode()), reverse=True)
    return lists


def ids(rows: Rows) -> dict[str, list[str]]:
    """The documents of each query, best first."""
    return {query: [row.document for row in some] for query, some in ranked(rows).items()}


def scores(rows: Rows) -> dict[str, dict[str, float]]:
    """The scores of the documents of each query."""
    return {
        query: {row.document: row.score for row in some} for query, some in ranked(rows).items()
    }


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {name: [row[i] for row in rows] for i, name in enumerate(COLUMNS)}


def list_columns(rows: Rows) -> dict[str, list[Any]]:
    """One row per query."""
    lists = ranked(rows)
    return {
        "query_id": list(lists),
        "doc_ids": [[row.document for row in some] for some in lists.values()],
        "scores": [[row.score for row in some] for some in lists.values()],
    }


def whole(rows: Rows) -> dict[str, list[Any]]:
    """With numbers for ids."""
    return {
        "query_id": [int(row.query) for row in rows],
        "doc_id": [int(row.document) for row in rows],
        "score": [row.score for row in rows],
    }


def array(rows: Rows) -> Any:
    """One row of numbers per query, padded."""
    lists = ids(rows)
    width = max(map(len, lists.values()))
    return np.array([[*map(int, some), *[-1] * (width - len(some))] for some in lists.values()])


def written(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def delimited(rows: Rows, path: Path, delimiter: str) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((row.query, row.document, repr(row.score)) for row in rows)
    return written(path, text.getvalue())


def trec(rows: Rows, path: Path) -> Path:
    return written(path, "".join(f"{q} Q0 {d} 0 {s!r} t\n" for q, d, s in rows))


def marco(rows: Rows, path: Path, scores: bool) -> Path:
    lists = ranked(rows)
    lines = (
        f"{row.query}\t{row.document}\t{rank}" + (f"\t{row.score!r}" if scores else "")
        for some in lists.values()
        for rank, row in enumerate(some, 1)
    )
    return written(path, "\n".join(lines) + "\n")


def json_lines(rows: Rows, path: Path) -> Path:
    lines = (json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in rows)
    return written(path, "\n".join(lines) + "\n")


def json_lists(rows: Rows, path: Path) -> Path:
    table = list_columns(rows)
    lines = (
        json.dumps(dict(zip(table, row, strict=True))) for row in zip(*table.values(), strict=True)
    )
    return written(path, "\n".join(lines) + "\n")


def parquet(rows: Rows, path: Path) -> Path:
    pq.write_table(pa.table(columns(rows)), path, compression="NONE")
    return path


def parts(rows: Rows, path: Path) -> Path:
    """A folder of two files of Parquet."""
    path.mkdir()
    middle = len(rows) // 2
    for number, some in enumerate((rows[:middle], rows[middle:])):
        if some:
            pq.write_table(pa.table(columns(some)), path / f"part-{number}.parquet")
    return path


def ipc(rows: Rows, path: Path) -> Path:
    feather.write_feather(pa.table(columns(rows)), str(path), compression="uncompressed")
    return path


def npy(rows: Rows, path: Path) -> Path:
    with path.open("wb") as file:
        np.save(file, array(rows))
    return path


def npz(rows: Rows, path: Path) -> Path:
    with path.open("wb") as file:
        np.savez(file, neighbors=array(rows))
    return path


def ibin(rows: Rows, path: Path) -> Path:
    neighbours = array(rows).astype(np.int32)
    path = path.with_suffix(".ibin")
    path.write_bytes(np.array(neighbours.shape, dtype=np.uint32).tobytes() + neighbours.tobytes())
    return path


def hdf5(rows: Rows, path: Path) -> Path:
    import h5py

    with h5py.File(path, "w") as file:
        file["neighbors"] = array(rows)
    return path


def duck(rows: Rows, path: Path) -> Any:
    table = pa.table(columns(rows))
    return duckdb.connect().from_arrow(table)


class Format(NamedTuple):
    """How a run is made, and what it cannot hold."""

    make: Callable[[Rows, Path], Any]
    numbers: bool = False  # ids of documents are numbers, those of queries the numbers of rows
    repeats: bool = True  # a document may come twice in a list


FORMATS: dict[str, Format] = {
    "TREC text": Format(trec),
    "dict": Format(lambda rows, _: scores(rows), repeats=False),
    "lists": Format(lambda rows, _: ids(rows)),
    "lists of lists": Format(lambda rows, _: list(ids(rows).values()), numbers=True),
    "pandas": Format(lambda rows, _: pd.DataFrame(columns(rows))),
    "pandas of numbers": Format(lambda rows, _: pd.DataFrame(whole(rows)), numbers=True),
    "pandas of categories": Format(
        lambda rows, _: pd.DataFrame(columns(rows)).astype({"query_id": "category"})
    ),
    "polars": Format(lambda rows, _: pl.DataFrame(columns(rows))),
    "polars, lazy": Format(lambda rows, _: pl.LazyFrame(columns(rows))),
    "polars of numbers": Format(lambda rows, _: pl.DataFrame(whole(rows)), numbers=True),
    "polars of lists": Format(lambda rows, _: pl.DataFrame(list_columns(rows))),
    "pyarrow": Format(lambda rows, _: pa.table(columns(rows))),
    "pyarrow, a batch": Format(lambda rows, _: pa.record_batch(columns(rows))),
    "pyarrow of lists": Format(lambda rows, _: pa.table(list_columns(rows))),
    "DuckDB": Format(duck),
    "numpy": Format(lambda rows, _: array(rows), numbers=True),
    "numpy, 32 bits": Format(lambda rows, _: array(rows).astype(np.int32), numbers=True),
    "Parquet": Format(parquet),
    "Parquet in parts": Format(parts),
    "Arrow IPC": Format(ipc),
    "CSV": Format(lambda rows, path: delimited(rows, path, ",")),
    "TSV": Format(lambda rows, path: delimited(rows, path, "\t")),
    "JSON lines": Format(json_lines),
    "JSON lines of lists": Format(json_lists),
    "JSON of scores": Format(
        lambda rows, path: written(path, json.dumps(scores(rows))), repeats=False
    ),
    "JSON of lists": Format(lambda rows, path: written(path, json.dumps(ids(rows)))),
    "MS MARCO": Format(lambda rows, path: marco(rows, path, scores=False)),
    "MS MARCO with scores": Format(lambda rows, path: marco(rows, path, scores=True)),
    "npy": Format(npy, numbers=True),
    "npz": Format(npz, numbers=True),
    "ibin": Format(ibin, numbers=True),
    "HDF5": Format(hdf5, numbers=True),
}

LETTERS = ["a", "b", "é", "ß", "語", "🦆", "-", "."]
SCORES = [
    0.0,
    0.5,
    0.5,
    1.0,
    1.0 + 2.0**-30,
    2.0,
    -3.25,
    1e9,
    0.1,
    0.2,
]  # many ties, one of singles


def generated(seed: int, numbers: bool, repeats: bool) -> tuple[Rows, Rows]:
    """Two runs with ties, lists of unequal lengths, and queries that only one of them has."""
    random = Random(seed)
    queries = list(range(random.randint(1, 4)))
    names = {
        query: str(query) if numbers else f"{random.choice(LETTERS)}{query}" for query in queries
    }
    pool = [
        str(10**size + number) if numbers else f"{random.choice(LETTERS)}{number}"
        for size, number in ((random.randint(0, 8), n) for n in range(12))
    ]

    def run() -> Rows:
        # The rows of an array are numbered from 0 on.
        kept = queries[: random.randint(1, len(queries))] if numbers else queries
        if not numbers:
            kept = random.sample(queries, random.randint(1, len(queries)))
        rows = []
        for query in kept:
            size = random.randint(1, 9)
            documents = random.choices(pool, k=size) if repeats else random.sample(pool, size)
            rows += [Result(names[query], d, random.choice(SCORES)) for d in documents]
        if not numbers and random.random() < 0.3:
            random.shuffle(rows)  # the results of a query need not stand together
        return rows

    return run(), run()
