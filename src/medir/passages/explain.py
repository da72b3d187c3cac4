"""Why the value of a query is what it is: what each stretch of text adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter

from medir import _core
from medir.base.views import Viewed
from medir.comparing.columns import COLUMNS
from medir.comparing.explaining.contents import Ranking
from medir.comparing.explaining.explanation import (
    Columns,
    Evidence,
    explained,
    move_between,
    unchanged,
)
from medir.files.identifiers import text_of
from medir.measures import Measure

NAMED = 2  # stretches that a sentence names


@dataclass(frozen=True)
class Stretch:
    """Text of a document that stands together in both trailtexts, or in one of them alone.

    `before` and `after` say how many characters stand above it. `gain` is what it adds where the
    change wins most, and `loss` what it adds where the change costs most: 0 where it is best taken
    as not relevant. `relevant` is None where nobody knows.
    """

    document: str
    offset: int
    length: int
    before: int | None
    after: int | None
    relevant: bool | None
    gain: float
    loss: float

    @property
    def move(self) -> str:
        """How the text moved: entered, left, up, down or stays."""
        return move_between(self.before, self.after)

    @property
    def name(self) -> str:
        """The document, and which of its characters."""
        return f"{self.document} {self.offset}-{self.offset + self.length}"


@dataclass(frozen=True, repr=False)
class PassageExplanation(Viewed):
    """The value of one query, taken apart.

    The `gain` of all stretches and `unseen_gain` (what may follow the text after the change) sum up
    to the gain; the losses likewise.
    """

    query: str
    measure: Measure
    med: float
    gain: float
    loss: float
    lower: float
    stretches: tuple[Stretch, ...]  # in the order of the text before the change, then what entered
    unseen_gain: float
    unseen_loss: float

    @property
    def sentence(self) -> str:
        """The larger direction in plain words."""
        name = repr(self.measure)
        falls = self.loss >= self.gain - 1e-12
        value, verb = (self.loss, "falls") if falls else (self.gain, "rises")
        if abs(self.med) < 1e-12:
            judged = all(s.relevant is not None for s in self.stretches)
            return unchanged(name, all(s.before == s.after for s in self.stretches), judged)
        if abs(self.gain + self.loss) < 1e-12:
            return f"{name} {verb} by {value:.2f}: all that counts is judged."
        part = attrgetter("loss" if falls else "gain")
        good = sorted((s for s in self.stretches if part(s) > 0), key=part, reverse=True)
        if not good:
            return f"{name} {verb} by at most {value:.2f}; unseen text accounts for it."
        first = good[0]
        return (
            f"If {_listed(good)} relevant, {name} {verb} by {value:.2f}; {part(first):.2f} of it "
            f"come from {first.name} {_moved(first)}."
        )

    def __repr__(self) -> str:
        return explained(self.query, self.measure, self.med)


def _listed(stretches: Sequence[Stretch]) -> str:
    names = [stretch.name for stretch in stretches[:NAMED]]
    if len(stretches) > NAMED:
        names.append(f"{len(stretches) - NAMED} more")
    return f"{names[0]} is" if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]} are"


def _moved(stretch: Stretch) -> str:
    match stretch.move:
        case "entered":
            return f"entering at character {stretch.after}"
        case "left":
            return f"leaving character {stretch.before}"
        case "stays":
            return f"at character {stretch.before}"
        case _:
            return f"moving from character {stretch.before} to {stretch.after}"


def explain_passages(
    pairing: _core.Pairing,
    position: int,
    gold: _core.Lists | None,
    measure: Measure,
    options: _core.TrailOptions,
) -> PassageExplanation:
    """One query of a comparison, taken apart.

    >>> from medir import compare_passages
    >>> result = compare_passages({"q": [("a", 0, 5), ("b", 0, 5)]}, {"q": [("b", 0, 9)]}, "U@10")
    >>> why = result.explain("q")
    >>> [(s.name, s.before, s.after, s.gain, s.loss) for s in why.stretches]
    [('a 0-5', 0, None, 0.0, 1.75), ('b 0-5', 5, 0, 1.25, 0.0), ('b 5-9', None, 5, 0.5, 0.0)]
    >>> print(why.sentence)
    If a 0-5 is relevant, U@10 falls by 1.75; 1.75 of it come from a 0-5 leaving character 0.
    """
    values, rows, unseen_gain, unseen_loss = _core.weigh_query(
        pairing, position, gold, measure.shape.trail_kernel(measure), options
    )
    query = text_of(pairing.query(position))
    stretches = [
        Stretch(text_of(document), offset, length, before, after, relevant, gain, loss)
        for document, offset, length, before, after, relevant, gain, loss in rows
    ]
    stretches.sort(key=_place)
    value = dict(zip(COLUMNS, values, strict=True))
    return PassageExplanation(
        query,
        measure,
        value["med"],
        value["gain"],
        value["loss"],
        value["lower"],
        tuple(stretches),
        unseen_gain,
        unseen_loss,
    )


def _place(stretch: Stretch) -> tuple[bool, int]:
    place = stretch.after if stretch.before is None else stretch.before
    assert place is not None
    return stretch.before is None, place


@dataclass(frozen=True)
class Stretches:
    """A value taken apart, stretch by stretch, each of them once."""

    sentence: str
    evidence: Columns
    unseen_gain: float
    unseen_loss: float


def stretches_of(explanations: Sequence[PassageExplanation]) -> Ranking:
    """A query under all measures: stretches in the order in which each run shows them."""
    stretches = {stretch.name: stretch for why in explanations for stretch in why.stretches}
    before, after = (
        sorted(
            (place, name)
            for name, stretch in stretches.items()
            if (place := getattr(stretch, side)) is not None
        )
        for side in ("before", "after")
    )
    return Ranking(
        explanations[0].query,
        [name for _, name in before],
        [name for _, name in after],
        {name: int(s.relevant) for name, s in stretches.items() if s.relevant is not None},
        [_taken_apart(why) for why in explanations],
        {name: stretch.document for name, stretch in stretches.items()},
    )


def _taken_apart(why: PassageExplanation) -> Stretches:
    """A stretch that two paces split is one row."""
    parts: dict[str, Evidence] = {}
    for stretch in why.stretches:
        known = parts.get(stretch.name)
        gain = stretch.gain + (known.gain if known else 0.0)
        loss = stretch.loss + (known.loss if known else 0.0)
        relevant = None if stretch.relevant is None else float(stretch.relevant)
        parts[stretch.name] = Evidence(
            stretch.name,
            stretch.before,
            stretch.after,
            None if relevant is None else int(relevant),
            float(gain != 0) if relevant is None else relevant,
            gain,
            float(loss != 0) if relevant is None else relevant,
            loss,
        )
    evidence = Columns.of(list(parts.values()))
    return Stretches(why.sentence, evidence, why.unseen_gain, why.unseen_loss)
