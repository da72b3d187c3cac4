"""More effort is never worse, for lists of all lengths; a search ends when it should."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import medir
from medir._core import COLUMNS
from tests.cases.structures import STRUCTURES, hard_measures, rearranged, words

ROUNDING = 1e-12
ENDLESS = 10**12  # steps


def values_of(structure: str, size: int, effort: int) -> list[dict[str, float]]:
    """What is found for each measure, by column."""
    before, after = np.arange(size)[None, :], rearranged(structure, size)[None, :]
    measures = list(hard_measures(size).values())
    found = medir.compare(before, after, measures, lengths=words(size), effort=effort, threads=1)
    return [dict(zip(COLUMNS, one[:, 0], strict=True)) for one in found.values]


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("size", [10, 100, 1000, 5000, 120_000])
def test_more_effort_is_never_worse(size: int, structure: str) -> None:
    """Values grow, gaps shrink, and all intervals have a value in common."""
    efforts = (1, 30, 1000, 30_000) if size <= 1000 else (1, 1000)
    by_effort = [values_of(structure, size, effort) for effort in efforts]
    for rows in zip(*by_effort, strict=True):
        rounding = ROUNDING * (1 + abs(rows[-1]["med"]))
        for value, gap in (("med", "gap"), ("gain", "gain_gap"), ("loss", "loss_gap")):
            found = [(row[value], row[gap]) for row in rows]
            for (less, wide), (more, narrow) in pairwise(found):
                assert 0 <= narrow <= wide + rounding
                assert more >= less - rounding
            assert max(least for least, _ in found) <= min(map(sum, found)) + rounding


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("size", [10, 30, 100])
def test_judged_lists_with_little_effort(size: int, structure: str) -> None:
    """A difference has a sign, and MED has none: one of the two directions is not below 0."""
    after = rearranged(structure, size).tolist()
    for seed, share in enumerate((0.2, 0.5, 0.9) * 5):
        random = np.random.default_rng(seed)
        chosen = np.flatnonzero(random.random(size) < share)
        judged = {int(one): int(random.integers(2)) for one in chosen}
        for name, measure in hard_measures(size).items():
            lengths = words(size) if name == "TBG" else None
            solve = partial(medir.solve, range(size), after, measure, judged=judged)
            values = [solve(lengths=lengths, effort=effort).med for effort in (1, 30)]
            assert 0 <= values[0] <= values[1] + ROUNDING * (1 + values[1])


def test_one_step_of_time() -> None:
    """Found by fuzzing: what one step guesses for either direction is worse than nothing."""
    both = [14, 5, 18, 11, 8, 6, 17, 21, 9, 3, 7, 1, 15, 22, 13, 4]
    before, after = [2, *both, 0, 19, 10, 12], [20, *both, 2, 19, 16, 12, 10, 0]
    counts = "600 600 40000 2500 600 700 600 600 600 700 0 0 0 0 0 0 0 2500 150 20 40000 2500 600"
    lengths = dict(enumerate(map(int, counts.split())))
    one, all_steps = (
        medir.solve(before, after, "TBG", lengths=lengths, unseen="nothing", effort=effort)
        for effort in (1, 1000)
    )
    assert 0 <= one.med <= all_steps.med <= one.med + one.gap
    assert all_steps.gap == 0


@pytest.mark.parametrize("decay", [1e-18, 1e-17, 1e-16, 1e-14, 1e-9])
def test_next_to_no_decay(decay: float) -> None:
    """What a relevant document leaves rounds to all: the value is that without decay."""
    discounts = 1 / np.log2(np.arange(2, 302))
    for structure in STRUCTURES:
        after = rearranged(structure, 300).tolist()
        cascade = medir.solve(range(300), after, medir.Cascade(discounts, decay=decay))
        static = medir.solve(range(300), after, medir.Discount(discounts))
        assert cascade.med <= static.med + 1e-6 <= cascade.med + cascade.gap + 2e-6


def test_a_time_limit() -> None:
    """It ends a search that would go on; the value is as good as one with that much effort."""
    after = rearranged("noisy copy", 20_000)
    measure = medir.Cascade(1 / np.log2(np.arange(2, 20_002)), decay=0.1)
    least = medir.solve(range(20_000), after.tolist(), measure, effort=1)
    started = time.perf_counter()
    found = medir.solve(range(20_000), after.tolist(), measure, effort=ENDLESS, time_limit=0.2)
    assert time.perf_counter() - started < 20  # it would take hours
    assert 0 < found.gap <= least.gap
    assert found.med >= least.med


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), "1", True])
def test_a_time_limit_that_is_none(seconds: object) -> None:
    with pytest.raises(medir.UsageError, match=r"time_limit must be seconds above 0"):
        medir.solve("ab", "ba", "ERR", time_limit=seconds)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ["solve", "compare"])
def test_an_interrupt_inside_a_query(call: str) -> None:
    """One query, hours of work: the interrupt is answered in its midst."""
    size = 20_000
    after = rearranged("noisy copy", size)
    measure = medir.Cascade(1 / np.log2(np.arange(2, size + 2)), decay=0.1)
    calls: dict[str, Callable[[], object]] = {
        "solve": lambda: medir.solve(range(size), after.tolist(), measure, effort=ENDLESS),
        "compare": lambda: medir.compare(
            np.arange(size)[None, :], after[None, :], [measure], effort=ENDLESS, threads=2
        ),
    }
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    # Whoever runs the tests in the background has it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            calls[call]()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
