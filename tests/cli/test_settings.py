"""What all commands share: the same option, default and help in each, read and checked once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import medir
from medir import Discount, MeasureError
from medir.base.settings import SETTINGS, Settings
from medir.cli import COMMANDS, main
from tests.cases.runs import write_run

FUNCTIONS: dict[str, Callable[..., object]] = {
    "compare": medir.compare,
    "documents": medir.documents,
    "explain": medir.explain,
    "expect": medir.expect,
    "judge": medir.judge,
    "matrix": medir.matrix,
    "passages": medir.compare_passages,
    "study": medir.study,
}


def shell(*arguments: str, given: str | None = None) -> tuple[int, str]:
    done = CliRunner().invoke(main, arguments, input=given)
    return done.exit_code, done.output


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    before, after = tmp_path / "before.run", tmp_path / "after.run"
    write_run(before, {"q": ["a", "b"], "only": ["a"]})
    write_run(after, {"q": ["b", "a"]})
    return str(before), str(after)


def options_of(name: str) -> dict[str, click.Option]:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return {str(one.name): one for one in command.params if isinstance(one, click.Option)}


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_option_is_the_same_in_every_command(setting: str) -> None:
    found = {name: options_of(name)[setting] for name in COMMANDS if setting in options_of(name)}
    assert {one.help for one in found.values()} == {SETTINGS[setting].metadata["help"]}
    defaults = {name: one.default for name, one in found.items()}
    assert set(defaults.values()) == {SETTINGS[setting].default}
    option = "--" + setting.replace("_", "-")
    assert {tuple(one.opts) for one in found.values()} == {(option,)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_shows_its_settings(name: str) -> None:
    shown = inspect.signature(FUNCTIONS[name]).parameters
    for setting in set(SETTINGS) & set(options_of(name)):
        assert shown[setting].default == SETTINGS[setting].default
        assert f"`{setting}`: {SETTINGS[setting].metadata['help']}" in str(FUNCTIONS[name].__doc__)


def test_complete_is_gone() -> None:
    assert all("complete" not in options_of(name) for name in COMMANDS)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"order": "size"}, "order must be one of score, rank, file, not 'size'"),
        ({"missing": "x"}, "missing must be one of empty, skip, error, not 'x'"),
        ({"duplicates": None}, "duplicates must be one of error, first, not None"),
        ({"unseen": "all"}, "unseen must be one of auto, anything, nothing, not 'all'"),
        ({"depth": 0}, "depth must be 1 or more, not 0"),
        ({"depth": True}, "depth must be 1 or more, not True"),
        ({"effort": None}, "effort must be 1 or more, not None"),
        ({"threads": 1.5}, "threads must be 1 or more, not 1.5"),
    ],
)
def test_a_setting_is_checked_when_it_is_made(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(medir.UsageError) as caught:
        Settings(**wrong)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_explain_reads_standard_input_once(runs: tuple[str, str]) -> None:
    before, after = runs
    text = Path(before).read_text()
    code, printed = shell("explain", "-", after, "q", "-m", "P@2", "-m", "AP@5", given=text)
    assert code == 0, printed
    assert "P@2" in printed
    assert "AP@5" in printed


def test_explain_takes_missing_error(runs: tuple[str, str]) -> None:
    code, printed = shell("explain", *runs, "q", "--missing", "error")
    assert code == 2
    assert "1 queries only in" in printed or "1 query only in" in printed
    assert shell("explain", *runs, "q")[0] == 0


@pytest.mark.parametrize("command", ["documents", "judge", "study"])
def test_a_second_measure_is_refused(command: str, runs: tuple[str, str], tmp_path: Path) -> None:
    output = ["-o", str(tmp_path / "out")] if command == "study" else []
    code, printed = shell(command, *runs, "-m", "P@5", "-m", "AP@10", *output)
    assert code == 2
    assert f"{command} takes one measure, not 2" in printed


def test_two_measures_of_one_name() -> None:
    some = [Discount([1, 0.5], name="twin"), Discount([1, 0.2], name="twin")]
    with pytest.raises(MeasureError, match="two different measures are called 'twin'"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, some)
    twice = [some[0], some[0]]
    assert list(medir.compare({"q": ["a"]}, {"q": ["b"]}, twice).mean()) == [some[0]]
