"""A scripted judge: how many long words of a query are in a document, up to the highest grade.

    python scripted_judge.py requests.jsonl > judged.jsonl

It stands for a person or a language model. What it reads was written by
`medir judge --format jsonl --queries queries.tsv --documents documents.tsv`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def grade(query: str, document: str, highest: int) -> int:
    """How well a document fits a query."""
    words = {word for word in query.lower().split() if len(word) > 3}
    return min(sum(word in document.lower() for word in words), highest)


for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
    request = json.loads(line)
    document = f"{request['doc_id']} {request['text']}"
    relevance = grade(request["query"], document, request["max_grade"])
    answer = {name: request[name] for name in ("query_id", "doc_id")}
    print(json.dumps(answer | {"relevance": relevance}))
