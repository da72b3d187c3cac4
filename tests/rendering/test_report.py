"""The report as a file: its data, its size, what it says it leaves out, and the texts it takes."""

from __future__ import annotations

import gzip
import re
from contextlib import chdir
from pathlib import Path

import pytest

import medir
from medir.comparing.columns import MEANINGS
from medir.errors import InputError, MissingExtraError, UsageError
from medir.rendering.pages.report import write_report
from tests.cases.examples import AFTER, BEFORE, DOCUMENTS, QRELS, QUERIES
from tests.cases.pages import (
    HOSTILE,
    HOSTILE_DOCUMENT,
    HOSTILE_QUERY,
    HOSTILE_TEXT,
    HOSTILE_TITLE,
    Elements,
    data_of,
    notes,
)
from tests.shell import medir as medir_command
from tests.shell import python

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def compared() -> medir.Comparison:
    return medir.compare(BEFORE, AFTER, ["nDCG@20", "AP@10"], qrels=QRELS)


@pytest.fixture(scope="module")
def page(compared: medir.Comparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(compared, path, queries=QUERIES, documents=DOCUMENTS)
    return path


# What it holds.


def test_rows_are_the_most_affected_queries_unrounded(
    compared: medir.Comparison, page: Path
) -> None:
    data = data_of(page)
    assert [measure["name"] for measure in data["measures"]] == ["nDCG@20", "AP@10"]
    assert data["columns"] == ["med", "gain", "loss"]
    top = compared.top(200, "nDCG@20")
    assert len(top) == 183  # all that changed, of 240
    assert [row["id"] for row in data["rows"]] == [row.query_id for row in top]
    for row, position in zip(data["rows"], compared.most_affected(200), strict=True):
        for values, measure in zip(row["values"], compared.measures, strict=True):
            expected = [float(compared.column(measure, c)[position]) for c in data["columns"]]
            assert values == expected
        assert row["changes"] == compared.changes[:, :, position].tolist()


def test_texts_and_titles(page: Path) -> None:
    texts = dict(line.split("\t")[:2] for line in QUERIES.read_text().splitlines()[1:])
    titles = dict(line.split("\t") for line in DOCUMENTS.read_text().splitlines())
    data = data_of(page)
    assert {row["id"]: row["text"] for row in data["rows"]}.items() <= texts.items()
    assert len(data["documents"]) > 1000
    for document, title in data["documents"]:
        assert title == titles[document]


def test_lists_and_parts(compared: medir.Comparison, page: Path) -> None:
    """Both lists with their ranks and grades, and parts that add up to the value."""
    data = data_of(page)
    assert len(data["lists"]) == 183
    assert compared.judged is not None
    for row, detail in zip(data["rows"], data["lists"], strict=True):
        for side, run in enumerate(compared.runs):
            ranks = {data["documents"][d[0]][0]: d[1 + side] for d in detail["documents"]}
            shown = sorted((rank, document) for document, rank in ranks.items() if rank)
            wanted = run[row["id"]][:20] if row["id"] in run else []
            assert [document for _, document in shown] == wanted
            assert detail["length"][side] == len(wanted)
        known = row["id"] in compared.judged
        grades = compared.judged[row["id"]] if known else {}
        for number, *_, grade in detail["documents"]:
            assert grade == grades.get(data["documents"][number][0])
        for parts, values in zip(detail["parts"], row["values"], strict=True):
            for at, direction in enumerate(("gain", "loss")):
                total = sum(part[1] for part in parts[direction] if part)
                total += parts["unseen"][at] + parts["rest"][at + 1]
                value = values[data["columns"].index(direction)]
                assert total == pytest.approx(value, abs=1e-4)


def test_ranks_that_a_measure_does_not_look_at_have_no_part(page: Path) -> None:
    data = data_of(page)
    assert [measure["reach"] for measure in data["measures"]] == [20, 10]
    for detail in data["lists"]:
        for (_, before, after, _), part in zip(
            detail["documents"], detail["parts"][1]["loss"], strict=True
        ):
            assert (part is None) == all(rank == 0 or rank > 10 for rank in (before, after))


def test_summary_and_distribution(compared: medir.Comparison, page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for measure in compared.measures:
        summary = compared.summary(measure)
        values = [*summary.med[:4], summary.mean("gain"), summary.mean("loss")]
        for value in values:
            assert f'<td data-value="{value}">{value:.4f}</td>' in text
        assert summary.interval is not None
        low, high = summary.interval
        assert f'<td class="interval">{low:.4f} to {high:.4f}</td>' in text
    bars = re.findall(r'<tr><th scope="row">([\d.–]+)</th><td class="bar".*?</td><td>(\d+)', text)
    assert len(bars) == 42
    med = compared.column("nDCG@20")
    assert sum(int(count) for _, count in bars[:21]) == len(med) == 240
    assert int(bars[0][1]) == sum(med <= 1e-12)
    assert dict(bars[1:21])["0.50–0.55"] == str(sum((med >= 0.5) & (med < 0.55)))


def test_scatter_only_with_judgments(page: Path, tmp_path: Path) -> None:
    assert page.read_text(encoding="utf-8").count("<circle") == 2 * 240
    plain = tmp_path / "plain.html"
    write_report(medir.compare(BEFORE, AFTER), plain)
    assert "<circle" not in plain.read_text(encoding="utf-8")
    assert "Gain against loss" not in plain.read_text(encoding="utf-8")


def test_columns_are_shown_where_they_say_something(tmp_path: Path) -> None:
    """Gaps where something is not proven, unseen and lower where lists were cut short of it."""
    page = tmp_path / "report.html"
    result = medir.compare(BEFORE, AFTER, "ERR@20", effort=1)
    gaps = [name for name in ("gap", "gain_gap", "loss_gap") if result.column(None, name).any()]
    assert "gap" in gaps
    write_report(result, page)
    data = data_of(page)
    assert data["columns"] == ["med", "gain", "loss", *gaps]
    position = result.most_affected(1)[0]
    for name, value in zip(data["columns"], data["rows"][0]["values"][0], strict=True):
        assert value == float(result.column("ERR@20", name)[position])
    cut = medir.compare(BEFORE, AFTER, "nDCG@20", depth=15)
    assert cut.column(None, "unseen").any()
    write_report(cut, page)
    assert data_of(page)["columns"] == ["med", "gain", "loss", "lower", "unseen"]
    terms = re.findall(r"<dt>(.*?)</dt>", page.read_text(encoding="utf-8"))
    assert [term for term in terms if term in MEANINGS] == data_of(page)["columns"]


def test_repeated_documents_count_where_they_stand_higher(tmp_path: Path) -> None:
    before, after = {"q": ["a", "b", "a", "c"]}, {"q": ["c", "a"]}
    result = medir.compare(before, after, "P@3", duplicates="first", depth=3)
    write_report(result, tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    ranks = {data["documents"][n][0]: (b, a) for n, b, a, _ in data["lists"][0]["documents"]}
    assert ranks == {"a": (1, 2), "b": (2, 0), "c": (3, 1)}


@pytest.mark.parametrize("measure", ["ERR", "RBP(p=0.9)", "alpha_nDCG@10", "DCG@5"])
def test_every_kind_of_measure(measure: str, tmp_path: Path) -> None:
    qrels = {"q": {"1": {"a": 1}, "2": {"b": 2}}} if measure.startswith("alpha") else None
    before, after = {"q": ["a", "b", "c"]}, {"q": ["c", "d", "a"]}
    write_report(medir.compare(before, after, measure, qrels=qrels), tmp_path / "report.html")
    (detail,) = data_of(tmp_path / "report.html")["lists"]
    assert len(detail["documents"]) == 4


# Escaping.


def hostile(folder: Path) -> Path:
    path = folder / "hostile.html"
    write_report(
        medir.compare(*HOSTILE, "P@3", qrels={HOSTILE_QUERY: {HOSTILE_DOCUMENT: 1}}),
        path,
        queries={HOSTILE_QUERY: HOSTILE_TEXT},
        documents={HOSTILE_DOCUMENT: HOSTILE_TITLE},
    )
    return path


def test_markup_stays_text(tmp_path: Path) -> None:
    page = hostile(tmp_path)
    elements = Elements(page)
    assert elements.names.count("script") == 2
    assert not {"img", "b onclick"} & set(elements.names)
    assert "onerror" not in dict(elements.attributes)
    assert "\u2028" not in page.read_text(encoding="utf-8")
    data = data_of(page)
    assert data["rows"][0]["id"] == HOSTILE_QUERY
    assert data["rows"][0]["text"] == " ".join(HOSTILE_TEXT.split())
    assert [HOSTILE_DOCUMENT, HOSTILE_TITLE] in data["documents"]


def test_names_of_files_stay_text(tmp_path: Path) -> None:
    run = tmp_path / "<img src=x>&.run"
    run.write_bytes(BEFORE.read_bytes())
    write_report(medir.compare(run, AFTER), tmp_path / "report.html")
    elements = Elements(tmp_path / "report.html")
    assert "img" not in elements.names
    assert f"{run}" in elements.text


def test_nothing_is_loaded_from_elsewhere(page: Path) -> None:
    elements = Elements(page)
    links = [value for name, value in elements.attributes if name in ("src", "href", "data")]
    assert links == ["#queries"]
    text = page.read_text(encoding="utf-8")
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text


def test_ids_that_are_no_utf8(tmp_path: Path) -> None:
    for name, document in (("a", b"x\xff"), ("b", b"y")):
        (tmp_path / name).write_bytes(b"q\xfe Q0 %b 1 1 t\n" % document)
    write_report(medir.compare(tmp_path / "a", tmp_path / "b"), tmp_path / "report.html")
    data = data_of(tmp_path / "report.html")
    assert data["rows"][0]["id"] == r"q\xfe"
    assert [r"x\xff"] in data["documents"]


# Size, and what is left out.


def synthetic(queries: int, depth: int, length: int = 0) -> medir.Comparison:
    """Lists of which every second document moves by one rank."""
    before = {
        f"query-{q}": [f"{'x' * length}document-{q}-{rank}" for rank in range(depth)]
        for q in range(queries)
    }
    after = {
        query: [ranking[rank ^ 1] if rank ^ 1 < depth else "new" for rank in range(depth)]
        for query, ranking in before.items()
    }
    qrels = {query: {ranking[0]: q % 3} for q, (query, ranking) in enumerate(before.items())}
    return medir.compare(before, after, ["nDCG@20", "RBP(p=0.9)"], qrels=qrels)


@pytest.mark.slow
def test_many_queries(tmp_path: Path) -> None:
    """A scatter of squares that count every query, and a small file."""
    page = tmp_path / "report.html"
    write_report(synthetic(100_000, 3), page)
    assert page.stat().st_size < 500_000
    text = page.read_text(encoding="utf-8")
    assert "<circle" not in text
    assert 'class="cells"' in text
    assert "100,000" in text
    assert "the 200 most affected of 100,000 queries by nDCG@20" in notes(page)
    assert len(data_of(page)["lists"]) == 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("depth", "length", "said"),
    [
        (120, 60, "the first 50 of up to 120 ranks"),
        (40, 150, "the first 20 of up to 40 ranks"),
        (20, 300, "add to nDCG@20 alone"),
        (20, 2000, "of these 200 queries are here"),
        (2, 20_000, "The lists of 25 of these 200 queries are here"),
    ],
)
def test_what_would_be_too_large_is_left_out_and_said(
    depth: int, length: int, said: str, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    write_report(synthetic(200, depth, length), page)
    assert page.stat().st_size < 2_000_000
    assert said in notes(page)


def test_whole_lists_that_are_cut_keep_their_sums(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(synthetic(3, 150), page)
    data = data_of(page)
    assert "the first 100 of up to 150 ranks" in notes(page)
    for row, detail in zip(data["rows"], data["lists"], strict=True):
        parts = detail["parts"][1]
        assert parts["rest"][0] > 0
        total = sum(part[1] for part in parts["loss"]) + parts["rest"][2] + parts["unseen"][1]
        assert total == pytest.approx(row["values"][1][2], abs=1e-3)


def test_top(compared: medir.Comparison, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(compared, page, top=240)
    assert len(data_of(page)["rows"]) == 183
    assert "all that changed as far as nDCG@20 looks: 183 of 240 queries" in notes(page)
    write_report(compared, page, top=20)
    ids = [row["id"] for row in data_of(page)["rows"]]
    assert ids == [row.query_id for row in compared.top(20)]
    assert "The table has the 20 most affected of 240 queries by nDCG@20." in notes(page)
    write_report(compared, page, top=0)
    assert data_of(page)["rows"] == []
    write_report(medir.compare(BEFORE, BEFORE, "P@5"), page)
    assert data_of(page)["rows"] == []
    assert "No query changed as far as P@5 looks." in notes(page)
    with pytest.raises(UsageError, match="top must be 0 or more"):
        write_report(compared, page, top=-1)


def test_queries_that_are_asked_for(compared: medir.Comparison, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    write_report(compared, page, only=["q013", "q120", "q013"])
    assert [row["id"] for row in data_of(page)["rows"]] == ["q013", "q120"]
    assert "The table has 2 queries that were asked for." in notes(page)
    with pytest.raises(UsageError, match="q-none"):
        write_report(compared, page, only=["q-none"])


def test_a_sample_goes_from_the_most_to_the_least_affected(
    compared: medir.Comparison, tmp_path: Path
) -> None:
    """Ten of 240: one of each 24 in the order of med."""
    page = tmp_path / "report.html"
    write_report(compared, page, sample=10)
    order = sorted(range(240), key=lambda i: -compared.column()[i])
    strata = [{compared.queries[i] for i in order[n : n + 24]} for n in range(0, 240, 24)]
    ids = [row["id"] for row in data_of(page)["rows"]]
    assert len(ids) == 10
    assert all(query in stratum for query, stratum in zip(ids, strata, strict=True))
    assert "a sample of 10 of 240 queries" in notes(page)
    write_report(compared, page, sample=1000, only=["q120"])
    ids = [row["id"] for row in data_of(page)["rows"]]
    assert ids[0] == "q120"
    assert sorted(ids) == sorted(compared.queries)
    with pytest.raises(UsageError, match="a sample has 0 queries or more"):
        write_report(compared, page, sample=-1)


def test_the_date_of_a_report_can_be_fixed(
    compared: medir.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "report.html"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    write_report(compared, page)
    assert "1970-01-02 00:00 UTC" in Elements(page).text
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "tomorrow")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH is a number of seconds"):
        write_report(compared, page)


def test_the_command_is_in_the_report(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    words = ["compare", BEFORE, AFTER, "-m", "RBP(p=0.9)", "--report", page, "--query", "q120"]
    assert medir_command(*words).code == 0
    assert "-m 'RBP(p=0.9)' --report" in Elements(page).text
    assert [row["id"] for row in data_of(page)["rows"]] == ["q120"]
    outcome = medir_command("compare", BEFORE, AFTER, "--sample", "3")
    assert outcome.code == 2
    assert "--query and --sample need a report" in outcome.err


# Texts.


def test_missing_texts_are_counted(compared: medir.Comparison, tmp_path: Path) -> None:
    texts = tmp_path / "few.tsv"
    texts.write_text("q238\tany or all\nnone\tno such query\n")
    write_report(compared, tmp_path / "report.html", queries=texts)
    assert f"{texts} has no text for 182 of these 183 queries." in notes(tmp_path / "report.html")


def test_files_that_cannot_be_read(compared: medir.Comparison, tmp_path: Path) -> None:
    damaged = tmp_path / "titles.gz"
    damaged.write_bytes(gzip.compress(b"d1\tone\n" * 1000)[:-20])
    for path, problem in (
        (tmp_path / "none", "there is no such file"),
        (tmp_path, "is a directory"),
        (damaged, "is truncated or damaged"),
    ):
        with pytest.raises(InputError, match=problem):
            write_report(compared, tmp_path / "report.html", documents=path)
    assert not (tmp_path / "report.html").exists()


# The file, and the command.


@pytest.mark.slow
def test_no_file_is_left_behind(compared: medir.Comparison, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write"):
        write_report(compared, tmp_path / "none" / "report.html")
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(UsageError, match="cannot write"):
        write_report(compared, tmp_path / "folder.html")
    assert [path.name for path in tmp_path.iterdir()] == ["folder.html"]


@pytest.mark.parametrize("name", ["r.pdf", "r", "r.html.gz", "-"])
def test_a_report_is_html(compared: medir.Comparison, name: str, tmp_path: Path) -> None:
    message = (
        "a report is HTML: end its name in .html, or in a slash for a folder of all queries, "
        f"not {name!r}"
    )
    with pytest.raises(UsageError, match=re.escape(message)), chdir(tmp_path):
        write_report(compared, name)
    outcome = medir_command("compare", "none", "none", "--report", name, cwd=tmp_path)
    assert outcome == (2, "", f"medir: {message}\n")
    assert not list(tmp_path.iterdir())


def test_the_same_comparison_gives_the_same_page(
    compared: medir.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    pages = [tmp_path / "first.html", tmp_path / "again.html"]
    for path in pages:
        write_report(compared, path, queries=QUERIES, documents=DOCUMENTS)
    assert pages[0].read_bytes() == pages[1].read_bytes()


def test_without_jinja2(
    compared: medir.Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("medir.rendering.pages.report.find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"needs jinja2: pip install 'medir\[report\]'"):
        write_report(compared, tmp_path / "report.html")


def test_the_comparison_does_not_load_jinja2() -> None:
    code = """
import sys
from medir.cli import main
try:
    main(["compare", *sys.argv[1:], "--top", "0"])
finally:
    print(*sys.modules, file=sys.stderr)
"""
    assert not {"jinja2", "medir.rendering"} & set(python(code, BEFORE, AFTER).err.split())


def test_command(tmp_path: Path) -> None:
    outcome = medir_command(
        "compare", BEFORE, AFTER, "--report", "r.html", "--queries", QUERIES,
        "--documents", DOCUMENTS, "--top", "220", cwd=tmp_path,
    )  # fmt: skip
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.endswith("\nwritten to r.html\n")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    rows = data_of(tmp_path / "r.html")["rows"]
    assert len(rows) == 183
    assert {row["id"]: row["text"] for row in rows}["q238"] == "any or all"
    assert "Weight of queries" in (tmp_path / "r.html").read_text(encoding="utf-8")


def test_command_with_rows_on_standard_output(tmp_path: Path) -> None:
    plain = medir_command("compare", BEFORE, AFTER, "--format", "csv")
    both = medir_command(
        "compare", BEFORE, AFTER, "--format", "csv", "--report", tmp_path / "r.html"
    )
    assert both == plain
    assert len(data_of(tmp_path / "r.html")["rows"]) == 183


def test_titles_go_with_a_report_and_texts_do_not_need_one() -> None:
    outcome = medir_command("compare", BEFORE, AFTER, "--documents", DOCUMENTS)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == "medir: --documents adds titles to a report: add --report FILE.html\n"
    shown = medir_command("compare", BEFORE, AFTER, "--queries", QUERIES)
    assert (shown.code, shown.err) == (0, "")
    assert "any or all" in shown.out


@pytest.mark.parametrize("option", ["--queries", "--documents"])
def test_a_missing_file_is_said_before_the_comparison(option: str, tmp_path: Path) -> None:
    outcome = medir_command(
        "compare", "none.run", AFTER, "--report", "r.html", option, "none.tsv", cwd=tmp_path
    )
    assert (outcome.code, outcome.err) == (2, "medir: none.tsv: there is no such file\n")
