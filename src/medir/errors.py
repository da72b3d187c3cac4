"""Every error that a user can meet: what is wrong, where, and what to do about it."""

from __future__ import annotations

from os import PathLike

from medir.base.visible import abbreviated, visible

SHOWN = 100  # characters of an offending line


class MedirError(Exception):
    """What medir raises when it is asked for something that it cannot do.

    The message says what is wrong and what to do next; the shell prints it and exits with 2.
    """


class MeasureError(MedirError, ValueError):
    """A measure that does not exist, or that cannot have such a parameter."""


class UsageError(MedirError, ValueError):
    """An option or argument that does not fit the others."""


class MissingExtraError(MedirError, ImportError):
    """An optional library that is not installed; an extra of medir may bring it.

    >>> print(MissingExtraError("polars", None, "to_polars()"))
    to_polars() needs polars: pip install polars
    """

    def __init__(self, library: str, extra: str | None, purpose: str) -> None:
        package = library if extra is None else f"'medir[{extra}]'"
        super().__init__(f"{purpose} needs {library}: pip install {package}")


class InputError(MedirError, ValueError):
    """A file or object that cannot be read as what it should be.

    >>> print(InputError("the grade 'x' is not a whole number", "qrels.txt", 3, "q1 0 d7 x"))
    qrels.txt, line 3: the grade 'x' is not a whole number
        q1 0 d7 x
    """

    def __init__(
        self,
        problem: str,
        source: str | PathLike[str] = "",
        line: int | None = None,
        text: str = "",
        remedy: str = "",
    ) -> None:
        self.problem, self.source, self.line = problem, str(source), line
        self.text, self.remedy = text, remedy
        super().__init__(problem, source, line, text, remedy)

    def __str__(self) -> str:
        source, problem = visible(self.source), visible(abbreviated(self.problem))
        place = source if self.line is None else f"{source}, line {self.line}"
        message = f"{place}: {problem}" if place else problem
        if self.text:
            shown = self.text if len(self.text) <= SHOWN else self.text[:SHOWN] + " ..."
            message += "\n    " + "\t".join(map(visible, shown.split("\t")))
        return f"{message}\n{abbreviated(self.remedy)}" if self.remedy else message


class MissingQueryError(InputError, UsageError):
    """A query that was asked for and that there is not, in some runs or in a comparison.

    >>> print(MissingQueryError("q9", "before.run", "after.run"))
    there is no query 'q9' in before.run or after.run
    Query ids are written as in the runs.
    """

    def __init__(self, query: str, *runs: str) -> None:
        place = " or ".join(runs) or "this comparison"
        remedy = "Query ids are written as in the runs." if runs else ""
        super().__init__(f"there is no query {query!r} in {place}", remedy=remedy)
        self.args = query, *runs
