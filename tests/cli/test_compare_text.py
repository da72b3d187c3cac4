"""What commands print for people: within the width of the terminal, and nothing twice."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import medir as package
from medir.cli.tables import summary_text
from tests.cases.examples import AFTER, BEFORE, QRELS, QUERIES
from tests.cases.runs import write_qrels, write_run
from tests.cli.test_terminal import on_terminal
from tests.shell import EXAMPLES, MEDIR, good, medir

WIDTHS = [60, 80, 120]
RUNS = "before.run", "after.run"
TABLE = "--queries", "queries.tsv"
JUDGED = "--qrels", "qrels.txt"
TEXTS = "passages/before.txt", "passages/after.txt"
COMMANDS: dict[str, tuple[Any, ...]] = {
    "compare": ("compare", *RUNS),
    "compare everything": (
        "compare", *RUNS, *TABLE, *JUDGED, "--by", "segment", "--noise", "before.run",
        "-m", "nDCG@20", "-m", "ERR", "-m", "RBO", "-m", "nDCG(gains='linear', max_grade=3)@10",
        "--fail-above", "loss:nDCG@20=1", "--fail-below", "RBO=0.01", "--unseen", "anything",
    ),
    "compare with gaps": ("compare", *RUNS, "-m", "ERR", "--effort", "1", *TABLE),
    "explain": ("explain", *RUNS, "q134", *TABLE, *JUDGED, "-m", "nDCG@20", "-m", "RBP"),
    "judge": ("judge", *RUNS, *TABLE, *JUDGED),
    "expect": ("expect", *RUNS, *TABLE, *JUDGED, "--prior", "rank", "-m", "P@5", "-m", "ERR@20"),
    "documents": ("documents", *RUNS),
    "passages": ("passages", *TEXTS, "--gold", "passages/gold.tsv", "-m", "U@500", "-m", "TBG"),
    "explained passages": ("passages", *TEXTS, "--explain", "1"),
}  # fmt: skip


def printed(width: int, *arguments: object, cwd: Path = EXAMPLES) -> str:
    """What a command prints on a terminal of so many columns; a failed check is no fault here."""
    outcome = medir(*arguments, env={"COLUMNS": str(width)}, cwd=cwd)
    assert outcome.code in (0, 1), outcome.err
    return outcome.out


def too_wide(text: str, width: int) -> list[str]:
    return [line for line in text.splitlines() if cell_len(line.rstrip()) > width]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("command", COMMANDS)
def test_no_line_is_wider_than_the_terminal(command: str, width: int) -> None:
    """But for tables of ids, which are whole: such a table is as wide as it must be."""
    text = printed(width, *COMMANDS[command])
    assert text
    for line in too_wide(text, width):
        table = next(part for part in text.split("\n\n") if line in part)
        assert max(map(len, table.split())) > width // 3, line


def test_long_paths_are_not_broken(tmp_path: Path) -> None:
    """They can be copied from a narrow terminal."""
    path = tmp_path / ("deep" * 20)
    path.mkdir()
    run = write_run(path / "before.run", {"q": ["a"]})
    text = printed(60, "compare", run, run)
    assert too_wide(text, 60) == [f"{run} -> {run}: 1 query"]


# Ids and columns.

LONG = [f"a-query-with-a-long-name-{number:02}" for number in range(12)]  # of 27 characters


@pytest.fixture
def long_ids(tmp_path: Path) -> tuple[Path, ...]:
    """Twelve queries with long ids, of which all change."""
    queries = tmp_path / "queries.tsv"
    rows = [f"{query}\ta text that goes on for some time, number {query[-2:]}\n" for query in LONG]
    queries.write_text("".join(["query_id\ttext\n", *rows]))
    return (
        write_run(tmp_path / "before.run", {query: list("abcdefgh") for query in LONG}),
        write_run(
            tmp_path / "after.run",
            {query: [*"xyzuvwst"[: n % 8 + 1], *"abc"] for n, query in enumerate(LONG)},
        ),
        queries,
    )


COLUMNS = {"text", "med", "bar", "gain", "loss", "lower", "entered", "left", "moved", "marks"}


@pytest.mark.parametrize("width", [40, *WIDTHS, 200])
def test_ids_are_whole_and_columns_left_out_are_named(
    width: int, long_ids: tuple[Path, ...]
) -> None:
    before, after, queries = long_ids
    text = printed(width, "compare", before, after, "--queries", queries, "-m", "ERR@8")
    top = text[text.index("Most affected queries") :]
    lines = top.splitlines()
    header = next(line.split() for line in lines if line.startswith("query "))
    rows = [line for line in lines if line.startswith("a-query")]
    assert len(rows) == 10
    assert {row.split()[0] for row in rows} <= set(LONG)
    note = re.search(r"No room for ((?:\w+, )*\w+) in (\d+) columns; --format csv", unwrapped(top))
    left_out = set(note[1].split(", ")) if note else set()
    assert "med" in header
    assert left_out <= COLUMNS
    assert not left_out & set(header)
    assert {"gain", "loss", "entered", "left", "moved", "text"} <= left_out | set(header)
    assert bool(left_out) == (width < 120)
    assert note is None or note[2] == str(width)


def test_texts_are_shortened_before_columns_are_left_out(long_ids: tuple[Path, ...]) -> None:
    before, after, queries = long_ids
    text = printed(120, "compare", before, after, "--queries", queries, "-m", "ERR@8")
    row = next(line for line in text.splitlines() if line.startswith("a-query"))
    assert re.search(r"  a text that [\w ,]*…  ", row)


def unwrapped(text: str) -> str:
    return " ".join(text.split())


NUMBERS = {
    "explain": r"(\S+) +(?:0|–|[+-][\d.]+) +(?:0|–|[+-][\d.]+)$",
    "judge": r"(\S+) +\d\.\d{4}",
}


@pytest.mark.parametrize("command", ["explain", "judge"])
@pytest.mark.parametrize("width", WIDTHS)
def test_documents_are_on_one_line(command: str, width: int) -> None:
    """An id is whole, or fills what there is and ends in an ellipsis."""
    words = ["q134", "-m", "nDCG@20"] if command == "explain" else ["--top", "30"]
    text = printed(width, command, *RUNS, *words)
    rows = [
        line.rstrip() for line in text.splitlines() if re.search(NUMBERS[command], line.rstrip())
    ]
    before, after = (package.Run.read(path)["q134"][:20] for path in (BEFORE, AFTER))
    assert len(rows) == (len({*before, *after}) if command == "explain" else 30)
    known = {line.split()[2] for path in (BEFORE, AFTER) for line in path.read_text().splitlines()}
    for row in rows:
        found = re.search(NUMBERS[command], row)
        assert found is not None
        document = found[1]
        if document.endswith("…"):
            assert any(one.startswith(document[:-1]) for one in known)
            assert len(row) == width
        else:
            assert document in known


# The verdict, the headings and what they count.


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdict_comes_first(width: int) -> None:
    plain, judged = printed(width, "compare", *RUNS), printed(width, "compare", *RUNS, *JUDGED)
    for text, qrels in ((plain, None), (judged, QRELS)):
        sentences = package.compare(BEFORE, AFTER, qrels=qrels).verdict()
        first, _, _ = text.partition("\n\n")
        assert unwrapped(first) == " ".join(sentences)


def test_every_command_says_the_answer_first() -> None:
    starts = {
        "explain": "If ",
        "judge": "Judge ",
        "expect": "Expect the mean of P@5 to change by ",
        "documents": "Of ",
        "passages": "The mean of U@500 changes by ",
    }
    for command, start in starts.items():
        assert printed(120, *COMMANDS[command]).startswith(start)


def test_changes_are_counted_within_the_cutoff_of_each_measure(tmp_path: Path) -> None:
    """One new document at rank 1 and one at rank 4: P@2 sees the first, RBP both."""
    before = write_run(tmp_path / "a", {"q": list("abcd"), "r": list("abcd")})
    after = write_run(tmp_path / "b", {"q": list("xbcy"), "r": list("abcd")})
    text = printed(120, "compare", before, after, "-m", "P@2", "-m", "RBP(p=0.5)")
    first, second = text[text.index("Most affected") :].split("Most affected queries by ")[1:]
    assert first.startswith("P@2; entered, left and moved count results within the first 2 ranks\n")
    assert second.startswith("RBP(p=0.5); entered, left and moved count results of whole lists\n")
    row = r"^q +0\.\d{4} +\S+ +(?:0\.\d{4} +)*(\d) +(\d) +(\d)"
    for part, expected in ((first, ("1", "1", "0")), (second, ("2", "2", "0"))):
        found = re.search(row, part, re.M)
        assert found is not None
        assert found.groups() == expected


def test_the_heading_is_silent_on_columns_that_are_left_out() -> None:
    text = printed(60, "compare", *RUNS, *JUDGED)
    assert "Most affected queries by nDCG@20\n" in text
    assert "entered, left, moved" in unwrapped(text)


def test_changes_of_passages_are_characters() -> None:
    text = printed(120, "passages", *TEXTS)
    assert "entered, left and moved count characters within the first 12,000 characters\n" in text


def test_most_affected_queries_have_changed(tmp_path: Path) -> None:
    """Not those whose unseen ranks alone could differ, however much that is."""
    lists = {"still": ["a"], "also": ["a"], "moved": list("abcdefgh")}
    before = write_run(tmp_path / "a", lists)
    after = write_run(tmp_path / "b", lists | {"moved": list("abcdefhg")})
    text = printed(100, "compare", before, after, "-m", "nDCG@8", "--unseen", "anything")
    top = text[text.index("Most affected") :].splitlines()
    assert [line.split()[0] for line in top[3:] if line.strip()] == ["moved"]
    again = printed(100, "compare", before, before, "-m", "nDCG@8", "--unseen", "anything")
    assert "Most affected" not in again


def test_columns_that_repeat_another_are_left_out(tmp_path: Path) -> None:
    """Without judgments P has no gain and loss of its own, and nothing unseen no lower."""
    before = write_run(tmp_path / "a", {"q": list("abcd")})
    after = write_run(tmp_path / "b", {"q": list("xbcd")})
    plain = printed(120, "compare", before, after, "-m", "P@4")
    assert re.search(r"^query +med +entered +left +moved *$", plain, re.M)
    qrels = write_qrels(tmp_path / "qrels", {"q": {"x": 0}})
    judged = printed(120, "compare", before, after, "-m", "P@4", "--qrels", qrels)
    assert re.search(r"^query +med +gain +loss +entered", judged, re.M)
    deep = printed(120, "compare", before, after, "-m", "P@8")
    assert re.search(r"^query +med +lower +entered", deep, re.M)
    similar = printed(120, "compare", before, after, "-m", "Overlap@4")
    assert re.search(r"^query +value +entered", similar, re.M)


def test_gaps_are_shown_where_there_are_any() -> None:
    rows = package.compare(BEFORE, AFTER, "ERR", effort=1)
    assert rows.unproven > 0
    text = printed(100, "compare", *RUNS, "-m", "ERR", "--effort", "1", "--top", "240")
    assert re.search(r"^query .*\bgap\b", text, re.M)
    assert f"{rows.unproven} values are not proven: see gap, or raise --effort" in text
    assert not re.search(r"^query .*\bgap\b", printed(100, "compare", *RUNS), re.M)


# Marks.


def test_marks(capsys: pytest.CaptureFixture[str]) -> None:
    """P@10: what is short, what is in one run only, and what is unseen."""
    ten, other = list("abcdefghij"), list("klmnopqrst")
    before = {"gone": ten, "empty": ten, "three": ["a", "b", "c"], "short": ten, "full": ten}
    after = {
        "empty": [],
        "three": ["x", "b", "c"],
        "short": ["a"],
        "full": other,
        "new": ["a", "b"],
    }
    result = package.compare(before, after, "P@10")
    text = summary_text(result, 10)
    lines = {line.split()[0]: line.rstrip() for line in text.splitlines() if line}
    marks = {"gone": "only before", "empty": "no results after", "three": "3 results",
             "short": "10→1 result", "new": "only after"}  # fmt: skip
    for query, mark in marks.items():
        assert lines[query].endswith(f" {mark}")
        assert result.marks(result.position(query)) == [mark]
    assert result.marks(result.position("full")) == []
    assert re.search(r"\d$", lines["full"])


def test_a_mark_of_unseen_ranks(tmp_path: Path) -> None:
    """P@10 of lists cut at 6: four unseen ranks of ten; one of 7 in 1,000 is hardly worth it."""
    runs = {"q": list("abcdef"), "r": list("abcdef")}
    before = write_run(tmp_path / "a", runs)
    after = write_run(tmp_path / "b", runs | {"r": list("xbcdef")})
    text = printed(120, "compare", before, after, "-m", "P@10")
    assert re.search(r"^r .* 6 results, unseen 0\.40$", text, re.M)
    tiny = printed(120, "compare", before, after, "-m", "RBP(p=0.3)")
    assert re.search(r"^r .* unseen <0\.01$", tiny, re.M)
    assert not re.search(r"^r .*unseen", printed(120, "compare", before, after, "-m", "P@6"), re.M)


# Colour.

COLOURS = {"green": "\x1b[32m", "red": "\x1b[31m"}


@pytest.mark.slow
def test_colour_on_a_terminal() -> None:
    command = "env", "COLUMNS=160", MEDIR, "explain", BEFORE, AFTER, "q134", "-m", "nDCG@20"
    code, text, _ = on_terminal(*command, terminal="stdout")
    assert code == 0
    for sign, colour in (("▲", "green"), ("▼", "red"), ("+ new", "green"), ("− gone", "red")):
        assert f"{COLOURS[colour]}{sign}" in text
    # In a file or a pipe there are none.
    assert "\x1b" not in printed(100, "explain", *RUNS, "q134")


@pytest.mark.slow
def test_no_colour() -> None:
    command = (
        "env",
        "COLUMNS=160",
        "NO_COLOR=1",
        MEDIR,
        "explain",
        BEFORE,
        AFTER,
        "q134",
        "-m",
        "nDCG@20",
    )
    code, text, _ = on_terminal(*command, terminal="stdout")
    assert code == 0
    assert "▲" in text
    assert not any(colour in text for colour in COLOURS.values())


# Rows.


def test_rows_to_standard_output(tmp_path: Path) -> None:
    rows = good(medir("compare", *RUNS, "--format", "csv", cwd=EXAMPLES))
    assert good(medir("compare", *RUNS, "-o", "-", cwd=EXAMPLES)) == rows
    tabs = good(medir("compare", *RUNS, "--format", "tsv", cwd=EXAMPLES))
    assert good(medir("compare", *RUNS, "-o", "-", "--format", "tsv", cwd=EXAMPLES)) == tabs
    assert len(list(csv.reader(io.StringIO(rows)))) == 241
    assert tabs != rows
    path = tmp_path / "rows.csv"
    text = good(medir("compare", *RUNS, "-o", path, "--format", "tsv", cwd=EXAMPLES))
    assert path.read_text() == tabs  # the format that is stated, not that of the ending
    assert text.endswith(f"240 rows written to {path}\n")


@pytest.mark.parametrize("command", ["passages", "judge", "expect", "documents"])
def test_rows_of_other_commands_to_standard_output(command: str) -> None:
    words = [*COMMANDS[command]]
    rows = good(medir(*words, "--format", "csv", cwd=EXAMPLES))
    assert rows.splitlines()[0].startswith(("query_id,", "doc_id,"))
    if command != "judge":  # whose files are pools unless their ending says otherwise
        assert good(medir(*words, "-o", "-", cwd=EXAMPLES)) == rows
    assert good(medir(*words, "-o", "-", "--format", "csv", cwd=EXAMPLES)) == rows


# Texts of queries.


def test_texts_of_queries() -> None:
    texts = dict(line.split("\t")[:2] for line in QUERIES.read_text().splitlines())
    top = printed(120, "compare", *RUNS, *TABLE)
    for row in package.compare(BEFORE, AFTER).top(10):
        assert re.search(rf"^{row.query_id} +{re.escape(texts[row.query_id])} ", top, re.M)
    explained = printed(120, "explain", *RUNS, "q134", *TABLE)
    assert f"query q134 ({texts['q134']}), nDCG@20: med " in explained
    for command in ("judge", "expect"):
        text = printed(160, *COMMANDS[command], "--top", "3")
        found = re.findall(r"^(q\d{3}) +(.*?) {2,}", text, re.M)
        assert len(found) >= 3
        assert all(texts[query].startswith(shown.rstrip("…")) for query, shown in found)


def test_queries_without_a_text(tmp_path: Path) -> None:
    """No column for texts that nobody has, and no empty brackets."""
    queries = tmp_path / "queries.tsv"
    queries.write_text("query_id\ttext\nother\tsomething\n")
    for command in ("compare", "judge"):
        text = printed(120, command, *RUNS, "--queries", queries)
        assert not re.search(r"^query +text", text, re.M)
    assert "query q134, nDCG@20" in printed(120, "explain", *RUNS, "q134", "--queries", queries)


# Numbers of things.


def test_one_of_everything(tmp_path: Path) -> None:
    """Nothing is said of none, and one query is no queries."""
    before = write_run(tmp_path / "a", {"q": ["a", "b"]})
    after = write_run(tmp_path / "b", {"q": ["x", "b"]})
    qrels = write_qrels(tmp_path / "qrels", {"q": {"b": 0}})
    out = tmp_path / "out.csv"
    arguments = before, after, "-m", "P@3", "--qrels", qrels
    texts = {
        "compare": printed(100, "compare", *arguments, "-o", out),
        "judge": printed(100, "judge", *arguments, "--top", 1),
        "expect": printed(100, "expect", *arguments, "--prior", 0.5),
        "documents": printed(100, "documents", before, after),
    }
    for command, text in texts.items():
        assert not re.search(r"\b1 (queries|results|documents|rows|values|lists)\b", text), command
        assert not re.search(r"(?<![\d.,])0 (quer|result|document|duplicate|value|list|only)", text)
    assert "1 row written to" in texts["compare"]
    assert f"{before} -> {after}: 1 query\n" in texts["compare"]
    assert "1 query without a relevant judgment" in texts["compare"]
    assert "1 document of 1 query is suggested." in unwrapped(texts["judge"])


def test_one_of_everything_in_passages(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 a 1 9 0 0 t\n1 a 2 8 5 10 t\n1 a 3 7 14 10 t\n")
    gold = tmp_path / "gold"
    gold.write_text("2 a 0 8\n")
    assert "1 query without a gold passage" in printed(100, "passages", run, run, "--gold", gold)
    gold.write_text("1 a 0 8\n1 a 7 8\n")
    text = printed(100, "passages", run, run, "--gold", gold)
    assert "1 character in more than one gold passage" in text
    assert "2 characters shown again: text counts where it first appears" in text


# The noise floor.


def test_noise() -> None:
    text = unwrapped(printed(100, "compare", *RUNS, "--noise", "before.run"))
    result = package.compare(BEFORE, AFTER)
    exceeding = (result.column() > 1e-12).mean()
    assert (
        f"Mean MED-nDCG@20: {result.column().mean():.3f} for the change, 0.000 for the noise; "
        f"{exceeding:.0%} of queries exceed the 95th percentile of the noise, 0.000."
    ) in text


def test_no_weight(tmp_path: Path) -> None:
    """There is a verdict, and nothing that has no mean."""
    queries = tmp_path / "queries.tsv"
    queries.write_text("query_id\tweight\tpart\n" + "".join(f"q{n:03}\t0\tx\n" for n in range(241)))
    text = printed(100, "compare", *RUNS, "--queries", queries, "--by", "part")
    assert text.startswith("All queries have weight 0, so that nDCG@20 has no mean.\n")
    assert "nan" not in text


def test_a_segment_without_weight(tmp_path: Path) -> None:
    queries = tmp_path / "queries.tsv"
    rows = [f"q{n:03}\t{n % 2}\t{'odd' if n % 2 else 'even'}\n" for n in range(241)]
    queries.write_text("".join(["query_id\tweight\tpart\n", *rows]))
    text = printed(100, "compare", *RUNS, "--queries", queries, "--by", "part")
    assert re.search(r"^odd +120 ", text, re.M)
    assert "No weight, or no value: even." in text
