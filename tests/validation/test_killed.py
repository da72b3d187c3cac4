"""A study that is killed goes on where it was, and writes the same files."""

from __future__ import annotations

import signal
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import medir
from tests.cases.studies import Collection, collection, numbers, write_collection
from tests.shell import MEDIR, medir_process, start
from tests.shell import medir as shell

files, computation = (
    import_module(f"medir.validation.{name}") for name in ("files", "computation")
)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module")
def arguments(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    runs, qrels, groups = write_collection(tmp_path_factory.mktemp("files"), collection())
    return ["study", *runs, "--qrels", qrels, "--groups", groups]


@pytest.fixture(scope="module")
def whole(arguments: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, float]:
    """The files of a study that nothing interrupted, and how long it took."""
    folder = tmp_path_factory.mktemp("whole")
    started = time.monotonic()
    assert medir_process(*arguments, "-o", folder).code == 0
    return folder, time.monotonic() - started


@pytest.mark.posix
@pytest.mark.slow
def test_killed_studies_end_with_the_same_files(
    arguments: list[str], whole: tuple[Path, float], tmp_path: Path
) -> None:
    """Killed a few times, later each time: while it computes, draws and writes."""
    folder, seconds = whole
    out = tmp_path / "out"
    killed = 0
    for part in (0.35, 0.65, 0.9):
        with start(MEDIR, *arguments, "-o", out) as process:
            time.sleep(part * seconds)
            process.kill()
        killed += process.returncode == -signal.SIGKILL
    assert killed > 0
    assert shell(*arguments, "-o", out).code == 0
    assert contents(out) == contents(folder)


class PowerCutError(Exception):
    """Ends a study at once, without any tidying up."""


def inodes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.glob(".unfinished/*")}


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The matrices that are asked for, by the names of their files."""
    seen: list[str] = []
    matrix = computation.matrix

    def recorded(*given: Any, checkpoint: Path, **options: Any) -> Any:
        seen.append(checkpoint.name)
        return matrix(*given, checkpoint=checkpoint, **options)

    monkeypatch.setattr(computation, "matrix", recorded)
    return seen


def test_what_was_computed_is_not_computed_again(
    tmp_path: Path, stages: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = collection(queries=3)
    studied: dict[str, Any] = {"runs": given.runs, "qrels": given.qrels, "directory": tmp_path}

    def stop(done: int, total: int) -> None:
        if "judged-75" in stages:
            raise PowerCutError

    with pytest.raises(PowerCutError):
        medir.study(**studied, progress=stop)
    left = inodes(tmp_path)
    assert {"judged-0", "judged-25", "judged-75"} <= left.keys()
    assert [path.name for path in tmp_path.iterdir()] == [".unfinished"]

    finished: dict[str, int] = {}
    monkeypatch.setattr(files, "write", lambda *_: finished.update(inodes(tmp_path)))
    medir.study(**studied)
    assert finished.items() >= left.items()  # a matrix begun anew would be another file
    assert not (tmp_path / ".unfinished").exists()


def test_an_error_keeps_what_an_interrupted_study_has_left(tmp_path: Path) -> None:
    kept = tmp_path / ".unfinished" / "judged-0"
    kept.parent.mkdir()
    kept.write_bytes(b"hours of work")
    given = Collection({name: {"q": ["x", "x"]} for name in "abc"}, {"q": {"x": 1}}, {})
    with pytest.raises(medir.UsageError, match="picture"):
        medir.study(given.runs, given.qrels, tmp_path, pictures=["gif"])
    with pytest.raises(medir.InputError, match="1 of 3"):
        medir.study(given.runs, given.qrels, tmp_path, groups={"a": "x", "b": "x"})
    assert kept.read_bytes() == b"hours of work"


def test_what_was_left_by_another_study_is_not_used(tmp_path: Path) -> None:
    given, other = collection(queries=3), collection(queries=3, seed=2)

    def stop(done: int, total: int) -> None:
        if done > total // 2:
            raise PowerCutError

    kept, clean = tmp_path / "kept", tmp_path / "clean"
    kept.mkdir()
    clean.mkdir()
    with pytest.raises(PowerCutError):
        numbers(other, kept, progress=stop)
    assert list(kept.iterdir())
    assert numbers(given, kept).med[75].tolist() == numbers(given, clean).med[75].tolist()
