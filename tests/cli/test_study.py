"""`medir study` as a shell runs it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import NamedTuple

import pytest

from medir.validation.findings import answer, findings, headline
from medir.validation.study import Study
from tests.cases.studies import collection, numbers, write_collection
from tests.shell import medir


class Files(NamedTuple):
    runs: list[str]
    qrels: str
    groups: str


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(*write_collection(tmp_path / "files", collection(queries=3)))


@pytest.fixture
def found(tmp_path: Path) -> Study:
    (tmp_path / "kept").mkdir()
    return numbers(collection(queries=3), tmp_path / "kept")


@pytest.mark.slow
def test_says_what_was_found(files: Files, found: Study, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "study"
    packed = Path(files.runs[0] + ".gz")  # is called as without .gz
    packed.write_bytes(gzip.compress(Path(files.runs[0]).read_bytes()))
    runs = [packed, *files.runs[1:]]
    done = medir("study", *runs, "--qrels", files.qrels, "--groups", files.groups, "-o", out)
    assert done.code == 0, done.err
    assert done.err == ""
    assert ".gz" not in (out / "figure-2.csv").read_text()
    assert "7 runs, 21 pairs, 2 queries" in done.out
    assert "1 query without judgments left out" in done.out
    for one in findings(found):
        assert one.claim in done.out
        assert f"{one.verdict}. {one.evidence}" in done.out
    for sentence in (*answer(found), headline(findings(found))):
        assert sentence in done.out
    assert f"written to {out}" in done.out
    assert {path.name for path in out.iterdir()} >= {"study.html", "figure-1.svg", "figure-1.csv"}


@pytest.mark.slow
def test_options(files: Files, tmp_path: Path) -> None:
    done = medir(
        "study", *files.runs, "--qrels", files.qrels, "-o", tmp_path / "out", "-m", "P@10",
        "--seed", 7, "--pictures", "png", "--pictures", "pdf", "--depth", 30, "--threads", 1,
    )  # fmt: skip
    assert done.code == 0, done.err
    text = (tmp_path / "out" / "study.html").read_text()
    assert "seed 7" in text
    assert "MED-P@10" in text
    assert {path.suffix for path in (tmp_path / "out").glob("figure-2.*")} == {
        ".csv",
        ".png",
        ".pdf",
    }


GROUPS = {
    "columns": ("name,team\n", "line 1: there is no column group or run"),
    "short": ("run,group\nnorth-0\n", "line 2: the first line has 2 columns, this line has 1"),
    "long": ("run,group\nnorth-0,a,b\n", "line 2: the first line has 2 columns"),
    "twice": (
        "run,group\nnorth-0,a\nnorth-0,b\n",
        "line 3: the run 'north-0' has a different",
    ),
    "some": ("run,group\nnorth-0,a\n", "6 of 7 runs are not in the column run: north-1, "),
    "empty": ("", "line 1: there is no column group or run"),
}


@pytest.mark.parametrize(("text", "message"), GROUPS.values(), ids=GROUPS)
def test_groups_that_are_wrong(files: Files, tmp_path: Path, text: str, message: str) -> None:
    Path(files.groups).write_text(text)
    out = tmp_path / "out"
    done = medir("study", *files.runs, "--qrels", files.qrels, "--groups", files.groups, "-o", out)
    assert done.code == 2
    assert f"{files.groups}" in done.err
    assert message in done.err
    assert not out.exists()


def test_what_is_wrong_is_said(files: Files, tmp_path: Path) -> None:
    qrels, out = ["--qrels", files.qrels], ["-o", str(tmp_path / "out")]
    (tmp_path / "file").write_text("mine")
    for arguments, message in [
        ([files.runs[0], *qrels, *out], "three runs or more, not 1"),
        ([*files.runs, *out], "a study needs judgments: add --qrels FILE"),
        ([*files.runs, *qrels], "Missing option '-o'"),
        ([*files.runs, files.runs[1], *qrels, *out], "is given twice"),
        ([*files.runs, "nowhere.run", *qrels, *out], "nowhere.run: there is no such file"),
        ([*files.runs, "--qrels", files.runs[0], *out], "line 1"),
        ([*files.runs, *qrels, "-o", str(tmp_path / "file")], "cannot write to"),
        ([*files.runs, *qrels, *out, "--pictures", "gif"], "gif"),
        ([*files.runs, *qrels, *out, "-m", "nDGC@20"], "did you mean nDCG@20"),
        ([*files.runs, *qrels, *out, "--seed", "-1"], "-1"),
    ]:
        done = medir("study", *arguments)
        assert done.code == 2, arguments
        assert message in done.err
        assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()
    assert (tmp_path / "file").read_text() == "mine"
