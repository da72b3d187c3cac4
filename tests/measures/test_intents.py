"""Measures of novelty and diversity: by hand, against every assignment, and against ndeval."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import ERR_IA, NRBP, InputError, Measure, MeasureError, Row, alpha_nDCG
from medir.measures import measure
from tests.cases.runs import EXACT, UNSEEN, ranked, write_run
from tests.oracles import dot_product as oracle
from tests.oracles.exhaustive import (
    Formula,
    cascade,
    difference,
    graded,
    most,
    reciprocal,
    total_discount,
)
from tests.oracles.unseen import Rule, cut_of_lists
from tests.profiles import examples
from tests.shell import medir as shell

close = partial(pytest.approx, rel=0, abs=EXACT)
ByIntent = Mapping[str, Mapping[str, int]]
JUDGED: ByIntent = {"i": {"a": 1, "b": 1, "c": 0}, "j": {"a": 0, "b": 1, "c": 0}}


def row_of(
    one: Measure | str,
    before: list[str],
    after: list[str],
    judged: ByIntent | None = None,
    unseen: Rule = "anything",
) -> Row:
    qrels = None if judged is None else {"q": judged}
    return medir.compare({"q": before}, {"q": after}, one, qrels=qrels, unseen=unseen).row(0)


def score_of(documents: str, one: Measure | str, judged: ByIntent) -> float:
    return medir.score({"q": [*documents]}, one, {"q": judged})["q"]


# By hand.


def test_err_ia_by_hand() -> None:
    """The highest grade is 1, so r = 1/2.

    a b c. Intent i: 1/2 + (1/2)(1/2)/2 = 0.625. Intent j: (1/2)/2 = 0.25. Mean: 0.4375
    c b a. Intent i: (1/2)/2 + (1/2)(1/2)/3 = 1/4 + 1/12 = 1/3. Intent j: 0.25. Mean: 7/24
    """
    assert score_of("abc", "ERR_IA", JUDGED) == close(0.4375)
    assert score_of("cba", ERR_IA @ 3, JUDGED) == close(7 / 24)
    assert score_of("abc", "ERR_IA@1", JUDGED) == close(0.25)
    # Highest grade 2: r = 1/4. Intent i: 1/4 + (3/4)(1/4)/2; intent j: (1/4)/2.
    assert score_of("abc", ERR_IA(max_grade=2), JUDGED) == close((0.34375 + 0.125) / 2)
    # Two more intents, of which nothing is known: nothing is relevant to them.
    assert score_of("abc", ERR_IA(intents=4), JUDGED) == close(0.4375 / 2)
    row = row_of("ERR_IA", [*"abc"], [*"cba"], JUDGED, "nothing")
    assert row.gain == -row.loss == close(7 / 24 - 0.4375)


def test_alpha_ndcg_by_hand() -> None:
    """At most 1 + (1/2) / log2(3) + (1/4) / 2 for each intent.

    a b c. Intent i: 1 + (1/2) / log2(3). Intent j: 1 / log2(3).
    """
    third = 1 / math.log2(3)
    best = 1 + third / 2 + 0.125
    assert score_of("abc", "alpha_nDCG@3", JUDGED) == close((1 + third / 2 + third) / 2 / best)
    # c b a with alpha = 0.9. Intent i: 1 / log2(3) + 0.1 / 2. Intent j: 1 / log2(3).
    strict = alpha_nDCG(alpha=0.9) @ 3
    expected = (third + 0.05 + third) / 2 / (1 + 0.1 * third + 0.01 / 2)
    assert score_of("cba", strict, JUDGED) == close(expected)
    # Two lists with nothing in common: all is relevant to every intent, or nothing.
    assert medir.med(["a", "b", "c"], ["d", "e", "f"], "alpha_nDCG@3") == close(1)


def test_nrbp_by_hand() -> None:
    """With alpha = beta = 1/2, (1 - (1/2)(1/2)) = 3/4 of sum_i c_i (1/2)^(i-1) (1/2)^(seen).

    a b c. Intent i: 1 + (1/2)(1/2) = 5/4. Intent j: 1/2. Mean: 7/8, times 3/4.
    """
    assert score_of("abc", "NRBP", JUDGED) == close(21 / 32)
    # beta = 0.8, alpha = 0.25: 1 - (3/4)(0.8) = 0.4. Intent i: 1 + 0.8 (3/4) = 1.6; intent j: 0.8.
    assert score_of("abc", NRBP(alpha=0.25, beta=0.8), JUDGED) == close(0.4 * (1.6 + 0.8) / 2)
    # An endless list of relevant documents scores 1. Below two that are not relevant: (1/2)^2.
    assert medir.med(["a", "b"], ["a", "b"], NRBP) == close(1 / 4)
    assert medir.med(["a"], ["b"], NRBP) == close(1)


def test_one_document_may_serve_several_intents() -> None:
    """Without judgments each intent is free: the mean is that of one."""
    lists = ["a", "b"], ["b", "c"]
    for name in ("ERR_IA", "alpha_nDCG@4", "NRBP"):
        one = measure(name)
        value = row_of(one, *lists).med
        assert row_of(one(intents=5), *lists).med == close(value)
        assert row_of(one(intents=3), *lists, {"i": {"x": 0}}).med == close(value)


# Against every assignment.

TWELVE = [f"d{i}" for i in range(12)]
OF_ONE_INTENT: dict[str, tuple[Measure, Formula]] = {
    "ERR_IA": (ERR_IA @ 12, Formula(cascade(reciprocal, 1.0), graded(2), 12)),
    "alpha_nDCG": (
        alpha_nDCG @ 12,
        Formula(
            cascade(oracle.logarithmic, 0.5, total_discount(oracle.logarithmic, 0.5, 1.0, 12)),
            (0.0, 1.0),
            12,
        ),
    ),
    "NRBP": (
        NRBP(beta=0.8) @ 12,
        Formula(
            cascade(
                lambda rank: 0.8 ** (rank - 1),
                0.5,
                total_discount(lambda rank: 0.8 ** (rank - 1), 0.5, 1.0, 12),
            ),
            (0.0, 1.0),
            12,
        ),
    ),
}


@pytest.mark.parametrize("name", OF_ONE_INTENT)
@examples(25)
@given(st.permutations(TWELVE), st.permutations(TWELVE))
def test_twelve_shared_documents(name: str, before: list[str], after: list[str]) -> None:
    """Two intents: for one, two documents are judged; the mean of both maxima."""
    one, formula = OF_ONE_INTENT[name]
    judged = {"i": {"d0": 1, "d1": 0}}
    expected = [
        (most(*lists, formula, judged["i"], True) + most(*lists, formula, {}, True)) / 2
        for lists in ((after, before), (before, after))
    ]
    settings_ = {"intents": 2} | ({"max_grade": 2} if name == "ERR_IA" else {})
    row = row_of(one(**settings_), before, after, judged)
    assert [row.gain, row.loss] == close(expected)
    assert row.gap == 0


@dataclass(frozen=True, repr=False)
class Case:
    """Two lists, what is judged for each intent, and a measure: of one intent by its definition."""

    measure: Measure
    formula: Formula
    before: list[str]
    after: list[str]
    judged: dict[str, dict[str, int]]
    intents: int  # of the query, judged or not
    unseen: Rule

    def __repr__(self) -> str:
        lists = f"{self.before} -> {self.after}"
        return f"<{self.measure}: {lists}, judged {self.judged}, unseen {self.unseen}>"

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(repr(self))  # what hypothesis shows

    @property
    def by_intent(self) -> list[dict[str, int]]:
        """The judgments of each intent of the query."""
        return [*self.judged.values()] + [{}] * (self.intents - len(self.judged))

    def is_cut(self, favoured: list[str]) -> bool:
        """Whether unseen ranks follow a list."""
        return cut_of_lists(favoured, [], self.unseen)[0]

    def most(self, favoured: list[str], other: list[str]) -> float:
        """The mean over intents of the largest difference: no intent limits another."""
        cut = self.is_cut(favoured)
        found = [most(favoured, other, self.formula, x, cut) for x in self.by_intent]
        return math.fsum(found) / self.intents

    def expected(self) -> tuple[float, float]:
        """Gain and loss."""
        return self.most(self.after, self.before), self.most(self.before, self.after)


def _err_ia(draw: st.DrawFn, top: int, k: int | None) -> tuple[Measure, Formula]:
    return ERR_IA, Formula(cascade(reciprocal, 1.0), graded(top), k, 2.0**-top)


def _alpha_ndcg(draw: st.DrawFn, top: int, k: int | None) -> tuple[Measure, Formula]:
    alpha = draw(st.sampled_from([0.1, 0.5, 0.9]))
    assert k is not None
    norm = total_discount(oracle.logarithmic, alpha, 1.0, k)
    formula = Formula(cascade(oracle.logarithmic, alpha, norm), (0.0, 1.0), k)
    return alpha_nDCG(alpha=alpha), formula


def _nrbp(draw: st.DrawFn, top: int, k: int | None) -> tuple[Measure, Formula]:
    alpha, beta = draw(st.sampled_from([0.1, 0.5, 0.9])), draw(st.sampled_from([0.3, 0.5, 0.8]))
    norm = 1 / (1 - (1 - alpha) * beta)

    def discount(rank: int) -> float:
        return float(beta ** (rank - 1))

    if k is not None:
        norm = total_discount(discount, alpha, 1.0, k)
    formula = Formula(cascade(discount, alpha, norm), (0.0, 1.0), k, (1 - alpha) * beta)
    return NRBP(alpha=alpha, beta=beta), formula


FAMILIES: dict[str, Callable[[st.DrawFn, int, int | None], tuple[Measure, Formula]]] = {
    "ERR_IA": _err_ia,
    "alpha_nDCG": _alpha_ndcg,
    "NRBP": _nrbp,
}


@st.composite
def cases(draw: st.DrawFn, family: str, longest: int = 9) -> Case:
    pool = [*"abcdefghi"[:longest]]
    same = draw(st.permutations(pool)), draw(st.permutations(pool))
    before, after = same if draw(st.booleans()) else (draw(ranked(pool)), draw(ranked(pool)))
    grades = st.dictionaries(st.sampled_from([*pool, "x"]), st.integers(0, 3), min_size=1)
    judged = draw(st.dictionaries(st.sampled_from(["1", "2", "third"]), grades))
    highest = max((grade for some in judged.values() for grade in some.values()), default=0)
    k = draw(st.integers(1, longest + 2)) if family == "alpha_nDCG" or draw(st.booleans()) else None
    one, formula = FAMILIES[family](draw, highest or 2, k)
    intents = draw(st.integers(1, 5))
    made = one(intents=intents) if k is None else one(intents=intents) @ k
    count = max(intents, len(judged))
    return Case(made, formula, before, after, judged, count, draw(st.sampled_from(UNSEEN)))


@pytest.mark.parametrize("family", FAMILIES)
@examples(150)
@given(data=st.data())
def test_equals_brute_force(family: str, data: st.DataObject) -> None:
    """And the assignments score back to it, intent by intent."""
    case = data.draw(cases(family))
    row = row_of(case.measure, case.before, case.after, case.judged, case.unseen)
    assert (row.gain, row.loss) == close(case.expected())
    assert (row.gap, row.med) == (0, max(row.gain, row.loss))
    assert 0 <= row.lower <= max(row.med, 0)
    judged, lists = case.judged, (case.after, case.before)
    solution = medir.solve(*lists[::-1], case.measure, judged=judged, unseen=case.unseen)
    assert (solution.gain, solution.loss) == (row.gain, row.loss)
    check(case, *lists, solution.gain, solution.gain_assignment)
    check(case, *lists[::-1], solution.loss, solution.loss_assignment)


def check(
    case: Case, favoured: list[str], other: list[str], value: float, assignment: dict[str, Any]
) -> None:
    shown = {*favoured[: case.formula.cutoff], *other[: case.formula.cutoff]}
    if not shown:
        return
    intents = list(assignment[min(shown)])
    assert intents[: len(case.judged)] == list(case.judged)
    assert len(intents) == case.intents
    differences, cut = [], case.is_cut(favoured)
    for intent in intents:
        relevance = {document: assignment[document][intent] for document in shown}
        for document, grade in case.judged.get(intent, {}).items():
            assert relevance.get(document, case.formula.value(grade)) == case.formula.value(grade)
        differences.append(difference(favoured, other, case.formula, relevance, cut))
    assert math.fsum(differences) / case.intents == close(value)


def test_all_intents_together() -> None:
    """Every joint assignment to both intents, of three documents in both lists."""
    before, after, k = [*"abc"], [*"cab"], 3
    judged = {"i": {"a": 1}, "j": {"a": 2, "b": 1}}
    values = graded(2)
    score = cascade(reciprocal, 1.0)
    found = []
    for chosen in itertools.product(values, repeat=6):
        sums = []
        for documents in (before, after):
            by_intent = []
            for intent, some in zip(("i", "j"), (chosen[:3], chosen[3:]), strict=True):
                relevance = dict(zip("abc", some, strict=True))
                relevance |= {d: values[grade] for d, grade in judged[intent].items()}
                by_intent.append(score([relevance[d] for d in documents]))
            sums.append(np.mean(by_intent))
        found.append(sums[1] - sums[0])
    row = row_of(ERR_IA @ k, before, after, judged)
    assert (row.gain, row.loss) == close((max(found), -min(found)))


@examples(40)
@given(st.data())
def test_lower_holds_for_every_continuation(data: st.DataObject) -> None:
    case = data.draw(cases(data.draw(st.sampled_from([*FAMILIES])), longest=2))
    row = row_of(case.measure, case.before, case.after, case.judged)
    depth = min(case.formula.cutoff or 3, 3)
    known = {document: 1 for some in case.judged.values() for document in some}
    for first, second in oracle.continuations(case.before, case.after, depth, known):
        deeper = Case(
            case.measure, case.formula, first, second, case.judged, case.intents, "nothing"
        )
        assert row.lower <= max(deeper.expected()) + EXACT
        assert max(deeper.expected()) <= row.med + EXACT


# Against ndeval.


@examples(100)
@given(
    ranked("abcdef", 1),
    st.lists(
        st.lists(st.integers(0, 1), min_size=6, max_size=6).filter(any), min_size=1, max_size=4
    ),
    st.sampled_from([0.25, 0.5]),
    st.sampled_from([0.5, 0.75]),
)
def test_agrees_with_ndeval(
    documents: list[str], grades: list[list[int]], alpha: float, beta: float
) -> None:
    """What ndeval divides by is what a list reaches whose documents are relevant to all intents.

    For it alpha-DCG has that norm; its alpha-nDCG divides by the ideal of the judgments. Its ERR-IA
    has binary relevance and decay alpha: with alpha = 1/2 it is that of grades 0 and 1, over the
    ideal.
    """
    ndeval = pytest.importorskip("pyndeval")
    judged = {
        str(intent): dict(zip("abcdef", some, strict=True)) for intent, some in enumerate(grades)
    }
    qrels = [
        ("q", intent, d, grade) for intent, some in judged.items() for d, grade in some.items()
    ]
    run = [("q", document, -float(rank)) for rank, document in enumerate(documents)]
    names = ["alpha-DCG@5", "alpha-DCG@20", "NRBP", "ERR-IA@5"]
    theirs = ndeval.ndeval(qrels, run, names, alpha=alpha, beta=beta)["q"]
    text = "".join(documents)
    for k in (5, 20):
        ours = score_of(text, alpha_nDCG(alpha=alpha) @ k, judged)
        assert ours == pytest.approx(theirs[f"alpha-DCG@{k}"], rel=0, abs=1e-9)
    ours = score_of(text, NRBP(alpha=alpha, beta=beta), judged)
    assert ours == pytest.approx(theirs["NRBP"], rel=0, abs=1e-9)
    if alpha == 0.5:
        best = total_discount(reciprocal, 1.0, 0.5, 5)
        ours = score_of(text, ERR_IA @ 5, judged) / best
        assert ours == pytest.approx(theirs["ERR-IA@5"], rel=0, abs=1e-9)


# Files, the shell, and what is refused.

INTENTS = "q i a 1\nq i b 1\nq j b 2\nq j a 0\n"


def test_shell_reads_intents(tmp_path: Path) -> None:
    qrels = tmp_path / "intents.txt"
    qrels.write_text(INTENTS)
    lists = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    runs = [write_run(tmp_path / name, x) for name, x in zip("AB", lists, strict=True)]
    measures = "alpha_nDCG@5", "ERR_IA", "NRBP"
    options = [word for name in measures for word in ("-m", name)]
    done = shell("compare", *runs, *options, "--qrels", qrels, "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    judged = {"i": {"a": 1, "b": 1}, "j": {"b": 2, "a": 0}}
    for line in map(json.loads, done.out.splitlines()):
        row = row_of(line["measure"], lists[0]["q"], lists[1]["q"], judged)
        assert (line["med"], line["gain"], line["loss"]) == (row.med, row.gain, row.loss)
    # a b: i has 1 + 0.5 / log2(3), j has 1 / log2(3). b c: b is relevant, c and all below may be.
    third, discount = 1 / math.log2(3), oracle.logarithmic
    norm = math.fsum(0.5 ** (i - 1) * discount(i) for i in range(1, 6))
    most = 2 * norm - (1 + third / 2) - third
    assert row_of("alpha_nDCG@5", lists[0]["q"], lists[1]["q"], judged).gain == close(
        most / 2 / norm
    )


@pytest.mark.parametrize("one", ["ERR", "nDCG@5", "P@3"])
def test_other_measures_refuse_intents(one: str, tmp_path: Path) -> None:
    qrels = tmp_path / "intents.txt"
    qrels.write_text(INTENTS)
    runs = [write_run(tmp_path / name, {"q": ["a", "b"]}) for name in "AB"]
    done = shell("compare", *runs, "-m", one, "--qrels", qrels)
    assert done.code != 0
    assert "judged twice" in done.err
    assert "intent" in done.err
    with pytest.raises(InputError, match=r"judged twice.*\n(.*\n)*.*intent"):
        medir.compare(runs[0], runs[1], one, qrels=qrels)


def test_intents_of_one_grade_may_be_read_as_one() -> None:
    """Beside a measure of intents, another has the highest grade of any intent."""
    judged = {"q": {"i": {"a": 2}, "j": {"a": 1, "b": 1}}}
    lists = {"q": ["a", "b"]}, {"q": ["b", "c"]}
    result = medir.compare(*lists, ["ERR", ERR_IA], qrels=judged)
    single = medir.compare(*lists, "ERR", qrels={"q": {"a": 2, "b": 1}})
    assert result.column("ERR").tolist() == single.column("ERR").tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ERR_IA(intents=0), "ERR_IA: intents is a whole number"),
        (lambda: alpha_nDCG(alpha=0), "alpha_nDCG: alpha is a number between 0 and 1, not 0"),
        (lambda: NRBP(beta=1), "NRBP: beta is a number between 0 and 1, not 1"),
        (lambda: NRBP(p=0.5), "NRBP has no parameter 'p'"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        make()
    assert message in str(caught.value)


def test_names() -> None:
    assert measure("alpha-nDCG@5") == measure("alpha_ndcg_5") == alpha_nDCG @ 5
    assert measure("err-ia@20") == ERR_IA @ 20
    assert repr(NRBP(alpha=0.25)) == "NRBP(alpha=0.25)"
