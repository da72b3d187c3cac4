"""How limits of a comparison are written, and how errors show the right spelling."""

from __future__ import annotations

import pytest

from medir import RBP, P, UsageError, nDCG
from medir.comparing.decision.gate import Check
from medir.measures import measure

RBO = measure("RBO")


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("nDCG@20=0.3", Check(nDCG @ 20, 0.3)),
        ("mean:nDCG@20=0.3", Check(nDCG @ 20, 0.3)),
        ("med:mean:nDCG@20=30%", Check(nDCG @ 20, 0.3)),
        ("loss:nDCG@10=-0.1", Check(nDCG @ 10, -0.1, "loss")),
        ("gain:p95:nDCG@10=.5", Check(nDCG @ 10, 0.5, "gain", "p95")),
        ("p99.9:P@5=1", Check(P @ 5, 1.0, statistic="p99.9")),
        ("max:RBP(p=0.8)=1e-3", Check(RBP(p=0.8), 0.001, statistic="max")),
        ("loss: median: P@5 = 0", Check(P @ 5, 0.0, "loss", "median")),
        ("above-0.5:P@5=5%", Check(P @ 5, 0.05, statistic="above-0.5")),
        ("segment=head:P@5=1", Check(P @ 5, 1.0, segment="head")),
        ("segment=*:loss:max:P@5=1", Check(P @ 5, 1.0, "loss", "max", "*")),
        ('segment="a: ""b""=c":P@5=1', Check(P @ 5, 1.0, segment='a: "b"=c')),
        ("segment=a b=c:P@5=1", Check(P @ 5, 1.0, segment="a b=c")),
        ("P@5=2xnoise", Check(P @ 5, 2.0, of_noise=True)),
        ("segment=x:loss:p95:P@5=1.5xnoise", Check(P @ 5, 1.5, "loss", "p95", "x", of_noise=True)),
        (
            "RBP(gains='exp', max_grade=4, p=0.8)=1",
            Check(RBP(gains="exp", max_grade=4, p=0.8), 1.0),
        ),
    ],
)
def test_notation(text: str, check: Check) -> None:
    assert Check.parse(text) == check


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("RBO=0.8", Check(RBO, 0.8, fails="below")),
        ("min:RBO(p=0.8)=10%", Check(RBO(p=0.8), 0.1, statistic="min", fails="below")),
        ("p05:RBO=0.5", Check(RBO, 0.5, statistic="p05", fails="below")),
        ("below-0.5:RBO=0", Check(RBO, 0.0, statistic="below-0.5", fails="below")),
        ("segment=x:median:RBO=1", Check(RBO, 1.0, "med", "median", "x", fails="below")),
    ],
)
def test_notation_of_lower_limits(text: str, check: Check) -> None:
    assert Check.parse(text, "below") == check


FORM = r"\[segment=LABEL:\]\[COLUMN:\]\[STATISTIC:\]MEASURE=LIMIT"


@pytest.mark.parametrize(
    "text",
    ["nDCG@20", "nDCG@20=", "nDCG@20=x", "nDCG@20=nan", "nDCG@20=inf", "nDCG@20=xnoise", "",
     "nDCG@20=2 noise", "segment=head:nDCG@20", "nDCG@20=5%%"],
)  # fmt: skip
def test_what_is_not_a_check(text: str) -> None:
    """The error shows the form and examples that can be read."""
    with pytest.raises(UsageError, match=rf"cannot read the check .*Write {FORM}") as error:
        Check.parse(text)
    shown = str(error.value).partition("such as ")[2]
    for part in shown.split(", "):
        assert isinstance(Check.parse(part.partition(" (")[0]), Check)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("any:P@5=1", r"write max instead of any \(max:P@5=1\)"),
        ("segment=Germany:loss:any:P@5=1", r"any \(segment=Germany:loss:max:P@5=1\)"),
        ("p100:P@5=1", r"'p100' is no column \(med, gain, loss\) and no statistic \(mean, median"),
        ("worst:P@5=1", r"'worst' is no column .* no statistic .*p95, max, above-0.5"),
        ("above:P@5=1", "'above' is no column"),
        ("loss:gain:P@5=1", "the column gain comes before the statistic, and once"),
        ("max:loss:P@5=1", "the column loss comes before the statistic"),
        ("loss:segment=head:P@5=1", r"'segment=head' is no column .*Write \[segment=LABEL:\]\["),
        ("nDGC@20=1", r"the check 'nDGC@20=1': .*did you mean nDCG@20"),
        ("=0.3", "the check '=0.3'"),
        ("RBO=0.8", "RBO.* falls when more changes; write --fail-below RBO=0.8"),
        ("min:P@5=1", "an upper limit goes with max or above-VALUE"),
        ("below-0.5:P@5=1", "an upper limit goes with max or above-VALUE"),
        ("loss:footrule=3", "footrule.* has no loss; leave loss: out"),
    ],
)
def test_errors_show_the_right_spelling(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Check.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("any:RBO=1", r"write min instead of any \(min:RBO=1\)"),
        ("worst:RBO=1", r"no statistic \(mean, median, p05, min, below-0.5\)"),
        ("nDCG@20=0.3", "nDCG@20 rises when more changes; write --fail-above nDCG@20=0.3"),
        ("max:RBO=1", "a lower limit goes with min or below-VALUE"),
        ("above-0.5:RBO=1", "a lower limit goes with min or below-VALUE"),
        ("gain:RBO=1", "RBO.* has no gain; leave gain: out"),
        ("RBO=2xnoise", "twice the noise is no limit for a similarity; write a number"),
    ],
)
def test_errors_of_lower_limits(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Check.parse(text, "below")
