"""What all commands share: described here once, for Python and for the shell."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, Literal, NamedTuple, ParamSpec, TypedDict, TypeVar, cast, get_args

from medir.base.checks import (
    MOST,
    check_choice,
    check_columns,
    check_grades,
    check_path,
    check_seconds,
    check_whole,
)

Order = Literal["score", "rank", "file"]  # of the results of a query
Missing = Literal["empty", "skip", "error"]  # the list of a query that a run does not have
Duplicates = Literal["error", "first"]  # of a document in one list
Unseen = Literal["auto", "anything", "nothing"]  # what follows the last result of a list

EFFORT = 1_000_000  # steps of a search
MOST_THREADS = 256

P = ParamSpec("P")
R = TypeVar("R")


def _about(help: str, choices: Any = None, least: int = 1, most: int = MOST) -> dict[str, Any]:
    """What people are told, and what a setting may be: one of the choices, or in this range."""
    return {"help": help, "choices": get_args(choices), "least": least, "most": most}


class Effort(NamedTuple):
    """How long the searches for one query under one measure may go on."""

    steps: int  # for each of them
    seconds: float | None = None  # for all of them


@dataclass(frozen=True, eq=False)  # its repr says which of them a checkpoint belongs to
class Settings:
    """How runs are read and compared. Each setting is checked as soon as it is made."""

    order: Order = field(
        default="score",
        metadata=_about(
            "Order results by score (ties as trec_eval breaks them), by the rank column, or as "
            "in the file.",
            Order,
        ),
    )
    missing: Missing = field(
        default="empty",
        metadata=_about(
            "A query in one run only: compare with an empty list, skip it, or stop.", Missing
        ),
    )
    duplicates: Duplicates = field(
        default="error",
        metadata=_about(
            "A document twice in one list: stop, or keep the one that is ranked higher.",
            Duplicates,
        ),
    )
    unseen: Unseen = field(
        default="auto",
        metadata=_about(
            "What follows the last result of a list: unseen ranks that may hold anything, or "
            "nothing; auto: anything where the run was cut (two lists or more have its greatest "
            "length), nothing below shorter lists.",
            Unseen,
        ),
    )
    depth: int | None = field(default=None, metadata=_about("Cut all lists at N results."))
    columns: Mapping[str, str] | None = field(
        default=None,
        metadata=_about(
            "Which columns of a table hold what, where they have other names than query_id, "
            "doc_id, score, rank."
        ),
    )
    clusters: Any = field(
        default=None,
        metadata=_about(
            "Documents with the same content: lines 'document cluster', or a table (doc_id, "
            "cluster). A cluster counts as one document, where the first of it stands."
        ),
    )
    pad: int = field(
        default=-1,
        metadata=_about(
            "In arrays of neighbours: the number that fills a row behind its end.",
            least=-(2**63),
            most=2**63 - 1,
        ),
    )
    grades: Mapping[Any, int] | None = field(
        default=None,
        metadata=_about(
            "Which grade each value of the judgments stands for, where values are fractions or "
            "texts: 0=0,0.5=1,1=2."
        ),
    )
    requests: str | None = field(
        default=None,
        metadata=_about(
            "For judgments of umbrela, which name no ids: what 'judge --format umbrela' wrote."
        ),
    )
    effort: int = field(
        default=EFFORT,
        metadata=_about(
            "Steps that the search for one maximum may take (AP, ERR, TBG); a value that is not "
            "proven by then has a gap."
        ),
    )
    time_limit: float | None = field(
        default=None,
        metadata=_about(
            "Seconds that the searches for one query under one measure may take; which values are "
            "proven by then depends on the machine."
        ),
    )
    threads: int | None = field(
        default=None, metadata=_about("Threads to use (default: one for each processor).")
    )

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if one.metadata["choices"]:
                check_choice(value, one.metadata["choices"], one.name)
            elif one.name == "columns":
                check_columns(value)
            elif one.name == "grades":
                check_grades(value)
            elif one.name == "requests":
                check_path(value, one.name)
            elif one.name == "time_limit":
                check_seconds(value, one.name)
            elif one.name == "clusters":
                pass  # checked as it is read
            elif value is not None or one.default is not None:
                check_whole(value, one.name, one.metadata["least"], one.metadata["most"])

    @property
    def search(self) -> Effort:
        """How long a search may go on."""
        return Effort(self.effort, self.time_limit)

    @property
    def workers(self) -> int:
        """The number of threads."""
        return thread_count(self.threads)

    def options(self) -> Options:
        """As arguments of a function that compares ranked documents."""
        return cast("Options", {one.name: getattr(self, one.name) for one in fields(self)})

    def choices(self) -> dict[str, Any]:
        """As people are shown them: clusters by their name."""
        named = None if self.clusters is None else str(self.clusters)
        return {**self.options(), "clusters": named}

    def passage_options(self) -> PassageOptions:
        """As arguments of a function that compares passages."""
        known = PassageOptions.__annotations__
        return cast("PassageOptions", {k: v for k, v in self.options().items() if k in known})


def thread_count(threads: int | None) -> int:
    """The number that the caller wants, or one for each processor that this process may use."""
    if threads is None:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    check_whole(threads, "threads")
    return min(threads, MOST_THREADS)


SETTINGS: dict[str, Field[Any]] = {one.name: one for one in fields(Settings)}


class PassageOptions(TypedDict, total=False):
    """The settings of commands that compare passages."""

    order: Order
    missing: Missing
    unseen: Unseen
    depth: int | None
    columns: Mapping[str, str] | None
    threads: int | None


class ReadingOptions(PassageOptions, total=False):
    """The settings of commands that compare ranked documents and maximise nothing."""

    duplicates: Duplicates
    clusters: Any
    pad: int


class JudgedOptions(ReadingOptions, total=False):
    """The settings of commands that take judgments, too."""

    grades: Mapping[Any, int] | None
    requests: str | None


class Options(JudgedOptions, total=False):
    """The settings of commands that compare ranked documents."""

    effort: int
    time_limit: float | None


def with_settings(options: Any, **defaults: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Shows the settings behind `**options` in the signature and the text of a function.

    `defaults` are those of the function that differ.
    """
    shown = [one for one in SETTINGS.values() if one.name in options.__annotations__]
    rows = [f"`{one.name}`: {one.metadata['help']}" for one in shown]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)
        *known, _ = signature.parameters.values()
        kind = inspect.Parameter.KEYWORD_ONLY
        settings = [
            inspect.Parameter(
                one.name, kind, default=defaults.get(one.name, one.default), annotation=one.type
            )
            for one in shown
        ]
        signature = signature.replace(parameters=[*known, *settings])
        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__doc__ = "\n".join([inspect.cleandoc(function.__doc__ or ""), "", *rows])
        return function

    return decorate
