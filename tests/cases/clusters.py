"""Runs as tables, and rows of a cluster beside those of one machine."""

from __future__ import annotations

from typing import Any

import numpy as np

KEY = [("query_id", "ascending"), ("measure", "ascending")]
WORDS = {f"d{number}": 40.0 + 17 * (number % 13) for number in range(60)}


def table(**columns: Any) -> Any:
    """A table of Arrow."""
    import pyarrow as pa

    return pa.table(columns)


def ranked(
    seed: int, queries: int = 60, deepest: int = 12, left_out: tuple[int, ...] = ()
) -> dict[str, dict[str, float]]:
    """Lists with tied scores and of different lengths; some have the greatest length."""
    random = np.random.default_rng(seed)
    run: dict[str, dict[str, float]] = {}
    for number in set(range(queries)) - set(left_out):
        length = deepest if random.random() < 0.6 else int(random.integers(1, deepest + 1))
        documents = random.permutation(25)[:length]
        scores = random.integers(0, 8, length) / 3
        run[f"q{number:03d}"] = {
            f"d{d}": float(score) for d, score in zip(documents, scores, strict=True)
        }
    return run


def long(run: dict[str, dict[str, float]]) -> Any:
    """One row per result."""
    rows = [(q, d, score) for q, results in run.items() for d, score in results.items()]
    queries, documents, scores = zip(*rows, strict=True)
    return table(qid=list(queries), docno=list(documents), score=list(scores))


def lists(run: dict[str, dict[str, float]]) -> Any:
    """One row per query."""
    return table(
        query_id=list(run),
        doc_ids=[list(results) for results in run.values()],
        scores=[list(results.values()) for results in run.values()],
    )


def grades(seed: int, queries: int = 60) -> Any:
    """Judgments of some documents of most queries, and of a query that no run has."""
    random = np.random.default_rng(seed)
    rows = [
        (f"q{number:03d}", f"d{document}", int(random.integers(0, 4)))
        for number in range(0, queries + 1)
        if number % 5
        for document in random.permutation(25)[:6]
    ]
    ids, documents, values = zip(*rows, strict=True)
    return table(query_id=list(ids), doc_id=list(documents), relevance=list(values))


def known_queries(queries: int = 60) -> Any:
    """A table of queries: weights, of which some are 0 or missing, languages and texts."""
    numbers = [number for number in range(queries) if number % 7]
    return table(
        qid=[f"q{number:03d}" for number in numbers],
        text=[f"what is {number}" for number in numbers],
        weight=[None if number % 11 == 0 else (number % 6) / 2 for number in numbers],
        language=[["en", "de", "fr", None][number % 4] for number in numbers],
    )


def in_order(rows: Any) -> Any:
    """All rows of a cluster or of one machine, in an order of their own."""
    found = rows.toArrow() if hasattr(rows, "toArrow") else rows.to_arrow()
    import pyarrow as pa

    plain = [
        pa.field(one.name, one.type.value_type if pa.types.is_dictionary(one.type) else one.type)
        for one in found.schema
    ]
    return found.cast(pa.schema(plain)).sort_by(KEY)


def same_rows(cluster: Any, machine: Any) -> None:
    """Asserts that both have the same columns and the same rows, bit by bit."""
    ours, theirs = in_order(cluster), in_order(machine)
    assert ours.schema.names == theirs.schema.names
    assert [str(one) for one in ours.schema.types] == [str(one) for one in theirs.schema.types]
    assert ours.num_rows == theirs.num_rows
    for name in ours.schema.names:
        assert ours[name].equals(theirs[name]), name
