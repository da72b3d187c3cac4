"""The files that a pipeline asks for. Each appears whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.files.paths import refuse_inputs
from medir.files.replacing import replacing


def write_summary(
    result: Differences[Any], outcomes: Sequence[Outcome], path: str | PathLike[str]
) -> None:
    """Writes verdict, checks, means and the most affected queries as Markdown."""
    from medir.rendering.summaries.markdown import markdown

    _write(markdown(result, outcomes), path, result)


def write_junit(
    result: Differences[Any], outcomes: Sequence[Outcome], path: str | PathLike[str]
) -> None:
    """Writes the checks as a JUnit report: one test case per check."""
    from medir.rendering.summaries.junit import junit

    _write(junit(result, outcomes), path, result)


def write_json(
    result: Differences[Any], outcomes: Sequence[Outcome], path: str | PathLike[str]
) -> None:
    """Writes verdict, checks, summaries, options and the SHA-256 of every input as JSON."""
    from medir.rendering.summaries.record import record_json

    _write(record_json(result, outcomes), path, result)


def _write(text: str, path: str | PathLike[str], result: Differences[Any]) -> None:
    refuse_inputs(path, result.origins())
    with replacing(Path(path)) as file:
        file.write(text.encode())
