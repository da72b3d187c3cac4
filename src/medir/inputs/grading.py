"""From judged values to grades: what is declared of them, in one place for all sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, NamedTuple

from medir import _core
from medir.base.checks import check_grades, check_whole, level_of
from medir.base.settings import thread_count

LEVELS = "grades={0: 0, 0.5: 1, 1: 2} (--grades 0=0,0.5=1,1=2)"
FIRST_LABEL = 1e12  # the first of the numbers that stand for levels with a text


class Grading(NamedTuple):
    """What the values of judgments mean.

    Whole numbers are grades. Declared levels (`grades`) say which grade each value stands for;
    without them, where there is a fraction, all values are shares of the highest grade, from 0 to
    1. That grade comes from the judgments' own `max_grade`, else from that of the measures.

    >>> grading = Grading.of({0: 0, 0.5: 1, "yes": 2})
    >>> grading.highest, grading.number("0.50"), grading.number(True), grading.number("no")
    (2, 0.5, 1.0, None)
    """

    levels: tuple[tuple[float, int], ...] = ()
    labels: Mapping[str, float] | None = None  # texts that are levels: the numbers they become
    declared: int | None = None  # the highest grade of these judgments
    scales: tuple[int, ...] = ()  # the highest grades that shares may be of

    @classmethod
    def of(
        cls,
        grades: Mapping[Any, Any] | None = None,
        max_grade: int | None = None,
        scales: Iterable[int] = (),
    ) -> Grading:
        """Levels and the highest grade as they are declared, and the highest grades of measures."""
        check_grades(grades)
        if max_grade is not None:
            check_whole(max_grade, "max_grade")
        levels: dict[float, int] = {}
        labels: dict[str, float] = {}
        for value, grade in (grades or {}).items():
            level = level_of(value)
            if isinstance(level, str):
                level = labels.setdefault(level, FIRST_LABEL * (len(labels) + 1))
            levels[level] = int(grade)
        known = sorted(set(scales)) if max_grade is None else [max_grade]
        return cls(tuple(levels.items()), labels, max_grade, tuple(known))

    @property
    def highest(self) -> int | None:
        """The highest grade that is declared, where one is."""
        levels = max((grade for _, grade in self.levels), default=None)
        return self.declared if self.declared is not None else levels

    def number(self, value: Any) -> float | None:
        """A judged value as a number; None where it is none, nor a level."""
        if isinstance(value, str):
            text = value.strip()
            if self.labels and text in self.labels:
                return self.labels[text]
            level = level_of(text)
            return None if isinstance(level, str) else level
        if not isinstance(value, Real) and not hasattr(value, "__float__"):
            return None
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return None
        return number if number - number == 0 else None  # finite

    def check(self, lists: _core.Lists, intents: bool, threads: int | None) -> _core.Judgments:
        """The judgments with grades, all of which were looked at."""
        kept = _core.Intents.kept if intents else _core.Intents.ignored
        scale = self.scales[0] if len(self.scales) == 1 else 0
        workers = thread_count(threads)
        return _core.check_judgments(lists, self.levels, scale, self.remedy, kept, workers)

    @property
    def remedy(self) -> str:
        """What to do about a value that has no grade."""
        if self.levels:
            return "Add it to the levels (grades, --grades), or fix the judgment."
        if len(self.scales) > 1:
            several = " and ".join(map(str, self.scales))
            return f"The measures declare max_grade {several}; declare levels: {LEVELS}."
        if self.scales:
            return f"Declare which grade each value stands for: {LEVELS}."
        return (
            f"Declare which grade each value stands for, {LEVELS}; or, where values from 0 to 1 "
            "are shares of the highest grade, declare that: nDCG(max_grade=2)@20."
        )
