"""Tables in any order, put aside on disk by ranges of queries: polars' streaming engine does it.

It takes less time and memory for it than DuckDB (docs/large.md has the numbers).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from medir.errors import MedirError, MissingExtraError
from medir.files.background import Background
from medir.files.workspace import cannot_put_aside
from medir.inputs.formats.contents.ranges.tables import RunTable, Slice

SAMPLE = 1 << 16  # queries, by which ranges are chosen
NUMBER = "medir_range"  # the column with the number of the range
GROUP = 1 << 16  # rows that are written together, of each range
WAIT = 0.1  # seconds between two looks for an interrupt


class Partitions:
    """Ranges of queries on disk, which are read as often as wanted.

    A query is in one range only, and ranges are in the order of the ids, byte by byte.
    """

    def __init__(self, tables: Sequence[RunTable], ranges: int, rows: int, folder: Path) -> None:
        """Puts all rows aside, of which `rows` are read at a time, in about so many ranges."""
        if find_spec("polars") is None:
            purpose = "comparing tables that are not sorted by query within --memory"
            raise MissingExtraError("polars", "large", purpose)
        self._tables = tables
        samples = [_sample(table, rows) for table in tables]
        bounds = _bounds(samples, ranges)
        self._folders = [folder / f"ranges-{number}" for number in range(len(tables))]
        self._count = len(bounds) + 1
        for table, place in zip(tables, self._folders, strict=True):
            _Partitioning(table, bounds, rows, place).run()

    def __iter__(self) -> Iterator[list[Slice]]:
        """The rows of the same queries of each table, range by range; one is read ahead."""
        following = Background(partial(self._range, 0))
        for number in range(1, self._count + 1):
            slices = following.result()
            if number < self._count:
                following = Background(partial(self._range, number))
            yield slices

    def _range(self, number: int) -> list[Slice]:
        pairs = zip(self._tables, self._folders, strict=True)
        return [Slice(_put_together(table, place, number), None) for table, place in pairs]


def _texts(queries: Any) -> Any:
    """The ids of a column of polars as they are ordered: byte by byte."""
    import polars as pl

    if queries.dtype == pl.Binary:
        return queries
    return queries.cast(pl.String).cast(pl.Binary)


def _sample(table: RunTable, rows: int) -> Any:
    """Some queries of a table, from all parts of it."""
    import polars as pl

    some, step = [], 1
    for queries in table.some_queries(rows):
        some.append(pl.Series(queries).gather_every(step))
        if sum(map(len, some)) > 2 * SAMPLE:
            some = [one.gather_every(2) for one in some]
            step *= 2
    return _texts(pl.concat(some)).drop_nulls() if some else pl.Series(dtype=pl.Binary)


def _bounds(samples: Sequence[Any], ranges: int) -> Any:
    """The first query of each range but the first."""
    import polars as pl

    queries = pl.concat(samples).sort()
    places = [len(queries) * number // ranges for number in range(1, ranges)]
    return queries.gather(places).unique().sort() if len(queries) else queries


class _Partitioning:
    """One table, put aside by ranges."""

    def __init__(self, table: RunTable, bounds: Any, rows: int, folder: Path) -> None:
        self._table, self._bounds, self._rows, self._folder = table, bounds, rows, folder
        self._fault: BaseException | None = None
        self._stopped = False

    def run(self) -> None:
        """Writes all ranges, beside this thread, so that an interrupt stops it."""
        work = Background(self._sink)
        try:
            while not work.wait(WAIT):
                pass
        finally:
            self._stopped = True
            work.wait()
        try:
            work.result()
        except Exception as error:
            if self._fault is not None:
                raise self._fault from None
            raise _disk_error(self._folder, error) from None

    def _sink(self) -> None:
        import polars as pl
        from polars.io.plugins import register_io_source

        schema = self._numbered(pl.from_arrow(self._table.empty())).schema
        register_io_source(lambda *_: self._frames(), schema=schema).sink_parquet(
            pl.PartitionBy(self._folder, key=NUMBER, include_key=False),
            compression="uncompressed",  # takes a fifth less time than lz4
            statistics=False,
            row_group_size=GROUP,
            maintain_order=self._table.order == "file",
            mkdir=True,
            engine="streaming",
        )

    def _frames(self) -> Iterator[Any]:
        """The table as polars reads it."""
        import polars as pl

        try:
            for batch in self._table.batches(self._rows):
                if self._stopped:
                    raise InterruptedError
                yield self._numbered(pl.from_arrow(batch))
        except Exception as error:
            self._fault = error
            raise

    def _numbered(self, frame: Any) -> Any:
        import polars as pl

        queries = _texts(frame[self._table.query])
        if len(self._bounds) == 0:
            return frame.with_columns(pl.lit(0, pl.UInt32).alias(NUMBER))
        numbers = self._bounds.search_sorted(queries, side="right")
        return frame.with_columns(pl.Series(NUMBER, numbers, pl.UInt32))


def _disk_error(folder: Path, error: Exception) -> MedirError:
    """What polars says of a disk."""
    import polars as pl

    if not isinstance(error, OSError | pl.exceptions.PolarsError):
        raise error
    number = getattr(error, "errno", None)
    return cannot_put_aside(folder, OSError(number, str(error).splitlines()[0]))


def _put_together(table: RunTable, folder: Path, number: int) -> Any:
    """The rows of a range of a table."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    empty = table.empty()
    files = sorted((folder / f"{NUMBER}={number}").glob("*.parquet"))
    if not files:
        return empty
    parts = []
    for file in files:
        with pq.ParquetFile(file, pre_buffer=False) as part:
            parts.append(part.read())
    return pa.concat_tables(parts)
