"""MED over passages, character by character: the definition that the intervals are checked against.

Nothing here is clever and nothing comes from medir. A passage is `(document, offset, length)`, a
trailtext is every character that is shown, one after the other, and gold is
`{document: [(offset, length), ...]}`. A measure is a function from the place where a character is
first shown (0, 1, ...) to its weight; a relevant character adds its weight to the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

Passage = tuple[str, int, int]
Character = tuple[str, int]  # document, offset
Gold = Mapping[str, Sequence[tuple[int, int]]]
Weight = Callable[[int], float]

RELEVANT = 0.5  # r_1 = (2^1 - 1) / 2^1


def linear(depth: int) -> Weight:
    """U@depth: c_i (1 - i/l) for i = 1..l, c_i = 1/2."""
    return lambda place: RELEVANT * (1 - (place + 1) / depth) if place < depth else 0.0


def flat(depth: int) -> Weight:
    """U(discount='none')@depth."""
    return lambda place: RELEVANT if place < depth else 0.0


def halving(depth: int, half_life: float) -> Weight:
    """U(discount='exponential')@depth: c_i 2^(-i/h)."""
    return lambda place: RELEVANT * 2 ** (-(place + 1) / half_life) if place < depth else 0.0


def time_biased(half_life: float, speed: float) -> Weight:
    """TBG: the seconds that a character takes, each weighted by D(t) = exp(-t ln2 / h)."""
    rate = math.log(2) / half_life

    def weight(place: int) -> float:
        begin, end = place / speed, (place + 1) / speed
        return (math.exp(-rate * begin) - math.exp(-rate * end)) / rate

    return weight


def trailtext(passages: Iterable[Passage]) -> Iterator[Character]:
    """Every character in the order in which it is shown, as often as it is shown."""
    for document, offset, length in passages:
        for at in range(offset, offset + length):
            yield document, at


def weights(passages: Iterable[Passage], weight: Weight) -> dict[Character, float]:
    """The weight of every character that is shown: by the place where it is shown first."""
    found: dict[Character, float] = {}
    for place, character in enumerate(trailtext(passages)):
        if character not in found:
            found[character] = weight(place)
    return found


@dataclass(frozen=True)
class World:
    """What is known of relevance; `closed` says that documents without gold are not relevant."""

    gold: Gold | None = None
    closed: bool = False

    def relevance(self, character: Character) -> bool | None:
        """Whether a character is relevant; None where nobody knows."""
        document, at = character
        if self.gold is None:
            return None
        if document in self.gold:
            return any(offset <= at < offset + length for offset, length in self.gold[document])
        return False if self.closed else None

    @property
    def relevant(self) -> set[Character]:
        """Every character that is known to be relevant."""
        return {
            (document, at)
            for document, passages in (self.gold or {}).items()
            for offset, length in passages
            for at in range(offset, offset + length)
        }


UNKNOWN = World()


def most(
    favoured: Sequence[Passage],
    other: Sequence[Passage],
    weight: Weight,
    world: World = UNKNOWN,
    depth: int | None = None,
) -> float:
    """The maximum of S(favoured) - S(other): each character is decided alone.

    With a depth, the favoured trailtext was cut: the places below its end, down to the depth, hold
    characters that are nowhere else and relevant; in a closed world they hold gold that was not
    shown yet. Without one it ended.
    """
    mine, theirs = weights(favoured, weight), weights(other, weight)
    total = 0.0
    for character in mine.keys() | theirs.keys():
        change = mine.get(character, 0.0) - theirs.get(character, 0.0)
        match world.relevance(character):
            case True:
                total += change
            case None:
                total += max(change, 0.0)
    if depth is None:
        return total
    end = sum(length for _, _, length in favoured)
    if world.gold is not None and world.closed:
        depth = min(depth, end + len(world.relevant - mine.keys()))
    return total + math.fsum(weight(place) for place in range(end, depth))


def score(passages: Sequence[Passage], weight: Weight, relevant: set[Character]) -> float:
    """The score of a trailtext when exactly these characters are relevant."""
    shown: set[Character] = set()
    total = 0.0
    for place, character in enumerate(trailtext(passages)):
        if character in relevant and character not in shown:
            total += weight(place)
        shown.add(character)
    return total


def most_by_trying(
    favoured: Sequence[Passage], other: Sequence[Passage], weight: Weight, world: World = UNKNOWN
) -> float:
    """As `most`, without a depth, over every assignment of relevance."""
    shown = sorted(set(chain(trailtext(favoured), trailtext(other))))
    known = {character for character in shown if world.relevance(character)}
    unknown = [character for character in shown if world.relevance(character) is None]
    best = -math.inf
    for choice in product((False, True), repeat=len(unknown)):
        chosen = known | {c for c, is_relevant in zip(unknown, choice, strict=True) if is_relevant}
        best = max(best, score(favoured, weight, chosen) - score(other, weight, chosen))
    return best
