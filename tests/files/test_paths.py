"""No output takes the place of an input, whatever it is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import medir
from medir.files.paths import Paths
from tests.cases.faults import OTHER, QRELS, RUN

SAME = "is the same file as .* which it would overwrite: choose another name"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a run, which is the current one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.run").write_bytes(RUN)
    (tmp_path / "below").mkdir()
    return tmp_path


WAYS: dict[str, Callable[[Path], str]] = {
    "the same name": lambda _: "in.run",
    "another spelling": lambda _: "./below/../in.run",
    "an absolute path": lambda folder: str(folder / "in.run"),
    "a symbolic link": lambda folder: _link(folder / "link", "in.run"),
    "a link to a link": lambda folder: _link(folder / "second", _link(folder / "first", "in.run")),
    "a folder that is a link": lambda folder: _link(folder / "here", ".") + "/in.run",
    "a hard link": lambda folder: _hard_link(folder / "hard", folder / "in.run"),
}


def _link(path: Path, target: str) -> str:
    path.symlink_to(target)
    return path.name


def _hard_link(path: Path, target: Path) -> str:
    os.link(target, path)
    return path.name


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("input_first", [True, False])
def test_an_input_is_known_by_every_name(folder: Path, way: str, input_first: bool) -> None:
    name, paths = WAYS[way](folder), Paths()
    steps = [partial(paths.reads, "in.run", "BEFORE"), partial(paths.writes, name, "-o")]
    first, second = steps if input_first else reversed(steps)
    first()
    with pytest.raises(medir.UsageError, match=r"^-o '.*' is the same file as BEFORE 'in.run', "):
        second()


@pytest.mark.parametrize(
    "second", ["new.csv", "./new.csv", "below/../new.csv", "link", "here/new.csv"]
)
def test_two_outputs_are_told_apart_before_they_are_there(folder: Path, second: str) -> None:
    (folder / "link").symlink_to("new.csv")
    (folder / "here").symlink_to(".")
    paths = Paths()
    paths.writes("new.csv", "-o")
    with pytest.raises(medir.UsageError, match=f"-o 'new.csv' and --json '{second}' are the same"):
        paths.writes(second, "--json")
    paths.writes("other.csv", "--json")


def test_inputs_may_be_the_same() -> None:
    paths = Paths()
    for _ in range(2):
        paths.reads(__file__)


@pytest.mark.parametrize("device", ["/dev/null", "/dev/full", "/dev/stdout", "/dev/fd/1", "pipe"])
def test_devices_and_pipes_may_be_named_twice(folder: Path, device: str) -> None:
    os.mkfifo(folder / "pipe")
    paths = Paths()
    for role in ("-o", "--json"):
        paths.writes(device, role)
    paths.reads("/dev/null")


@pytest.mark.parametrize("source", [".", "*.run", "../*/in.*"])
@pytest.mark.parametrize("input_first", [True, False])
def test_folders_and_patterns_are_all_their_files(
    folder: Path, source: str, input_first: bool
) -> None:
    (folder / "link").symlink_to("in.run")
    paths = Paths()
    steps = [partial(paths.reads, source), partial(paths.writes, "link")]
    first, second = steps if input_first else reversed(steps)
    first()
    with pytest.raises(medir.UsageError, match="'link' is the same file as the input '"):
        second()


def test_a_new_file_in_a_folder_that_is_read_destroys_nothing(folder: Path) -> None:
    paths = Paths()
    paths.reads(".")
    paths.writes("new.csv")


@pytest.mark.parametrize("name", ["loop", "x\0y", "x" * 300, "missing/out.csv", "in.run/out.csv"])
def test_what_cannot_be_looked_at_is_left_to_who_opens_it(folder: Path, name: str) -> None:
    (folder / "loop").symlink_to("loop")
    for tell in (Paths().reads, Paths().writes):
        tell(name)


# ---- In Python


def test_a_comparison_is_not_written_onto_what_it_was_read_from(folder: Path) -> None:
    files = {"in.run": RUN, "after.run": OTHER, "qrels.txt": QRELS, "queries.tsv": b"q1\tone\n"}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    result = medir.compare(
        "in.run", Path("after.run"), "P@1", qrels="qrels.txt", queries="queries.tsv"
    )
    for name in files:
        with pytest.raises(medir.UsageError, match=SAME):
            result.write(name, "csv")
    os.link("in.run", "report.html")
    with pytest.raises(medir.UsageError, match=SAME):
        medir.write_report(result, "report.html")
    scores = medir.score(["in.run"], "P@1", "qrels.txt")
    suggestions = medir.judge("in.run", "after.run", measures="P@1", qrels="qrels.txt")
    for name, one in (("in.run", scores), ("qrels.txt", scores), ("qrels.txt", suggestions)):
        with pytest.raises(medir.UsageError, match=SAME):
            one.write(name, "csv")
    with pytest.raises(medir.UsageError, match=SAME):
        medir.write_requests("qrels.txt", suggestions, "trec")
    with pytest.raises(medir.UsageError, match=SAME):
        medir.expect("in.run", "after.run", "P@1", prior=0.5).write("after.run", "csv")
    assert {name: (folder / name).read_bytes() for name in files} == files
    result.write("new.csv")


def test_a_run_is_not_written_onto_itself(folder: Path) -> None:
    run = medir.Run.read("in.run")
    with pytest.raises(medir.UsageError, match=SAME):
        run.write(folder / "in.run")
    assert (folder / "in.run").read_bytes() == RUN
    medir.Run.of({"q": ["a"]}).write("in.run")


def test_a_study_spares_its_inputs(folder: Path) -> None:
    pytest.importorskip("matplotlib")
    (folder / "figure-1.csv").write_text("run,group\na,x\nb,x\nc,y\n")
    runs = {name: {"q": ["x", name]} for name in "abc"}
    with pytest.raises(medir.UsageError, match=SAME):
        medir.study(runs, {"q": {"x": 1}}, ".", groups="figure-1.csv", measures="P@1")
    assert (folder / "figure-1.csv").read_text().startswith("run,group")
    assert not (folder / ".unfinished").exists()
