"""The files of a folder beside its lists: the page, the table, titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from medir.base.arrays import Array
from medir.comparing.decision.gate import Outcome
from medir.comparing.differences import Differences
from medir.files.identifiers import shown
from medir.inputs.queries import Queries
from medir.inputs.queries import Source as QuerySource
from medir.inputs.texts import Texts, titles_of
from medir.rendering.folders.lists import write_lists
from medir.rendering.folders.recording import Recording
from medir.rendering.folders.replaceable import FOLDER
from medir.rendering.folders.table import Columns, Table
from medir.rendering.folders.titles import Occurring, write_titles, write_titles_of_rows
from medir.rendering.pages import data
from medir.rendering.pages.exposed import exposed
from medir.rendering.pages.page import framed, source_of_texts, without
from medir.rendering.pages.reproduction import Reproduction

FIRST = 200  # queries whose rows are in the page: what is seen when it opens
MORE = 200  # rows that are added to the table at a time
HEADING = "All queries"


class Writing:
    """All that a folder is made from."""

    def __init__(
        self,
        recording: Recording,
        result: Differences[Any],
        queries: QuerySource | None,
        documents: Texts | None,
    ) -> None:
        self._recording, self._whole, self._documents = recording, result, documents
        self._subject = data.Subject.of(result)
        self._table = None if queries is None else Queries.of(queries)
        self._texts = _texts_of(self._table, self._subject.result)

    def write_data(self) -> dict[str, Any]:
        """Writes all files but the page; returns how the page finds its way among them."""
        recording, result = self._recording, self._subject.result
        titles = self._write_lists()
        columns = Columns.of(self._subject)
        rows = Table(recording, columns, self._texts)
        return {
            "size": len(result),
            "shard": recording.shard,
            "chunk": columns.chunk,
            "searched": rows.searched,
            "buckets": rows.write(),
            "titles": titles,
            "lines": MORE,
            "whole": columns.kind,
            "places": columns.places,
        }

    def _write_lists(self) -> int:
        """Writes the lists unless they are there; returns how many files there are of titles."""
        recording, result, source = self._recording, self._subject.result, self._documents
        if recording.witnesses is None:
            result.record(recording)
        if recording.witnesses is None:
            rows = write_lists(recording, result)
            return 0 if source is None else write_titles_of_rows(recording.scripts, source, rows)
        if source is None:
            return 0
        return write_titles(recording.scripts, source, Occurring(recording.occurring))

    def page(
        self, layout: dict[str, Any], outcomes: Sequence[Outcome]
    ) -> Callable[[Reproduction], str]:
        """The page but for how it was made, which is known last."""
        result, witnesses = self._subject.result, self._recording.witnesses
        positions = first_positions(result.column(), FIRST)
        moved = exposed(result)
        titles = {}
        if self._documents is not None and moved is not None:
            titles = titles_of(self._documents, moved.ids)
        called = {"heading": HEADING, "folder": FOLDER}
        frame = framed(self._whole, self._subject, moved, titles, outcomes, **called)
        known = [] if self._texts is None else [self._texts[position] for position in positions]
        content = {
            **data.table(self._subject, positions, {}),
            "ranks": data.MOST_RANKS,
            "formulas": None if witnesses is None else witnesses.formulas,
            "folder": {**layout, "positions": positions},
        }
        for row, text in zip(content["rows"], known, strict=False):
            row["text"] = text
        notes = without(source_of_texts(self._table), "query", self._without_text(), len(result))
        shown_data = {"data": Markup(data.embedded(content)), "notes": list(notes)}
        return lambda made: frame.around(**shown_data, reproduction=made)

    def _without_text(self) -> int:
        return 0 if self._texts is None else self._texts.count("")


def first_positions(values: Array, most: int) -> list[int]:
    """The positions of the largest values, those first that come first; what has none is last."""
    keys = np.where(np.isnan(values), -np.inf, values)
    if len(keys) > most:
        threshold = np.partition(keys, len(keys) - most)[len(keys) - most]
        above = np.flatnonzero(keys > threshold)
        equal = np.flatnonzero(keys == threshold)[: most - len(above)]
        chosen = np.sort(np.concatenate([above, equal]))
    else:
        chosen = np.arange(len(keys))
    return [int(at) for at in chosen[np.argsort(-keys[chosen], kind="stable")]]


def _texts_of(table: Queries | None, result: Differences[Any]) -> list[str] | None:
    """The texts of all queries as people see them; None where there are none at all."""
    if table is None or not table.has_texts:
        return None
    return [shown(text) for text in table.shown_texts(result.pairing)]
