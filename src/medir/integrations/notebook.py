"""Results as notebooks show them: the answer first, then a table of its evidence.

Every function here draws the view `html` of a result; the public face says which.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from medir.base.words import count
from medir.comparing.columns import CHANGES
from medir.comparing.decision.statistics import Interval
from medir.comparing.decision.summary import Summary
from medir.comparing.differences import Differences
from medir.comparing.exposure import Exposure, Exposures
from medir.comparing.judging.judge import Suggestions
from medir.comparing.judging.scores import PairedDifference, Scores
from medir.comparing.matrix import Matrix
from medir.expecting.expectation import Estimate, Expectation
from medir.inputs.texts import clipped
from medir.measures import Measure
from medir.rendering.pages.cell import (
    Column,
    Html,
    bar,
    cell,
    notes,
    quiet,
    shaded,
    side_by_side,
    table,
    toned,
    verdict,
)

TOP = 5  # queries or documents
MOST_SUGGESTIONS = 10
MOST_RUNS = 12  # of a matrix that is shown as a square
LONGEST = 80  # characters of a query's text, or of a title
INTERVAL = "95% interval"


# ---- Two runs


def comparison_html(result: Differences[Any]) -> str:
    """The verdict, the summary of each measure, and the queries that the first affects most."""
    before, after = result.names
    about = f"{before} → {after}, {count(len(result), 'query', 'queries')}"
    similar = [result.summary(one) for one in result.measures if one.kind == "similarity"]
    others = [result.summary(one) for one in result.measures if one.kind != "similarity"]
    return cell(
        verdict(result.verdict()),
        quiet(about),
        _summaries(others),
        _summaries(similar),
        _most_affected(result, result.measures[0]),
        notes([*result.notes(), *result.sample.notes()]),
    )


def _summaries(summaries: Sequence[Summary]) -> Html:
    """Mean, interval, and the end of the distribution where most has changed."""
    rows = [one for one in summaries if one.queries and one.weight]
    if not rows:
        return Html("")
    similar = rows[0].measure.kind == "similarity"
    ends = {"p05": "p5", "minimum": "min"} if similar else {"p95": "p95", "maximum": "max"}
    two_sided = any(one.two_sided for one in rows)
    sides = ("gain", "loss") if two_sided else ()
    return table(
        "Rank similarities over all queries" if similar else "Over all queries",
        Column("measure", [one.measure.title for one in rows], text=True),
        Column("mean", [_plain(one.med.mean) for one in rows], sure=True),
        Column(INTERVAL, _intervals([one.interval for one in rows])),
        *(
            Column(f"mean {side}", [_plain(one.mean(side)) for one in rows], spare=True)
            for side in sides
        ),
        Column("median", [_plain(one.med.median) for one in rows], spare=True),
        *(
            Column(short, [_plain(getattr(one.med, name)) for one in rows], spare=True)
            for name, short in ends.items()
        ),
    )


def _most_affected(result: Differences[Any], measure: Measure) -> Html:
    positions = result.most_affected(TOP, measure)
    rows = [result.row(position, measure) for position in positions]
    value = "med" if measure.kind == "difference" else "value"
    values = [getattr(row, value) for row in rows]
    most = max([1.0, *values])
    texts = [clipped(result.sample.text(row.query_id), LONGEST) for row in rows]
    marks = [", ".join(result.marks(position, measure)) for position in positions]
    sides = {name: [_plain(getattr(row, name)) for row in rows] for name in ("gain", "loss")}
    two_sided = value == "med" and sides["gain"] != sides["loss"]
    return table(
        f"Most affected queries by {measure!r}",
        Column("query", [row.query_id for row in rows], text=True),
        Column("text", texts if any(texts) else [], text=True, spare=True),
        Column(value, [_plain(one) for one in values], sure=True),
        Column("", [bar(one / most) for one in values], text=True, spare=True),
        *(Column(name, cells if two_sided else []) for name, cells in sides.items()),
        *(
            Column(name, [f"{result.change(name, measure)[i]:,}" for i in positions], spare=True)
            for name in CHANGES
        ),
        Column("", marks if any(marks) else [], text=True, spare=True),
    )


# ---- Many runs


def matrix_html(result: Matrix) -> str:
    """The mean of every pair: a square of a few runs, the closest and farthest pairs of many."""
    square = len(result.names) <= MOST_RUNS and result.against is None
    return cell(
        verdict([result.verdict(one) for one in result.measures]),
        quiet(f"{len(result.names)} runs, {count(len(result.queries), 'query', 'queries')}"),
        *((_square if square else _pairs)(result, one) for one in result.measures),
        notes(result.unseen_notes()),
    )


def _square(result: Matrix, one: Measure) -> Html:
    means = result.mean(one)
    most = float(np.nanmax(np.abs(means), initial=0.0))
    columns = [Column("run", result.names, text=True)]
    for name, values in zip(result.names, means.T.tolist(), strict=True):
        cells = [
            "" if math.isnan(value) else shaded(f"{value:.3f}", value / (most or 1.0))
            for value in values
        ]
        columns.append(Column(clipped(name, 20), cells))
    return table(f"Mean {one.title}", *columns)


def _pairs(result: Matrix, one: Measure) -> Html:
    pairs = result.ranked_pairs(one)
    label = "mean MED" if one.kind == "difference" else f"mean {one.kind}"
    return side_by_side(
        *(
            table(
                f"{title} pairs by {one!r}",
                *(
                    Column("run", [result.names[pair[end]] for _, *pair in some], text=True)
                    for end in (0, 1)
                ),
                Column(label, [_plain(value) for value, *_ in some], sure=True),
            )
            for title, some in (("Closest", pairs[:TOP]), ("Farthest", pairs[: -TOP - 1 : -1]))
        )
    )


# ---- Judgments


def scores_html(scores: Scores) -> str:
    """Means of runs, and for two of them how they differ."""
    pairs = [(one, run) for one in scores.measures for run in scores.runs]
    differences = [scores.difference(one) for one in scores.measures if len(scores.runs) == 2]
    return cell(
        verdict([scores.verdict(one) for one in scores.measures]),
        table(
            "Mean scores",
            Column("measure", [repr(one) for one, _ in pairs], text=True),
            Column("run", [run for _, run in pairs], text=True),
            Column("mean", [_plain(scores.mean(*pair)) for pair in pairs], sure=True),
            Column(INTERVAL, _intervals([scores.interval(*pair) for pair in pairs])),
        ),
        _differences(differences),
        notes(scores.notes()),
    )


def _differences(differences: Sequence[PairedDifference]) -> Html:
    bounds = [one.possible() for one in differences]
    return table(
        "The second run against the first",
        Column("measure", [repr(one.measure) for one in differences], text=True),
        Column("difference", [_signed(one.mean()) for one in differences], sure=True),
        Column(INTERVAL, _intervals([one.interval() for one in differences])),
        Column("possible", ["" if one is None else _range(*one) for one in bounds]),
    )


def suggestions_html(found: Suggestions) -> str:
    """What to judge first."""
    some = found[:MOST_SUGGESTIONS]
    more = len(found) - len(some)
    return cell(
        verdict([found.verdict]),
        table(
            f"Most worth judging by {found.measure!r}",
            Column("query", [one.query_id for one in some], text=True),
            Column("document", [one.document for one in some], text=True),
            *(
                Column(name, [_plain(getattr(one, name)) for one in some], sure=name == "reduction")
                for name in ("reduction", "med", "worst", "best")
            ),
        ),
        quiet(f"and {more:,} more") if more else "",
    )


def expectation_html(result: Expectation) -> str:
    """What to expect of the mean, and of the queries that stand out by the first measure."""
    if not len(result):
        return cell(verdict(["No queries to estimate."]))
    first = result.measures[0]
    largest = [result.row(position, first) for position in result.largest(TOP, first)]
    return cell(
        verdict([result.verdict(one) for one in result.measures]),
        quiet(f"{' → '.join(result.comparison.names)}, prior {result.prior}"),
        table(
            "Expected difference, mean of all queries",
            Column("measure", [repr(one) for one in result.measures], text=True),
            *_estimates([result.mean(one) for one in result.measures]),
        ),
        table(
            f"Largest expected differences by {first!r}",
            Column("query", [row.query_id for row in largest], text=True),
            *_estimates(largest),
        ),
    )


def _estimates(rows: Sequence[Estimate]) -> list[Column]:
    return [
        Column("expected", [_signed(row.expected) for row in rows], sure=True),
        Column("sd", [_plain(row.sd) for row in rows], spare=True),
        Column("5% to 95%", [_range(row.quantiles["p05"].value, row.quantiles["p95"].value)
                             for row in rows], spare=True),
        Column("helps", [f"{row.helps.value:.3f}" for row in rows]),
        Column("hurts", [f"{row.hurts.value:.3f}" for row in rows]),
    ]  # fmt: skip


# ---- Documents


def exposures_html(found: Exposures) -> str:
    """Which documents gain, and which lose."""
    gains, losses = found.extremes(TOP)
    counts = found.counts_in_words() or "nothing is shown"
    return cell(
        verdict([f"Of {count(len(found), 'document')}, {counts}."]),
        quiet(f"{' → '.join(found.names)}, exposure by {found.measure!r}"),
        side_by_side(_exposed("Gain most", gains), _exposed("Lose most", losses)),
    )


def _exposed(title: str, rows: Sequence[Exposure]) -> Html:
    titles = [clipped(row.title or "", LONGEST) for row in rows]
    return table(
        title,
        Column("document", [row.doc_id for row in rows], text=True),
        Column("title", titles if any(titles) else [], text=True, spare=True),
        Column("change", [_signed(row.change) for row in rows], sure=True),
        Column("queries", [f"{row.queries_before:,} → {row.queries_after:,}" for row in rows]),
    )


# ---- Numbers


def _plain(value: float) -> str:
    return "" if math.isnan(value) else f"{round(value, 4) + 0.0:,.4f}"


def _signed(value: float) -> str:
    rounded = round(value, 4) + 0.0
    return toned(f"{rounded:+,.4f}" if rounded else "0", rounded)


def _range(low: float, high: float) -> str:
    return f"{_plain(low)} to {_plain(high)}"


def _intervals(intervals: Sequence[Interval | None]) -> list[str]:
    """The intervals in words; no column where there is none."""
    if not any(intervals):
        return []
    return ["" if one is None else _range(one.low, one.high) for one in intervals]
