"""Arrow without pyarrow, pandas and polars: in an environment that has medir and what it needs.

`make integrations` makes that environment, with arro3, whose tables need nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from tests.cases.libraries import MEASURES, Pair, rows
from tests.integrations.packages import LEFT_OUT

PYTHON = os.environ.get("MEDIR_BARE")
if not PYTHON:
    assert not os.environ.get("MEDIR_INTEGRATIONS"), "MEDIR_BARE is not set"
    pytest.skip(LEFT_OUT.format("a bare environment"), allow_module_level=True)

START = """
import importlib.util, json, sys
for name in ("pyarrow", "pandas", "polars", "scipy", "jinja2"):
    assert importlib.util.find_spec(name) is None, name
import arro3.core as arro3
import medir

given = json.load(sys.stdin)
TEXTS = {
    "string": arro3.DataType.string(),
    "large_string": arro3.DataType.large_string(),
    "string_view": arro3.DataType.string_view(),
}

def columns(rows, value, kind, number):
    queries, documents, values = zip(*rows)
    return {
        "query_id": arro3.Array(queries, TEXTS[kind]),
        "doc_id": arro3.Array(documents, TEXTS[kind]),
        value: arro3.Array(values, number),
    }

def table(rows, value="score", kind="string", number=arro3.DataType.float64()):
    return arro3.Table.from_pydict(columns(rows, value, kind, number))

def answer(result):
    print(json.dumps({
        "queries": result.queries,
        "values": [[[one.hex() for one in row] for row in some] for some in result.values.tolist()],
    }))
"""


def bare(code: str, **given: Any) -> Any:
    """What a program prints there, from JSON."""
    assert PYTHON is not None
    done = subprocess.run(
        [PYTHON, "-I", "-W", "error", "-c", START + code],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def given(pair: Pair) -> dict[str, Any]:
    return {
        "before": rows(pair.before),
        "after": rows(pair.after),
        "judged": rows(pair.judged),
        "measures": MEASURES,
    }


def equal(found: Any, expected: medir.Comparison) -> None:
    assert found["queries"] == expected.queries
    values = [[[float.fromhex(one) for one in row] for row in some] for some in found["values"]]
    assert np.array_equal(np.array(values), expected.values, equal_nan=True)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_tables(pair: Pair, tmp_path: Path, kind: str) -> None:
    code = f"""
before, after = (table(given[name], kind={kind!r}) for name in ("before", "after"))
answer(medir.compare(before, after, given["measures"]))
"""
    equal(bare(code, **given(pair)), pair.expected(tmp_path))


def test_judgments_and_batches(pair: Pair, tmp_path: Path) -> None:
    code = """
whole = arro3.DataType.int64()
(batch,) = table(given["before"]).combine_chunks().to_batches()
qrels = table(given["judged"], "relevance", number=whole)
answer(medir.compare(batch, table(given["after"]), given["measures"], qrels=qrels))
"""
    equal(bare(code, **given(pair)), pair.expected(tmp_path, judged=True))


def test_a_stream_that_is_read_once(pair: Pair, tmp_path: Path) -> None:
    code = """
class Stream:
    def __init__(self, table): self.table = table
    def __arrow_c_stream__(self, requested_schema=None):
        table, self.table = self.table, None
        return table.__arrow_c_stream__(requested_schema)
some = (Stream(table(given[name])) for name in ("before", "after"))
answer(medir.compare(*some, given["measures"]))
"""
    equal(bare(code, **given(pair)), pair.expected(tmp_path))


def test_all_that_compare_does(pair: Pair, tmp_path: Path) -> None:
    """Explanations, weights, checks and files, from tables."""
    code = """
result = medir.compare(table(given["before"]), table(given["after"]), "nDCG@10", by="kind",
                       queries={query: {"kind": query[-1]} for query, *_ in given["before"]})
worst = result.top(1)[0].query_id
result.write(given["path"])
print(json.dumps([worst, result.explain(worst).sentence, str(result), sorted(result.segments())]))
"""
    path = tmp_path / "out.csv"
    worst, sentence, text, segments = bare(code, **given(pair), path=str(path))
    kinds = {query: {"kind": query[-1]} for query in pair.before}
    expected = medir.compare(pair.before, pair.after, "nDCG@10", by="kind", queries=kinds)
    assert worst == expected.top(1)[0].query_id
    assert sentence == expected.explain(worst).sentence
    assert text == str(expected)
    assert segments == sorted(expected.segments())
    other = tmp_path / "expected.csv"
    expected.write(other)
    assert path.read_bytes() == other.read_bytes()
