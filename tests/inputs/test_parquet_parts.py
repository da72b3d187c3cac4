"""Parquet and Arrow IPC: folders and patterns of parts, and what is wrong with them."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

import medir
from tests.cases.tables import Row, documents, ipc, listed, parquet, ranked, saved
from tests.cases.tables import found as entries
from tests.shell import medir as shell

pytest.importorskip("pyarrow")

FIRST = [Row("q1", "a", 1.0), Row("q1", "b", 3.0), Row("q2", "a", 1.0)]
SECOND = [Row("q2", "b", 2.0), Row("q1", "c", 2.0)]
BOTH = [*FIRST, *SECOND]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parts = tmp_path / "run"
    (parts / "more").mkdir(parents=True)
    saved(parts, parquet(FIRST), "a.parquet")
    saved(parts / "more", parquet(SECOND), "b.parquet")
    saved(parts, b"", "_SUCCESS")
    saved(parts, b"not read", ".a.parquet")
    saved(parts, b"not read", "_a.parquet")
    saved(parts, b"not read", "notes.txt")
    return parts


def test_a_folder_of_parts(folder: Path) -> None:
    run = medir.Run.read(folder)
    assert entries(run) == ranked(BOTH)
    assert documents(medir.Run.read(folder, order="file")) == listed(BOTH)
    assert run.format == "Parquet: query_id, doc_id, score (5 rows in 2 files)"
    assert run.name == str(folder)


def test_a_pattern_of_parts(folder: Path) -> None:
    pattern = str(folder / "**" / "[ab].parquet")
    assert entries(medir.Run.read(pattern)) == ranked(BOTH)
    assert entries(medir.Run.read(str(folder / "a*.parquet"))) == ranked(FIRST)


def test_the_fingerprint_of_parts(folder: Path) -> None:
    """The hash of the hashes, one per line, as `sha256sum` prints them first."""
    run = medir.Run.read(folder)
    parts = [(folder / "a.parquet").read_bytes(), (folder / "more/b.parquet").read_bytes()]
    lines = "".join(f"{hashlib.sha256(part).hexdigest()}\n" for part in parts)
    assert run.origin is not None
    expected = (hashlib.sha256(lines.encode()).hexdigest(), sum(map(len, parts)))
    assert run.origin.fingerprint() == expected


def test_in_the_shell(folder: Path) -> None:
    saved(folder.parent, parquet(BOTH), "whole.parquet")
    outcome = shell("compare", "run", "whole.parquet", "-m", "P@2", cwd=folder.parent)
    assert outcome.code == 0
    assert outcome.err == (
        "medir: run: read as Parquet: query_id, doc_id, score (5 rows in 2 files)\n"
        "medir: whole.parquet: read as Parquet: query_id, doc_id, score (5 rows)\n"
    )
    assert outcome.out.startswith("No query changed")


def test_judgments_in_parts(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name, document in (("a", "x"), ("b", "y")):
        columns = {"query_id": [1], "doc_id": [document], "label": [2]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    qrels = medir.Qrels.of(tmp_path)
    assert qrels["1"] == {"x": 2, "y": 2}
    assert qrels.format == "Parquet: query_id, doc_id, label (2 rows in 2 files)"


def test_lists(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {"query_id": ["q", "r"], "doc_ids": [["a", "b"], []], "scores": [[1.0, 2.0], []]}
    )
    pq.write_table(table, tmp_path / "lists.parquet")
    run = medir.Run.read(tmp_path / "lists.parquet")
    assert (run["q"], run["r"]) == (["b", "a"], [])
    assert medir.Run.read(tmp_path / "lists.parquet", order="rank")["q"] == ["a", "b"]


def test_refused(folder: Path, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "empty").mkdir()
    with pytest.raises(medir.InputError, match=r"empty: is a directory\nGive the file itself, or"):
        medir.Run.read(tmp_path / "empty")
    with pytest.raises(medir.InputError, match="there is no file of this pattern"):
        medir.Run.read(tmp_path / "*.nothing")
    with pytest.raises(medir.InputError, match=r"matches 2 files, and .*notes.txt is no .parquet"):
        medir.Run.read(str(folder / "[an]*.*"))
    pq.write_table(pa.table({"query_id": ["q"], "doc_id": ["a"]}), folder / "c.parquet")
    with pytest.raises(medir.InputError, match=r"c.parquet: there is no column 'score' in this p"):
        medir.Run.read(folder)
    columns = {"query_id": ["q"], "doc_id": [1], "score": [1.0]}
    pq.write_table(pa.table(columns), folder / "c.parquet")
    with pytest.raises(medir.InputError, match=r"c.parquet: has columns of other types than '"):
        medir.Run.read(folder)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (parquet(FIRST)[:-10], "Parquet"),
        (b"PAR1", "Parquet"),
        (ipc(FIRST, stream=False)[:-20], "Arrow IPC"),
        (ipc(FIRST, stream=True)[:90], "Arrow IPC"),
    ],
    ids=["Parquet that ends early", "a start alone", "IPC that ends early", "a stream, too"],
)
def test_damaged(data: bytes, kind: str, tmp_path: Path) -> None:
    path = saved(tmp_path, data)
    with pytest.raises(medir.InputError, match=f"cannot be read as {kind}: ") as caught:
        medir.Run.read(path)
    assert caught.value.remedy == "Write the file again."


def test_pyarrow_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, parquet(FIRST))
    for library in ("polars", "pyarrow"):  # either reads Parquet
        monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ImportError, match=r"reading Parquet needs pyarrow: pip install 'medir\[t"):
        medir.Run.read(path)
