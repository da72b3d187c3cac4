"""Nobody can choose ids that meet in a table; and no output depends on the seed for that."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from medir import _core
from tests.shell import ROOT, good, medir_process, python

COUNT = 100_000
WORD = (1 << 64) - 1


def fold(a: int, b: int) -> int:
    """Both halves of a product, one upon the other."""
    return (a * b & WORD) ^ (a * b >> 64)


def hash_without_seed(name: bytes) -> int:
    """What ids were looked up by before there was a seed."""
    factor, last_factor = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
    state = factor ^ len(name)
    *words, last = (name[i : i + 8] for i in range(0, len(name), 8))
    for word in words:
        state = fold(state ^ int.from_bytes(word, "little"), factor)
    state = fold(state ^ int.from_bytes(last, "little"), last_factor)
    return (state ^ state >> 32) & 0xFFFFFFFF


def crafted() -> Iterator[bytes]:
    """Ids of two words, of which the second undoes what the first did to that hash."""
    factor, rest = 0x9E3779B97F4A7C15, int.from_bytes(b"the same", "little")
    numbers = random.Random(1)
    while True:
        first = bytes(numbers.choices(range(0x21, 0x7F), k=8))
        second = rest ^ fold(factor ^ 16 ^ int.from_bytes(first, "little"), factor)
        if min(second.to_bytes(8, "little")) > 0x20:
            yield first + second.to_bytes(8, "little")


def probes(hashes: list[int]) -> int:
    """How many places are looked at until each has its own, in a table that is twice as long."""
    mask = (1 << (2 * len(hashes) - 1).bit_length()) - 1
    taken: set[int] = set()
    looks = 0
    for one in hashes:
        place = one & mask
        looks += 1
        while place in taken:
            place, looks = (place + 1) & mask, looks + 1
        taken.add(place)
    return looks


def test_crafted_ids_do_not_meet() -> None:
    """All have one hash without a seed; with it, they take as few looks as any."""
    names = list(islice(crafted(), COUNT))
    assert len({hash_without_seed(name) for name in names[:1000]}) == 1
    assert probes([hash_without_seed(name) for name in names[:1000]]) == 1000 * 1001 / 2
    assert probes([_core.hash_id(name) for name in names]) < 2 * COUNT


@pytest.mark.parametrize("prefix", ["", "0000000", "clueweb09-en0000-00-0"])
def test_ordinary_ids_do_not_meet(prefix: str) -> None:
    names = [f"{prefix}{number}".encode() for number in range(COUNT)]
    assert probes([_core.hash_id(name) for name in names]) < 2 * COUNT


def test_every_process_has_its_own_seed() -> None:
    code = "from medir import _core; print(_core.hash_id(b'document'))"
    assert len({good(python(code)) for _ in range(3)}) == 3


DIGESTS = """
import medir
run = medir.Run.of("examples/before.run")
qrels = medir.Qrels.of("examples/qrels.txt")
numbers = medir.Run.of({"q": {1: 2.0, -7: 1.0}})
passages = medir.Passages.of({"q": [("a", 0, 9), ("b", 3, 4)]})
lengths = medir.Lengths.of({"a": 3, "b": 4})
clusters = medir.Clusters.of({"a": 1, "b": 1, "c": 2})
print(*(one.digest(1) for one in (run, qrels, numbers, passages)), lengths.digest, clusters.digest)
"""


def test_digests_outlive_the_process() -> None:
    """They say to a checkpoint whether it is of the same inputs."""
    first = good(python(DIGESTS, cwd=ROOT))
    assert first == good(python(DIGESTS, cwd=ROOT))
    assert len(set(first.split())) == 6


BEFORE, AFTER = "examples/before.run", "examples/after.run"


@pytest.mark.parametrize(
    "command",
    [
        f"compare {BEFORE} {AFTER} -m nDCG@10 -m ERR -m RBO",
        f"compare {BEFORE} {AFTER} -m nDCG@10 --qrels examples/qrels.txt",
        f"documents {BEFORE} {AFTER} -m nDCG@10",
        f"expect {BEFORE} {AFTER} -m ERR@10 --samples 100 --prior 0.3",
        f"judge {BEFORE} {AFTER} -m ERR@10",
        f"matrix {BEFORE} {AFTER} -m nDCG@10",
        "passages examples/passages/before.txt examples/passages/after.txt",
    ],
    ids=lambda command: command.split()[0],
)
def test_no_output_depends_on_the_seed(command: str, tmp_path: Path) -> None:
    outputs = []
    for process in "ab":
        path = tmp_path / f"{process}.csv"
        outcome = medir_process(*command.split(), "-o", path, cwd=ROOT)
        assert outcome.code == 0, outcome.err
        outputs.append((path.read_bytes(), outcome.out.replace(str(path), "FILE")))
    assert outputs[0] == outputs[1]
