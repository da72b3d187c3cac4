"""A run in Parquet or Arrow IPC that is read some rows at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from medir import _core
from medir.errors import InputError
from medir.files.opening import Content, as_plain_file, is_folder
from medir.files.origins import FilesOrigin, Origin
from medir.inputs.formats.arrow import arrow_run
from medir.inputs.formats.column_names import chosen_run_columns
from medir.inputs.formats.contents.columnar import ColumnarSource
from medir.inputs.formats.contents.decoding import Streaming
from medir.inputs.formats.contents.recognition import File, Kind, format_of
from medir.inputs.formats.files import COLUMNAR, parts_of
from medir.inputs.formats.source import Reading

PROBED = 1 << 12  # rows that tell how many bytes a row has
BLOCK = 200  # bytes that lists take for rows of the same query that stand together, beside the rows
ROW = re.compile(r"\Arow (\d+)(?:: )?")  # what an error says of its place


class Slice(NamedTuple):
    """Rows of a table: all that their queries have."""

    lists: _core.Lists
    rows: int
    first_row: int | None  # in the whole table; None where its rows do not stand together there


class RunTable:
    """A table of results, of which no more is held than is asked for."""

    def __init__(self, path: str | PathLike[str], reading: Reading, folder: Path) -> None:
        """`folder` takes a copy of what can be read once only."""
        self.reading = reading
        parts, self.name, self.origin, kind = _opened(fspath(path), reading.columns, folder)
        self._decoder = Streaming(kind)
        self._source = ColumnarSource(self.name, kind, parts, self._decoder)
        names = self._source.names
        chosen = chosen_run_columns(names, reading.order, reading.columns, self.name)
        self.columns, self.order = chosen
        self.rows: int | None = None  # once all were read
        stored = self._source.decoded(self._decoder.stored, parts, self.query)
        # Before they are read, where the files say it.
        self.known_rows: int | None = None if stored is None else stored.rows
        self._decoder.encoded = stored is not None and stored.repeats
        self._row_bytes: float | None = None

    @property
    def query(self) -> str:
        """The name of the column of queries."""
        return self.columns["query_id"]

    @property
    def format(self) -> str:
        """How it was read, in a few words."""
        words = self._source.words(self.columns, self.rows or 0)
        if self.order != "score":
            words += f", in the order of the {'ranks' if self.order == 'rank' else 'file'}"
        return words

    def batches(self, rows: int) -> Iterator[Any]:
        """All rows, so many at a time; there may be none at all."""
        self._decoder.rows = rows
        read = 0
        for batch in self._source.read(self.columns):
            read += len(batch)
            yield batch
        self.rows = read

    def count(self) -> int:
        """The number of rows, which are read for it where the files do not say it."""
        if self.known_rows is None:
            self.known_rows = sum(map(len, self.batches(PROBED)))
        return self.known_rows

    def some_queries(self, rows: int) -> Iterator[Any]:
        """The queries of rows in all parts of the table, of so many at a time."""
        self._decoder.rows, self._decoder.sampling = rows, True
        try:
            for batch in self._source.read({"query_id": self.query}):
                yield batch.column(self.query)
        finally:
            self._decoder.sampling = False

    @property
    def row_bytes(self) -> float:
        """What a row takes in memory, by the first of them."""
        if self._row_bytes is None:
            first = next(self.batches(PROBED), None)
            self._row_bytes = _bytes_of(first, self.query) / len(first) if first else 1.0
        return self._row_bytes

    def types(self) -> dict[str, Any]:
        """The types of the columns, by what these hold."""
        return {role: self._source.type_of(column) for role, column in self.columns.items()}

    def empty(self) -> Any:
        """A table of pyarrow with the columns and no rows."""
        import pyarrow as pa

        names = dict.fromkeys(self.columns.values())
        return pa.schema([(name, self._source.type_of(name)) for name in names]).empty_table()

    def slice(self, table: Any, first_row: int) -> Slice:
        """The lists of some queries: of rows that stand together, from one of them on."""
        try:
            lists = arrow_run(table, self.reading, self.name)
        except InputError as error:
            raise placed(error, {self.name: first_row}) from None
        return Slice(lists, len(table), first_row)


def ordered_queries(queries: Any) -> Any:
    """A column of queries as numbers, or as bytes, which have an order whatever they hold."""
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(queries.type):
        values = ordered_queries(queries.dictionary)
        return pa.DictionaryArray.from_arrays(queries.indices, values, safe=False)
    if types.is_integer(queries.type):
        return queries
    wide = types.is_large_string(queries.type) or types.is_large_binary(queries.type)
    return queries.cast(pa.large_binary() if wide else pa.binary())


def _bytes_of(batch: Any, query: str) -> int:
    """What a batch takes without the dictionaries of its columns, and the lists of its queries."""
    import pyarrow.compute as pc
    from pyarrow import types

    columns = [
        column.dictionary_decode() if types.is_dictionary(column.type) else column
        for column in batch.columns
    ]
    queries = columns[batch.schema.names.index(query)]
    changes = pc.sum(pc.not_equal(queries.slice(1), queries.slice(0, len(queries) - 1))).as_py()
    return int(sum(column.nbytes for column in columns)) + BLOCK * (1 + (changes or 0))


def _opened(
    path: str, columns: Mapping[str, str] | None, folder: Path
) -> tuple[list[str], str, Origin, Kind]:
    """The files of a table, what it is called, where it came from, and their kind."""
    if parts := parts_of(path):
        return [str(part) for part in parts], path, FilesOrigin.of(parts), "Parquet"
    if is_folder(path):
        raise InputError("is a directory", path, remedy="Give a folder with .parquet files in it.")
    plain, name, origin = as_plain_file(path, folder)
    kind = format_of(File(Content(plain, None, origin)), columns).kind
    if kind not in COLUMNAR:
        raise InputError(
            f"is {kind} and neither Parquet nor Arrow IPC, which --memory (memory=) is for",
            name,
            remedy="Leave --memory out: text is mapped and not held in memory; or convert it first:"
            " medir convert RUN RUN.parquet.",
        )
    return [plain], name, origin, kind


def placed(error: InputError, first_rows: Mapping[str, int | None]) -> InputError:
    """An error about some rows of a table as one about the whole; `first_rows` by its name.

    >>> error = InputError("the score is NaN", "a.parquet", text="row 3: query q1")
    >>> placed(error, {"a.parquet": 100}).text, placed(error, {"a.parquet": None}).text
    ('row 103: query q1', 'query q1')
    """
    if error.source not in first_rows:
        return error
    first = first_rows[error.source]
    if first is None:
        text = ROW.sub("", error.text)
    else:
        text = ROW.sub(
            lambda found: found[0].replace(found[1], str(first + int(found[1]))), error.text
        )
    return InputError(error.problem, error.source, error.line, text, error.remedy)
