"""Runs, judgments and passages are asked for a query in the same way."""

from __future__ import annotations

from typing import Any

import pytest

from medir.inputs.by_query import ByQuery
from medir.inputs.passages import Passage, Passages
from medir.inputs.qrels import Qrels
from medir.inputs.runs import Run

KINDS: dict[str, tuple[ByQuery[Any, Any], Any, Any]] = {
    "Run": (Run.of({"q\udcff": ["a", "b"], "r": []}), ["a", "b"], []),
    "Qrels": (Qrels.of({"q\udcff": {"a": 2}, "r": {}}), {"a": 2}, {}),
    "Passages": (
        Passages.of({"q\udcff": [("a", 0, 5)], "r": []}),
        [Passage("a", 0, 5)],
        [],
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_queries(kind: str) -> None:
    lists, first, empty = KINDS[kind]
    assert lists.queries == list(lists) == ["q\udcff", "r"]
    assert len(lists) == 2
    assert lists["q\udcff"] == lists.get("q\udcff") == first
    assert lists["r"] == lists.get("r") == lists.get("none") == empty
    assert [lists.find(query) for query in ("q\udcff", "r", "none")] == [0, 1, None]
    assert ["q\udcff" in lists, "none" in lists, 7 in lists] == [True, False, False]
    assert lists.longest == len(first)
    assert repr(lists) == f"<{kind} {lists.name}: 2 queries>"
    with pytest.raises(KeyError, match="none"):
        lists["none"]
