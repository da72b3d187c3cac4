"""Qrels: relevance judgments by query."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, Union

from medir import _core
from medir.base.settings import thread_count
from medir.errors import InputError
from medir.files.identifiers import text_of
from medir.files.origins import Origin
from medir.inputs.by_query import ByQuery
from medir.inputs.formats.files import qrels_in_file
from medir.inputs.formats.mappings import qrels_columns
from medir.inputs.formats.source import Reading

Grades = Mapping[Any, Mapping[Any, int]]
GradesByIntent = Mapping[Any, Mapping[Any, Mapping[Any, int]]]
Judgments = Union["Qrels", str, PathLike[str], Grades, GradesByIntent]


class Qrels(ByQuery[_core.Lists, dict[str, int]]):
    """Relevance judgments: for each query the grades of its documents.

    A negative grade counts as 0, as in trec_eval. With `intents`, the second column of a file is
    the intent that a document was judged for; its grade is then the highest for any intent.

    >>> qrels = Qrels.of({"q1": {"a": 2, "b": 0}})
    >>> qrels["q1"], qrels.highest
    ({'a': 2, 'b': 0}, 2)
    """

    def __init__(
        self,
        lists: _core.Lists,
        name: str,
        highest: int | None,
        intents: bool = False,
        origin: Origin | None = None,
        format: str | None = None,
    ) -> None:
        super().__init__(lists, name, origin, format)
        self.highest, self.intents = highest, intents

    @classmethod
    def read(
        cls, path: str | PathLike[str], *, intents: bool = False, threads: int | None = None
    ) -> Qrels:
        """Judgments from a TREC file (`query 0 document grade`), plain or compressed."""
        workers = thread_count(threads)
        lists, name, origin, words = qrels_in_file(path, Reading(threads=workers), intents)
        highest = _core.check_judgments(lists, _kept(intents), workers)
        return cls(lists, name, highest, intents, origin, words)

    @classmethod
    def of(
        cls,
        source: Judgments,
        *,
        intents: bool = False,
        threads: int | None = None,
    ) -> Qrels:
        """Judgments from a path, `{query: {document: grade}}` or, with intents, one level more."""
        if isinstance(source, Qrels):
            return source
        if isinstance(source, str | PathLike):
            return cls.read(source, intents=intents, threads=threads)
        if isinstance(source, Mapping):
            nested = any(
                isinstance(judged, Mapping)
                for judgments in source.values()
                if isinstance(judgments, Mapping)
                for judged in judgments.values()
            )
            lists = qrels_columns(source, nested, "qrels")
            highest = _core.check_judgments(lists, _kept(nested), thread_count(threads))
            return cls(lists, "qrels", highest if lists.longest else None, nested)
        raise InputError(
            f"cannot use an object of type {type(source).__name__} as judgments",
            "qrels",
            remedy="Give a path, {query: {document: grade}} or a medir.Qrels.",
        )

    def refuse_grades_above(self, limit: int) -> None:
        """Raises the error that names the first grade above a limit, if there is one."""
        if self.highest is None or self.highest <= limit:
            return
        if isinstance(self._lists, _core.TrecQrels):
            self._lists.refuse_grades_above(limit)
        for query in self.queries:
            for document, grade in self[query].items():
                if grade > limit:
                    raise InputError(
                        f"the grade {grade} is above max_grade={limit}",
                        self.name,
                        text=f"query {query}, document {document}",
                        remedy="Declare a higher max_grade, or fix the judgment.",
                    )

    def _list(self, number: int | None) -> dict[str, int]:
        """The grades of a query's documents."""
        grades: dict[str, int] = {}
        for document, grade in [] if number is None else self._lists.entries(number):
            name = text_of(document)
            grades[name] = max(int(grade), grades.get(name, 0))
        return grades


def _kept(intents: bool) -> _core.Intents:
    return _core.Intents.kept if intents else _core.Intents.ignored
