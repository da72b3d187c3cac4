"""Queries: their texts, weights and whatever else a table knows of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.settings import thread_count
from medir.base.words import count
from medir.errors import InputError, UsageError
from medir.files.identifiers import bytes_of, shown, text_of
from medir.files.origins import Origin
from medir.inputs.by_query import query_ids

if TYPE_CHECKING:
    from medir.inputs.formats.arrow import Table

TEXTS = ("text", "query", "title")  # names of the column of texts, the first that is there
LONGEST_TEXT = 300  # characters that are shown
NO_SEGMENT = "(none)"

Source = Union["Queries", str, PathLike[str], Mapping[Any, Any], "Table"]
Ids = Sequence[Any] | NDArray[Any]  # of queries, one behind the other
Positions = _core.Pairing | _core.Pool | _core.Lists  # what has queries by position


class Queries:
    """A table of queries: one row per query, with a text, a weight, segments, or anything else.

    What is asked for by position (`numbers`, `segments`, `cells`) comes in the order of the
    queries of a pairing, a pool or lists of the core. A column that the table does not have is an
    InputError that lists those that it has.

    >>> queries = Queries.of({"q1": {"text": "jaguar", "weight": 40}, "q2": {"text": "puma"}})
    >>> len(queries), queries.columns, queries.text("q2")
    (2, ['text', 'weight'], 'puma')
    """

    def __init__(
        self,
        table: _core.QueryTable,
        name: str,
        threads: int | None = None,
        origin: Origin | None = None,
    ) -> None:
        self._table, self.name, self._threads = table, name, thread_count(threads)
        self.origin = origin
        self.format: str | None = None  # it is always a table
        self.columns = [text_of(column) for column in table.columns]
        self._text_column = next((one for one in TEXTS if one in self.columns), None)
        self._last: tuple[Positions, _core.QueryRows] | None = None

    @classmethod
    def read(cls, path: str | PathLike[str], *, threads: int | None = None) -> Queries:
        """Queries from a TSV, CSV, JSON lines or Parquet file; text may be compressed.

        One of the columns `query_id`, `qid`, `q_id`, `_id` and `id` has the ids. A file of
        tab-separated ids and texts needs no header.
        """
        from medir.inputs.formats.queries import read_table

        table, name, origin = read_table(path, thread_count(threads))
        return cls(table, name, threads, origin)

    @classmethod
    def of(cls, source: Source, threads: int | None = None) -> Queries:
        """Queries from a path, a table, `{query: text}` or `{query: {column: value}}`."""
        from medir.inputs.formats.arrow import speaks_arrow
        from medir.inputs.formats.queries import arrow_queries, table_of

        if isinstance(source, Queries):
            return source
        if isinstance(source, str | PathLike):
            return cls.read(source, threads=threads)
        if isinstance(source, Mapping):
            return cls(table_of(source, "queries"), "queries", threads)
        if speaks_arrow(source):
            return cls(arrow_queries(source, "queries"), "queries", threads)
        raise InputError(
            f"cannot use an object of type {type(source).__name__} as queries",
            "queries",
            remedy="Give a path, a table, {query: text}, {query: {column: value}} or a "
            "medir.Queries.",
        )

    @property
    def has_texts(self) -> bool:
        """Whether there is a column of texts."""
        return self._text_column is not None

    def text(self, query: str) -> str | None:
        """The text of a query on one line, shortened for people; None where there is none."""
        from medir.inputs.texts import clipped

        text = self.full_text(query)
        return None if text is None else clipped(text, LONGEST_TEXT)

    def full_text(self, query: str) -> str | None:
        """The text of a query as it is written; None where there is none."""
        if self._text_column is None:
            return None
        column = self._number(self._text_column)
        return self._table.text(bytes_of(query, "query", self.name), column)

    def texts(self, wanted: Iterable[str]) -> dict[str, str]:
        """The texts of the wanted queries, of those that have one."""
        found = ((query, self.text(query)) for query in wanted)
        return {query: text for query, text in found if text is not None}

    def shown_texts(self, queries: Positions) -> list[str]:
        """The texts by position, on one line, shortened for people; empty where there is none."""
        if self._text_column is None:
            return [""] * len(queries)
        from medir.inputs.texts import clipped

        cells = self.cells(self._text_column, queries)
        return ["" if text is None else clipped(text, LONGEST_TEXT) for text in cells]

    def numbers(
        self, column: str, queries: Positions, missing: float = 1.0
    ) -> tuple[NDArray[np.float64], int]:
        """The weights in a column by position, and how many queries have none.

        A query has none if the table has no row for it or an empty field in its row; its weight is
        `missing`. A weight is a finite number of 0 or more; another one is an InputError that names
        file, line and text. Rows of queries that are not asked for are not looked at.
        """
        number = self._number(column)
        if not (math.isfinite(missing) and missing >= 0):
            raise UsageError(
                f"a missing weight must be a finite number of 0 or more, not {missing!r}"
            )
        rows = self.rows(queries)
        weights = np.empty(len(rows))
        return weights, rows.weights(number, missing, weights, self._threads)

    def segments(self, column: str, queries: Positions) -> tuple[NDArray[np.int32], list[str], int]:
        """The segments of a column: a code for each position, a label for each code, and a count.

        Labels are in the order in which they first appear. Queries without a row and those with an
        empty field are in a segment of their own, NO_SEGMENT, the last one; the count is how many
        they are.
        """
        number, rows = self._number(column), self.rows(queries)
        codes = np.empty(len(rows), dtype=np.int32)
        labels = [text_of(label) for label in rows.segments(number, codes, self._threads)]
        without = codes < 0
        count = int(np.count_nonzero(without))
        if count:
            if NO_SEGMENT not in labels:
                labels.append(NO_SEGMENT)
            codes[without] = labels.index(NO_SEGMENT)
        return codes, labels, count

    def cells(self, column: str, queries: Positions) -> list[str | None]:
        """A column by position, as it is written; None for no row or an empty field."""
        return self.rows(queries).texts(self._number(column))

    def without_row(self, queries: Positions) -> int:
        """How many queries of a pairing have no row in this table."""
        return self.rows(queries).without_row

    def unused(self, queries: Positions) -> int:
        """How many rows are for queries that a pairing does not have."""
        return self.rows(queries).unused

    def check_column(self, column: str) -> None:
        """Raises the error that lists the columns if there is no such column."""
        self._number(column)

    def refuse_columns(self, names: Collection[str]) -> None:
        """Raises an error if a column has one of these names: those of a result's columns."""
        for column in self.columns:
            if column in names:
                raise InputError(
                    f"the column {shown(column)!r} has the name of a column of the result",
                    self.name,
                    remedy="Rename it; the file that is written would have two of that name.",
                )

    @cached_property
    def ids(self) -> list[str]:
        """The ids of the queries, in the order of the rows."""
        return query_ids(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, query: object) -> bool:
        return query in self.ids

    def __repr__(self) -> str:
        return f"<Queries {self.name}: {count(len(self), 'query', 'queries')}>"

    def _number(self, column: str) -> int:
        if column in self.columns:
            return self.columns.index(column)
        from difflib import get_close_matches

        near = get_close_matches(column, self.columns, 1)
        hint = f" Did you mean {shown(near[0])!r}?" if near else ""
        has = (
            f"It has {', '.join(map(shown, self.columns))}." if self.columns else "It has only ids."
        )
        if isinstance(self._table, _core.DelimitedTable) and not self._table.has_header:
            hint += " Its first line does not name the columns: add query_id, text and the others."
        raise InputError(f"there is no column {shown(column)!r}", self.name, remedy=f"{has}{hint}")

    def rows(self, queries: Positions) -> _core.QueryRows:
        """The rows of queries by position; the last are kept for the next column."""
        if self._last is None or self._last[0] is not queries or len(self._last[1]) != len(queries):
            self._last = queries, _core.QueryRows(self._table, queries, self._threads)
        return self._last[1]


def table_and_ids(
    queries: Source | Ids | None, threads: int | None = None
) -> tuple[Queries | None, Collection[Any] | None]:
    """The table of queries, if that is one, and the ids of the queries in their order.

    >>> table_and_ids(["q7", "q9"])
    (None, ['q7', 'q9'])
    """
    if queries is None:
        return None, None
    if isinstance(queries, Sequence | np.ndarray) and not isinstance(queries, str):
        return None, list(queries)
    table = Queries.of(queries, threads)
    return table, table
