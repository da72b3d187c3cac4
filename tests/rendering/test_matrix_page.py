"""The page of a matrix: its numbers are those of the matrix, of comparisons and of judgments."""

from __future__ import annotations

import base64
import random
from itertools import combinations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import medir
from medir.errors import UsageError
from tests.cases.pages import Elements, data_of, notes
from tests.cases.studies import collection

for library in ("jinja2", "scipy", "matplotlib"):
    pytest.importorskip(library)

from medir.rendering.pages.matrix import page as pages  # noqa: E402
from medir.rendering.pages.matrix.data import Plan  # noqa: E402

GIVEN = collection()
GROUPS = {name: member.group for name, member in GIVEN.members.items()}
NONE = 0xFFFF


def unpacked(text: str, kind: str) -> list[Any]:
    found: list[Any] = np.frombuffer(base64.b64decode(text), f"<{kind}").tolist()
    return found


def page_of(result: medir.Matrix, folder: Path, **options: Any) -> dict[str, Any]:
    result.report(folder / "matrix.html", **options)
    return data_of(folder / "matrix.html")


def test_distances_are_those_of_the_matrix(tmp_path: Path) -> None:
    result = medir.matrix(GIVEN.runs, ["nDCG@20", "RBO(p=0.9)"], qrels=GIVEN.qrels)
    data = page_of(result, tmp_path)
    assert data["names"] == list(GIVEN.runs)
    pairs = list(combinations(range(len(GIVEN.runs)), 2))
    med, similarity = (unpacked(one["values"], "f8") for one in data["measures"])
    assert med == [result.mean("nDCG@20")[pair] for pair in pairs]
    assert similarity == [1 - result.mean("RBO(p=0.9)")[pair] for pair in pairs]
    assert [one["label"] for one in data["measures"]] == ["mean MED-nDCG@20", "1 - mean RBO(p=0.9)"]


def shuffled(runs: dict[str, dict[str, list[str]]]) -> dict[str, dict[str, list[str]]]:
    """The same runs, each with its queries in another order; the third has not all of them."""
    chance, found = random.Random(1), {}
    for number, (name, lists) in enumerate(runs.items()):
        queries = chance.sample(list(lists), len(lists) - (number == 2))
        found[name] = {query: lists[query] for query in queries}
    return found


def short(lists: dict[str, list[str]]) -> dict[str, list[str]]:
    return {query: documents[:12] for query, documents in lists.items()}


@pytest.mark.parametrize("measure", ["nDCG@20", "P@3", "RBP(p=0.8)", "AP@10", "Overlap@5"])
@pytest.mark.parametrize("judged", [False, True])
def test_the_most_different_queries_are_those_of_a_comparison(
    tmp_path: Path, measure: str, judged: bool
) -> None:
    """Also where many are equal, runs do not have the same queries, or lists are cut."""
    runs = shuffled({name: short(lists) for name, lists in GIVEN.runs.items()})
    first, second = list(runs)[:2]
    runs[second]["q1"] = runs[first]["q1"]  # unseen ranks alone
    qrels = GIVEN.qrels if judged else None
    data = page_of(medir.matrix(runs, measure, qrels=qrels), tmp_path)
    (one,) = data["measures"]
    queries = np.reshape(unpacked(one["peaks"], "u2"), (-1, data["most"]))
    values = np.reshape(unpacked(one["peak_values"], "f4"), (-1, data["most"]))
    for (a, b), numbers, shown in zip(combinations(runs, 2), queries, values, strict=True):
        compared = medir.compare(runs[a], runs[b], measure, qrels=qrels)
        column = compared.column()
        apart = 1 - column if one["label"].startswith("1 - ") else column
        expected = [at for at in compared.most_affected(len(column)) if apart[at] > 0][:5]
        found = [data["queries"][number] for number in numbers if number != NONE]
        assert found == [compared.queries[at] for at in expected]
        assert shown[: len(found)] == pytest.approx([apart[at] for at in expected], abs=1e-7)


def test_scores_and_true_differences_are_those_of_the_judgments(tmp_path: Path) -> None:
    """Both truths by their definitions, over the judged queries."""
    data = page_of(medir.matrix(GIVEN.runs, "nDCG@20", qrels=GIVEN.qrels), tmp_path)
    truth = data["measures"][0]["truth"]
    scores = {
        name: dict(medir.score(run, "nDCG@20", GIVEN.qrels)) for name, run in GIVEN.runs.items()
    }
    judged = list(GIVEN.qrels)
    means = {name: sum(some[q] for q in judged) / len(judged) for name, some in scores.items()}
    assert truth["queries"] == len(judged)
    assert truth["means"] == pytest.approx(list(means.values()), abs=1e-12)
    pairs = list(combinations(GIVEN.runs, 2))
    of_means = [abs(means[a] - means[b]) for a, b in pairs]
    by_query = [sum(abs(scores[a][q] - scores[b][q]) for q in judged) / 5 for a, b in pairs]
    assert unpacked(truth["of_means"], "f4") == pytest.approx(of_means, abs=1e-6)
    assert unpacked(truth["by_query"], "f4") == pytest.approx(by_query, abs=1e-6)
    table = np.reshape(unpacked(data["measures"][0]["scores"], "f4"), (len(scores), -1))
    for name, row in zip(scores, table.tolist(), strict=True):
        for query, value in zip(data["queries"], row, strict=True):
            if query in GIVEN.qrels:
                assert value == pytest.approx(scores[name][query], abs=1e-6)
            else:
                assert isnan(value)


def test_the_page_says_which_queries_are_not_judged(tmp_path: Path) -> None:
    medir.matrix(GIVEN.runs, "nDCG@20", qrels=GIVEN.qrels).report(tmp_path / "m.html")
    assert "1 query has no judgments" in notes(tmp_path / "m.html")


def test_a_run_without_a_judged_query_has_no_score(tmp_path: Path) -> None:
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}, "other": {"p": ["x", "y"]}}
    (one,) = page_of(medir.matrix(runs, "P@1", qrels={"q": {"x": 1}}), tmp_path)["measures"]
    assert one["truth"]["means"] == [1.0, 0.0, None]
    assert "No query of other is judged: it has no score." in notes(tmp_path / "matrix.html")
    assert "a has the highest mean P@1 (1.000)" in Elements(tmp_path / "matrix.html").text
    with pytest.raises(medir.InputError, match="no query of a is judged"):
        medir.matrix(runs, "P@1", qrels={"r": {"x": 1}}).report(tmp_path / "matrix.html")


def test_the_page_begins_with_the_best_run(tmp_path: Path) -> None:
    path = tmp_path / "matrix.html"
    runs = {"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}, "three": {"q": ["c", "b"]}}
    medir.matrix(runs, "P@2", qrels={"q": {"a": 1, "b": 1}}).report(path)
    assert "three the lowest (0.500)" in Elements(path).text
    medir.matrix(runs, "P@2", qrels={"q": {"b": 1}}).report(path)
    assert "all runs have the same mean P@2 (0.500)" in Elements(path).text


def test_the_tree_has_each_run_once_and_the_map_its_stress(tmp_path: Path) -> None:
    result = medir.matrix(GIVEN.runs, "nDCG@20")
    (one,) = page_of(result, tmp_path, groups=GROUPS)["measures"]
    assert sorted(one["tree"]) == list(range(len(GIVEN.runs)))
    assert one["truth"] is None
    points, means = np.array(one["points"]), result.mean()
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    above = np.triu_indices(len(points), 1)
    raw = ((between - means)[above] ** 2).sum() / (between[above] ** 2).sum()
    assert one["stress"] == pytest.approx(np.sqrt(raw), abs=1e-4)


def test_ten_groups_have_a_colour(tmp_path: Path) -> None:
    runs = {f"run{n}": {"q": [f"d{n}", "x"]} for n in range(13)}
    groups = {name: f"group {n % 12:02}" for n, name in enumerate(runs)}
    data = page_of(medir.matrix(runs, "P@1"), tmp_path, groups=groups)
    names = [name for name, *_ in data["styles"]]
    assert names == [*(f"group {n:02}" for n in range(10)), "2 other groups"]
    assert len({colour for _, colour, _ in data["styles"]}) == 11
    assert data["own"] == list(groups.values())
    assert [names[n] for n in data["groups"][9:12]] == ["group 09", *["2 other groups"] * 2]


def test_names_are_short_where_they_are_drawn(tmp_path: Path) -> None:
    runs = {f"input.{name}.run.gz": {"q": [name]} for name in ("bm25", "dense")}
    data = page_of(medir.matrix(runs, "P@1"), tmp_path)
    assert data["labels"] == ["bm25", "dense"]
    assert data["names"] == list(runs)
    assert data["measures"][0]["points"] is None


def test_a_large_page_has_fewer_queries_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = medir.matrix(GIVEN.runs, "nDCG@20", qrels=GIVEN.qrels)
    path = tmp_path / "matrix.html"
    whole = page_of(result, tmp_path)
    full = path.stat().st_size
    kept = [5]
    for step in range(1, 12):
        monkeypatch.setattr(pages, "MOST_BYTES", full - 100 * step)
        data = page_of(result, tmp_path)
        size = path.stat().st_size
        assert size <= full - 100 * step + 300 or data["most"] == 0  # the notes that are added
        if data["most"]:
            numbers = np.reshape(unpacked(data["measures"][0]["peaks"], "u2"), (-1, data["most"]))
            every = np.reshape(unpacked(whole["measures"][0]["peaks"], "u2"), (-1, 5))
            ids = [[data["queries"][n] for n in row if n != NONE] for row in numbers]
            assert ids == [
                [whole["queries"][n] for n in row[: data["most"]] if n != NONE] for row in every
            ]
        kept.append(data["most"])
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] == 0
    assert "are not here" in notes(path)
    assert next(Plan.every()).queries == 5


def test_names_are_text_and_not_markup(tmp_path: Path) -> None:
    bad = "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "tab\there"
    runs = {name: {"<b>q</b>": [name]} for name in bad}
    path = tmp_path / "matrix.html"
    medir.matrix(runs, "P@1", qrels={"<b>q</b>": {bad[0]: 1}}).report(
        path, groups=dict.fromkeys(runs, "<i>g</i>"), command="medir matrix '<u>'"
    )
    names = Elements(path).names
    assert names.count("script") == 2
    assert not {"img", "b", "u"} & set(names)
    assert data_of(path)["names"][0] == bad[0]


def test_measures_without_distances_are_left_out(tmp_path: Path) -> None:
    result = medir.matrix(GIVEN.runs, ["nDCG@20", "tau_ap@10"])
    data = page_of(result, tmp_path)
    assert [one["name"] for one in data["measures"]] == ["nDCG@20"]
    assert "not symmetric" in notes(tmp_path / "matrix.html")
    with pytest.raises(UsageError, match="not symmetric"):
        medir.matrix(GIVEN.runs, "tau_ap@10").report(tmp_path / "other.html")
    with pytest.raises(UsageError, match="all pairs"):
        medir.matrix(GIVEN.runs, "nDCG@20", against="north-0").report(tmp_path / "other.html")
    assert not (tmp_path / "other.html").exists()


def test_runs_of_passages(tmp_path: Path) -> None:
    runs: Any = {
        name: {"q": [(document, 0, 30) for document in ranking]}
        for name, ranking in {"a": "xy", "b": "yx", "c": "zx"}.items()
    }
    result = medir.passage_matrix(runs, "U@40")
    data = page_of(result, tmp_path)
    means = [result.mean()[pair] for pair in combinations(range(3), 2)]
    assert unpacked(data["measures"][0]["values"], "f8") == means


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    result = medir.matrix(GIVEN.runs, "P@1")
    with pytest.raises(UsageError, match=r"end its name in \.html"):
        result.report(tmp_path / "matrix.txt")
    groups = tmp_path / "groups.html"
    groups.write_text("run,group\nother,a\n")
    with pytest.raises(UsageError, match="no run here is in the column run"):
        result.report(tmp_path / "matrix.html", groups=groups)
    with pytest.raises(UsageError, match="same file"):
        result.report(groups, groups=groups)
    run = tmp_path / "run.html"
    run.write_text("q Q0 a 1 1 t\n")
    files = medir.matrix({"a": run, "b": {"q": ["b"]}}, "P@1")
    for write in (files.report, lambda path: files.write(path, "csv")):
        with pytest.raises(UsageError, match="would overwrite"):
            write(run)
    assert run.read_text() == "q Q0 a 1 1 t\n"


@pytest.mark.slow
def test_real_runs(data: Path, tmp_path: Path) -> None:
    """48 runs of TREC-COVID: distances, queries and scores are those of the other commands."""
    folder = data / "trec-covid-r5"
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}
    result = medir.matrix(runs, "nDCG@20", qrels=folder / "qrels.txt")
    page = page_of(result, tmp_path, groups=folder / "runs.csv")
    (one,) = page["measures"]
    pairs = list(combinations(runs, 2))
    above = np.triu_indices(len(runs), 1)
    assert unpacked(one["values"], "f8") == result.mean()[above].tolist()
    assert len(set(page["own"])) == 8
    peaks = np.reshape(unpacked(one["peaks"], "u2"), (len(pairs), 5))
    for number in random.Random(1).sample(range(len(pairs)), 25):
        a, b = (runs[name] for name in pairs[number])
        compared = medir.compare(a, b, "nDCG@20", qrels=folder / "qrels.txt")
        expected = [compared.queries[at] for at in compared.most_affected(5)]
        assert [page["queries"][query] for query in peaks[number]] == expected
    for name, mean in zip(runs, one["truth"]["means"], strict=True):
        expected_mean = medir.score(runs[name], "nDCG@20", folder / "qrels.txt").mean()
        assert mean == pytest.approx(expected_mean, abs=1e-12)
