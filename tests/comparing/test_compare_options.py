"""What goes into a comparison and how it is taken: sources, options, and errors about them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import Comparison, InputError, Row, UsageError
from tests.cases.dot_product import Case, cases
from tests.cases.runs import ranked, write_qrels, write_run
from tests.profiles import examples

DOCUMENTS = "abcdefgh"
MEASURES = ["nDCG@5", "RBP(p=0.8)", "P@3"]
runs = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), ranked(DOCUMENTS), min_size=1)
grades = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2))
judgments = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), grades, min_size=1)


def rows_by_query(result: Comparison) -> dict[tuple[str, str], tuple[float, ...]]:
    """Every row under its query and measure."""
    return {(row.query_id, repr(row.measure)): row[2:] for row in result}


def shuffled_lines(path: Path, seed: int) -> None:
    """Puts the lines of a file in any order."""
    lines = path.read_text().splitlines(keepends=True)
    random.Random(seed).shuffle(lines)
    path.write_text("".join(lines))


# Sources.


@examples(100)
@given(runs, runs, judgments | st.none())
def test_lists_scores_files_and_runs_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, before: Any, after: Any, qrels: Any
) -> None:
    folder = tmp_path_factory.mktemp("sources")
    before = {query: documents for query, documents in before.items() if documents} or {"q1": ["a"]}
    after = {query: documents for query, documents in after.items() if documents} or {"q1": ["b"]}
    judged = None if qrels is None else {q: some for q, some in qrels.items() if some}
    expected = medir.compare(before, after, MEASURES, qrels=judged)

    def scores(run: dict[str, list[str]]) -> dict[str, dict[str, float]]:
        return {q: {d: 1 / rank for rank, d in enumerate(run[q], 1)} for q in run}

    paths = write_run(folder / "before", before), write_run(folder / "after", after)
    file = write_qrels(folder / "qrels", judged) if judged else None
    by_scores = medir.compare(scores(before), scores(after), MEASURES, qrels=judged)
    by_files = medir.compare(*paths, MEASURES, qrels=file)
    by_runs = medir.compare(medir.Run.read(paths[0]), medir.Run.of(after), MEASURES, qrels=judged)
    for other in (by_scores, by_files, by_runs):
        if other is by_files and judged == {}:  # there is no file without judgments
            continue
        assert other.queries == expected.queries
        assert np.array_equal(other.values, expected.values)
        assert np.array_equal(other.changes, expected.changes)


@examples(100)
@given(runs, runs, judgments, st.integers(0, 100))
def test_order_of_lines_does_not_matter(
    tmp_path_factory: pytest.TempPathFactory, before: Any, after: Any, qrels: Any, seed: int
) -> None:
    """Neither the order of queries, nor whether the lines of a query stand together."""
    folder = tmp_path_factory.mktemp("orders")
    first = write_run(folder / "before", before | {"q0": ["a"]})
    second = write_run(folder / "after", after | {"q0": ["b"]})
    judged = write_qrels(folder / "qrels", qrels | {"q0": {"b": 1}})
    grouped = rows_by_query(medir.compare(first, second, MEASURES, qrels=judged))
    for path in (first, second, judged):
        shuffled_lines(path, seed)
    assert rows_by_query(medir.compare(first, second, MEASURES, qrels=judged)) == grouped


def many_queries(seed: int, count: int = 1500) -> dict[str, list[str]]:
    """A run that is large enough to be worth several threads."""
    chance = random.Random(seed)
    return {f"q{n}": chance.sample(DOCUMENTS, chance.randrange(9)) for n in range(count)}


@pytest.mark.parametrize("threads", [2, 3, 16, None])
def test_threads_do_not_matter(threads: int | None, tmp_path: Path) -> None:
    before, after = many_queries(1), many_queries(2)
    qrels = {query: {"a": 2, "b": 0, "c": 1} for query in list(before)[::3]}
    paths = write_run(tmp_path / "before", before), write_run(tmp_path / "after", after)
    sources: list[tuple[Any, Any]] = [(before, after), paths]
    for first, second in sources:
        alone = medir.compare(first, second, MEASURES, qrels=qrels, threads=1)
        together = medir.compare(first, second, MEASURES, qrels=qrels, threads=threads)
        assert together.queries == alone.queries
        assert np.array_equal(together.values, alone.values)
        assert np.array_equal(together.changes, alone.changes)
        assert together.repeats == alone.repeats
        assert together.without_relevant == alone.without_relevant
    scores = [medir.score(before, "nDCG@5", qrels, threads=number) for number in (1, threads)]
    assert scores[0] == scores[1]


def test_progress_is_told() -> None:
    calls: list[tuple[int, int]] = []
    before = many_queries(1)
    watched = medir.compare(before, before, progress=lambda *call: calls.append(call))
    assert calls
    assert all(0 <= done <= total == len(watched) for done, total in calls)


def test_numbers_as_ids() -> None:
    result = medir.compare({1: [10, 20]}, {"1": ["20", "10"]}, "P@2")
    assert result.queries == ["1"]
    assert result.row(0).med == 0


# Options.


@examples(150)
@given(cases(ideals=["unbounded", "judged", "number", "counts"]), st.integers(1, 6))
def test_depth_is_a_cut(case: Case, depth: int) -> None:
    by_hand = case.row(before=case.before[:depth], after=case.after[:depth])
    result = medir.compare(
        {"q": case.before},
        {"q": case.after},
        case.measure,
        qrels=None if case.judged is None else {"q": case.grades},
        unseen=case.unseen,
        depth=depth,
    )
    assert result.row(0)[2:] == pytest.approx(by_hand[2:], rel=0, abs=1e-12, nan_ok=True)


BEFORE = {"q1": ["a", "b"], "q2": ["a"], "q3": ["c"]}
AFTER = {"q4": ["d"], "q2": ["b"], "q5": ["a", "b"], "q1": ["b", "a"], "q6": ["e"]}


def test_missing_queries_meet_an_empty_list() -> None:
    result = medir.compare(BEFORE, AFTER, "P@2")
    assert result.queries == ["q1", "q2", "q3", "q4", "q5", "q6"]
    assert (len(result), result.only_before, result.only_after) == (6, 1, 3)
    same = medir.compare(
        {q: BEFORE.get(q, []) for q in result.queries},
        {q: AFTER.get(q, []) for q in result.queries},
        "P@2",
    )
    assert np.array_equal(result.values, same.values)
    assert (same.only_before, same.only_after) == (0, 0)


def test_missing_queries_are_skipped() -> None:
    result = medir.compare(BEFORE, AFTER, "P@2", missing="skip")
    assert result.queries == ["q1", "q2"]
    assert (result.only_before, result.only_after) == (1, 3)
    both = {"q1", "q2"}
    same = medir.compare(
        {q: d for q, d in BEFORE.items() if q in both},
        {q: d for q, d in AFTER.items() if q in both},
        "P@2",
        missing="error",
    )
    assert rows_by_query(result) == rows_by_query(same)


def test_missing_queries_are_an_error() -> None:
    with pytest.raises(InputError, match=r"1 query only in before, 3 only in after: q3, q4"):
        medir.compare(BEFORE, AFTER, "P@2", missing="error")


def test_no_query_in_common() -> None:
    with pytest.raises(InputError, match="no query in common"):
        medir.compare({"q1": ["a"]}, {"Q1": ["a"]}, missing="skip")


@examples(200)
@given(
    st.lists(st.sampled_from("abcd"), max_size=8),
    st.lists(st.sampled_from("abcd"), max_size=8),
    st.integers(1, 6) | st.none(),
)
def test_first_of_repeated_documents(
    before: list[str], after: list[str], depth: int | None
) -> None:
    once = [list(dict.fromkeys(documents)) for documents in (before, after)]
    result = medir.compare({"q": before}, {"q": after}, MEASURES, duplicates="first", depth=depth)
    expected = medir.compare({"q": once[0]}, {"q": once[1]}, MEASURES, depth=depth)
    assert np.array_equal(result.values, expected.values)
    assert np.array_equal(result.changes, expected.changes)
    assert result.repeats == len(before) - len(once[0]) + len(after) - len(once[1])
    assert expected.repeats == 0
    qrels = {"q": {"a": 1, "c": 2}}
    scores = [
        medir.score({"q": before}, "nDCG@5", qrels, duplicates="first"),
        medir.score({"q": once[0]}, "nDCG@5", qrels),
    ]
    assert scores[0] == scores[1]


def test_repeated_documents_are_an_error() -> None:
    for before, after in (("aa", ""), ("", "aba")):
        with pytest.raises(InputError, match=r"'a' appears twice in the list of query 'q'"):
            medir.compare({"q": [*before]}, {"q": [*after]})
    with pytest.raises(InputError, match="appears twice"):
        medir.med(["a", "a"], [])


# Counts beside the values.


def plain_changes(before: Sequence[str], after: Sequence[str]) -> tuple[int, int, int]:
    """Entered, left and moved."""
    entered = [d for d in after if d not in before]
    left = [d for d in before if d not in after]
    moved = [d for d in before if d in after and before.index(d) != after.index(d)]
    return len(entered), len(left), len(moved)


@examples(300)
@given(
    ranked(DOCUMENTS),
    ranked(DOCUMENTS),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 9) | st.none(),
)
def test_changes(
    before: list[str], after: list[str], first: int, second: int, depth: int | None
) -> None:
    """As far as each measure looks, and no further than the depth."""
    measures = f"nDCG@{first}", f"P@{second}"
    result = medir.compare({"q": before}, {"q": after}, measures, depth=depth)
    for number, (one, reach) in enumerate(zip(measures, (first, second), strict=True)):
        k = min(reach, depth or 9)
        expected = plain_changes(before[:k], after[:k])
        assert tuple(result.changes[number, :, 0]) == expected
        found = (int(result.change(name, one)[0]) for name in ("entered", "left", "moved"))
        assert tuple(found) == expected
        assert result.changed(one).tolist() == [before[:k] != after[:k]]
    assert result.changed().tolist() == result.changed(measures[0]).tolist()


def test_changes_of_an_endless_measure_are_those_of_the_whole_lists() -> None:
    before, after = [*"abcdefgh"], [*"abcdefhx"]
    result = medir.compare({"q": before}, {"q": after}, ["P@2", "RBP", "P@7"])
    seen = [tuple(changes) for changes in result.changes[:, :, 0]]
    expected = [(before[:k], after[:k]) for k in (2, 8, 7)]
    assert seen == [plain_changes(*lists) for lists in expected]


def test_score_of_queries() -> None:
    """Every judged query, in the order of the judgments; others are left out."""
    scores = medir.score({"q1": ["a"], "q9": ["a"]}, "P@1", {"q2": {"a": 1}, "q1": {"a": 1}})
    assert list(scores.items()) == [("q2", 0.0), ("q1", 1.0)]


# Errors.


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": []}, "at least one measure"),
        ({"missing": "none"}, "missing must be one of empty, skip, error"),
        ({"order": "Score"}, "order must be one of score, rank, file"),
        ({"duplicates": "last"}, "duplicates must be one of error, first"),
        ({"unseen": "all"}, "unseen must be one of auto, anything, nothing"),
        ({"unseen": None}, "unseen must be one of auto, anything, nothing"),
        ({"depth": 0}, "depth must be 1 or more, not 0"),
        ({"depth": -3}, "depth must be 1 or more, not -3"),
        ({"depth": 10**40}, "depth must be 1000000000000 or less"),
        ({"columns": "q"}, r"columns must be a mapping like \{'query_id': 'q'\}, not 'q'"),
        ({"requests": 5}, "requests must be a path, not 5"),
        ({"threads": 0}, "threads must be 1 or more, not 0"),
        ({"measures": "nDCG(ideal='judged')@5"}, "takes its ideal from judgments"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        medir.compare(BEFORE, AFTER, **options)


@pytest.mark.parametrize("options", [{"depth": 1.5}, {"threads": 1.5}])
def test_options_of_a_wrong_type(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        medir.compare(BEFORE, AFTER, **options)


def test_standard_input_twice() -> None:
    with pytest.raises(UsageError, match="standard input"):
        medir.compare("-", "-")


def test_score_refuses_bad_options() -> None:
    with pytest.raises(UsageError, match="duplicates"):
        medir.score(BEFORE, "P@1", {"q1": {"a": 1}}, duplicates="x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="order"):
        medir.score(BEFORE, "P@1", {"q1": {"a": 1}}, order="x")  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [["a", "b"], None, 5])
def test_sources_that_are_no_run(source: Any) -> None:
    with pytest.raises(InputError, match="cannot use an object of type"):
        medir.compare(source, AFTER)


@pytest.mark.parametrize("qrels", [{"q1": ["a", "b"]}, {"q1": None}, {"q1": {"a": "high"}}, 5])
def test_sources_that_are_no_judgments(qrels: Any) -> None:
    with pytest.raises(InputError):
        medir.compare(BEFORE, AFTER, qrels=qrels)


def test_grades_above_the_declared(tmp_path: Path) -> None:
    judged = {"q1": {"a": 1, "b": 3}}
    for qrels in (judged, write_qrels(tmp_path / "qrels.txt", judged)):
        with pytest.raises(InputError, match=r"grade 3 is above max_grade=2"):
            medir.compare(BEFORE, AFTER, "nDCG(max_grade=2)@5", qrels=qrels)
        assert len(medir.compare(BEFORE, AFTER, "nDCG(max_grade=3)@5", qrels=qrels)) == 6


def test_nothing_is_written_to_standard_streams(capfd: pytest.CaptureFixture[str]) -> None:
    row: Row = medir.compare(BEFORE, AFTER).row(0)
    assert row.query_id == "q1"
    assert capfd.readouterr() == ("", "")
