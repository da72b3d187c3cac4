"""Where TREC text comes from: archives, pipes, standard input; queries in any order."""

from __future__ import annotations

import bz2
import gzip
import itertools
import lzma
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import medir
from medir.comparing.columns import CHANGES, COLUMNS, VALUE
from tests.cases.trec import TWO, large, lines_of, plain_run, read_qrels, read_run, save, text
from tests.shell import medir as shell
from tests.shell import python


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return compressed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd,
}


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("name", ["a.run.{}", "a.run", "a.zip", "a"])
def test_compressed_whatever_the_name(kind: str, name: str, tmp_path: Path) -> None:
    path = save(tmp_path / name.format(kind), PACKERS[kind](TWO))
    assert read_run(path) == plain_run(TWO)
    judged = save(tmp_path / ("q" + name.format(kind)), PACKERS[kind](b"q 0 a 1"))
    assert read_qrels(judged) == {b"q": {b"a": 1}}


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.zst"])
def test_plain_text_whatever_the_name(name: str, tmp_path: Path) -> None:
    assert read_run(save(tmp_path / name, TWO)) == plain_run(TWO)


@pytest.mark.parametrize("kind", PACKERS)
def test_archives_of_several_parts(kind: str, tmp_path: Path) -> None:
    """As `cat a.gz b.gz` and parallel compressors make them; lines may span the parts."""
    data = TWO * 50
    parts = [data[:7], data[7:500], b"", data[500:]]
    path = save(tmp_path / "a.run", b"".join(map(PACKERS[kind], parts)))
    assert read_run(path) == plain_run(data)


@pytest.mark.slow
def test_a_large_archive_without_a_stated_size(tmp_path: Path) -> None:
    """A stream does not know how much is to come."""
    compressor = pytest.importorskip("zstandard").ZstdCompressor().compressobj()
    data = large("grouped")
    packed = compressor.compress(data) + compressor.flush()
    assert read_run(save(tmp_path / "a.run.zst", packed)) == plain_run(data)


@pytest.mark.posix
@pytest.mark.parametrize("packer", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
def test_a_named_pipe(packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(packer(TWO),), daemon=True)
    writer.start()
    assert read_run(path) == plain_run(TWO)
    writer.join()


@pytest.mark.parametrize("packer", [bytes, *PACKERS.values()], ids=["plain", *PACKERS])
def test_standard_input(packer: Callable[[bytes], bytes]) -> None:
    code = "import medir; run = medir.Run.read('-'); print(run.name, run.queries, run['q1'])"
    outcome = python(code, stdin=packer(TWO))
    assert outcome == (0, "standard input ['q1', 'q2'] ['b', 'a']\n", "")


def test_standard_input_in_the_shell(tmp_path: Path) -> None:
    other = save(tmp_path / "b.run", b"q2 Q0 c 1 1 tag\nq1 Q0 a 1 9 tag\nq1 Q0 x 2 7 tag\n")
    same_file = save(tmp_path / "a.run", TWO)
    options = ["-m", "P@2", "--format", "csv"]
    header = ",".join(["query_id", "measure", *COLUMNS, VALUE, *CHANGES])
    expected = f"{header}\nq1,P@2,0.5,0.5,0.5,"
    for before, after in [("-", str(other)), (str(other), "-")]:
        outcome = shell("compare", before, after, *options, stdin=TWO)
        assert (outcome.code, outcome.err) == (0, "")
        files = [same_file if path == "-" else path for path in (before, after)]
        assert outcome.out == shell("compare", *files, *options).out
    assert shell("compare", "-", other, *options, stdin=TWO).out.startswith(expected)


def test_a_file_name_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"r\xe9sultats.run")
    try:
        path.touch()
    except OSError:
        pytest.skip("file names are UTF-8 here")
    assert read_run(save(path, TWO)) == plain_run(TWO)


# Two files with their queries in different orders.


@pytest.mark.parametrize("threads", [1, 4])
def test_queries_in_another_order_in_each_file(threads: int, tmp_path: Path) -> None:
    """P@10 of lists of 10: med counts the results that only one list has, of 10."""
    chance = random.Random(3)
    queries = [str(n) for n in range(3000)]
    lists = {
        side: {query: chance.sample(range(15), 10) for query in queries} for side in ("a", "b")
    }
    for side, layout in itertools.product("ab", ("grouped", "scattered")):
        rows = [
            f"{query} Q0 d{document} {rank} {-rank} t\n"
            for query in chance.sample(queries, len(queries))
            for rank, document in enumerate(lists[side][query])
        ]
        if layout == "scattered":
            chance.shuffle(rows)
        save(tmp_path / f"{side}-{layout}.run", "".join(rows).encode())
    expected = {q: len(set(lists["a"][q]) - set(lists["b"][q])) / 10 for q in queries}
    for before, after in itertools.product(("grouped", "scattered"), repeat=2):
        files = (tmp_path / f"a-{before}.run", tmp_path / f"b-{after}.run")
        result = medir.compare(*files, "P@10", threads=threads)
        assert (result.only_before, result.only_after) == (0, 0)
        found = dict(zip(result.queries, result.column("P@10").tolist(), strict=True))
        assert found == pytest.approx(expected)
        assert result.queries == list(plain_run_queries(files[0]))


def plain_run_queries(path: Path) -> dict[str, None]:
    """The query ids of a file in the order in which they first appear."""
    return dict.fromkeys(text(row[0]) for row in lines_of(path.read_bytes()))
