"""Tables in the hands of other libraries: Arrow's stream, and the frames that are made from it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from importlib.util import find_spec
from typing import TYPE_CHECKING

from medir.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa


class Framed(ABC):
    """What has rows under named columns, for any library that reads Arrow.

    `polars.DataFrame(result)`, `pyarrow.table(result)` and `duckdb.sql("from result")` take it as
    it is. Columns and values are those of a Parquet file.
    """

    @abstractmethod
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Every row, unrounded, as a capsule that holds a C stream of Arrow.

        A schema that is asked for is not looked at: the reader converts what it wants otherwise.
        """

    def to_arrow(self) -> pa.Table:
        """Every row, unrounded, as a table of pyarrow."""
        _check("to_arrow()", pyarrow="tables")
        return arrow_table(self.__arrow_c_stream__())

    def to_pandas(self) -> pd.DataFrame:
        """Every row, unrounded, as a DataFrame of pandas. A missing number is NaN."""
        _check("to_pandas()", pandas=None, pyarrow="tables")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> pl.DataFrame:
        """Every row, unrounded, as a DataFrame of polars."""
        _check("to_polars()", polars=None)
        import polars as pl

        return pl.DataFrame(_Stream(self.__arrow_c_stream__()))


class _Stream:
    """A stream and nothing else: libraries would take a mapping that has one for a mapping."""

    def __init__(self, capsule: object) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._capsule


def arrow_table(capsule: object) -> pa.Table:
    """The rows of a stream, in the memory that they have there."""
    import pyarrow as pa

    return pa.RecordBatchReader.from_stream(_Stream(capsule)).read_all()


def _check(purpose: str, **libraries: str | None) -> None:
    """Raises an error where a library, which an extra may bring, is not installed."""
    for library, extra in libraries.items():
        if find_spec(library) is None:
            raise MissingExtraError(library, extra, purpose)
