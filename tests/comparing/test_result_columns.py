"""The columns of a result are named once; whatever it holds, it says what that is."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.comparing.columns import CHANGES, COLUMNS, GAP, MEANINGS, VALUE
from medir.comparing.differences import Differences, Row
from medir.errors import InputError, MissingQueryError, UsageError

DOCS = next(p for p in Path(__file__).parents if (p / "docs").is_dir()) / "docs"
BEFORE: Any = {"q1": ["a", "b"], "q2": ["c"]}
AFTER: Any = {"q1": ["b", "d"], "q2": ["c"]}


def passages(run: Any) -> Any:
    return {query: [(document, 0, 10) for document in ranking] for query, ranking in run.items()}


RESULTS: dict[str, Differences[Any]] = {
    "documents": medir.compare(BEFORE, AFTER, ["P@2", "ERR"], qrels={"q1": {"d": 1}}),
    "passages": medir.compare_passages(
        passages(BEFORE), passages(AFTER), ["U@20", "TBG"], gold={"q1": [("d", 0, 5)]}
    ),
}


def test_columns_are_named_once() -> None:
    assert Row._fields == ("query_id", "measure", *COLUMNS, VALUE)
    assert tuple(MEANINGS) == (*COLUMNS, VALUE)
    assert COLUMNS[GAP] == "gap"
    for result in RESULTS.values():
        assert result.values.shape[1] == len(COLUMNS)
        assert result.changes.shape[:2] == (len(result.measures), len(CHANGES))
        assert list(result.table().columns) == [*Row._fields, *CHANGES]


def test_columns_are_documented() -> None:
    """Every list of columns in the documentation has all of them, in this order."""
    columns = (*COLUMNS, VALUE, *CHANGES)
    assert f"`query_id, measure, {', '.join(columns)}`" in (DOCS / "files.md").read_text()
    for page in DOCS.glob("*.md"):
        for header in re.findall(r"^query_id,measure,(med.*)$", page.read_text(), re.MULTILINE):
            assert header == ",".join(columns), page.name


@pytest.mark.parametrize("kind", RESULTS)
def test_a_query_by_its_position(kind: str) -> None:
    result: Any = RESULTS[kind]
    for position, query in enumerate(result.queries):
        assert result.position(query) == position
        for measure in result.measures:
            assert result.explain_at(position, measure) == result.explain(query, measure)
        ranking = result.ranking(position)
        assert ranking.query == query
        assert len(ranking.explanations) == len(result.measures)
    with pytest.raises(MissingQueryError, match="there is no query 'q9' in this comparison"):
        result.explain("q9")


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_says_what_it_holds(kind: str) -> None:
    result = RESULTS[kind]
    assert result.is_judged
    assert dict(result.facts())["Queries"] == "2"
    assert all(isinstance(note, str) for note in result.notes())
    words = {"documents": ("document", "ranks"), "passages": ("stretch", "stretches of text")}
    assert (result.contents.item, result.contents.places) == words[kind]


def test_a_missing_query_is_one_kind_of_error() -> None:
    error = MissingQueryError("q9", "a.run", "b.run")
    assert isinstance(error, InputError)
    assert isinstance(error, UsageError)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(error).startswith("there is no query 'q9' in a.run or b.run\n")
