"""Summaries, checks, documents and matrices of a cluster are those of one machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import medir
from medir.comparing.decision import statistics
from medir.comparing.decision.gate import checked
from medir.errors import UsageError
from tests.cases import clusters
from tests.integrations.spark.test_many import generated

Frame = Callable[[Any], Any]
MEASURES = ["nDCG@10", "AP@10", "ERR@10", "RBO"]
EFFORT = 1  # so low that values have gaps
ROUNDING = 1e-12  # relative
# Queries are in the order of their ids, in which a cluster resamples them.
BEFORE, AFTER = clusters.ranked(1), clusters.ranked(2, left_out=(3, 17))


def numbers(summary: Any) -> Iterator[tuple[str, float]]:
    """Every number of a summary, by its name."""
    yield "queries", summary.queries
    yield "missing", summary.missing
    yield "weight", summary.weight
    yield from named("changed", summary.changed._asdict())
    sides = ["med"]
    if summary.measure.kind == "difference":
        sides += ["gain", "loss"]
        yield "unseen", summary.unseen
        yield "unproven", summary.unproven
        yield "two sided", summary.two_sided
        yield from named("far", summary.far._asdict())
        yield from named("bounds", summary.bounds._asdict())
        for effect, share in summary.effects.items():
            yield from named(effect, share._asdict())
    for side in sides:
        yield from named(side, summary.distribution(side)._asdict())
        for gap in (False, True):
            of = f"{side}, with gap {gap}"
            yield f"mean of {of}", summary.mean(side, gap)
            yield from named(
                f"quantile of {of}",
                dict(zip("abc", summary.quantiles((0.1, 0.5, 0.9), side, gap), strict=True)),
            )
            yield f"above in {of}", summary.share_above(0.2, side, gap)
            yield f"below in {of}", summary.share_below(0.2, side, gap)
        interval = summary.interval_of(side)
        yield from named(f"interval of {side}", {} if interval is None else interval._asdict())
    edges = np.linspace(-1, 1, 11)
    for place, weight in enumerate(summary.histogram(edges)):
        yield f"bin {place}", weight


def named(name: str, values: Mapping[str, float]) -> Iterator[tuple[str, float]]:
    """Values with names of their own."""
    return ((f"{name}: {key}", value) for key, value in values.items())


def same(ours: Any, theirs: Any) -> None:
    """Asserts that all numbers agree but for rounding."""
    assert dict(numbers(ours)) == pytest.approx(dict(numbers(theirs)), rel=ROUNDING, abs=1e-15)


def same_row(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> None:
    """Asserts that two rows have the same columns, and the same values but for rounding."""
    assert list(ours) == list(theirs)
    for name, value in theirs.items():
        expected = pytest.approx(value, rel=ROUNDING) if isinstance(value, float) else value
        assert ours[name] == expected, name


@pytest.fixture(scope="module")
def rows(spark: Any) -> Any:
    """The rows of a comparison with judgments, weights and values that have gaps."""
    make = spark.createDataFrame
    runs = make(clusters.long(BEFORE)), make(clusters.long(AFTER))
    known = {"qrels": make(clusters.grades(3)), "queries": make(clusters.known_queries())}
    return medir.spark.compare(*runs, measures=MEASURES, effort=EFFORT, **known).persist()


@pytest.fixture(params=["collected", "by Spark"])
def compared(
    rows: Any, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[Any, medir.Comparison]:
    """The comparison on the cluster and on one machine; Spark sums up groups of many queries.

    How many are many, both sides read in one place.
    """
    if request.param == "by Spark":
        monkeypatch.setattr(statistics, "MOST_RESAMPLED", 10)
    theirs = medir.compare(
        clusters.long(BEFORE),
        clusters.long(AFTER),
        MEASURES,
        qrels=clusters.grades(3),
        queries=clusters.known_queries(),
        by="language",
        effort=EFFORT,
    )
    return rows, theirs


def test_summaries_by_weight_and_segment(compared: tuple[Any, medir.Comparison]) -> None:
    ours, theirs = compared
    found = medir.spark.summary(ours, by="language")
    whole = found.summary()
    assert (found.small(whole) is not None) == (whole.total <= statistics.MOST_RESAMPLED)
    assert theirs.summary("ERR@10").unproven > 0
    assert set(map(repr, found.measures)) == set(map(repr, theirs.measures))
    assert set(found.labels) == set(theirs.segments())
    for one in theirs.measures:
        same(found.summary(one), theirs.summary(one))
        if found.small(whole) is None and not theirs.summary(one).unproven:
            continue  # Spark needs jobs for each group; one measure, with gaps, is enough
        for label, segment in theirs.segments(one).items():
            same(found.summary(one, label), segment)
    with pytest.raises(UsageError, match="no query has language 'it'"):
        found.summary("nDCG@10", "it")


def test_few_rows_are_collected(rows: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("medir.integrations.spark.summary")  # its function has its name
    monkeypatch.setattr(module, "MOST_COLLECTED", 100)
    found = medir.spark.summary(rows, by="language")
    groups = [found.summary(one, of) for one in found.measures for of in (None, *found.labels)]
    collected = [one for one in groups if found.small(one) is not None]
    assert collected == groups[: len(collected)]
    assert 60 <= sum(one.total for one in collected) <= 100


def test_many_queries_have_a_normal_interval(spark: Any) -> None:
    before, after = generated(5, 5_000), generated(6, 5_000)
    make = spark.createDataFrame
    ours = medir.spark.compare(make(before), make(after), "nDCG@10")
    found = medir.spark.summary(ours).summary()
    assert found.queries == 5_000
    same(found, medir.compare(before, after, "nDCG@10").summary())


def test_checks(compared: tuple[Any, medir.Comparison]) -> None:
    ours, theirs = compared
    limits = [
        "loss:nDCG@10=0.05",
        "p90:AP@10=0.99",
        "max:nDCG@10=0.5",
        "above-0.5:nDCG@10=0.1",
        "segment=*:gain:nDCG@10=0.3",
    ]
    below = ["RBO=0.2", "p05:RBO=0.3"]
    found = medir.spark.check(ours, limits, below=below, by="language")
    checks = [*map(medir.Check.parse, limits), *(medir.Check.parse(one, "below") for one in below)]
    expected = {str(one.check.subject): one for one in checked(theirs, checks)}
    assert len(found) == len(expected)
    assert {one.passed for one in found} == {True, False}
    for one in found:
        other = expected[one.check.subject]
        assert one.passed == other.passed
        assert one.value == pytest.approx(other.value, rel=ROUNDING)
        assert one.finding == other.finding


def test_a_limit_in_multiples_of_the_noise(compared: tuple[Any, medir.Comparison]) -> None:
    ours, _ = compared
    (outcome,) = medir.spark.check(ours, "nDCG@10=1xnoise", noise=ours)
    assert outcome.passed
    assert outcome.noise == outcome.value


def test_the_most_affected_queries(compared: tuple[Any, medir.Comparison]) -> None:
    ours, theirs = compared
    for name in ("nDCG@10", "RBO"):
        rows = medir.spark.top(ours, 5, name).collect()
        value = "med" if name == "nDCG@10" else "value"
        expected = [(row.query_id, getattr(row, value)) for row in theirs.top(5, name)]
        assert [(row["query_id"], row[value]) for row in rows] == expected
    with pytest.raises(UsageError, match="name the measure"):
        medir.spark.top(ours)


def test_documents(frame: Frame) -> None:
    before, after = clusters.long(BEFORE), clusters.long(AFTER)
    queries = clusters.known_queries()
    ours = medir.spark.documents(frame(before), frame(after), queries=frame(queries))
    theirs = {row.doc_id: row for row in medir.documents(before, after, queries=queries)}
    rows = [row.asDict() for row in ours.collect()]
    assert {row["doc_id"] for row in rows} == set(theirs)
    for row in rows:
        expected = theirs[row["doc_id"]]._asdict()
        same_row(row, expected)


def test_a_matrix(frame: Frame) -> None:
    runs = {
        "one": clusters.long(BEFORE),
        "two": clusters.long(AFTER),
        "three": clusters.lists(clusters.ranked(7)),
    }
    qrels = clusters.grades(3)
    measures = ["nDCG@10", "AP@5", "RBO"]
    frames = {name: frame(table) for name, table in runs.items()}
    ours = medir.spark.matrix(frames, measures, qrels=frame(qrels)).toArrow().to_pylist()
    theirs = medir.matrix(runs, measures, qrels=qrels).to_arrow().to_pylist()
    assert len(ours) == len(theirs) == 9
    for row, expected in zip(ours, theirs, strict=True):
        same_row(row, expected)
    intents = [f"i{number % 3}" for number in range(qrels.num_rows)]
    qrels = qrels.append_column("subtopic", [intents])
    ours = medir.spark.matrix(frames, "ERR_IA@5", qrels=frame(qrels)).toArrow().to_pylist()
    theirs = medir.matrix(runs, "ERR_IA@5", qrels=qrels).to_arrow().to_pylist()
    for row, expected in zip(ours, theirs, strict=True):
        same_row(row, expected)
    either: list[dict[str, Any]] = [{"missing": "skip"}, {"against": "two"}]
    for options in either:
        ours = medir.spark.matrix(frames, measures, **options).toArrow().to_pylist()
        theirs = medir.matrix(runs, measures, **options).to_arrow().to_pylist()
        assert len(ours) == len(theirs) == (9 if "missing" in options else 6)
        for row, expected in zip(ours, theirs, strict=True):
            same_row(row, expected)
    own = medir.define("first_of_spark", lambda c: float(c[0]))
    with pytest.raises(UsageError, match="two runs at a time"):
        medir.spark.matrix(frames, own)
