"""Runs and judgments in every format of files, recognised by content."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import medir
from medir.base.settings import Order
from tests.cases.tables import (
    LISTS,
    LONG,
    Row,
    Writer,
    by_query,
    delimited,
    documents,
    found,
    json_lines,
    json_rankings,
    listed,
    lists,
    ranked,
    rows,
    saved,
)
from tests.profiles import examples

ROWS = [
    Row("q1", "a", 1.5),
    Row("q1", "b", 2.5),
    Row("q 2", 'naïve, "x"', 1.0),
    Row("q1", "c", 1.5),
    Row("q 2", "b", -1e300),
]
ORDER = {b"q1": [b"b", b"c", b"a"], b"q 2": ['naïve, "x"'.encode(), b"b"]}
TSV_IDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\n\r"), min_size=1, max_size=6
)


@pytest.mark.parametrize("format", LONG)
@examples(60)
@given(some=rows())
def test_rows_are_what_was_written(
    format: str, some: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = saved(tmp_path_factory.getbasetemp(), LONG[format](some))
    assert found(medir.Run.read(path)) == ranked(some)
    assert documents(medir.Run.read(path, order="file")) == listed(some)


@pytest.mark.parametrize("format", LISTS)
@examples(60)
@given(some=lists())
def test_lists_are_what_was_written(
    format: str, some: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = saved(tmp_path_factory.getbasetemp(), LISTS[format](some))
    assert found(medir.Run.read(path)) == ranked(some)
    assert found(medir.Run.of(by_query(some))) == ranked(some)
    assert documents(medir.Run.read(path, order="file")) == listed(some)


@examples(60)
@example(some=[Row("docs", "0", 0.0)])  # a query that is named as a column may be
@given(some=lists())
def test_rankings_are_in_order(some: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = saved(tmp_path_factory.getbasetemp(), json_rankings(some))
    for order in ("score", "rank", "file"):
        assert documents(medir.Run.read(path, order=order)) == listed(some)


@examples(100)
@given(some=rows(TSV_IDS))
def test_tsv(some: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Rows are lines, so that ids hold no line breaks."""
    path = saved(tmp_path_factory.getbasetemp(), delimited(some, "\t"))
    assert found(medir.Run.read(path)) == ranked(some)


def zstd(data: bytes) -> bytes:
    compressed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(data)
    return compressed


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
}
ALL: dict[str, Writer] = {**LONG, **LISTS, "TSV": lambda some: delimited(some, "\t")}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("format", ALL)
def test_compressed_whatever_the_name(format: str, packer: str, tmp_path: Path) -> None:
    for name in ("a.run", "a.csv", "a.json", "a"):
        path = saved(tmp_path, PACKERS[packer](ALL[format](ROWS)), name)
        assert documents(medir.Run.read(path)) == ORDER


@pytest.mark.parametrize("format", ALL)
def test_a_byte_order_mark_and_lines_in_front(format: str, tmp_path: Path) -> None:
    if format.startswith(("Parquet", "Arrow")):
        pytest.skip("binary")
    for front in (b"\xef\xbb\xbf", b"\n\n", b"\r\n", b"\xef\xbb\xbf\n"):
        path = saved(tmp_path, front + ALL[format](ROWS))
        assert documents(medir.Run.read(path)) == ORDER


WORDS = {
    "CSV": "CSV: query_id, doc_id, score (5 results)",
    "TSV": "TSV: query_id, doc_id, score (5 results)",
    "JSON lines": "JSON lines: query_id, doc_id, score (5 results)",
    "JSON lines of lists": "JSON lines: query_id, doc_ids, scores (5 results)",
    "JSON": "JSON: one object (2 queries)",
    "Parquet": "Parquet: query_id, doc_id, score (5 rows)",
    "Arrow IPC file": "Arrow IPC: query_id, doc_id, score (5 rows)",
}


@pytest.mark.parametrize("format", WORDS)
def test_a_run_says_how_it_was_read(format: str, tmp_path: Path) -> None:
    assert medir.Run.read(saved(tmp_path, ALL[format](ROWS))).format == WORDS[format]


def test_trec_text_needs_no_words(tmp_path: Path) -> None:
    rest = b"Q0 doc_id 1 2.5 t\n"
    for word in (
        b"q",
        b"PAR1",
        b"PAR1\t",
        b"ARROW1",
        b"\xff\xff\xff\xff",
        b"{q}",
        b"[1]",
        b"{",
        b"query",
    ):
        text = b"# c\n\n" + word + b" " + rest if word == b"query" else word + b" " + rest
        assert medir.Run.read(saved(tmp_path, text)).format is None


@pytest.mark.parametrize(
    ("text", "order", "words", "expected"),
    [
        ("q d1 2\nq d2 1\n", "score", "query, document, rank", ["d2", "d1"]),
        ("q\td1\t2\nq\td2\t1\n", "rank", "query, document, rank", ["d2", "d1"]),
        ("q d1 2\r\nq d2 1", "file", "query, document, rank", ["d1", "d2"]),
        ("q d1 1 0.5\nq d2 2 1.5\n", "score", "query, document, rank, score", ["d2", "d1"]),
        ("q d1 1 0.5\nq d2 2 1.5\n", "rank", "query, document, rank, score", ["d1", "d2"]),
        ("# c\n\nq 0 1 7.5\n", "score", "query, document, rank, score", ["0"]),
    ],
)
def test_ms_marco(text: str, order: Order, words: str, expected: list[str], tmp_path: Path) -> None:
    run = medir.Run.read(saved(tmp_path, text.encode()), order=order)
    assert run.format == f"MS MARCO: {words}"
    assert run["q"] == expected


@examples(40)
@given(some=rows(st.from_regex(r"[a-z0-9é]{1,5}", fullmatch=True)))
def test_ms_marco_with_scores(some: list[Row], tmp_path_factory: pytest.TempPathFactory) -> None:
    lines = [f"{query} {document} {i} {score!r}" for i, (query, document, score) in enumerate(some)]
    text = "\n".join([*lines, "other doc 1 1", "other doc2 2 1"])
    path = saved(tmp_path_factory.getbasetemp(), text.encode())
    more = [*some, Row("other", "doc", 1), Row("other", "doc2", 1)]
    assert found(medir.Run.read(path)) == ranked(more)
    assert documents(medir.Run.read(path, order="rank")) == listed(more)


@pytest.mark.parametrize("format", ["CSV", "TSV", "JSON lines", "Parquet"])
def test_ranks_where_there_is_no_score(format: str, tmp_path: Path) -> None:
    some = [Row("q", "a", 3), Row("q", "b", 1.0), Row("q", "c", 2)]
    renamed = ALL[format](some)
    if format == "Parquet":
        pq = pytest.importorskip("pyarrow.parquet")
        path = saved(tmp_path, renamed)
        table = pq.read_table(path).rename_columns(["query_id", "doc_id", "rank"])
        pq.write_table(table, path)
    else:
        path = saved(tmp_path, renamed.replace(b"score", b"rank"))
    run = medir.Run.read(path)
    assert run["q"] == ["b", "c", "a"]
    assert run.format is not None
    assert run.format.endswith(", in the order of the ranks")


def test_the_order_of_the_file_without_score_and_rank(tmp_path: Path) -> None:
    run = medir.Run.read(saved(tmp_path, b"qid,docno\nq,b\nq,a\nr,c\nq,d\n"))
    assert run["q"] == ["b", "a", "d"]
    assert run.format == "CSV: qid, docno (4 results), in the order of the file"


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = saved(tmp_path, b"x;y,q,s,d\n1,q1,2.5,a\n2,q1,3.5,b\n")
    columns = {"query_id": "q", "doc_id": "d", "score": "s"}
    run = medir.Run.read(path, columns=columns)
    assert run["q1"] == ["b", "a"]
    assert run.format == "CSV: q, d, s (2 results)"
    lines = saved(tmp_path, b'{"q": 1, "d": [3, "b"]}\n', "lines")
    assert medir.Run.read(lines, columns={"query_id": "q", "doc_ids": "d"})["1"] == ["3", "b"]


def test_fields_that_do_not_count(tmp_path: Path) -> None:
    text = (
        '{"text": "a \\"b\\" {", "query_id": "q", "more": {"x": [1, {"y": "]"}], "z": null},'
        ' "doc_id": 17, "score": 1e1, "none": null}\n'
        '{"query_id": "q", "doc_id": "b", "score": 20, "text": true}\n'
    )
    assert medir.Run.read(saved(tmp_path, text.encode()))["q"] == ["b", "17"]


def test_a_line_of_json_that_is_longer_than_what_is_looked_at(tmp_path: Path) -> None:
    ids = [f"d{i}" for i in range(50_000)]
    lines = saved(tmp_path, json.dumps({"query_id": "q", "doc_ids": ids}).encode())
    assert medir.Run.read(lines)["q"] == ids
    whole = saved(tmp_path, json.dumps({"q": ids}).encode(), "whole")
    assert medir.Run.read(whole)["q"] == ids
    first = {"doc_ids": ids, "query_id": "q"}
    assert medir.Run.read(saved(tmp_path, json.dumps(first).encode(), "first"))["q"] == ids


@pytest.mark.parametrize("threads", [1, 3])
def test_large_files_are_read_in_parts(threads: int, tmp_path: Path) -> None:
    """More than what is scanned together, with quotes, escapes and line breaks throughout."""
    some = [
        Row(f"q{i % 977}", f'd "{i}",\n\té' if i % 5 == 0 else f"document {i}", (i * 7919) % 1009)
        for i in range(60_000)
    ]
    expected = ranked(some)
    for write in (delimited, json_lines):
        data = write(some)
        assert len(data) > 1 << 20
        run = medir.Run.read(saved(tmp_path, data), threads=threads)
        assert found(run) == expected
    one_by_one = sorted(some)
    assert found(medir.Run.read(saved(tmp_path, delimited(one_by_one)))) == expected


QRELS = {
    "TREC": "q 0 a 1\nq 0 b 0\nr 0 a 2\n",
    "CSV": "query_id,doc_id,relevance\nq,a,1\nq,b,0\nr,a,2\n",
    "CSV, other names": "qid,docno,label\nq,a,1.0\nq,b,-1\nr,a,2\n",
    "TSV of BEIR": "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tb\t0\nr\ta\t2\n",
    "JSON lines": '{"query_id": "q", "doc_id": "a", "relevance": 1}\n'
    '{"query_id": "q", "doc_id": "b", "relevance": 0}\n'
    '{"query_id": "r", "doc_id": "a", "relevance": "2"}\n',
    "JSON": '{"q": {"a": 1, "b": 0}, "r": {"a": 2}}',
}


@pytest.mark.parametrize("format", QRELS)
def test_judgments(format: str, tmp_path: Path) -> None:
    qrels = medir.Qrels.of(saved(tmp_path, QRELS[format].encode()))
    assert {query: qrels[query] for query in qrels} == {"q": {"a": 1, "b": 0}, "r": {"a": 2}}
    assert qrels.highest == 2
    assert (qrels.format is None) == (format == "TREC")


INTENTS = {
    "TREC": "q 1 a 1\nq 2 a 0\nq 2 b 3\n",
    "CSV": "query_id,doc_id,intent,relevance\nq,a,1,1\nq,a,2,0\nq,b,2,3\n",
    "CSV with quotes": 'query_id,doc_id,intent,relevance\nq,"a",1,1\nq,a,"2",0\n"q",b,2,3\n',
    "JSON lines": '{"query_id": "q", "doc_id": "a", "relevance": 1, "subtopic": 1}\n'
    '{"query_id": "q", "doc_id": "a", "relevance": 0, "subtopic": "2"}\n'
    '{"query_id": "q", "doc_id": "\\u0062", "relevance": 3, "subtopic": "\\u0032"}\n',
    "JSON": '{"q": {"1": {"a": 1}, "2": {"a": 0, "b": 3}}}',
}


def test_judgments_of_intents(tmp_path: Path) -> None:
    """All formats hold the same, and other intents are something else."""
    paths = [saved(tmp_path, text.encode(), name) for name, text in INTENTS.items()]
    same = {medir.Qrels.of(path, intents=True).digest(1, intents=True) for path in paths}
    assert len(same) == 1
    others = saved(tmp_path, INTENTS["CSV"].replace("b,2,3", "b,1,3").encode())
    assert medir.Qrels.of(others, intents=True).digest(1, intents=True) not in same


def test_grades_of_any_scale(tmp_path: Path) -> None:
    text = b"query_id,doc_id,label\nq,a, good \nq,b,bad\nq,c,0.5\n"
    qrels = medir.Qrels.of(saved(tmp_path, text), grades={"good": 2, "bad": 0, 0.5: 1})
    assert qrels["q"] == {"a": 2, "b": 0, "c": 1}
    with pytest.raises(medir.InputError, match="line 2: the grade ' good ' is not a number"):
        medir.Qrels.of(saved(tmp_path, text))


LENGTHS = {
    "lines": b"a 300\nb 12.5\nc 0\n",
    "CSV": b'doc_id,words\na,300\n"b",12.5\nc,0\nc,0\n',
    "TSV": b"docno\tlength\na\t300\nb\t12.5\nc\t0\n",
    "JSON lines": b'{"doc_id": "a", "words": 300}\n{"doc_id": "\\u0062", "words": 12.5}\n'
    b'{"words": 0, "doc_id": "c"}\n',
}


@pytest.mark.parametrize("kind", LENGTHS)
def test_lengths(kind: str, tmp_path: Path) -> None:
    lengths = medir.Lengths.of(saved(tmp_path, LENGTHS[kind]))
    assert len(lengths) == 3
    assert [lengths[one] for one in "abc"] == [300, 12.5, 0]
    assert (lengths.format is None) == (kind == "lines")
    plain = medir.Lengths.of(saved(tmp_path, LENGTHS["lines"]))
    assert lengths.digest == plain.digest


def test_lengths_in_parquet(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"doc_id": ["a", "b"], "words": [300, 12.5]}), tmp_path / "words")
    lengths = medir.Lengths.of(tmp_path / "words")
    assert (lengths["a"], lengths["b"]) == (300, 12.5)
    assert lengths.format == "Parquet: doc_id, words (2 rows)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "doc_id,words\na,many\n",
            ", line 2: the length 'many' is not a number of words\n    a,ma",
        ),
        ("doc_id,words\na,-1\n", ", line 2: the length '-1' is not a number of words\n"),
        (
            "doc_id,words\na,1\nb,2\na,2\n",
            ", line 4: document 'a' has two lengths\n    a,2\nRemove",
        ),
        ("doc_id,n\na,1\n", ": there is no column of numbers of words among the columns doc_id, n"),
        ('{"a": {"b": 1}}', ": holds JSON where lengths of documents were expected\n"),
    ],
)
def test_lengths_are_refused(text: str, message: str, tmp_path: Path) -> None:
    path = saved(tmp_path, text.encode())
    with pytest.raises(medir.InputError) as caught:
        medir.Lengths.of(path)
    assert str(caught.value).startswith(f"{path}{message}")
