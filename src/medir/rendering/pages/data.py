"""What a report shows of each query, as data for the page, and how it is made to fit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from medir.base.arrays import Array
from medir.comparing.columns import CHANGES, COLUMNS
from medir.comparing.differences import Differences
from medir.comparing.explaining.contents import Ranking, TakenApart
from medir.files.identifiers import shown, text_of
from medir.measures import Measure

MOST_RANKS = 100  # of a list that are shown
FEWER_RANKS = (50, 20)  # where that takes too much
DIGITS = 6  # of what a document adds
MARKUP = "<>&\u2028\u2029"

Titles = Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """How much of the lists is put on the page."""

    ranks: int
    measures: int
    queries: int


@dataclass(frozen=True)
class Subject:
    """What a page is about: measures of effectiveness, and rank similarities next to them."""

    result: Differences[Any]  # under measures of effectiveness only
    beside: Differences[Any] | None  # the same under rank similarities
    names: Sequence[str]  # of the runs, short

    @classmethod
    def of(cls, result: Differences[Any]) -> Subject:
        """The comparison, split by the kinds of its measures."""
        kinds: dict[bool, list[Measure]] = {True: [], False: []}
        for one in result.measures:
            kinds[one.kind == "difference"].append(one)
        beside = result.only(kinds[False]) if kinds[False] else None
        return cls(result.only(kinds[True]) if beside else result, beside, short(result.names))


def short(names: Sequence[str]) -> list[str]:
    """The last parts of paths, as many as tell them apart.

    >>> short(["runs/a/1.run", "runs/b/1.run"])
    ['a/1.run', 'b/1.run']
    """
    parts = [PurePath(name).parts or (name,) for name in names]
    for kept in range(1, max(map(len, parts)) + 1):
        found = [str(PurePath(*some[-kept:])) for some in parts]
        if len(set(found)) == len(set(names)):
            break
    return [shown(name) for name in found]


def columns_of(values: Array) -> list[str]:
    """The columns to show of some measures: those that say something which no other one does."""
    columns = {name: values[:, number] for number, name in enumerate(COLUMNS)}
    told = {"med", "gain", "loss"}
    if not np.array_equal(columns["lower"], columns["med"], equal_nan=True):
        told.add("lower")
    for name in COLUMNS[COLUMNS.index("lower") + 1 :]:
        nonzero = columns[name][columns[name] != 0]
        if not np.isnan(nonzero).all():
            told.add(name)
    return [name for name in COLUMNS if name in told]


def table(subject: Subject, positions: Sequence[int], texts: Titles) -> dict[str, Any]:
    """The rows of the table: the numbers as they are, unrounded."""
    result, beside = subject.result, subject.beside
    contents, columns = result.contents, columns_of(result.values)
    kept = [COLUMNS.index(name) for name in columns]
    ids = [text_of(result.pairing.query(i)) for i in positions]
    segments = result.sample.segments
    return {
        "names": subject.names,
        "total": len(result),
        "columns": columns,
        "changes": list(CHANGES),
        "changed": contents.changed,
        "item": contents.item,
        "items": contents.items,
        "explainer": contents.explainer,
        "measures": [
            {
                "name": repr(one),
                "reach": one.reach if contents.ranked else None,
                "columns": columns_of(values[np.newaxis]),
                "grades": result.grade_values(one),
                "most": float(np.nanmax(np.abs(values[:3]), initial=1.0)),
                "rounding": result.summary(one).rounding,
            }
            for one, values in zip(result.measures, result.values, strict=True)
        ],
        "beside": [] if beside is None else [repr(one) for one in beside.measures],
        "segments": [] if segments is None else [shown(label) for label in segments.labels],
        "rows": [
            {
                "id": shown(query),
                "text": shown(texts.get(query, "")),
                "values": _values(result.values[:, kept, position]),
                "changes": result.changes[:, :, position].tolist(),
                "beside": [] if beside is None else _values(beside.values[:, :1, position]),
                "segment": segment,
            }
            for query, position, segment in zip(
                ids, positions, result.segments_at(positions), strict=True
            )
        ],
    }


def _values(of_query: Array) -> list[list[float | None]]:
    """The numbers of a query by measure; null where there is no value."""
    return [[None if math.isnan(x) else x for x in row] for row in of_query.tolist()]


def lists(some: Sequence[Ranking], titles: Titles, plan: Plan) -> dict[str, Any]:
    """The lists of the first queries; documents are named once and then by number."""
    numbers: dict[str, int] = {}
    details = [
        _detail(one, plan, lambda d: numbers.setdefault(d, len(numbers)))
        for one in some[: plan.queries]
    ]
    documents = [[shown(d), shown(titles[d])] if d in titles else [shown(d)] for d in numbers]
    return {"ranks": plan.ranks, "documents": documents, "lists": details}


def _detail(one: Ranking, plan: Plan, number: Callable[[str], int]) -> dict[str, Any]:
    ranks = [{d: i for i, d in enumerate(some, 1)} for some in (one.before, one.after)]
    documents = one.documents(plan.ranks)
    places = {d: place for place, d in enumerate(documents)}

    def row(name: str) -> list[int | None]:
        """A document, its ranks and its grade; another one after, and the row that it repeats."""
        cells = [ranks[0].get(name, 0), ranks[1].get(name, 0), one.grades.get(name)]
        if name not in one.same:
            return [number(name), *cells]
        document, after, repeats = one.same[name]
        others = None if after is None else number(after), places.get(repeats or "")
        return [number(document), *cells, *others]

    return {
        "length": [len(one.before), len(one.after)],
        "documents": list(map(row, documents)),
        "parts": [_parts(why, documents) for why in one.explanations[: plan.measures]],
    }


def _parts(why: TakenApart, documents: Sequence[str]) -> dict[str, Any]:
    """Relevance and part of each document in both directions; null where no measure looks."""
    evidence = why.evidence
    parts = evidence.gain_relevance, evidence.gain, evidence.loss_relevance, evidence.loss
    relevant_gain, gains, relevant_loss, losses = _plain(parts)
    gain = dict(zip(evidence.document, zip(relevant_gain, gains, strict=True), strict=True))
    loss = dict(zip(evidence.document, zip(relevant_loss, losses, strict=True), strict=True))
    rest = gain.keys() - documents
    return {
        "sentence": shown(why.sentence),
        "gain": list(map(gain.get, documents)),
        "loss": list(map(loss.get, documents)),
        "unseen": [_rounded(why.unseen_gain), _rounded(why.unseen_loss)],
        "rest": [
            len(rest),
            _rounded(sum(gain[d][1] for d in rest)),
            _rounded(sum(loss[d][1] for d in rest)),
        ],
    }


def _plain(columns: Sequence[Sequence[float]]) -> list[list[float]]:
    """Rounded numbers, whole ones without a decimal point."""
    rounded = np.array(columns, dtype=np.float64).round(DIGITS)
    whole = (rounded == np.floor(rounded)).tolist()
    return [
        [int(number) if is_whole else number for number, is_whole in zip(*some, strict=True)]
        for some in zip(rounded.tolist(), whole, strict=True)
    ]


def _rounded(value: float) -> float:
    rounded = round(value, DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded


def plans(some: Sequence[Ranking], measures: int) -> Iterator[Plan]:
    """Ever less: fewer ranks, then one measure, then fewer queries, in the end none."""
    longest = max((len(ranking) for one in some for ranking in (one.before, one.after)), default=0)
    ranks = min(longest, MOST_RANKS)
    yield Plan(ranks, measures, len(some))
    for fewer in FEWER_RANKS:
        if fewer < ranks:
            yield Plan(fewer, measures, len(some))
    ranks = min(ranks, FEWER_RANKS[-1])
    queries = len(some)
    if measures > 1:
        yield Plan(ranks, 1, queries)
    while queries > 0:
        queries //= 2
        yield Plan(ranks, 1, queries)


def fitted(
    some: Sequence[Ranking], titles: Titles, measures: int, rest: Mapping[str, Any], room: int
) -> tuple[str, Plan]:
    """The most that fits into some bytes, together with the rest of the data."""
    for plan in plans(some, measures):
        text = embedded({**rest, **lists(some, titles, plan)})
        if len(text.encode()) <= room:
            break
    return text, plan


def embedded(data: Mapping[str, Any]) -> str:
    """JSON that is no markup, whatever it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in MARKUP:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
