"""How a source is to be read, and what came of it: the contract of all formats."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Generic, NamedTuple, TypeVar

from medir import _core
from medir.base.settings import Order
from medir.files.origins import Origin
from medir.inputs.grading import Grading

PLAIN = Grading()  # whole numbers are grades
L = TypeVar("L", bound=_core.Lists)


class Reading(NamedTuple):
    """What the caller says of a source."""

    order: Order = "score"
    columns: Mapping[str, str] | None = None  # our name of a column: its name in the source
    pad: int = -1  # fills the rows of arrays behind their end
    queries: Collection[Any] | None = None  # ids for sources whose rows have none, in their order
    threads: int = 1
    allow_partial: bool = False  # responses of engines that are not whole
    size: int | None = None  # how many results each query asked for, where the source is silent
    grading: Grading = PLAIN  # what the values of judgments mean
    requests: str | None = None  # what judgments without ids are answers to


class Taken(NamedTuple, Generic[L]):
    """What was read."""

    lists: L
    name: str
    origin: Origin | None = None
    format: str | None = None  # how it was read, in a few words; None for TREC text and mappings
