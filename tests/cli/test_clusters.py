"""`--clusters` in every command, and `medir clusters`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import medir
from medir.errors import MissingExtraError
from medir.inputs.clusters.copies import find_clusters
from tests.cases.runs import write_qrels, write_run
from tests.shell import good
from tests.shell import medir as shell


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs that differ in copies alone, judgments that disagree, and clusters."""
    monkeypatch.chdir(tmp_path)
    before = {"q1": ["a", "b", "c"], "q2": ["c", "a", "B"]}
    after = {"q1": ["A", "b", "B"], "q2": ["c", "A", "b"]}
    write_run(tmp_path / "before.run", before)
    write_run(tmp_path / "after.run", after)
    write_qrels(tmp_path / "qrels.txt", {"q1": {"a": 0, "A": 1, "c": 1}, "q2": {"b": 1}})
    (tmp_path / "clusters.tsv").write_text("a\t1\nA\t1\nb\t2\nB\t2\n")
    (tmp_path / "words.txt").write_text("a 10\nA 20\nb 30\nB 30\nc 40\n")
    return tmp_path


CLUSTERS = ("--clusters", "clusters.tsv")
DISAGREE = "medir: 1 cluster has documents with different grades: the highest counts\n"


@pytest.mark.usefixtures("files")
def test_compare() -> None:
    out = good(shell("compare", "before.run", "after.run", "-m", "nDCG@3", *CLUSTERS))
    assert out.startswith("1 of 2 queries changed.")
    rows = shell(
        "compare", "before.run", "after.run", "-m", "P@3", *CLUSTERS, "--format", "jsonl"
    ).out
    first, second = map(json.loads, rows.splitlines())
    assert (first["loss"], first["gain"]) == (pytest.approx(1 / 3), 0)
    assert (first["entered"], first["left"], first["moved"]) == (0, 1, 0)
    assert (second["med"], second["entered"], second["left"], second["moved"]) == (0, 0, 0, 0)


@pytest.mark.usefixtures("files")
def test_disagreements_are_told() -> None:
    done = shell("compare", "before.run", "after.run", "--qrels", "qrels.txt", *CLUSTERS)
    assert (done.code, done.err) == (0, DISAGREE)
    timed = "-m", "TBG", "--lengths", "words.txt"
    done = shell("compare", "before.run", "after.run", *timed, *CLUSTERS)
    assert done.err == "medir: 1 cluster has documents of different lengths: the longest counts\n"


COMMANDS: dict[str, tuple[str, ...]] = {
    "compare": ("before.run", "after.run"),
    "explain": ("before.run", "after.run", "q1"),
    "judge": ("before.run", "after.run"),
    "expect": ("before.run", "after.run", "--prior", "0.5", "-m", "nDCG@3"),
    "matrix": ("before.run", "after.run"),
    "score": ("before.run", "after.run"),
    "documents": ("before.run", "after.run"),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.usefixtures("files")
def test_every_command_takes_clusters(command: str) -> None:
    judged = ("--qrels", "qrels.txt") if command != "documents" else ()
    plain = shell(command, *COMMANDS[command], *judged)
    merged = shell(command, *COMMANDS[command], *judged, *CLUSTERS)
    assert (plain.code, merged.code) == (0, 0), merged.err
    assert merged.err == (plain.err + DISAGREE if judged else plain.err)
    assert merged.out != plain.out
    assert "--clusters FILE" in shell(command, "--help").out


@pytest.mark.usefixtures("files")
def test_explain_says_what_repeats() -> None:
    out = good(shell("explain", "before.run", "after.run", "q1", "-m", "P@3", *CLUSTERS))
    assert "a (after: A)" in out
    assert "B (repeats b)" in out
    assert "A document that repeats the content of one above it is worth nothing." in out


@pytest.mark.usefixtures("files")
def test_passages_refuse_them() -> None:
    for words in (
        ("passages", "before.run", "after.run"),
        ("matrix", "--passages", "before.run", "after.run"),
    ):
        done = shell(*words, *CLUSTERS)
        assert done.code == 2
        assert "--clusters" in done.err
        assert "passages" in done.err


@pytest.mark.usefixtures("files")
def test_no_output_is_an_input() -> None:
    done = shell("compare", "before.run", "after.run", *CLUSTERS, "-o", "clusters.tsv")
    assert done.code == 2
    assert "clusters.tsv" in done.err


# `medir clusters`.

TEXTS = {
    "a": "The quick brown fox jumps over the lazy dog.",
    "b": "the quick  brown fox jumps over the LAZY dog",
    "c": "Something else altogether.",
    "d": "something ELSE, altogether",
    "e": "The quick brown fox jumps over the lazy dog",
    "f": "Nothing like it",
    "g": "...",
    "h": "---",
}


def test_copies_by_their_words(tmp_path: Path) -> None:
    (tmp_path / "documents.tsv").write_text("".join(f"{d}\t{text}\n" for d, text in TEXTS.items()))
    target = tmp_path / "clusters.tsv"
    out = good(shell("clusters", tmp_path / "documents.tsv", "-o", target))
    assert out.splitlines() == [
        "3 of 8 documents repeat another: 2 clusters, the largest of 3 documents.",
        "The largest cluster has 3 documents: a, b, e",
        "2 documents have no words and are in no cluster",
        "",
        f"5 rows written to {target}",
    ]
    assert target.read_text() == "doc_id\tcluster\na\ta\nb\ta\ne\ta\nc\tc\nd\tc\n"
    found = medir.Clusters.read(target)
    assert [found.key(d) for d in TEXTS] == ["a", "a", "c", "c", "a", "f", "g", "h"]


def test_the_text_counts_where_there_is_one(tmp_path: Path) -> None:
    path = tmp_path / "documents.jsonl"
    rows: list[dict[str, Any]] = [
        {"id": "a", "title": "one", "text": "the same text"},
        {"id": "b", "title": "two", "text": "The same text."},
        {"id": 3, "title": "one"},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert list(find_clusters(path)) == [("a", "a"), ("b", "a")]


def test_nothing_repeats(tmp_path: Path) -> None:
    (tmp_path / "documents.tsv").write_text("a\tone\nb\ttwo\n")
    target = tmp_path / "clusters.csv"
    out = good(shell("clusters", tmp_path / "documents.tsv", "-o", target))
    assert out.startswith("None of 2 documents repeats another.\n")
    assert target.read_text() == "doc_id,cluster\n"
    assert len(medir.Clusters.read(target)) == 0


def words(*numbers: int) -> str:
    return " ".join(f"word{n}" for n in numbers)


def test_nearly_the_same() -> None:
    """50 words have 46 shingles; another last word changes one: 45 / 47 is the same."""
    pytest.importorskip("datasketch")
    texts = {"a": words(*range(50)), "b": words(*range(49), 99), "c": words(*range(100, 150))}
    assert list(find_clusters(texts)) == []
    assert list(find_clusters(texts, threshold=45 / 47)) == [("a", "a"), ("b", "a")]
    assert list(find_clusters(texts, threshold=0.96)) == []


def test_a_chain_is_one_cluster() -> None:
    """Each text shares most with the next, the first and the last share nothing."""
    pytest.importorskip("datasketch")
    texts = {f"d{n}": words(*range(5 * n, 5 * n + 100)) for n in range(21)}
    found = find_clusters(texts, threshold=0.8)
    assert found.members == {"d0": list(texts)}
    assert (
        found.verdict
        == "20 of 21 documents repeat another: 1 cluster, the largest of 21 documents."
    )


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasketch", None)
    assert list(find_clusters({"a": "x", "b": "x"})) == [("a", "a"), ("b", "a")]
    with pytest.raises(
        MissingExtraError, match=r"needs datasketch: pip install 'medir\[clusters\]'"
    ):
        find_clusters({"a": "x", "b": "y"}, threshold=0.5)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "a\tone\na\ttwo\n",
            "documents.tsv, line 2: document 'a' comes twice; it is in line 1, too",
        ),
        ("a one\n", "documents.tsv, line 1: expected a document id, a tab and a title"),
        ("", "there are no documents"),
    ],
)
def test_bad_documents(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "documents.tsv").write_text(text)
    done = shell("clusters", "documents.tsv", cwd=tmp_path)
    assert done.code == 2
    assert problem in done.err


def test_bad_threshold() -> None:
    assert shell("clusters", "documents.tsv", "--threshold", "0").code == 2
    with pytest.raises(medir.UsageError, match="threshold is a number above 0, up to 1"):
        find_clusters({"a": "x"}, threshold=1.5)
