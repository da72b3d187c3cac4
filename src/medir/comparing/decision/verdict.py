"""The verdict: what changed, and what it could cost, in one to three plain sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from medir.base.words import count, percent, rounded
from medir.comparing.decision.summary import Share, Summary

CERTAIN = 1e-9  # bounds that are no further apart are one value


class Case(NamedTuple):
    """What a verdict is about."""

    summary: Summary
    judged: bool
    before: int  # queries in the run before the change only
    after: int
    common: Summary | None  # of the queries that both runs have, where some are in one only
    places: str  # what lists are counted in
    unseen_queries: int

    @property
    def name(self) -> str:
        """The measure in words."""
        return repr(self.summary.measure)


def verdict(case: Case) -> list[str]:
    """The sentences, the one that matters most first."""
    summary = case.summary
    if summary.queries == 0:
        return [f"No query has a value of {case.name}."]
    if summary.weight == 0:
        return [f"All queries have weight 0, so that {case.name} has no mean."]
    if summary.measure.kind != "difference":
        first = list(_similarity(case))
    elif case.judged:
        first = list(_judged(case))
    else:
        first = list(_unjudged(case))
    return [*first, *_accounts(case)]


def _similarity(case: Case) -> Iterator[str]:
    summary = case.summary
    yield f"{_changed(summary)}; {case.name} is {rounded(summary.med.mean)} on average."


def _unjudged(case: Case) -> Iterator[str]:
    summary = case.summary
    if summary.changed.queries == 0:
        if summary.med.maximum <= 0:
            yield f"No query changed: {case.name} cannot move."
        else:
            yield (
                f"No query changed as far as the lists go; only unseen {case.places} could move "
                f"{case.name}."
            )
        return
    moving = summary.moving
    if moving.weight == 0:
        yield f"{_changed(summary)}."
        return
    if moving.maximum <= summary.rounding:
        yield f"{_changed(summary)}, but {case.name} cannot move."
        return
    them = "It" if summary.changed.queries == 1 else "On average these"
    yield f"{_changed(summary)}. {them} could move {case.name} by {rounded(moving.mean())}" + (
        f"{_direction(moving)}{_far(summary)}."
    )


def _direction(moving: Summary) -> str:
    """In which direction, where that is not both."""
    effects = moving.effects
    if effects["either"].queries or (
        effects["only wins"].queries and effects["only loses"].queries
    ):
        return ", up or down"
    return ", only up" if effects["only wins"].queries else ", only down"


def _far(summary: Summary) -> str:
    far = summary.far
    if not far.queries or summary.changed.queries == 1 or not summary.measure.unit_scale:
        return ""
    return f"; {far.queries:,} by more than 0.5"


def _changed(summary: Summary) -> str:
    changed, total = summary.changed, summary.queries
    if changed.queries == 0:
        return "No query changed"
    of_all = count(total, "query", "queries")
    some = f"{changed.queries:,} of {of_all}"
    if 1 < changed.queries == total:
        some = "Both queries" if total == 2 else f"All {of_all}"
    return f"{some} changed{_by_weight(summary, changed)}"


def _by_weight(summary: Summary, share: Share) -> str:
    return "" if summary.weights is None else f" ({percent(share.share)} by weight)"


def _judged(case: Case) -> Iterator[str]:
    summary = case.summary
    low, high = summary.bounds
    over = count(summary.queries, "query", "queries")
    if high - low <= CERTAIN * max(1.0, abs(high)):
        change = "does not change" if abs(high) <= CERTAIN else f"changes by {rounded(high, True)}"
        yield f"The mean of {case.name} {change} over {over}: all that counts is judged."
    else:
        yield (
            f"The mean of {case.name} changes by {rounded(low, True)} to {rounded(high, True)} "
            f"over {over}, whatever the unjudged {_unjudged_things(case)} are."
        )
    yield _effects(summary)


def _unjudged_things(case: Case) -> str:
    return "documents" if case.places == "ranks" else "passages"


def _effects(summary: Summary) -> str:
    words = {
        "only wins": "can only win",
        "only loses": "can only lose",
        "either": "can go either way",
        "no effect": "cannot move",
    }
    some = [
        (share.queries, words[effect], _by_weight(summary, share))
        for effect, share in summary.effects.items()
        if share.queries
    ]
    (first, verb, weight), *rest = some
    parts = [f"{count(first, 'query', 'queries')}{weight} {verb}"]
    parts += [f"{queries:,}{weight} {verb}" for queries, verb, weight in rest]
    return ", ".join(parts) + "."


def _accounts(case: Case) -> Iterator[str]:
    """What missing queries and unseen ranks account for."""
    parts = []
    alone = case.before + case.after
    if alone and case.common is not None and case.common.weight:
        where = " and ".join(
            f"{some:,} only {side}"
            for some, side in ((case.before, "before"), (case.after, "after"))
            if some
        )
        queries = "1 query is" if alone == 1 else f"{alone:,} queries are"
        parts.append(f"{queries} in one run only ({where}){_without(case, case.common, alone)}")
    if case.unseen_queries and case.summary.measure.kind == "difference":
        queries = count(case.unseen_queries, "query", "queries")
        parts.append(
            f"unseen {case.places} add {rounded(case.summary.unseen)} to the mean, in {queries}"
        )
    if parts:
        text = "; ".join(parts)
        yield f"{text[0].upper()}{text[1:]}."


def _without(case: Case, common: Summary, alone: int) -> str:
    """What queries in one run only add to the mean."""
    if common.queries == case.summary.queries:
        return f" and {'has' if alone == 1 else 'have'} no value"
    title = "MED" if case.summary.measure.kind == "difference" else case.name
    mean, rest = rounded(case.summary.med.mean), rounded(common.mean())
    without = "the same" if mean == rest else rest
    return f": the mean {title} is {mean}, and {without} without {'it' if alone == 1 else 'them'}"


def noise_sentence(change: Summary, noise: Summary) -> str:
    """What the change does beyond the noise."""
    floor, beyond = change.beyond(noise)
    exceed = "are below the 5th" if change.measure.kind == "similarity" else "exceed the 95th"
    return (
        f"Mean {change.measure.title}: {rounded(change.med.mean)} for the change, "
        f"{rounded(noise.med.mean)} for the noise; {percent(beyond)} of queries {exceed} "
        f"percentile of the noise, {rounded(floor)}."
    )
