"""A comparison as JSON: docs/summary.schema.json is its schema."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from typing import Any

from medir.base.version import __version__
from medir.comparing.decision.gate import Outcome
from medir.comparing.decision.statistics import Interval
from medir.comparing.decision.summary import Share, Summary
from medir.comparing.differences import Differences
from medir.files.identifiers import shown

Record = dict[str, Any]


def record_json(result: Differences[Any], outcomes: Sequence[Outcome]) -> str:
    """The record as text, one value per line."""
    text = json.dumps(record(result, outcomes), ensure_ascii=False, indent=2, allow_nan=False)
    return text + "\n"


def record(result: Differences[Any], outcomes: Sequence[Outcome]) -> Record:
    """Everything that a program may want to know of a comparison, but for its rows.

    Every input that is a file is read again for its SHA-256.
    """
    return {
        "medir": __version__,
        "verdict": [shown(sentence) for sentence in result.verdict()],
        "passed": all(one.passed for one in outcomes),
        "checks": [_check(one) for one in outcomes],
        "measures": [_measure(result, number) for number in range(len(result.measures))],
        "noise": None if result.noise is None else list(_noise(result, result.noise)),
        "options": {name: _plain(value) for name, value in result.choices().items()},
        "inputs": _inputs(result),
        "notes": [shown(note) for note in (*result.notes(), *result.sample.notes())],
    }


def _check(outcome: Outcome) -> Record:
    check = outcome.check
    return {
        "text": shown(str(outcome)),
        "passed": outcome.passed,
        "measure": repr(check.measure),
        "column": check.column if check.measure.kind == "difference" else "value",
        "statistic": check.statistic,
        "segment": _plain(check.segment),
        "value": _finite(outcome.value),
        "fails": check.fails,
        "limit": _finite(outcome.limit),
        "times_noise": check.limit if check.of_noise else None,
        "noise": None if outcome.noise is None else _finite(outcome.noise),
        "missing": outcome.missing,
    }


def _measure(result: Differences[Any], number: int) -> Record:
    one = result.measures[number]
    summary = result.summary(one)
    difference = one.kind == "difference"
    return {
        "measure": repr(one),
        "kind": one.kind,
        **_summary(summary),
        "unseen_queries": int(result.unseen_queries[number]) if difference else None,
        "unproven": summary.unproven if difference else None,
        "segments": [
            {"segment": shown(label), **_summary(segment)}
            for label, segment in result.segments(one).items()
        ],
    }


def _summary(summary: Summary) -> Record:
    """What the values of some queries say together; null where there is nothing to say."""
    sides: Record = dict.fromkeys(("gain", "loss", "bounds", "effects", "unseen"))
    if summary.measure.kind == "difference":
        sides |= _sides(summary)
    return {
        "queries": summary.queries,
        "missing": summary.missing,
        "weight": summary.weight,
        "changed": _share(summary.changed),
        **_values(summary, "med"),
        **sides,
    }


def _sides(summary: Summary) -> Record:
    """What a change could win and cost."""
    valued = _has_values(summary)
    return {
        "gain": _values(summary, "gain"),
        "loss": _values(summary, "loss"),
        "bounds": _interval(summary.bounds) if valued else None,
        "effects": {name.replace(" ", "_"): _share(one) for name, one in summary.effects.items()},
        "unseen": _finite(summary.unseen) if valued else None,
    }


def _values(summary: Summary, name: str) -> Record:
    """How a column is distributed."""
    if not _has_values(summary):
        return dict.fromkeys(("mean", "interval", "median", "p05", "p95", "min", "max"))
    found = summary.distribution(name)
    return {
        "mean": _finite(found.mean),
        "interval": _interval(summary.interval_of(name)),
        "median": _finite(found.median),
        "p05": _finite(found.p05),
        "p95": _finite(found.p95),
        "min": _finite(found.minimum),
        "max": _finite(found.maximum),
    }


def _has_values(summary: Summary) -> bool:
    return summary.queries > 0 and summary.weight > 0


def _noise(result: Differences[Any], noise: Differences[Any]) -> Iterator[Record]:
    """What two runs of the system before the change differ by, and how much exceeds it."""
    for one in result.measures:
        change, floor = result.summary(one), noise.summary(one)
        exceeding = None
        if _has_values(change) and _has_values(floor):
            _, exceeding = change.beyond(floor)
        yield {"measure": repr(one), **_summary(floor), "exceeding": exceeding}


def _inputs(result: Differences[Any]) -> list[Record]:
    return [
        {
            "role": role,
            "name": shown(one.name),
            "format": None if one.format is None else shown(one.format),
            "sha256": None if found is None else found.sha256,
            "bytes": None if found is None else found.bytes,
        }
        for role, one, found in result.fingerprints
    ]


def _share(share: Share) -> Record:
    return {"queries": share.queries, "share": share.share}


def _interval(interval: Interval | None) -> Record | None:
    if interval is None:
        return None
    return {"low": _finite(interval.low), "high": _finite(interval.high)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {shown(str(key)): _plain(one) for key, one in value.items()}
    return shown(str(value)) if isinstance(value, str | PathLike) else value


def _finite(value: float) -> float | None:
    """A number as JSON has it: there is no NaN and no infinity."""
    return float(value) if math.isfinite(value) else None
