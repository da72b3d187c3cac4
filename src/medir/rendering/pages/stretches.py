"""What a report shows of runs of passages: stretches of text in place of documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from medir.comparing.explain import Evidence
from medir.files.identifiers import shown, text_of
from medir.passages.compare import PassageComparison, notes_on
from medir.passages.explain import PassageExplanation
from medir.rendering.pages.data import Ranking, run_facts


@dataclass(frozen=True)
class Stretches:
    """A value taken apart, stretch by stretch."""

    sentence: str
    documents: Sequence[Evidence]
    unseen_gain: float
    unseen_loss: float


def rankings(result: PassageComparison, positions: Sequence[int]) -> list[Ranking]:
    """The texts of some queries: stretches in the order in which each run shows them."""
    return [_ranking(result, text_of(result.pairing.query(i))) for i in positions]


def _ranking(result: PassageComparison, query: str) -> Ranking:
    whys = [result.explain(query, measure) for measure in result.measures]
    stretches = {stretch.name: stretch for why in whys for stretch in why.stretches}
    before, after = (
        sorted(
            (place, name)
            for name, stretch in stretches.items()
            if (place := getattr(stretch, side)) is not None
        )
        for side in ("before", "after")
    )
    return Ranking(
        query,
        [name for _, name in before],
        [name for _, name in after],
        {name: int(s.relevant) for name, s in stretches.items() if s.relevant is not None},
        [_taken_apart(why) for why in whys],
        {name: stretch.document for name, stretch in stretches.items()},
    )


def _taken_apart(why: PassageExplanation) -> Stretches:
    """A stretch that two paces split is one row."""
    parts: dict[str, Evidence] = {}
    for stretch in why.stretches:
        known = parts.get(stretch.name)
        gain = stretch.gain + (known.gain if known else 0.0)
        loss = stretch.loss + (known.loss if known else 0.0)
        relevant = None if stretch.relevant is None else float(stretch.relevant)
        parts[stretch.name] = Evidence(
            stretch.name,
            stretch.before,
            stretch.after,
            None if relevant is None else int(relevant),
            float(gain != 0) if relevant is None else relevant,
            gain,
            float(loss != 0) if relevant is None else relevant,
            loss,
        )
    return Stretches(why.sentence, tuple(parts.values()), why.unseen_gain, why.unseen_loss)


def facts(result: PassageComparison) -> Iterator[tuple[str, str]]:
    """What was compared, as names and values."""
    yield from run_facts(result)
    yield "Gold passages", "none" if result.gold is None else shown(result.gold.name)
    if result.cut is not None:
        yield "Depth", f"runs cut at {result.cut:,} passages"
    if result.complete:
        yield "Below the text", "nothing: it is complete"
    yield "Notes", "; ".join(notes_on(result))
