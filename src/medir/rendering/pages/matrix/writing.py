"""The page of a matrix: one file that holds all it needs."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from medir.comparing.matrix import Matrix
from medir.files.paths import check_apart, refuse_inputs
from medir.files.replacing import replacing
from medir.rendering.pages.report import check_report
from medir.rendering.pictures.matrices import Groups, groups_of
from medir.rendering.pictures.style import check_drawing


def write_matrix_page(
    result: Matrix,
    path: str | PathLike[str],
    *,
    groups: Groups | None = None,
    command: str | None = None,
) -> None:
    """Writes a matrix as one HTML page that needs no other file and no network.

    `groups` is `{run: group}`, or a CSV file with the columns run and group. `command` is what made
    the matrix, for those who want to make it again. The file appears when it is complete, or not
    at all.
    """
    check_matrix_page(path)
    refuse_inputs(path, result.origins())
    check_apart([Path(path)], [groups])
    from medir.rendering.pages.matrix.page import page

    known = None if groups is None else groups_of(result.names, groups)
    text = page(result, known, command)
    with replacing(Path(path)) as file:
        file.write(text.encode())


def check_matrix_page(path: str | PathLike[str]) -> None:
    """Raises an error where no page could be written, before any work is done."""
    check_report(path)
    check_drawing()
