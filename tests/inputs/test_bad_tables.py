"""What is wrong with files of named columns, JSON and arrays: where it is, and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import medir
from medir.base.settings import Order
from tests.cases.tables import saved

HEADER = "query_id,doc_id,score\n"
SCORE = "Fix the score, or choose --order file to order results without it."
OBJECT = "Write one object per line."
LINE = '{"query_id": "q", "doc_id": "d", "score": 1}'
ROW = '{"query_id": "q", "doc_id": "d"'
LISTS = '{"query_id": "q", "doc_ids": '

# The text, and the error behind the name of the file.
RUNS: dict[str, tuple[str, str]] = {
    "CSV: a score is no number": (
        HEADER + "q,d,1\nq,e,high\n",
        ", line 3: the score 'high' is not a number\n    q,e,high\n" + SCORE,
    ),
    "CSV: a score is missing": (
        HEADER + "q,d,\n",
        ", line 2: the score '' is not a number\n    q,d,\n" + SCORE,
    ),
    "CSV: a score is NaN": (
        HEADER + "q,d,nan\n",
        ", line 2: the score is NaN, which has no place in an order\n    q,d,nan\n" + SCORE,
    ),
    "CSV: a rank is no whole number": (
        "query_id,doc_id,rank\nq,d,1.5\n",
        ", line 2: the rank '1.5' is not a whole number\n    q,d,1.5\n"
        "Fix the rank, or choose --order file to order results without it.",
    ),
    "CSV: too few fields": (
        HEADER + "q,d,1\n\nq,e\n",
        ", line 4: expected 3 columns (query_id, doc_id, score), found 2\n    q,e\n"
        "Fix the row: put a field with commas into quotes, and leave a missing one empty.",
    ),
    "CSV: too many fields": (
        HEADER + "q,d,1,2\n",
        ", line 2: expected 3 columns (query_id, doc_id, score), found 4\n    q,d,1,2\nFix",
    ),
    "CSV: too few fields for the query": (
        "doc_id,query_id\nd,q\nd\n",
        ", line 3: expected 2 columns (doc_id, query_id), found 1\n    d\nFix the row",
    ),
    "CSV: no query": (
        HEADER + ",d,1\n",
        ", line 2: there is no query id here\n    ,d,1\nEvery row has the id of a query.",
    ),
    "CSV: no document": (
        HEADER + "q,,1\n",
        ", line 2: there is no document id here\n    q,,1\nEvery result has the id of a document.",
    ),
    "CSV: a quote that is never closed": (
        HEADER + 'q,"d,1\nq,e,2\n',
        ', line 2: a quote is opened here and never closed\n    q,"d,1\nClose it, or write a quote',
    ),
    "CSV: a quote within a field": (
        HEADER + 'q,15" screen,1\nq,"e",2\n',
        ", line 2: there is a quote in a field that does not begin with one\n",
    ),
    "CSV: text behind a quote": (
        HEADER + 'q,"d" x,1\n',
        ", line 2: there is text between the closing quote of a field and the next comma\n",
    ),
    "CSV: only a header": (HEADER, ": has a header and no rows\nAdd one row per result."),
    "CSV: lists": (
        "query_id,doc_ids\nq,a b c\n",
        ": CSV holds no lists, as the column doc_ids would need\n"
        "Write one row per result, or JSON lines or Parquet.",
    ),
    "CSV: no column of queries": (
        "text,doc_id,score\nx,d,1\n",
        ": there is no column of query ids among the columns text, doc_id, score\nName it query_id",
    ),
    "CSV: no header": (
        "q1,d1,1,0.5\n",
        ": there is no column of query ids among the columns q1, d1, 1, 0.5\nName it query_id (or",
    ),
    "CSV: two candidates": (
        "qid,query_id,doc_id\nx,x,d\n",
        ": qid and query_id may both hold the query ids among the columns qid, query_id, doc_id\n",
    ),
    "CSV: judgments": (
        "query_id,doc_id,relevance\nq,d,1\n",
        ": holds judgments, not a run: there is a column relevance and neither score nor rank",
    ),
    "semicolons": (
        "query_id;doc_id;score\nq;d;1\n",
        ", line 1: the columns are separated by ';'\n    query_id;doc_id;score\n"
        "Separate them by commas or tabs.",
    ),
    "TSV: too few fields": (
        HEADER.replace(",", "\t") + "q\td\n",
        ", line 2: expected 3 columns (query_id, doc_id, score), found 2\n    q\td\n"
        "Fix the row: leave a missing field empty.",
    ),
    "TREC judgments": (
        "q 0 d 1\nq 0 e 0\n",
        ", line 1: holds judgments (query 0 document grade), not a run\n    q 0 d 1\n"
        "Give it with --qrels (qrels=...), or give a run.",
    ),
    "TREC judgments of MS MARCO": (
        "1185869 0 0 1\n1185868 0 16 1\n",
        ", line 1: holds judgments (query 0 document grade), not a run\n    1185869 0 0 1\n",
    ),
    "MS MARCO: a rank that is none": (
        "q d 1\n" * 150 + "q d x\n",
        ", line 151: the rank 'x' is not a whole number\n    q d x\n",
    ),
    "MS MARCO: a column less": (
        "q d 1 0.5\n" * 150 + "q d 1\n",
        ", line 151: expected 4 columns (query document rank score), found 3\n    q d 1\n",
    ),
    "MS MARCO: a column more": (
        "q d 1\n" * 150 + "q d 1 2\n",
        ", line 151: expected 3 columns (query document rank), found more\n    q d 1 2\n"
        "The first line has 3 columns.",
    ),
    "JSON lines: a line that is none": (
        LINE + "\nq Q0 d 1 1 t\n",
        ", line 2: not a JSON object\n    q Q0 d 1 1 t\n" + OBJECT,
    ),
    "JSON lines: a first line that ends early": (
        ROW,
        ", line 1: not a JSON object\n    " + ROW + "\n" + OBJECT,
    ),
    "JSON lines: a line that ends early": (
        LINE + "\n" + ROW,
        ", line 2: the JSON ends too early\nWrite the file again.",
    ),
    "JSON lines: an object in two lines": (
        LINE + "\n" + ROW.replace('"q"', '"r"') + ',\n "score": 1}\n',
        ', line 2: the object goes on in the next line\n    {"query_id": "r", "doc_id": "d",\n',
    ),
    "JSON lines: two objects in a line": (
        LINE + "\n" + LINE + " " + LINE,
        ", line 2: there is something behind the object\n    " + LINE + "\n" + OBJECT,
    ),
    "JSON lines: a missing field": (
        LINE + "\n" + ROW + "}",
        ", line 2: there is no field score\n    " + ROW + "}\nEvery line has the same fields.",
    ),
    "JSON lines: a field twice": (
        LINE + "\n" + ROW + ', "score": 1, "score": 2}',
        ", line 2: the field score is there twice\n",
    ),
    "JSON lines: a score that is null": (
        LINE + "\n" + ROW + ', "score": null}',
        ", line 2: the score 'null' is not a number\n",
    ),
    "JSON lines: a score that is text": (
        LINE + "\n" + ROW + ', "score": "2"}',
        ", line 2: the score '\"2\"' is not a number\n",
    ),
    "JSON lines: a score that is a list": (
        LINE + "\n" + ROW + ', "score": [2]}',
        ", line 2: score is neither text nor a number\n    [2]}",
    ),
    "JSON lines: a document that is null": (
        '{"query_id": "q", "doc_id": null, "score": 1}',
        ", line 1: a document id is text or a whole number, not null\n",
    ),
    "JSON lines: a document that is a fraction": (
        '{"query_id": "q", "doc_id": 1.5, "score": 1}',
        ", line 1: a document id is text or a whole number, not 1.5\n",
    ),
    "JSON lines: a query that is true": (
        '{"query_id": true, "doc_id": "d", "score": 1}',
        ", line 1: a query id is text or a whole number, not true\n",
    ),
    "JSON lines: half a character": (
        LINE + '\n{"query_id": "q", "doc_id": "\\ud800x", "score": 1}',
        ', line 2: the escape \\ud800 is half of a character\n    \\ud800x", "score": 1}\n',
    ),
    "JSON lines: an escape that is none": (
        LINE + '\n{"query_id": "q", "doc_id": "\\x", "score": 1}',
        ', line 2: this is not JSON\n    \\x", "score": 1}\n',
    ),
    "JSON lines: no columns": (
        '{"a": 1, "b": 2}\n',
        ": there is no column of query ids among the columns a, b\nName it query_id (or",
    ),
    "JSON lines: lists of two lengths": (
        LISTS + '["a", "b"], "scores": [1]}\n',
        ", line 1: there are 2 documents and 1 scores\n",
    ),
    "JSON lines: a list that is none": (
        LISTS + '["a"], "scores": [1]}\n' + LISTS.replace('"q"', '"r"') + '"a", "scores": 1}\n',
        ', line 2: doc_ids is not a list\n    "a", "scores": 1}\nWrite it as [...].',
    ),
    "JSON lines: lists of lists": (
        LISTS + '[["a"]]}\n',
        ", line 1: a list holds something else than ids and scores\n",
    ),
    "JSON lines: two lists of a query": (
        LISTS + '["a"]}\n' + LISTS.replace('"q"', '"r"') + '["a"]}\n' + LISTS + '["b"]}\n',
        ", line 3: query 'q' has two lists\n    " + LISTS + '["b"]}\n'
        "The other is in line 1. Keep one of them.",
    ),
    "JSON: a score that is none": (
        '{"q": {"d": 1,\n "e": "x"}}',
        ', line 2: the score \'"x"\' is not a number\n    e": "x"}}\n' + SCORE,
    ),
    "JSON: a list where a score should be": (
        '{"q": {"d": [1]}}',
        ", line 1: there is no score here\n    [1]}}\nGive a number.",
    ),
    "JSON: a query twice": ('{"q": ["d"],\n "q": ["e"]}', ", line 2: query 'q' has two lists\n"),
    "JSON: ends early": ('{"q": {"d": 1}, "r": {', ", line 1: the JSON ends too early\nWrite the"),
    "JSON: more than one": (
        '{"q": {"d": 1}}\n{"r": {"d": 1}}\n',
        ', line 2: there is something behind the JSON object\n    {"r": {"d": 1}}\n'
        "One object holds all queries; JSON lines have named fields.",
    ),
    "JSON: a query without results": (
        '{"q": {"d": 1}, "r": 5}\n'.replace("}, ", "},\n"),
        ", line 2: query 'r' has no results here\n    5}\nGive a list of documents, best first,",
    ),
    "JSON: objects in a list": (
        '{"q": [{"id": "d"}]}',
        ', line 1: there is no document id here\n    {"id": "d"}]}\n',
    ),
    "JSON: no queries": ("{}", ": holds no queries"),
    "a JSON array": (
        '[{"query_id": "q"}]',
        ": holds a JSON array\nWrite one object per line, such",
    ),
}


@pytest.mark.parametrize("case", RUNS)
def test_a_run_is_refused(case: str, tmp_path: Path) -> None:
    text, message = RUNS[case]
    path = saved(tmp_path, text.encode())
    with pytest.raises(medir.InputError) as caught:
        medir.Run.read(path)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("text", "order", "message"),
    [
        (HEADER + "q,d,1\n", "rank", ": order='rank' needs ranks, and there is no column rank am"),
        ('{"q": {"d": 1}}', "rank", ": order='rank' needs ranks, and documents with scores have n"),
    ],
)
def test_an_order_is_refused(text: str, order: Order, message: str, tmp_path: Path) -> None:
    path = saved(tmp_path, text.encode())
    with pytest.raises(medir.InputError) as caught:
        medir.Run.read(path, order=order)
    assert str(caught.value).startswith(f"{path}{message}")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEADER + 'q,d,1\nq,"e ""x""\n",2\nr,d,1\nq,d,3\n', 2),
        (HEADER + 'q,d,1\n\nq,"e ""x""",2\nr,d,1\nq,"e ""x""",1\n', 6),
        (LINE + "\n" + LINE + "\n", 2),
        (LISTS + '["a", "b"]}\n\n' + LISTS.replace('"q"', '"r"') + '["b", "\\u0062"]}', 3),
        ('{"q": ["a", "b"],\n "r": ["c",\n "c"]}', 3),
    ],
)
def test_a_document_twice_is_told_with_its_line(text: str, line: int, tmp_path: Path) -> None:
    """Which of two is the lower one follows from their scores."""
    path = saved(tmp_path, text.encode())
    with pytest.raises(medir.InputError, match="appears twice in the list of query") as caught:
        medir.compare(path, {"q": ["a"]}, "nDCG@10")
    assert caught.value.line == line


QRELS = {
    "a grade that is none": (
        "query_id,doc_id,relevance\nq,d,x\n",
        ", line 2: the grade 'x' is not a ",
    ),
    "no grades": (
        "query_id,doc_id\nq,d\n",
        ": there is no column of grades among the columns query_id, doc_id\nName it relevance",
    ),
    "a run": (
        "query_id,doc_id,rank,score\nq,d,1,2\n",
        ": holds a run, not judgments: there are rank and score among the columns query_id, doc_i",
    ),
    "JSON that is none": ('{"q": {"d": 1}', ": cannot be read as JSON: "),
}


@pytest.mark.parametrize("case", QRELS)
def test_judgments_are_refused(case: str, tmp_path: Path) -> None:
    text, message = QRELS[case]
    path = saved(tmp_path, text.encode())
    with pytest.raises(medir.InputError) as caught:
        medir.Qrels.of(path)
    assert str(caught.value).startswith(f"{path}{message}")
