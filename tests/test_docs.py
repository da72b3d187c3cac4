"""Every example in the README and the documentation is run here, and must print what it shows.

`python` blocks are doctests. `console` blocks are shell sessions: `$` lines are run one after the
other in a copy of `examples/`, and what follows is their output, where a line `...` stands for any
lines. `sh` blocks are commands that prepare or build; they are not run, and may be nothing else. A
`python` block that imports a package of `make integrations` is run there.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from medir.cli import COMMANDS, main
from tests.integrations.packages import (
    WITHOUT_SPARK,
    imported_packages,
    needed,
    needs_spark,
)

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(*languages: str) -> list[tuple[str, str]]:
    """Where a block stands, and its text."""
    found = []
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for match in BLOCK.finditer(text):
            if match[1] in languages:
                line = text.count("\n", 0, match.start()) + 1
                found.append((f"{page.name}:{line}", match[2]))
    return found


def named(cases: list[tuple[str, str]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "text",
        [pytest.param(text, id=place, marks=list(_marks(text))) for place, text in cases],
    )


def _marks(text: str) -> Iterator[pytest.MarkDecorator]:
    if imported_packages(text):
        yield pytest.mark.integration
    if needs_spark(text):
        yield pytest.mark.spark
        yield pytest.mark.filterwarnings("ignore")
        if find_spec("pyspark") is None:
            yield pytest.mark.skip(reason=WITHOUT_SPARK.format("pyspark"))
        elif shutil.which("java") is None:
            yield pytest.mark.skip(reason="needs Java 17 or later, which Spark runs on")


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the example folder, as the working directory."""
    copy = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", copy)
    monkeypatch.chdir(copy)
    monkeypatch.syspath_prepend(copy)  # as in a session that is started there
    return copy


@named(blocks("python"))
@pytest.mark.usefixtures("examples")
def test_python_examples(text: str) -> None:
    for module in imported_packages(text):
        needed(module)
    example = doctest.DocTestParser().get_doctest(text, {}, "example", None, 0)
    assert example.examples, "a python block without >>> shows nothing"
    runner = doctest.DocTestRunner()
    report: list[str] = []
    runner.run(example, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.slow
@pytest.mark.posix
@named(blocks("console"))
def test_console_examples(text: str, examples: Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {"PATH": path, "HOME": str(examples), "LANG": "C.UTF-8", "COLUMNS": "100"}
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=examples,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            check=False,
        )
        printed = [line.rstrip() for line in done.stdout.rstrip("\n").split("\n")]
        pattern = "\n".join(map(str.rstrip, expected.rstrip("\n").split("\n")))
        wanted = re.escape(pattern).replace(r"\.\.\.", "(?:.|\n)*")
        assert re.fullmatch(wanted, "\n".join(printed)), "\n".join([f"$ {command}", *printed])


@named(blocks("sh"))
def test_what_is_not_run_only_builds(text: str) -> None:
    for line in text.strip().splitlines():
        assert line.split()[0] in {"make", "pip", "python"}, line


def test_every_block_is_of_a_known_kind() -> None:
    known = {"python", "py", "console", "sh", "text", "yaml"}  # py: tests/test_contributing.py
    for page in PAGES:
        kinds = {match[1] for match in BLOCK.finditer(page.read_text(encoding="utf-8"))}
        assert kinds <= known, page


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_stands_in_the_documentation(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None
    assert "Example" in command.help
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert f"medir {name}" in pages


def modules_with_examples() -> list[str]:
    """Every module of the package whose docstrings hold an example."""
    source = ROOT / "src"
    paths = [path for path in source.rglob("*.py") if ">>>" in path.read_text(encoding="utf-8")]
    parts = (path.relative_to(source).with_suffix("").parts for path in sorted(paths))
    return [".".join(part for part in some if part != "__init__") for some in parts]


@pytest.mark.parametrize("name", modules_with_examples())
def test_docstring_examples(name: str) -> None:
    import_module(name)
    failures, tried = doctest.testmod(sys.modules[name], optionflags=doctest.ELLIPSIS)
    assert tried > 0
    assert failures == 0
