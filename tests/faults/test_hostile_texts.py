"""What comes from files reaches no terminal as it is: ids, names, texts and quoted lines."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from medir.cli.echo import standard_output
from medir.errors import InputError, abbreviated, visible, visible_lines
from tests.shell import MEDIR, ROOT, Outcome, environment, medir, medir_process

# Controls (C0, DEL, C1), escape sequences, marks and embeddings of direction, separators of lines.
CONTROLS = "".join(map(chr, [*range(1, 0x20), 0x7F, *range(0x80, 0xA0)]))
MARKS = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
HOSTILE = f"\x1b[31mred\x1b]0;title\x07{CONTROLS}{MARKS}"
HARMLESS = "\n\t"
HARMFUL = "".join(one for one in CONTROLS if one not in HARMLESS)
FORBIDDEN = re.compile(f"[\0{re.escape(HARMFUL)}{MARKS}\ud800-\udfff]")
NAME = "\x1b[2J\u202e\x9b\n\r\u2066"  # in names of files, as Windows does not have them


def hostile(text: str) -> str:
    return f"{text}{HOSTILE}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Runs, judgments, passages and texts whose ids and names are hostile."""

    def lines(name: str, rows: list[dict[str, object]]) -> None:
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def run(shift: int) -> list[dict[str, object]]:
        return [
            {
                "query_id": hostile(f"q{q}"),
                "doc_id": hostile(f"d{r * (1 + shift) % 11}"),
                "score": 9 - r,
            }
            for q in range(12)
            for r in range(8)
        ]

    for number in range(4):
        lines(f"r{number}{NAME}.jsonl", run(number))
    judged = [
        {"query_id": hostile(f"q{q}"), "doc_id": hostile(f"d{d}"), "relevance": d % 3}
        for q in range(12)
        for d in range(6)
    ]
    lines(f"qrels{NAME}.jsonl", judged)
    lines(
        f"queries{NAME}.jsonl",
        [
            {
                "query_id": hostile(f"q{q}"),
                "text": hostile("text"),
                hostile("kind"): hostile(f"k{q % 2}"),
            }
            for q in range(12)
        ],
    )
    lines(
        f"titles{NAME}.jsonl",
        [
            {"id": hostile(f"d{d}"), "title": hostile("title"), "text": hostile("t")}
            for d in range(11)
        ],
    )
    for number in range(2):
        lines(
            f"p{number}{NAME}.jsonl",
            [
                {
                    "topic": hostile("t"),
                    "document": hostile(f"d{r + number}"),
                    "offset": 0,
                    "length": 9,
                }
                for r in range(3)
            ],
        )
    return tmp_path


RUNS = [f"r{number}{NAME}.jsonl" for number in range(4)]
QRELS = ["--qrels", f"qrels{NAME}.jsonl"]
QUERIES = ["--queries", f"queries{NAME}.jsonl"]
TITLES = ["--documents", f"titles{NAME}.jsonl"]
QUERY = hostile("q1")
COMMANDS: dict[str, list[list[str]]] = {
    "compare": [
        [*RUNS[:2], *QUERIES, "--by", hostile("kind")],
        [*RUNS[:2], *QRELS, "-m", "nDCG@5", "-m", "RBO", "--fail-above", "nDCG@5=0.0001"],
        [*RUNS[:2], "-o", f"out{NAME}.csv", "--report", f"page{NAME}.html", *TITLES, *QUERIES],
        [*RUNS[:2], "--fail-above", f"segment={hostile('k0')}:nDCG@5=0"],
        [RUNS[0], f"none{NAME}"],
        [RUNS[0], RUNS[1], "-m", hostile("nDCG")],
        [RUNS[0], RUNS[1], hostile("--option")],
        [RUNS[0], RUNS[1], "--order", hostile("x")],
        [RUNS[0], f"bad{NAME}.jsonl"],
        [RUNS[0], f"bad{NAME}.csv"],
    ],
    "expect": [[*RUNS[:2], *QRELS, *QUERIES, "--samples", "100", "--prior", "0.3"]],
    "score": [[*RUNS[:2], *QRELS]],
    "explain": [[*RUNS[:2], QUERY, *QUERIES], [*RUNS[:2], hostile("none")]],
    "documents": [[*RUNS[:2], *TITLES]],
    "judge": [[*RUNS[:2], *QUERIES, *QRELS]],
    "matrix": [[*RUNS, "--top", "3"]],
    "passages": [
        [f"p0{NAME}.jsonl", f"p1{NAME}.jsonl"],
        [f"p0{NAME}.jsonl", f"p1{NAME}.jsonl", "--explain", hostile("t")],
    ],
    "study": [[*RUNS, *QRELS, "-o", f"study{NAME}"]],
    "spark": [[hostile("compare")], ["compare", *RUNS[:2], "--order", hostile("x")]],
    "clusters": [
        [f"titles{NAME}.jsonl", "-o", f"clusters{NAME}.tsv"],
        [f"bad{NAME}.csv", "-o", f"clusters{NAME}.tsv"],
    ],
    "convert": [[RUNS[0], "-o", f"out{NAME}.csv"], [RUNS[0], "-o", f"out{NAME}.run"]],
    "measures": [[hostile("nDCG")]],
    "completion": [[hostile("bash")]],
}


def check(outcome: Outcome) -> None:
    assert "Traceback" not in outcome.err, outcome.err
    for text in (outcome.out, outcome.err):
        found = FORBIDDEN.search(text)
        assert found is None, (found, text)
    assert outcome.code in (0, 1, 2)


def test_every_command_is_here() -> None:
    from medir.cli import COMMANDS as ALL

    assert set(COMMANDS) == set(ALL)


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_no_character_acts_on_a_terminal(command: str, folder: Path) -> None:
    row = {"query_id": hostile("q"), "doc_id": hostile("d"), "score": "high"}
    (folder / f"bad{NAME}.jsonl").write_text(json.dumps(row, ensure_ascii=False))
    (folder / f"bad{NAME}.csv").write_text(f"query_id,doc_id,score\nq,{MARKS}\x9b31m,\x1b[31m\n")
    if command == "study":
        pytest.importorskip("matplotlib")
    for arguments in COMMANDS[command]:
        outcome = medir(command, *arguments, cwd=folder)
        check(outcome)
        if arguments is COMMANDS[command][0] and command not in ("measures", "completion", "spark"):
            assert outcome.code == 0, outcome.err


def test_a_command_that_is_none() -> None:
    check(medir(hostile("none")))
    check(medir(hostile("--none")))


@pytest.mark.posix
def test_files_have_ids_as_they_are(folder: Path) -> None:
    outcome = medir("compare", *RUNS[:2], "-o", "out.csv", cwd=folder)
    assert outcome.code == 0
    assert hostile("q3") in (folder / "out.csv").read_bytes().decode()
    outcome = medir("compare", *RUNS[:2], "--format", "jsonl", cwd=folder)
    assert json.loads(outcome.out.split("\n")[0])["query_id"] == hostile("q0")


ROWS = {
    "compare": [*RUNS[:2], *QUERIES, "--format", "csv"],
    "compare large": ["0.parquet", "1.parquet", "--memory", "1G", "--format", "csv"],
    "convert": [RUNS[0], "-o", "-", "--to", "jsonl"],
    "clusters": [f"titles{NAME}.jsonl", "-o", "-", "--format", "tsv"],
    "documents": [*RUNS[:2], *TITLES, "--format", "jsonl"],
    "expect": [*RUNS[:2], "--samples", "100", "--prior", "0.3", "--format", "tsv"],
    "judge": [*RUNS[:2], "--format", "jsonl", *TITLES],
    "matrix": [*RUNS, "-o", "-", "--per-query"],
    "passages": [f"p0{NAME}.jsonl", f"p1{NAME}.jsonl", "--format", "jsonl"],
    "score": [*RUNS[:2], *QRELS, "-o", "-", "--format", "csv"],
}


def on_a_terminal(*words: str, cwd: Path, env: dict[str, str] | None = None) -> bytes:
    """What a command writes to a terminal as standard output."""
    pty = pytest.importorskip("pty")
    master, terminal = pty.openpty()
    written = b""
    with subprocess.Popen(
        [str(MEDIR), *words],
        stdin=subprocess.DEVNULL,
        stdout=terminal,
        stderr=subprocess.PIPE,
        env=environment(env),
        cwd=cwd,
    ) as process:
        os.close(terminal)
        try:
            while piece := os.read(master, 1 << 16):
                written += piece
        except OSError:  # nobody has it open any more
            pass
        os.close(master)
    assert process.returncode == 0
    return written.replace(b"\r\n", b"\n")  # which the terminal made of line feeds


@pytest.mark.posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
def test_rows_on_a_terminal(name: str, folder: Path) -> None:
    """As lines: escapes there; through a pipe, every byte as in a file."""
    if name == "compare large":
        pytest.importorskip("pyarrow")
        for number in range(2):
            medir("convert", RUNS[number], "-o", f"{number}.parquet", cwd=folder)
    words = (name.split(maxsplit=1)[0], *ROWS[name])
    piped = subprocess.run(
        [str(MEDIR), *words], check=True, capture_output=True, env=environment(), cwd=folder
    ).stdout.decode()
    assert FORBIDDEN.search(piped) is not None
    written = on_a_terminal(*words, cwd=folder).decode()
    assert FORBIDDEN.search(written) is None
    assert written == visible_lines(piped)


@pytest.mark.posix
@pytest.mark.slow
def test_rows_on_a_terminal_of_another_encoding(tmp_path: Path) -> None:
    """A byte that controls the terminal may be a part of a letter in UTF-8."""
    (tmp_path / "a.run").write_text("qÛ Q0 東京 1 3 t\n", encoding="utf-8")
    env = {"PYTHONIOENCODING": "latin-1"}
    written = on_a_terminal("convert", "a.run", "-o", "-", cwd=tmp_path, env=env)
    assert written == b"q\xdb Q0 \\u6771\\u4eac 1 3 medir\n"


def test_rows_that_are_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also within a character, and where bytes are no text."""

    class Terminal(TextIOWrapper):
        def isatty(self) -> bool:
            return True

    rows = f"größer,東京,{HOSTILE},".encode() + b"\xff\xe6\x9d,\x9b31m\n"
    expected = visible_lines(rows.decode("utf-8", "surrogateescape"))
    for size in (1, 2, 3, 5, 1000):
        buffer = BytesIO()
        monkeypatch.setattr("sys.stdout", Terminal(buffer, encoding="utf-8"))
        stream = standard_output()
        for start in range(0, len(rows), size):
            piece = memoryview(rows)[start : start + size]
            assert stream.write(piece) == len(piece)
        assert buffer.getvalue().decode() == expected


def test_only_one_module_prints() -> None:
    """What is printed for people goes through `echo` or through the tables, which escape it."""
    folder = ROOT / "src" / "medir" / "cli"
    printing = [
        path.name
        for path in folder.rglob("*.py")
        if re.search(
            r"click\.echo\(|(?<![\w.])print\(|sys\.std(out|err)\.(write|buffer)", path.read_text()
        )
    ]
    assert sorted(printing) == ["completion.py", "echo.py"]


def test_what_is_escaped() -> None:
    assert visible("plain, größer, 東京, עברית") == "plain, größer, 東京, עברית"
    assert visible("a\u00a0b\u200db") == "a\u00a0b\u200db"  # blanks, and what joins letters
    for character in [*CONTROLS, *MARKS, "\0", "\n", "\udce9"]:
        assert visible(character).isascii()
        assert visible(character).isprintable()
    error = InputError(f"query '{HOSTILE}' is bad", f"a{NAME}", 3, HOSTILE, "Fix it.")
    assert not FORBIDDEN.search(str(error).replace("\t", ""))
    assert len(str(error).splitlines()) == 3


def test_long_texts_are_shortened() -> None:
    long = "x" * 10_000_000
    started = time.process_time()
    assert abbreviated(f"query '{long}' is bad") == f"query '{'x' * 100} ...' is bad"
    assert len(abbreviated(long)) < 1010
    sentence = f"Pearson's r is 0.5 {'and so on ' * 20}; without one run Pearson's r is 0.1."
    assert abbreviated(sentence) == sentence
    assert len(str(InputError(f"document {long!r} appears twice", "a.run", 1, long))) < 400
    assert time.process_time() - started < 2


@pytest.mark.slow
def test_an_id_of_ten_megabytes(tmp_path: Path) -> None:
    """Commands take about as long as reading it: it is neither laid out nor printed whole."""
    long = "x" * 10_000_000
    for name, order in (("before.run", "ab"), ("after.run", "ba")):
        lines = [f"{long} Q0 {long}{d} {r} {9 - r} t\n" for r, d in enumerate(order)]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "qrels").write_text(f"{long} 0 {long}a 1\n")
    (tmp_path / "bad.run").write_text(f"{long} Q0 a 1 2 t\n{long} Q0 a 2 1 t\n")
    for command in (
        ["compare", "before.run", "after.run"],
        ["explain", "before.run", "after.run", "none"],
        ["score", "before.run", "--qrels", "qrels"],
        ["judge", "before.run", "after.run"],
        ["documents", "before.run", "after.run"],
        ["compare", "before.run", "bad.run"],
    ):
        started = time.monotonic()
        outcome = medir_process(*command, cwd=tmp_path)
        assert time.monotonic() - started < 20, command
        assert len(outcome.out) + len(outcome.err) < 10_000
        assert outcome.code == (2 if {"bad.run", "none"} & {*command} else 0), outcome.err
