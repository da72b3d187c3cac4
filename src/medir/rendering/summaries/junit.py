"""The checks of a comparison as a JUnit report, which pipelines show beside those of tests."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from medir.base.version import __version__
from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.files.identifiers import shown

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
# What XML 1.0 cannot hold, not even escaped.
ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(
    result: Differences[Any], outcomes: Sequence[Outcome], now: datetime | None = None
) -> str:
    """One test suite with one test case per check.

    It has all that the schemas of Ant and of Jenkins ask for. `now` is when the checks were made
    (default: at the time of the call).
    """
    failures = sum(not one.passed for one in outcomes)
    suite = ET.Element(
        "testsuite",
        name="medir",
        tests=str(len(outcomes)),
        failures=str(failures),
        errors="0",
        time="0",
        timestamp=f"{now or datetime.now(UTC):%Y-%m-%dT%H:%M:%S}",
        hostname="localhost",
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(result):
        ET.SubElement(properties, "property", name=name, value=_legal(value))
    for name, outcome in zip(_names(outcomes), outcomes, strict=True):
        _add_case(suite, name, outcome)
    lines = [*result.verdict(), *(f"{_word(one)}: {one}" for one in outcomes)]
    ET.SubElement(suite, "system-out").text = _legal("\n".join(lines))
    ET.SubElement(suite, "system-err")
    ET.indent(suite)
    return f"{HEAD}\n{ET.tostring(suite, encoding='unicode')}\n"


def _properties(result: Differences[Any]) -> Iterator[tuple[str, str]]:
    yield "version", __version__
    yield "verdict", " ".join(result.verdict())
    yield "before", result.names[0]
    yield "after", result.names[1]


def _add_case(suite: ET.Element, name: str, outcome: Outcome) -> None:
    measure = repr(outcome.check.measure)
    case = ET.SubElement(suite, "testcase", classname=_legal(measure), name=_legal(name), time="0")
    if not outcome.passed:
        kind = "limit" if not outcome.within else "missing"
        text = _legal(str(outcome))
        ET.SubElement(case, "failure", message=text, type=kind).text = text


def _names(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What is checked; with its limit, and a number, where the same is checked twice."""
    subjects = Counter(one.check.subject for one in outcomes)
    seen: Counter[str] = Counter()
    for one in outcomes:
        name = one.check.subject
        if subjects[name] > 1:
            times = " times the noise" if one.check.of_noise else ""
            name = f"{name}, limit {one.check.limit:g}{times}"
        seen[name] += 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def _word(outcome: Outcome) -> str:
    return "ok" if outcome.passed else "failed"


def _legal(text: str) -> str:
    r"""A text that XML can hold: other characters appear as escapes.

    >>> print(_legal("a\x00b\ud800"))
    a\x00b\ud800
    """
    return ILLEGAL.sub(lambda found: ascii(found[0])[1:-1], shown(text))
