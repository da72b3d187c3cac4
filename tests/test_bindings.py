"""The native core refuses arrays of the wrong shape and positions out of range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from medir import _core

RUN = b"q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 a 1 1 t\n"
PASSAGES = b"q1 a 1 3 0 10 t\nq2 b 1 2 5 10 t\n"
QUERIES, MEASURES, PAIRS, NOTES = 2, 1, 1, 4


def floats(*shape: int) -> NDArray[np.float64]:
    """Zeros."""
    return np.zeros(shape)


def counts(*shape: int) -> NDArray[np.uint32]:
    """Whole zeros."""
    return np.zeros(shape, dtype=np.uint32)


def ends(*places: int) -> NDArray[np.uint64]:
    """Where parts end."""
    return np.array(places, dtype=np.uint64)


def run() -> _core.TrecRun:
    """Two queries."""
    return _core.read_run(b"run", RUN, _core.Order.score, 1)


def pairing() -> _core.Pairing:
    """A run and itself."""
    return _core.Pairing(run(), run(), 1)


def pool() -> _core.Pool:
    """Two runs."""
    return _core.Pool([run(), run()])


def passages() -> _core.TrecPassages:
    """Two queries of one passage each."""
    return _core.read_passages(b"passages", PASSAGES, _core.PassageLayout.run, _core.Order.score, 1)


def measure() -> _core.Measure:
    """Precision at 2."""
    grades = np.array([0.0, 1.0])
    return _core.DotProduct(np.ones(2), floats(3), grades, np.zeros(0, dtype=np.int64), 2.0)


def unseen(runs: int = 2) -> _core.Unseen:
    """Lists were cut at 2 results."""
    return _core.Unseen(_core.UnseenRule.auto, [2] * runs)


def options(
    threads: int = 1, reaches: Sequence[int] = (2,), cuts: _core.Unseen | None = None
) -> _core.Options:
    """Plain ones."""
    return _core.Options(
        10,
        reaches,
        unseen() if cuts is None else cuts,
        _core.Repeats.error,
        _core.Intents.ignored,
        _core.Ties.ignored,
        threads,
    )


def trail_options(
    threads: int = 1, reaches: Sequence[float] = (1000.0,), cuts: _core.Unseen | None = None
) -> _core.TrailOptions:
    """Plain ones."""
    return _core.TrailOptions(10, reaches, False, unseen() if cuts is None else cuts, threads)


def compare(*, values: Any = None, changes: Any = None, given: Any = None) -> _core.Counts:
    """Compare with right arguments but for those given."""
    return _core.compare(
        pairing(),
        None,
        [measure()],
        options() if given is None else given,
        floats(MEASURES, len(_core.COLUMNS), QUERIES) if values is None else values,
        counts(MEASURES, len(_core.CHANGES), QUERIES) if changes is None else changes,
        _core.Progress(),
    )


def compare_passages(
    *,
    values: Any = None,
    changes: Any = None,
    lists: _core.Lists | None = None,
    given: _core.TrailOptions | None = None,
) -> _core.TrailCounts:
    """Compare with right arguments but for those given."""
    shown = passages() if lists is None else lists
    return _core.compare_passages(
        _core.Pairing(shown, shown, 1),
        None,
        [_core.TimeBiasedTrail(224.0, 25.0)],
        trail_options() if given is None else given,
        floats(MEASURES, len(_core.COLUMNS), QUERIES) if values is None else values,
        counts(MEASURES, len(_core.CHANGES), QUERIES) if changes is None else changes,
        _core.Progress(),
    )


def compare_pairs(
    *,
    values: Any = None,
    notes: Any = None,
    finished: Any = None,
    pair: tuple[int, int] = (0, 1),
    given: _core.Options | None = None,
) -> None:
    """Compare with right arguments but for those given."""
    _core.compare_pairs(
        pool(),
        [pair],
        None,
        [measure()],
        options() if given is None else given,
        floats(MEASURES, PAIRS, QUERIES) if values is None else values,
        floats(MEASURES, NOTES, QUERIES) if notes is None else notes,
        np.zeros(QUERIES, dtype=np.uint8) if finished is None else finished,
        _core.Progress(),
    )


def compare_passage_pairs(
    *,
    values: Any = None,
    notes: Any = None,
    finished: Any = None,
    pair: tuple[int, int] = (0, 1),
    given: _core.TrailOptions | None = None,
    runs: _core.Pool | None = None,
) -> None:
    """Compare with right arguments but for those given."""
    _core.compare_passage_pairs(
        _core.Pool([passages(), passages()]) if runs is None else runs,
        [pair],
        None,
        [_core.UMeasure(_core.TrailDiscount.linear, 100, 1)],
        trail_options() if given is None else given,
        floats(MEASURES, PAIRS, QUERIES) if values is None else values,
        floats(MEASURES, NOTES, QUERIES) if notes is None else notes,
        np.zeros(QUERIES, dtype=np.uint8) if finished is None else finished,
        _core.Progress(),
    )


def score(values: Any) -> _core.Counts:
    """Score the run against itself as judgments."""
    qrels = _core.read_qrels(b"qrels", b"q1 0 a 1\nq2 0 a 0\n", 1)
    return _core.score(run(), qrels, [measure()], options(), values)


def write_rows(values: Any, threads: int = 1, **given: Any) -> bytes:
    """Rows as CSV."""
    parts: list[bytes] = []
    right: dict[str, Any] = {
        "of_ranks": [False],
        "changes": np.zeros((1, 3, 2), dtype=np.uint32),
        "table": query_rows(),
    } | given
    _core.write_rows(
        pairing(),
        ["P@2"],
        right["of_ranks"],
        values,
        right["changes"],
        right["table"],
        _core.RowFormat.csv,
        False,
        threads,
        lambda part: parts.append(bytes(part)),
    )
    return b"".join(parts)


def batch(name: str) -> _core.ArrowBatch:
    """One column of one row."""
    made = _core.ArrowBatch(1)
    made.add_floats(name, floats(1))
    return made


def ranked_lists(source: dict[object, object]) -> _core.ColumnLists:
    """Lists of texts alone, for which Python is asked for nothing."""

    def never(*_: Any) -> Any:
        raise AssertionError

    return _core.mapping_lists("lists", source, _core.Order.score, never, never, never)


def test_lists_of_texts_are_taken_as_they_are() -> None:
    lists = ranked_lists({"q": ["b", "a"], "r": []})
    assert (lists.longest, lists.entries(0)) == (2, [(b"b", 2.0), (b"a", 1.0)])


def test_a_query_by_position() -> None:
    before = ranked_lists({"q": ["a", "b", "c"], "r": ["x"]})
    after = ranked_lists({"s": ["y"], "q": ["c", "d", "a"]})
    queries = _core.Pairing(before, after, 1)
    assert [queries.find(query) for query in (b"q", b"r", b"s", b"t")] == [0, 1, 2, None]
    found = _core.query(queries, 0, None, [], options())
    assert found.documents == [b"a", b"b", b"c", b"d"]
    assert (found.before.tolist(), found.after.tolist()) == ([1, 2, 3, 0], [3, 0, 1, 2])
    assert found.grades.tolist() == [-1] * 4
    assert (found.before_cut, found.after_cut) == (True, True)
    alone = _core.query(queries, 1, None, [], options())
    assert (alone.before_cut, alone.after_cut) == (False, False)  # one result, and none
    queries.keep_common()
    assert [queries.find(query) for query in (b"q", b"r", b"s")] == [0, None, None]
    with pytest.raises(ValueError, match="there is no query 1"):
        _core.query(queries, 1, None, [], options())


def column_lists(**given: Any) -> _core.ColumnLists:
    """Two queries with one and two documents, but for what is given."""
    right: dict[str, Any] = {
        "queries": b"q1q2",
        "query_ends": ends(2, 4),
        "list_ends": ends(1, 3),
        "documents": b"abc",
        "document_ends": ends(1, 2, 3),
        "intents": b"",
        "intent_ends": ends(),
        "values": floats(3),
    }
    return _core.ColumnLists(name="lists", **(right | given), order=_core.Order.score)


def empty_pairing() -> _core.Pairing:
    """No queries."""
    lists = column_lists(
        queries=b"",
        query_ends=ends(),
        list_ends=ends(),
        documents=b"",
        document_ends=ends(),
        values=floats(0),
    )
    return _core.Pairing(lists, lists, 1)


def column_passages(**given: Any) -> _core.ColumnPassages:
    """Two queries with one and two passages, but for what is given."""
    right: dict[str, Any] = {
        "queries": b"q1q2",
        "query_ends": ends(2, 4),
        "list_ends": ends(1, 3),
        "names": b"ab",
        "name_ends": ends(1, 2),
        "documents": np.array([0, 1, 0], dtype=np.uint32),
        "starts": np.zeros(3, dtype=np.int64),
        "lengths": np.ones(3, dtype=np.int64),
        "seconds": floats(0),
    }
    return _core.ColumnPassages(name="passages", **(right | given))


def column_lengths(**given: Any) -> _core.Lengths:
    """Two lengths, but for what is given."""
    right: dict[str, Any] = {"documents": b"ab", "ends": ends(1, 2), "words": floats(2)}
    return _core.column_lengths(name="lengths", **(right | given), fallback=1.0)


def query_table(**given: Any) -> _core.QueryTable:
    """Two queries with one column, but for what is given."""
    right: dict[str, Any] = {
        "queries": b"q1q2",
        "ends": ends(2, 4),
        "names": [b"weight"],
        "columns": [(b"12", ends(1, 2))],
        "lines": ends(),
    }
    return _core.column_table(name="queries", **(right | given))


def query_rows(threads: int = 1) -> _core.QueryRows:
    """The rows of both queries."""
    return _core.QueryRows(query_table(), pairing(), threads)


def judge(grades: list[int], available: list[int], runs: int = 2) -> object:
    """Ask for one document."""
    given = options(cuts=unseen(runs))
    return _core.judge(pool(), None, measure(), grades, available, given, 1, _core.Progress())


def expose(queries: _core.Pairing | None = None, weights: Any = None) -> _core.Exposures:
    """The documents of the run against itself."""
    given = pairing() if queries is None else queries
    return _core.expose(given, np.ones(2), weights, options(), _core.Progress())


def write_exposures(**given: Any) -> bytes:
    """The rows of two documents, but for what is given."""
    parts: list[bytes] = []
    right: dict[str, Any] = {
        "columns": list("abcdefgh"),
        "statuses": ["same"],
        "change": floats(2),
        "status": np.zeros(2, dtype=np.uint8),
        "order": np.array([1, 0]),
        "titles": [],
        "threads": 1,
    }
    _core.write_exposures(
        expose(),
        **(right | given),
        format=_core.RowFormat.csv,
        spreadsheet=False,
        sink=lambda part: parts.append(bytes(part)),
    )
    return b"".join(parts)


def test_columns_are_named_in_the_core() -> None:
    bounds = "lower", "gap", "gain_gap", "loss_gap"
    assert ("med", "gain", "loss", *bounds, "unseen") == _core.COLUMNS
    assert _core.CHANGES == ("entered", "left", "moved")


def test_what_fits_is_taken() -> None:
    compare()
    compare_passages()
    compare_pairs()
    compare_passage_pairs()
    score(floats(1, 2))
    assert write_rows(floats(1, 8, 2)).count(b"\n") == 3
    assert len(expose(weights=floats(2))) == len(expose(empty_pairing())) == 0
    assert sorted(expose().document(i) for i in range(2)) == [b"a", b"b"]
    assert write_exposures(titles=[None, b"A"]).count(b"\n") == 3
    assert len(column_lists()) == len(column_passages()) == len(column_lengths()) == 2
    assert len(query_table(lines=ends(1, 3))) == len(query_rows()) == 2
    assert len(column_lists(intents=b"xyz", intent_ends=ends(1, 2, 3))) == 2
    assert len(column_passages(seconds=floats(3))) == 2


WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "compare, measures": (
        lambda: compare(values=floats(2, 8, 2)),
        "values must have the shape 1 x 8 x 2",
    ),
    "compare, columns": (lambda: compare(values=floats(1, 7, 2)), "not 1 x 7 x 2"),
    "compare, queries": (lambda: compare(values=floats(1, 8, 3)), "not 1 x 8 x 3"),
    "compare, changes": (
        lambda: compare(changes=counts(1, 2, 2)),
        "changes must have the shape 1 x 3 x 2",
    ),
    "compare, changes of queries": (lambda: compare(changes=counts(1, 3, 1)), "not 1 x 3 x 1"),
    "compare, changes of measures": (lambda: compare(changes=counts(2, 3, 2)), "not 2 x 3 x 2"),
    "compare, cuts of runs": (
        lambda: compare(given=options(cuts=unseen(1))),
        "cuts must have 2 values, not 1",
    ),
    "compare, reaches of measures": (
        lambda: compare(given=options(reaches=[2, 3])),
        "reaches must have 1 values, not 2",
    ),
    "passages, values": (lambda: compare_passages(values=floats(1, 8, 1)), "not 1 x 8 x 1"),
    "passages, changes": (lambda: compare_passages(changes=counts(1, 3, 3)), "not 1 x 3 x 3"),
    "passages, reaches of measures": (
        lambda: compare_passages(given=trail_options(reaches=[])),
        "reaches must have 1 values, not 0",
    ),
    "passages, cuts of runs": (
        lambda: compare_passages(given=trail_options(cuts=unseen(3))),
        "cuts must have 2 values, not 3",
    ),
    "pairs of passages, values": (
        lambda: compare_passage_pairs(values=floats(1, 2, 2)),
        "values must have the shape 1 x 1 x 2",
    ),
    "pairs of passages, notes": (
        lambda: compare_passage_pairs(notes=floats(1, 1, 2)),
        "notes must have the shape 1 x 4 x 2",
    ),
    "pairs of passages, cuts of runs": (
        lambda: compare_passage_pairs(given=trail_options(cuts=unseen(3))),
        "cuts must have 2 values, not 3",
    ),
    "pairs of passages, reaches of measures": (
        lambda: compare_passage_pairs(given=trail_options(reaches=[])),
        "reaches must have 1 values, not 0",
    ),
    "pairs of passages, finished": (
        lambda: compare_passage_pairs(finished=np.zeros(1, dtype=np.uint8)),
        "finished must have the shape 2, not 1",
    ),
    "pairs of passages, runs": (
        lambda: compare_passage_pairs(pair=(0, 2)),
        "there is no run 2: there are 2",
    ),
    "pairs, values": (
        lambda: compare_pairs(values=floats(1, 2, 2)),
        "values must have the shape 1 x 1 x 2",
    ),
    "pairs, notes": (
        lambda: compare_pairs(notes=floats(1, 1, 2)),
        "notes must have the shape 1 x 4 x 2",
    ),
    "pairs, cuts of runs": (
        lambda: compare_pairs(given=options(cuts=unseen(1))),
        "cuts must have 2 values, not 1",
    ),
    "pairs, reaches of measures": (
        lambda: compare_pairs(given=options(reaches=())),
        "reaches must have 1 values, not 0",
    ),
    "pairs, finished": (
        lambda: compare_pairs(finished=np.zeros(1, dtype=np.uint8)),
        "finished must have the shape 2, not 1",
    ),
    "pairs, runs": (lambda: compare_pairs(pair=(0, 2)), "there is no run 2: there are 2"),
    "score": (lambda: score(floats(1, 3)), "values must have the shape 1 x 2, not 1 x 3"),
    "rows": (lambda: write_rows(floats(1, 8, 1)), "values must have the shape 1 x 8 x 2"),
    "rows, kinds": (
        lambda: write_rows(floats(1, 8, 2), of_ranks=[]),
        "of_ranks must have 1 values, not 0",
    ),
    "rows, changes": (
        lambda: write_rows(floats(1, 8, 2), changes=np.zeros((1, 3, 1), dtype=np.uint32)),
        "changes must have the shape 1 x 3 x 2",
    ),
    "rows, threads": (lambda: write_rows(floats(1, 8, 2), 0), "at least one thread"),
    "lists, query ends": (
        lambda: column_lists(query_ends=ends(2, 5)),
        "query_ends must end at 4, not 5",
    ),
    "lists, falling ends": (
        lambda: column_lists(query_ends=ends(5, 4)),
        "query_ends must not fall",
    ),
    "lists, list ends": (
        lambda: column_lists(list_ends=ends(3)),
        "list_ends must have 2 values, not 1",
    ),
    "lists, last list": (
        lambda: column_lists(list_ends=ends(1, 4)),
        "list_ends must end at 3, not 4",
    ),
    "lists, documents": (
        lambda: column_lists(documents=b"ab"),
        "document_ends must end at 2, not 3",
    ),
    "lists, values": (lambda: column_lists(values=floats(2)), "values must have 3 values, not 2"),
    "lists, intents": (
        lambda: column_lists(intents=b"x", intent_ends=ends(1)),
        "intent_ends must have 3 values, not 1",
    ),
    "columns of passages, list ends": (
        lambda: column_passages(list_ends=ends(1, 2)),
        "list_ends must end at 3, not 2",
    ),
    "columns of passages, names": (
        lambda: column_passages(documents=np.array([0, 1, 2], dtype=np.uint32)),
        "there is no name 2: there are 2",
    ),
    "columns of passages, starts": (
        lambda: column_passages(starts=np.zeros(2, dtype=np.int64)),
        "starts must have 3 values, not 2",
    ),
    "columns of passages, lengths": (
        lambda: column_passages(lengths=np.zeros(4, dtype=np.int64)),
        "lengths must have 3 values, not 4",
    ),
    "columns of passages, seconds": (
        lambda: column_passages(seconds=floats(1)),
        "seconds must have 3 values, not 1",
    ),
    "lengths, ends": (lambda: column_lengths(ends=ends(1, 3)), "ends must end at 2, not 3"),
    "lengths, words": (lambda: column_lengths(words=floats(1)), "words must have 2 values, not 1"),
    "table, ends": (lambda: query_table(ends=ends(2, 5)), "ends must end at 4, not 5"),
    "table, names": (lambda: query_table(names=[]), "columns must have 0 values, not 1"),
    "table, cells": (
        lambda: query_table(columns=[(b"1", ends(1))]),
        "a column must have 2 values, not 1",
    ),
    "table, ends of cells": (
        lambda: query_table(columns=[(b"12", ends(1, 3))]),
        "the ends of a column must end at 2, not 3",
    ),
    "table, lines": (lambda: query_table(lines=ends(1)), "lines must have 2 values, not 1"),
    "table, names of ids": (
        lambda: _core.read_query_table(b"q", b"q1\ttext", _core.Delimiter.tab, [], 1),
        "there must be a name of the id column",
    ),
    "table, threads": (
        lambda: _core.read_query_table(b"q", b"q1\ttext", _core.Delimiter.tab, [b"id"], 0),
        "at least one thread",
    ),
    "text of a column": (lambda: query_table().text(b"q1", 1), "there is no column 1: there are 1"),
    "rows, threads of queries": (lambda: query_rows(0), "at least one thread"),
    "weights, column": (
        lambda: query_rows().weights(1, 1.0, floats(2), 1),
        "there is no column 1: there are 1",
    ),
    "weights": (lambda: query_rows().weights(0, 1.0, floats(3), 1), "must have 2 values, not 3"),
    "weights, threads": (lambda: query_rows().weights(0, 1.0, floats(2), 0), "at least one thread"),
    "segments, column": (
        lambda: query_rows().segments(1, np.zeros(2, dtype=np.int32), 1),
        "there is no column 1",
    ),
    "segments": (
        lambda: query_rows().segments(0, np.zeros(1, dtype=np.int32), 1),
        "codes must have 2 values, not 1",
    ),
    "segments, threads": (
        lambda: query_rows().segments(0, np.zeros(2, dtype=np.int32), 0),
        "at least one thread",
    ),
    "texts of a column": (lambda: query_rows().texts(1), "there is no column 1"),
    "measure, grades": (
        lambda: _core.DotProduct(floats(2), floats(3), floats(0), np.zeros(0, dtype=np.int64), 1.0),
        "values must have one for each grade",
    ),
    "cascade, grades": (
        lambda: _core.Cascade(floats(2), floats(3), floats(0), 1.0, 1.0, 1),
        "values must have one for each grade",
    ),
    "query of lists": (lambda: run().entries(2), "there is no query 2: there are 2"),
    "query of a pairing": (lambda: pairing().query(2), "there is no query 2: there are 2"),
    "query in both": (lambda: pairing().in_both(9), "there is no query 9"),
    "query of a pool": (lambda: pool().query(2), "there is no query 2"),
    "query in all": (lambda: pool().in_all(2), "there is no query 2"),
    "query of passages": (lambda: passages().passages(2), "there is no query 2"),
    "query of columns of passages": (lambda: column_passages().passages(2), "there is no query 2"),
    "query to weigh": (
        lambda: _core.weigh_query(
            _core.Pairing(passages(), passages(), 1),
            2,
            None,
            _core.TimeBiasedTrail(224.0, 25.0),
            trail_options(),
        ),
        "there is no query 2",
    ),
    "a query of a pairing without queries": (
        lambda: _core.query(empty_pairing(), 0, None, [measure()], options()),
        "there is no query 0: there are 0",
    ),
    "weights of queries": (lambda: expose(weights=floats(3)), "weights must have 2 values, not 3"),
    "a document": (lambda: expose().document(2), "there is no document 2: there are 2"),
    "exposures, columns": (
        lambda: write_exposures(columns=["a"]),
        "columns must have 8 values, not 1",
    ),
    "exposures, change": (
        lambda: write_exposures(change=floats(1)),
        "change must have 2 values, not 1",
    ),
    "exposures, status": (
        lambda: write_exposures(status=np.array([0, 1], dtype=np.uint8)),
        "there is no status 1: there are 1",
    ),
    "exposures, statuses": (
        lambda: write_exposures(status=np.zeros(3, dtype=np.uint8)),
        "status must have 2 values, not 3",
    ),
    "exposures, order": (
        lambda: write_exposures(order=np.array([0, -1])),
        "there is no document 18446744073709551615: there are 2",
    ),
    "exposures, all in order": (
        lambda: write_exposures(order=np.array([0])),
        "order must have 2 values, not 1",
    ),
    "exposures, titles": (lambda: write_exposures(titles=[b"A"]), "titles must have 2 values"),
    "exposures, threads": (lambda: write_exposures(threads=0), "at least one thread"),
    "no runs": (lambda: _core.Pool([]), "at least one run"),
    "no threads": (lambda: options(0), "at least one thread"),
    "no threads for passages": (lambda: trail_options(0), "at least one thread"),
    "no threads to pair": (lambda: _core.Pairing(run(), run(), 0), "at least one thread"),
    "no threads to read": (
        lambda: _core.read_run(b"run", RUN, _core.Order.score, 0),
        "at least one thread",
    ),
    "a grade beyond the collection": (
        lambda: judge([0, 2], [1, 1]),
        "there is no grade 2: there are 2",
    ),
    "judge, cuts of runs": (lambda: judge([0, 1], [], 3), "cuts must have 2 values, not 3"),
    "query, cuts of runs": (
        lambda: _core.query(pairing(), 0, None, [measure()], options(cuts=unseen(1))),
        "cuts must have 2 values, not 1",
    ),
    "arrow, rows": (
        lambda: _core.ArrowBatch(2).add_floats("x", floats(3)),
        "the column x must have 2 rows, not 3",
    ),
    "arrow, integers": (
        lambda: _core.ArrowBatch(2).add_integers("x", np.zeros(3, dtype=np.int64)),
        "values must have 2 values, not 3",
    ),
    "arrow, missing": (
        lambda: _core.ArrowBatch(1).add_flags("x", np.ones(1, np.bool_), np.ones(2, np.bool_)),
        "missing must have 1 values, not 2",
    ),
    "arrow, codes": (
        lambda: _core.ArrowBatch(1).add_codes("x", np.ones(1, dtype=np.int32), [b"a"]),
        "a code of x has no label",
    ),
    "arrow, negative codes": (
        lambda: _core.ArrowBatch(1).add_codes("x", -np.ones(1, dtype=np.int32), [b"a"]),
        "a code of x has no label",
    ),
    "arrow, queries": (
        lambda: _core.ArrowBatch(2).add_queries("x", pairing(), 1, 1),
        "there are not so many queries",
    ),
    "arrow, rows of a query": (
        lambda: _core.ArrowBatch(3).add_queries("x", pairing(), 0, 2),
        "as many rows as any other",
    ),
    "arrow, no rows of a query": (
        lambda: _core.ArrowBatch(0).add_queries("x", pairing(), 0, 0),
        "as many rows as any other",
    ),
    "arrow, cells": (
        lambda: _core.ArrowBatch(2).add_cells("x", query_rows(), 9, 0, 1),
        "there is no column 9",
    ),
    "arrow, no batch": (lambda: _core.arrow_stream([]), "a stream needs a batch"),
    "arrow, other columns": (
        lambda: _core.arrow_stream([batch("x"), batch("y")]),
        "all batches have the same columns",
    ),
    "a negative grade": (lambda: judge([-1], []), "grades must not be negative"),
}


@pytest.mark.parametrize(("call", "problem"), WRONG.values(), ids=list(WRONG))
def test_what_does_not_fit_is_refused(call: Callable[[], object], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        call()


def test_similarities_have_no_relevance() -> None:
    overlap = _core.SetOverlap(_core.SetOverlap.Kind.jaccard, 10)
    with pytest.raises(TypeError, match="effectiveness"):
        _core.query(pairing(), 0, None, [overlap], options())
    with pytest.raises(TypeError, match="effectiveness"):
        _core.IntentAware(overlap, 2)
    with pytest.raises(TypeError, match="effectiveness"):
        _core.judge(pool(), None, overlap, [0, 1], [], options(), 1, _core.Progress())
    qrels = _core.read_qrels(b"qrels", b"q1 0 a 1\n", 1)
    with pytest.raises(TypeError, match="effectiveness"):
        _core.score(run(), qrels, [overlap], options(), floats(1, 1))


def test_documents_are_not_passages() -> None:
    with pytest.raises(TypeError, match="passages"):
        compare_passages(lists=run())
    with pytest.raises(TypeError, match="must be of passages"):
        compare_passage_pairs(runs=pool())


def test_lengths_of_lists_that_were_counted_elsewhere() -> None:
    lengths = _core.ListLengths([3, 5, 0, 1], [4, 2, 9, 1])
    assert (lengths.longest, lengths.at_longest, lengths.shortest) == (5, 2, 1)
    assert (lengths.with_results, lengths.asked, lengths.cut) == (7, 0, 5)
    assert _core.ListLengths([3, 5], [4, 1]).cut == 2**64 - 1  # one list has the greatest length


def test_as_many_numbers_of_lists_as_lengths() -> None:
    with pytest.raises(ValueError, match="numbers of lists"):
        _core.ListLengths([3, 5], [4])
