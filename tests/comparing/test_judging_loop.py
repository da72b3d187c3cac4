"""Judge, judgments, a tighter MED, and again: med never rises, and ends at the true difference.

The scripted judge knows a hidden truth, or looks for the words of a query in the text of a
document. The true difference comes from the plain formulas of the oracles.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from tests.cases.runs import EXACT, UNSEEN, ranked
from tests.oracles import dot_product as oracle
from tests.oracles.exhaustive import (
    Formula,
    Gains,
    average_precision,
    cascade,
    graded,
    reciprocal,
    seen_gains,
    total_discount,
)
from tests.oracles.unseen import Rule
from tests.profiles import examples
from tests.shell import EXAMPLES
from tests.shell import medir as shell

POOL = "abcdefghij"
HIGHEST = 3
VALUES = graded(HIGHEST)
BINARY = (0.0, 1.0)


def _geometric(rank: int) -> float:
    return 0.2 * 0.8 ** (rank - 1)


def _ndcg(k: int) -> Callable[[Gains], Any]:
    return cascade(oracle.logarithmic, 0, total_discount(oracle.logarithmic, 0, VALUES[-1], k))


MEASURES: dict[str, Formula] = {
    "nDCG(max_grade=3)@4": Formula(_ndcg(4), VALUES, 4),
    "ERR(max_grade=3)@6": Formula(cascade(reciprocal, 1), VALUES, 6),
    "ERR(max_grade=3)": Formula(cascade(reciprocal, 1), VALUES, None, 1 - VALUES[-1]),
    "RBP(p=0.8)": Formula(cascade(_geometric, 0), BINARY, None, 0.8),
    "P@3": Formula(cascade(oracle.flat, 0, 3), BINARY, 3),
    "AP@5": Formula(average_precision(5), BINARY, 5),
}


Grades = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Case:
    """Two runs, what a judge would say, and how many documents are judged in a round."""

    before: dict[str, list[str]]
    after: dict[str, list[str]]
    truth: Grades
    judged: Grades
    top: int
    unseen: Rule
    shares: bool


@st.composite
def loops(draw: st.DrawFn) -> Case:
    """A few queries; some documents are judged already."""
    queries = ["q 1", "q2", "q3"][: draw(st.integers(1, 3))]
    grade = st.integers(0, HIGHEST)
    truth = {query: {document: draw(grade) for document in POOL} for query in queries}
    known = st.sets(st.sampled_from(POOL), max_size=4)
    return Case(
        {query: draw(ranked(POOL)) for query in queries},
        {query: draw(ranked(POOL)) for query in queries},
        truth,
        {query: {one: truth[query][one] for one in draw(known)} for query in queries},
        draw(st.integers(1, 6)),
        draw(st.sampled_from(UNSEEN)),
        draw(st.booleans()),
    )


def given_back(case: Case, judged: Grades) -> dict[str, Any]:
    """Judgments as a judge returns them: grades, or shares of the highest one with levels."""
    if not case.shares:
        return {"qrels": judged}
    levels = {grade / HIGHEST: grade for grade in range(HIGHEST + 1)}
    shares = {q: {d: grade / HIGHEST for d, grade in some.items()} for q, some in judged.items()}
    return {"qrels": shares, "grades": levels}


def rounds(case: Case, measure: str) -> list[dict[str, float]]:
    """The MED of every query, before the first round and after each, until nothing is left."""
    judged = {query: dict(some) for query, some in case.judged.items()}
    meds = []
    for _ in range(100):
        options: dict[str, Any] = {**given_back(case, judged), "unseen": case.unseen, "threads": 1}
        result = medir.compare(case.before, case.after, measure, **options)
        meds.append(dict(zip(result.queries, result.column(measure).tolist(), strict=True)))
        suggestions = medir.judge(
            case.before, case.after, measures=measure, top=case.top, **options
        )
        if not suggestions:
            return meds
        for one in suggestions:
            assert one.document not in judged[one.query_id]
            judged[one.query_id][one.document] = case.truth[one.query_id][one.document]
    raise AssertionError("the loop does not end")


def true_difference(
    before: Sequence[str], after: Sequence[str], formula: Formula, truth: Mapping[str, int]
) -> float:
    values = {document: formula.value(grade) for document, grade in truth.items()}
    scores = [formula.score(seen_gains(one, formula, values)) for one in (before, after)]
    return abs(float(scores[1]) - float(scores[0]))


@pytest.mark.parametrize("measure", MEASURES)
@examples(60)
@given(case=loops())
def test_med_never_rises_and_ends_at_the_true_difference(measure: str, case: Case) -> None:
    meds = rounds(case, measure)
    for earlier, later in pairwise(meds):
        for query, med in later.items():
            assert med <= earlier[query] + EXACT
    if case.unseen != "nothing":
        return
    for query, med in meds[-1].items():
        lists = case.before[query], case.after[query]
        expected = true_difference(*lists, MEASURES[measure], case.truth[query])
        assert med == pytest.approx(expected, rel=0, abs=EXACT)


# In the shell, over the example data.


def keywords(query: str, document: str, text: str, max_grade: int) -> int:
    """A scripted judge: how many words of the query stand in the document."""
    words = set(query.lower().split())
    return min(sum(word in f"{document} {text}".lower() for word in words), max_grade)


def answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """What the scripted judge returns for a line of requests."""
    given_text = (request[name] for name in ("query", "doc_id", "text", "max_grade"))
    ids = {name: request[name] for name in ("query_id", "doc_id")}
    return {**ids, "relevance": keywords(*given_text)}


def texts_of(name: str) -> dict[str, str]:
    """The second column of a file of the examples."""
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines}


FORMULAS = {
    "nDCG(max_grade=3)@3": Formula(_ndcg(3), VALUES, 3),
    "ERR(max_grade=3)@3": Formula(cascade(reciprocal, 1), VALUES, 3),
}


@pytest.mark.parametrize("measure", FORMULAS)
def test_a_keyword_judge_of_the_examples(measure: str, tmp_path: Path) -> None:
    runs = EXAMPLES / "before.run", EXAMPLES / "after.run"
    texts = "--queries", EXAMPLES / "queries.tsv", "--documents", EXAMPLES / "documents.tsv"
    qrels: list[Any] = []
    meds, asked = [], 0
    compare = partial(medir.compare, *runs, measure)
    for number in range(10):
        meds.append(compare(qrels=qrels[1::2] or None).column(measure))
        requests = tmp_path / f"requests{number}.jsonl"
        done = shell("judge", *runs, "-m", measure, *qrels, *texts, "--top", 400, "-o", requests)
        assert done.code == 0
        assert "highest grade 3 (declared)" in done.out
        lines = requests.read_text(encoding="utf-8").splitlines()
        if not lines:
            break
        asked += len(lines)
        judged = tmp_path / f"judged{number}.jsonl"
        answers = [answer(json.loads(line)) for line in lines]
        judged.write_text("".join(json.dumps(one) + "\n" for one in answers), encoding="utf-8")
        qrels += ["--qrels", judged]
    assert asked > 400
    assert not lines, "everything that matters is judged"
    assert all((later <= earlier + EXACT).all() for earlier, later in pairwise(meds))
    read = [medir.Run.read(run) for run in runs]
    queries, documents = texts_of("queries.tsv"), texts_of("documents.tsv")
    for query, med in zip(compare().queries, meds[-1].tolist(), strict=True):
        lists = [run.get(query)[:3] for run in read]
        truth = {
            one: keywords(queries[query], one, documents[one], HIGHEST)
            for some in lists
            for one in some
        }
        expected = true_difference(lists[0], lists[1], FORMULAS[measure], truth)
        assert med == pytest.approx(expected, rel=0, abs=EXACT)
    assert meds[-1].mean() < meds[0].mean()
