"""Seeded synthetic run files for the benchmarks.

``python benchmarks/runs.py FOLDER QUERIES [--seed SEED]`` writes two TREC run files of QUERIES
queries with 20 results each, "before" and "after" a made-up ranking change, and prints their
paths. A line is ``query Q0 document rank score tag``, with single blanks, 38 bytes on average.

The same seed gives the same bytes, and the files of fewer queries are a prefix of those of more.
Needs numpy.
"""

import argparse
import os
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

DEPTH = 20
SEED = 1
CHUNK = 20_000  # queries generated at once; another value gives other files
MOST_QUERIES = 9_999_999  # query numbers have seven digits
FIRST_DOCUMENT, END_DOCUMENT = 1_000_000, 5_000_000  # document numbers have seven digits
SAME_SHARE = 0.3  # of the queries, their lists are not changed at all
KEPT_SHARE = 0.2  # of the other queries, no document is replaced, some are moved
MOST_REPLACED = 0.5  # the highest probability, over the queries, of replacing a document

SEGMENTS = ("head", "torso", "tail")
WORDS = ("jaguar", "speed", "of", "the", "fastest", "cat", "in", "world", "records", "puma")

Integers = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]


def make(folder: Path, queries: int, seed: int = SEED) -> tuple[Path, Path]:
    """Return the paths of the before and the after file, writing them if they are not there."""
    if not 1 <= queries <= MOST_QUERIES:
        raise ValueError(f"the number of queries must be from 1 to {MOST_QUERIES}, not {queries}")
    folder.mkdir(parents=True, exist_ok=True)
    before, after = (folder / f"{tag}-{queries}-{seed}.run" for tag in ("before", "after"))
    if not (_complete(before, queries, "before") and _complete(after, queries, "after")):
        _write(before, after, queries, seed)
    return before, after


def make_table(path: Path, queries: int, seed: int) -> None:
    """Write a table of the queries: query_id, text, weight and segment."""
    random = np.random.default_rng(seed)
    weights = random.zipf(1.5, queries).clip(max=999_999)
    segments = random.integers(len(SEGMENTS), size=queries)
    words = random.integers(len(WORDS), size=(queries, 4))
    with path.open("w", encoding="utf-8") as file:
        file.write("query_id\ttext\tweight\tsegment\n")
        file.writelines(
            f"q{i + 1:07d}\t{' '.join(WORDS[word] for word in words[i])}\t{weights[i]}"
            f"\t{SEGMENTS[segments[i]]}\n"
            for i in range(queries)
        )


def _complete(path: Path, queries: int, tag: str) -> bool:
    """Tell whether the file is there with its full size (every query takes the same bytes)."""
    return path.exists() and path.stat().st_size == queries * len(_template(tag))


def _write(before: Path, after: Path, queries: int, seed: int) -> None:
    """Write both files under temporary names, then give them their own."""
    partial = [path.with_name(path.name + ".partial") for path in (before, after)]
    with partial[0].open("wb") as before_file, partial[1].open("wb") as after_file:
        for start in range(0, queries, CHUNK):
            count = min(CHUNK, queries - start)
            _write_chunk(before_file, after_file, start, count, seed)
        for file in (before_file, after_file):
            file.flush()
            os.fsync(file.fileno())  # so that no later timing shares the disk with this writing
    for source, target in zip(partial, (before, after), strict=True):
        source.replace(target)


def _write_chunk(before: BinaryIO, after: BinaryIO, start: int, count: int, seed: int) -> None:
    """Write the first ``count`` queries of the chunk that begins after ``start`` queries."""
    rng = np.random.default_rng([seed, start])
    numbers = np.arange(start + 1, start + count + 1, dtype=np.int64)
    pool = _distinct_documents(rng)
    documents, fresh = pool[:, :DEPTH], pool[:, DEPTH:]
    scores = _scores(rng)
    same = rng.random((CHUNK, 1)) < SAME_SHARE
    new_documents = np.where(same, documents, _perturbed(rng, documents, fresh))
    new_scores = np.where(same, scores, _scores(rng))
    before.write(_lines("before", numbers, documents[:count], scores[:count]))
    after.write(_lines("after", numbers, new_documents[:count], new_scores[:count]))


def _distinct_documents(rng: np.random.Generator) -> Integers:
    """Draw, for each query, documents without repetition: a list and as many to put into it."""
    pool = rng.integers(FIRST_DOCUMENT, END_DOCUMENT, (CHUNK, 2 * DEPTH))
    while True:
        ordered = np.sort(pool, axis=1)
        repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(repeated):
            return pool
        pool[repeated] = rng.integers(FIRST_DOCUMENT, END_DOCUMENT, (len(repeated), 2 * DEPTH))


def _scores(rng: np.random.Generator) -> Integers:
    """Draw strictly descending scores from 10 to below 100, in units of 0.0001."""
    top = rng.integers(500_000, 1_000_000, (CHUNK, 1))
    steps = rng.integers(1, 20_000, (CHUNK, DEPTH))
    return top - np.cumsum(steps, axis=1)


def _perturbed(rng: np.random.Generator, documents: Integers, fresh: Integers) -> Integers:
    """Move documents by a few ranks and replace some; how much of both varies by query."""
    spread = rng.uniform(0.3, 3.0, (CHUNK, 1))
    order = np.argsort(np.arange(DEPTH) + spread * rng.standard_normal((CHUNK, DEPTH)), axis=1)
    moved = np.take_along_axis(documents, order, axis=1)
    share = np.maximum(0.0, rng.uniform(-KEPT_SHARE, 1 - KEPT_SHARE, (CHUNK, 1)))
    replaced = rng.random((CHUNK, DEPTH)) < share * MOST_REPLACED / (1 - KEPT_SHARE)
    return np.where(replaced, fresh, moved)


def _lines(tag: str, numbers: Integers, documents: Integers, scores: Integers) -> bytes:
    """Return the lines of these queries, made by filling in a copy of the template for each."""
    text = np.tile(np.frombuffer(_template(tag), dtype=np.uint8), (len(numbers), 1))
    query_digits = digits(numbers, 7)
    document_digits = digits(documents, 7)
    score_digits = digits(scores, 6)
    position = 0
    for i, line in enumerate(_template_lines(tag)):
        score = position + line.index(b".") - 2
        text[:, position + 1 : position + 8] = query_digits
        text[:, position + 13 : position + 20] = document_digits[:, i]
        text[:, score : score + 2] = score_digits[:, i, :2]
        text[:, score + 3 : score + 7] = score_digits[:, i, 2:]
        position += len(line)
    return text.tobytes()


def _template(tag: str) -> bytes:
    """Return the lines of one query, with zeros for what differs between queries."""
    return b"".join(_template_lines(tag))


def _template_lines(tag: str) -> list[bytes]:
    """Return the template of one query, line by line."""
    return [f"q0000000 Q0 d0000000 {rank} 00.0000 {tag}\n".encode() for rank in range(1, DEPTH + 1)]


def digits(values: Integers, width: int) -> Bytes:
    """Return the values' decimal digits as characters, along a new last axis."""
    rest = values.astype(np.uint32)
    digits = np.empty((*values.shape, width), dtype=np.uint8)
    for i in reversed(range(width)):
        quotient = rest // 10
        digits[..., i] = rest - 10 * quotient + ord("0")
        rest = quotient
    return digits


def main() -> None:
    """Make the files named on the command line and print their paths."""
    parser = argparse.ArgumentParser(description="make two synthetic run files")
    parser.add_argument("folder", type=Path)
    parser.add_argument("queries", type=int)
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    for path in make(options.folder, options.queries, options.seed):
        print(path)


if __name__ == "__main__":
    main()
