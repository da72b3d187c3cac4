"""Qrels: relevance judgments by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeGuard, Union

from medir import _core
from medir.base.settings import thread_count
from medir.errors import UsageError
from medir.files.identifiers import text_of
from medir.files.origins import FilesOrigin, Origin
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.files import qrels_in_file
from medir.inputs.formats.source import Reading, Taken
from medir.inputs.grading import Grading

if TYPE_CHECKING:
    from medir.inputs.clusters.reading import Clusters

Grades = Mapping[Any, Mapping[Any, Any]]
GradesByIntent = Mapping[Any, Mapping[Any, Mapping[Any, Any]]]
Source = Union["Qrels", str, PathLike[str], Grades, GradesByIntent, Iterable[Any]]
Judgments = Source | Sequence[Source]


class Qrels(ByQuery[_core.Lists, dict[str, int]]):
    """Relevance judgments: for each query the grades of its documents.

    A negative grade counts as 0, as in trec_eval. With `intents`, the second column of a file is
    the intent that a document was judged for; its grade is then the highest for any intent.

    >>> qrels = Qrels.of({"q1": {"a": 2, "b": 0}})
    >>> qrels["q1"], qrels.highest
    ({'a': 2, 'b': 0}, 2)
    >>> Qrels.of({"q1": {"a": 1.0, "b": 0.5}}, grades={0: 0, 0.5: 1, 1: 3})["q1"]
    {'a': 3, 'b': 1}
    """

    def __init__(
        self,
        judgments: _core.Judgments,
        name: str,
        grading: Grading | None = None,
        intents: bool = False,
        origin: Origin | None = None,
        format: str | None = None,
    ) -> None:
        super().__init__(judgments.lists, name, origin, format)
        self.intents = intents
        self.shares = judgments.shares  # whether there were fractions, of the highest grade
        self._found = judgments.highest
        self.declared = None if grading is None else grading.highest
        self.highest = self._found if self.longest else None
        if self.declared is not None:
            self.highest = max(self.declared, self._found)

    @classmethod
    def read(
        cls,
        path: str | PathLike[str],
        *,
        intents: bool = False,
        grades: Mapping[Any, int] | None = None,
        max_grade: int | None = None,
        columns: Mapping[str, str] | None = None,
        requests: str | PathLike[str] | None = None,
        threads: int | None = None,
    ) -> Qrels:
        """Judgments from a file, plain or compressed: see `Qrels.of`."""
        return cls.of(
            path,
            intents=intents,
            grades=grades,
            max_grade=max_grade,
            columns=columns,
            requests=requests,
            threads=threads,
        )

    @classmethod
    def of(
        cls,
        source: Judgments,
        *,
        intents: bool = False,
        grades: Mapping[Any, int] | Grading | None = None,
        max_grade: int | None = None,
        columns: Mapping[str, str] | None = None,
        requests: str | PathLike[str] | None = None,
        threads: int | None = None,
    ) -> Qrels:
        """Judgments from a path, a table, or `{query: {document: grade}}`, by intent if need be.

        Files are TREC text (`query 0 document grade`), or what a judge returns: JSON lines,
        umbrela's judgments (with `requests`, the file of requests) or an export of Label Studio.
        A list of sources is joined; judgments that were read before stay as they are.

        A grade is a whole number; `"2"`, `2.0` and `True` are numbers too. `grades` declares which
        grade each value stands for (`{0: 0, 0.5: 1, 1: 2}`, or texts). Without it, where there is a
        fraction, all values are shares of `max_grade`, from 0 to 1.
        """
        if isinstance(source, Qrels):
            return source
        grading = grades if isinstance(grades, Grading) else Grading.of(grades, max_grade)
        reading = Reading(
            columns=columns,
            threads=thread_count(threads),
            grading=grading,
            requests=None if requests is None else str(requests),
        )
        if _is_several(source):
            parts = [cls._of(one, reading, intents) for one in source]
            return cls._joined(parts, intents, threads)
        return cls._of(source, reading, intents)

    @classmethod
    def _of(cls, source: Any, reading: Reading, intents: bool) -> Qrels:
        """Judgments from one source."""
        if isinstance(source, Qrels):
            return source
        taken: Taken[_core.Lists]
        if isinstance(source, str | PathLike):
            taken = qrels_in_file(source, reading, intents)
        else:
            from medir.inputs.formats.objects import qrels_of

            taken, intents = qrels_of(source, reading, "qrels", intents)
        judgments = reading.grading.check(taken.lists, intents, reading.threads)
        read = judgments, taken.name, reading.grading, intents
        qrels = cls(*read, taken.origin, taken.format)
        if reading.grading.declared is not None:
            qrels.refuse_grades_above(reading.grading.declared)
        return qrels

    @classmethod
    def _joined(cls, parts: Sequence[Qrels], intents: bool, threads: int | None) -> Qrels:
        """Several judgments as one; the same document may have the same grade in all of them."""
        from medir.inputs.formats.mappings import joined_qrels

        if intents or any(part.intents for part in parts):
            raise UsageError("judgments by intent come from one source, not from several")
        name = " and ".join(dict.fromkeys(part.name for part in parts))
        judgments = Grading().check(
            joined_qrels([part._lists for part in parts], name), intents, threads
        )
        declared = max((part.declared for part in parts if part.declared is not None), default=None)
        formats = list(dict.fromkeys(part.format or "TREC text" for part in parts))
        origins = tuple(part.origin for part in parts if part.origin is not None)
        origin = FilesOrigin(origins) if len(origins) == len(parts) else None
        words = None if formats == ["TREC text"] else "; ".join(formats)
        joined = cls(judgments, name, Grading(declared=declared), intents, origin, words)
        joined.shares = any(part.shares for part in parts)
        return joined

    def refuse_grades_above(self, limit: int) -> None:
        """Raises the error that names the first grade above a limit, if there is one."""
        if self._found > limit:
            _core.refuse_grades_above(self._lists, limit)

    def disagreements(self, clusters: Clusters, threads: int) -> int:
        """How many clusters, query by query, have documents with different grades."""
        intents = _core.Intents.kept if self.intents else _core.Intents.ignored
        return _core.count_disagreements(self._lists, clusters._native, intents, threads)

    def _list(self, number: int | None) -> dict[str, int]:
        """The grades of a query's documents."""
        grades: dict[str, int] = {}
        for document, grade in [] if number is None else self._lists.entries(number):
            name = text_of(document)
            grades[name] = max(int(grade), grades.get(name, 0))
        return grades


def _is_several(source: Any) -> TypeGuard[Sequence[Source]]:
    """Whether this is a list of judgments, and not of anything else."""
    return isinstance(source, list | tuple) and len(source) > 0 and all(map(_is_source, source))


def _is_source(one: Any) -> bool:
    """Whether judgments come from this; a mapping of names to values is one row of them."""
    from medir.inputs.formats.arrow import speaks_arrow

    if isinstance(one, Mapping):
        return all(isinstance(judged, Mapping) for judged in one.values())
    return isinstance(one, Qrels | str | PathLike) or speaks_arrow(one)
