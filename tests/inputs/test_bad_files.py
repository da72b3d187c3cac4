"""Files that cannot be read: empty, binary, damaged, large, or not permitted."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.errors import InputError
from medir.inputs.clusters.reading import Clusters
from tests.cases.faults import OTHER, RUN, Case, check, columns, contents, replaced, shown, table
from tests.shell import MEDIR, Outcome, python

LIST = b"".join(
    b"q%d Q0 d%d %d %d.25 t\n" % (n // 50, n * 7919 % 997, n % 50, n) for n in range(500)
)


NO_LINES = r"before\.run: holds only comments and blank lines\n"
FILES = [
    Case("empty", (r"before\.run: is empty\n",), before=b""),
    Case("empty, second", (r"after\.run: is empty\n",), after=b""),
    Case("a byte order mark", (r"before\.run: (is|holds) \w+",), before=b"\xef\xbb\xbf"),
    Case("only comments", (NO_LINES,), before=b"# a\n\n  # b\r\n#"),
    Case("only blanks", (NO_LINES,), before=b" \t\n\r\n  "),
    Case("an archive of nothing", (r"before\.run: is empty\n",), before=gzip.compress(b"")),
    Case(
        "a directory",
        (r"folder: is a directory\n",),
        folders=("folder",),
        arguments=("folder", "after.run"),
    ),
    Case(
        "a directory, second",
        (r"folder: is a directory\n",),
        folders=("folder",),
        arguments=("before.run", "folder"),
    ),
    Case("missing", (r"before\.run: there is no such file\n",), before=None),
    Case("missing, second", (r"after\.run: there is no such file\n",), after=None),
    Case(
        "a file as a folder",
        (r"before\.run/x: cannot be read: Not a directory\n",),
        arguments=("before.run/x", "after.run"),
    ),
    Case(
        "a name that is too long",
        ("cannot be read: File name too long\n",),
        arguments=("a" * 300, "after.run"),
    ),
    Case("empty standard input", (r"standard input: is empty\n",), arguments=("-", "after.run")),
    Case(
        "bad standard input",
        (r"standard input, " + columns(3), shown("q1 Q0 b")),
        arguments=("-", "after.run"),
        stdin=replaced(2, b"q1 Q0 b"),
    ),
    Case(
        "both from standard input",
        ("only one of .* can come from standard input",),
        arguments=("-", "-"),
        stdin=RUN,
    ),
    Case(
        "a run and judgments from standard input",
        ("only one of .* can come from standard input",),
        arguments=("-", "after.run"),
        options=("--qrels", "-"),
        stdin=RUN,
    ),
]

FILES += [
    Case(
        "UTF-16 with mark",
        (r"before\.run: is text in UTF-16\nSave it as UTF-8\.\n",),
        before=RUN.decode().encode("utf-16"),
    ),
    Case(
        "a damaged zip archive",
        (r"before\.run: the zip archive is truncated or damaged\n",),
        before=b"PK\x03\x04\x14\x00\x00\x00\x08\x00abc",
    ),
]
BINARY = {
    "PNG": (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01", "line 2", "0x1a"),
    "ELF": (b"\x7fELF\x02\x01\x01\x00" + bytes(100), "line 1", "0x02"),
    "SQLite": (b"SQLite format 3\x00\x10\x00\x01\x01", "line 1", "0x00"),
    "UTF-16": (RUN.decode().encode("utf-16-le"), "line [12]", "0x00"),
    "zeros": (bytes(5000), "line 1", "0x00"),
    "zeros behind good lines": (RUN + bytes(5000), "line 4", "0x00"),
    "a zero in a document id": (replaced(2, b"q1 Q0 b\x00c 2 2 t"), "line 2", "0x00"),
    "a zero in a query id": (replaced(3, b"q2\x00 Q0 c 1 1 t"), "line 3", "0x00"),
    "a zero in a tag": (replaced(2, b"q1 Q0 b 2 2 t\x00g"), "line 2", "0x00"),
    "an escape where a score should be": (replaced(3, b"q2 Q0 c 1 \x1b[1m t"), "line 3", "0x1b"),
}
FILES += [
    Case(
        f"binary: {name}",
        (rf"before\.run, {line}: binary data \(byte {byte}\) where text was expected\n",),
        before=data,
        variant=name not in ("PNG", "zeros"),
    )
    for name, (data, line, byte) in BINARY.items()
]


def zstd(data: bytes) -> bytes:
    compressor = pytest.importorskip("zstandard").ZstdCompressor(write_checksum=True)
    compressed: bytes = compressor.compress(data)
    return compressed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}


def damaged(archive: bytes) -> bytes:
    middle = len(archive) // 2
    return archive[:middle] + bytes([archive[middle] ^ 0xFF]) + archive[middle + 1 :]


WHOLE = ("truncated", "damaged")
DAMAGES: dict[str, Callable[[bytes, Callable[[bytes], bytes]], bytes]] = {
    "truncated": lambda archive, _: archive[: len(archive) // 2],
    "truncated by a byte": lambda archive, _: archive[:-1],
    "truncated to its mark": lambda archive, _: archive[:6],
    "damaged": lambda archive, _: damaged(archive),
    "damaged in its second part": lambda archive, pack: pack(RUN) + damaged(archive),
    "truncated in its second part": lambda archive, pack: pack(RUN) + archive[:-20],
}


@table(FILES)
def test_bad_file(case: Case, tmp_path: Path) -> None:
    check(case, tmp_path)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("kind", PACKERS)
def test_bad_archive(kind: str, damage: str, tmp_path: Path) -> None:
    """The message says what is wrong inside the brackets."""
    data = DAMAGES[damage](PACKERS[kind](LIST), PACKERS[kind])
    message = rf"before\.run: the {kind} archive is truncated or damaged \(\w.*\)\n"
    check(Case(damage, (message,), before=data, variant=damage not in WHOLE), tmp_path)


# Where a line stands in a large file.

ROWS = 60_000


@pytest.fixture(scope="module")
def rows() -> list[bytes]:
    return [b"q%d Q0 d%d %d %d.5 tag" % (n // 40, n, n % 40, n) for n in range(ROWS)]


@pytest.mark.parametrize("line", [1, 2, 30_001, 59_959, ROWS])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("scattered", [False, True], ids=["grouped", "scattered"])
def test_line_numbers(
    rows: list[bytes], line: int, packed: bool, scattered: bool, tmp_path: Path
) -> None:
    lines = rows[::7] + [row for n, row in enumerate(rows) if n % 7] if scattered else list(rows)
    lines[line - 1] = lines[line - 1].replace(b".5 tag", b".5x tag")
    data = b"\n".join(lines)
    assert len(data) > 1 << 20
    path = tmp_path / "large.run"
    path.write_bytes(gzip.compress(data, 1) if packed else data)
    for read in (medir.Run.read, compared):
        with pytest.raises(medir.InputError) as caught:
            read(path)
        error = caught.value
        assert (error.source, error.line) == (str(path), line)
        assert error.text == lines[line - 1].decode()
        assert str(error).startswith(f"{path}, line {line}: the score '")


def compared(path: Path) -> Any:
    return medir.compare(path, {"q1": ["d"]})


def test_line_number_in_the_shell(rows: list[bytes], tmp_path: Path) -> None:
    bad = b"q7 Q0 d x"
    data = b"\n".join([*rows[:50_000], b"# comment", b"", bad, *rows[50_000:]])
    case = Case("late", (r"before\.run, line 50003: .*found 4\n", shown(bad)), before=data)
    check(case, tmp_path)


@pytest.mark.parametrize("limit", [1, 2])
def test_line_of_the_first_grade_above_a_limit(limit: int, tmp_path: Path) -> None:
    """Of several, the one that stands first in the file, also where queries are scattered."""
    lines = [f"q{n % 100} 0 d{n} {int(n > 4000) + int(n > 7000) + 1}" for n in range(9000)]
    path = tmp_path / "qrels.txt"
    path.write_text("\n".join(lines))
    with pytest.raises(medir.InputError) as caught:
        medir.compare({"q1": ["a"]}, {"q1": ["b"]}, f"nDCG(max_grade={limit})@5", qrels=path)
    assert caught.value.line == {1: 4002, 2: 7002}[limit]
    assert f"the grade {limit + 1} is above max_grade={limit}" in str(caught.value)


def test_second_of_two_places_of_a_document(tmp_path: Path) -> None:
    """The line is that of the lower result; the remedy works."""
    lines = [f"q{n // 50} Q0 d{n} {n % 50} {-n} t" for n in range(30_000)]
    lines[20_020] = lines[20_020].replace("d20020", "d20005")
    path = tmp_path / "a.run"
    path.write_text("\n".join(lines))
    with pytest.raises(medir.InputError, match="document 'd20005' appears twice") as caught:
        medir.compare(path, path)
    assert caught.value.line == 20_021
    assert 'duplicates="first"' in str(caught.value)
    assert medir.compare(path, path, duplicates="first").repeats == 2


def test_a_long_word_is_cut_short(tmp_path: Path) -> None:
    """The offending word may be most of a file; the message stays readable."""
    path = tmp_path / "a.run"
    path.write_bytes(b"q Q0 d 1 " + b"x" * 100_000 + b" t\n")
    with pytest.raises(medir.InputError, match="line 1") as caught:
        medir.Run.read(path)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (medir.InputError, ValueError),
        (medir.UsageError, ValueError),
        (medir.MeasureError, ValueError),
    ],
)
def test_errors_are_of_one_family(error: type[Exception], kind: type[Exception]) -> None:
    assert issubclass(error, medir.MedirError)
    assert issubclass(error, kind)


def test_zstd_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.run.zst"
    path.write_bytes(zstd(RUN))
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(ImportError, match=r"pip install 'medir\[zstd\]'") as caught:
        medir.Run.read(path)
    assert isinstance(caught.value, medir.MedirError)


# No permission.

# Starts a program for which the permissions of files count, although it is the superuser's:
# prctl(PR_CAPBSET_DROP, ...) takes CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH from it.
UNPRIVILEGED = """
import ctypes, os, sys
if os.geteuid() == 0:
    for privilege in (1, 2):
        if ctypes.CDLL(None).prctl(24, privilege, 0, 0, 0) != 0:
            sys.exit(77)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def unprivileged(tmp_path: Path) -> Callable[..., Outcome]:
    """Runs medir so that permissions count."""
    if os.geteuid() == 0 and sys.platform != "linux":
        pytest.skip("the superuser may read and write everything")
    (tmp_path / "before.run").write_bytes(RUN)
    (tmp_path / "after.run").write_bytes(OTHER)

    def medir(*arguments: str) -> Outcome:
        outcome = python(UNPRIVILEGED, MEDIR, *arguments, cwd=tmp_path)
        if outcome.code == 77:
            pytest.skip("the superuser may read and write everything")
        return outcome

    return medir


@pytest.mark.posix
def test_no_permission_to_read(tmp_path: Path, unprivileged: Callable[..., Outcome]) -> None:
    (tmp_path / "before.run").chmod(0)
    outcome = unprivileged("compare", "before.run", "after.run")
    assert (outcome.code, outcome.out) == (2, "")
    assert re.search(r"before\.run.*(Permission denied|not readable)", outcome.err), outcome.err


@pytest.mark.posix
def test_no_permission_to_write(tmp_path: Path, unprivileged: Callable[..., Outcome]) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "out.csv").write_bytes(b"older\n")
    there = contents(tmp_path)
    folder.chmod(0o555)
    outcome = unprivileged("compare", "before.run", "after.run", "-o", "folder/out.csv")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "medir: cannot write 'folder/out.csv': Permission denied\n"
    assert contents(tmp_path) == there


@pytest.mark.posix
@pytest.mark.parametrize(
    "arguments",
    [["before.run", "after.run", "-o", "folder/out.csv"], ["folder/before.run", "after.run"]],
    ids=["output", "input"],
)
def test_no_permission_to_enter_a_folder(
    arguments: list[str], tmp_path: Path, unprivileged: Callable[..., Outcome]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0)
    try:
        outcome = unprivileged("compare", *arguments)
    finally:
        folder.chmod(0o755)
    assert (outcome.code, outcome.out) == (2, "")
    assert re.fullmatch(r"medir: .*Permission denied\n", outcome.err), outcome.err


RETURNS = {
    "run": b"q1 Q0 a 1 3 t\rq1 Q0 b 2 2 t\rq1 Q0 c 3 1 t\n",
    "run of MS MARCO": b"q1\ta\t1\rq1\tb\t2\n",
    "run in CSV": b"query_id,doc_id,score\rq1,a,1\rq1,b,1\n",
    "qrels": b"# judged\n\nq1 0 a 1\rq1 0 b 2\n",
    "lengths": b"a 3\rb 4\n",
    "clusters": b"a\tone\rb\tone\n",
    "queries": b"query_id\ttext\rq1\tcats\n",
}


@pytest.mark.parametrize("kind", RETURNS)
def test_lines_that_end_with_a_return_but_for_the_last(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes(RETURNS[kind])
    read: dict[str, Callable[[Path], object]] = {
        "qrels": medir.Qrels.of,
        "lengths": medir.Lengths.of,
        "queries": medir.Queries.of,
        "clusters": Clusters.of,
    }
    with pytest.raises(InputError, match="carriage return alone"):
        read.get(kind, medir.Run.of)(path)
