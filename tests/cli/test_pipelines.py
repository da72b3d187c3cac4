"""`--summary`, `--junit` and `--json` in a shell."""

from __future__ import annotations

import hashlib
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import medir
from medir.rendering.summaries.markdown import markdown
from medir.rendering.summaries.record import record
from tests.cases.examples import AFTER, BEFORE, QUERIES
from tests.cases.summaries import PASSAGES, outcomes_of
from tests.shell import medir as shell

NAMES = ("impact.md", "checks.xml", "impact.json")


@pytest.fixture
def options(tmp_path: Path) -> list[str]:
    """The three files, one of which exists."""
    (tmp_path / "impact.md").write_text("an older step")
    paths = [str(tmp_path / name) for name in NAMES]
    return [word for pair in zip(("--summary", "--junit", "--json"), paths, strict=True)
            for word in pair]  # fmt: skip


@pytest.mark.parametrize(("limit", "code"), [("0.9", 0), ("0.1", 1)])
def test_the_files_are_those_of_python(
    limit: str, code: int, options: list[str], tmp_path: Path
) -> None:
    """They are there whether the check passes or not."""
    check = f"nDCG@20={limit}"
    table = ("--queries", QUERIES, "--by", "segment")
    done = shell("compare", BEFORE, AFTER, *table, "--fail-above", check, *options)
    assert done.code == code
    result = medir.compare(str(BEFORE), str(AFTER), "nDCG@20", queries=QUERIES, by="segment")
    outcomes = outcomes_of(result, [check])
    summary, checks, impact = (tmp_path / name for name in NAMES)
    assert summary.read_text(encoding="utf-8") == markdown(result, outcomes)
    assert json.loads(impact.read_text(encoding="utf-8")) == record(result, outcomes)
    suite = ET.parse(checks).getroot()
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("1", str(code))


def test_passages(options: list[str], tmp_path: Path) -> None:
    before, after, gold = PASSAGES
    done = shell("passages", before, after, "--gold", gold, "--fail-above", "U@12000=1", *options)
    assert done.code == 1
    inputs = json.loads((tmp_path / "impact.json").read_text(encoding="utf-8"))["inputs"]
    assert [one["role"] for one in inputs] == ["before", "after", "gold"]
    assert {path.name for path in tmp_path.iterdir()} == set(NAMES)


def test_standard_input_is_hashed_as_it_was_read(tmp_path: Path) -> None:
    path, content = tmp_path / "impact.json", BEFORE.read_bytes()
    assert shell("compare", "-", AFTER, "--json", path, stdin=content).code == 0
    first, _ = json.loads(path.read_text(encoding="utf-8"))["inputs"]
    assert first == {
        "role": "before",
        "name": "standard input",
        "sha256": hashlib.sha256(content).hexdigest(),
        "bytes": len(content),
        "format": None,
    }


def test_a_junit_report_needs_a_check(tmp_path: Path) -> None:
    done = shell("compare", BEFORE, AFTER, "--junit", tmp_path / "checks.xml")
    assert done.code == 2
    assert "--junit needs a check: --fail-above or --fail-below" in done.err


@pytest.mark.parametrize("option", ["--summary", "--json"])
def test_a_folder_that_is_not_there(option: str, tmp_path: Path) -> None:
    path = tmp_path / "none" / "file"
    done = shell("compare", BEFORE, AFTER, option, path)
    assert (done.code, done.err) == (
        2,
        f"medir: cannot write '{path}': No such file or directory\n",
    )
