"""`medir compare` in a shell: its summary, its rows and its options."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir as package
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from tests.cases.examples import AFTER, BEFORE, QRELS
from tests.shell import good, medir, medir_process

HEADER = ["query_id", "measure", *COLUMNS, VALUE, *CHANGES]
DEPTH = 20  # of nDCG@20, the default

Lists = dict[str, list[str]]


def compare(*arguments: object, **options: Any) -> str:
    return good(medir("compare", *arguments, **options))


def rows_of(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    rows = list(reader)
    assert reader.fieldnames == HEADER
    return rows


def table(*arguments: object, **options: Any) -> list[dict[str, str]]:
    """Every row, as csv."""
    return rows_of(compare(*arguments, "--format", "csv", **options))


def meds(rows: Sequence[dict[str, str]]) -> dict[str, float]:
    return {row["query_id"]: float(row["med"]) for row in rows}


# A plain reading of the examples.


def plain_run(path: Path) -> Lists:
    results: dict[str, list[tuple[float, bytes]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        query, _, document, _, score, _ = line.split()
        results.setdefault(query, []).append((float(np.float32(float(score))), document.encode()))
    return {
        query: [document.decode() for _, document in sorted(some, reverse=True)]
        for query, some in results.items()
    }


def changes(before: Sequence[str], after: Sequence[str]) -> tuple[int, int, int]:
    """How many results entered, left and moved."""
    moved = sum(d in before and before.index(d) != rank for rank, d in enumerate(after))
    return len(set(after) - set(before)), len(set(before) - set(after)), moved


def plain_changes(depth: int) -> dict[str, tuple[int, int, int]]:
    before, after = plain_run(BEFORE), plain_run(AFTER)
    return {
        query: changes(before.get(query, [])[:depth], after.get(query, [])[:depth])
        for query in {**before, **after}
    }


# The summary.


def test_verdict_and_counts(summary: str) -> None:
    """The verdict comes first, then what was compared."""
    before, after = plain_run(BEFORE), plain_run(AFTER)
    med = meds(table(BEFORE, AFTER))
    changed = [query for query, change in plain_changes(DEPTH).items() if change != (0, 0, 0)]
    total = len({**before, **after})
    assert 0 < len(changed) < total
    moved = np.mean([med[query] for query in changed])
    far = sum(med[query] > 0.5 for query in changed)
    assert unwrapped(summary).startswith(
        f"{len(changed)} of {total} queries changed. On average these could move nDCG@20 by "
        f"{moved:.3f}, up or down; {far} by more than 0.5. "
    )
    alone = len(before.keys() ^ after.keys())
    both = np.mean([med[query] for query in before.keys() & after.keys()])
    assert (
        f"{alone} queries are in one run only ({len(before.keys() - after)} only before and "
        f"{len(after.keys() - before)} only after): the mean MED is "
        f"{np.mean(list(med.values())):.3f}, and {both:.3f} without them. "
    ) in unwrapped(summary)
    assert f"\n{BEFORE} -> {AFTER}: {total} queries\n" in summary


def unwrapped(text: str) -> str:
    """Sentences that were broken between words, on one line."""
    return " ".join(text.split())


def statistics(rows: Sequence[dict[str, str]], interval: Any) -> list[str]:
    """The line of a measure: means and their interval, median, 95th percentile, maximum."""
    med, gain, loss = ([float(row[name]) for row in rows] for name in ("med", "gain", "loss"))
    median, p95 = np.quantile(med, [0.5, 0.95], method="inverted_cdf")
    numbers = [interval.high, np.mean(gain), np.mean(loss), median, p95, np.max(med)]
    return [
        f"{np.mean(med):.4f}",
        f"{interval.low:.4f}",
        "to",
        *(f"{number:.4f}" for number in numbers),
    ]


@pytest.mark.parametrize("measures", [["nDCG@20"], ["P@10", "RBP(p=0.8)", "nDCG@5"]])
def test_statistics(measures: list[str]) -> None:
    options = [option for name in measures for option in ("-m", name)]
    text = compare(BEFORE, AFTER, *options)
    rows = table(BEFORE, AFTER, *options)
    assert [row["measure"] for row in rows[: len(measures)]] == measures
    result = package.compare(BEFORE, AFTER, measures)
    lines = [line.split() for line in text.splitlines()]
    for name in measures:
        some = [row for row in rows if row["measure"] == name]
        assert len(some) == 240
        assert [name, *statistics(some, result.summary(name).interval)] in lines
        assert f"Queries by {name}\n" in text
        assert f"Most affected queries by {name}" in text


def test_histogram(summary: str) -> None:
    """Ten bins from 0 to 1, the last with its upper edge."""
    med = list(meds(table(BEFORE, AFTER)).values())
    counts = [sum(n == min(int(value * 10), 9) for value in med) for n in range(10)]
    shown = re.findall(r"^  (0\.\d0)-(\d\.\d0) +(\d+)", summary, re.MULTILINE)
    assert [int(count) for *_, count in shown] == counts
    assert [float(low) for low, *_ in shown] == [n / 10 for n in range(10)]
    assert sum(counts) == 240


def top_rows(text: str) -> list[list[str]]:
    lines = text[text.index("Most affected queries") :].splitlines()
    return [line.split() for line in lines if re.match(r" *q\d*\s", line)]


def lengths_mark(before: int, after: int) -> list[str]:
    """What is said of lists that are shorter than nDCG@20 looks."""
    if min(before, after) == 0:
        return ["only", "before" if before else "after"]
    if min(before, after) >= DEPTH:
        return []
    results = "result" if after == 1 else "results"
    return [str(after) if before == after else f"{before}→{after}", results]


@pytest.mark.parametrize(
    ("options", "count"), [([], 10), (["--top", "3"], 3), (["--top", "1000"], 183)]
)
def test_most_affected_queries(options: list[str], count: int) -> None:
    """Changed queries, largest first, ties in the order of the queries; and what changed."""
    text = compare(BEFORE, AFTER, *options)
    before, after = plain_run(BEFORE), plain_run(AFTER)
    moves = plain_changes(DEPTH)
    changed = [row for row in table(BEFORE, AFTER) if moves[row["query_id"]] != (0, 0, 0)]
    expected = [
        [
            row["query_id"],
            *(f"{float(row[name]):.4f}" for name in ("med", "gain", "loss")),
            *map(str, moves[row["query_id"]]),
            *lengths_mark(
                len(before.get(row["query_id"], [])), len(after.get(row["query_id"], []))
            ),
        ]
        for row in sorted(changed, key=lambda row: -float(row["med"]))[:count]  # stable
    ]
    rows = top_rows(text)
    assert [[query, med, *rest] for query, med, _, *rest in rows] == expected
    assert len(expected) == count
    widths = [len(bar) for _, _, bar, *_ in rows]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == 8


def test_top_none(summary: str) -> None:
    text = compare(BEFORE, AFTER, "--top", "0")
    assert "Most affected" not in text
    assert summary.startswith(text.rstrip("\n"))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_encoding(encoding: str) -> None:
    """The bars of the histogram may be other characters, but the summary is there."""
    text = good(medir_process("compare", BEFORE, AFTER, env={"PYTHONIOENCODING": encoding}))
    assert "240 queries" in text
    assert len(top_rows(text)) == 10


def test_query_ids_that_cannot_be_shown(tmp_path: Path) -> None:
    for name, document in (("a", b"x"), ("b", b"y")):
        ids = [b"q\xff", "naïve[bold]語".encode(), b"q" * 150]
        (tmp_path / name).write_bytes(b"".join(b"%b Q0 %b 1 1 t\n" % (q, document) for q in ids))
    text = good(medir_process("compare", tmp_path / "a", tmp_path / "b", env={"COLUMNS": "120"}))
    assert "3 queries" in text
    assert "naïve[bold]語" in text
    assert text.count("q" * 20) > 0


def test_file_names_that_cannot_be_shown(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"r\xe9sultats.run")
    try:
        path.write_bytes(BEFORE.read_bytes())
    except OSError:
        pytest.skip("file names are UTF-8 here")
    text = good(medir_process("compare", path, BEFORE))
    assert text.startswith("No query changed: nDCG@20 cannot move.\n")
    assert f": {len(plain_run(BEFORE))} queries\n" in text


# Rows.


def test_csv() -> None:
    text = compare(BEFORE, AFTER, "--format", "csv")
    result = package.compare(BEFORE, AFTER)
    assert text.splitlines()[0] == ",".join(HEADER)
    rows = rows_of(text)
    assert [row["query_id"] for row in rows] == result.queries
    for name in COLUMNS:
        assert [float(row[name]) for row in rows] == result.column("nDCG@20", name).tolist()
    for name in CHANGES:
        assert [int(row[name]) for row in rows] == result.change(name).tolist()
    assert {row[VALUE] for row in rows} == {""}


def test_every_format_says_the_same() -> None:
    options = [BEFORE, AFTER, "-m", "P@5", "-m", "nDCG(gains='linear', max_grade=3)@5", "-m", "RBO"]
    rows = table(*options)
    assert rows_of(compare(*options, "--format", "tsv"), "\t") == rows
    lines = compare(*options, "--format", "jsonl").splitlines()
    records = [json.loads(line) for line in lines]
    assert [list(record) for record in records] == [HEADER] * len(rows)
    for record, row in zip(records, rows, strict=True):
        assert record == {
            name: text if name in HEADER[:2] else float(text) if text else None
            for name, text in row.items()
        }
    names = ["P@5", "nDCG(gains='linear', max_grade=3)@5", "RBO(p=0.9)"]
    assert [row["measure"] for row in rows[:3]] == names
    assert [[bool(row["med"]), bool(row[VALUE])] for row in rows[:3]] == [
        [True, False], [True, False], [False, True],
    ]  # fmt: skip


def test_format_table_is_the_summary(summary: str) -> None:
    assert compare(BEFORE, AFTER, "--format", "table") == summary


@pytest.mark.parametrize("name", ["out.csv", "out.tsv", "out.jsonl", "out.parquet"])
def test_output(name: str, summary: str, tmp_path: Path) -> None:
    """The file beside the summary, and how many rows it has."""
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    text = compare(BEFORE, AFTER, "-o", name, cwd=tmp_path)
    assert text == f"{summary}240 rows written to {name}\n"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    if not name.endswith("parquet"):
        kind = name.partition(".")[2]
        assert (tmp_path / name).read_text() == compare(BEFORE, AFTER, "--format", kind)


def test_output_with_a_stated_format(tmp_path: Path) -> None:
    text = compare(BEFORE, AFTER, "-o", "rows.txt", "--format", "tsv", cwd=tmp_path)
    assert "240 rows written to rows.txt" in text
    assert len(rows_of((tmp_path / "rows.txt").read_text(), "\t")) == 240


def test_output_of_several_measures(tmp_path: Path) -> None:
    arguments = [BEFORE, AFTER, "-m", "P@5", "-m", "P@10", "--output", tmp_path / "out.csv"]
    assert "480 rows written" in compare(*arguments)


# Options.


def save(folder: Path, name: str, lists: Lists) -> Path:
    """A run whose scores go down from 100."""
    lines = [
        f"{query} Q0 {document} {rank} {100 - rank} t\n"
        for query, documents in lists.items()
        for rank, document in enumerate(documents)
    ]
    (folder / name).write_text("".join(lines))
    return folder / name


def test_missing(tmp_path: Path) -> None:
    """P@2 against an empty list that goes on unseen, or that ended."""
    before = save(tmp_path, "a", {"q1": ["a", "b"], "q2": ["a", "b"]})
    after = save(tmp_path, "b", {"q3": ["a"], "q1": ["a", "c"]})
    arguments = [before, after, "-m", "P@2", "--unseen", "nothing"]
    expected = {"q1": 0.5, "q2": 1.0, "q3": 0.5}
    assert meds(table(*arguments)) == expected
    assert meds(table(*arguments, "--missing", "empty")) == expected
    assert meds(table(*arguments, "--missing", "skip")) == {"q1": 0.5}
    assert "(1 only before and 1 only after)" in unwrapped(compare(*arguments))
    outcome = medir("compare", *arguments, "--missing", "error")
    assert outcome.code == 2
    assert "q2, q3" in outcome.err


def test_complete(tmp_path: Path) -> None:
    """P@4 of a, b and b, a: all unseen may matter (2 of 4 ranks), or nothing does."""
    before = save(tmp_path, "a", {"q": ["a", "b"], "r": ["x"]})
    after = save(tmp_path, "b", {"q": ["b", "a"], "r": ["x"]})
    options = [before, after, "-m", "P@4", "--unseen"]
    assert meds(table(*options, "anything")) == {"q": 0.5, "r": 0.75}
    assert meds(table(*options, "nothing")) == {"q": 0.0, "r": 0.0}
    assert meds(table(*options[:-1])) == meds(table(*options, "auto")) == {"q": 0.0, "r": 0.0}
    before = save(tmp_path, "a", {"q": ["a", "b"], "r": ["x"], "s": ["c", "d"]})
    assert meds(table(*options, "auto")) == {"q": 0.5, "r": 0.0, "s": 1.0}


def test_depth(tmp_path: Path) -> None:
    """P@4 of lists that are cut at 2: without the cut they differ in one document of four."""
    before = save(tmp_path, "a", {"q": ["a", "b", "c", "d"]})
    after = save(tmp_path, "b", {"q": ["b", "a", "c", "x"]})
    arguments = [before, after, "-m", "P@4", "--unseen", "nothing"]
    assert meds(table(*arguments)) == {"q": 0.25}
    assert meds(table(*arguments, "--depth", "2")) == {"q": 0.0}
    assert meds(table(*arguments, "--depth", "1")) == {"q": 0.25}
    assert top_rows(compare(*arguments, "--depth", "1"))[0][-5:] == ["1", "1", "0", "1", "result"]
    assert top_rows(compare(*arguments))[0][-3:] == ["1", "1", "2"]


def test_order(tmp_path: Path) -> None:
    """One file in three orders: by score b c a, by rank c a b, as it stands a b c."""
    lines = "q Q0 a 2 1 t\nq Q0 b 3 9 t\nq Q0 c 1 5 t\n"
    (tmp_path / "a").write_text(lines)
    first = {"score": "b", "rank": "c", "file": "a"}
    for order, document in first.items():
        other = save(tmp_path, "b", {"q": [document]})
        other.write_text(other.read_text().replace("Q0 b 0", "Q0 b 1"))
        arguments = [tmp_path / "a", other, "-m", "P@1", "--order"]
        assert {name: meds(table(*arguments, name))["q"] for name in first} == {
            name: float(name != order) for name in first
        }


def test_duplicates(tmp_path: Path) -> None:
    """a, b, a, c is a, b, c; the result that is dropped is counted."""
    before = save(tmp_path, "a", {"q": ["a", "b", "a", "c"], "r": ["x", "x", "x"]})
    after = save(tmp_path, "b", {"q": ["a", "b", "c"], "r": ["x"]})
    arguments = [before, after, "-m", "P@3", "--unseen", "nothing"]
    assert medir("compare", *arguments).code == 2
    text = compare(*arguments, "--duplicates", "first")
    assert "3 results dropped" in text
    assert text.startswith("No query changed: P@3 cannot move.\n")
    assert meds(table(*arguments, "--duplicates", "first")) == {"q": 0.0, "r": 0.0}
    assert "dropped" not in compare(after, after, "--duplicates", "first")


def test_qrels(tmp_path: Path) -> None:
    """P@2 of a, b and c, d: with a relevant and b, c not, the change loses 1 or wins nothing."""
    before = save(tmp_path, "a", {"q": ["a", "b"], "r": ["a", "b"]})
    after = save(tmp_path, "b", {"q": ["c", "d"], "r": ["c", "d"]})
    qrels = tmp_path / "qrels"
    qrels.write_text("q 0 a 1\nq 0 b 0\nq 0 c 0\n")
    arguments = [before, after, "-m", "P@2"]
    assert [row["med"] for row in table(*arguments)] == ["1", "1"]
    rows = table(*arguments, "--qrels", qrels)
    assert [(row["gain"], row["loss"]) for row in rows] == [("0", "0.5"), ("1", "1")]
    text = compare(*arguments, "--qrels", qrels)
    assert "highest grade 1 (from the judgments)" in text
    assert "1 query without a relevant judgment" in text


def test_qrels_of_the_examples() -> None:
    relevant = {
        line.split()[0] for line in QRELS.read_text().splitlines() if int(line.split()[3]) > 0
    }
    text = compare(BEFORE, AFTER, "--qrels", QRELS)
    assert "highest grade 2 (from the judgments)" in text
    assert f"{240 - len(relevant)} queries without a relevant judgment" in text
    free, judged = meds(table(BEFORE, AFTER)), meds(table(BEFORE, AFTER, "--qrels", QRELS))
    assert all(judged[query] <= free[query] + 1e-12 for query in free)
    assert any(judged[query] < free[query] for query in free)


def test_the_highest_grade_is_stated() -> None:
    assert "highest grade 2 (default)" in compare(BEFORE, AFTER)
    assert "highest grade 4 (declared)" in compare(BEFORE, AFTER, "-m", "nDCG(max_grade=4)@5")
    assert "highest grade" not in compare(BEFORE, AFTER, "-m", "P@5")


@pytest.mark.parametrize("threads", ["1", "2", "7", "1000"])
def test_threads(threads: str, summary: str) -> None:
    assert compare(BEFORE, AFTER, "--threads", threads) == summary
