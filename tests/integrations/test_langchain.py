"""Documents of LangChain as the results of a query, from its own vector store."""

from __future__ import annotations

from typing import Any

import pytest

import medir
from medir.errors import InputError
from tests.integrations.packages import needed

documents: Any = needed("langchain_core.documents")
vectors: Any = needed("langchain_core.vectorstores")
embeddings: Any = needed("langchain_core.embeddings")

TEXTS = ["cats purr", "dogs bark", "birds sing", "fish swim", "cats and dogs"]


@pytest.fixture
def store() -> Any:
    """A store in memory, with embeddings that need no model."""
    found = vectors.InMemoryVectorStore(embeddings.DeterministicFakeEmbedding(size=16))
    found.add_documents(
        [
            documents.Document(page_content=text, metadata={"source": f"s{i}.txt"}, id=f"id{i}")
            for i, text in enumerate(TEXTS)
        ]
    )
    return found


def test_documents_by_id_and_by_metadata(store: Any) -> None:
    results = {query: store.similarity_search(query, k=4) for query in ("cats", "dogs")}
    ids = {query: [one.id for one in some] for query, some in results.items()}
    sources = {query: [one.metadata["source"] for one in some] for query, some in results.items()}
    by_id, by_source = medir.Run.of(results), medir.Run.of(results, id="source")
    assert {query: by_id[query] for query in by_id} == ids
    assert {query: by_source[query] for query in by_source} == sources
    reverse = {query: some[::-1] for query, some in results.items()}
    result = medir.compare(results, reverse, "nDCG@4")
    expected = medir.compare(ids, {q: some[::-1] for q, some in ids.items()}, "nDCG@4")
    assert result.values.tolist() == expected.values.tolist()
    assert result.values[0, 0].min() > 0


def test_documents_with_scores_keep_their_order(store: Any) -> None:
    found = store.similarity_search_with_score("cats", k=4)
    assert medir.Run.of({"q": found})["q"] == [one.id for one, _ in found]


def test_documents_that_have_no_id() -> None:
    some = [documents.Document(page_content=text, metadata={"source": text}) for text in TEXTS]
    with pytest.raises(InputError, match=r"no id\n.*source\n.*id='source'"):
        medir.Run.of({"q": some})
    assert medir.Run.of({"q": some}, id="source")["q"] == TEXTS
