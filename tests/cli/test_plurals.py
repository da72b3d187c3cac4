"""One query is "1 query", two are "2 queries", and none is not counted: in whatever is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import medir
from tests.cases.runs import write_qrels, write_run
from tests.shell import medir as shell

THINGS = (
    "queries|documents|results|runs|rows|values|lists|pairs|points|judgments|passages|duplicates|"
    "groups|ranks|checks|measures|columns|characters|topics|weights"
)
WRONG = re.compile(rf"(?<![\d.,@])[01] (?:\w+ )?(?:{THINGS})\b")
SINGULAR = {
    "compare": "a -> b: 1 query",
    "documents": "in 1 query",
    "score": "1 judged query",
    "matrix": "2 runs, 1 query",
    "expect": "a -> b: 1 query",
    "passages": "p -> q: 1 query",
    "judge": "1 document",
}
COMMANDS: dict[str, list[str]] = {
    "compare": ["a", "b", "-o", "rows.csv"],
    "compare with judgments": ["a", "b", "--qrels", "qrels", "-m", "nDCG@1", "-m", "tau_b"],
    "compare with weights": ["a", "b", "--queries", "queries.tsv", "--by", "kind"],
    "compare with a run of one query more": ["a", "two"],
    "compare deep": ["a", "b", "-m", "nDCG@5", "-m", "RBP", "--unseen", "anything"],
    "compare and check": ["a", "b", "--fail-above", "max:P@1=0.5", "--summary", "s.md"],
    "documents": ["a", "b", "-o", "rows.csv"],
    "score": ["a", "b", "--qrels", "qrels", "-m", "P@1", "-o", "rows.csv"],
    "matrix": ["a", "b"],
    "expect": ["a", "b", "--prior", "0.5", "-m", "P@1", "-o", "rows.csv"],
    "passages": ["p", "q"],
    "judge": ["a", "b", "--top", "1", "-o", "pool.csv"],
    "explain": ["a", "b", "1"],
}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder of runs of one query with one result."""
    write_run(tmp_path / "a", {"1": ["x"]})
    write_run(tmp_path / "b", {"1": ["y"]})
    write_run(tmp_path / "two", {"1": ["x"], "2": ["y"]})
    write_qrels(tmp_path / "qrels", {"1": {"x": 1}})
    (tmp_path / "p").write_text("1 x 1 2 0 1 t\n")
    (tmp_path / "q").write_text("1 y 1 2 0 1 t\n")
    (tmp_path / "queries.tsv").write_text("query_id\tweight\tkind\n1\t1\thead\n")
    return tmp_path


def written(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.suffix == ".md":
            yield path.read_text(encoding="utf-8")


def test_what_is_wrong() -> None:
    for text in ("1 queries", "In 1 judged queries", "0 rows written", "(1 lists)"):
        assert WRONG.search(text)
    for text in ("1 query", "21 queries", "1,001 queries", "0.1 queries", "P@1 queries", "1 row"):
        assert not WRONG.search(text)


@pytest.mark.parametrize("name", COMMANDS)
def test_one_is_one(name: str, files: Path) -> None:
    command = name.split(maxsplit=1)[0]
    outcome = shell(command, *COMMANDS[name], cwd=files, env={"COLUMNS": "200"})
    assert outcome.code == (1 if "check" in name else 0), outcome.err
    for text in (outcome.out, outcome.err, *written(files)):
        assert not WRONG.findall(text), text
    if name in SINGULAR:
        assert SINGULAR[name] in outcome.out
    if "rows.csv" in COMMANDS[name]:
        assert re.search(r"^\d row(s?) written to rows.csv$", outcome.out, re.MULTILINE)


def test_a_report_of_one_query(files: Path) -> None:
    pytest.importorskip("jinja2")
    page = files / "report.html"
    assert shell("compare", "a", "b", "--report", page, cwd=files).code == 0
    text = page.read_text(encoding="utf-8")
    shown = re.sub(r"<(style|script).*?</\1>", "", text, flags=re.DOTALL)
    assert "Maximized effectiveness difference over 1 query<" in shown
    assert not WRONG.findall(re.sub(r"<[^>]*>", "", shown))


def test_objects_count_as_well() -> None:
    one, two = {"1": ["x"]}, {"1": ["x"], "2": ["y"]}
    for run, queries in ((one, "1 query"), (two, "2 queries")):
        assert queries in repr(medir.Run.of(run))
        assert queries in repr(medir.compare(run, run))
        assert queries in repr(medir.matrix({"a": run, "b": run}))
        assert queries in repr(medir.expect(run, run, prior=0.5))
        assert queries in repr(medir.Queries.of(dict.fromkeys(run, "text")))
        assert queries in repr(medir.score(run, "P@1", {query: {"x": 1} for query in run}))
