"""Rankings in tests: may they differ so much?"""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from medir.base.words import rounded
from medir.comparing.compare import compare
from medir.comparing.comparison import Comparison
from medir.comparing.decision.gate import COLUMNS, STATISTIC, Check, Outcome, checked
from medir.comparing.explaining.explanation import Evidence, Explanation
from medir.errors import UsageError
from medir.files.identifiers import shown
from medir.inputs.runs import Source
from medir.measures import Measure
from medir.measures.chosen import Measures, named_measures

LIMIT = re.compile(rf"(?:({'|'.join(COLUMNS)})(?:_|$))?(.*)")
SHOWN = 10  # documents of the query that is affected most
LONGEST = 40  # characters of a document id


def assert_ranking_close(
    before: Source,
    after: Source,
    measures: Measures | None = None,
    *,
    checks: Sequence[str] = (),
    **limits: Any,
) -> None:
    """Fails, in a test, where two runs differ more than they may.

    Limits are statistics of MED over the queries: `mean`, `median`, `max`, any percentile (`p95`),
    and the share of queries above a value (`above_0_5=0.05`: at most 5 % are above 0.5). In front
    of them may stand a column: `loss` is the mean loss, `loss_p95`, `gain_max`. A limit of a rank
    similarity, such as RBO, is a lower one (`mean`, `p05`, `min`, `below_0_5`). `checks` are limits
    as the shell writes them, `segment=head:loss:nDCG@10=0.05`. All other arguments are those of
    `compare`. The message of the failure is the verdict, what broke which limit, and the query that
    is affected most, taken apart.

    >>> assert_ranking_close({"q": ["a", "b"]}, {"q": ["a", "c"]}, "P@2", mean=0.5, loss_max=0.5)
    """
    __tracebackhide__ = True
    message = broken_limits(before, after, measures, checks=checks, **limits)
    if message is not None:
        raise AssertionError(message)


def broken_limits(
    before: Source,
    after: Source,
    measures: Measures | None = None,
    *,
    checks: Sequence[str] = (),
    **limits: Any,
) -> str | None:
    """What an assertion says where two runs differ more than they may; None where they do not."""
    stated = {name: limits.pop(name) for name in list(limits) if is_limit(name)}
    _refuse_unknown(limits)
    if not stated and not checks:
        raise UsageError("name a limit, such as mean=0.1 or max=0.5")
    parsed = [_parsed(text) for text in checks]
    chosen = None if measures is None and not parsed else _all_measures(measures, parsed)
    result = compare(before, after, chosen, **limits)
    limited = result.measures if measures is None else named_measures(measures)
    wanted = [_check(one, name, limit) for one in limited for name, limit in stated.items()]
    outcomes = checked(result, [*wanted, *parsed])
    if all(one.passed for one in outcomes):
        return None
    return "\n".join(_failure(result, outcomes))


def is_limit(name: str) -> bool:
    """Whether an argument is a limit: `mean`, `p95`, `loss`, `loss_max`, `above_0_5`."""
    match = LIMIT.fullmatch(name)
    assert match is not None
    column, rest = match.groups()
    return re.fullmatch(STATISTIC, _statistic(rest)) is not None or (
        column is not None and not rest
    )


def _refuse_unknown(arguments: Iterable[str]) -> None:
    known = inspect.signature(compare).parameters
    unknown = next((name for name in arguments if name not in known), None)
    if unknown is not None:
        raise TypeError(
            f"{unknown!r} is no limit, such as mean, max, p95, loss or loss_max, and no argument "
            "of medir.compare"
        )


def _statistic(word: str) -> str:
    """A statistic of the gate: `above_0_5` is above-0.5, `p99_9` is p99.9."""
    side, _, number = word.partition("_")
    mark = "-" if side in ("above", "below") else "."
    return f"{side}{mark}{number.replace('_', '.')}" if number else word


def _check(one: Measure, name: str, limit: Any) -> Check:
    match = LIMIT.fullmatch(name)
    assert match is not None
    column, statistic = match[1] or "med", _statistic(match[2] or "mean")
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise UsageError(f"the limit {name} is a number, not {limit!r}")
    text = f"{column}:{statistic}:{one!r}={float(limit)!r}"
    try:
        return Check.parse(text, _side(one))
    except UsageError as error:
        problem = str(error).replace(f"the check {text!r}", f"the limit {name}={limit!r}")
        raise UsageError(problem) from None


def _parsed(text: str) -> Check:
    """A check as the shell has it; the measure says which side of the limit fails."""
    try:
        return Check.parse(text)
    except UsageError:
        with contextlib.suppress(UsageError):
            return Check.parse(text, "below")
        raise


def _all_measures(measures: Measures | None, checks: Sequence[Check]) -> list[Measure]:
    given = [] if measures is None else named_measures(measures)
    return list(dict.fromkeys([*given, *(one.measure for one in checks)]))


def _side(one: Measure) -> Any:
    return "below" if one.kind == "similarity" else "above"


def _failure(result: Comparison, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The verdict, what broke which limit, and the query that is affected most."""
    failed = [one for one in outcomes if not one.passed]
    measure = failed[0].check.measure
    yield from result.verdict(measure)
    for one in outcomes:
        yield f"  {'ok    ' if one.passed else 'FAILED'}  {one}"
    worst = result.most_affected(1, measure)
    if worst and measure.kind == "difference":
        yield ""
        yield from _explained(result.explain_at(worst[0], measure))
    elif worst:
        row = result.row(worst[0], measure)
        yield ""
        yield f"The query affected most is {shown(row.query_id)}: {measure} {rounded(row.value)}"


def _explained(why: Explanation) -> Iterator[str]:
    yield f"The query affected most is {shown(why.query)}. {shown(why.sentence)}"
    rows = sorted(why.documents, key=lambda one: -max(abs(one.gain), abs(one.loss)))
    moved = [one for one in rows if one.move != "stays" or one.gain or one.loss]
    if not moved:
        return
    names = [_clipped(shown(one.shown)) for one in moved[:SHOWN]]
    wide = max(8, *map(len, names))
    yield f"  {'document':<{wide}}  before  after    loss    gain"
    for name, one in zip(names, moved, strict=False):
        yield f"  {name:<{wide}}  {_places(one)}  {one.loss:6.3f}  {one.gain:6.3f}"
    if len(moved) > SHOWN:
        yield f"  and {len(moved) - SHOWN:,} more"


def _places(one: Evidence) -> str:
    before, after = ("-" if rank is None else f"{rank:,}" for rank in (one.before, one.after))
    return f"{before:>6}  {after:>5}"


def _clipped(name: str) -> str:
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
