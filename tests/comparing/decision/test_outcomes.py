"""What checks find, in words and digits; rounding never fails one."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir import P
from medir.comparing.columns import COLUMNS
from medir.comparing.decision.gate import Check, Outcome, checked
from tests.comparing.decision.test_gate import below, outcome, percentile, segmented
from tests.profiles import examples


def test_a_mean_at_its_limit() -> None:
    """The mean of 0.1 and 0.2 is 0.15000000000000002 in binary."""
    before = {query: list("abcdefghij") for query in "qr"}
    after = {"q": [*"z", *"bcdefghij"], "r": [*"zy", *"cdefghij"]}
    result = medir.compare(before, after, "P@10")
    assert outcome("P@10=0.15", result).value > 0.15
    for text in ("P@10=0.15", "loss:P@10=0.15", "gain:P@10=15%"):
        assert outcome(text, result).passed
    assert outcome("P@10=0.15", result).finding == "mean MED of P@10 is 0.150, limit 0.15"
    weights = {"q": {"weight": 3}, "r": {"weight": 7}}
    weighted = medir.compare(before, after, "P@10", queries=weights)
    assert outcome("P@10=0.17", weighted).passed
    assert not outcome("P@10=0.1699999999", weighted).passed


def of_values(values: dict[str, list[float]], measure: str = "P@4") -> Any:
    """A comparison whose columns are replaced."""
    number = len(next(iter(values.values())))
    runs = {f"q{i}": ["a"] for i in range(number)}
    result = medir.compare(runs, runs, measure)
    columns = np.zeros((1, len(COLUMNS), number))
    for name, some in values.items():
        columns[0, COLUMNS.index(name)] = some
    return replace(result, values=columns)


scales = st.sampled_from([1.0, 0.3, 7.0, 2999.75, 123456.0])


@examples(200)
@given(
    st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=30),
    scales,
    st.sampled_from(["mean", "median", "p95", "max", "above"]),
)
def test_rounding_never_fails_a_check(shares: list[Fraction], scale: float, statistic: str) -> None:
    """The exact statistic, rounded once, is kept as a limit; less by a billionth is not."""
    exact = [share * Fraction(scale) for share in shares]
    result = of_values({name: [float(value) for value in exact] for name in ("med", "loss")})
    if statistic == "above":
        threshold = sorted(exact)[len(exact) // 2]
        limit = Fraction(sum(value > threshold for value in exact), len(exact))
        check = Check(P @ 4, float(limit), "loss", f"above-{float(threshold):.17f}")
    else:
        limit = (
            sum(exact, Fraction(0)) / len(exact)
            if statistic == "mean"
            else Fraction(percentile(exact, {"median": 0.5, "p95": 0.95, "max": 1.0}[statistic]))
        )
        check = Check(P @ 4, float(limit), "loss", statistic)
    (kept,) = check.outcomes(result)
    assert kept.passed, kept.finding
    less = replace(check, limit=float(limit) - 1e-9 * max(1.0, scale))
    assert not less.outcomes(result)[0].passed


@given(scales, st.floats(-1e-13, 1e-13))
def test_a_loss_that_is_rounding_on_the_scale(scale: float, error: float) -> None:
    """What is nothing beside the gains does not break a limit of 0."""
    top = max(1.0, scale)
    result = of_values({"med": [top, top], "gain": [top, top], "loss": [error * top, 0.0]})
    for statistic in ("mean", "median", "p95", "max", "above-0"):
        assert outcome(f"loss:{statistic}:P@4=0", result).passed
    if error > 1e-14:
        assert not outcome(
            "loss:max:P@4=0", of_values({"loss": [error * 1e6], "med": [0.0]})
        ).passed


def test_limits_on_a_large_scale() -> None:
    """U@12000 of three texts: values in thousands, means that are no binary fractions."""
    before = {f"q{n}": [("a", 0, 12000)] for n in range(3)}
    after = {f"q{n}": [("a", 0, 4000 + 7 * n), ("b", 0, 12000)] for n in range(3)}
    result = medir.compare_passages(before, after)
    values = [Fraction(value) for value in result.column("U@12000", "loss").tolist()]
    limit = float(sum(values) / 3)
    assert limit > 1000
    assert outcome(f"loss:U@12000={limit!r}", result).passed
    assert not outcome(f"loss:U@12000={limit - 1e-6!r}", result).passed
    same = medir.compare_passages(before, before)
    for column in ("med", "gain", "loss"):
        for statistic in ("mean", "median", "p95", "max", "above-0"):
            assert outcome(f"{column}:{statistic}:U@12000=0", same).passed


# What is said.


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("P@4=0.5", "mean MED of P@4 is 0.400, limit 0.5"),
        ("loss:P@4=0.35", "mean loss of P@4 is 0.350, limit 0.35"),
        ("gain:max:P@4=1", "max gain of P@4 is 0.750, limit 1"),
        ("loss:p80:P@4=0.9", "p80 loss of P@4 is 0.750, limit 0.9"),
        ("median:P@4=30%", "median MED of P@4 is 0.250, limit 0.3"),
        (
            "loss:above-0.5:P@4=45.5%",
            "share of queries with loss of P@4 above 0.5 is 40%, limit 45.5%",
        ),
        ("above-0.5:P@4=0.4", "share of queries with MED of P@4 above 0.5 is 40%, limit 40%"),
        ("P@4=1200", "mean MED of P@4 is 0.400, limit 1,200"),
    ],
)
def test_findings(text: str, finding: str) -> None:
    one = outcome(text)
    assert one.passed
    assert one.finding == str(one) == finding


def test_findings_of_segments_and_similarities() -> None:
    result = segmented()
    assert outcome("segment=head:P@4=1", result).finding == (
        "mean MED of P@4 in head is 0.333, limit 1"
    )
    assert below("min:Overlap@4=0", result).finding == "min Overlap@4 is 0.000, limit 0"
    assert below('segment="long: tail":below-0.3:Overlap@4=1', result).finding == (
        "share of queries with Overlap@4 below 0.3 in long: tail is 50%, limit 100%"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "P@4=0.3",
            "mean MED of P@4 is 0.400, limit 0.3; 2 queries above 0.300: q3 (0.750), q4 (0.750)",
        ),
        (
            "gain:max:P@4=0.5",
            "max gain of P@4 is 0.750, limit 0.5; 1 query above 0.500: q3 (0.750)",
        ),
        (
            "above-0.25:P@4=0",
            "share of queries with MED of P@4 above 0.25 is 40%, limit 0%; 2 queries above 0.250: "
            "q3 (0.750), q4 (0.750)",
        ),
        (
            "loss:P@4=-0.5",
            "mean loss of P@4 is 0.350, limit −0.5; 5 queries above −0.500: q3 (0.750), "
            "q4 (0.750), q1 (0.250), q0 (0.000), q2 (0.000)",
        ),
    ],
)
def test_failures_name_the_most_affected_queries(text: str, message: str) -> None:
    assert str(outcome(text)) == message


def test_failures_of_lower_limits_and_segments() -> None:
    assert str(below("Overlap@4=0.6")) == (
        "mean Overlap@4 is 0.500, limit 0.6; 3 queries below 0.600: q4 (0.000), q3 (0.250), "
        "q2 (0.500)"
    )
    assert str(outcome("segment=head:max:P@4=0.1", segmented())) == (
        "max MED of P@4 in head is 0.750, limit 0.1; 2 queries above 0.100: q4 (0.750), q1 (0.250)"
    )


def test_failures_name_five_queries() -> None:
    before = {f"q{number}": ["a"] for number in range(1234)}
    after = {f"q{number}": ["b"] for number in range(1234)}
    failed = outcome("P@1=0.5", medir.compare(before, after, "P@1"))
    assert str(failed) == (
        "mean MED of P@1 is 1.000, limit 0.5; 1,234 queries above 0.500: q0 (1.000), q1 (1.000), "
        "q2 (1.000), q3 (1.000), q4 (1.000) and 1,229 more"
    )


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("P@4=0.39999999999", "mean MED of P@4 is 0.4, limit 0.39999999999"),
        ("P@4=0.3995", "mean MED of P@4 is 0.400, limit 0.3995"),
        (
            "above-0.5:P@4=39.99999999%",
            "share of queries with MED of P@4 above 0.5 is 40%, limit 39.99999999%",
        ),
    ],
)
def test_digits_that_matter_are_shown(text: str, finding: str) -> None:
    """A value that has failed is not shown at or under its limit."""
    assert not outcome(text).passed
    assert outcome(text).finding == finding


@given(
    st.floats(0, 1) | st.floats(0, 1e-3) | st.floats(0, 5000), st.floats(-1e-3, 1e-3), st.booleans()
)
def test_what_is_shown_agrees_with_the_outcome(value: float, away: float, share: bool) -> None:
    limit = value + away
    check = Check(P @ 4, limit, "med", "above-0.5" if share else "mean")
    shown = Outcome(check, value, limit, None, of_values({"med": [value]}))
    texts = shown.finding.rpartition(" is ")[2].split(", limit ")
    found, allowed = (float(text.replace(",", "").replace("−", "-").rstrip("%")) for text in texts)
    assert (found <= allowed + 1e-12 * max(1.0, value)) == shown.within


def test_checks_are_found_in_their_order() -> None:
    texts = ["P@4=0.1", "segment=*:P@4=1", "loss:P@4=1"]
    outcomes = checked(segmented(), [Check.parse(text) for text in texts])
    assert [(one.check.segment, one.check.column) for one in outcomes] == [
        (None, "med"),
        ("head", "med"),
        ("long: tail", "med"),
        (None, "loss"),
    ]
    assert math.isclose(outcomes[1].value, 1 / 3)
