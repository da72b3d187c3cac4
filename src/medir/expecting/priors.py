"""Priors: how likely an unjudged document is relevant."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from os import PathLike, fspath
from typing import Any, Protocol

import numpy as np

from medir import _core
from medir.base.arrays import Array
from medir.errors import InputError, UsageError
from medir.files.identifiers import bytes_of, text_of
from medir.files.opening import read_bytes
from medir.inputs.clusters.reading import Clusters
from medir.inputs.formats.mappings import probability_columns

Probabilities = Mapping[Any, Mapping[Any, float]]
Source = float | str | PathLike[str] | Callable[[int], float] | Probabilities

FIRST, STEEPNESS = 0.6, 0.5  # p1 and s of `rank`
KINDS = "a number from 0 to 1, rank, rank(p1=0.6, s=0.5), or a file of probabilities"
COLUMNS = "query document probability"


class Prior(Protocol):
    """What is believed of documents that nobody has judged."""

    def of(self, query: bytes, documents: Sequence[bytes], ranks: Sequence[int]) -> Array:
        """The probability of each document, given its best rank; NaN where nothing is said."""
        ...

    def unseen(self, ranks: Sequence[int]) -> Array:
        """The probability of what stands at a rank that is not seen; NaN where nothing is said."""
        ...

    def native(self, ranks: int, default: float) -> _core.Prior:
        """As the core takes it, for lists of at most `ranks` results."""
        ...


@dataclass(frozen=True)
class Constant:
    """One probability for every document."""

    probability: float

    def of(self, query: bytes, documents: Sequence[bytes], ranks: Sequence[int]) -> Array:
        """The same for each."""
        return np.full(len(documents), self.probability)

    def unseen(self, ranks: Sequence[int]) -> Array:
        """The same for each."""
        return np.full(len(ranks), self.probability)

    def native(self, ranks: int, default: float) -> _core.Prior:
        """The probability of each rank."""
        return _core.Prior(self.unseen(range(1, ranks + 1)).tolist(), None, default)

    def __str__(self) -> str:
        return f"{self.probability:g}"


@dataclass(frozen=True)
class ByRank:
    """A probability for each rank; a document of both lists has that of its better rank."""

    function: Callable[[int], float]
    name: str = "a function of rank"
    _known: dict[int, float] = field(default_factory=dict, repr=False)

    def of(self, query: bytes, documents: Sequence[bytes], ranks: Sequence[int]) -> Array:
        """The probability of the better rank of each."""
        return self.unseen(ranks)

    def unseen(self, ranks: Sequence[int]) -> Array:
        """The probability of each rank."""
        return np.array([self._at(rank) for rank in ranks], dtype=np.float64)

    def _at(self, rank: int) -> float:
        if rank not in self._known:
            self._known[rank] = probability(self.function(rank), f"the prior of rank {rank}")
        return self._known[rank]

    def native(self, ranks: int, default: float) -> _core.Prior:
        """The probability of each rank."""
        return _core.Prior(self.unseen(range(1, ranks + 1)).tolist(), None, default)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class ByDocument:
    """A probability for each query and document that there is one for."""

    probabilities: Mapping[bytes, Mapping[bytes, float]]
    name: str

    def of_clusters(self, clusters: Clusters) -> ByDocument:
        """The same for clusters: under their first document, the highest probability of any."""
        merged: dict[bytes, dict[bytes, float]] = {}
        for query, known in self.probabilities.items():
            found = merged.setdefault(query, {})
            for document, likely in known.items():
                key = clusters.key_bytes(document)
                found[key] = max(found.get(key, 0.0), likely)
        return ByDocument(merged, self.name)

    def of(self, query: bytes, documents: Sequence[bytes], ranks: Sequence[int]) -> Array:
        """The probability of each; NaN for a document that has none."""
        known = self.probabilities.get(query, {})
        return np.array([known.get(document, math.nan) for document in documents], dtype=np.float64)

    def unseen(self, ranks: Sequence[int]) -> Array:
        """Nothing is said of a document that is not named."""
        return np.full(len(ranks), math.nan)

    def native(self, ranks: int, default: float) -> _core.Prior:
        """The probabilities by document, whatever the rank."""
        return _core.Prior([], probability_columns(self.probabilities, self.name), default)

    def __str__(self) -> str:
        return self.name


def prior_of(source: Source) -> Prior:
    """A prior from a number, a function of rank, `{query: {document: p}}`, a path or a text.

    A text is a number, `rank` or `rank(p1=..., s=...)` for p(rank) = p1 rank^-s, or a path.

    >>> prior_of("rank(p1=0.8, s=1)").of(b"q", [b"a", b"b"], [1, 4]).tolist()
    [0.8, 0.2]
    >>> prior_of({"q": {"a": 0.25}}).of(b"q", [b"a", b"b"], [1, 2]).tolist()
    [0.25, nan]
    """
    if isinstance(source, Mapping):
        return ByDocument(dict(_from_mapping(source)), "the prior")
    if callable(source):
        return ByRank(source)
    if isinstance(source, Real):
        return Constant(probability(source, "the prior"))
    if isinstance(source, str):
        falling = re.fullmatch(r"\s*rank\s*(?:\((.*)\))?\s*", source, re.DOTALL)
        if falling:
            return _falling(source, falling[1] or "")
        if (number := _number(source)) is not None:
            return Constant(probability(number, "the prior"))
    if isinstance(source, str | PathLike):
        return _read(fspath(source))
    raise InputError(
        f"cannot use an object of type {type(source).__name__} as a prior",
        "prior",
        remedy="Give a number, a function of rank, {query: {document: probability}} or a path.",
    )


def probability(value: Any, what: str) -> float:
    """A number from 0 to 1, or an error that says what should have been one."""
    if not isinstance(value, Real) or isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise UsageError(f"{what} is a probability from 0 to 1, not {value!r}")
    return float(value)


def _falling(text: str, arguments: str) -> ByRank:
    """p(rank) = p1 rank^-s"""
    settings = {"p1": FIRST, "s": STEEPNESS}
    for argument in filter(None, map(str.strip, arguments.split(","))):
        name, equals, given = map(str.strip, argument.partition("="))
        value = _number(given)
        if not equals or name not in settings or value is None:
            raise UsageError(f"cannot read {text!r}; write it as rank(p1={FIRST}, s={STEEPNESS})")
        settings[name] = value
    p1, s = probability(settings["p1"], "p1"), settings["s"]
    if not 0 <= s < math.inf:
        raise UsageError(f"s is a number from 0 on, so that the prior falls with rank; not {s:g}")
    return ByRank(lambda rank: p1 * float(rank) ** -s, f"rank(p1={p1:g}, s={s:g})")


def _number(text: str) -> float | None:
    """A number as people write it; None for what is none."""
    try:
        return None if "_" in text else float(text)
    except ValueError:
        return None


def _from_mapping(source: Probabilities) -> Iterator[tuple[bytes, dict[bytes, float]]]:
    for query, documents in source.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                f"query {query!r} has {documents!r} where its probabilities should be",
                "prior",
                remedy="Give a mapping of document to probability.",
            )
        known: dict[bytes, float] = {}
        for document, value in documents.items():
            if not isinstance(value, Real) or not 0 <= float(value) <= 1:
                raise InputError(
                    f"query {query!r}: the probability of {document!r} is {value!r}, "
                    "not a number from 0 to 1",
                    "prior",
                )
            known[bytes_of(document, "document", "prior")] = float(value)
        yield bytes_of(query, "query", "prior"), known


def _read(path: str) -> ByDocument:
    """A file of lines `query document probability`, plain or compressed."""
    try:
        name, data = read_bytes(path)
    except InputError as error:
        raise InputError(error.problem, error.source, remedy=f"A prior is {KINDS}.") from None
    known: dict[bytes, dict[bytes, float]] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = line.split()
        if not fields or fields[0].startswith(b"#"):
            continue
        value = _number(text_of(fields[2])) if len(fields) == 3 else None
        if value is None or not 0 <= value <= 1:
            raise _fault(name, number, line, fields)
        documents = known.setdefault(fields[0], {})
        if documents.setdefault(fields[1], value) != value:
            raise InputError(
                f"document {text_of(fields[1])!r} has two probabilities for query "
                f"{text_of(fields[0])!r}",
                name,
                number,
                text_of(line.rstrip()),
                remedy="Remove one of the lines.",
            )
    if not known:
        raise InputError(
            "holds only comments and blank lines" if data.strip() else "is empty",
            name,
            remedy=f"Write one line per document: {COLUMNS}.",
        )
    return ByDocument(known, name)


def _fault(name: str, number: int, line: bytes, fields: Sequence[bytes]) -> InputError:
    if b"\0" in line:
        return InputError(
            "binary data (byte 0x00) where text was expected",
            name,
            number,
            remedy="Compressed files are gzip, bzip2, xz or zstd.",
        )
    if len(fields) != 3:
        problem = f"expected 3 columns ({COLUMNS}), found {len(fields)}"
        remedy = "Write one line per document, its columns between blanks or tabs."
    else:
        problem = f"the probability {text_of(fields[2])!r} is not a number from 0 to 1"
        remedy = "Fix the probability, or remove the line: --default is for documents without one."
    return InputError(problem, name, number, text_of(line.rstrip()), remedy)
