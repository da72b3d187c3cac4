"""`medir` itself in a shell: help, usage, and what it needs around it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import medir as package
from medir.cli import COMMANDS
from tests.cases.examples import AFTER, BEFORE
from tests.shell import MEDIR, environment, good, medir, medir_process, python, run

# Commands and help.


def test_version() -> None:
    assert good(medir_process("--version")) == f"medir {package.__version__}\n"


@pytest.mark.parametrize("arguments", [[], *([name] for name in COMMANDS)])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(arguments: list[str], option: str) -> None:
    text = good(medir(*arguments, option))
    name = " ".join(["medir", *arguments])
    assert f"Usage: {name} " in text
    assert re.search(rf"Examples?:\n +{name}", text)


def test_help_lists_every_command_and_the_exit_codes() -> None:
    text = good(medir_process("--help"))
    for name in COMMANDS:
        assert re.search(rf"^  {name}  +\w", text, re.MULTILINE)
    assert re.search(r"0 done.*1 .*2 bad usage or input", text)


def test_every_option_is_explained() -> None:
    text = good(medir("compare", "--help"))
    for option in ("-m", "--qrels", "-o", "--format", "--top", "--order", "--missing",
                   "--duplicates", "--unseen", "--depth", "--threads"):  # fmt: skip
        assert re.search(rf"^  (-\w, )?{option}\b", text, re.MULTILINE), option


def test_python_m() -> None:
    assert good(run(sys.executable, "-m", "medir", "--version")) == good(medir("--version"))


@pytest.mark.parametrize(
    "arguments", [["compare"], ["compare", BEFORE], ["nothing"], ["--nothing"]]
)
def test_bad_usage(arguments: list[object]) -> None:
    outcome = medir_process(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Usage: medir" in outcome.err


def test_nothing_depends_on_the_user_environment() -> None:
    """An empty environment will do."""
    plain = {key: value for key, value in environment().items() if key in ("PATH", "HOME")}
    process = subprocess.run(
        [MEDIR, "compare", BEFORE, AFTER, "--top", "0"], env=plain, capture_output=True, check=True
    )
    assert b"240 queries" in process.stdout
    assert process.stderr == b""


def test_the_command_does_not_load_table_libraries() -> None:
    code = """
import sys
from medir.cli import main
try:
    main(["compare", *sys.argv[1:], "--format", "csv"])
finally:
    print(*sys.modules, file=sys.stderr)
"""
    loaded = set(python(code, BEFORE, AFTER).err.split())
    assert "numpy" in loaded
    assert not loaded & {"pandas", "polars", "pyarrow", "rich"}
