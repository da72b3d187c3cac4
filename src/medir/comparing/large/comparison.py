"""What is left of a comparison whose lists did not fit into memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NoReturn

from medir.comparing.comparison import Comparison
from medir.comparing.explaining.contents import Ranking
from medir.comparing.explaining.explanation import Explanation
from medir.comparing.exposure import Exposures
from medir.errors import UsageError
from medir.files.tables import Table
from medir.measures import Measure


@dataclass(frozen=True, eq=False, repr=False)
class LargeComparison(Comparison):
    """A comparison without the lists: its numbers are those of `compare`, row by row.

    Rows were written while they were computed. Summaries, checks, `top`, `row` and `column` work as
    for any other comparison; what needs documents does not.
    """

    lengths_of: Mapping[int, tuple[int, int]] = field(default_factory=dict)  # most affected queries

    def lengths_at(self, position: int) -> tuple[int, int]:
        """How many results a query has before and after; of the most affected ones only."""
        if position not in self.lengths_of:
            _refuse("how long a list was is known of the most affected queries")
        return self.lengths_of[position]

    def table(self) -> Table:
        """Not here: rows were written."""
        _refuse("rows are written while they are computed: name a file with output=")

    def lists(self, query: str) -> tuple[list[str], list[str]]:
        """Not here."""
        _refuse("lists are not kept")

    def explain_at(self, position: int, of: Measure | str | None = None) -> Explanation:
        """Not here."""
        _refuse("lists are not kept")

    def ranking(self, position: int) -> Ranking:
        """Not here."""
        _refuse("lists are not kept")

    def exposures(self) -> Exposures | None:
        """Not here."""
        _refuse("lists are not kept")


def _refuse(what: str) -> NoReturn:
    raise UsageError(
        f"{what} where runs are compared within a limit of memory; compare the queries that you "
        "want to look at alone, without it"
    )
