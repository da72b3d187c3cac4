"""`medir matrix` in a shell."""

from __future__ import annotations

import csv
import gzip
import json
from hashlib import sha256
from pathlib import Path

import pytest

from tests.cases.pages import data_of
from tests.cases.runs import write_run
from tests.shell import medir as shell


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    lists = {"a.run": ["x", "y"], "b.run": ["y", "x"], "c.run": ["z", "x"]}
    return [
        str(write_run(tmp_path / name, {"q1": ranking, "q2": ["w"]}))
        for name, ranking in lists.items()
    ]


def test_shell_writes_the_pairs(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "distances.csv"
    done = shell("matrix", *files, "-m", "P@1", "-m", "RR@2", "-o", str(out), "--unseen", "nothing")
    assert done.code == 0
    assert "3 runs, 2 queries" in done.out
    rows = list(csv.DictReader(out.read_text().splitlines()))
    names = {"run_a": "a.run", "run_b": "b.run"}
    assert rows[0] == {**names, "measure": "P@1", "med": "0.5", "value": ""}
    assert len(rows) == 6
    by_query = tmp_path / "queries.jsonl"
    assert shell("matrix", *files, "-o", str(by_query), "--per-query").code == 0
    lines = [json.loads(line) for line in by_query.read_text().splitlines()]
    assert [line["query_id"] for line in lines] == ["q1", "q2"] * 3


def test_similarities_have_a_column_of_their_own(files: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert shell("matrix", *files, "-m", "P@1", "-m", "Overlap@2", "-o", out).code == 0
    rows = list(csv.DictReader(out.read_text().splitlines()))
    # of a: x, y; of b: y, x; and w alone in both: (2 / 2 + 1 / 2) / 2
    assert [(row["med"], row["value"]) for row in rows[:2]] == [("0.5", ""), ("", "0.75")]


def test_a_folder_stands_for_its_files(files: list[str], tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    for file in files:
        Path(file).rename(folder / Path(file).name)
    given = shell("matrix", *sorted(folder.iterdir()), "-m", "P@1", "-o", "-")
    whole = shell("matrix", folder, "-m", "P@1", "-o", "-")
    assert (given.code, given.err) == (0, "")
    assert whole.out == given.out
    assert len(whole.out.splitlines()) == 4
    (tmp_path / "empty").mkdir()
    assert shell("matrix", tmp_path / "empty").code == 2


def test_closest_and_farthest_pairs(tmp_path: Path) -> None:
    """Where there are too many runs for a table, --top says how many pairs are shown."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(10):
        write_run(folder / f"{number}.run", {"q": [f"d{number}", "a"]})
    for top in (1, 4):
        text = shell("matrix", folder, "-m", "P@1", "--top", top).out
        closest, farthest = text.split("Closest pairs")[1].split("Farthest pairs")
        for part in (closest, farthest):
            assert len([line for line in part.splitlines() if line.count(".run") == 2]) == top


def test_shell_against_and_errors(files: list[str]) -> None:
    done = shell("matrix", *files, "-m", "P@1", "--against", files[1])
    assert done.code == 0
    assert "Closest pairs" in done.out
    assert shell("matrix", *files, "--against", "nope").code == 2
    assert shell("matrix", *files, "--per-query").code == 2
    assert shell("matrix", files[0]).code == 2
    assert "given twice" in shell("matrix", files[0], files[1], files[0]).err


def test_shell_draws(files: list[str], tmp_path: Path) -> None:
    groups = tmp_path / "groups.csv"
    groups.write_text("run,group,type\na.run,one,x\nb.run,one,y\nc.run,two,x\n")
    plot, system_map = tmp_path / "plot.svg", tmp_path / "map.png"
    done = shell(
        "matrix", *files, "-m", "P@1", "--plot", plot, "--map", system_map, "--groups", groups
    )
    assert done.code == 0, done.err
    assert "stress-1" in done.out
    assert "<!-- one -->" in plot.read_text()  # a group
    assert system_map.read_bytes().startswith(b"\x89PNG")


def test_packed_runs_have_the_groups_of_plain_ones(files: list[str], tmp_path: Path) -> None:
    groups, plot = tmp_path / "groups.csv", tmp_path / "plot.svg"
    groups.write_text("run,group\na.run,first\nb.run,second\nc.run,second\n")
    packed = [Path(file + ".gz") for file in files]
    for file, target in zip(files, packed, strict=True):
        target.write_bytes(gzip.compress(Path(file).read_bytes()))
    done = shell("matrix", *packed, "-m", "P@1", "--plot", plot, "--groups", groups)
    assert done.code == 0, done.err
    assert "no group" not in plot.read_text()
    assert "second" in plot.read_text()


def test_what_cannot_be_drawn(files: list[str], tmp_path: Path) -> None:
    """Said before anything is compared, and no file is left behind."""
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("name,team\n")
    for arguments, message in [
        (["--plot", tmp_path / "plot.gif"], ".svg"),
        (["--groups", wrong], "--groups goes with"),
        (["--plot", tmp_path / "plot.svg", "--groups", wrong], "no column group or run"),
        (
            ["--plot", tmp_path / "plot.svg", "--groups", tmp_path / "none.csv"],
            "there is no such file",
        ),
        (["--map", tmp_path / "map.svg", "--against", files[0]], "leave out --against"),
    ]:
        done = shell("matrix", *files, *arguments)
        assert done.code == 2
        assert message in done.err
    assert not list(tmp_path.glob("plot.*"))


def test_a_page_to_look_through(files: list[str], tmp_path: Path) -> None:
    groups, qrels, page = (tmp_path / name for name in ("groups.csv", "qrels.txt", "matrix.html"))
    groups.write_text("run,group\na.run,one\nb.run,one\nc.run,two\n")
    qrels.write_text("q1 0 x 1\n")
    done = shell(
        "matrix", *files, "-m", "P@1", "--qrels", qrels, "--groups", groups, "--report", page
    )
    assert (done.code, done.err) == (0, "")
    assert f"written to {page}" in done.out
    data = data_of(page)
    assert data["names"] == ["a.run", "b.run", "c.run"]
    assert data["own"] == ["one", "one", "two"]
    assert data["measures"][0]["truth"]["means"] == [1.0, 0.0, 0.0]
    text = page.read_text()
    assert "--report" in text  # the command
    assert sha256(Path(files[0]).read_bytes()).hexdigest() in text


def test_a_page_that_cannot_be_written(files: list[str], tmp_path: Path) -> None:
    page = tmp_path / "matrix.html"
    cases: list[tuple[list[object], str]] = [
        (["--report", tmp_path / "matrix.txt"], ".html"),
        (["--report", page, "--against", files[0]], "leave out --against"),
        (["--report", page, "-m", "tau_AP@5"], "not symmetric"),
        (["--report", page, "--groups", tmp_path / "none.csv"], "none.csv"),
        (["--report", files[0]], "would overwrite"),
        (["--report", page, "-o", page], "same file"),
    ]
    for options, message in cases:
        done = shell("matrix", *files, *options)
        assert done.code == 2
        assert message in done.err
    assert not page.exists()
    assert Path(files[0]).read_text().startswith("q1 Q0 x")
