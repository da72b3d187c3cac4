"""The page around the data: what was compared, summary, pictures, and what was left out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from importlib.resources import files
from os import PathLike
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from medir.comparing.columns import COLUMNS
from medir.comparing.comparison import Comparison, Differences
from medir.files.identifiers import shown
from medir.inputs.texts import Kind, Texts, texts_of
from medir.measures import Measure
from medir.measures.relevance import max_grade_note
from medir.passages.compare import PassageComparison
from medir.rendering.pages import charts, data
from medir.rendering.pages import stretches as trailtexts
from medir.version import __version__

MOST_BYTES = 1_800_000


def page(
    result: Comparison | PassageComparison,
    queries: Texts | None,
    documents: Texts | None,
    top: int,
) -> str:
    """The report as HTML."""
    beside = [one for one in result.measures if one.kind != "difference"]
    similar = ", ".join(map(partial(_beside, result), beside))
    if beside:
        result = result.only([one for one in result.measures if one not in beside])
    positions = result.most_affected(top)
    if isinstance(result, Comparison):
        some = data.rankings(result, positions)
    else:
        some = trailtexts.rankings(result, positions)
    texts = _found(queries, "query", {one.query for one in some})
    rows = {d: one.documents_of.get(d, d) for one in some for d in one.documents(data.MOST_RANKS)}
    named = set(rows.values())
    found = _found(documents, "document", named)
    titles = {row: found[document] for row, document in rows.items() if document in found}
    frame = _Frame(result, len(positions), similar)
    table = {"names": frame.names, **data.table(result, positions, texts)}
    room = MOST_BYTES - len(frame.around("", []).encode())
    content, plan = data.fitted(some, titles, len(result.measures), table, room)
    notes = [
        *_left_out(result, some, plan),
        *_without(queries, "query", len(some) - len(texts), len(some)),
        *_without(documents, "document", len(named) - len(found), len(named)),
    ]
    return frame.around(content, notes)


class _Frame:
    """All of the page but the data of its queries."""

    def __init__(self, result: Comparison | PassageComparison, rows: int, similar: str) -> None:
        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._template = environment.from_string(_resource("page.html"))
        passages = not isinstance(result, Comparison)
        facts = _facts(result) if isinstance(result, Comparison) else trailtexts.facts(result)
        self.names = [shown(name) for name in result.names]
        style, script = _resource("page.css"), _resource("page.js")
        self._content: dict[str, Any] = {
            "version": __version__,
            "names": self.names,
            "facts": [*facts, *([("Beside MED", similar)] if similar else [])],
            "passages": passages,
            "measures": [_measure(result, number) for number in range(len(result.measures))],
            "judged": _is_judged(result),
            "rows": rows,
            "queries": len(result),
            "with_gap": bool(result.values[:, COLUMNS.index("gap")].any()),
            "style": Markup(style),
            "script": Markup(script),
            "script_hash": _hash(script),
        }

    def around(self, content: str, notes: Sequence[str]) -> str:
        """The page with its data and what it leaves out."""
        return self._template.render(**self._content, data=Markup(content), notes=notes)


def _resource(name: str) -> str:
    return files("medir.rendering.pages").joinpath(name).read_text(encoding="utf-8")


def _hash(script: str) -> str:
    """What allows this script to run, and no other."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def _facts(result: Comparison) -> Iterator[tuple[str, str]]:
    """What was compared, as names and values."""
    yield from data.run_facts(result)
    if result.judged is None:
        yield "Judgments", "none"
    else:
        without = result.without_relevant
        relevant = f"; {without:,} queries without a relevant one" if without else ""
        yield "Judgments", f"{shown(result.judged.name)}{relevant}"
    yield "Grades", max_grade_note(result.measures, result.judged)
    if result.lengths is not None:
        default = f"; {result.without_length:,} took the default" if result.without_length else ""
        yield "Lengths", f"{shown(result.lengths.name)}{default}"
    if result.cut is not None:
        yield "Depth", f"lists cut at {result.cut:,}"
    if result.complete:
        yield "Below the lists", "nothing: they are complete"
    elif result.short:
        yield "Below the lists", f"{result.short:,} queries with a list shorter than {result.depth}"
    if result.repeats:
        yield "Dropped", f"{result.repeats:,} results whose document stood higher already"
    unproven = int(np.count_nonzero(result.values[:, COLUMNS.index("gap")]))
    if unproven:
        yield "Not proven", f"{unproven:,} values: see gap"


def _beside(result: Differences[Any], one: Measure) -> str:
    """A rank similarity in words."""
    summary = result.summary(one)
    if summary.missing == len(result):
        return f"{one!r} without a value"
    missing = f" ({summary.missing:,} queries without)" if summary.missing else ""
    return f"{one!r} {summary.mean:.4f} in the mean{missing}"


def _is_judged(result: Comparison | PassageComparison) -> bool:
    return (result.judged if isinstance(result, Comparison) else result.gold) is not None


def _measure(result: Comparison | PassageComparison, number: int) -> dict[str, Any]:
    measure = result.measures[number]
    return {
        "name": repr(measure),
        "number": number,
        "summary": result.summary(measure),
        "bars": charts.histogram(result.column(measure)),
        "scatter": charts.scatter(result, measure) if _is_judged(result) else None,
    }


def _found(source: Texts | None, kind: Kind, wanted: set[str]) -> dict[str, str]:
    return {} if source is None else texts_of(source, kind, wanted)


def _without(source: Texts | None, kind: str, missing: int, total: int) -> Iterator[str]:
    if source is None or missing == 0:
        return
    plural = "queries" if kind == "query" else "documents"
    where = (
        shown(str(source)) if isinstance(source, str | PathLike) else f"What was given as {plural}"
    )
    what = "text" if kind == "query" else "title"
    yield f"{where} has no {what} for {missing:,} of these {total:,} {plural}."


def _left_out(
    result: Differences[Any], some: Collection[data.Ranking], plan: data.Plan
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
        rows = "ranks" if isinstance(result, Comparison) else "stretches of text"
        yield f"The lists show the first {plan.ranks} of up to {longest:,} {rows}."
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
