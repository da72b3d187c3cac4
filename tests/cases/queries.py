"""Tables of queries as files, and queries by position."""

from __future__ import annotations

from pathlib import Path

from medir import _core
from medir.files.identifiers import bytes_of


def run(*queries: str) -> _core.ColumnLists:
    """Queries by position, each with one result."""
    ids = [bytes_of(query, "query", "run") for query in queries]
    return _core.ranked_lists("run", ids, [[b"d"]] * len(ids))


def table(folder: Path, content: str | bytes, name: str = "queries.tsv") -> Path:
    """A file of a table."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path
