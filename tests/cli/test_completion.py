"""`medir completion` in a shell, and what it completes."""

from __future__ import annotations

import subprocess

import pytest

from tests.shell import good, medir, medir_process


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell: str) -> None:
    script = good(medir("completion", shell))
    assert f"_MEDIR_COMPLETE={shell}_complete" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["medir", "comp"], {"compare", "completion"}),
        (["medir", "compa"], {"compare"}),
        (["medir", "compare", "--qr"], {"--qrels"}),
        (["medir", "compare", "--missing", "s"], {"skip"}),
        (["medir", "compare", "-m", "nd"], {"nDCG@20"}),
        (["medir", "completion", "z"], {"zsh"}),
    ],
)
def test_completing(words: list[str], expected: set[str]) -> None:
    """As bash asks for it."""
    env = {
        "_MEDIR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    outcome = good(medir(env=env))
    assert {line.partition(",")[2] for line in outcome.splitlines()} == expected


@pytest.mark.parametrize(
    "words", [["medir", "compare", "ex"], ["medir", "compare", "--qrels", "ex"]]
)
def test_completing_a_file(words: list[str]) -> None:
    """That is left to the shell."""
    env = {
        "_MEDIR_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    assert good(medir_process(env=env)).startswith("file,")


def test_a_shell_that_is_not_known() -> None:
    outcome = medir("completion", "tcsh")
    assert (outcome.code, outcome.out) == (2, "")
    assert "tcsh" in outcome.err
