"""The exposure of documents against its definition, and what it must add up to."""

from __future__ import annotations

import io
import itertools
import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import Exposures
from medir.comparing.exposure import COLUMNS
from medir.files.tables import Table
from tests.cases.runs import ranked, write_run
from tests.oracles.exposure import WORTH, Run, Truth, change_of_depths, exposures
from tests.profiles import examples

POOL = ["a", "b", "c", "d", "e", "f", "g", "h"]
QUERIES = ["q1", "q2", "q3", "q4"]
EXACT = 1e-12

runs = st.dictionaries(st.sampled_from(QUERIES), ranked(POOL), min_size=1)


def weighted(
    before: Run, after: Run, measure: str, weights: Mapping[str, float], **options: Any
) -> Exposures:
    """The exposure of documents where queries have weights."""
    queries = {query: {"weight": weight} for query, weight in weights.items()}
    return medir.documents(before, after, measure, queries=queries, **options)


def status(truth: Truth) -> str:
    if truth.queries_before == 0:
        return "new"
    if truth.queries_after == 0:
        return "gone"
    change = truth.after - truth.before
    return "same" if abs(change) <= EXACT else "gained" if change > 0 else "lost"


def assert_equal(found: Exposures, truth: Mapping[str, Truth]) -> None:
    rows = {row.doc_id: row for row in found}
    assert rows.keys() == truth.keys()
    assert len(rows) == len(found)
    for document, row in rows.items():
        expected = truth[document]
        assert row.before == pytest.approx(expected.before, abs=EXACT)
        assert row.after == pytest.approx(expected.after, abs=EXACT)
        assert row.change == pytest.approx(expected.after - expected.before, abs=EXACT)
        assert (row.queries_before, row.queries_after) == expected[2:]
        assert row.status == status(expected)
    for name, count in found.counts().items():
        assert count == sum(status(one) == name for one in truth.values())


@examples(300)
@given(runs, runs, st.sampled_from(sorted(WORTH)), st.sampled_from([None, 1, 2, 5]))
def test_exposure_is_what_its_definition_says(
    before: Run, after: Run, measure: str, depth: int | None
) -> None:
    found = medir.documents(before, after, measure, depth=depth, threads=1)
    assert_equal(found, exposures(before, after, WORTH[measure], depth=depth))


weights_of_queries = st.lists(
    st.sampled_from([0, 1, 2, 3, 0.25]), min_size=len(QUERIES), max_size=len(QUERIES)
)


@examples(200)
@given(runs, runs, st.sampled_from(sorted(WORTH)), weights_of_queries)
def test_queries_have_weights(
    before: Run, after: Run, measure: str, values: Sequence[float]
) -> None:
    weights = dict(zip(QUERIES, values, strict=True))
    found = weighted(before, after, measure, weights)
    assert_equal(found, exposures(before, after, WORTH[measure], weights))
    expected = change_of_depths(before, after, WORTH[measure], weights)
    assert found.total_after - found.total_before == pytest.approx(expected, abs=EXACT)
    assert float(found.change.sum()) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("options", "weights"),
    [
        ({}, {"q1": 3.0, "q2": 0.5, "q3": 1.0, "q4": 0.0}),
        ({"missing_weight": 4}, {"q1": 3.0, "q2": 0.5, "q3": 4.0, "q4": 0.0}),
        ({"weight": "traffic"}, {"q1": 1.0, "q2": 7.0, "q3": 1.0, "q4": 2.5}),
        ({"weight": ""}, dict.fromkeys(QUERIES, 1.0)),
    ],
)
def test_the_table_of_queries_has_the_weights(
    options: dict[str, Any], weights: dict[str, float]
) -> None:
    """q3 has no row, and q1 no traffic."""
    before = {query: POOL[i:] for i, query in enumerate(QUERIES)}
    after = {query: POOL[::-1][i:] for i, query in enumerate(QUERIES)}
    queries = {
        "q1": {"weight": 3},
        "q2": {"weight": 0.5, "traffic": 7},
        "q4": {"weight": 0, "traffic": 2.5},
    }
    found = medir.documents(before, after, "nDCG@3", queries=queries, **options)
    assert_equal(found, exposures(before, after, WORTH["nDCG@3"], weights))


def test_weights_need_a_table() -> None:
    run = {"q": ["a"]}
    for option in ({"weight": "traffic"}, {"missing_weight": 2.0}):
        with pytest.raises(medir.UsageError, match=r"needs a table of queries: --queries FILE"):
            medir.documents(run, run, **option)
    with pytest.raises(medir.InputError, match="traffic"):
        medir.documents(run, run, queries={"q": {"weight": 2}}, weight="traffic")


@examples(100)
@given(runs, runs, st.lists(st.integers(0, 4), min_size=4, max_size=4))
def test_a_whole_weight_is_a_query_repeated(before: Run, after: Run, values: Sequence[int]) -> None:
    def repeated(run: Run) -> dict[str, Sequence[str]]:
        times = dict(zip(QUERIES, values, strict=True))
        return {f"{q} {n}": documents for q, documents in run.items() for n in range(times[q])}

    found = weighted(before, after, "nDCG@3", dict(zip(QUERIES, values, strict=True)))
    many = {row.doc_id: row for row in medir.documents(repeated(before), repeated(after), "nDCG@3")}
    assert {row.doc_id for row in found} == many.keys()
    for row in found:
        other = many[row.doc_id]
        assert (row.before, row.after) == pytest.approx((other.before, other.after), abs=EXACT)
        assert row.status == other.status


@examples(100)
@given(runs, runs, st.sampled_from(sorted(WORTH)))
def test_changes_add_up_to_the_change_of_the_depths(before: Run, after: Run, measure: str) -> None:
    found = medir.documents(before, after, measure)
    expected = change_of_depths(before, after, WORTH[measure])
    assert found.total_after - found.total_before == pytest.approx(expected, abs=EXACT)
    assert float(found.change.sum()) == pytest.approx(expected, abs=EXACT)


@examples(50)
@given(st.integers(1, 8).flatmap(lambda n: st.tuples(*[ranked(POOL, n, n)] * 4)))
def test_changes_of_lists_of_equal_depth_add_up_to_nothing(lists: Sequence[Sequence[str]]) -> None:
    before, after = dict(zip("xy", lists[:2], strict=True)), dict(zip("xy", lists[2:], strict=True))
    found = medir.documents(before, after, "RBP(p=0.8)")
    assert abs(float(found.change.sum())) <= EXACT
    assert found.total_before == found.total_after


def many(queries: int, seed: int, ids: int = 3000) -> dict[str, list[str]]:
    """A run with ids of all lengths; some begin alike."""
    rng = random.Random(seed)
    pool = [f"{'document-'[: i % 10]}{i:0{1 + i % 30}d}" for i in range(ids)]
    return {f"q{i}": rng.sample(pool, rng.randint(0, 30)) for i in range(queries)}


@pytest.mark.parametrize("weights", [False, True])
def test_the_number_of_threads_changes_no_bit(weights: bool) -> None:
    before, after = many(900, 1), many(900, 2)
    rng = random.Random(3)
    weight = {query: rng.random() if weights else 1.0 for query in before}
    found = [weighted(before, after, "RBP(p=0.9)", weight, threads=n) for n in (1, 2, 3, 7)]
    first, *others = [list(one) for one in found]
    assert len(first) == 3000
    assert all(other == first for other in others)
    totals = {(one.total_before, one.total_after) for one in found}
    assert len(totals) == 1
    assert_equal(found[-1], exposures(before, after, WORTH_9, weight))


WORTH_9 = WORTH["RBP(p=0.8)"]._replace(of=lambda rank: 0.1 * 0.9 ** (rank - 1))


def test_more_ranks_than_are_read_at_a_time() -> None:
    """Lists of 1,500 results and 1,000 queries are read in more than one go."""
    rng = random.Random(4)
    pool = [f"d{i}" for i in range(1600)]
    before = {f"q{i}": rng.sample(pool, 1500) for i in range(1000)}
    after = {f"q{i}": rng.sample(pool, 1500) for i in range(1000)}
    found = medir.documents(before, after, "P@1500")
    ranks = WORTH["P@2"]._replace(of=lambda _: 1 / 1500, cutoff=1500)
    truth = exposures(before, after, ranks)
    assert len(found) == 1600
    for row in found:
        expected = truth[row.doc_id]
        assert (row.queries_before, row.queries_after) == expected[2:]
        assert row.after == pytest.approx(expected.after, rel=EXACT)


def test_rows_go_from_the_largest_gain_to_the_largest_loss() -> None:
    found = medir.documents(many(50, 1), many(50, 2), "P@5")
    changes = [row.change for row in found]
    assert changes == sorted(changes, reverse=True)
    assert found.gains(3) == list(found)[:3]
    assert [row.change for row in found.losses(3)] == sorted(changes)[:3]
    largest = sorted(map(abs, changes), reverse=True)
    assert [abs(row.change) for row in found.top(7)] == largest[:7]
    assert found.top(0) == found.gains(0) == []


def test_ties_are_in_order_of_appearance() -> None:
    before = {"q1": ["a", "b", "c"], "q2": ["d", "e", "f"]}
    after = {"q1": ["z", "y", "x"], "q2": ["e", "w", "d"]}
    found = medir.documents(before, after, "P@3")
    assert [row.doc_id for row in found] == ["z", "y", "x", "w", "d", "e", "a", "b", "c", "f"]
    assert [row.doc_id for row in found.gains(2)] == ["z", "y"]
    assert [row.doc_id for row in found.losses(2)] == ["a", "b"]


def test_what_does_not_gain_is_not_among_the_gains() -> None:
    run = {"q": ["a", "b"]}
    found = medir.documents(run, run)
    assert found.gains() == found.losses() == found.top() == []
    assert found.counts() == {"new": 0, "gone": 0, "gained": 0, "lost": 0, "same": 2}
    assert [row.change for row in found] == [0.0, 0.0]


def test_what_rounding_leaves_is_no_change() -> None:
    """The document moves from ranks 1, 2, 3 to ranks 3, 1, 2."""
    places = itertools.cycle([1, 2, 3]), itertools.cycle([3, 1, 2])
    before, after = (
        {f"q{i}": [f"x{j}" if j != rank else "moved" for j in (1, 2, 3)] for i, rank in some}
        for some in (enumerate(itertools.islice(place, 300)) for place in places)
    )
    found = {row.doc_id: row for row in medir.documents(before, after, "RBP(p=0.7)")}
    assert found["moved"].before != 0
    assert (found["moved"].change, found["moved"].status) == (0.0, "same")


def test_a_query_of_one_run_counts_as_missing_says() -> None:
    before, after = {"q": ["a"], "old": ["b"]}, {"q": ["a"], "new": ["c"]}
    found = medir.documents(before, after, "P@1")
    assert {row.doc_id: row.status for row in found} == {"a": "same", "b": "gone", "c": "new"}
    common = medir.documents(before, after, "P@1", missing="skip")
    assert [row.doc_id for row in common] == ["a"]
    with pytest.raises(medir.InputError, match="only in"):
        medir.documents(before, after, "P@1", missing="error")


def test_duplicates(tmp_path: Path) -> None:
    path = tmp_path / "twice.run"
    path.write_text("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n")
    with pytest.raises(medir.InputError, match="appears twice"):
        medir.documents(path, path)
    found = medir.documents(path, path, "P@2", duplicates="first")
    assert [(row.doc_id, row.after) for row in found] == [("a", 0.5), ("b", 0.5)]
    assert found.repeats == 2


def test_order() -> None:
    scores = {"q": {"a": 1.0, "b": 2.0}}
    found = medir.documents(scores, scores, "P@1", order="file")
    assert [row.doc_id for row in found] == ["a"]


def test_titles(tmp_path: Path) -> None:
    before, after = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    titles = {"a": "Alpha", "c": "Gamma"}
    found = medir.documents(before, after, "P@2", documents=titles)
    assert [row.title for row in found] == ["Gamma", None, "Alpha"]
    path = tmp_path / "titles.tsv"
    path.write_text("a\tAlpha\nc\tGamma\n")
    same = medir.documents(before, after, "P@2", documents=path)
    assert list(same) == list(found)
    assert same.gains()[0].title == "Gamma"


def test_runs_that_are_read_keep_their_ids(tmp_path: Path) -> None:
    """Nothing but the result holds the text of the files."""
    before = write_run(tmp_path / "before.run", {"q": ["a", "b"]})
    after = write_run(tmp_path / "after.run", {"q": ["b", "c"]})
    found = medir.documents(before, after, "P@2")
    before.unlink()
    after.unlink()
    assert [row.doc_id for row in found] == ["c", "b", "a"]


def test_every_column_is_written(tmp_path: Path) -> None:
    found = medir.documents({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2", documents={"a": "A"})
    assert tuple(COLUMNS) == medir.Exposure._fields
    found.write(tmp_path / "rows.csv")
    assert (tmp_path / "rows.csv").read_text() == (
        "doc_id,before,after,change,queries_before,queries_after,status,title\n"
        "c,0,0.5,0.5,0,1,new,\n"
        "b,0.5,0.5,0,1,1,same,\n"
        "a,0.5,0,-0.5,1,0,gone,A\n"
    )


texts = st.text(
    st.sampled_from(["a", ",", '"', "\t", "\n", "\\", "é", "\udcff", "\ud800", "\x07", " ", "𝔘"]),
    max_size=4,
)


@examples(100)
@given(st.lists(texts, min_size=1, max_size=6, unique=True), st.lists(texts, max_size=6))
def test_the_core_writes_rows_as_the_one_writer_of_tables_does(
    names: Sequence[str], titles: Sequence[str]
) -> None:
    ids = [name.replace("\ud800", "") + str(i) for i, name in enumerate(names)]
    known = dict(zip(ids, titles, strict=False))
    found = medir.documents({"q": ids}, {"q": ids[::-1], "r": ids[:1]}, "nDCG@5", documents=known)
    for format_ in ("csv", "tsv", "jsonl"):
        native, plain = io.BytesIO(), io.BytesIO()
        found.write(native, format_)
        Table(COLUMNS, found).write(plain, format_)
        assert native.getvalue() == plain.getvalue()


@pytest.mark.parametrize("format_", ["csv", "jsonl"])
def test_many_rows_are_written_in_order(format_: str) -> None:
    found = medir.documents(many(900, 1, 9000), many(900, 2, 9000), "RBP(p=0.8)", threads=3)
    assert len(found) > 8192
    native, plain = io.BytesIO(), io.BytesIO()
    found.write(native, format_)
    Table(COLUMNS, found).write(plain, format_)
    assert native.getvalue() == plain.getvalue()


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    found = medir.documents(many(20, 1), many(20, 2), "P@5", documents={"7": "Seven"})
    found.write(tmp_path / "rows.parquet")
    rows = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    assert rows == [row._asdict() for row in found]


@pytest.mark.parametrize("measure", ["ERR", "RR", "AP@10", "alpha_nDCG@5", "TBG"])
def test_a_measure_with_decay_is_refused(measure: str) -> None:
    with pytest.raises(medir.UsageError, match=r"documents above it.*such as nDCG@20"):
        medir.documents({"q": ["a"]}, {"q": ["b"]}, measure)


def test_measures_that_are_refused() -> None:
    run = {"q": ["a"]}
    with pytest.raises(medir.UsageError, match="ignores relevance"):
        medir.documents(run, run, "RBO")
    with pytest.raises(medir.UsageError, match="name one measure, not 2: P@5, P@10"):
        medir.documents(run, run, ["P@5", "P@10"])
    with pytest.raises(medir.MeasureError, match="passages"):
        medir.documents(run, run, "U@100")
    own = medir.define("halves", lambda c: float(c.sum()))
    with pytest.raises(medir.UsageError, match="documents above it"):
        medir.documents(run, run, own)


def test_the_ideal_is_unbounded_and_named_so() -> None:
    run = {"q": ["a"]}
    names = {"nDCG@5": "nDCG@5", "nDCG(ideal='judged')@5": "nDCG(ideal='unbounded')@5"}
    for stated, named in names.items():
        assert repr(medir.documents(run, run, stated).measure) == named
    assert repr(medir.documents(run, run).measure) == "nDCG@1"


def test_a_discount_of_your_own() -> None:
    own = medir.Discount([4, 2], norm=8)
    found = medir.documents({"q": ["a", "b", "c"]}, {"q": ["c", "a", "b"]}, own)
    assert [tuple(row[:4]) for row in found] == [
        ("c", 0.0, 0.5, 0.5),
        ("a", 0.5, 0.25, -0.25),
        ("b", 0.25, 0.0, -0.25),
    ]


def test_progress_and_repr() -> None:
    calls: list[tuple[int, int]] = []
    run = {"q": ["a"], "r": ["b"]}
    found = medir.documents(
        run, {"q": ["c"]}, "P@1", progress=lambda done, total: calls.append((done, total))
    )
    assert calls[-1] == (2, 2)
    assert repr(found) == "<Exposures by P@1 in before and after: 1 newly visible, 2 gone dark>"


@pytest.mark.parametrize("measure", ["nDCG@20", "RBP(p=0.9)", "P@10"])
def test_changes_add_up_on_trec_covid(data: Path, measure: str) -> None:
    """Between neighbours of the runs of round 5, cut at several depths."""
    paths = sorted((data / "trec-covid-r5" / "runs").iterdir())
    all_runs = [medir.Run.of(path) for path in paths]
    assert len(all_runs) >= 40
    ranks = {
        "nDCG@20": WORTH["nDCG@20"],
        "RBP(p=0.9)": WORTH_9,
        "P@10": WORTH["P@2"]._replace(of=lambda _: 0.1, cutoff=10),
    }[measure]
    for before, after in itertools.pairwise(all_runs):
        found = medir.documents(before, after, measure)
        lists = [{query: run[query] for query in run} for run in (before, after)]
        expected = change_of_depths(lists[0], lists[1], ranks)
        total = math.fsum(row.change for row in found)
        assert total == pytest.approx(expected, abs=1e-9)
        assert found.total_after - found.total_before == pytest.approx(expected, abs=1e-9)
        if measure == "P@10":
            assert_equal(found, exposures(lists[0], lists[1], ranks))
