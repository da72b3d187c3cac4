"""Files of other formats in the shell: what they are read as cannot be missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shell import medir

RUN = "q Q0 a 1 2 t\nq Q0 b 2 1 t\n"
TABLE = "query_id,doc_id,score\nq,b,2\nq,a,1\n"
QRELS = '{"query_id": "q", "doc_id": "a", "relevance": 1}\n'
LENGTHS = "doc_id,words\na,300\nb,20\n"
COMPARED = "medir: after.csv: read as CSV: query_id, doc_id, score (2 results)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"before.run": RUN, "after.csv": TABLE, "qrels.jsonl": QRELS, "words.csv": LENGTHS}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "before.run", "after.csv"),
        ("explain", "before.run", "after.csv", "q"),
        ("judge", "before.run", "after.csv"),
        ("matrix", "before.run", "after.csv"),
        ("documents", "before.run", "after.csv"),
        ("compare", "before.run", "before.run", "--noise", "after.csv"),
    ],
    ids=" ".join,
)
def test_one_line_for_each_file_that_is_not_plain(arguments: tuple[str, ...], folder: Path) -> None:
    outcome = medir(*arguments, cwd=folder)
    assert (outcome.code, outcome.err) == (0, COMPARED)


def test_nothing_about_trec_text(folder: Path) -> None:
    assert medir("compare", "before.run", "before.run", cwd=folder).err == ""


def test_judgments(folder: Path) -> None:
    outcome = medir("compare", "before.run", "after.csv", "--qrels", "qrels.jsonl", cwd=folder)
    first, second = outcome.err.splitlines(keepends=True)
    assert first == COMPARED
    assert second.startswith("medir: qrels.jsonl: read as JSON")


def test_columns(folder: Path) -> None:
    (folder / "after.csv").write_text(TABLE.replace("query_id,doc_id,score", "q,d,s"))
    refused = medir("compare", "before.run", "after.csv", cwd=folder)
    assert refused.code == 2
    assert refused.err.startswith(
        "medir: after.csv: there is no column of query ids among the columns q, d, s\n"
    )
    columns = "query_id=q,doc_id=d,score=s"
    outcome = medir("compare", "before.run", "after.csv", "--columns", columns, cwd=folder)
    assert outcome.code == 0
    assert outcome.err == "medir: after.csv: read as CSV: q, d, s (2 results)\n"


def test_many_files_are_told_together(folder: Path) -> None:
    runs = folder / "runs"
    runs.mkdir()
    for number in range(13):
        (runs / f"{number:02}.csv").write_text(TABLE.replace("2", f"{number + 1}.5"))
    outcome = medir("matrix", "runs", cwd=folder)
    assert outcome.code == 0
    lines = outcome.err.splitlines()
    assert len(lines) == 11
    assert lines[-1] == "medir: 3 more files: read as CSV"


def test_the_report_says_how_files_were_read(folder: Path) -> None:
    pytest.importorskip("jinja2")
    medir("compare", "before.run", "after.csv", "--report", "report.html", cwd=folder)
    page = (folder / "report.html").read_text()
    assert "after.csv, read as CSV: query_id, doc_id, score (2 results)" in page
