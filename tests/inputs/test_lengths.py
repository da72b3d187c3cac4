"""Lengths of documents: files, mappings, and what is wrong with them."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, Lengths

FINE = "# document words\na 300\n\nb\t1250.5\r\n  c   0\na 300\n"


def test_a_file(tmp_path: Path) -> None:
    """Blanks or a tab, comments, empty lines, a repeated line that says the same."""
    path = tmp_path / "words.txt"
    path.write_text(FINE, newline="")
    lengths = Lengths.read(path)
    assert len(lengths) == 3
    assert (lengths["a"], lengths["b"], lengths["c"]) == (300, 1250.5, 0)
    with pytest.raises(KeyError):
        lengths["d"]
    assert repr(lengths) == f"<Lengths {path}: 3 documents>"
    assert Lengths.of(lengths) is lengths


def test_without_a_last_newline_and_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_bytes(b"\xef\xbb\xbfa 7")
    assert Lengths.of(path)["a"] == 7


def test_a_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "words.gz"
    path.write_bytes(gzip.compress(FINE.encode()))
    assert Lengths.of(str(path))["b"] == 1250.5


def test_a_mapping() -> None:
    lengths = Lengths.of({"a": 300, 7: 12.5, "ü b": 1}, default=40)
    assert (lengths["a"], lengths["7"], lengths["ü b"], lengths["z"]) == (300, 12.5, 1, 40)


def test_many_documents(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("".join(f"doc{i} {i}\n" for i in range(20_000)))
    lengths = Lengths.of(path)
    assert len(lengths) == 20_000
    assert all(lengths[f"doc{i}"] == i for i in range(20_000))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a 1\nb\n", 2, "expected 2 columns"),
        ("a 1\nb 2 3\n", 2, "expected 2 columns"),
        ("a 1\nb many\n", 2, "the length 'many' is not a number of words"),
        ("a -1\n", 1, "the length '-1' is not a number of words"),
        ("a nan\n", 1, "the length 'nan' is not a number of words"),
        ("a inf\n", 1, "the length 'inf' is not a number of words"),
        ("a 1e999\n", 1, "the length '1e999' is not a number of words"),
        ("a 1,5\n", 1, "the length '1,5' is not a number of words"),
        ("a 1\n# b\nb 2\na 3\n", 4, "document 'a' has two lengths; the other is in line 1"),
        ("", None, "is empty"),
        ("# nothing\n\n", None, "holds only comments"),
        ("a\0b 1\n", 1, "expected 2 columns"),
    ],
)
def test_what_is_wrong_with_a_file(
    tmp_path: Path, text: str, line: int | None, message: str
) -> None:
    path = tmp_path / "words.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        Lengths.read(path)
    assert caught.value.source == str(path)
    assert (caught.value.line or None) == line


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"a": -1}, "lengths, document 'a': the length -1 is not a number of words"),
        ({"a": "7"}, "the length '7' is not a number"),
        ({"a": float("nan")}, "the length nan is not a number"),
        ({"a": True}, "the length True is not a number"),
        ({1: 5, "1": 5}, "two documents have the id '1'"),
        ({None: 5}, "a document id is text or a whole number"),
        ([("a", 5)], "cannot use an object of type list as lengths"),
    ],
)
def test_what_is_wrong_with_a_mapping(source: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Lengths.of(source)


@pytest.mark.parametrize("default", [-1, float("inf"), "many"])
def test_defaults_that_are_no_length(default: Any) -> None:
    with pytest.raises(InputError, match="is not a number of words"):
        Lengths.of({"a": 1}, default=default)


def test_a_document_without_length() -> None:
    with pytest.raises(InputError, match="no length of document 'b'") as caught:
        medir.med(["a"], ["b"], "TBG", lengths={"a": 1})
    assert "--default-length N" in caught.value.remedy
    runs: dict[str, Any] = {"x": {"q": ["a"]}, "y": {"q": ["b"]}}
    with pytest.raises(InputError, match="no length of document 'b'"):
        medir.matrix(runs, "TBG", lengths={"a": 1})


def test_only_documents_that_are_looked_at_need_a_length() -> None:
    """Not those below the cutoff or the depth, and not those that are only judged."""
    before, after, words = {"q": ["a", "b"]}, {"q": ["b", "c"]}, {"a": 1, "b": 2}
    assert medir.compare(before, after, "TBG@1", lengths=words).row(0).gap == 0
    assert medir.compare(before, after, "TBG", lengths=words, depth=1).row(0).gap == 0
    qrels = {"q": {"z": 1}}
    both = {"q": ["a"]}, {"q": ["b"]}
    assert medir.compare(*both, "TBG", lengths=words, qrels=qrels).row(0).lower >= 0


def test_a_default_length_is_counted() -> None:
    before, after = {"q": ["a", "b"], "p": ["c"]}, {"q": ["b", "c"], "p": ["c"]}
    named = {"a": 1, "b": 2, "c": 500}
    some = Lengths.of({"a": 1, "b": 2}, default=500)
    result = medir.compare(before, after, "TBG", lengths=some)
    assert result.without_length == 2
    whole = medir.compare(before, after, "TBG", lengths=named)
    assert whole.without_length == 0
    assert result.values.tolist() == whole.values.tolist()
    runs: dict[str, Any] = {"x": before, "y": after}
    matrices = [medir.matrix(runs, "TBG", lengths=words) for words in (some, named)]
    assert matrices[0].values.tolist() == matrices[1].values.tolist()
