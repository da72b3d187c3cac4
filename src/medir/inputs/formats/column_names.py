"""Which column of a table holds what: the names that people use, and what the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from medir.base.settings import Order
from medir.errors import InputError, UsageError

# What a column may be called, by what it holds. The first row of names that a table has any of
# counts: PyTerrier's `qid` is the id beside `query`, the text, and `docno` is it beside `docid`.
NAMES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "query_id": (
        ("query_id", "qid", "q_id", "query-id"),
        ("topic_id", "topic", "query"),
    ),
    "doc_id": (
        ("doc_id", "docno"),
        ("docid", "document_id", "document", "corpus-id", "pid", "passage_id"),
    ),
    "score": (("score",), ("similarity", "sim")),
    "rank": (("rank",),),
    "doc_ids": (("doc_ids", "docnos"), ("docids", "document_ids", "documents", "docs")),
    "scores": (("scores",),),
    "relevance": (("relevance", "label", "grade", "rel", "judgment", "rating"), ("score",)),
    "intent": (("intent", "subtopic", "subtopic_id"), ("iteration",)),
    "words": (("words", "length", "word_count"),),
    "cluster": (("cluster", "cluster_id"),),
    "offset": (("offset",),),
    "length": (("length",),),
    "duration": (("duration", "seconds"),),
}
ALIASES = {"grade": "relevance"}  # other names that callers may use for ours
CONTENTS = {
    "query_id": "query ids",
    "doc_id": "document ids",
    "doc_ids": "lists of document ids",
    "relevance": "grades",
    "words": "numbers of words",
}


class Kinds(NamedTuple):
    """The columns of a kind of table: those that it needs, and those that it may have."""

    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()


RUN = Kinds(("query_id", "doc_id"), ("score", "rank"))  # one row per result
LISTS = Kinds(("query_id", "doc_ids"), ("scores",))  # one row per query
QRELS = Kinds(("query_id", "doc_id", "relevance"), ("intent",))
LENGTHS = Kinds(("doc_id", "words"))
CLUSTERS = Kinds(("doc_id", "cluster"))


class RunColumns(NamedTuple):
    """The columns of a run, by what they hold, and what its results are ordered by.

    Of `score` and `rank` there is the one that orders the results, or none for the order in which
    they come.
    """

    columns: dict[str, str]
    order: Order

    @property
    def has_lists(self) -> bool:
        """Whether a row holds all results of a query."""
        return "doc_ids" in self.columns


def chosen_run_columns(
    present: Sequence[str], order: Order, given: Mapping[str, str] | None, name: str
) -> RunColumns:
    """The columns of a run: one row per result, or one row per query with lists."""
    known = checked_roles(given)
    if "doc_ids" in known or (
        "doc_id" not in known and not _candidates("doc_id", present) and _has(present, "doc_ids")
    ):
        chosen = chosen_columns(present, LISTS, given, name)
        if order == "score" and "scores" in chosen:
            return RunColumns(chosen, "score")
        chosen.pop("scores", None)  # lists are in order, best first
        return RunColumns(chosen, "file")
    chosen = chosen_columns(present, RUN, given, name)
    by = _orders_by(chosen, order, present, name)
    for role in ("score", "rank"):
        if role != by:
            chosen.pop(role, None)
    return RunColumns(chosen, by)


def _orders_by(chosen: Mapping[str, str], order: Order, present: Sequence[str], name: str) -> Order:
    """What orders the results: the rank where there is no score, and the file without both."""
    if order == "file" or order in chosen:
        return order
    if order == "rank":
        raise InputError(
            f"order='rank' needs ranks, and there is no column rank{_among(present)}",
            name,
            remedy="Name it rank, say which it is (columns={'rank': ...}, --columns rank=...), or "
            "choose another order.",
        )
    if "rank" in chosen:
        return "rank"
    if _has(present, "relevance"):
        column = _candidates("relevance", present)[0]
        raise InputError(
            f"holds judgments, not a run: there is a column {column} and neither score nor "
            f"rank{_among(present)}",
            name,
            remedy="Give a run, or choose --order file (order='file') where the rows are in order.",
        )
    return "file"


def chosen_qrels_columns(
    present: Sequence[str], given: Mapping[str, str] | None, name: str
) -> dict[str, str]:
    """The columns of judgments. A score is a grade where nothing else is, as BEIR has it."""
    chosen = chosen_columns(present, QRELS, given, name)
    if "relevance" in checked_roles(given) or chosen["relevance"].lower() != "score":
        return chosen
    if _has(present, "rank"):
        raise InputError(
            f"holds a run, not judgments: there are rank and score{_among(present)}",
            name,
            remedy="Give judgments: query_id, doc_id and relevance.",
        )
    return chosen


def chosen_columns(
    present: Sequence[str], kinds: Kinds, given: Mapping[str, str] | None, name: str
) -> dict[str, str]:
    """The columns of a table, by what they hold: as the caller says, or by their names.

    >>> chosen_columns(["qid", "docno", "score"], RUN, None, "run")
    {'query_id': 'qid', 'doc_id': 'docno', 'score': 'score'}
    >>> chosen_columns(["q", "doc_id"], RUN, {"query_id": "q"}, "run")
    {'query_id': 'q', 'doc_id': 'doc_id'}
    """
    chosen = {
        role: _given(column, role, present, name)
        for role, column in checked_roles(given).items()
        if role in (*kinds.needed, *kinds.optional)
    }
    for role in (*kinds.needed, *kinds.optional):
        if role in chosen:
            continue
        free = [column for column in present if column not in chosen.values()]
        found = _candidates(role, free)
        if len(found) > 1:
            raise _several(role, found, present, name)
        if found:
            chosen[role] = found[0]
        elif role in kinds.needed:
            raise _none(role, present, name)
    return {role: chosen[role] for role in (*kinds.needed, *kinds.optional) if role in chosen}


def checked_roles(given: Mapping[str, str] | None) -> dict[str, str]:
    """What the caller says of columns, by our names of what they hold."""
    roles = {}
    for ours, column in (given or {}).items():
        role = ALIASES.get(ours, ours)
        if role not in NAMES:
            raise UsageError(f"columns: {ours!r} is none of {', '.join([*NAMES, *ALIASES])}")
        if role in roles:
            raise UsageError(f"columns: {ours!r} and another name say which column holds {role}")
        roles[role] = column
    return roles


def has_columns(
    present: Sequence[str], roles: Sequence[str], given: Mapping[str, str] | None
) -> bool:
    """Whether there is a column for each role: as the caller says, or by its name."""
    known = checked_roles(given)
    return all(known[role] in present if role in known else _has(present, role) for role in roles)


def _candidates(role: str, present: Sequence[str]) -> list[str]:
    """The columns that may hold something: those of the first names that there are any of."""
    for names in NAMES[role]:
        if found := [column for column in present if column.lower() in names]:
            return found
    return []


def _has(present: Sequence[str], role: str) -> bool:
    return bool(_candidates(role, present))


def _given(column: str, role: str, present: Sequence[str], name: str) -> str:
    count = list(present).count(column)
    if count == 0:
        raise InputError(
            f"there is no column {column!r}{_among(present)}",
            name,
            remedy=f"It was named for {role}. Names are written as in the table.",
        )
    if count > 1:
        raise _several(role, [column] * count, present, name)
    return column


def _several(role: str, found: Sequence[str], present: Sequence[str], name: str) -> InputError:
    columns = list(dict.fromkeys(found))
    if len(columns) == 1:
        return InputError(
            f"two columns have the name {columns[0]!r}", name, remedy="Rename one of them."
        )
    return InputError(
        f"{' and '.join(columns)} may both hold the {_contents(role)}{_among(present)}",
        name,
        remedy=f"Say which: columns={{{role!r}: {columns[0]!r}}} or --columns {role}={columns[0]}.",
    )


def _none(role: str, present: Sequence[str], name: str) -> InputError:
    first, *others = (one for names in NAMES[role] for one in names)
    usual = f"{first} (or {', '.join(others)})" if others else first
    return InputError(
        f"there is no column of {_contents(role)}{_among(present)}",
        name,
        remedy=f"Name it {usual}, or say which it is: columns={{{role!r}: ...}} or --columns "
        f"{role}=...",
    )


def _contents(role: str) -> str:
    return CONTENTS.get(role, f"{role}s")


def _among(present: Sequence[str]) -> str:
    return f" among the columns {', '.join(present)}" if present else ": there are no columns"
