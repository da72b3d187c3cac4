"""Titles of documents: files that are packed, JSON lines, and lines that are wrong."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from medir.errors import InputError
from medir.inputs.texts import titles_of


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["", "gz", "bz2", "xz"]
)
def test_packed_texts(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "titles"
    path.write_bytes(pack(b"\xef\xbb\xbfd1\tone\r\n\n# a comment\nd2\ttwo\tmore\nd1\tagain\n"))
    assert titles_of(path, {"d1", "d2", "d3"}) == {"d1": "one", "d2": "two"}


def test_zstd_texts(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / "titles.tsv.zst"
    path.write_bytes(zstandard.compress(b"d1\tone\nd2\ttwo\n"))
    assert titles_of(path, {"d2"}) == {"d2": "two"}


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ({"id": "d1", "title": "one"}, "one"),
        ({"_id": "d1", "title": "", "text": "one"}, "one"),
        ({"document_id": "d1", "text": "one"}, "one"),
        ({"docno": "d1", "name": " one \n two "}, "one two"),
        ({"docid": "d1", "title": "x" * 500}, "x" * 159 + "…"),
    ],
)
def test_json_lines(record: dict[str, Any], text: str, tmp_path: Path) -> None:
    path = tmp_path / "titles.jsonl"
    path.write_text(json.dumps({"id": 7, "title": "other"}) + "\n" + json.dumps(record) + "\n")
    assert titles_of(path, {"d1", "7"}) == {"d1": text, "7": "other"}


def test_reading_ends_when_all_is_found(tmp_path: Path) -> None:
    path = tmp_path / "titles.tsv"
    path.write_text("d1\tone\nno tab here\n")
    assert titles_of(path, {"d1"}) == {"d1": "one"}
    assert titles_of(path, set()) == {}


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("titles.tsv", "d1\tone\nd2 two\n", "line 2: expected a document id, a tab and a title"),
        ("titles.jsonl", '{"id": "d1", "text": "a"}\n{oops\n', "line 2: not a JSON object"),
        ("titles.jsonl", "[1]\n", "line 1: not a JSON object"),
        ("titles.jsonl", '{"text": "a"}\n', "line 1: a document without an id"),
        ("titles.jsonl", '{"id": "d1"}\n', "line 1: a document without a title"),
    ],
)
def test_bad_titles(name: str, content: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as caught:
        titles_of(path, {"d9"})
    assert problem in str(caught.value)
    assert caught.value.text == content.splitlines()[-1]
    assert caught.value.remedy
