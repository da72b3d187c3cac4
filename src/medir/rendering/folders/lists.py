"""The lists of all queries where no kernel writes them: query by query, as in a single page."""

from __future__ import annotations

from typing import Any

from medir.comparing.differences import Differences
from medir.files.identifiers import shown, text_of
from medir.rendering.folders.recording import Recording
from medir.rendering.folders.scripts import script_of
from medir.rendering.folders.titles import checksum
from medir.rendering.pages.data import MOST_RANKS, Plan, lists


def write_lists(recording: Recording, result: Differences[Any]) -> dict[str, str]:
    """Writes the lists of all queries; returns the document of each row for its title."""
    longest = sum(one.longest for one in result.list_lengths)
    recording.begin(len(result), longest, [one.reach for one in result.measures])
    shard, rows = recording.shard, dict[str, str]()
    for number, first in enumerate(range(0, len(result), shard)):
        positions = range(first, min(first + shard, len(result)))
        ids = [shown(text_of(result.pairing.query(position))) for position in positions]
        recording.checksums[first : first + len(ids)] = [checksum(one) for one in ids]
        some = [result.ranking(position) for position in positions]
        for one in some if recording.wants_titles else ():
            rows.update(one.titled(MOST_RANKS))
        content = lists(some, {}, Plan(MOST_RANKS, len(result.measures), len(some)))
        recording.take(number, script_of(ids), script_of(content))
    return rows
