"""Limits of a comparison: every form has limits that are kept and limits that are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import pytest

import medir
from medir import UsageError
from medir.comparing.decision.gate import Check, Outcome, Side
from tests.cases.decisions import BEFORE, OVERLAP, QUERIES, SEGMENTS, VALUES, compared

NEAR = 1e-6
Number = TypeVar("Number", float, Fraction)


def outcome(text: str, result: Any = None, fails: Side = "above") -> Outcome:
    (one,) = Check.parse(text, fails).outcomes(compared() if result is None else result)
    return one


def below(text: str, result: Any = None) -> Outcome:
    return outcome(text, result, "below")


def percentile(values: Sequence[Number], level: float) -> Number:
    """The least value that a share of `level` of all values does not exceed."""
    return next(
        value
        for value in sorted(values)
        if sum(other <= value for other in values) >= level * len(values)
    )


STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: sum(values) / len(values),
    "median": lambda values: percentile(values, 0.5),
    "p20": lambda values: percentile(values, 0.2),
    "p80": lambda values: percentile(values, 0.8),
    "p80.1": lambda values: percentile(values, 0.801),
    "max": max,
    "above-0.5": lambda values: sum(value > 0.5 for value in values) / len(values),
    "above-0.25": lambda values: sum(value > 0.25 for value in values) / len(values),
}
LOWER_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    name: STATISTICS[name] for name in ("mean", "median", "p20", "p80")
} | {
    "min": min,
    "below-0.5": lambda values: sum(value < 0.5 for value in values) / len(values),
    "below-0.75": lambda values: sum(value < 0.75 for value in values) / len(values),
}


def limits_around(text: str, value: float, result: Any, fails: Side = "above") -> None:
    """A limit at the value and one beyond are kept, one short of it is not."""
    beyond = -NEAR if fails == "below" and "below-" not in text else NEAR
    at = outcome(f"{text}={value!r}", result, fails)
    assert at.value == pytest.approx(value, abs=1e-12)
    assert at.passed
    assert outcome(f"{text}={value + beyond!r}", result, fails).passed
    assert not outcome(f"{text}={value - beyond!r}", result, fails).passed


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("column", VALUES)
def test_upper_limits(column: str, statistic: str) -> None:
    value = STATISTICS[statistic](VALUES[column])
    limits_around(f"{column}:{statistic}:P@4", value, compared())


@pytest.mark.parametrize("statistic", LOWER_STATISTICS)
def test_lower_limits(statistic: str) -> None:
    value = LOWER_STATISTICS[statistic](OVERLAP)
    limits_around(f"{statistic}:Overlap@4", value, compared(), "below")


def test_limits_of_a_distance() -> None:
    """Footrule of d, a, b, c and a, b, c, d: 3 + 1 + 1 + 1."""
    result = medir.compare({"q": list("abcd")}, {"q": list("dabc")}, "footrule@4")
    limits_around("footrule@4", 6.0, result)
    limits_around("max:footrule@4", 6.0, result)


def test_defaults_are_the_mean_of_med() -> None:
    assert outcome("P@4=0").value == pytest.approx(sum(VALUES["med"]) / 5)
    assert outcome("loss:P@4=0").value == pytest.approx(sum(VALUES["loss"]) / 5)
    assert outcome("max:P@4=0").value == max(VALUES["med"])


def test_limits_in_percent() -> None:
    assert outcome("above-0.5:P@4=40%").passed
    assert not outcome("above-0.5:P@4=39.9%").passed
    assert outcome("P@4=40%").passed
    assert not outcome("P@4=39%").passed


def segmented() -> Any:
    return compared(queries=QUERIES, by="part")


@pytest.mark.parametrize("label", sorted(set(SEGMENTS.values())))
@pytest.mark.parametrize("form", ["loss:mean:P@4", "max:P@4", "above-0.25:P@4"])
def test_limits_of_a_segment(label: str, form: str) -> None:
    result, (*column, statistic, _) = segmented(), form.split(":")
    values = VALUES[column[0] if column else "med"]
    inside = [value for value, part in zip(values, SEGMENTS.values(), strict=True) if part == label]
    limits_around(f'segment="{label}":{form}', STATISTICS[statistic](inside), result)
    if ":" not in label:
        limits_around(f"segment={label}:{form}", STATISTICS[statistic](inside), result)


def test_a_lower_limit_of_a_segment() -> None:
    limits_around("segment=head:min:Overlap@4", 0.0, segmented(), "below")
    limits_around('segment="long: tail":min:Overlap@4', 0.25, segmented(), "below")


def test_limits_of_every_segment() -> None:
    outcomes = Check.parse("segment=*:loss:P@4=0.35").outcomes(segmented())
    # loss is 0, 0.25 and 0.75 of the head, and 0 and 0.75 of the tail
    assert [(one.check.segment, one.passed) for one in outcomes] == [
        ("head", True),
        ("long: tail", False),
    ]
    assert [one.value for one in outcomes] == pytest.approx([1 / 3, 0.375])
    assert all(one.passed for one in Check.parse("segment=*:P@4=0.5").outcomes(segmented()))


NOISE = {query: list(text) for query, text in zip(BEFORE, ["abcd"] * 3 + ["xbcd"] * 2, strict=True)}


def test_multiples_of_the_noise() -> None:
    """Without judgments, P@4 differs by 0, 0, 0, 0.25 and 0.25 in the noise; by 2 / 4 after."""
    result = compared(noise=NOISE, qrels=None)
    assert outcome("P@4=5xnoise", result).passed
    assert outcome("P@4=4.9xnoise", result).limit == pytest.approx(0.49)
    assert not outcome("P@4=4.9xnoise", result).passed
    assert outcome("loss:max:P@4=4xnoise", result).passed
    assert not outcome("loss:max:P@4=3.9xnoise", result).passed
    assert outcome("above-0.2:P@4=2xnoise", result).passed  # 80% and 40%
    assert not outcome("above-0.2:P@4=1.9xnoise", result).passed
    assert str(outcome("P@4=5xnoise", result)) == (
        "mean MED of P@4 is 0.500, limit 0.5 (5 times the noise of 0.100)"
    )


def test_multiples_of_the_noise_of_a_segment() -> None:
    result = compared(noise=NOISE, qrels=None, queries=QUERIES, by="part")
    # the head is q0, q1 and q4: 0, 0.25 and 1 after, 0, 0 and 0.25 in the noise
    assert outcome("segment=head:P@4=5xnoise", result).passed
    assert not outcome("segment=head:P@4=4.9xnoise", result).passed
    every = Check.parse("segment=*:P@4=5xnoise").outcomes(result)
    # the tail: 0.5 and 0.75 after, 0 and 0.25 in the noise
    assert [one.limit for one in every] == pytest.approx([5 / 12, 0.625])


def test_a_noise_of_nothing() -> None:
    result = compared(noise=BEFORE)
    failed = outcome("P@4=100xnoise", result)
    assert (failed.limit, failed.passed) == (0.0, False)
    assert "limit 0 (the noise is 0, and so is every multiple of it)" in failed.finding
    same = medir.compare(BEFORE, BEFORE, "P@4", noise=BEFORE)
    assert outcome("P@4=2xnoise", same).passed
    assert "the noise is 0" in outcome("P@4=2xnoise", same).finding


def test_no_noise() -> None:
    with pytest.raises(UsageError, match=r"mean MED of P@4\) needs a second run .*--noise BEFORE2"):
        outcome("P@4=2xnoise")


# What is not proven counts in full.


def nearly_sorted(size: int, spread: float, seed: int) -> tuple[list[str], list[str]]:
    random = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(size)]
    order = np.argsort(np.arange(size) + random.normal(0, spread, size))
    return documents, [documents[number] for number in order]


def unproven(measure: str, spread: float, seeds: Sequence[int]) -> Any:
    """A comparison that gave up at once, so that values have gaps."""
    size = int(measure.partition("@")[2])
    pairs = {f"q{seed}": nearly_sorted(size, spread, seed) for seed in seeds}
    before, after = ({query: pair[side] for query, pair in pairs.items()} for side in (0, 1))
    return medir.compare(before, after, measure, effort=1)


@pytest.mark.parametrize(
    ("measure", "spread", "seeds"), [("AP@400", 2, [2]), ("ERR@100", 8, [0, 1, 3])]
)
@pytest.mark.parametrize("column", ["med", "gain", "loss"])
@pytest.mark.parametrize("statistic", ["mean", "median", "p95", "max"])
def test_a_value_counts_with_its_gap(
    measure: str, spread: float, seeds: list[int], column: str, statistic: str
) -> None:
    result = unproven(measure, spread, seeds)
    values = result.column(measure, column)
    gaps = result.column(measure, "gap" if column == "med" else f"{column}_gap")
    of = max if statistic == "p95" else STATISTICS[statistic]
    most, least = of((values + gaps).tolist()), of(values.tolist())
    assert most > least + 2 * NEAR
    limits_around(f"{column}:{statistic}:{measure}", most, result)
    assert not outcome(f"{column}:{statistic}:{measure}={(least + most) / 2!r}", result).passed


def test_a_share_counts_values_with_their_gaps() -> None:
    result = unproven("ERR@100", 8, [3])
    row = result.row(0)
    assert row.gap > 0
    assert outcome(f"above-{row.med + row.gap * 0.99:.9f}:ERR@100=0", result).value == 1
    assert outcome(f"above-{row.med + row.gap * 1.01:.9f}:ERR@100=0", result).value == 0


def test_failures_show_values_with_their_gaps() -> None:
    result = unproven("ERR@100", 8, [3])
    row = result.row(0)
    assert str(outcome("max:ERR@100=0.1", result)).endswith(
        f"1 query above 0.100: q3 ({row.med + row.gap:.3f})"
    )


# Where nothing can be checked.


def test_a_segment_without_queries() -> None:
    with pytest.raises(UsageError, match="no query has part 'body'; there are queries of head, lo"):
        outcome("segment=body:P@4=1", segmented())


@pytest.mark.parametrize("label", ["head", "*"])
def test_no_segments(label: str) -> None:
    with pytest.raises(UsageError, match="--by"):
        outcome(f"segment={label}:P@4=1")


def test_a_total_weight_of_nothing() -> None:
    weights = {query: {"weight": 0, "part": part} for query, part in SEGMENTS.items()}
    result = compared(queries=weights, by="part")
    for text in ("P@4=1", "max:P@4=1", "above-0.5:P@4=1", "segment=head:loss:P@4=1"):
        with pytest.raises(UsageError, match=r"the weights of .* add up to 0: nothing to check"):
            outcome(text, result)
    weights["q3"]["weight"] = 1
    result = compared(queries=weights, by="part")
    assert outcome("P@4=0.75", result).passed
    with pytest.raises(UsageError, match="the weights of mean MED of P@4 in head add up to 0"):
        outcome("segment=head:P@4=1", result)


def test_queries_without_weight_do_not_count() -> None:
    """q3 and q4, whose P@4 could move most, are never sent."""
    weights = {query: {"weight": int(query < "q3")} for query in BEFORE}
    result = compared(queries=weights)
    assert outcome("max:P@4=0.25", result).passed
    assert not outcome("max:P@4=0.24", result).passed
    assert outcome("p99:P@4=0.25", result).passed
    assert below("min:Overlap@4=0.5", result).passed
    assert not below("min:Overlap@4=0.51", result).passed


def test_no_query_has_a_value() -> None:
    """Two lists that share one document have no rank correlation."""
    result = medir.compare({"q": ["a"]}, {"q": ["a"]}, "tau_b")
    with pytest.raises(UsageError, match="no query has a value of tau_b: nothing to check"):
        below("tau_b=-1", result)
    queries = {"q": {"part": "one"}, "r": {"part": "two"}}
    runs = {"q": ["a"], "r": ["a", "b"]}
    result = medir.compare(runs, runs, "tau_b", queries=queries, by="part")
    with pytest.raises(UsageError, match="no query in one has a value of tau_b"):
        below("segment=one:tau_b=-1", result)


def test_queries_without_a_value_fail_a_check() -> None:
    runs = {"q": ["a"], "r": ["a", "b"], "s": ["a"]}
    failed = below("tau_b=0.5", medir.compare(runs, runs, "tau_b"))
    assert (failed.within, failed.missing, failed.passed) == (True, 2, False)
    assert str(failed) == "mean tau_b is 1.000, limit 0.5; 2 queries have no value"
    del runs["s"]
    assert str(below("tau_b=0.5", medir.compare(runs, runs, "tau_b"))).endswith(
        "1 query has no value"
    )
