"""Measures that users define as functions, through every route: against every assignment."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import ERR, Measure, MeasureError, define
from medir.measures import measure
from medir.measures.family import OWN
from tests.cases.cascade import Case
from tests.cases.runs import EXACT, UNSEEN, ranked, row_of, write_qrels, write_run
from tests.oracles.exhaustive import (
    Formula,
    Gains,
    average_precision,
    both,
    cascade,
    difference,
    reciprocal,
)
from tests.profiles import examples

close = partial(pytest.approx, rel=0, abs=EXACT)
GRADED = (0.0, 0.25, 0.75)
POOL = [*"abcdefgh"]


@pytest.fixture(autouse=True)
def _names_are_forgotten() -> Iterator[None]:
    """What a test names does not live on."""
    with patch.dict(OWN, clear=True):
        yield


def enough(gains: Gains) -> Any:
    """Two documents of the highest relevance are enough."""
    return np.minimum(sum(gains, 0.0 * gains[0]), 1.5) if len(gains) else 0.0


def distinct(gains: Gains) -> Any:
    """Not monotone: a list is best when half of it is relevant."""
    if not len(gains):
        return 0.0
    mean = sum(gains) / len(gains)
    return mean * (1 - mean)


SCORES: dict[str, tuple[Callable[[Gains], Any], bool]] = {
    "cascading": (cascade(reciprocal, 1.0), True),
    "precise": (average_precision(4.0), True),
    "enough": (enough, True),
    "distinct": (distinct, False),
}


@st.composite
def cases(draw: st.DrawFn, name: str, most: int = 7) -> Case:
    score, monotone = SCORES[name]
    values = draw(st.sampled_from([(0.0, 1.0), GRADED]))
    pool = POOL[:most] if len(values) == 2 else POOL[: most - 2]
    before, after = draw(ranked(pool)), draw(ranked(pool))
    judged = draw(st.dictionaries(st.sampled_from([*pool, "x"]), st.integers(-1, 3), max_size=3))
    k = draw(st.none() | st.integers(1, len(pool)))
    made = define(name, score, monotone=monotone, values=values)
    # A list without cutoff is scored as it is; so is one that is complete, but for what it lacks.
    formula = Formula(score, values, k, depth=0)
    unseen = draw(st.sampled_from(UNSEEN))
    if k is not None and not monotone:
        before, after = (x + [y for y in pool if y not in x] for x in (before, after))
    return Case(made if k is None else made @ k, formula, before, after, judged, unseen)


def expected(case: Case) -> tuple[float, float]:
    """Every grade of every document is tried."""
    k = case.formula.cutoff or 0
    before, after = (
        x if cut else [*x, *["nothing"] * (k - len(x))]
        for x, cut in zip((case.before, case.after), case.cut, strict=True)
    )
    known = {**case.judged, "nothing": 0}
    return both(before, after, case.formula, known, case.cut, intermediate=True)


@pytest.mark.parametrize("name", SCORES)
@examples(100)
@given(data=st.data())
def test_equals_brute_force(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    row = row_of(case.measure, case.before, case.after, case.judged, case.unseen)
    assert (row.gain, row.loss) == close(expected(case))
    assert (row.gap, row.med) == (0, max(row.gain, row.loss))
    assert row.lower <= max(row.med, 0)
    lists, options = (case.before, case.after), {"judged": case.judged, "unseen": case.unseen}
    assert medir.med(*lists, case.measure, **options) == row.med  # type: ignore[arg-type]
    solution = medir.solve(*lists, case.measure, **options)  # type: ignore[arg-type]
    values = row.med, row.gain, row.loss, row.lower, row.gap
    assert values == (solution.med, solution.gain, solution.loss, solution.lower, solution.gap)
    lists = case.after, case.before
    check_witness(case, *lists, case.cut[1], solution.gain, solution.gain_assignment)
    check_witness(case, *lists[::-1], case.cut[0], solution.loss, solution.loss_assignment)


def check_witness(
    case: Case,
    favoured: list[str],
    other: list[str],
    cut: bool,
    value: float,
    assignment: dict[str, float],
) -> None:
    """It scores back to the value, and leaves judgments as they are."""
    k = case.formula.cutoff
    mine, theirs = ([*x, *["nothing"] * ((k or 0) - len(x))] for x in (favoured, other))
    mine = favoured if cut else mine
    known = {**assignment, "nothing": 0.0}
    assert difference(mine, theirs, case.formula, known, cut) == close(value)
    for document, grade in case.judged.items():
        value = case.formula.value(grade)
        assert assignment.get(document, value) == value


def test_same_as_a_measure_of_medir() -> None:
    mine = define("MyErr", cascade(reciprocal, 1.0), values=GRADED)
    run = {"q": POOL[:5], "r": ["a", "b"]}, {"q": POOL[4::-1], "r": ["b", "c", "a"]}
    qrels = {"q": {"a": 1, "x": 2}, "s": {"a": 2}}
    result = medir.compare(*run, ["RR@5", mine @ 5, ERR @ 5], qrels=qrels)
    for column in ("med", "gain", "loss"):
        theirs = result.column(ERR @ 5, column)
        assert result.column(mine @ 5, column).tolist() == close(theirs.tolist())
    assert [repr(one) for one in result.measures] == ["RR@5", "MyErr@5", "ERR@5"]
    score = medir.score(run[0], mine @ 5, qrels)
    assert score == {query: close(x) for query, x in medir.score(run[0], ERR @ 5, qrels).items()}
    cut = medir.compare(*run, [mine @ 5, ERR @ 5], depth=2)
    assert cut.column(mine @ 5).tolist() == close(cut.column(ERR @ 5).tolist())


def test_files(tmp_path: Path) -> None:
    runs = {"q": ["a", "b", "c"]}, {"q": ["c", "b", "d"]}
    paths = [write_run(tmp_path / name, run) for name, run in zip("AB", runs, strict=True)]
    qrels = write_qrels(tmp_path / "qrels", {"q": {"c": 1}})
    share = define("share", np.mean)
    # c is relevant in both; of the others, one or two more in the favoured list only.
    row = medir.compare(paths[0], paths[1], share, qrels=qrels).row(0)
    assert (row.gain, row.loss) == close((1 / 3, 1 / 3))
    assert medir.score(paths[0], share, qrels) == {"q": close(1 / 3)}


def test_grades_beyond_the_last_value() -> None:
    share = define("share", np.mean)
    assert medir.score({"q": ["a", "b"]}, share @ 4, {"q": {"a": 3, "b": -1}}) == {"q": 0.25}


def test_intents_count_by_their_highest_grade() -> None:
    """As Qrels has it, whatever the order of the intents."""
    share = define("share", np.mean)
    for order in (("i", "j"), ("j", "i")):
        judged = {intent: {"a": {"i": 1, "j": 0}[intent]} for intent in order}
        result = medir.compare({"q": ["a"]}, {"q": ["b"]}, [share, "ERR_IA"], qrels={"q": judged})
        assert result.column(share, "gain").tolist() == [0]


def test_search_cut_short() -> None:
    random = np.random.default_rng(0)
    pool = [f"d{i}" for i in range(14)]
    after = [pool[i] for i in random.permutation(14)]
    slow = define("slow", cascade(lambda rank: 1 / (rank + 1), 0.3))
    proven = medir.solve(pool, after, slow @ 14, effort=10_000_000)
    hurried = medir.solve(pool, after, slow @ 14, effort=1)
    assert (proven.gap, proven.gain_gap, proven.loss_gap) == (0, 0, 0)
    assert hurried.gap > 0
    for value in ("gain", "loss"):
        least, exact = getattr(hurried, value), getattr(proven, value)
        assert least - EXACT <= exact <= least + getattr(hurried, f"{value}_gap") + EXACT


def test_without_bounds_nothing_is_proven() -> None:
    lists = [f"d{i}" for i in range(40)], [f"d{i}" for i in range(39, -1, -1)]
    uneven = define("uneven", lambda c: float(np.var(c[::2])), monotone=False)
    solution = medir.solve(*lists, uneven, effort=1000)
    assert solution.gap == float("inf")
    assert 0 < solution.med <= 0.25


# Values like any other measure.


def test_known_by_name() -> None:
    mine = define("Mine", np.mean)
    assert isinstance(mine, Measure)
    assert repr(mine @ 5) == "Mine@5"
    assert measure("mine@5") == measure("Mine_5") == mine @ 5
    assert measure("MINE") == mine
    assert medir.med(["a"], ["b"], "mine@2") == 1
    with pytest.raises(MeasureError, match=r"did you mean Mine@5\?"):
        measure("minee@5")


def mean(gains: Gains) -> float:
    return float(np.mean(gains))


def test_pickled() -> None:
    for one in (define("Kept", mean) @ 5, define("KeptToo", lambda c: c.sum(), values=GRADED)):
        assert pickle.loads(pickle.dumps(one)) == one


def test_pickled_and_not_known_there() -> None:
    text = pickle.dumps(define("Forgotten", mean))
    OWN.clear()
    with pytest.raises(MeasureError, match="'Forgotten' is not known here; define it first"):
        pickle.loads(text)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: define("two words", mean), "is a word, not 'two words'"),
        (lambda: define("5", mean), "is a word, not '5'"),
        (lambda: define("P_10", mean), "must be a new word"),
        (lambda: define("err", mean), "must be a new word"),
        (lambda: define(None, mean), "define needs a name and a function"),  # type: ignore[arg-type]
        (lambda: define("mine", 5), "define needs a name and a function"),  # type: ignore[arg-type]
        (lambda: define("mine", mean, values=(1, 0)), "two or more increasing numbers, not (1, 0)"),
        (lambda: define("mine", mean, values=(0, 0)), "two or more increasing numbers"),
        (lambda: define("mine", mean, values=(1,)), "two or more increasing numbers"),
        (lambda: define("mine", mean, values=(0, float("inf"))), "finite"),
        (lambda: define("mine", mean)(p=1), "mine has no parameter 'p'"),
        (lambda: define("mine", mean) @ 0, "the cutoff of mine is a whole number"),
    ],
)
def test_refused(make: Any, message: str) -> None:
    with pytest.raises(MeasureError) as caught:
        make()
    assert message in str(caught.value)


def test_a_function_that_is_not_monotone() -> None:
    falling = define("falling", lambda c: -float(np.sum(c)))
    with pytest.raises(MeasureError, match="falling"):
        medir.med(["a", "b"], ["b", "c"], falling @ 2)


def test_a_function_that_fails() -> None:
    failing = define("failing", lambda c: c[99])
    with pytest.raises(MeasureError, match="failing"):
        medir.med(["a", "b"], ["b", "c"], failing @ 2)
