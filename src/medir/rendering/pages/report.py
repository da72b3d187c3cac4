"""The HTML report: one page that holds all it needs."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.errors import MissingExtraError, UsageError
from medir.files.paths import refuse_inputs
from medir.files.replacing import replacing
from medir.inputs.queries import Source as QuerySource
from medir.inputs.texts import Texts, check_readable
from medir.rendering.pages.selection import TOP, Selection

ENDINGS = (".html", ".htm")


def write_report(
    result: Differences[Any],
    path: str | PathLike[str],
    *,
    queries: QuerySource | None = None,
    documents: Texts | None = None,
    top: int = TOP,
    only: Sequence[str] = (),
    sample: int = 0,
    outcomes: Sequence[Outcome] = (),
    command: str | None = None,
) -> None:
    """Writes a comparison as one HTML page that needs no other file and no network.

    `queries` is a table of queries with their texts: a file, `{query: text}` or whatever else
    `medir.Queries.of` takes; without it, the one that was compared with. `documents` are the titles
    of documents: a file of tab-separated lines (id, title) or JSON lines (`.jsonl`), or
    `{id: title}`. `top` is how many of the most affected queries, by the first measure, are in the
    table; `only` names queries to show instead, and `sample` says how many to take at equal
    distances from the most to the least affected. `outcomes` are those of checks, and `command` is
    what made the comparison, for those who want to make it again. Lists are cut where the page
    would be larger than 1.8 MB, and the page says so. The file appears when it is complete, or not
    at all.
    """
    check_report(path, queries, documents)
    refuse_inputs(path, result.origins())
    selection = Selection(top, only, sample)
    from medir.rendering.pages.page import page

    table = result.sample.table if queries is None else queries
    text = page(result, table, documents, selection, outcomes, command)
    with replacing(Path(path)) as file:
        file.write(text.encode())


def check_report(path: str | PathLike[str], *sources: object) -> None:
    """Raises an error where no report could be written, before any work is done."""
    if Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(f"a report is HTML: end its name in .html, not {str(path)!r}")
    if find_spec("jinja2") is None:
        raise MissingExtraError("jinja2", "report", "writing a report")
    for source in sources:
        if isinstance(source, str | PathLike):
            check_readable(source)
