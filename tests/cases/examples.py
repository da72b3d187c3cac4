"""The files of examples/."""

from __future__ import annotations

from tests.shell import EXAMPLES

BEFORE, AFTER, QRELS, QUERIES, DOCUMENTS = (
    EXAMPLES / name
    for name in ("before.run", "after.run", "qrels.txt", "queries.tsv", "documents.tsv")
)
