"""Clusters of documents: from lines, tables, mappings; and what is wrong with them."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import medir
from medir import Clusters, InputError, UsageError
from tests.shell import medir as shell

EXPECTED = {"a": "a", "A": "a", "b": "b", "c": "c", "C": "c", "d": "d"}
LINES = "a one\nA one\nb two\nc three\nC three\n"
HEADED = "doc_id{0}cluster\na{0}one\nA{0}one\nb{0}two\nc{0}three\nC{0}three\n"


def keys(clusters: Clusters) -> dict[str, str]:
    return {document: clusters.key(document) for document in EXPECTED}


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("clusters.txt", LINES),
        ("clusters.tsv", LINES.replace(" ", "\t")),
        ("clusters", "# of a crawl\n\n" + LINES),
        ("clusters.csv", HEADED.format(",")),
        ("clusters.tsv", HEADED.format("\t")),
        ("clusters.csv", "cluster,doc_id\none,a\none,A\ntwo,b\nthree,c\nthree,C\n"),
        ("clusters.csv", HEADED.format(",").replace("doc_id,cluster", "docno,cluster_id")),
        ("clusters.jsonl", "".join(
            json.dumps({"doc_id": line.split()[0], "cluster": line.split()[1]}) + "\n"
            for line in LINES.splitlines()
        )),
        ("clusters.csv", HEADED.format(",") + "a,one\n"),  # again, and the same
    ],
)  # fmt: skip
def test_files(tmp_path: Path, name: str, text: str) -> None:
    clusters = Clusters.of(written(tmp_path, name, text))
    assert keys(clusters) == EXPECTED
    assert (len(clusters), clusters.documents, clusters.largest) == (3, 5, 2)


def test_objects() -> None:
    mapping = {line.split()[0]: line.split()[1] for line in LINES.splitlines()}
    assert keys(Clusters.of(mapping)) == EXPECTED
    numbered = Clusters.of({"a": 1, "A": 1, 12: 2, "13": 2})
    assert numbered.key("13") == numbered.key(12) == "12"
    assert Clusters.of(numbered) is numbered
    assert keys(Clusters.of({})) == {d: d for d in EXPECTED}


def test_tables(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [line.split() for line in LINES.splitlines()]
    table = pa.table({"doc_id": [d for d, _ in rows], "cluster": [c for _, c in rows]})
    assert keys(Clusters.of(table)) == EXPECTED
    numbers = pa.table({"doc_id": [1, 2, 3], "cluster": [7, 7, 8]})
    assert Clusters.of(numbers).key("2") == "1"
    import pyarrow.parquet as pq

    pq.write_table(table, tmp_path / "clusters.parquet")
    clusters = Clusters.read(tmp_path / "clusters.parquet")
    assert keys(clusters) == EXPECTED
    assert clusters.format == "Parquet: doc_id, cluster (5 rows)"


def test_what_clusters_are_called_does_not_matter() -> None:
    one, other = Clusters.of({"a": 1, "b": 1, "c": 2}), Clusters.of({"a": "x", "b": "x", "c": "y"})
    assert one.digest == other.digest != Clusters.of({"a": 1, "b": 2, "c": 2}).digest


def test_a_cluster_is_no_document() -> None:
    """The cluster b of other documents has nothing to do with the document b."""
    clusters = {"a": "b", "A": "b"}
    assert medir.med(["a"], ["b"], "P@1", clusters=clusters) == 1
    assert medir.med(["a"], ["A"], "P@1", clusters=clusters) == 0


def test_numbers_and_digits_are_the_same_document() -> None:
    import numpy as np

    before, after = np.array([[1, 2]]), np.array([[3, 2]])
    for clusters in ({"1": "x", "3": "x"}, {1: 5, 3: 5}):
        assert medir.compare(before, after, "P@2", clusters=clusters).row(0).med == 0
    assert medir.compare(before, after, "P@2").row(0).med == 0.5


def test_they_travel() -> None:
    clusters = Clusters.of({"a": 1, "A": 1})
    assert keys(pickle.loads(pickle.dumps(clusters))) == keys(clusters)


TWO = "document 'a' is in two clusters; the other is"
SHAPE = "expected 2 columns (document cluster)"
NO_COLUMN = "there is no column of clusters among the columns"
BAD = [
    ("c.txt", "a one\na two\n", f"c.txt, line 2: {TWO} in line 1\n    a two\n"),
    ("c.txt", "a one\nb\n", f"c.txt, line 2: {SHAPE}\n    b\n"),
    ("c.txt", "a one more\n", f"c.txt, line 1: {SHAPE}\n    a one more\n"),
    ("c.txt", "", "c.txt: is empty"),
    ("c.txt", "# nothing\n", "c.txt: holds only comments and blank lines"),
    ("c.csv", "doc_id,cluster\na,one\na,two\n", f"c.csv, line 3: {TWO} 'one'"),
    ("c.csv", "doc_id,group\na,one\n", f"c.csv: {NO_COLUMN} doc_id, group"),
    ("c.jsonl", '{"doc_id": "a"}\n', f"c.jsonl: {NO_COLUMN} doc_id"),
]


@pytest.mark.parametrize(("name", "text", "problem"), BAD)
def test_bad_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        Clusters.read(name)
    assert str(caught.value).startswith(problem)
    (tmp_path / "a.run").write_text("q Q0 a 1 1 t\n")
    done = shell("compare", "a.run", "a.run", "--clusters", name)
    assert done.code == 2
    assert problem.split("\n", maxsplit=1)[0] in done.err
    assert "Traceback" not in done.err


def test_bad_objects() -> None:
    with pytest.raises(InputError, match="document 'a' has the cluster None"):
        Clusters.of({"a": None})
    with pytest.raises(InputError, match="document 'x' has the cluster"):
        Clusters.of({"x": ["a", "b"]})
    with pytest.raises(InputError, match="document '1' is in two clusters"):
        Clusters.of({1: "a", "1": "b"})
    with pytest.raises(InputError, match="cannot use an object of type int as clusters"):
        medir.compare({"q": ["a"]}, {"q": ["b"]}, clusters=7)
    with pytest.raises(UsageError, match="passages do not take them"):
        medir.compare_passages(
            {"q": [("a", 0, 1)]},
            {"q": [("b", 0, 1)]},
            clusters={"a": 1},  # type: ignore[call-arg]
        )


def test_one_standard_input(tmp_path: Path) -> None:
    path = written(tmp_path, "a.run", "q Q0 a 1 1 t\n")
    done = shell("compare", "-", str(path), "--clusters", "-", stdin=b"q Q0 a 1 1 t\n")
    assert done.code == 2
    assert "standard input" in done.err
