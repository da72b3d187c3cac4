"""What a table of queries knows: texts, weights, segments and cells by position."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import _core
from medir.errors import InputError, UsageError
from medir.inputs.queries import NO_SEGMENT, Queries
from tests.cases.queries import run, table
from tests.profiles import examples

TABLE = (
    "query_id\ttext\tweight\tsegment\n"
    "q1\tjaguar speed\t40\thead\n"
    "q3\tjaguar e type\t2.5\ttail\n"
    "q2\tjaguar\t\thead\n"
    "q9\tnobody asks\t7\t\n"
)


def pairing(before: Sequence[str], after: Sequence[str] = ()) -> _core.Pairing:
    """Queries of two runs."""
    return _core.Pairing(run(*before), run(*(after or before)), 1)


# What is known of a query, by position.


def test_a_table(tmp_path: Path) -> None:
    path = table(tmp_path, TABLE)
    queries = Queries.of(path)
    assert (len(queries), queries.columns) == (4, ["text", "weight", "segment"])
    assert repr(queries) == f"<Queries {path}: 4 queries>"
    assert Queries.of(queries) is queries
    assert medir.Queries is Queries
    assert (queries.text("q3"), queries.text("q0")) == ("jaguar e type", None)
    assert queries.texts(["q2", "q0", "q1"]) == {"q2": "jaguar", "q1": "jaguar speed"}


def test_columns_by_position(tmp_path: Path) -> None:
    """Positions are those of the runs: first the queries of before, then those of after alone."""
    queries = Queries.of(table(tmp_path, TABLE))
    pairs = pairing(["q2", "q1", "q5"], ["q3", "q1"])
    assert [pairs.query(i) for i in range(len(pairs))] == [b"q2", b"q1", b"q5", b"q3"]
    weights, missing = queries.numbers("weight", pairs, missing=9)
    assert (weights.tolist(), missing) == ([9, 40, 9, 2.5], 2)
    codes, labels, without = queries.segments("segment", pairs)
    assert (codes.tolist(), labels, without) == ([0, 0, 2, 1], ["head", "tail", NO_SEGMENT], 1)
    assert queries.cells("text", pairs) == ["jaguar", "jaguar speed", None, "jaguar e type"]
    assert queries.cells("weight", pairs) == [None, "40", None, "2.5"]
    assert (queries.without_row(pairs), queries.unused(pairs)) == (1, 1)
    assert (weights.dtype, codes.dtype) == (np.dtype(np.float64), np.dtype(np.int32))


def test_queries_that_are_left_out_later() -> None:
    """The same pairing with fewer queries is not taken for the one before."""
    queries = Queries.of({"q1": {"weight": 1}, "q2": {"weight": 2}, "q3": {"weight": 3}})
    pairs = pairing(["q1", "q2", "q3"], ["q3", "q2"])
    assert queries.numbers("weight", pairs)[0].tolist() == [1, 2, 3]
    pairs.keep_common()
    assert queries.numbers("weight", pairs)[0].tolist() == [2, 3]
    assert queries.unused(pairs) == 1


def test_positions_of_lists_and_pools() -> None:
    queries = Queries.of({"q1": {"weight": 1}, "q2": {"weight": 2}})
    assert queries.numbers("weight", run("q2", "q0", "q1"))[0].tolist() == [2, 1, 1]
    pool = _core.Pool([run("q1"), run("q2")])
    assert queries.numbers("weight", pool, missing=0)[0].tolist() == [1, 2]


def test_an_empty_segment_is_none(tmp_path: Path) -> None:
    queries = Queries.of({"a": {"s": "x"}, "b": {"s": ""}, "c": {"s": " "}, "d": {"s": "(none)"}})
    codes, labels, without = queries.segments("s", run("a", "b", "c", "d", "e"))
    assert (codes.tolist(), labels, without) == ([0, 1, 1, 1, 1], ["x", NO_SEGMENT], 3)
    codes, labels, without = queries.segments("s", run("a"))
    assert (codes.tolist(), labels, without) == ([0], ["x"], 0)


@pytest.mark.parametrize(
    ("written", "weight"),
    [
        ("0", 0.0),
        ("-0", 0.0),
        ("+3", 3.0),
        (" 12.5 ", 12.5),
        ("1e3", 1000.0),
        (".25", 0.25),
        ("0.1", 0.1),
        ("123456789012345678", 123456789012345678.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("1e-400", 0.0),
        ("", 1.0),
        ("  ", 1.0),
    ],
)
def test_weights(written: str, weight: float, tmp_path: Path) -> None:
    for queries in (
        Queries.of(table(tmp_path, f"id\tweight\nq1\t{written}\nq2\t1\n")),
        Queries.of({"q1": {"weight": written}, "q2": {"weight": 1}}),
    ):
        (found, _), _ = queries.numbers("weight", run("q1", "q2"))
        assert (found, np.signbit(found)) == (weight, False)


@pytest.mark.parametrize(
    "written", ["-1", "nan", "inf", "-inf", "1e999", "many", "1,5", "0x10", "1 2", "-"]
)
def test_bad_weights(written: str, tmp_path: Path) -> None:
    path = table(tmp_path, f"query_id\ttraffic\nq1\t1\nq2\t{written}\nq3\t{written}\n")
    queries = Queries.of(path)
    with pytest.raises(InputError) as caught:
        queries.numbers("traffic", run("q3", "q2", "q1"))
    error = caught.value
    assert (error.source, error.line, error.text) == (str(path), 3, f"q2\t{written}")
    assert error.problem == f"the weight '{written}' is not a finite number of 0 or more"
    assert "traffic" in error.remedy
    assert queries.numbers("traffic", run("q1"))[0].tolist() == [1]  # nobody asks for the others
    with pytest.raises(InputError, match="is not a finite number"):
        Queries.of({"q2": {"traffic": written}}).numbers("traffic", run("q2"))


@pytest.mark.parametrize("missing", [-1, float("nan"), float("inf")])
def test_a_bad_missing_weight(missing: float) -> None:
    queries = Queries.of({"q1": {"weight": 2}})
    with pytest.raises(UsageError, match="a missing weight must be a finite number"):
        queries.numbers("weight", run("q1"), missing=missing)


def test_texts_for_people() -> None:
    queries = Queries.of({"q1": "two\n lines ", "q2": "x" * 500, "q3": "", "q4": {"title": "last"}})
    assert queries.text("q1") == "two lines"
    assert queries.text("q2") == "x" * 299 + "…"
    assert queries.text("q3") is None
    assert queries.text("q4") is None  # `text` comes before `title`
    assert Queries.of({"q4": {"title": "last"}}).text("q4") == "last"
    assert Queries.of({"q4": {"weight": 1}}).text("q4") is None


@given(
    st.lists(st.sampled_from(["a", "b", 'c"', "", "a long label of a segment"]), max_size=60),
    st.integers(1, 3),
)
@examples(100)
def test_segments_are_numbered_as_they_appear(segments: list[str], threads: int) -> None:
    source = {f"q{i}": {"s": one} for i, one in enumerate(segments)}
    queries = Queries.of(source | {"other": {"s": "a"}}, threads)
    order = [f"q{i}" for i in reversed(range(len(segments)))]
    codes, labels, _ = queries.segments("s", run(*order))
    seen = dict.fromkeys(one for one in reversed(segments) if one)
    assert labels == [*seen, *([NO_SEGMENT] if "" in segments else [])]
    assert [labels[code] for code in codes] == [one or NO_SEGMENT for one in reversed(segments)]


@pytest.mark.slow
def test_many_queries_in_another_order() -> None:
    """So many that some have the same hash of 32 bits."""
    count = 300_000
    queries = Queries.of({f"query {i}": {"weight": i} for i in range(count)})
    order = np.random.default_rng(1).permutation(count + 1000)  # some have no row
    weights, missing = queries.numbers("weight", run(*(f"query {i}" for i in order)), 0.5)
    assert missing == 1000
    assert np.array_equal(weights, np.where(order < count, order, 0.5))


# Columns.


def test_columns_that_there_are_not(tmp_path: Path) -> None:
    path = table(tmp_path, TABLE)
    queries = Queries.of(path)
    for ask in (
        lambda: queries.numbers("wieght", run("q1")),
        lambda: queries.segments("wieght", run("q1")),
        lambda: queries.cells("wieght", run("q1")),
        lambda: queries.check_column("wieght"),
    ):
        with pytest.raises(InputError) as caught:
            ask()
        assert str(caught.value) == (
            f"{path}: there is no column 'wieght'\n"
            "It has text, weight, segment. Did you mean 'weight'?"
        )


def test_names_of_the_result_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "query_id\ttext\tmed\nq1\ta\t1\n")
    queries = Queries.of(path)
    queries.refuse_columns(["measure", "gain"])
    with pytest.raises(InputError, match="the column 'med' has the name of a column of the result"):
        queries.refuse_columns(["gain", "med"])


# Ids.


def test_ids_are_bytes(tmp_path: Path) -> None:
    """Compared byte by byte, with blanks, and with bytes that are no UTF-8."""
    path = table(tmp_path, b"query_id\ttext\ncaf\xe9\tone\n q 1\ttw\xf6\nq 1\tthree\n")
    queries = Queries.of(path)
    assert queries.cells("text", run("caf\udce9", " q 1", "q 1")) == ["one", "tw\udcf6", "three"]
    assert queries.text("caf\udce9") == "one"
