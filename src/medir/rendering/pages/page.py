"""The page around the data: what was compared, summary, pictures, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
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
from medir.rendering.pages import charts, data
from medir.rendering.pages.exposed import Exposed, exposed
from medir.rendering.pages.frame import Frame
from medir.rendering.pages.reproduction import Reproduction
from medir.rendering.pages.selection import Selection

# What a page of one file runs, and what one runs that loads its data from a folder.
IN_A_FILE = ("lists.js", "file.js", "page.js")
IN_A_FOLDER = ("lists.js", "terms.js", "folder.js", "page.js")
MOST_BYTES = 1_800_000
EXPOSURE = (
    "what the ranks of a document are worth under the first measure, over all queries; a list that "
    "reaches the cutoff of nDCG has exposure 1 to give"
)


def page(
    result: Differences[Any],
    queries: QuerySource | None,
    documents: Texts | None,
    selection: Selection,
    outcomes: Sequence[Outcome] = (),
    command: str | None = None,
) -> str:
    """The report as HTML."""
    subject = data.Subject.of(result)
    positions = selection.positions(subject.result)
    some = [subject.result.ranking(position) for position in positions]
    table = None if queries is None else Queries.of(queries)
    texts = {} if table is None else table.texts(one.query for one in some)
    rows = {name: d for one in some for name, d in one.titled(data.MOST_RANKS).items()}
    named, moved = set(rows.values()), exposed(subject.result)
    wanted = named if moved is None else named | moved.ids
    found = {} if documents is None else titles_of(documents, wanted)
    titles = {row: found[document] for row, document in rows.items() if document in found}
    frame = framed(result, subject, moved, found, outcomes, heading=selection.heading())
    made = Reproduction.of(result, command)
    rest = data.table(subject, positions, texts)
    room = MOST_BYTES - len(frame.around(data="", notes=[], reproduction=made).encode())
    content, plan = data.fitted(some, titles, len(subject.result.measures), rest, room)
    notes = [
        selection.note(subject.result, len(some)),
        *_left_out(subject.result, some, plan),
        *without(source_of_texts(table), "query", len(some) - len(texts), len(some)),
        *without(documents, "document", len(named - found.keys()), len(named)),
    ]
    notes = list(filter(None, notes))
    return frame.around(data=Markup(content), notes=notes, reproduction=made)


def framed(
    whole: Differences[Any],
    subject: data.Subject,
    moved: Exposed | None,
    titles: data.Titles,
    outcomes: Sequence[Outcome],
    **content: Any,
) -> Frame:
    """All of a page but its queries, their notes and how it was made.

    `whole` is the comparison under all its measures.
    """
    return _frame(
        subject,
        None if moved is None else moved.content(titles),
        facts=list(whole.facts()),
        verdict=[shown(sentence) for sentence in whole.verdict()],
        checks=[{"passed": one.passed, "text": shown(str(one))} for one in outcomes],
        **content,
    )


def _frame(subject: data.Subject, moved: dict[str, Any] | None, **content: Any) -> Frame:
    """All of the page but the data of its queries."""
    result, beside = subject.result, subject.beside
    segments = result.sample.segments
    summaries = [result.summary(one) for one in result.measures]
    numbers = [number for number, one in enumerate(summaries) if one.weight]
    similar = [] if beside is None else [beside.summary(one) for one in beside.measures]
    return Frame(
        "medir.rendering.pages",
        IN_A_FILE if content.get("folder") is None else IN_A_FOLDER,
        skip_to=("queries", "the queries"),
        subject=("compared", "What was compared"),
        terms=[*_terms(result), *([] if moved is None else [("exposure", _exposure(result))])],
        names=subject.names,
        contents=result.contents,
        measures=[_measure(result, number) for number in numbers],
        beside=[_similarity(one) for one in similar if one.weight],
        judged=result.is_judged,
        queries=count(len(result), "query", "queries"),
        exposed=moved,
        two_sided=any(one.two_sided for one in summaries),
        segments=None if segments is None else shown(segments.column),
        summary_notes=list(_summary_notes(result, [*summaries, *similar])),
        weighted=result.sample.weights is not None,
        **content,
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
    for name in data.columns_of(result.values):
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


def _similarity(summary: Summary) -> dict[str, Any]:
    """A rank similarity: its numbers and its distribution."""
    return {**_numbers(repr(summary.measure), summary), "bars": charts.histogram(summary)}


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
    has_sides = summary.measure.kind == "difference"
    return {
        "name": name,
        "queries": summary.queries,
        "changed": percent(summary.changed.share),
        "med": summary.med,
        "interval": summary.interval,
        **({side: summary.mean(side) for side in ("gain", "loss")} if has_sides else {}),
    }


def source_of_texts(table: Queries | None) -> object:
    """Where texts of queries come from: a file by its name; None where there are none at all."""
    if table is None or not table.has_texts:
        return None
    return table if table.origin is None else table.name


def without(source: object, kind: str, missing: int, total: int) -> Iterator[str]:
    """That a file of texts lacks some."""
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
