"""The page around the data: what was compared, summary, pictures, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from os import PathLike
from typing import Any

from markupsafe import Markup

from medir.base.words import count, percent
from medir.comparing.columns import CHANGES, MEANINGS
from medir.comparing.decision.gate import Outcome
from medir.comparing.decision.summary import Summary
from medir.comparing.decision.verdict import noise_sentence
from medir.comparing.differences import Differences
from medir.comparing.explaining.contents import Ranking
from medir.files.identifiers import shown
from medir.inputs.queries import Queries
from medir.inputs.queries import Source as QuerySource
from medir.inputs.texts import Texts, titles_of
from medir.measures import Measure
from medir.rendering.pages import charts, data
from medir.rendering.pages.exposed import exposed
from medir.rendering.pages.frame import Frame

MOST_BYTES = 1_800_000
EXPOSURE = (
    "what the ranks of a document are worth under the first measure, over all queries; a list that "
    "reaches the cutoff of nDCG has exposure 1 to give"
)


def page(
    result: Differences[Any],
    queries: QuerySource | None,
    documents: Texts | None,
    top: int,
    outcomes: Sequence[Outcome] = (),
) -> str:
    """The report as HTML."""
    verdict = result.verdict()
    beside = [one for one in result.measures if one.kind != "difference"]
    similar = ", ".join(map(partial(_beside, result), beside))
    if beside:
        result = result.only([one for one in result.measures if one not in beside])
    positions = result.most_affected(top)
    some = [result.ranking(position) for position in positions]
    table = None if queries is None else Queries.of(queries)
    texts = {} if table is None else table.texts(one.query for one in some)
    rows = {d: one.documents_of.get(d, d) for one in some for d in one.documents(data.MOST_RANKS)}
    named, moved = set(rows.values()), exposed(result)
    wanted = named if moved is None else named | moved.ids
    found = {} if documents is None else titles_of(documents, wanted)
    titles = {row: found[document] for row, document in rows.items() if document in found}
    frame = _frame(
        result,
        similar,
        None if moved is None else moved.content(found),
        verdict=[shown(sentence) for sentence in verdict],
        checks=[{"passed": one.passed, "text": shown(str(one))} for one in outcomes],
    )
    rest = data.table(result, positions, texts)
    room = MOST_BYTES - len(frame.around(data="", notes=[]).encode())
    content, plan = data.fitted(some, titles, len(result.measures), rest, room)
    notes = [
        *_left_out(result, some, plan),
        *_without(_source_of_texts(table), "query", len(some) - len(texts), len(some)),
        *_without(documents, "document", len(named - found.keys()), len(named)),
    ]
    return frame.around(data=Markup(content), notes=notes)


def _frame(
    result: Differences[Any], similar: str, moved: dict[str, Any] | None, **decision: Any
) -> Frame:
    """All of the page but the data of its queries."""
    segments = result.sample.segments
    summaries = [result.summary(one) for one in result.measures]
    numbers = [number for number, one in enumerate(summaries) if one.weight]
    return Frame(
        "medir.rendering.pages",
        skip_to=("queries", "the queries"),
        subject=("compared", "What was compared"),
        facts=[*result.facts(), *([("Beside MED", similar)] if similar else [])],
        terms=[*_terms(result), *([] if moved is None else [("exposure", _exposure(result))])],
        names=[shown(name) for name in result.names],
        contents=result.contents,
        measures=[_measure(result, number) for number in numbers],
        judged=result.is_judged,
        queries=count(len(result), "query", "queries"),
        exposed=moved,
        two_sided=any(one.two_sided for one in summaries),
        segments=None if segments is None else shown(segments.column),
        summary_notes=list(_summary_notes(result, summaries)),
        weighted=result.sample.weights is not None,
        **decision,
    )


def _summary_notes(result: Differences[Any], summaries: Sequence[Summary]) -> Iterator[str]:
    """How to read the means."""
    for one in summaries:
        if one.missing:
            yield f"No value of {one.measure!r} for {count(one.missing, 'query', 'queries')}."
    for note in (*result.unseen_notes(), *result.sample.notes()):
        starts_with_a_name = note.startswith(result.names)
        yield f"{shown(note if starts_with_a_name else note[0].upper() + note[1:])}."
    if result.noise is not None:
        for one in summaries:
            noise = result.noise.summary(one.measure)
            if one.weight and noise.weight:
                yield noise_sentence(one, noise)
    known = [one for one in summaries if one.weight]
    if any(one.interval for one in known):
        yield "Intervals are about the choice of queries and nothing else."
    elif known and (why := known[0].why_no_interval()):
        yield f"{why[0].upper()}{why[1:]}."


def _terms(result: Differences[Any]) -> Iterator[tuple[str, str]]:
    """What the columns mean, and what else needs words."""
    for name in data.columns_of(result):
        yield name, MEANINGS[name]
    contents = result.contents
    yield ", ".join(CHANGES), contents.changes
    if contents.lists:
        yield "the lists", contents.lists
    yield (
        "adds",
        f"what a {contents.part} adds to gain or loss, given the relevance that reaches it; "
        "rounded here, as are all numbers that are shown (hover for all digits)",
    )


def _exposure(result: Differences[Any]) -> str:
    """What exposure means."""
    return EXPOSURE if result.sample.weights is None else f"{EXPOSURE}, times its query's weight"


def _beside(result: Differences[Any], one: Measure) -> str:
    """A rank similarity in words."""
    summary = result.summary(one)
    if not summary.weight:
        return f"{one!r} without a value"
    missing = f" ({count(summary.missing, 'query', 'queries')} without)" if summary.missing else ""
    return f"{one!r} {summary.med.mean:.4f} in the mean{missing}"


def _measure(result: Differences[Any], number: int) -> dict[str, Any]:
    measure = result.measures[number]
    summary = result.summary(measure)
    segments = result.segments(measure).items()
    return {
        **_numbers(repr(measure), summary),
        "number": number,
        "bars": charts.histogram(summary),
        "scatter": charts.scatter(result, measure) if result.is_judged else None,
        "segments": [_numbers(shown(label), one) for label, one in segments if one.weight],
        "without": ", ".join(shown(label) for label, one in segments if not one.weight),
    }


def _numbers(name: str, summary: Summary) -> dict[str, Any]:
    return {
        "name": name,
        "queries": summary.queries,
        "changed": percent(summary.changed.share),
        "med": summary.med,
        "interval": summary.interval,
        "gain": summary.mean("gain"),
        "loss": summary.mean("loss"),
    }


def _source_of_texts(table: Queries | None) -> object:
    """Where texts of queries come from: a file by its name; None where there are none at all."""
    if table is None or not table.has_texts:
        return None
    return table if table.origin is None else table.name


def _without(source: object, kind: str, missing: int, total: int) -> Iterator[str]:
    if source is None or missing == 0:
        return
    plural = "queries" if kind == "query" else "documents"
    these = f"this {kind}" if total == 1 else f"{missing:,} of these {total:,} {plural}"
    where = (
        shown(str(source)) if isinstance(source, str | PathLike) else f"What was given as {plural}"
    )
    what = "text" if kind == "query" else "title"
    yield f"{where} has no {what} for {these}."


def _left_out(
    result: Differences[Any], some: Collection[Ranking], plan: data.Plan
) -> Iterator[str]:
    """What the page does not show."""
    first = repr(result.measures[0])
    yield from _table_note(result, len(some))
    if not some:
        return
    longest = max(len(ranking) for one in some for ranking in (one.before, one.after))
    if plan.queries and plan.ranks < longest:
        places = result.contents.places
        yield f"The lists show the first {plan.ranks} of up to {longest:,} {places}."
    if plan.queries and plan.measures < len(result.measures):
        yield (
            f"Lists show what documents add to {first} alone; with the other measures this file "
            "would be too large."
        )
    if plan.queries < len(some):
        yield (
            f"The lists of {plan.queries:,} of these {len(some):,} queries are here; with more "
            "this file would be too large."
        )


def _table_note(result: Differences[Any], rows: int) -> Iterator[str]:
    """Which queries are in the table, where that is not all of them."""
    first, total = repr(result.measures[0]), count(len(result), "query", "queries")
    changed = result.summary().changed.queries
    if changed == 0:
        yield f"No query changed as far as {first} looks."
    elif rows < changed:
        yield (
            f"The table has the {rows:,} most affected of {total} by {first}. Summary and pictures "
            "count all of them."
        )
    elif rows < len(result):
        yield (
            f"The table has all that changed as far as {first} looks: {rows:,} of {total}. Summary "
            "and pictures count the others too."
        )
