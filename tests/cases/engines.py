"""Responses as search engines write them, made of ranked documents and scores.

The shapes follow what each engine documents: `_search` and `_msearch` of Elasticsearch 8 and
OpenSearch 2, Solr 9's JSON writer, and Vespa's default JSON result.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Ranking = Sequence[tuple[str, float | None]]
Response = dict[str, Any]

NO_INDEX: Response = {
    "error": {
        "root_cause": [
            {
                "type": "index_not_found_exception",
                "reason": "no such index [docs-v9]",
                "resource.type": "index_or_alias",
                "index": "docs-v9",
            }
        ],
        "type": "index_not_found_exception",
        "reason": "no such index [docs-v9]",
        "index": "docs-v9",
    },
    "status": 404,
}
ALL_SHARDS: Response = {
    "error": {
        "root_cause": [
            {
                "type": "query_shard_exception",
                "reason": 'failed to create query: for input string: "ten"',
                "index": "docs",
            }
        ],
        "type": "search_phase_execution_exception",
        "reason": "all shards failed",
        "phase": "query",
        "grouped": True,
        "failed_shards": [{"shard": 0, "index": "docs", "node": "x", "reason": {"type": "y"}}],
    },
    "status": 400,
}


def elasticsearch(ranking: Ranking, **changes: Any) -> Response:
    """A response of `_search`, or an item of `_msearch`."""
    hits = [
        {"_index": "docs", "_id": document, "_score": score, "_source": {"title": "A title"}}
        for document, score in ranking
    ]
    return {
        "took": 5,
        "timed_out": False,
        "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
        "hits": {
            "total": {"value": len(hits), "relation": "eq"},
            "max_score": ranking[0][1] if ranking else None,
            "hits": hits,
        },
    } | changes


def msearch(*responses: Response) -> Response:
    """The response of `_msearch`, whose items have a status."""
    return {"took": 9, "responses": [{"status": 200} | one for one in responses]}


def shards(failed: int, total: int = 5) -> Response:
    """What a response says where shards failed."""
    failures = [
        {
            "shard": 2,
            "index": "docs",
            "node": "bz3Xv1",
            "reason": {"type": "circuit_breaking_exception", "reason": "[parent] Data too large"},
        }
    ]
    return {
        "_shards": {
            "total": total,
            "successful": total - failed,
            "skipped": 0,
            "failed": failed,
            "failures": failures,
        }
    }


def solr(ranking: Ranking, header: Response | None = None, **params: Any) -> Response:
    """A response of Solr's search handler."""
    return {
        "responseHeader": {"zkConnected": True, "status": 0, "QTime": 3, "params": params}
        | (header or {}),
        "response": {
            "numFound": len(ranking),
            "start": 0,
            "maxScore": ranking[0][1] if ranking else 0.0,
            "numFoundExact": True,
            "docs": [
                {"id": document, "title": ["A title"]} | ({} if score is None else {"score": score})
                for document, score in ranking
            ],
        },
    }


def solr_error(message: str, code: int = 400, **params: Any) -> Response:
    """What Solr writes where it cannot search."""
    return {
        "responseHeader": {"status": code, "QTime": 1, "params": params},
        "error": {
            "metadata": ["error-class", "org.apache.solr.common.SolrException"],
            "msg": message,
            "code": code,
        },
    }


def vespa(ranking: Ranking, documentid: bool = True, **changes: Any) -> Response:
    """A response of Vespa's search handler."""
    children = []
    for number, (document, score) in enumerate(ranking):
        fields = {"sddocname": "doc", "title": "A title"}
        if documentid:
            fields["documentid"] = f"id:docs:doc::{document}"
        inner = f"index:content/0/{number:024x}"
        children.append(
            {
                "id": fields.get("documentid", inner),
                "relevance": score,
                "source": "content",
                "fields": fields,
            }
        )
    root = {
        "id": "toplevel",
        "relevance": 1.0,
        "fields": {"totalCount": len(ranking)},
        "coverage": {
            "coverage": 100,
            "documents": 1000,
            "full": True,
            "nodes": 1,
            "results": 1,
            "resultsFull": 1,
        },
        "children": children,
    }
    return {"root": {key: value for key, value in (root | changes).items() if value != []}}
