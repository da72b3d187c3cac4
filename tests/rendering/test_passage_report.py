"""The report of runs of passages: stretches of text that add up to the values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import medir
from medir.rendering.pages.report import write_report
from tests.cases.pages import data_of
from tests.shell import EXAMPLES
from tests.shell import medir as medir_command

pytest.importorskip("jinja2")

BEFORE: Any = {
    "q1": [("a", 0, 30), ("b", 10, 20, 2.0)],
    "q2": [("a", 5, 20)],
    "q3": [("c", 0, 9)],
}
AFTER: Any = {
    "q1": [("b", 0, 25, 5.0), ("a", 10, 30)],
    "q2": [("a", 5, 20)],
    "q3": [("d", 0, 9)],
}
GOLD: Any = {"q1": [("a", 0, 12)]}
MEASURES = ["U@40", "TBG(half_life=3, speed=9)"]


@pytest.fixture(scope="module")
def compared() -> medir.PassageComparison:
    return medir.compare_passages(BEFORE, AFTER, MEASURES, gold=GOLD)


@pytest.fixture(scope="module")
def page(compared: medir.PassageComparison, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    titles = {"a": "The first", "d": "The last"}
    write_report(compared, path, queries={"q1": "what?"}, documents=titles)
    return path


def test_rows_are_the_values(compared: medir.PassageComparison, page: Path) -> None:
    data = data_of(page)
    assert [one["name"] for one in data["measures"]] == [repr(one) for one in compared.measures]
    for row, position in zip(data["rows"], compared.most_affected(3), strict=True):
        assert row["id"] == compared.queries[position]
        assert row["values"] == compared.values[:, :3, position].tolist()
        assert row["changes"] == compared.changes[:, :, position].tolist()
    assert data["columns"] == ["med", "gain", "loss"]
    assert [row["id"] for row in data["rows"]] == ["q1", "q3"]  # q2 is unchanged
    assert data["changed"] == "characters"


def test_parts_add_up_to_the_values(page: Path) -> None:
    data = data_of(page)
    assert len(data["lists"]) == 2
    for row, detail in zip(data["rows"], data["lists"], strict=True):
        for parts, values in zip(detail["parts"], row["values"], strict=True):
            for number, direction in enumerate(("gain", "loss"), 1):
                added = sum(part for _, part in parts[direction])
                total = added + parts["unseen"][number - 1] + parts["rest"][number]
                assert total == pytest.approx(values[number], abs=1e-4), (row["id"], direction)


def test_stretches_stand_in_the_order_of_the_texts(page: Path) -> None:
    data = data_of(page)
    detail = data["lists"][[row["id"] for row in data["rows"]].index("q1")]
    names = [data["documents"][number] for number, *_ in detail["documents"]]
    places = [places for _, *places in detail["documents"]]
    found = {name[0]: tuple(place) for name, place in zip(names, places, strict=True)}
    # Before: a 0-30, then b 10-30. After: b 0-25, then a 10-40. Gold: a 0-12.
    assert found == {
        "a 0-10": (1, 0, 1), "a 10-12": (2, 3, 1), "a 12-30": (3, 4, 0), "a 30-40": (0, 5, 0),
        "b 0-10": (0, 1, None), "b 10-25": (4, 2, None), "b 25-30": (5, 0, None),
    }  # fmt: skip
    assert {name[0]: name[1] for name in names if len(name) > 1} == {
        "a 0-10": "The first", "a 10-12": "The first", "a 12-30": "The first",
        "a 30-40": "The first",
    }  # fmt: skip


def test_the_page_speaks_of_text(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert "any relevance of its text" in text
    assert "characters that are new" in text
    assert "documents without a gold passage are unknown" in text
    assert "Gain against loss" in text


def test_in_the_shell(tmp_path: Path) -> None:
    runs = [EXAMPLES / "passages" / name for name in ("before.txt", "after.txt")]
    page = tmp_path / "report.html"
    shown = medir_command("passages", *runs, "--report", page)
    assert shown.code == 0, shown.err
    assert shown.out.endswith(f"\nwritten to {page}\n")
    assert [row["id"] for row in data_of(page)["rows"]] == ["2", "1"]
    text = page.read_text(encoding="utf-8")
    assert '<p class="verdict">Both queries changed. On average these could move U@12000' in text
    refused = medir_command("passages", *runs, "--documents", "d.tsv")
    assert refused.code == 2
    assert "add --report FILE.html" in refused.err


def test_segments_and_checks(tmp_path: Path) -> None:
    runs = [EXAMPLES / "passages" / name for name in ("before.txt", "after.txt")]
    page, queries = tmp_path / "report.html", tmp_path / "queries.tsv"
    queries.write_text("query_id\ttext\tweight\tkind\n1\tcapitals\t3\thead\n2\tharbours\t1\ttail\n")
    options = ["--queries", queries, "--by", "kind", "--fail-above", "max:U@12000=9000"]
    assert medir_command("passages", *runs, *options, "--report", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert '<li class="passed"><b>ok</b>' in text
    assert "<b>U@12000</b> by kind" in text
    assert "Weight of queries by med" in text
    assert [row["text"] for row in data_of(page)["rows"]] == ["harbours", "capitals"]
