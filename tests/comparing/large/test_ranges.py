"""Ranges of queries give the rows of the ordinary comparison, bit by bit."""

from __future__ import annotations

import random
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import _core
from medir.inputs.formats.contents import decoding
from medir.inputs.formats.contents.ranges import budget
from tests.cases.large import Row, small, table_of, write_rows
from tests.profiles import examples

pytest.importorskip("pyarrow")
pytest.importorskip("polars")

QUERIES = ["q1", "q10", "q2", "q3", "é", "z"]
NUMBERS = {query: 7 * number for number, query in enumerate(QUERIES)}
DOCUMENTS = "abcdefgh"
MEASURES = ["nDCG@5", "RBP(p=0.8)", "AP@4", "RBO"]
results = st.tuples(
    st.sampled_from(QUERIES), st.sampled_from(DOCUMENTS), st.sampled_from([0.5, 1.0, 1.5, 2.0])
)
runs = st.lists(results, min_size=1, max_size=25)
judgments = st.dictionaries(
    st.sampled_from(QUERIES),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=1),
    min_size=1,
)
tables = st.dictionaries(
    st.sampled_from(QUERIES),
    st.fixed_dictionaries(
        {"weight": st.sampled_from([0, 0.5, 1, 3]), "market": st.sampled_from(["de", "fr"])}
    ),
    min_size=1,
)


def by_value(row: Row) -> Any:
    """The order of queries in a sorted table."""
    return row[0]


def by_id(row: Row) -> bytes:
    """The order of ids, byte by byte."""
    return str(row[0]).encode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the files of all examples are, one after the other."""
    return tmp_path_factory.mktemp("ranges")


def both(
    before: str, after: str, expected_of: tuple[Any, Any], target: Any, **options: Any
) -> tuple[medir.Comparison, medir.Comparison, bytes]:
    """The ordinary comparison of some runs, that of their files, and the rows of the first."""
    ordinary = medir.compare(*expected_of, MEASURES, duplicates="first", **options)
    rows = BytesIO()
    ordinary.write(rows, "csv")
    large = medir.compare_large(
        before, after, MEASURES, duplicates="first", output=target, format="csv", **options
    )
    return ordinary, large, rows.getvalue()


@examples(60)
@given(
    before=runs,
    after=runs,
    qrels=judgments | st.none(),
    queries=tables | st.none(),
    unsorted=st.booleans(),
    numbers=st.booleans(),
    kind=st.sampled_from(["parquet", "arrow", "stream"]),
    order=st.sampled_from(["score", "file"]),
    missing=st.sampled_from(["empty", "skip"]),
    encoded=st.booleans(),
    rows=st.integers(1, 30),
    seed=st.integers(0, 99),
)
def test_rows_are_those_of_the_ordinary_comparison(
    folder: Path,
    before: Any,
    after: Any,
    qrels: Any,
    queries: Any,
    unsorted: bool,
    numbers: bool,
    kind: str,
    order: Any,
    missing: Any,
    encoded: bool,
    rows: int,
    seed: int,
) -> None:
    options: dict[str, Any] = {"order": order, "missing": missing}
    if not numbers:
        options |= {"qrels": qrels, "queries": queries}
        options["by"] = None if queries is None else "market"

    if numbers:
        before, after = ([(NUMBERS[row[0]], *row[1:]) for row in run] for run in (before, after))
    if {row[0] for row in before}.isdisjoint(row[0] for row in after):
        options["missing"] = "empty"
    # Sorted tables are taken as they are; others as if they were sorted by id, byte by byte.
    in_order = [sorted(run, key=by_id if unsorted else by_value) for run in (before, after)]
    stored = [list(run) for run in in_order]
    if unsorted:
        for run in stored:
            random.Random(seed).shuffle(run)
        in_order = [sorted(run, key=by_id) for run in stored]
    files = (
        write_rows(folder / f"before.{kind}", stored[0], kind),
        write_rows(folder / f"after.{kind}", stored[1], kind),
    )
    expected_of = table_of(in_order[0]), table_of(in_order[1])
    target = BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        small(patch, rows, ranges=3)
        if encoded:  # queries come as codes of a dictionary, however few rows have the same
            patch.setattr(decoding, "LENGTH", 10**6)
        if unsorted:
            patch.setattr(budget, "comparable", lambda _: False)
        ordinary, large, expected = both(*files, expected_of, target, **options)
    assert target.getvalue() == expected
    assert large.queries == ordinary.queries
    assert large.verdict() == ordinary.verdict()
    assert list(large.notes())[1:] == [
        note.replace("before:", f"{files[0]}:").replace("after:", f"{files[1]}:")
        for note in list(ordinary.notes())[1:]
    ]
    assert str(large.top(3)) == str(ordinary.top(3))  # NaN is not equal to itself
    for position in ordinary.most_affected(3):
        assert large.marks(position) == ordinary.marks(position)
    assert (large.only_before, large.only_after) == (ordinary.only_before, ordinary.only_after)
    for one in MEASURES:
        assert str(large.segments(one)) == str(ordinary.segments(one))
        assert large.summary(one).interval == ordinary.summary(one).interval


@examples(200)
@given(
    start=st.sampled_from(["", "q", "a-rather-long-beginning-"]),
    ends=st.tuples(*[st.sets(st.text("ab~é", max_size=12)) for _ in range(2)]),
)
def test_pairs_in_the_order_of_their_ids(start: str, ends: tuple[set[str], set[str]]) -> None:
    before, after = ([(start + end).encode() for end in some] for some in ends)
    one, two = (medir.Run.of({query.decode(): ["d"] for query in run}) for run in (before, after))
    pairing = _core.Pairing(one._lists, two._lists, 1)
    pairing.sort()
    alone = set(after) - set(before)
    found = [pairing.query(i) for i in range(len(pairing))]
    assert found == [*sorted(before), *sorted(alone)]
