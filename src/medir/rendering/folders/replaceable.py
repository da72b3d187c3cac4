"""What a report in a folder may take the place of: an earlier one, or nothing."""

from __future__ import annotations

from pathlib import Path

from medir.errors import UsageError

PAGE, FOLDER = "index.html", "data"
MADE_BY = b'<meta name="generator" content="medir '
HEAD = 2000  # bytes of a page in which that is


def check_replaceable(target: Path) -> None:
    """Raises an error where a path holds something other than a report, or nothing."""
    if not target.exists():
        return
    names = {one.name for one in target.iterdir()} if target.is_dir() else {target.name}
    if target.is_dir() and not names:
        return
    if not target.is_dir() or not names <= {PAGE, FOLDER} or not _is_page(target / PAGE):
        raise UsageError(
            f"{str(target)!r} is there and is no report of medir, so it is not replaced: choose "
            "another name for the report, or remove it"
        )


def _is_page(path: Path) -> bool:
    """Whether a file is a page of medir."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return MADE_BY in file.read(HEAD)
