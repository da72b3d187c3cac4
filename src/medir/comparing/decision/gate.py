"""May this ship? Limits for a comparison, such as `nDCG@20=0.3` or `loss:p95:nDCG@10=0.5`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from medir.base.words import count, percent, rounded
from medir.comparing.decision.summary import ROUNDING, Summary
from medir.errors import MeasureError, UsageError
from medir.files.identifiers import shown
from medir.measures import Measure, measure

if TYPE_CHECKING:
    from medir.comparing.differences import Differences

EVERY = "*"  # each segment
COLUMNS = ("med", "gain", "loss")
STATISTIC = r"mean|median|max|min|p(\d{1,2}(?:\.\d+)?)|(above|below)-(\d+(?:\.\d+)?)"
SEGMENT = r'segment=(?:"((?:[^"]|"")*)"|([^:"]*)):((?s:.*))'
NOISE = r"(.+)xnoise"
STATISTICS = {
    "above": "mean, median, p95, max, above-0.5",
    "below": "mean, median, p05, min, below-0.5",
}
EXAMPLES = {
    "above": "nDCG@20=0.3 (the mean of med), loss:nDCG@20=0.1, p95:nDCG@20=0.5, "
    "loss:max:nDCG@20=0.9, above-0.5:nDCG@20=0.05 (the share of queries above 0.5), "
    "segment=head:loss:nDCG@20=0.05, nDCG@20=2xnoise",
    "below": "RBO=0.8 (the mean), p05:RBO=0.5, min:RBO=0.1, below-0.5:RBO=0.05 (the share of "
    "queries below 0.5), segment=head:RBO=0.9",
}

Side = Literal["above", "below"]


@dataclass(frozen=True)
class Check:
    """A limit for a statistic of a column over the queries.

    >>> check = Check.parse("loss:p95:nDCG@20=0.5")
    >>> check.measure, check.column, check.statistic, check.limit
    (nDCG@20, 'loss', 'p95', 0.5)
    """

    measure: Measure
    limit: float
    column: str = "med"
    statistic: str = "mean"
    segment: str | None = None  # a label, or EVERY
    of_noise: bool = False  # the limit is a multiple of the noise
    fails: Side = "above"

    @classmethod
    def parse(cls, text: str, fails: Side = "above") -> Check:
        """A check from `[segment=LABEL:][COLUMN:][STATISTIC:]MEASURE=LIMIT`."""
        segment, rest = None, text
        if match := re.fullmatch(SEGMENT, text):
            quoted, plain, rest = match.groups()
            segment = plain if quoted is None else quoted.replace('""', '"')
        subject, equals, limit = rest.rpartition("=")
        if not equals:
            _refuse(text, fails)
        multiple = re.fullmatch(NOISE, limit.strip())
        found = _limit(multiple[1] if multiple else limit)
        if found is None:
            _refuse(text, fails)
        *words, name = _words(subject)
        column, statistic = "med", "mean"
        if words and words[0] in COLUMNS:
            column = words.pop(0)
        if words and re.fullmatch(STATISTIC, words[0]):
            statistic = words.pop(0)
        if words:
            _refuse(text, fails, words[0])
        chosen = _measure(text, name)
        check = cls(chosen, found, column, statistic, segment, multiple is not None, fails)
        check._refuse_mismatch(text)
        return check

    def _refuse_mismatch(self, text: str) -> None:
        """Raises an error where measure, column and side do not fit each other."""
        kind, problem = self.measure.kind, None
        if kind == "similarity" and self.fails == "above":
            problem = f"{self.measure} falls when more changes; write --fail-below {text}"
        elif kind != "similarity" and self.fails == "below":
            problem = f"{self.measure} rises when more changes; write --fail-above {text}"
        elif kind != "difference" and self.column != "med":
            problem = f"{self.measure} has no {self.column}; leave {self.column}: out"
        elif self.of_noise and kind == "similarity":
            problem = "twice the noise is no limit for a similarity; write a number, such as 0.8"
        elif self.fails == "above" and self.statistic.startswith(("min", "below")):
            problem = "an upper limit goes with max or above-VALUE"
        elif self.fails == "below" and self.statistic.startswith(("max", "above")):
            problem = "a lower limit goes with min or below-VALUE"
        if problem is not None:
            raise UsageError(f"the check {text!r}: {problem}")

    @property
    def subject(self) -> str:
        """What is limited, in words.

        >>> Check.parse("loss:nDCG@20=0.1").subject
        'mean loss of nDCG@20'
        """
        column = {"med": "MED"}.get(self.column, self.column)
        of = f"{column} of {self.measure!r}"
        if self.measure.kind != "difference":
            of = repr(self.measure)
        if share := self._share:
            what = f"share of queries with {of} {share[0]} {share[1]:g}"
        else:
            what = f"{self.statistic} {of}"
        return what if self.segment is None else f"{what} in {shown(self.segment)}"

    @property
    def _share(self) -> tuple[Side, float] | None:
        match = re.fullmatch(STATISTIC, self.statistic)
        if match is None or match[2] is None:
            return None
        return ("above" if match[2] == "above" else "below"), float(match[3])

    def outcomes(self, result: Differences[Any]) -> list[Outcome]:
        """What the check finds: one outcome, or one for each segment."""
        if self.segment != EVERY:
            return [self._outcome(result, self.segment)]
        segments = result.sample.segments
        labels = [] if segments is None else segments.labels
        if not labels:
            raise UsageError(f"the check of each segment ({self.subject}) needs --by COLUMN")
        return [self._outcome(result, label) for label in labels]

    def _outcome(self, result: Differences[Any], segment: str | None) -> Outcome:
        check = Check(
            self.measure, self.limit, self.column, self.statistic, segment, self.of_noise,
            self.fails,
        )  # fmt: skip
        value = check._value(result.summary(self.measure, segment))
        limit, noise = self.limit, None
        if self.of_noise:
            if result.noise is None:
                raise UsageError(
                    f"a limit in multiples of the noise ({self.subject}) needs a second run of the "
                    "system before the change: --noise BEFORE2"
                )
            noise = check._value(result.noise.summary(self.measure, segment))
            limit = self.limit * noise
        return Outcome(check, value, limit, noise, result)

    def _value(self, summary: Summary) -> float:
        """The statistic, at the upper end of what is not proven."""
        if summary.queries == 0:
            where = "" if self.segment is None else f" in {shown(self.segment)}"
            raise UsageError(f"no query{where} has a value of {self.measure!r}: nothing to check")
        if summary.weight == 0:
            raise UsageError(f"the weights of {self.subject} add up to 0: nothing to check")
        of = self.column, self.measure.kind == "difference"
        if share := self._share:
            side, limit = share
            shares = summary.share_above if side == "above" else summary.share_below
            return shares(limit, *of)
        if self.statistic == "mean":
            return summary.mean(*of)
        if self.statistic in ("max", "min"):
            least, most = summary.extremes(*of)
            return most if self.statistic == "max" else least
        level = 0.5 if self.statistic == "median" else float(self.statistic[1:]) / 100
        return summary.quantiles([level], *of)[0]


class Outcome(NamedTuple):
    """What a check found."""

    check: Check
    value: float
    limit: float
    noise: float | None  # the same statistic of the noise, for a limit in multiples of it
    result: Differences[Any]

    @property
    def _summary(self) -> Summary:
        return self.result.summary(self.check.measure, self.check.segment)

    @property
    def _is_share(self) -> bool:
        return self.check._share is not None

    @property
    def missing(self) -> int:
        """Queries without a value: nobody can say that they keep the limit."""
        return self._summary.missing

    @property
    def within(self) -> bool:
        """Whether the value keeps the limit; rounding never breaks it."""
        scale = ROUNDING if self._is_share else self._summary.rounding
        return self._keeps(self.value, self.limit, max(scale, ROUNDING * abs(self.limit)))

    def _keeps(self, value: float, limit: float, slack: float = 0.0) -> bool:
        if self.check.fails == "below" and not self._is_share:
            return value >= limit - slack
        return value <= limit + slack

    @property
    def passed(self) -> bool:
        """Whether the value keeps the limit, and every query has one."""
        return self.within and not self.missing

    @property
    def finding(self) -> str:
        """What was found, beside the limit."""
        value, limit = self._numbers()
        text = f"{self.check.subject} is {value}, limit {limit}{self._noise()}"
        if self.missing:
            text += f"; {count(self.missing, 'query has', 'queries have')} no value"
        return text

    def _numbers(self) -> tuple[str, str]:
        """Value and limit for people, with all digits where fewer would contradict the outcome."""
        short = percent(self.value) if self._is_share else rounded(self.value)
        places = 6 if self.noise is None else 3
        numbers = short, _digits(self.limit, places, self._is_share)
        if self._keeps(*map(_read_back, numbers)) == self.within:
            return numbers
        return _digits(self.value, 16, self._is_share), _digits(self.limit, 16, self._is_share)

    def __str__(self) -> str:
        return self.finding if self.within else f"{self.finding}; {self._queries()}"

    def _noise(self) -> str:
        if self.noise is None:
            return ""
        if self.noise == 0:
            return " (the noise is 0, and so is every multiple of it)"
        return f" ({self.check.limit:g} times the noise of {rounded(self.noise)})"

    def _queries(self) -> str:
        """The queries behind a failure, most affected first."""
        check = self.check
        limit = share[1] if (share := check._share) else self.limit
        total, first = self.result.beyond(
            limit, check.measure, check.column, above=check.fails == "above", segment=check.segment
        )
        named = ", ".join(f"{shown(query)} ({rounded(value)})" for query, value in first)
        more = f" and {total - len(first):,} more" if total > len(first) else ""
        return f"{count(total, 'query', 'queries')} {check.fails} {rounded(limit)}: {named}{more}"


def checked(result: Differences[Any], checks: Iterable[Check]) -> list[Outcome]:
    """What checks find, in their order."""
    return [outcome for check in checks for outcome in check.outcomes(result)]


def _digits(value: float, digits: int, share: bool) -> str:
    """A number with so many digits, or a share in percent.

    >>> _digits(-0.05, 6, share=False), _digits(0.055, 6, share=True)
    ('−0.05', '5.5%')
    """
    text = f"{100 * value:,.{digits}g}%" if share else f"{value:,.{digits}g}"
    return text.replace("-", "−")


def _read_back(text: str) -> float:
    return float(text.rstrip("%").replace(",", "").replace("−", "-"))


def _limit(text: str) -> float | None:
    """A number, or a share in percent."""
    text = text.strip()
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _words(subject: str) -> list[str]:
    """The words before the measure, and the measure, whose parameters may hold colons."""
    words: list[str] = []
    while ":" in subject.partition("(")[0]:
        word, _, subject = subject.partition(":")
        words.append(word.strip())
    return [*words, subject.strip()]


def _measure(text: str, name: str) -> Measure:
    try:
        return measure(name)
    except MeasureError as error:
        raise UsageError(f"the check {text!r}: {error}") from None


def _refuse(text: str, fails: Side, word: str | None = None) -> NoReturn:
    problem = f"cannot read the check {text!r}"
    extreme = "max" if fails == "above" else "min"
    if word == "any":
        spelling = re.sub(r"\bany:", f"{extreme}:", text, count=1)
        problem += f": write {extreme} instead of any ({spelling})"
    elif word in COLUMNS:
        problem += f": the column {word} comes before the statistic, and once"
    elif word is not None:
        known = f"({', '.join(COLUMNS)}) and no statistic ({STATISTICS[fails]})"
        problem += f": {word!r} is no column {known}"
    form = "[segment=LABEL:][COLUMN:][STATISTIC:]MEASURE=LIMIT"
    raise UsageError(f"{problem}. Write {form}, such as {EXAMPLES[fails]}")
