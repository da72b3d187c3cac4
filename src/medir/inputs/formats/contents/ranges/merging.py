"""Two tables that are sorted by query, read side by side: ranges of queries as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from medir.errors import InputError
from medir.files.background import ahead
from medir.inputs.formats.arrow import arrow_table
from medir.inputs.formats.contents.ranges.tables import RunTable, Slice, ordered_queries, placed


class UnsortedError(Exception):
    """A table is not sorted by query after all."""


def comparable(tables: Sequence[RunTable]) -> bool:
    """Whether the queries of tables can be told apart by their order: all numbers, or all text."""
    from pyarrow import types

    kinds = [_value_type(table.types()["query_id"]) for table in tables]
    return all(map(types.is_integer, kinds)) or not any(map(types.is_integer, kinds))


def merged(tables: Sequence[RunTable], rows: int) -> Iterator[list[Slice]]:
    """The rows of the same queries of each table, range by range; about so many at a time.

    A query is in one range only, with all of its rows, and ranges stand in the order of the tables.
    """
    sides = [_Side(table, rows) for table in tables]
    while True:
        for side in sides:
            side.fill(rows)
        last_queries = [side.last for side in sides if not side.ended]
        # The last query that was read may go on in the next rows.
        bound = min(last_queries) if last_queries else None
        taken = [side.take(bound) for side in sides]
        if bound is not None and not any(map(len, taken)):
            for side in sides:
                if not side.ended and side.last == bound:
                    side.read()
            continue
        yield [side.slice(some) for side, some in zip(sides, taken, strict=True)]
        if bound is None:
            return


class _Side:
    """A table as far as it was read, and not yet taken."""

    def __init__(self, table: RunTable, rows: int) -> None:
        self._table = table
        # Each table is decoded beside the other, and beside what is done with its rows.
        self._batches = ahead(partial(next, table.batches(rows), None))
        self._held: list[tuple[Any, Any]] = []  # batches, and the queries of their rows
        self._taken = 0  # rows
        self.ended = False
        self.last: Any = None  # query

    def fill(self, rows: int) -> None:
        """Reads until so many rows are held."""
        while not self.ended and sum(len(batch) for batch, _ in self._held) < rows:
            self.read()

    def read(self) -> None:
        """Reads the next rows."""
        batch = next(self._batches, None)
        if batch is None:
            self.ended = True
            return
        if len(batch) == 0:
            return
        falls = self._falls(batch)
        queries = ordered_queries(batch.column(self._table.query))
        if falls or (self.last is not None and queries[0].as_py() < self.last):
            raise UnsortedError
        self.last = queries[-1].as_py()
        self._held.append((batch, queries))

    def _falls(self, batch: Any) -> bool:
        """Whether the queries of a batch are not sorted; there must be one in every row."""
        rows = arrow_table(batch.select([self._table.query]), self._table.name)
        try:
            return rows.falls(0)
        except InputError as error:
            held = sum(len(batch) for batch, _ in self._held)
            raise placed(error, {error.source: self._taken + held}) from None

    def take(self, bound: Any) -> Any:
        """The rows of all queries before one; of all where there is no bound."""
        import pyarrow as pa

        taken, kept = [], []
        for batch, queries in self._held:
            size = len(batch) if bound is None else _first_at(queries, bound)
            taken.append(batch.slice(0, size))
            if size < len(batch):
                kept.append((batch.slice(size), queries.slice(size)))
        self._held = kept
        some = [batch for batch in taken if len(batch)]
        return pa.Table.from_batches(some) if some else self._table.empty()

    def slice(self, taken: Any) -> Slice:
        """What was taken, with its place in the whole table."""
        first_row, self._taken = self._taken, self._taken + len(taken)
        return self._table.slice(taken, first_row)


def _first_at(queries: Any, bound: Any) -> int:
    """The first row whose query is not before a bound."""
    low, high = 0, len(queries)
    if queries[high - 1].as_py() < bound:
        return high
    while low < high:
        middle = (low + high) // 2
        if queries[middle].as_py() < bound:
            low = middle + 1
        else:
            high = middle
    return low


def _value_type(kind: Any) -> Any:
    from pyarrow import types

    return kind.value_type if types.is_dictionary(kind) else kind
