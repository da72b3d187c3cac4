"""The page of a matrix around its data: what was compared, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from markupsafe import Markup

from medir.base.words import count, rounded
from medir.comparing.judging.truth import Truth
from medir.comparing.matrix import Matrix
from medir.files.identifiers import shown
from medir.files.origins import name_and_format
from medir.measures import Measure
from medir.rendering.pages.frame import Frame
from medir.rendering.pages.matrix.data import Plan, View, fitted, views_of
from medir.rendering.pages.reproduction import Reproduction

SCRIPTS = ("data.js", "heat.js", "pair.js", "plane.js", "tables.js", "page.js")
MOST_BYTES = 4_000_000
MANY_INPUTS = 10  # more are folded away


def page(result: Matrix, groups: Mapping[str, str] | None, command: str | None) -> str:
    """The page as HTML that needs no other file."""
    views, without = views_of(result, groups)
    truths = [view.truth for view in views if view.truth is not None]
    reproduction = Reproduction.of(result, command)
    frame = Frame(
        "medir.rendering.pages.matrix",
        SCRIPTS,
        skip_to=("pairs", "the heat map"),
        subject=("compared", "What was compared"),
        runs=len(result.names),
        queries=count(len(result.queries), "query", "queries"),
        measures=[view.measure.title for view in views],
        verdict=[shown(text) for text in _verdict(result, views)],
        judged=bool(truths),
        grouped=groups is not None,
        mapped=len(result.names) > 2,
        facts=list(_facts(result)),
        terms=list(_terms(result, truths)),
        reproduction=reproduction,
        many=len(reproduction.inputs) > MANY_INPUTS,
    )
    room = MOST_BYTES - len(frame.around(data="", notes=[]).encode())
    content, plan = fitted(result, views, room)
    notes = [*_left_out(plan, bool(truths)), *_without(without), *_unjudged(result, truths)]
    return frame.around(data=Markup(content), notes=[shown(note) for note in notes])


def _verdict(result: Matrix, views: Sequence[View]) -> Iterator[str]:
    """The answer in a few sentences, by the first measure."""
    yield result.verdict(views[0].measure)
    truth = views[0].truth
    if truth is None:
        return
    means = truth.means
    best, worst = int(np.nanargmax(means)), int(np.nanargmin(means))
    if rounded(float(means[best])) == rounded(float(means[worst])):
        same = rounded(float(means[best]))
        yield f"By the judgments, all runs have the same mean {truth.measure!r} ({same})."
        return
    yield (
        f"By the judgments, {result.names[best]} has the highest mean {truth.measure!r} "
        f"({rounded(float(means[best]))}) and {result.names[worst]} the lowest "
        f"({rounded(float(means[worst]))})."
    )


def _facts(result: Matrix) -> Iterator[tuple[str, str]]:
    yield "Runs", f"{len(result.names):,}"
    yield "Pairs", f"{len(result.names) * (len(result.names) - 1) // 2:,}"
    yield "Queries", f"{len(result.queries):,}"
    yield "Measures", ", ".join(map(repr, result.measures))
    if result.read is not None:
        judged = result.read.judged
        yield "Judgments", "none" if judged is None else name_and_format(judged)
    for one in result.measures:
        if gap := result.gap(one):
            yield "Not proven", f"some values of {one.title} may be up to {gap:.2g} higher"
        if missing := result.missing(one):
            some = count(missing, "pair and query", "pairs and queries")
            yield "Without a value", f"{some} under {one!r}"
    for note in result.unseen_notes():
        yield f"Unseen {result.contents.places}", shown(note)


def _terms(result: Matrix, truths: Sequence[Truth]) -> Iterator[tuple[str, str]]:
    if any(one.kind == "difference" for one in result.measures):
        yield (
            "MED",
            "the largest difference in a measure that any relevance of the "
            f"{result.contents.items} could make between two lists; here the mean over the queries "
            "of either run",
        )
    yield (
        "by tree",
        "in the order of the leaves of a tree (average linkage), so that close runs are neighbours",
    )
    yield (
        "map",
        "runs are as far apart as their distances say, as nearly as a plane allows (metric "
        "multidimensional scaling); a stress of 0 would be exact",
    )
    if truths:
        yield (
            "score",
            "the mean effectiveness of a run by the judgments; a document without judgment is not "
            "relevant, and a query that the run does not have scores 0",
        )
        yield "difference of means", "the difference between the scores of two runs"
        yield (
            "mean of differences",
            "the mean over the judged queries of the difference in each: what one run wins in one "
            "query does not make up for what it loses in another",
        )


def _left_out(plan: Plan, judged: bool) -> Iterator[str]:
    """What the page does not hold of each pair."""
    if plan.queries == 0:
        yield (
            "The most different queries of each pair are not here: this file would be too large. "
            "medir matrix --per-query -o FILE has all of them."
        )
    elif plan != next(Plan.every()):
        some = "query" if plan.queries == 1 else f"{plan.queries} queries"
        yield (
            f"Each pair has its most different {some} here; with more this file would be too large."
        )
    if judged and plan.queries and not plan.scores:
        yield "What each run scores in a query is left out: this file would be too large."


def _without(measures: Sequence[tuple[Measure, str]]) -> Iterator[str]:
    for one, why in measures:
        yield f"{one!r} is left out: {why}."


def _unjudged(result: Matrix, truths: Sequence[Truth]) -> Iterator[str]:
    if truths and (rest := len(result.queries) - len(truths[0].queries)):
        queries = count(
            rest, "query has no judgments and counts", "queries have no judgments and count"
        )
        yield f"{queries} in MED only, not in scores and true differences."
    for run in np.flatnonzero(np.isnan(truths[0].means)) if truths else ():
        yield f"No query of {result.names[run]} is judged: it has no score."
