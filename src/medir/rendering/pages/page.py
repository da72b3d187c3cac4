"""The page around the data: what was compared, summary, pictures, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from os import PathLike
from typing import Any

from markupsafe import Markup

from medir.comparing.columns import CHANGES, MEANINGS
from medir.comparing.comparison import Differences
from medir.comparing.contents import Ranking
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
) -> str:
    """The report as HTML."""
    beside = [one for one in result.measures if one.kind != "difference"]
    similar = ", ".join(map(partial(_beside, result), beside))
    if beside:
        result = result.only([one for one in result.measures if one not in beside])
    positions = result.most_affected(top)
    some = [result.ranking(position) for position in positions]
    texts = {} if queries is None else Queries.of(queries).texts(one.query for one in some)
    rows = {d: one.documents_of.get(d, d) for one in some for d in one.documents(data.MOST_RANKS)}
    named, moved = set(rows.values()), exposed(result)
    wanted = named if moved is None else named | moved.ids
    found = {} if documents is None else titles_of(documents, wanted)
    titles = {row: found[document] for row, document in rows.items() if document in found}
    frame = _frame(result, similar, None if moved is None else moved.content(found))
    table = data.table(result, positions, texts)
    room = MOST_BYTES - len(frame.around(data="", notes=[]).encode())
    content, plan = data.fitted(some, titles, len(result.measures), table, room)
    notes = [
        *_left_out(result, some, plan),
        *_without(queries, "query", len(some) - len(texts), len(some)),
        *_without(documents, "document", len(named - found.keys()), len(named)),
    ]
    return frame.around(data=Markup(content), notes=notes)


def _frame(result: Differences[Any], similar: str, moved: dict[str, Any] | None) -> Frame:
    """All of the page but the data of its queries."""
    return Frame(
        "medir.rendering.pages",
        skip_to=("queries", "the queries"),
        subject=("compared", "What was compared"),
        facts=[*result.facts(), *([("Beside MED", similar)] if similar else [])],
        terms=[*_terms(result), *([("exposure", EXPOSURE)] if moved is not None else [])],
        names=[shown(name) for name in result.names],
        contents=result.contents,
        measures=[_measure(result, number) for number in range(len(result.measures))],
        judged=result.is_judged,
        queries=len(result),
        exposed=moved,
    )


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


def _beside(result: Differences[Any], one: Measure) -> str:
    """A rank similarity in words."""
    summary = result.summary(one)
    if summary.missing == len(result):
        return f"{one!r} without a value"
    missing = f" ({summary.missing:,} queries without)" if summary.missing else ""
    return f"{one!r} {summary.mean:.4f} in the mean{missing}"


def _measure(result: Differences[Any], number: int) -> dict[str, Any]:
    measure = result.measures[number]
    return {
        "name": repr(measure),
        "number": number,
        "summary": result.summary(measure),
        "bars": charts.histogram(result.column(measure)),
        "scatter": charts.scatter(result, measure) if result.is_judged else None,
    }


def _without(source: object, kind: str, missing: int, total: int) -> Iterator[str]:
    if source is None or missing == 0:
        return
    plural = "queries" if kind == "query" else "documents"
    name = source.name if isinstance(source, Queries) else source
    where = shown(str(name)) if isinstance(name, str | PathLike) else f"What was given as {plural}"
    what = "text" if kind == "query" else "title"
    yield f"{where} has no {what} for {missing:,} of these {total:,} {plural}."


def _left_out(
    result: Differences[Any], some: Collection[Ranking], plan: data.Plan
) -> Iterator[str]:
    """What the page does not show."""
    first = repr(result.measures[0])
    if len(some) < len(result):
        yield (
            f"The table has the {len(some):,} most affected of {len(result):,} queries by {first}. "
            "Summary and pictures count all of them."
        )
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
