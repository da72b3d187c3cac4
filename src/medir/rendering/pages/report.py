"""The HTML report: one page that holds all it needs, or a folder that holds all queries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.errors import MissingExtraError, UsageError
from medir.files.paths import SEPARATORS, check_apart, names_folder, refuse_inputs
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

    A path that ends in a slash, or is a folder, gets a folder instead: `index.html`, which shows
    all queries, and `data/`, from which it loads what it shows. It needs no server.

    `queries` is a table of queries with their texts: a file, `{query: text}` or whatever else
    `medir.Queries.of` takes; without it, the one that was compared with. `documents` are the titles
    of documents: a file of tab-separated lines (id, title) or JSON lines (`.jsonl`), or
    `{id: title}`. `top` is how many of the most affected queries, by the first measure, are in the
    table; `only` names queries to show instead, and `sample` says how many to take at equal
    distances from the most to the least affected. `outcomes` are those of checks, and `command` is
    what made the comparison, for those who want to make it again. Lists are cut where the page
    would be larger than 1.8 MB, and the page says so. `top`, `only` and `sample` do not go with a
    folder, which leaves out nothing. File or folder appear when they are complete, or not at all.
    """
    check_report(path, queries, documents)
    refuse_inputs(path, result.origins(), whole_folder=in_a_folder(path))
    selection = Selection(top, only, sample)
    table = result.sample.table if queries is None else queries
    if in_a_folder(path):
        _check_whole(result, selection)
        check_apart([Path(path)], [queries, documents], whole_folder=True)
        from medir.rendering.folders.report import recording_to, write_folder

        with recording_to(Path(path), titles=documents is not None) as recording:
            write_folder(result, recording, table, documents, outcomes, command)
        return
    from medir.rendering.pages.page import page

    text = page(result, table, documents, selection, outcomes, command)
    with replacing(Path(path)) as file:
        file.write(text.encode())


def in_a_folder(path: str | PathLike[str]) -> bool:
    """Whether a report of this name is a folder of all queries."""
    return names_folder(path) and (
        Path(path).suffix.lower() not in ENDINGS or os.fspath(path).endswith(SEPARATORS)
    )


def check_report(path: str | PathLike[str], *sources: object) -> None:
    """Raises an error where no report could be written, before any work is done."""
    if in_a_folder(path):
        from medir.rendering.folders.replaceable import check_replaceable

        check_replaceable(Path(path).resolve())
    elif Path(path).suffix.lower() not in ENDINGS:
        raise UsageError(
            f"a report is HTML: end its name in .html, or in a slash for a folder of all queries, "
            f"not {str(path)!r}"
        )
    if find_spec("jinja2") is None:
        raise MissingExtraError("jinja2", "report", "writing a report")
    for source in sources:
        if isinstance(source, str | PathLike):
            check_readable(source)


def _check_whole(result: Differences[Any], selection: Selection) -> None:
    """Raises an error where a folder of all queries was not asked for, or cannot be made."""
    if selection != Selection():
        raise UsageError(
            "a folder holds all queries: leave out top, only and sample, or write one .html file"
        )
    if not result.has_every_row:
        raise UsageError(
            "a folder needs the rows of all queries here: write one .html file, which does not"
        )
