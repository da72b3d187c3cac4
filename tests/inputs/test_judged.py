"""What judges and labelling tools return, as judgments."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import medir
from medir import InputError, Qrels
from tests.shell import medir as shell


def lines(path: Path, *objects: Any) -> Path:
    """JSON lines."""
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def whole(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value, indent=1), encoding="utf-8")
    return path


def grades(qrels: Qrels) -> dict[str, dict[str, int]]:
    return {query: qrels[query] for query in qrels}


# JSON lines.


@pytest.mark.parametrize("grade", ["relevance", "grade", "label", "judgment", "rating", "score"])
@pytest.mark.parametrize(("query", "document"), [("query_id", "doc_id"), ("qid", "docno")])
def test_lines(query: str, document: str, grade: str, tmp_path: Path) -> None:
    rows = [
        {query: "q 1", document: "a", grade: 2, "reason": "it says so"},
        {query: "q 1", document: "b c", grade: "0"},
        {query: 7, document: 8, grade: 1.0},
    ]
    expected = {"q 1": {"a": 2, "b c": 0}, "7": {"8": 1}}
    for path in (lines(tmp_path / "judged", *rows), whole(tmp_path / "list", rows)):
        qrels = Qrels.read(path)
        assert grades(qrels) == expected
        assert qrels.format == "JSON judgments"


def test_compressed_lines_with_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "judged.jsonl.gz"
    row = b'\xef\xbb\xbf{"query_id": "q", "doc_id": "a", "label": 1}\r\n'
    path.write_bytes(gzip.compress(row))
    assert grades(Qrels.read(path)) == {"q": {"a": 1}}


def test_lines_without_a_grade_are_counted(tmp_path: Path) -> None:
    ids = {"query_id": "q", "doc_id": "a"}
    path = lines(
        tmp_path / "judged.jsonl",
        ids,
        {**ids, "relevance": None},
        {**ids, "relevance": ""},
        {**ids, "relevance": 1},
    )
    qrels = Qrels.read(path)
    assert grades(qrels) == {"q": {"a": 1}}
    assert qrels.format == "JSON judgments: 3 objects without a grade"


def test_named_columns(tmp_path: Path) -> None:
    path = lines(tmp_path / "judged.jsonl", {"Topic": "q", "page": "a", "stars": 3, "score": 0.2})
    columns = {"query_id": "Topic", "doc_id": "page", "relevance": "stars"}
    assert grades(Qrels.read(path, columns=columns)) == {"q": {"a": 3}}
    compared = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1", qrels=path, columns=columns)
    assert compared.judged is not None
    assert compared.judged["q"] == {"a": 3}


BAD_LINES: dict[str, tuple[list[Any], str]] = {
    "a text": (
        [{"query_id": "q", "doc_id": "a", "label": "good"}],
        r"line 1: the grade 'good' is not a number\n    query q, document a\nDeclare .*--grades",
    ),
    "no id": (
        [{"query_id": "q", "doc_id": "a", "label": 1}, {"query_id": "q", "label": 1}],
        r"line 2: there is no column of document ids among the columns query_id, label",
    ),
    "null for an id": (
        [{"query_id": "q", "doc_id": None, "label": 1}],
        r"line 1: doc_id is None, not an id",
    ),
    "two grades": (
        [{"query_id": "q", "doc_id": "a", "label": 1, "grade": 2}],
        r"line 1: label and grade may both hold the grades",
    ),
    "a run": (
        [{"query_id": "q", "doc_id": "a", "rank": 1, "score": 2}],
        r"line 1: holds a run, not judgments",
    ),
    "judged twice": (
        [
            {"query_id": "q", "doc_id": "a", "label": 1},
            {"query_id": "q", "doc_id": "a", "label": 2},
        ],
        r"document 'a' is judged twice for query 'q', with different grades",
    ),
    "a fraction": (
        [{"query_id": "q", "doc_id": "a", "label": 0.5}],
        r"the grade 0.5 is a fraction\n    query q, document a",
    ),
    "a broken line": (
        [{"query_id": "q", "doc_id": "a", "label": 1}, [1]],
        r"line 2: not a JSON object",
    ),
}


@pytest.mark.parametrize("name", BAD_LINES)
def test_bad_lines(name: str, tmp_path: Path) -> None:
    rows, message = BAD_LINES[name]
    with pytest.raises(InputError, match=message):
        Qrels.read(lines(tmp_path / "judged.jsonl", *rows))


# umbrela 0.0.7: a record repeats the texts of its request, and has no ids.


REQUESTS = [
    {
        "query": {"text": "big cat", "qid": "q 1"},
        "candidates": [
            {"doc": {"segment": "a jaguar"}, "docid": "a"},
            {"doc": {"segment": "a car"}, "docid": "b"},
            {"doc": {"segment": "a jaguar"}, "docid": "copy of a"},
        ],
    },
    {
        "query": {"text": "fast car", "qid": "q2"},
        "candidates": [{"doc": {"segment": "a car"}, "docid": "b"}],
    },
]


def umbrela(values: list[Any]) -> list[dict[str, Any]]:
    """What umbrela returns for the requests: a record per candidate, in order."""
    texts = [
        (request["query"]["text"], one["doc"]["segment"])  # type: ignore[index]
        for request in REQUESTS
        for one in request["candidates"]
    ]
    return [
        {
            "model": "m",
            "query": query,
            "passage": passage,
            "prompt": "...",
            "prediction": f"##final score: {value}",
            "judgment": value or 0,
            "result_status": int(value is not None),
        }
        for (query, passage), value in zip(texts, values, strict=True)
    ]


def test_umbrela(tmp_path: Path) -> None:
    requests = lines(tmp_path / "requests.jsonl", *REQUESTS)
    records = umbrela([3, 0, 2, 1])
    envelope = {
        "schema_version": "castorini.cli.v1",
        "artifacts": [{"name": "judgments", "kind": "data", "data": records}],
    }
    expected = {"q 1": {"a": 3, "b": 0, "copy of a": 2}, "q2": {"b": 1}}
    for path in (
        lines(tmp_path / "judgments.jsonl", *records),
        whole(tmp_path / "list.json", records),
        whole(tmp_path / "envelope.json", envelope),
    ):
        qrels = Qrels.read(path, requests=requests)
        assert grades(qrels) == expected
        assert qrels.format == "umbrela judgments"


def test_responses_that_umbrela_could_not_read_are_no_judgments(tmp_path: Path) -> None:
    """It gives them grade 0 and result_status 0."""
    requests = lines(tmp_path / "requests.jsonl", *REQUESTS)
    path = lines(tmp_path / "judgments.jsonl", *umbrela([3, None, None, 1]))
    qrels = Qrels.read(path, requests=str(requests))
    assert grades(qrels) == {"q 1": {"a": 3}, "q2": {"b": 1}}
    assert qrels.format == "umbrela judgments: 2 responses that umbrela could not read"


def test_umbrela_without_its_requests(tmp_path: Path) -> None:
    path = lines(tmp_path / "judgments.jsonl", *umbrela([3, 0, 2, 1]))
    with pytest.raises(InputError, match=r"judgments of umbrela name no ids\n.*--requests FILE"):
        Qrels.read(path)
    others = lines(tmp_path / "requests.jsonl", REQUESTS[0])
    with pytest.raises(InputError, match=r"line 4: .*requests.jsonl has no request with this"):
        Qrels.read(path, requests=others)
    twice = lines(tmp_path / "twice.jsonl", *umbrela([3, 0, 2, 1]), umbrela([3, 0, 2, 1])[3])
    with pytest.raises(InputError, match=r"line 5: .* has no further request"):
        Qrels.read(twice, requests=lines(tmp_path / "requests.jsonl", *REQUESTS))
    with pytest.raises(InputError, match=r"line 1: not a request of umbrela"):
        Qrels.read(path, requests=path)


# Label Studio.


def task(number: int, *annotations: Any, **data: Any) -> dict[str, Any]:
    ids = {"query_id": "q 1", "query": "big cat", "doc_id": f"d{number}", "title": "", "text": "t"}
    return {"id": number, "data": ids | data, "annotations": list(annotations), "predictions": []}


def annotation(*results: Any, cancelled: bool = False) -> dict[str, Any]:
    return {"id": 9, "was_cancelled": cancelled, "result": list(results)}


def label(kind: str, value: Any, control: str = "relevance") -> dict[str, Any]:
    return {"from_name": control, "to_name": "text", "type": kind, "value": {kind: value}}


def test_label_studio(tmp_path: Path) -> None:
    """Tasks without a label and cancelled annotations are left out, and counted."""
    skipped = annotation(cancelled=True)
    path = whole(
        tmp_path / "export.json",
        [
            task(1, annotation(label("choices", ["2"]))),
            task(2, annotation(label("rating", 1))),
            task(3, annotation(label("number", 0), {"type": "textarea", "value": {"text": ["x"]}})),
            task(4),
            task(5, skipped),
            task(6, annotation()),
            task(7, skipped, annotation(label("choices", ["1"])), annotation(label("rating", 1.0))),
        ],
    )
    qrels = Qrels.read(path)
    assert grades(qrels) == {"q 1": {"d1": 2, "d2": 1, "d3": 0, "d7": 1}}
    words = "Label Studio export: 3 tasks without a label, 2 cancelled annotations"
    assert qrels.format == words


def test_texts_as_choices(tmp_path: Path) -> None:
    tasks = [task(1, annotation(label("choices", ["Relevant"]))), task(2, annotation())]
    path = whole(tmp_path / "export.json", tasks)
    with pytest.raises(InputError, match=r"task 1: the grade 'Relevant' is not a number"):
        Qrels.read(path)
    assert grades(Qrels.read(path, grades={"Relevant": 1, "No": 0})) == {"q 1": {"d1": 1}}


def test_annotations_that_disagree(tmp_path: Path) -> None:
    tasks = [
        task(4, annotation(label("choices", ["1"])), annotation(label("choices", ["2"]))),
    ]
    with pytest.raises(InputError, match=r"task 4: the annotations disagree: 1, 2\n.*q 1.* d4\n"):
        Qrels.read(whole(tmp_path / "export.json", tasks))


def test_several_controls(tmp_path: Path) -> None:
    results = label("choices", ["1"]), label("rating", 4, "sureness")
    path = whole(tmp_path / "export.json", [task(1, annotation(*results))])
    with pytest.raises(InputError, match=r"task 1: an annotation with 2 labels: 1, 4\n.*--columns"):
        Qrels.read(path)
    for control, grade in (("relevance", 1), ("sureness", 4)):
        qrels = Qrels.read(path, columns={"relevance": control})
        assert grades(qrels) == {"q 1": {"d1": grade}}


def test_tasks_that_nobody_labelled(tmp_path: Path) -> None:
    path = whole(tmp_path / "export.json", [task(1), task(2)])
    with pytest.raises(InputError, match="holds no judgment: 2 tasks without a label"):
        Qrels.read(path)


def test_tasks_without_ids(tmp_path: Path) -> None:
    bad = {"id": 3, "data": {"text": "x"}, "annotations": [annotation(label("rating", 1))]}
    path = whole(tmp_path / "export.json", [bad])
    with pytest.raises(InputError, match=r"task 3: there is no column of query ids among"):
        Qrels.read(path)


# In the shell.


def test_the_shell_takes_levels_and_several_files(tmp_path: Path) -> None:
    trec = tmp_path / "qrels.txt"
    trec.write_text("q 0 a 1\nq 0 b 0\n")
    judged = lines(tmp_path / "judged.jsonl", {"query_id": "q", "doc_id": "c", "label": 0.5})
    runs = [tmp_path / "before.run", tmp_path / "after.run"]
    runs[0].write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\n")
    runs[1].write_text("q Q0 c 1 3 t\nq Q0 d 2 2 t\n")
    levels = "--grades", "0=0,0.5=1,1=2"
    several = "--qrels", trec, "--qrels", judged, *levels
    done = shell("compare", *runs, "-m", "nDCG@2", *several, "--format", "csv")
    assert done.code == 0
    assert done.err == f"medir: {trec} and {judged}: read as TREC text; JSON judgments\n"
    qrels = {"q": {"a": 2, "b": 0, "c": 1}}
    expected = medir.compare(runs[0], runs[1], "nDCG(max_grade=2)@2", qrels=qrels)
    med = float(done.out.splitlines()[1].split(",")[2])
    assert med == expected.column("nDCG(max_grade=2)@2")[0]
    done = shell("score", runs[0], "-m", "P@2", *several)
    assert done.code == 0
    done = shell("compare", *runs, "--qrels", judged)
    assert done.code == 2
    assert "--grades 0=0,0.5=1,1=2" in done.err
    for wrong in ("0.5", "0.5=x", "=1", "1=1,1=2"):
        done = shell("compare", *runs, "--qrels", judged, "--grades", wrong)
        assert done.code == 2
        assert wrong in done.err
