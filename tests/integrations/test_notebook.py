"""Results as notebooks show them: the right numbers, safe whatever the texts hold."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.base import views
from medir.errors import visible
from medir.rendering.pages.cell import html
from medir.validation.passage_figure import passage_study
from tests.cases.cells import Cell
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES
from tests.cases.studies import collection, numbers
from tests.profiles import examples
from tests.shell import EXAMPLES, python

RUNS = {"before": BEFORE, "after": AFTER, "rebuilt": EXAMPLES / "rebuilt.run"}
PASSAGES = EXAMPLES / "passages" / "before.txt", EXAMPLES / "passages" / "after.txt"
GOLD = EXAMPLES / "passages" / "gold.tsv"


def cell(result: Any) -> Cell:
    """What a notebook shows of a result."""
    return Cell(result._repr_html_())


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    measures = ["nDCG@20", "RBP", "tau_b"]
    return medir.compare(BEFORE, AFTER, measures, qrels=QRELS, queries=QUERIES)


# ---- What is shown


def test_a_comparison(compared: medir.Comparison) -> None:
    """The verdict, the summary, and the most affected queries."""
    shown = cell(compared)
    for sentence in compared.verdict():
        assert sentence in shown.text
    means, most = shown.table("Over all"), shown.table("Most affected queries by nDCG@20")
    with QUERIES.open(encoding="utf-8", newline="") as file:
        known = {row["query_id"]: row for row in csv.DictReader(file, delimiter="\t")}
    weights = np.array([float(known[query]["weight"]) for query in compared.queries])
    for place, one in enumerate(compared.measures[:2]):
        mean = float((compared.column(one) * weights).sum() / weights.sum())
        assert means.rows[place][:2] == [f"MED-{one!r}", f"{mean:.4f}"]
    assert shown.table("Rank similarities").column("measure") == ["tau_b"]
    top = compared.top(5)
    assert most.column("query") == [row.query_id for row in top]
    assert most.column("med") == [f"{row.med:.4f}" for row in top]
    assert most.column("loss") == [f"{row.loss:.4f}" for row in top]
    assert most.column("text") == [known[row.query_id]["text"] for row in top]
    assert most.column("left") == [
        f"{compared.change('left')[compared.position(row.query_id)]}" for row in top
    ]
    assert all(note in shown.text for note in compared.notes())


def test_equal_sides_are_shown_once() -> None:
    result = medir.compare({"q": ["a", "b"]}, {"q": ["b", "a"]}, "P@1")
    (most,) = [one for one in cell(result).tables if one.title.startswith("Most")]
    assert most.names == ["query", "med", "", "entered", "left", "moved"]


def test_nothing_compared() -> None:
    assert cell(medir.compare({}, {}, "P@1")).tables == []
    assert cell(medir.matrix({"a": {}, "b": {}}, "P@1")).text
    assert cell(medir.judge({"q": ["a"]}, {"q": ["a"]}, measures="P@1")).tables == []
    assert cell(medir.documents({}, {}, "P@1")).tables == []
    expected = medir.expect({}, {}, "P@1", prior=0.5)
    assert cell(expected).tables == []
    assert "0 queries" in repr(expected)
    assert cell(medir.explain([], [], "P@1")).tables == []


def test_an_explanation(compared: medir.Comparison) -> None:
    """Both lists in order; what is in either adds up to the value."""
    why = compared.explain("q041", "nDCG@20")
    shown = cell(why)
    assert why.sentence in shown.text
    before, after = shown.tables
    lists = compared.lists("q041")
    for one, title, documents in zip((before, after), ("Before", "After"), lists, strict=True):
        assert one.title == title
        assert one.column("document") == documents[:20]
        assert one.rows[0][0] == "1"
    rows = {row[1]: row for table in (before, after) for row in table.rows}
    for name in ("gain", "loss"):
        parts = [row[before.names.index(name)] for row in rows.values()]
        total = sum(float(part) for part in parts if part != "–")
        total += getattr(why, f"unseen_{name}")
        assert math.isclose(total, getattr(why.solution, name), abs_tol=5e-5 * len(rows))


def test_moves_in_an_explanation() -> None:
    shown = cell(medir.explain(["a", "b", "c"], ["b", "a", "d"], "P@2"))
    moves = {row[1]: row[2] for table in shown.tables for row in table.rows}
    assert moves == {"a": "▼ 1", "b": "▲ 1"}
    moves = {
        row[1]: row[2]
        for table in cell(medir.explain(["a", "b", "c"], ["b", "d", "c"], "P@3")).tables
        for row in table.rows
    }
    assert moves == {"a": "gone", "b": "▲ 1", "c": "=", "d": "new"}


def test_long_lists_are_cut_and_say_so() -> None:
    why = medir.explain([f"a{i}" for i in range(60)], ["b"], "RBP")
    before, after = cell(why).tables
    assert before.title == "Before: the first 20 of 60 rows"
    assert len(before.rows) == 20
    assert after.title == "After"


def test_judged_documents_have_grades() -> None:
    why = medir.explain(["a", "b"], ["b", "c"], "P@2", qrels={"a": 1})
    before, after = cell(why).tables
    assert before.column("grade") == ["1", ""]
    assert after.column("grade") == ["", ""]


def test_passages() -> None:
    result = medir.compare_passages(*PASSAGES, "U@100", gold=GOLD)
    shown = cell(result)
    assert shown.table("Most").column("query") == [row.query_id for row in result.top(5)]
    why = result.explain(result.queries[0])
    text = cell(why)
    assert why.sentence in text.text
    assert {row[1] for table in text.tables for row in table.rows} == {
        stretch.name for stretch in why.stretches
    }


def test_a_matrix_of_few_runs() -> None:
    result = medir.matrix(RUNS, ["nDCG@20", "RBO"])
    shown = cell(result)
    for one in result.measures:
        square = shown.table(f"Mean {one.title}")
        assert square.names == ["run", *RUNS]
        assert [row[1:] for row in square.rows] == [
            [f"{value:.3f}" for value in row] for row in result.mean(one).tolist()
        ]


def test_a_matrix_of_many_runs() -> None:
    runs = {f"r{n}": {"q": [f"d{i % (n + 2)}" for i in range(n + 2)]} for n in range(14)}
    result = medir.matrix(runs, "P@5")
    shown = cell(result)
    closest, farthest = shown.tables
    least, first, second = result.ranked_pairs()[0]
    assert closest.rows[0] == [result.names[first], result.names[second], f"{least:.4f}"]
    assert len(closest.rows) == len(farthest.rows) == 5


def test_scores() -> None:
    result = medir.score({"b": BEFORE, "a": AFTER}, "nDCG@5", QRELS)
    shown = cell(result)
    means = shown.table("Mean scores")
    assert means.column("run") == ["b", "a"]
    assert means.column("mean") == [f"{np.mean(result.column(run=run)):.4f}" for run in "ba"]
    (difference,) = shown.table("The second").column("difference")
    assert float(difference) == pytest.approx(result.difference().mean(), abs=5e-5)
    assert len(cell(medir.score(BEFORE, "nDCG@5", QRELS)).tables) == 1


def test_suggestions() -> None:
    found = medir.judge(BEFORE, AFTER, measures="nDCG@5", top=12)
    shown = cell(found)
    (table,) = shown.tables
    assert table.column("document") == [one.document for one in found[:10]]
    assert table.column("reduction") == [f"{one.reduction:.4f}" for one in found[:10]]
    assert "and 2 more" in shown.text


def test_an_expectation() -> None:
    result = medir.expect(BEFORE, AFTER, "nDCG@3", prior=0.3, samples=200)
    means, largest = cell(result).tables
    assert float(means.column("expected")[0]) == pytest.approx(result.mean().expected, abs=5e-5)
    assert largest.column("query") == [result.queries[i] for i in result.largest(5)]


def test_documents() -> None:
    found = medir.documents(BEFORE, AFTER, documents=DOCUMENTS)
    gains, losses = cell(found).tables
    assert gains.column("document") == [row.doc_id for row in found.gains(5)]
    assert losses.column("document") == [row.doc_id for row in found.losses(5)]
    assert gains.column("change") == [f"{row.change:+.4f}" for row in found.gains(5)]


def test_studies(tmp_path: Path) -> None:
    found = numbers(collection(), tmp_path)
    shown = cell(found)
    assert "findings of the paper hold here" in shown.text
    for kind in found.true_differences:
        (pearson,) = {row[3] for row in shown.tables[1].rows if row[:2] == [kind, "100 %"]}
        assert pearson == f"{found.with_truth(100, kind).pearson:.3f}"
    runs = {"one": {"q": [("a", 0, 9)]}, "two": {"q": [("b", 0, 9)]}}
    groups = {"one": "x", "two": "y"}
    passages = passage_study(runs, {"q": [("a", 0, 1)]}, tmp_path / "p", groups)
    assert "mean true difference" in cell(passages).text


# ---- What is safe


EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style></div><b>",
    "&lt;b&gt; & 'quotes'",
    "\u202ereversed",
    "q\udcff",
    "new\nline",
    "{{ x }} ${y}",
]
ids = st.sampled_from(EVIL) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def shown_as(text: str) -> str:
    """What a reader sees of a text; a browser takes some characters for blanks."""
    return visible(text).replace("\r", "\n")


@examples(60)
@given(ids, ids, ids, st.lists(ids, min_size=1, max_size=3, unique=True))
def test_any_text_is_shown_as_it_is(query: str, text: str, name: str, some: list[str]) -> None:
    about = {query: text} if query else None
    before = {query: some}
    result = medir.compare(before, {query: ["x"]}, "P@3", queries=about)
    shown = cell(result)
    assert shown_as(query) in shown.text
    why = cell(result.explain(query))
    assert why.tables[0].column("document") == [shown_as(one) for one in some]
    cell(medir.matrix({name: before, f"{name}2": {query: ["x"]}}, "P@1"))
    cell(medir.judge(before, {query: ["x"]}, measures="P@1"))
    cell(medir.documents(before, {query: ["x"]}, "P@1", documents=dict.fromkeys(some, text)))
    cell(medir.score({name: before}, "P@1", {query: {"x": 1}}))
    cell(medir.expect(before, {query: ["x"]}, "P@1", prior=0.5))


@given(st.text(max_size=20))
def test_html_reads_back(text: str) -> None:
    assert Cell(f"<p>{html(text)}</p>").text == shown_as(text)


RESULTS: dict[str, Callable[[], Any]] = {
    "comparison": lambda: medir.compare(BEFORE, AFTER, "nDCG@20", queries=QUERIES, by="segment"),
    "explanation": lambda: medir.compare(BEFORE, AFTER, "nDCG@20").explain("q041"),
    "matrix": lambda: medir.matrix(RUNS, "nDCG@20"),
    "documents": lambda: medir.documents(BEFORE, AFTER, documents=DOCUMENTS),
}


@pytest.mark.parametrize("name", RESULTS)
def test_cells_are_small_and_short_in_text(name: str) -> None:
    result = RESULTS[name]()
    assert len(result._repr_html_()) < 15_000
    assert len(repr(result)) < 250
    assert "\n" not in repr(result)


# ---- How views are attached


def test_every_view_is_there() -> None:
    for home in views._HOMES.values():
        module, _, function = home.partition(":")
        assert callable(getattr(import_module(module), function))


def test_a_view_is_that_of_the_nearest_class(monkeypatch: pytest.MonkeyPatch) -> None:
    class Base(views.Viewed):
        pass

    class Derived(Base):
        pass

    monkeypatch.setattr(views, "_HOMES", {})
    views.attach("html", {"Base": "builtins:repr"})
    assert Derived()._repr_html_().startswith("<")
    views.attach("html", {"Derived": "builtins:str.upper"})
    with pytest.raises(AttributeError, match="Base has no view 'plot'"):
        views.view(Base(), "plot")


@pytest.mark.slow
def test_a_cell_needs_no_optional_library() -> None:
    code = """
import sys
for name in ("matplotlib", "jinja2", "markupsafe", "pyarrow", "scipy", "IPython", "pandas"):
    sys.modules[name] = None
import medir
result = medir.compare({"q": ["a", "b"]}, {"q": ["b", "c"]}, "P@2")
print(len(result._repr_html_()) > 100, len(result.explain("q")._repr_html_()) > 100)
"""
    assert python(code).out == "True True\n"
