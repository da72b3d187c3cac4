"""Checks as a JUnit report."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path

import pytest
import xmlschema
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.base.version import __version__
from medir.rendering.summaries.junit import junit
from medir.rendering.summaries.writing import write_junit
from tests.cases.summaries import AFTER, BEFORE, CASES, HOSTILE, Case, hostile, outcomes_of, plain
from tests.profiles import examples

SCHEMA = xmlschema.XMLSchema(str(Path(__file__).with_name("junit.xsd")))


def parsed(case: Case) -> ET.Element:
    """The report of a comparison, which is valid."""
    text = junit(*case)
    SCHEMA.validate(text)
    return ET.fromstring(text)


@pytest.mark.parametrize("name", CASES)
def test_every_report_is_valid_and_has_one_case_per_check(name: str) -> None:
    result, outcomes = CASES[name]()
    suite = parsed((result, outcomes))
    assert suite.attrib["tests"] == str(len(outcomes)) == str(len(suite.findall("testcase")))
    failed = [case.find("failure") is not None for case in suite.findall("testcase")]
    assert failed == [not one.passed for one in outcomes]
    assert suite.attrib["failures"] == str(sum(failed))


def test_the_schema_finds_faults() -> None:
    text = junit(*plain("P@2=0.1"))
    for old, new in (
        ('tests="1"', ""),
        ("<system-err />", ""),
        ("failure", "fault"),
        ('type="limit"', ""),
        ('timestamp="', 'timestamp="at '),
    ):
        assert old in text
        with pytest.raises(xmlschema.XMLSchemaValidationError):
            SCHEMA.validate(text.replace(old, new))


def test_a_failure_says_what_is_wrong() -> None:
    suite = parsed(plain("P@2=0.7", "max:P@2=0.9"))
    good, bad = suite.findall("testcase")
    assert (good.attrib["classname"], good.attrib["name"]) == ("P@2", "mean MED of P@2")
    assert list(good) == []
    assert bad.attrib["name"] == "max MED of P@2"
    (failure,) = bad
    message = "max MED of P@2 is 1.000, limit 0.9; 2 queries above 0.900: q2 (1.000), q3 (1.000)"
    assert failure.attrib == {"message": message, "type": "limit"}
    assert failure.text == message


def test_verdict_version_and_runs_are_properties() -> None:
    result, outcomes = plain("P@2=0.7")
    suite = parsed((result, outcomes))
    found = {one.attrib["name"]: one.attrib["value"] for one in suite.iter("property")}
    assert found == {
        "version": __version__,
        "verdict": " ".join(result.verdict()),
        "before": "before",
        "after": "after",
    }
    text = suite.findtext("system-out") or ""
    assert text.splitlines() == [*result.verdict(), f"ok: {outcomes[0]}"]


def test_a_query_without_a_value_is_a_failure() -> None:
    before, after = {"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["a", "b"], "q2": ["b"]}
    result = medir.compare(before, after, "kendall")
    suite = parsed((result, outcomes_of(result, below=["kendall=0.5"])))
    (failure,) = suite.iter("failure")
    assert failure.attrib["type"] == "missing"
    assert "1 query has no value" in failure.attrib["message"]


def test_names_are_unique() -> None:
    """Programs take cases of one name for one: the limit, then a number, tells them apart."""
    checks = ["P@2=0.1", "P@2=0.1", "P@2=0.5", "loss:P@2=0.5", "P@1=0.1"]
    result = medir.compare(BEFORE, AFTER, ["P@2", "P@1"])
    suite = parsed((result, outcomes_of(result, checks)))
    names = [one.attrib["name"] for one in suite.iter("testcase")]
    assert names == [
        "mean MED of P@2, limit 0.1",
        "mean MED of P@2, limit 0.1 (2)",
        "mean MED of P@2, limit 0.5",
        "mean loss of P@2",
        "mean MED of P@1",
    ]


@examples(60)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_can_be_held(text: str) -> None:
    suite = parsed(hostile(f"x{text}"))
    assert [one.attrib["classname"] for one in suite.iter("testcase")] == ["P@2"] * 3


def test_illegal_characters_appear_as_escapes() -> None:
    suite = parsed(hostile())
    name = next(
        one.attrib["name"] for one in suite.iter("testcase") if "evil" in one.attrib["name"]
    )
    shown = HOSTILE.replace("\x01", r"\x01").replace("\ufffe", r"\ufffe").replace("\udcff", r"\xff")
    assert name == f"mean MED of P@2 in {shown}"


def test_the_time_is_that_of_the_checks() -> None:
    text = junit(*plain("P@2=0.7"), now=datetime(2026, 5, 17, 8, 30, 1))
    assert ET.fromstring(text).attrib["timestamp"] == "2026-05-17T08:30:01"


def test_the_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "checks.xml"
    write_junit(*hostile(), path)
    SCHEMA.validate(str(path))
    assert [one.name for one in tmp_path.iterdir()] == ["checks.xml"]
