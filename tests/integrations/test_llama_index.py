"""Nodes of LlamaIndex as the results of a query."""

from __future__ import annotations

from typing import Any

import pytest

import medir
from tests.integrations.packages import needed

schema: Any = needed("llama_index.core.schema")


@pytest.fixture
def nodes() -> list[Any]:
    """Nodes with scores, best first; distances rise."""
    return [
        schema.NodeWithScore(
            node=schema.TextNode(text="t", id_=f"n{i}", metadata={"file_name": f"f{i}.txt"}),
            score=float(i),
        )
        for i in range(4)
    ]


def test_nodes_with_scores_keep_their_order(nodes: list[Any]) -> None:
    assert medir.Run.of({"q": nodes})["q"] == ["n0", "n1", "n2", "n3"]
    assert medir.Run.of({"q": nodes}, id="file_name")["q"][0] == "f0.txt"


def test_nodes_and_documents(nodes: list[Any]) -> None:
    plain = [one.node for one in nodes]
    assert medir.Run.of({"q": plain})["q"] == ["n0", "n1", "n2", "n3"]
    document = schema.Document(text="t", id_="d1")
    assert medir.Run.of({"q": [document]})["q"] == ["d1"]
    result = medir.compare({"q": nodes}, {"q": plain[::-1]}, "P@2")
    assert result.lists("q") == (["n0", "n1", "n2", "n3"], ["n3", "n2", "n1", "n0"])
