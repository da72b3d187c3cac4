"""The one writer of tables, so that an id and a number look the same in every file.

CSV and TSV have ids as they are, byte by byte; JSON and Parquet, which hold nothing but Unicode,
have escapes for bytes that are no UTF-8 (`q\\xff`). Numbers have the shortest digits that read
back, and whole ones no point. A missing value, None or NaN, is an empty field or null.
"""

from __future__ import annotations

import math
import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from importlib.util import find_spec
from io import BytesIO
from itertools import chain, islice
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Self, cast

import numpy as np

from medir import _core
from medir.base.views import Viewed
from medir.errors import MissingExtraError, UsageError
from medir.files.frames import Framed, arrow_table
from medir.files.identifiers import ENCODING, UNDECODABLE, shown, writable
from medir.files.origins import Input
from medir.files.paths import refuse_inputs
from medir.files.replacing import replacing

FORMATS = ("csv", "tsv", "jsonl", "parquet")
DELIMITERS = {"csv": ",", "tsv": "\t"}
ROWS = 1 << 15  # that are written together
COPIED = 1 << 20  # bytes at a time
ESCAPED = re.compile(r'["\\\x00-\x1f]')
FORMULA = "[=+@\t\r\n\uff1d\uff0b\uff0d\uff20-]"  # what spreadsheets may run begins so

Cell = Callable[[Any], str]
Target = str | PathLike[str] | BinaryIO


class Table(Framed):
    """Rows under named columns, each of which holds str, int, float or bool.

    Rows are taken one after the other, and a table is written once.

    >>> from io import BytesIO
    >>> stream = BytesIO()
    >>> Table({"query_id": str, "med": float}, [("a,b", 1.0), ("c", None)]).write(stream, "csv")
    >>> stream.getvalue()
    b'query_id,med\\n"a,b",1\\nc,\\n'
    """

    def __init__(self, columns: Mapping[str, type], rows: Iterable[Sequence[Any]]) -> None:
        self.columns, self._given = columns, rows

    @property
    def rows(self) -> Iterable[Sequence[Any]]:
        """The rows."""
        return self._given

    def write(
        self, target: Target, format: str | None = None, *, spreadsheet: bool = False
    ) -> None:
        """Writes to a path, in a format or in the one that its suffix names, or to a stream.

        With `spreadsheet`, texts of csv and tsv that a spreadsheet could run as formulas begin with
        an apostrophe. A file appears when it is complete, or not at all.
        """
        chosen = chosen_format(target, format, spreadsheet)
        if isinstance(target, str | PathLike):
            with replacing(Path(target)) as file:
                self._write(file, chosen, spreadsheet)
        else:
            self._write(target, chosen, spreadsheet)

    def _write(self, stream: BinaryIO, format: str, spreadsheet: bool) -> None:
        if format == "parquet":
            self._write_parquet(stream)
        else:
            self.write_text(stream, format, spreadsheet)

    def write_text(self, stream: BinaryIO, format: str, spreadsheet: bool = False) -> None:
        """Writes csv, tsv or jsonl to a binary stream."""
        if format == "jsonl":
            lines = _json_lines(self.columns, self.rows)
        else:
            lines = _delimited_lines(self.columns, self.rows, DELIMITERS[format], spreadsheet)
        for some in _together(lines):
            stream.write("".join(some).encode(ENCODING, UNDECODABLE))

    def batches(self) -> Iterator[_core.ArrowBatch]:
        """The rows for Arrow and Parquet, many at a time; one batch where there are none."""
        names = [shown(name) for name in self.columns]
        some = _together(self.rows)
        for rows in chain([next(some, [])], some):
            batch = _core.ArrowBatch(len(rows))
            columns = zip(*rows, strict=True) if rows else [()] * len(names)
            for name, kind, values in zip(names, self.columns.values(), columns, strict=True):
                ADDING[kind](batch, name, values)
            yield batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Every row, unrounded, as a capsule that holds a C stream of Arrow."""
        return _core.arrow_stream(list(self.batches()))

    def _write_parquet(self, stream: BinaryIO) -> None:
        tables = (arrow_table(_core.arrow_stream([batch])) for batch in self.batches())
        first = next(tables)
        with _parquet_writer(stream, first.schema) as writer:
            for table in chain([first], tables):
                writer.write_table(table)


class Appending:
    """Tables of the same columns, written to a stream one behind the other as they come.

    >>> from io import BytesIO
    >>> stream = BytesIO()
    >>> with Appending(stream, "csv") as rows:
    ...     rows.add(Table({"query_id": str}, [("a",)]))
    ...     rows.add(Table({"query_id": str}, [("b",)]))
    >>> stream.getvalue()
    b'query_id\\na\\nb\\n'
    """

    def __init__(self, stream: BinaryIO, format: str, spreadsheet: bool = False) -> None:
        self._stream, self._format, self._spreadsheet = stream, format, spreadsheet
        self._header: bytes | None = None  # of text, once it was written
        self._parquet: Any = None

    def add(self, table: Table) -> None:
        """Writes the rows of a table."""
        if self._format == "parquet":
            for batch in table.batches():
                self._add_arrow(arrow_table(_core.arrow_stream([batch])))
            return
        if self._header is None:
            table.write_text(self._stream, self._format, self._spreadsheet)
            header = BytesIO()
            Table(table.columns, ()).write_text(header, self._format, self._spreadsheet)
            self._header = header.getvalue()
        else:
            rest = _WithoutStart(self._stream, len(self._header))
            table.write_text(cast("BinaryIO", rest), self._format, self._spreadsheet)

    def add_written(self, stream: BinaryIO) -> None:
        """Writes the rows that another one wrote to a file, in the same format."""
        from shutil import copyfileobj

        stream.seek(0)
        if self._format == "parquet":
            import pyarrow.parquet as pq

            with pq.ParquetFile(stream) as file:
                for number in range(file.num_row_groups):
                    self._add_arrow(file.read_row_group(number))
            return
        stream.seek(len(self._header or b""))
        copyfileobj(stream, self._stream, COPIED)

    def _add_arrow(self, table: Any) -> None:
        if self._parquet is None:
            self._parquet = _parquet_writer(self._stream, table.schema)
        self._parquet.write_table(table)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        if self._parquet is not None:
            with suppress(OSError) if failure[0] is not None else nullcontext():
                self._parquet.close()


class _WithoutStart:
    """A stream that gets what is behind the first bytes."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream, self._left = stream, size

    def write(self, data: Any) -> int:
        """Writes what is not among the first bytes."""
        skipped = min(self._left, len(data))
        self._left -= skipped
        self._stream.write(data[skipped:])
        return len(data)


class Written(Framed, Viewed):
    """A result that can be written as a table, or handed over as one."""

    @abstractmethod
    def table(self) -> Table:
        """Every row, unrounded."""

    def origins(self) -> Iterable[Input | None]:
        """What it was made from, as far as it is known."""
        return ()

    def write(
        self, target: Target, format: str | None = None, *, spreadsheet: bool = False
    ) -> None:
        """Writes every row, unrounded, as csv, tsv, jsonl or parquet (by suffix).

        The target is a path, or a binary stream for a stated format. A file appears when it is
        complete, or not at all; an input of this result is refused. With `spreadsheet`, texts of
        csv and tsv that a spreadsheet could run as formulas begin with an apostrophe.
        """
        refuse_inputs(target, self.origins())
        self.table().write(target, format, spreadsheet=spreadsheet)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Every row, unrounded, as a capsule that holds a C stream of Arrow."""
        return self.table().__arrow_c_stream__(requested_schema)


def chosen_format(target: Target, format: str | None, spreadsheet: bool = False) -> str:
    """The format that is asked for, or else the one of a file's suffix; checked."""
    chosen = format
    if isinstance(target, str | PathLike):
        chosen = format or format_of(target)
    if chosen is None:
        raise UsageError("state the format of what is written to a stream")
    check_format(chosen, spreadsheet)
    return chosen


def check_format(name: str, spreadsheet: bool = False) -> None:
    """Raises an error for a format that there is not, or whose library is not installed.

    For spreadsheets, also for one that has no use for it.
    """
    if name not in FORMATS:
        raise UsageError(f"a format is one of {', '.join(FORMATS)}, not {name!r}")
    if spreadsheet and name not in DELIMITERS:
        raise UsageError(f"--spreadsheet (spreadsheet=) goes with csv and tsv, not with {name}")
    if name == "parquet" and find_spec("pyarrow") is None:
        raise MissingExtraError("pyarrow", "tables", "writing Parquet")


def known_format(path: str | PathLike[str]) -> str | None:
    """The format of tables that a file's suffix names; None for another one."""
    suffix = Path(path).suffix.removeprefix(".").lower()
    return suffix if suffix in FORMATS else None


def format_of(path: str | PathLike[str]) -> str:
    """The format that a file's suffix names."""
    suffix = known_format(path)
    if suffix is None:
        raise UsageError(
            f"cannot tell the format of {str(path)!r}; end the name in "
            f"{', '.join('.' + name for name in FORMATS)}, or state the format"
        )
    return suffix


def number(value: float) -> str:
    """The shortest digits that read back as the same number, as the native core writes them.

    >>> number(1.0), number(0.25), number(-0.0), number(0.00001), number(1e5)
    ('1', '0.25', '0', '1e-05', '1e+05')
    """
    if value == 0:
        return "0"
    text = repr(float(value))
    if 1e-3 <= abs(value) < 1e5 or not math.isfinite(value):
        return text.removesuffix(".0")
    from decimal import Decimal

    sign, digits, exponent = Decimal(text).normalize().as_tuple()
    assert isinstance(exponent, int)
    first, *rest = map(str, digits)
    power = exponent + len(rest)
    scientific = f"{'-' * sign}{first}{'.' * bool(rest)}{''.join(rest)}e{power:+03d}"
    fixed = str(int(value)) if value.is_integer() else format(Decimal(text), "f")
    return fixed if len(fixed) <= len(scientific) else scientific


def _parquet_writer(stream: BinaryIO, schema: Any) -> Any:
    """Writes Parquet; ids of queries hardly repeat, so that a dictionary of them is in vain."""
    import pyarrow.parquet as pq

    repeated = [name for name in schema.names if name != "query_id"]
    return pq.ParquetWriter(stream, schema, use_dictionary=repeated)


def _together(rows: Iterable[Any]) -> Iterator[list[Any]]:
    remaining = iter(rows)
    while some := list(islice(remaining, ROWS)):
        yield some


def _is_missing(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124  # NaN


def _delimited_lines(
    columns: Mapping[str, type],
    rows: Iterable[Sequence[Any]],
    delimiter: str,
    spreadsheet: bool,
) -> Iterator[str]:
    def field(text: str) -> str:
        """Quoted as RFC 4180 has it, where the text would otherwise be taken apart.

        For a spreadsheet, a formula gets quotes and an apostrophe, which makes it a text.
        """
        if spreadsheet and re.match(FORMULA, text):
            text = f"'{text}"
        elif text and not any(c in text for c in (delimiter, '"', "\n", "\r")):
            return writable(text)
        return '"' + writable(text).replace('"', '""') + '"'

    cells: Mapping[type, Cell] = {str: field, int: _whole, float: number, bool: str}
    wanted = [cells[kind] for kind in columns.values()]
    yield delimiter.join(map(field, columns)) + "\n"
    for row in rows:
        texts = (
            "" if _is_missing(value) else cell(value)
            for cell, value in zip(wanted, row, strict=True)
        )
        yield delimiter.join(texts) + "\n"


def _json_lines(columns: Mapping[str, type], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    cells: Mapping[type, Cell] = {
        str: json_text,
        int: _whole,
        float: lambda value: number(value) if math.isfinite(value) else "null",
        bool: lambda value: str(value).lower(),
    }
    wanted = [(json_text(name), cells[kind]) for name, kind in columns.items()]
    for row in rows:
        members = (
            f"{name}: {'null' if _is_missing(value) else cell(value)}"
            for (name, cell), value in zip(wanted, row, strict=True)
        )
        yield f"{{{', '.join(members)}}}\n"


def json_text(text: str) -> str:
    """A text in JSON."""
    return f'"{ESCAPED.sub(_escape, shown(text))}"'


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return f"\\{character}" if character in '"\\' else f"\\u{ord(character):04x}"


def _whole(value: Any) -> str:
    return str(int(value))


# ---- Columns of Arrow


def _add_texts(batch: _core.ArrowBatch, name: str, values: Sequence[Any]) -> None:
    texts = [None if value is None else shown(value).encode(ENCODING) for value in values]
    batch.add_texts(name, texts)


def _add_floats(batch: _core.ArrowBatch, name: str, values: Sequence[Any]) -> None:
    batch.add_floats(name, np.array(values, dtype=np.float64))


def _add_integers(batch: _core.ArrowBatch, name: str, values: Sequence[Any]) -> None:
    missing = np.array([_is_missing(value) for value in values], dtype=np.bool_)
    whole = [0 if _is_missing(value) else int(value) for value in values]
    batch.add_integers(name, np.array(whole, dtype=np.int64), missing)


def _add_flags(batch: _core.ArrowBatch, name: str, values: Sequence[Any]) -> None:
    missing = np.array([_is_missing(value) for value in values], dtype=np.bool_)
    batch.add_flags(name, np.array(values, dtype=np.bool_) & ~missing, missing)


ADDING: Mapping[type, Callable[[_core.ArrowBatch, str, Sequence[Any]], None]] = {
    str: _add_texts,
    float: _add_floats,
    int: _add_integers,
    bool: _add_flags,
}
