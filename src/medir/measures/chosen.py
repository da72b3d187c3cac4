"""The measures of a call: named, checked, and what they need together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from medir import _core
from medir.base.settings import Effort, Settings
from medir.errors import MeasureError, UsageError
from medir.files.opening import read_bytes
from medir.inputs.grading import Grading
from medir.measures.family import Measure
from medir.measures.notation import effectiveness, measure
from medir.measures.of_ir_measures import IrMeasure, is_ir_measure, notation_of
from medir.measures.parameters import DEFAULT_CUTOFF

if TYPE_CHECKING:
    from medir.inputs.lengths import Lengths
    from medir.inputs.lengths import Source as WordCounts
    from medir.inputs.qrels import Qrels

NO_LIMIT = 1 << 40  # ranks
REMEMBERED_RANKS = 2000  # of two lists whose kernel is remembered

Measures = Measure | str | IrMeasure | Sequence[Measure | str | IrMeasure]


def named_measures(measures: Measures) -> list[Measure]:
    """One or several measures or their names, each once.

    >>> named_measures(["nDCG@20", "ndcg@20", "RBP"])
    [nDCG@20, RBP(p=0.9)]
    """
    single = isinstance(measures, str) or not isinstance(measures, Iterable)
    several = [cast("Measure | str", measures)] if single else list(cast("Any", measures))
    if not several:
        raise UsageError("name at least one measure, such as nDCG@20")
    chosen = list(dict.fromkeys(measure(one) for one in several))
    names = [repr(one) for one in chosen]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise MeasureError(f"two different measures are called {twice!r}; rename one of them")
    return chosen


def without_judgments(measures: Measures) -> Measures:
    """Measures where there are no judgments: those of ir_measures get an ideal that needs none."""
    if is_ir_measure(measures):
        return measure(notation_of(measures, judged=False))
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        return measures
    several = list(cast("Iterable[Any]", measures))
    return [
        measure(notation_of(one, judged=False)) if is_ir_measure(one) else one for one in several
    ]


def number_of(one: Any, measures: Sequence[Measure]) -> int | None:
    """Which of the measures this is; None where it is none of them."""
    for wanted in (measure(one), without_judgments(one) if is_ir_measure(one) else None):
        if wanted in measures:
            return list(measures).index(cast("Measure", wanted))
    return None


def default_measure(longest: int) -> Measure:
    """What is measured where no measure is named: nDCG@20, or as deep as the longest list."""
    return measure("nDCG") @ max(1, min(DEFAULT_CUTOFF, longest))


def single(measures: Measures, judged: bool = True) -> Measure:
    """The measure, where only one is of use; `judged`: whether there are judgments."""
    chosen = named_measures(measures if judged else without_judgments(measures))
    if len(chosen) > 1:
        raise UsageError(f"name one measure, not {len(chosen)}: {', '.join(map(repr, chosen))}")
    return chosen[0]


def measures_of_documents(measures: Measures) -> list[Measure]:
    """One or several measures of ranked documents or their names, each once."""
    chosen = named_measures(measures)
    for one in chosen:
        one.shape.check_documents(one)
    return chosen


def measures_to_score(measures: Measures) -> list[Measure]:
    """One or several measures of one ranked list or their names, each once.

    >>> measures_to_score(["nDCG@20", "nDCG(ideal='unbounded')@20", "P@5"])
    [nDCG(ideal='judged')@20, nDCG(ideal='unbounded')@20, P@5]
    """
    chosen = [judged_ideal(effectiveness(one)) for one in named_measures(measures)]
    for one in chosen:
        one.shape.check_scored(one)
    return list(dict.fromkeys(chosen))


def judged_ideal(one: Measure) -> Measure:
    """The measure as effectiveness is reported: an ideal that is not stated is of the judgments.

    >>> judged_ideal(measure("nDCG@20"))
    nDCG(ideal='judged')@20
    """
    unstated = "ideal" in one.parameters and not one.states("ideal")
    return one(ideal="judged") if unstated else one


def measures_of_passages(measures: Measures) -> list[Measure]:
    """One or several measures of passages or their names, each once."""
    chosen = named_measures(measures)
    for one in chosen:
        one.shape.check_passages(one)
    return chosen


def by_intent(measures: Iterable[Measure]) -> bool:
    """Whether any of the measures knows intents."""
    return any(one.shape.by_intent for one in measures)


def grading_for(measures: Iterable[Measure], grades: Mapping[Any, int] | None = None) -> Grading:
    """What the values of judgments mean: as declared, or shares of the measures' max_grade."""
    scales = (one["max_grade"] for one in measures if one["max_grade"] is not None)
    return Grading.of(grades, scales=scales)


def deepest(measures: Iterable[Measure]) -> int | None:
    """The deepest rank that any of the measures looks at; None where one looks endlessly deep."""
    reaches = [one.reach for one in measures]
    return None if None in reaches else max(cast("list[int]", reaches), default=None)


def native_measures(
    measures: Iterable[Measure], ranks: int, judged: Qrels | None, effort: Effort
) -> list[_core.Measure]:
    """The kernels of measures, for two lists of together `ranks` results."""
    kernels = []
    for one in measures:
        one.shape.check_documents(one)
        if judged is not None and one["max_grade"] is not None:
            judged.refuse_grades_above(one["max_grade"])
        if judged is None and one["ideal"] == "judged":
            raise UsageError(
                f"{one} takes its ideal from judgments: give qrels (--qrels FILE), or use "
                f"{one.name}@{one.cutoff or one.family.cutoff}, which needs none"
            )
        if judged is None and ranks <= REMEMBERED_RANKS:
            kernels.append(_kernel(one, ranks, effort))
        else:
            kernel = one.shape.kernel(one, ranks, judged, effort)
            kernels.append(_core.WithinLists(kernel) if one.within_lists else kernel)
    return kernels


@lru_cache(maxsize=64)
def _kernel(one: Measure, ranks: int, effort: Effort) -> _core.Measure:
    """A kernel for short lists without judgments, which one small call after the other asks for."""
    return one.shape.kernel(one, ranks, None, effort)


def native_options(
    settings: Settings,
    measures: Sequence[Measure],
    unseen: _core.Unseen,
    lengths: Lengths | None = None,
) -> _core.Options:
    """Settings as the kernels read them. No rank is looked at that no measure looks at.

    Clusters must have been read. Rank similarities look at lists without what repeats a document,
    which may be deep.
    """
    ties = any(one["ties"] for one in measures)
    whole = settings.clusters is not None and any(one.kind != "difference" for one in measures)
    return _core.Options(
        min((None if whole else deepest(measures)) or NO_LIMIT, settings.depth or NO_LIMIT),
        [one.reach or NO_LIMIT for one in measures],
        unseen,
        _core.Repeats[settings.duplicates],
        _core.Intents.kept if by_intent(measures) else _core.Intents.ignored,
        _core.Ties.kept if ties else _core.Ties.ignored,
        settings.workers,
        None if lengths is None else lengths._native,
        None if settings.clusters is None else settings.clusters._native,
    )


def is_recognisable(one: Measure) -> bool:
    """Whether a later call can know that it is the same: not where it is a function."""
    return not one.shape.is_function and not any(callable(value) for _, value in one.settings)


def identities(measures: Iterable[Measure]) -> Iterator[str]:
    """All that the values of measures depend on, so that a checkpoint is known to be theirs."""
    from hashlib import sha256

    for one in measures:
        if not is_recognisable(one):
            raise UsageError(
                f"{one} is a function of your own, which a checkpoint cannot tell from another: "
                "leave out checkpoint="
            )
        yield f"{one.name} {one.cutoff} {one.settings}"
        for path in one.shape.files(one):
            yield sha256(read_bytes(path)[1]).hexdigest()


def lengths_for(
    measures: Iterable[Measure], source: WordCounts | None, settings: Settings
) -> Lengths | None:
    """The lengths that measures need; an error where they lack, or where no measure needs any.

    Where there are clusters, each has one length.
    """
    timed = [one for one in measures if one.shape.needs_lengths]
    if not timed and source is not None:
        raise UsageError("lengths of documents (--lengths) go with a measure of time, such as TBG")
    if timed and source is None:
        raise UsageError(
            f"{timed[0]} needs the lengths of documents in words: give --lengths FILE with lines "
            "'document words' (lengths={document: words})"
        )
    if source is None:
        return None
    from medir.inputs.lengths import Lengths

    lengths = Lengths.of(source)
    return lengths if settings.clusters is None else lengths.of_clusters(settings.clusters)


def refuse_timed(measures: Iterable[Measure], command: str) -> None:
    """Raises an error where a command does not know the lengths of documents."""
    for one in measures:
        if one.shape.needs_lengths:
            raise UsageError(
                f"{one} depends on the lengths of documents, which {command} does not read; "
                "choose a measure of ranks, such as RBP"
            )
