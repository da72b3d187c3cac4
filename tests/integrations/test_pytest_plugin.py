"""The pytest plugin, in test runs of its own: assertions, stored rankings, workers."""

from __future__ import annotations

import json
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.errors import InputError, UsageError
from medir.integrations.snapshots import stem_of

pytest_plugins = ["pytester"]

BEFORE = {"q1": ["a", "b", "c"], "q2": ["x", "y", "z"], "q3": ["k", "l", "m"]}
AFTER = {"q1": ["a", "b", "c"], "q2": ["y", "x", "z"], "q3": ["n", "k", "l"]}
PLUGIN = "medir.integrations.pytest_plugin"
INSTALLED = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
TEST = f"""
import medir
BEFORE, AFTER = {BEFORE!r}, {AFTER!r}
"""


@pytest.fixture
def tests(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests, with the plugin as users have it."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "" if INSTALLED else f"-p {PLUGIN}")
    return pytester


def stored(tests: pytest.Pytester, *parts: str) -> Path:
    return tests.path.joinpath("__rankings__", *parts)


def test_what_is_close_enough_passes() -> None:
    """P@3 of q3 differs by one document of three; the mean is a third of that."""
    medir.assert_ranking_close(BEFORE, AFTER, "P@3", mean=0.12, max=1 / 3, loss_p95=0.34)
    medir.assert_ranking_close(BEFORE, AFTER, ["P@3", "P@2"], median=0.5, above_0_3=0.4)
    medir.assert_ranking_close(BEFORE, AFTER, "RBO", mean=0.5, below_0_5=0.5)
    medir.assert_ranking_close(BEFORE, AFTER, checks=["loss:max:P@3=0.4", "RBO=0.1"])


@pytest.mark.parametrize(
    "limit",
    [
        {"mean": 0.11},
        {"max": 0.33},
        {"gain": 0.1},
        {"loss_max": 0.3},
        {"above_0_3": 0.3},
        {"p99_9": 0.2},
        {"checks": ["segment=long:P@3=0.3"], "by": "kind", "queries": {"q3": {"kind": "long"}}},
    ],
    ids=str,
)
def test_each_limit_can_be_broken(limit: dict[str, Any]) -> None:
    with pytest.raises(AssertionError, match="FAILED"):
        medir.assert_ranking_close(BEFORE, AFTER, "P@3", **limit)


def test_the_message_is_the_verdict_and_the_query_affected_most() -> None:
    with pytest.raises(AssertionError) as caught:
        medir.assert_ranking_close(BEFORE, AFTER, "P@3", mean=0.1, max=0.5)
    message = str(caught.value)
    result = medir.compare(BEFORE, AFTER, "P@3")
    assert message.startswith("\n".join(result.verdict()))
    assert "FAILED  mean MED of P@3 is 0.111, limit 0.1" in message
    assert "ok      max MED of P@3 is 0.333, limit 0.5" in message
    assert f"The query affected most is q3. {result.explain('q3').sentence}" in message
    rows = [line.split() for line in message.splitlines()]
    assert ["m", "3", "-", "0.333", "0.000"] in rows
    assert ["n", "-", "1", "0.000", "0.333"] in rows


def test_a_broken_similarity_names_the_query() -> None:
    with pytest.raises(AssertionError, match=r"The query affected most is q3: RBO"):
        medir.assert_ranking_close(BEFORE, AFTER, "RBO", min=0.9)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, UsageError, "name a limit"),
        ({"mean": "0.1"}, UsageError, "mean is a number"),
        ({"mean": True}, UsageError, "mean is a number"),
        ({"min": 0.1}, UsageError, "upper limit"),
        ({"mean": 0.1, "maxx": 1}, TypeError, "'maxx' is no limit"),
        ({"checks": ["nonsense"]}, UsageError, "cannot read the check"),
    ],
)
def test_limits_are_checked(arguments: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        medir.assert_ranking_close(BEFORE, AFTER, "P@3", **arguments)


def test_a_failing_test_shows_the_message_alone(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        TEST + 'def test_it(): medir.assert_ranking_close(BEFORE, AFTER, "P@3", mean=0.1)'
    )
    result = tests.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E *2 of 3 queries changed.*", "E *FAILED  mean MED of P@3*"])
    result.stdout.no_fnmatch_line("*raise AssertionError*")  # no line of medir's own


def test_a_ranking_is_written_once_and_compared_from_then_on(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        test_search=TEST
        + """
import os
def test_it(ranking_snapshot):
    ranking_snapshot(AFTER if os.path.exists("changed") else BEFORE, "P@3", max=0.2)
"""
    )
    first = tests.runpytest()
    first.assert_outcomes(passed=1)
    path = stored(tests, "test_search", "test_it.json")
    first.stdout.fnmatch_lines(["*rankings written*", str(path)])
    assert json.loads(path.read_text()) == BEFORE

    again = tests.runpytest()
    again.assert_outcomes(passed=1)
    again.stdout.no_fnmatch_line("*rankings written*")

    tests.path.joinpath("changed").touch()
    failed = tests.runpytest()
    failed.assert_outcomes(failed=1)
    failed.stdout.fnmatch_lines(
        ["E *FAILED  max MED of P@3 is 0.333, limit 0.2*", "E *--update-rankings"]
    )
    assert json.loads(path.read_text()) == BEFORE

    tests.runpytest("--update-rankings").assert_outcomes(passed=1)
    assert json.loads(path.read_text()) == AFTER
    tests.runpytest().assert_outcomes(passed=1)


def test_without_limits_nothing_that_the_measure_sees_may_change(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        TEST
        + """
import os
def test_first(ranking_snapshot):
    ranking_snapshot(AFTER if os.path.exists("changed") else BEFORE, "P@3")
def test_order_of_three(ranking_snapshot):
    swapped = {"q1": ["b", "a", "c"]}
    ranking_snapshot(swapped if os.path.exists("changed") else {"q1": ["a", "b", "c"]}, "P@3")
"""
    )
    tests.runpytest().assert_outcomes(passed=2)
    tests.path.joinpath("changed").touch()
    tests.runpytest().assert_outcomes(passed=1, failed=1)


def test_a_file_reads_well_in_a_diff(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        'def test_it(ranking_snapshot): ranking_snapshot({"q 1": ["é", "b"], "q2": []}, "P@3")'
    )
    tests.runpytest().assert_outcomes(passed=1)
    (path,) = tests.path.glob("__rankings__/*/*.json")
    lines = ["{", ' "q 1": [', '  "é",', '  "b"', " ],", ' "q2": []', "}"]
    assert path.read_text(encoding="utf-8").splitlines() == lines


def test_names_tell_tests_apart(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        test_names="""
import pytest
RUN = {"q": ["a"]}
class TestOne:
    def test_it(self, ranking_snapshot): ranking_snapshot(RUN)
class TestTwo:
    def test_it(self, ranking_snapshot): ranking_snapshot(RUN)
@pytest.mark.parametrize("which", ["plain", "a/b", "a:b", "x" * 300])
def test_it(ranking_snapshot, which): ranking_snapshot(RUN)
def test_two(ranking_snapshot):
    ranking_snapshot(RUN, name="first")
    ranking_snapshot(RUN, name="second")
"""
    )
    tests.runpytest().assert_outcomes(passed=7)
    names = {path.name for path in stored(tests, "test_names").iterdir()}
    assert len(names) == 8
    assert {"TestOne.test_it.json", "TestTwo.test_it.json", "test_it[plain].json"} <= names
    assert {"test_two.first.json", "test_two.second.json"} <= names
    assert all(len(name) < 200 and "/" not in name for name in names)


def test_two_rankings_of_one_name_are_refused(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        """
def test_it(ranking_snapshot):
    ranking_snapshot({"q": ["a"]})
    ranking_snapshot({"q": ["b"]})
"""
    )
    result = tests.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*a test that stores several rankings names them*"])


def test_in_a_pipeline_a_missing_ranking_fails(
    tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There the file would be lost, and the test would never fail."""
    monkeypatch.setenv("CI", "true")
    tests.makepyfile('def test_it(ranking_snapshot): ranking_snapshot({"q": ["a"]})')
    result = tests.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no stored ranking*test_it.json"])
    assert not tests.path.joinpath("__rankings__").exists()
    tests.runpytest("--update-rankings").assert_outcomes(passed=1)


def test_a_run_that_cannot_be_compared_is_not_stored(tests: pytest.Pytester) -> None:
    tests.makepyfile('def test_it(ranking_snapshot): ranking_snapshot({"q": ["a", "a"]})')
    result = tests.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InputError*"])
    assert not tests.path.joinpath("__rankings__").exists()


def test_a_damaged_file_is_named(tests: pytest.Pytester) -> None:
    tests.makepyfile('def test_it(ranking_snapshot): ranking_snapshot({"q": ["a"]})')
    tests.runpytest().assert_outcomes(passed=1)
    (path,) = tests.path.glob("__rankings__/*/*.json")
    path.write_text("<<<<<<< ours\n")
    result = tests.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{InputError.__name__}*test_it.json*: not a stored ranking"])


def test_workers_write_and_report(tests: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    tests.makepyfile(
        """
import pytest
@pytest.mark.parametrize("number", range(6))
def test_it(ranking_snapshot, number): ranking_snapshot({"q": [f"d{number}"]})
"""
    )
    result = tests.runpytest_subprocess("-n", "2", "-p", "xdist")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["*rankings written*", "*test_it?0?.json", "*test_it?5?.json"])
    tests.runpytest_subprocess("-n", "2", "-p", "xdist").assert_outcomes(passed=6)


def test_help_names_the_option(tests: pytest.Pytester) -> None:
    tests.runpytest("--help").stdout.fnmatch_lines(["*--update-rankings*"])


def test_tests_that_do_not_use_it_import_nothing(tests: pytest.Pytester) -> None:
    tests.makepyfile(
        """
import sys
def test_it(): assert not {"numpy", "medir._core", "rich"} & set(sys.modules)
"""
    )
    tests.runpytest_subprocess().assert_outcomes(passed=1)


def test_stems_are_short_and_tell_apart() -> None:
    names = ["test_it", "test_it[a b]", "test_it[a_b]", "test_it[" + "y" * 500 + "]"]
    stems = [stem_of(name) for name in names]
    assert len(set(stems)) == len(stems)
    assert max(map(len, stems)) < 120
    assert sys.getfilesystemencoding() == "utf-8"
