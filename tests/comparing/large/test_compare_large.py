"""Comparisons within a limit of memory: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import gc
import gzip
import signal
import subprocess
import sys
import tempfile
import weakref
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, UsageError
from medir.comparing.large import compare as large
from medir.comparing.large.writing import Rows
from medir.files import workspace
from medir.inputs.formats.contents.ranges import partitioning
from medir.inputs.formats.contents.ranges.budget import bytes_of_memory
from tests.cases.large import Row, small, write_rows, write_table
from tests.shell import MEDIR, medir_process, start
from tests.shell import medir as shell

pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")

Paths = tuple[str, str]


def results(queries: range, shift: int, results: int = 4) -> list[Row]:
    """Lists of some queries, of which a shift changes some documents."""
    return [
        (f"q{query:04}", f"d{(query * 7 + rank * (1 + shift)) % 50}", float(-rank))
        for query in queries
        for rank in range(results)
    ]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files, which is empty."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    """Two runs that are sorted by query, each with queries of its own."""
    before, after = results(range(60), 0), results(range(10, 70), 1)
    return write_rows(tmp_path / "b.parquet", before), write_rows(tmp_path / "a.parquet", after)


@pytest.fixture
def shuffled(tmp_path: Path) -> Paths:
    """Two runs in another order of queries."""
    rows = results(range(60), 0), results(range(10, 70), 1)
    before, after = (sorted(run, key=lambda row: row[0][::-1]) for run in rows)
    return write_rows(tmp_path / "b.parquet", before), write_rows(tmp_path / "a.parquet", after)


@pytest.mark.parametrize("order", ["paths", "shuffled"])
@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "parquet"])
def test_files_are_those_of_the_ordinary_comparison(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    temporary: Path,
    monkeypatch: pytest.MonkeyPatch,
    order: str,
    format: str,
) -> None:
    before, after = request.getfixturevalue(order)
    small(monkeypatch, 50)
    queries = {f"q{i:04}": {"text": f'a "text", {i}'} for i in range(0, 70, 3)}
    written, target = tmp_path / f"ordinary.{format}", tmp_path / f"large.{format}"
    if order == "shuffled":
        for path in (before, after):
            table = pa.parquet.read_table(path)
            pa.parquet.write_table(table.sort_by("query_id"), f"{path}.sorted")
        expected = medir.compare(f"{before}.sorted", f"{after}.sorted", ["P@3"], queries=queries)
    else:
        expected = medir.compare(before, after, ["P@3"], queries=queries)
    expected.write(written)
    medir.compare_large(before, after, ["P@3"], queries=queries, output=target)
    if format == "parquet":
        assert pl.read_parquet(target).equals(pl.read_parquet(written))
    else:
        assert target.read_bytes() == written.read_bytes()
    assert list(temporary.iterdir()) == []


def test_the_shell_prints_and_writes_the_same(paths: Paths, tmp_path: Path) -> None:
    options = ["-m", "nDCG@5", "-m", "RBO", "--top", "4", "--fail-above", "p95:nDCG@5=1"]
    files = [*("--json", tmp_path / "x.json"), *("--summary", tmp_path / "x.md")]
    output = ["-o", tmp_path / "x.csv"]

    def shown(*more: Any) -> list[Any]:
        texts = [shell("compare", *paths, *options, *files, *output, *more)]
        rows = shell("compare", *paths, *options, "--format", "tsv", *more)
        assert rows.code == 0
        return [
            *texts,
            rows,
            *((tmp_path / f"x.{kind}").read_text() for kind in ("json", "md", "csv")),
        ]

    assert shown("--memory", "2GB") == shown()


def test_standard_input_is_put_aside(paths: Paths, temporary: Path) -> None:
    data = Path(paths[0]).read_bytes()
    command = "compare", "-", paths[1], "-m", "P@3", "--format", "csv"
    done = medir_process(*command, "--memory", "2GB", stdin=data)
    assert done.code == 0, done.err
    assert done.out == medir_process(*command, stdin=data).out
    assert "standard input: read as Parquet: query_id, doc_id, score (240 rows)" in done.err
    assert list(temporary.iterdir()) == []


def test_an_archive_is_unpacked(paths: Paths, tmp_path: Path) -> None:
    packed = tmp_path / "b.parquet.gz"
    packed.write_bytes(gzip.compress(Path(paths[0]).read_bytes()))
    result = medir.compare_large(packed, paths[1], "P@3")
    assert result.mean() == medir.compare(*paths, "P@3").mean()
    origin = result.runs[0].origin
    assert origin is not None
    assert origin.fingerprint().bytes == packed.stat().st_size


def test_folders_of_parts(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch, 50)
    folder = tmp_path / "parts"
    folder.mkdir()
    table = pa.parquet.read_table(paths[0])
    for number in range(4):
        write_table(folder / f"{number}.parquet", table.slice(60 * number, 60))
    result = medir.compare_large(folder, paths[1], "P@3")
    assert "(240 rows in 4 files)" in str(result.runs[0].format)
    assert result.mean() == medir.compare(*paths, "P@3").mean()


@pytest.mark.parametrize(("x", "y", "z"), [("x", "y", "z"), (1, 2, 3)])
def test_lists_in_a_column(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, x: Any, y: Any, z: Any
) -> None:
    small(monkeypatch, 2)
    tables = [
        pa.table({"query_id": ["c", "a", "b"], "doc_ids": [[x, y], [y], rest]})
        for rest in ([z, x], [x, z])
    ]
    before, after = (write_table(tmp_path / f"{i}.parquet", one) for i, one in enumerate(tables))
    result = medir.compare_large(before, after, "P@1")
    assert {row.query_id: row.med for row in result} == {"a": 0, "b": 1, "c": 0}


def test_a_range_is_given_back_before_the_next_but_one(
    shuffled: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the garbage collector, which comes when it likes."""
    small(monkeypatch, 50, ranges=12)
    alive: list[weakref.ref[Any]] = []
    counts = []
    add = Rows.add

    def watched(rows: Rows, table: Any, alone: bool) -> None:
        alive.append(weakref.ref(table))
        counts.append(sum(one() is not None for one in alive))
        add(rows, table, alone)

    monkeypatch.setattr(Rows, "add", watched)
    gc.disable()
    try:
        medir.compare_large(*shuffled, "P@3", output=BytesIO(), format="csv")
    finally:
        gc.enable()
    assert len(counts) >= 12
    assert max(counts) <= 4  # what was written, what is being written, and what comes next


# What `auto` decides, once all lists are known


@pytest.mark.parametrize("longer", ["last", "first", "twice"])
def test_unseen_ranks_wait_for_all_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, longer: str
) -> None:
    """A later list may be longer than all before it: then these have ended."""
    small(monkeypatch, 6)
    rows = results(range(12), 0, results=3)
    more = {"last": [11], "first": [0], "twice": [10, 11]}[longer]
    rows += [(f"q{query:04}", f"new{i}", -9.0 - i) for query in more for i in range(2)]
    before = write_rows(tmp_path / "b.parquet", sorted(rows, key=lambda row: row[0]))
    after = write_rows(tmp_path / "a.parquet", results(range(12), 1, results=3))
    for measures in ("RBP", None):
        expected = medir.compare(before, after, measures)
        rows_of, target = BytesIO(), BytesIO()
        expected.write(rows_of, "csv")
        found = medir.compare_large(before, after, measures, output=target, format="csv")
        assert target.getvalue() == rows_of.getvalue()
        assert list(found.notes()) == list(expected.notes())
        assert found.measures == expected.measures


def test_sorted_at_first_and_not_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch, 20)
    rows = results(range(40), 0)
    before = write_rows(tmp_path / "b.parquet", rows[80:] + rows[:80])
    after = write_rows(tmp_path / "a.parquet", results(range(40), 1))
    target = BytesIO()
    result = medir.compare_large(before, after, "P@3", output=target, format="csv")
    assert result.queries == sorted(result.queries)
    assert target.getvalue().count(b"\n") == 41


def test_numbers_and_texts_are_the_same_queries(tmp_path: Path) -> None:
    rows = [(number, "d", 1.0) for number in (2, 9, 10)]
    before = write_rows(tmp_path / "b.parquet", rows)
    after = write_rows(tmp_path / "a.parquet", [(str(row[0]), *row[1:]) for row in rows])
    result = medir.compare_large(before, after, "P@1")
    assert result.queries == ["10", "2", "9"]
    assert (result.only_before, result.only_after) == (0, 0)


# Errors


@pytest.mark.parametrize(
    ("column", "value", "problem"),
    [
        ("query_id", None, "the column 'query_id' has a null"),
        ("doc_id", None, "the column 'doc_id' has a null"),
        ("score", float("nan"), "the score is NaN, which has no place in an order"),
        ("doc_id", "d7", "duplicate"),
    ],
)
@pytest.mark.parametrize("order", ["paths", "shuffled"])
def test_bad_rows(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    order: str,
    column: str,
    value: Any,
    problem: str,
) -> None:
    """The error is that of the ordinary comparison; without a row where rows were put aside."""
    before, after = request.getfixturevalue(order)
    small(monkeypatch, 10)
    table = pa.parquet.read_table(after)
    values = table[column].to_pylist()
    twin = next(i for i in range(100, 200) if table["query_id"][i] == table["query_id"][i + 1])
    values[twin + 1] = table[column][twin].as_py() if value == "d7" else value
    place = table.column_names.index(column)
    bad = write_table(
        tmp_path / "bad.parquet",
        table.set_column(place, column, pa.array(values, table[column].type)),
    )
    with pytest.raises(InputError) as expected:
        medir.compare(before, bad, "P@3")
    with pytest.raises(InputError) as found:
        medir.compare_large(before, bad, "P@3")
    assert found.value.source == expected.value.source == bad
    assert found.value.problem == expected.value.problem
    if order == "paths" or value is None:  # nulls are found before rows are put aside
        assert found.value.text == expected.value.text
    else:
        assert "row" not in found.value.text


def test_text_is_refused(tmp_path: Path, paths: Paths) -> None:
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 d1 1 2.5 t\n")
    with pytest.raises(InputError, match="is TREC and neither Parquet nor Arrow IPC"):
        medir.compare_large(paths[0], run)


def test_queries_that_one_run_has_alone(paths: Paths) -> None:
    with pytest.raises(InputError, match=r"query q0000 is only in .*b.parquet"):
        medir.compare_large(*paths, "P@3", missing="error")


def test_no_query_in_common(tmp_path: Path) -> None:
    before = write_rows(tmp_path / "b.parquet", [("a", "d", 1.0)])
    after = write_rows(tmp_path / "a.parquet", [("b", "d", 1.0)])
    with pytest.raises(InputError, match="have no query in common"):
        medir.compare_large(before, after, "P@3", missing="skip")


@pytest.mark.parametrize(
    ("amount", "problem"),
    [("much", "an amount such as 2GB or 500MB, not 'much'"), ("5MB", "at least 512MB, not 5MB")],
)
def test_amounts_of_memory(amount: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        bytes_of_memory(amount)


def test_what_needs_lists_is_refused(paths: Paths, tmp_path: Path) -> None:
    for options, problem in (
        (["--report", tmp_path / "x.html"], "--report shows lists, which --memory does not keep"),
        (["--noise", paths[0]], "--noise cannot be used with --memory"),
        (["-o", paths[0], "--format", "csv"], "is the same file as the input"),
    ):
        done = shell("compare", *paths, "--memory", "2GB", *options)
        assert done.code == 2
        assert problem in done.err
    result = medir.compare_large(*paths, "P@3")
    for call in (
        lambda: result.explain("q0001"),
        lambda: result.lists("q0001"),
        result.table,
        result.exposures,
        lambda: result.lengths_at(50),
    ):
        with pytest.raises(UsageError, match="within a limit of memory"):
            call()


# Temporary files


def test_a_full_disk(
    shuffled: Paths, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(BytesIO):
        def flush(self) -> None:
            raise OSError(28, "No space left on device")

    ordinary = Path.open

    def opened(path: Path, mode: str = "r", **options: Any) -> Any:
        return Full() if mode == "xb" else ordinary(path, mode, **options)

    monkeypatch.setattr(Path, "open", opened)
    with pytest.raises(UsageError, match="No space left on device; set TMPDIR to a folder"):
        medir.compare_large(*shuffled, "P@3", output=tmp_path / "out.csv")
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "out.csv").exists()


def test_no_temporary_folder(paths: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="cannot write to the temporary folder"):
        medir.compare_large(*paths, "P@3")


def test_an_error_leaves_nothing(
    shuffled: Paths, temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        assert list(temporary.iterdir()) != []
        raise RuntimeError("stop")

    monkeypatch.setattr(large, "compared", fails)
    with pytest.raises(RuntimeError, match="stop"):
        medir.compare_large(*shuffled, "P@3", output=tmp_path / "out.csv")
    assert list(temporary.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(tmp_path: Path, temporary: Path, number: signal.Signals) -> None:
    rows = results(range(20_000), 0)
    rows.sort(key=lambda row: row[0][::-1])
    path = write_table(
        tmp_path / "b.parquet", pa.table(list(zip(*rows, strict=True)), COLUMNS), rows=9
    )
    output = tmp_path / "out.csv"
    command = MEDIR, "compare", path, path, "--memory", "2GB", "-o", output
    with start(*command, stderr=subprocess.DEVNULL) as process:
        while not list(temporary.iterdir()) and process.poll() is None:
            pass
        process.send_signal(number)
    assert process.returncode == 128 + number
    assert list(temporary.iterdir()) == []
    assert not output.exists()


COLUMNS = ["query_id", "doc_id", "score"]


def test_a_temporary_file_that_somebody_cuts_short(
    shuffled: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    small(monkeypatch, 50)
    fill = partitioning._PutAside.fill

    def cut(table: Any, *how: Any) -> None:
        fill(table, *how)
        table._path.write_bytes(b"x")

    monkeypatch.setattr(partitioning._PutAside, "fill", cut)
    with pytest.raises(OSError, match="was cut short"):
        medir.compare_large(*shuffled, "P@3")


def test_a_workspace_goes_away(temporary: Path) -> None:
    def fail() -> None:
        with workspace.workspace() as folder:
            (folder / "file").write_text("x")
            assert list(temporary.iterdir()) == [folder]
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(temporary.iterdir()) == []


def test_arrow_takes_its_memory_as_before(paths: Paths) -> None:
    """Files are read with the system's; what else a program does with pyarrow goes on as it was."""
    pool = pa.default_memory_pool().backend_name
    medir.compare_large(*paths, "nDCG@4")
    assert pa.default_memory_pool().backend_name == pool
