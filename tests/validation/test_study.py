"""The numbers of a study against plain computations, its files, and what cannot be studied."""

from __future__ import annotations

import csv
import importlib.util
import itertools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import pytrec_eval
from scipy import stats

import medir
import medir.validation.study as study_package  # noqa: F401  # `medir.validation.study` remains the function
from medir import InputError, MedirError, Run, Study, UsageError
from medir.errors import MissingExtraError
from medir.similarity import rbo
from tests.cases.studies import Collection, collection, numbers
from tests.shell import python

EXACT = 1e-12
MEASURES = ["RBP(p=0.9)", "nDCG@5", "nDCG@20", "nDCG@100", "AP@100", "ERR", "RBP(p=0.8)",
            "RBP(p=0.95)"]  # fmt: skip
SHARES = (0, 25, 75, 100)
FILES = {"correlations.csv", "same-group.csv", "scores.csv", "study.html",
         *(f"figure-{n}.{kind}" for n in (1, 2, 3) for kind in ("csv", "svg"))}  # fmt: skip


class Written:
    """A study, and what it wrote."""

    def __init__(self, given: Collection, found: Study, folder: Path) -> None:
        self.given, self.found, self.folder = given, found, folder

    def rows(self, name: str) -> list[dict[str, str]]:
        with (self.folder / name).open(newline="") as file:
            return list(csv.DictReader(file))

    def column(self, name: str, column: str) -> list[float]:
        return [float(row[column]) for row in self.rows(name)]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    given, folder = collection(), tmp_path_factory.mktemp("study")
    found = medir.study(given.runs, given.qrels, folder, groups=given.members, seed=3)
    return Written(given, found, folder)


def pairs_of(given: Collection) -> Iterator[tuple[str, str]]:
    return itertools.combinations(given.runs, 2)


def mean_med(given: Collection, a: str, b: str, measure: str, qrels: Any = None) -> float:
    result = medir.compare(given.runs[a], given.runs[b], measure, qrels=qrels)
    by_query = dict(zip(result.queries, result.column(measure).tolist(), strict=True))
    return float(np.mean([by_query[query] for query in given.qrels]))


def test_all_files_are_there_and_nothing_else(written: Written) -> None:
    assert {path.name for path in written.folder.iterdir()} == FILES


def test_true_differences_are_those_of_trec_eval(written: Written) -> None:
    """With gains of 2^g - 1 as its levels, trec_eval's nDCG has exponential gains."""
    given = written.given
    gains = {q: {d: 2**g - 1 for d, g in some.items()} for q, some in given.qrels.items()}
    evaluator = pytrec_eval.RelevanceEvaluator(gains, {"ndcg_cut_20"})
    by_query = {}
    for name, lists in given.runs.items():
        scores = {q: {d: -float(rank) for rank, d in enumerate(some)} for q, some in lists.items()}
        found = evaluator.evaluate(scores)
        by_query[name] = np.array([found[query]["ndcg_cut_20"] for query in given.qrels])
    means = {name: float(scores.mean()) for name, scores in by_query.items()}
    expected = [abs(means[a] - means[b]) for a, b in pairs_of(given)]
    column = written.column("figure-2.csv", "difference_of_means")
    assert column == pytest.approx(expected, abs=1e-9)
    assert min(expected) < max(expected)
    expected = [float(np.abs(by_query[a] - by_query[b]).mean()) for a, b in pairs_of(given)]
    column = written.column("figure-2.csv", "mean_of_differences")
    assert column == pytest.approx(expected, abs=1e-9)
    rows = written.rows("scores.csv")
    assert [row["run"] for row in rows] == list(means)
    assert [float(row["score"]) for row in rows] == pytest.approx(list(means.values()), abs=1e-9)
    assert [(row["group"], row["type"]) for row in rows] == list(given.members.values())


@pytest.mark.parametrize("share", [0, 100])
def test_med_is_that_of_comparing_two_runs(written: Written, share: int) -> None:
    given = written.given
    qrels = given.qrels if share else None
    expected = [mean_med(given, a, b, "nDCG@20", qrels) for a, b in pairs_of(given)]
    assert written.column("figure-2.csv", f"med_{share}") == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize("measure", MEASURES)
def test_distances_are_those_of_comparing_two_runs(written: Written, measure: str) -> None:
    given = written.given
    expected = [mean_med(given, a, b, measure) for a, b in pairs_of(given)]
    assert written.column("figure-3.csv", f"MED-{measure}") == pytest.approx(expected, abs=EXACT)


def test_rbo_is_taken_as_a_distance(written: Written) -> None:
    given = written.given
    expected = [
        1 - np.mean([rbo(given.runs[a][q], given.runs[b][q], 0.9) for q in given.qrels])
        for a, b in pairs_of(given)
    ]
    assert written.column("figure-3.csv", "1-RBO(p=0.9)") == pytest.approx(expected, abs=1e-9)


def test_queries_without_judgments_are_left_out(written: Written) -> None:
    assert list(written.found.queries) == list(written.given.qrels)
    assert written.found.without_judgments == 1


def test_judgments_are_sampled(written: Written) -> None:
    """MED with a part of the judgments is that of a sample of so many, larger ones holding it."""
    from medir.validation.computation import sample

    given = written.given
    total = sum(map(len, given.qrels.values()))
    judged = medir.Qrels.of(given.qrels)
    drawn = {share: sample(judged, share, 3) for share in (25, 75)}
    for share, some in drawn.items():
        assert sum(map(len, some.values())) == round(total * share / 100)
        assert written.found.judgments[share] == round(total * share / 100)
        assert all(given.qrels[q][d] == g for q, part in some.items() for d, g in part.items())
        expected = [mean_med(given, a, b, "nDCG@20", some) for a, b in pairs_of(given)]
        assert written.column("figure-2.csv", f"med_{share}") == pytest.approx(expected, abs=EXACT)
    assert all(drawn[25][q].items() <= drawn[75][q].items() for q in drawn[25])
    assert written.found.judgments[0] == 0
    assert written.found.judgments[100] == total
    backwards = {q: dict(reversed(some.items())) for q, some in reversed(given.qrels.items())}
    assert sample(medir.Qrels.of(backwards), 25, 3) == drawn[25]
    assert sample(judged, 25, 4) != drawn[25]
    assert sample(judged, 100, 3) == given.qrels


def test_the_highest_grade_is_known_before_its_judgments_are(tmp_path: Path) -> None:
    """A sample without the only top grade: relevance still goes up to it."""
    runs = {name: {"q": list(order)} for name, order in (("a", "xyz"), ("b", "zyx"), ("c", "yxz"))}
    qrels = {"q": {"x": 3, "y": 1, "z": 1, **{f"n{i}": 0 for i in range(17)}}}
    drawn = {seed: _sampled(qrels, 25, seed) for seed in range(99)}
    seed = next(seed for seed, some in drawn.items() if "x" not in some and "y" in some)
    given = Collection(runs, qrels, {})
    found = numbers(given, tmp_path, "nDCG@3", seed=seed, unseen="nothing")
    part = {"q": drawn[seed]}
    expected = [
        medir.compare(runs[a], runs[b], "nDCG(max_grade=3)@3", qrels=part, unseen="nothing").mean()
        for a, b in itertools.combinations(runs, 2)
    ]
    assert found.med[25].tolist() == pytest.approx([next(iter(m.values())) for m in expected])


def _sampled(qrels: Any, share: int, seed: int) -> dict[str, int]:
    from medir.validation.computation import sample

    return sample(medir.Qrels.of(qrels), share, seed).get("q", {})


def test_correlations_are_those_of_scipy(written: Written) -> None:
    rows = written.rows("correlations.csv")
    columns = ["1-RBO(p=0.9)", *(f"MED-{measure}" for measure in MEASURES)]
    assert len(rows) == 2 * len(SHARES) + len(columns) * (len(columns) - 1) // 2
    ends = list(pairs_of(written.given))
    for row in rows:
        if row["figure"] == "2":
            x = written.column("figure-2.csv", f"med_{row['judgments']}")
            y = written.column("figure-2.csv", row["y"].partition(" in ")[0].replace(" ", "_"))
        else:
            assert row["judgments"] == ""
            x, y = (written.column("figure-3.csv", row[end]) for end in "xy")
        assert float(row["pearson"]) == pytest.approx(stats.pearsonr(x, y).statistic)
        assert float(row["spearman"]) == pytest.approx(stats.spearmanr(x, y).statistic)
        assert float(row["kendall"]) == pytest.approx(stats.kendalltau(x, y).statistic)
        assert int(row["pairs"]) == len(ends) == 21
        without = {}
        for name in written.given.runs:
            rest = [number for number, pair in enumerate(ends) if name not in pair]
            some = ([values[number] for number in rest] for values in (x, y))
            without[name] = stats.pearsonr(*some).statistic
        for end, chosen in (("lowest", min), ("highest", max)):
            assert float(row[end]) == pytest.approx(chosen(without.values()))
            assert without[row[f"{end}_without"]] == pytest.approx(chosen(without.values()))


def test_pairs_within_groups_are_in_order(written: Written) -> None:
    rows, members = written.rows("figure-1.csv"), written.given.members
    together = [(a, b) for a, b in pairs_of(written.given) if members[a].group == members[b].group]
    assert {(row["run_a"], row["run_b"]) for row in rows} == set(together)
    assert len(rows) == len(together) == 6
    found = [(row["group"], float(row["med"])) for row in rows]
    assert found == sorted(found)
    expected = {
        (0, 1): "automatic and manual",
        (0, 2): "both automatic",
        (1, 2): "automatic and manual",
    }
    for row in rows:
        ends = int(row["run_a"][-1]), int(row["run_b"][-1])
        assert row["type"] == expected[ends]
        med = mean_med(written.given, row["run_a"], row["run_b"], "nDCG@20")
        assert float(row["med"]) == pytest.approx(med, abs=EXACT)


def test_pairs_of_the_same_group_against_others(written: Written) -> None:
    rows = written.rows("figure-3.csv")
    same = [row for row in rows if row["same_group"] == "1"]
    other = [row for row in rows if row["same_group"] == "0"]
    table = {row["distance"]: row for row in written.rows("same-group.csv")}
    assert len(table) == len(MEASURES) + 1
    for name, row in table.items():
        first, second = ([float(one[name]) for one in some] for some in (same, other))
        assert (int(row["same_group_pairs"]), int(row["other_pairs"])) == (6, 15)
        assert float(row["same_group_mean"]) == pytest.approx(np.mean(first))
        assert float(row["other_mean"]) == pytest.approx(np.mean(second))
        wins = [1 if a < b else 0.5 if a == b else 0 for a in first for b in second]
        assert float(row["closer"]) == pytest.approx(np.mean(wins))


@pytest.mark.slow
def test_the_same_study_gives_the_same_bytes(written: Written, tmp_path: Path) -> None:
    given = written.given
    shutil.copytree(written.folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "figure-1.svg").write_text("something older")
    medir.study(given.runs, given.qrels, tmp_path, groups=given.members, seed=3, threads=1)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (written.folder / name).read_bytes(), name
    assert {path.name for path in tmp_path.iterdir()} == FILES


@pytest.mark.slow
def test_files_of_another_study_are_replaced(tmp_path: Path) -> None:
    given = collection(queries=3)
    (tmp_path / "notes.txt").write_text("mine")
    medir.study(given.runs, given.qrels, tmp_path, groups=given.members)
    medir.study(given.runs, given.qrels, tmp_path, pictures=["png", "pdf"])
    assert {path.name for path in tmp_path.iterdir()} == {
        "notes.txt", "correlations.csv", "figure-2.csv", "figure-3.csv", "scores.csv", "study.html",
        *(f"figure-{n}.{kind}" for n in (2, 3) for kind in ("png", "pdf")),
    }  # fmt: skip
    assert "same_group" not in (tmp_path / "figure-2.csv").read_text()
    assert (tmp_path / "figure-2.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figure-3.pdf").read_bytes().startswith(b"%PDF-")


def test_pictures_are_well_formed_and_without_a_date(written: Written) -> None:
    for number in (1, 2, 3):
        text = (written.folder / f"figure-{number}.svg").read_text()
        ElementTree.fromstring(text)
        assert not re.search(r"dc:date", text)


@pytest.mark.slow
def test_another_measure(tmp_path: Path) -> None:
    given = collection(queries=3)
    found = medir.study(given.runs, given.qrels, tmp_path, measures="AP@10")
    assert repr(found.truth) == "AP(ideal='judged')@10"
    assert found.main == "MED-AP@10"
    expected = [mean_med(given, a, b, "AP@10") for a, b in pairs_of(given)]
    assert found.med[0].tolist() == pytest.approx(expected, abs=EXACT)
    assert found.distances["MED-AP@10"].tolist() == pytest.approx(expected, abs=EXACT)
    own = [
        medir.score(lists, "AP(ideal='judged')@10", given.qrels) for lists in given.runs.values()
    ]
    means = [np.mean(list(scores.values())) for scores in own]
    true = [abs(a - b) for a, b in itertools.combinations(means, 2)]
    assert found.difference.tolist() == pytest.approx(true, abs=EXACT)
    text = (tmp_path / "study.html").read_text()
    assert "MED-nDCG@20 against MED-AP@10" in text
    assert "MED-AP@10 against MED-AP@10" not in text


@pytest.mark.slow
def test_what_is_not_proven_is_said(tmp_path: Path) -> None:
    made = collection(queries=3)
    found = medir.study(made.runs, made.qrels, tmp_path / "study", effort=1)
    gaps = [
        medir.compare(made.runs[one], made.runs[other], name, effort=1).column(name, "gap").max()
        for one, other in itertools.combinations(made.runs, 2)
        for name in ("AP(ideal='unbounded')@100", "ERR")
    ]
    assert found.gap == pytest.approx(max(gaps), abs=1e-12)
    assert found.gap > 0
    page = (tmp_path / "study" / "study.html").read_text(encoding="utf-8")
    assert f"some MED may be up to {found.gap:.2g} higher" in page
    assert medir.study(made.runs, made.qrels, tmp_path / "study").gap == 0


def test_depth_cuts_what_is_scored_too(tmp_path: Path) -> None:
    given = collection(queries=3)
    found = numbers(given, tmp_path, depth=4)
    short = {name: {q: some[:4] for q, some in lists.items()} for name, lists in given.runs.items()}
    expected = numbers(Collection(short, given.qrels, {}), tmp_path)
    assert found.difference.tolist() == expected.difference.tolist()
    assert found.med[100].tolist() == pytest.approx(expected.med[100].tolist(), abs=EXACT)


def test_a_query_that_a_run_does_not_have(tmp_path: Path) -> None:
    """It is an empty list; a query that neither run has does not count for them."""
    runs = {
        "a": {"q1": ["x", "y"], "q2": ["x"]},
        "b": {"q1": ["y", "x"]},
        "c": {"q1": ["z", "y"]},
    }
    qrels = {"q1": {"x": 1}, "q2": {"x": 1}}
    found = numbers(Collection(runs, qrels, {}), tmp_path, "P@1", unseen="nothing")
    # a and b: q1 differs, x above y; q2 is x against nothing. b and c: q1 only.
    assert found.pairs == ((0, 1), (0, 2), (1, 2))
    assert found.med[0].tolist() == [1.0, 1.0, 1.0]
    assert found.difference.tolist() == [1.0, 1.0, 0.0]


def test_progress_goes_up_to_the_end(tmp_path: Path) -> None:
    """It gets there when all is written, and not before: pictures are a part of the work."""
    given = collection(queries=3)
    seen: list[tuple[int, int]] = []
    written: list[int] = []  # files when progress was told

    def watch(done: int, total: int) -> None:
        seen.append((done, total))
        written.append(sum(path.is_file() for path in tmp_path.iterdir()))

    medir.study(given.runs, given.qrels, tmp_path, groups=given.members, progress=watch)
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert [done < total for done, total in seen] == [True] * (len(seen) - 1) + [False]
    *before, at_the_end = written
    assert set(before) == {0}
    assert at_the_end == sum(path.is_file() for path in tmp_path.iterdir()) >= 6


RUNS = {"a": {"q": ["x"]}, "b": {"q": ["y"]}, "c": {"q": ["z"]}}
QRELS = {"q": {"x": 1}}
WRONG: dict[str, tuple[dict[str, Any], type[MedirError], str]] = {
    "one run": ({"runs": {"a": {"q": ["x"]}}}, UsageError, "three runs or more, not 1"),
    "two runs": ({"runs": {"a": {"q": ["x"]}, "b": {"q": ["y"]}}}, UsageError, "not 2"),
    "unknown": ({"groups": {"a": "g", "b": "g"}}, InputError, "1 of 3 runs are not in.* c"),
    "format": ({"pictures": ["gif"]}, UsageError, "svg, pdf, png, not 'gif'"),
    "formats": ({"pictures": []}, UsageError, "name a format"),
    "measure": ({"measures": "nDGC@20"}, MedirError, "did you mean nDCG@20"),
    "intents": ({"measures": "ERR_IA@20"}, UsageError, "without intents, not ERR_IA@20"),
    "similarity": ({"measures": "RBO(p=0.9)"}, UsageError, r"effectiveness .*, not RBO\(p=0.9\)"),
    "judgments": (
        {"qrels": {"other": {"x": 1}}},
        InputError,
        "3 of 3 runs have no query that is judged: a, b, c",
    ),
    "empty run": (
        {"runs": {**RUNS, "d": {"other": ["x"]}}},
        InputError,
        "qrels: 1 of 4 runs have no query that is judged: d",
    ),
    "not in all": (
        {
            "runs": {
                **RUNS,
                "d": {"r": ["x"], "s": ["x"]},
                "e": {"q": ["x"], "r": ["x"], "s": ["x"]},
            },
            "qrels": {"q": {"x": 1}, "s": {"x": 1}},
            "missing": "skip",
        },
        InputError,
        "no query in common",
    ),
    "none in all": (
        {
            "runs": {name: {"both": ["x"], f"of {name}": ["x"]} for name in "abc"},
            "qrels": {f"of {name}": {"x": 1} for name in "abc"},
            "missing": "skip",
        },
        InputError,
        "no query that all runs have is judged",
    ),
    "repeated": ({"runs": {**RUNS, "d": {"q": ["x", "x"]}}}, InputError, "appears twice"),
    "no file": ({"groups": "nowhere.csv"}, InputError, "nowhere.csv: there is no such file"),
}


@pytest.mark.parametrize(("changes", "error", "message"), WRONG.values(), ids=WRONG)
def test_what_cannot_be_studied(
    tmp_path: Path, changes: dict[str, Any], error: type[MedirError], message: str
) -> None:
    arguments: dict[str, Any] = {"runs": RUNS, "qrels": QRELS, **changes}
    with pytest.raises(error, match=message):
        medir.study(directory=tmp_path / "out", **arguments)
    assert not list(tmp_path.iterdir())


def test_packed_runs_are_found_in_the_groups(tmp_path: Path) -> None:
    from medir.validation.study import members_of

    (tmp_path / "who.csv").write_text(
        "run,group,type,score\na.run,g,manual,1\nb.run.gz,h,,2\nx,y,z,3\n"
    )
    names = dict.fromkeys(["a.run.gz", "b.run.gz", "a.run"], "")
    found = members_of(names, tmp_path / "who.csv")
    assert found == {"a.run.gz": ("g", "manual"), "b.run.gz": ("h", ""), "a.run": ("g", "manual")}
    assert members_of({"a": ""}, {"a": "g"})["a"] == ("g", "")


def test_a_directory_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match=r"cannot write to .*file"):
        medir.study(RUNS, QRELS, tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("library", ["matplotlib", "scipy", "jinja2"])
def test_a_missing_library_is_named(
    tmp_path: Path, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from medir.rendering.pictures import style as drawing

    find = importlib.util.find_spec
    for module in (drawing, importlib.import_module("medir.validation.study")):
        monkeypatch.setattr(
            module, "find_spec", lambda name: None if name == library else find(name)
        )
    with pytest.raises(MissingExtraError, match=f"needs {library}"):
        medir.study(RUNS, QRELS, tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_runs_that_are_all_alike(tmp_path: Path) -> None:
    """No difference, no correlation: said so, and no number made up."""
    alike = {name: {"q": ["x", "y"]} for name in "abc"}
    found = medir.study(alike, QRELS, tmp_path, unseen="nothing")
    assert all(np.isnan(one.pearson) for one in found.correlations)
    rows = Written(Collection(alike, QRELS, {}), found, tmp_path).rows("correlations.csv")
    empty = "pearson", "kendall", "lowest", "lowest_without", "highest", "highest_without"
    assert {row[name] for row in rows for name in empty} == {""}
    assert "Not tested" in (tmp_path / "study.html").read_text()


def test_runs_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = []
    of = Run.of.__func__  # type: ignore[attr-defined]

    def counted(cls: type[Run], source: Any, /, **options: Any) -> Run:
        if not isinstance(source, Run):
            read.append(options["name"])
        found: Run = of(cls, source, **options)
        return found

    monkeypatch.setattr(Run, "of", classmethod(counted))
    numbers(Collection(RUNS, QRELS, {}), tmp_path)
    assert sorted(read) == ["a", "b", "c"]


def test_nothing_is_imported_before_it_is_needed() -> None:
    code = """
import sys
from medir import study
assert not {"matplotlib", "scipy", "jinja2"} & sys.modules.keys()
"""
    assert python(code).code == 0
