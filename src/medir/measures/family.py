"""What a measure is: a family with its parameters set, and the shape of its score."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Effort
from medir.base.words import quoted
from medir.errors import MeasureError
from medir.inputs.pairing import Name
from medir.measures.parameters import ELSEWHERE, Parameter, whole

if TYPE_CHECKING:
    from medir.inputs.lengths import Lengths
    from medir.inputs.qrels import Qrels

Kind = Literal["difference", "similarity", "distance"]
Values = tuple[float, ...]  # the columns of a result
Cut = tuple[bool, bool]  # whether unseen ranks follow the list before, and the list after
# From the documents before and after, the grades of those that are judged, and where unseen ranks
# follow.
Solver = Callable[[Sequence[Name], Sequence[Name], Mapping[Name, int], Cut], Values]

DEEPEST = 10_000_000  # the largest cutoff: its discounts are a table

OWN: dict[str, Measure] = {}  # the user's own measures, by name in lower case


class Terms(ABC):
    """A measure for one query, a list at a time: what each rank adds to the score."""

    values: Array  # the relevance value of each grade; the last is the highest

    @abstractmethod
    def of(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> Array:
        """What each rank adds, given the relevance of the ranks from 1 on, and their documents.

        For independent probabilities of relevance (times the top value) these are the expected
        terms: every measure of medir's own is linear in the relevance of each document.
        """

    @abstractmethod
    def below(self, relevance: Sequence[float] | Array, documents: Sequence[Any] = ()) -> float:
        """The most that the unseen ranks below a list add."""

    def formula(self) -> dict[str, Any] | None:
        """What `of` and `below` are computed from, for pages that do so; None where they cannot."""
        return None


class Known(NamedTuple):
    """What is known of a query and of its lists."""

    ranks: int  # the results of both lists together, at most
    grades: Sequence[int] = ()  # the judgments of the query
    highest: int | None = None  # the highest grade of all judgments
    lengths: Lengths | None = None  # of documents, for measures of time


class Shape(ABC):
    """How relevance makes up a score; or how two lists are compared without it.

    What differs from shape to shape is answered here, and nowhere else.
    """

    unit: bool = True  # relevance values are scaled so that the highest is 1
    by_intent: bool = False  # the score is the mean over the intents of a query
    needs_lengths: bool = False  # of documents, in words
    is_function: bool = False  # of the user's own: known by its values alone
    scores_only: bool = False  # one list has a score, but there is no difference to maximise

    @abstractmethod
    def kernel(
        self, one: Measure, ranks: int, judged: Qrels | None, effort: Effort
    ) -> _core.Measure:
        """The native kernel of a measure, for two lists of together `ranks` results."""

    def terms(self, one: Measure, known: Known) -> Terms | None:
        """The terms of a measure for one query; None where the score is not a sum over ranks."""
        return None

    def exposure(self, one: Measure, ranks: int) -> Array | None:
        """What each rank is worth to the document there, r_G d_i / N, for lists of `ranks` results.

        None where that depends on the documents above.
        """
        return None

    def trail_kernel(self, one: Measure) -> _core.TrailMeasure:
        """The native kernel of a measure of passages."""
        raise MeasureError(f"{one} has no kernel for passages")

    def check(self, one: Measure) -> None:  # noqa: B027  # most have nothing to check
        """Raises an error where parameters do not fit each other."""

    def check_documents(self, one: Measure) -> None:  # noqa: B027
        """Raises an error unless this is a measure of ranked documents."""

    def check_scored(self, one: Measure) -> None:
        """Raises an error unless one list of ranked documents has a score."""
        self.check_documents(one)

    def check_passages(self, one: Measure) -> None:
        """Raises an error unless this is a measure of passages."""
        raise MeasureError(
            f"{one} is a measure of ranked documents, not of passages; use medir compare, or a "
            "measure of passages: U@12000, TBG"
        )

    def kind(self, one: Measure) -> Kind:
        """What is measured of two lists."""
        return "difference"

    def symmetric(self, one: Measure) -> bool:
        """Whether both orders of two lists have the same value."""
        return True

    def reach(self, one: Measure) -> int | None:
        """The deepest rank that counts; None when there is no such rank."""
        return one.cutoff

    def in_python(self, one: Measure) -> bool:
        """Whether values are computed in Python, query by query: see `solver`."""
        return False

    def looks_below(self, one: Measure) -> bool:
        """Whether unseen ranks below a list count."""
        return self.kind(one) == "difference"

    def solver(self, one: Measure, effort: int) -> Solver:
        """What computes the values of a query, for a measure that is computed in Python."""
        raise MeasureError(f"{one} is computed by its kernel")

    def score(self, one: Measure, documents: Sequence[Name], grades: Mapping[Name, int]) -> float:
        """The score of one list, for a measure that is computed in Python."""
        raise MeasureError(f"{one} is computed by its kernel")

    def files(self, one: Measure) -> tuple[str, ...]:
        """The files that a parameter names."""
        return ()


class Family(NamedTuple):
    """One row of the table: a measure with its parameters still open."""

    name: str
    meaning: str
    formula: str
    parameters: tuple[Parameter, ...]
    shape: Shape
    aliases: tuple[str, ...] = ()
    trec_eval: tuple[tuple[str, str], ...] = ()  # what trec_eval calls it, and its value there
    cutoff: int | None = None
    deepest: int = DEEPEST
    about: str = ""  # what else a user should know
    documents: bool = True  # a measure of ranked documents
    passages: bool = False  # a measure of passages
    unit_scale: bool = True  # no list scores less than 0 or more than 1, with the unbounded ideal
    required: str = ""  # an error unless the first parameter is set


@dataclass(frozen=True, repr=False)
class Measure:
    """An effectiveness measure: a family with its parameters and its cutoff.

    Call it to set parameters, `@` to set the cutoff. Equal measures are equal values and hash
    alike. A measure is written as people write it, `nDCG@20` or `RBP(p=0.8)`; its `repr` is its
    identity and parses back.

    >>> from medir import nDCG
    >>> nDCG(gains="linear") @ 10
    nDCG(gains='linear')@10
    """

    family: Family
    cutoff: int | None = None  # None: endless, or as deep as the lists (`within_lists`)
    settings: tuple[tuple[str, Any], ...] = ()  # what differs from the defaults, in table order

    def __call__(self, *args: Any, **kwargs: Any) -> Measure:
        """The measure with other parameters: `nDCG(gains="linear")`, `RBP(p=0.8)`."""
        given = self._named(args, kwargs)
        values = dict(self.settings)
        for parameter in self.family.parameters:
            if parameter.name in given:
                try:
                    values[parameter.name] = parameter.check(given[parameter.name])
                except MeasureError as error:
                    message = f"{self.name}: {parameter.name} {error}"
                    raise MeasureError(message) from None
        settings = tuple(
            (parameter.name, values[parameter.name])
            for parameter in self.family.parameters
            if parameter.name in values
            and (parameter.kept or values[parameter.name] != parameter.default)
        )
        made = replace(self, settings=settings)
        made._check()
        if made["name"] is not None:
            OWN[made["name"].lower()] = made
        return made

    def _named(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that a call sets, by name."""
        names = [parameter.name for parameter in self.family.parameters]
        if len(args) > len(names):
            raise MeasureError(f"{self.name} has at most {len(names)} parameters")
        given = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            if name in given:
                raise MeasureError(f"{self.name}: {name} is given twice")
            if name not in names:
                from difflib import get_close_matches

                hint = get_close_matches(name, names, 1)
                known = (
                    f"did you mean {hint[0]}?" if hint else f"it has {', '.join(names) or 'none'}"
                )
                known = ELSEWHERE.get(name, known)
                raise MeasureError(f"{self.name} has no parameter {quoted(name)}; {known}")
            given[name] = value
        return given

    def __matmul__(self, cutoff: int | Literal["all"]) -> Measure:
        """The measure of the first `cutoff` ranks; `"all"` is as deep as the lists are.

        >>> from medir import AP
        >>> AP(ideal="judged") @ "all"
        AP(ideal='judged')@all
        """
        if isinstance(cutoff, str) and cutoff == "all":
            made = replace(self, cutoff=None)
        else:
            try:
                made = replace(self, cutoff=whole(1, self.family.deepest)(cutoff))
            except MeasureError as error:
                raise MeasureError(f"the cutoff of {self.name} {error}") from None
        if cutoff == "all" and not made.within_lists:
            raise MeasureError(
                f"{self.name} has no cutoff unless you set one: write {self.name}, not "
                f"{self.name}@all"
            )
        made._check()
        return made

    def __hash__(self) -> int:
        return hash((self.family.name, self.cutoff, self.settings))

    def __getitem__(self, parameter: str) -> Any:
        """The value of a parameter; None for one that the measure does not have."""
        return self.parameters.get(parameter)

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """All parameters with their values."""
        return {p.name: p.default for p in self.family.parameters} | dict(self.settings)

    def states(self, parameter: str) -> bool:
        """Whether a parameter differs from its default."""
        return any(name == parameter for name, _ in self.settings)

    @property
    def name(self) -> str:
        """The name without parameters and cutoff: `nDCG`."""
        return self.family.name

    @property
    def shape(self) -> Shape:
        """How the score is made up."""
        return self.family.shape

    @property
    def kind(self) -> Kind:
        """What is measured of two lists: the largest difference in effectiveness, or their ranks.

        A rank similarity is larger, and a rank distance smaller, the more two lists are alike.
        """
        return self.shape.kind(self)

    @property
    def title(self) -> str:
        """What is measured of two lists: `MED-nDCG@20`, `RBO(p=0.9)`."""
        return f"MED-{self!r}" if self.kind == "difference" else repr(self)

    @property
    def symmetric(self) -> bool:
        """Whether both orders of two lists have the same value."""
        return self.shape.symmetric(self)

    @property
    def in_python(self) -> bool:
        """Whether the values are computed in Python, query by query."""
        return self.shape.in_python(self)

    @property
    def reach(self) -> int | None:
        """The deepest rank that counts; None when there is no such rank."""
        return self.shape.reach(self)

    @property
    def unit_scale(self) -> bool:
        """Whether no list scores less than 0 or more than 1."""
        return self.family.unit_scale and self["ideal"] in (None, "unbounded")

    @property
    def within_lists(self) -> bool:
        """Whether all ranks of the lists count and no other: `AP(ideal='judged')@all`.

        Unseen ranks do not apply to such a measure.
        """
        return self.cutoff is None and self.family.cutoff is not None

    @property
    def looks_below(self) -> bool:
        """Whether unseen ranks below a list count."""
        return not self.within_lists and self.shape.looks_below(self)

    @property
    def graded(self) -> bool:
        """Whether the score depends on the highest grade there is."""
        return self["gains"] in ("exp", "linear") or self["relevance"] == "graded"

    def __repr__(self) -> str:
        return self._text

    @cached_property
    def _text(self) -> str:
        if self["name"] is not None:
            text = str(self["name"])
        else:
            shown = [
                f"{p.name}={_literal(self[p.name])}"
                for p in self.family.parameters
                if p.shown or self.states(p.name)
            ]
            text = self.name + (f"({', '.join(shown)})" if shown else "")
        if self.within_lists:
            return f"{text}@all"
        return text if self.cutoff is None else f"{text}@{self.cutoff}"

    def _check(self) -> None:
        if self.within_lists and self["ideal"] != "judged":
            instead = f"write a number of ranks, such as {self.name}@{self.family.cutoff}"
            if self["ideal"] is not None:
                instead += f", or take the ideal from judgments: {self.name}(ideal='judged')@all"
            raise MeasureError(f"{self!r} is not defined; {instead}")
        if self.states("rel") and self["gains"] not in (None, "binary"):
            raise MeasureError(f"{self.name}: rel goes with gains='binary' only")
        if self["rel"] and self["max_grade"] and self["rel"] > self["max_grade"]:
            raise MeasureError(f"{self.name}: rel is above max_grade")
        if isinstance(self["ideal"], tuple) and self["max_grade"]:
            check_counts(self, self["max_grade"])
        self.shape.check(self)


def _literal(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return repr(dict(value))
    return repr(list(value)) if isinstance(value, tuple) else repr(value)


def check_counts(measure: Measure, max_grade: int) -> None:
    """Raises an error where `ideal` counts documents of a grade that does not exist."""
    highest = measure["ideal"][0][0]
    if highest > max_grade:
        raise MeasureError(
            f"{measure}: ideal counts documents of grade {highest}, but the highest grade is "
            f"{max_grade}; declare max_grade={highest}"
        )
