"""How good are runs, as far as judgments tell?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Unpack, cast

import numpy as np
from numpy.typing import NDArray

from medir import _core
from medir.base.arrays import Array
from medir.base.settings import Missing, Options, Settings, with_settings
from medir.comparing.inputs import Inputs
from medir.comparing.judging.scores import Counted, Scores
from medir.errors import InputError, UsageError
from medir.files.identifiers import bytes_of, shown
from medir.inputs.formats.arrow import speaks_arrow
from medir.inputs.lengths import Source as WordCounts
from medir.inputs.pairing import Name, grades_of, lists_of
from medir.inputs.qrels import Judgments, Qrels
from medir.inputs.runs import Run, Source
from medir.measures.chosen import Measures, judged_ideal, measures_to_score, native_options
from medir.measures.family import Measure

Sources = Source | Sequence[Source] | Mapping[str, Source]
NAMED = 5  # queries that an error names


@with_settings(Options)
def score(
    runs: Sources,
    measures: Measures | None,
    qrels: Judgments,
    *,
    lengths: WordCounts | None = None,
    **options: Unpack[Options],
) -> Scores:
    """Plain effectiveness of every judged query; a document without judgment is not relevant.

    `runs` is a run as for `compare`, a list of them, or `{name: run}`. An ideal that is not stated
    comes from the judgments: `nDCG@20` is `nDCG(ideal='judged')@20` here. Without measures (None),
    it is nDCG, down to rank 20 or as deep as the longest list.

    `missing` is about judged queries that a run does not have: they score as empty lists
    (`"empty"`, as trec_eval -c), are left out (`"skip"`), or are an error (`"error"`). Queries
    without judgments are left out. `unseen` and `effort` are for `Scores.difference`.

    >>> scores = score({"q": ["a", "b"]}, "P@2", {"q": {"b": 1}})
    >>> scores["q"], scores.mean()
    (0.5, 0.5)
    """
    settings = Settings(**options)
    sources = named_runs(runs)
    chosen = None if measures is None else measures_to_score(measures)
    inputs = Inputs.read(
        sources, chosen, settings, qrels=qrels, lengths=lengths, check=measures_to_score
    )
    inputs = replace(inputs, measures=[judged_ideal(one) for one in inputs.measures])
    judged = inputs.judged
    assert judged is not None
    if len(judged) == 0:
        raise InputError("there are no judgments to score by", judged.name)
    scored = np.empty((len(sources), len(inputs.measures), len(judged)))
    counted = []
    for name, run, values in zip(sources, inputs.runs, scored, strict=True):
        there = _in_run(run, name, judged, settings.missing)
        counts = _score(run, judged, inputs, values)
        if settings.missing == "skip":
            values[:, ~there] = np.nan
        counted.append(Counted.of(there, len(run), counts))
    return Scores(tuple(sources), tuple(inputs.measures), judged.queries, scored, inputs, counted)


def named_runs(runs: Sources) -> dict[str, Source]:
    """Runs by name: as they are given, else by their files.

    >>> list(named_runs(["new/a.run", "old/b.run"])), list(named_runs(["new/a.run", "old/a.run"]))
    (['a.run', 'b.run'], ['new/a.run', 'old/a.run'])
    """
    if isinstance(runs, Mapping) and any(map(_is_run, runs.values())):
        return dict(cast("Mapping[str, Source]", runs))
    several = isinstance(runs, Sequence) and not isinstance(runs, str)
    sources = list(cast("Sequence[Source]", runs)) if several else [cast("Source", runs)]
    if not sources:
        raise UsageError("name at least one run")
    for short in (True, False):
        names = [_name_of(source, number, short) for number, source in enumerate(sources, 1)]
        if len(set(names)) == len(names):
            return dict(zip(names, sources, strict=True))
    twice = next(name for name in names if names.count(name) > 1)
    raise UsageError(f"two runs are called {shown(twice)}; give them names: {{name: run}}")


def _is_run(value: object) -> bool:
    """Whether this is a run, and not the results of a query."""
    if isinstance(value, Mapping):
        return any(isinstance(results, Mapping | list | tuple) for results in value.values())
    is_array = len(getattr(value, "shape", ())) == 2
    return isinstance(value, str | PathLike | Run) or is_array or speaks_arrow(value)


def _name_of(source: Source, number: int, short: bool) -> str:
    if not isinstance(source, str | PathLike | Run):
        return f"run {number}"
    path = source.name if isinstance(source, Run) else str(source)
    return Path(path).name if short else path


def _in_run(run: Run, name: str, judged: Qrels, missing: Missing) -> NDArray[np.bool_]:
    """Which judged queries a run has."""
    there = np.array([run.find(query) is not None for query in judged.queries])
    if len(run) and not there.any():
        raise InputError(
            f"no query of {shown(name)} is judged",
            judged.name,
            remedy="Do runs and judgments write query ids in the same way?",
        )
    absent = np.flatnonzero(~there)
    if missing == "error" and len(absent):
        some = ", ".join(shown(judged.queries[i]) for i in absent[:NAMED])
        queries = "query is" if len(absent) == 1 else "queries are"
        raise InputError(
            f"{len(absent):,} judged {queries} not in {shown(name)}: {some}"
            f"{', ...' if len(absent) > NAMED else ''}",
            judged.name,
            remedy="Choose --missing empty (they score as empty lists) or skip.",
        )
    return there


def _score(run: Run, judged: Qrels, inputs: Inputs, values: Array) -> _core.Counts:
    """Fills in the scores of a run, by measure and query, and counts what is met."""
    ended = _core.Unseen(_core.UnseenRule.nothing, [0, 0])  # a score counts what is there
    options = native_options(inputs.settings, inputs.measures, ended, inputs.lengths)
    native = [number for number, one in enumerate(inputs.measures) if not one.in_python]
    kernels = inputs.kernels(inputs.measures[number] for number in native)
    found = np.zeros((len(native), len(judged)))
    counts = _core.score(run._lists, judged._lists, kernels, options, found)
    values[native] = found
    for number, one in enumerate(inputs.measures):
        if one.in_python:
            values[number] = _scores_in_python(one, run, judged, options)
    return counts


def _scores_in_python(one: Measure, run: Run, judged: Qrels, options: _core.Options) -> list[float]:
    """The scores of a measure that no kernel computes."""
    pairing = _core.Pairing(run._lists, Run.of({})._lists, 1)
    scores = []
    for query in judged.queries:
        position = pairing.find(bytes_of(query, "query", ""))
        documents: list[Name] = []
        grades: dict[Name, int] = {}
        if position is not None:
            found = _core.query(pairing, position, judged._lists, [], options)
            (documents, _), grades = lists_of(found), grades_of(found)
        scores.append(one.shape.score(one, documents, grades))
    return scores
