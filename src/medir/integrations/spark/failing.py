"""Errors of a part of the data, on their way from a worker through Java to the driver."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

from medir import errors
from medir.errors import InputError, MedirError

if TYPE_CHECKING:
    from pyspark.sql import Column

NOTE = "medir error: "
FOUND = re.compile(rf"^\s*{NOTE}(\[.*\])\s*$", re.MULTILINE)

Work = TypeVar("Work", bound=Callable[..., Iterator[Any]])


def telling(work: Work) -> Work:
    """What works on a part; an error of medir carries a note that survives as text."""

    @wraps(work)
    def tell(*arguments: Any) -> Iterator[Any]:
        try:
            yield from work(*arguments)
        except MedirError as error:
            parts = [one if isinstance(one, int | None) else str(one) for one in error.args]
            error.add_note(NOTE + json.dumps([type(error).__name__, *parts]))
            raise

    return tell  # type: ignore[return-value]


def raised(problem: Column, source: str, text: Column, remedy: str) -> Column:
    """An expression of Spark that raises medir's error about the row that it meets."""
    from pyspark.sql import functions as sql

    line = sql.lit(None).cast("string")
    parts = [sql.lit(InputError.__name__), problem, sql.lit(source), line, text, sql.lit(remedy)]
    told = sql.to_json(sql.array(*parts))
    return sql.raise_error(sql.concat(sql.lit(f"\n{NOTE}"), told, sql.lit("\n")))


def own_error(text: str) -> MedirError | None:
    """The error of medir that a text of Spark tells of, if it does.

    >>> print(own_error('Traceback ...\\nmedir error: ["InputError", "a score is NaN", "before"]'))
    before: a score is NaN
    """
    match = FOUND.search(text)
    if match is None:
        return None
    name, *parts = json.loads(match[1])
    error: MedirError = getattr(errors, name)(*parts)
    return error


def raise_own_errors() -> None:
    """Lets pyspark raise medir's own errors, whatever action meets them.

    pyspark turns exceptions of Java into those of Python in one place. What is no error of medir
    stays as it is.
    """
    from pyspark.errors.exceptions import captured

    convert = captured.convert_exception
    if getattr(convert, "raises_medir_errors", False):
        return

    @wraps(convert)
    def converted(exception: Any) -> Any:
        found = convert(exception)
        own = own_error(f"{found}\n{getattr(found, '_stackTrace', '')}")
        return found if own is None else own

    converted.raises_medir_errors = True  # type: ignore[attr-defined]
    captured.convert_exception = converted
