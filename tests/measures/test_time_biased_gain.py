"""MED of time-biased gain over documents of known length, against its definition."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import TBG, MeasureError, Row
from medir.comparing.columns import COLUMNS
from tests.cases.runs import UNSEEN, ranked
from tests.oracles.time_biased_gain import Clock, Problem
from tests.oracles.unseen import Rule, cut_of_lists
from tests.profiles import examples

EXACT = 1e-12
ROUNDING = 1e-14  # of large values, such as those of endless lists with a long half-life
close = partial(pytest.approx, abs=EXACT, rel=ROUNDING)
NEARLY = 1e-11  # for bounds
D = [f"d{i}" for i in range(1, 41)]
LENGTHS = [0, 50, 500, 2000, 20_000, 100_000]


@dataclass(frozen=True)
class Case:
    """Two lists with the lengths of their documents, and a calibration."""

    clock: Clock
    before: list[str]
    after: list[str]
    words: dict[str, float]
    judged: dict[str, int]
    rel: int
    unseen: Rule

    @property
    def measure(self) -> medir.Measure:
        """The measure of medir that the clock describes."""
        clock = self.clock
        made = TBG(
            half_life=clock.half_life,
            gain=clock.gain,
            snippet_seconds=clock.snippet,
            document_seconds=clock.document,
            word_seconds=clock.word,
            click_relevant=clock.click_relevant,
            click_not_relevant=clock.click_not_relevant,
            rel=self.rel,
        )
        return made if clock.cutoff is None else made @ clock.cutoff

    def problem(self, direction: str) -> Problem:
        """The gain, or the loss, as the definition has it."""
        lists = (self.after, self.before) if direction == "gain" else (self.before, self.after)
        cut, _ = cut_of_lists(*lists, self.unseen)
        return Problem(self.clock, *lists, self.words, self.judged, self.rel, cut)

    def row(self, **settings: Any) -> Row:
        """What medir says."""
        result = medir.compare(
            {"q": self.before},
            {"q": self.after},
            self.measure,
            qrels={"q": self.judged} if self.judged else None,
            lengths=self.words,
            unseen=self.unseen,
            threads=1,
            **settings,
        )
        return result.row(0)

    def solution(self, **settings: Any) -> medir.Solution:
        """What medir says, with its witness."""
        judged = self.judged or None
        more: dict[str, Any] = {"judged": judged, "lengths": self.words, "unseen": self.unseen}
        return medir.solve(self.before, self.after, self.measure, **more, **settings)


@st.composite
def clocks(draw: st.DrawFn, most: int) -> Clock:
    """The published calibration, often; else any other."""
    cutoff = draw(st.none() | st.integers(1, most + 2))
    if draw(st.booleans()):
        return Clock(cutoff=cutoff)
    clicks = sorted(draw(st.tuples(*[st.sampled_from([0.0, 0.3, 0.9, 1.0]) | st.floats(0, 1)] * 2)))
    return Clock(
        half_life=draw(st.sampled_from([30, 224, 1000, 86.5])),
        gain=draw(st.sampled_from([0.4928, 1.0])),
        snippet=draw(st.sampled_from([0.5, 4.4, 30])),
        document=draw(st.sampled_from([0, 7.8, 60])),
        word=draw(st.sampled_from([0, 0.018, 0.3])),
        click_relevant=clicks[1],
        click_not_relevant=clicks[0],
        cutoff=cutoff,
    )


@st.composite
def cases(draw: st.DrawFn, most: int = 12) -> Case:
    """Lists of at most `most` documents together, and often of the same documents."""
    pool = D[: draw(st.sampled_from(range(most, 0, -1)))]
    if draw(st.booleans()):
        before, after = (list(draw(st.permutations(pool))) for _ in range(2))
    else:
        before, after = (draw(ranked(pool)) for _ in range(2))
    words = {d: draw(st.sampled_from(LENGTHS) | st.floats(0, 30_000)) for d in pool}
    judged = draw(st.dictionaries(st.sampled_from([*pool, "x"]), st.integers(-1, 2), max_size=5))
    rel, unseen = draw(st.integers(1, 2)), draw(st.sampled_from(UNSEEN))
    return Case(draw(clocks(most)), before, after, words, judged, rel, unseen)


@examples(400)
@given(cases())
def test_against_every_assignment(case: Case) -> None:
    row = case.row()
    assert row.gain == close(case.problem("gain").most())
    assert row.loss == close(case.problem("loss").most())
    assert row.med == max(row.gain, row.loss)
    assert row.gap == 0
    assert 0 <= row.lower <= max(row.med, 0)
    if case.unseen == "nothing":
        assert row.lower == row.med


@examples(200)
@given(cases(9), st.sampled_from([1, 20, 64, 300]))
def test_against_every_assignment_with_little_effort(case: Case, effort: int) -> None:
    """There is no room for the table of a walk: branch and bound proves it, or leaves a gap."""
    row = case.row(effort=effort)
    for direction in ("gain", "loss"):
        found, most = getattr(row, direction), case.problem(direction).most()
        assert found - NEARLY <= most <= found + getattr(row, f"{direction}_gap") + NEARLY


@examples(200)
@given(cases())
def test_a_witness_scores_its_value(case: Case) -> None:
    solution = case.solution()
    for direction in ("gain", "loss"):
        problem, assignment = case.problem(direction), getattr(solution, f"{direction}_assignment")
        assert set(assignment.values()) <= {0.0, 1.0}
        assert {d: assignment[d] for d in problem.known if d in assignment} == {
            d: value for d, value in problem.known.items() if d in assignment
        }
        scored = problem.difference(assignment)
        assert scored == close(getattr(solution, direction))


def random_case(rng: random.Random, sizes: Sequence[int], shared: int, **changes: Any) -> Case:
    """Two lists that have some documents in common, many of them long."""
    common = D[:shared]
    before = rng.sample([*common, *D[shared : sizes[0]]], sizes[0])
    after = rng.sample([*common, *D[sizes[0] : sizes[0] + sizes[1] - shared]], sizes[1])
    words = {d: rng.choice([100.0, 700.0, 3000.0, 20_000.0, rng.lognormvariate(6, 1)]) for d in D}
    judged = {d: rng.choice([0, 1]) for d in rng.sample(D, 4)}
    unseen: Rule = rng.choice(UNSEEN)
    clock = Clock(half_life=rng.choice([60, 224, 1000]), cutoff=rng.choice([None, 15, 30]))
    return replace(Case(clock, before, after, words, judged, 1, unseen), **changes)


@pytest.mark.slow
def test_longer_lists_with_few_shared_documents() -> None:
    """Up to 34 unknown documents, most of them in one list."""
    rng = random.Random(6)
    for _ in range(60):
        case = random_case(rng, (rng.randint(12, 20), rng.randint(12, 20)), rng.randint(0, 7))
        row = case.row()
        assert row.gain == pytest.approx(
            case.problem("gain").most_by_shared(), abs=EXACT, rel=ROUNDING
        )
        assert row.loss == pytest.approx(
            case.problem("loss").most_by_shared(), abs=EXACT, rel=ROUNDING
        )
        assert row.gap == 0


def test_both_ways_of_the_oracle_agree() -> None:
    rng = random.Random(7)
    for _ in range(20):
        case = random_case(rng, (6, 7), 3)
        for direction in ("gain", "loss"):
            problem = case.problem(direction)
            assert problem.most() == pytest.approx(
                problem.most_by_shared(), abs=EXACT, rel=ROUNDING
            )


def test_relevance_can_lower_a_score() -> None:
    """A long document wastes time: best not relevant in the favoured list, relevant in the other.

    Each list has one, and most documents are judged relevant, so that there is something to lose
    below. Counts the cases where the monotone choice costs something, by the definition.
    """
    rng = random.Random(8)
    wasted = {"favoured": 0, "other": 0}
    for _ in range(40):
        words = {d: 20_000.0 if d in (D[3], D[16]) else 100.0 for d in D}
        judged = {d: 1 for d in D[3:] if words[d] == 100}
        case = random_case(rng, (16, 16), 3, clock=Clock(), words=words, judged=judged)
        problem, solution = case.problem("gain"), case.solution()
        assert solution.gain == close(problem.most_by_shared())
        best = solution.gain_assignment
        for side, own, other, value in (
            ("favoured", case.after, case.before, 1.0),
            ("other", case.before, case.after, 0.0),
        ):
            free = [d for d in own if d not in other and d not in case.judged]
            tried = [problem.difference({**best, d: value}) for d in free]
            assert all(found < solution.gain + NEARLY for found in tried)
            wasted[side] += any(found < solution.gain - 1e-6 for found in tried)
    assert min(wasted.values()) >= 10, wasted


def nearly_same(rng: random.Random, size: int) -> Case:
    """A list, and the same after many small moves."""
    before = [f"d{i}" for i in range(size)]
    after = list(before)
    for _ in range(size):
        i = rng.randrange(size)
        j = min(size - 1, i + rng.randrange(8))
        after[i], after[j] = after[j], after[i]
    words = {d: rng.lognormvariate(6.4, 1) for d in before}
    return Case(Clock(half_life=1000), before, after, words, {}, 1, "nothing")


def test_less_effort_leaves_a_true_interval() -> None:
    rng = random.Random(9)
    unproven = 0
    for _ in range(10):
        case = nearly_same(rng, 300)
        exact = case.row()
        assert (exact.gap, exact.gain_gap, exact.loss_gap) == (0, 0, 0)
        for effort in (1, 1000, 3000):
            row = case.row(effort=effort)
            unproven += max(row.gain_gap, row.loss_gap) > 0
            assert row.med - NEARLY <= exact.med <= row.med + row.gap + NEARLY
            for found, gap, most in (
                (row.gain, row.gain_gap, exact.gain),
                (row.loss, row.loss_gap, exact.loss),
            ):
                assert found - NEARLY <= most <= found + gap + NEARLY
    assert unproven >= 3


@examples(100)
@given(cases(6), st.randoms(use_true_random=False))
def test_med_stays_between_lower_and_med_as_lists_grow(case: Case, rng: random.Random) -> None:
    """Whatever stands at the unseen ranks: documents of the other list, or others of any length."""
    case = replace(case, unseen="anything", clock=replace(case.clock, cutoff=8))
    row = case.row()
    words = case.words | {f"new{i}": rng.choice([0, 10, 1000]) for i in range(16)}
    for _ in range(5):
        lists = []
        for seen in (case.before, case.after):
            more = [d for d in words if d not in seen]
            rng.shuffle(more)
            lists.append([*seen, *more][:8])
        deeper = replace(case, before=lists[0], after=lists[1], words=words, unseen="nothing").row()
        assert row.lower - NEARLY <= deeper.med <= row.med + NEARLY
        assert deeper.gain <= row.gain + NEARLY
        assert deeper.loss <= row.loss + NEARLY


@examples(50)
@given(cases(7))
def test_unseen_ranks_hold_anything(case: Case) -> None:
    """With a document of its own at each unseen rank, of any relevance and length: not more."""
    case = replace(case, unseen="anything", clock=replace(case.clock, cutoff=4))
    for direction in ("gain", "loss"):
        problem = case.problem(direction)
        most = []
        for length in (0, 300):
            lists, words = [], dict(problem.words)
            for side, seen in (("mine", problem.favoured), ("theirs", problem.other)):
                unseen = [f"{side}{i}" for i in range(len(seen), 4)]
                words |= dict.fromkeys(unseen, length)
                lists.append([*seen, *unseen])
            filled = replace(problem, favoured=lists[0], other=lists[1], words=words)
            most.append(replace(filled, cut=False).most())
        assert most[0] == close(getattr(case.row(), direction))
        assert most[1] <= most[0] + NEARLY


def test_the_score_by_hand() -> None:
    """A relevant document of 1000 words at rank 1: 4.4 + 0.64 (18 + 7.8) = 20.912 s to rank 2.

    Then one of 100 words that is not: 4.4 + 0.39 (1.8 + 7.8) = 8.144 s more to rank 3.
    """
    words = {"a": 1000, "b": 100, "c": 5}
    qrels = {"q": {"a": 1, "c": 2}, "p": {"a": 1}}
    scores = medir.score({"q": ["a", "b", "c"]}, "TBG", qrels, lengths=words)
    assert scores["q"] == pytest.approx(
        0.4928 * (1 + 2 ** (-29.056 / 224)), abs=EXACT, rel=ROUNDING
    )
    assert scores["p"] == 0
    only_two = medir.score({"q": ["a", "b", "c"]}, "TBG@2", qrels, lengths=words)
    assert only_two["q"] == close(0.4928)


def test_full_judgments_give_the_true_difference() -> None:
    words = {"a": 1000, "b": 100, "c": 5}
    judged = {"a": 1, "b": 0, "c": 1}
    before, after = {"q": ["a", "b"]}, {"q": ["c", "a", "b"]}
    settings: dict[str, Any] = {"qrels": {"q": judged}, "lengths": words}
    row = medir.compare(before, after, "TBG", unseen="nothing", **settings).row(0)
    scores = [medir.score(run, "TBG", **settings)["q"] for run in (before, after)]
    assert row.gain == close(scores[1] - scores[0])
    assert row.loss == close(scores[0] - scores[1])


def test_endless_lists_of_no_words() -> None:
    """Two empty lists: gain / (1 - 2^(-(4.4 + 0.64 * 7.8) / 224)) may follow either."""
    expected = 0.4928 / (1 - 2 ** (-(4.4 + 0.64 * 7.8) / 224))
    row = medir.compare({"q": []}, {"q": []}, "TBG", lengths={}, unseen="anything").row(0)
    assert row.med == pytest.approx(expected, rel=1e-13)
    assert row.lower == 0
    assert medir.med([], [], "TBG", lengths={}, unseen="nothing") == 0


@pytest.mark.parametrize(
    ("clicks", "expected"), [(0.39, 0.4928), (0.0, 0.4928 * (1 - 2 ** (-2 * 4.4 / 224)))]
)
def test_enormous_documents(clicks: float, expected: float) -> None:
    """Nothing is left below a document of 10^12 words that is opened.

    Where documents that are not relevant are never opened, two snippets come before the third.
    """
    one, words = TBG(click_not_relevant=clicks), dict.fromkeys("abc", 1e12)
    found = medir.med(list("abc"), list("cba"), one, lengths=words, unseen="nothing")
    assert found == close(expected)


def test_measures_as_they_are_written() -> None:
    assert repr(medir.measure("tbg")) == "TBG"
    assert repr(medir.measure("TBG(half_life=224)")) == "TBG"
    assert repr(medir.measure("TBG(half_life=300)@10")) == "TBG(half_life=300)@10"
    assert medir.measure("TBG(half_life=300.0)") == TBG(half_life=300)
    assert repr(TBG(300.5, click_relevant=1)) == "TBG(half_life=300.5, click_relevant=1.0)"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"half_life": 0}, "half_life is a number between 1e-06 and 1e"),
        ({"half_life": "long"}, "half_life is a number"),
        ({"gain": -1}, "gain is a number between 0 and 1e"),
        ({"snippet_seconds": 0}, "snippet_seconds is a number"),
        ({"word_seconds": -0.1}, "word_seconds is a number"),
        ({"document_seconds": True}, "document_seconds is a number"),
        ({"click_relevant": 1.5}, "click_relevant is a probability from 0 to 1"),
        ({"click_relevant": 0.2}, "click_relevant is below click_not_relevant"),
        ({"pace": 3}, "no parameter 'pace'"),
    ],
)
def test_parameters_that_make_no_sense(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(MeasureError, match=message):
        TBG(**parameters)


def test_extremes_have_values() -> None:
    words = {"a": 1e12, "b": 4, "c": 0}
    for settings_ in (
        "half_life=999999998, snippet_seconds=1.1e-6, document_seconds=0, gain=9e8",
        "half_life=1.1e-6, snippet_seconds=9e8, gain=9e8",
        "word_seconds=9e8, click_not_relevant=0",
    ):
        for unseen in UNSEEN:
            row = next(iter(medir.compare(
                {"q": ["a", "b"]}, {"q": ["b", "c"]}, f"TBG({settings_})", lengths=words,
                unseen=unseen,
            )))  # fmt: skip
            assert all(math.isfinite(getattr(row, name)) for name in COLUMNS)
            assert row.gap == 0


@pytest.mark.parametrize(
    "text",
    ["TBG(gain=1e308)", "TBG(snippet_seconds=1e-320)", "TBG(half_life=1e-309)",
     f"TBG(half_life=1{'0' * 300})", "U(discount='exponential', half_life=1e-309)@5"],
)  # fmt: skip
def test_numbers_beyond_reason_are_refused(text: str) -> None:
    with pytest.raises(medir.MeasureError, match="is a number between"):
        medir.measure(text)


@pytest.mark.parametrize("words", [1e13, 10**400, float("inf")])
def test_lengths_beyond_reason_are_refused(words: float) -> None:
    with pytest.raises(medir.InputError, match="not a number of words"):
        medir.Lengths.of({"a": words})


def test_long_half_lives_are_exact() -> None:
    """The values are far smaller than what endless lists would score."""
    chance = random.Random(3)
    documents = [f"d{i}" for i in range(9)]
    for _ in range(20):
        before, after = chance.sample(documents, 9), chance.sample(documents, 9)
        words = {document: float(chance.randint(0, 3000)) for document in documents}
        clock = Clock(half_life=9.9e8)
        case = Case(clock, before, after, words, {}, 1, "nothing")
        assert case.row().gain == close(case.problem("gain").most())
