"""Work that was interrupted goes on where it was, and ends as if nothing had happened."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir.files.checkpoint import HEADER, Checkpoint
from tests.cases.runs import write_run

QUERIES = 10
DOCUMENTS = 200
# A slow decay of lists in random order: a tenth of a second each.
SLOW = f"Cascade({[round(0.99**rank, 4) for rank in range(DOCUMENTS)]}, decay=0.3)"
RUNS = {
    "one": {"q1": ["a", "b", "c"], "q2": ["d", "e"]},
    "two": {"q1": ["b", "a", "c"], "q2": ["d", "f"]},
    "three": {"q1": ["c", "b"], "q3": ["x"]},
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def test_what_is_marked_is_kept_and_the_rest_is_not_trusted(path: Path) -> None:
    with Checkpoint(path, ["this"], (2, 5), 5) as first:
        assert not first.finished.any()
        first.values[:, 3] = 7, 8
        first.finished[3] = 1
    with Checkpoint(path, ["this"], (2, 5), 5) as again:
        assert again.finished.tolist() == [0, 0, 0, 1, 0]
        assert again.values[:, 3].tolist() == [7, 8]
    for subject, shape in ((["other"], (2, 5)), (["this"], (5, 2))):
        with Checkpoint(path, subject, shape, 5) as other:
            assert not other.finished.any()
            other.finished[:] = 1


@pytest.mark.parametrize("left", [b"", b"0" * HEADER, bytes(HEADER + 8 + 8 * 10)])
def test_what_was_hardly_begun_is_begun_anew(path: Path, left: bytes) -> None:
    path.write_bytes(left)
    with Checkpoint(path, ["this"], (2, 5), 5) as first:
        assert not first.finished.any()
        assert not first.values.any()


def test_a_file_of_something_else_is_left_alone(path: Path) -> None:
    path.write_text("a diary")
    with pytest.raises(medir.UsageError, match="is not a checkpoint"):
        Checkpoint(path, ["this"], (2, 5), 5)
    assert path.read_text() == "a diary"


def test_ties_belong_to_what_is_compared(path: Path) -> None:
    runs: Any = {"a": {"q": {"d2": 3.0, "d1": 3.0}}, "b": {"q": {"d2": 2.0, "d1": 1.0}}}
    measure = "RBO(p=0.5, ties='a')"
    for order in ("score", "file"):
        kept = medir.matrix(runs, measure, order=order, checkpoint=path)
        plain = medir.matrix(runs, measure, order=order)
        np.testing.assert_array_equal(kept.values, plain.values)


def _spoil(path: Path, pairs: int, queries: int) -> None:
    """Changes a value of a finished matrix: who computes it again does not see this.

    It is that of the first query and the second pair. The first pair is a run and itself.
    """
    content = bytearray(path.read_bytes())
    start = HEADER + -(-(pairs + queries) // 8) * 8 + 8 * queries
    content[start : start + 8] = np.float64(0.123).tobytes()
    path.write_bytes(content)


def test_a_matrix_is_taken_from_its_checkpoint(path: Path) -> None:
    plain = medir.matrix(RUNS, ["P@2", "ERR_IA@2"])
    first = medir.matrix(RUNS, ["P@2", "ERR_IA@2"], checkpoint=path)
    np.testing.assert_array_equal(first.values, plain.values)
    _spoil(path, pairs=6, queries=3)
    again = medir.matrix(RUNS, ["P@2", "ERR_IA@2"], checkpoint=path)
    assert again.values[0, 1, 0] == 0.123
    again.values[0, 1, 0] = plain.values[0, 1, 0]
    np.testing.assert_array_equal(again.values, plain.values)


@pytest.mark.parametrize(
    "changes",
    [
        {"measures": ["P@1", "ERR_IA@2"]},
        {"measures": ["P@2", "ERR_IA@2", "RR"]},
        {"runs": {**RUNS, "three": {"q1": ["c", "a"], "q3": ["x"]}}},
        {"runs": {**RUNS, "three": {"q1": ["c", "b"], "q4": ["x"]}}},
        {"qrels": {"q1": {"a": 1}}},
        {"unseen": "nothing"},
        {"depth": 1},
        {"against": "two"},
        {"effort": 7},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_another_matrix_is_computed_anew(path: Path, changes: dict[str, Any]) -> None:
    same: dict[str, Any] = {"runs": RUNS, "measures": ["P@2", "ERR_IA@2"]}
    medir.matrix(**same, checkpoint=path)
    _spoil(path, pairs=6, queries=3)
    other = same | changes
    found = medir.matrix(**other, checkpoint=path)
    np.testing.assert_array_equal(found.values, medir.matrix(**other).values)


def test_judgments_of_other_intents_are_other_judgments(path: Path) -> None:
    for intents in ({"i": {"a": 1}, "j": {"b": 1}}, {"i": {"a": 1}, "k": {"b": 1}}):
        medir.matrix(RUNS, "ERR_IA@2", qrels={"q1": intents}, checkpoint=path)
    _spoil(path, pairs=6, queries=3)
    again = {"q1": {"i": {"a": 1}, "j": {"b": 1}}}
    found = medir.matrix(RUNS, "ERR_IA@2", qrels=again, checkpoint=path)
    assert found.values[0, 1, 0] != 0.123


def test_other_lengths_are_another_matrix(path: Path) -> None:
    words = dict.fromkeys("abcdefxyz", 100.0)
    for lengths, kept in (
        (words, False),
        (words, True),
        (dict(reversed(words.items())), True),
        (words | {"a": 101}, False),
        (medir.Lengths.of(words | {"a": 101}, default=3), False),
    ):
        found = medir.matrix(RUNS, "TBG@2", lengths=lengths, checkpoint=path)
        assert (found.values[0, 1, 0] == 0.123) == kept
        _spoil(path, pairs=6, queries=3)


@pytest.fixture
def weighted(tmp_path: Path) -> str:
    """A measure of which pairs are compared one after the other."""
    weights = tmp_path / "weights.tsv"
    weights.write_text("a 2\nb 3\n")
    return f"wFootrule(weight={str(weights)!r})"


def test_an_interruption_keeps_what_is_done(path: Path, weighted: str) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        medir.matrix(RUNS, weighted, checkpoint=path, progress=interrupt)
    finished = np.frombuffer(path.read_bytes(), np.uint8)[HEADER : HEADER + 9]
    assert finished.tolist() == [0, 0, 0, 1, 1, 0, 0, 0, 0]
    found = medir.matrix(RUNS, weighted, checkpoint=path)
    np.testing.assert_array_equal(found.values, medir.matrix(RUNS, weighted).values)


def _unmark(path: Path, part: int) -> None:
    """As if killed after a part was written and before it was marked."""
    content = bytearray(path.read_bytes())
    assert content[HEADER + part] == 1
    content[HEADER + part] = 0
    path.write_bytes(content)


@pytest.mark.parametrize("part", range(9))
def test_what_is_done_again_is_not_noted_twice(path: Path, part: int, weighted: str) -> None:
    """Three queries under measures of the core, and six pairs of runs under the weighted one."""
    measures = ["P@4", "ERR", "ERR_IA@4", weighted]
    plain = medir.matrix(RUNS, measures, unseen="anything")
    assert all(plain.unseen_added(one) > 0 for one in ("P@4", "ERR_IA@4"))
    medir.matrix(RUNS, measures, unseen="anything", checkpoint=path)
    _unmark(path, part)
    again = medir.matrix(RUNS, measures, unseen="anything", checkpoint=path)
    np.testing.assert_array_equal(again.values, plain.values)
    np.testing.assert_array_equal(again.notes, plain.notes)
    assert list(again.unseen_notes()) == list(plain.unseen_notes())


PASSAGES: dict[str, Any] = {
    "one": {"q": [("a", 0, 30)], "r": [("b", 5, 20, 2.0)]},
    "two": {"q": [("a", 10, 30)], "r": [("b", 5, 20, 2.0)]},
}


@pytest.mark.parametrize(
    ("measure", "run", "options"),
    [
        ("U@20", {}, {}),
        ("TBG(half_life=9)", {"q": [("a", 11, 30)], "r": [("b", 5, 20, 2.0)]}, {}),
        ("TBG(half_life=9)", {"q": [("a", 10, 31)], "r": [("b", 5, 20, 2.0)]}, {}),
        ("TBG(half_life=9)", {"q": [("a", 10, 30)], "r": [("b", 5, 20, 3.0)]}, {}),
        ("TBG(half_life=9)", {}, {"unseen": "nothing"}),
        ("TBG(half_life=9)", {}, {"gold": {"q": [("a", 0, 12)]}}),
    ],
    ids=["measure", "offset", "length", "duration", "unseen", "gold"],
)
def test_a_matrix_of_passages_is_kept_for_these_alone(
    path: Path, measure: str, run: dict[str, Any], options: dict[str, Any]
) -> None:
    first = medir.passage_matrix(PASSAGES, "TBG(half_life=9)", checkpoint=path)
    _spoil(path, pairs=3, queries=2)
    again = medir.passage_matrix(PASSAGES, "TBG(half_life=9)", checkpoint=path)
    assert again.values[0, 1, 0] == 0.123
    again.values[0, 1, 0] = first.values[0, 1, 0]
    np.testing.assert_array_equal(again.values, first.values)
    other = PASSAGES | ({"two": run} if run else {})
    found = medir.passage_matrix(other, measure, checkpoint=path, **options)
    plain = medir.passage_matrix(other, measure, **options)
    np.testing.assert_array_equal(found.values, plain.values)


@pytest.mark.parametrize("part", range(2))
def test_passages_that_are_compared_again_are_not_noted_twice(path: Path, part: int) -> None:
    plain = medir.passage_matrix(PASSAGES, "U@99")
    assert plain.unseen_added() > 0
    medir.passage_matrix(PASSAGES, "U@99", checkpoint=path)
    _unmark(path, part)
    again = medir.passage_matrix(PASSAGES, "U@99", checkpoint=path)
    np.testing.assert_array_equal(again.notes, plain.notes)


def test_an_interrupted_study_of_passages_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from medir.validation.passage_figure import passage_study

    gold: Any = {"q": [("a", 0, 12)]}
    groups = {"one": "x", "two": "y"}

    def interrupt(done: int, total: int) -> None:
        if 9 * done >= 2 * total - 9:  # two of three pairs, which are a third of the work
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        passage_study(PASSAGES, gold, tmp_path / "cut", groups, progress=interrupt)
    kept = tmp_path / "cut" / ".unfinished" / "possible"
    assert np.frombuffer(kept.read_bytes(), np.uint8)[HEADER:][:3].tolist() == [1, 1, 0]
    for folder in ("cut", "whole"):
        passage_study(PASSAGES, gold, tmp_path / folder, groups)
    files = [
        {file.name: file.read_bytes() for file in (tmp_path / folder).iterdir()}
        for folder in ("cut", "whole")
    ]
    assert files[0] == files[1]
    assert set(files[0]) == {"figure-4.csv", "figure-4.svg"}


def test_a_function_of_the_users_own_cannot_be_recognised(path: Path) -> None:
    own = medir.define("own_of_checkpoint", lambda c: float(c[0]))
    with pytest.raises(medir.UsageError, match="cannot tell from another: leave out checkpoint="):
        medir.matrix(RUNS, own, checkpoint=path)
    assert not path.exists()


@pytest.mark.slow
def test_a_study_of_a_function_of_the_users_own_is_computed_again(tmp_path: Path) -> None:
    """Interrupted with one function and called with another of the same name."""
    pytest.importorskip("matplotlib")
    qrels = {"q1": {"a": 1, "c": 1}, "q2": {"d": 1}}

    def interrupt(done: int, total: int) -> None:
        if 2 * done >= total:
            raise KeyboardInterrupt

    first = medir.define("own_of_study", lambda c: float(c[:1].sum()))
    with pytest.raises(KeyboardInterrupt):
        medir.study(RUNS, qrels, tmp_path / "cut", measures=first, progress=interrupt)
    second = medir.define("own_of_study", lambda c: 0.5 * float(c[:1].sum()))
    found = medir.study(RUNS, qrels, tmp_path / "cut", measures=second)
    # The first documents differ for both queries, but for q2 in the first two runs.
    assert found.med[0].tolist() == [0.25, 0.5, 0.5]


def test_long_parameters_are_told_apart(path: Path) -> None:
    """Also those that would be shortened where they are shown."""
    discounts = np.full(5000, 0.25)
    for changed in (0, 1):
        discounts[:2] = 1, 0.5 + 0.25 * changed
        one = medir.Discount(discounts)
        found = medir.matrix(RUNS, one, checkpoint=path)
        np.testing.assert_array_equal(found.values, medir.matrix(RUNS, one).values)


def test_a_checkpoint_that_is_open_is_not_opened_again(path: Path) -> None:
    with Checkpoint(path, ["this"], (2,), 2) as first:
        for subject in ("this", "that"):
            with pytest.raises(medir.UsageError, match="is in use: the same is running already"):
                Checkpoint(path, [subject], (2,), 2)
        first.values[:], first.finished[:] = 7, 1
    with Checkpoint(path, ["this"], (2,), 2) as again:
        assert again.values.tolist() == [7, 7]


@pytest.mark.parametrize(("shape", "parts"), [((0,), 0), ((0, 3), 2), ((3,), 0)])
def test_there_may_be_nothing_to_keep(path: Path, shape: tuple[int, ...], parts: int) -> None:
    for _ in range(2):
        with Checkpoint(path, ["this"], shape, parts) as kept:
            assert kept.values.shape == shape


def _medir(arguments: list[str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "medir", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def _finished(path: Path, parts: int) -> int:
    if not path.exists():
        return 0
    return int(
        np.count_nonzero(np.frombuffer(path.read_bytes()[HEADER : HEADER + parts], np.uint8))
    )


@pytest.mark.posix
@pytest.mark.slow
def test_a_killed_matrix_goes_on_and_ends_with_the_same_files(tmp_path: Path) -> None:
    shuffled = random.Random(5)
    documents = [f"d{i}" for i in range(DOCUMENTS)]
    runs = []
    for name in ("one", "two", "three"):
        lists = {f"q{q}": shuffled.sample(documents, DOCUMENTS) for q in range(QUERIES)}
        runs.append(str(write_run(tmp_path / f"{name}.run", lists)))

    def arguments(folder: str) -> list[str]:
        (tmp_path / folder).mkdir(exist_ok=True)
        targets = [str(tmp_path / folder / name) for name in ("all.csv", "heat.svg", "map.svg")]
        options = ["-m", SLOW, "-m", "nDCG@20", "-o", targets[0], "--per-query"]
        return ["matrix", *runs, *options, "--plot", targets[1], "--map", targets[2]]

    kept = tmp_path / "killed" / ".all.csv.unfinished"
    process = _medir(arguments("killed"))
    while not _finished(kept, QUERIES) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    done = _finished(kept, QUERIES)
    assert 0 < done < QUERIES, "it ended before it could be killed"
    assert [file.name for file in (tmp_path / "killed").iterdir()] == [kept.name]

    for folder in ("killed", "whole"):
        process = _medir(arguments(folder))
        _, errors = process.communicate()
        assert (process.returncode, errors) == (0, b"")
    files = {file.name: file.read_bytes() for file in (tmp_path / "whole").iterdir()}
    assert sorted(files) == ["all.csv", "heat.svg", "map.svg"]
    assert {file.name: file.read_bytes() for file in (tmp_path / "killed").iterdir()} == files


def test_a_mistyped_repetition_keeps_what_was_done(tmp_path: Path) -> None:
    runs = [str(write_run(tmp_path / f"{name}.run", lists)) for name, lists in RUNS.items()]
    kept = tmp_path / ".out.csv.unfinished"
    kept.write_bytes(b"0" * HEADER)
    output = ["-o", str(tmp_path / "out.csv")]
    process = _medir(["matrix", *runs, str(tmp_path / "fuor.run"), *output])
    process.communicate()
    assert process.returncode == 2
    assert kept.exists()
    process = _medir(["matrix", *runs, *output])
    process.communicate()
    assert process.returncode == 0
    assert not kept.exists()


@pytest.mark.parametrize("target", ["missing/out.csv", "one.run/out.csv"])
def test_where_nothing_can_be_written(tmp_path: Path, target: str) -> None:
    runs = [str(write_run(tmp_path / f"{name}.run", lists)) for name, lists in RUNS.items()]
    process = _medir(["matrix", *runs, "-o", str(tmp_path / target)])
    _, errors = process.communicate()
    assert process.returncode == 2
    assert f"cannot write '{tmp_path / target}': there is no such directory" in errors.decode()
