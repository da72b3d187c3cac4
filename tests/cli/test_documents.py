"""`medir documents` in a shell."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import medir
from medir import Exposure
from tests.cases.runs import write_run
from tests.shell import EXAMPLES, good
from tests.shell import medir as shell

Files = tuple[Path, Path, Path]
LONG = "a.document.whose.id.is.rather.long"
TITLE = "The third letter of an alphabet that has many more"
LEFT_OUT = {
    30: "title, before, after, queries, status",
    44: "title, before, after, queries, status",
    60: "before, after, queries, status",
    80: "before, after",
}


@pytest.fixture
def files(tmp_path: Path) -> Files:
    """Two runs and titles."""
    titles = tmp_path / "titles.tsv"
    titles.write_text(f"a\tAlpha\nc\t{TITLE}\n")
    return (
        write_run(tmp_path / "before.run", {"q1": ["a", "b"], "q2": ["a", "b"]}),
        write_run(tmp_path / "after.run", {"q1": ["b", "a"], "q2": ["c", LONG]}),
        titles,
    )


def test_table(files: Files) -> None:
    before, after, titles = files
    options = ["-m", "P@2", "--documents", titles]
    out = good(shell("documents", before, after, *options, env={"COLUMNS": "140"}))
    lines, title = out.splitlines(), TITLE.split()
    assert lines[0] == "Of 4 documents, 2 newly visible, 2 lost."
    assert lines[1] == f"{before} -> {after}"
    assert lines[2] == "exposure by P@2 in 2 queries"
    assert lines[3] == "check: all changes add up to 0, and the depths of the lists give 0"
    rows = [line.split() for line in lines if line.startswith(("a ", "b ", "c ", LONG))]
    assert rows == [
        ["c", *title, "+0.5000", "0.0000", "0.5000", "0", "->", "1", "new"],
        [LONG, "+0.5000", "0.0000", "0.5000", "0", "->", "1", "new"],
        ["a", "Alpha", "-0.5000", "1.0000", "0.5000", "2", "->", "1"],
        ["b", "-0.5000", "1.0000", "0.5000", "2", "->", "1"],
    ]
    assert [line.rstrip() for line in lines if line.startswith("Documents")] == [
        "Documents that gain most",
        "Documents that lose most",
    ]


@pytest.mark.parametrize("columns", [30, 44, 60, 80, 120])
def test_ids_are_never_broken(files: Files, columns: int) -> None:
    """A table may be wider than the terminal; what is left out is named."""
    before, after, titles = files
    out = good(
        shell("documents", before, after, "--documents", titles, env={"COLUMNS": str(columns)})
    )
    gains, losses = (part.splitlines() for part in out.split("Documents that ")[1:])
    (row,) = [line for line in gains if line.startswith(LONG)]
    assert "+0.3869" in row
    assert ("0 -> 1" in row) == (columns >= 80)
    said = " ".join(" ".join(gains).split()).partition("No room for ")[2]
    expected = LEFT_OUT.get(columns)
    has_all = "--format csv, or -o FILE, has all columns."
    assert said == (f"{expected} in {columns} columns; {has_all}" if expected else "")
    fitting = losses if columns < 44 else [*gains, *losses]
    assert max(len(line.rstrip()) for line in fitting) <= columns
    title = TITLE[:12] if columns in (60, 80) else TITLE[:35] if columns == 120 else ""
    assert next(line for line in gains if line.startswith("c "))[37:].startswith(title)


def test_an_endless_id_is_shortened(tmp_path: Path) -> None:
    ids = "a" * 200, "b" * 201
    before, after = (write_run(tmp_path / one[0], {"q": [one]}) for one in ids)
    out = good(shell("documents", before, after, "-m", "P@1"))
    assert [line.split()[0] for line in out.splitlines() if line[:2] in ("aa", "bb")] == [
        "b" * 199 + "…",
        ids[0],
    ]


def test_weights(files: Files, tmp_path: Path) -> None:
    """They count, and the output says so; also how many queries have none."""
    before, after, _ = files
    queries = tmp_path / "queries.tsv"
    queries.write_text("query_id\ttraffic\nq1\t0.5\n")
    options = ["-m", "P@2", "--queries", queries, "--weight", "traffic"]
    lines = good(shell("documents", before, after, *options)).splitlines()
    assert lines[2:6] == [
        "exposure by P@2 in 2 queries",
        "exposures are weighted by the column traffic",
        "1 query has no weight: 1 is used (--missing-weight)",
        "check: all changes add up to 0, and the depths of the lists give 0",
    ]
    rows = good(
        shell("documents", before, after, *options, "--missing-weight", 3, "--format", "csv")
    )
    found = {row["doc_id"]: row for row in csv.DictReader(io.StringIO(rows))}
    assert {name: (float(row["before"]), float(row["after"])) for name, row in found.items()} == {
        "a": (1.75, 0.25),  # half of q1's weight 0.5, and half of q2's weight 3
        "b": (1.75, 0.25),
        "c": (0.0, 1.5),
        LONG: (0.0, 1.5),
    }


def test_one_document_of_one_query(tmp_path: Path) -> None:
    run = write_run(tmp_path / "one.run", {"q": ["a"]})
    lines = good(shell("documents", run, run, "-o", tmp_path / "rows.csv")).splitlines()
    assert lines[:3] == [
        "Of 1 document, 1 unchanged.",
        f"{run} -> {run}",
        "exposure by nDCG@1 in 1 query",
    ]
    assert lines[-1] == f"1 row written to {tmp_path / 'rows.csv'}"
    assert not any(line.startswith("Documents") for line in lines)


def test_depths_and_duplicates_are_told(tmp_path: Path) -> None:
    run = tmp_path / "twice.run"
    run.write_text("q Q0 a 1 3 t\nq Q0 a 2 2 t\nq Q0 b 3 1 t\n")
    other = write_run(tmp_path / "other.run", {"q": ["a"]})
    out = good(shell("documents", run, other, "-m", "P@2", "--duplicates", "first"))
    assert "1 result dropped: duplicates of a higher-ranked document\n" in out
    assert "all changes add up to -0.5000, and the depths of the lists give -0.5000" in out


@pytest.mark.parametrize(("format_", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_rows(files: Files, format_: str, delimiter: str) -> None:
    before, after, titles = files
    out = good(shell("documents", before, after, "--documents", titles, "--format", format_))
    header, *rows = csv.reader(io.StringIO(out), delimiter=delimiter)
    assert tuple(header) == Exposure._fields
    expected = medir.documents(before, after, documents=titles)
    found = [
        (row[0], *map(float, row[1:4]), *map(int, row[4:6]), row[6], row[7] or None) for row in rows
    ]
    assert found == [tuple(row) for row in expected]


def test_files_always_have_all_columns(files: Files, tmp_path: Path) -> None:
    before, after, _ = files
    path = tmp_path / "rows.jsonl"
    out = good(shell("documents", before, after, "-o", path, "--top", 1))
    assert out.endswith(f"\n4 rows written to {path}\n")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert rows == [row._asdict() for row in medir.documents(before, after)]


def test_standard_input(files: Files) -> None:
    before, after, _ = files
    options = ["-m", "RBP(p=0.8)", "--format", "csv", "--depth", 1]
    from_files = shell("documents", before, after, *options)
    from_stdin = shell("documents", before, "-", *options, stdin=after.read_bytes())
    assert from_files.code == 0
    assert from_files == from_stdin


def test_how_many_are_shown() -> None:
    out = good(shell("documents", "before.run", "after.run", "--top", 3, cwd=EXAMPLES))
    assert sum("->" in line for line in out.splitlines()) == 1 + 2 * 3
    none = good(shell("documents", "before.run", "after.run", "--top", 0, cwd=EXAMPLES))
    assert len(none.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-m", "ERR"], "under ERR, what a rank is worth depends on the documents above it"),
        (["-m", "AP@10"], "choose a measure without decay, such as nDCG@20"),
        (["-m", "TBG"], "choose a measure without decay"),
        (["-m", "RBO"], "it ignores relevance"),
        (["-m", "U@100"], "passages"),
        (["-m", "nope"], "there is no measure 'nope'"),
        (["-m", "P@5", "-m", "P@10"], "documents takes one measure, not 2"),
        (["--documents", "nowhere.tsv"], "nowhere.tsv"),
        (["--documents", "before.run"], "expected a document id, a tab and a title"),
        (["--weight", "traffic"], "--weight (weight=) needs a table of queries: --queries FILE"),
        (["--queries", "queries.tsv", "--weight", "nope"], "nope"),
        (["--queries", "nowhere.tsv"], "nowhere.tsv"),
        (["-o", "rows.pdf"], "cannot tell the format of 'rows.pdf'"),
        (["-o", "nowhere/rows.csv"], "cannot write"),
        (["--missing", "error"], "only in"),
        (["--top", "-1"], "-1 is not in the range"),
    ],
)
def test_bad_usage(arguments: list[str], message: str) -> None:
    outcome = shell("documents", "before.run", "after.run", *arguments, cwd=EXAMPLES)
    assert (outcome.code, outcome.out, "Traceback" in outcome.err) == (2, "", False)
    assert message in outcome.err
