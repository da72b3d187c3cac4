"""Tables of queries as files, and queries by position."""

from __future__ import annotations

from pathlib import Path

from medir import _core
from medir.inputs.formats.mappings import run_columns


def run(*queries: str) -> _core.ColumnLists:
    """Queries by position, each with one result."""
    return run_columns({query: ["d"] for query in queries}, "score", "run")


def table(folder: Path, content: str | bytes, name: str = "queries.tsv") -> Path:
    """A file of a table."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
