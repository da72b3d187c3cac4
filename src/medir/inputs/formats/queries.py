"""Tables of queries for the native core: delimited text, JSON lines, Parquet, mappings."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from os import PathLike, fsencode, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.errors import InputError, MissingExtraError
from medir.files.identifiers import ENCODING, UNDECODABLE, bytes_of, shown, writable
from medir.files.opening import content_of, opened_plain, plain_bytes, unpacked_name
from medir.files.origins import Origin
from medir.inputs.formats.arrow import arrow_table
from medir.inputs.formats.contents.json_lines import SUFFIXES, records, refuse_lone_returns
from medir.inputs.formats.mappings import NO_ENDS, joined

if TYPE_CHECKING:
    import pyarrow as pa

IDS = (
    "query_id",
    "qid",
    "q_id",
    "_id",
    "id",
)  # names of the column of ids, the first that is there
START = 1 << 16  # bytes that tell the format
PARQUET = b"PAR1"
EXAMPLE = '{"query_id": "q1", "text": "..."}'

as_written = partial(json.loads, parse_int=str, parse_float=str, parse_constant=str)
Cells = tuple[bytes, NDArray[np.uint64]]  # one behind the other, and where each ends


def read_table(path: str | PathLike[str], threads: int) -> tuple[_core.QueryTable, str, Origin]:
    """The table in a file, the name of the file and its origin, whatever its format."""
    name, content, origin = content_of(fspath(path))
    return _table(name, content, threads), name, origin


def _table(name: str, content: bytes | None, threads: int) -> _core.QueryTable:
    start = plain_bytes(name, START) if content is None else content[:START]
    if start.startswith(PARQUET):
        return _parquet(name, content)
    start = start.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
    suffix = Path(unpacked_name(name)).suffix.lower()
    if suffix in SUFFIXES or (start.startswith(b"{") and suffix not in (".csv", ".tsv")):
        return _json_lines(name, content)
    refuse_lone_returns(start, name)
    first = start.partition(b"\n")[0]
    if b"\0" in first:
        problem = "binary data (byte 0x00) where text was expected"
        raise InputError(
            problem, name, remedy="Save the table as UTF-8 text, JSON lines or Parquet."
        )
    ids = [one.encode() for one in IDS]
    delimiter = _delimiter(first, suffix)
    return _core.read_query_table(fsencode(name), content, delimiter, ids, threads)


def table_of(source: Mapping[Any, Any], name: str) -> _core.QueryTable:
    """`{query: text}` or `{query: {column: value}}`, also mixed."""
    rows = _Rows()
    for values in source.values():
        rows.add(values if isinstance(values, Mapping) else {"text": values})
    ids = [bytes_of(query, "query", name) for query in source]
    return _native(name, joined(ids), rows.columns())


def arrow_queries(source: Any, name: str) -> _core.QueryTable:
    """A table that speaks Arrow."""
    table = arrow_table(source, name)
    if not len(table):
        raise InputError("has no rows", name, remedy="Add one row per query.")
    names = table.columns
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"two columns have the name {twice!r}", name, remedy="Rename one of them.")
    id_name = id_column(names, name)
    columns = {one: table.strings(i) for i, one in enumerate(names)}
    return _native(name, columns.pop(id_name), columns)


def _delimiter(first: bytes, suffix: str) -> _core.Delimiter:
    """Of a table whose first line this is: the one that separates an id column from the others."""
    line = first.decode(ENCODING, UNDECODABLE).lower()
    has_ids = {
        delimiter: any(cell.strip('"\r') in IDS for cell in line.split(delimiter))
        for delimiter in "\t,"
    }
    is_comma = suffix == ".csv" if has_ids["\t"] == has_ids[","] else has_ids[","]
    return _core.Delimiter.comma if is_comma else _core.Delimiter.tab


class _Rows:
    """Rows that may have different columns."""

    def __init__(self) -> None:
        self._cells: dict[str, list[bytes]] = {}
        self._count = 0

    def add(self, values: Mapping[Any, Any]) -> None:
        for name, value in values.items():
            column = self._cells.setdefault(str(name), [])
            column.extend([b""] * (self._count - len(column)))
            column.append(_cell(value))
        self._count += 1

    def columns(self) -> dict[str, Cells]:
        """All columns, with empty cells where a row has none."""
        for column in self._cells.values():
            column.extend([b""] * (self._count - len(column)))
        return {name: joined(column) for name, column in self._cells.items()}


def _cell(value: Any) -> bytes:
    """A value as text; true and false, lists and objects as JSON has them."""
    if isinstance(value, str):
        return writable(value).encode(ENCODING, UNDECODABLE)
    if value is None:
        return b""
    if isinstance(value, bool | dict | list):
        value = json.dumps(value, ensure_ascii=False)
    return writable(str(value)).encode(ENCODING, UNDECODABLE)


def _json_lines(name: str, content: bytes | None) -> _core.QueryTable:
    rows, numbers, ids = _Rows(), [], []
    with opened_plain(name) if content is None else BytesIO(content) as file:
        found = records(file, name, EXAMPLE, as_written)
        first = next(found, None)
        if first is None:
            raise InputError("has no rows", name, remedy=f"Write lines such as {EXAMPLE}.")
        id_name = id_column(list(first.fields), name)
        for number, line, fields in chain([first], found):
            query = fields.pop(id_name, None)
            if not isinstance(query, str) or not query:
                remedy = f"Every line has the id of a query in the field {id_name}."
                raise InputError("a query without an id", name, number, line, remedy)
            ids.append(bytes_of(query, "query", name))
            numbers.append(number)
            rows.add(fields)
    return _native(name, joined(ids), rows.columns(), np.array(numbers, dtype=np.uint64))


def _parquet(name: str, content: bytes | None) -> _core.QueryTable:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "tables", "reading Parquet") from None
    try:
        data = plain_bytes(name) if content is None else content
        table = pq.ParquetFile(pa.BufferReader(data)).read()
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        problem = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
        raise InputError(problem, name, remedy="Write the file again.") from None
    if table.num_rows == 0:
        raise InputError("has no rows", name, remedy="Add one row per query.")
    names = table.column_names
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise InputError(f"two columns have the name {twice!r}", name, remedy="Rename one of them.")
    id_name = id_column(names, name)
    if not _holds_ids(table.schema.field(id_name).type):
        problem = f"the query ids in column {id_name!r} are neither text nor whole numbers"
        raise InputError(problem, name, remedy="Convert the column to text.")
    columns = {one: _arrow_cells(table.column(one)) for one in names}
    return _native(name, columns.pop(id_name), columns)


def _holds_ids(kind: pa.DataType) -> bool:
    import pyarrow as pa

    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    texts = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
    return kind in texts or pa.types.is_integer(kind)


def _arrow_cells(column: pa.ChunkedArray) -> Cells:
    import pyarrow as pa

    is_binary = pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    try:
        texts = column.cast(pa.large_binary() if is_binary else pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists and structures
        return joined([_cell(value) for value in column.to_pylist()])
    texts = pa.concat_arrays(
        texts.fill_null(b"" if is_binary else "").chunks or [pa.array([], texts.type)]
    )
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    cells = b"" if data is None else memoryview(data)[ends[0] : ends[-1]].tobytes()
    return cells, (ends[1:] - ends[0]).astype(np.uint64)


def id_column(names: Sequence[str], source: str) -> str:
    """The name of the column of ids."""
    for one in IDS:
        for name in names:
            if name.lower() == one:
                return name
    raise InputError(
        f"there is no column of query ids among the columns {', '.join(names)}",
        source,
        remedy=f"Name it {IDS[0]} (or {', '.join(IDS[1:])}).",
    )


def _native(
    name: str,
    ids: Cells,
    columns: Mapping[str, Cells],
    lines: NDArray[np.uint64] = NO_ENDS,
) -> _core.QueryTable:
    names = [_cell(one) for one in columns]
    return _core.column_table(shown(name), *ids, names, list(columns.values()), lines)
