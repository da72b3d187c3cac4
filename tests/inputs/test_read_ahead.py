"""Large runs are read while Python loads: the same lists and errors as without."""

from __future__ import annotations

import random
from os import fsencode
from pathlib import Path

import pytest

import medir
from medir import _core
from medir.files.ahead import LARGE
from tests.shell import medir_process


def written(path: Path, queries: int, seed: int) -> Path:
    """A run of ten results for each query."""
    draw = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for query in range(queries):
            documents = draw.sample(range(30), 10)
            file.writelines(
                f"q{query} Q0 D{document} {rank} {20 - rank}.5 tag\n"
                for rank, document in enumerate(documents, 1)
            )
    return path


def lists_of(path: Path, threads: int = 2) -> list[list[tuple[bytes, float]]]:
    run = _core.read_run(fsencode(path), None, _core.Order.score, threads)
    return [run.entries(number) for number in range(len(run))]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_the_same_lists(threads: int, tmp_path: Path) -> None:
    """Whether a thread has begun with a file or not: chunks of a megabyte, in several threads."""
    one, other = (written(tmp_path / f"{name}.run", 12_000, name) for name in (1, 2))
    expected = lists_of(one), lists_of(other)
    for _ in range(5):
        _core.read_ahead([fsencode(other), fsencode(one)])
        assert (lists_of(one, threads), lists_of(other, threads)) == expected
        assert lists_of(one) == expected[0]  # it is begun once


def test_passages(tmp_path: Path) -> None:
    """Runs of seven columns are read ahead, too."""
    path = tmp_path / "passages.txt"
    lines = (
        f"t{n // 20} d{n % 7} {n % 20 + 1} {20 - n % 20} {100 * n} 50 x\n" for n in range(60_000)
    )
    path.write_text("".join(lines), encoding="utf-8")

    def passages() -> list[object]:
        kind, by = _core.PassageLayout.run, _core.Order.score
        run = _core.read_passages(fsencode(path), None, kind, by, 2)
        return [run.passages(number) for number in range(len(run))]

    expected = passages()
    assert len(expected) == 3000
    for _ in range(3):
        _core.read_ahead([fsencode(path)])
        assert passages() == expected


def test_what_is_no_run_is_left_alone(tmp_path: Path) -> None:
    """Or cannot be read now; whoever asks for it is told."""
    table = tmp_path / "table.csv"
    table.write_text("query_id,doc_id,rank\nq,a,1\n", encoding="utf-8")
    _core.read_ahead([fsencode(table), fsencode(tmp_path / "none.run"), fsencode(tmp_path)])
    assert medir.Run.read(table)["q"] == ["a"]
    with pytest.raises(medir.MedirError, match=r"none\.run"):
        medir.Run.read(tmp_path / "none.run")


def test_an_error_in_what_was_begun(tmp_path: Path) -> None:
    path = written(tmp_path / "a.run", 3000, 1)
    with path.open("ab") as file:
        file.write(b"\x00 Q0 a 1 1 t\n")
    for _ in range(3):
        _core.read_ahead([fsencode(path)])
        with pytest.raises(medir.InputError, match="binary data"):
            lists_of(path)


def test_a_file_that_was_written_to_meanwhile(tmp_path: Path) -> None:
    """In its place, or by another file that took it: what is there now is read."""
    path, other = written(tmp_path / "a.run", 3000, 1), written(tmp_path / "b.run", 2000, 2)
    changed = lists_of(other)
    _core.read_ahead([fsencode(path)])
    path.write_bytes(other.read_bytes())
    assert lists_of(path) == changed
    _core.read_ahead([fsencode(path)])
    written(tmp_path / "c.run", 1000, 3).replace(path)
    assert len(lists_of(path)) == 1000


def test_commands_read_ahead(tmp_path: Path) -> None:
    """A large run beside a small one; what comes out is what is there without reading ahead."""
    large = written(tmp_path / "large.run", 70_000, 1)
    assert large.stat().st_size > LARGE
    small = written(tmp_path / "small.run", 50, 2)
    done = medir_process("compare", large, small, "-m", "P@5", "--format", "csv")
    assert (done.code, done.err) == (0, "")
    rows = tmp_path / "rows.csv"
    medir.compare(large, small, "P@5").write(rows)
    assert done.out == rows.read_text(encoding="utf-8")


def test_commands_end_without_what_was_begun(tmp_path: Path) -> None:
    """Neither an error on the way nor the end of the process waits for it."""
    large = written(tmp_path / "large.run", 70_000, 1)
    done = medir_process("compare", large, tmp_path / "none.run")
    assert done.code == 2
    assert "none.run" in done.err
