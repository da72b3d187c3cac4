"""Folders of runs, which `medir matrix` and `medir study` take in the place of files."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from tests.cases.studies import collection, write_collection
from tests.shell import good
from tests.shell import medir as shell


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[str]]:
    """A folder of runs, their paths in the order of their names, and the options of a study."""
    home = tmp_path_factory.mktemp("collection")
    paths, qrels, groups = write_collection(home / "files", collection(queries=3))
    folder = home / "runs"
    folder.mkdir()
    for path in reversed(paths):
        Path(path).rename(folder / Path(path).name)
    (folder / ".hidden").write_text("no run")
    (folder / "deeper").mkdir()
    runs = sorted(str(folder / Path(path).name) for path in paths)
    return folder, runs, ["--qrels", qrels, "--groups", groups]


def test_a_matrix_of_a_folder_is_that_of_its_files(
    given: tuple[Path, list[str], list[str]],
) -> None:
    folder, runs, _ = given
    by_folder, by_file = (
        good(shell("matrix", *some, "-m", "nDCG@5", "-o", "-")) for some in ([folder], runs)
    )
    assert by_folder == by_file
    assert len(by_folder.splitlines()) == 1 + 7 * 6 // 2
    table = good(shell("matrix", folder, "-m", "nDCG@5"))
    assert table == good(shell("matrix", *runs, "-m", "nDCG@5"))
    assert "7 runs, 3 queries" in table


def test_folders_and_files_together(
    given: tuple[Path, list[str], list[str]], tmp_path: Path
) -> None:
    folder, runs, _ = given
    packed = tmp_path / "packed.run.gz"
    packed.write_bytes(gzip.compress(Path(runs[0]).read_bytes()))
    out = good(shell("matrix", packed, folder, "-m", "P@5", "-o", "-", "--against", packed.name))
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["run_b"] for row in rows] == [Path(run).name for run in runs]
    assert float(rows[0]["med"]) == 0


@pytest.mark.slow
def test_a_study_of_a_folder_is_that_of_its_files(
    given: tuple[Path, list[str], list[str]], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    folder, runs, options = given
    said = [
        good(shell("study", *some, *options, "-o", tmp_path / name))
        for name, some in (("a", [folder]), ("b", runs))
    ]
    assert said[0].partition("\nwritten to")[0] == said[1].partition("\nwritten to")[0]
    assert "7 runs, 21 pairs, 2 queries" in said[0].splitlines()
    files = {
        name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in "ab"
    }
    assert files["a"] == files["b"]


@pytest.mark.parametrize("command", ["matrix", "study"])
def test_folders_that_hold_no_runs(command: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / ".hidden").write_text("no run")
    options = ["--qrels", "q", "-o", "out"] if command == "study" else []
    outcome = shell(command, empty, *options, cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"medir: the folder {empty} has no files\n"
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "only.run").write_text("q Q0 a 1 1 t\n")
    alone = shell(command, tmp_path / "one", *options, cwd=tmp_path)
    assert (alone.code, alone.out) == (2, "")
    assert "runs or more" in alone.err
