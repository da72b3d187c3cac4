"""`medir explain` in a shell."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases.runs import write_qrels, write_run
from tests.shell import medir as shell


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    before = {"q1": ["a", "b", "c"], "q2": ["x", "y"]}
    after = {"q1": ["b", "a", "<script>"], "q3": ["z"]}
    return (
        str(write_run(tmp_path / "before.run", before)),
        str(write_run(tmp_path / "after.run", after)),
        str(write_qrels(tmp_path / "qrels.txt", {"q1": {"c": 1}, "q2": {"x": 3}})),
    )


def test_shell(files: tuple[str, str, str]) -> None:
    before, after, qrels = files
    done = shell("explain", before, after, "q1", "-m", "P@3", "--qrels", qrels)
    assert done.code == 0
    assert done.out.splitlines()[:2] == [
        "P@3 falls by at most 0.33; judged documents account for it.",
        "query q1, P@3: med 0.3333, gain 0.0000, loss 0.3333",
    ]
    assert "<script>" in done.out
    assert "▲ 1" in done.out
    assert "− gone" in done.out
    missing = shell("explain", before, after, "q9")
    assert missing.code == 2
    assert "no query 'q9'" in missing.err
