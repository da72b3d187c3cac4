"""Arrays of neighbours: the same rows to the last bit as the same ids in lists of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import medir
from medir.errors import InputError, UsageError

MEASURES = ["nDCG@4", "RBP(p=0.8)", "AP@3", "RBO(p=0.9)"]
ROWS = [[3, 1, 2], [9, 8, -1], [-1, -1, -1]]
LISTS = {"0": ["3", "1", "2"], "1": ["9", "8"], "2": []}
SIGNED = ["i1", "i2", "i4", "i8", ">i2", ">i4", ">i8"]
UNSIGNED = ["u1", "u2", "u4", "u8", ">u2", ">u8"]


def lists(source: Any, **options: Any) -> dict[str, list[str]]:
    """What a source is read as."""
    run = medir.Run.of(source, **options)
    return {query: run[query] for query in run}


def text_of(rows: list[list[int]], pad: int = -1) -> dict[str, list[str]]:
    """Rows up to their padding, as text."""
    return {
        str(number): [str(one) for one in row[: row.index(pad) if pad in row else None]]
        for number, row in enumerate(rows)
    }


def misaligned(array: NDArray[Any]) -> NDArray[Any]:
    data = b"x" + array.tobytes()
    return np.frombuffer(data, dtype=array.dtype, offset=1).reshape(array.shape)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array


def field_of_records(array: NDArray[Any]) -> NDArray[Any]:
    records = np.zeros(array.shape, dtype=[("score", "f4"), ("id", array.dtype)])
    records["id"] = array
    return records["id"]


LAYOUTS: dict[str, Callable[[NDArray[Any]], Any]] = {
    "as it is": lambda a: a,
    "Fortran": np.asfortranarray,
    "first columns of wider rows": lambda a: np.hstack([a, a + 100])[:, : a.shape[1]],
    "every other column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed columns": lambda a: np.ascontiguousarray(a[:, ::-1])[:, ::-1],
    "reversed rows": lambda a: np.ascontiguousarray(a[::-1])[::-1],
    "misaligned": misaligned,
    "read only": read_only,
    "a field of records": field_of_records,
    "matrix": lambda a: a.view(np.matrix),
    "distances first": lambda a: (np.zeros(a.shape, np.float32), a),
    "distances last": lambda a: (a, np.arange(a.size, dtype=np.float64).reshape(a.shape)),
    "pair in a list": lambda a: [np.zeros(a.shape), a],
    "lists": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a.tolist())),
    "list of arrays": list,
    "objects": lambda a: a.astype(object),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", SIGNED)
def test_layouts(kind: str, layout: str) -> None:
    assert lists(LAYOUTS[layout](np.array(ROWS, dtype=kind))) == LISTS


@pytest.mark.parametrize("kind", UNSIGNED)
def test_without_a_sign_the_greatest_number_is_the_padding(kind: str) -> None:
    ids = np.array(ROWS).astype(kind)
    assert lists(ids) == LISTS
    greatest = int(np.iinfo(kind).max)
    assert lists(ids, pad=greatest) == LISTS
    assert lists(np.array([[greatest - 1, greatest]], dtype=kind)) == {"0": [str(greatest - 1)]}


def test_the_least_and_the_greatest_numbers() -> None:
    least, greatest = -(2**63), 2**63 - 1
    assert lists(np.array([[greatest, least, 0]])) == {"0": [str(greatest), str(least), "0"]}
    large = np.array([[2**64 - 2, 2**63]], dtype=np.uint64)
    assert lists(large) == {"0": [str(2**64 - 2), str(2**63)]}


@pytest.mark.parametrize("width", [1, 3])
def test_one_column_of_many(width: int) -> None:
    ids = np.arange(12).reshape(4, 3)
    assert lists(ids[:, ::width][:, :1]) == {str(i): [str(3 * i)] for i in range(4)}


@given(
    st.integers(1, 5).flatmap(
        lambda width: st.lists(
            st.tuples(st.permutations(range(8)), st.permutations(range(8)), st.integers(0, width)),
            min_size=1,
            max_size=5,
        ).map(lambda rows: (width, rows))
    ),
    st.sampled_from(["i2", "i4", "i8", "u8", ">i4"]),
    st.sampled_from([-1, 99]),
)
def test_rows_equal_those_of_text(drawn: Any, kind: str, pad: int) -> None:
    """Whatever the scores beside the ids, and whether unseen ranks follow or not."""
    width, drawn_rows = drawn
    before = [list(first[:width]) for first, _, _ in drawn_rows]
    after = [[*second[:length], *[pad] * (width - length)] for _, second, length in drawn_rows]
    scores = np.random.default_rng(width).normal(size=(len(before), width))
    arrays = [np.array(rows).astype(kind) for rows in (before, after)]
    for unseen in ("anything", "nothing"):
        options: Any = {"unseen": unseen}
        expected = medir.compare(text_of(before, pad), text_of(after, pad), MEASURES, **options)
        sources: list[tuple[Any, Any]] = [
            (arrays[0], arrays[1]),
            ((arrays[0], scores), (scores, arrays[1])),
            (before, after),
        ]
        for one, other in sources:
            result = medir.compare(one, other, MEASURES, pad=pad, **options)
            assert result.queries == expected.queries
            assert np.array_equal(result.values, expected.values, equal_nan=True)
            assert np.array_equal(result.changes, expected.changes)


@pytest.mark.parametrize("form", [np.array, list], ids=["array", "lists"])
def test_the_width_is_what_was_asked_for(form: Any) -> None:
    """A full row was cut, even a single one; a padded row has ended, even the longest."""
    ended = form([[1, 2, -1], [4, -1, -1]])
    same = medir.compare(ended, {"0": ["1", "2"], "1": ["4"]}, "nDCG@3", unseen="auto")
    nothing = medir.compare(ended, {"0": ["1", "2"], "1": ["4"]}, "nDCG@3", unseen="nothing")
    assert np.array_equal(same.values, nothing.values)
    cut, other = form([[1, 2, 3], [4, -1, -1]]), form([[1, 3, 2], [4, -1, -1]])
    auto = medir.compare(cut, other, "nDCG@6")
    anything = medir.compare(cut, other, "nDCG@6", unseen="anything")
    assert auto.column()[0] == anything.column()[0]
    assert auto.column(name="unseen")[0] > 0
    assert auto.column()[1] == 0
    note = (
        "before: 3 results were asked for; 1 list has as many and counts as cut, "
        "1 list is shorter and counts as ended"
    )
    assert note in list(auto.notes())


def test_ids_are_those_of_text() -> None:
    result = medir.compare(np.array([[17, 4]]), {"0": ["17", "4"]}, "P@2")
    assert not result.changed().any()
    assert medir.compare(np.array([[17]]), {"0": ["017"]}, "P@1").column() == [1]


@pytest.mark.parametrize("order", ["score", "rank", "file"])
def test_rows_are_in_rank_order_whatever_the_order(order: Any) -> None:
    ids, scores = np.array([[5, 7, 6]]), np.array([[0.1, 0.9, 0.5]])
    assert lists((scores, ids), order=order) == {"0": ["5", "7", "6"]}
    assert lists(ids.tolist(), order=order) == {"0": ["5", "7", "6"]}


def test_no_rows_and_no_columns() -> None:
    assert lists(np.zeros((0, 10), dtype=np.int64)) == {}
    assert lists(np.zeros((3, 0), dtype=np.int64)) == {"0": [], "1": [], "2": []}
    assert lists([]) == {}
    assert lists([[]]) == {"0": []}


def test_padding_that_the_caller_names() -> None:
    assert lists(np.array([[1, 0, 0], [2, -1, 0]]), pad=0) == {"0": ["1"], "1": ["2", "-1"]}
    assert lists([[1, 0, 0], [2, -1]], pad=0) == {"0": ["1"], "1": ["2", "-1"]}
    assert lists(np.array([[44, 43]], dtype=np.uint8), pad=300) == {"0": ["44", "43"]}
    assert lists([["-1", "a"]]) == {"0": ["-1", "a"]}


@pytest.mark.parametrize("kind", ["i8", "u4"])
def test_what_is_masked_is_padding(kind: str) -> None:
    ids = np.array([[3, 1, 2], [9, 8, 7]], dtype=kind)
    masked = np.ma.masked_array(ids, [[False] * 3, [False, True, True]])
    expected = {"0": ["3", "1", "2"], "1": ["9"]}
    assert lists(masked) == expected
    assert lists((np.zeros(ids.shape), masked)) == expected


def test_rows_of_texts_and_objects() -> None:
    assert lists(np.array([["b", "a"], ["c", "d"]])) == {"0": ["b", "a"], "1": ["c", "d"]}
    objects = np.array([["b", "a"], ["c", None]], dtype=object)
    assert lists(objects) == {"0": ["b", "a"], "1": ["c"]}
    uneven = np.empty(2, dtype=object)
    uneven[:] = [[1, 2], [3]]
    assert lists(uneven) == {"0": ["1", "2"], "1": ["3"]}
    assert lists([np.array([1, 2]), [3]]) == {"0": ["1", "2"], "1": ["3"]}
    assert lists([[1, 2, None], [None]]) == {"0": ["1", "2"], "1": []}


@pytest.mark.parametrize(
    "queries", [["a", "b"], ("a", "b"), np.array(["a", "b"]), {"a": 1, "b": 2}.keys()], ids=str
)
@pytest.mark.parametrize("form", [np.array, list], ids=["array", "lists"])
def test_ids_of_queries(form: Any, queries: Any) -> None:
    rows = form([[3, 1], [9, 8]])
    assert lists(rows, queries=queries) == {"a": ["3", "1"], "b": ["9", "8"]}
    assert medir.compare(rows, rows, "P@2", queries=["a", "b"]).queries == ["a", "b"]
    assert lists(rows, queries=[20, 10]) == {"20": ["3", "1"], "10": ["9", "8"]}


IDS = np.array([[3, 1], [9, 8]])
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "one dimension": (IDS[0], {}, r"has 1 dimensions \(2\)[^|]*ids\[None, :\]"),
    "three dimensions": (IDS[None], {}, r"has 3 dimensions \(1 x 2 x 2\)"),
    "no dimension": (np.array(3), {}, "has 0 dimensions"),
    "fractions": (IDS * 1.0, {}, "holds float64 where ids were expected"),
    "truths": (IDS > 3, {}, "holds bool where ids"),
    "two integer arrays": ((IDS, IDS), {}, "both arrays of the pair hold integers"),
    "two arrays of scores": ((IDS * 1.0, IDS * 1.0), {}, "neither array of the pair"),
    "unequal shapes": ((IDS, IDS[:, :1] * 1.0), {}, "have the shapes 2 x 2 and 2 x 1"),
    "three arrays": ((IDS, IDS * 1.0, IDS), {}, "is a sequence of 3 arrays"),
    "one array in a tuple": ((IDS,), {}, "is a sequence of 1 arrays"),
    "pair of one dimension": ((IDS[0], IDS[0] * 1.0), {}, "has 1 dimensions"),
    "ids behind padding": (np.array([[1, 2], [-1, 2]]), {}, "2 stands behind -1[^|]*row 1"),
    "in lists": ([[1, 2], [-1, 2]], {}, "2 stands behind -1[^|]*row 1"),
    "in uneven lists": ([[1], [4, -1, 2]], {}, "2 stands behind -1[^|]*row 1"),
    "behind None": ([[1, None, 2]], {}, "stands behind None"),
    "too few queries": (IDS, {"queries": ["a"]}, "2 rows and 1 ids of queries"),
    "too many queries": (IDS.tolist(), {"queries": "abc"}, "2 rows and 3 ids of queries"),
    "a query twice": (IDS, {"queries": ["a", "a"]}, "rows 0 and 1|the query id 'a'"),
    "a query twice, as text": (IDS, {"queries": [7, "7"]}, "two rows have the query id '7'"),
    "a query twice in lists": (IDS.tolist(), {"queries": [7, "7"]}, "the same query id"),
    "no query id": (IDS, {"queries": ["a", None]}, "a query id is text or a whole number"),
    "fractions in lists": ([[1.0, 2.0]], {}, "a document id is text or a whole number, not 1.0"),
    "numbers of no array": ([np.int64(1), np.int64(2)], {}, "an object of type list"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    source, options, message = REFUSED[case]
    with pytest.raises(InputError, match=f"(?s)^run: .*({message})"):
        medir.Run.of(source, **options)


@pytest.mark.parametrize("pad", [1.5, None, "0", True, 2**64 - 1, -(2**63) - 1])
def test_padding_is_a_whole_number(pad: Any) -> None:
    with pytest.raises(UsageError, match=r"^pad must be "):
        medir.Run.of(IDS, pad=pad)


def test_documents_twice_in_a_row() -> None:
    with pytest.raises(InputError, match="document '1' appears twice in the list of query '1'"):
        medir.compare(np.array([[1, 2], [1, 1]]), IDS, "P@2")
    result = medir.compare(np.array([[1, 2], [1, 1]]), IDS, "P@2", duplicates="first")
    assert result.repeats == 1
    assert result.lists("1")[0] == ["1"]
