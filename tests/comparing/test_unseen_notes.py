"""What is said of unseen ranks, and which measure is taken where none is named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import Comparison, nDCG
from medir.inputs.unseen import NEVER, cut_note, list_lengths
from tests.cases.runs import write_run
from tests.cases.unseen import Lists, one_run
from tests.oracles.unseen import distinct
from tests.profiles import examples

D = [f"d{i}" for i in range(40)]
REMEDY = "if results were removed after the cut, pass --unseen anything"


def run_of(*lengths: int, first: int = 0) -> Lists:
    """Lists of these lengths."""
    return {f"q{i}": D[first : first + length] for i, length in enumerate(lengths)}


def notes_of(before: Any, after: Any, *measures: str, **options: Any) -> list[str]:
    return list(medir.compare(before, after, measures, **options).unseen_notes())


# How lists are told apart.


@examples(200)
@given(one_run(["a", "b", "c", "d"], 4), st.integers(1, 3))
def test_lengths_of_lists(run: Lists, threads: int) -> None:
    """Those with results, without duplicates."""
    found = list_lengths(medir.Run.of(run), "first", threads)
    lengths = [distinct(documents) for documents in run.values() if documents]
    longest = max(lengths, default=0)
    assert (found.longest, found.at_longest) == (longest, lengths.count(longest))
    assert found.with_results == len(lengths)
    assert found.shortest == min(lengths, default=NEVER)
    cut = lengths.count(longest) >= 2 or len(lengths) == 1
    assert found.cut == (longest if cut else NEVER)


def test_lengths_do_not_depend_on_threads_or_lines(tmp_path: Path) -> None:
    """Comments and blank lines are no results, and lists may be scattered over a file."""
    run = {f"q{i}": [f"d{j}" for j in range(3 + (i % 7 == 0))] for i in range(600)}
    path = write_run(tmp_path / "a.run", run)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("# a comment\n\n".join(lines[1::2] + lines[::2]))
    read = medir.Run.read(path)
    for threads in (1, 2, 5):
        for duplicates in ("error", "first"):
            found = list_lengths(read, duplicates, threads)
            assert (found.longest, found.at_longest) == (4, 86)
            assert (found.shortest, found.with_results, found.cut) == (3, 600, 4)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        (
            [15] * 14 + [3] * 36,
            "a.run: 14 lists have the run's greatest length 15 and count as cut, 36 are shorter "
            f"and count as ended; {REMEDY}",
        ),
        (
            [15, 15, 3, 0, 0],
            "a.run: 2 lists have the run's greatest length 15 and count as cut, 1 is shorter "
            f"and counts as ended; {REMEDY}",
        ),
        (
            [1200 // 40, 7, 7],
            "a.run: only one of 3 lists has the greatest length 30, so nothing cut the run and "
            "all lists count as ended; if results were removed after a cut, pass --unseen anything",
        ),
    ],
)
def test_the_note_names_both_numbers(lengths: list[int], expected: str) -> None:
    run = medir.Run.of(run_of(*lengths))
    assert cut_note("a.run", list_lengths(run, "error", 1)) == expected


def test_the_note_is_there_where_it_matters() -> None:
    """That is where a list ended above a rank that a measure looks at."""
    mixed, even, other = run_of(5, 5, 3), run_of(5, 5, 5), run_of(5, 5, 5, first=1)
    assert notes_of(mixed, mixed, "P@3") == []
    assert notes_of(even, even, "P@5") == []
    both = notes_of(mixed, mixed, "P@4")
    assert [note.partition(" lists have")[0] for note in both] == ["before: 2", "after: 2"]
    same = medir.Run.of(mixed, name="same")
    assert len(notes_of(same, same, "P@4")) == 1  # said once
    # Only the run with such lists is named, and no zero is counted.
    assert [note.split(":")[0] for note in notes_of(mixed, even, "P@4")] == ["before"]
    assert [note.split(":")[0] for note in notes_of(even, mixed, "P@4")] == ["after"]
    assert not any(re.search(r"\b0 (is|are) ", note) for note in notes_of(mixed, other, "P@9"))
    # Neither where nothing is decided by the rule, nor where depth cuts them all.
    for rule in ("anything", "nothing"):
        assert not any(REMEDY in note for note in notes_of(mixed, mixed, "P@9", unseen=rule))
    assert notes_of(mixed, mixed, "P@2", depth=2) == []
    assert not any(REMEDY in note for note in notes_of(mixed, mixed, "P@9", depth=2))
    # A run with one list of results was cut, as in the paper.
    assert not any(REMEDY in note for note in notes_of(run_of(3, 0), run_of(4), "P@9"))


def test_what_unseen_ranks_add_is_said_by_measure() -> None:
    """Also beside a measure without cutoff, and in the number of queries that agrees."""
    run = run_of(2, 2, 1)
    notes = notes_of(run, run, "P@4", "P@2", "RBP(p=0.5)", "RBO")
    assert notes[:2] == [
        "unseen ranks add 0.3333 to the mean of MED-P@4, in 2 queries",  # 0.5 in two of three
        "unseen ranks add 0.1667 to the mean of MED-RBP(p=0.5), in 2 queries",  # 0.25 likewise
    ]
    assert all("greatest length 2" in note for note in notes[2:])
    one = {"q": ["a"]}
    assert notes_of(one, one, "P@2") == [
        "unseen ranks add 0.5000 to the mean of MED-P@2, in 1 query"
    ]
    nothing = run_of(2, 1)
    assert not any("unseen ranks add" in note for note in notes_of(nothing, nothing, "P@4"))


def test_the_mean_is_that_less_the_mean_if_lists_had_ended() -> None:
    before, after = run_of(4, 4, 2, 0), run_of(3, 3, 3, 1, first=2)
    measures = ["nDCG@6", "ERR", "AP@5"]
    auto = medir.compare(before, after, measures)
    ended = medir.compare(before, after, measures, unseen="nothing")
    for one in auto.measures:
        added = auto.column(one, "unseen").mean()
        assert added == pytest.approx(auto.mean()[one] - ended.mean()[one], abs=1e-12)
        assert f"add {added:.4f} to the mean of MED-{one!r}" in " ".join(auto.unseen_notes())


def test_some_measures_of_a_comparison_keep_their_notes() -> None:
    result: Comparison = medir.compare(run_of(2, 2), run_of(2, 2), ["P@2", "P@4"])
    assert list(result.only(["P@2"]).unseen_notes()) == []
    assert list(result.only(["P@4"]).unseen_notes()) == list(result.unseen_notes())


def test_an_expectation_has_the_counts_of_its_measures() -> None:
    run = run_of(2, 2, 1)
    found = medir.expect(run, run, ["P@4", "P@2"], prior=0.5).comparison
    assert list(found.unseen_queries) == [2, 0]
    assert list(found.ended_queries) == [1, 1]


# A matrix.


def test_notes_of_a_matrix() -> None:
    runs = {"a": run_of(2, 2, 1), "b": run_of(2, 2, 2), "c": run_of(4, 4, 4)}
    found = medir.matrix(runs, ["P@4", "P@1", "ERR"])
    # Unseen ranks of a and b: a and b differ by 2 of 4 ranks in q0 and q1; q2 by 1 seen and 2 more.
    pairs = [medir.compare(runs[x], runs[y], "P@4") for x, y in ("ab", "ac", "bc")]
    added = sum(float(one.column(name="unseen").sum()) for one in pairs)
    count = sum(int((one.column(name="unseen") > 0).sum()) for one in pairs)
    first, second, third = found.unseen_notes()
    assert first == (
        f"unseen ranks add {added / 9:.4f} to the mean of MED-P@4, in {count} pairs of lists out "
        "of 9"
    )
    assert second == "unseen ranks count in MED-ERR, in 9 pairs of lists out of 9"
    assert third.startswith("a: 2 lists have the run's greatest length 2 and count as cut, 1 is")
    assert found.unseen_added("P@4") == pytest.approx(added / 9, abs=1e-12)
    assert found.unseen_added("P@1") == found.unseen_added("ERR") == 0
    assert list(medir.matrix(runs, "P@1").unseen_notes()) == []
    assert list(medir.matrix(runs, ["RBO", "Jaccard@3"]).unseen_notes()) == []


def test_many_runs_with_such_lists_are_counted() -> None:
    runs = {f"run {i}": run_of(3, 3, 2) for i in range(5)}
    notes = list(medir.matrix(runs, "P@3").unseen_notes())
    assert [note.split(":")[0] for note in notes] == ["run 0", "run 1", "run 2", notes[3]]
    assert notes[3] == "2 further runs have such lists"
    fewer = dict(list(runs.items())[:4])
    assert list(medir.matrix(fewer, "P@3").unseen_notes())[3] == "1 further run has such lists"


def test_notes_of_a_matrix_of_passages() -> None:
    runs: Any = {
        "a": {"q": [("x", 0, 5)], "r": [("x", 0, 5), ("y", 0, 5)], "s": [("x", 0, 5)] * 2},
        "b": {"q": [("x", 0, 20)], "r": [("x", 0, 5)], "s": [("x", 0, 5)]},
    }
    first, second = medir.passage_matrix(runs, "U@20").unseen_notes()
    assert first.startswith("unseen stretches of text add ")
    assert first.endswith("to the mean of MED-U@20, in 2 pairs of lists out of 3")
    assert second.startswith("a: 2 lists have the run's greatest length 2 and count as cut, 1 is")
    assert list(medir.passage_matrix(runs, "U@5").unseen_notes()) == []


# Where no measure is named.


@pytest.mark.parametrize(
    ("before", "after", "depth", "expected"),
    [
        (run_of(30), run_of(3), None, 20),
        (run_of(3), run_of(12), None, 12),
        (run_of(3, 20), run_of(3), None, 20),
        (run_of(30, 30), run_of(25), 7, 7),
        (run_of(5, 5), run_of(4), 7, 5),
        (run_of(1), run_of(0), None, 1),
        (run_of(0), run_of(0), None, 1),
        ({}, {}, None, 1),
        ({"q": ["a", "a", "b"]}, {"q": ["a"]}, None, 2),  # without its duplicate
    ],
)
def test_the_default_measure(before: Any, after: Any, depth: int | None, expected: int) -> None:
    """nDCG@20, or as deep as the longest list of any run where that is shorter; at least 1."""
    measure = nDCG @ expected
    options: Any = {"depth": depth, "duplicates": "first"}
    assert list(medir.compare(before, after, **options).measures) == [measure]
    assert list(medir.expect(before, after, prior=0.5, **options).measures) == [measure]
    named = {"a": before, "b": after, "c": {}}
    assert medir.matrix(named, **options).measures == (measure,)
    known = medir.judge(before, after, **options)
    assert known == medir.judge(before, after, measures=measure, **options)
    if "q0" in before:
        why = medir.explain(before, after, query="q0", **options)
        assert why.measure == measure
        lists = before["q0"][:depth], after["q0"][:depth]
        alone = nDCG @ max(1, min(20, max(map(len, lists))))
        assert medir.med(*lists) == medir.med(*lists, alone)
        assert medir.solve(*lists) == medir.solve(*lists, alone)
        assert medir.explain(*lists).measure == alone


def test_all_runs_of_a_matrix_have_one_measure() -> None:
    runs = {"short": run_of(3, 3), "long": run_of(15), "middle": run_of(9)}
    assert medir.matrix(runs).measures == (nDCG @ 15,)
    assert medir.matrix(runs, against="short").measures == (nDCG @ 15,)
