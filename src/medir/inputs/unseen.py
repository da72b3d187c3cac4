"""Which lists of a run were cut, so that unseen ranks follow, and which ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from medir import _core
from medir.base.settings import Duplicates, Settings, Unseen
from medir.base.words import count
from medir.files.identifiers import shown
from medir.inputs.by_query import ByQuery

NAMED = 3  # runs whose lists are told apart in words
NEVER = (1 << 64) - 1  # the cut of a run that nothing cut


def list_lengths(run: ByQuery[Any, Any], duplicates: Duplicates, threads: int) -> _core.ListLengths:
    """The lengths of all lists of a run, without duplicates where these are dropped."""
    lists: _core.Lists = run._lists
    return lists.lengths(_core.Repeats[duplicates], threads)


def unseen_rule(rule: Unseen, lengths: Sequence[_core.ListLengths]) -> _core.Unseen:
    """What decides for each list of some runs whether it was cut."""
    return _core.Unseen(_core.UnseenRule[rule], [one.cut for one in lengths])


def all_ended(runs: int) -> _core.Unseen:
    """For runs whose unseen ranks do not matter."""
    return _core.Unseen(_core.UnseenRule.nothing, [0] * runs)


def may_be_cut(settings: Settings, lengths: Sequence[_core.ListLengths]) -> bool:
    """Whether unseen ranks can follow any list."""
    if settings.unseen == "auto":
        return any(
            one.longest >= one.cut or _cut_by(settings.depth, one.longest) for one in lengths
        )
    return settings.unseen == "anything"


def _cut_by(depth: int | None, length: int) -> bool:
    return depth is not None and length > depth


def cut_notes(
    names: Sequence[str],
    lengths: Sequence[_core.ListLengths],
    depth: int | None,
    reach: int | None = None,
) -> Iterator[str]:
    """How lists were told apart, for the runs with lists that ended within reach of a measure.

    Without a reach, any list is within it. `depth` cuts lists after that.
    """
    notes = dict.fromkeys(
        cut_note(name, one)
        for name, one in zip(names, lengths, strict=True)
        if (one.with_results > 1 or one.asked)
        and one.shortest < min(one.asked or one.longest, reach or one.longest)
        and not _cut_by(depth, one.shortest)
    )
    yield from list(notes)[:NAMED]
    if len(notes) > NAMED:
        yield f"{count(len(notes) - NAMED, 'further run has', 'further runs have')} such lists"


def cut_note(name: str, lengths: _core.ListLengths) -> str:
    """How the lists of a run were told apart under `auto`, in a sentence."""
    run, total = shown(name), lengths.with_results
    if lengths.asked:
        return _asked_note(run, lengths)
    if lengths.cut == NEVER:
        return (
            f"{run}: only one of {total:,} lists has the greatest length {lengths.longest:,}, so "
            "nothing cut the run and all lists count as ended; if results were removed after a "
            "cut, pass --unseen anything"
        )
    shorter = total - lengths.at_longest
    ended = "is shorter and counts" if shorter == 1 else "are shorter and count"
    return (
        f"{run}: {lengths.at_longest:,} lists have the run's greatest length {lengths.longest:,} "
        f"and count as cut, {shorter:,} {ended} as ended; if results were removed after the cut, "
        "pass --unseen anything"
    )


def _asked_note(run: str, lengths: _core.ListLengths) -> str:
    """The same for a run that says how many results were asked for."""
    full = lengths.at_longest if lengths.longest >= lengths.asked else 0
    ended = count(lengths.with_results - full, "list is", "lists are")
    return (
        f"{run}: {lengths.asked:,} results were asked for; {count(full, 'list has', 'lists have')} "
        f"as many and {'counts' if full == 1 else 'count'} as cut, {ended} shorter and "
        f"{'counts' if lengths.with_results - full == 1 else 'count'} as ended"
    )
