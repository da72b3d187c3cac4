"""A comparison as JSON, against its schema and against sums that are done here."""

from __future__ import annotations

import gzip
import hashlib
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import medir
from medir.base.version import __version__
from medir.rendering.summaries.record import record, record_json
from medir.rendering.summaries.writing import write_json
from tests.cases.examples import AFTER as AFTER_FILE
from tests.cases.examples import BEFORE as BEFORE_FILE
from tests.cases.examples import QRELS, QUERIES
from tests.cases.summaries import (
    AFTER,
    BEFORE,
    CASES,
    PASSAGES,
    TABLE,
    Case,
    files,
    hostile,
    judged,
    noise,
    outcomes_of,
    passages,
    plain,
    segments,
    similarities,
    valueless,
)
from tests.profiles import examples
from tests.shell import ROOT

SCHEMA = json.loads((ROOT / "docs" / "summary.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
EXACT = 1e-12


def valid(case: Case) -> dict[str, Any]:
    """The record of a comparison, as a program reads it; it fits the schema."""

    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found: dict[str, Any] = json.loads(record_json(*case), parse_constant=no_constant)
    VALIDATOR.validate(found)
    return found


def test_the_schema_is_one() -> None:
    VALIDATOR.check_schema(SCHEMA)


@pytest.mark.parametrize("name", CASES)
def test_every_record_is_valid(name: str) -> None:
    result, outcomes = CASES[name]()
    found = valid((result, outcomes))
    assert found["medir"] == __version__
    assert [one["measure"] for one in found["measures"]] == [repr(one) for one in result.measures]
    assert [one["passed"] for one in found["checks"]] == [one.passed for one in outcomes]
    assert found["passed"] == all(one.passed for one in outcomes)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the objects of a record have keys."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    found = []
    for key in keys if isinstance(value, dict | list) else ():
        found.append((*path, key))
        if isinstance(value[key], dict | list):
            found += leaves(value[key], (*path, key))
    return found


def test_the_schema_knows_every_key_and_asks_for_it() -> None:
    whole = valid(segments())
    of_documents = {
        "duplicates",
        "clusters",
        "effort",
        "time_limit",
        "columns",
        "pad",
        "grades",
        "requests",
    }
    for path in leaves(whole):
        *above, key = path
        if not isinstance(key, str) or (above == ["options"] and key in of_documents):
            continue
        for spoil in ("remove", "rename", "replace"):
            spoilt = deepcopy(whole)
            place = spoilt
            for step in above:
                place = place[step]
            value = place.pop(key)
            if spoil == "rename":
                place[f"{key}_"] = value
            elif spoil == "replace":
                place[key] = {"no": "such thing"}
            optional = (above, spoil) == (["options"], "remove") and key in (
                "default_length",
                "pad",
            )
            optional |= (*path, spoil) == ("options", "columns", "replace")  # names are free
            assert VALIDATOR.is_valid(spoilt) == optional, (path, spoil)


def test_values_by_hand() -> None:
    """P@2 differs by 0, 0.5, 1 and 1; gain and loss are equal."""
    (found,) = valid(plain())["measures"]
    distribution = {
        "mean": 0.625, "interval": None, "median": 0.5, "p05": 0, "p95": 1, "min": 0, "max": 1,
    }  # fmt: skip
    assert found == {
        "measure": "P@2",
        "kind": "difference",
        "queries": 4,
        "missing": 0,
        "weight": 4,
        "changed": {"queries": 4, "share": 1},
        **distribution,
        "gain": distribution,
        "loss": distribution,
        "bounds": {"low": -0.625, "high": 0.625},
        "effects": {
            "only_wins": {"queries": 0, "share": 0},
            "only_loses": {"queries": 0, "share": 0},
            "either": {"queries": 3, "share": 0.75},
            "no_effect": {"queries": 1, "share": 0.25},
        },
        "unseen": 0,
        "unseen_queries": 0,
        "unproven": 0,
        "segments": [],
    }


def test_judgments_by_hand() -> None:
    """q1 wins 0.5, q2 wins 0.5 or 1, q3 loses 1: gain .5, 1, -1 and loss -.5, -.5, 1."""
    (found,) = valid(judged())["measures"]
    assert found["gain"]["mean"] == pytest.approx((0 + 0.5 + 1 - 1) / 4)
    assert found["loss"]["mean"] == pytest.approx((0 - 0.5 - 0.5 + 1) / 4)
    assert found["bounds"] == {"low": 0, "high": pytest.approx(0.125)}
    counts = {name: one["queries"] for name, one in found["effects"].items()}
    assert counts == {"only_wins": 2, "only_loses": 1, "either": 0, "no_effect": 1}


def test_weights_and_segments_by_hand() -> None:
    """The weights are 0, 1, 1 and 5, of values 0, 0.5, 1 and 1; `head` weighs nothing."""
    found = valid(segments())
    first = found["measures"][0]
    assert first["weight"] == 7
    assert first["mean"] == pytest.approx(6.5 / 7)
    head, tail, rest = first["segments"]
    assert [one["segment"] for one in first["segments"]] == ["head", "tail", "none"]
    assert (head["queries"], head["weight"], head["mean"], head["bounds"]) == (1, 0, None, None)
    assert head["gain"]["max"] is None
    assert (tail["queries"], tail["mean"], tail["max"]) == (2, 0.75, 1)
    assert (rest["queries"], rest["weight"], rest["mean"]) == (1, 5, 1)
    assert (
        found["options"] | {"weight": "weight", "by": "kind", "missing_weight": 1}
        == (found["options"])
    )


def test_similarities_have_one_side() -> None:
    med, rbo, footrule = valid(similarities())["measures"]
    assert [one["kind"] for one in (med, rbo, footrule)] == ["difference", "similarity", "distance"]
    for one in (rbo, footrule):
        sides = {name: one[name] for name in ("gain", "loss", "bounds", "effects", "unseen")}
        assert set(sides.values()) == {None}
    assert rbo["queries"] + rbo["missing"] == 5


def test_no_value_is_null() -> None:
    (found,) = valid(valueless())["measures"]
    assert (found["queries"], found["missing"], found["mean"], found["max"]) == (0, 1, None, None)


def test_noise_by_hand() -> None:
    """The noise of P@2 is 0.5, 0, 0 and 0: its 95th percentile is 0.5, and 1 and 1 exceed it."""
    found = valid(noise())
    med, rbo = found["noise"]
    assert (med["measure"], med["mean"], med["p95"], med["exceeding"]) == ("P@2", 0.125, 0.5, 0.5)
    result, _ = noise()
    assert result.noise is not None
    least = np.sort(result.noise.column("RBO(p=0.5)"))[0]
    beyond = np.count_nonzero(result.column("RBO(p=0.5)") < least)
    assert rbo["exceeding"] == pytest.approx(beyond / 4)
    double, tenfold, fixed = found["checks"]
    assert (double["times_noise"], double["noise"], double["limit"]) == (2, 0.125, 0.25)
    assert (double["passed"], tenfold["passed"]) == (False, True)
    assert (fixed["times_noise"], fixed["noise"]) == (None, None)


def test_checks() -> None:
    result, outcomes = plain("loss:p95:P@2=0.5")
    (found,) = valid((result, outcomes))["checks"]
    assert found == {
        "text": str(outcomes[0]),
        "passed": False,
        "measure": "P@2",
        "column": "loss",
        "statistic": "p95",
        "segment": None,
        "value": 1,
        "fails": "above",
        "limit": 0.5,
        "times_noise": None,
        "noise": None,
        "missing": 0,
    }
    _, low, _ = valid(similarities())["checks"]
    assert (low["column"], low["fails"], low["missing"]) == ("value", "below", 1)


@examples(40)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=30).filter(
        lambda some: any(weight for _, weight in some)
    )
)
def test_summaries_are_those_of_repeated_queries(some: list[tuple[int, int]]) -> None:
    """Each query is one of the four, with a weight: as if it were sent that often."""
    values = [0.0, 0.5, 1.0, 1.0]
    names = [f"q{i}" for i in range(len(some))]
    before = {name: BEFORE[f"q{kind}"] for name, (kind, _) in zip(names, some, strict=True)}
    after = {name: AFTER[f"q{kind}"] for name, (kind, _) in zip(names, some, strict=True)}
    table = {name: {"weight": weight} for name, (_, weight) in zip(names, some, strict=True)}
    (found,) = valid((medir.compare(before, after, "P@2", queries=table), []))["measures"]
    sent = sorted(values[kind] for kind, weight in some for _ in range(weight))
    assert found["weight"] == len(sent)
    assert abs(found["mean"] - sum(sent) / len(sent)) <= EXACT
    assert (found["min"], found["max"]) == (sent[0], sent[-1])
    for name, level in (("p05", 0.05), ("median", 0.5), ("p95", 0.95)):
        assert found[name] == min(
            one for one in sent if sum(x <= one for x in sent) >= level * len(sent) - 1e-9
        )


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_inputs() -> None:
    """Every input by its role, with the path as given and the hash of the file."""
    found = valid(files())["inputs"]
    expected = {"before": BEFORE_FILE, "after": AFTER_FILE, "queries": QUERIES, "qrels": QRELS}
    assert found == [
        {
            "role": role,
            "name": str(path),
            "format": None,
            "sha256": sha256(path),
            "bytes": path.stat().st_size,
        }
        for role, path in expected.items()
    ]
    shown = {one["role"]: one["sha256"] for one in valid(passages())["inputs"]}
    assert shown == dict(zip(("before", "after", "gold"), map(sha256, PASSAGES), strict=True))


def test_inputs_that_are_packed_or_in_memory(tmp_path: Path) -> None:
    packed = tmp_path / "before.run.gz"
    packed.write_bytes(gzip.compress(BEFORE_FILE.read_bytes()))
    lengths = tmp_path / "words.txt"
    lengths.write_text("a 300\n")
    result = medir.compare(
        packed, medir.Run.read(AFTER_FILE), ["TBG", "P@2"], noise=BEFORE_FILE, queries=TABLE,
        lengths=medir.Lengths.of(lengths, default=500),
    )  # fmt: skip
    found = valid((result, []))
    assert [(one["role"], one["sha256"]) for one in found["inputs"]] == [
        ("before", sha256(packed)),
        ("after", sha256(AFTER_FILE)),
        ("noise", sha256(BEFORE_FILE)),
        ("queries", None),
        ("lengths", sha256(lengths)),
    ]
    assert found["options"]["default_length"] == 500


def test_how_inputs_were_read(tmp_path: Path) -> None:
    table = tmp_path / "after.csv"
    table.write_text("query_id,doc_id,score\nq,a,1\nq,b,2\n")
    result = medir.compare({"q": ["a"]}, table, "P@2")
    words = "CSV: query_id, doc_id, score (2 results)"
    assert [one["format"] for one in valid((result, []))["inputs"]] == [None, words]
    assert dict(result.facts())["After"] == f"{table}, read as {words}"


def test_options_are_those_that_were_given() -> None:
    options = {
        "order": "rank", "missing": "skip", "duplicates": "first", "unseen": "nothing", "depth": 7,
        "effort": 99, "time_limit": 9.5, "threads": 1, "columns": {"query_id": "q"}, "pad": -7,
        "grades": {0.5: 1, "good": 2}, "requests": "requests.jsonl", "clusters": {"a": 1, "b": 1},
    }  # fmt: skip
    result = medir.compare(BEFORE, AFTER, "P@2", **options)  # type: ignore[arg-type]
    options |= {"grades": {"0.5": 1, "good": 2}, "clusters": "clusters"}
    rest = {"weight": None, "missing_weight": None, "by": None, "default_length": None}
    assert valid((result, []))["options"] == options | rest
    assert valid(passages())["options"]["unjudged_documents"] == "not-relevant"


def test_verdict_and_notes() -> None:
    result, outcomes = files()
    found = valid((result, outcomes))
    assert found["verdict"] == result.verdict()
    assert found["notes"] == [*result.notes(), *result.sample.notes()]


@examples(60)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_any_text_can_be_held(text: str) -> None:
    found = valid(hostile(f"x{text}"))
    assert f"x{text}" in [one["segment"] for one in found["measures"][0]["segments"]]


def test_the_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "impact.json"
    path.write_text("older")
    result = medir.compare(BEFORE_FILE, AFTER_FILE, "P@2")
    outcomes = outcomes_of(result, ["P@2=0.1"])
    write_json(result, outcomes, path)
    assert json.loads(path.read_text(encoding="utf-8")) == record(result, outcomes)
    assert [one.name for one in tmp_path.iterdir()] == ["impact.json"]


def test_nothing_is_written_where_an_input_is_gone(tmp_path: Path) -> None:
    run, path = tmp_path / "a.run", tmp_path / "impact.json"
    run.write_bytes(BEFORE_FILE.read_bytes())
    path.write_text("older")
    result = medir.compare(run, AFTER_FILE, "P@2")
    run.unlink()
    with pytest.raises(medir.InputError, match=r"a\.run: cannot be read again for its SHA-256"):
        write_json(result, [], path)
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == {"impact.json": "older"}
