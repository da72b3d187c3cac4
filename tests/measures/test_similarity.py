"""Rank similarities as measures of runs: equal to the functions, and treated as what they are."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import similarity
from medir.comparing.columns import COLUMNS
from medir.comparing.decision.gate import Check
from medir.measures.rank_similarities import SIMILARITIES
from medir.measures.shapes.similarity import RankSimilarity
from medir.measures.table import FAMILIES
from tests.cases.rankings import Ties, lists, near, persistence, tied_lists
from tests.cases.runs import write_run
from tests.profiles import examples
from tests.shell import medir as shell
from tests.similarity.test_rank_biased_overlap import parsed

EXACT = 1e-12
KINDS: list[tuple[Any, Any]] = list(product(("ext", "min", "max", "res"), "wab"))
Function = Callable[[Any, Any], float | None]

# Each measure beside the function that it is: of whole lists without ties, and of lists cut at 3.
PLAIN: dict[str, Function] = {
    "RBO": similarity.rbo,
    "RBO(p=0.5, score='min')": lambda x, y: similarity.rbo(x, y, 0.5, "min"),
    "RBO(p=0.5, score='max')": lambda x, y: similarity.rbo(x, y, 0.5, "max"),
    "RBO(p=0.5, score='res')": lambda x, y: similarity.rbo(x, y, 0.5, "res"),
    "tau_b": similarity.tau_b,
    "rho": similarity.rho,
    "tau_AP": similarity.tau_ap,
    "tau_AP(symmetric=True)": lambda x, y: similarity.tau_ap(x, y, symmetric=True),
    "footrule": similarity.footrule,
    "footrule(normalized=True)": lambda x, y: similarity.footrule(x, y, normalized=True),
    "RRD": similarity.reciprocal_rank_distance,
    "wHoeffding": similarity.w_hoeffding,
    "wHoeffding(q=0)": lambda x, y: similarity.w_hoeffding(x, y, q=0),
    "wHoeffding(q=2.0, n=9)": lambda x, y: similarity.w_hoeffding(x, y, n=9, q=2),
    "wFootrule": similarity.weighted_footrule,
    "wKendall": similarity.weighted_kendall,
    "wKendall(swap='reciprocal')": lambda x, y: similarity.weighted_kendall(
        x, y, swap=lambda rank: 1 / rank
    ),
    "wFootrule(swap='dcg')": lambda x, y: similarity.weighted_footrule(
        x, y, swap=lambda rank: 1 / math.log2(rank) - 1 / math.log2(rank + 1)
    ),
    "wKendall(swap=[3, 2])": lambda x, y: similarity.weighted_kendall(
        x, y, swap=lambda rank: 3 if rank == 2 else 2
    ),
}


def cut_at(k: int) -> dict[str, Function]:
    """Each measure at a cutoff beside its function."""

    def of_lists_cut(function: Function) -> Function:
        return lambda x, y: function(x[:k], y[:k])

    functions = {f"{name}@{k}": of_lists_cut(function) for name, function in PLAIN.items()}
    return functions | {
        f"footrule@{k}": lambda x, y: similarity.footrule(x, y, k),
        f"footrule(normalized=True)@{k}": lambda x, y: similarity.footrule(x, y, k, True),
        f"Jaccard@{k}": lambda x, y: similarity.jaccard(x, y, k),
        f"Overlap@{k}": lambda x, y: similarity.overlap(x, y, k),
        f"AnchorMAP@{k}": lambda x, y: similarity.anchor_map(x, y, k),
    }


CUT = cut_at(3)


def assert_equal(found: float, expected: float | None, what: object) -> None:
    """Equal, or both without a value."""
    if expected is None:
        assert math.isnan(found), what
    else:
        assert found == near(expected, EXACT), what


def test_every_similarity_is_a_measure() -> None:
    rows = {row.name for row in FAMILIES if isinstance(row.shape, RankSimilarity)}
    assert rows == {row.name for row in SIMILARITIES}
    assert rows == {name.split("(")[0].split("@")[0] for name in (*PLAIN, *CUT)}
    assert all(getattr(medir, name).family.name == name for name in rows)


@examples(400)
@given(lists(), lists())
def test_measures_are_their_functions(x: list[str], y: list[str]) -> None:
    functions = PLAIN | CUT
    result = medir.compare({"q": x}, {"q": y}, list(functions), threads=1)
    for measure, (name, function) in zip(result.measures, functions.items(), strict=True):
        row = result.row(0, measure)
        assert_equal(row.value, function(x, y), (name, x, y))
        assert all(math.isnan(getattr(row, column)) for column in COLUMNS)


@examples(40)
@given(st.integers(0, 400), st.integers(0, 400), st.randoms(use_true_random=False))
def test_long_lists(first: int, second: int, random: Any) -> None:
    pool = [f"d{i}" for i in range(450)]
    x, y = random.sample(pool, first), random.sample(pool, second)
    of_few = {"wHoeffding(q=2.0, n=9)", "wHoeffding(q=2.0, n=9)@100"}  # n is too small here
    functions = {n: f for n, f in (PLAIN | cut_at(100)).items() if n not in of_few}
    result = medir.compare({"q": x}, {"q": y}, list(functions), threads=1)
    for name, function in functions.items():
        expected, found = function(x, y), float(result.column(name)[0])
        if expected is None:
            assert math.isnan(found), name
        else:
            assert found == pytest.approx(expected, rel=1e-10, abs=1e-10), name


def test_more_documents_than_there_are_have_no_distance() -> None:
    result = medir.compare({"q": ["a", "b"]}, {"q": ["c", "d"]}, ["wHoeffding(n=3)", "wHoeffding"])
    assert math.isnan(result.column("wHoeffding(n=3)")[0])
    assert result.summary("wHoeffding(n=3)").missing == 1
    assert result.column("wHoeffding")[0] > 0


def scored(ranking: Sequence[Any]) -> dict[str, float]:
    """A ranking with ties as scores: tied documents have the same."""
    return {
        document: -float(place)
        for place, tie in enumerate(ranking)
        for document in (tie if isinstance(tie, tuple) else (tie,))
    }


@examples(400)
@given(tied_lists(most=7), tied_lists(most=7), persistence)
def test_equal_scores_are_ties(x: Ties, y: Ties, p: float) -> None:
    functions: dict[str, Function] = {
        f"RBO(p={p}, score='{score}', ties='{ties}')": partial(
            similarity.rbo, p=p, score=score, ties=ties
        )
        for score, ties in KINDS
    }
    functions |= {"tau_b(ties=True)": similarity.tau_b, "rho(ties=True)": similarity.rho}
    runs = {"q": scored(x)}, {"q": scored(y)}
    result = medir.compare(*runs, list(functions), threads=1)
    both = medir.matrix(dict(zip("xy", runs, strict=True)), list(functions), threads=1)
    for number, (name, function) in enumerate(functions.items()):
        expected = function(x, y)
        assert_equal(float(result.column(name)[0]), expected, (name, x, y))
        assert_equal(float(both.values[number, both.pairs.index((0, 1)), 0]), expected, name)


def test_without_ties_the_order_of_the_run_counts() -> None:
    tied = {"q": {"a": 1.0, "b": 1.0}}  # trec_eval's order: b, a
    result = medir.compare(tied, {"q": ["b", "a"]}, ["RBO", "tau_b", "tau_b(ties=True)"])
    assert result.column("RBO")[0] == 1
    assert result.column("tau_b")[0] == 1
    assert math.isnan(result.column("tau_b(ties=True)")[0])


def test_equal_ranks_are_ties_and_the_order_of_a_file_has_none(tmp_path: Path) -> None:
    path = tmp_path / "one.run"
    path.write_text("q Q0 a 1 5 t\nq Q0 b 1 5 t\nq Q0 c 2 4 t\n")
    other = write_run(tmp_path / "two.run", {"q": ["a", "b", "c"]})
    measure = "RBO(p=0.5, ties='a')"
    expected = {"rank": similarity.rbo([("a", "b"), "c"], ["a", "b", "c"], 0.5, ties="a"),
                "file": 1.0}  # fmt: skip
    for order, value in expected.items():
        found = medir.compare(path, other, measure, order=order)  # type: ignore[arg-type]
        assert found.column(measure)[0] == near(value or math.nan, EXACT)


def test_rbo_of_corsi_and_urbano_through_compare(data: Path) -> None:
    """All values that come with "The treatment of ties in rank-biased overlap", SIGIR 2024."""
    with (data / "rbo-ties" / "expected.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2000
    for row in rows:
        names = {
            f"RBO(p={row['p']}, score='{score}', ties='{ties}')": float(row[f"{ties}.{score}"])
            for score, ties in KINDS
        }
        x, y = ({"q": scored(parsed(row[side]))} for side in "xy")
        result = medir.compare(x, y, list(names), threads=1)
        expected = pytest.approx(list(names.values()), abs=1e-9, rel=0)
        assert result.values[:, 0, 0].tolist() == expected


@examples(25)
@given(st.lists(st.dictionaries(st.sampled_from("pq"), lists(most=7)), min_size=2, max_size=3))
def test_a_matrix_has_the_values_of_the_comparisons(runs: list[dict[str, list[str]]]) -> None:
    if not any(runs):
        return
    names = [*PLAIN, *CUT]
    named = {f"run {i}": run for i, run in enumerate(runs)}
    result = medir.matrix(named, names)
    for i, j in product(range(len(runs)), repeat=2):
        if not runs[i] and not runs[j]:
            continue
        one = medir.compare(runs[i], runs[j], names, threads=1)
        pair = result.pairs.index((i, j))
        for number, name in enumerate(names):
            expected = dict(zip(one.queries, one.column(name).tolist(), strict=True))
            found = dict(zip(result.queries, result.values[number, pair].tolist(), strict=True))
            for query, value in expected.items():
                assert_equal(found[query], None if math.isnan(value) else value, (name, query))
            mean = one.mean()[medir.measure(name)]
            assert_equal(float(result.mean(name)[i, j]), None if math.isnan(mean) else mean, name)


def test_symmetric_measures_need_each_pair_once() -> None:
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}}
    assert medir.matrix(runs, "RBO").pairs == ((0, 0), (0, 1), (1, 1))
    assert medir.matrix(runs, "tau_AP(symmetric=True)").pairs == ((0, 0), (0, 1), (1, 1))
    both = medir.matrix({**runs, "c": {"q": ["x", "z", "y"]}}, "AnchorMAP@1")
    assert both.pairs == tuple(product(range(3), repeat=2))
    assert both.mean().tolist() == [[1, 0.5, 1], [0.5, 1, 1 / 3], [1, 0.5, 1]]


# Weights and distances of documents, from files.


def test_weights_and_distances_of_documents(tmp_path: Path) -> None:
    weights, distances = tmp_path / "weights.tsv", tmp_path / "distances.tsv"
    weights.write_text("# document weight\na\t2\nb\t0.5\n")
    distances.write_text("a b 0.25\nc a 0.5\n")
    x, y = list("abcd"), list("dcba")

    def distance(one: str, other: str) -> float:
        return {"ab": 0.25, "ac": 0.5}.get("".join(sorted(one + other)), 1.0)

    def weight(document: str) -> float:
        return {"a": 2.0, "b": 0.5}.get(document, 1.0)

    for name, function in (
        ("wKendall", similarity.weighted_kendall),
        ("wFootrule", similarity.weighted_footrule),
    ):
        both = f"{name}(swap='reciprocal', weight={str(weights)!r}, distance={str(distances)!r})"
        expected = function(x, y, swap=lambda r: 1 / r, weight=weight, distance=distance)
        result = medir.compare({"q": x, "r": ["a"]}, {"q": y, "r": ["a"]}, [both, "nDCG@3"])
        assert result.column(both)[0] == near(expected or math.nan)
        assert math.isnan(result.column(both)[1])
        square = medir.matrix({"x": {"q": x}, "y": {"q": y}}, both).mean()
        assert square[0, 1] == near(expected or math.nan)
        cut = medir.compare({"q": x}, {"q": y}, f"{name}(weight={str(weights)!r})@3")
        assert cut.values[0, 0, 0] == near(function(x[:3], y[:3], weight=weight) or math.nan)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a b\n", "expected 'document weight'"),
        ("a\n", "expected 'document weight'"),
        ("a b 1\n", "expected 'document weight'"),
        ("a 1\nb -1\n", "line 2"),
        ("a 1\na 2\n", "twice"),
        ("# nothing\n", "contains no numbers"),
    ],
)
def test_faults_of_a_file_of_weights(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "weights.tsv"
    path.write_text(text)
    with pytest.raises(medir.InputError, match=problem):
        medir.compare({"q": ["a"]}, {"q": ["a"]}, f"wKendall(weight={str(path)!r})")


def test_a_matrix_with_files_of_weights_is_kept_until_they_change(tmp_path: Path) -> None:
    weights, kept = tmp_path / "weights.tsv", tmp_path / "kept"
    runs = {"x": {"q": ["a", "b"]}, "y": {"q": ["b", "a"]}}
    for weight in (2, 3):
        weights.write_text(f"a {weight}\n")
        found = medir.matrix(runs, f"wKendall(weight={str(weights)!r})", checkpoint=kept)
        assert found.mean()[0, 1] == weight


# What they are: similarities, distances, and values that are missing.

RUNS: tuple[dict[str, list[str]], dict[str, list[str]]] = (
    {"same": list("abc"), "turned": list("abc"), "other": list("abc"), "one": ["a"]},
    {"same": list("abc"), "turned": list("cba"), "other": list("xyz"), "one": ["a"]},
)


def test_the_most_affected_are_least_similar_or_farthest() -> None:
    result = medir.compare(*RUNS, ["tau_b", "RRD", "nDCG@3"])
    assert [row.query_id for row in result.top(9, "tau_b")] == ["turned"]  # one has a value
    assert [row.query_id for row in result.top(2, "RRD")] == ["other", "turned"]
    assert [one.kind for one in result.measures] == ["similarity", "distance", "difference"]


def test_missing_values_are_counted_and_left_out_of_means() -> None:
    result = medir.compare(*RUNS, ["tau_b", "RRD"])
    summary = result.summary("tau_b")
    assert (summary.missing, summary.med.mean) == (2, 0)
    assert (summary.med.minimum, summary.med.maximum) == (-1, 1)
    assert result.mean()[medir.measure("tau_b")] == 0
    assert result.summary("RRD").missing == 0
    nothing = medir.compare({"q": ["a"]}, {"q": ["b"]}, "rho")
    assert math.isnan(nothing.mean()[medir.measure("rho")])
    assert nothing.summary("rho").missing == 1
    assert nothing.top(5) == []


def test_missing_values_are_written_as_nothing(tmp_path: Path) -> None:
    result = medir.compare(*RUNS, ["tau_b"])
    for suffix in ("csv", "tsv", "jsonl", "parquet"):
        result.write(tmp_path / f"out.{suffix}")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == [
        f"{query},tau_b,,,,,,,,,{value},{changes}"
        for query, value, changes in (
            ("same", 1, "0,0,0"),
            ("turned", -1, "0,0,2"),
            ("other", "", "3,3,0"),
            ("one", "", "0,0,0"),
        )
    ]
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["value"] for line in lines] == [1, -1, None, None]
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(tmp_path / "out.parquet")
    assert table["value"].to_pylist() == [1, -1, None, None]
    assert table["med"].to_pylist() == [None] * 4


def test_the_shell_shows_them_apart(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / f"{i}.run", run) for i, run in enumerate(RUNS)]
    options = [part for name in ("tau_b", "footrule@3", "nDCG@3") for part in ("-m", name)]
    shown = shell("compare", *paths, *options)
    assert shown.code == 0, shown.err
    assert "no value of tau_b for 2 queries" in shown.out
    titles = ["Maximized effectiveness difference", "Rank similarity", "Rank distance"]
    places = [shown.out.index(title) for title in titles]
    assert places == sorted(places)
    assert "-1.00 to -0.80  1" in shown.out
    square = shell("matrix", *paths, *options)
    assert "Mean tau_b" in square.out
    assert "Mean MED-nDCG@3" in square.out


def test_pictures_of_similarities_show_distances(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    random = np.random.default_rng(3)
    paths = []
    for name in "abc":
        run = {f"q{i}": [f"d{d}" for d in random.permutation(8)] for i in range(5)}
        paths.append(write_run(tmp_path / f"{name}.run", run))
    heat, points = tmp_path / "heat.svg", tmp_path / "map.svg"
    drawn = shell("matrix", *paths, "-m", "RBO(p=0.9)", "--plot", heat, "--map", points)
    assert drawn.code == 0, drawn.err
    assert "1 - mean RBO(p=0.9)" in heat.read_text()
    refused = shell("matrix", *paths, "-m", "tau_AP", "--plot", tmp_path / "no.svg")
    assert refused.code == 2
    assert "not symmetric" in refused.err


def test_a_report_takes_what_is_explained_and_names_the_rest(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    from medir.rendering.pages.report import write_report

    result = medir.compare(*RUNS, ["RBO", "nDCG@3"])
    write_report(result, tmp_path / "page.html")
    values = [similarity.rbo(RUNS[0][query], RUNS[1][query]) or 0.0 for query in RUNS[0]]
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    row = page.partition('id="beside-table"')[2].partition('<th scope="row">RBO(p=0.9)</th>')[2]
    assert row.partition("</td>")[0].endswith(f">{sum(values) / 4:.4f}")
    with pytest.raises(medir.UsageError, match="measure of effectiveness"):
        write_report(medir.compare(*RUNS, "RBO"), tmp_path / "no.html")
    assert not (tmp_path / "no.html").exists()


@pytest.mark.parametrize(
    "call",
    [
        lambda: medir.solve(["a"], ["b"], "RBO"),
        lambda: medir.explain(["a"], ["b"], "RBO"),
        lambda: medir.compare(*RUNS, "RBO").explain("same"),
        lambda: medir.judge(*RUNS, measures="RBO"),
        lambda: medir.expect(*RUNS, "RBO", prior=0.5),
        lambda: medir.score(RUNS[0], "RBO", {"same": {"a": 1}}),
    ],
    ids=["solve", "explain", "comparison", "judge", "expect", "score"],
)
def test_what_needs_relevance_refuses_them(call: Callable[[], object]) -> None:
    with pytest.raises(medir.UsageError, match="is a rank similarity"):
        call()


def test_a_limit_above_is_none_for_a_similarity() -> None:
    with pytest.raises(medir.UsageError, match="falls when more changes; write --fail-below"):
        Check.parse("RBO(p=0.9)=0.5")
    (verdict,) = Check.parse("max:footrule@3=4").outcomes(medir.compare(*RUNS, "footrule@3"))
    assert not verdict.passed
    assert "other (12.0)" in str(verdict)
    (verdict,) = Check.parse("wKendall=9").outcomes(medir.compare(*RUNS, "wKendall"))
    assert not verdict.passed
    assert str(verdict) == "mean wKendall is 1.500, limit 9; 2 queries have no value"


def test_a_limit_below_is_one_for_a_similarity(tmp_path: Path) -> None:
    """Overlap@3 is 1, 1, 0 and 1/3 here."""
    mean = (1 + 1 + 0 + 1 / 3) / 4
    result = medir.compare(*RUNS, "Overlap@3")
    assert result.summary().med.mean == near(mean, EXACT)
    for limit, passed in ((0.58, True), (0.59, False)):
        (verdict,) = Check.parse(f"Overlap@3={limit}", "below").outcomes(result)
        assert verdict.passed == passed
    with pytest.raises(medir.UsageError, match="write --fail-above"):
        Check.parse("footrule@3=4", "below")
    paths = [write_run(tmp_path / f"{i}.run", run) for i, run in enumerate(RUNS)]
    codes = [
        shell("compare", *paths, "--fail-below", f"Overlap@3={limit}").code
        for limit in (0.58, 0.59)
    ]
    assert codes == [0, 1]


# In a matrix.

PAIRWISE: dict[str, Any] = {
    "a": {"p": list("xyz"), "q": list("xyz")},
    "b": {"p": list("xzy"), "q": ["other"]},
    "c": {"p": list("zyx")},
}


def test_a_matrix_counts_and_writes_missing_values(tmp_path: Path) -> None:
    result = medir.matrix(PAIRWISE, ["tau_b", "nDCG@3"])
    assert (result.missing("tau_b"), result.missing("nDCG@3")) == (3, 0)
    rows = [row for row in result.rows(per_query=True) if row["measure"] == "tau_b"]
    found = [(row["run_a"], row["run_b"], row["query_id"], row["value"] is None) for row in rows]
    assert found == [
        (*pair, query, query == "q") for pair in ("ab", "ac", "bc") for query in ("p", "q")
    ]
    other = medir.matrix({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, "tau_b")
    for name in ("m.csv", "m.jsonl", "m.parquet"):
        other.write(tmp_path / name)
        other.write(tmp_path / f"per-query-{name}", per_query=True)
    assert (tmp_path / "m.csv").read_text().splitlines()[1:] == ["a,b,tau_b,,"]
    assert json.loads((tmp_path / "per-query-m.jsonl").read_text())["value"] is None
    parquet = pytest.importorskip("pyarrow.parquet")
    for name in ("m.parquet", "per-query-m.parquet"):
        assert parquet.read_table(tmp_path / name)["value"].to_pylist() == [None]


def test_the_shell_says_what_a_matrix_is_missing(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / f"{name}.run", run) for name, run in PAIRWISE.items()]
    shown = shell("matrix", *paths, "-m", "tau_b", "-m", "tau_AP", "-o", tmp_path / "m.csv")
    assert shown.code == 0, shown.err
    assert "no value of tau_b for 3 pairs and queries" in shown.out
    rows = (tmp_path / "m.csv").read_text().splitlines()[1:]
    assert sum(",tau_b," in row for row in rows) == 3  # each pair once
    assert sum(",tau_AP," in row for row in rows) == 6  # both ways
    alone = [write_run(tmp_path / f"{name}.txt", {"q": [name]}) for name in "ab"]
    refused = shell("matrix", *alone, "-m", "tau_b", "--plot", tmp_path / "no.svg")
    assert refused.code == 2
    assert "have no value of tau_b" in refused.err


def test_short_lists_are_told_for_relevance_alone() -> None:
    run = {"q": ["a", "b"]}
    assert list(medir.compare(run, run, "Jaccard@20").unseen_queries) == [0]
    assert list(medir.compare(run, run, ["nDCG@20", "RBO"]).unseen_queries) == [1, 0]


def test_the_residual_of_rbo_is_no_likeness() -> None:
    result = medir.compare(*RUNS, "RBO(score='res')")
    values = [row.value for row in result.top(4)]
    assert len(values) == 2
    assert values == sorted(values, reverse=True)


def test_no_geometric_mean_of_similarities() -> None:
    with pytest.raises(medir.UsageError, match="geometric"):
        medir.compare(*RUNS, ["nDCG@3", "tau_b"]).mean("geometric")


def test_a_report_of_similarities_alone_is_refused_before_anything(tmp_path: Path) -> None:
    paths = [write_run(tmp_path / f"{i}.run", run) for i, run in enumerate(RUNS)]
    output = tmp_path / "x.csv"
    refused = shell("compare", *paths, "-m", "RBO", "-o", output, "--report", tmp_path / "r.html")
    assert refused.code == 2
    assert not output.exists()
