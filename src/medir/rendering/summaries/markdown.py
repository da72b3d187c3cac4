"""A comparison as Markdown, for a pull request or the summary of a pipeline's step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from medir.base.version import __version__
from medir.base.words import count, percent, rounded
from medir.comparing.columns import CHANGES
from medir.comparing.decision.gate import Outcome
from medir.comparing.decision.statistics import Interval
from medir.comparing.decision.summary import Summary
from medir.comparing.decision.verdict import noise_sentence
from medir.comparing.differences import Differences, Row
from medir.inputs.texts import clipped
from medir.measures import Measure
from medir.rendering.summaries.escaping import code, text

TOP = 10  # queries
MOST_SEGMENTS = 20
MOST_CHECKS = 20
LONGEST_TEXT = 100  # characters of a query
PASSED, FAILED = "✅", "❌"
INTERVAL = "95% interval"
INTERVALS = "the 95% intervals are about the choice of queries and nothing else"

Cells = Sequence[str]


def markdown(result: Differences[Any], outcomes: Sequence[Outcome], top: int = TOP) -> str:
    """The verdict, the checks, means, segments, and the most affected queries.

    Values of queries and of segments are those of the first measure.
    """
    blocks = [
        _heading(result, outcomes),
        *_verdict(result),
        _list(_checks(outcomes)),
        *_means(result),
        *_segments(result),
        *_most_affected(result, top),
        *_notes(result),
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _heading(result: Differences[Any], outcomes: Sequence[Outcome]) -> str:
    before, after = map(code, result.names)
    mark = ""
    if outcomes:
        mark = f"{PASSED if all(one.passed for one in outcomes) else FAILED} "
    return f"### {mark}{before} → {after}"


def _checks(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """What the checks say; of very many, those that failed."""
    many = len(outcomes) > MOST_CHECKS
    for one in outcomes:
        if not (many and one.passed):
            yield f"{PASSED if one.passed else FAILED} {text(str(one))}"
    if many and (passed := sum(one.passed for one in outcomes)):
        yield f"{PASSED} {count(passed, 'check')} passed"


def _verdict(result: Differences[Any]) -> Iterator[str]:
    first, *rest = result.verdict()
    yield f"**{text(first)}**"
    yield " ".join(map(text, rest))
    if result.noise is not None:
        yield " ".join(
            text(noise_sentence(change, noise))
            for one in result.measures
            if _has_values(change := result.summary(one))
            and _has_values(noise := result.noise.summary(one))
        )


def _means(result: Differences[Any]) -> Iterator[str]:
    """The means of all measures, one table for each end of the distribution that matters."""
    summaries = [result.summary(one) for one in result.measures]
    for similar in (False, True):
        some = [one for one in summaries if (one.measure.kind == "similarity") == similar]
        rows = [row for one in some if _has_values(one) for row in _mean_rows(one)]
        ends = ("p5", "min") if similar else ("p95", "max")
        yield _table(("measure", "mean", INTERVAL, "median", *ends), rows, left=1)


def _mean_rows(summary: Summary) -> Iterator[Cells]:
    """The row of a measure; gain and loss below it where they differ."""
    yield code(summary.measure.title), *_distribution(summary, "med")
    if summary.two_sided:
        for name in ("gain", "loss"):
            yield f"{name} of {code(repr(summary.measure))}", *_distribution(summary, name)


def _distribution(summary: Summary, name: str) -> Cells:
    found = summary.distribution(name)
    ends = (found.p95, found.maximum)
    if summary.measure.kind == "similarity":
        ends = (found.p05, found.minimum)
    return (
        f"**{rounded(found.mean)}**",
        _interval(summary.interval_of(name)),
        rounded(found.median),
        *map(rounded, ends),
    )


def _segments(result: Differences[Any]) -> Iterator[str]:
    """The segments by the first measure: all, or those that are affected most."""
    measure, found = result.measures[0], result.segments()
    summaries = {label: one for label, one in found.items() if _has_values(one)}
    if result.sample.segments is None or not summaries:
        return
    shown = dict(list(summaries.items())[:MOST_SEGMENTS])
    which = ""
    if len(summaries) > MOST_SEGMENTS:
        sign = 1 if measure.kind == "similarity" else -1
        ordered = sorted(summaries.items(), key=lambda one: sign * one[1].med.mean)
        shown = dict(ordered[:MOST_SEGMENTS])
        which = f": the {MOST_SEGMENTS} most affected of {len(summaries):,} segments"
    column = result.sample.segments.column
    yield f"#### {code(measure.title)} by {code(column)}{which}"
    yield _segment_table(shown)


def _segment_table(summaries: dict[str, Summary]) -> str:
    two_sided = any(one.two_sided for one in summaries.values())
    sides = ("mean gain", "mean loss") if two_sided else ()
    rows = [
        (
            code(label),
            f"{one.queries:,}",
            percent(one.changed.share),
            f"**{rounded(one.med.mean)}**",
            _interval(one.interval),
            *(rounded(one.mean(side.removeprefix("mean "))) for side in sides),
        )
        for label, one in summaries.items()
    ]
    return _table(("segment", "queries", "changed", "mean", INTERVAL, *sides), rows, left=1)


def _most_affected(result: Differences[Any], top: int) -> Iterator[str]:
    """The most affected queries by the first measure; no column that says nothing."""
    measure, positions = result.measures[0], result.most_affected(top)
    if not positions:
        return
    rows = [result.row(position) for position in positions]
    columns: dict[str, Cells] = {"query": [code(row.query_id) for row in rows]}
    texts = [text(clipped(result.sample.text(row.query_id), LONGEST_TEXT)) for row in rows]
    marks = [text(", ".join(result.marks(position))) for position in positions]
    left = 2 if any(texts) else 1
    if any(texts):
        columns["text"] = texts
    columns |= _values(measure, rows)
    for name in CHANGES:
        columns[name] = [f"{result.change(name)[position]:,}" for position in positions]
    if any(marks):
        columns[""] = marks
    what = f"The {count(len(rows), 'query', 'queries')} most affected by"
    if len(rows) == 1:
        what = "The query most affected by"
    yield f"#### {what} {code(repr(measure))}"
    yield _table(list(columns), list(zip(*columns.values(), strict=True)), left=left)


def _values(measure: Measure, rows: Sequence[Row]) -> dict[str, Cells]:
    if measure.kind != "difference":
        return {"value": [f"**{rounded(row.value)}**" for row in rows]}
    values: dict[str, Cells] = {"MED": [f"**{rounded(row.med)}**" for row in rows]}
    sides = {name: [rounded(getattr(row, name) + 0.0) for row in rows] for name in ("gain", "loss")}
    return values if sides["gain"] == sides["loss"] else {**values, **sides}


def _notes(result: Differences[Any]) -> Iterator[str]:
    """What is particular about this comparison, folded."""
    notes = [*result.notes(), *result.sample.notes()]
    summaries = [result.summary(one) for one in result.measures]
    for one in summaries:
        if one.missing:
            queries = count(one.missing, "query", "queries")
            notes.append(f"no value of {one.measure!r} for {queries}")
    if any(_has_values(one) and one.interval is not None for one in summaries):
        notes.append(INTERVALS)
    elif why := summaries[0].why_no_interval():
        notes.append(why)
    if result.contents.ranked and result.most_affected(1):
        counted = result.contents.counted(result.measures[0].reach)
        notes.append(f"entered, left and moved count {counted}")
    notes.append(f"medir {__version__}")
    yield "<details><summary>Notes</summary>"
    yield _list(map(text, notes))
    yield "</details>"


def _has_values(summary: Summary) -> bool:
    return summary.queries > 0 and summary.weight > 0


def _interval(interval: Interval | None) -> str:
    return "" if interval is None else f"{rounded(interval.low)} to {rounded(interval.high)}"


def _list(items: Iterator[str] | Cells) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(header: Cells, rows: Sequence[Cells], left: int) -> str:
    """A table whose first columns hold text and whose others hold numbers; empty without rows."""
    if not rows:
        return ""
    if INTERVAL in header and not any(row[header.index(INTERVAL)] for row in rows):
        header, *rows = (_without(INTERVAL, header, row) for row in (header, *rows))
    rules = [":---" if i < left or not name else "---:" for i, name in enumerate(header)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, rules, *rows))


def _without(column: str, header: Cells, row: Cells) -> Cells:
    return [cell for name, cell in zip(header, row, strict=True) if name != column]
