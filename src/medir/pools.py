"""Several runs at once, and the queries that some of them do not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from medir import _core
from medir.compare import NAMED, Missing
from medir.errors import InputError
from medir.kernels import check_choice
from medir.rankings import Run
from medir.reading.columns import text_of

if TYPE_CHECKING:
    from medir.trailtexts import Passages


def pool_of(runs: Sequence[Run] | Sequence[Passages], missing: Missing) -> _core.Pool:
    """The queries of all runs, or of those that every run has."""
    check_choice(missing, Missing, "missing")
    pool = _core.Pool([run._lists for run in runs])
    if missing == "error":
        alone = [i for i in range(len(pool)) if not pool.in_all(i)]
        if alone:
            named = [text_of(pool.query(i)) for i in alone[:NAMED]]
            raise InputError(
                f"{len(alone)} queries are not in all runs: {', '.join(named)}"
                f"{', ...' if len(alone) > NAMED else ''}",
                remedy="Choose --missing empty (an empty list) or skip.",
            )
    if missing == "skip":
        pool.keep_common()
        if len(pool) == 0:
            raise InputError(
                f"{', '.join(run.name for run in runs)} have no query in common",
                remedy="Do all files write query ids in the same way?",
            )
    return pool
