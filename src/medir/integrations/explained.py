"""A query in a notebook: its two lists side by side, with what each document adds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from medir.base.words import count
from medir.comparing.explaining.contents import Ranking
from medir.comparing.explaining.explanation import Evidence, Explanation
from medir.passages.explain import PassageExplanation, stretches_of
from medir.rendering.pages.cell import (
    Column,
    Html,
    cell,
    quiet,
    side_by_side,
    table,
    toned,
    verdict,
)

MOST = 20  # rows of a list
PARTS = "Loss and gain: what each adds to the largest loss and to the largest gain"
SIGNS = {"up": ("▲", 1), "down": ("▼", -1), "entered": ("new", 1), "left": ("gone", -1)}


def explanation_html(why: Explanation) -> str:
    """The two lists of documents."""
    med, gain, loss, *_ = why.solved.values
    about = _about(why.query, repr(why.measure), med, gain, loss)
    unseen = why.unseen_loss, why.unseen_gain
    return _lists(why.sentence, about, why.documents, unseen, "document")


def passages_html(why: PassageExplanation) -> str:
    """The two lists of stretches of text; their places are counted in characters."""
    about = _about(why.query, repr(why.measure), why.med, why.gain, why.loss)
    ranking: Ranking = stretches_of([why])
    (one,) = ranking.explanations
    rows = [one.evidence.row(number) for number in range(len(one.evidence.document))]
    return _lists(why.sentence, about, rows, (why.unseen_loss, why.unseen_gain), "text")


def _about(query: str, measure: str, med: float, gain: float, loss: float) -> str:
    if math.isnan(med):
        return f"query {query}, {measure}: no value"
    values = {"MED": med, "gain": gain, "loss": loss}
    numbers = ", ".join(f"{name} {round(one, 4) + 0.0:.4f}" for name, one in values.items())
    return f"query {query}, {measure}: {numbers}"


def _lists(
    sentence: str, about: str, rows: Sequence[Evidence], unseen: tuple[float, float], name: str
) -> str:
    before = sorted((row for row in rows if row.before is not None), key=_before)
    after = sorted((row for row in rows if row.after is not None), key=_after)
    judged = any(row.grade is not None for row in rows if row.repeats is None)
    return cell(
        verdict([sentence]),
        quiet(about),
        side_by_side(
            _list("Before", before, [str(row.before) for row in before], judged, name),
            _list("After", after, [str(row.after) for row in after], judged, name),
        ),
        _unseen(*unseen),
        quiet(f"{PARTS}; – where it is not relevant."),
    )


def _before(row: Evidence) -> int:
    return row.before or 0


def _after(row: Evidence) -> int:
    return row.after or 0


def _list(
    title: str, rows: Sequence[Evidence], places: Sequence[str], judged: bool, name: str
) -> Html:
    """A list, its first rows; what is below is counted."""
    some = rows[:MOST]
    more = len(rows) - len(some)
    title += f": the first {MOST} of {count(len(rows), 'row')}" if more else ""
    if not rows:
        return quiet(f"{title}: nothing")
    unknown = [row.grade is None or row.repeats is not None for row in some]
    grades = ["" if none else str(row.grade) for row, none in zip(some, unknown, strict=True)]
    return table(
        title,
        Column("", places[:MOST]),
        Column(name, [row.shown for row in some], text=True),
        Column("", [_move(row) for row in some], text=False),
        Column("grade", grades if judged else []),
        Column("loss", [_part(row.loss, row.loss_relevance, -1) for row in some]),
        Column("gain", [_part(row.gain, row.gain_relevance, 1) for row in some]),
    )


def _move(row: Evidence) -> str:
    if row.move not in SIGNS:
        return "="
    sign, tone = SIGNS[row.move]
    if row.before is None or row.after is None:
        return toned(sign, tone)
    return toned(f"{sign} {abs(row.before - row.after)}", tone)


def _part(value: float, relevance: float, tone: int) -> str:
    if relevance == 0:
        return "–"
    if abs(value) < 5e-5:
        return "0"
    return toned(f"{value:+.4f}", tone if value > 0 else 0)


def _unseen(loss: float, gain: float) -> Html:
    if not loss and not gain:
        return Html("")
    return quiet(f"Unseen ranks add {loss:.4f} to the loss and {gain:.4f} to the gain.")
