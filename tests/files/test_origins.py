"""The SHA-256 of inputs, against `sha256sum` of what was given."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import medir
from medir.errors import InputError
from medir.files.opening import content_of
from medir.files.origins import Fingerprint, Input, fingerprints
from medir.inputs.lengths import Lengths
from medir.inputs.passages import Passages

TEXT = b"".join(b"q%d Q0 d%d 1 0.5 tag\n" % (i % 7, i) for i in range(50_000))
CONTENTS = {"plain": TEXT, "empty": b"", "packed": gzip.compress(TEXT), "two": bz2.compress(b"q")}


def sha256sum(content: bytes) -> str:
    done = subprocess.run(["sha256sum"], input=content, capture_output=True, check=True)
    return done.stdout.split()[0].decode()


@pytest.fixture(params=CONTENTS)
def content(request: pytest.FixtureRequest) -> bytes:
    return CONTENTS[request.param]


def test_a_file_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "some.run"
    path.write_bytes(content)
    found = content_of(str(path)).origin.fingerprint()
    assert found == (sha256sum(content), len(content))


def test_standard_input(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    found = content_of("-").origin.fingerprint()
    assert found == (sha256sum(content), len(content))


@pytest.mark.posix
def test_a_pipe(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    thread = threading.Thread(target=path.write_bytes, args=[content])
    thread.start()
    found = content_of(str(path)).origin.fingerprint()
    thread.join()
    assert found == (sha256sum(content), len(content))


def test_a_relative_path_is_found_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.run").write_bytes(TEXT)
    monkeypatch.chdir(tmp_path)
    origin = content_of("a.run").origin
    monkeypatch.chdir("/")
    assert origin.fingerprint().sha256 == sha256sum(TEXT)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_bytes(b"other"), "was changed after it had been read"),
        (lambda path: os.utime(path, ns=(0, 0)), "was changed after it had been read"),
        (lambda path: path.unlink(), "cannot be read again for its SHA-256: No such file"),
    ],
)
def test_a_file_that_changes(spoil: Callable[[Path], object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXT)
    origin = content_of(str(path)).origin
    spoil(path)
    with pytest.raises(InputError, match=f"a.run: {message}"):
        origin.fingerprint()


def test_every_kind_of_input_has_an_origin(tmp_path: Path) -> None:
    texts = {
        "a.run": b"q1 Q0 d1 1 2.5 tag\n",
        "b.qrels": b"q1 0 d1 1\n",
        "c.lengths": b"d1 120\n",
        "d.tsv": b"query_id\ttext\nq1\tjaguar\n",
        "e.jsonl": b'{"query_id": "q1", "text": "jaguar"}\n',
        "f.passages": b"q1 d1 1 2.5 0 80 tag\n",
        "g.jsonl": b'{"topic": "q1", "document": "d1", "offset": 0, "length": 80}\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    paths = [tmp_path / name for name in texts]
    read: list[Callable[[Path], Input]] = [
        medir.Run.of, medir.Qrels.of, Lengths.of, medir.Queries.of, medir.Queries.of, Passages.of,
        Passages.of,
    ]  # fmt: skip
    inputs = [function(path) for function, path in zip(read, paths, strict=True)]
    expected = [Fingerprint(sha256sum(text), len(text)) for text in texts.values()]
    assert fingerprints(inputs) == expected
    assert fingerprints([medir.Run.read(paths[0]), Passages.read(paths[5])]) == [
        expected[0],
        expected[5],
    ]


def test_data_in_memory_has_none(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXT)
    inputs: list[Input] = [
        medir.Run.of({"q": ["d"]}),
        medir.Run.of(path),
        medir.Qrels.of({"q": {"d": 1}}),
        Lengths.of({"d": 3}),
        medir.Queries.of({"q": "text"}),
        Passages.of({"q": [("d", 0, 3)]}),
    ]
    assert fingerprints(inputs) == [None, (sha256sum(TEXT), len(TEXT)), None, None, None, None]
