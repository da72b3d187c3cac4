"""What a report shows of documents: those that gain and lose most exposure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from medir.comparing.differences import Differences
from medir.comparing.exposure import Exposure, Exposures, has_exposure
from medir.files.identifiers import shown
from medir.measures import Measure

TOP = 10  # documents that gain most, and as many that lose most
LONGEST = 200  # characters of an id
MOST_RESULTS = 500_000  # of a run: reading all lists once more takes a tenth of a second at most


@dataclass(frozen=True)
class Exposed:
    """The documents that gain and lose most; none where the runs are too large for a page."""

    measure: Measure
    gains: Sequence[Exposure] = ()
    losses: Sequence[Exposure] = ()
    counts: str = ""
    is_left_out: bool = False

    @property
    def ids(self) -> set[str]:
        """The documents that are named."""
        return {row.doc_id for row in (*self.gains, *self.losses)}

    def content(self, titles: Mapping[str, str]) -> dict[str, Any]:
        """All of it as the page shows it."""
        sides = [("gain", self.gains), ("lose", self.losses)]
        return {
            "measure": repr(self.measure),
            "counts": self.counts,
            "is_left_out": self.is_left_out,
            "tables": [
                {"verb": verb, "rows": [_row(row, titles.get(row.doc_id, "")) for row in rows]}
                for verb, rows in sides
                if rows
            ],
        }


def exposed(result: Differences[Any]) -> Exposed | None:
    """What to show of the documents of a comparison; None where they have no exposure."""
    first = result.measures[0]
    if not result.contents.ranked or not has_exposure(first):
        return None
    if max(len(run) * run.longest for run in result.runs) > MOST_RESULTS:
        return Exposed(first, is_left_out=True)
    found = result.exposures()
    return None if found is None else _exposed(found)


def _exposed(found: Exposures) -> Exposed:
    gains, losses = found.extremes(TOP)
    return Exposed(found.measure, gains, losses, found.counts_in_words())


def _row(row: Exposure, title: str) -> dict[str, Any]:
    name = shown(row.doc_id)
    return {
        "id": name if len(name) <= LONGEST else name[: LONGEST - 1] + "…",
        "title": shown(title),
        "change": row.change,
        "before": row.before,
        "after": row.after,
        "queries": [row.queries_before, row.queries_after],
        "status": row.status,
    }
