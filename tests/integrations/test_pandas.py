"""Frames of pandas, of whichever version there is: `make integrations` runs this with 2 and 3."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from tests.cases.libraries import MEASURES, Pair, compare, rows, same
from tests.integrations.packages import needed
from tests.shell import python

pd: Any = needed("pandas")

KINDS = ["plain", "category", "string", "object"]


def frame(some: Any, value: str = "score", kind: str = "plain") -> Any:
    made = pd.DataFrame(rows(some), columns=["query_id", "doc_id", value])
    if kind != "plain":
        made = made.astype({"query_id": kind, "doc_id": kind})
    return made


def test_the_version_is_the_one_that_is_wanted() -> None:
    wanted = os.environ.get("MEDIR_PANDAS")
    if wanted is None:
        pytest.skip("any version: MEDIR_PANDAS is not set")
    assert pd.__version__.partition(".")[0] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_runs(pair: Pair, tmp_path: Path, kind: str) -> None:
    some = frame(pair.before, kind=kind), frame(pair.after, kind=kind)
    same(compare(*some), pair.expected(tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_judgments(pair: Pair, tmp_path: Path, kind: str) -> None:
    judged = frame(pair.judged, "relevance", kind)
    result = compare(frame(pair.before), frame(pair.after), qrels=judged)
    same(result, pair.expected(tmp_path, judged=True))


def test_rows_in_any_order_with_any_index(pair: Pair, tmp_path: Path) -> None:
    """The index is no column; results are ordered by score, whatever the order of the rows."""
    shuffled = frame(pair.after).sample(frac=1, random_state=1)
    expected = pair.expected(tmp_path)
    result = compare(frame(pair.before), shuffled)
    assert np.array_equal(
        np.array([result.column(query_measure) for query_measure in result.measures])[
            :, [result.position(query) for query in expected.queries]
        ],
        np.array([expected.column(one) for one in expected.measures]),
        equal_nan=True,
    )


def test_lists_in_cells() -> None:
    before = pd.DataFrame({"query_id": ["q1", "q2"], "doc_ids": [["a", "b"], ["c"]]})
    after = pd.DataFrame({"query_id": ["q1", "q2"], "doc_ids": [["b", "a"], ["c"]]})
    plain = {"q1": ["a", "b"], "q2": ["c"]}, {"q1": ["b", "a"], "q2": ["c"]}
    result, expected = medir.compare(before, after, "P@1"), medir.compare(*plain, "P@1")
    assert result.values.tolist() == expected.values.tolist()


def test_integer_ids_equal_their_digits() -> None:
    numbers = pd.DataFrame({"qid": [1, 1], "docno": [17, 4], "score": [2.0, 1.0]})
    texts = {"1": ["17", "4"]}
    assert medir.compare(numbers, texts, "RBO").column().tolist() == [1.0]


def test_missing_values_are_named() -> None:
    missing = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", None], "score": [1.0, 2.0]})
    with pytest.raises(medir.InputError, match="2"):
        medir.compare(missing, missing, "P@1")
    unscored = pd.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, None]})
    with pytest.raises(medir.InputError, match="2"):
        medir.compare(unscored, unscored, "P@1")


WITHOUT_PYARROW = """
import json, sys
class Missing:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "pyarrow":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing)
import pandas as pd
import medir
given = json.load(sys.stdin)
names = ["query_id", "doc_id"]
before, after = (pd.DataFrame(given[one], columns=[*names, "score"]) for one in ("before", "after"))
qrels = pd.DataFrame(given["judged"], columns=[*names, "relevance"])
for kind in (None, "category", "string"):
    if kind:
        after = after.astype({name: kind for name in names})
    result = medir.compare(before, after, given["measures"], qrels=qrels)
    print(json.dumps([result.queries, [one.hex() for one in result.values.ravel().tolist()]]))
"""


def test_without_pyarrow(pair: Pair, tmp_path: Path) -> None:
    """Pandas offers Arrow's stream, and needs pyarrow for it."""
    given = {
        "before": rows(pair.before),
        "after": rows(pair.after),
        "judged": rows(pair.judged),
        "measures": MEASURES,
    }
    outcome = python(WITHOUT_PYARROW, stdin=json.dumps(given).encode())
    assert (outcome.code, outcome.err) == (0, "")
    expected = pair.expected(tmp_path, judged=True)
    lines = outcome.out.splitlines()
    assert len(lines) == 3
    for line in lines:
        queries, values = json.loads(line)
        assert queries == expected.queries
        assert values == [one.hex() for one in expected.values.ravel().tolist()]
