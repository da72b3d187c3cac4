"""The report in a folder: its files, read back, say what the comparison says of every query."""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir.comparing.columns import CHANGES
from medir.errors import UsageError
from medir.rendering.folders import recording as folder_recording
from medir.rendering.folders import scripts as folder_scripts
from medir.rendering.folders import table as folder_table
from medir.rendering.folders.writing import first_positions
from medir.rendering.pages.report import write_report
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES
from tests.cases.folders import Folder, generated, packed, unpacked
from tests.cases.pages import HOSTILE, HOSTILE_DOCUMENT, HOSTILE_QUERY, HOSTILE_TITLE
from tests.shell import good
from tests.shell import medir as medir_command

pytest.importorskip("jinja2")

QUERY_COUNT = 2500
# Every shape that the kernels write: sums with and without decay, AP, ideals, intents.
MEASURES = ["nDCG@5", "RBP(p=0.8)", "ERR", "RR@3", "AP@6", "nDCG(ideal='judged')@4", "P@8"]


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many files as a million queries have."""
    monkeypatch.setattr(folder_recording, "LARGEST_SHARD", 64)
    monkeypatch.setattr(folder_table, "CHUNK", 1000)
    monkeypatch.setattr(folder_table, "SEARCHED", 512)
    monkeypatch.setattr(folder_table, "PER_BUCKET", 100)


def report(result: Any, path: Path, **options: Any) -> Folder:
    write_report(result, f"{path}/", **options)
    return Folder(path)


@pytest.fixture
def compared() -> medir.Comparison:
    before, after, qrels = generated(QUERY_COUNT)
    return medir.compare(before, after, [*MEASURES, "RBO(p=0.9)"], qrels=qrels)


@pytest.mark.usefixtures("small_shards")
def test_rows_of_all_queries(compared: medir.Comparison, tmp_path: Path) -> None:
    folder = report(compared, tmp_path / "out")
    rows, columns = folder.rows(), folder.page["columns"]
    assert [row["id"] for row in rows] == compared.queries
    assert len(folder.names("rows")) == math.ceil(len(compared) / 64)
    for m, measure in enumerate(MEASURES):
        for c, name in enumerate(columns):
            written = np.array([row["values"][m][c] for row in rows])
            np.testing.assert_array_equal(written, compared.column(measure, name))
        for c, name in enumerate(CHANGES):
            written = np.array([row["changes"][m][c] for row in rows])
            np.testing.assert_array_equal(written, compared.change(name, measure))
    overlap = np.array([row["beside"][0] for row in rows])
    np.testing.assert_array_equal(overlap, compared.column("RBO(p=0.9)"))


@pytest.mark.usefixtures("small_shards")
def test_columns_are_the_rows_in_one(compared: medir.Comparison, tmp_path: Path) -> None:
    folder = report(compared, tmp_path / "out")
    places = folder.layout["places"]
    for m, measure in enumerate(MEASURES):
        for c, name in enumerate(folder.page["columns"]):
            whole = folder.column("numbers", places["values"][m][c])
            np.testing.assert_array_equal(whole, compared.column(measure, name))
        for c, name in enumerate(CHANGES):
            whole = folder.column("counts", places["changes"][m][c])
            np.testing.assert_array_equal(whole, compared.change(name, measure))


@pytest.mark.usefixtures("small_shards")
def test_every_query_is_found_by_its_id_and_by_search(
    compared: medir.Comparison, tmp_path: Path
) -> None:
    folder = report(compared, tmp_path / "out")
    found: dict[int, list[int]] = {}
    buckets = folder.layout["buckets"]
    assert buckets == 32
    for number in range(buckets):
        pairs = folder.numbers(folder.script(f"ids/{number}"), np.uint32).reshape(-1, 2)
        for checksum, position in pairs.tolist():
            assert checksum % buckets == number
            found.setdefault(checksum, []).append(position)
    for position, query in enumerate(compared.queries):
        assert position in found[zlib.crc32(query.encode())]
    searched = [query for name in folder.names("search") for query in folder.script(name)["ids"]]
    assert searched == compared.queries


@pytest.mark.usefixtures("small_shards")
def test_lists_have_the_ranks_grades_and_relevance_of_explain(
    compared: medir.Comparison, tmp_path: Path
) -> None:
    folder = report(compared, tmp_path / "out")
    lists, formulas = folder.lists(), folder.page["formulas"]
    assert len(lists) == len(compared)
    for position, record in enumerate(lists):
        before, after = compared.lists(compared.queries[position])
        assert record[1:3] == [len(before), len(after)]
        for m, measure in enumerate(MEASURES):
            why = compared.explain_at(position, measure)
            reach = why.measure.reach or math.inf
            written = unpacked(record, formulas[m], m)
            expected = packed(why)
            for name, (*ranks, grade, gain, loss) in written.items():
                seen = [rank if rank and rank <= reach else None for rank in ranks]
                if seen == [None, None]:
                    assert name not in expected
                else:
                    assert expected[name] == (*seen, grade, gain, loss)
            assert expected.keys() <= written.keys()


def test_norms_are_those_of_the_judgments(tmp_path: Path) -> None:
    run = {"one": ["a", "b"], "none": ["a", "b"], "two": ["a", "b"]}
    qrels = {"one": {"a": 1}, "none": {"a": 0}, "two": {"a": 1, "x": 1}}
    turned = {query: ["b", "a"] for query in run}
    names = ["AP(ideal='judged')@2", "P@2", "AP(ideal='judged')@1"]
    folder = report(medir.compare(run, turned, names, qrels=qrels), tmp_path / "out")
    assert [record[7] for record in folder.lists()] == [[1, 1], [0, 0], [2, 2]]
    assert [formula["norm"] for formula in folder.page["formulas"]] == [None, 2.0, None]


def test_intents_have_their_relevance_one_after_the_other(tmp_path: Path) -> None:
    before, after = {"q": ["a", "b", "c"]}, {"q": ["c", "b", "d"]}
    qrels = {"q": {"i1": {"a": 1, "c": 0}, "i2": {"b": 1}}}
    result = medir.compare(before, after, "alpha_nDCG@3", qrels=qrels)
    folder = report(result, tmp_path / "out")
    (record,) = folder.lists()
    why = result.explain_at(0)
    assert unpacked(record, folder.page["formulas"][0], 0) == packed(why)
    assert len(record[5][0]) == 2 * 4


def test_without_judgments_gain_and_loss_are_written_once(tmp_path: Path) -> None:
    before = {str(n): ["a", "b", "c"] for n in range(300)}
    after = {str(n): ["a", "b", "d"] if n % 2 else ["b", "a", "c"] for n in range(300)}
    folder = report(medir.compare(before, after, "P@3"), tmp_path / "out")
    assert folder.layout["places"]["values"] == [[0, 0, 0]]
    assert all(record[4] == "" for record in folder.lists())


def test_the_page_has_the_first_rows(compared: medir.Comparison, tmp_path: Path) -> None:
    folder = report(compared, tmp_path / "out")
    positions = folder.layout["positions"]
    med = compared.column()
    order = sorted(range(len(med)), key=lambda at: (math.isnan(med[at]), -med[at], at))
    assert positions == order[:200]
    assert [row["id"] for row in folder.page["rows"]] == [compared.queries[at] for at in positions]
    assert folder.page["total"] == len(compared)


@pytest.mark.parametrize("most", [1, 3, 4, 6, 10])
def test_first_positions(most: int) -> None:
    values = np.array([0.5, np.nan, 0.7, 0.5, 0.0, 0.5])
    assert first_positions(values, most) == [2, 0, 3, 5, 4, 1][:most]


def test_texts_titles_and_segments(tmp_path: Path) -> None:
    result = medir.compare(BEFORE, AFTER, "nDCG@20", queries=QUERIES, by="segment")
    folder = report(result, tmp_path / "out", documents=DOCUMENTS)
    rows = folder.rows()
    table = medir.Queries.of(QUERIES)
    segments = result.sample.segments
    assert segments is not None
    for row, code in zip(rows, segments.codes, strict=True):
        assert row["text"] == (table.text(row["id"]) or "")
        assert row["segment"] == code
    by_id = {row["id"]: row["text"] for row in rows}
    assert all(row["text"] == by_id[row["id"]] for row in folder.page["rows"])
    titles = dict(pair for name in folder.names("titles") for pair in folder.script(name))
    lines = DOCUMENTS.read_text(encoding="utf-8").splitlines()
    known = dict(line.split("\t")[:2] for line in lines)
    occurring = {name for record in folder.lists() for name in record[6]}
    assert {name: known[name] for name in occurring & known.keys()}.items() <= titles.items()
    assert len(titles.keys() - occurring) < 3  # bits that are shared


def halves(relevance: Any) -> float:
    """A measure of the user's own."""
    return float(sum(c * 0.5**rank for rank, c in enumerate(relevance, 1)))


def test_what_no_kernel_writes_has_the_same_files(tmp_path: Path) -> None:
    before, after, qrels = generated(60, depth=4)
    own = medir.define("halves", halves, values=(0, 1)) @ 4
    result = medir.compare(before, after, ["nDCG@4", own], qrels=qrels)
    folder = report(result, tmp_path / "out", documents={"d1": "one"})
    assert folder.page["formulas"] is None
    (name,) = folder.names("lists")
    content = folder.script(name)
    assert [row["id"] for row in folder.rows()] == result.queries
    for position, detail in enumerate(content["lists"]):
        for parts, measure in zip(detail["parts"], result.measures, strict=True):
            why = result.explain_at(position, measure)
            assert parts["sentence"] == why.sentence
            named = [content["documents"][one[0]][0] for one in detail["documents"]]
            gains = dict(zip(named, parts["gain"], strict=True))
            for one in why.documents:
                assert gains[one.document][1] == pytest.approx(one.gain, abs=1e-6)
    titles = [pair for bucket in folder.names("titles") for pair in folder.script(bucket)]
    assert titles == [["d1", "one"]]


def test_time_biased_gain_and_passages(tmp_path: Path) -> None:
    runs = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    timed = medir.compare(*runs, "TBG", lengths={"a": 10, "b": 300, "c": 50})
    folder = report(timed, tmp_path / "timed")
    assert folder.page["formulas"] is None
    assert folder.script("lists/0")["lists"][0]["parts"][0]["sentence"] == (
        timed.explain("q").sentence
    )
    passages = medir.compare_passages(
        {"q": [("d", 0, 10)]}, {"q": [("d", 5, 20), ("e", 0, 9)]}, "U@40"
    )
    folder = report(passages, tmp_path / "passages", documents={"e": "the title of e"})
    assert folder.rows()[0]["id"] == "q"
    titles = [pair for bucket in folder.names("titles") for pair in folder.script(bucket)]
    assert {title for _, title in titles} == {"the title of e"}


def test_hostile_ids(tmp_path: Path) -> None:
    odd = ["a\nb", "tab\t", "nul\x00", "\u2028", "__proto__", "\udce9", "back\\slash`${1}"]
    before = {**HOSTILE[0], **{query: [query, "x"] for query in odd}}
    after = {**HOSTILE[1], **{query: ["x", query] for query in odd}}
    result = medir.compare(before, after, "P@1")
    titles = {HOSTILE_DOCUMENT: HOSTILE_TITLE, "__proto__": "prototype"}
    folder = report(result, tmp_path / "out", documents=titles, queries={HOSTILE_QUERY: "<b>"})
    shown = [medir.errors.shown(query) for query in result.queries]
    assert [row["id"] for row in folder.rows()] == shown
    assert HOSTILE_QUERY in shown
    lists = folder.lists()
    for position, query in enumerate(shown):
        if query not in (HOSTILE_QUERY, "plain"):
            assert lists[position][6] == [query, "x"]
    named = dict(pair for name in folder.names("titles") for pair in folder.script(name))
    assert named == {HOSTILE_DOCUMENT: HOSTILE_TITLE, "__proto__": "prototype"}


def test_ids_that_are_numbers(tmp_path: Path) -> None:
    before, after = np.array([[5, 70], [8, 9]]), np.array([[70, 5], [8, 1]])
    folder = report(medir.compare(before, after, "P@1"), tmp_path / "out")
    assert [record[6] for record in folder.lists()] == [["5", "70"], ["8"]]


def test_more_ranks_than_a_digit_has(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(1200)]
    result = medir.compare({"q": names}, {"q": names[::-1]}, "RBP(p=0.99)", unseen="nothing")
    folder = report(result, tmp_path / "out")
    (record,) = folder.lists()
    written = unpacked(record, folder.page["formulas"][0], 0)
    assert written == packed(result.explain("q"))


def test_files_are_few_whatever_the_number_of_queries() -> None:
    for queries, results, size in ((10**6, 40, 1024), (50, 2000, 16), (10**7, 40, 16384)):
        assert folder_recording.shard_size(queries, results) == size
        assert queries / size <= 1000
    assert folder_scripts.buckets_for(10**6, folder_table.PER_BUCKET) == 64
    assert folder_scripts.buckets_for(10**9, folder_table.PER_BUCKET) == 512


# Whole or not at all.


def test_a_report_takes_the_place_of_an_earlier_one_only(tmp_path: Path) -> None:
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1")
    out = tmp_path / "out"
    out.mkdir()
    for _ in range(2):  # an empty folder, then a report
        report(result, out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    (out / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is no report of medir, so it is not replaced"):
        report(result, out)
    assert (out / "notes.txt").read_text() == "mine"
    other = tmp_path / "other"
    other.mkdir()
    (other / "index.html").write_text("<!doctype html>")
    for target in (other, tmp_path / "file"):
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match="is no report"):
            report(result, target)


def test_a_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    report(medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1"), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "index.html").is_file()


def test_what_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = medir.compare({"q": ["a"]}, {"q": ["b"]}, "P@1")
    folder = report(result, tmp_path / "out")
    earlier = {path: path.read_bytes() for path in folder.files}

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("medir.rendering.folders.scripts.Scripts.write", full)
    with pytest.raises(UsageError, match=r"cannot write .*No space left"):
        report(result, tmp_path / "out")
    assert {path: path.read_bytes() for path in folder.files} == earlier
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_chooses_queries_goes_with_one_file(
    compared: medir.Comparison, tmp_path: Path
) -> None:
    for options in ({"top": 5}, {"only": ["q1"]}, {"sample": 3}):
        with pytest.raises(UsageError, match="a folder holds all queries: leave out top, only"):
            report(compared, tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_inputs_are_not_in_the_folder_that_is_replaced(tmp_path: Path) -> None:
    data = tmp_path / "out" / "data"
    data.mkdir(parents=True)
    (tmp_path / "out" / "index.html").write_text('<meta name="generator" content="medir 0">')
    (data / "a.run").write_text("q Q0 a 1 1 x\n")
    result = medir.compare(data / "a.run", {"q": ["b"]}, "P@1")
    said = r"is replaced as a whole, and the input .*a.run' is in it"
    with pytest.raises(UsageError, match=said):
        report(result, tmp_path / "out")
    assert (data / "a.run").exists()


def test_the_same_comparison_gives_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether lists are written while queries are compared, or afterwards."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    options = ["--qrels", QRELS, "-m", "nDCG@20", "-m", "AP@10", "-m", "RBO"]
    good(medir_command("compare", BEFORE, AFTER, *options, "--report", f"{tmp_path}/a/"))
    result = medir.compare(BEFORE, AFTER, ["nDCG@20", "AP@10", "RBO"], qrels=QRELS)
    write_report(result, f"{tmp_path}/b/")
    first, second = (Folder(tmp_path / name) for name in ("a", "b"))
    contents = [
        {path.relative_to(one.path): path.read_bytes() for path in one.files}
        for one in (first, second)
    ]
    for one in contents:
        one.pop(Path("index.html"))  # the command is in it
    assert contents[0] == contents[1]


# In the shell.


def test_in_the_shell(tmp_path: Path) -> None:
    out = f"{tmp_path}/out/"
    said = good(medir_command("compare", BEFORE, AFTER, "--report", out, "--documents", DOCUMENTS))
    assert f"written to {out}" in said
    folder = Folder(tmp_path / "out")
    assert len(folder.rows()) == 240
    assert "medir compare" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    good(medir_command("compare", BEFORE, AFTER, "--qrels", QRELS, "--report", out[:-1]))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--query", "q120"), "--query and --sample choose the queries of one page"),
        (("--sample", "3"), "--query and --sample choose the queries of one page"),
        (("-o", "{}/rows.csv"), "is replaced as a whole, and"),
        (("-m", "RBO"), "a report needs a measure of effectiveness"),
        (("--memory", "1GB"), "--report shows lists, which --memory does not keep"),
    ],
)
def test_what_a_folder_cannot_be(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    out = f"{tmp_path}/out/"
    more = [one.format(f"{tmp_path}/out") for one in options]
    done = medir_command("compare", BEFORE, AFTER, "--report", out, *more)
    assert done.code == 2
    assert said in " ".join(done.err.split())
    assert list(tmp_path.iterdir()) == []
