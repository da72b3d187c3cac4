"""Agreement with trec_eval, on its own test files and on TREC-COVID round 5. Needs real data.

pytrec_eval runs trec_eval's own code. It takes documents without judgment as not relevant; where
medir should do the same, every such document of the runs is judged 0.
"""

from __future__ import annotations

import csv
import gzip
import itertools
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

import medir
from medir import AP, RBP, RR, P, Qrels, Run, Success, nDCG
from tests.oracles import dot_product as oracle

trec_ndcg = nDCG(gains="linear", ideal="judged")
DEPTHS = (5, 10, 20, 100)
MEASURES = {f"ndcg_cut_{k}": trec_ndcg @ k for k in DEPTHS} | {f"P_{k}": P @ k for k in DEPTHS}
MEASURES |= {f"success_{k}": Success @ k for k in (1, 5, 10)}
MEASURES |= {"recip_rank": RR, "map": AP(ideal="judged") @ 1000}
Scores = dict[str, dict[str, float]]
Grades = dict[str, dict[str, int]]


def scores_in(path: Path) -> Scores:
    """A run as pytrec_eval takes it, read without medir."""
    run: Scores = {}
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as file:
        for line in file:
            query, _, document, _, score = line.split()[:5]
            run.setdefault(query, {})[document] = float(score)
    return run


def grades_in(path: Path) -> Grades:
    """Judgments as pytrec_eval takes them, read without medir."""
    qrels: Grades = {}
    for line in path.read_text().splitlines():
        query, _, document, grade = line.split()
        qrels.setdefault(query, {})[document] = int(grade)
    return qrels


def with_zeros(qrels: Grades, runs: list[Mapping[str, list[str]]]) -> Grades:
    """The judgments, and 0 for every other document of the runs."""
    full: Grades = {query: {} for run in runs for query in run}
    for query, judged in full.items():
        for run in runs:
            judged.update(dict.fromkeys(run.get(query, []), 0))
        judged.update(qrels.get(query, {}))
    return full


def trec_scores(scores: Scores, qrels: Grades) -> Scores:
    """What trec_eval says of a run: measure by query."""
    measures = {"ndcg_cut", "P", "success", "recip_rank", "map"}
    return dict(pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(scores))


# trec_eval's own test.


@pytest.fixture(scope="module")
def folder(data: Path) -> Path:
    """trec_eval's own test files."""
    return data / "trec_eval"


@pytest.fixture(scope="module")
def expected(folder: Path) -> dict[str, dict[str, float]]:
    """trec_eval's expected output: query by measure."""
    values: dict[str, dict[str, float]] = {}
    for line in (folder / "out.test.aq").read_text().splitlines():
        name, query, value = line.split("\t")
        if name.startswith(("P_", "ndcg_cut_", "map_cut_", "success_", "recip_rank")) or (
            name.strip() in ("map", "ndcg")
        ):
            values.setdefault(name.strip(), {})[query] = float(value)
    return values


def test_expected_output_of_trec_eval(folder: Path, expected: dict[str, dict[str, float]]) -> None:
    """Every cutoff of P, ndcg_cut, map_cut and success, and map, ndcg and recip_rank."""
    assert len(expected) == 33
    for name, values in expected.items():
        scores = medir.score(folder / "results.test", name, folder / "qrels.test")
        mean = values["all"]
        assert {query: round(score, 4) for query, score in scores.items()} == {
            query: value for query, value in values.items() if query != "all"
        }
        assert np.mean(list(scores.values())) == pytest.approx(mean, abs=0.5001e-4)


def test_two_runs_of_trec_eval(folder: Path) -> None:
    """results.trunc is results.test with shorter lists."""
    names = ["results.test", "results.trunc"]
    runs = [Run.read(folder / name) for name in names]
    qrels = grades_in(folder / "qrels.test")
    full = with_zeros(qrels, [{query: run[query] for query in run} for run in runs])
    theirs = [trec_scores(scores_in(folder / name), qrels) for name in names]
    result = medir.compare(runs[0], runs[1], list(MEASURES.values()), qrels=full, unseen="nothing")
    assert len(result) == 3
    compared = 0
    for row in result:
        name = next(name for name, one in MEASURES.items() if one == row.measure)
        before, after = (scores.get(row.query_id, {}).get(name, 0.0) for scores in theirs)
        assert row.med == pytest.approx(abs(before - after), rel=0, abs=1e-6)
        assert row.gain == pytest.approx(after - before, rel=0, abs=1e-6)
        compared += 1
    assert compared == 3 * len(MEASURES)


# TREC-COVID round 5.


@pytest.fixture(scope="module")
def covid(data: Path) -> Path:
    """TREC-COVID round 5."""
    return data / "trec-covid-r5"


@pytest.fixture(scope="module")
def official(covid: Path) -> dict[str, float]:
    """The official nDCG@20 of each run."""
    with (covid / "runs.csv").open() as file:
        return {row["run"]: float(row["ndcg_20"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def runs(covid: Path, official: dict[str, float]) -> dict[str, Run]:
    """All runs, by name."""
    return {name: Run.read(covid / "runs" / f"{name}.gz") for name in official}


@pytest.fixture(scope="module")
def qrels(covid: Path) -> Qrels:
    """The judgments."""
    return Qrels.read(covid / "qrels.txt")


def test_facts_of_the_judgments(qrels: Qrels, covid: Path) -> None:
    """23,151 lines; two of grade -1 count as 0."""
    grades = Counter(grade for query in qrels.queries for grade in qrels[query].values())
    assert grades == {0: 12239 + 2, 1: 4233, 2: 6677}
    assert len(qrels) == 50
    assert qrels.highest == 2
    raw = grades_in(covid / "qrels.txt")
    assert sum(len(judged) for judged in raw.values()) == 23151
    assert {query: {d: max(g, 0) for d, g in judged.items()} for query, judged in raw.items()} == {
        query: qrels[query] for query in qrels.queries
    }


def test_facts_of_the_runs(runs: dict[str, Run], qrels: Qrels) -> None:
    """48 runs of 50 topics, 100 deep, but for two that are whole."""
    assert len(runs) == 48
    for name, run in runs.items():
        assert sorted(run.queries) == sorted(qrels.queries)
        depth = 1000 if name in ("covidex.r5.2s.lr", "covidex.r5.d2q.2s.lr") else 100
        assert run.longest == depth


def test_official_scores(runs: dict[str, Run], qrels: Qrels, official: dict[str, float]) -> None:
    """nDCG@20 of all 48 runs; that the lists are cut at 100 makes no difference to it."""
    means = {
        name: float(np.mean(list(medir.score(run, trec_ndcg @ 20, qrels).values())))
        for name, run in runs.items()
    }
    assert {name: round(mean, 4) for name, mean in means.items()} == official


def test_every_pair_agrees_with_trec_eval(runs: dict[str, Run], qrels: Qrels, covid: Path) -> None:
    """MED of fully judged lists is the difference that trec_eval reports, for all 1,128 pairs."""
    topics = qrels.queries
    lists = {name: {topic: run[topic] for topic in topics} for name, run in runs.items()}
    full = Qrels.of(with_zeros(grades_in(covid / "qrels.txt"), list(lists.values())))
    grades = {topic: full[topic] for topic in topics}
    theirs: dict[str, dict[str, list[float]]] = {}
    for name in runs:
        # trec_eval orders by score and document: hand it the scores, not medir's order
        found = trec_scores(scores_in(covid / "runs" / f"{name}.gz"), grades)
        theirs[name] = {one: [found[topic][one] for topic in topics] for one in MEASURES}
    for before, after in itertools.combinations(runs, 2):
        result = medir.compare(
            runs[before], runs[after], list(MEASURES.values()), qrels=full, unseen="nothing"
        )
        places = [result.queries.index(topic) for topic in topics]
        for name, one in MEASURES.items():
            change = np.subtract(theirs[after][name], theirs[before][name])
            for column, values in (("med", abs(change)), ("gain", change), ("loss", -change)):
                ours = result.column(one, column)[places]
                np.testing.assert_allclose(ours, values, rtol=0, atol=1e-6)


def test_definition_on_real_lists(runs: dict[str, Run], qrels: Qrels) -> None:
    """MED-nDCG@20 of every twelfth pair and every topic, without and with judgments."""
    lists = {name: {topic: run[topic] for topic in qrels.queries} for name, run in runs.items()}
    judged = {topic: qrels[topic] for topic in qrels.queries}
    values = oracle.relevance("exp", 2, unit=False)
    norm = oracle.ideal_dcg("unbounded", values, oracle.logarithmic, 20)
    formula = oracle.Formula(oracle.logarithmic, values, norm, 20)
    for before, after in itertools.islice(itertools.combinations(runs, 2), 0, None, 12):
        for known in (None, qrels):
            for row in medir.compare(runs[before], runs[after], nDCG @ 20, qrels=known):
                expected = oracle.by_document(
                    lists[before][row.query_id],
                    lists[after][row.query_id],
                    formula,
                    {} if known is None else judged[row.query_id],
                )
                assert (row.gain, row.loss) == pytest.approx(expected, rel=0, abs=1e-12)


def test_rbp_and_ndcg_agree(runs: dict[str, Run]) -> None:
    """Pearson's correlation over all 1,128 pairs, means over topics: 0.9994.

    Section 11 of the design's mathematics.md.
    """
    pairs = list(itertools.combinations(runs.values(), 2))
    means = [medir.compare(a, b, [nDCG @ 20, RBP(p=0.9)]).mean() for a, b in pairs]
    ndcg, rbp = ([mean[one] for mean in means] for one in (nDCG @ 20, RBP(p=0.9)))
    assert len(pairs) == 1128
    assert np.corrcoef(ndcg, rbp)[0, 1] == pytest.approx(0.9994, abs=0.002)
