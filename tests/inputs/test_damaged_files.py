"""Binary files with bytes that were changed: an error about the file, or what is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir.errors import InputError

pa = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")

# In a process of its own, which a read outside of the file would end.
READ_CHANGED = """
import sys
from pathlib import Path
import numpy as np
import medir
from medir.errors import InputError

path, rounds = Path(sys.argv[1]), int(sys.argv[2])
read = {"queries": medir.Queries.of, "qrels": medir.Qrels.of}.get(path.stem, medir.Run.of)
whole = path.read_bytes()
random = np.random.default_rng(len(whole))
refused = 0
for _ in range(rounds):
    changed = bytearray(whole)
    for place in random.integers(len(whole), size=random.integers(1, 4)):
        changed[place] = random.integers(256)
    if random.random() < 0.1:
        del changed[random.integers(1, len(whole)) :]
    path.write_bytes(changed)
    try:
        source = read(str(path))
        if path.stem != "queries":
            for query in source:
                source[query]
    except InputError as error:
        assert str(path) in str(error), error
        refused += 1
print(refused)
"""


def table() -> Any:
    """Both ids as text, in the order of a run, with grades and scores."""
    count = 40
    return pa.table(
        {
            "query_id": [f"q{number // 8}" for number in range(count)],
            "doc_id": [f"document-{number % 8}" for number in range(count)],
            "score": [float(count - number) for number in range(count)],
            "relevance": [number % 3 for number in range(count)],
        }
    )


def write_arrow(path: Path, made: Any, file: bool) -> None:
    """As a file or a stream of Arrow."""
    write = pa.ipc.new_file if file else pa.ipc.new_stream
    with write(path, made.schema) as writer:
        writer.write_table(made, max_chunksize=16)


def wrong_offsets(whole: bytes, offset: int) -> bytes:
    """The offsets of the documents' texts, of which the last points elsewhere."""
    size = len("document-0")
    known = np.arange(9, dtype="<i4") * size
    assert whole.count(known.tobytes()) == 1
    wrong = known.copy()
    wrong[-1] = offset
    return whole.replace(known.tobytes(), wrong.tobytes())


@pytest.mark.parametrize("offset", [-1, 300, 100_000, 10**9])
@pytest.mark.parametrize("file", [True, False], ids=["file", "stream"])
def test_texts_of_arrow_that_end_outside_of_the_file(
    tmp_path: Path, file: bool, offset: int
) -> None:
    path = tmp_path / "run.arrow"
    write_arrow(path, table().slice(0, 8), file)
    path.write_bytes(wrong_offsets(path.read_bytes(), offset))
    for read in (medir.Run.of, medir.Qrels.of):
        with pytest.raises(InputError, match="cannot be read as Arrow"):
            read(path)
    with pytest.raises(InputError, match="cannot be read as Arrow"):
        medir.compare_large(path, path, "P@5")


@pytest.mark.parametrize(
    "name", ["run.arrow", "qrels.arrow", "stream.arrow", "run.npy", "run.npz", "queries.parquet"]
)
def test_changed_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    neighbours = np.arange(60).reshape(6, 10)
    if path.suffix == ".arrow":
        write_arrow(path, table(), file=path.stem != "stream")
    elif path.suffix == ".parquet":
        pa.parquet.write_table(table().select(["query_id"]).slice(0, 1), path)
    elif path.suffix == ".npz":
        np.savez(path, neighbours=neighbours)
    else:
        np.save(path, neighbours)
    done = subprocess.run(
        [sys.executable, "-c", READ_CHANGED, path, "400"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert 0 < int(done.stdout) < 400
